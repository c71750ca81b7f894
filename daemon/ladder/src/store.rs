//! A ladder with its log: submissions, and matches that are played.

use crate::entry::{LadderDefinition, LadderEntry, LadderResult, Submission};
use crate::error::LadderError;
use crate::ladder::Ladder;
use crate::log::{LadderLog, LadderPlace};
use crate::matchmaking::next_round;
use phalanx_league::{Fixture, LeagueEnd, MatchOutcome, PlayMatch, RunOptions, play_in_order};
use phalanx_queue::BundleBytes;
use std::ops::ControlFlow;

/// A ladder and its log.
#[derive(Debug)]
pub struct LadderStore {
    log: LadderLog,
    ladder: Ladder,
    /// Entries that were read.
    entries: u64,
}

/// What is to be played.
#[derive(Clone, Copy, Debug)]
pub struct LadderOptions {
    /// Matches, besides the rest of a round that was begun; an odd number counts as the next one.
    pub matches: u64,
    /// Meetings that are chosen together: the more, the more matches at once, and the later a
    /// result counts for the choice.
    pub round: usize,
    /// Whether earlier versions play, too.
    pub all_versions: bool,
}

/// A match that was played.
#[derive(Debug)]
pub struct LadderEvent<'a> {
    pub result: &'a LadderResult,
    /// The ladder after it.
    pub ladder: &'a Ladder,
}

/// Makes strategies known to what plays the matches, in the order of [`Ladder::entrants`].
pub type EnterStrategy<'a> = dyn FnMut(BundleBytes) -> Result<(), LadderError> + 'a;

impl LadderStore {
    /// Reads a ladder; it may have not begun.
    ///
    /// # Errors
    /// When it cannot be read, or no server answers.
    pub fn open(place: &LadderPlace) -> Result<Self, LadderError> {
        let log = LadderLog::open(place)?;
        let mut store = Self { log, ladder: Ladder::default(), entries: 0 };
        store.read()?;
        Ok(store)
    }

    /// Reads a ladder that has begun.
    ///
    /// # Errors
    /// When there is none, or as [`LadderStore::open`].
    pub fn reopen(place: &LadderPlace) -> Result<Self, LadderError> {
        let store = Self::open(place)?;
        if store.ladder.definition().is_none() {
            return Err(LadderError::Missing { place: store.log.place() });
        }
        Ok(store)
    }

    #[must_use]
    pub fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    #[must_use]
    pub fn log(&self) -> &LadderLog {
        &self.log
    }

    /// Counts what other processes appended.
    ///
    /// # Errors
    /// When it cannot be read, or makes no sense.
    pub fn read(&mut self) -> Result<(), LadderError> {
        let lines = self.log.read()?;
        count(&mut self.ladder, &mut self.entries, &lines, || self.log.place())
    }

    /// Adds a version of a strategy, and begins the ladder with it if need be; `None` if the latest
    /// version of that name has the same files.
    ///
    /// # Errors
    /// When the ladder plays something else, is full, or cannot be written.
    pub fn submit(
        &mut self,
        definition: &LadderDefinition,
        name: &str,
        bundle: &BundleBytes,
    ) -> Result<Option<Submission>, LadderError> {
        loop {
            let entry = match self.ladder.definition() {
                None => LadderEntry::Ladder(definition.clone()),
                Some(kept) if kept != definition => {
                    return Err(LadderError::Refused(format!(
                        "{} plays {}, not {}; choose another ladder, or leave these options out",
                        self.log.place(),
                        words(kept),
                        words(definition)
                    )));
                }
                Some(_) => {
                    let Some(next) = self.ladder.next_version(name, &bundle.hash) else {
                        return Ok(None);
                    };
                    // As the fold will, but before anything is written.
                    let tried = self.ladder.clone().apply(LadderEntry::Submit(next.clone()));
                    tried.map_err(LadderError::Refused)?;
                    // Before the entry, so that every reader of the entry finds the strategy.
                    self.log.keep(bundle)?;
                    LadderEntry::Submit(next)
                }
            };
            if let (Some(_), LadderEntry::Submit(submission)) = (self.append(&entry)?, &entry) {
                return Ok(Some(submission.clone()));
            }
        }
    }

    /// Keeps other processes from playing, and plays: first the rest of a round that was begun, then
    /// rounds of the pairs that say most. Blocks until everything was played or was stopped.
    ///
    /// # Errors
    /// When another process plays, no two strategies can, or a result cannot be kept.
    pub fn play(
        &mut self,
        asked: LadderOptions,
        play: &dyn PlayMatch,
        options: &RunOptions<'_>,
        enter: &mut EnterStrategy<'_>,
        watch: &mut dyn FnMut(&LadderEvent<'_>),
    ) -> Result<LeagueEnd, LadderError> {
        let mut left = asked.matches.div_ceil(2);
        let mut entered = 0;
        loop {
            if self.ladder.pending() == 0 {
                if left == 0 {
                    return Ok(LeagueEnd::Over);
                }
                let meetings = usize::try_from(left).unwrap_or(usize::MAX).min(asked.round);
                left -= self.schedule(meetings, asked.all_versions)?;
            }
            let entrants: Vec<String> =
                self.ladder.entrants().iter().map(|one| one.submission.bundle.clone()).collect();
            for hash in entrants.iter().skip(entered) {
                enter(self.log.fetch(hash)?)?;
            }
            entered = entrants.len();
            if self.play_round(play, options, watch)? == LeagueEnd::Stopped {
                return Ok(LeagueEnd::Stopped);
            }
        }
    }

    /// Keeps other processes from playing until this value is dropped, and counts what they did.
    ///
    /// # Errors
    /// When another process plays, or the log cannot be read.
    pub fn lead(&mut self) -> Result<(), LadderError> {
        self.log.lead()?;
        self.read()
    }

    /// Writes the next round down; returns its meetings.
    fn schedule(&mut self, meetings: usize, all: bool) -> Result<u64, LadderError> {
        loop {
            let round = next_round(&self.ladder, meetings, all).map_err(LadderError::Refused)?;
            let count = round.meetings.len() as u64;
            let entry = LadderEntry::Round(round);
            self.ladder.clone().apply(entry.clone()).map_err(LadderError::Refused)?;
            if self.append(&entry)?.is_some() {
                return Ok(count);
            }
        }
    }

    fn play_round(
        &mut self,
        play: &dyn PlayMatch,
        options: &RunOptions<'_>,
        watch: &mut dyn FnMut(&LadderEvent<'_>),
    ) -> Result<LeagueEnd, LadderError> {
        let first = self.ladder.played();
        let fixture = |(number, one): (u64, &crate::LadderMatch)| Fixture {
            number,
            seed: one.seed,
            players: one.players.clone(),
            values: None,
        };
        let numbers = first as u64..;
        let fixtures: Vec<Fixture> =
            numbers.zip(self.ladder.matches().iter().skip(first)).map(fixture).collect();
        let at = |number: u64| usize::try_from(number).ok()?.checked_sub(first);
        let schedule = |number: u64| fixtures.get(at(number)?).cloned();
        let mut keep = |_: &Fixture, outcome: &MatchOutcome| {
            let result = self.count(outcome)?;
            watch(&LadderEvent { result: &result, ladder: &self.ladder });
            Ok(ControlFlow::Continue(()))
        };
        play_in_order(first as u64, &schedule, play, options, &mut keep)
    }

    /// Keeps the outcome of the next match.
    fn count(&mut self, outcome: &MatchOutcome) -> Result<LadderResult, LadderError> {
        let next = self.ladder.played();
        loop {
            let result = self.ladder.result(outcome).filter(|one| one.number == next as u64);
            let Some(result) = result else {
                // Only another process can have counted it.
                let (place, holder) = (self.log.place(), "another process".to_owned());
                return Err(LadderError::InUse { place, holder });
            };
            if self.append(&LadderEntry::Match(result.clone()))?.is_some() {
                return Ok(result);
            }
        }
    }

    /// Appends an entry and counts it; `None`: other entries came first, and were counted.
    fn append(&mut self, entry: &LadderEntry) -> Result<Option<()>, LadderError> {
        if !self.log.append(&entry.line())? {
            self.read()?;
            return Ok(None);
        }
        self.entries += 1;
        let counted = self.ladder.apply(entry.clone());
        counted.map_err(|problem| LadderError::Malformed {
            place: self.log.place(),
            number: self.entries,
            problem,
        })?;
        Ok(Some(()))
    }
}

/// Counts the next lines of a log.
pub(crate) fn count(
    ladder: &mut Ladder,
    entries: &mut u64,
    lines: &[String],
    place: impl FnOnce() -> String,
) -> Result<(), LadderError> {
    let mut counted = lines.iter().map(|line| {
        *entries += 1;
        let entry = serde_json::from_str(line).map_err(|error| error.to_string());
        entry.and_then(|entry| ladder.apply(entry))
    });
    counted.try_for_each(|one| one).map_err(|problem| LadderError::Malformed {
        place: place(),
        number: *entries,
        problem,
    })
}

/// What a ladder plays, for people.
fn words(definition: &LadderDefinition) -> String {
    let LadderDefinition { game, setup, seed, .. } = definition;
    let setup = setup.iter().map(|(key, value)| format!(" with {key} {value}"));
    format!("{game}{} from seed {seed}", setup.collect::<String>())
}
