//! The protocol: what the server is, what it has, and who does it.

use crate::call::{Call, Calls};
use crate::library;
use crate::places::Places;
use crate::protocol::{ErrorAnswer, Message, Output, VERSIONS, agreed, completed};
use crate::tools::{self, Tool};
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncRead;
use tokio_stream::StreamExt;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};
use tokio_util::sync::CancellationToken;

/// Longest message of a client, in bytes: a file to write, and what is around it.
const MESSAGE_BYTES_MAX: usize = 4 << 20;

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
    tools: Vec<Tool>,
    calls: Calls,
    /// The calls that can be cancelled, by the ids of their requests.
    running: Arc<Mutex<HashMap<String, CancellationToken>>>,
    output: Output,
}

impl Server {
    pub(crate) fn new(places: Places, time_limit: Duration) -> Self {
        let tools = tools::all(places.is_writable());
        Self {
            places: Arc::new(places),
            tools,
            calls: Calls::new(time_limit),
            running: Arc::default(),
            output: Output::new(),
        }
    }

    /// Answers the messages of this input until it ends.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) async fn serve(&self, input: impl AsyncRead + Unpin) -> Result<()> {
        let mut lines = FramedRead::new(input, LinesCodec::new_with_max_length(MESSAGE_BYTES_MAX));
        loop {
            match lines.next().await {
                Some(Ok(line)) if line.trim().is_empty() => {}
                Some(Ok(line)) => self.message(&line).await,
                Some(Err(LinesCodecError::MaxLineLengthExceeded)) => {
                    let text = format!("a message has more than {MESSAGE_BYTES_MAX} bytes");
                    let error = ErrorAnswer::new(ErrorAnswer::INVALID, text);
                    self.output.answer(&Value::Null, Err(error)).await;
                    // The reader pauses after an error: this is not yet the end.
                    lines.next().await;
                }
                Some(Err(LinesCodecError::Io(error))) => {
                    return Err(error).context("cannot read the client's messages");
                }
                None => return Ok(()),
            }
        }
    }

    /// Ends all calls, and waits for them.
    pub(crate) async fn end(&self, patience: Duration) {
        self.calls.end(patience).await;
    }

    async fn message(&self, line: &str) {
        let message = match Message::parse(line) {
            Ok(message) => message,
            Err(error) => return self.output.answer(&Value::Null, Err(error)).await,
        };
        match (message.method.as_deref(), &message.id) {
            (Some("tools/call"), Some(id)) => {
                if let Err(error) = self.call(&message, id).await {
                    self.output.answer(id, Err(error)).await;
                }
            }
            (Some(method), Some(id)) => {
                self.output.answer(id, self.request(method, &message)).await;
            }
            (Some("notifications/cancelled"), None) => {
                let id = message.param("requestId").to_string();
                if let Some(call) = running(&self.running).remove(&id) {
                    call.cancel();
                }
            }
            // Other notifications, and answers to requests that were never made.
            (_, None) | (None, _) => {}
        }
    }

    /// The result of a request that needs no time.
    fn request(&self, method: &str, message: &Message) -> Result<Value, ErrorAnswer> {
        let version = message.version()?;
        let is_list = !matches!(method, "initialize" | "ping");
        let result = match method {
            "initialize" => json!({
                "protocolVersion": agreed(message.param("protocolVersion")),
                "capabilities": capabilities(),
                "serverInfo": server_info(),
                "instructions": INSTRUCTIONS,
            }),
            "server/discover" => json!({
                "supportedVersions": VERSIONS,
                "capabilities": capabilities(),
                "instructions": INSTRUCTIONS,
                "_meta": { "io.modelcontextprotocol/serverInfo": server_info() },
            }),
            "ping" => json!({}),
            "tools/list" => {
                json!({ "tools": self.tools.iter().map(Tool::listed).collect::<Vec<_>>() })
            }
            "resources/list" => json!({ "resources": library::list() }),
            "resources/templates/list" => json!({ "resourceTemplates": [] }),
            "resources/read" => {
                let uri = message.param("uri").as_str().unwrap_or_default();
                let contents = library::read(uri).ok_or_else(|| {
                    let text = format!("no resource {uri:?}; resources/list names all");
                    ErrorAnswer::new(ErrorAnswer::PARAMS, text)
                })?;
                json!({ "contents": [contents] })
            }
            _ => {
                return Err(ErrorAnswer::new(
                    ErrorAnswer::NO_METHOD,
                    format!("no method {method:?}"),
                ));
            }
        };
        Ok(completed(result, version, is_list))
    }

    /// Begins a call of a tool, which answers when it ends.
    async fn call(&self, message: &Message, id: &Value) -> Result<(), ErrorAnswer> {
        let version = message.version()?;
        let name = message.param("name").as_str().unwrap_or_default();
        let Some(tool) = self.tools.iter().find(|tool| tool.name == name) else {
            let known: Vec<_> = self.tools.iter().map(|tool| tool.name).collect();
            let text = format!("no tool {name:?}; there are: {}", known.join(", "));
            return Err(ErrorAnswer::new(ErrorAnswer::PARAMS, text));
        };
        let arguments = match message.param("arguments") {
            Value::Null => Map::new(),
            Value::Object(arguments) => arguments.clone(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                let text = "arguments: expected an object".to_owned();
                return Err(ErrorAnswer::new(ErrorAnswer::PARAMS, text));
            }
        };
        let permit = match self.calls.permit() {
            Ok(permit) => permit,
            Err(refused) => {
                self.output.answer(id, Ok(completed(refused, version, false))).await;
                return Ok(());
            }
        };
        let (run, places) = (Arc::clone(&tool.run), Arc::clone(&self.places));
        let call = Call {
            output: self.output.clone(),
            progress_token: message.meta("progressToken").cloned(),
            cancelled: CancellationToken::new(),
        };
        running(&self.running).insert(id.to_string(), call.cancelled.clone());
        let (calls, all, id) = (self.calls.clone(), Arc::clone(&self.running), id.clone());
        tokio::spawn(async move {
            let tool = move |work: &_| run(&places, arguments, work);
            let result = calls.run(permit, &call, Box::new(tool)).await;
            running(&all).remove(&id.to_string());
            // The client does not wait for the answer of a call that it cancelled.
            if !call.cancelled.is_cancelled() {
                call.output.answer(&id, Ok(completed(result, version, false))).await;
            }
        });
        Ok(())
    }
}

fn running(
    calls: &Mutex<HashMap<String, CancellationToken>>,
) -> std::sync::MutexGuard<'_, HashMap<String, CancellationToken>> {
    calls.lock().unwrap_or_else(PoisonError::into_inner)
}

fn capabilities() -> Value {
    json!({ "resources": {}, "tools": {} })
}

fn server_info() -> Value {
    json!({ "name": "phalanx", "version": env!("CARGO_PKG_VERSION") })
}
