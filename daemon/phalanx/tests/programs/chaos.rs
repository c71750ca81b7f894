//! `phalanx chaos`: matches under faults, and scenario files.

use crate::support::{phalanx, stderr, stdout};
use serde_json::Value;

const SCENARIO: &str = "version = 1\ngame = \"asimulator\"\nsteps = 10\nseed = 7\n\n[[fault]]\n\
                        step = 3\nkind = \"stall\"\nms = 1500\n";

#[test]
fn a_run_reports_figures_and_ends_well_where_every_promise_is_kept() {
    let words = ["chaos", "run", "--game", "asimulator", "--seeds", "5", "--output", "json"];
    let output = phalanx(&words);
    assert!(output.status.success(), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&report["matches"], &report["failed"]), (&Value::from(5), &Value::from(0)));
    assert!(report["games"]["asimulator"]["agent_turns"].as_u64() > Some(20), "{report}");
}

#[test]
fn a_scenario_of_ten_lines_is_played_and_its_mistakes_have_lines() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("stall.toml");
    let name = path.to_str().unwrap();
    std::fs::write(&path, SCENARIO).unwrap();
    let output = phalanx(&["chaos", "play", name, "--output", "json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let outcome: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(outcome["injected"]["stall"], 1);
    std::fs::write(&path, SCENARIO.replace("ms = 1500", "bytes = 7")).unwrap();
    let output = phalanx(&["chaos", "play", name]);
    assert_eq!(output.status.code(), Some(64));
    let said = stderr(&output);
    assert!(said.contains("stall.toml:6: stall needs `ms`"), "{said}");
    assert!(said.contains("stall.toml:6: stall takes no `bytes`: delete it"), "{said}");
}
