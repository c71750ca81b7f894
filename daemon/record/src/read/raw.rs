//! The messages of a recording as they are stored.

use super::{DamageCause, PartWalk, RecordingDamage, RecordingFile, WalkStep};
use std::collections::VecDeque;
use std::path::PathBuf;

/// A message as it is stored in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawMessage {
    /// The time, in nanoseconds after the recording's begin.
    pub nanos: i64,
    /// The name of its channel.
    pub channel: String,
    /// The full name of the message; empty for a channel that this program does not know.
    pub message_type: &'static str,
    /// The encoded protobuf message.
    pub data: Vec<u8>,
}

/// The messages of a recording, in the order in which they were written. Holds one chunk in memory,
/// and only the open file: the recording may be deleted meanwhile.
#[derive(Debug)]
pub struct RawMessages {
    begin: u64,
    from: u64,
    parts: VecDeque<(u32, Option<PathBuf>)>,
    walk: Option<PartWalk>,
}

impl RecordingFile {
    /// All messages that were logged at least this many nanoseconds after the begin.
    #[must_use]
    pub fn raw_messages(&self, nanos: u64) -> RawMessages {
        let begin = self.begin_nanos();
        let from = begin.saturating_add(nanos);
        RawMessages { begin, from, parts: self.parts(), walk: None }
    }
}

impl Iterator for RawMessages {
    type Item = Result<RawMessage, RecordingDamage>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(walk) = &mut self.walk else {
                let (part, path) = self.parts.pop_front()?;
                let missing = RecordingDamage::missing(part);
                let Some(path) = path else { return Some(Err(missing)) };
                match PartWalk::new(part, &path, self.from) {
                    Ok(walk) => self.walk = Some(walk),
                    Err(error) => {
                        let wrong = DamageCause::Disk(error.to_string());
                        return Some(Err(RecordingDamage { wrong, ..missing }));
                    }
                }
                continue;
            };
            match walk.next() {
                None => self.walk = None,
                Some(WalkStep::Damage(damage)) => return Some(Err(damage)),
                Some(WalkStep::Other(..)) => {}
                Some(WalkStep::Message(_, raw)) if raw.time < self.from => {}
                Some(WalkStep::Message(_, raw)) => {
                    let nanos = i128::from(raw.time) - i128::from(self.begin);
                    let channel = walk.channels.channel(raw.channel);
                    return Some(Ok(RawMessage {
                        nanos: i64::try_from(nanos).unwrap_or_default(),
                        channel: walk.channels.topic(raw.channel),
                        message_type: channel.map_or("", crate::Channel::message),
                        data: raw.data,
                    }));
                }
            }
        }
    }
}
