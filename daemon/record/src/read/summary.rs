//! What is in a recording, in numbers.

use super::{Damage, Entries, Loader, Recorded, RecordingFile};
use crate::channel::{Channel, Worth};
use crate::disk::is_written;
use phalanx_net::Taped;
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Most places with damage, and most gaps, that a summary lists.
const LISTED_MAX: usize = 1_000;

/// What is in a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// From the begin to the last message.
    pub duration: Duration,
    /// Turns that were played.
    pub turns: u64,
    /// Generations of the strategy that decided.
    pub generations: BTreeSet<u32>,
    /// By the channel's name.
    pub channels: BTreeMap<String, ChannelTally>,
    /// Entries that were not recorded.
    pub lost: u64,
    /// The first thousand gaps.
    pub gaps: Vec<v1::Gap>,
    /// The first thousand places that cannot be read.
    pub damage: Vec<Damage>,
    /// It has its index to the end: the recording was finished.
    pub whole: bool,
    /// Somebody is writing it right now.
    pub being_written: bool,
    /// Bytes of all files.
    pub file_bytes: u64,
}

/// What is in a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelTally {
    /// Messages.
    pub messages: u64,
    /// Their bytes before compression.
    pub bytes: u64,
}

impl RecordingFile {
    /// What is in it: by its index where it has one and nothing is missing, else by reading all of
    /// it.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let indexed = self.whole.values().all(|whole| *whole)
            && self.ends.len() == self.whole.len()
            && self.damage.is_empty()
            && self.parts().iter().all(|(_, path)| path.is_some());
        // What is missing stands in the gaps alone.
        let indexed = indexed.then(|| self.by_index()).filter(|summary| summary.lost == 0);
        indexed.map_or_else(|| self.by_reading(), |summary| self.with_files(summary))
    }

    /// What can be told without reading what was recorded: sizes, times, and numbers as far as its
    /// parts have an index.
    #[must_use]
    pub fn overview(&self) -> Summary {
        self.with_files(self.by_index())
    }

    fn with_files(&self, summary: Summary) -> Summary {
        let files = || self.files().values();
        let size = |path: &std::path::PathBuf| path.metadata().map_or(0, |data| data.len());
        Summary {
            whole: self.whole.values().next_back() == Some(&true),
            being_written: files().any(|path| is_written(path)),
            file_bytes: files().map(size).sum(),
            ..summary
        }
    }

    fn by_index(&self) -> Summary {
        let mut summary = Summary::default();
        for (number, messages) in &self.tallies {
            let topic = self.known.topic(*number);
            summary.channels.entry(topic).or_default().messages += messages;
        }
        for end in &self.ends {
            for (key, value) in end {
                let Some(topic) = key.strip_prefix("bytes") else { continue };
                let tally = summary.channels.entry(topic.to_owned()).or_default();
                tally.bytes += value.parse::<u64>().unwrap_or_default();
            }
        }
        // These count on from part to part.
        if let Some(end) = self.ends.last() {
            let number = |key| end.get(key).and_then(|text| text.parse().ok()).unwrap_or_default();
            (summary.turns, summary.lost) = (number("turns"), number("lost"));
            let generations = end.get("generations").map(String::as_str).unwrap_or_default();
            summary.generations =
                generations.split(' ').filter_map(|text| text.parse().ok()).collect();
        }
        let last = self.times.map_or(0, |(_, last)| last);
        summary.duration = Duration::from_nanos(last.saturating_sub(self.begin_nanos()));
        summary
    }

    /// The same by reading everything, checksums included.
    #[must_use]
    pub fn by_reading(&self) -> Summary {
        let mut summary = Summary::default();
        let mut entries = self.entries(Instant::now(), &Loader::default());
        let mut last = 0;
        while let Some(found) = entries.next_with_size() {
            match found {
                Err(damage) if summary.damage.len() < LISTED_MAX => summary.damage.push(damage),
                Err(_) => {}
                Ok((topic, bytes, entry)) => {
                    let tally = summary.channels.entry(topic).or_default();
                    *tally =
                        ChannelTally { messages: tally.messages + 1, bytes: tally.bytes + bytes };
                    last = last.max(entry.nanos);
                    summary.count(entry.what);
                }
            }
        }
        summary.duration = Duration::from_nanos(u64::try_from(last).unwrap_or_default());
        self.with_files(summary)
    }
}

impl Summary {
    fn count(&mut self, what: Recorded) {
        if let Recorded::Taped(Taped::Began(began)) = what {
            self.generations.insert(began.staged.generation.number);
        } else if let Recorded::Gap(gap) = what {
            self.lost += gap.channels.iter().map(|it| it.count).sum::<u64>();
            if self.gaps.len() < LISTED_MAX {
                self.gaps.push(*gap);
            }
        } else if let Recorded::Event(event) = what {
            let Some(kind) = event.kind else { return };
            if let Kind::TurnDone(_) = kind {
                self.turns += 1;
            }
            if let Kind::GenerationActivated(v1::GenerationActivated { activated, .. })
            | Kind::GenerationTakenBack(v1::GenerationTakenBack { activated, .. }) = kind
            {
                self.generations.extend(activated.map(|it| it.number));
            }
        }
    }

    /// What stands in the way of computing the decisions again; empty: nothing does.
    #[must_use]
    pub fn obstacles(&self) -> Vec<String> {
        let damage = self.damage.iter().filter(|damage| !damage.is_harmless());
        let needed = |topic: &str| {
            Channel::named(topic).is_some_and(|channel| channel.worth() == Worth::Needed)
        };
        let unknown = self.gaps.iter().filter(|gap| gap.channels.is_empty());
        let unknown = unknown.map(|_| "nobody knows what is missing at a gap".to_owned());
        let gaps = self.gaps.iter().flat_map(|gap| &gap.channels);
        let gaps = gaps.filter(|gap| needed(&gap.channel));
        let gaps = gaps.map(|gap| format!("{} entries of {} are missing", gap.count, gap.channel));
        damage.map(ToString::to_string).chain(gaps).chain(unknown).collect()
    }

    /// So many entries of a gap stand in the way of computing decisions again; of those that nobody
    /// counted, one.
    #[must_use]
    pub fn lacking(gap: &v1::Gap) -> u64 {
        if gap.channels.is_empty() {
            return 1;
        }
        Self::missing(gap, |channel| channel.worth() == Worth::Needed)
    }

    /// So many lines of the journal are missing at a gap.
    #[must_use]
    pub fn untold(gap: &v1::Gap) -> u64 {
        Self::missing(gap, |channel| channel == Channel::Journal)
    }

    fn missing(gap: &v1::Gap, which: impl Fn(Channel) -> bool) -> u64 {
        let of = |it: &&v1::GapChannel| Channel::named(&it.channel).is_some_and(&which);
        gap.channels.iter().filter(of).map(|it| it.count).sum()
    }

    /// What a file tells of itself at its end.
    pub(crate) fn told(&self) -> BTreeMap<String, String> {
        let numbers: Vec<_> = self.generations.iter().map(u32::to_string).collect();
        let told = [
            ("turns", self.turns.to_string()),
            ("lost", self.lost.to_string()),
            ("generations", numbers.join(" ")),
        ];
        told.map(|(key, value)| (key.to_owned(), value)).into()
    }
}

impl Entries<'_> {
    /// The next entry with the name of its channel and its size.
    fn next_with_size(&mut self) -> Option<Result<(String, u64, super::Entry), Damage>> {
        let found = self.next()?;
        Some(found.map(|entry| {
            let (topic, bytes) = self.last_seen();
            (topic, bytes, entry)
        }))
    }
}
