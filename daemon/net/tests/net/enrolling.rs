//! Agents join running teams and leave them: seats open and close, and the others continue to play.

use crate::referee::Client;
use crate::toy::{Toy, brains, squad};
use phalanx_engine::{CommandError, EventTopic, SeatState, Staged, Steer, SteerAgent, TeamOptions};
use phalanx_game::{AgentId, Turn};
use phalanx_net::{
    AgentSpec, Endpoint, JournalItem, JournalStream, MemoryListener, SeatOptions, TeamEnd,
    TeamHandle, TeamSpec, memory,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

async fn team_of<F>(agents: u16, decide: F) -> (TeamHandle, MemoryListener)
where
    F: FnMut(AgentId, Turn) -> String + Clone + Send + 'static,
{
    let (dialer, listener) = memory();
    let (roster, seats) = squad("red", agents);
    let spec = TeamSpec {
        name: "red".to_owned(),
        game: Toy,
        roster,
        seats,
        endpoint: Endpoint::Memory(dialer),
        staged: Staged::default(),
        team: TeamOptions::default(),
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    };
    (spec.build(brains(decide)).await.unwrap().spawn(), listener)
}

async fn team(agents: u16) -> (TeamHandle, MemoryListener) {
    team_of(agents, |agent, _| format!("dig{}", agent.0)).await
}

/// Accepts a seat, which must be this agent's, and lets it play.
async fn seat(listener: &mut MemoryListener, user: &str) -> Client {
    let mut referee = Client::new(listener.accept().await.unwrap());
    referee.says(&format!("hello {user}")).await;
    referee.say("welcome\nstart").await;
    referee
}

/// Accepts two seats, in any order. Returns the first agent's first.
async fn two_seats(listener: &mut MemoryListener) -> (Client, Client) {
    let mut first = Client::new(listener.accept().await.unwrap());
    let mut second = Client::new(listener.accept().await.unwrap());
    let hello = first.hear().await.unwrap();
    second.hear().await.unwrap();
    first.say("welcome\nstart").await;
    second.say("welcome\nstart").await;
    if hello == "hello red0" { (first, second) } else { (second, first) }
}

fn spec(name: &str) -> AgentSpec {
    let (name, role) = (name.to_owned(), "worker".to_owned());
    AgentSpec { name, role, user: None, password: "secret".to_owned().into() }
}

fn ann() -> String {
    "ann".to_owned()
}

async fn add(team: &TeamHandle, name: &str) -> Result<AgentId, CommandError> {
    team.add_agent(spec(name), ann()).await
}

async fn state(team: &TeamHandle, agent: u16, wanted: SeatState) {
    let mut status = team.seat_of(AgentId(agent)).unwrap();
    status.wait_for(|status| status.state == wanted).await.unwrap();
}

/// The next journal entry about an operator's action.
async fn told(journal: &mut JournalStream) -> String {
    loop {
        let Some(JournalItem::Entry(entry)) = journal.next().await else { panic!() };
        let topics = [EventTopic::Steering, EventTopic::Team];
        if topics.contains(&entry.event.topic()) {
            let text = entry.describe().text;
            return format!("{}: {text}", entry.agent.clone().unwrap_or_default());
        }
    }
}

#[tokio::test]
async fn an_agent_that_is_added_gets_a_seat_and_plays() {
    let (team, mut listener) = team(1).await;
    let mut journal = team.journal().unwrap();
    let mut lineup = team.lineup();
    let mut first = seat(&mut listener, "red0").await;
    first.say("ask 0 60000").await;
    first.says("do 0 dig0").await;
    let spec = AgentSpec { user: Some("account7".to_owned()), ..spec("red1") };
    assert!(!format!("{spec:?}").contains("secret"), "{spec:?}");
    let added = team.add_agent(spec, ann()).await;
    assert_eq!(added, Ok(AgentId(1)));
    let names = lineup.borrow_and_update().roster.agents.clone();
    assert_eq!(names.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["red0", "red1"]);
    let mut second = seat(&mut listener, "account7").await;
    for (referee, agent) in [(&mut first, 0), (&mut second, 1)] {
        referee.say("ask 1 60000").await;
        referee.says(&format!("do 1 dig{agent}")).await;
    }
    assert_eq!(told(&mut journal).await, "red1: added as worker by ann");
    let seats = team.seats();
    let seats: Vec<_> = seats.iter().map(|(name, seat)| (name.as_str(), &seat.state)).collect();
    assert_eq!(seats, [("red0", &SeatState::Seated), ("account7", &SeatState::Seated)]);
    assert_eq!(team.timings().answers, 3, "the new seat is measured too");
}

#[tokio::test]
async fn an_agent_that_is_removed_answers_says_goodbye_and_the_others_play_on() {
    let (team, mut listener) = team(2).await;
    let mut journal = team.journal().unwrap();
    let (mut first, mut second) = two_seats(&mut listener).await;
    team.call(SteerAgent { agent: AgentId(1), steer: Steer::Pilot { lease: 9 } }, ann())
        .await
        .unwrap();
    for referee in [&mut first, &mut second] {
        referee.say("ask 0 60000").await;
    }
    first.says("do 0 dig0").await;
    team.remove_agent(AgentId(1), ann()).await.unwrap();
    second.says("do 0 rest").await;
    second.says("bye").await;
    assert_eq!(second.hear().await, None);
    assert_eq!(team.seat_of(AgentId(1)).unwrap().borrow().state, SeatState::Closed);
    assert_eq!(team.seats().len(), 1, "the list shows who is there");
    assert!(!team.roster().is_present(AgentId(1)));
    first.say("ask 1 60000").await;
    first.says("do 1 dig0").await;
    assert_eq!(told(&mut journal).await, "red1: piloted by ann, 9 turns left without an order");
    assert_eq!(told(&mut journal).await, "red1: removed from the team by ann");
    let again = team.remove_agent(AgentId(1), ann()).await;
    assert_eq!(again, Err(CommandError::NoSuchAgent { id: 1 }));
    let steered = team.call(SteerAgent { agent: AgentId(1), steer: Steer::Pause }, ann()).await;
    assert_eq!(steered, Err(CommandError::NoSuchAgent { id: 1 }));
    first.say("over 5\nbye").await;
    assert_eq!(team.ended().await, TeamEnd::MatchOver, "its seat is not waited for");
}

#[tokio::test]
async fn an_agent_that_comes_back_has_its_old_id_and_a_new_connection() {
    let (team, mut listener) = team(2).await;
    let (mut first, mut second) = two_seats(&mut listener).await;
    state(&team, 1, SeatState::Seated).await;
    team.remove_agent(AgentId(1), ann()).await.unwrap();
    second.says("bye").await;
    assert_eq!(second.hear().await, None);
    assert_eq!(add(&team, "red1").await, Ok(AgentId(1)));
    let mut second = seat(&mut listener, "red1").await;
    for (referee, agent) in [(&mut first, 0), (&mut second, 1)] {
        referee.say("ask 4 60000").await;
        referee.says(&format!("do 4 dig{agent}")).await;
    }
    assert_eq!((team.roster().agents.len(), team.seats().len()), (2, 2));
}

#[tokio::test]
async fn the_seat_of_a_stopped_team_waits_until_it_starts() {
    let (team, mut listener) = team(1).await;
    drop(seat(&mut listener, "red0").await);
    team.stop(ann()).await.unwrap();
    assert_eq!(add(&team, "red1").await, Ok(AgentId(1)));
    state(&team, 1, SeatState::Stopped).await;
    assert_eq!(team.seat_of(AgentId(1)).unwrap().borrow().connections, 0);
    team.start(ann()).await.unwrap();
    let (mut first, mut second) = two_seats(&mut listener).await;
    for (referee, agent) in [(&mut first, 0), (&mut second, 1)] {
        referee.say("ask 0 60000").await;
        referee.says(&format!("do 0 dig{agent}")).await;
    }
    team.stop(ann()).await.unwrap();
    state(&team, 1, SeatState::Stopped).await;
    team.remove_agent(AgentId(1), ann()).await.unwrap();
    assert_eq!(team.seat_of(AgentId(1)).unwrap().borrow().state, SeatState::Closed);
}

#[tokio::test]
async fn after_a_panic_the_agents_are_those_that_were_there() {
    let panics = Arc::new(AtomicBool::new(false));
    let fault = Arc::clone(&panics);
    let decide = move |agent: AgentId, _| {
        assert!(!fault.swap(false, Ordering::Relaxed), "a defect in the world");
        format!("dig{}", agent.0)
    };
    let (team, mut listener) = team_of(2, decide).await;
    let (mut first, _second) = two_seats(&mut listener).await;
    team.remove_agent(AgentId(1), ann()).await.unwrap();
    assert_eq!(add(&team, "red2").await, Ok(AgentId(2)));
    let mut third = seat(&mut listener, "red2").await;
    third.say("ask 0 60000").await;
    third.says("do 0 dig2").await;
    panics.store(true, Ordering::Relaxed);
    first.say("ask 1 50").await;
    first.says("do 1 rest").await;
    for (referee, agent) in [(&mut first, 0), (&mut third, 2)] {
        referee.say("ask 2 60000").await;
        referee.says(&format!("do 2 dig{agent}")).await;
    }
    assert_eq!(team.restarts(), 1);
    assert_eq!(team.roster().present().collect::<Vec<_>>(), [AgentId(0), AgentId(2)]);
    let mut snapshots = team.snapshots();
    snapshots.wait_for(|snapshot| snapshot.agents.len() == 3).await.unwrap();
    assert!(team.snapshot().agents[1].gone);
}

#[tokio::test]
async fn who_may_not_come_or_go_changes_nothing() {
    let (team, mut listener) = team(1).await;
    let mut referee = seat(&mut listener, "red0").await;
    let taken = add(&team, "red0").await.unwrap_err();
    assert!(matches!(taken, CommandError::NameTaken { .. }), "{taken}");
    let malformed = add(&team, "red/1").await.unwrap_err();
    assert!(matches!(malformed, CommandError::Name { .. }), "{malformed}");
    let last = team.remove_agent(AgentId(0), ann()).await.unwrap_err();
    assert!(matches!(last, CommandError::LastAgent { .. }), "{last}");
    let nobody = team.remove_agent(AgentId(7), ann()).await;
    assert_eq!(nobody, Err(CommandError::NoSuchAgent { id: 7 }));
    assert_eq!((team.seats().len(), team.roster().agents.len()), (1, 1));
    referee.say("over 5\nbye").await;
    assert_eq!(team.ended().await, TeamEnd::MatchOver);
    assert_eq!(team.add_agent(spec("red1"), ann()).await, Err(CommandError::Ended));
    assert_eq!(team.remove_agent(AgentId(0), ann()).await, Err(CommandError::Ended));
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_no_agent_without_its_seat() {
    let (team, mut listener) = team(1).await;
    let _first = seat(&mut listener, "red0").await;
    let call = team.add_agent(spec("red1"), ann());
    tokio::select! {
        biased;
        _ = call => panic!("it takes more than one look"),
        () = std::future::ready(()) => {}
    }
    seat(&mut listener, "red1").await;
    assert!(team.roster().is_present(AgentId(1)));
}

#[tokio::test]
async fn many_who_add_and_remove_take_turns() {
    let (team, listener) = team(2).await;
    drop(listener);
    let calls = (0..20).map(|index| {
        let team = team.clone();
        tokio::spawn(async move {
            let name = format!("red{}", 2 + index % 5);
            let known = team.roster().find(&name);
            match known.filter(|agent| team.roster().is_present(*agent)) {
                Some(agent) => drop(team.remove_agent(agent, ann()).await),
                None => drop(team.add_agent(spec(&name), ann()).await),
            }
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    let roster = team.roster();
    assert_eq!(team.seats().len(), roster.present().count());
    assert!(roster.agents.len() <= 7, "names come back to their old places: {roster:?}");
    let report = team.drain(Duration::from_secs(10)).await;
    assert_eq!((report.stragglers, team.ended().await), (vec![], TeamEnd::Drained));
}
