//! Pieces of script that operators run in the living VM.

use crate::stage::{AMPLE, Stage};
use phalanx_engine::{Brain, BrainErrorKind, LOG_LINES_MAX};
use rstest::rstest;
use std::time::Duration;

const WORKER: &str = "me.memory.n = (me.memory.n or 0) + 1 return act.skip()";

#[rstest]
#[case::an_expression("1 + 1", "2")]
#[case::several("1, 'a', nil", "1\n\"a\"\nnil")]
#[case::nothing("", "")]
#[case::statements("local x = 2 return x * 3", "6")]
#[case::an_assignment("x = 1", "")]
#[case::the_agent("me.name, me.role", "\"a1\"\n\"worker\"")]
#[case::the_percept("percept.energy", "100")]
#[case::the_world("world.here()", "{ x = 0, y = 10 }")]
#[case::an_action(
    "act.move('north'), act['goto']({x=1,y=2}, 2)",
    "act.move(\"north\")\nact.goto({ x = 1, y = 2 }, 2)"
)]
#[case::sorted_keys(
    "{ b = 1, a = { 1, 2, [1.5] = true }, ['a b'] = 0/0, ['end'] = math.huge }",
    "{ a = { 1, 2, [1.5] = true }, [\"a b\"] = 0/0, b = 1, [\"end\"] = math.huge }"
)]
#[case::texts("'a\\n\\0\\\"\\255'", "\"a\\n\\u{0}\\\"\\xff\"")]
#[case::itself("(function() local t = {} t.t = t return t end)()", "{ t = <the table itself> }")]
#[case::functions("{ print }", "{ <function> }")]
#[case::no_tostring_is_called(
    "setmetatable({}, { __tostring = function() while true do end end })",
    "{}"
)]
#[case::an_empty_table("{}", "{}")]
fn results_are_told_as_luau(#[case] code: &str, #[case] want: &str) {
    assert_eq!(Stage::worker(WORKER).run(0, code).unwrap().text, want);
}

#[test]
fn a_wide_table_takes_lines_and_a_whole_percept_is_read() {
    let text = Stage::worker(WORKER).run(0, "percept").unwrap().text;
    assert!(
        text.starts_with(
            "{\n    energy = 100,\n    things = {\n        { type = \"block\", x = 1 },\n"
        ),
        "{text}"
    );
}

#[test]
fn memory_is_the_agents_own_and_names_stay() {
    let mut stage = Stage::worker(WORKER);
    stage.decide(0).unwrap();
    assert_eq!(stage.run(0, "memory.n += 10 kept = memory.n return kept").unwrap().text, "11");
    stage.decide(0).unwrap();
    assert_eq!(stage.run(0, "memory.n, kept").unwrap().text, "12\n11");
    stage.run(0, "memory = { n = 50 }").unwrap();
    assert_eq!(stage.run(0, "me.memory.n").unwrap().text, "50");
    assert_eq!(stage.run(1, "memory.n").unwrap().text, "nil");
}

#[test]
fn what_is_printed_comes_back_and_is_bounded() {
    let mut stage = Stage::worker(WORKER);
    let ran = stage.run(0, "print('a', 1) log.warn('b')").unwrap();
    assert_eq!(ran.lines, ["a 1", "b"]);
    let ran = stage.run(0, "for i = 1, 1e4 do print(('x'):rep(1e3)) end").unwrap();
    assert_eq!(ran.lines.len(), LOG_LINES_MAX + 1);
    assert!(stage.log().is_empty(), "the team's log has nothing of it");
    assert_eq!(stage.say(0), "skip()");
}

#[rstest]
#[case::syntax("1 +", "Script input:1: ")]
#[case::syntax_in_line_2("local a = 1\nlocal = 2", "Script input:2: ")]
#[case::runtime("local a = 1\nerror('no')", "Script input:2: no")]
#[case::an_unknown_action(
    "act.mve('n')",
    "Script input:1: act.mve: there is no such action; did you mean 'move'?"
)]
#[case::overwriting("act.skip = nil", "Script input:1: ")]
#[case::a_tostring_without_end(
    "print(setmetatable({}, { __tostring = function() while true do end end }))",
    "Budget input:1: used up its time"
)]
#[case::an_endless_loop(
    "while true do pcall(function() while true do end end) end",
    "Budget input:1: used up its time"
)]
#[case::a_false_percept(
    "setmetatable({}, { __metatable = 'percept', __iter = function() while true do end end })",
    "Budget input:1: used up its time"
)]
#[case::ten_gigabytes("local s = ('x'):rep(1e6) while true do s ..= s end", "")]
fn failures_are_told_with_their_line(#[case] code: &str, #[case] want: &str) {
    let mut stage = Stage::worker(WORKER);
    stage.budget = Duration::from_millis(50);
    let error = stage.run(0, code).unwrap_err();
    let told = format!("{:?} {error}", error.kind);
    assert!(told.starts_with(want), "{told}");
    stage.budget = AMPLE;
    assert_eq!(stage.say(0), "skip()");
}

#[test]
fn too_much_code_and_too_large_results_are_cut() {
    let mut stage = Stage::worker(WORKER);
    let error = stage.run(0, &"-".repeat(1 << 20)).unwrap_err();
    assert_eq!(error.message, "a piece of script has at most 65536 bytes");
    let ran = stage.run(0, "local t = {} for i = 1, 1e5 do t[i] = { i } end return t").unwrap();
    assert!(ran.text.ends_with("…,\n}"), "{}", &ran.text[ran.text.len() - 30..]);
    let deep = "local t = {} for i = 1, 1e4 do t = { t } end return t";
    assert!(stage.run(0, deep).unwrap().text.contains("{ … }"));
}

#[test]
fn what_an_operator_runs_costs_nobody_else() {
    let mut stage = Stage::worker(WORKER);
    let error = stage
        .outcome(0, |brain, ask| {
            brain.run(ask, "hoard = {} while true do hoard[#hoard + 1] = {} end")
        })
        .result
        .unwrap_err();
    assert!(matches!(error.kind, BrainErrorKind::Budget | BrainErrorKind::Memory), "{error}");
    assert_eq!((stage.say(0), stage.say(2)), ("skip()".into(), "skip()".into()));
}
