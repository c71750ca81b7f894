//! Replays in the organisers' formats, out of recordings.

use super::{entries, open, warn};
use crate::cli::recorded::ExportArgs;
use crate::failure::misused;
use crate::remote::{counted, say};
use crate::wire::replays::{Chunk, ReplayForm, played_replay, write_replay};
use anyhow::{Result, bail};
use phalanx_net::{Message, SeatAct, Taped};
use phalanx_record::{Recorded, RecordingFile};

/// What stands in the place of the referee's address in recordings that were imported.
pub(super) const IMPORTED: &str = "imported";
/// Most bytes of a connection that are looked through for what tells of the whole match.
const TALK_BYTES_MAX: usize = 256 << 20;

/// Writes a replay.
///
/// # Errors
/// When the recording is of another game, does not know enough, or nothing can be written.
pub(super) fn export(args: &ExportArgs, form: ReplayForm) -> Result<()> {
    let file = open(&args.file)?;
    let game = file.info().game.as_str();
    if game != form.game() {
        bail!("{}: a match of {game}; this form is of {}", args.file.display(), form.game());
    }
    let Some(out) = &args.out else {
        return Err(misused("a replay is written into a file or folder: --out PATH"));
    };
    let (talk, damage) = talk(&file);
    warn(&args.file, damage);
    let documents = if file.info().server == IMPORTED {
        talk.into_iter().map(|chunk| chunk.bytes).collect()
    } else {
        let Some((replay, lacks)) = played_replay(form, &talk) else {
            bail!(
                "{}: the recording knows only what the team's own agents perceived, and the referee \
                 did not send the rest; `--to jsonl` writes what they decided",
                args.file.display()
            );
        };
        if !lacks.is_empty() {
            say(lacks);
        }
        replay
    };
    match write_replay(form, documents, out)?.as_slice() {
        [file] => say(&file.display().to_string()),
        files => say(&format!("{}: {}", out.display(), counted(files.len(), "file"))),
    }
    Ok(())
}

/// What went over the first connection, and how much could not be read.
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
