//! Which specs run, in which order, and what stops them.

use crate::stage::{AMPLE, API, options, run, run_with, told};
use phalanx_lua::{Limits, Program, SpecOptions, SpecOutcome, SpecReport, SpecSetting};
use rstest::rstest;
use std::time::Duration;

const SKIP: &str = "return { decide = function(me) return act.skip() end }";

fn spec(source: &str) -> SpecReport {
    run(&[("worker.luau", SKIP), ("spec/x_spec.luau", source)])
}

fn tree(report: &SpecReport) -> Vec<String> {
    report.cases.iter().map(|case| format!("{} {}", case.name(), told(case))).collect()
}

#[test]
fn specs_run_in_order_of_files_and_lines() {
    let report = run(&[
        ("worker.luau", SKIP),
        ("spec/b_spec.luau", "it('late', function() end)"),
        (
            "spec/a_spec.luau",
            "describe('outer', function()
                it('one', function() end)
                describe('inner', function() it('two', function() end) end)
                it.skip('three', function() error('x') end)
            end)
            describe.skip('off', function() it('four', function() end) end)
            it.skip('five')",
        ),
        ("spec/tools.luau", "error('a module is loaded when it is required')"),
    ]);
    assert_eq!(
        tree(&report),
        [
            "outer > one passed",
            "outer > inner > two passed",
            "outer > three skipped",
            "off > four skipped",
            "five skipped",
            "late passed"
        ]
    );
    assert_eq!(report.cases.iter().map(|case| case.line).collect::<Vec<_>>(), [2, 3, 4, 6, 7, 1]);
    assert!(report.passed());
    assert_eq!((report.passed_count(), report.skipped_count(), report.failed_count()), (3, 3, 0));
}

#[test]
fn hooks_run_from_outside_in_and_back() {
    let report = spec(
        "local seen = {}
        local function note(word) return function() table.insert(seen, word) end end
        before_each(note('before'))
        after_each(note('after'))
        describe('d', function()
            before_each(note('inner before'))
            after_each(note('inner after'))
            it('fails', function() note('it')() error('x') end)
        end)
        it('saw', function()
            expect(seen).to_equal({ 'before', 'inner before', 'it', 'inner after', 'after', 'before' })
        end)",
    );
    assert_eq!(tree(&report), ["d > fails spec/x_spec.luau:8: x", "saw passed"]);
}

#[rstest]
#[case::before(
    "before_each(function() error('early') end)\nit('x', function() end)",
    "spec/x_spec.luau:1: early"
)]
#[case::after(
    "after_each(function() error('late') end)\nit('x', function() end)",
    "spec/x_spec.luau:1: late"
)]
#[case::both(
    "after_each(function() error('late') end)\nit('x', function() error('first') end)",
    "spec/x_spec.luau:2: first"
)]
fn a_hook_that_fails_fails_its_spec(#[case] source: &str, #[case] want: &str) {
    assert_eq!(tree(&spec(source)), [format!("x {want}")]);
}

#[rstest]
#[case::syntax("it('x' function() end)", "spec/x_spec.luau:1")]
#[case::an_error("\nerror('stop')", "spec/x_spec.luau:2: stop")]
#[case::no_function("it('x')", "it: expected a name and a function, got nil as function")]
#[case::no_name(
    "describe(nil, function() end)",
    "describe: expected a name and a function, got nil as name"
)]
#[case::too_deep(
    "local function d() describe('x', d) end d()",
    "at most 16 describes stand inside each other"
)]
#[case::too_many(
    "for i = 1, 2001 do it('x', function() end) end",
    "a strategy has at most 2000 specs"
)]
#[case::a_module_that_is_missing("require('lib/nowhere')", "there is no module \"lib/nowhere\"")]
fn a_file_that_does_not_load_is_told(#[case] source: &str, #[case] want: &str) {
    let report = spec(source);
    assert!(report.cases.is_empty() && !report.passed());
    let all: Vec<_> = report.load_failures.iter().map(ToString::to_string).collect();
    assert!(all.len() == 1 && all[0].contains(want), "{all:?}");
}

#[rstest]
#[case::an_endless_loop("while true do end", "took longer than")]
#[case::an_endless_loop_in_pcall(
    "while true do pcall(function() while true do end end) end",
    "took longer than"
)]
#[case::an_endless_role("fake.agent{ role = 'endless' }:decide()", "took longer than")]
#[case::an_endless_fake(
    "fake.agent{ role = 'asks', world = { here = function() while true do end end } }:decide()",
    "took longer than"
)]
#[case::an_endless_expectation(
    "expect(function() while true do end end).to_fail()",
    "took longer than"
)]
#[case::endless_recursion("local function f() return f() + 1 end f()", "stack overflow")]
#[case::endless_memory(
    "local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 1000) .. i end",
    "used up the memory of 8 MiB"
)]
#[case::a_huge_comparison(
    "local a, b, row = {}, {}, {} for i = 1, 1000 do row[i] = i end local same = table.clone(row) for i = 1, 300 do a[i], b[i] = row, same end expect(a).to_equal(b)",
    "too large or too deep to compare"
)]
#[case::a_deep_comparison(
    "local a, b = {}, {} for i = 1, 1e4 do a, b = { a }, { b } end expect(a).to_equal(b)",
    "too large or too deep to compare"
)]
#[case::too_many_agents("for i = 1, 101 do fake.agent{} end", "a spec has at most 100 agents")]
#[case::a_spec_in_a_spec("it('y', function() end)", "specs are declared when their file is loaded")]
#[case::a_yield("coroutine.yield()", "attempt to yield")]
#[case::an_error_that_is_nil("error(nil)", "the script raised nil as error")]
#[case::an_error_that_is_a_function("error(print)", "the script raised a function as error")]
#[case::globals_cannot_change("rawset(_G, 'act', 1)", "readonly")]
#[case::fakes_cannot_change("fake.agent = 1", "readonly")]
#[case::matchers_cannot_change("getmetatable(expect(1)).x = 1", "attempt to index")]
fn a_hostile_spec_fails_and_the_next_one_runs(#[case] body: &str, #[case] want: &str) {
    let source = format!(
        "it('hostile', function()\n{body}\nend)\nit('next', function() local a = fake.agent{{ role = 'worker' }} expect(a:decide()).to_act('skip') end)"
    );
    let files = [
        ("worker.luau", SKIP),
        ("endless.luau", "return { decide = function() while true do end end }"),
        ("asks.luau", "return { decide = function() return world.here() end }"),
        ("spec/x_spec.luau", &source),
    ];
    let bundle = phalanx_lua::Bundle::from_files(files).unwrap();
    let program = std::sync::Arc::new(Program::compile(bundle.into()).0);
    let limits = Limits { memory_bytes: 8 << 20, ..Limits::default() };
    let setting = SpecSetting { limits, ..SpecSetting::new(&API) };
    let options = SpecOptions { case_time: Duration::from_millis(400), ..options() };
    let report = phalanx_lua::run_specs(&setting, &program, &options);
    let all = tree(&report);
    assert!(all.len() == 2 && all[0].contains(want), "{all:?}");
    assert_eq!(all[1], "next passed");
}

const ENDLESS: &str =
    "it('endless', function()\nwhile true do end\nend) it('next', function() end)";

#[rstest]
#[case::at_the_beginning(Duration::ZERO, ENDLESS, "spec/x_spec.luau", 2, None)]
#[case::in_its_middle(Duration::from_millis(300), ENDLESS, "endless", 3, Some(2))]
#[case::in_a_file(Duration::from_millis(300), "while true do end", "spec/x_spec.luau", 2, None)]
fn what_does_not_end_within_the_time_for_all_fails_as_late(
    #[case] time: Duration,
    #[case] source: &str,
    #[case] first: &str,
    #[case] count: usize,
    #[case] line: Option<u32>,
) {
    let options = SpecOptions { time, case_time: AMPLE, ..options() };
    let other = "it('other', function() end)";
    let files = [("worker.luau", SKIP), ("spec/x_spec.luau", source), ("spec/y_spec.luau", other)];
    let mut report = run_with(&files, &options);
    assert!(!report.passed());
    assert_eq!((report.cases[0].name(), report.failed_count()), (first.to_owned(), count));
    let SpecOutcome::Failed { place, .. } = &report.cases[0].outcome else { panic!() };
    assert_eq!(place.as_ref().map(|(_, line)| *line), line);
    assert_eq!((report.take_late(), report.passed()), (count, true));
}

#[rstest]
#[case::a_name("eats", &["a worker > eats"])]
#[case::a_block("a worker", &["a worker > eats", "a worker > sleeps"])]
#[case::across("worker > sl", &["a worker > sleeps"])]
#[case::a_file("b_spec", &["other"])]
#[case::nothing("nowhere", &[])]
fn a_filter_leaves_specs_out(#[case] filter: &str, #[case] want: &[&str]) {
    let files = [
        ("worker.luau", SKIP),
        (
            "spec/a_spec.luau",
            "describe('a worker', function() it('eats', function() end) it('sleeps', function() end) end)",
        ),
        ("spec/b_spec.luau", "it('other', function() end)"),
    ];
    let wanted = SpecOptions { filter: Some(filter.into()), ..options() };
    let report = run_with(&files, &wanted);
    let names: Vec<_> = report.cases.iter().map(phalanx_lua::SpecCase::name).collect();
    assert_eq!(names, want);
    assert_eq!(report.left_out, 3 - want.len());
}

/// A failure of each kind, without times.
fn mixed() -> SpecReport {
    let mut report = run(&[
        ("worker.luau", "return { decide = function(me)\n    return me.percept.nothing\nend }"),
        ("spec/broken_spec.luau", "it("),
        (
            "spec/worker_spec.luau",
            "describe('a worker', function()
    it('does well', function() end)
    it('counts', function()
        print('<&>')
        expect({ x = 1 }).to_equal({ x = 2 })
    end)
    it('decides', function() fake.agent{ role = 'worker' }:decide() end)
    it.skip('rests')
end)",
        ),
    ]);
    report.spent = Duration::ZERO;
    for case in &mut report.cases {
        case.spent = Duration::ZERO;
    }
    report
}

#[test]
fn people_read_a_tree_failures_and_a_summary() {
    let text = mixed().text(false);
    for part in [
        "spec/worker_spec.luau\n  a worker\n    ✓ does well\n    ✗ counts\n    ✗ decides\n    - rests\n",
        "✗ spec/broken_spec.luau: ",
        "\n1) a worker > counts\n   expected { x = 1 } to equal { x = 2 }\n   at spec/worker_spec.luau:5\n       5 |         expect({ x = 1 }).to_equal({ x = 2 })\n     .x: expected 2, got 1\n   | <&>\n",
        "\n2) a worker > decides\n   percept: there is no field 'nothing'",
        "   at worker.luau:2\n       2 |     return me.percept.nothing\n   in the spec at spec/worker_spec.luau:7\n",
        "\n1 passed, 3 failed, 1 skipped, in 0.00 s\n",
    ] {
        assert!(text.contains(part), "{part}\nis missing in\n{text}");
    }
    assert!(!text.contains('\u{1b}'));
    assert!(mixed().text(true).contains("\u{1b}[32m✓ does well"));
}

#[test]
fn build_servers_read_junit() {
    let xml = mixed().junit("assemble");
    for part in [
        "<testsuites name=\"assemble\" tests=\"5\" failures=\"2\" errors=\"1\" time=\"0.000\">",
        "<testsuite name=\"spec/broken_spec.luau\" tests=\"1\" disabled=\"0\" errors=\"1\" failures=\"0\">",
        "<error message=",
        "tests=\"4\" disabled=\"1\" errors=\"0\" failures=\"2\" time=\"0.000\">",
        "<testcase name=\"a worker &gt; counts\" classname=\"spec/worker_spec.luau\"",
        "expected { x = 1 } to equal { x = 2 }",
        "<skipped/>",
        "&lt;&amp;&gt;",
    ] {
        assert!(xml.contains(part), "{part}\nis missing in\n{xml}");
    }
}

#[test]
fn failures_are_diagnostics_with_places() {
    let failures: Vec<_> = mixed().failures().iter().map(ToString::to_string).collect();
    assert_eq!(failures.len(), 3);
    assert!(failures[0].starts_with("spec/broken_spec.luau:1: "), "{failures:?}");
    assert!(
        failures[1].starts_with("spec/worker_spec.luau:5: a worker > counts: expected"),
        "{failures:?}"
    );
    assert!(failures[2].starts_with("worker.luau:2: a worker > decides: percept:"), "{failures:?}");
}

#[test]
fn equal_runs_give_equal_reports() {
    let (one, other) = (mixed(), mixed());
    assert_eq!(one.cases, other.cases);
    assert_eq!(one.text(false), other.text(false));
}

#[test]
fn the_texts_of_scripts_do_not_steer_the_terminal() {
    let text = spec("it('a\\27[2Jb', function() error('\\7') end)").text(false);
    assert!(text.contains('\u{fffd}') && !text.contains('\u{1b}') && !text.contains('\u{7}'));
}

#[test]
fn every_name_of_specs_is_in_the_reference() {
    let page = phalanx_lua::SPEC_REFERENCE;
    let missing: Vec<_> = phalanx_lua::spec_names()
        .into_iter()
        .filter(|name| !page.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(!matches!(told_example(page), SpecOutcome::Failed { .. }), "{:?}", told_example(page));
}

/// The page's example runs.
fn told_example(page: &str) -> SpecOutcome {
    let example = page.split("```lua\n").nth(1).and_then(|rest| rest.split("```").next());
    let worker = "return { decide = function(me)
        if not me.percept.alive then return act.skip() end
        local ore = world.nearest('ore')
        me.memory.target = ore
        return if ore then act['goto']({ x = ore.x, y = ore.y }) else act.move('n')
    end }";
    let report = run(&[("worker.luau", worker), ("spec/worker_spec.luau", example.unwrap())]);
    assert!(report.cases.len() > 2, "{:?}", report.load_failures);
    let failed = |outcome: &SpecOutcome| matches!(outcome, SpecOutcome::Failed { .. });
    let outcomes = report.cases.into_iter().map(|case| case.outcome);
    outcomes.reduce(|a, b| if failed(&a) { a } else { b }).unwrap()
}

#[test]
fn shared_modules_have_specs_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, source: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, source).unwrap();
    };
    write("lib/sum.luau", "return function(a, b) return a + b end");
    write(
        "lib/spec/sum_spec.luau",
        "it('adds', function() expect(require('lib/sum')(1, 2)).to_be(3) end)",
    );
    write("own/worker.luau", SKIP);
    let (lib, own) = (folder.path().join("lib"), folder.path().join("own"));
    let paths = |bundle: &phalanx_lua::Bundle| -> Vec<String> {
        bundle.files().map(|(path, _)| path.to_owned()).collect()
    };
    // A strategy that uses the module does not run its specs.
    let strategy = phalanx_lua::Bundle::read(&own, &[&lib]).unwrap();
    assert_eq!(paths(&strategy), ["lib/sum.luau", "worker.luau"]);
    let modules = phalanx_lua::Bundle::read_modules(&lib).unwrap();
    assert_eq!(paths(&modules), ["lib/sum.luau", "spec/sum_spec.luau"]);
    let program = std::sync::Arc::new(Program::compile(modules.into()).0);
    let report = phalanx_lua::run_specs(&SpecSetting::new(&API), &program, &options());
    assert_eq!(tree(&report), ["adds passed"]);
}
