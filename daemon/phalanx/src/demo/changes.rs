//! What a demo tells of a strategy that changes while it plays.

use crate::paint::{Ink, Paint};
use phalanx_engine::{Fault, JournalEntry, JournalEvent};

/// A change as people read it, the faults of a refused strategy in lines of their own; `None` for
/// anything else.
pub(super) fn text(entry: &JournalEntry, paint: Paint) -> Option<String> {
    match &entry.event {
        JournalEvent::Generation { generation, pinned, note } => {
            let pinned = if *pinned { ", pinned" } else { "" };
            let origin = generation.origin.to_string();
            let how = if note.is_empty() { &origin } else { note };
            let what = format!("generation {} ({how}) decides", generation.number);
            Some(format!("{}{pinned}", paint.ink(Ink::Green, &what)))
        }
        JournalEvent::StrategyRefused { origin, faults } if is_held_back(faults) => {
            let what = format!("the strategy waits ({origin})");
            Some(format!("{}: {}", paint.ink(Ink::Yellow, &what), held_back(faults)))
        }
        JournalEvent::StrategyRefused { origin, faults } => {
            let what = format!("the strategy was refused ({origin})");
            let head = paint.ink(Ink::Red, &what);
            let lines: String = faults.iter().map(|fault| line(fault, paint)).collect();
            Some(format!("{head}; generation {} plays on{lines}", entry.generation))
        }
        JournalEvent::TakenBack { failed, generation, reason } => {
            let what = format!("generation {} was taken back: {reason}", failed.number);
            let again = generation.number;
            Some(format!("{}; generation {again} decides again", paint.ink(Ink::Red, &what)))
        }
        JournalEvent::ParamSet { name, scope, value, by, .. } => {
            let value = if value.is_empty() { "its default" } else { value };
            Some(format!("{name} = {value} for {scope}, by {by}"))
        }
        JournalEvent::Ran { code, by, .. } => Some(format!("{by} ran in the living VM: {code}")),
        JournalEvent::RoleSet { .. }
        | JournalEvent::Steered { .. }
        | JournalEvent::Retuned { .. }
        | JournalEvent::AgentAdded { .. }
        | JournalEvent::AgentRemoved { .. }
        | JournalEvent::Left { .. }
        | JournalEvent::Returned { .. }
        | JournalEvent::BoardSet { .. } => entry.event.steered_in_words(),
        JournalEvent::Resumed { missed, .. } => {
            let turns = if *missed == 1 { "turn" } else { "turns" };
            Some(format!("the team goes on with what it knew; {missed} {turns} went by without it"))
        }
        JournalEvent::CheckpointRefused { reason } => {
            let what = "what the team knew is not taken over";
            Some(format!("{}: {reason}", paint.ink(Ink::Yellow, what)))
        }
        JournalEvent::Seat { .. }
        | JournalEvent::RoundStarted
        | JournalEvent::Decided { .. }
        | JournalEvent::Ordered { .. }
        | JournalEvent::Held { .. }
        | JournalEvent::AlertBegan { .. }
        | JournalEvent::AlertEnded { .. }
        | JournalEvent::Fallback { .. }
        | JournalEvent::ScriptError { .. }
        | JournalEvent::Defaulted { .. }
        | JournalEvent::Late
        | JournalEvent::Notice(_)
        | JournalEvent::Log { .. }
        | JournalEvent::TurnDone(_)
        | JournalEvent::RoundOver { .. }
        | JournalEvent::MatchOver => None,
    }
}

/// Nothing is wrong with it: what plays is pinned.
pub(crate) fn is_held_back(faults: &[Fault]) -> bool {
    !faults.is_empty() && !faults.iter().any(|fault| fault.fatal)
}

/// Why it does not play, and what to do.
pub(crate) fn held_back(faults: &[Fault]) -> String {
    let each = faults.iter().map(|fault| format!("{}; {}", fault.message, fault.help));
    each.collect::<Vec<_>>().join("; ")
}

fn line(fault: &Fault, paint: Paint) -> String {
    let place = match fault.line {
        Some(line) => format!("{}:{line}", fault.file),
        None => fault.file.clone(),
    };
    let help = if fault.help.is_empty() { String::new() } else { format!(" ({})", fault.help) };
    let excerpt: String = fault.excerpt.lines().map(|line| format!("\n      {line}")).collect();
    let excerpt = paint.ink(Ink::Dim, &excerpt);
    let warning = if fault.fatal { "" } else { "warning: " };
    format!("\n    {}: {warning}{}{help}{excerpt}", paint.ink(Ink::Bold, &place), fault.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_engine::StrategyOrigin;
    use phalanx_game::Turn;

    #[test]
    fn what_waits_behind_a_pinned_generation_is_not_called_refused() {
        let fault = Fault {
            fatal: false,
            file: "mine".into(),
            line: None,
            column: None,
            message: "it passed its trial, but generation 6 is pinned".into(),
            help: "`phalanx strategy unpin A` lets it play".into(),
            excerpt: String::new(),
        };
        let event =
            JournalEvent::StrategyRefused { origin: StrategyOrigin::File, faults: vec![fault] };
        let entry = JournalEntry { turn: Turn::default(), agent: None, generation: 6, event };
        assert_eq!(
            text(&entry, Paint::none()).unwrap(),
            "the strategy waits (file): it passed its trial, but generation 6 is pinned; \
             `phalanx strategy unpin A` lets it play"
        );
    }

    #[test]
    fn a_refusal_names_every_file_and_line() {
        let fault = |fatal, line, message: &str| Fault {
            fatal,
            file: "worker.luau".into(),
            line: Some(line),
            column: None,
            message: message.into(),
            help: String::new(),
            excerpt: String::new(),
        };
        let faults = vec![fault(true, 3, "no such action"), fault(false, 9, "`x` is not used")];
        let entry = JournalEntry {
            turn: Turn::default(),
            agent: None,
            generation: 2,
            event: JournalEvent::StrategyRefused { origin: StrategyOrigin::File, faults },
        };
        assert_eq!(
            text(&entry, Paint::none()).unwrap(),
            "the strategy was refused (file); generation 2 plays on\n    worker.luau:3: no such \
             action\n    worker.luau:9: warning: `x` is not used"
        );
    }
}
