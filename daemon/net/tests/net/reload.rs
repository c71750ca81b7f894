//! Strategies that change while a team plays: on virtual time, and through a real thread.

use crate::referee::Client;
use crate::toy::{Toy, squad};
use crate::toy_arena::ToyArena;
use phalanx_engine::{
    Answer, Ask, BoardRead, BoardWrite, Brain, BrainError, BrainErrorKind, CommandError, CopyView,
    DrawWorld, Generation, InstallStrategy, JournalEntry, JournalEvent, Memory, Outcome, ParamKind,
    ParamSpec, Probation, Profile, ProfileScripts, Ran, RefuseStrategy, RunScript, Scope, SetParam,
    Staged, StrategyOrigin, TeamCommand, TeamLink, TeamOptions, Ticket,
};
use phalanx_game::{AgentId, Said, Value, Verdict};
use phalanx_net::{
    Endpoint, JournalItem, JournalStream, Lockstep, LockstepEnd, LockstepOptions, Observer,
    SeatOptions, TeamEnd, TeamHandle, TeamSpec, memory, now,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// What a generation does, as its `code`.
#[derive(Clone, Copy, Debug, Default)]
struct Manner {
    /// It panics while it is installed.
    bursts: bool,
    /// Its `decide` panics in this step.
    panics_in: Option<u32>,
    /// Its `decide` fails.
    fails: bool,
}

fn staged(number: u32, manner: Manner) -> Staged {
    let (hash, accepted) = (format!("{number:064}"), SystemTime::UNIX_EPOCH);
    let generation = Generation { number, hash, accepted, origin: StrategyOrigin::File };
    let cost = Duration::from_millis(1);
    Staged { generation: Arc::new(generation), code: Arc::new(manner), cost, ..Staged::default() }
}

/// Says the number of its generation and its parameter `greed`.
struct Actor {
    link: TeamLink,
    manner: Manner,
    generation: u32,
}

impl Actor {
    fn new(link: TeamLink, staged: &Staged) -> Result<Self, BrainError> {
        let mut actor = Self { link, manner: Manner::default(), generation: 0 };
        actor.install(staged, None).map(|_| actor)
    }
}

impl Brain for Actor {
    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        assert_ne!(self.manner.panics_in, Some(ask.turn.step), "a defect in step");
        let kind = BrainErrorKind::Script;
        let shared = self.link.shared.borrow();
        let greed = shared.params.value("greed", None).and_then(Value::as_num).unwrap();
        let result = match self.manner.fails {
            true => Err(BrainError::without_place(kind, "it broke")),
            false => Ok(Said::new(format!("{}+{greed}", self.generation), Vec::new())),
        };
        Outcome::new(result, Duration::ZERO)
    }

    fn generation(&self) -> u32 {
        self.generation
    }

    fn install(
        &mut self,
        staged: &Staged,
        _spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        let manner = staged.code.downcast_ref::<Manner>().unwrap();
        assert!(!manner.bursts, "a defect at installing");
        let kind = ParamKind::number(0.0, 9.0, true);
        let (name, default) = ("greed".into(), Value::Num(0.0));
        let spec = ParamSpec { name, kind, default, doc: String::new() };
        self.link.shared.borrow_mut().params.declare(spec).unwrap();
        (self.manner, self.generation) = (*manner, staged.generation.number);
        Ok(Vec::new())
    }

    fn run(&mut self, _ask: &Ask<'_>, code: &str) -> Outcome<Ran> {
        assert_ne!(code, "boom");
        Outcome::new(Ok(Ran { text: code.into(), lines: Vec::new() }), Duration::ZERO)
    }

    fn take_profile(&mut self) -> Profile {
        Profile { samples_dropped: 7, ..Profile::default() }
    }
}

/// Stops every third step, for another generation.
#[derive(Debug, Default, PartialEq)]
struct Reloads {
    installed: u32,
    defaulted: u32,
    said: Vec<String>,
}

impl Observer for Reloads {
    fn step(&mut self, verdict: &Verdict) -> ControlFlow<()> {
        let pause = verdict.step.is_multiple_of(3) && !verdict.over;
        if pause { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn answer(&mut self, _team: usize, _ticket: Ticket, answer: Answer) {
        InstallStrategy::answer(answer).unwrap();
        self.installed += 1;
    }

    fn journal(&mut self, _team: usize, entry: JournalEntry) {
        match entry.event {
            JournalEvent::Decided { action, .. } => self.said.push(action),
            JournalEvent::Defaulted { .. } | JournalEvent::Late => self.defaulted += 1,
            _ => {}
        }
    }
}

#[test]
fn a_reload_every_three_turns_costs_not_one_of_a_thousand() {
    let play = || {
        let arena = ToyArena::new(4, 1_000, Duration::from_secs(4));
        let mut lockstep = Lockstep::new(Box::new(arena), now(), LockstepOptions::default());
        let (roster, seats) = squad("red", 4);
        let (options, first) = (TeamOptions::default(), staged(1, Manner::default()));
        let team =
            lockstep.add_team(&Toy, Arc::new(roster), &seats, options, first, Actor::new).unwrap();
        let (mut seen, start) = (Reloads::default(), lockstep.now());
        let mut number = 1;
        while lockstep.run(&mut seen) == LockstepEnd::Stopped {
            number += 1;
            lockstep.install(team, staged(number, Manner::default()));
        }
        assert_eq!(lockstep.verdict().step, 1_000);
        assert_eq!(lockstep.now(), start, "no time passed");
        let counters = lockstep.snapshot(team).unwrap().counters;
        assert_eq!((counters.asked, counters.decided), (4_000, 4_000));
        assert_eq!((counters.fallback, counters.late), (0, 0));
        seen
    };
    let seen = play();
    assert_eq!((seen.installed, seen.defaulted), (333, 0));
    assert_eq!(seen.said.last().map(String::as_str), Some("334+0"));
    assert_eq!(play(), seen, "the same again");
}

async fn team(options: TeamOptions) -> (TeamHandle, Client) {
    let (dialer, mut listener) = memory();
    let (roster, seats) = squad("red", 1);
    let spec = TeamSpec {
        name: "red".into(),
        game: Toy,
        roster,
        seats,
        endpoint: Endpoint::Memory(dialer),
        staged: staged(1, Manner::default()),
        team: options,
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    };
    let team = spec.build(Actor::new).await.unwrap().spawn();
    let mut referee = Client::new(listener.accept().await.unwrap());
    referee.welcome().await;
    (team, referee)
}

async fn turn(referee: &mut Client, step: u32, answer: &str) {
    referee.say(&format!("ask {step} 60000")).await;
    referee.says(&format!("do {step} {answer}")).await;
}

/// A turn in which the team's thread panics.
async fn bad_turn(referee: &mut Client, step: u32) {
    referee.say(&format!("ask {step} 50")).await;
    referee.says(&format!("do {step} rest")).await;
}

/// Waits for an event of this kind.
async fn hear(journal: &mut JournalStream, wanted: fn(&JournalEvent) -> bool) -> JournalEvent {
    loop {
        match journal.next().await {
            Some(JournalItem::Entry(entry)) if wanted(&entry.event) => return entry.event.clone(),
            Some(_) => {}
            None => panic!("the team has ended"),
        }
    }
}

async fn install(team: &TeamHandle, staged: Staged, pinned: bool) -> Result<(), CommandError> {
    team.call(InstallStrategy { staged, pinned }, "").await
}

async fn run(team: &TeamHandle, agent: u16, code: &str) -> Result<Ran, CommandError> {
    team.call(RunScript { agent: AgentId(agent), code: code.into() }, "ann").await
}

async fn set_greed(team: &TeamHandle, value: f64) {
    let value = Some(Value::Num(value));
    let set = SetParam { name: "greed".into(), scope: Scope::Team, value };
    team.call(set, "ann").await.unwrap();
}

#[tokio::test]
async fn operators_change_look_at_and_measure_a_team_that_plays() {
    let (team, mut referee) = team(TeamOptions::default()).await;
    turn(&mut referee, 0, "1+0").await;
    let profile = tokio::spawn({
        let team = team.clone();
        async move { team.call(ProfileScripts { turns: 2 }, "").await.unwrap() }
    });
    install(&team, staged(2, Manner::default()), true).await.unwrap();
    set_greed(&team, 3.0).await;
    turn(&mut referee, 1, "2+3").await;
    turn(&mut referee, 2, "2+3").await;
    let view = team.call(CopyView, "").await.unwrap();
    assert_eq!((view.generation, view.scenes.last().unwrap().turn.step), (2, 2));
    let ran = run(&team, 0, "1 + 1").await.unwrap();
    assert_eq!(ran.text, "1 + 1");
    let nobody = run(&team, 7, "1").await;
    assert_eq!(nobody.unwrap_err(), CommandError::NoSuchAgent { id: 7 });
    let mut step = 3;
    while !profile.is_finished() {
        turn(&mut referee, step, "2+3").await;
        step += 1;
    }
    let profile = profile.await.unwrap();
    assert_eq!((profile.turns, profile.samples_dropped), (2, 7));
}

#[tokio::test]
async fn a_refused_strategy_is_told_in_the_journal() {
    let (team, _referee) = team(TeamOptions::default()).await;
    let mut journal = team.journal().unwrap();
    let refused = RefuseStrategy { origin: StrategyOrigin::Hangup, faults: Vec::new() };
    team.post(refused, "").unwrap();
    let refused = |event: &JournalEvent| matches!(event, JournalEvent::StrategyRefused { .. });
    let expected =
        JournalEvent::StrategyRefused { origin: StrategyOrigin::Hangup, faults: Vec::new() };
    assert_eq!(hear(&mut journal, refused).await, expected);
}

#[tokio::test]
async fn a_panic_takes_neither_the_generation_nor_the_parameters() {
    let (team, mut referee) = team(TeamOptions::default()).await;
    set_greed(&team, 3.0).await;
    for (pinned, step) in [(false, 0), (true, 3)] {
        let manner = Manner { panics_in: Some(step + 1), ..Manner::default() };
        install(&team, staged(2, manner), pinned).await.unwrap();
        turn(&mut referee, step, "2+3").await;
        bad_turn(&mut referee, step + 1).await;
        turn(&mut referee, step + 2, "2+3").await;
    }
    assert_eq!(team.restarts(), 2);
}

#[tokio::test]
async fn what_panics_while_it_is_installed_is_not_tried_again() {
    let (team, mut referee) = team(TeamOptions::default()).await;
    install(&team, staged(2, Manner::default()), true).await.unwrap();
    let bursts = Manner { bursts: true, ..Manner::default() };
    let refused = install(&team, staged(3, bursts), false).await.unwrap_err();
    let expected = "the team panicked and restarted before this generation was installed; \
                    the one before plays on";
    assert_eq!(refused.to_string(), expected);
    turn(&mut referee, 0, "2+0").await;
    assert_eq!(team.restarts(), 1);
    let lost = run(&team, 0, "boom").await.unwrap_err();
    assert_eq!(lost.to_string(), "the team panicked and restarted before it answered");
    turn(&mut referee, 1, "2+0").await;
    assert_eq!(team.restarts(), 2);
}

#[tokio::test]
async fn nobody_returns_to_a_generation_that_was_taken_back() {
    let probation = Probation { decisions: 10, errors: 0 };
    let (team, mut referee) = team(TeamOptions { probation, ..TeamOptions::default() }).await;
    let mut journal = team.journal().unwrap();
    let fails = Manner { fails: true, ..Manner::default() };
    install(&team, staged(2, fails), false).await.unwrap();
    turn(&mut referee, 0, "rest").await;
    hear(&mut journal, |event| matches!(event, JournalEvent::TakenBack { .. })).await;
    assert!(run(&team, 0, "boom").await.is_err());
    turn(&mut referee, 1, "1+0").await;
}

#[tokio::test]
async fn a_team_that_has_ended_shows_its_world_and_board_and_refuses_the_rest() {
    let (team, mut referee) = team(TeamOptions::default()).await;
    turn(&mut referee, 0, "1+0").await;
    let (key, value) = ("note".into(), Value::Int(7));
    let written = BoardWrite { key, value, turns: None, etag: None, validate_only: false };
    team.call(written, "ann").await.unwrap();
    referee.say("over 3\nbye").await;
    drop(referee);
    assert_eq!(team.ended().await, TeamEnd::MatchOver);
    assert_eq!(team.call(DrawWorld, "").await.unwrap().tick, 1);
    let page = team.call(BoardRead::Since(0), "").await.unwrap();
    assert_eq!(page.items.first().map(|item| item.key.as_str()), Some("note"));
    assert_eq!(team.call(CopyView, "").await.unwrap_err(), CommandError::Ended);
    let late = install(&team, staged(2, Manner::default()), false).await;
    assert_eq!(late.unwrap_err(), CommandError::Ended);
    let refused = RefuseStrategy { origin: StrategyOrigin::File, faults: Vec::new() };
    assert_eq!(team.post(refused, ""), Err(CommandError::Ended));
}
