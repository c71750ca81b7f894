//! What a journal entry says to people: its severity, topic and text. The log, the API, the
//! terminal, the page and demos only display it.

use super::{JournalEntry, JournalEvent, TurnDone};
use crate::{
    AlertKind, Fault, Generation, Keep, Reason, SeatState, SteerCause, Steering, StrategyOrigin,
};
use phalanx_game::{Notice, Turn, Value, write_value};
use std::time::Duration;

/// Characters of a value in a text.
const VALUE_CHARS_MAX: usize = 200;

/// How much an event matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventSeverity {
    /// Routine: every turn has such events.
    Debug,
    /// Worth knowing; nothing to do.
    Info,
    /// Something went wrong, and play continues.
    Warning,
    /// Someone has to act.
    Error,
}

/// What an event is about, for filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventTopic {
    /// A decision failed, came too late or was lost.
    Trouble,
    /// Lines that scripts log.
    Script,
    /// Alerts begin and end.
    Alert,
    /// Operators reach into agents.
    Steering,
    /// Strategies and their parameters.
    Strategy,
    /// Connections to the referee.
    Seat,
    /// Who belongs to the team, where it plays, and how it restarts.
    Team,
    /// Turns, rounds and the match.
    Match,
    /// Operators write to the board.
    Board,
}

impl EventTopic {
    /// The topic in one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Trouble => "trouble",
            Self::Script => "script",
            Self::Alert => "alert",
            Self::Steering => "steering",
            Self::Strategy => "strategy",
            Self::Seat => "seat",
            Self::Team => "team",
            Self::Match => "match",
            Self::Board => "board",
        }
    }
}

/// An entry of the journal in words. Its subject is [`JournalEntry::agent`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// How much it matters.
    pub severity: EventSeverity,
    /// What it is about.
    pub topic: EventTopic,
    /// One line. Equal troubles of several agents and turns have equal texts.
    pub text: String,
    /// More about it, to be displayed below the text; each may have several lines.
    pub details: Vec<String>,
}

impl JournalEntry {
    /// The entry in words.
    #[must_use]
    pub fn describe(&self) -> Description {
        let (severity, topic) = (self.event.severity(), self.event.topic());
        let mut details = Vec::new();
        if let JournalEvent::Fallback { explained: Some(reason), .. } = &self.event {
            details.push(format!("explained before: {}", because(reason)));
        } else if let JournalEvent::StrategyRefused { faults, .. } = &self.event
            && !is_held_back(faults)
        {
            details.extend(faults.iter().map(fault_lines));
        }
        Description { severity, topic, text: self.text(), details }
    }

    fn text(&self) -> String {
        match &self.event {
            // A number helps only where the agent is not known.
            JournalEvent::Seat { seat, state } => match self.agent {
                Some(_) => seat_text("seat", state),
                None => seat_text(&format!("seat {}", seat.0), state),
            },
            JournalEvent::RoundStarted => "round started".to_owned(),
            JournalEvent::Resumed { turn, missed } => resumed(*turn, *missed),
            JournalEvent::CheckpointRefused { reason } => {
                format!("the team begins anew, its checkpoint is not used: {reason}")
            }
            JournalEvent::Decided { action, role, reason, spent, .. } => {
                decided(action, role, reason.as_ref(), *spent)
            }
            JournalEvent::Fallback { reason, role, .. } => format!("fallback ({role}): {reason}"),
            JournalEvent::ScriptError { call, reason } => {
                format!("script error in {call}: {reason}")
            }
            JournalEvent::Generation { generation, pinned, note } => {
                activated(generation, *pinned, note)
            }
            JournalEvent::StrategyRefused { origin, faults } => {
                refused(origin, faults, self.generation)
            }
            JournalEvent::TakenBack { failed, generation, reason } => {
                let (failed, again) = (failed.number, generation.number);
                format!(
                    "generation {failed} was taken back: {reason}; generation {again} decides again"
                )
            }
            JournalEvent::ParamSet { name, scope, before, value, by } => {
                parameter(name, scope, (before, value), by)
            }
            JournalEvent::BoardSet { key, value, turns, by } => board(key, value, *turns, by),
            JournalEvent::Ran { code, by, trouble } => ran(code, by, trouble),
            JournalEvent::RoleSet { before, role, by, .. } => {
                format!("role {before} → {role}, by {by}")
            }
            JournalEvent::Steered { steering, cause } => steered(steering, cause),
            JournalEvent::Ordered { action, by, pinned } => {
                format!("{action}, {} by {by}", if *pinned { "pinned" } else { "ordered" })
            }
            JournalEvent::Held { by, piloted } => held(by, *piloted),
            JournalEvent::AgentAdded { role, again, by } => {
                format!("added{} as {role} by {by}", if *again { " again" } else { "" })
            }
            JournalEvent::AgentRemoved { by } => format!("removed from the team by {by}"),
            JournalEvent::Retuned { changes, by } => format!("{changes}, by {by}"),
            JournalEvent::Left { to, keep, by } => left(to.as_deref(), *keep, by),
            JournalEvent::Returned { to, by } => format!("the team was started by {by}, at {to}"),
            JournalEvent::AlertBegan { alert, text } => {
                format!("alert {}: {text}", alert_name(*alert))
            }
            JournalEvent::AlertEnded { alert, turns } => alert_ended(*alert, *turns),
            JournalEvent::Defaulted { cause } => format!("defaulted: {cause}"),
            JournalEvent::Late => "late: the turn was already closed".to_owned(),
            JournalEvent::Notice(fault @ Notice::Fault { .. }) => fault.to_string(),
            JournalEvent::Notice(notice) => format!("referee: {notice}"),
            JournalEvent::Log { level, text } => format!("{level}: {text}"),
            JournalEvent::TurnDone(done) => turn_done(done, self.generation),
            JournalEvent::RoundOver { score, ranking } => round_over(*score, *ranking),
            JournalEvent::MatchOver => "match over".to_owned(),
        }
    }
}

impl JournalEvent {
    /// How much it matters.
    #[must_use]
    pub fn severity(&self) -> EventSeverity {
        match self {
            Self::Seat { state, .. } => match state {
                SeatState::Idle | SeatState::Connected => EventSeverity::Debug,
                SeatState::Connecting { failures: 0, .. } => EventSeverity::Debug,
                SeatState::Connecting { .. } => EventSeverity::Warning,
                SeatState::Refused { .. } => EventSeverity::Error,
                SeatState::Seated | SeatState::Stopped | SeatState::Closed => EventSeverity::Info,
            },
            Self::Log { level: "error", .. } => EventSeverity::Error,
            Self::Log { level: "warn", .. } => EventSeverity::Warning,
            Self::Log { level: "debug", .. } => EventSeverity::Debug,
            Self::Decided { .. } | Self::Ordered { .. } | Self::Held { .. } | Self::TurnDone(_) => {
                EventSeverity::Debug
            }
            Self::RoundStarted
            | Self::Resumed { .. }
            | Self::Generation { .. }
            | Self::ParamSet { .. }
            | Self::BoardSet { .. }
            | Self::Ran { .. }
            | Self::RoleSet { .. }
            | Self::Steered { .. }
            | Self::AgentAdded { .. }
            | Self::AgentRemoved { .. }
            | Self::Retuned { .. }
            | Self::Left { .. }
            | Self::Returned { .. }
            | Self::AlertEnded { .. }
            | Self::Log { .. }
            | Self::RoundOver { .. }
            | Self::MatchOver => EventSeverity::Info,
            Self::CheckpointRefused { .. }
            | Self::Fallback { .. }
            | Self::ScriptError { .. }
            | Self::StrategyRefused { .. }
            | Self::TakenBack { .. }
            | Self::AlertBegan { .. }
            | Self::Defaulted { .. }
            | Self::Late
            | Self::Notice(_) => EventSeverity::Warning,
        }
    }

    /// What it is about.
    #[must_use]
    pub fn topic(&self) -> EventTopic {
        match self {
            Self::Fallback { .. }
            | Self::ScriptError { .. }
            | Self::Defaulted { .. }
            | Self::Late
            | Self::Notice(_) => EventTopic::Trouble,
            Self::Log { .. } => EventTopic::Script,
            Self::AlertBegan { .. } | Self::AlertEnded { .. } => EventTopic::Alert,
            Self::RoleSet { .. }
            | Self::Steered { .. }
            | Self::Ordered { .. }
            | Self::Held { .. }
            | Self::Ran { .. } => EventTopic::Steering,
            Self::Generation { .. }
            | Self::StrategyRefused { .. }
            | Self::TakenBack { .. }
            | Self::ParamSet { .. } => EventTopic::Strategy,
            Self::Seat { .. } => EventTopic::Seat,
            Self::Resumed { .. }
            | Self::CheckpointRefused { .. }
            | Self::AgentAdded { .. }
            | Self::AgentRemoved { .. }
            | Self::Retuned { .. }
            | Self::Left { .. }
            | Self::Returned { .. } => EventTopic::Team,
            Self::RoundStarted
            | Self::Decided { .. }
            | Self::TurnDone(_)
            | Self::RoundOver { .. }
            | Self::MatchOver => EventTopic::Match,
            Self::BoardSet { .. } => EventTopic::Board,
        }
    }
}

fn seat_text(seat: &str, state: &SeatState) -> String {
    match state {
        SeatState::Idle => format!("{seat} is idle"),
        SeatState::Connecting { reason, .. } if reason.is_empty() => {
            format!("{seat} is connecting")
        }
        SeatState::Connecting { failures, reason } => {
            format!("{seat} is connecting, {failures} attempts failed: {reason}")
        }
        SeatState::Connected => format!("{seat} is connected"),
        SeatState::Seated => format!("{seat} is seated"),
        SeatState::Refused { reason } => format!("{seat} was refused: {reason}"),
        SeatState::Stopped => format!("{seat} is stopped"),
        SeatState::Closed => format!("{seat} is closed"),
    }
}

/// `silent agent`.
fn alert_name(alert: AlertKind) -> String {
    alert.word().replace('_', " ")
}

/// An alert that began and ended between two turns has no duration in turns.
fn alert_ended(alert: AlertKind, turns: u64) -> String {
    let alert = alert_name(alert);
    match turns {
        0 => format!("alert {alert} is over"),
        turns => format!("alert {alert} is over after {}", turns_text(turns)),
    }
}

fn turns_text(turns: u64) -> String {
    format!("{turns} turn{}", if turns == 1 { "" } else { "s" })
}

fn resumed(last: Turn, missed: u32) -> String {
    let turns = if missed == 1 { "turn was" } else { "turns were" };
    format!("resumed: the team goes on with what it knew in {last}; {missed} {turns} missed")
}

fn decided(action: &str, role: &str, reason: Option<&Reason>, spent: Duration) -> String {
    let reason = reason.map(|reason| format!(": {}", because(reason))).unwrap_or_default();
    format!("{action} ({role}, {}){reason}", shown_time(spent))
}

/// `812 µs`, and from 10 ms on `250 ms`.
fn shown_time(time: Duration) -> String {
    let micros = time.as_micros();
    if micros < 10_000 {
        return format!("{micros} µs");
    }
    format!("{} ms", micros.saturating_add(500) / 1_000)
}

fn because(reason: &Reason) -> String {
    if reason.data == Value::Nil {
        return reason.text.clone();
    }
    format!("{} {}", reason.text, brief(&reason.data))
}

/// A value as scripts write it, cut where it is long.
fn brief(value: &Value) -> String {
    write_value(value).chars().take(VALUE_CHARS_MAX).collect()
}

/// Nothing is wrong with the strategy: the generation that plays is pinned.
fn is_held_back(faults: &[Fault]) -> bool {
    !faults.is_empty() && !faults.iter().any(|fault| fault.fatal)
}

fn activated(generation: &Generation, pinned: bool, note: &str) -> String {
    let Generation { number, origin, .. } = generation;
    let pinned = if pinned { ", pinned" } else { "" };
    if note.is_empty() {
        return format!("generation {number} ({origin}) decides from here on{pinned}");
    }
    format!("generation {number} ({note}) decides from here on{pinned}")
}

fn refused(origin: &StrategyOrigin, faults: &[Fault], playing: u32) -> String {
    if !is_held_back(faults) {
        return format!("the strategy was refused ({origin}); generation {playing} plays on");
    }
    let each = faults.iter().map(|fault| format!("{}; {}", fault.message, fault.help));
    format!("the strategy waits ({origin}): {}", each.collect::<Vec<_>>().join("; "))
}

/// `worker.luau:3: no such action (help)`, and the lines of the file below it.
fn fault_lines(fault: &Fault) -> String {
    let Fault { fatal, file, line, message, help, excerpt, .. } = fault;
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    let warning = if *fatal { "" } else { "warning: " };
    let help = if help.is_empty() { String::new() } else { format!(" ({help})") };
    let excerpt: String = excerpt.lines().map(|line| format!("\n  {line}")).collect();
    format!("{file}{line}: {warning}{message}{help}{excerpt}")
}

fn parameter(name: &str, scope: &str, (before, value): (&str, &str), by: &str) -> String {
    let before = if before.is_empty() { "not set" } else { before };
    match value {
        "" => format!("{name} is no longer set for {scope} (was {before}), by {by}"),
        value => format!("{name} = {value} for {scope} (was {before}), by {by}"),
    }
}

fn board(key: &str, value: &Value, turns: Option<u64>, by: &str) -> String {
    if *value == Value::Nil {
        return format!("{key:?} deleted from the board by {by}");
    }
    let turns = turns.map(|turns| format!(" for {}", turns_text(turns))).unwrap_or_default();
    format!("{key:?} = {} on the board{turns}, by {by}", brief(value))
}

fn steered(steering: &Steering, cause: &SteerCause) -> String {
    match (steering, cause) {
        (Steering::Script, SteerCause::Operator { by }) => {
            format!("handed back to its script by {by}")
        }
        (Steering::Script, cause) => format!("handed back to its script: {cause}"),
        (steering, _) => steering.to_string(),
    }
}

fn ran(code: &str, by: &str, trouble: &str) -> String {
    let failed = if trouble.is_empty() { "" } else { "; it failed: " };
    format!("{by} ran in the living VM: {code}{failed}{trouble}")
}

fn held(by: &str, piloted: bool) -> String {
    if piloted {
        return format!("no order of {by} in time: the fallback");
    }
    format!("paused by {by}: the fallback")
}

fn left(to: Option<&str>, keep: Keep, by: &str) -> String {
    let Some(to) = to else { return format!("the team was stopped by {by}") };
    let keeps = |kept| if kept { "keeps" } else { "forgets" };
    let (world, memory) = (keeps(keep.world), keeps(keep.memory));
    format!("moved to {to} by {by}: {world} its world, {memory} its memories")
}

fn turn_done(done: &TurnDone, generation: u32) -> String {
    let TurnDone { asked, decided, fallback, script_us, .. } = done;
    let score = done.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
    let scripts = shown_time(Duration::from_micros(*script_us));
    format!(
        "asked {asked} decided {decided} fallback {fallback} score {score} scripts {scripts} \
         generation {generation}"
    )
}

fn round_over(score: i64, ranking: Option<u32>) -> String {
    let rank = ranking.map(|rank| format!(", rank {rank}")).unwrap_or_default();
    format!("round over: score {score}{rank}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_ten_milliseconds_and_more_is_in_milliseconds() {
        let shown = [0, 812, 9_999, 10_000, 250_499, 3_769_962]
            .map(|micros| shown_time(Duration::from_micros(micros)));
        assert_eq!(shown, ["0 µs", "812 µs", "9999 µs", "10 ms", "250 ms", "3770 ms"]);
    }
}
