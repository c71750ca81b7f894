//! A game as text for people: one line a row, the highest row first, two columns a cell; below it
//! one line an agent, with its units.

use crate::rules::{CellEntity, CellIndex, EntityKind, GameBoard, GameState};

/// Colours of a terminal, by what they stand for.
const PLAIN: &str = "0";
const METAL: &str = "90";
const WOOD: &str = "33";
const ORE: &str = "37";
const BOMB: &str = "1;35";
const FIRE: &str = "1;31";
const ITEM: &str = "1;36";
const CORPSE: &str = "2";
const TEAMS: [&str; 2] = ["1;32", "1;34"];

/// Draws a game, with the units below the map.
#[must_use]
pub fn draw(board: &GameBoard, state: &GameState, colour: bool) -> String {
    let mut text = format!("tick {}\n", state.tick);
    for y in (0..i32::from(board.height())).rev() {
        for x in 0..i32::from(board.width()) {
            let Some(cell) = board.cell(x, y) else { continue };
            let (sign, shade) = sign(board, state, cell);
            paint(&mut text, &sign, shade, colour);
        }
        text.push('\n');
    }
    for agent in 0..=state.units().iter().map(|unit| unit.agent).max().unwrap_or_default() {
        let own = board.units().iter().zip(state.units()).filter(|(_, unit)| unit.agent == agent);
        let life = |hp: i32| if hp > 0 { format!("{hp} hp") } else { "dead".to_owned() };
        let units = own.map(|(name, unit)| format!("  {} {}", name.name, life(unit.hp)));
        let line = format!("{}:{}", board.agent(agent).unwrap_or("?"), units.collect::<String>());
        paint(&mut text, &line, team(agent), colour);
        text.push('\n');
    }
    text
}

fn team(agent: u8) -> &'static str {
    TEAMS.get(usize::from(agent) % TEAMS.len()).copied().unwrap_or(PLAIN)
}

fn paint(text: &mut String, sign: &str, shade: &str, colour: bool) {
    if colour && shade != PLAIN {
        text.push_str(&format!("\u{1b}[{shade}m{sign}\u{1b}[0m"));
    } else {
        text.push_str(sign);
    }
}

/// Two columns for a cell, and their colour; units are in front of what lies there.
fn sign(board: &GameBoard, state: &GameState, cell: CellIndex) -> (String, &'static str) {
    let unit = state.units_at(cell).next();
    if let Some((index, unit)) = unit.and_then(|index| Some((index, state.unit(index)?))) {
        let name = board.unit(index).map_or("?", |unit| unit.name.as_str());
        return match (unit.alive(), state.entity(cell).map(|entity| entity.kind)) {
            (false, _) => ("x ".to_owned(), CORPSE),
            (true, Some(EntityKind::Bomb)) => (format!("{name:.1}●"), team(unit.agent)),
            (true, _) => (format!("{name:<2.2}"), team(unit.agent)),
        };
    }
    let (sign, shade) = state.entity(cell).map_or(("· ", METAL), thing);
    (sign.to_owned(), shade)
}

fn thing(entity: &CellEntity) -> (&'static str, &'static str) {
    match entity.kind {
        EntityKind::Metal => ("██", METAL),
        EntityKind::Wood => ("▒▒", WOOD),
        EntityKind::Ore => ("▓▓", ORE),
        EntityKind::Bomb => ("● ", BOMB),
        EntityKind::Fire if entity.permanent() => ("▲▲", FIRE),
        EntityKind::Fire => ("✶ ", FIRE),
        EntityKind::Ammo => ("+b", ITEM),
        EntityKind::BlastUp => ("+*", ITEM),
        EntityKind::FreezeUp => ("+f", ITEM),
        EntityKind::Treasure => ("? ", ITEM),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{GameParams, Unit, UnitName};

    #[test]
    fn the_highest_row_comes_first_and_units_stand_in_front() {
        let name = UnitName { name: "c".to_owned(), agent: 0 };
        let board = GameBoard::new((3, 2), GameParams::default(), vec!["a".to_owned()], vec![name]);
        let unit =
            Unit { cell: 1, agent: 0, hp: 3, bombs: 1, diameter: 3, invulnerable: 0, stunned: 0.0 };
        let mut state = GameState::new(3, 2, 7, vec![unit]);
        state.put(0, CellEntity::new(EntityKind::Metal, 0));
        state.put(1, CellEntity::new(EntityKind::Bomb, 0));
        state.put(5, CellEntity::new(EntityKind::Fire, 0));
        assert_eq!(draw(&board, &state, false), "tick 7\n· · ▲▲\n██c●· \na:  c 3 hp\n");
        assert!(draw(&board, &state, true).contains("\u{1b}[1;31m▲▲\u{1b}[0m"));
    }
}
