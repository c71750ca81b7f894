//! Prints a recording turn by turn, without a terminal.

use super::stranger;
use crate::args::replay::ReplayArgs;
use crate::extracts::{game_turn, no_turn, turns, warn};
use anyhow::Result;
use phalanx_cli::paint::{Ink, Paint};
use phalanx_cli::remote::ResultSink;
use phalanx_cli::remote::events::{self, describe};
use phalanx_exchange::{PlayedAgent, PlayedTurn};
use phalanx_game::sorted::SortedSet;
use phalanx_proto::v1::{MatchEvent, Turn};
use phalanx_record::RecordingFile;
use serde_json::{Value, json};

/// Hands on each turn from the first one that is asked for.
///
/// # Errors
/// When the sink fails, or the recording has no such turn or agent.
pub(super) fn show(
    file: &RecordingFile,
    args: &ReplayArgs,
    sink: &mut dyn ResultSink,
) -> Result<()> {
    let only = args.agent.as_deref();
    let mut turns = turns(file);
    let (mut names, mut ends, mut begun) = (SortedSet::new(), None, false);
    for turn in turns.by_ref() {
        ends = Some((ends.map_or(turn.turn, |(first, _)| first), turn.turn));
        names.extend(turn.agents.iter().map(|agent| agent.name.clone()));
        begun |= args.at.is_none_or(|place| place.is_at(game_turn(turn.turn)));
        if !begun || only.is_some_and(|name| turn.agent(name).is_none()) {
            continue;
        }
        if !sink.item(&turn_json(&turn, only), &|paint| text(&turn, only, paint))? {
            return Ok(());
        }
    }
    warn(&args.file, turns.damage());
    if !begun {
        return Err(no_turn(ends));
    }
    match only {
        Some(name) if !names.contains(name) => {
            Err(stranger(name, &names.into_iter().collect::<Vec<_>>()))
        }
        Some(_) | None => Ok(()),
    }
}

/// A turn as text: a title, a line per agent, other events.
fn text(turn: &PlayedTurn, only: Option<&str>, paint: Paint) -> String {
    let Turn { round, step } = turn.turn;
    let head = paint.ink(Ink::Bold, &format!("{round}:{step}"));
    let mut text = format!("{head} {}", summary(turn));
    if turn.after_gap {
        text.push_str(&format!("\n  {}", paint.ink(Ink::Yellow, "entries are missing before it")));
    }
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    for event in turn.events.iter().filter(|event| event.agent.is_empty() || wanted(&event.agent)) {
        text.push_str(&format!("\n  {:<12} {}", who(event), describe(event, paint)));
    }
    for agent in turn.agents.iter().filter(|agent| wanted(&agent.name)) {
        for (index, event) in agent.events.iter().enumerate() {
            let last = index + 1 == agent.events.len();
            let answer = if last && !agent.result.is_empty() {
                format!(" → {}", agent.result)
            } else {
                String::new()
            };
            text.push_str(&format!("\n  {:<12} {}{answer}", agent.name, describe(event, paint)));
        }
    }
    text
}

fn who(event: &MatchEvent) -> &str {
    if event.agent.is_empty() { "-" } else { &event.agent }
}

/// The outcome of a turn, in a line.
pub(super) fn summary(turn: &PlayedTurn) -> String {
    let score = turn.score.map_or("-".to_owned(), |score| score.to_string());
    match &turn.done {
        Some(done) => format!(
            "asked {} decided {} fallback {} score {score}",
            done.asked, done.decided, done.fallback
        ),
        None => format!("is incomplete, score {score}"),
    }
}

fn turn_json(turn: &PlayedTurn, only: Option<&str>) -> Value {
    let wanted = |agent: &&PlayedAgent| only.is_none_or(|only| only == agent.name);
    let agents = turn.agents.iter().filter(wanted).map(agent_json);
    let done = turn.done.as_ref().map(|done| {
        json!({
            "asked": done.asked, "decided": done.decided, "fallback": done.fallback,
            "ordered": done.ordered, "held": done.held,
        })
    });
    json!({
        "round": turn.turn.round, "step": turn.turn.step, "at_ms": turn.nanos / 1_000_000,
        "after_gap": turn.after_gap, "trouble": turn.is_trouble(), "score": turn.score,
        "done": done, "agents": agents.collect::<Vec<_>>(),
        "events": turn.events.iter().map(events::json).collect::<Vec<_>>(),
    })
}

fn agent_json(agent: &PlayedAgent) -> Value {
    let deed = agent.deed();
    let deed = deed.as_ref();
    json!({
        "agent": agent.name, "role": agent.role, "percept": agent.percept,
        "kind": deed.map(|deed| deed.kind.word()), "action": deed.map(|deed| deed.action),
        "reason": deed.map(|deed| deed.reason), "late": deed.is_some_and(|deed| deed.late),
        "defaulted": deed.is_some_and(|deed| deed.defaulted), "result": agent.result,
        "result_turn": agent.answered.map(|turn| json!({ "round": turn.round, "step": turn.step })),
        "events": agent.events.iter().map(events::json).collect::<Vec<_>>(),
    })
}
