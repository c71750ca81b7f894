//! Arguments of queries, checked.

use phalanx_game::{QueryError, Value};
use phalanx_grid::{Cell, Direction, Rotation};

/// The arguments of one question.
pub(super) struct Args<'a> {
    query: &'a str,
    values: &'a [Value],
}

/// Cells in one argument at most.
const CELLS_MAX: usize = 1024;

impl<'a> Args<'a> {
    pub(super) fn new(query: &'a str, values: &'a [Value]) -> Self {
        Self { query, values }
    }

    /// The argument, when it is there and not nil.
    pub(super) fn get(&self, index: usize) -> Option<&'a Value> {
        self.values.get(index).filter(|value| **value != Value::Nil)
    }

    pub(super) fn wrong(&self, index: usize, expected: &str) -> QueryError {
        let got = self.get(index).map_or("nil", Value::kind);
        let reason = format!("argument {}: expected {expected}, got {got}", index + 1);
        QueryError { query: self.query.to_owned(), reason }
    }

    pub(super) fn int(&self, index: usize) -> Result<i32, QueryError> {
        let int = self.get(index).and_then(Value::as_int).and_then(|int| i32::try_from(int).ok());
        int.ok_or_else(|| self.wrong(index, "a whole number"))
    }

    /// An optional whole number, at least `min` and at most `max`.
    pub(super) fn bounded(
        &self,
        index: usize,
        default: i32,
        (min, max): (i32, i32),
    ) -> Result<i32, QueryError> {
        if self.get(index).is_none() {
            return Ok(default);
        }
        Ok(self.int(index)?.clamp(min, max))
    }

    pub(super) fn cell(&self, index: usize) -> Result<Cell, QueryError> {
        Ok(Cell::new(self.int(index)?, self.int(index + 1)?))
    }

    pub(super) fn text(&self, index: usize, expected: &str) -> Result<&'a str, QueryError> {
        self.get(index).and_then(Value::as_str).ok_or_else(|| self.wrong(index, expected))
    }

    pub(super) fn optional_text(&self, index: usize) -> Result<Option<&'a str>, QueryError> {
        match self.get(index) {
            None => Ok(None),
            Some(_) => self.text(index, "text").map(Some),
        }
    }

    pub(super) fn direction(&self, index: usize) -> Result<Direction, QueryError> {
        let expected = "\"n\", \"s\", \"e\" or \"w\"";
        let word = self.text(index, expected)?;
        Direction::parse(word).ok_or_else(|| self.wrong(index, expected))
    }

    pub(super) fn rotation(&self, index: usize) -> Result<Rotation, QueryError> {
        let word = self.text(index, "\"cw\" or \"ccw\"")?;
        Rotation::parse(word).ok_or_else(|| self.wrong(index, "\"cw\" or \"ccw\""))
    }

    pub(super) fn cells(&self, index: usize) -> Result<Vec<Cell>, QueryError> {
        let expected = "a list of at most 1024 cells {x=, y=}";
        let cells = self.get(index).and_then(cells);
        cells.ok_or_else(|| self.wrong(index, expected))
    }

    /// The table of options; an empty one when it is left out.
    pub(super) fn options(&self, index: usize) -> Result<Options<'a>, QueryError> {
        match self.get(index) {
            None => Ok(Options(None)),
            // An empty table is an empty list to a converter that cannot know better.
            Some(Value::List(list)) if list.is_empty() => Ok(Options(None)),
            Some(table @ Value::Map(_)) => Ok(Options(Some(table))),
            Some(_) => Err(self.wrong(index, "a table of options")),
        }
    }
}

/// A list of cells; `None` when it is none or too long.
fn cells(value: &Value) -> Option<Vec<Cell>> {
    if matches!(value, Value::Map(map) if map.is_empty()) {
        return Some(Vec::new());
    }
    let list = value.as_list().filter(|list| list.len() <= CELLS_MAX)?;
    list.iter().map(|cell| cell.as_cell().map(|(x, y)| Cell::new(x, y))).collect()
}

/// Named options, all of which may be left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options<'a>(Option<&'a Value>);

impl<'a> Options<'a> {
    fn get(self, key: &str) -> Option<&'a Value> {
        self.0?.get(key)
    }

    pub(super) fn flag(self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(super) fn int(self, key: &str) -> Option<i32> {
        self.get(key)?.as_int().and_then(|int| i32::try_from(int).ok())
    }

    pub(super) fn cells(self, key: &str) -> Vec<Cell> {
        self.get(key).and_then(cells).unwrap_or_default()
    }
}
