//! The file of the Bomberland engine: the packet at the end of a match.
#![allow(clippy::indexing_slicing, reason = "what a JSON value lacks reads as null")]

use super::{
    AGENTS_MAX, Chunk, Deed, Found, Head, ReplayForm, Sink, Step, coordinate, list, word,
    write_file,
};
use anyhow::{Context, Result, bail};
use phalanx_game::sorted::{Order, SortedMap};
use phalanx_game::{
    AgentId, Area, Body, Layer, Part, Picture, Place, Shape, Side, Spot, Tone, Turn,
};
use serde_json::Value;
use std::path::Path;

/// The format.
pub(crate) const FORM: ReplayForm = ReplayForm {
    name: "bomberland",
    about: "A replay file of Bomberland",
    game: "bomberland",
    expected: "Bomberland's replay.json",
    is_one: |_, bytes| is_replay(bytes),
    read,
    write: write_file,
    played,
};
/// The beginning of the packet.
const BEGIN: &[u8] = br#"{"type":"endgame_state""#;
/// Ticks of a match, at most.
const TICKS_MAX: u32 = 1_000_000;

/// Whether the bytes are such a file.
fn is_replay(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Value>(bytes)
        .is_ok_and(|packet| packet["payload"]["initial_state"].is_object())
}

/// The referee sends the whole replay at the end.
fn played(talk: &[Chunk]) -> Option<(Vec<Vec<u8>>, &'static str)> {
    let received = talk.iter().filter(|chunk| !chunk.sent);
    let received: Vec<u8> = received.flat_map(|chunk| chunk.bytes.clone()).collect();
    sent(&received).map(|replay| (vec![replay], ""))
}

/// The last such packet among the received bytes.
fn sent(received: &[u8]) -> Option<Vec<u8>> {
    let starts = received.windows(BEGIN.len()).rposition(|window| window == BEGIN)?;
    let rest = received.get(starts..)?;
    let mut packets = serde_json::Deserializer::from_slice(rest).into_iter::<Value>();
    packets.next()?.ok()?;
    rest.get(..packets.byte_offset()).map(<[u8]>::to_vec)
}

/// Reads a file.
fn read(path: &Path, team: Option<&str>, sink: Sink<'_>) -> Result<()> {
    let bytes = super::read(path)?;
    let packet: Value =
        serde_json::from_slice(&bytes).with_context(|| format!("{}", path.display()))?;
    let initial = &packet["payload"]["initial_state"];
    let teams = initial["agents"].as_object();
    let mut names: Vec<String> =
        teams.map(|teams| teams.keys().cloned().collect()).unwrap_or_default();
    let team = match team {
        Some(name) if names.iter().any(|known| known == name) => name.to_owned(),
        Some(name) => bail!("the replay has no team {name:?}; there are {}", names.join(", ")),
        None if names.is_empty() => bail!("{}: it names no agents", path.display()),
        None => names.swap_remove(0),
    };
    let units = list(&initial["agents"][&team]["unit_ids"]);
    let agents: Vec<_> = units.iter().map(word).take(AGENTS_MAX).collect();
    sink(Found::Head(Head { team: team.clone(), agents: agents.clone() }))?;
    let mut board = Board::new(initial, &team, &agents);
    let history = list(&packet["payload"]["history"]);
    let steps = history.iter().map(|tick| board.step(tick)).collect::<Result<Vec<_>>>()?;
    sink(Found::Document(bytes))?;
    steps.into_iter().try_for_each(|step| sink(Found::Step(Box::new(step))))
}

/// The map after the ticks so far.
struct Board<'a> {
    team: &'a str,
    agents: &'a [String],
    size: (u32, u32),
    entities: SortedMap<(i32, i32), Value>,
    units: SortedMap<String, Value>,
    tick: u32,
}

impl<'a> Board<'a> {
    fn new(initial: &Value, team: &'a str, agents: &'a [String]) -> Self {
        let side = |key: &str| initial["world"][key].as_u64().and_then(|it| u32::try_from(it).ok());
        let entities = list(&initial["entities"]).iter();
        let units = initial["unit_state"].as_object().into_iter().flatten();
        Self {
            team,
            agents,
            size: (side("width").unwrap_or_default(), side("height").unwrap_or_default()),
            entities: entities.filter_map(|it| Some((xy(it)?, it.clone()))).collect(),
            units: units.map(|(name, unit)| (name.clone(), unit.clone())).collect(),
            tick: 0,
        }
    }

    fn step(&mut self, tick: &Value) -> Result<Step> {
        let number = tick["tick"].as_u64().and_then(|tick| u32::try_from(tick).ok());
        let number = number.filter(|tick| *tick >= self.tick && *tick <= TICKS_MAX);
        self.tick = number.with_context(|| format!("tick {} is out of order", tick["tick"]))?;
        let before: Vec<_> = self.agents.iter().map(|unit| self.summary(unit)).collect();
        let mut deeds = Vec::new();
        for event in list(&tick["events"]) {
            self.happened(event);
            if event["type"] == "unit" && event["agent_id"] == self.team {
                deeds.extend(self.deed(&event["data"], &before));
            }
        }
        // Units whose actions all failed leave no trace.
        for (agent, summary) in before.iter().enumerate() {
            if !deeds.iter().any(|deed: &Deed| deed.agent == agent) {
                deeds.push(Deed { agent, summary: summary.clone(), ..Deed::default() });
            }
        }
        deeds.order_by_key(|deed| deed.agent);
        let turn = Turn::new(0, self.tick);
        Ok(Step { turn, deeds, score: None, picture: self.picture() })
    }

    fn deed(&self, action: &Value, before: &[String]) -> Option<Deed> {
        let unit = word(&action["unit_id"]);
        let agent = self.agents.iter().position(|known| *known == unit)?;
        let what = match action["type"].as_str().unwrap_or_default() {
            "move" => format!("move({})", word(&action["move"])),
            "detonate" => format!("detonate({})", word(&action["coordinates"])),
            other => format!("{other}()"),
        };
        let summary = before.get(agent).cloned().unwrap_or_default();
        Some(Deed { agent, action: what, result: "success".into(), summary })
    }

    fn summary(&self, unit: &str) -> String {
        let unit = self.units.get(unit);
        unit.map_or(String::new(), |it| {
            format!("at {}, hp {}", word(&it["coordinates"]), word(&it["hp"]))
        })
    }

    fn happened(&mut self, event: &Value) {
        let data = &event["data"];
        match event["type"].as_str().unwrap_or_default() {
            "entity_spawned" => {
                if let Some(at) = xy(data) {
                    self.entities.insert(at, data.clone());
                }
            }
            "entity_expired" => {
                if let Some(at) = pair(data) {
                    self.entities.remove(&at);
                }
            }
            "entity_state" => {
                if let Some(at) = pair(&event["coordinates"]) {
                    self.entities.insert(at, event["updated_entity"].clone());
                }
            }
            "unit_state" => {
                self.units.insert(word(&data["unit_id"]), data.clone());
            }
            "unit" if data["type"] == "move" => self.moved(data),
            _ => {}
        }
    }

    fn moved(&mut self, action: &Value) {
        let (dx, dy) = match action["move"].as_str().unwrap_or_default() {
            "up" => (0, 1),
            "down" => (0, -1),
            "left" => (-1, 0),
            "right" => (1, 0),
            _ => return,
        };
        let unit = self.units.get_mut(&word(&action["unit_id"])).and_then(Value::as_object_mut);
        if let Some(unit) = unit
            && let Some((x, y)) = unit.get("coordinates").and_then(pair)
        {
            let there = vec![x.saturating_add(dx), y.saturating_add(dy)];
            unit.insert("coordinates".to_owned(), Value::from(there));
        }
    }

    fn picture(&self) -> Picture {
        let area = Area::new(0, 0, self.size.0, self.size.1);
        let mut layer = Layer::new("ground", area).with_legend(&[(1, "free", '.', Tone::Ground)]);
        layer.cells.fill(1);
        let spot = |((x, y), entity): (&(i32, i32), &Value)| {
            let (kind, tone) = kind(&entity["type"]);
            let place = Place::Cell(*x, *y);
            Spot { place, kind: kind.into(), label: String::new(), value: None, tone }
        };
        let part = Part {
            name: "map".into(),
            shape: Shape::Grid { width: None, height: None, up: true },
            layers: vec![layer],
            spots: self.entities.iter().map(spot).collect(),
            bodies: self
                .units
                .iter()
                .take(AGENTS_MAX)
                .map(|(name, it)| self.body(name, it))
                .collect(),
            ..Part::default()
        };
        Picture::of(part).bounded()
    }

    fn body(&self, name: &str, unit: &Value) -> Body {
        let index = self.agents.iter().position(|known| known == name);
        Body {
            agent: index.and_then(|index| u16::try_from(index).ok()).map(AgentId),
            name: name.to_owned(),
            side: if unit["agent_id"] == self.team { Side::Ours } else { Side::Theirs },
            place: pair(&unit["coordinates"]).map(|(x, y)| Place::Cell(x, y)),
            alive: unit["hp"].as_i64().is_none_or(|hp| hp > 0),
            detail: format!("hp {}", word(&unit["hp"])),
            ..Body::default()
        }
    }
}

fn xy(thing: &Value) -> Option<(i32, i32)> {
    Some((coordinate(&thing["x"])?, coordinate(&thing["y"])?))
}

fn pair(list: &Value) -> Option<(i32, i32)> {
    Some((coordinate(&list[0])?, coordinate(&list[1])?))
}

fn kind(word: &Value) -> (&'static str, Tone) {
    match word.as_str().unwrap_or_default() {
        "m" => ("#metal", Tone::Obstacle),
        "w" => ("+wood", Tone::Obstacle),
        "o" => ("%ore", Tone::Obstacle),
        "b" => ("bomb", Tone::Danger),
        "x" => ("*fire", Tone::Danger),
        "a" => ("ammunition", Tone::Resource),
        "bp" => ("power-up of blasts", Tone::Resource),
        "fp" => ("freeze", Tone::Resource),
        _ => ("?", Tone::Other),
    }
}
