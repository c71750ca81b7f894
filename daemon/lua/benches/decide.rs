//! What the host adds to a script's own time, beside a plain call through mlua in the same run.
//!
//! Run with `cargo bench -p phalanx-lua`. Divide a time of `decide/…` by that of `plain/…`:
//! `decide/trivial` by `plain/call` is the cost of the interrupt, the timer and the arguments;
//! `decide/one_percept_field` by `plain/eager_percept` that of reading fields only when asked for;
//! `decide/board_*` by `plain/table_*` that of the board; `decide/thirty_lines_1000_agents` by
//! `plain/thirty_lines_1000_calls` that of a whole team. The memory of a VM is printed first.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "criterion's macros; a bench stops at a surprise and tells people"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use phalanx_engine::{Ask, Board, Brain, Generation, Shared, Staged, StrategyOrigin, TeamLink};
use phalanx_game::{
    ActionDoc, AgentId, Api, FieldDoc, Kind, Oracle, QueryDoc, QueryError, Roster, RosterEntry,
    Turn, Value,
};
use phalanx_lua::{Bundle, Limits, LuaBrain};
use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

static API: Api = Api {
    actions: &[ActionDoc { name: "skip", doc: "", params: &[] }],
    percept: &[
        FieldDoc { name: "energy", kind: Kind::Num, doc: "" },
        FieldDoc { name: "things", kind: Kind::Any, doc: "" },
    ],
    queries: &[QueryDoc { name: "here", doc: "", params: &[], returns: Kind::Cell }],
};

/// A percept of sixty things, as in a crowded match.
#[derive(Debug)]
struct Crowd;

impl Oracle for Crowd {
    fn field(&self, _: AgentId, name: &str) -> Option<Value> {
        if name == "energy" {
            return Some(Value::Num(100.0));
        }
        let thing = |i: i32| {
            Value::map([
                ("x", Value::Int(i.into())),
                ("y", Value::Int((-i).into())),
                ("type", Value::from("entity")),
                ("details", Value::from("A")),
            ])
        };
        Some(Value::List((0..60).map(thing).collect()))
    }

    fn query(&self, _: AgentId, _: &str, _: &[Value]) -> Result<Value, QueryError> {
        Ok(Value::cell(1, 2))
    }
}

/// Thirty lines as in a real role: looks at sixty things, remembers, decides.
const THIRTY_LINES: &str = "
    local best, least = nil, math.huge
    local memory = me.memory
    memory.seen = memory.seen or {}
    memory.turns = (memory.turns or 0) + 1
    for index, thing in me.percept.things do
        local cost = math.abs(thing.x) + math.abs(thing.y)
        if thing.type == 'entity' and thing.details ~= 'A' then
            cost += 10
        end
        if memory.seen[index] then
            cost += 1
        end
        if cost < least then
            best, least = index, cost
        end
    end
    if best then
        memory.seen[best] = true
    end
    local here = world.here()
    if memory.turns % 10 == 0 then
        memory.seen = {}
        memory.home = { x = here.x, y = here.y }
    end
    if memory.home then
        local dx = memory.home.x - here.x
        local dy = memory.home.y - here.y
        if math.abs(dx) + math.abs(dy) > 10 then
            return act.skip()
        end
    end
";

fn staged(body: &str) -> Staged {
    let source = format!("return {{ decide = function(me) {body} return act.skip() end }}");
    let bundle = Bundle::from_files([("worker.luau", source.as_str())]).unwrap();
    let generation = Generation {
        number: 1,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    phalanx_lua::stage(Arc::new(bundle), Arc::new(generation)).unwrap()
}

fn team(body: &str, agents: u16) -> LuaBrain {
    let entry = |index| RosterEntry::new(format!("a{index}"), "worker");
    let roles = (0..agents).map(|_| "worker".into()).collect();
    let link = TeamLink {
        roster: Arc::new(Roster { team: "A".into(), agents: (0..agents).map(entry).collect() }),
        api: &API,
        oracle: Rc::new(Crowd),
        shared: Rc::new(RefCell::new(Shared::new(Board::default(), roles))),
        seed: 1,
    };
    LuaBrain::new(link, &staged(body), Limits::default()).unwrap()
}

fn brain(body: &str) -> LuaBrain {
    team(body, 1)
}

fn ask(agent: u16) -> Ask<'static> {
    Ask {
        turn: Turn::new(0, 1),
        tick: 1,
        agent: AgentId(agent),
        present: &[AgentId(0)],
        // A machine that stalls must not end the bench.
        budget: Duration::from_secs(10),
        time_left: Duration::from_secs(1),
    }
}

fn decide(c: &mut Criterion) {
    let mut group = c.benchmark_group("decide");
    let cases = [
        ("trivial", ""),
        ("one_percept_field", "local e = me.percept.energy"),
        ("percept_of_60_things", "local t = me.percept.things"),
        ("one_query", "local h = world.here()"),
        ("ten_queries", "for i = 1, 10 do local h = world.here() end"),
        ("board_set", "board.set('k', 1)"),
        ("board_get", "local v = board.get('k')"),
        ("param", "local v = param('p', { default = 1 })"),
        ("explain", "explain('since')"),
        ("one_random_number", "local r = rng.int(1, 6)"),
        ("a_loop_of_1000", "local n = 0 for i = 1, 1000 do n += i end"),
    ];
    for (name, body) in cases {
        let mut brain = brain(body);
        let ask = ask(0);
        group.bench_function(name, |b| {
            b.iter(|| black_box(brain.decide(&ask).result.unwrap()));
        });
    }
    let mut brain = team(THIRTY_LINES, 1_000);
    group.bench_function("thirty_lines_1000_agents", |b| {
        b.iter(|| {
            for agent in 0..1_000 {
                black_box(brain.decide(&ask(agent)).result.unwrap());
            }
        });
    });
    group.finish();
}

fn plain(c: &mut Criterion) {
    let lua = mlua::Lua::new();
    let mut group = c.benchmark_group("plain");
    let function = |body: &str| -> mlua::Function {
        let source = format!("local t = {{}} return function(me) {body} return {{ me }} end");
        lua.load(source).eval().unwrap()
    };
    let me = lua.create_table().unwrap();
    let cases = [("call", ""), ("table_set", "t.k = 1"), ("table_get", "local v = t.k")];
    for (name, body) in cases {
        let call = function(body);
        group.bench_function(name, |b| {
            b.iter(|| black_box(call.call::<mlua::Table>(&me).unwrap()));
        });
    }
    let percept = || {
        let things = lua.create_table().unwrap();
        for x in 0..60 {
            let thing = lua.create_table().unwrap();
            thing.raw_set("x", x).unwrap();
            thing.raw_set("y", -x).unwrap();
            thing.raw_set("type", "entity").unwrap();
            thing.raw_set("details", "A").unwrap();
            things.raw_push(thing).unwrap();
        }
        let percept = lua.create_table().unwrap();
        percept.raw_set("energy", 100.0).unwrap();
        percept.raw_set("things", things).unwrap();
        percept
    };
    let reads = function("local e = me.percept.energy");
    group.bench_function("eager_percept", |b| {
        b.iter(|| {
            me.raw_set("percept", percept()).unwrap();
            black_box(reads.call::<mlua::Table>(&me).unwrap())
        });
    });
    let world = "world = { here = function() return { x = 1, y = 2 } end }
        act = { skip = function() return {} end }";
    lua.load(world).exec().unwrap();
    let thirty = function(THIRTY_LINES);
    me.raw_set("memory", lua.create_table().unwrap()).unwrap();
    group.bench_function("thirty_lines_1000_calls", |b| {
        b.iter(|| {
            for _ in 0..1_000 {
                me.raw_set("percept", percept()).unwrap();
                black_box(thirty.call::<mlua::Table>(&me).unwrap());
            }
        });
    });
    group.finish();
}

fn load(c: &mut Criterion) {
    let used = brain(THIRTY_LINES).used_memory();
    println!("memory of a VM with one role: {} KiB", used >> 10);
    c.bench_function("swap/stage", |b| b.iter(|| black_box(staged(THIRTY_LINES))));
    let mut brain = brain(THIRTY_LINES);
    brain.decide(&ask(0)).result.unwrap();
    let next = staged(THIRTY_LINES);
    c.bench_function("swap/install", |b| {
        b.iter(|| black_box(brain.install(&next, None).unwrap()));
    });
}

criterion_group!(benches, load, decide, plain);
criterion_main!(benches);
