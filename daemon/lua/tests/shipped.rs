//! The specs of the strategies and shared modules that come with Phalanx.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at the first surprise")]

use phalanx_game::Api;
use phalanx_lua::{Bundle, Program, SpecOptions, SpecReport, SpecSetting};
use rstest::rstest;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Least share of the lines of each file that specs run, in percent.
const COVERED_MIN: f64 = 85.0;

static ASSEMBLE: Api = phalanx_assemble::api::API;
static ASIMULATOR: Api = phalanx_asimulator::api::API;
static BOMBERLAND: Api = phalanx_bomberland::api::API;

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts")
}

fn run(api: &'static Api, bundle: Bundle) -> SpecReport {
    let (program, findings) = Program::compile(Arc::new(bundle));
    assert!(findings.is_empty(), "{findings:?}");
    let options = SpecOptions {
        time: Duration::from_secs(300),
        case_time: Duration::from_secs(30),
        coverage: true,
        ..SpecOptions::default()
    };
    phalanx_lua::run_specs(&SpecSetting::new(api), &Arc::new(program), &options)
}

#[rstest]
#[case::assemble("assemble", &ASSEMBLE, 60)]
#[case::asimulator("asimulator", &ASIMULATOR, 6)]
#[case::bomberland("bomberland", &BOMBERLAND, 4)]
#[case::bomberland_rules("opponents/bomberland-rules", &BOMBERLAND, 40)]
#[case::harasser("opponents/assemble/harasser", &ASSEMBLE, 5)]
#[case::assemble_template("templates/assemble", &ASSEMBLE, 5)]
#[case::bomberland_template("templates/bomberland", &BOMBERLAND, 5)]
#[case::asimulator_template("templates/asimulator", &ASIMULATOR, 3)]
fn the_specs_of_a_strategy_pass_and_cover_it(
    #[case] name: &str,
    #[case] api: &'static Api,
    #[case] at_least: usize,
) {
    let (folder, lib) = (scripts().join(name), scripts().join("lib"));
    let bundle = Bundle::read(&folder, &[&lib]).expect("it is in order");
    // The specs of a strategy need not try the modules that all share.
    covered(&run(api, bundle), at_least, |file| folder.join(file).is_file());
}

#[test]
fn the_specs_of_shared_modules_pass_and_cover_them() {
    let bundle = Bundle::read_modules(&scripts().join("lib")).expect("it is in order");
    covered(&run(&ASSEMBLE, bundle), 10, |_| true);
}

fn covered(report: &SpecReport, at_least: usize, own: impl Fn(&str) -> bool) {
    let text = report.text(false);
    assert!(report.passed(), "{text}");
    assert!(report.passed_count() >= at_least, "{text}");
    for (file, lines) in report.coverage.iter().filter(|(file, _)| own(file)) {
        assert!(lines.percent() >= COVERED_MIN, "{file} is not tested enough:\n{text}");
    }
}
