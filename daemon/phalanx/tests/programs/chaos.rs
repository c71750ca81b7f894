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

/// Every tenth request arrives after its deadline, and some connections are lost.
const STORM: &str = "version = 1\n\n[[often]]\nkind = \"delay\"\nchance = 0.1\nturns = [1.05, 1.3]\n\n\
                     [[often]]\nkind = \"reset\"\nchance = 0.01\n";

fn network(output: &std::process::Output) -> Value {
    let line = stdout(output).lines().last().unwrap_or_default().to_owned();
    serde_json::from_str::<Value>(&line).unwrap()["network"].clone()
}

#[test]
fn a_demo_over_sockets_with_faults_misses_turns_and_answers_what_it_can() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("storm.toml");
    std::fs::write(&path, STORM).unwrap();
    let name = path.to_str().unwrap();
    let words = ["demo", "--json", "--no-page", "--steps", "5", "--pace", "20ms", "--faults", name];
    let output = phalanx(&[&words[..], &["--strategy", &idle(dir.path())]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let network = network(&output);
    let missed: Vec<_> = network["misses"].as_array().unwrap().iter().collect();
    let of = |key: &str| missed.iter().filter_map(|it| it[key].as_u64()).sum::<u64>();
    // Two teams of fifteen agents; who was not asked at all before does not count.
    assert!((5 * 30 - 5..=5 * 30).contains(&of("turns")), "{network}");
    assert!((3..60).contains(&of("missed")), "{network}");
    assert!(network["faults"]["delay"].as_u64() >= Some(3), "{network}");
    assert_eq!(network["silent"], Value::Array(Vec::new()));
}

#[test]
fn a_demo_on_virtual_time_has_the_shipped_network() {
    let words = ["demo", "--json", "--fast", "--steps", "20", "--faults", "contest-wifi"];
    let dir = tempfile::tempdir().unwrap();
    let idle = idle(dir.path());
    let words = [&words[..], &["--strategy", &idle, "--opponent", "idle", "--seed", "3"]].concat();
    let [one, again] = [(); 2].map(|()| network(&phalanx(&words)));
    assert_eq!((&one["plan"], &one), (&Value::from("contest-wifi"), &again));
    assert!(one["faults"]["delay"].as_u64() > Some(5), "{one}");
    assert_eq!(one["silent"], Value::Array(Vec::new()));
}

#[test]
fn faults_that_cannot_be_read_are_refused_with_their_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.toml");
    std::fs::write(&path, STORM.replace("0.1", "10")).unwrap();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/config/assemble.toml");
    for verb in [&["demo"][..], &["arena", "assemble", "--config", config]] {
        let output = phalanx(&[verb, &["--faults", path.to_str().unwrap()]].concat());
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(64), "{text}");
        assert!(text.contains("bad.toml:3: chance: write a number from 0 to 1"), "{text}");
        let output = phalanx(&[verb, &["--faults", "no-such-plan"]].concat());
        assert!(stderr(&output).contains("come with the program: contest-wifi"), "{output:?}");
    }
}

/// The folder of a strategy that does nothing.
fn idle(dir: &std::path::Path) -> String {
    let folder = dir.join("idle");
    std::fs::create_dir_all(&folder).unwrap();
    let worker = "return { decide = function() return act.skip() end }";
    std::fs::write(folder.join("worker.luau"), worker).unwrap();
    folder.to_str().unwrap().to_owned()
}
