//! A simulation as text for people: north is up.

use crate::rules::{Cell, Heading, Simulation, Tile, TileKind};
use crate::wire::Symbol;
use phalanx_game::sorted::SortedMap;
use std::fmt::Write as _;

const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const BLUE: &str = "\x1b[34m";
const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const PLAIN: &str = "\x1b[0m";

/// Draws head line and map; two columns a tile: what is there, and the agent's own symbol.
pub(super) fn draw(
    out: &mut String,
    simulation: &Simulation,
    marks: &SortedMap<Cell, Symbol>,
    colour: bool,
) {
    let Simulation { score, cost, items, kills, .. } = simulation;
    let shots = simulation.ammunition.map_or("any".to_owned(), |shots| shots.to_string());
    // Writing to a text cannot fail.
    writeln!(out, "score {score}  cost {cost}  items {items}  kills {kills}  shots {shots}")
        .unwrap_or_default();
    let (low, high) = simulation.map.border();
    for y in (low.y..=high.y).rev() {
        for x in low.x..=high.x {
            let at = Cell::new(x, y);
            let (letter, paint) = if at == simulation.pose.at {
                (arrow(simulation.pose.heading), BOLD)
            } else {
                letter(simulation.map.tile(at))
            };
            let note = marks.get(&at).map_or(' ', |symbol| sign(*symbol));
            if colour {
                out.push_str(&format!("{paint}{letter}{PLAIN}{DIM}{note}{PLAIN}"));
            } else {
                out.extend([letter, note]);
            }
        }
        out.push('\n');
    }
}

fn arrow(heading: Heading) -> char {
    match heading {
        Heading::East => '>',
        Heading::North => '^',
        Heading::West => '<',
        Heading::South => 'v',
    }
}

fn letter(tile: Tile) -> (char, &'static str) {
    match tile.kind {
        TileKind::Wall => ('#', DIM),
        TileKind::Danger if tile.enemy => ('X', RED),
        TileKind::Danger => ('~', RED),
        TileKind::Clear if tile.enemy => ('E', RED),
        TileKind::Clear if tile.item => ('$', YELLOW),
        TileKind::Clear if tile.home => ('H', GREEN),
        TileKind::Clear => ('.', BLUE),
    }
}

/// One letter for a symbol of the protocol.
fn sign(symbol: Symbol) -> char {
    match symbol {
        Symbol::Number(number) => char::from(b'0' + number % 10),
        Symbol::Sign => '#',
        Symbol::Question => '?',
        Symbol::Doubt => '!',
        Symbol::Unreachable => 'u',
        Symbol::Irrelevant => '-',
        Symbol::PossibleEnemy => 'e',
        Symbol::Enemy => 'E',
        Symbol::PossibleDanger => 'd',
        Symbol::Danger => 'D',
        Symbol::PlanShutOff => '*',
        Symbol::None => ' ',
    }
}
