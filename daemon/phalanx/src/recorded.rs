//! What `phalanx` tells of a recording's file.

mod export;
mod import;
mod latency;
mod replays;
mod why;

pub use export::export;
pub use import::import;
pub use latency::latency;
pub(crate) use why::why;

use crate::cli::why::TurnWord;
use crate::failure::misused;
use crate::remote::say;
use anyhow::Result;
use phalanx_proto::v1::Turn;
use phalanx_record::{Entries, Loader, RecordingFile};
use std::path::Path;
use std::time::Instant;

/// Opens a recording for reading; damage is told later, by [`warn`].
pub(crate) fn open(path: &Path) -> Result<RecordingFile> {
    Ok(RecordingFile::open(path)?)
}

/// All its entries, for somebody who runs nothing of it.
pub(crate) fn entries(file: &RecordingFile) -> Entries<'_> {
    // Only differences of times are looked at.
    file.entries(Instant::now(), &Loader::default())
}

/// Says how much of it could not be read.
pub(crate) fn warn(path: &Path, damage: u64) {
    if damage > 0 {
        let pieces = crate::remote::counted(damage, "piece");
        let path = path.display();
        say(&format!("{path}: {pieces} could not be read; `phalanx recording info` tells which"));
    }
}

/// How a turn is typed.
pub(crate) fn turn_word(turn: Turn) -> String {
    format!("{}.{}", turn.round, turn.step)
}

/// There is no such turn; with the first and the last one that there are.
pub(crate) fn no_turn(ends: Option<(Turn, Turn)>) -> anyhow::Error {
    let ends = ends
        .map(|(first, last)| format!("; it has {} to {}", turn_word(first), turn_word(last)))
        .unwrap_or_default();
    misused(format!("the recording does not have this turn{ends}"))
}

/// The same turn inside.
pub(crate) fn game_turn(turn: Turn) -> phalanx_game::Turn {
    phalanx_game::Turn::new(turn.round, turn.step)
}

/// The same as the engine's.
pub(crate) fn which(word: TurnWord) -> phalanx_engine::WhichTurn {
    match word {
        TurnWord::Ago(ago) => phalanx_engine::WhichTurn::Ago(ago),
        TurnWord::Step(round, step) => phalanx_engine::WhichTurn::Step { round, step },
    }
}
