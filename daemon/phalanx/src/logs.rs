//! What the daemon logs.

mod filter;
mod flood;
mod start;
mod traces;

pub use filter::LogControl;
pub use start::start;
pub use traces::Traces;

use crate::demo::{held_back, is_held_back};
use crate::repeats::Repeats;
use phalanx_engine::{JournalEntry, JournalEvent, SeatState};
use phalanx_net::{JournalItem, JournalStream};
use tracing::{debug, info, warn};

/// Logs what people want to know of a team, until its journal ends.
pub async fn follow(name: String, mut journal: JournalStream) {
    let mut troubles = Repeats::default();
    while let Some(item) = journal.next().await {
        match item {
            JournalItem::Dropped(count) => warn!(team = name, count, "journal lines lost"),
            JournalItem::Entry(entry) => log(&name, &entry, &mut troubles),
        }
    }
}

fn log(team: &str, entry: &JournalEntry, troubles: &mut Repeats) {
    let turn = entry.turn;
    let agent = entry.agent.as_deref().unwrap_or("");
    match &entry.event {
        JournalEvent::Seat { seat, state } => seat_line(team, seat.0, state),
        JournalEvent::RoundStarted => {
            sum_up(team, troubles);
            info!(team, round = turn.round, "round started");
        }
        JournalEvent::RoundOver { score, ranking } => {
            sum_up(team, troubles);
            info!(team, round = turn.round, score, ranking, "round over");
        }
        JournalEvent::MatchOver => info!(team, "match over"),
        JournalEvent::Decided { action, spent, .. } => {
            debug!(team, %turn, agent, action, ?spent, "decided");
        }
        JournalEvent::TurnDone(done) => {
            debug!(team, %turn, done.asked, done.decided, done.fallback, "turn done");
        }
        JournalEvent::Log { level, text } => info!(team, %turn, agent, level, "script: {text}"),
        JournalEvent::Fallback { reason, role, .. } => {
            if let Some(reason) = troubles.tell(reason) {
                warn!(team, %turn, agent, role, "fallback: {reason}");
            }
        }
        JournalEvent::ScriptError { call, reason } => {
            if let Some(reason) = troubles.tell(reason) {
                warn!(team, %turn, agent, call, "script error: {reason}");
            }
        }
        JournalEvent::Defaulted { cause } => {
            if let Some(text) = troubles.tell(&format!("defaulted: {cause}")) {
                warn!(team, %turn, agent, "{text}");
            }
        }
        JournalEvent::Generation { .. } | JournalEvent::TakenBack { .. } => {
            // The same mistake in what decides from here on is news again.
            sum_up(team, troubles);
            change(team, entry);
        }
        JournalEvent::Resumed { .. }
        | JournalEvent::CheckpointRefused { .. }
        | JournalEvent::StrategyRefused { .. }
        | JournalEvent::ParamSet { .. }
        | JournalEvent::BoardSet { .. }
        | JournalEvent::Ran { .. }
        | JournalEvent::RoleSet { .. }
        | JournalEvent::Steered { .. }
        | JournalEvent::Retuned { .. }
        | JournalEvent::AgentAdded { .. }
        | JournalEvent::AgentRemoved { .. }
        | JournalEvent::Left { .. }
        | JournalEvent::Returned { .. }
        | JournalEvent::AlertBegan { .. }
        | JournalEvent::AlertEnded { .. } => change(team, entry),
        JournalEvent::Ordered { .. } | JournalEvent::Held { .. } => {
            let text = entry.event.steered_in_words().unwrap_or_default();
            debug!(team, %turn, agent, "{text}");
        }
        JournalEvent::Late => {
            if let Some(text) = troubles.tell("the decision came too late") {
                warn!(team, %turn, agent, "{text}");
            }
        }
        JournalEvent::Notice(notice) => {
            if let Some(text) = troubles.tell(&format!("referee: {notice}")) {
                warn!(team, %turn, agent, "{text}");
            }
        }
    }
}

/// Tells how often everything came, and forgets it.
fn sum_up(team: &str, troubles: &mut Repeats) {
    for line in troubles.take() {
        warn!(team, "{line}");
    }
}

/// The team's strategy changed, an operator reached into it, or it began another life.
fn change(team: &str, entry: &JournalEntry) {
    let turn = entry.turn;
    let agent = entry.agent.as_deref().unwrap_or("");
    match &entry.event {
        JournalEvent::Generation { generation, pinned, note } => {
            let (number, origin) = (generation.number, &generation.origin);
            info!(team, %turn, generation = number, %origin, pinned, note, "another generation decides");
        }
        JournalEvent::StrategyRefused { origin, faults } if is_held_back(faults) => {
            warn!(team, %turn, %origin, "the strategy waits: {}", held_back(faults));
        }
        JournalEvent::StrategyRefused { origin, faults } => {
            let playing = entry.generation;
            warn!(team, %turn, generation = playing, %origin, "the strategy was refused");
            for fault in faults.iter().filter(|fault| fault.fatal) {
                warn!(team, "{fault}");
            }
        }
        JournalEvent::TakenBack { failed, generation, reason } => {
            let (failed, again) = (failed.number, generation.number);
            warn!(team, %turn, failed, generation = again, "taken back: {reason}");
        }
        JournalEvent::Resumed { turn: last, missed } => {
            info!(team, %turn, %last, missed, "resumed: the team goes on with what it knew");
        }
        JournalEvent::CheckpointRefused { reason } => {
            warn!(team, "the team begins anew, what it knew is not taken over: {reason}");
        }
        JournalEvent::ParamSet { name, scope, before, value, by } => {
            info!(team, %turn, name, scope, before, value, by, "parameter set");
        }
        JournalEvent::Ran { code, by, trouble } => {
            info!(team, %turn, agent, by, code, trouble, "ran in the living VM");
        }
        JournalEvent::AlertBegan { alert, text } => {
            warn!(team, %turn, agent, %alert, "alert: {text}");
        }
        JournalEvent::AlertEnded { alert, turns } => {
            info!(team, %turn, agent, %alert, turns, "alert is over");
        }
        JournalEvent::RoleSet { .. }
        | JournalEvent::Steered { .. }
        | JournalEvent::Retuned { .. }
        | JournalEvent::AgentAdded { .. }
        | JournalEvent::AgentRemoved { .. }
        | JournalEvent::Left { .. }
        | JournalEvent::Returned { .. }
        | JournalEvent::BoardSet { .. } => {
            let text = entry.event.steered_in_words().unwrap_or_default();
            info!(team, %turn, agent, "{text}");
        }
        JournalEvent::Seat { .. }
        | JournalEvent::RoundStarted
        | JournalEvent::Decided { .. }
        | JournalEvent::Ordered { .. }
        | JournalEvent::Held { .. }
        | JournalEvent::Fallback { .. }
        | JournalEvent::ScriptError { .. }
        | JournalEvent::Defaulted { .. }
        | JournalEvent::Late
        | JournalEvent::Notice(_)
        | JournalEvent::Log { .. }
        | JournalEvent::TurnDone(_)
        | JournalEvent::RoundOver { .. }
        | JournalEvent::MatchOver => {}
    }
}

fn seat_line(team: &str, seat: u16, state: &SeatState) {
    match state {
        SeatState::Idle | SeatState::Connected => debug!(team, seat, ?state, "seat"),
        // The seat itself tells of failures and refusals.
        SeatState::Connecting { failures, reason } => {
            debug!(team, seat, failures, reason, "connecting");
        }
        SeatState::Seated => info!(team, seat, "seated"),
        SeatState::Refused { reason } => debug!(team, seat, reason, "refused"),
        SeatState::Stopped => info!(team, seat, "stopped"),
        SeatState::Closed => info!(team, seat, "closed"),
    }
}
