//! Recordings from November 2026 decide again without a difference: one of each game, and one in
//! which operators used every request that a recording holds (roles, parameters, the board, pinned
//! orders, pause and release, evaluated code, strategies that were activated, refused and rolled
//! back, agents that left and came back, profiles, stop and start).
//!
//! Never record these files again to make the test pass: they represent the files that users have.

use crate::support::{phalanx, stderr, stdout};
use serde_json::Value;

/// File, decisions, outgoing messages, and journal entries that are compared.
const RECORDINGS: [(&str, u64, u64, u64); 6] = [
    ("assemble", 180, 180, 60),
    ("mars", 240, 240, 77),
    ("bomberland", 50, 32, 26),
    ("asimulator", 13, 13, 21),
    ("colosseum", 12, 15, 18),
    ("operators", 68, 68, 71),
];

#[test]
fn recordings_made_by_an_older_program_decide_again_without_a_difference() {
    for (name, decisions, messages, journal) in RECORDINGS {
        let file = format!("{}/tests/recorded/{name}.mcap", env!("CARGO_MANIFEST_DIR"));
        let output = phalanx(&["replay", &file, "--decide", "--output", "json"]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        let lines = stdout(&output);
        let summary: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        for (what, all) in [("decisions", decisions), ("messages", messages), ("journal", journal)]
        {
            assert_eq!(summary[what]["all"], all, "{name}: {what}: {summary}");
            assert_eq!(summary[what]["differ"], 0, "{name}: {what}: {lines}");
        }
    }
}
