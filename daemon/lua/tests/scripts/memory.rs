//! `me.memory`: what survives turns, roles and the rebuilding of a VM.

use crate::stage::{SKIP, Stage};
use phalanx_game::AgentId;
use phalanx_lua::Limits;

const COUNT: &str = "return { decide = function(me)
    me.memory.n = (me.memory.n or 0) + 1
    return act.sing({ me.memory.n })
end }";

fn sung(stage: &mut Stage, agent: u16) -> i64 {
    let said = stage.decide(agent).unwrap_or_else(|error| panic!("{error}"));
    said.args[0].as_list().unwrap()[0].as_int().unwrap()
}

#[test]
fn memory_belongs_to_the_agent_and_survives_a_change_of_role() {
    let mut stage = Stage::new(&[("worker.luau", COUNT), ("scout.luau", COUNT)]);
    assert_eq!((sung(&mut stage, 0), sung(&mut stage, 0), sung(&mut stage, 1)), (1, 2, 1));
    stage.next_turn();
    stage.shared.borrow_mut().set_role(AgentId(0), "scout");
    assert_eq!((sung(&mut stage, 0), sung(&mut stage, 2)), (3, 1));
}

#[test]
fn memory_can_be_replaced_but_not_by_something_else() {
    let mut stage = Stage::worker(
        "local n = me.memory.n or 0
         me.memory = { n = n + 1 }
         if me.memory.n == 2 then me.memory = 'gone' end
         return act.sing({ n + 1 })",
    );
    let sung: Vec<_> = (0..3).map(|_| sung(&mut stage, 0)).collect();
    assert_eq!(sung, [1, 2, 2]);
}

#[test]
fn what_was_remembered_before_a_failure_stays() {
    let mut stage = Stage::worker(
        "me.memory.n = (me.memory.n or 0) + 1
         if me.memory.n == 1 then error('once') end
         return act.sing({ me.memory.n })",
    );
    stage.decide(0).unwrap_err();
    assert_eq!(sung(&mut stage, 0), 2);
}

/// A strategy whose worker fills the memory for good in one turn.
fn hoarder(in_memory: &str) -> Stage {
    let worker = format!(
        "hoard = {{}}
         return {{ decide = function(me)
             local keep = me.memory
             keep.n = (keep.n or 0) + 1
             keep[1.5] = {{ [true] = 'yes', list = {{ 1, 2, 3 }} }}
             {in_memory}
             if keep.n == 2 then while true do hoard[#hoard + 1] = {{}} end end
             assert(keep[1.5][true] == 'yes' and #keep[1.5].list == 3)
             return act.sing({{ keep.n }})
         end }}"
    );
    let limits = Limits { memory_bytes: 4 << 20, ..Limits::default() };
    let files = [("worker.luau", worker.as_str()), ("scout.luau", COUNT)];
    Stage::try_new(&files, limits).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_full_vm_is_rebuilt_and_memories_are_carried_over() {
    let mut stage = hoarder("");
    assert_eq!((sung(&mut stage, 0), sung(&mut stage, 2)), (1, 1));
    let error = stage.decide(0).unwrap_err();
    assert_eq!(error.message, "used up the team's memory of 4 MiB");
    assert_eq!(stage.brain.rebuilds(), 1);
    assert_eq!((sung(&mut stage, 0), sung(&mut stage, 2)), (3, 2));
    assert_eq!(stage.brain.rebuilds(), 1);
    assert_eq!(stage.log(), ["the strategy filled its memory: its VM was rebuilt"]);
}

#[test]
fn a_memory_that_is_not_plain_data_is_lost_with_the_path_to_the_culprit() {
    let mut stage = hoarder("keep.deep = { keep } ");
    assert_eq!((sung(&mut stage, 0), sung(&mut stage, 2)), (1, 1));
    stage.decide(0).unwrap_err();
    assert_eq!((sung(&mut stage, 0), sung(&mut stage, 2)), (1, 2));
    let log = stage.log();
    assert_eq!(
        log[0],
        "its memory could not be carried over and is empty now: me.memory.deep[1]: the table contains itself; memory is plain data"
    );
}

#[test]
fn a_hoard_in_memory_itself_costs_only_its_owner() {
    let hoarder = "return { decide = function(me)
        while true do table.insert(me.memory, { #me.memory }) end
    end }";
    let limits = Limits { memory_bytes: 8 << 20, ..Limits::default() };
    let mut stage = Stage::try_new(&[("worker.luau", hoarder), ("scout.luau", COUNT)], limits)
        .unwrap_or_else(|error| panic!("{error}"));
    for turn in 1..=5 {
        stage.decide(0).unwrap_err();
        assert_eq!(sung(&mut stage, 2), turn);
    }
    assert!(stage.brain.used_memory() < 8 << 20);
}

#[test]
fn garbage_alone_is_collected_without_a_rebuild() {
    let litter = "return { decide = function(me)
        for i = 1, 2e4 do local _ = { i, tostring(i) } end
        return act.skip()
    end }";
    let limits = Limits { memory_bytes: 4 << 20, ..Limits::default() };
    let mut stage = Stage::try_new(&[("worker.luau", litter), ("scout.luau", SKIP)], limits)
        .unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..30 {
        assert_eq!(stage.say(0), "skip()");
    }
    assert_eq!(stage.brain.rebuilds(), 0);
}
