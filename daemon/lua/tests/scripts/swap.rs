//! From one generation to the next: memories, versions, refusals.

use crate::stage::{API, SKIP, Stage, link, staged};
use phalanx_engine::{
    Brain, BrainErrorKind, Carry, Memory, ParamKind, ParamSpec, Plain, PlainKey, Scene, Scope, View,
};
use phalanx_game::{AgentId, Oracle, QueryError, Turn, Value};
use phalanx_lua::{Limits, Program, Replica};
use rstest::rstest;
use std::sync::Arc;
use std::time::Duration;

/// A worker that counts its decisions and sings the count.
fn counter(head: &str) -> String {
    format!(
        "return {{ {head} decide = function(me)
            me.memory.n = (me.memory.n or 0) + 1
            return act.sing({{ me.memory.n }})
        end }}"
    )
}

fn files(worker: &str) -> [(&str, &str); 2] {
    [("worker.luau", worker), ("scout.luau", SKIP)]
}

#[test]
fn programs_travel_between_threads() {
    fn travels<T: Send + Sync>() {}
    travels::<Program>();
}

#[test]
fn another_generation_decides_and_remembers() {
    let first = counter("");
    let mut stage = Stage::new(&files(&first));
    assert_eq!((stage.say(0), stage.brain.generation()), ("sing([1 values])".into(), 1));
    let second = first.replace("+ 1", "+ 5");
    let before = stage.install(2, &files(&second)).unwrap();
    assert_eq!(before.len(), 1, "only a1 has decided");
    assert_eq!(
        before[0],
        Memory {
            agent: AgentId(0),
            role: "worker".into(),
            version: 0,
            data: Ok(Plain::Table(vec![(PlainKey::Text(b"n".to_vec()), Plain::Num(1.0))])),
        }
    );
    assert_eq!(stage.decide(0).unwrap().args, [Value::List(vec![Value::Int(6)])]);
    assert_eq!(stage.brain.generation(), 2);
}

/// The new worker's file, and how the swap is refused.
#[rstest]
#[case::it_raises_while_loading("error('no')", "Script worker.luau:1: no")]
#[case::it_has_no_decide("return {}", "worker.luau: decide: expected a function, got nil")]
#[case::it_never_ends_loading("while true do end", "loading it took longer than")]
#[case::a_version_without_migrate(
    "return { memory = 2, decide = function(me) return act.skip() end }",
    "Script worker.luau:1: a1: its memory has version 0, the role worker declares 2: write migrate(old_version, memory), or drop all memories: phalanx strategy activate TEAM --reset-memory"
)]
#[case::an_odd_version(
    "return { memory = 'new', decide = function(me) return act.skip() end }",
    "memory: expected the version of memory, a whole number from 1, got \"new\""
)]
#[case::migrate_raises(
    "return { memory = 2, migrate = function(old, memory)\n error('at a loss') end, decide = function(me) return act.skip() end }",
    "Script worker.luau:2: a1: migrate from version 0: at a loss"
)]
#[case::migrate_forgets_to_return(
    "return { memory = 2, migrate = function(old, memory) end, decide = function(me) return act.skip() end }",
    "Answer worker.luau:1: a1: migrate from version 0: returned nil; it returns the memory, a table"
)]
#[case::migrate_returns_functions(
    "return { memory = 2, migrate = function() return { f = print } end, decide = function(me) return act.skip() end }",
    "me.memory.f is a function; memory is plain data"
)]
#[case::migrate_never_ends(
    "return { memory = 2, migrate = function() while true do pcall(function() while true do end end) end end, decide = function(me) return act.skip() end }",
    "Budget worker.luau:1: a1: migrate from version 0: used up the time of the swap"
)]
#[case::a_default_that_never_ends(
    "param('y', { default = (function() while true do end end)() })",
    "worker.luau:1: loading it took longer than"
)]
fn a_refused_swap_changes_nothing(#[case] worker: &str, #[case] want: &str) {
    let first = counter("") + "\n-- board.set is called while loading";
    let first = format!("board.set('loaded', 1) param('greed', {{ default = 1 }})\n{first}");
    let limits = Limits { load: Duration::from_millis(300), ..Limits::default() };
    let mut stage = Stage::try_new(&files(&first), limits).unwrap();
    stage.decide(0).unwrap();
    let params = stage.shared.borrow().params.clone();
    let new = format!("board.set('new', 1) {worker}");
    let error = stage.install(2, &files(&new)).unwrap_err();
    let told = format!("{:?} {error}", error.kind);
    assert!(told.contains(want), "{told}");
    assert_eq!(stage.brain.generation(), 1);
    assert_eq!(stage.decide(0).unwrap().args, [Value::List(vec![Value::Int(2)])]);
    let shared = stage.shared.borrow();
    assert_eq!(shared.board.get("new"), None);
    assert_eq!((shared.board.get("loaded"), &shared.params), (Some(&Value::Int(1)), &params));
}

#[test]
fn migrate_gets_the_old_version_and_the_memory() {
    let mut stage = Stage::new(&files(&counter("memory = 3,")));
    stage.decide(0).unwrap();
    let new = counter(
        "memory = 4, migrate = function(old, memory) return { n = old * 10 + memory.n } end,",
    );
    stage.install(2, &files(&new)).unwrap();
    assert_eq!(stage.run(0, "memory.n").unwrap().text, "31");
    let memories = stage.brain.memories();
    assert_eq!((memories.len(), memories[0].version), (1, 4));
}

#[test]
fn a_fresh_brain_goes_on_with_what_was_remembered() {
    let mut stage = Stage::new(&files(&counter("memory = 3,")));
    for agent in [0, 0, 1] {
        stage.decide(agent).unwrap();
    }
    let memories = stage.brain.memories();
    let mut same = Stage::new(&files(&counter("memory = 3,")));
    same.brain.remember(&memories);
    assert_eq!(same.brain.memories(), memories);
    assert_eq!(same.decide(0).unwrap().args, [Value::List(vec![Value::Int(3)])]);

    let mut next = Stage::new(&files(&counter(
        "memory = 4, migrate = function(old, memory) return { n = old * 10 + memory.n } end,",
    )));
    next.brain.remember(&memories);
    assert_eq!(next.run(0, "memory.n").unwrap().text, "32");
    assert_eq!(next.brain.memories()[1].version, 4);

    let mut other = Stage::new(&files(&counter("memory = 9,")));
    other.brain.remember(&memories);
    let told = other.log();
    assert!(
        told[0].contains("memory has version 3") && told[0].ends_with("begins anew"),
        "{told:?}"
    );
    assert_eq!(other.decide(0).unwrap().args, [Value::List(vec![Value::Int(1)])]);
}

#[test]
fn what_is_not_plain_refuses_the_swap_by_its_path() {
    let keeper = "return { decide = function(me)
        me.memory = { n = 1, plan = { next = function() end } }
        return act.skip()
    end }";
    let mut stage = Stage::new(&files(keeper));
    stage.decide(0).unwrap();
    let error = stage.install(2, &files(&counter(""))).unwrap_err();
    let want = "a1: me.memory.plan.next is a function; memory is plain data";
    assert!(error.message.starts_with(want), "{error}");
    assert!(error.message.ends_with("phalanx strategy activate TEAM --reset-memory"), "{error}");
    assert_eq!((error.place, error.role.as_str()), (None, "worker"), "no line of the new files");
    let new =
        counter("memory = 1, migrate = function(_, memory) assert(memory.plan) return memory end,");
    stage.install(3, &files(&new)).unwrap();
    assert_eq!(stage.run(0, "memory").unwrap().text, "{ n = 1, plan = {} }");
    assert_eq!(
        stage.log(),
        [
            "me.memory.plan.next is a function; memory is plain data: migrate got the memory without it"
        ]
    );
}

#[test]
fn a_cycle_refuses_the_swap_and_forgetting_lifts_it() {
    let keeper =
        "return { decide = function(me) me.memory.me = { me.memory } return act.skip() end }";
    let mut stage = Stage::new(&files(keeper));
    stage.decide(0).unwrap();
    let error = stage.install(2, &files(&counter(""))).unwrap_err();
    assert!(error.message.starts_with("a1: me.memory.me[1]: the table contains itself"), "{error}");
    let mut forgetful = staged(2, &files(&counter(""))).unwrap();
    forgetful.carry = Carry::Forget;
    stage.brain.install(&forgetful, None).unwrap();
    assert_eq!(stage.decide(0).unwrap().args, [Value::List(vec![Value::Int(1)])]);
}

#[test]
fn going_back_to_an_older_version_takes_the_spare_memory() {
    let first = counter("");
    let mut stage = Stage::new(&files(&first));
    stage.decide(0).unwrap();
    let new = counter("memory = 1, migrate = function() return { n = 100 } end,");
    let spare = stage.install(2, &files(&new)).unwrap();
    assert_eq!(stage.run(0, "memory.n").unwrap().text, "100");
    let back = staged(1, &files(&first)).unwrap();
    stage.brain.install(&back, None).unwrap_err();
    stage.brain.install(&back, Some(&spare)).unwrap();
    assert_eq!(stage.run(0, "memory.n").unwrap().text, "1");
}

#[test]
fn the_way_back_is_open_whatever_the_failed_generation_left_behind() {
    let first = counter("memory = 1, migrate = function() error('what is that') end,");
    let new = counter("memory = 2, migrate = function(_, memory) return memory end,");
    let mut stage = Stage::new(&files(&first));
    let spare = stage.install(2, &files(&new)).unwrap();
    assert!(spare.is_empty(), "no earlier decision");
    stage.run(0, "memory.n = 7").unwrap();
    stage.run(1, "memory.print = print").unwrap();
    let back = staged(1, &files(&first)).unwrap();
    stage.brain.install(&back, None).unwrap_err();
    stage.brain.install(&back, Some(&spare)).unwrap();
    let log = stage.log();
    assert!(
        log[0].ends_with("a1: migrate from version 2: what is that; it begins anew"),
        "{log:?}"
    );
    assert_eq!(stage.run(0, "memory.n").unwrap().text, "nil");
    assert_eq!(stage.run(1, "memory.print").unwrap().text, "nil");
}

#[test]
fn an_agent_whose_role_is_gone_takes_that_of_the_roster() {
    let two = |worker| [("worker.luau", worker), ("scout.luau", SKIP), ("digger.luau", SKIP)];
    let mut stage = Stage::new(&two(SKIP));
    stage.shared.borrow_mut().set_role(AgentId(0), "digger");
    stage.decide(0).unwrap();
    stage.install(2, &files(SKIP)).unwrap();
    assert_eq!(stage.shared.borrow().role(AgentId(0)), "worker");
    assert_eq!(stage.say(0), "skip()");
    assert_eq!(stage.log(), ["the new generation has no role digger: it is worker again"]);
}

#[test]
fn values_that_operators_set_outlive_a_swap() {
    let with = "param('greed', { default = 0.5, min = 0, max = 1 })";
    let worker = format!("{with} {SKIP}");
    let mut stage = Stage::new(&files(&worker));
    let set = |stage: &Stage, value| {
        let mut shared = stage.shared.borrow_mut();
        shared.params.set("greed", Scope::Team, Some(&Value::Num(value))).unwrap();
    };
    set(&stage, 0.75);
    stage.install(2, &files(&worker)).unwrap();
    assert_eq!(stage.run(0, "param('greed')").unwrap().text, "0.75");
    stage.install(3, &files(SKIP)).unwrap();
    assert_eq!(stage.shared.borrow().params.spec("greed"), None);
}

#[test]
fn fifty_swaps_leave_no_memory_behind() {
    let worker = "return { decide = function(me)
        me.memory.n = (me.memory.n or 0) + 1
        return act.skip()
    end }";
    let mut stage = Stage::new(&files(worker));
    let mut used = Vec::new();
    for number in 2..52 {
        stage.install(number, &files(worker)).unwrap();
        stage.decide(0).unwrap();
        used.push(stage.brain.used_memory());
    }
    let (least, most) = (used.iter().min().unwrap(), used.iter().max().unwrap());
    assert!(most - least < 64 << 10, "from {least} to {most} bytes");
    assert_eq!(stage.run(0, "memory.n").unwrap().text, "50");
}

#[derive(Debug)]
struct Energy(f64);

impl Oracle for Energy {
    fn field(&self, _: AgentId, name: &str) -> Option<Value> {
        (name == "energy").then_some(Value::Num(self.0))
    }

    fn query(&self, _: AgentId, _: &str, _: &[Value]) -> Result<Value, QueryError> {
        Ok(Value::Nil)
    }
}

fn view(energies: &[f64], memories: Vec<Memory>) -> View {
    let (link, _) = link(7);
    let roles = link.shared.borrow().roles.clone();
    let scene = |(index, energy): (usize, &f64)| {
        let step = u32::try_from(index).unwrap();
        Arc::new(Scene {
            turn: Turn::new(0, step),
            tick: u64::from(step) + 1,
            present: vec![AgentId(0), AgentId(1)],
            roles: roles.clone(),
            oracle: Arc::new(Energy(*energy)),
        })
    };
    View {
        roster: link.roster,
        seed: 7,
        scenes: energies.iter().enumerate().map(scene).collect(),
        board: Default::default(),
        params: Default::default(),
        roles: roles.clone(),
        memories,
        generation: 1,
    }
}

#[test]
fn a_replica_plays_turns_that_were_and_keeps_variables() {
    let worker = "return { decide = function(me)
        board.set('seen', me.percept.energy)
        return act.sing({ me.percept.energy })
    end }";
    let memory = Memory {
        agent: AgentId(0),
        role: "worker".into(),
        version: 0,
        data: Ok(Plain::Table(vec![(PlainKey::Text(b"n".to_vec()), Plain::Num(3.0))])),
    };
    let view = view(&[1.0, 2.0], vec![memory]);
    let staged = staged(1, &files(worker)).unwrap();
    let mut replica = Replica::new(&view, &API, &staged, Limits::default()).unwrap();
    let budget = Duration::from_secs(5);
    for (scene, want) in view.scenes.iter().zip([1, 2]) {
        replica.plan(scene, budget).result.unwrap();
        let said = replica.decide(scene, AgentId(1), budget).result.unwrap();
        assert_eq!(said.args, [Value::List(vec![Value::Int(want)])]);
    }
    assert_eq!(replica.refresh(&view), []);
    let mut eval = |code: &str| replica.eval(AgentId(0), code, budget).result.unwrap().text;
    assert_eq!(eval("board.get('seen'), memory.n"), "nil\n3", "the view's board and memory");
    assert_eq!(eval("kept = percept.energy"), "");
    assert_eq!(eval("kept"), "2");
    assert!(view.board.get("seen").is_none());
    let mut declared = view.clone();
    let kind = ParamKind::Bool;
    let spec =
        ParamSpec { name: "bold".into(), kind, default: Value::Bool(true), doc: String::new() };
    declared.params.declare(spec).unwrap();
    replica.refresh(&declared);
    assert_eq!(
        replica.eval(AgentId(0), "param('bold'), kept", budget).result.unwrap().text,
        "true\n2"
    );
}

#[test]
fn a_replica_tells_all_memories_that_would_refuse_the_swap() {
    let broken = |agent| Memory {
        agent: AgentId(agent),
        role: "worker".into(),
        version: 0,
        data: Err("me.memory.x is a function; memory is plain data".into()),
    };
    let view = view(&[], vec![broken(0), broken(1)]);
    let staged = staged(2, &files(SKIP)).unwrap();
    let mut replica = Replica::new(&view, &API, &staged, Limits::default()).unwrap();
    let refusals = replica.remember(&view.memories, Carry::Strict);
    assert_eq!(refusals.len(), 2);
    assert!(refusals.iter().all(|refusal| refusal.kind == BrainErrorKind::Script));
    assert!(refusals[1].message.starts_with("a2: me.memory.x is a function"), "{}", refusals[1]);
}

/// A scout that declares the second version of its memory.
fn scout(migrate: &str) -> String {
    format!(
        "return {{ memory = 2, {migrate} decide = function(me)
            return act.sing({{ me.memory.sum }})
        end }}"
    )
}

fn hand_over(stage: &mut Stage, carry: Carry) -> Result<(), String> {
    let handed_over = stage.brain.hand_over(AgentId(0), "scout", carry, Duration::from_secs(5));
    handed_over.map_err(|error| error.to_string())?;
    stage.shared.borrow_mut().set_role(AgentId(0), "scout");
    Ok(())
}

#[test]
fn a_role_of_another_version_takes_a_memory_over_through_its_migrate() {
    let (worker, scout) = (
        counter("memory = 1,"),
        scout("migrate = function(version, old) return { sum = version + old.n } end,"),
    );
    let mut stage = Stage::new(&[("worker.luau", &worker), ("scout.luau", &scout)]);
    assert_eq!(stage.brain.roles(), ["scout", "worker"].map(String::from).into());
    stage.decide(0).unwrap();
    hand_over(&mut stage, Carry::Strict).unwrap();
    assert_eq!(stage.decide(0).unwrap().args, [Value::List(vec![Value::Int(2)])]);
    let memories = stage.brain.memories();
    assert_eq!((memories[0].role.as_str(), memories[0].version), ("scout", 2));
}

#[test]
fn a_role_without_migrate_refuses_the_memory_of_another_version() {
    let (worker, scout) = (counter("memory = 1,"), scout(""));
    let mut stage = Stage::new(&[("worker.luau", &worker), ("scout.luau", &scout)]);
    stage.decide(0).unwrap();
    let refused = hand_over(&mut stage, Carry::Strict).unwrap_err();
    let why = "a1: its memory has version 1, the role scout declares 2";
    assert_eq!(refused, format!("scout.luau:1: {why}"));
    assert_eq!(stage.run(0, "memory.n").unwrap().text, "1", "it is as it was");
    hand_over(&mut stage, Carry::Loose).unwrap();
    assert_eq!(stage.run(0, "memory.n").unwrap().text, "nil");
    assert_eq!(stage.log(), [format!("scout.luau:1: {why}; it begins anew")]);
}

#[test]
fn a_role_of_the_same_version_shares_the_memory_unless_it_is_to_begin_anew() {
    let files = [("worker.luau", SKIP), ("scout.luau", SKIP)];
    for (carry, left) in [(Carry::Strict, "5"), (Carry::Forget, "nil")] {
        let mut stage = Stage::new(&files);
        stage.decide(0).unwrap();
        stage.run(0, "memory.n = 5; memory.call = print").unwrap();
        hand_over(&mut stage, carry).unwrap();
        assert_eq!(stage.run(0, "memory.n").unwrap().text, left);
    }
}
