//! The belief as people see it: a part for each group of agents whose maps are joined.

pub(crate) mod tables;

use super::World;
use super::chart::{GroupMap, KnownTerrain, Occupant, SeenCell, TypeId, mark};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{
    AgentId, Area, Body, Layer, LayerDoc, Legend, Part, Picture, Place, Shape, Side, Spot, Tone,
};
use phalanx_grid::{Cell, Extent, FrameId};
use std::borrow::Cow;

pub(crate) const FREE: u8 = 1;
pub(crate) const GOAL: u8 = 2;
pub(crate) const OBSTACLE: u8 = 3;
/// No block.
pub(crate) const NONE: u8 = 1;

pub(crate) const GROUND: LayerDoc = LayerDoc {
    name: "ground",
    legend: &[
        (FREE, "free", '.', Tone::Ground),
        (GOAL, "goal", 'G', Tone::Goal),
        (OBSTACLE, "obstacle", '#', Tone::Obstacle),
    ],
};
/// The types of blocks, which each match has of its own, follow.
pub(crate) const BLOCKS: LayerDoc =
    LayerDoc { name: "blocks", legend: &[(NONE, "none", '.', Tone::Ground)] };

/// Enemies that were not seen for this many steps are not shown: they have gone on.
const ENEMY_STEPS: u32 = 10;
/// This many agents are named in the name of a part: those of a whole team would not fit.
const NAMED_MAX: usize = 3;

pub(super) fn picture(world: &World) -> Picture {
    let mut groups: SortedMap<FrameId, Vec<AgentId>> = SortedMap::new();
    for (agent, mind) in &world.minds {
        groups.entry(mind.frame).or_default().push(*agent);
    }
    let alone = world.charts.len() == 1;
    let mut names: SortedMap<FrameId, String> = SortedMap::new();
    let parts = groups.iter().map(|(frame, agents)| {
        let name =
            if alone { "map".to_owned() } else { format!("map of {}", named(world, agents)) };
        names.insert(*frame, name.clone());
        part(world, name, *frame, agents)
    });
    let mut parts: Vec<Part> = parts.collect();
    for frame in world.charts.keys().filter(|frame| !groups.contains_key(frame)) {
        let name = format!("map on which {} may be", named(world, &world.may_be_on(*frame)));
        names.insert(*frame, name.clone());
        parts.push(part(world, name, *frame, &[]));
    }
    Picture { parts, tables: tables::tables(world, &names), cut: false }
}

/// The names of the first agents, and how many more there are.
fn named(world: &World, agents: &[AgentId]) -> String {
    let (first, more) = agents.split_at(agents.len().min(NAMED_MAX));
    let names: Vec<_> = first.iter().map(|agent| world.roster.name(*agent)).collect();
    match more.len() {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

fn part(world: &World, name: String, frame: FrameId, agents: &[AgentId]) -> Part {
    let Extent { width, height } = world.extent;
    let side = |side: Option<i32>| side.and_then(|side| u32::try_from(side).ok());
    let shape = Shape::Grid { width: side(width), height: side(height), up: false };
    let facts = vec![(Cow::Borrowed("step"), world.step().to_string())];
    let own = agents.iter().map(|agent| mate(world, *agent)).collect();
    let mut part = Part { name, shape, facts, bodies: own, ..Part::default() };
    if let Some(chart) = world.charts.get(&frame) {
        chart_into(&mut part, world, chart);
    }
    part
}

fn chart_into(part: &mut Part, world: &World, chart: &GroupMap) {
    let known = chart.plane().iter().filter(|(_, spot)| spot.seen().is_some());
    let known: Vec<(Cell, &SeenCell)> = known.collect();
    let Some(area) = Area::around(known.iter().map(|(cell, _)| (cell.x, cell.y))) else { return };
    part.layers = vec![ground(area, &known), blocks(world, area, &known)];
    let dispensers = chart
        .dispensers
        .iter()
        .map(|(cell, kind)| spot(*cell, "dispenser", world.types.name(*kind), Tone::Resource));
    let boards = chart.boards.iter().map(|cell| spot(*cell, "taskboard", "", Tone::Goal));
    part.spots = dispensers.chain(boards).collect();
    let now = world.step();
    for (cell, seen) in known {
        let Some(step) = seen.seen() else { continue };
        if step == now {
            part.spots.extend(clears(cell, seen));
        }
        if seen.guest == Occupant::Enemy && now.saturating_sub(step) < ENEMY_STEPS {
            part.bodies.push(Body {
                side: Side::Theirs,
                place: Some(Place::Cell(cell.x, cell.y)),
                alive: true,
                detail: format!("seen in step {step}"),
                ..Body::default()
            });
        }
    }
}

fn ground(area: Area, known: &[(Cell, &SeenCell)]) -> Layer {
    let mut layer = Layer::declared(&GROUND, area).with_seen();
    for (cell, spot) in known {
        let value = match spot.ground {
            KnownTerrain::Plain => FREE,
            KnownTerrain::Goal => GOAL,
            KnownTerrain::Obstacle => OBSTACLE,
        };
        layer.set(cell.x, cell.y, value);
        layer.saw(cell.x, cell.y, spot.seen().unwrap_or_default());
    }
    layer
}

/// Blocks by their types; 1 is none.
fn blocks(world: &World, area: Area, known: &[(Cell, &SeenCell)]) -> Layer {
    let value = |kind: TypeId| kind.saturating_add(NONE + 1);
    let mut layer = Layer::declared(&BLOCKS, area);
    let mut kinds = SortedSet::new();
    for (cell, spot) in known {
        kinds.extend(spot.block);
        layer.set(cell.x, cell.y, spot.block.map_or(NONE, value));
    }
    layer.legend.extend(kinds.into_iter().map(|kind| {
        let name = world.types.name(kind);
        let glyph = name.chars().next_back().filter(char::is_ascii_alphanumeric).unwrap_or('b');
        let name = format!("block {}", phalanx_game::excerpt(name.as_bytes()));
        Legend { value: value(kind), name: name.into(), glyph, tone: Tone::Resource }
    }));
    layer
}

/// Announced clears: only what was seen just now is still to come.
fn clears(cell: Cell, seen: &SeenCell) -> impl Iterator<Item = Spot> {
    let marks =
        [(mark::CLEAR, "clear"), (mark::IMMEDIATE, "clear now"), (mark::PERIMETER, "clear around")];
    let here = marks.into_iter().filter(|(bit, _)| seen.marks & bit != 0);
    here.map(move |(_, kind)| spot(cell, kind, "", Tone::Danger)).collect::<Vec<_>>().into_iter()
}

fn spot(cell: Cell, kind: &'static str, label: &str, tone: Tone) -> Spot {
    let place = Place::Cell(cell.x, cell.y);
    Spot { place, kind: kind.into(), label: label.to_owned(), value: None, tone }
}

fn mate(world: &World, agent: AgentId) -> Body {
    let blocks = world.blocks(agent);
    let carrying = tables::counted(blocks.iter().map(|(_, kind)| *kind));
    let blocks = blocks.into_iter().map(|(at, kind)| (at.x, at.y, kind.to_owned()));
    let crew = world.crew(agent).into_iter();
    let crew = crew.map(|(at, mate)| (at.x, at.y, world.roster.name(mate).to_owned()));
    let percept = world.percept(agent);
    let place = world.position(agent).map(|(_, at)| Place::Cell(at.x, at.y));
    let detail = percept.map(|percept| {
        let task = if percept.task.is_empty() { "" } else { " for " };
        format!("energy {}{task}{}", percept.energy, percept.task)
    });
    Body {
        agent: Some(agent),
        name: world.roster.name(agent).to_owned(),
        side: Side::Ours,
        place,
        carried: blocks.chain(crew).collect(),
        alive: percept.is_none_or(|percept| !percept.disabled),
        detail: detail.unwrap_or_default(),
        carrying,
        ..Body::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_game::{PICTURE_TEXT_BYTES_MAX, Roster, RosterEntry};

    #[test]
    fn the_name_of_a_part_fits_however_many_agents_are_on_it() {
        let agents = (1..=50).map(|number| RosterEntry::new(format!("agentA{number}"), "worker"));
        let world = World::new(&Roster { team: "A".into(), agents: agents.collect() });
        let first = |count: u16| (0..count).map(AgentId).collect::<Vec<_>>();
        assert_eq!(named(&world, &first(1)), "agentA1");
        assert_eq!(named(&world, &first(3)), "agentA1, agentA2, agentA3");
        assert_eq!(named(&world, &first(15)), "agentA1, agentA2, agentA3 and 12 more");
        let longest = format!("map on which {} may be", named(&world, &first(50)));
        assert!(longest.len() <= PICTURE_TEXT_BYTES_MAX, "{longest}");
    }
}
