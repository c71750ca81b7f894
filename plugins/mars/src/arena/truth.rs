//! The world as it is, drawn in the terms of a team's belief.

use crate::rules::{MatchSide, State};
use crate::world::draw::tables::{SideZones, zones};
use crate::world::draw::{PART, share};
use phalanx_game::{
    Body, Part, Picture, PictureEdge, PictureNode, Place, Row, Shape, Side, Table, Tone,
};

pub(super) fn picture(state: &State) -> Picture {
    let map = &state.setting.map;
    let owned = |owner: Option<MatchSide>| owner.map_or(Side::Nobody, side);
    let nodes = (0..).zip(map.vertices()).map(|(vertex, spot)| {
        let owner = state.owners.get(vertex as usize).copied().flatten();
        let zone = owner.filter(|owner| owner.of(&state.zones).at(vertex).is_some());
        PictureNode {
            name: spot.name.clone(),
            value: Some(spot.value),
            owner: owned(owner),
            zone: owned(zone),
        }
    });
    let edges = map.edges().iter().map(|edge| {
        let weight = u32::try_from(edge.weight).ok();
        PictureEdge { a: edge.a, b: edge.b, weight }
    });
    let scores = state.setting.teams.iter().zip(&state.teams);
    let scores =
        scores.map(|(name, team)| (format!("score of {name}").into(), team.score.to_string()));
    let step = ("step".into(), state.step.to_string());
    let part = Part {
        name: PART.to_owned(),
        shape: Shape::Graph,
        nodes: nodes.collect(),
        edges: edges.collect(),
        bodies: (0..state.agents.len()).filter_map(|agent| body(state, agent)).collect(),
        facts: std::iter::once(step).chain(scores).collect(),
        ..Part::default()
    };
    let sides = MatchSide::BOTH.map(|side| SideZones {
        side,
        team: side.of(&state.setting.teams).as_str(),
        zones: side.of(&state.zones),
        agents: standing(state, side),
    });
    Picture::of(part).with_tables([zones(&sides), teams(state)])
}

/// The enabled agents of a side and where they stand.
fn standing(state: &State, side: MatchSide) -> Vec<(&str, u32)> {
    let all = state.setting.people.iter().zip(&state.agents);
    let own = all.filter(|(person, body)| person.side == side && !body.is_disabled());
    own.map(|(person, body)| (person.name.as_str(), body.at)).collect()
}

fn body(state: &State, agent: usize) -> Option<Body> {
    let (person, body) = (state.setting.people.get(agent)?, state.agents.get(agent)?);
    Some(Body {
        name: person.name.clone(),
        team: person.side.of(&state.setting.teams).clone(),
        side: side(person.side),
        kind: person.role.word().into(),
        place: Some(Place::Node(body.at)),
        alive: !body.is_disabled(),
        detail: format!(
            "health {}/{} energy {}/{}",
            body.health, body.max_health, body.energy, body.max_energy
        ),
        health: share(body.health, body.max_health),
        ..Body::default()
    })
}

fn teams(state: &State) -> Table {
    let columns = [
        ("team", ""),
        ("score", "points"),
        ("last step", "points"),
        ("zones", "points"),
        ("money", ""),
        ("achievements", ""),
    ];
    let rows = MatchSide::BOTH.map(|side| {
        let (name, team) = (side.of(&state.setting.teams), side.of(&state.teams));
        let numbers = [team.score, team.step_score, team.zones_score, team.money];
        let numbers = numbers.iter().map(ToString::to_string);
        let achievements = team.achievements.len().to_string();
        let tone = if side == MatchSide::A { Tone::Ours } else { Tone::Theirs };
        Row::new(tone, std::iter::once(name.clone()).chain(numbers).chain([achievements]))
    });
    Table::new("standing", &columns).with_rows(rows)
}

fn side(side: MatchSide) -> Side {
    if side == MatchSide::A { Side::Ours } else { Side::Theirs }
}
