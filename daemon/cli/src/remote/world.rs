//! `phalanx world`: draws what a team believes of its world.

pub(crate) mod map;

use super::{Shown, look, team_name, values, word};
use crate::args::board::WorldVerb;
use crate::failure::{misused, refused};
use crate::paint::Paint;
use anyhow::{Context, Result};
use console::Term;
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;
use phalanx_proto::v1::worlds_client::WorldsClient;
use phalanx_proto::v1::{
    GetWorldRequest, World, WorldBody, WorldLayer, WorldPart, WorldPlace, WorldSide, WorldTone,
};
use serde_json::{Value, json};

/// Columns of a map without a terminal.
const COLUMNS: usize = 160;

/// `phalanx world`.
///
/// # Errors
/// When no daemon answers, it refuses, or the world has no layer of that name.
pub fn world(verb: &WorldVerb) -> Result<()> {
    let WorldVerb::Show(args) = verb;
    look(&args.look, async |channel| {
        let team = team_name(&channel, args.team.as_deref()).await?;
        let request = GetWorldRequest { team, layers: Vec::new() };
        let answer = WorldsClient::new(channel).get_world(request).await;
        let world = answer.map_err(|status| refused(&status))?.into_inner().world;
        let world = world.context("the daemon's answer has no world")?;
        known(&world, &args.layers)?;
        let columns = Term::stdout().size_checked().map_or(COLUMNS, |(_, columns)| columns.into());
        let text = map::text(&world, &args.layers, columns, Paint::stdout());
        Ok(Shown { json: json(&world), text })
    })
}

/// Checks that every requested layer exists, unless nothing is drawn yet.
fn known(world: &World, wanted: &[String]) -> Result<()> {
    let layers = || world.parts.iter().flat_map(|part| &part.layers);
    let missing = wanted.iter().find(|name| !layers().any(|layer| layer.name == **name));
    match missing {
        Some(missing) if layers().next().is_some() => {
            let mut names: Vec<_> = layers().map(|layer| layer.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let names = names.join(", ");
            Err(misused(format!("there is no layer {missing:?}; there are: {names}")))
        }
        Some(_) | None => Ok(()),
    }
}

fn json(world: &World) -> Value {
    let marks = world.marks.iter().map(|mark| {
        let args: Vec<_> = mark.args.iter().map(|arg| values::json(Some(arg))).collect();
        json!({ "agent": mark.agent, "shape": mark.shape, "args": args })
    });
    json!({
        "team": super::short(&world.team), "game": world.game, "tick": world.tick,
        "turn": world.turn.map(|turn| json!({ "round": turn.round, "step": turn.step })),
        "parts": world.parts.iter().map(part_json).collect::<Vec<_>>(),
        "marks": marks.collect::<Vec<_>>(), "cut": world.cut,
    })
}

fn part_json(part: &WorldPart) -> Value {
    let shape = match &part.shape {
        None => Value::Null,
        Some(Shape::Grid(grid)) => {
            json!({ "grid": { "width": grid.width, "height": grid.height, "y_up": grid.y_up } })
        }
        Some(Shape::Plane(plane)) => {
            json!({ "plane": { "width": plane.width, "height": plane.height } })
        }
        Some(Shape::Graph(_)) => json!({ "graph": {} }),
    };
    let spots = part.spots.iter().map(|spot| {
        json!({
            "place": place_json(spot.place.as_ref()), "kind": spot.kind, "label": spot.label,
            "value": spot.value, "tone": tone_word(spot.tone()),
        })
    });
    let nodes = part.nodes.iter().map(|node| {
        json!({
            "name": node.name, "value": node.value, "owner": side_word(node.owner()),
            "zone": side_word(node.zone()),
        })
    });
    let edges =
        part.edges.iter().map(|edge| json!({ "a": edge.a, "b": edge.b, "weight": edge.weight }));
    let facts = part.facts.iter().map(|fact| (fact.name.clone(), json!(fact.value)));
    json!({
        "name": part.name, "shape": shape,
        "layers": part.layers.iter().map(layer_json).collect::<Vec<_>>(),
        "spots": spots.collect::<Vec<_>>(), "nodes": nodes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "bodies": part.bodies.iter().map(body_json).collect::<Vec<_>>(),
        "facts": facts.collect::<serde_json::Map<_, _>>(),
    })
}

fn layer_json(layer: &WorldLayer) -> Value {
    let legend = layer.legend.iter().map(|legend| {
        json!({
            "value": legend.value, "name": legend.name, "glyph": legend.glyph,
            "tone": tone_word(legend.tone()),
        })
    });
    let scale = layer.scale.as_ref().map(|scale| {
        json!({
            "from": scale.from, "to": scale.to, "unit": scale.unit,
            "tone": tone_word(scale.tone()),
        })
    });
    json!({
        "name": layer.name, "x": layer.x, "y": layer.y, "width": layer.width,
        "height": layer.height, "cells": layer.cells, "seen": layer.seen,
        "legend": legend.collect::<Vec<_>>(), "scale": scale,
    })
}

fn body_json(body: &WorldBody) -> Value {
    let carried = body.carried.iter().map(|it| json!({ "x": it.x, "y": it.y, "what": it.what }));
    json!({
        "name": body.name, "side": side_word(body.side()), "agent": body.agent, "role": body.role,
        "kind": body.kind, "place": place_json(body.place.as_ref()), "alive": body.alive,
        "carried": carried.collect::<Vec<_>>(), "detail": body.detail,
    })
}

fn place_json(place: Option<&WorldPlace>) -> Value {
    match place.and_then(|place| place.place.as_ref()) {
        None => Value::Null,
        Some(Place::Cell(cell)) => json!({ "cell": { "x": cell.x, "y": cell.y } }),
        Some(Place::Point(point)) => json!({ "point": { "x": point.x, "y": point.y } }),
        Some(Place::Node(node)) => json!({ "node": node }),
    }
}

fn side_word(side: WorldSide) -> String {
    word(side.as_str_name(), "WORLD_SIDE_")
}

fn tone_word(tone: WorldTone) -> String {
    word(tone.as_str_name(), "WORLD_TONE_")
}
