//! The file of Colosseum: one JSON object per tick. Worlds differ by game, so everything with a
//! position is drawn.
#![allow(clippy::indexing_slicing, reason = "what a JSON value lacks reads as null")]

use super::{AGENTS_MAX, Chunk, Deed, Found, Head, ReplayForm, Sink, Step, list, word, write_file};
use anyhow::{Context, Result, bail};
use phalanx_game::{Part, Picture, Place, Shape, Spot, Tone, Turn};
use serde_json::{Value, json};
use std::path::Path;

/// The format.
pub(crate) const FORM: ReplayForm = ReplayForm {
    name: "colosseum",
    about: "A replay file of Colosseum",
    game: "colosseum",
    expected: "JSON lines of Colosseum",
    is_one: |_, bytes| is_line(bytes.split(|byte| *byte == b'\n').next().unwrap_or_default()),
    read,
    write: write_file,
    played: |talk| {
        let lines = played(talk);
        let lacks = "the team does not know the other agents' answers: these fields are empty";
        (!lines.is_empty()).then_some((lines, lacks))
    },
};
/// Things of a world that are drawn, at most.
const SPOTS_MAX: usize = 2_000;

/// Whether it is a line of such a file.
fn is_line(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line)
        .is_ok_and(|tick| tick["agent_actions"].is_array() && tick["epoch"].is_number())
}

/// Reads a file. The agent counts as the team.
fn read(path: &Path, team: Option<&str>, sink: Sink<'_>) -> Result<()> {
    let bytes = super::read(path)?;
    let mut own: Option<(String, usize)> = None;
    for (number, line) in (1_u32..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let place = || format!("{}, line {number}", path.display());
        if line.trim_ascii().is_empty() && own.is_some() {
            sink(Found::Document(line.to_vec()))?;
            continue;
        }
        let tick: Value = serde_json::from_slice(line).with_context(place)?;
        let (name, index) = match &own {
            Some(own) => own.clone(),
            None => {
                let found = player(&tick, team).with_context(place)?;
                let head = Head { team: found.0.clone(), agents: vec![found.0.clone()] };
                sink(Found::Head(head))?;
                own.insert(found).clone()
            }
        };
        sink(Found::Document(line.to_vec()))?;
        let step = step(&tick, &name, index).with_context(place)?;
        sink(Found::Step(Box::new(step)))?;
    }
    if own.is_none() {
        bail!("{}: the file has no tick", path.display());
    }
    Ok(())
}

/// The agent whose view is recorded, and its index among the players.
fn player(tick: &Value, wanted: Option<&str>) -> Result<(String, usize)> {
    let names: Vec<_> = list(&tick["agent_ids"]).iter().map(word).take(AGENTS_MAX).collect();
    let index = match wanted {
        Some(name) => names.iter().position(|known| known == name),
        None => Some(0),
    };
    match index.and_then(|index| Some((names.get(index)?.clone(), index))) {
        Some(found) => Ok(found),
        None => bail!("there is no agent {:?}; there are {}", wanted, names.join(", ")),
    }
}

fn step(tick: &Value, name: &str, index: usize) -> Result<Step> {
    let number = tick["epoch"].as_u64().and_then(|epoch| u32::try_from(epoch).ok());
    let turn = Turn::new(0, number.context("the epoch is not a number")?);
    let reply = list(&tick["agent_actions"]).get(index).unwrap_or(&Value::Null);
    let actions = &reply["actions"];
    let action = if actions.is_null() { &reply["action"] } else { actions };
    let state = &tick["world_state"];
    let deed = Deed { agent: 0, action: word(action), ..Deed::default() };
    let mut spots = Vec::new();
    let mut edge = (1.0_f64, 1.0_f64);
    collect(state, "thing", &mut spots);
    for spot in &spots {
        if let Place::Point(x, y) = spot.place {
            edge = (edge.0.max(x + 1.0), edge.1.max(y + 1.0));
        }
    }
    let part = Part {
        name: "map".into(),
        shape: Shape::Plane { width: edge.0, height: edge.1 },
        spots,
        ..Part::default()
    };
    let score = state["score"][name].as_i64();
    let picture = Picture::of(part).bounded();
    Ok(Step { turn, deeds: vec![deed], score, picture })
}

/// Collects everything with a position, named by its key.
fn collect(value: &Value, key: &str, spots: &mut Vec<Spot>) {
    if spots.len() >= SPOTS_MAX {
        return;
    }
    if let Some(place) = point(value).or_else(|| point(&value["position"])) {
        let (label, kind) = (String::new(), key.to_owned().into());
        let value = value["quantity"].as_f64();
        return spots.push(Spot { place, kind, label, value, tone: Tone::Other });
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, key, spots)),
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| collect(value, key, spots));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Two numbers.
fn point(value: &Value) -> Option<Place> {
    match value.as_array()?.as_slice() {
        [x, y] => {
            let (x, y) = (x.as_f64()?, y.as_f64()?);
            let drawn = x.is_finite() && y.is_finite() && x >= 0.0 && y >= 0.0;
            drawn.then_some(Place::Point(x, y))
        }
        _ => None,
    }
}

/// A line per tick with what an agent received and answered.
fn played(talk: &[Chunk]) -> Vec<Vec<u8>> {
    let mut match_of = Played::default();
    let mut open = [Vec::new(), Vec::new()];
    for chunk in talk {
        let Some(open) = open.get_mut(usize::from(chunk.sent)) else { continue };
        open.extend_from_slice(&chunk.bytes);
        while let Some(end) = open.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = open.drain(..=end).collect();
            if let Ok(line) = serde_json::from_slice(&line) {
                match_of.heard(line, chunk.sent);
            }
        }
    }
    match_of.lines()
}

/// What an agent knows of its match.
#[derive(Default)]
struct Played {
    agent: String,
    config: Value,
    ticks: Vec<(Value, Value)>,
}

impl Played {
    fn heard(&mut self, line: Value, sent: bool) {
        if sent {
            if let Some((_, reply @ Value::Null)) = self.ticks.last_mut() {
                *reply = line;
            }
        } else if let Some(agent) = line["set_agent_id"].as_str() {
            agent.clone_into(&mut self.agent);
        } else if line["config"].is_object() {
            self.config = line["config"].clone();
        } else if line["epoch"].is_number() && line["agent_ids"].is_array() {
            self.ticks.push((line, Value::Null));
        }
    }

    fn lines(self) -> Vec<Vec<u8>> {
        let Self { agent, config, ticks } = self;
        let line = |(state, reply): (Value, Value)| {
            let ids = state["agent_ids"].clone();
            let own = |id: &Value| id.as_str() == Some(agent.as_str());
            let reply = if reply.is_null() { json!({}) } else { reply };
            let answer = |id| if own(id) { reply.clone() } else { json!({}) };
            let tick = json!({
                "game_config": config, "epoch": state["epoch"], "max_epoch": config["n_epochs"],
                "agent_actions": list(&ids).iter().map(answer).collect::<Vec<_>>(),
                "agent_ids": ids, "world_state": state,
            });
            format!("{tick}\n").into_bytes()
        };
        ticks.into_iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_played_match_is_told_from_one_side() {
        let chunk = |sent, text: &str| Chunk { sent, bytes: text.as_bytes().to_vec() };
        let talk = [
            chunk(false, "{\"set_agent_id\":\"b\"}\n{\"ping\":\"ping\"}\n"),
            chunk(true, "{\"pong\":\"x\"}\n"),
            chunk(false, "{\"config\":{\"n_epochs\":2}}\n"),
            chunk(false, "{\"epoch\":1,\"agent_"),
            chunk(false, "ids\":[\"a\",\"b\"]}\n"),
            chunk(true, "{\"agent_id\":\"b\",\"actions\":[1]}\n"),
            chunk(false, "{\"epoch\":2,\"agent_ids\":[\"a\",\"b\"]}\n"),
        ];
        let lines = played(&talk);
        assert_eq!(lines.len(), 2);
        let first: Value = serde_json::from_slice(&lines[0]).unwrap();
        assert_eq!(first["agent_actions"], json!([{}, { "agent_id": "b", "actions": [1] }]));
        assert_eq!((&first["max_epoch"], &first["epoch"]), (&json!(2), &json!(1)));
        let second: Value = serde_json::from_slice(&lines[1]).unwrap();
        assert_eq!(second["agent_actions"], json!([{}, {}]));
        assert!(lines.iter().all(|line| is_line(line)));
    }
}
