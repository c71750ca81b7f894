//! Operators steer agents while a team plays: roles, pauses, pinned orders, pilots.
use crate::actor::{Manner, Match, staged};
use crate::{pass, told};
use phalanx_engine::{
    Answer, Carry, CommandError, Input, JournalEvent, OrderError, Probation, SetRole, Steer,
    SteerAgent, Steering, TeamOptions, read_order,
};
use phalanx_game::{AgentId, Event, Said, Turn};
use std::time::Duration;

/// Shortly before the second in which an agent must answer is over.
const ALMOST: Duration = Duration::from_millis(980);

fn team(agents: u16) -> Match {
    Match::new(agents, TeamOptions::default())
}

fn say(number: i64) -> Said {
    read_order(&format!("say({number})")).unwrap()
}

fn steer(match_: &mut Match, agent: u16, steer: Steer, by: &str) -> Result<Steering, CommandError> {
    match_.call_as(by, SteerAgent { agent: AgentId(agent), steer })
}

fn pilot(match_: &mut Match, agent: u16, lease: u32) {
    steer(match_, agent, Steer::Pilot { lease }, "ann").unwrap();
}

fn order(match_: &mut Match, agent: u16, number: i64) -> Result<Steering, CommandError> {
    steer(match_, agent, Steer::Order { order: say(number) }, "ann")
}

fn set_role(match_: &mut Match, role: &str, carry: Carry) -> Result<String, CommandError> {
    match_.call(SetRole { agent: AgentId(0), role: role.to_owned(), carry })
}

#[test]
fn a_role_changes_from_the_next_turn_on_and_takes_the_memory_over() {
    let mut match_ = team(2);
    match_.ask(0, 1);
    match_.ask(1, 1);
    while match_.said.is_empty() {
        assert!(match_.output());
    }
    let (agent, role, carry) = (AgentId(1), "scout".to_owned(), Carry::Strict);
    match_.send("ann", SetRole { agent, role, carry });
    match_.drain();
    let calls = ["plan", "decide 0", "decide 1", "hand over 1 to scout Strict 100ms"];
    assert_eq!(match_.calls(), calls, "not within a turn");
    let before = match_.answered::<SetRole>().1.unwrap();
    assert_eq!((before.as_str(), match_.snapshot().agents[1].role.as_str()), ("worker", "scout"));
    assert_eq!(told(&mut match_), ["1 a1: role worker → scout, by ann"]);
    match_.turn(2);
    let decided = match_.journal.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Decided { role, .. } => Some(role.as_str()),
        _ => None,
    });
    assert_eq!(decided.collect::<Vec<_>>(), ["worker", "scout"]);
}

#[test]
fn a_role_that_the_generation_has_not_is_refused_with_what_was_meant() {
    let mut match_ = team(1);
    let error = set_role(&mut match_, "scuot", Carry::Strict).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no role \"scuot\"; there are hermit, scout, worker; did you mean \"scout\"?"
    );
    let CommandError::NoSuchRole { known, meant, .. } = error else { panic!() };
    assert_eq!((known.len(), meant.as_deref()), (3, Some("scout")));
    assert_eq!((told(&mut match_), match_.calls()), (vec![], vec![]));
    assert_eq!(match_.snapshot().agents[0].role, "worker");
}

#[test]
fn a_role_that_does_not_take_the_memory_is_refused_unless_it_may_begin_anew() {
    let mut match_ = team(1);
    let error = set_role(&mut match_, "hermit", Carry::Strict).unwrap_err();
    let text = "worker.luau:7: no migrate; it can begin with an empty memory instead";
    assert_eq!(error.to_string(), text);
    assert_eq!(match_.snapshot().agents[0].role, "worker");
    assert_eq!(set_role(&mut match_, "hermit", Carry::Forget), Ok("worker".into()));
    assert_eq!(match_.snapshot().agents[0].role, "hermit");
}

#[test]
fn a_paused_agent_falls_back_and_that_is_nobodys_trouble() {
    let probation = Probation { decisions: 100, errors: 0 };
    let mut match_ = Match::new(2, TeamOptions { probation, ..TeamOptions::default() });
    match_.install(staged(2, Manner::default()), false);
    let by = "ann".to_owned();
    assert_eq!(steer(&mut match_, 0, Steer::Pause, "ann"), Ok(Steering::Paused { by }));
    for step in 1..=20 {
        match_.turn(step);
    }
    assert_eq!(match_.take_said(), [0, 200].repeat(20));
    let snapshot = match_.snapshot();
    let counters = snapshot.counters;
    assert_eq!((counters.held, counters.decided, counters.fallback), (20, 20, 0));
    assert_eq!((counters.script_errors, snapshot.generation), (0, 2), "not taken back");
    assert_eq!(match_.story(), ["2 | generation 2"]);
    assert_eq!((snapshot.agents[0].trouble.as_str(), snapshot.alerts.len()), ("", 0));
    assert_eq!(snapshot.agents[0].steering.to_string(), "paused by ann");
    assert_eq!(steer(&mut match_, 0, Steer::Release, "bob"), Ok(Steering::Script));
    match_.turn(21);
    assert_eq!(match_.take_said(), [200, 200]);
    let told = told(&mut match_);
    assert_eq!(told[..2], ["0 a0: paused by ann", "1 a0: paused by ann: the fallback"]);
    assert_eq!(told.last().unwrap(), "20 a0: handed back to its script by bob");
}

#[test]
fn a_pinned_order_is_the_decision_for_its_turns_and_then_no_more() {
    let mut match_ = team(2);
    let pin = Steer::Pin { order: say(7), turns: 2 };
    steer(&mut match_, 1, pin, "ann").unwrap();
    for step in 1..=3 {
        match_.turn(step);
    }
    assert_eq!(match_.take_said(), [100, 7, 100, 7, 100, 100]);
    assert_eq!(
        told(&mut match_),
        [
            "0 a1: pinned to say(7) for 2 turns by ann",
            "1 a1: say(7), pinned by ann",
            "2 a1: say(7), pinned by ann",
            "2 a1: handed back to its script: the pinned order's turns are over",
        ]
    );
    let decided = match_.calls().iter().filter(|call| *call == "decide 1").count();
    assert_eq!((decided, match_.snapshot().counters.ordered), (1, 2));
}

#[test]
fn an_order_that_is_no_action_is_refused_as_scripts_would_be() {
    let mut match_ = team(1);
    let mut refusal = |text: &str| {
        let pin = Steer::Pin { order: read_order(text).unwrap(), turns: 3 };
        steer(&mut match_, 0, pin, "ann").unwrap_err().to_string()
    };
    assert_eq!(
        refusal("sai(1)"),
        "there is no action \"sai\"; did you mean \"say\"?; there are say"
    );
    let range = "say: parameter 'number': expected a whole number from -9999 to 9999, got";
    assert_eq!(refusal("say()"), format!("{range} nothing"));
    assert_eq!(refusal("say('n')"), format!("{range} \"n\""));
    assert_eq!(refusal("say(10000)"), format!("{range} 10000"));
    assert_eq!(refusal("say(1, 2)"), "say: takes 1 argument, got 2");
    let none = Steer::Pin { order: say(1), turns: 0 };
    let error = steer(&mut match_, 0, none, "ann").unwrap_err();
    assert_eq!(error.to_string(), "expected 1 to 10000 turns, got 0");
    assert_eq!(
        steer(&mut match_, 9, Steer::Pause, "ann"),
        Err(CommandError::NoSuchAgent { id: 9 })
    );
    assert_eq!(told(&mut match_), [""; 0]);
}

#[test]
fn a_piloted_agent_waits_for_its_order_and_holds_nobody_up() {
    let mut match_ = team(3);
    pilot(&mut match_, 0, 3);
    match_.turn(1);
    assert_eq!(match_.take_said(), [100, 100]);
    assert_eq!(match_.calls(), ["plan", "decide 1", "decide 2"]);
    assert_eq!(match_.team.poll_timeout(), Some(match_.now + ALMOST));
    match_.now += Duration::from_millis(500);
    order(&mut match_, 0, 7).unwrap();
    assert_eq!(match_.take_said(), [7], "at once");
    let done = match_.journal.iter().filter_map(|entry| match entry.event {
        JournalEvent::TurnDone(done) => Some((done.asked, done.decided, done.ordered)),
        _ => None,
    });
    assert_eq!(done.collect::<Vec<_>>(), [(3, 2, 1)], "the turn is through when it is");
    let told = told(&mut match_);
    assert_eq!(told[1..], ["1 a0: piloted by ann, next say(7)", "1 a0: say(7), ordered by ann"]);
}

#[test]
fn a_pilot_who_gives_no_order_falls_back_in_time_and_is_taken_for_lost() {
    let mut match_ = team(1);
    pilot(&mut match_, 0, 2);
    for step in 1..=2 {
        match_.turn(step);
        pass(&mut match_, ALMOST - Duration::from_millis(1));
        assert_eq!(match_.take_said(), [0; 0]);
        pass(&mut match_, Duration::from_millis(1));
        assert_eq!(match_.take_said(), [0]);
    }
    match_.turn(3);
    assert_eq!(match_.take_said(), [100]);
    assert_eq!(
        told(&mut match_),
        [
            "0 a0: piloted by ann, 2 turns left without an order",
            "1 a0: no order of ann in time: the fallback",
            "2 a0: no order of ann in time: the fallback",
            "2 a0: handed back to its script: the pilot gave no order for too long",
        ]
    );
    let counters = match_.snapshot().counters;
    assert_eq!((counters.held, counters.fallback, counters.decided), (2, 0, 1));
}

#[test]
fn an_order_renews_the_pilots_lease() {
    let mut match_ = team(1);
    pilot(&mut match_, 0, 2);
    for step in 1..=6 {
        if step % 2 == 0 {
            order(&mut match_, 0, 5).unwrap();
        }
        match_.turn(step);
        pass(&mut match_, ALMOST);
    }
    assert_eq!(match_.take_said(), [0, 5, 0, 5, 0, 5]);
    assert_eq!(match_.snapshot().agents[0].steering.word(), "piloted");
}

#[test]
fn of_two_early_orders_the_newer_counts_and_each_serves_one_turn() {
    let mut match_ = team(1);
    pilot(&mut match_, 0, 5);
    order(&mut match_, 0, 1).unwrap();
    let steering = order(&mut match_, 0, 2).unwrap();
    assert_eq!(steering.order(), Some(&say(2)));
    match_.turn(1);
    assert_eq!(match_.take_said(), [2]);
    match_.turn(2);
    assert_eq!(match_.take_said(), [0; 0], "it waits again");
}

#[test]
fn only_the_pilot_gives_orders_and_anybody_may_take_over() {
    let mut match_ = team(1);
    let error = order(&mut match_, 0, 1).unwrap_err();
    assert_eq!(error.to_string(), "a0 has no pilot");
    pilot(&mut match_, 0, 5);
    let foreign = Steer::Order { order: say(1) };
    let error = steer(&mut match_, 0, foreign.clone(), "bob").unwrap_err();
    assert_eq!(error.to_string(), "a0 is piloted by ann");
    steer(&mut match_, 0, Steer::Pilot { lease: 5 }, "bob").unwrap();
    steer(&mut match_, 0, foreign, "bob").unwrap();
    assert!(order(&mut match_, 0, 2).is_err());
    match_.turn(1);
    assert_eq!(match_.take_said(), [1]);
}

#[test]
fn an_agent_handed_back_while_it_waits_is_decided_by_its_script_at_once() {
    let mut match_ = team(2);
    pilot(&mut match_, 0, 5);
    match_.turn(1);
    assert_eq!(match_.take_said(), [100]);
    steer(&mut match_, 0, Steer::Release, "ann").unwrap();
    assert_eq!(match_.take_said(), [100]);
    assert_eq!(match_.calls(), ["plan", "decide 1", "decide 0"]);
}

#[test]
fn a_team_that_is_drained_waits_for_no_pilot() {
    let mut match_ = team(1);
    pilot(&mut match_, 0, 5);
    match_.turn(1);
    match_.input(Input::Drain);
    assert_eq!((match_.take_said(), match_.drained), (vec![0], true));
    assert_eq!(order(&mut match_, 0, 1), Err(CommandError::Leaving));
}

#[test]
fn a_pilots_turn_that_the_referee_ends_is_closed() {
    let mut match_ = team(1);
    pilot(&mut match_, 0, 5);
    match_.turn(1);
    match_.turn(2);
    order(&mut match_, 0, 3).unwrap();
    assert_eq!(match_.take_said(), [3], "one answer, for the newer turn");
    let turns = match_.journal.iter().filter_map(|entry| match entry.event {
        JournalEvent::TurnDone(done) => Some((entry.turn.step, done.asked, done.ordered)),
        _ => None,
    });
    assert_eq!(turns.collect::<Vec<_>>(), [(1, 1, 0), (2, 1, 1)]);
}

#[test]
fn an_order_that_came_too_late_is_not_counted_as_sent() {
    let mut match_ = team(1);
    steer(&mut match_, 0, Steer::Pin { order: say(7), turns: 9 }, "ann").unwrap();
    match_.turn(1);
    match_.input(Input::Late { agent: AgentId(0), turn: Turn::new(0, 1) });
    let counters = match_.snapshot().counters;
    assert_eq!((counters.ordered, counters.late), (0, 1));
}

#[test]
fn a_lost_connection_ends_the_wait_for_a_pilot() {
    let mut match_ = team(2);
    pilot(&mut match_, 0, 5);
    match_.turn(1);
    let lost = phalanx_engine::SeatState::Connecting { failures: 1, reason: "reset".into() };
    match_.input(Input::Seat { seat: phalanx_game::SeatId(0), state: lost });
    let done =
        |entry: &phalanx_engine::JournalEntry| matches!(entry.event, JournalEvent::TurnDone(_));
    assert!(match_.journal.iter().any(done));
    let alerts = match_.team.poll_timeout().unwrap() - match_.now;
    assert_eq!(alerts, Duration::from_secs(5), "only the alert about its seat is waited for");
}

#[test]
fn how_agents_are_steered_outlives_the_teams_thread() {
    let by = "ann".to_owned();
    let steering = vec![Steering::Script, Steering::Pinned { order: say(7), turns_left: 1, by }];
    let mut match_ = Match::with(3, TeamOptions::default(), Manner::default(), steering);
    match_.turn(1);
    match_.turn(2);
    assert_eq!(match_.take_said(), [100, 7, 100, 100, 100, 100]);
}

#[test]
fn a_flood_of_wishes_is_refused_not_kept() {
    let mut match_ = team(1);
    match_.ask(0, 1);
    let _first = match_.output();
    for _ in 0..1_000 {
        match_.send("ann", SteerAgent { agent: AgentId(0), steer: Steer::Pause });
    }
    match_.drain();
    let busy = |answer: &Answer| matches!(answer, Err(CommandError::Busy(_)));
    let refused = match_.answers.iter().filter(|(_, answer)| busy(answer)).count();
    assert_eq!((refused, match_.answers.len()), (1_000 - 64, 1_000));
}

/// A match with operators: the actions, and the whole journal.
fn played() -> (Vec<i64>, String) {
    let mut match_ = team(3);
    for step in 1..=30 {
        match step {
            3 => drop(steer(&mut match_, 0, Steer::Pause, "ann")),
            5 => pilot(&mut match_, 1, 3),
            6 => drop(order(&mut match_, 1, 42)),
            9 => drop(set_role(&mut match_, "scout", Carry::Strict)),
            12 => drop(steer(&mut match_, 2, Steer::Pin { order: say(-3), turns: 4 }, "bob")),
            15 => drop(steer(&mut match_, 0, Steer::Release, "bob")),
            20 => drop(match_.install(staged(2, Manner::default()), false)),
            _ => {}
        }
        match_.turn(step);
        if step == 22 {
            match_.event(AgentId(0), Event::MatchOver);
        }
        pass(&mut match_, ALMOST);
    }
    (match_.said, format!("{:?}", match_.journal))
}

#[test]
fn the_same_inputs_give_the_same_actions_and_the_same_journal() {
    let (first, second) = (played(), played());
    assert_eq!(first.0, second.0);
    assert!(first.1 == second.1, "byte for byte");
    for operator in ["ann", "bob", "42", "scout"] {
        assert!(first.1.contains(operator), "{operator} is in it");
    }
}

#[test]
fn a_text_that_is_no_order_tells_where() {
    let column = |text: &str| {
        let OrderError::Text { column, got, .. } = read_order(text).unwrap_err() else { panic!() };
        (column, got)
    };
    assert_eq!(column(""), (1, "the end".into()));
    assert_eq!(column("move(%)"), (6, "%)".into()));
    assert_eq!(column("move(n m)"), (8, "m)".into()));
    assert_eq!(column("move(\"n\""), (9, "the end".into()));
    assert_eq!(column("move(\"n\") now"), (11, "now".into()));
    assert_eq!(column("move(1e999)"), (6, "1e999)".into()));
}

#[test]
fn a_turn_that_ends_while_its_pilot_is_waited_for_counts_for_the_lease() {
    let mut match_ = team(1);
    pilot(&mut match_, 0, 2);
    for step in 1..=3 {
        match_.turn(step);
    }
    assert_eq!(match_.take_said(), [100], "in the third turn its script decides");
}
