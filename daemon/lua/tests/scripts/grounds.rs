//! What is kept of a decision: where its action was made, and what the script read from the board.

use crate::stage::{SKIP, Stage};
use phalanx_engine::{Brain, LookKind, Provenance};
use phalanx_game::Value;

fn grounds(stage: &mut Stage, agent: u16) -> Provenance {
    stage.outcome(agent, |brain, ask| brain.decide(ask)).grounds
}

fn place(grounds: &Provenance) -> Option<String> {
    grounds.place.as_ref().map(|(file, line)| format!("{file}:{line}"))
}

/// Key, kind and what the script got, in the order in which it looked.
fn looks(grounds: &Provenance) -> Vec<(&str, LookKind, &Value)> {
    let looks = grounds.board.looks().iter();
    looks.map(|look| (look.key.as_str(), look.kind, &look.got)).collect()
}

#[test]
fn a_decision_knows_the_line_in_which_its_action_was_made() {
    let mut stage = Stage::worker("local other = act.skip()\nlocal mine = act.skip()\nreturn mine");
    assert_eq!(place(&grounds(&mut stage, 0)).as_deref(), Some("worker.luau:3"));
    let module = "local ways = {}\nfunction ways.home()\n  return act.skip()\nend\nreturn ways";
    let worker = "local ways = require('lib/ways')\nreturn { decide = function()\n\
                  return ways.home()\nend }";
    let kept = "local KEPT = act.skip()\nreturn { decide = function() return KEPT end }";
    let files = [("worker.luau", worker), ("scout.luau", kept), ("lib/ways.luau", module)];
    let mut stage = Stage::new(&files);
    assert_eq!(place(&grounds(&mut stage, 0)).as_deref(), Some("lib/ways.luau:3"));
    assert_eq!(place(&grounds(&mut stage, 2)).as_deref(), Some("scout.luau:1"));
    let mut stage = Stage::worker(
        "local make = coroutine.wrap(function()\n  \
                                   coroutine.yield(act.skip())\nend)\nreturn make()",
    );
    assert_eq!(place(&grounds(&mut stage, 0)).as_deref(), Some("worker.luau:3"));
}

#[test]
fn a_reason_knows_the_line_in_which_it_was_given() {
    let explained = |stage: &mut Stage| {
        let Provenance { explained, .. } = grounds(stage, 0);
        explained.map(|(file, line)| format!("{file}:{line}"))
    };
    let mut stage = Stage::worker("explain('first')\nexplain('last')\nreturn act.skip()");
    assert_eq!(explained(&mut stage).as_deref(), Some("worker.luau:3"), "the one that is kept");
    let once = "if not me.memory.said then explain('once') end\nme.memory.said = true";
    let mut stage = Stage::worker(&format!("{once}\nreturn act.skip()"));
    assert_eq!(explained(&mut stage).as_deref(), Some("worker.luau:2"));
    assert_eq!(explained(&mut stage), None, "this decision has no reason");
}

#[test]
fn a_decision_that_failed_knows_where_and_what_it_had_read() {
    let mut stage = Stage::worker("local goal = board.get('goal')\nreturn goal.x");
    let failed = grounds(&mut stage, 0);
    assert_eq!(place(&failed).as_deref(), Some("worker.luau:3"));
    assert_eq!(looks(&failed), [("goal", LookKind::Value, &Value::Nil)]);
    let mut stage = Stage::worker("return 7");
    assert_eq!(place(&grounds(&mut stage, 0)).as_deref(), Some("worker.luau:1"), "its decide");
}

#[test]
fn what_the_script_read_from_the_board_goes_with_its_decision() {
    let mut stage = Stage::worker(
        "board.get('goal') board.get('goal') board.get('none')
         board.set('goal', 2) board.get('goal')
         board.holder('dig') board.claim('dig') board.holder('dig')
         board.each('task/')
         return act.skip()",
    );
    {
        let mut shared = stage.shared.borrow_mut();
        shared.board.set("goal", Value::Int(1), "team", None).unwrap();
        shared.board.set("task/a", Value::cell(1, 2), "team", None).unwrap();
    }
    let (one, held, cell) = (Value::Int(1), Value::Bool(true), Value::cell(1, 2));
    let expected = [
        ("goal", LookKind::Value, &one),
        ("none", LookKind::Value, &Value::Nil),
        ("dig", LookKind::Holder, &Value::Nil),
        ("dig", LookKind::Claim, &held),
        ("task/a", LookKind::Value, &cell),
    ];
    assert_eq!(looks(&grounds(&mut stage, 0)), expected);
}

#[test]
fn what_others_read_is_no_part_of_a_decision() {
    let team = "return { plan = function() board.get('plan') end }";
    let worker = "return { start = function() board.get('start') end,\n\
                  decide = function(me) if me.name == 'a1' then board.get('mine') end\n\
                  return act.skip() end }";
    let files = [("worker.luau", worker), ("scout.luau", SKIP), ("team.luau", team)];
    let mut stage = Stage::new(&files);
    stage.start(0).unwrap();
    stage.plan().unwrap();
    assert_eq!(looks(&grounds(&mut stage, 0)), [("mine", LookKind::Value, &Value::Nil)]);
    assert_eq!(looks(&grounds(&mut stage, 1)), []);
}
