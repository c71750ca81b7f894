//! The world of a state message, read as far as it makes sense.

use super::{SIZE, Snake, SnakeState};
use crate::rules::Id;
use serde_json::{Map, Value};

/// Grids are not believed to be larger: what is drawn and searched must stay small.
const SIZE_MAX: i32 = 100;

/// Places are not believed to be farther away.
const PLACE_MAX: f64 = 1e6;

fn cell(value: &Value) -> Option<[i32; 2]> {
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
    let part = |index: usize| {
        let place = value.get(index)?.as_f64().filter(|place| place.abs() < PLACE_MAX)?;
        Some(place as i32)
    };
    Some([part(0)?, part(1)?])
}

fn cells(value: Option<&Value>) -> Vec<[i32; 2]> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(cell).collect()
}

impl SnakeState {
    /// Whether a state can have been read so.
    pub(crate) fn is_readable(&self) -> bool {
        let near = |cell: &[i32; 2]| cell.iter().all(|place| f64::from(*place).abs() < PLACE_MAX);
        let snakes = self
            .snakes
            .iter()
            .all(|snake| snake.body.iter().all(near) && snake.eaten.checked_sub(1).is_some());
        let size = self.size.iter().all(|size| (1..=SIZE_MAX).contains(size));
        snakes && size && self.foods.iter().all(near)
    }

    /// Reads the keys of a state; what makes no sense is left out.
    #[must_use]
    pub fn read(state: &Map<String, Value>) -> Self {
        let scores = state.get("score");
        let snakes = state.get("snakes").and_then(Value::as_object);
        let snake = |agent: &str| {
            let snake = snakes?.get(agent)?;
            let mut read = Snake::new(Id::from(agent), cells(snake.get("positions")));
            read.alive = snake.get("alive").and_then(Value::as_bool).unwrap_or(false);
            let score = scores.and_then(|scores| scores.get(agent)).and_then(Value::as_i64);
            read.eaten = score.unwrap_or_default().saturating_add(i64::from(!read.alive));
            Some(read)
        };
        // The order of the agents is the one in which they were started.
        let order = state.get("agent_ids").and_then(Value::as_array);
        let order = order.into_iter().flatten().filter_map(Value::as_str);
        let size = |key: &str| {
            let size = state.get("grid").and_then(|grid| grid.get(key)).and_then(Value::as_i64);
            let size = size.and_then(|size| i32::try_from(size).ok());
            size.map_or(SIZE, |size| size.clamp(1, SIZE_MAX))
        };
        Self {
            snakes: order.filter_map(snake).collect(),
            foods: cells(state.get("foods")),
            size: [size("width"), size("height")],
        }
    }
}
