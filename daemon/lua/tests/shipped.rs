//! The specs of the strategies and shared modules that come with Phalanx.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at the first surprise")]

use phalanx_assemble::Assemble;
use phalanx_game::{Api, Game};
use phalanx_lua::{Bundle, Program, SpecOptions, SpecReport, SpecSetting};
use rstest::rstest;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Least share of the lines of each file that specs run, in percent.
const COVERED_MIN: f64 = 85.0;

static API: Api = Assemble::API;

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts")
}

fn run(bundle: Bundle) -> SpecReport {
    let (program, findings) = Program::compile(Arc::new(bundle));
    assert!(findings.is_empty(), "{findings:?}");
    let options = SpecOptions {
        time: Duration::from_secs(300),
        case_time: Duration::from_secs(30),
        coverage: true,
        ..SpecOptions::default()
    };
    phalanx_lua::run_specs(&SpecSetting::new(&API), &Arc::new(program), &options)
}

#[rstest]
#[case::assemble("assemble", 60)]
fn the_specs_of_a_strategy_pass_and_cover_it(#[case] name: &str, #[case] at_least: usize) {
    let lib = scripts().join("lib");
    let bundle = Bundle::read(&scripts().join(name), &[&lib]).expect("it is in order");
    covered(&run(bundle), at_least);
}

#[test]
fn the_specs_of_shared_modules_pass_and_cover_them() {
    covered(&run(Bundle::read_modules(&scripts().join("lib")).expect("it is in order")), 10);
}

fn covered(report: &SpecReport, at_least: usize) {
    let text = report.text(false);
    assert!(report.passed(), "{text}");
    assert!(report.passed_count() >= at_least, "{text}");
    for (file, lines) in &report.coverage {
        assert!(lines.percent() >= COVERED_MIN, "{file} is not tested enough:\n{text}");
    }
}
