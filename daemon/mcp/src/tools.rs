//! What an assistant can call. Each tool is a function of its arguments; their type is also their
//! schema.

mod play;
mod recorded;
mod strategy;
mod write;

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::call::Work;
use crate::places::Places;
use anyhow::{Result, anyhow};
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;

type Run = dyn Fn(&Places, Map<String, Value>, &Work) -> Result<Answer> + Send + Sync;

/// A tool: its description for the client, and what it does.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    about: &'static str,
    /// The schema of its arguments.
    schema: Value,
    /// It may write files.
    writes: bool,
    pub(crate) run: Arc<Run>,
}

impl Tool {
    /// What clients read.
    pub(crate) fn listed(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": self.schema,
            "annotations": {
                "readOnlyHint": !self.writes,
                // A proven tuned.toml and a file that is written may replace an older one.
                "destructiveHint": self.writes && ["tune", "write_file"].contains(&self.name),
                "openWorldHint": false,
            },
        })
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All tools; those that write files only where they may.
pub(crate) fn all(writable: bool) -> Vec<Tool> {
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
    for tool in &mut all {
        tool.writes =
            writable && ["demo", "tune", "strategy_new", "write_file"].contains(&tool.name);
    }
    all
}

fn entry<A: Arguments + 'static>(
    name: &'static str,
    about: &'static str,
    run: fn(&Places, A, &Work) -> Result<Answer>,
) -> Tool {
    let run = move |places: &Places, arguments: Map<String, Value>, work: &Work| {
        let arguments = serde_json::from_value(arguments.into())
            .map_err(|error| anyhow!("the arguments of {name}: {error}"))?;
        run(places, arguments, work)
    };
    Tool { name, about, schema: A::schema(), writes: false, run: Arc::new(run) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_describes_itself_and_its_arguments() {
        for Tool { name, about, schema, .. } in all(true) {
            assert!(about.len() > 40, "{name}");
            assert_eq!(schema["additionalProperties"], false, "{name}");
            let properties = schema["properties"].as_object().unwrap();
            assert!(!properties.is_empty(), "{name}");
            for (argument, schema) in properties {
                assert!(schema["description"].as_str().unwrap().len() > 10, "{name}: {argument}");
            }
        }
    }

    #[test]
    fn a_read_only_server_has_no_tool_that_writes() {
        let tools = all(false);
        let is_read_only = |tool: &Tool| tool.listed()["annotations"]["readOnlyHint"] == true;
        assert!(tools.iter().all(is_read_only));
        assert_eq!(tools.len() + 2, all(true).len());
    }
}
