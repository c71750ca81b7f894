//! A team leaves its referee: it waits for its seats, and clears what the request names.
use crate::actor::Match;
use phalanx_engine::{
    CommandError, EventTopic, Input, Keep, LeaveReferee, ReturnToReferee, SeatState, TeamOptions,
    Ticket,
};
use phalanx_game::{AgentId, Event, SeatId, Turn};

fn team() -> Match {
    Match::new(2, TeamOptions::default())
}

fn leave(match_: &mut Match, to: Option<&str>, keep: Keep) -> Ticket {
    let ticket = match_.send("ann", LeaveReferee { to: to.map(str::to_owned), keep });
    match_.drain();
    ticket
}

fn seat(match_: &mut Match, seat: u16, state: SeatState) {
    match_.input(Input::Seat { seat: SeatId(seat), state });
}

fn hang_up(match_: &mut Match) {
    seat(match_, 0, SeatState::Stopped);
    seat(match_, 1, SeatState::Stopped);
}

/// Both seats return, with new sessions.
fn come_back(match_: &mut Match) {
    for agent in [AgentId(0), AgentId(1)] {
        match_.event(agent, Event::Seated { agents: vec![agent] });
        match_.event(agent, Event::RoundStarted { agent, round: 0, briefing: Some(()) });
    }
}

fn answer(match_: &mut Match) -> (Ticket, Result<(), CommandError>) {
    match_.answered::<LeaveReferee>()
}

fn told(match_: &Match) -> Vec<String> {
    let of_team = match_.journal.iter().filter(|entry| entry.event.topic() == EventTopic::Team);
    of_team.map(|entry| entry.describe().text).collect()
}

#[test]
fn it_has_left_when_the_last_seat_has_hung_up() {
    let mut match_ = team();
    match_.turn(1);
    let ticket = leave(&mut match_, None, Keep::ALL);
    seat(&mut match_, 0, SeatState::Stopped);
    assert_eq!((match_.answers.len(), told(&match_).len()), (0, 0));
    seat(&mut match_, 1, SeatState::Stopped);
    assert_eq!(answer(&mut match_), (ticket, Ok(())));
    assert_eq!(told(&match_), ["the team was stopped by ann"]);
    let back = match_.call_as("bob", ReturnToReferee { to: "localhost:1".to_owned() });
    assert_eq!(back, Ok(()));
    assert_eq!(told(&match_).last().unwrap(), "the team was started by bob, at localhost:1");
}

#[test]
fn what_is_kept_goes_on_where_it_was() {
    let mut match_ = team();
    match_.turn(1);
    leave(&mut match_, Some("elsewhere:2"), Keep::ALL);
    hang_up(&mut match_);
    let moved = "moved to elsewhere:2 by ann: keeps its world, keeps its memories";
    assert_eq!(told(&match_), [moved]);
    assert_eq!(match_.snapshot().score, Some(200));
    come_back(&mut match_);
    match_.turn(2);
    let snapshot = match_.snapshot();
    assert_eq!((snapshot.turn, snapshot.tick), (Turn::new(0, 2), 2), "the same round");
    assert!(!match_.calls().contains(&"forget".to_owned()));
}

#[test]
fn what_is_not_kept_is_gone_and_the_next_match_begins_a_new_round() {
    let mut match_ = team();
    match_.turn(1);
    leave(&mut match_, Some("elsewhere:2"), Keep::NOTHING);
    hang_up(&mut match_);
    assert_eq!(match_.calls().last().unwrap(), "forget");
    assert_eq!(match_.snapshot().score, Some(0));
    come_back(&mut match_);
    match_.turn(1);
    assert_eq!(match_.take_said(), [100; 4]);
    let snapshot = match_.snapshot();
    assert_eq!((snapshot.turn, snapshot.score), (Turn::new(1, 1), Some(300)), "a new round");
}

#[test]
fn a_request_of_the_referee_before_is_not_decided_any_more() {
    let mut match_ = team();
    leave(&mut match_, Some("elsewhere:2"), Keep::NOTHING);
    hang_up(&mut match_);
    match_.turn(9);
    assert_eq!(match_.take_said(), [0; 0]);
}

#[test]
fn a_match_that_is_over_cannot_be_left() {
    let mut match_ = team();
    match_.event(AgentId(0), Event::MatchOver);
    match_.event(AgentId(1), Event::MatchOver);
    let ticket = leave(&mut match_, None, Keep::ALL);
    assert_eq!(answer(&mut match_), (ticket, Err(CommandError::Over)));
}

#[test]
fn of_two_departures_the_later_counts_and_a_drained_team_makes_none() {
    let mut match_ = team();
    let first = leave(&mut match_, None, Keep::ALL);
    let second = leave(&mut match_, None, Keep::ALL);
    let (ticket, refused) = answer(&mut match_);
    assert!(ticket == first && matches!(refused, Err(CommandError::Busy(_))), "{refused:?}");
    match_.input(Input::Drain);
    assert_eq!(answer(&mut match_), (second, Err(CommandError::Leaving)));
}
