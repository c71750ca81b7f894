//! Operators steer agents of running teams, stop teams, and move them to another referee.

use crate::referee::Client;
use crate::toy::{Toy, brains, squad};
use phalanx_engine::{
    CommandError, EventTopic, Keep, SeatState, Staged, Steer, SteerAgent, Steering, TeamOptions,
    read_order,
};
use phalanx_game::{AgentId, Turn};
use phalanx_net::{
    Endpoint, JournalItem, JournalStream, MemoryListener, SeatOptions, TeamEnd, TeamHandle,
    TeamSpec, memory,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

async fn team_at<F>(endpoint: Endpoint, decide: F) -> TeamHandle
where
    F: FnMut(AgentId, Turn) -> String + Clone + Send + 'static,
{
    let (roster, seats) = squad("red", 1);
    let spec = TeamSpec {
        name: "red".to_owned(),
        game: Toy,
        roster,
        seats,
        endpoint,
        staged: Staged::default(),
        team: TeamOptions::default(),
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    };
    spec.build(brains(decide)).await.unwrap().spawn()
}

async fn team() -> (TeamHandle, MemoryListener) {
    let (dialer, listener) = memory();
    (team_at(Endpoint::Memory(dialer), |_, _| "dig".into()).await, listener)
}

async fn accept(listener: &mut MemoryListener) -> Client {
    Client::new(listener.accept().await.unwrap())
}

fn ann() -> String {
    "ann".to_owned()
}

async fn steer(team: &TeamHandle, steer: Steer) -> Result<Steering, CommandError> {
    team.call(SteerAgent { agent: AgentId(0), steer }, ann()).await
}

/// The next journal entry about an operator's action.
async fn told(journal: &mut JournalStream) -> String {
    loop {
        let Some(JournalItem::Entry(entry)) = journal.next().await else { panic!() };
        let topics = [EventTopic::Steering, EventTopic::Team];
        if topics.contains(&entry.event.topic()) {
            let text = entry.describe().text;
            return text;
        }
    }
}

#[tokio::test]
async fn a_pilots_order_leaves_at_once_and_a_pinned_one_in_each_turn() {
    let (team, mut listener) = team().await;
    let mut journal = team.journal().unwrap();
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    steer(&team, Steer::Pilot { lease: 3 }).await.unwrap();
    referee.say("ask 0 60000").await;
    let order = read_order("act.rest()").unwrap();
    steer(&team, Steer::Order { order: order.clone() }).await.unwrap();
    referee.says("do 0 rest").await;
    steer(&team, Steer::Pin { order, turns: 2 }).await.unwrap();
    for step in 1..=3 {
        referee.say(&format!("ask {step} 60000")).await;
        referee.says(&format!("do {step} {}", if step < 3 { "rest" } else { "dig" })).await;
    }
    assert_eq!(told(&mut journal).await, "piloted by ann, 3 turns left without an order");
    assert_eq!(told(&mut journal).await, "piloted by ann, next rest()");
    assert_eq!(told(&mut journal).await, "rest, ordered by ann");
    let error = team.call(SteerAgent { agent: AgentId(4), steer: Steer::Pause }, ann()).await;
    assert_eq!(error, Err(CommandError::NoSuchAgent { id: 4 }));
}

#[tokio::test]
async fn a_pilot_who_is_gone_costs_the_referee_no_answer() {
    let (team, mut listener) = team().await;
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    steer(&team, Steer::Pilot { lease: 2 }).await.unwrap();
    for (step, millis, said) in [(0, 50, "rest"), (1, 50, "rest"), (2, 60_000, "dig")] {
        referee.say(&format!("ask {step} {millis}")).await;
        referee.says(&format!("do {step} {said}")).await;
    }
}

#[tokio::test]
async fn a_paused_agent_stays_paused_when_the_team_panics() {
    let (dialer, mut listener) = memory();
    let panics = Arc::new(AtomicBool::new(true));
    let decide = move |_, _| {
        assert!(!panics.swap(false, Ordering::Relaxed), "a defect in the world");
        "dig".to_owned()
    };
    let team = team_at(Endpoint::Memory(dialer), decide).await;
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    let pin = Steer::Pin { order: read_order("rest").unwrap(), turns: 1 };
    steer(&team, pin).await.unwrap();
    referee.say("ask 0 60000").await;
    referee.says("do 0 rest").await;
    referee.say("ask 1 50").await;
    referee.says("do 1 rest").await;
    let mut snapshots = team.snapshots();
    steer(&team, Steer::Pause).await.unwrap();
    snapshots.wait_for(|snapshot| snapshot.agents.len() == 1).await.unwrap();
    assert_eq!(team.restarts(), 1);
    referee.say("ask 2 60000").await;
    referee.says("do 2 rest").await;
    steer(&team, Steer::Release).await.unwrap();
    referee.say("ask 3 60000").await;
    referee.says("do 3 dig").await;
}

#[tokio::test]
async fn a_stopped_team_says_goodbye_stays_away_and_comes_back() {
    let (team, mut listener) = team().await;
    let mut journal = team.journal().unwrap();
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    referee.say("ask 0 60000").await;
    referee.says("do 0 dig").await;
    team.stop(ann()).await.unwrap();
    assert_eq!(referee.hear().await.as_deref(), Some("bye"));
    assert_eq!(referee.hear().await, None);
    assert_eq!((team.is_stopped(), team.seats()[0].1.state.clone()), (true, SeatState::Stopped));
    team.stop(ann()).await.unwrap();
    team.start(ann()).await.unwrap();
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    referee.say("ask 1 60000").await;
    referee.says("do 1 dig").await;
    let mut snapshots = team.snapshots();
    let second = snapshots.wait_for(|snapshot| snapshot.tick == 2).await.unwrap();
    assert_eq!(second.turn, Turn::new(0, 1), "the same round");
    drop(second);
    assert_eq!(told(&mut journal).await, "the team was stopped by ann");
    assert_eq!(told(&mut journal).await, "the team was started by ann, at memory");
    team.start(ann()).await.unwrap();
}

#[tokio::test]
async fn a_referee_that_does_not_hang_up_keeps_nobody_from_stopping() {
    let (team, mut listener) = team().await;
    let mut referee = accept(&mut listener).await;
    referee.welcome().await;
    referee.say("ask 0 60000").await;
    referee.says("do 0 dig").await;
    team.stop(ann()).await.unwrap();
    referee.says("bye").await;
    assert_eq!(team.seats()[0].1.state, SeatState::Stopped);
    drop(referee);
    let report = team.drain(Duration::from_secs(1)).await;
    assert_eq!((report.stragglers.len(), team.ended().await), (0, TeamEnd::Drained));
    let gone = team.stop(ann()).await;
    assert!(gone.is_ok(), "it is stopped already: {gone:?}");
    assert!(matches!(team.start(ann()).await, Err(CommandError::Ended)));
}

#[tokio::test]
async fn a_team_without_a_referee_can_be_stopped_too() {
    let (dialer, listener) = memory();
    drop(listener);
    let team = team_at(Endpoint::Memory(dialer), |_, _| "dig".into()).await;
    team.stop(ann()).await.unwrap();
    assert_eq!(team.seats()[0].1.state, SeatState::Stopped);
}

#[tokio::test]
async fn a_team_moves_to_another_referee_and_plays_a_new_round_there() {
    let (team, mut here) = team().await;
    let mut referee = accept(&mut here).await;
    referee.welcome().await;
    referee.say("ask 0 60000").await;
    referee.says("do 0 dig").await;
    let there = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = Endpoint::tcp("127.0.0.1", there.local_addr().unwrap().port());
    team.move_to(endpoint.clone(), Keep::NOTHING, ann()).await.unwrap();
    assert_eq!(referee.hear().await.as_deref(), Some("bye"));
    assert_eq!(team.endpoint().to_string(), endpoint.to_string());
    let (reader, writer) = there.accept().await.unwrap().0.into_split();
    let link = phalanx_net::Link {
        reader: Box::new(reader),
        writer: Box::new(writer),
        peer: "there".to_owned(),
    };
    let mut referee = Client::new(link);
    referee.welcome().await;
    referee.say("ask 0 60000").await;
    referee.says("do 0 dig").await;
    let mut snapshots = team.snapshots();
    snapshots.wait_for(|snapshot| snapshot.turn.round == 1).await.unwrap();
    let framing = Endpoint::web_socket("127.0.0.1", 1);
    let refused = team.move_to(framing, Keep::ALL, ann()).await.unwrap_err();
    assert!(matches!(refused, CommandError::Server(_)), "{refused}");
    referee.say("over 1\nbye").await;
    drop(referee);
    assert_eq!(team.ended().await, TeamEnd::MatchOver);
    let over = team.move_to(endpoint, Keep::ALL, ann()).await;
    assert!(matches!(over, Err(CommandError::Ended)), "{over:?}");
}

#[tokio::test]
async fn a_stopped_team_that_is_moved_starts_elsewhere_only_when_told() {
    let (team, mut here) = team().await;
    drop(accept(&mut here).await);
    team.stop(ann()).await.unwrap();
    let (dialer, mut there) = memory();
    team.move_to(Endpoint::Memory(dialer), Keep::ALL, ann()).await.unwrap();
    assert!(team.is_stopped());
    team.start(ann()).await.unwrap();
    accept(&mut there).await.welcome().await;
}

#[tokio::test]
async fn many_who_send_the_team_away_take_turns() {
    let (team, mut listener) = team().await;
    let calls = (0..10).map(|index| {
        let team = team.clone();
        tokio::spawn(async move {
            if index % 2 == 0 { team.stop(ann()).await } else { team.start(ann()).await }
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
    team.start(ann()).await.unwrap();
    // Earlier connections have left; the last one plays.
    loop {
        let mut referee = accept(&mut listener).await;
        let _hello = referee.hear().await;
        let said = referee.writer.write_all(b"welcome\nstart\nask 0 60000\n").await;
        if said.is_ok() && referee.hear().await.as_deref() == Some("do 0 dig") {
            break;
        }
    }
}
