//! What the team works on: what everybody has, and the food that lies about.

use super::Owners;
use crate::rules::{catcher, snake};
use phalanx_game::sorted::{Order, SortedMap};
use phalanx_game::{Place, Row, Table, Tone};

/// Adds the tables of a part to those of the parts before: rows of one kind are in one table.
pub(super) fn merge(known: &mut Vec<Table>, more: Vec<Table>) {
    for table in more {
        match known.iter_mut().find(|known| known.title == table.title) {
            Some(same) => same.rows.extend(table.rows),
            None => known.push(table),
        }
    }
}

/// Bases with what they store, actors with what they carry, and food.
pub(super) fn catcher(
    part: &str,
    owners: &Owners<'_>,
    state: &catcher::CatcherState,
) -> Vec<Table> {
    let point = |[x, y]: [f64; 2]| Place::Point(x, y);
    let mut carried: SortedMap<&str, (usize, f64)> = SortedMap::new();
    for actor in &state.actors {
        let (count, food) = carried.entry(&actor.owner).or_default();
        *count += 1;
        *food += actor.food.get();
    }
    let bases = state.bases.iter().map(|base| {
        let (actors, food) = carried.get(&*base.owner).copied().unwrap_or_default();
        let cells = [
            base.owner.to_string(),
            number(base.food.get()),
            number(food),
            actors.to_string(),
            number(base.health.get()),
        ];
        Row::new(owners.tone(&base.owner), cells).at(part, point(base.position))
    });
    let columns = [
        ("agent", ""),
        ("stored", "food"),
        ("carried", "food"),
        ("actors", ""),
        ("base health", ""),
    ];
    let bases = Table::new("bases", &columns).with_rows(bases);
    let mut foods: Vec<_> = state.foods.iter().collect();
    foods.order_by(|a, b| b.quantity.get().total_cmp(&a.quantity.get()));
    let foods = foods.into_iter().map(|food| {
        let cells = [food.id.to_string(), number(food.quantity.get())];
        Row::new(Tone::Resource, cells).at(part, point(food.position))
    });
    let foods = Table::new("food", &[("source", ""), ("quantity", "food")]).with_rows(foods);
    vec![bases, foods]
}

/// Snakes, the longest first.
pub(super) fn snakes(part: &str, owners: &Owners<'_>, state: &snake::SnakeState) -> Vec<Table> {
    let mut snakes: Vec<_> = state.snakes.iter().collect();
    snakes.order_by_key(|snake| (!snake.alive, std::cmp::Reverse(snake.body.len())));
    let rows = snakes.into_iter().map(|snake| {
        let life = if snake.alive { "alive" } else { "dead" };
        let numbers = [snake.body.len().to_string(), snake.score().to_string()];
        let cells = std::iter::once(snake.agent.to_string()).chain(numbers);
        let tone = if snake.alive { owners.tone(&snake.agent) } else { Tone::Other };
        let row = Row::new(tone, cells.chain([life.to_owned()])).about(&*snake.agent);
        match snake.head() {
            Some([x, y]) => row.at(part, Place::Cell(x, y)),
            None => row,
        }
    });
    let columns = [("snake", ""), ("length", "cells"), ("score", "points"), ("is", "")];
    let food = state.foods.iter().map(|[x, y]| {
        Row::new(Tone::Resource, [format!("({x}, {y})")]).at(part, Place::Cell(*x, *y))
    });
    vec![
        Table::new("snakes", &columns).with_rows(rows),
        Table::new("food", &[("cell", "")]).with_rows(food),
    ]
}

/// A player: its name, and whether it plays white.
pub(super) type ChessPlayer = (String, bool);

/// Who plays which colour, and whose turn it is.
pub(super) fn chess(owners: &Owners<'_>, fen: &str, players: &[ChessPlayer]) -> Vec<Table> {
    let whites_turn = fen.split(' ').nth(1) != Some("b");
    let rows = players.iter().map(|(name, white)| {
        let colour = if *white { "white" } else { "black" };
        let turn = if *white == whites_turn { "to move" } else { "" };
        let cells = [name.clone(), colour.to_owned(), turn.to_owned()];
        Row::new(owners.tone(name), cells).about(name.as_str())
    });
    vec![Table::new("players", &[("player", ""), ("plays", ""), ("turn", "")]).with_rows(rows)]
}

fn number(number: f64) -> String {
    format!("{:.1}", number).trim_end_matches(".0").to_owned()
}
