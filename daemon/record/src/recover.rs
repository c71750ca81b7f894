//! Makes a whole file from the readable rest of a recording.

use crate::book::FileInfo;
use crate::channel::Channel;
use crate::disk::{RealDisk, RecordingDisk};
use crate::part::{Part, PartError, PartOptions};
use crate::read::{PartWalk, RecordingDamage, RecordingError, RecordingFile, WalkStep};
use mcap::records::op;
use phalanx_game::sorted::SortedSet;
use phalanx_proto::v1;
use phalanx_proto::v1::GapCause;
use prost::Message;
use std::path::{Path, PathBuf};

/// A chunk is closed once it has this many bytes before compression.
const CHUNK_BYTES: u64 = 1 << 20;

/// The result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Recovered messages.
    pub messages: u64,
    /// What could not be read; the recovered file has a gap in its place.
    pub damage: Vec<RecordingDamage>,
}

/// Why there is no new file.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// There is nothing to recover.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The new file cannot be written.
    #[error("{path}: {why}", path = .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error.
        why: String,
    },
}

/// Copies everything readable of a recording, all parts, into one new file with an index.
///
/// # Errors
/// When nothing can be read, or the new file exists already or cannot be written; an unfinished
/// file is removed.
pub fn recover(path: impl AsRef<Path>, out: impl AsRef<Path>) -> Result<Recovered, RecoverError> {
    let recording = RecordingFile::open(path)?;
    let out = out.as_ref();
    let write =
        |error: PartError| RecoverError::Write { path: out.to_owned(), why: error.to_string() };
    let file = RealDisk.create(out).map_err(|error| write(error.into()))?;
    let recovered = copy(&recording, file);
    if recovered.is_err() {
        drop(RealDisk.remove(out));
    }
    recovered.map_err(write)
}

fn copy(recording: &RecordingFile, file: Box<dyn crate::DiskFile>) -> Result<Recovered, PartError> {
    let summary = recording.by_reading();
    let info = v1::RecordingInfo { part: 1, ..recording.info().clone() };
    let options = PartOptions { chunk_bytes: CHUNK_BYTES, sync: false };
    let mut part = Part::begin(file, options, FileInfo(&info).pairs())?;
    let begin = recording.begin_nanos();
    part.message(Channel::Recording, begin, &info.encode_to_vec())?;
    let mut copied = Copied { part, begin, last: begin, gap: None, attached: SortedSet::new() };
    let mut recovered = Recovered::default();
    for (number, path) in recording.parts() {
        let Some(path) = path else {
            let damage = RecordingDamage::missing(number);
            copied.gap();
            recovered.damage.push(damage);
            continue;
        };
        let mut walk = PartWalk::new(number, &path, 0)?;
        while let Some(step) = walk.next() {
            match step {
                WalkStep::Damage(damage) => {
                    if damage.bytes > 0 {
                        copied.gap();
                    }
                    recovered.damage.push(damage);
                }
                WalkStep::Other(kind, body) => copied.other(kind, &body)?,
                WalkStep::Message(_, raw) => {
                    let channel = walk.channels.channel(raw.channel);
                    let channel = channel.filter(|channel| *channel != Channel::Recording);
                    if let Some(channel) = channel {
                        copied.end_gap(raw.time)?;
                        copied.last = copied.last.max(raw.time);
                        copied.part.message(channel, raw.time, &raw.data)?;
                        recovered.messages += 1;
                    }
                }
            }
        }
    }
    copied.end_gap(copied.last)?;
    copied.part.finish(summary.end_figures())?;
    Ok(recovered)
}

/// The new file.
struct Copied {
    part: Part,
    begin: u64,
    /// The log time of the last message.
    last: u64,
    /// Something was unreadable since this log time.
    gap: Option<u64>,
    attached: SortedSet<String>,
}

impl Copied {
    /// Something is unreadable here, of unknown content.
    fn gap(&mut self) {
        self.gap.get_or_insert(self.last);
    }

    /// Writes the gap before the next message, which has this log time.
    fn end_gap(&mut self, to: u64) -> Result<(), PartError> {
        let Some(from) = self.gap.take() else { return Ok(()) };
        let nanos = |at: u64| i64::try_from(at.saturating_sub(self.begin)).unwrap_or(i64::MAX);
        let (from_nanos, to_nanos) = (nanos(from), nanos(to.max(from)));
        let cause = GapCause::Disk.into();
        let gap = v1::Gap { from_nanos, to_nanos, cause, channels: Vec::new() };
        self.part.message(Channel::Gaps, from, &gap.encode_to_vec())?;
        Ok(())
    }

    fn other(&mut self, kind: u8, body: &[u8]) -> Result<(), PartError> {
        if kind == op::ATTACHMENT
            && let Some(it) = crate::read::attachment(body)
            && self.attached.insert(it.name.clone())
        {
            self.part.attach(&it.name, &it.media_type, self.last, &it.data)?;
        }
        Ok(())
    }
}
