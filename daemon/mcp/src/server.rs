//! The protocol: what the server is, what it has, and who does it.

use crate::call::Calls;
use crate::library;
use crate::places::Places;
use crate::tools::{self, ToolEntry};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;
use std::time::Duration;

/// What an assistant reads first.
const INSTRUCTIONS: &str = "\
Phalanx plays multi-agent programming contests. A strategy is a folder with one Luau file for each \
role. Work in a loop: read the resource phalanx://api/GAME, change the files, then strategy_check, \
strategy_test, and demo to see that it plays without fallbacks and script errors. league compares \
strategies over many seeds: trust it rather than a single demo. tune searches values of parameters \
that scripts declare with param(). With a recording (demo with record = true), why explains a \
decision, replay shows turns, and diff decides a match again with other files. Matches are \
deterministic: the same seed gives the same match.";

/// One client's server.
#[derive(Debug)]
pub(crate) struct Server {
    places: Arc<Places>,
    tools: Vec<ToolEntry>,
    calls: Calls,
}

impl Server {
    pub(crate) fn new(places: Places, time_limit: Duration) -> Self {
        let tools = tools::all(places.is_writable());
        Self { places: Arc::new(places), tools, calls: Calls::new(time_limit) }
    }

    pub(crate) fn calls(&self) -> Calls {
        self.calls.clone()
    }

    fn tool(&self, name: &str) -> Option<&ToolEntry> {
        self.tools.iter().find(|tool| tool.tool.name == name)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("phalanx", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.iter().map(|tool| tool.tool.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tool(name).map(|tool| tool.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = self.tool(&request.name) else {
            let known: Vec<_> = self.tools.iter().map(|tool| tool.tool.name.as_ref()).collect();
            let text = format!("no tool {:?}; there are: {}", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        };
        let (run, places) = (Arc::clone(&entry.run), Arc::clone(&self.places));
        let arguments = request.arguments.unwrap_or_default();
        let result = self.calls.run(&context, move |work| run(&places, arguments, work)).await;
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(library::list()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match library::read(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => {
                let text = format!("no resource {:?}; resources/list names all", request.uri);
                Err(ErrorData::resource_not_found(text, None))
            }
        }
    }
}
