//! A run from its first match to its verdict.

use crate::plan::{BATCH, TunePlan, count};
use crate::progress::{Fate, FinalTest, Improvement, TuneCandidate, TuneProgress, TuneVerdict};
use crate::race::{Racer, rungs, survivors};
use crate::scores::CandidateScores;
use crate::search::TpeSearch;
use crate::store::{TuneMatchLine, TuneStore};
use phalanx_league::{
    Fixture, LeagueEnd, LeagueStoreError, MatchOutcome, ParamValues, PlayMatch, RunOptions, Sprt,
    SprtVerdict, play_in_order,
};
use std::ops::{ControlFlow, Range};

/// Seeds of the final test that are played between two looks at it: enough for many threads.
const TEST_SEEDS: u64 = 8;

/// How a run ended for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TuneEnd {
    /// It has a verdict.
    Over,
    /// It was stopped and can go on.
    Stopped,
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// Results cannot be kept, or those that are there do not fit.
    #[error(transparent)]
    Store(#[from] LeagueStoreError),
    /// No match of the strategy can be played.
    #[error("no match of the strategy with the values at the start could be played: {0}")]
    Unplayable(String),
}

/// A match that was played.
#[derive(Debug)]
pub struct TuneEvent<'a> {
    /// The match.
    pub fixture: &'a Fixture,
    pub outcome: &'a MatchOutcome,
    /// What follows from all results so far.
    pub progress: &'a TuneProgress,
}

/// Plays what is left of a run. Blocks until it is over or stopped.
///
/// # Errors
/// When a result cannot be kept, those that are there belong to another run, or the strategy cannot
/// play.
pub fn run(
    store: &mut TuneStore,
    play: &dyn PlayMatch,
    options: &RunOptions<'_>,
    watch: &mut dyn FnMut(&TuneEvent<'_>),
) -> Result<(TuneEnd, TuneProgress), TuneError> {
    Driver::new(store, Some((play, options)), watch).finish()
}

/// What the results of a run say so far.
///
/// # Errors
/// When they belong to another run, or the strategy could not play.
pub fn show(store: &mut TuneStore) -> Result<(TuneEnd, TuneProgress), TuneError> {
    Driver::new(store, None, &mut |_| ()).finish()
}

/// Why the driver ends before the verdict.
enum Halt {
    Stopped,
    Error(TuneError),
}

impl From<LeagueStoreError> for Halt {
    fn from(error: LeagueStoreError) -> Self {
        Self::Error(error.into())
    }
}

/// A match to be played.
#[derive(Clone, Copy, Debug)]
struct TuneMatch {
    candidate: usize,
    seed: u64,
    cell: usize,
    /// Whether it belongs to the final test.
    test: bool,
}

struct Driver<'a> {
    plan: TunePlan,
    store: &'a mut TuneStore,
    player: Option<(&'a dyn PlayMatch, &'a RunOptions<'a>)>,
    watch: &'a mut dyn FnMut(&TuneEvent<'_>),
    progress: TuneProgress,
    /// The reason of the first match that failed.
    trouble: Option<String>,
}

impl<'a> Driver<'a> {
    fn new(
        store: &'a mut TuneStore,
        player: Option<(&'a dyn PlayMatch, &'a RunOptions<'a>)>,
        watch: &'a mut dyn FnMut(&TuneEvent<'_>),
    ) -> Self {
        let plan = store.plan().clone();
        Self { plan, store, player, watch, progress: TuneProgress::new(), trouble: None }
    }

    fn finish(mut self) -> Result<(TuneEnd, TuneProgress), TuneError> {
        match self.drive() {
            Ok(verdict) => {
                self.progress.verdict = Some(verdict);
                if !self.store.is_at_end() {
                    let problem = "more results than the run has matches".to_owned();
                    return Err(self.store.malformed(problem).into());
                }
                Ok((TuneEnd::Over, self.progress))
            }
            Err(Halt::Stopped) => Ok((TuneEnd::Stopped, self.progress)),
            Err(Halt::Error(error)) => Err(error),
        }
    }

    fn drive(&mut self) -> Result<TuneVerdict, Halt> {
        let start = self.plan.start.clone();
        let start = self.enlist(start)?;
        self.play(&self.matches(&[start], 0, self.plan.seeds.count))?;
        if self.scores(start).is_hopeless() {
            let reason = self.trouble.take().unwrap_or_default();
            return Err(Halt::Error(TuneError::Unplayable(reason)));
        }
        self.fate(start, Fate::Finished);
        self.search()?;
        self.prove()
    }

    /// Batch after batch, until the budget of the search is spent or nothing is left to try.
    fn search(&mut self) -> Result<(), Halt> {
        let Some(mut search) = TpeSearch::new(&self.plan) else { return Ok(()) };
        let rungs = rungs(self.plan.seeds.count);
        let first = rungs.first().copied().unwrap_or(1);
        loop {
            let batch = search.ask(self.affordable(first).min(BATCH));
            if batch.is_empty() {
                return Ok(());
            }
            let batch: Vec<usize> =
                batch.into_iter().map(|values| self.enlist(values)).collect::<Result<_, _>>()?;
            let whole = self.race(&batch, &rungs)?;
            for candidate in batch {
                let lead = self.lead_over_start(candidate);
                if let Some(candidate) = self.progress.candidates.get(candidate) {
                    search.tell(&candidate.values, lead);
                }
            }
            if !whole {
                return Ok(());
            }
        }
    }

    /// Candidates that the budget of the search allows on this many seeds.
    fn affordable(&self, seeds: u32) -> usize {
        let left = self.plan.search_budget().saturating_sub(self.progress.played);
        let each = u64::from(seeds).saturating_mul(count(self.plan.cells())).max(1);
        usize::try_from(left / each).unwrap_or(usize::MAX)
    }

    /// Returns whether the race came to its end before that of the budget.
    fn race(&mut self, batch: &[usize], rungs: &[u32]) -> Result<bool, Halt> {
        let mut racing = batch.to_vec();
        let mut done = 0;
        for (index, rung) in rungs.iter().enumerate() {
            let affordable = self.affordable(rung - done);
            for candidate in racing.split_off(affordable.min(racing.len())) {
                self.fate(candidate, Fate::Dropped(done));
            }
            if racing.is_empty() {
                return Ok(false);
            }
            self.play(&self.matches(&racing, done, *rung))?;
            let last = index + 1 == rungs.len();
            let stay = survivors(&self.racers(&racing), last);
            for candidate in racing {
                self.fate_after(candidate, *rung, last, stay.contains(&candidate));
            }
            if stay.is_empty() {
                return Ok(true);
            }
            racing = stay;
            done = *rung;
        }
        if let Some(winner) = racing.first() {
            self.crown(*winner);
        }
        Ok(true)
    }

    /// The candidates without failures of their own, with their leads over the best so far.
    fn racers(&self, racing: &[usize]) -> Vec<Racer> {
        let start = self.scores(0);
        let best = self.scores(self.progress.best);
        let sound = racing.iter().filter(|one| !self.scores(**one).fails_more_than(start));
        let racer = |candidate: &usize| Racer {
            candidate: *candidate,
            lead: self.scores(*candidate).lead(&self.plan, start, best),
        };
        sound.map(racer).collect()
    }

    fn fate_after(&mut self, candidate: usize, rung: u32, last: bool, stays: bool) {
        let fate = match (stays, last) {
            (true, true) => Fate::Finished,
            (true, false) => Fate::Racing,
            (false, _) if self.scores(candidate).fails_more_than(self.scores(0)) => Fate::Failed,
            (false, _) => Fate::Dropped(rung),
        };
        self.fate(candidate, fate);
    }

    /// The winner of a race is the best candidate if it beats the one so far on all seeds.
    fn crown(&mut self, winner: usize) {
        let (start, scores) = (self.scores(0), self.scores(winner));
        if scores.lead(&self.plan, start, self.scores(self.progress.best)).value > 0.0 {
            let lead = scores.lead(&self.plan, start, start);
            let played = self.progress.played;
            self.progress.best = winner;
            self.progress.improvements.push(Improvement { played, candidate: winner, lead });
        }
    }

    /// What the search learns of a candidate.
    fn lead_over_start(&self, candidate: usize) -> f64 {
        let (scores, start) = (self.scores(candidate), self.scores(0));
        if scores.fails_more_than(start) {
            return f64::NEG_INFINITY;
        }
        scores.lead(&self.plan, start, start).value
    }

    /// The best candidate against the start on fresh seeds.
    fn prove(&mut self) -> Result<TuneVerdict, Halt> {
        let best = self.progress.best;
        if best == 0 {
            return Ok(TuneVerdict::NothingFound);
        }
        self.progress.test = Some(FinalTest {
            tuned: CandidateScores::default(),
            start: CandidateScores::default(),
            shares: Vec::new(),
            sprt: Sprt::new(self.plan.sprt),
        });
        let end = self.plan.test.first.saturating_add(self.plan.test.count.into());
        let mut next = self.plan.test.first;
        loop {
            let left = self.plan.budget.saturating_sub(self.progress.played);
            let seeds = (left / (2 * count(self.plan.cells()))).min(TEST_SEEDS).min(end - next);
            if seeds == 0 {
                return Ok(TuneVerdict::Undecided);
            }
            let matches = meetings(next..next + seeds, &[best, 0], self.plan.cells(), true);
            self.play(&matches)?;
            for seed in next..next + seeds {
                if let Some(verdict) = self.count(seed) {
                    return Ok(verdict);
                }
            }
            next += seeds;
        }
    }

    /// Counts a seed of the final test.
    fn count(&mut self, seed: u64) -> Option<TuneVerdict> {
        let test = self.progress.test.as_mut()?;
        let share = test.tuned.share(&self.plan, &test.start, &test.start, seed)?;
        test.shares.push(share);
        test.sprt.add(share);
        test.sprt.state().verdict.map(|verdict| match verdict {
            SprtVerdict::Better => TuneVerdict::Better,
            SprtVerdict::NotBetter => TuneVerdict::NotBetter,
        })
    }

    /// Adds a candidate to the run.
    fn enlist(&mut self, values: ParamValues) -> Result<usize, Halt> {
        let number = self.progress.candidates.len();
        // Without a player nothing is added to what was recorded.
        if self.player.is_none() && self.store.is_at_end() {
            return Err(Halt::Stopped);
        }
        self.store.candidate(number, &values)?;
        let (scores, fate) = (CandidateScores::default(), Fate::Racing);
        self.progress.candidates.push(TuneCandidate { values, scores, fate });
        Ok(number)
    }

    /// The matches of candidates from one place in the seeds to another.
    fn matches(&self, candidates: &[usize], from: u32, to: u32) -> Vec<TuneMatch> {
        let at = |place: u32| self.plan.seeds.first.saturating_add(place.into());
        meetings(at(from)..at(to), candidates, self.plan.cells(), false)
    }

    /// Plays matches, as far as they were not played before.
    fn play(&mut self, matches: &[TuneMatch]) -> Result<(), Halt> {
        let first = self.progress.played;
        let mut lines = Vec::with_capacity(matches.len());
        let mut fixtures = Vec::with_capacity(matches.len());
        for (number, one) in (first..).zip(matches) {
            let TuneMatch { candidate, seed, cell, .. } = *one;
            lines.push(TuneMatchLine::new(&self.plan, number, candidate, seed, cell));
            let values = self.progress.candidates.get(candidate).map(|one| one.values.clone());
            let values = values.unwrap_or_default();
            fixtures.push(self.plan.fixture(number, seed, cell, &values));
        }
        let mut recalled = 0;
        for (one, line) in matches.iter().zip(&lines) {
            let Some(outcome) = self.store.recall(line)? else { break };
            self.add(one, &outcome);
            recalled += 1;
        }
        if recalled == matches.len() {
            return Ok(());
        }
        let Some((play, options)) = self.player else { return Err(Halt::Stopped) };
        let place = |number: u64| usize::try_from(number - first).unwrap_or(usize::MAX);
        let fixture = |number: u64| fixtures.get(place(number)).cloned();
        let mut keep = |fixture: &Fixture, outcome: &MatchOutcome| -> Result<_, LeagueStoreError> {
            let place = place(fixture.number);
            if let (Some(one), Some(line)) = (matches.get(place), lines.get(place)) {
                self.store.keep(line, outcome)?;
                self.add(one, outcome);
                let progress = &self.progress;
                (self.watch)(&TuneEvent { fixture, outcome, progress });
            }
            Ok(ControlFlow::Continue(()))
        };
        match play_in_order(first + recalled as u64, &fixture, play, options, &mut keep)? {
            LeagueEnd::Over => Ok(()),
            LeagueEnd::Stopped => Err(Halt::Stopped),
        }
    }

    /// Counts a result.
    fn add(&mut self, one: &TuneMatch, outcome: &MatchOutcome) {
        self.progress.played += 1;
        if let MatchOutcome::Failed(reason) = outcome {
            self.progress.failed += 1;
            self.trouble.get_or_insert_with(|| reason.clone());
        }
        let swapped = self.plan.is_swapped(one.cell);
        let scores = match (&mut self.progress.test, one.test) {
            (Some(test), true) if one.candidate == 0 => Some(&mut test.start),
            (Some(test), true) => Some(&mut test.tuned),
            (_, _) => {
                let candidate = self.progress.candidates.get_mut(one.candidate);
                candidate.map(|candidate| &mut candidate.scores)
            }
        };
        if let Some(scores) = scores {
            scores.add(one.seed, swapped, outcome);
        }
    }

    fn scores(&self, candidate: usize) -> &CandidateScores {
        static NONE: CandidateScores = CandidateScores::NONE;
        self.progress.candidates.get(candidate).map_or(&NONE, |candidate| &candidate.scores)
    }

    fn fate(&mut self, candidate: usize, fate: Fate) {
        if let Some(candidate) = self.progress.candidates.get_mut(candidate) {
            candidate.fate = fate;
        }
    }
}

/// The matches of candidates on some seeds, seed by seed.
fn meetings(seeds: Range<u64>, candidates: &[usize], cells: usize, test: bool) -> Vec<TuneMatch> {
    let mut matches = Vec::new();
    for seed in seeds {
        for candidate in candidates.iter().copied() {
            matches.extend((0..cells).map(|cell| TuneMatch { candidate, seed, cell, test }));
        }
    }
    matches
}
