//! Alerts begin once and end once.
use crate::actor::{Manner, Match, SECOND, staged};
use crate::{pass, told};
use phalanx_engine::{AlertKind, AlertOptions, Input, SeatState, Steer, SteerAgent, TeamOptions};
use phalanx_game::{AgentId, DefaultCause, Event, SeatId, Turn};
use std::time::Duration;

fn options(alerts: AlertOptions) -> TeamOptions {
    TeamOptions { alerts, ..TeamOptions::default() }
}

/// Only silence and failures raise alerts, after three turns.
fn three() -> AlertOptions {
    AlertOptions { silent_turns: 3, stuck_turns: 3, storm_errors: 0, ..AlertOptions::default() }
}

fn break_scripts(match_: &mut Match, breaks: bool) {
    let number = match_.snapshot().generation + 1;
    match_.install(staged(number, Manner { breaks, ..Manner::default() }), true);
}

fn lose(match_: &mut Match, seat: u16) {
    let state = SeatState::Connecting { failures: 1, reason: "reset".into() };
    match_.input(Input::Seat { seat: SeatId(seat), state });
}

#[test]
fn an_agent_whose_script_fails_turn_after_turn_is_silent_until_it_decides() {
    let mut match_ = Match::new(1, options(three()));
    break_scripts(&mut match_, true);
    for step in 1..=2 {
        match_.turn(step);
    }
    assert_eq!(told(&mut match_), [""; 0]);
    for step in 3..=9 {
        match_.turn(step);
    }
    let began = "3 a0: alert silent agent: 3 turns without an action of its own";
    assert_eq!(told(&mut match_), [began], "one alert");
    let alert = match_.snapshot().alerts.first().cloned().unwrap();
    assert_eq!((alert.kind, alert.since), (AlertKind::SilentAgent, Turn::new(0, 3)));
    assert_eq!(alert.agent.as_deref(), Some("a0"));
    break_scripts(&mut match_, false);
    match_.turn(10);
    assert_eq!(told(&mut match_), [""; 0], "it may yet be too late");
    match_.turn(11);
    assert_eq!(told(&mut match_), ["11 a0: alert silent agent is over after 8 turns"]);
    assert_eq!(match_.snapshot().alerts, []);
}

#[test]
fn a_problem_that_comes_and_goes_is_one_alert_with_a_count() {
    let mut match_ = Match::new(1, options(three()));
    let mut step = 0;
    let mut play = |match_: &mut Match, breaks, turns| {
        break_scripts(match_, breaks);
        for _ in 0..turns {
            step += 1;
            match_.turn(step);
        }
    };
    let mut all = Vec::new();
    for _ in 0..20 {
        play(&mut match_, true, 4);
        play(&mut match_, false, 3);
        all.extend(told(&mut match_));
    }
    let again =
        "10 a0: alert silent agent: 3 turns without an action of its own, 2 times in this match";
    let first = "3 a0: alert silent agent: 3 turns without an action of its own";
    assert_eq!(all, [first, "6 a0: alert silent agent is over after 3 turns", again]);
    let alert = match_.snapshot().alerts.first().cloned().unwrap();
    assert_eq!(alert.text, "3 turns without an action of its own, 20 times in this match");
    play(&mut match_, false, 158);
    assert_eq!(told(&mut match_), [""; 0], "the twentieth time it must be gone for long");
    play(&mut match_, false, 2);
    let [over] = told(&mut match_).try_into().unwrap();
    assert!(over.contains("silent agent is over"), "{over}");
    assert_eq!(match_.snapshot().alerts, []);
}

#[test]
fn an_alert_that_came_before_ends_at_once_when_an_operator_pauses_the_agent() {
    let mut match_ = Match::new(1, options(three()));
    let agent = AgentId(0);
    for step in 1..=20 {
        if step % 5 == 1 {
            break_scripts(&mut match_, step % 10 == 1);
        }
        match_.turn(step);
    }
    assert_eq!(match_.snapshot().alerts.len(), 1);
    match_.call(SteerAgent { agent, steer: Steer::Pause }).unwrap();
    match_.turn(21);
    assert_eq!(match_.snapshot().alerts, []);
}

#[test]
fn an_agent_whose_answers_come_too_late_is_silent() {
    let mut match_ = Match::new(1, options(three()));
    for step in 1..=4 {
        match_.turn(step);
        match_.input(Input::Late { agent: AgentId(0), turn: Turn::new(0, step) });
        let (turn, cause) = (Turn::new(0, step), DefaultCause::NoDecision);
        match_.event(AgentId(0), Event::Defaulted { turn, agent: AgentId(0), cause });
    }
    let began = "4 a0: alert silent agent: 3 turns without an action of its own";
    assert_eq!(told(&mut match_), [began]);
}

#[test]
fn an_agent_whose_seat_is_away_while_the_others_play_is_silent() {
    let mut match_ = Match::new(2, options(three()));
    match_.turn(1);
    lose(&mut match_, 1);
    for step in 2..=4 {
        match_.ask(0, step);
        match_.drain();
    }
    let began = "4 a1: alert silent agent: 3 turns without an action of its own";
    assert_eq!(told(&mut match_), [began]);
}

#[test]
fn a_lone_agent_whose_seat_is_away_is_silent_though_no_turn_begins() {
    let mut match_ = Match::new(1, options(three()));
    match_.turn(1);
    match_.now += SECOND * 2;
    match_.turn(2);
    lose(&mut match_, 0);
    pass(&mut match_, SECOND * 6 - Duration::from_millis(1));
    assert_eq!(told(&mut match_), [""; 0]);
    let due = match_.team.poll_timeout().unwrap();
    assert_eq!(due, match_.now + Duration::from_millis(1), "three turns of two seconds");
    pass(&mut match_, Duration::from_millis(1));
    assert_eq!(told(&mut match_), ["2 a0: alert silent agent: its seat has been away for 6s"]);
    assert_eq!(match_.team.poll_timeout(), None, "one alert");
    match_.event(AgentId(0), Event::Seated { agents: vec![AgentId(0)] });
    assert_eq!(told(&mut match_), ["2 a0: alert silent agent is over"]);
}

#[test]
fn a_paused_agent_and_a_match_that_is_over_are_not_silent() {
    let mut match_ = Match::new(1, options(three()));
    let agent = AgentId(0);
    match_.call(SteerAgent { agent, steer: Steer::Pause }).unwrap();
    for step in 1..=9 {
        match_.turn(step);
    }
    let alert = |text: &String| text.contains("silent");
    assert!(!told(&mut match_).iter().any(alert));
    match_.event(AgentId(0), Event::RoundOver { agent, round: 0, score: 1, ranking: None });
    lose(&mut match_, 0);
    pass(&mut match_, SECOND * 100);
    assert_eq!(told(&mut match_), [""; 0]);
}

#[test]
fn an_agent_that_does_the_same_in_vain_is_stuck_until_it_works_or_does_something_else() {
    let mut match_ = Match::new(1, options(three()));
    match_.turn(1);
    for step in 2..=5 {
        match_.tell(0, step, -1);
        match_.drain();
    }
    let began = "4 a0: alert stuck agent: say(100) came to \"failed_path\" 3 times in a row";
    assert_eq!(told(&mut match_), [began]);
    break_scripts(&mut match_, false);
    match_.tell(0, 6, -1);
    match_.drain();
    assert_eq!(told(&mut match_), [""; 0], "it was still the old action that failed");
    match_.tell(0, 7, -1);
    match_.drain();
    assert_eq!(told(&mut match_), ["7 a0: alert stuck agent is over after 3 turns"]);
}

#[test]
fn answers_that_leave_too_late_are_told_before_they_are_too_late() {
    let alerts = AlertOptions { margin_share: 0.5, ..AlertOptions::default() };
    let slow = Manner { spends: Duration::from_millis(600), ..Manner::default() };
    let mut match_ = Match::with(1, options(alerts), slow, Vec::new());
    for step in 1..=25 {
        match_.turn(step);
    }
    let began = "20 : alert shrinking margin: one answer in ten leaves with less than 40 % of its time, \
                 50 % are wanted";
    assert_eq!(told(&mut match_), [began]);
    break_scripts(&mut match_, false);
    for step in 26..=125 {
        match_.turn(step);
    }
    let [over] = told(&mut match_).try_into().unwrap();
    assert!(over.contains("shrinking margin is over"), "{over}");
}

#[test]
fn many_script_errors_in_few_turns_are_a_storm_until_half_of_it_is_left() {
    let alerts = AlertOptions { silent_turns: 0, storm_errors: 6, storm_turns: 4, ..three() };
    let mut match_ = Match::new(2, options(alerts));
    break_scripts(&mut match_, true);
    for step in 1..=4 {
        match_.turn(step);
    }
    assert_eq!(told(&mut match_), ["3 : alert error storm: 6 script errors in the last 4 turns"]);
    break_scripts(&mut match_, false);
    for step in 5..=9 {
        match_.turn(step);
    }
    assert_eq!(told(&mut match_), ["7 : alert error storm is over after 4 turns"]);
}

#[test]
fn a_number_of_zero_turns_an_alert_off() {
    let off = AlertOptions {
        silent_turns: 0,
        stuck_turns: 0,
        margin_share: 0.0,
        storm_errors: 0,
        storm_turns: 1,
    };
    let slow = Manner { spends: SECOND, breaks: true, ..Manner::default() };
    let mut match_ = Match::with(1, options(off), slow, Vec::new());
    for step in 1..=50 {
        match_.tell(0, step, -1);
        match_.drain();
    }
    lose(&mut match_, 0);
    assert_eq!(match_.team.poll_timeout(), None);
    assert_eq!(told(&mut match_), [""; 0]);
}
