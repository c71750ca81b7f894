//! Reading the golden world states.

use phalanx_testkit::traces;
use serde_json::Value;

/// A golden file: its first line and its states.
pub(crate) struct Golden {
    pub(crate) head: Value,
    pub(crate) states: Vec<Value>,
}

/// The games of 2012: file, seed of the map, vertices.
pub(crate) const GAMES: [(&str, i64, u32); 5] = [
    ("world_two100_sim1", 77, 150),
    ("world_edge", 5, 100),
    ("world_full", 2012, 200),
    ("world_ufsc_pydtu", 2012, 200),
    ("world_pydtu_ufsc_300", 2013, 300),
];

/// Reads a golden file.
pub(crate) fn read(name: &str) -> Option<Golden> {
    let bytes = traces::bytes(&format!("mars2012/{name}.jsonl.gz"))?;
    let text = String::from_utf8(bytes).expect("UTF-8");
    let mut lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let head = lines.next().expect("a first line");
    Some(Golden { head, states: lines.collect() })
}
