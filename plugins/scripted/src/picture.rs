//! What `draw` returned, as a picture. Anything that does not fit is left out: a picture is for
//! people, and `phalanx game check` reports what is wrong.

use crate::manifest::{Manifest, TONES};
use crate::shown;
use phalanx_game::{
    AgentId, Area, Body, Column, Layer, Part, Picture, Place, Roster, Row, Shape, Side, Spot,
    Table, Tone, Value,
};

/// The picture of a table.
pub(crate) fn read(drawn: &Value, manifest: &Manifest, roster: &Roster) -> Picture {
    let parts = list(drawn, "parts").iter().map(|value| part(value, manifest, roster));
    let tables = list(drawn, "tables").iter().map(table);
    Picture { parts: parts.collect(), tables: tables.collect(), cut: false }.bounded()
}

/// A picture that says why there is none.
pub(crate) fn of_failure(text: &str) -> Picture {
    let facts = vec![("no picture".into(), text.to_owned())];
    Picture::of(Part { name: "map".to_owned(), facts, ..Part::default() })
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_list).unwrap_or_default()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).filter(|value| **value != Value::Nil).map_or_else(String::new, shown)
}

fn int(value: &Value, key: &str) -> Option<i32> {
    value.get(key)?.as_int().and_then(|int| i32::try_from(int).ok())
}

fn size(value: &Value, key: &str) -> Option<u32> {
    value.get(key)?.as_int().and_then(|int| u32::try_from(int).ok())
}

fn tone(value: &Value, key: &str) -> Tone {
    let word = value.get(key).and_then(Value::as_str).unwrap_or("other");
    TONES.iter().find(|(name, _)| *name == word).map_or(Tone::Other, |(_, tone)| *tone)
}

fn place(value: &Value) -> Option<Place> {
    Some(Place::Cell(int(value, "x")?, int(value, "y")?))
}

fn part(value: &Value, manifest: &Manifest, roster: &Roster) -> Part {
    let shape = value.get("grid").map_or(Shape::None, |grid| Shape::Grid {
        width: size(grid, "width"),
        height: size(grid, "height"),
        up: grid.get("up").and_then(Value::as_bool).unwrap_or(false),
    });
    let name = text(value, "name");
    Part {
        name: if name.is_empty() { "map".to_owned() } else { name },
        shape,
        layers: list(value, "layers").iter().map(|value| layer(value, manifest)).collect(),
        spots: list(value, "spots").iter().filter_map(spot).collect(),
        bodies: list(value, "bodies").iter().map(|value| body(value, roster)).collect(),
        facts: list(value, "facts").iter().filter_map(fact).collect(),
        ..Part::default()
    }
}

fn layer(value: &Value, manifest: &Manifest) -> Layer {
    let name = text(value, "name");
    let corner = |key| int(value, key).unwrap_or(0);
    let side = |key| size(value, key).unwrap_or(0);
    let area = Area::new(corner("x"), corner("y"), side("width"), side("height"));
    let declared = manifest.declaration.layers.iter().find(|layer| layer.name == name);
    let mut layer = match declared {
        Some(declared) => Layer::declared(declared, area),
        None => Layer::new(name, area),
    };
    // The script's rows may be longer than what an area holds.
    let row = usize::try_from(side("width")).unwrap_or(usize::MAX).max(1);
    for (index, cell) in list(value, "cells").iter().enumerate() {
        let cell = cell.as_int().and_then(|cell| u8::try_from(cell).ok()).unwrap_or(0);
        let at = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let (x, y) = (at(index % row), at(index / row));
        layer.set(area.x.saturating_add(x), area.y.saturating_add(y), cell);
    }
    layer
}

fn spot(value: &Value) -> Option<Spot> {
    Some(Spot {
        place: place(value)?,
        kind: text(value, "kind").into(),
        label: text(value, "label"),
        value: value.get("value").and_then(Value::as_num).filter(|number| number.is_finite()),
        tone: tone(value, "tone"),
    })
}

fn body(value: &Value, roster: &Roster) -> Body {
    let name = text(value, "name");
    let agent = value.get("agent").and_then(Value::as_str);
    let agent: Option<AgentId> = agent.and_then(|name| roster.find(name));
    let side = match value.get("side").and_then(Value::as_str) {
        Some("ours") => Side::Ours,
        Some("theirs") => Side::Theirs,
        Some(_) | None if agent.is_some() => Side::Ours,
        Some(_) | None => Side::Nobody,
    };
    let carried = |item: &Value| {
        let part = |index: usize| item.as_list().and_then(|parts| parts.get(index));
        let offset = |index| part(index)?.as_int().and_then(|int| i32::try_from(int).ok());
        Some((offset(0)?, offset(1)?, part(2)?.as_str()?.to_owned()))
    };
    Body {
        agent,
        name: if agent.is_some() { String::new() } else { name },
        side,
        kind: text(value, "kind").into(),
        place: place(value),
        carried: list(value, "carried").iter().filter_map(carried).collect(),
        alive: value.get("alive").and_then(Value::as_bool).unwrap_or(true),
        detail: text(value, "detail"),
        path: list(value, "path").iter().filter_map(place).collect(),
        job: text(value, "job"),
        carrying: text(value, "carrying"),
        health: value.get("health").and_then(Value::as_num),
        team: text(value, "team"),
    }
}

fn fact(value: &Value) -> Option<(std::borrow::Cow<'static, str>, String)> {
    let [name, fact] = value.as_list()? else { return None };
    Some((name.as_str()?.to_owned().into(), shown(fact)))
}

fn table(value: &Value) -> Table {
    let columns = list(value, "columns").iter().map(|column| Column {
        name: text(column, "name").into(),
        unit: text(column, "unit").into(),
    });
    let rows = list(value, "rows").iter().map(|row| {
        let cells = list(row, "cells")
            .iter()
            .map(|cell| if *cell == Value::Nil { String::new() } else { shown(cell) });
        let part = text(row, "part");
        let part = if part.is_empty() { "map".to_owned() } else { part };
        Row {
            place: place(row).map(|place| (part, place)),
            agent: text(row, "agent"),
            ..Row::new(tone(row, "tone"), cells.collect::<Vec<_>>())
        }
    });
    Table { title: text(value, "title").into(), columns: columns.collect(), rows: rows.collect() }
}
