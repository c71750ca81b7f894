//! A copy of a ladder at another place: what is submitted and played on one appears on the other.

use crate::entry::LadderEntry;
use crate::error::LadderError;
use crate::log::{LadderLog, LadderPlace};

/// A ladder and its copy.
#[derive(Debug)]
pub struct LadderCopy {
    from: LadderLog,
    to: LadderLog,
    /// Entries of the ladder that the copy does not have yet.
    rest: Vec<String>,
    /// Entries that the copy has.
    copied: u64,
}

impl LadderCopy {
    /// Compares a ladder with what is at the place of its copy. Nothing is written yet.
    ///
    /// # Errors
    /// When there is no ladder, the place holds another one, or either cannot be read.
    pub fn open(from: &LadderPlace, to: &LadderPlace) -> Result<Self, LadderError> {
        let (mut from, mut to) = (LadderLog::open(from)?, LadderLog::open(to)?);
        let (mut rest, known) = (from.read()?, to.read()?);
        if rest.is_empty() {
            return Err(LadderError::Missing { place: from.place() });
        }
        if let Some(number) = (0..known.len()).find(|at| rest.get(*at) != known.get(*at)) {
            return Err(LadderError::Refused(format!(
                "{} is no copy of {}: entry {} differs; choose another place for the copy",
                to.place(),
                from.place(),
                number + 1
            )));
        }
        rest.drain(..known.len());
        Ok(Self { from, to, rest, copied: known.len() as u64 })
    }

    /// Copies what is new; returns how many entries the copy has then.
    ///
    /// # Errors
    /// When a place cannot be read or written, or another process wrote into the copy.
    pub fn update(&mut self) -> Result<u64, LadderError> {
        self.rest.extend(self.from.read()?);
        let mut done = 0;
        let copied = self.rest.iter().try_for_each(|line| {
            // As in the ladder itself: the strategy is there before the entry that names it.
            if let Ok(LadderEntry::Submit(submission)) = serde_json::from_str(line) {
                self.to.keep(&self.from.fetch(&submission.bundle)?)?;
            }
            if !self.to.append(line)? {
                return Err(LadderError::Refused(format!(
                    "another process writes into {}: a copy only follows its ladder",
                    self.to.place()
                )));
            }
            done += 1;
            Ok(())
        });
        self.rest.drain(..done);
        self.copied += done as u64;
        copied.map(|()| self.copied)
    }
}
