//! Reads a recording's file for the verbs of `phalanx`.

mod export;
mod import;
mod latency;
pub(crate) mod replays;
mod why;

pub use export::export;
pub use import::import;
pub use latency::latency;
pub use why::{explanation, why};

use anyhow::Result;
use phalanx_cli::args::why::TurnWord;
use phalanx_cli::failure::misused;
use phalanx_cli::remote::say;
use phalanx_exchange::{Turns, is_of_pictures, is_of_turns};
use phalanx_proto::v1::Turn;
use phalanx_record::{Entries, Loader, RecordingFile};
use std::path::Path;
use std::time::Instant;

/// Opens a recording; [`warn`] reports damage later.
pub(crate) fn open(path: &Path) -> Result<RecordingFile> {
    file_only(path)?;
    Ok(RecordingFile::open(path)?)
}

/// Refuses a folder in place of a recording.
pub(crate) fn file_only(path: &Path) -> Result<()> {
    if !path.is_dir() {
        return Ok(());
    }
    let path = path.display();
    let advice = format!("name one of its files, which `phalanx recording list {path}` shows");
    Err(misused(format!("{path} is a folder; {advice}")))
}

/// All entries, for reading only: no script is compiled.
pub(crate) fn entries(file: &RecordingFile) -> Entries<'_> {
    // Only differences between times are used.
    file.entries(Instant::now(), &Loader::default())
}

/// The turns, without pictures and boards; only what they are made of is decoded.
pub(crate) fn turns(file: &RecordingFile) -> Turns<Entries<'_>> {
    Turns::new(entries(file).only(is_of_turns))
}

/// The turns with pictures and boards.
pub(crate) fn turns_with_pictures(file: &RecordingFile) -> Turns<Entries<'_>> {
    Turns::with_pictures(entries(file).only(is_of_pictures))
}

/// Reports how many pieces could not be read.
pub(crate) fn warn(path: &Path, damage: u64) {
    if damage > 0 {
        let pieces = phalanx_cli::remote::counted(damage, "piece");
        let path = path.display();
        say(&format!(
            "{path}: {pieces} could not be read; `phalanx recording info --check` lists them"
        ));
    }
}

/// The error for a missing turn, with the first and the last one of the recording.
pub(crate) fn no_turn(ends: Option<(Turn, Turn)>) -> anyhow::Error {
    let ends = ends
        .map(|(first, last)| format!("; it has {} to {}", game_turn(first), game_turn(last)))
        .unwrap_or_default();
    misused(format!("the recording does not have this turn{ends}"))
}

/// Converts to the game's type.
pub(crate) fn game_turn(turn: Turn) -> phalanx_game::Turn {
    phalanx_game::Turn::new(turn.round, turn.step)
}

/// Converts to the engine's type.
pub(crate) fn which(word: TurnWord) -> phalanx_engine::WhichTurn {
    match word {
        TurnWord::Ago(ago) => phalanx_engine::WhichTurn::Ago(ago),
        TurnWord::Step(round, step) => phalanx_engine::WhichTurn::Step { round, step },
    }
}
