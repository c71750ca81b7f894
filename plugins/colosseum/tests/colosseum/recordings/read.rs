//! The recordings: pairs of the referee's lines and the agent's replies.

use phalanx_testkit::traces;
use serde_json::Value;

/// All recordings.
pub(crate) const ALL: [&str; 20] = [
    "cherry_picker_s1_agent0_nearest_pick",
    "cherry_picker_s1_agent1_master_picker",
    "cherry_picker_s2_agent1_nearest_pick_greedy",
    "chess_s1_agent0_random",
    "chess_s1_agent1_first",
    "chess_s2_agent0_random",
    "food_catcher_crash_agent0_misbehaving_crash_mid",
    "food_catcher_crash_agent1_dummy",
    "food_catcher_late_reply_agent0_misbehaving_late_once",
    "food_catcher_s1_agent0_greedy",
    "food_catcher_s1_agent1_exterminator",
    "food_catcher_s2_agent0_rusher",
    "food_catcher_s3_4p_agent0_botzera",
    "food_catcher_s4_full_agent0_exterminator",
    "food_catcher_spoof_agent0_misbehaving_spoof",
    "food_catcher_spoof_agent1_dummy",
    "snake_s1_agent0_manhattan_but_better",
    "snake_s2_agent0_manhattan",
    "snake_s2_agent1_node-bot",
    "snake_s3_agent0_random_but_better",
];

/// One side of a match.
#[derive(Debug)]
pub(crate) struct Recording {
    /// The id that the referee gave.
    pub(crate) id: String,
    /// How many agents there are.
    pub(crate) agents: usize,
    /// Each line of the referee with the reply that was recorded next.
    pub(crate) pairs: Vec<(String, Option<String>)>,
    /// How the match ended.
    pub(crate) result: Value,
}

/// A recording by its name without ending; `None` when there are no traces.
pub(crate) fn recording(name: &str) -> Option<Recording> {
    let bytes = traces::bytes(&format!("colosseum/{name}.jsonl"))?;
    let text = String::from_utf8(bytes).expect("UTF-8");
    let mut read =
        Recording { id: String::new(), agents: 0, pairs: Vec::new(), result: Value::Null };
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).expect("a recorded line");
        let said = || entry["line"].as_str().expect("a line").to_owned();
        match entry["dir"].as_str() {
            Some("meta") => read.agents = entry["order"].as_array().expect("order").len(),
            Some("in") => read.pairs.push((said(), None)),
            Some("out") => {
                if let Some(pair) = read.pairs.last_mut() {
                    pair.1.get_or_insert(said());
                }
            }
            Some("result") => read.result = entry["result"].clone(),
            _ => {}
        }
    }
    let first: Value = serde_json::from_str(&read.pairs[0].0).expect("the first line");
    read.id = first["set_agent_id"].as_str().expect("an id").to_owned();
    Some(read)
}

/// The states of a recording with the replies to them.
pub(crate) fn turns(recording: &Recording) -> Vec<(Value, Value)> {
    let turn = |(line, reply): &(String, Option<String>)| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let reply = reply.as_deref().unwrap_or("{}");
        line.get("epoch")?;
        Some((line.clone(), serde_json::from_str(reply).expect("JSON")))
    };
    recording.pairs.iter().filter_map(turn).collect()
}
