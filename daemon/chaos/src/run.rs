//! Many scenarios, from many seeds, on several threads.

use crate::cast::SetupError;
use crate::fault::FaultKind;
use crate::generate::{Ground, generate};
use crate::misses::MissFigures;
use crate::play::{Outcome, play};
use crate::scenario::{FaultPlan, Scenario};
use crate::shrink::{Shrunk, shrink};
use phalanx_game::sorted::SortedMap;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};

/// Failures that are shrunk and reported in full.
const FAILURES_MAX: usize = 20;

/// What is run.
#[derive(Clone, Debug)]
pub struct ChaosPlan {
    /// Where matches are played; the seeds go round the games.
    pub grounds: Vec<Ground>,
    /// The first seed.
    pub from: u64,
    /// How many seeds each game gets.
    pub seeds: u64,
    /// Matches at once, at least 1.
    pub threads: usize,
    /// The faults of all matches; `None`: each seed has its own.
    pub faults: Option<FaultPlan>,
}

impl ChaosPlan {
    /// Matches of the plan.
    #[must_use]
    pub fn matches(&self) -> u64 {
        self.seeds.saturating_mul(u64::try_from(self.grounds.len()).unwrap_or(u64::MAX))
    }

    /// The ground and the seed of a match.
    fn scenario(&self, number: u64) -> Option<Scenario> {
        let games = u64::try_from(self.grounds.len()).ok().filter(|games| *games > 0)?;
        let index = usize::try_from(number % games).ok()?;
        let ground = self.grounds.get(index)?;
        let scenario = generate(ground, self.from.wrapping_add(number / games));
        let Some(FaultPlan { faults, often, .. }) = self.faults.clone() else {
            return Some(scenario);
        };
        Some(Scenario { faults, often, ..scenario })
    }
}

/// Figures of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GameFigures {
    /// Matches that were played.
    pub matches: u64,
    /// Matches that broke a promise.
    pub failed: u64,
    /// Seeds without a match: the referee refuses the map.
    pub skipped: u64,
    /// Requests that reached the teams.
    pub agent_turns: u64,
    /// Faults that took effect.
    pub faults: u64,
    /// Virtual time in milliseconds.
    pub virtual_ms: u64,
    /// Decisions that were computed again from recordings.
    pub decided_again: u64,
    /// Commands that were acknowledged.
    pub acknowledged: u64,
    /// Calls of the control API that were answered.
    pub calls: u64,
    /// Beliefs that were compared with the referee's world.
    pub beliefs: u64,
}

/// Figures of a kind of fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KindFigures {
    /// Faults that took effect.
    pub injected: u64,
    /// Those in matches that kept every promise.
    pub survived: u64,
}

/// A seed that breaks a promise.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed.
    pub seed: u64,
    /// The short scenario and the promise.
    pub shrunk: Shrunk,
}

/// What came of a run so far.
#[derive(Clone, Debug, Default)]
pub struct ChaosReport {
    /// By game.
    pub games: SortedMap<String, GameFigures>,
    /// By kind of fault and game.
    pub kinds: SortedMap<FaultKind, SortedMap<String, KindFigures>>,
    /// Seeds that broke a promise, at most the first twenty.
    pub failures: Vec<Failure>,
    /// Turns without an answer, by match, team and round, in games whose requests have ids.
    pub misses: Vec<MissFigures>,
    /// Processor time of the threads that played.
    pub busy: Duration,
    /// It was stopped before its end.
    pub stopped: bool,
}

impl ChaosReport {
    /// Matches that were played.
    #[must_use]
    pub fn matches(&self) -> u64 {
        self.games.values().map(|game| game.matches).sum()
    }

    /// Matches that broke a promise.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.games.values().map(|game| game.failed).sum()
    }

    /// Requests that reached teams.
    #[must_use]
    pub fn agent_turns(&self) -> u64 {
        self.games.values().map(|game| game.agent_turns).sum()
    }

    fn add(&mut self, played: Played) {
        self.busy += played.busy;
        let game = self.games.entry(played.scenario.game.clone()).or_default();
        let Some(outcome) = played.outcome else {
            game.skipped += 1;
            return;
        };
        if outcome.stopped {
            return;
        }
        let failed = !outcome.violations.is_empty();
        game.matches += 1;
        game.failed += u64::from(failed);
        game.agent_turns += outcome.agent_turns;
        game.faults += outcome.injected.values().sum::<u64>();
        game.virtual_ms += u64::try_from(outcome.time.as_millis()).unwrap_or(u64::MAX);
        game.decided_again += outcome.decided_again;
        game.acknowledged += outcome.acknowledged;
        game.calls += outcome.calls;
        game.beliefs += outcome.beliefs;
        self.misses.extend(&outcome.misses);
        for (kind, count) in &outcome.injected {
            let kind = self.kinds.entry(*kind).or_default();
            let kind = kind.entry(played.scenario.game.clone()).or_default();
            kind.injected += count;
            kind.survived += if failed { 0 } else { *count };
        }
        if let Some(shrunk) = played.shrunk.filter(|_| self.failures.len() < FAILURES_MAX) {
            self.failures.push(Failure { seed: played.scenario.seed, shrunk });
        }
    }
}

struct Played {
    scenario: Scenario,
    /// `None`: there is no such match.
    outcome: Option<Outcome>,
    shrunk: Option<Shrunk>,
    busy: Duration,
}

/// Plays the scenarios of a plan. `begin` is called on each thread before it plays, `watch` after
/// each match with its number of violations. Ends early when `stop` is true.
///
/// # Errors
/// When a match cannot be set up for another reason than its map.
pub fn run(
    plan: &ChaosPlan,
    stop: &AtomicBool,
    begin: &(dyn Fn() + Sync),
    watch: &mut dyn FnMut(&ChaosReport),
) -> Result<ChaosReport, SetupError> {
    let (next, mut report) = (AtomicU64::new(0), ChaosReport::default());
    let (sender, receiver) = mpsc::sync_channel(plan.threads.max(1));
    let mut problem = None;
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                begin();
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let scenario = plan.scenario(number).filter(|_| number < plan.matches());
                    let Some(scenario) = scenario else { return };
                    if sender.send(play_one(scenario, stop)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for played in receiver {
            match played {
                Ok(played) => report.add(played),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    problem = problem.take().or(Some(error));
                }
            }
            watch(&report);
        }
    });
    report.stopped = stop.load(Ordering::Relaxed);
    report.failures.sort_by_key(|failure| failure.seed);
    problem.map_or(Ok(report), Err)
}

/// Processor time of this thread; its real time where the system does not say.
fn thread_time() -> Duration {
    let begun = *BEGUN.get_or_init(phalanx_net::now);
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = known.as_deref().and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| begun.elapsed(), Duration::from_nanos)
}

static BEGUN: OnceLock<Instant> = OnceLock::new();

fn play_one(scenario: Scenario, stop: &AtomicBool) -> Result<Played, SetupError> {
    let begun = thread_time();
    let outcome = match play(&scenario, stop) {
        Ok(outcome) => Some(outcome),
        // Some maps cannot be made.
        Err(SetupError::Game(phalanx_games::WireError::Arena(_))) => None,
        Err(error) => return Err(error),
    };
    let violation = outcome.as_ref().and_then(|outcome| outcome.violations.first());
    let shrunk = violation
        .map(|violation| shrink(&scenario, violation, &mut |shorter| play(shorter, stop).ok()));
    Ok(Played { scenario, outcome, shrunk, busy: thread_time().saturating_sub(begun) })
}
