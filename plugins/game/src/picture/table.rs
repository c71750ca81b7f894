//! What a team works on, as tables for people: tasks, zones, units.

use super::{Place, Tone, shorten, trim};
use std::borrow::Cow;

/// Most tables of a picture.
pub const TABLES_MAX: usize = 16;
/// Most columns of a table.
pub const TABLE_COLUMNS_MAX: usize = 16;
/// Most rows of a table.
pub const TABLE_ROWS_MAX: usize = 256;

/// A table of things that a team works on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What its rows are: `tasks`. Unique in the picture.
    pub title: Cow<'static, str>,
    /// Its columns, from the left.
    pub columns: Vec<Column>,
    /// Its rows, the most important first.
    pub rows: Vec<Row>,
}

/// A column of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// What its cells say: `deadline`.
    pub name: Cow<'static, str>,
    /// The unit of its numbers; empty where they have none.
    pub unit: Cow<'static, str>,
}

/// A row of a table, with what it is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// One text for each column; an empty one is not known.
    pub cells: Vec<String>,
    /// What its colour is to say.
    pub tone: Tone,
    /// Where it is, in the part of this name.
    pub place: Option<(String, Place)>,
    /// The name of the body that it is about; empty: none.
    pub agent: String,
}

impl Table {
    /// A table without rows; each column has a name and a unit.
    #[must_use]
    pub fn new(title: &'static str, columns: &[(&'static str, &'static str)]) -> Self {
        let columns =
            columns.iter().map(|&(name, unit)| Column { name: name.into(), unit: unit.into() });
        Self { title: title.into(), columns: columns.collect(), rows: Vec::new() }
    }

    /// With these rows.
    #[must_use]
    pub fn with_rows(mut self, rows: impl IntoIterator<Item = Row>) -> Self {
        self.rows.extend(rows);
        self
    }

    /// True when something was left out. `there`: whether the part has the place.
    pub(super) fn bound(&mut self, there: impl Fn(&str, Place) -> bool) -> bool {
        let mut cut =
            shorten(&mut self.columns, TABLE_COLUMNS_MAX) | shorten(&mut self.rows, TABLE_ROWS_MAX);
        let columns = self.columns.len();
        for row in &mut self.rows {
            cut |= shorten(&mut row.cells, columns);
            row.cells.resize(columns, String::new());
            row.place = row.place.take().filter(|(part, place)| there(part, *place));
            for text in row.cells.iter_mut().chain([&mut row.agent]) {
                cut |= trim(text);
            }
        }
        cut
    }
}

impl Row {
    /// A row with these cells, about nothing in particular.
    #[must_use]
    pub fn new(tone: Tone, cells: impl IntoIterator<Item = String>) -> Self {
        Self { cells: cells.into_iter().collect(), tone, ..Self::default() }
    }

    /// About a place in the part of this name.
    #[must_use]
    pub fn at(mut self, part: &str, place: Place) -> Self {
        self.place = Some((part.to_owned(), place));
        self
    }

    /// About the body of this name.
    #[must_use]
    pub fn about(mut self, agent: impl Into<String>) -> Self {
        self.agent = agent.into();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Part, Picture};

    fn table(rows: Vec<Row>) -> Table {
        Table::new("tasks", &[("name", ""), ("deadline", "steps")]).with_rows(rows)
    }

    fn texts(cells: &[&str]) -> Vec<String> {
        cells.iter().map(ToString::to_string).collect()
    }

    fn bounded(tables: Vec<Table>) -> Picture {
        let parts = vec![Part { name: "map".into(), ..Part::default() }];
        Picture { parts, tables, cut: false }.bounded()
    }

    #[test]
    fn every_row_has_a_cell_for_each_column() {
        let row = |cells: &[&str]| Row::new(Tone::Goal, texts(cells)).about("a1");
        let picture = bounded(vec![table(vec![row(&["t1"]), row(&["t2", "7"])])]);
        let cells: Vec<_> = picture.tables[0].rows.iter().map(|row| row.cells.clone()).collect();
        assert_eq!(cells, [texts(&["t1", ""]), texts(&["t2", "7"])]);
        assert!(!picture.cut);
    }

    #[test]
    fn a_row_leads_to_no_place_that_is_not_there() {
        let row = |part: &str, place| Row::default().at(part, place);
        let rows = [
            row("map", Place::Cell(1, 2)),
            row("another map", Place::Cell(1, 2)),
            row("map", Place::Node(0)),
            row("map", Place::Point(f64::NAN, 0.0)),
        ];
        let picture = bounded(vec![table(rows.to_vec())]);
        let there: Vec<_> = picture.tables[0].rows.iter().map(|row| row.place.is_some()).collect();
        assert_eq!(there, [true, false, false, false]);
    }

    #[test]
    fn what_is_too_much_is_left_out_and_said() {
        let long = Row::new(Tone::Other, [String::from("ä").repeat(100)]);
        let cases = [
            vec![table(Vec::new()); TABLES_MAX + 1],
            vec![table(vec![Row::default(); TABLE_ROWS_MAX + 1])],
            vec![table(vec![Row::new(Tone::Other, texts(&["a", "b", "c"]))])],
            vec![table(vec![long])],
        ];
        for tables in cases {
            let picture = bounded(tables.clone());
            assert!(picture.cut, "{tables:?}");
            assert!(picture.tables.len() <= TABLES_MAX);
            assert!(picture.tables.iter().all(|table| table.rows.len() <= TABLE_ROWS_MAX));
            assert_eq!(picture.clone().bounded(), picture);
        }
    }
}
