//! Playing a league: worker threads, results in order, an early stop.

use crate::{Fixture, LeagueStore, LeagueStoreError, LeagueTable, MatchOutcome};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// Plays one match. Called from several threads at once.
pub trait PlayMatch: Sync {
    /// Plays a match to its end; the scores of the players, in the fixture's order. Looks at `stop`
    /// now and then, and gives up when it is true.
    ///
    /// # Errors
    /// When the match was given up, or cannot be played to its end.
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError>;

    /// Called once on each worker thread before it plays: the place to lower its priority.
    fn begin(&self) {}
}

/// Why a match has no scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayError {
    /// It was stopped, and is played again when the league resumes.
    Stopped,
    /// It failed, for this reason.
    Failed(String),
}

/// How a league is played.
#[derive(Debug)]
pub struct RunOptions<'a> {
    /// Matches at once, at least 1.
    pub threads: usize,
    /// True when the league is to stop.
    pub stop: &'a AtomicBool,
}

/// Why playing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeagueEnd {
    /// Everything was played, or enough.
    Over,
    /// It was stopped and can go on.
    Stopped,
}

/// Something that happened.
#[derive(Debug)]
pub struct MatchPlayed<'a> {
    /// The match.
    pub fixture: &'a Fixture,
    /// How it ended.
    pub outcome: &'a MatchOutcome,
    /// What follows from all results so far.
    pub standing: &'a LeagueTable,
}

/// Plays what is left of a league. Blocks until it is over or stopped; `watch` hears of each result
/// in the order of the schedule.
///
/// # Errors
/// When a result cannot be kept.
pub fn run(
    store: &mut LeagueStore,
    play: &dyn PlayMatch,
    options: &RunOptions<'_>,
    watch: &mut dyn FnMut(&MatchPlayed<'_>),
) -> Result<LeagueEnd, LeagueStoreError> {
    if store.tally().standing().is_over() {
        return Ok(LeagueEnd::Over);
    }
    let plan = store.plan().clone();
    let begin = store.tally().played();
    let fixture = |number| plan.fixture(number);
    play_in_order(begin, &fixture, play, options, &mut |fixture, outcome| {
        store.append(fixture, outcome)?;
        let standing = store.tally().standing();
        watch(&MatchPlayed { fixture, outcome, standing: &standing });
        Ok(if standing.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })
}

/// Keeps the result of a match, and ends the schedule where no more are needed.
pub type KeepResult<'a, E> = dyn FnMut(&Fixture, &MatchOutcome) -> Result<ControlFlow<()>, E> + 'a;

/// Plays the matches of a schedule from the number `begin` to its end on several threads. `keep`
/// gets each result in the order of the numbers, however the threads overtake each other, and may
/// end the schedule early.
///
/// # Errors
/// The error of `keep`.
pub fn play_in_order<E>(
    begin: u64,
    fixture: &(dyn Fn(u64) -> Option<Fixture> + Sync),
    play: &dyn PlayMatch,
    options: &RunOptions<'_>,
    keep: &mut KeepResult<'_, E>,
) -> Result<LeagueEnd, E> {
    let next = AtomicU64::new(begin);
    // Set when the schedule has ended for any reason: matches that are no longer needed end too.
    let enough = AtomicBool::new(options.stop.load(Ordering::Relaxed));
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            let (sender, next, enough) = (sender.clone(), &next, &enough);
            scope.spawn(move || work(fixture, play, next, enough, &sender));
        }
        drop(sender);
        let end = collect(begin, &results, options.stop, &enough, keep);
        enough.store(true, Ordering::Relaxed);
        let missing = end?.is_some_and(|next| fixture(next).is_some());
        Ok(if missing { LeagueEnd::Stopped } else { LeagueEnd::Over })
    })
}

type FinishedMatch = (Fixture, Option<MatchOutcome>);

fn work(
    fixture: &(dyn Fn(u64) -> Option<Fixture> + Sync),
    play: &dyn PlayMatch,
    next: &AtomicU64,
    enough: &AtomicBool,
    sender: &mpsc::Sender<FinishedMatch>,
) {
    play.begin();
    while !enough.load(Ordering::Relaxed) {
        let Some(fixture) = fixture(next.fetch_add(1, Ordering::Relaxed)) else { return };
        let outcome = play_guarded(play, &fixture, enough);
        let given_up = outcome.is_none();
        // Without a receiver the result is no longer needed.
        if sender.send((fixture, outcome)).is_err() || given_up {
            return;
        }
    }
}

/// Plays a match; `None` if it was given up. A match that panics is one that failed: it does not
/// end the league.
pub fn play_guarded(
    play: &dyn PlayMatch,
    fixture: &Fixture,
    stop: &AtomicBool,
) -> Option<MatchOutcome> {
    match catch_unwind(AssertUnwindSafe(|| play.play(fixture, stop))) {
        Ok(Ok(scores)) if scores.len() == fixture.players.len() => {
            Some(MatchOutcome::Scores(scores))
        }
        Ok(Ok(scores)) => {
            let (players, scores) = (fixture.players.len(), scores.len());
            Some(MatchOutcome::failed(&format!("{scores} scores for {players} players")))
        }
        Ok(Err(PlayError::Stopped)) => None,
        Ok(Err(PlayError::Failed(reason))) => Some(MatchOutcome::failed(&reason)),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let reason = format!("the match broke down: {}", text.unwrap_or("a panic"));
            tracing::error!(seed = fixture.seed, reason, "a match of a league");
            Some(MatchOutcome::failed(&reason))
        }
    }
}

/// How often the caller's wish to stop is looked at while no result comes.
const LOOK: std::time::Duration = std::time::Duration::from_millis(100);

/// Takes results in any order and hands them on in the order of the schedule. Returns the number of
/// the first match without a result; `None` when `keep` wanted no more.
fn collect<E>(
    begin: u64,
    results: &mpsc::Receiver<FinishedMatch>,
    stop: &AtomicBool,
    enough: &AtomicBool,
    keep: &mut KeepResult<'_, E>,
) -> Result<Option<u64>, E> {
    let mut next = begin;
    let mut waiting: BTreeMap<u64, (Fixture, MatchOutcome)> = BTreeMap::new();
    loop {
        if stop.load(Ordering::Relaxed) {
            enough.store(true, Ordering::Relaxed);
        }
        match results.recv_timeout(LOOK) {
            Ok((fixture, Some(outcome))) => {
                waiting.insert(fixture.number, (fixture, outcome));
            }
            Ok((_, None)) | Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(Some(next)),
        }
        while let Some((fixture, outcome)) = waiting.remove(&next) {
            next += 1;
            if keep(&fixture, &outcome)?.is_break() {
                return Ok(None);
            }
        }
    }
}
