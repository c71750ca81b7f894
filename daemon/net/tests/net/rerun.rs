//! Matches that are recorded and decided again.

use crate::referee::Client;
use crate::toy::{Toy, ToyBrain, brains, squad};
use crate::toy_arena::ToyArena;
use phalanx_engine::{JournalEvent, Staged, TeamOptions};
use phalanx_game::{AgentId, Turn};
use phalanx_net::{
    Appetite, Difference, Endpoint, Lockstep, LockstepEnd, LockstepOptions, MemoryListener,
    Recorder, Redecide, Rerun, RerunOptions, SeatAct, SeatOptions, Share, Tally, Taped, TeamEnd,
    TeamHandle, TeamSpec, memory, now,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

/// Keeps everything in memory.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<(Instant, Taped)>>);

impl Recorder for Kept {
    fn put(&self, at: Instant, what: Taped) {
        self.0.lock().unwrap().push((at, what));
    }

    fn appetite(&self) -> Appetite {
        Appetite::Everything
    }
}

impl Kept {
    fn entries(&self) -> Vec<(Instant, Taped)> {
        self.0.lock().unwrap().clone()
    }
}

fn busy(agent: AgentId, turn: Turn) -> String {
    if (u32::from(agent.0) + turn.step).is_multiple_of(3) { "rest".into() } else { "dig".into() }
}

fn lazy(_: AgentId, _: Turn) -> String {
    "rest".into()
}

type Decide = fn(AgentId, Turn) -> String;

/// Decides again, and what came of it.
fn again(
    entries: impl IntoIterator<Item = (Instant, Taped)>,
    decide: Decide,
    options: RerunOptions,
) -> (Vec<Difference>, Tally) {
    let mut rerun = Rerun::new(Toy, move |_, _: &_| Ok(ToyBrain(decide)), options);
    let mut differences = Vec::new();
    for (at, what) in entries {
        rerun.feed(at, what).unwrap();
        differences.extend(std::iter::from_fn(|| rerun.poll_difference()));
    }
    rerun.finish().unwrap();
    differences.extend(std::iter::from_fn(|| rerun.poll_difference()));
    (differences, rerun.tally())
}

/// A match of three agents a side; what one team's recording holds.
fn recorded_duel() -> Vec<(Instant, Taped)> {
    let mut lockstep =
        Lockstep::new(Box::new(ToyArena::new(6, 20, LONG)), now(), LockstepOptions::default());
    let kept = Arc::new(Kept::default());
    for team in ["blue", "red"] {
        let (roster, seats) = squad(team, 3);
        let brain = |_link, _: &_| Ok(ToyBrain(busy));
        let options = TeamOptions::default();
        lockstep.record_next(Arc::new(Kept::default()));
        if team == "blue" {
            lockstep.record_next(Arc::clone(&kept) as _);
        }
        lockstep
            .add_team(&Toy, Arc::new(roster), &seats, options, Staged::default(), brain)
            .unwrap();
    }
    assert_eq!(lockstep.run(&mut ()), LockstepEnd::Over);
    kept.entries()
}

#[test]
fn the_recorded_strategy_decides_what_it_decided() {
    let mut entries = recorded_duel();
    entries.push((now(), Taped::Ended));
    let (differences, tally) = again(entries, busy, RerunOptions::default());
    assert_eq!(differences, []);
    assert_eq!(tally.decisions, Share { all: 60, differ: 0 });
    assert_eq!((tally.turns, tally.errors_recorded, tally.errors_now), (20, 0, 0));
    assert_eq!(tally.by_agent["blue1"], Share { all: 20, differ: 0 });
    assert!(tally.messages.all >= 60 && tally.is_same(), "{tally:?}");
    assert_eq!(tally.trouble.in_words(), [""; 0]);
}

#[test]
fn another_strategy_is_asked_the_same_and_what_it_decides_otherwise_is_told() {
    let mut entries = recorded_duel();
    entries.push((now(), Taped::Ended));
    let options = RerunOptions { other: Some(Staged::default()), watcher: None };
    let (differences, tally) = again(entries, lazy, options);
    // Two of three agents dig in each turn.
    assert_eq!(tally.decisions, Share { all: 60, differ: 40 });
    assert_eq!(tally.by_role["worker"], tally.decisions);
    assert_eq!(tally.messages, Share::default(), "what is sent is no question here");
    let told: Vec<_> = differences
        .iter()
        .take(2)
        .map(|difference| match difference {
            Difference::Journal { turn, agent: Some(agent), recorded, now } => {
                let action = |entry: &Option<_>| match entry.as_deref().map(event) {
                    Some(JournalEvent::Decided { action, .. }) => action.clone(),
                    other => format!("{other:?}"),
                };
                format!("{turn} {agent} {} {}", action(recorded), action(now))
            }
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(told, ["0:0 blue1 dig rest", "0:0 blue2 dig rest"]);
}

fn event(entry: &phalanx_engine::JournalEntry) -> &JournalEvent {
    &entry.event
}

#[test]
fn a_recording_that_ends_anywhere_is_decided_again_as_far_as_it_goes() {
    let entries = recorded_duel();
    let mut turns = 0;
    for end in 0..entries.len() {
        let (differences, tally) =
            again(entries.iter().take(end).cloned(), busy, RerunOptions::default());
        assert_eq!(differences, [], "after {end} entries");
        assert!(tally.trouble.cut_off && tally.turns >= turns, "after {end} entries");
        turns = tally.turns;
    }
    assert!(turns >= 19);
}

#[test]
fn what_a_recording_lost_is_told_and_the_rest_is_decided() {
    let entries = recorded_duel();
    let is_percept = |(_, what): &(Instant, Taped)| {
        matches!(what, Taped::Seat { act: SeatAct::Received(_), .. })
    };
    let hole = entries.iter().enumerate().filter(|(_, entry)| is_percept(entry)).nth(30).unwrap().0;
    let mut rerun = Rerun::new(Toy, |_, _: &_| Ok(ToyBrain(busy)), RerunOptions::default());
    for (index, (at, what)) in entries.into_iter().enumerate() {
        if index == hole {
            rerun.lost(1);
        } else {
            rerun.feed(at, what).unwrap();
        }
    }
    rerun.finish().unwrap();
    let tally = rerun.tally();
    let told = tally.trouble.in_words().join("; ");
    assert!(told.contains("entries are missing in the recording, from turn"), "{told}");
    assert!(told.contains("percepts are not in the recorded bytes"), "{told}");
    assert!(tally.turns >= 19, "{tally:?}");
}

#[test]
fn whoever_looks_on_sees_every_decision_before_it_falls_and_may_end_it_there() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let watcher = Box::new(move |question: &mut phalanx_net::Question<'_, '_>| {
        let turn = question.ask.turn;
        noted.lock().unwrap().push(format!("{turn} {} {}", question.agent, question.role));
        if turn.step == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let options = RerunOptions { other: None, watcher: Some(watcher) };
    let (differences, tally) = again(recorded_duel(), busy, options);
    let seen = seen.lock().unwrap();
    assert_eq!((seen.len(), seen.last().map(String::as_str)), (10, Some("0:3 blue0 worker")));
    assert_eq!(differences, []);
    assert_eq!((tally.turns, tally.decisions.all), (3, 9));
}

/// A recorded team of one agent whose referee the test plays.
async fn recorded<F>(decide: F) -> (TeamHandle, MemoryListener, Arc<Kept>)
where
    F: FnMut(AgentId, Turn) -> String + Clone + Send + 'static,
{
    let (dialer, listener) = memory();
    let (roster, seats) = squad("red", 1);
    let kept = Arc::new(Kept::default());
    let spec = TeamSpec {
        name: "red".to_owned(),
        game: Toy,
        roster,
        seats,
        endpoint: Endpoint::Memory(dialer),
        staged: Staged::default(),
        team: TeamOptions::default(),
        seat: SeatOptions::default(),
        recorder: Some(Arc::clone(&kept) as _),
    };
    (spec.build(brains(decide)).await.unwrap().spawn(), listener, kept)
}

#[tokio::test]
async fn lost_connections_and_turns_that_nobody_decided_come_out_as_they_were() {
    let (team, mut listener, kept) = recorded(busy).await;
    let mut referee = Client::new(listener.accept().await.unwrap());
    referee.welcome().await;
    referee.say("ask 1 60000\nask 2 60000\nnonsense").await;
    // Both may be decided or the first be superseded: the recording knows.
    loop {
        let said = referee.hear().await.unwrap();
        if said.starts_with("do 2") {
            break;
        }
    }
    drop(referee);
    let mut referee = Client::new(listener.accept().await.unwrap());
    referee.welcome().await;
    referee.say("ask 3 60000").await;
    referee.says("do 3 rest").await;
    referee.say("over 7\nbye").await;
    assert_eq!(team.ended().await, TeamEnd::MatchOver);
    let (differences, tally) = again(kept.entries(), busy, RerunOptions::default());
    assert_eq!(differences, []);
    assert_eq!(tally.trouble.in_words(), [""; 0]);
    assert!(tally.decisions.all >= 2 && tally.messages.all >= 2, "{tally:?}");
}

#[tokio::test]
async fn after_a_panic_of_the_team_all_goes_on_as_it_did() {
    let first = Arc::new(AtomicBool::new(true));
    let (team, mut listener, kept) = recorded(move |agent, turn| {
        assert!(turn.step != 1 || !first.swap(false, Ordering::Relaxed), "a defect in the world");
        busy(agent, turn)
    })
    .await;
    let mut referee = Client::new(listener.accept().await.unwrap());
    referee.welcome().await;
    referee.say("ask 0 60000").await;
    referee.says("do 0 rest").await;
    referee.say("ask 1 50").await;
    referee.says("do 1 rest").await;
    referee.say("ask 2 60000").await;
    referee.says("do 2 dig").await;
    referee.say("over 3\nbye").await;
    assert_eq!(team.ended().await, TeamEnd::MatchOver);
    let (differences, tally) = again(kept.entries(), busy, RerunOptions::default());
    assert_eq!(differences, []);
    assert_eq!((tally.decisions.all, tally.trouble.panics), (2, 1), "{tally:?}");
}
