//! What the host adds to a script's own time, beside a plain call through mlua.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "criterion's macros; a bench stops at a surprise"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use phalanx_engine::{Ask, Board, Brain, Generation, Shared, StrategyOrigin, TeamLink};
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

fn brain(body: &str) -> LuaBrain {
    let source = format!("return {{ decide = function(me) {body} return act.skip() end }}");
    let bundle = Bundle::from_files([("worker.luau", source.as_str())]).unwrap();
    let entry = RosterEntry { name: "a1".into(), role: "worker".into() };
    let link = TeamLink {
        roster: Arc::new(Roster { team: "A".into(), agents: vec![entry] }),
        api: &API,
        oracle: Rc::new(Crowd),
        shared: Rc::new(RefCell::new(Shared::new(Board::default(), vec!["worker".into()]))),
        seed: 1,
    };
    let generation = Generation {
        number: 1,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    let staged = phalanx_lua::stage(Arc::new(bundle), Arc::new(generation)).unwrap();
    LuaBrain::new(link, &staged, Limits::default()).unwrap()
}

fn decide(c: &mut Criterion) {
    let mut group = c.benchmark_group("decide");
    let cases = [
        ("trivial", ""),
        ("one_percept_field", "local e = me.percept.energy"),
        ("percept_of_60_things", "local t = me.percept.things"),
        ("one_query", "local h = world.here()"),
        ("ten_queries", "for i = 1, 10 do local h = world.here() end"),
        ("board_set_and_get", "board.set('k', 1) local v = board.get('k')"),
        ("one_random_number", "local r = rng.int(1, 6)"),
        ("a_loop_of_1000", "local n = 0 for i = 1, 1000 do n += i end"),
    ];
    for (name, body) in cases {
        let mut brain = brain(body);
        let ask = Ask {
            turn: Turn::new(0, 1),
            tick: 1,
            agent: AgentId(0),
            present: &[AgentId(0)],
            budget: Duration::from_millis(100),
            time_left: Duration::from_secs(1),
        };
        group.bench_function(name, |b| {
            b.iter(|| black_box(brain.decide(&ask).result.unwrap()));
        });
    }
    group.finish();
}

fn plain(c: &mut Criterion) {
    let lua = mlua::Lua::new();
    let call: mlua::Function = lua
        .load("local t = {} return function(me) return { action = 'skip', me = me } end")
        .eval()
        .unwrap();
    let me = lua.create_table().unwrap();
    c.bench_function("plain_mlua_call", |b| {
        b.iter(|| black_box(call.call::<mlua::Table>(&me).unwrap()));
    });
}

fn load(c: &mut Criterion) {
    c.bench_function("load_a_strategy", |b| b.iter(|| black_box(brain(""))));
}

criterion_group!(benches, decide, plain, load);
criterion_main!(benches);
