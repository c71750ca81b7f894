//! Playing a league: worker threads, results in order, an early stop.

use crate::{Fixture, Outcome, Plan, Standing, Store, StoreError};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// Plays one match. Called from several threads at once.
pub trait Play: Sync {
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
    /// It was told to stop: it is played anew when the league goes on.
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
pub enum End {
    /// Everything was played, or enough.
    Over,
    /// It was stopped and can go on.
    Stopped,
}

/// Something that happened.
#[derive(Debug)]
pub struct Event<'a> {
    /// The match.
    pub fixture: &'a Fixture,
    /// How it ended.
    pub outcome: &'a Outcome,
    /// What follows from all results so far.
    pub standing: &'a Standing,
}

/// Plays what is left of a league. Blocks until it is over or stopped; `watch` hears of each result
/// in the order of the schedule.
///
/// # Errors
/// When a result cannot be kept.
pub fn run(
    store: &mut Store,
    play: &dyn Play,
    options: &RunOptions<'_>,
    watch: &mut dyn FnMut(&Event<'_>),
) -> Result<End, StoreError> {
    if store.tally().standing().is_over() {
        return Ok(End::Over);
    }
    let plan = store.plan().clone();
    let next = AtomicU64::new(store.tally().played());
    // Set when the league has ended for whatever reason: matches that nobody needs any more end too.
    let enough = AtomicBool::new(options.stop.load(Ordering::Relaxed));
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            let (sender, plan, next, enough) = (sender.clone(), &plan, &next, &enough);
            scope.spawn(move || work(plan, play, next, enough, &sender));
        }
        drop(sender);
        let end = collect(store, &results, options.stop, &enough, watch);
        enough.store(true, Ordering::Relaxed);
        end
    })
}

type Done = (Fixture, Option<Outcome>);

fn work(
    plan: &Plan,
    play: &dyn Play,
    next: &AtomicU64,
    enough: &AtomicBool,
    sender: &mpsc::Sender<Done>,
) {
    play.begin();
    while !enough.load(Ordering::Relaxed) {
        let Some(fixture) = plan.fixture(next.fetch_add(1, Ordering::Relaxed)) else { return };
        let outcome = played(play, &fixture, enough);
        let given_up = outcome.is_none();
        // Without a receiver nobody needs the result any more.
        if sender.send((fixture, outcome)).is_err() || given_up {
            return;
        }
    }
}

/// A match that panics is one that failed: it does not end the league.
fn played(play: &dyn Play, fixture: &Fixture, stop: &AtomicBool) -> Option<Outcome> {
    match catch_unwind(AssertUnwindSafe(|| play.play(fixture, stop))) {
        Ok(Ok(scores)) if scores.len() == fixture.players.len() => Some(Outcome::Scores(scores)),
        Ok(Ok(scores)) => {
            let (players, scores) = (fixture.players.len(), scores.len());
            Some(Outcome::failed(&format!("{scores} scores for {players} players")))
        }
        Ok(Err(PlayError::Stopped)) => None,
        Ok(Err(PlayError::Failed(reason))) => Some(Outcome::failed(&reason)),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let reason = format!("the match broke down: {}", text.unwrap_or("a panic"));
            tracing::error!(seed = fixture.seed, reason, "a match of a league");
            Some(Outcome::failed(&reason))
        }
    }
}

/// How often the caller's wish to stop is looked at while no result comes.
const LOOK: std::time::Duration = std::time::Duration::from_millis(100);

/// Takes results in any order and keeps them in the order of the schedule.
fn collect(
    store: &mut Store,
    results: &mpsc::Receiver<Done>,
    stop: &AtomicBool,
    enough: &AtomicBool,
    watch: &mut dyn FnMut(&Event<'_>),
) -> Result<End, StoreError> {
    let mut waiting: BTreeMap<u64, (Fixture, Outcome)> = BTreeMap::new();
    loop {
        if stop.load(Ordering::Relaxed) {
            enough.store(true, Ordering::Relaxed);
        }
        match results.recv_timeout(LOOK) {
            Ok((fixture, Some(outcome))) => {
                waiting.insert(fixture.number, (fixture, outcome));
            }
            Ok((_, None)) | Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(End::Stopped),
        }
        while let Some((fixture, outcome)) = waiting.remove(&store.tally().played()) {
            store.append(&fixture, &outcome)?;
            let standing = store.tally().standing();
            watch(&Event { fixture: &fixture, outcome: &outcome, standing: &standing });
            if standing.is_over() {
                return Ok(End::Over);
            }
        }
    }
}
