//! What scripts may not have, and how far one file reaches into another.

use crate::stage::{SKIP, Stage};
use rstest::rstest;

#[rstest]
#[case("io")]
#[case("os")]
#[case("debug")]
#[case("load")]
#[case("loadstring")]
#[case("loadfile")]
#[case("dofile")]
#[case("getfenv")]
#[case("setfenv")]
#[case("collectgarbage")]
#[case("gcinfo")]
#[case("newproxy")]
#[case("string.dump")]
#[case("package")]
#[case("host")]
#[case("_G.os")]
#[case("_G.require")]
fn a_script_does_not_have(#[case] name: &str) {
    assert_eq!(Stage::worker(&format!("assert({name} == nil) return act.skip()")).say(0), "skip()");
}

#[rstest]
#[case::act("act.skip = nil")]
#[case::world("world.here = print")]
#[case::board("board.get = nil")]
#[case::team("team.send = nil")]
#[case::log("log.info = nil")]
#[case::rng("rng.int = nil")]
#[case::draw("draw.cell = nil")]
#[case::a_bound_world("world.of('a1').here = nil")]
#[case::a_library("string.format = nil")]
#[case::math("math.random = nil")]
#[case::the_globals("_G.act = nil")]
#[case::the_globals_raw("rawset(_G, 'act', nil)")]
#[case::raw("rawset(act, 'skip', nil)")]
#[case::cleared("table.clear(act)")]
#[case::the_metatable_of_texts("getmetatable('').__index = function() return 'x' end")]
#[case::the_metatable_of_act("getmetatable(act).__index = print")]
#[case::the_metatable_of_percepts("getmetatable(me.percept).__index = print")]
#[case::setting_a_metatable("setmetatable(act, {})")]
#[case::setting_the_percepts_metatable("setmetatable(me.percept, {})")]
#[case::the_metatable_of_actions("getmetatable(act.skip()).__index = print")]
fn what_is_shared_cannot_be_changed(#[case] attempt: &str) {
    let mut stage = Stage::worker(attempt);
    let said = stage.say(0);
    assert!(said.starts_with("Script worker.luau:2: "), "{said}");
    assert_eq!(stage.say(2), "skip()");
}

#[test]
fn a_role_that_overwrites_names_does_so_for_itself_alone() {
    let worker = "act = { skip = function() return 1 end } board = nil string = nil
        function pairs() error('poison') end
        shared_global = 'poison'
        return { decide = function(me) return act.skip() end }";
    let scout = "return { decide = function(me)
        assert(shared_global == nil and board.get('x') == nil and string.rep('x', 2) == 'xx')
        for _ in pairs({ 1 }) do end
        return act.skip()
    end }";
    let mut stage = Stage::new(&[("worker.luau", worker), ("scout.luau", scout)]);
    assert!(stage.say(0).starts_with("Answer worker.luau:4: decide returned 1"));
    assert_eq!(stage.say(2), "skip()");
}

#[test]
fn a_module_is_loaded_once_for_a_role_and_apart_for_each() {
    let module = "local count = 0\nreturn { next = function() count += 1 return count end }";
    let role = "local a, b = require('lib/count'), require('lib/count')
        assert(a == b)
        a.spoilt = (a.spoilt or 0) + 1
        assert(a.spoilt == 1)
        return { decide = function(me) return act.sing({ a.next() }) end }";
    let mut stage =
        Stage::new(&[("lib/count.luau", module), ("worker.luau", role), ("scout.luau", role)]);
    assert_eq!(stage.decide(0).unwrap().args[0].as_list().unwrap()[0].as_int(), Some(1));
    assert_eq!(stage.decide(1).unwrap().args[0].as_list().unwrap()[0].as_int(), Some(2));
    assert_eq!(stage.decide(2).unwrap().args[0].as_list().unwrap()[0].as_int(), Some(1));
}

#[rstest]
#[case("../../etc/passwd")]
#[case("/etc/passwd")]
#[case("lib/../worker")]
#[case("./worker")]
#[case("lib\\\\paths")]
#[case("worker.luau")]
#[case("")]
#[case("\\0")]
fn require_stays_in_the_bundle(#[case] name: &str) {
    let mut stage = Stage::worker(&format!("require(\"{name}\")"));
    let said = stage.say(0);
    assert!(said.starts_with("Script worker.luau:2: require: there is no module"), "{said}");
}

#[test]
fn require_wants_a_text_and_no_circle() {
    let files = [
        (
            "worker.luau",
            "return { decide = function(me)\nlocal ok, e = pcall(require, 7)\nassert(not ok)\nrequire('lib/a')\nend }",
        ),
        ("scout.luau", SKIP),
        ("lib/a.luau", "return require('lib/b')"),
        ("lib/b.luau", "return require('lib/a')"),
    ];
    let mut stage = Stage::new(&files);
    let want =
        "Script lib/b.luau:1: require: lib/a is being loaded already; two files require each other";
    assert_eq!(stage.say(0), want);
    assert_eq!(stage.say(0), want);
}

#[test]
fn a_module_that_fails_says_its_own_line() {
    let files = [
        ("worker.luau", "return { decide = function(me)\nrequire('lib/a')\nend }"),
        ("scout.luau", SKIP),
        ("lib/a.luau", "\n\nerror('broken')"),
    ];
    assert_eq!(Stage::new(&files).say(0), "Script lib/a.luau:3: broken");
}

#[test]
fn bytecode_is_not_a_script() {
    let error =
        phalanx_lua::Bundle::from_files([("worker.luau", "\u{1b}Lua\u{6}\u{3}")]).map(|bundle| {
            phalanx_lua::check_bundle(&crate::stage::API, bundle.into(), &[], Default::default())
        });
    assert_eq!(error.unwrap()[0].file, "worker.luau");
}
