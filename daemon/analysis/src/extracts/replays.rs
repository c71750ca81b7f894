//! Exports replays in the organisers' formats.

use super::{entries, open, warn};
use crate::args::recorded::ExportArgs;
use anyhow::{Result, bail};
use phalanx_cli::failure::misused;
use phalanx_cli::remote::{counted, say};
use phalanx_games::replays::{Chunk, ReplayForm};
use phalanx_net::{Message, SeatAct, Taped};
use phalanx_record::{Recorded, RecordingFile};

/// The referee's address in imported recordings.
pub(crate) const IMPORTED: &str = "imported";
/// Bytes of a connection that are searched for a description of the whole match, at most.
const TALK_BYTES_MAX: usize = 256 << 20;

/// Writes a replay.
///
/// # Errors
/// When the recording is of another game, lacks data for the replay, or nothing can be written.
pub(super) fn export(args: &ExportArgs, form: &ReplayForm) -> Result<()> {
    let file = open(&args.file)?;
    let game = file.info().game.as_str();
    if game != form.game {
        bail!("{}: a match of {game}; this format is for {}", args.file.display(), form.game);
    }
    let Some(out) = &args.out else {
        return Err(misused("a replay is written into a file or folder: --out PATH"));
    };
    let (talk, damage) = talk(&file);
    warn(&args.file, damage);
    let documents = if file.info().server == IMPORTED {
        talk.into_iter().map(|chunk| chunk.bytes).collect()
    } else {
        let Some((replay, lacks)) = form.played(&talk) else {
            bail!(
                "{}: the recording contains only what the team's own agents perceived, and the referee \
                 did not send the rest; `--to jsonl` writes what they decided",
                args.file.display()
            );
        };
        if !lacks.is_empty() {
            say(lacks);
        }
        replay
    };
    match form.write(documents, out)?.as_slice() {
        [file] => say(&file.display().to_string()),
        files => say(&format!("{}: {}", out.display(), counted(files.len(), "file"))),
    }
    Ok(())
}

/// The traffic of the first connection, and how many pieces could not be read.
fn talk(file: &RecordingFile) -> (Vec<Chunk>, u64) {
    let (mut talk, mut bytes, mut damage) = (Vec::new(), 0, 0);
    let mut first = None;
    for entry in entries(file) {
        let Ok(entry) = entry else {
            damage += 1;
            continue;
        };
        let Recorded::Taped(Taped::Seat { seat, act }) = entry.what else { continue };
        if *first.get_or_insert(seat) != seat {
            continue;
        }
        let chunk = match act {
            SeatAct::Received(bytes) => Chunk { sent: false, bytes: bytes.to_vec() },
            SeatAct::Sent(Message::Plain(bytes)) => Chunk { sent: true, bytes: bytes.to_vec() },
            SeatAct::Sent(Message::Secret(_))
            | SeatAct::Connected
            | SeatAct::Disconnected
            | SeatAct::Replaced
            | SeatAct::Parsed
            | SeatAct::Written
            | SeatAct::Acted { .. }
            | SeatAct::TimedOut
            | SeatAct::Shutdown => continue,
        };
        bytes += chunk.bytes.len();
        if bytes > TALK_BYTES_MAX {
            damage += 1;
            break;
        }
        talk.push(chunk);
    }
    (talk, damage)
}
