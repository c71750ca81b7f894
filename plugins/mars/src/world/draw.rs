//! The belief as people see it: the graph, zones, everybody who was seen.

pub(crate) mod tables;

use super::World;
use super::chart::KnownOwner;
use super::people::{AgentSighting, Mate};
use super::zones::ZoneStage;
use crate::rules;
use crate::rules::MatchSide;
use crate::rules::zone::Zones;
use phalanx_game::{AgentId, Body, Part, Picture, PictureEdge, PictureNode, Place, Shape, Side};
use tables::SideZones;

/// The name of the one part.
pub(crate) const PART: &str = "map";

pub(super) fn picture(world: &World) -> Picture {
    if world.round.is_none() {
        return Picture::default();
    }
    let chart = &world.chart;
    let mut stage = ZoneStage::new(chart, chart.links());
    stage.put(rules::MatchSide::A, &world.own_vertices());
    stage.put(rules::MatchSide::B, &world.enemy_vertices());
    let zones = stage.owners().to_vec();
    let nodes = chart.iter().map(|(vertex, spot)| PictureNode {
        name: spot.name.to_string(),
        value: spot.value,
        owner: match spot.owner {
            KnownOwner::Unknown | KnownOwner::Nobody => Side::Nobody,
            KnownOwner::Own => Side::Ours,
            KnownOwner::Enemy => Side::Theirs,
        },
        zone: match zones.get(vertex as usize).copied().flatten() {
            None => Side::Nobody,
            Some(rules::MatchSide::A) => Side::Ours,
            Some(rules::MatchSide::B) => Side::Theirs,
        },
    });
    let edges = chart.iter().flat_map(|(a, spot)| {
        // Each road is known from both its ends.
        let roads = spot.roads.iter().filter(move |road| a < road.to);
        roads.map(move |road| {
            let weight = road.weight.and_then(|weight| u32::try_from(weight).ok());
            PictureEdge { a, b: road.to, weight }
        })
    });
    let mates = world.mates.iter().map(|(agent, mate)| friend(world, *agent, mate));
    let mut facts = vec![("step".into(), world.step.to_string())];
    facts.extend(world.standing.score.map(|score| ("score".into(), score.to_string())));
    facts.push(("achievements".into(), world.achievements.len().to_string()));
    let own = world.standing_mates().map(|(agent, at)| (world.roster.of(agent), at));
    let there = world.enemies().filter(|enemy| !enemy.disabled && !enemy.gone);
    let enemies = there.filter_map(|enemy| Some((enemy.name.as_str(), enemy.at?)));
    let of = |side| Zones::new(stage.links(), &zones, side, stage.worth());
    let [ours, theirs] = MatchSide::BOTH.map(of);
    let rival = world.enemies().next().map_or("", |enemy| enemy.team.as_str());
    let sides = [
        SideZones { side: MatchSide::A, team: &world.team, zones: &ours, agents: own.collect() },
        SideZones { side: MatchSide::B, team: rival, zones: &theirs, agents: enemies.collect() },
    ];
    let tables = [tables::zones(&sides), tables::standing(world)];
    let part = Part {
        name: PART.to_owned(),
        shape: Shape::Graph,
        nodes: nodes.collect(),
        edges: edges.collect(),
        bodies: mates.chain(world.enemies().map(enemy)).collect(),
        facts,
        ..Part::default()
    };
    Picture::of(part).with_tables(tables)
}

/// How much of the most there is; nothing without a most.
pub(crate) fn share(now: i32, most: i32) -> Option<f64> {
    (most > 0).then(|| (f64::from(now) / f64::from(most)).clamp(0.0, 1.0))
}

fn friend(world: &World, agent: AgentId, mate: &Mate) -> Body {
    let number = |number: Option<i32>| number.map_or("?".to_owned(), |some| some.to_string());
    let me = &mate.own;
    Body {
        agent: Some(agent),
        name: world.roster.of(agent).to_owned(),
        side: Side::Ours,
        kind: world.role(agent).map(|role| role.word().into()).unwrap_or_default(),
        place: mate.at.map(Place::Node),
        alive: !me.disabled(),
        detail: format!(
            "health {}/{} energy {}/{}",
            number(me.health),
            number(me.max_health),
            number(me.energy),
            number(me.max_energy),
        ),
        health: me.health.zip(me.max_health).and_then(|(now, most)| share(now, most)),
        ..Body::default()
    }
}

fn enemy(person: &AgentSighting) -> Body {
    let kind = match (person.role(), person.guess()) {
        (Some(role), _) => role.word().into(),
        (None, Some(guess)) => format!("{}?", guess.word()).into(),
        (None, None) => "".into(),
    };
    let gone = if person.gone { ", gone since" } else { "" };
    let seen = person.seen.map(|step| format!("seen in step {step}{gone}"));
    Body {
        agent: None,
        name: person.name.to_string(),
        side: Side::Theirs,
        kind,
        team: person.team.to_string(),
        place: person.at.map(Place::Node),
        alive: !person.disabled,
        detail: seen.unwrap_or_default(),
        ..Body::default()
    }
}
