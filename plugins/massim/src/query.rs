//! Checked arguments of a script's query.

use phalanx_game::{QueryError, Value};
use phalanx_grid::{Cell, Direction, Rotation};

/// Cells in one argument at most.
const CELLS_MAX: usize = 1024;

/// Names in one argument at most.
pub const NAMES_MAX: usize = 4096;

/// Rows of a matrix of costs at most, and entries of a row.
pub const ASSIGN_MAX: usize = 128;

/// The arguments of one query.
#[derive(Clone, Copy, Debug)]
pub struct QueryArgs<'a> {
    query: &'a str,
    values: &'a [Value],
}

impl<'a> QueryArgs<'a> {
    /// The arguments of the query of that name.
    #[must_use]
    pub fn new(query: &'a str, values: &'a [Value]) -> Self {
        Self { query, values }
    }

    /// The argument, unless it is left out or nil.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&'a Value> {
        self.values.get(index).filter(|value| **value != Value::Nil)
    }

    /// The error that says what the argument should be.
    #[must_use]
    pub fn wrong(&self, index: usize, expected: &str) -> QueryError {
        let got = self.get(index).map_or("nil", Value::kind);
        let reason = format!("argument {}: expected {expected}, got {got}", index + 1);
        QueryError { query: self.query.to_owned(), reason }
    }

    /// A whole number.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn int(&self, index: usize) -> Result<i32, QueryError> {
        let int = self.get(index).and_then(Value::as_int).and_then(|int| i32::try_from(int).ok());
        int.ok_or_else(|| self.wrong(index, "a whole number"))
    }

    /// An optional whole number; one out of bounds counts as the nearest bound.
    ///
    /// # Errors
    /// When it is something else.
    pub fn bounded(
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

    /// An optional whole number from 0; one above `max` counts as `max`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn count(&self, index: usize, max: usize) -> Result<Option<usize>, QueryError> {
        let Some(value) = self.get(index) else { return Ok(None) };
        let count = value.as_int().and_then(|int| usize::try_from(int).ok());
        let count = count.ok_or_else(|| self.wrong(index, "a whole number, not negative"))?;
        Ok(Some(count.min(max)))
    }

    /// The cell of two arguments.
    ///
    /// # Errors
    /// When one is missing or no whole number.
    pub fn cell(&self, index: usize) -> Result<Cell, QueryError> {
        Ok(Cell::new(self.int(index)?, self.int(index + 1)?))
    }

    /// A text.
    ///
    /// # Errors
    /// When it is missing or something else; `expected` says what it should be.
    pub fn text(&self, index: usize, expected: &str) -> Result<&'a str, QueryError> {
        self.get(index).and_then(Value::as_str).ok_or_else(|| self.wrong(index, expected))
    }

    /// An optional text.
    ///
    /// # Errors
    /// When it is something else.
    pub fn optional_text(&self, index: usize) -> Result<Option<&'a str>, QueryError> {
        match self.get(index) {
            None => Ok(None),
            Some(_) => self.text(index, "text").map(Some),
        }
    }

    /// A compass direction.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn direction(&self, index: usize) -> Result<Direction, QueryError> {
        let expected = "\"n\", \"s\", \"e\" or \"w\"";
        let word = self.text(index, expected)?;
        Direction::parse(word).ok_or_else(|| self.wrong(index, expected))
    }

    /// A quarter turn.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn rotation(&self, index: usize) -> Result<Rotation, QueryError> {
        let word = self.text(index, "\"cw\" or \"ccw\"")?;
        Rotation::parse(word).ok_or_else(|| self.wrong(index, "\"cw\" or \"ccw\""))
    }

    /// A list of cells.
    ///
    /// # Errors
    /// When it is missing, too long or something else.
    pub fn cells(&self, index: usize) -> Result<Vec<Cell>, QueryError> {
        let cells = self.get(index).and_then(cells);
        cells.ok_or_else(|| self.wrong(index, "a list of at most 1024 cells {x=, y=}"))
    }

    /// A list of names.
    ///
    /// # Errors
    /// When it is missing, too long or something else.
    pub fn names(&self, index: usize) -> Result<Vec<&'a str>, QueryError> {
        let names = self.get(index).and_then(names);
        names.ok_or_else(|| self.wrong(index, "a list of at most 4096 names"))
    }

    /// The table of options; an empty one when it is left out.
    ///
    /// # Errors
    /// When it is something else.
    pub fn options(&self, index: usize) -> Result<QueryOptions<'a>, QueryError> {
        match self.get(index) {
            None => Ok(QueryOptions(None)),
            // The converter cannot tell an empty table from an empty list.
            Some(Value::List(list)) if list.is_empty() => Ok(QueryOptions(None)),
            Some(table @ Value::Map(_)) => Ok(QueryOptions(Some(table))),
            Some(_) => Err(self.wrong(index, "a table of options")),
        }
    }

    /// The matrix of costs for an assignment, in thousandths; `None` forbids a pair.
    ///
    /// # Errors
    /// When it is missing, too large or something else.
    pub fn costs(&self, index: usize) -> Result<Vec<Vec<Option<i64>>>, QueryError> {
        let cost = |value: &Value| {
            if value.as_bool() == Some(false) {
                return Some(None);
            }
            value.as_num().filter(|cost| cost.is_finite()).map(|cost| Some(thousandths(cost)))
        };
        let row = |row: &Value| -> Option<Vec<Option<i64>>> {
            let row = row.as_list().filter(|row| row.len() <= ASSIGN_MAX)?;
            row.iter().map(cost).collect()
        };
        let rows = self.get(index).and_then(Value::as_list);
        let rows = rows.filter(|rows| rows.len() <= ASSIGN_MAX);
        let costs: Option<Vec<_>> = rows.and_then(|rows| rows.iter().map(row).collect());
        let expected = "a list of at most 128 lists of costs; false forbids a pair";
        costs.ok_or_else(|| self.wrong(index, expected))
    }
}

/// Named options, all of which may be left out.
#[derive(Clone, Copy, Debug)]
pub struct QueryOptions<'a>(Option<&'a Value>);

impl<'a> QueryOptions<'a> {
    fn get(self, key: &str) -> Option<&'a Value> {
        self.0?.get(key)
    }

    /// Whether the option is true.
    #[must_use]
    pub fn flag(self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A text.
    #[must_use]
    pub fn text(self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str)
    }

    /// A whole number.
    #[must_use]
    pub fn int(self, key: &str) -> Option<i32> {
        self.get(key)?.as_int().and_then(|int| i32::try_from(int).ok())
    }

    /// A whole number from 0.
    #[must_use]
    pub fn count(self, key: &str) -> Option<u32> {
        self.get(key)?.as_int().and_then(|int| u32::try_from(int).ok())
    }

    /// A list of cells; empty when it is left out.
    #[must_use]
    pub fn cells(self, key: &str) -> Vec<Cell> {
        self.get(key).and_then(cells).unwrap_or_default()
    }

    /// A list of names.
    #[must_use]
    pub fn names(self, key: &str) -> Option<Vec<&'a str>> {
        self.get(key).and_then(names)
    }
}

/// The items of a list; `None` when it is none or too long.
fn items(value: &Value, max: usize) -> Option<&[Value]> {
    if matches!(value, Value::Map(map) if map.is_empty()) {
        return Some(&[]);
    }
    value.as_list().filter(|list| list.len() <= max)
}

fn cells(value: &Value) -> Option<Vec<Cell>> {
    let cell = |cell: &Value| cell.as_cell().map(|(x, y)| Cell::new(x, y));
    items(value, CELLS_MAX)?.iter().map(cell).collect()
}

fn names(value: &Value) -> Option<Vec<&str>> {
    items(value, NAMES_MAX)?.iter().map(Value::as_str).collect()
}

/// Costs are whole numbers inside: a thousandth is the finest difference.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates and the value is finite")]
fn thousandths(cost: f64) -> i64 {
    (cost.clamp(-1e6, 1e6) * 1000.0) as i64
}
