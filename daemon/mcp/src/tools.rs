//! What an assistant can call. Each tool is a function of its arguments; their type is also their
//! schema.

mod play;
mod recorded;
mod strategy;
mod write;

use crate::answer::Answer;
use crate::call::Work;
use crate::places::Places;
use anyhow::{Result, anyhow};
use rmcp::handler::server::tool::schema_for_input;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;

type Run = dyn Fn(&Places, JsonObject, &Work) -> Result<Answer> + Send + Sync;

/// A tool: its description for the client, and what it does.
pub(crate) struct ToolEntry {
    pub(crate) tool: Tool,
    pub(crate) run: Arc<Run>,
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolEntry").field("tool", &self.tool).finish_non_exhaustive()
    }
}

/// All tools; those that write files only where they may.
pub(crate) fn all(writable: bool) -> Vec<ToolEntry> {
    let mut all = vec![
        entry("strategy_check", strategy::CHECK, strategy::check),
        entry("strategy_test", strategy::TEST, strategy::test),
        entry("strategy_params", strategy::PARAMS, strategy::params),
        entry("demo", play::DEMO, play::demo),
        entry("league", play::LEAGUE, play::league),
        entry("tune", play::TUNE, play::tune),
        entry("why", recorded::WHY, recorded::why),
        entry("replay", recorded::REPLAY, recorded::replay),
        entry("diff", recorded::DIFF, recorded::diff),
    ];
    if writable {
        all.push(entry("strategy_new", write::NEW, write::new));
        all.push(entry("write_file", write::FILE, write::file));
    }
    for entry in &mut all {
        let name = entry.tool.name.as_ref();
        let writes = writable && ["demo", "tune", "strategy_new", "write_file"].contains(&name);
        let hints = ToolAnnotations::new().read_only(!writes).open_world(false);
        // A proven tuned.toml and a file that is written may replace an older one.
        let hints = hints.destructive(writes && ["tune", "write_file"].contains(&name));
        entry.tool.annotations = Some(hints);
    }
    all
}

fn entry<A: DeserializeOwned + JsonSchema + 'static>(
    name: &'static str,
    about: &'static str,
    run: fn(&Places, A, &Work) -> Result<Answer>,
) -> ToolEntry {
    // Arguments are structs, whose schemas are objects; a test looks at all of them.
    let schema = schema_for_input::<A>().unwrap_or_default();
    let run = move |places: &Places, arguments: JsonObject, work: &Work| {
        let arguments = serde_json::from_value(arguments.into())
            .map_err(|error| anyhow!("the arguments of {name}: {error}"))?;
        run(places, arguments, work)
    };
    ToolEntry { tool: Tool::new(name, about, schema), run: Arc::new(run) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_describes_itself_and_its_arguments() {
        for entry in all(true) {
            let Tool { name, description, input_schema, annotations, .. } = entry.tool;
            assert!(description.is_some_and(|text| text.len() > 40), "{name}");
            assert_eq!(input_schema.get("additionalProperties"), Some(&false.into()), "{name}");
            let properties = input_schema.get("properties").and_then(|it| it.as_object()).unwrap();
            assert!(!properties.is_empty(), "{name}");
            for (argument, schema) in properties {
                assert!(schema.get("description").is_some(), "{name}: {argument}");
            }
            assert!(annotations.is_some(), "{name}");
        }
    }

    #[test]
    fn a_read_only_server_has_no_tool_that_writes() {
        let tools = all(false);
        assert!(tools.iter().all(|entry| {
            entry.tool.annotations.as_ref().is_some_and(|hints| hints.read_only_hint == Some(true))
        }));
        assert_eq!(tools.len() + 2, all(true).len());
    }
}
