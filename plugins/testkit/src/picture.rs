//! A world's picture as text: a snapshot that people can check with their eyes.

use phalanx_game::{
    Body, CELL_UNKNOWN, Column, Layer, Part, Picture, Place, SEEN_NEVER, Shape, Table,
};
use std::fmt::Write;

/// The whole picture, one thing a line.
#[must_use]
pub fn text(picture: &Picture) -> String {
    let mut text = String::new();
    for part in &picture.parts {
        describe(&mut text, part).expect("a text takes everything");
    }
    for table in &picture.tables {
        tabulate(&mut text, table).expect("a text takes everything");
    }
    if picture.cut {
        text += "(cut)\n";
    }
    text
}

fn describe(out: &mut String, part: &Part) -> std::fmt::Result {
    writeln!(out, "== {} {:?}", part.name, part.shape)?;
    for (name, fact) in &part.facts {
        writeln!(out, "{name}: {fact}")?;
    }
    let up = matches!(part.shape, Shape::Grid { up: true, .. });
    for layer in &part.layers {
        lines(out, layer, up)?;
    }
    for spot in &part.spots {
        let value = spot.value.map(|value| format!(" = {value}")).unwrap_or_default();
        let at = place(spot.place);
        writeln!(out, "{} {:?} at {at}{value} ({:?})", spot.kind, spot.label, spot.tone)?;
    }
    for node in &part.nodes {
        let value = node.value.map_or("?".to_owned(), |value| value.to_string());
        writeln!(out, "node {} value {value} {:?} zone {:?}", node.name, node.owner, node.zone)?;
    }
    for edge in &part.edges {
        let weight = edge.weight.map_or("?".to_owned(), |weight| weight.to_string());
        writeln!(out, "edge {}-{} weight {weight}", edge.a, edge.b)?;
    }
    for body in &part.bodies {
        let at = body.place.map_or("nowhere".to_owned(), place);
        let life = if body.alive { "" } else { " down" };
        let agent = body.agent.map_or("-".to_owned(), |agent| agent.0.to_string());
        let (name, side, kind) = (&body.name, body.side, &body.kind);
        writeln!(out, "{side:?} {agent} {name} {kind} at {at}{life}: {}", body.detail)?;
        for (x, y, what) in &body.carried {
            writeln!(out, "  {what} at ({x}, {y})")?;
        }
        intent(out, body)?;
    }
    Ok(())
}

/// What is known of a body besides.
fn intent(out: &mut String, body: &Body) -> std::fmt::Result {
    let health = body.health.map(|health| format!("{health:.2}")).unwrap_or_default();
    let way = body.path.iter().map(|at| place(*at)).collect::<Vec<_>>().join(" ");
    let words = [("team", &body.team), ("job", &body.job), ("carrying", &body.carrying)];
    for (name, word) in words.into_iter().chain([("health", &health), ("path", &way)]) {
        if !word.is_empty() {
            writeln!(out, "  {name}: {word}")?;
        }
    }
    Ok(())
}

fn tabulate(out: &mut String, table: &Table) -> std::fmt::Result {
    let column = |column: &Column| match column.unit.as_ref() {
        "" => column.name.to_string(),
        unit => format!("{} ({unit})", column.name),
    };
    let columns: Vec<_> = table.columns.iter().map(column).collect();
    writeln!(out, "## {}: {}", table.title, columns.join(" | "))?;
    for row in &table.rows {
        let at = row.place.as_ref().map(|(part, at)| format!(" at {} of {part}", place(*at)));
        let about = if row.agent.is_empty() { "" } else { " about " };
        let (at, agent) = (at.unwrap_or_default(), &row.agent);
        writeln!(out, "{} ({:?}){at}{about}{agent}", row.cells.join(" | "), row.tone)?;
    }
    Ok(())
}

fn place(place: Place) -> String {
    match place {
        Place::Cell(x, y) => format!("({x}, {y})"),
        Place::Point(x, y) => format!("({x:.2}, {y:.2})"),
        Place::Node(node) => format!("node {node}"),
    }
}

/// The rows as they lie on a map, the northern one first.
fn lines(out: &mut String, layer: &Layer, up: bool) -> std::fmt::Result {
    let area = layer.area;
    writeln!(out, "-- {} from ({}, {})", layer.name, area.x, area.y)?;
    let width = usize::try_from(area.width.max(1)).unwrap_or(usize::MAX);
    let mut rows: Vec<&[u8]> = layer.cells.chunks(width).collect();
    if up {
        rows.reverse();
    }
    for row in rows {
        let row: Vec<String> = row.iter().map(|value| glyph(layer, *value)).collect();
        let gap = if layer.scale.is_some() { " " } else { "" };
        writeln!(out, "{}", row.join(gap).trim_end())?;
    }
    if let Some(scale) = layer.scale {
        writeln!(out, "1 to 255: {} to {} {}", scale.from, scale.to, scale.unit)?;
    }
    for legend in &layer.legend {
        writeln!(out, "{} {} ({:?})", legend.glyph, legend.name, legend.tone)?;
    }
    let mut seen: Vec<u32> =
        layer.seen.iter().copied().filter(|seen| *seen != SEEN_NEVER).collect();
    seen.sort_unstable();
    seen.dedup();
    if !seen.is_empty() {
        writeln!(out, "seen in the steps {seen:?}")?;
    }
    Ok(())
}

fn glyph(layer: &Layer, value: u8) -> String {
    let known = layer.legend.iter().find(|legend| legend.value == value);
    match known {
        Some(legend) => legend.glyph.to_string(),
        None if value == CELL_UNKNOWN => if layer.scale.is_some() { "  ." } else { " " }.to_owned(),
        None => format!("{value:>3}"),
    }
}
