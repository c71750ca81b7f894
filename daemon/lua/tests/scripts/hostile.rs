//! Scripts that want all the time, all the memory, or out. Each is stopped with a clear error, and
//! the other agents' actions are the same as without it. Nothing here measures time: a script that
//! is not stopped runs until the test runner's own limit.

use crate::stage::{AMPLE, SKIP, Stage};
use phalanx_engine::BrainErrorKind::{self, Answer, Budget, Memory, Script};
use phalanx_lua::Limits;
use rstest::rstest;
use std::time::Duration;

/// Short, so that endless scripts end soon; whatever it is, they must end.
const SHORT: Duration = Duration::from_millis(30);

/// What may happen: some bombs hit the time or the memory first, as the machine is quick or slow.
const EITHER: &[BrainErrorKind] = &[Budget, Memory];
const ANY: &[BrainErrorKind] = &[Budget, Memory, Script];

#[rstest]
#[case::a_loop("while true do end", &[Budget])]
#[case::a_repeat("repeat until false", &[Budget])]
#[case::a_for("for i = 1, math.huge do end", &[Budget])]
#[case::a_loop_with_work("local x = 0 while true do x = x + math.sin(x) end", &[Budget])]
#[case::an_iterator_without_end("for _ in function() return 1 end do end", &[Budget])]
#[case::a_walk_that_starts_again("local t = {1,2,3} while true do for _ in pairs(t) do end end", &[Budget])]
#[case::a_loop_in_pcall("while true do pcall(function() while true do end end) end", &[Budget])]
#[case::nested_pcalls("local function f() pcall(f) while true do pcall(f) end end f()", &[Budget])]
#[case::a_loop_in_xpcall("while true do xpcall(function() while true do end end, function() while true do end end) end", &[Budget])]
#[case::an_error_handler_that_fails("while true do xpcall(error, function() error('again') end) end", &[Budget])]
#[case::a_handler_that_loops("xpcall(error, function() while true do end end) while true do end", &[Budget])]
#[case::a_coroutine("coroutine.wrap(function() while true do end end)()", &[Budget])]
#[case::coroutines_that_catch("while true do local c = coroutine.create(function() pcall(function() while true do end end) while true do end end) coroutine.resume(c) end", &[Budget])]
#[case::coroutines_for_ever(
    "while true do coroutine.resume(coroutine.create(function() coroutine.yield() end)) end",
    EITHER
)]
#[case::nested_coroutines("local function f() coroutine.wrap(f)() end f() while true do end", ANY)]
#[case::a_yield_across_decide("coroutine.yield(act.skip())", &[Script])]
#[case::a_metamethod("local t = setmetatable({}, { __index = function(t, k) while true do end end }) local _ = t.x", &[Budget])]
#[case::a_metamethod_that_calls_itself(
    "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k .. 'x'] end local _ = t.x",
    ANY
)]
#[case::a_comparison("local m = { __lt = function() while true do end end } local a, b = setmetatable({}, m), setmetatable({}, m) local _ = a < b", &[Budget])]
#[case::a_length("local _ = #setmetatable({}, { __len = function() while true do end end })", &[Budget])]
#[case::a_concat("local _ = setmetatable({}, { __concat = function() while true do end end }) .. ''", &[Budget])]
#[case::an_iter("for _ in setmetatable({}, { __iter = function() while true do end end }) do end", &[Budget])]
#[case::a_tostring("tostring(setmetatable({}, { __tostring = function() while true do end end }))", &[Budget])]
#[case::a_tostring_in_a_log_line("log.info(setmetatable({}, { __tostring = function() while true do end end }))", &[Budget])]
#[case::a_sort_comparator("table.sort({3, 2, 1}, function() while true do end end)", &[Budget])]
#[case::a_sort_comparator_that_catches("while true do pcall(table.sort, {3, 2, 1}, function() while true do end end) end", &[Budget])]
#[case::a_comparator_without_order("local t = {} for i = 1, 1e4 do t[i] = i end while true do pcall(table.sort, t, function() return true end) end", &[Budget])]
#[case::sorting_long_texts(
    "local s = ('x'):rep(2e6) local t = {} for i = 1, 1e5 do t[i] = if i % 2 == 0 then s .. 'a' else s .. 'b' if i > 2 then t[i] = t[i - 2] end end while true do table.sort(t) end",
    EITHER
)]
#[case::a_replacement_function("while true do ('x'):rep(1e5):gsub('.', function() while true do end end) end", &[Budget])]
#[case::an_exponential_pattern(
    "local _ = string.find(('a'):rep(40), ('a?'):rep(40) .. ('a'):rep(40))",
    ANY
)]
#[case::a_pattern_of_many_stars("while true do local _ = string.match(('a'):rep(5000), '.-.-.-.-.-.-b') end", &[Budget])]
#[case::a_balanced_pattern("local s = ('('):rep(3e5) while true do local _ = string.find(s, '%b()') end", &[Budget])]
#[case::a_plain_search(
    "local s = ('a'):rep(4e6) while true do pcall(string.find, s .. s, s .. 'b', 1, true) end",
    EITHER
)]
#[case::a_plain_search_as_method(
    "local s = ('a'):rep(4e6) while true do pcall(function() return (s .. s):find(s .. 'b', 1, true) end) end",
    EITHER
)]
#[case::a_split(
    "local s = ('a'):rep(4e6) while true do pcall(string.split, s .. s, s .. 'b') end",
    EITHER
)]
#[case::a_move_of_nothing("while true do pcall(table.move, {}, 1, 2^31 - 2, 1, {}) end", &[Budget])]
#[case::a_short_move_for_ever("while true do table.move({}, 1, 999999, 1, {}) end", EITHER)]
#[case::inserting_in_front("local t = {} while true do table.insert(t, 1, 0) end", EITHER)]
#[case::a_long_text("local s = 'x' while true do s = s .. s end", EITHER)]
#[case::a_huge_repetition("local _ = ('x'):rep(2^31 - 1)", &[Memory, Script])]
#[case::ten_gigabytes("local _ = ('xxxxxxxxxx'):rep(1e9)", ANY)]
#[case::repeating_nothing("while true do local _ = (''):rep(2^31 - 1) end", &[Budget])]
#[case::a_join_of_long_texts(
    "local s = ('x'):rep(1e6) local t = {} for i = 1, 1e5 do t[i] = s end local _ = table.concat(t)",
    EITHER
)]
#[case::a_replacement_that_grows("local s = ('x'):rep(1e5) local _ = s:gsub('.', s)", EITHER)]
#[case::a_format_that_grows(
    "local s = ('x'):rep(1e6) while true do s = string.format('%s%s', s, s) end",
    EITHER
)]
#[case::a_huge_table("local _ = table.create(2^30)", &[Memory, Script])]
#[case::a_growing_table("local t = {} while true do t[#t + 1] = {} end", EITHER)]
#[case::a_growing_table_in_pcall(
    "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end",
    EITHER
)]
#[case::tables_of_tables("local t = {} while true do t = { t } end", EITHER)]
#[case::a_buffer("local t = {} while true do t[#t + 1] = buffer.create(1e6) end", EITHER)]
#[case::closures("local t = {} while true do t[#t + 1] = function() return t end end", EITHER)]
#[case::a_global_hoard(
    "hoard = hoard or {} while true do hoard[#hoard + 1] = ('x'):rep(100) .. #hoard end",
    EITHER
)]
#[case::a_hoard_in_memory("while true do table.insert(me.memory, { #me.memory }) end", EITHER)]
#[case::too_many_results("local _ = { table.unpack({}, 1, 1e7) }", &[Script])]
#[case::recursion("local function f() return 1 + f() end f()", &[Script])]
#[case::recursion_in_pcall("local function f() local ok, e = pcall(f) return f() end f()", ANY)]
#[case::recursion_through_natives("local function f() ('x'):gsub('x', f) end f()", &[Script])]
#[case::recursion_through_sort("local function f() table.sort({2, 1}, f) return true end f()", &[Script])]
#[case::recursion_through_tostring("local t = setmetatable({}, {}) getmetatable(t).__tostring = function() return tostring(t) end tostring(t)", &[Script])]
#[case::a_huge_message("error(('x'):rep(1e7))", &[Script])]
#[case::huge_messages_in_pcall(
    "local s = ('x'):rep(1e6) while true do pcall(error, s) end",
    EITHER
)]
#[case::a_huge_field_name("local x = nil local _ = x[('x'):rep(1e7)]", &[Script])]
#[case::an_error_that_is_a_function("error(print)", &[Script])]
#[case::an_error_that_is_nil("error()", &[Script])]
#[case::an_error_with_a_hostile_text("error(setmetatable({}, { __tostring = function() while true do end end }))", &[Script])]
#[case::a_huge_board_value("local s = ('x'):rep(1e7) board.set('k', s)", &[Script])]
#[case::a_board_of_many("while true do board.set('k' .. math.random(1e9), 1) end", &[Budget])]
#[case::a_megabyte_of_log("local s = ('x'):rep(1e6) while true do log.info(s, s, s) end", EITHER)]
#[case::a_deep_letter("local t = {} for i = 1, 1e5 do t = { t } end team.send('a1', t)", ANY)]
#[case::a_wide_letter("local t = {} for i = 1, 1e5 do t[i] = i end team.send('a1', t)", ANY)]
#[case::a_flood_of_letters("while true do team.send('a1', 1) end", &[Budget])]
#[case::a_flood_of_marks("while true do draw.text(1, 1, 'x') end", &[Budget])]
#[case::a_huge_assignment("local t = {} for i = 1, 1e4 do t[i] = {} end team.assign(t)", &[Script])]
#[case::assignments_for_ever("local t = {} for i = 1, 40 do t[i] = {} for j = 1, 40 do t[i][j] = (i * j) % 7 end end while true do team.assign(t) end", &[Budget])]
#[case::queries_for_ever("while true do world.near(1) end", &[Budget])]
#[case::actions_for_ever("while true do act.move('north') end", &[Budget])]
#[case::a_huge_word("act.move(('north'):rep(1e6))", &[Script])]
#[case::a_frozen_memory("table.freeze(me.memory) me.memory.x = 1", &[Script])]
#[case::a_me_that_bites("setmetatable(me, { __index = function() while true do end end }) me.memory = nil", &[Answer])]
#[case::a_foreign_object("return newproxy and newproxy() or buffer.create(1)", &[Answer])]
#[case::a_bottomless_require("while true do pcall(require, 'lib/none') end", &[Budget])]
#[case::nothing_decided("return nil", &[Answer])]
#[case::a_text_decided("return 'move north'", &[Answer])]
#[case::a_forged_action("return { action = 'move', args = { 'north' } }", &[Answer])]
#[case::an_unknown_action("return act.fly('north')", &[Script])]
#[case::coordinates_that_are_no_numbers("return act['goto']({ x = 0/0, y = math.huge })", &[Script])]
#[case::ten_million_board_keys(
    "for i = 1, 1e7 do board.set('k' .. i, i) end while true do end",
    EITHER
)]
#[case::a_memory_with_cycles("me.memory.me = me me.memory.self = me.memory error('tangled')", &[Script])]
#[case::an_error_in_an_error_handler("xpcall(error, function() error(setmetatable({}, { __tostring = error })) end) error({ message = {} })", &[Script])]
#[case::a_path_out_of_the_strategy("return require('../../etc/passwd')", &[Script])]
#[case::an_absolute_path("return require('/etc/passwd')", &[Script])]
#[case::bytecode("return loadstring('\\27Lua')()", &[Script])]
#[case::an_overwritten_act("act.skip = function() end return act.skip()", &[Script])]
#[case::an_act_of_its_own("act = { skip = function() return {} end } return act.skip()", &[Answer])]
#[case::a_poisoned_library("pairs = nil math = nil string = nil rng = nil _G.rng = nil", &[Script])]
#[case::a_poisoned_metatable("getmetatable('').__index = nil", &[Script])]
#[case::explanations_for_ever("while true do explain(('x'):rep(1e4), { 1, 2, 3 }) end", &[Budget])]
#[case::parameters_for_ever("local i = 0 while true do i += 1 pcall(param, 'p' .. i, { default = 1 }) end", &[Budget])]
fn a_hostile_script_is_stopped_and_hurts_nobody_else(
    #[case] body: &str,
    #[case] kinds: &[BrainErrorKind],
) {
    let source = format!("return {{ decide = function(me)\n{body}\nend }}");
    let scout = "return { decide = function(me)
        me.memory.n = (me.memory.n or 0) + 1
        return if me.memory.n == 1 then act.move('north') else act.sing({ me.memory.n, rng.int(1, 7) })
    end }";
    let honest = |worker: &str, hostile: bool| {
        let mut stage = Stage::new(&[("worker.luau", worker), ("scout.luau", scout)]);
        let mut said = Vec::new();
        for _ in 0..3 {
            if hostile {
                // A script that is expected to fail by itself gets the time for it.
                stage.budget = if kinds.contains(&Budget) { SHORT } else { AMPLE };
                let error = stage.decide(0).expect_err("a hostile script has no answer");
                assert!(kinds.contains(&error.kind), "{:?}: {error}", error.kind);
                assert!(error.message.chars().count() <= 401, "{}", error.message.len());
            }
            stage.budget = AMPLE;
            said.push(stage.decide(2));
            stage.next_turn();
        }
        said
    };
    assert_eq!(honest(&source, true), honest(SKIP, false));
}

#[test]
fn a_file_of_bytecode_is_refused_as_no_luau() {
    let files = [("worker.luau", "\u{1b}LuaQ\0\u{1}\u{4}"), ("scout.luau", SKIP)];
    let error = Stage::try_new(&files, Limits::default()).err().unwrap();
    assert!(error.to_string().contains("worker.luau:1: "), "{error}");
}

#[test]
fn a_budget_stop_says_where() {
    let mut stage = Stage::worker("local n = 0\nwhile true do\nn += 1\nend");
    stage.budget = SHORT;
    let error = stage.decide(0).unwrap_err();
    assert_eq!(error.kind, Budget);
    let (file, line) = error.place.unwrap();
    assert!(file == "worker.luau" && (3..=5).contains(&line), "{file}:{line}");
    assert_eq!(
        (error.role.as_str(), error.message.as_str()),
        ("worker", "used up its time of 30ms")
    );
}

#[test]
fn a_stop_in_one_turn_does_not_reach_into_the_next() {
    let mut stage = Stage::worker("if me.turn == 0 then while true do end end return act.skip()");
    stage.budget = SHORT;
    assert_eq!(stage.decide(0).unwrap_err().kind, Budget);
    stage.budget = AMPLE;
    stage.next_turn();
    assert_eq!(stage.say(0), "skip()");
}

#[test]
fn a_hostile_plan_start_and_finish_are_stopped_too() {
    let forever = "while true do pcall(function() while true do end end) end";
    let worker = format!(
        "return {{ start = function() {forever} end, decide = function() return act.skip() end,
           finish = function() {forever} end }}"
    );
    let team = format!("return {{ plan = function() {forever} end }}");
    let files = [("worker.luau", worker.as_str()), ("team.luau", &team), ("scout.luau", SKIP)];
    let mut stage = Stage::new(&files);
    stage.budget = SHORT;
    assert_eq!(stage.start(0).unwrap_err().kind, Budget);
    assert_eq!(stage.plan().unwrap_err().kind, Budget);
    assert_eq!(stage.finish(0, 0).unwrap_err().kind, Budget);
    stage.budget = AMPLE;
    assert_eq!(stage.say(0), "skip()");
}

#[test]
fn a_file_that_never_ends_loading_is_refused() {
    // Long enough for the other file on a busy machine: both share the time.
    let limits = Limits { load: Duration::from_millis(500), ..Limits::default() };
    let files = [("worker.luau", "while true do end"), ("scout.luau", SKIP)];
    let error = Stage::try_new(&files, limits).err().unwrap();
    assert!(
        error.to_string().contains("worker.luau:1: loading it took longer than 500ms"),
        "{error}"
    );
}
