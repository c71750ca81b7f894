//! Whole teams: the thread, its seats, and the handle.

use crate::referee::Client;
use crate::toy::{Toy, brains, squad};
use crate::toy_arena::ToyArena;
use phalanx_engine::{
    BrainError, BrainErrorKind, Carry, CommandError, JournalEvent, SeatState, SetRole, Staged,
    TeamLink, TeamOptions,
};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Turn};
use phalanx_net::{
    ArenaEnd, BuildError, Endpoint, HostOptions, JournalItem, Listener, MemoryListener,
    RESTARTS_MAX, SeatOptions, TeamEnd, TeamHandle, TeamSpec, memory, serve_arena,
};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// Long enough that only a defect reaches it.
const LONG: Duration = Duration::from_secs(60);

fn spec(team: &str, agents: u16, endpoint: Endpoint) -> TeamSpec<Toy> {
    let (roster, seats) = squad(team, agents);
    TeamSpec {
        name: team.to_owned(),
        game: Toy,
        roster,
        seats,
        endpoint,
        staged: Staged::default(),
        team: TeamOptions::default(),
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    }
}

async fn team<F>(agents: u16, decide: F) -> (TeamHandle, MemoryListener)
where
    F: FnMut(AgentId, Turn) -> String + Clone + Send + 'static,
{
    let (dialer, listener) = memory();
    let built = spec("red", agents, Endpoint::Memory(dialer)).build(brains(decide)).await;
    (built.unwrap().spawn(), listener)
}

async fn accept(listener: &mut MemoryListener) -> Client {
    Client::new(listener.accept().await.unwrap())
}

/// Waits until the team's thread has answered its pulse.
async fn answered(team: &TeamHandle) {
    let answered = async {
        while !team.pulse().is_answered() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, answered).await.expect("the thread moves");
}

async fn over_tcp_or_memory(listener: Listener, endpoint: Endpoint) {
    let arena = serve_arena(Box::new(ToyArena::new(6, 30, LONG)), listener, HostOptions::default());
    let mut teams = Vec::new();
    for name in ["blue", "red"] {
        let spec = spec(name, 3, endpoint.clone());
        teams.push(spec.build(brains(|_, _| "dig".into())).await.unwrap().spawn());
    }
    for team in &teams {
        assert_eq!(team.ended().await, TeamEnd::MatchOver);
        let (snapshot, timings) = (team.snapshot(), team.timings());
        assert_eq!((snapshot.counters.decided, snapshot.counters.fallback), (90, 0));
        assert_eq!((snapshot.rounds.as_slice(), snapshot.over), (&[90][..], true));
        assert_eq!((timings.answers, timings.overdue), (90, 0));
        assert!(team.seats().iter().all(|(_, seat)| seat.state == SeatState::Closed));
    }
    let report = arena.ended().await;
    assert_eq!((report.end, report.clients_slow), (ArenaEnd::Over, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_teams_play_a_match_over_loopback() {
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.address().unwrap().port();
    over_tcp_or_memory(listener, Endpoint::tcp("localhost", port)).await;
}

#[tokio::test]
async fn two_teams_play_the_same_match_in_memory() {
    let (dialer, listener) = memory();
    over_tcp_or_memory(Listener::Memory(listener), Endpoint::Memory(dialer)).await;
}

#[tokio::test]
async fn seats_answer_in_time_while_the_teams_thread_is_stuck() {
    let (release, stuck) = mpsc::channel::<()>();
    let stuck = Arc::new(Mutex::new(stuck));
    let (enter, mut inside) = tokio::sync::mpsc::unbounded_channel();
    let (team, mut listener) = team(1, move |_, _| {
        enter.send(()).ok();
        stuck.lock().unwrap().recv().ok();
        "dig".into()
    })
    .await;
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    team.pulse().ask();
    answered(&team).await;
    for step in 0..3 {
        referee.say(&format!("ask {step} 50")).await;
        if step == 0 {
            inside.recv().await.unwrap();
            team.pulse().ask();
        }
        referee.says(&format!("do {step} rest")).await;
    }
    assert!(!team.pulse().is_answered(), "its thread does not move");
    let mut snapshots = team.snapshots();
    drop(release);
    answered(&team).await;
    // Once it is free again, it handles what happened meanwhile and decides in time.
    snapshots.wait_for(|snapshot| snapshot.counters.fallback >= 3).await.unwrap();
    referee.say("ask 3 60000").await;
    referee.says("do 3 dig").await;
}

#[tokio::test]
async fn a_panic_of_the_team_is_survived_and_the_match_goes_on() {
    let panics = AtomicU32::new(0);
    let panics = Arc::new(panics);
    let counted = Arc::clone(&panics);
    let (team, mut listener) = team(1, move |_, turn| {
        if turn.step == 1 && counted.fetch_add(1, Ordering::Relaxed) == 0 {
            panic!("a defect in the world");
        }
        "dig".into()
    })
    .await;
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    referee.say("ask 0 60000").await;
    referee.says("do 0 dig").await;
    referee.say("ask 1 50").await;
    referee.says("do 1 rest").await;
    // No new login and no new start: the fresh team got both from its predecessor.
    referee.say("ask 2 60000").await;
    referee.says("do 2 dig").await;
    assert_eq!(team.restarts(), 1);
    assert_eq!(team.seats()[0].1.state, SeatState::Seated);
}

#[tokio::test]
async fn a_team_that_panicked_still_knows_who_is_out() {
    let panics = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&panics);
    let decide = move |_, turn: Turn| {
        if turn.step == 1 && counted.fetch_add(1, Ordering::Relaxed) == 0 {
            panic!("a defect in the world");
        }
        "dig".into()
    };
    let (dialer, mut listener) = memory();
    // A turn waits for its agents almost until it is due.
    let patient =
        TeamOptions { straggler_share: 0.9, straggler_max: LONG, ..TeamOptions::default() };
    let spec = TeamSpec { team: patient, ..spec("red", 2, Endpoint::Memory(dialer)) };
    let _team = spec.build(brains(decide)).await.unwrap().spawn();
    let mut referees = SortedMap::new();
    for _ in 0..2 {
        let mut referee = accept(&mut listener).await;
        let hello = referee.hear().await.unwrap();
        referee.say("welcome\nstart\nask 0 60000").await;
        referees.insert(hello, referee);
    }
    for referee in referees.values_mut() {
        referee.says("do 0 dig").await;
    }
    let mut second = referees.remove("hello red1").unwrap();
    let mut first = referees.remove("hello red0").unwrap();
    second.say("out").await;
    first.say("ask 1 500").await;
    first.says("do 1 rest").await;
    first.say("ask 2 60000").await;
    let at_once = tokio::time::timeout(LONG / 3, first.says("do 2 dig")).await;
    at_once.expect("it does not wait for the agent that is out");
    assert!(panics.load(Ordering::Relaxed) > 0);
}

#[tokio::test]
async fn a_team_that_panics_again_and_again_is_given_up_but_its_seats_answer() {
    let (team, mut listener) = team(1, |_, _| panic!("always")).await;
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    for step in 0..=RESTARTS_MAX + 1 {
        referee.say(&format!("ask {step} 50")).await;
        referee.says(&format!("do {step} rest")).await;
    }
    let TeamEnd::Crashed { reason } = team.ended().await else { panic!() };
    assert_eq!(reason, "the team panicked: always");
    referee.say("ask 99 50").await;
    referee.says("do 99 rest").await;
}

#[tokio::test]
async fn draining_answers_open_turns_and_names_nobody() {
    let (team, mut listener) = team(2, |_, _| "dig".into()).await;
    let (mut first, mut second) = (accept(&mut listener).await, accept(&mut listener).await);
    let mut referee = tokio::spawn(async move {
        let mut said = Vec::new();
        for referee in [&mut first, &mut second] {
            let hello = referee.hear().await;
            referee.say("welcome\nstart\nask 0 60000").await;
            said.extend(hello);
        }
        for referee in [&mut first, &mut second] {
            while let Some(line) = referee.hear().await {
                said.push(line);
            }
        }
        said.sort();
        said
    });
    let mut snapshots = team.snapshots();
    snapshots.wait_for(|snapshot| snapshot.counters.asked > 0).await.unwrap();
    let report = team.drain(LONG).await;
    assert_eq!(report.stragglers, Vec::<String>::new());
    assert_eq!(team.ended().await, TeamEnd::Drained);
    let said = (&mut referee).await.unwrap();
    assert_eq!(said, ["bye", "bye", "do 0 dig", "do 0 dig", "hello red0", "hello red1"]);
}

#[tokio::test]
async fn draining_a_stuck_team_ends_in_time_and_names_the_thread() {
    let (release, stuck) = mpsc::channel::<()>();
    let stuck = Arc::new(Mutex::new(stuck));
    let (entered, mut deciding) = tokio::sync::mpsc::unbounded_channel();
    let (team, mut listener) = team(1, move |_, _| {
        entered.send(()).ok();
        stuck.lock().unwrap().recv().ok();
        "dig".into()
    })
    .await;
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    referee.say("ask 0 60000").await;
    deciding.recv().await.unwrap();
    let talk = tokio::spawn(async move {
        let mut said = Vec::new();
        while let Some(line) = referee.hear().await {
            said.push(line);
        }
        said
    });
    let report = team.drain(Duration::from_millis(400)).await;
    assert_eq!(report.stragglers, ["the team's thread"]);
    assert_eq!(talk.await.unwrap(), ["do 0 rest", "bye"]);
    drop(release);
}

#[tokio::test]
async fn a_strategy_that_does_not_load_is_refused_before_any_connection() {
    let (dialer, mut listener) = memory();
    let factory = |_link: TeamLink, _: &Staged| -> Result<NoBrain, BrainError> {
        let kind = BrainErrorKind::Script;
        let place = Some(("worker.lua".to_owned(), 7));
        Err(BrainError { kind, place, role: "worker".into(), message: "no decide".into() })
    };
    let error = spec("red", 1, Endpoint::Memory(dialer)).build(factory).await.unwrap_err();
    assert_eq!(error.to_string(), "team red: worker.lua:7: no decide");
    assert!(listener.accept().await.is_none());
}

type NoBrain = crate::toy::ToyBrain<fn(AgentId, Turn) -> String>;

#[tokio::test]
async fn seats_and_roster_must_fit() {
    type Spoil = fn(&mut TeamSpec<Toy>);
    let cases: [(Spoil, &str); 4] = [
        (|spec| drop(spec.seats.pop()), "red1 has no seat"),
        (|spec| spec.seats.swap(0, 1), "seat 0 has the id 1"),
        (|spec| drop(spec.roster.agents.pop()), "red1, on seat 1, is not in the roster"),
        (|spec| spec.seats[1].agents[0].0 = AgentId(0), "red1 sits on seat 0 and on seat 1"),
    ];
    for (spoil, expected) in cases {
        let mut spec = spec("red", 2, Endpoint::tcp("localhost", 1));
        spoil(&mut spec);
        let error = spec.build(brains(|_, _| "dig".into())).await.unwrap_err();
        assert!(matches!(error, BuildError::Seats { .. }));
        assert_eq!(error.to_string(), format!("team red: {expected}"));
    }
}

#[tokio::test]
async fn an_operator_changes_roles_and_the_journal_tells_what_happens() {
    let (team, mut listener) = team(1, |_, _| "dig".into()).await;
    assert_eq!((team.name(), team.game()), ("red", "toy"));
    let mut journal = team.journal().unwrap();
    let set = |agent, role: &str| {
        let role = role.to_owned();
        team.call(SetRole { agent: AgentId(agent), role, carry: Carry::Strict }, "ann")
    };
    assert_eq!(set(0, "scout").await, Ok("worker".into()));
    assert_eq!(set(7, "scout").await, Err(CommandError::NoSuchAgent { id: 7 }));
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    referee.say("ask 0 60000").await;
    referee.says("do 0 dig").await;
    let role = loop {
        let Some(JournalItem::Entry(entry)) = journal.next().await else { panic!() };
        if let JournalEvent::Decided { role, .. } = &entry.event {
            break role.clone();
        }
    };
    assert_eq!((role.as_str(), team.journal_dropped()), ("scout", 0));
    referee.say("over 3\nbye").await;
    drop(referee);
    assert_eq!(team.ended().await, TeamEnd::MatchOver);
    assert_eq!(set(0, "worker").await, Err(CommandError::Ended));
    while journal.next().await.is_some() {}
    assert!(team.journal().is_none());
}

#[tokio::test]
async fn one_seat_without_a_referee_does_not_keep_the_others_from_playing() {
    let (team, mut listener) = team(2, |_, _| "dig".into()).await;
    let mut absent = accept(&mut listener).await;
    let mut present = accept(&mut listener).await;
    let name = present.hear().await.unwrap();
    absent.hear().await;
    drop(absent);
    assert!(name.starts_with("hello red"));
    present.say("welcome\nstart\nask 0 60000").await;
    present.says("do 0 dig").await;
    drop(team);
}
