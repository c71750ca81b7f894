//! Connections that are handed from one team to the next, as between two processes.

use crate::referee::Client;
use crate::toy::{Toy, brains, squad};
use phalanx_engine::{SeatState, Staged, TeamOptions};
use phalanx_game::SeatId;
use phalanx_net::{
    DrainReport, Endpoint, HandedSeat, Link, SeatOptions, TeamEnd, TeamHandle, TeamSpec, memory,
};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

/// Long enough that only a defect reaches it.
const LONG: Duration = Duration::from_secs(60);

/// A team at this endpoint, with connections from another team.
async fn team(endpoint: Endpoint, handed: Vec<HandedSeat>) -> TeamHandle {
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
    spec.build(brains(|_, _| "dig".into())).await.unwrap().spawn_on(handed)
}

async fn listen() -> (TcpListener, Endpoint) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, Endpoint::tcp("127.0.0.1", port))
}

async fn accept(listener: &TcpListener) -> Client {
    let (reader, writer) = listener.accept().await.unwrap().0.into_split();
    let (reader, writer) = (Box::new(reader), Box::new(writer));
    Client::new(Link { reader, writer, peer: "team".into() })
}

async fn hand_over(team: &TeamHandle) -> Vec<HandedSeat> {
    let (report, handed) = team.hand_over(LONG).await;
    assert_eq!((report, team.ended().await), (DrainReport::default(), TeamEnd::Drained));
    handed
}

async fn is_seated(team: &TeamHandle) {
    let mut seat = team.seat(SeatId(0)).unwrap();
    let seated = seat.wait_for(|status| status.state == SeatState::Seated);
    tokio::time::timeout(LONG, seated).await.unwrap().unwrap();
}

#[tokio::test]
async fn the_referee_hears_no_goodbye_and_no_second_hello() {
    let (listener, endpoint) = listen().await;
    let first = team(endpoint.clone(), Vec::new()).await;
    let mut referee = accept(&listener).await;
    referee.welcome().await;
    referee.say("ask 1 60000").await;
    referee.says("do 1 dig").await;
    let handed = hand_over(&first).await;
    assert_eq!(handed.len(), 1);
    // The old team is gone.
    referee.say("ask 2 60000").await;
    let second = team(endpoint, handed).await;
    referee.says("do 2 dig").await;
    referee.say("ask 3 60000").await;
    referee.says("do 3 dig").await;
    assert_eq!(second.seats()[0].1.connections, 1);
    assert_eq!(second.snapshot().counters.fallback, 0);
}

#[tokio::test]
async fn half_a_message_is_heard_to_its_end_by_the_next_one() {
    let (listener, endpoint) = listen().await;
    let first = team(endpoint.clone(), Vec::new()).await;
    let mut referee = accept(&listener).await;
    referee.welcome().await;
    // In one piece with a request that is answered, so it was read.
    referee.writer.write_all(b"ask 1 60000\nask 2 6").await.unwrap();
    referee.says("do 1 dig").await;
    let handed = hand_over(&first).await;
    assert!(handed[0].heard.iter().any(|(_, bytes)| bytes == b"ask 2 6"), "{handed:?}");
    let _second = team(endpoint, handed).await;
    referee.say("0000").await;
    referee.says("do 2 dig").await;
}

#[tokio::test]
async fn a_connection_to_somewhere_else_is_closed_and_the_seat_dials() {
    let (listener, endpoint) = listen().await;
    let first = team(endpoint, Vec::new()).await;
    let mut referee = accept(&listener).await;
    referee.welcome().await;
    is_seated(&first).await;
    let handed = hand_over(&first).await;
    let (elsewhere, endpoint) = listen().await;
    let _second = team(endpoint, handed).await;
    let mut other = accept(&elsewhere).await;
    other.says("hello red0").await;
    assert_eq!(referee.hear().await, None);
}

#[tokio::test]
async fn a_connection_that_does_not_seat_the_agent_is_opened_anew() {
    let (listener, endpoint) = listen().await;
    let first = team(endpoint.clone(), Vec::new()).await;
    let mut referee = accept(&listener).await;
    referee.welcome().await;
    is_seated(&first).await;
    let mut handed = hand_over(&first).await;
    handed[0].heard.clear();
    let _second = team(endpoint, handed).await;
    assert_eq!(referee.hear().await, None);
    let mut again = accept(&listener).await;
    again.says("hello red0").await;
}

#[tokio::test]
async fn what_cannot_go_over_says_goodbye() {
    let (dialer, mut listener) = memory();
    let first = team(Endpoint::Memory(dialer), Vec::new()).await;
    let mut referee = Client::new(listener.accept().await.unwrap());
    referee.welcome().await;
    is_seated(&first).await;
    assert!(hand_over(&first).await.is_empty());
    referee.says("bye").await;
    assert_eq!(referee.hear().await, None);
}
