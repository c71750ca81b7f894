//! The grid as characters, and the state as the referee prints it.

use super::{Snake, SnakeDirection, SnakeState};
use crate::wire::text;

/// The mark of a body that goes in a direction.
fn mark(direction: SnakeDirection) -> char {
    match direction {
        SnakeDirection::Up => '^',
        SnakeDirection::Right => '>',
        SnakeDirection::Down => 'V',
        SnakeDirection::Left => '<',
    }
}

/// A body that moved shows the last move, all of it; before that, where each part leads.
fn body_sign(snake: &Snake, index: usize) -> char {
    let last = index + 1 == snake.body.len();
    if let Some(heading) = snake.heading {
        return if last && snake.new_tail { 'S' } else { mark(heading) };
    }
    let (Some(here), Some(next)) = (snake.body.get(index), snake.body.get(index + 1)) else {
        return 'S';
    };
    let leads = SnakeDirection::ALL.into_iter().find(|direction| direction.from(*next) == *here);
    leads.map_or('S', mark)
}

impl SnakeState {
    /// The rows of the grid, one character a cell.
    #[must_use]
    pub fn rows(&self) -> Vec<String> {
        let [width, height] = self.size;
        (0..height).map(|y| (0..width).map(|x| self.sign([x, y])).collect()).collect()
    }

    fn sign(&self, cell: [i32; 2]) -> char {
        if self.foods.contains(&cell) {
            return '@';
        }
        let mut found = ' ';
        for snake in self.snakes.iter().filter(|snake| snake.alive) {
            for (index, segment) in snake.body.iter().enumerate() {
                if self.wrapped(*segment) != cell {
                    continue;
                }
                if found != ' ' {
                    return 'X';
                }
                found = if index == 0 { 'C' } else { body_sign(snake, index) };
            }
        }
        found
    }

    /// Writes the keys of the state, without the braces around them.
    pub fn write(&self, out: &mut String) {
        let cell = |out: &mut String, cell: &[i32; 2]| {
            text::list(out, cell, |out, place| out.push_str(&place.to_string()));
        };
        out.push_str("\"score\": ");
        text::items(out, ['{', '}'], &self.snakes, |out, snake| {
            text::string(out, &snake.agent);
            out.push_str(": ");
            out.push_str(&snake.score().to_string());
        });
        out.push_str(", \"snakes\": ");
        text::items(out, ['{', '}'], &self.snakes, |out, snake| {
            text::string(out, &snake.agent);
            out.push_str(": {\"alive\": ");
            out.push_str(if snake.alive { "true" } else { "false" });
            out.push_str(", \"head_position\": ");
            cell(out, &snake.head().unwrap_or_default());
            out.push_str(", \"positions\": ");
            text::list(out, &snake.body, cell);
            out.push('}');
        });
        out.push_str(", \"foods\": ");
        text::list(out, &self.foods, cell);
        let [width, height] = self.size;
        out.push_str(&format!(", \"grid\": {{\"width\": {width}, \"height\": {height}"));
        out.push_str(", \"grid_string\": ");
        text::list(out, &self.rows(), |out, row| text::string(out, row));
        out.push('}');
    }
}
