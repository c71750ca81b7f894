//! The figures of a recording.

use super::{DamageCause, Entries, Loader, Recorded, RecordingDamage, RecordingFile};
use crate::channel::{Channel, Worth};
use crate::disk::is_written;
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_net::Taped;
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Most damaged places, and most gaps, that a summary lists.
const LISTED_MAX: usize = 1_000;

/// The figures of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// From the begin to the last message.
    pub duration: Duration,
    /// Turns that were played.
    pub turns: u64,
    /// Generations of the strategy that decided.
    pub generations: SortedSet<u32>,
    /// By the channel's name.
    pub channels: SortedMap<String, ChannelTally>,
    /// Entries that were not recorded.
    pub lost: u64,
    /// The first thousand gaps.
    pub gaps: Vec<v1::Gap>,
    /// The first thousand damaged places.
    pub damage: Vec<RecordingDamage>,
    /// The recording was finished and has its index.
    pub whole: bool,
    /// It is being written now.
    pub being_written: bool,
    /// Bytes of all files.
    pub file_bytes: u64,
}

/// The figures of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelTally {
    /// Messages.
    pub messages: u64,
    /// Their bytes before compression.
    pub bytes: u64,
}

impl RecordingFile {
    /// The figures: from the index if there is one and nothing is missing, otherwise by reading
    /// everything.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let indexed = self.whole.values().all(|whole| *whole)
            && self.ends.len() == self.whole.len()
            && self.damage.is_empty()
            && self.parts().iter().all(|(_, path)| path.is_some());
        // Only the gaps list what is missing.
        let indexed = indexed.then(|| self.by_index()).filter(|summary| summary.lost == 0);
        indexed.map_or_else(|| self.by_reading(), |summary| self.with_files(summary))
    }

    /// What is known without reading the recorded messages: sizes, times, and numbers as far as its
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
        // These continue from part to part.
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
        let (mut last, mut last_turn) = (0, None);
        while let Some(found) = entries.next_with_size() {
            match found {
                Err(damage) if summary.damage.len() < LISTED_MAX => summary.damage.push(damage),
                Err(_) => {}
                Ok((topic, bytes, entry)) => {
                    let tally = summary.channels.entry(topic).or_default();
                    *tally =
                        ChannelTally { messages: tally.messages + 1, bytes: tally.bytes + bytes };
                    last = last.max(entry.nanos);
                    summary.count(entry.what, &mut last_turn);
                }
            }
        }
        summary.duration = Duration::from_nanos(u64::try_from(last).unwrap_or_default());
        self.check_sections(&mut summary.damage);
        self.with_files(summary)
    }

    /// Adds damage beside the messages, for finished parts whose messages are whole.
    fn check_sections(&self, damage: &mut Vec<RecordingDamage>) {
        for (part, path) in self.parts() {
            let is_finished = self.whole.get(&part) == Some(&true);
            let is_right = damage.iter().all(|known| known.part != part);
            let Some(path) = path.filter(|_| is_finished && is_right) else { continue };
            match super::sections::damage(&path) {
                Ok(found) => damage.extend(found.into_iter().map(|it| it.in_part(part))),
                Err(error) => {
                    let wrong = DamageCause::Disk(error.to_string());
                    damage.push(RecordingDamage::new(0, 0, wrong).in_part(part));
                }
            }
        }
    }
}

impl Summary {
    fn count(&mut self, what: Recorded, last_turn: &mut Option<v1::Turn>) {
        if let Recorded::Taped(Taped::Began(began)) = what {
            self.generations.insert(began.staged.generation.number);
        } else if let Recorded::Gap(gap) = what {
            self.lost += gap.channels.iter().map(|it| it.count).sum::<u64>();
            if self.gaps.len() < LISTED_MAX {
                self.gaps.push(*gap);
            }
        } else if let Recorded::Event(event) = what {
            let Some(kind) = event.kind else { return };
            // A straggler ends its turn once more.
            if let Kind::TurnDone(_) = kind
                && std::mem::replace(last_turn, event.turn) != event.turn
            {
                self.turns += 1;
            }
            if let Kind::GenerationActivated(v1::GenerationActivated { activated, .. })
            | Kind::GenerationTakenBack(v1::GenerationTakenBack { activated, .. }) = kind
            {
                self.generations.extend(activated.map(|it| it.number));
            }
        }
    }

    /// What prevents computing the decisions again; empty if nothing does.
    #[must_use]
    pub fn obstacles(&self) -> Vec<String> {
        let damage = self.damage.iter().filter(|damage| !damage.is_harmless());
        let needed = |topic: &str| {
            Channel::named(topic).is_some_and(|channel| channel.worth() == Worth::Needed)
        };
        let unknown = self.gaps.iter().filter(|gap| gap.channels.is_empty());
        let unknown = unknown.map(|_| "what is missing at a gap is unknown".to_owned());
        let gaps = self.gaps.iter().flat_map(|gap| &gap.channels);
        let gaps = gaps.filter(|gap| needed(&gap.channel));
        let gaps = gaps.map(|gap| format!("{} entries of {} are missing", gap.count, gap.channel));
        damage.map(ToString::to_string).chain(gaps).chain(unknown).collect()
    }

    /// The number of entries of a gap that prevent computing decisions again; one if they were not
    /// counted.
    #[must_use]
    pub fn lacking(gap: &v1::Gap) -> u64 {
        if gap.channels.is_empty() {
            return 1;
        }
        Self::missing(gap, |channel| channel.worth() == Worth::Needed)
    }

    /// The number of journal lines that are missing at a gap.
    #[must_use]
    pub fn missing_journal_lines(gap: &v1::Gap) -> u64 {
        Self::missing(gap, |channel| channel == Channel::Journal)
    }

    fn missing(gap: &v1::Gap, which: impl Fn(Channel) -> bool) -> u64 {
        let of = |it: &&v1::GapChannel| Channel::named(&it.channel).is_some_and(&which);
        gap.channels.iter().filter(of).map(|it| it.count).sum()
    }

    /// The figures for a file's end.
    pub(crate) fn end_figures(&self) -> BTreeMap<String, String> {
        let numbers: Vec<_> = self.generations.iter().map(u32::to_string).collect();
        let fields = [
            ("turns", self.turns.to_string()),
            ("lost", self.lost.to_string()),
            ("generations", numbers.join(" ")),
        ];
        fields.map(|(key, value)| (key.to_owned(), value)).into()
    }
}

impl Entries<'_> {
    /// The next entry with its channel's name and its size.
    fn next_with_size(&mut self) -> Option<Result<(String, u64, super::Entry), RecordingDamage>> {
        let found = self.next()?;
        Some(found.map(|entry| {
            let (topic, bytes) = self.last_seen();
            (topic, bytes, entry)
        }))
    }
}
