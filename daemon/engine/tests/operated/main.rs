//! Teams that operators steer, move and watch, on a virtual clock.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail loudly and looks at what it tests"
)]

#[path = "../toy/actor.rs"]
mod actor;
mod alerts;
mod boards;
mod described;
mod enrolling;
#[path = "../toy/game.rs"]
mod game;
mod leaving;
mod quorum;
mod steering;

use actor::Match;
use phalanx_engine::{EventTopic, JournalEntry};
use std::time::Duration;

/// Advances the clock and fires what is due.
fn pass(match_: &mut Match, time: Duration) {
    match_.now += time;
    match_.team.handle_timeout(match_.now);
    match_.drain();
}

/// The journal's entries about operators and alerts since the last call, with step and agent.
fn told(match_: &mut Match) -> Vec<String> {
    let tell = |entry: JournalEntry| {
        let text = entry.describe().text;
        format!("{} {}: {text}", entry.turn.step, entry.agent.unwrap_or_default())
    };
    let topics = [EventTopic::Steering, EventTopic::Team, EventTopic::Alert, EventTopic::Board];
    let mut entries = std::mem::take(&mut match_.journal);
    entries.retain(|entry| topics.contains(&entry.event.topic()));
    entries.into_iter().map(tell).collect()
}
