//! Bad strategies and the messages about them.

use crate::stage::{SKIP, bundle, candidate, roster, scripts, shown, worker};
use crate::view::view;
use phalanx_engine::Carry;
use phalanx_game::RosterEntry;
use phalanx_lua::Bundle;
use phalanx_trial::Candidate;
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
fn a_tuned_value_that_no_file_declares_is_a_warning() {
    let worker = "param('greed', { default = 0.5 }) return { decide = act.skip }";
    let tried = |tuned: &str| {
        let files = [("worker.luau", worker), ("scout.luau", SKIP), ("tuned.toml", tuned)];
        phalanx_trial::run(&bundle(&files), &candidate())
    };
    let misspelt = tried("[values]\ngreed = 0.8\ngreeed = 1\n");
    assert!(misspelt.passed());
    let expected = "no file declares the parameter greeed when it loads; did you mean greed?";
    assert!(shown(&misspelt).contains(expected), "{}", shown(&misspelt));
    assert_eq!(shown(&tried("[values]\ngreed = 0.8\n")), "");
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

/// Its last turns know three agents: since then the scout has gone and a digger has come.
fn changed() -> Candidate {
    let mut playing = candidate();
    let mut roster = roster();
    roster.agents[2].gone = true;
    roster.agents.push(RosterEntry::new("a4", "digger"));
    let mut view = view();
    view.roles.push("digger".into());
    (view.roster, playing.roster) = (Arc::new(roster.clone()), Arc::new(roster));
    playing.roles = ["digger", "worker"].map(String::from).into();
    playing.view = Some(view);
    playing
}

#[test]
fn agents_that_came_and_went_since_the_last_turns_are_those_that_count() {
    let worker = "return { decide = function(me)\n\
                  assert(#team.all() == 3 and me.name ~= 'a3')\n\
                  return act.skip() end }";
    let digger = SKIP.replace("act.skip()", "act.dig()");
    let files = [("worker.luau", worker), ("digger.luau", digger.as_str())];
    let report = phalanx_trial::run(&bundle(&files), &changed());
    let told: Vec<_> = report.faults().iter().map(ToString::to_string).collect();
    assert!(told.len() == 1 && told[0].starts_with("digger.luau:1"), "it is rehearsed: {told:?}");
    assert_eq!(report.turns_rehearsed, 2);
    let files = [("worker.luau", worker), ("digger.luau", SKIP)];
    let report = phalanx_trial::run(&bundle(&files), &changed());
    assert!(report.passed(), "no agent is a scout: {}", shown(&report));
    let report = phalanx_trial::run(&bundle(&[files[0], ("scout.luau", SKIP)]), &changed());
    assert!(shown(&report).contains("no file for the role digger"), "{}", shown(&report));
}

/// A worker whose memory declares another version than the view's.
const OTHER_VERSION: &str = "return { memory = 2, decide = function(me) return act.skip() end }\n";

#[test]
fn a_function_in_a_memory_is_refused_at_the_role_with_its_path() {
    let mut playing = candidate();
    playing.view = Some(view());
    let worker = "return { decide = function(me)\n\
                  me.memory.f = function() end\n\
                  return act.skip() end }\n";
    let files = bundle(&[("worker.luau", worker), ("scout.luau", SKIP)]);
    let report = phalanx_trial::run(&files, &playing);
    let faults = report.faults();
    let told: Vec<_> = faults.iter().map(|fault| (fault.fatal, fault.to_string())).collect();
    let want = "worker.luau: worker: me.memory.f is a function; memory is plain data";
    assert_eq!(told, [(true, want.to_owned())], "once, though two workers decide");
    playing.options.carry = Carry::Loose;
    let report = phalanx_trial::run(&files, &playing);
    assert!(report.passed() && report.faults().len() == 1, "{}", shown(&report));
}

#[test]
fn the_way_back_is_open_and_tells_what_is_lost() {
    let mut playing = candidate();
    playing.view = Some(view());
    let files = bundle(&[("worker.luau", OTHER_VERSION), ("scout.luau", SKIP)]);
    let strict = phalanx_trial::run(&files, &playing);
    assert!(!strict.passed());
    let told = strict.faults()[0].message.clone();
    assert!(told.ends_with("phalanx strategy activate TEAM --reset-memory"), "{told}");
    playing.options.carry = Carry::Loose;
    let loose = phalanx_trial::run(&files, &playing);
    assert!(loose.passed(), "{}", shown(&loose));
    let told = &loose.faults()[0].message;
    assert_eq!(
        told,
        "a1: its memory has version 0, the role worker declares 2; \
         it gets what it remembered when this generation decided last, or begins anew"
    );
    playing.options.carry = Carry::Forget;
    assert!(phalanx_trial::run(&files, &playing).faults().is_empty());
}
