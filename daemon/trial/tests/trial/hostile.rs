//! Strategies that mean no good, on trial: each ends within the limits and its file is named.

use crate::stage::{SKIP, bundle, candidate, shown};
use crate::view::view;
use phalanx_trial::{Candidate, FINDINGS_MAX, TrialOptions, TrialResult};
use proptest::prelude::*;
use rstest::rstest;
use std::time::Duration;

fn short() -> Candidate {
    let mut candidate = candidate();
    candidate.limits.load = Duration::from_millis(200);
    candidate.options = TrialOptions {
        time: Duration::from_secs(20),
        decide_max: Duration::from_millis(100),
        ..candidate.options
    };
    candidate.view = Some(view());
    candidate
}

fn tried(files: &[(&str, &str)]) -> TrialResult {
    phalanx_trial::run(&bundle(files), &short())
}

#[rstest]
#[case::loop_at_file_level("while true do end return {}")]
#[case::loop_in_decide("return { decide = function(me) while true do end end }")]
#[case::loop_behind_pcall(
    "return { decide = function(me) while true do pcall(function() while true do end end) end end }"
)]
#[case::huge_text(
    "return { decide = function(me) local s = 'x' while true do s = s .. s end end }"
)]
#[case::huge_text_at_file_level(
    "local s = string.rep('x', 1e10) return { decide = function() return s end }"
)]
#[case::answers_a_text("return { decide = function(me) return 'north' end }")]
#[case::answers_nothing("return { decide = function(me) end }")]
#[case::error_with_a_huge_message(
    "return { decide = function(me) error(string.rep('x', 1e6)) end }"
)]
#[case::outside(
    "local p = require('../../etc/passwd') return { decide = function() return p end }"
)]
fn a_hostile_worker_is_refused_by_its_file(#[case] worker: &str) {
    let report = tried(&[("worker.luau", worker), ("scout.luau", SKIP)]);
    let faults = report.faults();
    assert!(!report.passed());
    assert!(report.program.is_none());
    assert!(faults.iter().any(|fault| fault.fatal && fault.file == "worker.luau"), "{faults:?}");
    assert!(faults.iter().all(|fault| fault.message.chars().count() < 600), "{faults:?}");
}

#[rstest]
#[case::at_file_level("worker.luau", "local n = 0\nwhile true do\nend", "it may not return at all")]
#[case::in_decide(
    "worker.luau",
    "return { decide = function(me)\nwhile true do end\nend }",
    "decide does not return: it used up its time of 1000ms"
)]
#[case::in_plan(
    "team.luau",
    "return { plan = function(team)\nwhile true do end\nend }",
    "plan does not return: it used up its time of 1000ms"
)]
fn before_a_match_a_script_that_does_not_return_is_refused_by_its_line(
    #[case] file: &str,
    #[case] source: &str,
    #[case] want: &str,
) {
    let mut files = vec![("worker.luau", SKIP), ("scout.luau", SKIP)];
    files.retain(|(name, _)| *name != file);
    files.push((file, source));
    let mut checked = short();
    checked.view = None;
    let report = phalanx_trial::run(&bundle(&files), &checked);
    let faults = report.faults();
    let found = faults.iter().find(|fault| fault.message.contains(want));
    let found = found.unwrap_or_else(|| panic!("{}", shown(&report)));
    assert!(found.fatal && found.file == file && found.line == Some(2), "{faults:?}");

    // A team that plays gets a warning: in the match the world is known.
    checked.options.refuse_endless = false;
    let report = phalanx_trial::run(&bundle(&files), &checked);
    assert_eq!(report.passed(), !want.contains("may not return"), "{}", shown(&report));
}

#[test]
fn a_loop_in_a_migration_is_refused() {
    let worker = "return { memory = 2, migrate = function(old, memory) while true do end end,\n\
                  decide = function(me) return act.skip() end }";
    let report = tried(&[("worker.luau", worker), ("scout.luau", SKIP)]);
    assert!(!report.passed(), "{}", shown(&report));
    assert!(report.faults().iter().any(|fault| fault.file == "worker.luau"), "{}", shown(&report));
}

#[test]
fn a_loop_in_a_spec_is_refused() {
    let spec = "describe('w', function() it('ends', function() while true do end end) end)";
    let files = [("worker.luau", SKIP), ("scout.luau", SKIP), ("spec/worker_spec.luau", spec)];
    let mut candidate = short();
    // Long enough for a second of processor time on a machine that does much else.
    candidate.options.time = Duration::from_secs(120);
    let report = phalanx_trial::run(&bundle(&files), &candidate);
    assert_eq!(report.specs_failed, 1);
    assert!(report.faults().iter().any(|fault| fault.file == "spec/worker_spec.luau"));
}

#[test]
fn specs_without_time_are_no_reason_to_refuse() {
    let endless = "it('endless', function() while true do end end)";
    let files = [("worker.luau", SKIP), ("scout.luau", SKIP), ("spec/a_spec.luau", endless)];
    let mut candidate = short();
    candidate.options.time = Duration::from_millis(1500);
    let report = phalanx_trial::run(&bundle(&files), &candidate);
    assert!(report.passed(), "{}", shown(&report));
    assert!(shown(&report).contains("the trial's time was over before all specs ran"));
}

#[test]
fn three_hundred_files_of_mistakes_are_told_up_to_a_bound() {
    let module = |index: usize| (format!("m{index}.luau"), "return nosuch\n".to_owned());
    let mut files: Vec<(String, String)> = (0..298).map(module).collect();
    files.push(("worker.luau".into(), SKIP.into()));
    files.push(("scout.luau".into(), SKIP.into()));
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let report = phalanx_trial::run(&bundle(&files), &candidate());
    assert_eq!(report.diagnostics.len(), FINDINGS_MAX + 1);
    assert_eq!(report.diagnostics.last().unwrap().message, "and 98 more findings");
}

#[test]
fn a_deep_nesting_overflows_no_stack() {
    for (open, close) in
        [("(", ")"), ("{", "}"), ("not ", ""), ("-", ""), ("1 + ", ""), ("1 .. ", "")]
    {
        for depth in [900, 20_000] {
            let worker =
                format!("local x = {}1{}\n{SKIP}", open.repeat(depth), close.repeat(depth));
            let report = tried(&[("worker.luau", &worker), ("scout.luau", SKIP)]);
            assert!(report.diagnostics.iter().all(|one| one.file == "worker.luau"), "{open}");
        }
    }
}

#[test]
fn a_strategy_that_was_not_loaded_in_time_is_refused() {
    let mut hurried = short();
    hurried.options.time = Duration::ZERO;
    let report =
        phalanx_trial::run(&bundle(&[("worker.luau", SKIP), ("scout.luau", SKIP)]), &hurried);
    let text = shown(&report);
    assert!(
        text.contains("× strategy: the trial's time was over before the files were loaded"),
        "{text}"
    );
    assert!(!report.passed() && report.program.is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_text_is_tried_without_a_panic(text in "\\PC{0,200}") {
        let report = tried(&[("worker.luau", &text), ("scout.luau", SKIP)]);
        prop_assert!(!report.hash.is_empty());
    }

    #[test]
    fn a_mangled_strategy_is_tried_without_a_panic(at in 0_usize..60, bytes in "[-a-z(){}.=\"\\[\\]#%,:\n ]{0,12}") {
        let mut text = SKIP.to_owned();
        text.insert_str(at.min(text.len()), &bytes);
        let report = tried(&[("worker.luau", &text), ("scout.luau", SKIP)]);
        prop_assert!(!report.hash.is_empty());
    }
}
