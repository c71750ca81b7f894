//! The world as it is, drawn in the terms of a team's belief: a part for each client.

use crate::rules::{Cell, Simulation, Tile, TileKind};
use crate::world::draw::tables::Account;
use crate::world::draw::{CLEAR, DANGER, PART, WALL, ground_of};
use phalanx_game::{Area, Body, Part, Picture, Place, Shape, Side, Spot, Tone};

/// The simulations of clients, by the names of the clients.
pub(super) fn picture<'a>(shown: impl IntoIterator<Item = (String, &'a Simulation)>) -> Picture {
    let mut picture = Picture::default();
    let shown: Vec<_> = shown.into_iter().collect();
    let alone = shown.len() == 1;
    for (index, (name, simulation)) in shown.into_iter().enumerate() {
        let part = if alone { PART.to_owned() } else { format!("map of {name}") };
        let mut account = account(simulation).table(&simulation.rules);
        if !alone {
            account.title = format!("account of {name}").into();
        }
        picture.tables.push(account);
        let side = if index == 0 { Side::Ours } else { Side::Theirs };
        let body = body(simulation, name, side);
        picture.parts.push(of(simulation, part, body));
    }
    picture
}

fn account(simulation: &Simulation) -> Account {
    let count = |wanted: fn(Tile) -> bool| usize::from(simulation.map.count(wanted));
    Account {
        score: simulation.score,
        cost: simulation.cost,
        ammunition: simulation.ammunition,
        items: count(|tile| tile.item),
        homes: count(|tile| tile.home),
        enemies: count(|tile| tile.enemy),
    }
}

fn of(simulation: &Simulation, part: String, body: Body) -> Part {
    let cells = || simulation.map.iter();
    let area = Area::around(cells().map(|(at, _)| (at.x, at.y))).unwrap_or_default();
    let mut ground = ground_of(area);
    for (at, tile) in cells() {
        let value = match tile.kind {
            TileKind::Clear => CLEAR,
            TileKind::Wall => WALL,
            TileKind::Danger => DANGER,
        };
        ground.set(at.x, at.y, value);
    }
    Part {
        name: part,
        shape: Shape::Grid { width: None, height: None, up: true },
        layers: vec![ground],
        spots: cells().flat_map(|(at, tile)| spots(at, tile)).collect(),
        bodies: vec![body],
        facts: vec![
            ("step".into(), simulation.actions.to_string()),
            ("score".into(), simulation.score.to_string()),
        ],
        ..Part::default()
    }
}

fn spots(at: Cell, tile: Tile) -> impl Iterator<Item = Spot> {
    let kinds = [
        (tile.home, "home", Tone::Goal),
        (tile.item, "item", Tone::Resource),
        (tile.enemy, "enemy", Tone::Theirs),
    ];
    kinds.into_iter().filter(|(there, ..)| *there).map(move |(_, kind, tone)| Spot {
        place: Place::Cell(at.x, at.y),
        kind: kind.into(),
        label: String::new(),
        value: None,
        tone,
    })
}

fn body(simulation: &Simulation, client: String, side: Side) -> Body {
    let pose = simulation.pose;
    let dead = simulation.map.tile(pose.at).deadly();
    Body {
        name: client.clone(),
        team: client,
        side,
        place: Some(Place::Cell(pose.at.x, pose.at.y)),
        alive: simulation.end.is_none(),
        detail: format!("facing {}", pose.heading.word()),
        carrying: account(simulation).carrying(),
        health: Some(if dead { 0.0 } else { 1.0 }),
        ..Body::default()
    }
}
