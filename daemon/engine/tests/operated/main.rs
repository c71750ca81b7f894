//! Teams that operators steer, send away and watch, on a virtual clock.
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
mod enrolling;
#[path = "../toy/game.rs"]
mod game;
mod leaving;
mod quorum;
mod steering;

use actor::Match;
use phalanx_engine::JournalEntry;
use std::time::Duration;

/// Time passes; what is due then happens.
fn pass(match_: &mut Match, time: Duration) {
    match_.now += time;
    match_.team.handle_timeout(match_.now);
    match_.drain();
}

/// What the journal tells of operators and alerts since the last look, with step and agent.
fn told(match_: &mut Match) -> Vec<String> {
    let tell = |entry: JournalEntry| {
        let text = entry.event.steered_in_words()?;
        Some(format!("{} {}: {text}", entry.turn.step, entry.agent.unwrap_or_default()))
    };
    std::mem::take(&mut match_.journal).into_iter().filter_map(tell).collect()
}
