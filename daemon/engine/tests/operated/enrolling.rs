//! Agents join a team that plays, and leave it.
use crate::actor::{Manner, Match};
use crate::{pass, told};
use phalanx_engine::{
    AGENT_NAME_CHARS_MAX, AGENTS_MAX, AddAgent, AgentSnapshot, AlertOptions, Carry, CommandError,
    Enrolled, Input, Keep, LeaveReferee, ParamError, RemoveAgent, RunScript, Scope, SeatState,
    SetParam, SetRole, Steer, SteerAgent, TeamOptions,
};
use phalanx_game::{AgentId, Event, SeatId, Turn, Value};
use std::time::Duration;

fn team(agents: u16) -> Match {
    Match::new(agents, TeamOptions::default())
}

fn add(match_: &mut Match, name: &str, role: &str) -> Result<Enrolled, CommandError> {
    match_.call(AddAgent { name: name.to_owned(), role: role.to_owned() })
}

fn remove(match_: &mut Match, agent: u16) -> Result<(), CommandError> {
    match_.call(RemoveAgent { agent: AgentId(agent) })
}

/// Opens its seat, logs it in, and starts the round for it.
fn sit_down(match_: &mut Match, agent: u16) {
    match_.seat(AgentId(agent));
    match_.start(AgentId(agent));
}

/// All agents in order; removed ones have a minus.
fn names(match_: &mut Match) -> Vec<String> {
    let shown = |agent: &AgentSnapshot| {
        let gone = if agent.gone { "-" } else { "" };
        format!("{gone}{}", agent.name)
    };
    match_.snapshot().agents.iter().map(shown).collect()
}

#[test]
fn an_agent_that_comes_plays_as_soon_as_the_referee_lets_it() {
    let mut match_ = team(2);
    match_.turn(1);
    let (agent, seat) = (AgentId(2), SeatId(2));
    assert_eq!(add(&mut match_, "late one", "scout"), Ok(Enrolled { agent, seat }));
    let calls = ["enroll 3 of 3", "line up a0 a1 late one on 3 seats"];
    assert_eq!(match_.calls()[3..], calls, "world, brain and seats get the roster");
    assert_eq!(names(&mut match_), ["a0", "a1", "late one"]);
    match_.turn(2);
    assert_eq!(match_.take_said(), [100; 4], "the team does not wait before it is there");
    sit_down(&mut match_, 2);
    match_.ask(2, 3);
    match_.turn(3);
    assert_eq!(match_.take_said(), [100; 3]);
    match_.turn(4);
    assert_eq!(match_.take_said(), [0; 0], "now it is waited for");
    match_.ask(2, 4);
    match_.drain();
    assert_eq!(match_.take_said(), [100; 3]);
    let snapshot = match_.snapshot();
    let late = &snapshot.agents[2];
    assert_eq!((late.name.as_str(), late.role.as_str(), late.gone), ("late one", "scout", false));
    assert_eq!((snapshot.turn, snapshot.counters.asked), (Turn::new(0, 4), 10));
    assert_eq!(told(&mut match_), ["1 late one: added as scout by ann"]);
}

#[test]
fn who_may_not_come_changes_nothing() {
    let mut match_ = team(2);
    let long = "x".repeat(AGENT_NAME_CHARS_MAX + 1);
    for name in ["", "a/b", "nul\0", "line\n", long.as_str()] {
        let refused = add(&mut match_, name, "worker").unwrap_err();
        assert!(matches!(refused, CommandError::Name { .. }), "{name:?}: {refused}");
        assert!(!refused.to_string().contains(char::is_control), "{refused}");
    }
    let taken = add(&mut match_, "a1", "worker").unwrap_err();
    assert_eq!(taken.to_string(), "there is an agent \"a1\" already");
    let role = add(&mut match_, "a2", "scuot").unwrap_err();
    assert!(role.to_string().ends_with("did you mean \"scout\"?"), "{role}");
    assert_eq!((told(&mut match_), match_.calls()), (vec![], vec![]));
    assert_eq!(names(&mut match_), ["a0", "a1"]);
    let longest = "ä".repeat(AGENT_NAME_CHARS_MAX);
    assert_eq!(add(&mut match_, &longest, "worker").unwrap().agent, AgentId(2));
}

#[test]
fn a_team_has_at_most_so_many_agents() {
    let most = u16::try_from(AGENTS_MAX).unwrap();
    let (options, manner) = (TeamOptions::default(), Manner::default());
    let mut match_ = Match::unseated(most, options, manner, Vec::new());
    let refused = add(&mut match_, "one more", "worker");
    assert_eq!(refused, Err(CommandError::TooManyAgents { max: AGENTS_MAX }));
    remove(&mut match_, 7).unwrap();
    let refused = add(&mut match_, "one more", "worker");
    assert_eq!(refused, Err(CommandError::TooManyAgents { max: AGENTS_MAX }), "its place stays");
    assert_eq!(add(&mut match_, "a7", "worker").unwrap().agent, AgentId(7));
}

#[test]
fn a_removed_agents_open_question_is_answered_and_the_turn_goes_on() {
    let mut match_ = team(3);
    match_.turn(1);
    match_.take_said();
    match_.ask(0, 2);
    match_.ask(1, 2);
    match_.drain();
    remove(&mut match_, 1).unwrap();
    assert_eq!(match_.take_said(), [0], "the fallback leaves at once");
    remove(&mut match_, 2).unwrap();
    assert_eq!(match_.take_said(), [100], "the last one is not waited for");
    assert_eq!(names(&mut match_), ["a0", "-a1", "-a2"]);
    let counters = match_.snapshot().counters;
    assert_eq!((counters.asked, counters.decided, counters.fallback), (5, 4, 1));
    let removed = ["2 a1: removed from the team by ann", "2 a2: removed from the team by ann"];
    assert_eq!(told(&mut match_), removed);
}

#[test]
fn a_removed_agent_that_waits_for_its_pilot_is_answered_too() {
    let mut match_ = team(2);
    match_.call(SteerAgent { agent: AgentId(1), steer: Steer::Pilot { lease: 3 } }).unwrap();
    match_.turn(1);
    assert_eq!(match_.take_said(), [100]);
    remove(&mut match_, 1).unwrap();
    assert_eq!(match_.take_said(), [0]);
    assert_eq!(match_.team.poll_timeout(), None, "the team waits for no agent");
    assert_eq!(match_.snapshot().agents[1].steering.word(), "script");
}

#[test]
fn an_agent_that_answered_already_is_not_answered_twice() {
    let mut match_ = team(2);
    match_.turn(1);
    match_.take_said();
    remove(&mut match_, 0).unwrap();
    assert_eq!(match_.take_said(), [0; 0]);
    assert_eq!(match_.snapshot().counters.fallback, 0);
}

#[test]
fn what_its_seat_still_reports_is_nobodys() {
    let mut match_ = team(2);
    match_.turn(1);
    remove(&mut match_, 1).unwrap();
    let before = match_.snapshot();
    match_.ask(1, 2);
    match_.start(AgentId(1));
    let (agent, turn) = (AgentId(1), Turn::new(0, 2));
    let cause = phalanx_game::DefaultCause::NoDecision;
    match_.event(agent, Event::Defaulted { turn, agent, cause });
    let after = match_.snapshot();
    assert_eq!((after.counters, after.tick), (before.counters, before.tick));
    match_.input(Input::Seat { seat: SeatId(1), state: SeatState::Closed });
    let shown = &match_.snapshot().agents[1];
    assert_eq!((shown.gone, &shown.seat), (true, &SeatState::Closed));
    match_.ask(0, 2);
    match_.drain();
    assert_eq!(match_.take_said(), [100; 3]);
}

#[test]
fn a_removed_agent_cannot_be_steered_and_its_alert_ends() {
    let alerts = AlertOptions { silent_turns: 2, ..AlertOptions::default() };
    let mut match_ = Match::new(2, TeamOptions { alerts, ..TeamOptions::default() });
    match_.input(Input::Seat { seat: SeatId(1), state: SeatState::Connected });
    for step in 1..=3 {
        match_.ask(0, step);
        match_.drain();
        pass(&mut match_, Duration::from_secs(1));
    }
    assert_eq!(match_.snapshot().alerts.len(), 1);
    told(&mut match_);
    remove(&mut match_, 1).unwrap();
    assert_eq!(match_.snapshot().alerts, []);
    let ended = told(&mut match_);
    assert!(ended.iter().any(|line| line.contains("a1: alert silent agent is over")), "{ended:?}");
    let (agent, nobody) = (AgentId(1), CommandError::NoSuchAgent { id: 1 });
    let steered = match_.call(SteerAgent { agent, steer: Steer::Pause });
    let (role, carry) = ("scout".to_owned(), Carry::Strict);
    let role = match_.call(SetRole { agent, role, carry });
    assert_eq!((steered.unwrap_err(), role.unwrap_err()), (nobody.clone(), nobody.clone()));
    let (name, scope, value) = ("greed".to_owned(), Scope::Agent(agent), Some(Value::Num(1.0)));
    let param = match_.call(SetParam { name, scope, value }).unwrap_err();
    assert!(matches!(param, CommandError::Param(ParamError::Scope(_))), "{param:?}");
    let ran = match_.call(RunScript { agent, code: "1".into() });
    assert_eq!(ran.unwrap_err(), nobody);
    assert_eq!(remove(&mut match_, 1), Err(nobody.clone()), "only once");
    assert_eq!(remove(&mut match_, 9).unwrap_err(), CommandError::NoSuchAgent { id: 9 });
}

#[test]
fn who_comes_back_has_its_old_place_and_another_role() {
    let mut match_ = team(3);
    match_.turn(1);
    remove(&mut match_, 1).unwrap();
    match_.input(Input::Seat { seat: SeatId(1), state: SeatState::Closed });
    let (agent, seat) = (AgentId(1), SeatId(1));
    assert_eq!(add(&mut match_, "a1", "scout"), Ok(Enrolled { agent, seat }));
    assert_eq!(names(&mut match_), ["a0", "a1", "a2"]);
    let shown = match_.snapshot().agents[1].clone();
    assert_eq!((shown.role.as_str(), shown.seat, shown.gone), ("scout", SeatState::Idle, false));
    match_.take_said();
    sit_down(&mut match_, 1);
    match_.turn(2);
    assert_eq!(match_.take_said(), [100; 3]);
    let lines = ["1 a1: removed from the team by ann", "1 a1: added again as scout by ann"];
    assert_eq!(told(&mut match_), lines);
}

#[test]
fn the_last_agent_stays() {
    let mut match_ = team(2);
    remove(&mut match_, 0).unwrap();
    let refused = remove(&mut match_, 1).unwrap_err();
    let text = "a1 is the team's last agent: stop the team instead, or delete it";
    assert_eq!(refused.to_string(), text);
    add(&mut match_, "a2", "worker").unwrap();
    remove(&mut match_, 1).unwrap();
}

#[test]
fn the_match_is_over_when_it_is_for_those_who_are_left() {
    let mut match_ = team(2);
    match_.event(AgentId(0), Event::MatchOver);
    assert!(!match_.snapshot().over);
    remove(&mut match_, 1).unwrap();
    assert!(match_.snapshot().over);
    let late = add(&mut match_, "a2", "worker");
    assert_eq!((late, remove(&mut match_, 0)), (Err(CommandError::Over), Err(CommandError::Over)));
}

#[test]
fn a_departure_does_not_wait_for_whoever_was_removed() {
    let mut match_ = team(2);
    remove(&mut match_, 1).unwrap();
    match_.send("ann", LeaveReferee { to: None, keep: Keep::NOTHING });
    match_.input(Input::Seat { seat: SeatId(0), state: SeatState::Stopped });
    assert_eq!(match_.answered::<LeaveReferee>().1, Ok(()));
    assert_eq!(add(&mut match_, "a2", "worker").unwrap().agent, AgentId(2), "a stopped team too");
    assert_eq!(add(&mut match_, "a1", "worker").unwrap().agent, AgentId(1));
}

#[test]
fn a_team_that_leaves_takes_nobody_on() {
    let mut match_ = team(2);
    match_.input(Input::Drain);
    let late = add(&mut match_, "a2", "worker");
    assert_eq!(
        (late, remove(&mut match_, 0)),
        (Err(CommandError::Leaving), Err(CommandError::Leaving))
    );
}

#[test]
fn agents_do_not_change_while_others_decide() {
    let mut match_ = team(3);
    for agent in 0..3 {
        match_.ask(agent, 1);
    }
    while match_.said.is_empty() {
        assert!(match_.output());
    }
    match_.send("ann", RemoveAgent { agent: AgentId(2) });
    match_.drain();
    assert_eq!(match_.take_said(), [100; 3], "it decided first");
    assert_eq!((match_.answers.len(), match_.answered::<RemoveAgent>().1), (1, Ok(())));
}

#[test]
fn equal_inputs_give_equal_journals() {
    let story = || {
        let mut match_ = team(2);
        match_.turn(1);
        add(&mut match_, "b", "scout").unwrap();
        sit_down(&mut match_, 2);
        match_.ask(2, 2);
        match_.turn(2);
        remove(&mut match_, 0).unwrap();
        match_.ask(1, 3);
        match_.ask(2, 3);
        match_.drain();
        add(&mut match_, "a0", "worker").unwrap();
        (match_.journal, match_.said)
    };
    assert_eq!(story(), story());
}
