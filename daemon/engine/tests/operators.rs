//! Requests of operators to a running team: parameters, views, pieces of script, profiles.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail loudly and looks at what it tests"
)]

#[path = "toy/actor.rs"]
mod actor;
#[path = "toy/game.rs"]
mod game;

use actor::{Manner, Match, staged};
use phalanx_engine::{
    Answer, CommandError, CopyView, Input, JournalEvent, ProfileScripts, RetuneTeam, RunScript,
    SCENE_EVERY, Scope, SetParam, TeamCommand, TeamOptions, Ticket, View,
};
use phalanx_game::{AgentId, Event, Turn, Value};
use std::sync::Arc;
use std::time::Duration;

fn team(agents: u16) -> Match {
    Match::new(agents, TeamOptions::default())
}

fn set(
    match_: &mut Match,
    scope: Scope,
    value: Option<f64>,
) -> Result<Option<Value>, CommandError> {
    match_.call(SetParam { name: "greed".into(), scope, value: value.map(Value::Num) })
}

#[test]
fn a_parameter_is_set_from_the_next_turn_on_and_never_within_one() {
    let mut match_ = team(2);
    match_.ask(0, 1);
    match_.ask(1, 1);
    while match_.said.is_empty() {
        assert!(match_.output());
    }
    let (name, value) = ("greed".to_owned(), Some(Value::Num(4.0)));
    match_.send("ann", SetParam { name, scope: Scope::Team, value });
    match_.drain();
    assert_eq!(match_.take_said(), [100, 100]);
    assert_eq!(match_.answered::<SetParam>().1, Ok(None));
    match_.turn(2);
    assert_eq!(match_.take_said(), [104, 104]);
}

#[test]
fn who_set_what_for_whom_is_told_and_published() {
    let mut match_ = team(2);
    assert_eq!(set(&mut match_, Scope::Agent(AgentId(1)), Some(2.0)), Ok(None));
    let before = set(&mut match_, Scope::Agent(AgentId(1)), Some(3.0));
    assert_eq!(before, Ok(Some(Value::Num(2.0))));
    assert_eq!(set(&mut match_, Scope::Agent(AgentId(1)), None), Ok(Some(Value::Num(3.0))));
    let told = match_.journal.iter().filter_map(|entry| {
        let JournalEvent::ParamSet { name, scope, before, value, by } = &entry.event else {
            return None;
        };
        Some(format!("{by} {name} {scope} {before}>{value}"))
    });
    let told: Vec<_> = told.collect();
    assert_eq!(told, ["ann greed agent a1 >2", "ann greed agent a1 2>3", "ann greed agent a1 3>"]);
    set(&mut match_, Scope::Role("worker".into()), Some(5.0)).unwrap();
    match_.turn(1);
    assert_eq!(match_.take_said(), [105, 105]);
    let published = match_.snapshot();
    assert_eq!(
        published.params.value("greed", Some((AgentId(0), "worker"))),
        Some(&Value::Num(5.0))
    );
    match_.turn(2);
    assert!(Arc::ptr_eq(&published.params, &match_.snapshot().params), "copied only when changed");
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut match_ = team(1);
    let wrong = set(&mut match_, Scope::Team, Some(11.0)).unwrap_err();
    assert_eq!(wrong.to_string(), "parameter greed: expected a number from 0 to 10, got 11");
    let nobody = set(&mut match_, Scope::Agent(AgentId(9)), Some(1.0)).unwrap_err();
    assert_eq!(nobody.to_string(), "there is no agent with the id 9");
    assert_eq!(match_.story(), [""; 0]);
    match_.turn(1);
    assert_eq!(match_.take_said(), [100]);
}

#[test]
fn what_operators_set_survives_a_swap_while_it_fits() {
    let mut match_ = team(1);
    set(&mut match_, Scope::Team, Some(4.0)).unwrap();
    match_.install(staged(2, Manner::default()), false);
    match_.turn(1);
    assert_eq!(match_.take_said(), [204]);
    match_.install(staged(3, Manner { greed_max: 3.0, ..Manner::default() }), false);
    match_.turn(2);
    assert_eq!(match_.take_said(), [300], "4 is more than the new declaration allows");
}

#[test]
fn other_options_count_from_the_next_turn_on_and_are_told() {
    let mut match_ = team(1);
    let options = TeamOptions {
        decide_max: Duration::from_millis(300),
        seed: 99,
        alerts: phalanx_engine::AlertOptions { stuck_turns: 8, ..Default::default() },
        ..TeamOptions::default()
    };
    assert_eq!(match_.call(RetuneTeam { options }), Ok(()));
    let told: Vec<_> = match_.journal.iter().map(|entry| entry.describe().text).skip(2).collect();
    assert_eq!(told, ["decide_max 250ms → 300ms, stuck_turns 5 → 8, by ann"]);
    assert_eq!(look(&mut match_).seed, TeamOptions::default().seed, "the match began with it");
    match_.journal.clear();
    assert_eq!(match_.call(RetuneTeam { options }), Ok(()));
    assert!(match_.journal.is_empty(), "the same again is no change");
}

#[test]
fn fewer_turns_are_kept_at_once() {
    let mut match_ = team(1);
    for step in 1..=3 {
        match_.turn(step);
        match_.now += SCENE_EVERY;
    }
    let kept = look(&mut match_).scenes.len();
    assert!(kept > 1, "{kept}");
    let options = TeamOptions { rehearsal_turns: 1, ..TeamOptions::default() };
    assert_eq!(match_.call(RetuneTeam { options }), Ok(()));
    assert_eq!(look(&mut match_).scenes.len(), 1);
}

fn look(match_: &mut Match) -> View {
    *match_.call(CopyView).unwrap()
}

#[test]
fn a_view_holds_copies_of_the_last_turns_oldest_first() {
    let mut match_ = Match::new(2, TeamOptions { rehearsal_turns: 2, ..TeamOptions::default() });
    assert_eq!(look(&mut match_).scenes.len(), 0);
    for step in 1..=3 {
        match_.now += SCENE_EVERY;
        match_.turn(step);
    }
    let view = look(&mut match_);
    match_.now += SCENE_EVERY;
    match_.turn(4);
    let told = view.scenes.iter().map(|scene| {
        assert_eq!(scene.present, [AgentId(0), AgentId(1)]);
        assert_eq!(scene.roles, ["worker", "worker"]);
        (scene.turn, scene.tick, scene.oracle.field(AgentId(1), "number"))
    });
    let told: Vec<_> = told.collect();
    let scene = |step: u32| (Turn::new(0, step), u64::from(step), Some(Value::from(step)));
    assert_eq!(told, [scene(2), scene(3)], "what came later did not change them");
    assert_eq!((view.generation, view.memories.len(), view.params.each().count()), (1, 2, 1));
}

#[test]
fn quick_turns_are_copied_once_a_second() {
    let mut match_ = Match::new(1, TeamOptions { rehearsal_turns: 2, ..TeamOptions::default() });
    for step in 1..=9 {
        match_.now += SCENE_EVERY / 4;
        match_.turn(step);
    }
    let kept: Vec<_> = look(&mut match_).scenes.iter().map(|scene| scene.turn.step).collect();
    assert_eq!(kept, [2, 6], "the first two fill the room, then four turns pass");
}

#[test]
fn without_rehearsal_no_world_is_copied() {
    let mut match_ = Match::new(1, TeamOptions { rehearsal_turns: 0, ..TeamOptions::default() });
    match_.turn(1);
    assert_eq!(look(&mut match_).scenes.len(), 0);
}

#[test]
fn a_straggler_does_not_make_two_scenes_of_one_turn() {
    let mut match_ = team(2);
    match_.ask(0, 1);
    match_.now += Duration::from_millis(250);
    match_.team.handle_timeout(match_.now);
    match_.drain();
    assert_eq!(look(&mut match_).scenes[0].present, [AgentId(0)]);
    match_.ask(1, 1);
    match_.drain();
    let view = look(&mut match_);
    assert_eq!((view.scenes.len(), view.scenes[0].present.len()), (1, 2));
}

fn run(match_: &mut Match, code: &str) -> Ticket {
    match_.send("ann", RunScript { agent: AgentId(0), code: code.into() })
}

#[test]
fn a_piece_of_script_runs_between_turns_and_is_no_decision() {
    let mut match_ = team(2);
    match_.ask(0, 1);
    match_.ask(1, 1);
    while match_.said.is_empty() {
        assert!(match_.output());
    }
    run(&mut match_, "1 + 1");
    match_.drain();
    assert_eq!(match_.calls(), ["plan", "decide 0", "decide 1", "run 0 100ms"]);
    assert_eq!(match_.answered::<RunScript>().1.unwrap().text, "1 + 1");
    assert_eq!(match_.snapshot().counters.decided, 2);
}

#[test]
fn a_piece_of_script_takes_at_most_a_quarter_of_a_turn_that_gathers() {
    let mut match_ = team(2);
    match_.ask(0, 1);
    match_.now += Duration::from_millis(800);
    run(&mut match_, "x");
    match_.drain();
    assert_eq!(match_.calls(), ["run 0 50ms"]);
    match_.now += Duration::from_millis(195);
    run(&mut match_, "x");
    match_.drain();
    assert_eq!(match_.calls(), [""; 0], "five milliseconds are the agents'");
    match_.ask(1, 1);
    match_.drain();
    assert_eq!(match_.calls(), ["plan", "decide 0", "decide 1", "run 0 100ms"]);
}

#[test]
fn what_was_run_is_told_cut_to_its_limit_with_its_trouble() {
    let mut match_ = team(1);
    run(&mut match_, &"y".repeat(1_000));
    run(&mut match_, "break");
    match_.drain();
    let told = match_.journal.iter().filter_map(|entry| {
        let JournalEvent::Ran { code, by, trouble } = &entry.event else { return None };
        Some((entry.agent.clone().unwrap(), code.len(), by.as_str(), trouble.as_str()))
    });
    let told: Vec<_> = told.collect();
    let (agent, trouble) = ("a0".to_owned(), "worker.luau:7: it broke");
    assert_eq!(told, [(agent.clone(), 300, "ann", ""), (agent, 5, "ann", trouble)]);
    assert_eq!(match_.snapshot().counters.script_errors, 0);
}

#[test]
fn a_team_that_leaves_runs_nothing() {
    let mut match_ = team(1);
    match_.input(Input::Drain);
    run(&mut match_, "x");
    match_.drain();
    let error = match_.answered::<RunScript>().1.unwrap_err();
    assert_eq!(error.to_string(), "the team is leaving");
}

#[test]
fn a_flood_of_requests_is_refused_not_kept() {
    let mut match_ = team(1);
    for _ in 0..1_000 {
        run(&mut match_, "x");
    }
    match_.drain();
    let busy = |answer: &Answer| matches!(answer, Err(CommandError::Busy(_)));
    let refused = match_.answers.iter().filter(|(_, answer)| busy(answer));
    assert_eq!((refused.count(), match_.answers.len()), (1_000 - 64, 1_000));
}

fn profile(match_: &mut Match, turns: u32) -> Ticket {
    let ticket = match_.send("", ProfileScripts { turns });
    match_.drain();
    ticket
}

/// The turns of every measurement that was answered, in order.
fn profiles(match_: &mut Match) -> Vec<(Ticket, u32)> {
    let profile = |(ticket, answer)| (ticket, ProfileScripts::answer(answer).unwrap().turns);
    match_.answers.drain(..).map(profile).collect()
}

#[test]
fn a_profile_ends_after_its_turns_and_whoever_joins_gets_it_too() {
    let mut match_ = team(1);
    let first = profile(&mut match_, 2);
    match_.turn(1);
    let second = profile(&mut match_, 50);
    assert_eq!(profiles(&mut match_), []);
    match_.turn(2);
    assert_eq!(profiles(&mut match_), [(first, 2), (second, 2)]);
    match_.turn(3);
    let calls = match_.calls();
    let measured = ["start profile", "plan", "decide 0", "plan", "decide 0", "take profile"];
    assert_eq!(calls[..6], measured);
    assert_eq!(calls.len(), 8, "once, and an unmeasured turn");
}

#[test]
fn a_profile_ends_with_the_match_or_the_team() {
    let mut match_ = team(1);
    let first = profile(&mut match_, 50);
    match_.turn(1);
    match_.event(AgentId(0), Event::MatchOver);
    assert_eq!(profiles(&mut match_), [(first, 1)]);
    let mut match_ = team(1);
    let first = profile(&mut match_, 50);
    match_.input(Input::Drain);
    assert_eq!(profiles(&mut match_), [(first, 0)]);
    assert!(match_.drained);
}

#[test]
fn pieces_of_script_together_take_no_more_of_a_turn_than_one_may() {
    let mut match_ = team(2);
    match_.ask(0, 1);
    match_.drain();
    match_.calls();
    for _ in 0..3 {
        run(&mut match_, "1");
        match_.drain();
    }
    assert_eq!(match_.calls(), ["run 0 100ms"]);
    match_.ask(1, 1);
    match_.drain();
    let calls = ["plan", "decide 0", "decide 1", "run 0 100ms", "run 0 100ms"];
    assert_eq!(match_.calls(), calls, "the others when the answers have left");
}
