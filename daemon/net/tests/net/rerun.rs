//! Matches that are recorded and decided again.

use crate::referee::Client;
use crate::toy::{Toy, ToyBrain, brains, squad};
use crate::toy_arena::ToyArena;
use phalanx_engine::{JournalEntry, Staged, TeamOptions};
use phalanx_game::{AgentId, Turn};
use phalanx_net::{
    Appetite, Endpoint, JournalComparison, Line, LineDifference, Lockstep, LockstepEnd,
    LockstepOptions, MemoryListener, Question, Recorder, Redecide, Rerun, RerunOptions, SeatAct,
    SeatOptions, SentDifference, Share, Tally, Taped, TeamEnd, TeamHandle, TeamSpec, Trouble,
    memory, now,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};
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

/// The result of deciding again.
struct Found {
    journal: Vec<LineDifference<JournalEntry>>,
    sent: Vec<SentDifference>,
    tally: Tally,
    messages: Share,
    trouble: Trouble,
}

impl Found {
    /// Everything is as it was recorded, without any doubt.
    fn nothing(&self) {
        assert_eq!((self.journal.as_slice(), self.sent.as_slice()), (&[][..], &[][..]));
        assert_eq!(self.trouble.in_words(), [""; 0]);
    }
}

/// Decides again; `None` entries are lost.
fn again(
    entries: impl IntoIterator<Item = Option<(Instant, Taped)>>,
    decide: Decide,
    options: RerunOptions,
) -> Found {
    let mut comparison = JournalComparison::new(options.other.is_some());
    let mut rerun = Rerun::new(Toy, move |_, _: &_| Ok(ToyBrain(decide)), options);
    for entry in entries {
        match entry {
            None => rerun.lost(1),
            Some(_) if rerun.is_stopped() => break,
            Some((at, what)) => {
                if let Taped::Journal(entry) = &what {
                    comparison.recorded((**entry).clone());
                }
                rerun.feed(at, what).unwrap();
            }
        }
        while let Some(entry) = rerun.poll_journal() {
            comparison.now(entry);
        }
    }
    rerun.finish().unwrap();
    while let Some(entry) = rerun.poll_journal() {
        comparison.now(entry);
    }
    comparison.finish(!rerun.is_ended());
    Found {
        journal: std::iter::from_fn(|| comparison.poll()).collect(),
        sent: std::iter::from_fn(|| rerun.poll_sent()).collect(),
        tally: comparison.tally().clone(),
        messages: rerun.messages(),
        trouble: rerun.trouble(),
    }
}

/// A match of three agents on each side; the recording of one team.
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
    drop(lockstep);
    kept.entries()
}

fn all(entries: Vec<(Instant, Taped)>) -> impl Iterator<Item = Option<(Instant, Taped)>> {
    entries.into_iter().map(Some)
}

#[test]
fn the_recorded_strategy_decides_what_it_decided() {
    let found = again(all(recorded_duel()), busy, RerunOptions::default());
    found.nothing();
    assert_eq!(found.tally.decisions, Share { all: 60, differ: 0 });
    let Tally { turns, errors_recorded, errors_now, .. } = found.tally;
    assert_eq!((turns, errors_recorded, errors_now), (20, 0, 0));
    assert_eq!(found.tally.by_agent["blue1"], Share { all: 20, differ: 0 });
    assert!(found.messages.all >= 60, "{:?}", found.messages);
}

#[test]
fn another_strategy_is_asked_the_same_and_what_it_decides_otherwise_is_told() {
    let options = RerunOptions { other: Some(Staged::default()), watcher: None };
    let found = again(all(recorded_duel()), lazy, options);
    // Two of three agents dig in each turn.
    assert_eq!(found.tally.decisions, Share { all: 60, differ: 40 });
    assert_eq!(found.tally.by_role["worker"], found.tally.decisions);
    assert_eq!(found.messages, Share::default(), "what is sent is no question here");
    let told = |it: &LineDifference<JournalEntry>| {
        let action = |line: &Option<JournalEntry>| {
            let line = line.as_ref().unwrap();
            format!("{} {}", line.agent().unwrap(), line.decision().unwrap().action.unwrap())
        };
        format!("{} {}, {}", it.turn, action(&it.recorded), action(&it.now))
    };
    let told: Vec<_> = found.journal.iter().take(2).map(told).collect();
    assert_eq!(told, ["0:0 blue1 dig, blue1 rest", "0:0 blue2 dig, blue2 rest"]);
}

#[test]
fn a_recording_that_ends_anywhere_is_decided_again_as_far_as_it_goes() {
    let mut entries = recorded_duel();
    assert!(matches!(entries.pop(), Some((_, Taped::Ended))));
    let mut turns = 0;
    for end in 0..entries.len() {
        let kept = entries.iter().take(end).cloned().map(Some);
        let found = again(kept, busy, RerunOptions::default());
        assert_eq!((found.journal.as_slice(), found.sent.as_slice()), (&[][..], &[][..]));
        assert!(found.trouble.cut_off && found.tally.turns >= turns, "after {end} entries");
        turns = found.tally.turns;
    }
    assert!(turns >= 19);
}

#[test]
fn what_a_recording_lost_is_told_and_the_rest_is_decided() {
    let mut percepts = 0;
    let lossy = recorded_duel().into_iter().map(|entry| {
        let heard = matches!(entry.1, Taped::Seat { act: SeatAct::Received(_), .. });
        percepts += u32::from(heard);
        (!heard || percepts != 30).then_some(entry)
    });
    let found = again(lossy, busy, RerunOptions::default());
    let told = found.trouble.in_words().join("; ");
    assert!(told.contains("entries are missing in the recording, from turn"), "{told}");
    assert!(told.contains("percepts are not in the recorded bytes"), "{told}");
    assert!(found.tally.turns >= 19, "{:?}", found.tally);
}

#[test]
fn whoever_looks_on_sees_every_decision_before_it_falls_and_may_end_it_there() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let watcher = Box::new(move |question: &mut Question<'_, '_>| {
        let turn = question.ask.turn;
        noted.lock().unwrap().push(format!("{turn} {} {}", question.agent, question.role));
        if turn.step == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let options = RerunOptions { other: None, watcher: Some(watcher) };
    let found = again(all(recorded_duel()), busy, options);
    let seen = seen.lock().unwrap();
    assert_eq!((seen.len(), seen.last().map(String::as_str)), (10, Some("0:3 blue0 worker")));
    assert_eq!(found.journal, []);
    assert_eq!((found.tally.turns, found.tally.decisions.all), (3, 9));
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
        checkpoints: None,
    };
    (spec.build(brains(decide)).await.unwrap().spawn(), listener, kept)
}

#[tokio::test]
async fn lost_connections_and_turns_that_nobody_decided_come_out_as_they_were() {
    let (team, mut listener, kept) = recorded(busy).await;
    let mut referee = Client::new(listener.accept().await.unwrap());
    referee.welcome().await;
    referee.say("ask 1 60000\nask 2 60000\nnonsense").await;
    // Both may be decided, or the second may replace the first: the recording has it.
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
    let found = again(all(kept.entries()), busy, RerunOptions::default());
    found.nothing();
    assert!(found.tally.decisions.all >= 2 && found.messages.all >= 2, "{:?}", found.tally);
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
    let found = again(all(kept.entries()), busy, RerunOptions::default());
    assert_eq!((found.journal.as_slice(), found.sent.as_slice()), (&[][..], &[][..]));
    assert_eq!((found.tally.decisions.all, found.trouble.restarts), (2, 1), "{:?}", found.tally);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_thread_that_did_not_return_all_goes_on_as_it_did() {
    let (stuck, release) = (Arc::new(AtomicBool::new(true)), Arc::new(Barrier::new(2)));
    let (first, gate) = (Arc::clone(&stuck), Arc::clone(&release));
    let (team, mut listener, kept) = recorded(move |agent, turn| {
        if turn.step == 1 && first.swap(false, Ordering::Relaxed) {
            gate.wait();
        }
        busy(agent, turn)
    })
    .await;
    let mut referee = Client::new(listener.accept().await.unwrap());
    referee.welcome().await;
    referee.say("ask 0 60000").await;
    referee.says("do 0 rest").await;
    referee.say("ask 1 50").await;
    referee.says("do 1 rest").await;
    team.restart("ann".into()).await.unwrap();
    assert_eq!(team.thread().replaced, 1);
    // No recording contains what the abandoned thread does from here on.
    release.wait();
    referee.say("ask 2 60000").await;
    referee.says("do 2 rest").await;
    team.restart("ann".into()).await.unwrap();
    referee.say("ask 3 60000").await;
    referee.says("do 3 rest").await;
    referee.say("ask 4 60000").await;
    referee.says("do 4 dig").await;
    referee.say("over 3\nbye").await;
    assert_eq!(team.ended().await, TeamEnd::MatchOver);
    let found = again(all(kept.entries()), busy, RerunOptions::default());
    assert_eq!((found.journal.as_slice(), found.sent.as_slice()), (&[][..], &[][..]));
    assert_eq!(found.trouble.restarts, 2, "{:?}", found.trouble);
    assert!(found.tally.decisions.all >= 3, "{:?}", found.tally);
}
