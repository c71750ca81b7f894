//! The speed of deciding a match again, compared with the match's own time: matches over loopback
//! in real time, at the demo's pace or the referee's own, recorded in memory.
//!
//! `cargo bench -p phalanx --bench redecide [-- STEPS]`
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark may fail loudly, and prints"
)]

use phalanx_engine::{Generation, StrategyOrigin, TeamOptions};
use phalanx_game::{Roster, RosterEntry};
use phalanx_games::demo::DemoAsk;
use phalanx_games::shipped;
use phalanx_games::{RerunPlan, TeamPlan};
use phalanx_lua::{Limits, stage};
use phalanx_net::{
    Appetite, HostOptions, JournalComparison, Recorder, RerunOptions, SeatOptions, Taped, TeamEnd,
    origin, serve_arena,
};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

const STEPS: u32 = 200;

/// Each game with a part of its steps and the roles of its agents.
const GAMES: [(&str, u32, &[&str]); 3] = [
    ("assemble", 1, &["worker", "worker", "scout"]),
    ("mars", 1, &["explorer", "inspector", "repairer", "saboteur", "sentinel"]),
    ("bomberland", 4, &["hunter"]),
];

/// Keeps everything in memory.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<(Instant, Taped)>>);

impl Recorder for Kept {
    fn put(&self, at: Instant, what: Taped) {
        self.0.lock().unwrap().push((at, what));
    }

    fn appetite(&self) -> Appetite {
        Appetite::Needed
    }
}

fn main() {
    let steps = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(STEPS);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    println!(
        "{:<12} {:>6} {:>7} {:>9} {:>9} {:>14} {:>8}",
        "", "agents", "turns", "played", "again", "turns a second", "ratio"
    );
    for (game, part, roles) in GAMES {
        let (plan, entries) = runtime.block_on(played(game, steps / part, roles));
        let time = |entry: Option<&(Instant, Taped)>| entry.unwrap().0;
        let played = time(entries.last()) - time(entries.first());
        let begun = Instant::now();
        let turns = again(&plan, entries);
        let spent = begun.elapsed();
        let (played, spent) = (played.as_secs_f64(), spent.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a number for people")]
        let speed = turns as f64 / spent;
        println!(
            "{game:<12} {:>6} {turns:>7} {played:>7.1} s {spent:>7.2} s {speed:>14.0} {:>6.0} ×",
            plan.roster.agents.len(),
            played / spent
        );
    }
}

/// A match of two teams over loopback; the first one is recorded.
async fn played(game: &str, steps: u32, roles: &[&str]) -> (TeamPlan, Vec<(Instant, Taped)>) {
    let ask = DemoAsk {
        seed: 7,
        steps: Some(steps),
        fast: false,
        pace: None,
        worlds: None,
        variant: None,
        settings: None,
    };
    let stage = phalanx_games::demo(game, &ask).unwrap();
    let listener = phalanx_games::listen(game, "127.0.0.1:0").await.unwrap();
    let arena = serve_arena((stage.arena)(origin()).unwrap(), listener, HostOptions::default());
    let endpoint = phalanx_games::endpoint(game, "127.0.0.1", arena.address().unwrap().port());
    let strategy = Arc::new(shipped::strategy(game).unwrap());
    let generation = Generation {
        number: 1,
        hash: strategy.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    let kept = Arc::new(Kept::default());
    let plan = |team: &str, recorder: Option<Arc<dyn Recorder>>| {
        let role = |index: usize| *roles.iter().cycle().nth(index).unwrap();
        let entry = |index: usize| RosterEntry::new(stage.agent_name(team, index + 1), role(index));
        let agents = (0..stage.agents).map(entry).collect();
        let roster = Roster { team: team.to_owned(), agents };
        TeamPlan {
            game: game.to_owned(),
            options: stage.options.clone(),
            seats: stage.seats(&roster),
            roster,
            staged: stage_of(&strategy, &generation),
            limits: Limits { load: Duration::from_secs(30), ..Limits::default() },
            team: TeamOptions { seed: 7, ..TeamOptions::default() },
            seat: SeatOptions::default(),
            recorder,
            checkpoints: None,
        }
    };
    let first = plan("A", Some(Arc::clone(&kept) as _));
    let teams = [first.clone(), plan("B", None)];
    let mut handles = Vec::new();
    for plan in teams {
        handles.push(phalanx_games::build(plan, endpoint.clone()).await.unwrap().spawn());
    }
    for handle in &handles {
        assert_eq!(handle.ended().await, TeamEnd::MatchOver, "{game}");
    }
    drop(handles);
    let entries = std::mem::take(&mut *kept.0.lock().unwrap());
    (first, entries)
}

fn stage_of(
    strategy: &Arc<phalanx_lua::Bundle>,
    generation: &Generation,
) -> phalanx_engine::Staged {
    stage(Arc::clone(strategy), Arc::new(generation.clone())).unwrap()
}

/// Decides it again; returns the number of turns, none of which differs.
fn again(plan: &TeamPlan, entries: Vec<(Instant, Taped)>) -> u64 {
    let (game, options, limits) = (plan.game.clone(), plan.options.clone(), plan.limits);
    let rerun = RerunOptions::default();
    let mut rerun = phalanx_games::rerun(RerunPlan { game, options, limits, rerun }).unwrap();
    let mut comparison = JournalComparison::new(false);
    for (at, what) in entries {
        if let Taped::Journal(entry) = &what {
            comparison.recorded((**entry).clone());
        }
        rerun.feed(at, what).unwrap();
        std::iter::from_fn(|| rerun.poll_journal()).for_each(|entry| comparison.now(entry));
    }
    rerun.finish().unwrap();
    std::iter::from_fn(|| rerun.poll_journal()).for_each(|entry| comparison.now(entry));
    comparison.finish(!rerun.is_ended());
    assert!(comparison.poll().is_none() && rerun.messages().differ == 0, "{:?}", rerun.trouble());
    comparison.tally().turns
}
