//! The folder of a MASSim server for a simulation of MAPC 2020.
#![allow(clippy::indexing_slicing, reason = "what a JSON value lacks reads as null")]

use super::{
    AGENTS_MAX, Deed, Found, Head, ReplayForm, Sink, Step, coordinate, create, list, put, word,
};
use anyhow::{Context, Result, bail};
use phalanx_game::{
    AgentId, Area, Body, Layer, Part, Picture, Place, Shape, Side, Spot, Tone, Turn,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The format.
pub(crate) const FORM: ReplayForm = ReplayForm {
    name: "massim",
    about: "A replay folder of MASSim",
    game: "assemble",
    expected: "a folder of MASSim with its static.json",
    is_one: |path, _| path.join(STATIC).is_file(),
    read,
    write,
    played: |_| None,
};
/// The file with the static data.
const STATIC: &str = "static.json";
/// Files of states, at most.
const FILES_MAX: usize = 100_000;
/// The meaning of the cells' numbers, each plus one.
const CELLS: &[(u8, &str, char, Tone)] = &[
    (1, "free", '.', Tone::Ground),
    (2, "goal", 'o', Tone::Goal),
    (3, "obstacle", '#', Tone::Obstacle),
];

/// Reads a folder.
fn read(folder: &Path, team: Option<&str>, sink: Sink<'_>) -> Result<()> {
    let path = folder.join(STATIC);
    let bytes = super::read(&path)?;
    let fixed = parse(&bytes, &path)?;
    let team = team_of(&fixed, team, &path)?;
    let mut fixed = Some(bytes);
    let mut agents: Option<Vec<String>> = None;
    let mut before = BTreeMap::new();
    for path in files(folder)? {
        let bytes = super::read(&path)?;
        let states = states(&parse(&bytes, &path)?, &path)?;
        let mut steps = Vec::new();
        for (number, state) in &states {
            if agents.is_none() {
                let names = names(state, &team);
                sink(Found::Head(Head { team: team.clone(), agents: names.clone() }))?;
                agents = Some(names);
            }
            let names = agents.as_deref().unwrap_or_default();
            // The initial state belongs to no step.
            if let Ok(step) = u32::try_from(*number) {
                steps.push(read_step(step, state, &team, names, &before));
            }
            before = summaries(state, &team);
        }
        if let Some(fixed) = fixed.take().filter(|_| agents.is_some()) {
            sink(Found::Document(fixed))?;
        }
        sink(Found::Document(bytes))?;
        for step in steps {
            sink(Found::Step(Box::new(step)))?;
        }
    }
    if agents.is_none() {
        bail!("{}: the folder has no states", folder.display());
    }
    Ok(())
}

fn parse(bytes: &[u8], path: &Path) -> Result<Value> {
    serde_json::from_slice(bytes).with_context(|| format!("{}", path.display()))
}

fn team_of(fixed: &Value, wanted: Option<&str>, path: &Path) -> Result<String> {
    let teams = fixed.get("teams").and_then(Value::as_object);
    let mut names: Vec<String> =
        teams.map(|teams| teams.keys().cloned().collect()).unwrap_or_default();
    match wanted {
        Some(name) if names.iter().any(|known| known == name) => Ok(name.to_owned()),
        Some(name) => bail!("the replay has no team {name:?}; there are {}", names.join(", ")),
        None if names.is_empty() => bail!("{}: it names no teams", path.display()),
        None => Ok(names.swap_remove(0)),
    }
}

/// The files of states, by step.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let place = || format!("{}", folder.display());
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).with_context(place)? {
        let path = entry.with_context(place)?.path();
        let is_json = path.extension().is_some_and(|ending| ending == "json");
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let number = stem.and_then(|stem| stem.parse::<u32>().ok());
        if let Some(number) = number.filter(|_| is_json) {
            found.insert(number, path);
        }
        if found.len() > FILES_MAX {
            bail!("{}: more than {FILES_MAX} files", folder.display());
        }
    }
    Ok(found.into_values().collect())
}

fn states(file: &Value, path: &Path) -> Result<BTreeMap<i64, Value>> {
    let states = file.as_object().with_context(|| format!("{}: no states", path.display()))?;
    let read = |(step, state): (&String, &Value)| {
        let step = step.parse().with_context(|| format!("{}: step {step:?}", path.display()))?;
        Ok((step, state.clone()))
    };
    states.iter().map(read).collect()
}

fn of_team<'a>(state: &'a Value, team: &'a str) -> impl Iterator<Item = &'a Value> {
    list(&state["entities"]).iter().filter(move |entity| entity["team"] == team)
}

fn names(state: &Value, team: &str) -> Vec<String> {
    of_team(state, team).map(|entity| word(&entity["name"])).take(AGENTS_MAX).collect()
}

/// The positions of the team's agents.
fn summaries(state: &Value, team: &str) -> BTreeMap<String, String> {
    let position = |entity: &Value| {
        let disabled = if entity["disabled"] == true { ", disabled" } else { "" };
        let [x, y, energy] = ["x", "y", "energy"].map(|key| word(&entity[key]));
        (word(&entity["name"]), format!("at ({x}, {y}), energy {energy}{disabled}"))
    };
    of_team(state, team).map(position).collect()
}

fn read_step(
    step: u32,
    state: &Value,
    team: &str,
    names: &[String],
    before: &BTreeMap<String, String>,
) -> Step {
    let deed = |entity: &Value| {
        let name = word(&entity["name"]);
        let agent = names.iter().position(|known| *known == name)?;
        let action = match entity["action"].as_str().unwrap_or_default() {
            "" | "no_action" => String::new(),
            action => {
                let params: Vec<_> = list(&entity["actionParams"]).iter().map(word).collect();
                format!("{action}({})", params.join(", "))
            }
        };
        let summary = before.get(&name).cloned().unwrap_or_default();
        Some(Deed { agent, action, result: word(&entity["actionResult"]), summary })
    };
    Step {
        turn: Turn::new(0, step),
        deeds: of_team(state, team).filter_map(deed).collect(),
        score: state["scores"][team].as_i64(),
        picture: picture(state, team, names),
    }
}

fn picture(state: &Value, team: &str, names: &[String]) -> Picture {
    let rows = list(&state["cells"]);
    let columns = rows.first().map_or(0, |row| list(row).len());
    let [width, height] = [columns, rows.len()].map(|side| u32::try_from(side).unwrap_or(u32::MAX));
    let area = Area::new(0, 0, width, height);
    let mut layer = Layer::new("terrain", area).with_legend(CELLS);
    for (x, y) in area.each() {
        let row = usize::try_from(y).ok().and_then(|y| rows.get(y));
        let cell = row.and_then(|row| list(row).get(usize::try_from(x).ok()?));
        let value = cell.and_then(Value::as_u64).and_then(|value| u8::try_from(value + 1).ok());
        let place = area.index(x, y).and_then(|index| layer.cells.get_mut(index));
        if let (Some(place), Some(value)) = (place, value) {
            *place = value;
        }
    }
    let shape = Shape::Grid { width: Some(width), height: Some(height), up: false };
    let body = |entity: &Value| body(entity, team, names);
    let part = Part {
        name: "map".into(),
        shape,
        layers: vec![layer],
        spots: spots(state),
        bodies: list(&state["entities"]).iter().take(AGENTS_MAX).map(body).collect(),
        ..Part::default()
    };
    Picture::of(part).bounded()
}

fn place(thing: &Value) -> Option<Place> {
    Some(Place::Cell(coordinate(&thing["x"])?, coordinate(&thing["y"])?))
}

fn spots(state: &Value) -> Vec<Spot> {
    let kinds = [
        ("dispensers", "dispenser", Tone::Resource),
        ("blocks", "block", Tone::Resource),
        ("taskboards", "taskboard", Tone::Goal),
    ];
    let spots = kinds.into_iter().flat_map(|(key, kind, tone)| {
        let spot = move |thing: &Value| {
            let (place, label) = (place(thing)?, word(&thing["type"]));
            Some(Spot { place, kind: kind.into(), label, value: None, tone })
        };
        list(&state[key]).iter().filter_map(spot)
    });
    spots.collect()
}

fn body(entity: &Value, team: &str, names: &[String]) -> Body {
    let name = word(&entity["name"]);
    let ours = entity["team"] == team;
    let index = names.iter().position(|known| ours && *known == name);
    Body {
        agent: index.and_then(|index| u16::try_from(index).ok()).map(AgentId),
        side: if ours { Side::Ours } else { Side::Theirs },
        place: place(entity),
        alive: entity["disabled"] != true,
        detail: format!("energy {}", word(&entity["energy"])),
        name,
        ..Body::default()
    }
}

/// Writes the folder again: each document is a file.
fn write(documents: Vec<Vec<u8>>, folder: &Path) -> Result<Vec<PathBuf>> {
    std::fs::create_dir(folder).with_context(|| format!("{}", folder.display()))?;
    let mut written = Vec::new();
    for document in documents {
        let value = parse(&document, folder)?;
        let steps = value.as_object().into_iter().flat_map(|states| states.keys());
        let steps: Vec<i64> = steps.filter_map(|step| step.parse().ok()).collect();
        // A file is named after its first step.
        let name = match steps.into_iter().min() {
            None => STATIC.to_owned(),
            Some(first) => format!("{}.json", first.max(0)),
        };
        let path = folder.join(name);
        put(&mut create(&path)?, &document, &path)?;
        written.push(path);
    }
    Ok(written)
}
