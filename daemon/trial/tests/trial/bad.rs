//! Bad strategies and what is told about them.

use crate::stage::{SKIP, bundle, candidate, scripts, shown, worker};
use crate::view::view;
use phalanx_lua::Bundle;
use std::sync::Arc;

#[test]
fn the_shipped_strategy_has_no_findings() {
    let lib = scripts().join("lib");
    let shipped = Bundle::read(&scripts().join("assemble"), &[&lib]).unwrap();
    let report = phalanx_trial::run(&Arc::new(shipped), &candidate());
    assert_eq!(shown(&report), "");
    assert!(report.program.is_some());
    assert!(!report.cost.is_zero());
}

#[test]
fn a_sound_strategy_passes() {
    let report = worker(SKIP);
    assert!(report.passed(), "{}", shown(&report));
    assert_eq!(report.hash, bundle(&[("worker.luau", SKIP), ("scout.luau", SKIP)]).hash());
}

#[test]
fn all_mistakes_are_told_at_once() {
    let source = r#"
local geo = require("lib/goe")
local greed = param("greed", { default = 0.5 })
local function twice(a, b) return a + b end
return {
    decide = function(me)
        local unused = wrold.here()
        if me.percept.energie > 1 then
            return act.mov("n")
        end
        board.get()
        team.role("a1", "a2")
        act.move("north")
        act:move("n")
        log.info(twice(1, 2, 3), os.time())
        local there = world.of("a1").hear()
        board.get = nil
        return act.clear(1)
    end,
}
"#;
    let report = worker(source);
    assert!(!report.passed());
    insta::assert_snapshot!(shown(&report));
}

#[test]
fn the_last_turns_are_rehearsed() {
    let mut playing = candidate();
    playing.view = Some(view());
    let worker = "return { decide = function(me)\n\
                  if me.turn == 5 then return act.move(me.percept.last_action) end\n\
                  assert(me.memory.goal == 7 or me.name == 'a2')\n\
                  return act.skip() end }";
    let report =
        phalanx_trial::run(&bundle(&[("worker.luau", worker), ("scout.luau", SKIP)]), &playing);
    assert_eq!(report.turns_rehearsed, 2);
    insta::assert_snapshot!(shown(&report));
}
