//! Matches on a virtual clock: fast, and the same every time.

use crate::toy::{Toy, ToyBrain, squad};
use crate::toy_arena::ToyArena;
use phalanx_engine::{
    Ask, Brain, BrainError, BrainErrorKind, JournalEntry, JournalEvent, Outcome, RoundResult,
    Shared, Staged, TeamLink,
};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{AgentId, Said, Turn, Verdict};
use phalanx_net::{Lockstep, LockstepEnd, LockstepOptions, Observer, now};
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

const WINDOW: Duration = Duration::from_secs(4);

#[derive(Debug, Default, PartialEq)]
struct Seen {
    steps: Vec<u32>,
    decided: Vec<String>,
    defaulted: u64,
    stop_at: Option<u32>,
}

impl Observer for Seen {
    fn step(&mut self, verdict: &Verdict) -> ControlFlow<()> {
        self.steps.push(verdict.step);
        match self.stop_at {
            Some(step) if verdict.step >= step => ControlFlow::Break(()),
            Some(_) | None => ControlFlow::Continue(()),
        }
    }

    fn journal(&mut self, team: usize, entry: JournalEntry) {
        match entry.event {
            JournalEvent::Decided { action, .. } => {
                let agent = entry.agent.unwrap_or_default();
                self.decided.push(format!("{team} {} {agent} {action}", entry.turn));
            }
            JournalEvent::Defaulted { .. } => self.defaulted += 1,
            _ => {}
        }
    }
}

fn busy(agent: AgentId, turn: Turn) -> String {
    if (u32::from(agent.0) + turn.step).is_multiple_of(3) { "rest".into() } else { "dig".into() }
}

fn duel(agents: u16, steps: u32, options: LockstepOptions) -> Lockstep {
    let arena = ToyArena::new(usize::from(agents) * 2, steps, WINDOW);
    let mut lockstep = Lockstep::new(Box::new(arena), now(), options);
    for team in ["blue", "red"] {
        let (roster, seats) = squad(team, agents);
        let brain = |_link, _: &_| Ok(ToyBrain(busy));
        lockstep
            .add_team(&Toy, Arc::new(roster), &seats, Default::default(), Staged::default(), brain)
            .unwrap();
    }
    lockstep
}

#[test]
fn a_match_is_played_to_its_end_without_a_fallback() {
    let (mut lockstep, mut seen) = (duel(15, 100, LockstepOptions::default()), Seen::default());
    let start = lockstep.now();
    assert_eq!(lockstep.run(&mut seen), LockstepEnd::Over);
    assert_eq!(seen.steps.last(), Some(&100));
    assert_eq!((seen.decided.len(), seen.defaulted), (100 * 30, 0));
    for team in [0, 1] {
        let counters = lockstep.snapshot(team).unwrap().counters;
        assert_eq!((counters.decided, counters.fallback, counters.late), (1_500, 0, 0));
        assert_eq!(lockstep.meter(team).unwrap().timings().answers, 1_500);
        assert_eq!(lockstep.verdict().teams[team].rounds, [1_000]);
    }
    assert_eq!(lockstep.now(), start, "no time passed");
}

#[test]
fn the_same_match_twice_is_the_same_however_the_bytes_are_cut() {
    let play = |chunk_bytes| {
        let options = LockstepOptions { chunk_bytes, ..LockstepOptions::default() };
        let mut seen = Seen::default();
        assert_eq!(duel(3, 20, options).run(&mut seen), LockstepEnd::Over);
        seen
    };
    let whole = play(None);
    for bytes in [1, 2, 3, 7, 64] {
        assert_eq!(play(Some(bytes)), whole, "in pieces of {bytes}");
    }
    assert_eq!(play(Some(0)), whole, "a piece has at least one byte");
}

#[test]
fn the_observer_can_stop_a_match_and_go_on() {
    let mut lockstep = duel(2, 50, LockstepOptions::default());
    let mut seen = Seen { stop_at: Some(10), ..Seen::default() };
    assert_eq!(lockstep.run(&mut seen), LockstepEnd::Stopped);
    assert_eq!(lockstep.verdict().step, 10);
    assert_eq!(lockstep.run(&mut ()), LockstepEnd::Over);
    assert_eq!(lockstep.verdict().step, 50);
}

#[test]
fn an_arena_that_waits_for_more_players_is_stuck_not_endless() {
    let arena = ToyArena::new(2, 5, WINDOW);
    let mut lockstep = Lockstep::new(Box::new(arena), now(), LockstepOptions::default());
    let (roster, seats) = squad("red", 1);
    let brain = |_link, _: &_| Ok(ToyBrain(busy));
    lockstep
        .add_team(&Toy, Arc::new(roster), &seats, Default::default(), Staged::default(), brain)
        .unwrap();
    assert_eq!(lockstep.run(&mut ()), LockstepEnd::Stuck);
}

#[test]
fn an_arena_that_looks_at_its_door_for_ever_is_stuck_too() {
    // The arena asks for a wake-up each second until two agents are there; there is only one.
    let options = phalanx_bomberland::arena::ArenaOptions::default();
    let config = phalanx_bomberland::arena::ArenaConfig::parse("WORLD_SEED=1").unwrap();
    let arena =
        phalanx_bomberland::arena::BomberlandArena::new(config, options, phalanx_net::origin());
    let mut lockstep = Lockstep::new(Box::new(arena.unwrap()), now(), LockstepOptions::default());
    assert_eq!(lockstep.run(&mut ()), LockstepEnd::Stuck);
}

/// One team of two; agent 1 says `word` in turn 3.
fn accident(word: &'static str) -> (Lockstep, Seen) {
    let arena = ToyArena::new(2, 10, WINDOW);
    let mut lockstep = Lockstep::new(Box::new(arena), now(), LockstepOptions::default());
    let (roster, seats) = squad("red", 2);
    let say = move |agent: AgentId, turn: Turn| {
        if agent.0 == 1 && turn.step == 3 { word.to_owned() } else { "dig".into() }
    };
    let brain = move |_link, _: &_| Ok(ToyBrain(say));
    lockstep
        .add_team(&Toy, Arc::new(roster), &seats, Default::default(), Staged::default(), brain)
        .unwrap();
    let (start, mut seen) = (lockstep.now(), Seen::default());
    assert_eq!(lockstep.run(&mut seen), LockstepEnd::Over);
    // Only the turn of the accident uses its whole window, on the virtual clock.
    assert_eq!(lockstep.now() - start, WINDOW);
    (lockstep, seen)
}

#[test]
fn a_seat_that_the_arena_throws_out_returns_and_plays_on() {
    let (lockstep, seen) = accident("kick");
    assert_eq!(lockstep.verdict().teams[0].rounds, [19]);
    assert_eq!(seen.steps.last(), Some(&10));
}

#[test]
fn a_seat_whose_framing_is_lost_reconnects_and_plays_on() {
    let (lockstep, _) = accident("garble");
    assert_eq!(lockstep.verdict().teams[0].rounds, [19]);
    assert_eq!(lockstep.snapshot(0).unwrap().counters.malformed, 1);
}

/// A brain whose scripts never end.
struct Endless(Rc<Cell<u32>>);

impl Endless {
    fn stopped<T>(&self, role: &str) -> Outcome<T> {
        self.0.set(self.0.get() + 1);
        let error = BrainError {
            kind: BrainErrorKind::Budget,
            place: Some(("worker.luau".into(), 3)),
            role: role.into(),
            message: "used up its time".into(),
        };
        Outcome::new(Err(error), Duration::from_secs(3))
    }
}

impl Brain for Endless {
    fn plan(&mut self, _ask: &Ask<'_>) -> Outcome<()> {
        self.stopped("team")
    }

    fn decide(&mut self, _ask: &Ask<'_>) -> Outcome<Said> {
        self.stopped("worker")
    }
}

/// The reasons of fallbacks and of failed calls, each once.
#[derive(Debug, Default)]
struct Reasons(SortedSet<String>);

impl Observer for Reasons {
    fn journal(&mut self, _team: usize, entry: JournalEntry) {
        if let JournalEvent::Fallback { reason, .. } | JournalEvent::ScriptError { reason, .. } =
            entry.event
        {
            self.0.insert(reason);
        }
    }
}

#[test]
fn a_script_that_used_up_its_time_twice_is_suspended_for_the_rest_of_the_match() {
    let arena = ToyArena::new(5, 10, WINDOW);
    let mut lockstep = Lockstep::new(Box::new(arena), now(), LockstepOptions::default());
    let calls = Rc::<Cell<u32>>::default();
    let counted = Rc::clone(&calls);
    let brain = move |_link, _: &_| Ok(Endless(Rc::clone(&counted)));
    let (roster, seats) = squad("blue", 5);
    lockstep
        .add_team(&Toy, Arc::new(roster), &seats, Default::default(), Staged::default(), brain)
        .unwrap();
    let mut reasons = Reasons::default();
    assert_eq!(lockstep.run(&mut reasons), LockstepEnd::Over);
    assert_eq!(calls.get(), 4, "the one role twice, and plan twice");
    let counters = lockstep.snapshot(0).unwrap().counters;
    assert_eq!((counters.asked, counters.fallback, counters.late), (50, 50, 0));
    let told: Vec<_> = reasons.0.iter().map(String::as_str).collect();
    let want = [
        "worker.luau:3: suspended for the rest of the match: it used up its time in 2 calls",
        "worker.luau:3: used up its time",
        "worker.luau:3: used up its time, in 2 calls now: the script is suspended for the rest of \
         the match",
    ];
    assert_eq!(told, want);
}

/// A brain whose scripts are stopped by the count of their steps; it keeps where.
struct Counting(Rc<RefCell<Shared>>, Rc<RefCell<SortedSet<Option<u64>>>>);

impl Counting {
    fn stopped<T>(&self, ask: &Ask<'_>) -> Outcome<T> {
        assert!(ask.budget >= Duration::from_secs(60), "a busy machine is no reason to stop");
        let mut shared = self.0.borrow_mut();
        let limit = shared.time.begin_call();
        self.1.borrow_mut().insert(limit);
        shared.time.stopped(limit.unwrap_or_default());
        let message = "used up its time of 60s".to_owned();
        let (kind, place) = (BrainErrorKind::Budget, Some(("worker.luau".to_owned(), 3)));
        let error = BrainError { kind, place, role: "worker".to_owned(), message };
        Outcome::new(Err(error), Duration::ZERO)
    }
}

impl Brain for Counting {
    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        self.stopped(ask)
    }
}

#[test]
fn on_a_virtual_clock_a_script_is_stopped_after_a_number_of_steps_on_every_machine() {
    let arena = ToyArena::new(5, 10, WINDOW);
    let mut lockstep = Lockstep::new(Box::new(arena), now(), LockstepOptions::default());
    let limits = Rc::default();
    let kept = Rc::clone(&limits);
    let brain = move |link: TeamLink, _: &_| Ok(Counting(link.shared, Rc::clone(&kept)));
    let (roster, seats) = squad("blue", 5);
    lockstep
        .add_team(&Toy, Arc::new(roster), &seats, Default::default(), Staged::default(), brain)
        .unwrap();
    let mut reasons = Reasons::default();
    assert_eq!(lockstep.run(&mut reasons), LockstepEnd::Over);
    assert_eq!(*limits.borrow(), SortedSet::from([Some(12_500_000)]));
    let told = "worker.luau:3: used up its time: it did not end within 12500000 instructions";
    assert!(reasons.0.contains(told), "{:?}", reasons.0);
}

/// A brain on a busy machine: each decision takes seconds of real time.
struct Slow(Rc<RefCell<SortedSet<Duration>>>);

impl Brain for Slow {
    fn start(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        assert!(ask.budget >= Duration::from_millis(400), "too little for a busy machine");
        Outcome::new(Ok(()), Duration::from_secs(3))
    }

    fn plan(&mut self, _ask: &Ask<'_>) -> Outcome<()> {
        Outcome::new(Ok(()), Duration::from_secs(3))
    }

    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        self.0.borrow_mut().insert(ask.time_left);
        let said = Said { action: "dig".into(), args: vec![] };
        Outcome::new(Ok(said), Duration::from_secs(3))
    }

    fn finish(&mut self, _ask: &Ask<'_>, _result: RoundResult) -> Outcome<()> {
        Outcome::new(Ok(()), Duration::from_secs(3))
    }
}

#[test]
fn what_else_the_machine_does_is_no_part_of_the_match() {
    let arena = ToyArena::new(5, 10, WINDOW);
    let mut lockstep = Lockstep::new(Box::new(arena), now(), LockstepOptions::default());
    let left = Rc::default();
    let kept = Rc::clone(&left);
    let brain = move |_link, _: &_| Ok(Slow(Rc::clone(&kept)));
    let (roster, seats) = squad("blue", 5);
    lockstep
        .add_team(&Toy, Arc::new(roster), &seats, Default::default(), Staged::default(), brain)
        .unwrap();
    assert_eq!(lockstep.run(&mut ()), LockstepEnd::Over);
    let counters = lockstep.snapshot(0).unwrap().counters;
    assert_eq!((counters.decided, counters.fallback, counters.late), (50, 0, 0));
    assert_eq!(left.borrow().len(), 1, "all agents have the whole turn: {left:?}");
}

#[test]
fn a_team_that_goes_on_in_the_place_of_another_plays_the_same_match() {
    let play = |restarts: bool| {
        let (mut lockstep, mut decided) = (duel(3, 40, LockstepOptions::default()), Vec::new());
        for stop_at in 1..=40 {
            let mut seen = Seen { stop_at: Some(stop_at), ..Seen::default() };
            lockstep.run(&mut seen);
            decided.extend(seen.decided);
            if restarts {
                lockstep.restart(0).unwrap();
            }
        }
        let counters = lockstep.snapshot(0).unwrap().counters;
        (decided, counters, lockstep.verdict().clone())
    };
    let (whole, restarted) = (play(false), play(true));
    assert_eq!(whole, restarted);
    assert_eq!(restarted.1.decided, 120, "what an earlier life counted is not lost");
}
