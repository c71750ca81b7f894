//! Reading what was recorded.

use phalanx_assemble::arena::config::{ArenaConfig, SimConfig};
use phalanx_assemble::arena::record::ReplayRecord;
use phalanx_game::sorted::SortedMap;
use phalanx_testkit::traces;
use serde_json::Value;
use std::io::Read as _;
use std::path::Path;

/// The configuration file of that name under the traces.
pub(crate) fn config(name: &str) -> Option<ArenaConfig> {
    let path = traces::path(name)?;
    let config = ArenaConfig::load(&path, &|path: &Path| std::fs::read(path));
    Some(config.unwrap_or_else(|error| panic!("{name}:\n{error}")))
}

/// The simulation file of that name under the traces.
pub(crate) fn sim(name: &str) -> Option<SimConfig> {
    let path = traces::path(name)?;
    let sim = SimConfig::load(&path, &|path: &Path| std::fs::read(path));
    Some(sim.unwrap_or_else(|error| panic!("{name}:\n{error}")))
}

/// A packed replay.
pub(crate) fn replay(name: &str) -> Option<ReplayRecord> {
    let bytes = traces::bytes(name)?;
    let mut archive = tar::Archive::new(bytes.as_slice());
    let mut files = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
            files.push((name.to_owned(), bytes));
        }
    }
    let files = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    Some(ReplayRecord::read(files).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// Percepts list things in no particular order: sorts them.
pub(crate) fn normal(mut percept: Value) -> Value {
    fn sort(value: &mut Value) {
        if let Some(list) = value.as_array_mut() {
            list.sort_by_key(ToString::to_string);
        }
    }
    sort(&mut percept["things"]);
    sort(&mut percept["attached"]);
    sort(&mut percept["tasks"]);
    if let Some(terrain) = percept["terrain"].as_object_mut() {
        terrain.values_mut().for_each(sort);
    }
    percept
}

/// The recorded percepts of a run's only simulation: agent and step.
pub(crate) fn percepts(name: &str) -> Option<SortedMap<(String, i32), Value>> {
    let mut percepts = SortedMap::new();
    for line in traces::lines(name)? {
        let Ok(message) = serde_json::from_str::<Value>(&line.message) else { continue };
        if message["type"] == "request-action" {
            let step = i32::try_from(message["content"]["step"].as_i64().unwrap()).unwrap();
            percepts.insert((line.agent, step), normal(message["content"]["percept"].clone()));
        }
    }
    Some(percepts)
}

/// Compares two normal percepts and names the parts in which they differ.
pub(crate) fn assert_same(ours: &Value, theirs: &Value, what: &str) {
    if ours == theirs {
        return;
    }
    let mut report = String::new();
    for (key, value) in theirs.as_object().unwrap() {
        let (Some(ours), Some(theirs)) = (ours[key].as_array(), value.as_array()) else {
            if ours[key] != *value {
                report += &format!("{key}: ours {}, theirs {value}\n", ours[key]);
            }
            continue;
        };
        let lacks = |list: &[Value], of: &[Value]| {
            let count =
                |list: &[Value], item: &Value| list.iter().filter(|other| *other == item).count();
            let missing = list.iter().filter(|item| count(list, item) > count(of, item));
            missing.map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        if ours != theirs {
            report += &format!(
                "{key}: only ours {}, only theirs {}\n",
                lacks(ours, theirs),
                lacks(theirs, ours)
            );
        }
    }
    panic!("{what}:\n{report}ours {ours}\ntheirs {theirs}");
}
