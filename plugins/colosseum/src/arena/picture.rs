//! The running match as text for people. An agent is a letter: its actors small, its bases capital.

use super::table::{GameTable, TableWorld};
use crate::rules::catcher::CatcherState;
use crate::rules::{Id, chess, snake};

/// Columns of a drawn plane; characters are twice as high as wide, so half as many rows.
const COLUMNS: usize = 40;
/// Worlds side by side at most, where everybody has one; those of the others are only counted.
const WORLDS_MAX: usize = 2;
/// Most names on a line.
const NAMES_MAX: usize = 8;
/// Colours of a terminal, by what they stand for.
const PLAIN: &str = "0";
const FOOD: &str = "33";
const FRAME: &str = "90";
const AGENTS: [&str; 4] = ["1;32", "1;34", "1;35", "1;36"];
/// From this quantity on a source is drawn as a full one.
const FULL: f64 = 25.0;

/// Draws a match; `names` are the agents' in their order.
pub(super) fn draw(table: &GameTable, names: &[String], colour: bool) -> String {
    let mut canvas = TextCanvas { text: format!("tick {}\n", table.epoch()), colour };
    match table.world() {
        TableWorld::Catcher(state) => {
            canvas.plane(state, table.agents(), table.plane());
            canvas.stores(&[state], table.agents(), names);
        }
        TableWorld::Isolated(states) => {
            for state in states.iter().take(WORLDS_MAX) {
                canvas.plane(state, table.agents(), table.plane());
            }
            canvas.stores(&states.iter().collect::<Vec<_>>(), table.agents(), names);
        }
        TableWorld::Snake(state) => canvas.snakes(state, names),
        TableWorld::Chess { game, white } => canvas.chess(game, *white, names),
    }
    canvas.text
}

struct TextCanvas {
    text: String,
    colour: bool,
}

impl TextCanvas {
    fn put(&mut self, sign: &str, shade: &str) {
        if self.colour && shade != PLAIN {
            self.text.push_str(&format!("\u{1b}[{shade}m{sign}\u{1b}[0m"));
        } else {
            self.text.push_str(sign);
        }
    }

    fn frame(&mut self, columns: usize, [left, right]: [&str; 2]) {
        let line = format!("{left}{}{right}", "─".repeat(columns));
        self.put(&line, FRAME);
        self.text.push('\n');
    }

    /// A row of signs between the frame's sides.
    fn row(&mut self, signs: &[(String, &'static str)]) {
        self.put("│", FRAME);
        for (sign, shade) in signs {
            self.put(sign, shade);
        }
        self.put("│", FRAME);
        self.text.push('\n');
    }

    /// The plane of food_catcher: actors stand before bases, bases before food.
    fn plane(&mut self, state: &CatcherState, agents: &[Id], [width, height]: [f64; 2]) {
        let rows = COLUMNS / 2;
        let blank = || (" ".to_owned(), PLAIN);
        let mut grid = vec![vec![blank(); COLUMNS]; rows];
        let mut mark = |[x, y]: [f64; 2], sign: String, shade: &'static str| {
            let place = cell(y, height, rows).zip(cell(x, width, COLUMNS));
            let slot = place.and_then(|(row, column)| grid.get_mut(row)?.get_mut(column));
            if let Some(slot) = slot {
                *slot = (sign, shade);
            }
        };
        for food in &state.foods {
            let sign = if food.quantity.get() < FULL { "·" } else { "•" };
            mark(food.position, sign.to_owned(), FOOD);
        }
        let index = |owner: &Id| agents.iter().position(|agent| agent == owner);
        for base in &state.bases {
            let agent = index(&base.owner);
            mark(base.position, letter(agent).to_ascii_uppercase().to_string(), shade(agent));
        }
        for actor in &state.actors {
            let agent = index(&actor.owner);
            mark(actor.position, letter(agent).to_string(), shade(agent));
        }
        self.frame(COLUMNS, ["┌", "┐"]);
        for row in &grid {
            self.row(row);
        }
        self.frame(COLUMNS, ["└", "┘"]);
    }

    /// What everybody has.
    fn stores(&mut self, states: &[&CatcherState], agents: &[Id], names: &[String]) {
        for (index, (agent, name)) in agents.iter().zip(names).take(NAMES_MAX).enumerate() {
            let Some(state) = states.get(index.min(states.len().saturating_sub(1))) else { return };
            let own = |owner: &Id| owner == agent;
            let actors: Vec<_> = state.actors.iter().filter(|actor| own(&actor.owner)).collect();
            let carried: f64 = actors.iter().map(|actor| actor.food.get()).sum();
            let base = state.bases.iter().find(|base| own(&base.owner));
            let health = base.map_or("lost".to_owned(), |base| format!("{} hp", base.health.get()));
            let line = format!(
                "{} {name}: {:.0} stored, {carried:.0} carried, {} actors, base {health}\n",
                letter(Some(index)),
                state.score(agent).get(),
                actors.len(),
            );
            self.put(&line, shade(Some(index)));
        }
    }

    fn snakes(&mut self, state: &snake::SnakeState, names: &[String]) {
        let [width, height] = state.size;
        let columns = usize::try_from(width).unwrap_or_default() * 2;
        self.frame(columns, ["┌", "┐"]);
        for y in 0..height {
            let signs: Vec<_> = (0..width).map(|x| snake_sign(state, [x, y])).collect();
            self.row(&signs);
        }
        self.frame(columns, ["└", "┘"]);
        for (index, (snake, name)) in state.snakes.iter().zip(names).take(NAMES_MAX).enumerate() {
            let dead = if snake.alive { "" } else { ", dead" };
            let line = format!("{} {name}: {}{dead}\n", letter(Some(index)), snake.score());
            self.put(&line, shade(Some(index)));
        }
    }

    fn chess(&mut self, game: &chess::ChessGame, white: usize, names: &[String]) {
        let name = |index: usize| names.get(index).map_or("", String::as_str);
        let placement = game.fen();
        let rows = placement.split(' ').next().unwrap_or_default().split('/');
        for (row, number) in rows.zip((1..=8).rev()) {
            self.put(&format!("{number} "), FRAME);
            for piece in row.chars() {
                let empty = piece.to_digit(10).unwrap_or_default();
                let sign = figure(piece).map(|figure| format!("{figure} "));
                let signs = sign.into_iter().chain((0..empty).map(|_| "· ".to_owned()));
                self.text.extend(signs);
            }
            self.text.push('\n');
        }
        self.put("  a b c d e f g h\n", FRAME);
        let turn = if game.white() { "white" } else { "black" };
        let black = 1_usize.saturating_sub(white);
        let line = format!("white {}, black {}; {turn} to move\n", name(white), name(black));
        self.text.push_str(&line);
    }
}

/// The row or column of a coordinate; nothing for places outside and for what is no number.
fn cell(at: f64, size: f64, cells: usize) -> Option<usize> {
    let share = at / size;
    if !(0.0..=1.0).contains(&share) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a small number of cells"
    )]
    let index = (share * cells as f64) as usize;
    Some(index.min(cells.saturating_sub(1)))
}

fn letter(agent: Option<usize>) -> char {
    let index = agent.and_then(|index| u8::try_from(index % 26).ok());
    index.map_or('?', |index| char::from(b'a' + index))
}

fn shade(agent: Option<usize>) -> &'static str {
    agent.and_then(|index| AGENTS.get(index % AGENTS.len()).copied()).unwrap_or(PLAIN)
}

/// Two columns for a cell: food, or the letter of the snake that is there, its head doubled.
fn snake_sign(state: &snake::SnakeState, cell: [i32; 2]) -> (String, &'static str) {
    if state.foods.contains(&cell) {
        return ("◆ ".to_owned(), FOOD);
    }
    let mut alive = state.snakes.iter().enumerate().filter(|(_, snake)| snake.alive);
    let found = alive.find_map(|(index, snake)| {
        let place = snake.body.iter().position(|segment| *segment == cell)?;
        let letter = letter(Some(index));
        let sign = if place == 0 { format!("{letter}{letter}") } else { format!("{letter} ") };
        Some((sign, shade(Some(index))))
    });
    found.unwrap_or_else(|| ("  ".to_owned(), PLAIN))
}

/// A piece of the notation as a figure; nothing for a digit.
fn figure(piece: char) -> Option<char> {
    const FIGURES: [(char, char); 12] = [
        ('K', '♔'),
        ('Q', '♕'),
        ('R', '♖'),
        ('B', '♗'),
        ('N', '♘'),
        ('P', '♙'),
        ('k', '♚'),
        ('q', '♛'),
        ('r', '♜'),
        ('b', '♝'),
        ('n', '♞'),
        ('p', '♟'),
    ];
    FIGURES.iter().find(|(letter, _)| *letter == piece).map(|(_, figure)| *figure)
}

#[cfg(test)]
mod tests {
    use super::super::options::{ArenaOptions, GameName};
    use super::*;
    use crate::rules::GameRng;

    fn drawn(game: GameName, colour: bool) -> String {
        let options = ArenaOptions { game, ..ArenaOptions::default() };
        let agents = [Id::from("one"), Id::from("two")];
        let mut table = GameTable::new(&options, &agents, GameRng::new(3));
        table.begin();
        draw(&table, &["first".to_owned(), "second".to_owned()], colour)
    }

    #[test]
    fn a_plane_shows_food_actors_and_what_everybody_has() {
        let picture = drawn(GameName::FoodCatcher, false);
        let lines: Vec<_> = picture.lines().collect();
        assert_eq!(lines.len(), 1 + 1 + 20 + 1 + 2, "{picture}");
        assert!(lines.iter().skip(1).take(22).all(|line| line.chars().count() == 42), "{picture}");
        // The actors stand on their bases at the start.
        let plane = lines.get(2..22).unwrap_or_default().concat();
        for sign in ['a', 'b'] {
            assert_eq!(plane.matches(sign).count(), 1, "{picture}");
        }
        assert!(plane.contains(['·', '•']), "{picture}");
        let stored = "a first: 0 stored, 0 carried, 1 actors, base 50 hp";
        assert_eq!(lines.get(23), Some(&stored));
        assert!(drawn(GameName::FoodCatcher, true).contains("\u{1b}[1;32ma\u{1b}[0m"));
    }

    #[test]
    fn everybody_alone_has_a_plane_of_its_own() {
        let picture = drawn(GameName::CherryPicker, false);
        assert_eq!(picture.matches('┌').count(), 2, "{picture}");
        assert!(picture.contains("b second: 0 stored, 0 carried, 1 actors"), "{picture}");
    }

    #[test]
    fn snakes_have_heads_and_chess_has_figures() {
        let picture = drawn(GameName::Snake, false);
        assert!(picture.contains("aa") && picture.contains("◆ "), "{picture}");
        assert!(picture.contains("b second: 0\n"), "{picture}");
        let picture = drawn(GameName::Chess, false);
        assert!(picture.contains("8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜ \n7 ♟ "), "{picture}");
        assert!(picture.contains("4 · · · · · · · · \n"), "{picture}");
        assert!(picture.contains("white to move"), "{picture}");
    }
}
