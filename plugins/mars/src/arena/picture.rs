//! A state as text: the map as it lies in the plane.
//!
//! Vertices stand where the generator put them, edges are lines of dots between them. A vertex
//! shows who is on it: `A` or `B` for the first or the second team, `X` for both, lower case
//! when all there are disabled; else its value (`*` from 10 on), in the colour of its owner.

use crate::rules::{MatchSide, State};
use std::fmt::Write as _;

/// Characters from one column of the grid to the next.
const ACROSS: usize = 4;
/// Lines from one row of the grid to the next.
const DOWN: usize = 2;
/// Widest and highest picture, in characters; what lies beyond is not drawn.
const SIDE_MAX: usize = 1024;

/// How something is painted on a terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TerminalStyle {
    Plain,
    Dim,
    Of(MatchSide),
}

impl TerminalStyle {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "\u{1b}[0m",
            Self::Dim => "\u{1b}[0;2m",
            Self::Of(MatchSide::A) => "\u{1b}[0;1;31m",
            Self::Of(MatchSide::B) => "\u{1b}[0;1;34m",
        }
    }
}

struct TextCanvas {
    rows: Vec<Vec<(char, TerminalStyle)>>,
}

impl TextCanvas {
    fn put(&mut self, (x, y): (usize, usize), mark: char, paint: TerminalStyle) {
        if let Some(cell) = self.rows.get_mut(y).and_then(|row| row.get_mut(x)) {
            *cell = (mark, paint);
        }
    }

    /// A line of dots, in the longer direction one for each character.
    fn line(&mut self, from: (usize, usize), to: (usize, usize)) {
        let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)).max(1);
        let between =
            |a: usize, b: usize, step: usize| (a * (steps - step) + b * step + steps / 2) / steps;
        for step in 1..steps {
            let at = (between(from.0, to.0, step), between(from.1, to.1, step));
            self.put(at, '·', TerminalStyle::Dim);
        }
    }

    fn text(&self, colour: bool) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let mut paint = TerminalStyle::Plain;
            let used = row.iter().rposition(|(mark, _)| *mark != ' ').map_or(0, |last| last + 1);
            for (mark, wanted) in row.iter().take(used) {
                if colour && *wanted != paint {
                    paint = *wanted;
                    text.push_str(paint.code());
                }
                text.push(*mark);
            }
            if paint != TerminalStyle::Plain {
                text.push_str(TerminalStyle::Plain.code());
            }
            text.push('\n');
        }
        text
    }
}

/// The picture, with a line on each team above it.
pub(super) fn draw(state: &State, colour: bool) -> String {
    let vertices = state.setting.map.vertices();
    let cell = cell(state);
    let place = |(x, y): (i32, i32)| {
        let along = |at: i32, wide: usize| usize::try_from(at / cell).unwrap_or(0) * wide;
        (along(x, ACROSS), along(y, DOWN))
    };
    let places: Vec<(usize, usize)> = vertices.iter().map(|vertex| place(vertex.at)).collect();
    let width = places.iter().map(|(x, _)| x + 1).max().unwrap_or(0).min(SIDE_MAX);
    let height = places.iter().map(|(_, y)| y + 1).max().unwrap_or(0).min(SIDE_MAX);
    let mut canvas = TextCanvas { rows: vec![vec![(' ', TerminalStyle::Plain); width]; height] };
    for edge in state.setting.map.edges() {
        if let (Some(a), Some(b)) = (places.get(edge.a as usize), places.get(edge.b as usize)) {
            canvas.line(*a, *b);
        }
    }
    let marks = marks(state);
    for ((at, mark), owner) in places.into_iter().zip(marks).zip(&state.owners) {
        canvas.put(at, mark, owner.map_or(TerminalStyle::Plain, TerminalStyle::Of));
    }
    let mut text = heading(state);
    text.push_str(&canvas.text(colour));
    text
}

/// The side of the grid's cells: the greatest that all places share.
fn cell(state: &State) -> i32 {
    let places = state.setting.map.vertices().iter().flat_map(|vertex| [vertex.at.0, vertex.at.1]);
    let least = places.clone().min().unwrap_or(0);
    let divisor = |a: i32, b: i32| {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    places.fold(0, |cell, place| divisor(cell, place - least)).max(1)
}

fn heading(state: &State) -> String {
    let mut text = format!("step {}\n", state.step);
    for (name, team) in state.setting.teams.iter().zip(&state.teams) {
        let (score, zones, money) = (team.score, team.zones_score, team.money);
        // Writing to a string cannot fail.
        writeln!(text, "{name}: score {score}, zones {zones}, money {money}").unwrap_or_default();
    }
    text
}

/// The text for each vertex.
fn marks(state: &State) -> Vec<char> {
    let vertices = state.setting.map.vertices();
    // Whether enabled and disabled agents of each team are there.
    let mut there = vec![[[false; 2]; 2]; vertices.len()];
    for (agent, person) in state.agents.iter().zip(&state.setting.people) {
        if let Some(there) = there.get_mut(agent.at as usize) {
            let [enabled, disabled] = person.side.of_mut(there);
            *(if agent.is_disabled() { disabled } else { enabled }) = true;
        }
    }
    let digit = |value: i32| {
        let digit = u32::try_from(value).ok().and_then(|value| char::from_digit(value, 10));
        digit.unwrap_or('*')
    };
    there
        .iter()
        .zip(vertices)
        .map(|([[a, disabled_a], [b, disabled_b]], vertex)| match (a, b, disabled_a, disabled_b) {
            (true, true, _, _) => 'X',
            (true, false, _, _) => 'A',
            (false, true, _, _) => 'B',
            (false, false, true, true) => 'x',
            (false, false, true, false) => 'a',
            (false, false, false, true) => 'b',
            (false, false, false, false) => digit(vertex.value),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::MarsRules;
    use crate::rules::map::{GraphMap, MapEdge, StartMap, Vertex};

    fn state() -> State {
        let vertex = |name: &str, value, at| Vertex { name: name.to_owned(), value, at };
        let vertices =
            vec![vertex("a", 3, (50, 50)), vertex("b", 10, (250, 50)), vertex("c", 4, (50, 150))];
        let edge = |a, b| MapEdge { a, b, weight: 1 };
        let map = GraphMap::new(vertices, vec![edge(0, 1), edge(1, 2)]);
        let ground = StartMap { map, starts: [vec![0], vec![2]], seed: 1 };
        let team = |name: &str| (name.to_owned(), vec![format!("{name}1")]);
        State::new(ground, [team("A"), team("B")], MarsRules::default())
    }

    #[test]
    fn vertices_edges_and_agents_are_where_they_are() {
        let mut state = state();
        state.agents[1].health = 0;
        let text = draw(&state, false);
        let picture: Vec<&str> = text.lines().skip(3).collect();
        assert_eq!(picture, ["A·······*", "   ····", "b··"], "\n{text}");
    }

    #[test]
    fn owners_have_colours_and_every_line_ends_plain() {
        let mut state = state();
        state.colour();
        let text = draw(&state, true);
        let code = TerminalStyle::Of(MatchSide::A).code();
        assert!(text.contains(&format!("{code}A")), "{text:?}");
        for line in text.lines().filter(|line| line.contains('\u{1b}')) {
            let last = line.rfind('\u{1b}').map(|at| line.split_at(at).1);
            assert!(
                last.is_some_and(|last| last.starts_with(TerminalStyle::Plain.code())),
                "{line:?}"
            );
        }
    }
}
