//! Reading checked values out of TOML: every mistake is noted with its key, none ends the reading.

use phalanx_game::sorted::SortedSet;
use std::ops::RangeInclusive;
use toml::{Table, Value};

/// A table that is being read.
pub(super) struct TomlReader<'t> {
    table: &'t Table,
    /// The table's key with a dot at the end; empty at the top.
    place: String,
    known: SortedSet<&'static str>,
    pub(super) mistakes: Vec<String>,
}

impl<'t> TomlReader<'t> {
    pub(super) fn new(table: &'t Table, place: &str) -> Self {
        let known = SortedSet::new();
        Self { table, place: place.to_owned(), known, mistakes: Vec::new() }
    }

    pub(super) fn note(&mut self, key: &str, problem: &str) {
        self.mistakes.push(format!("{}{key}: {problem}", self.place));
    }

    pub(super) fn get(&mut self, key: &'static str) -> Option<&'t Value> {
        self.known.insert(key);
        self.table.get(key)
    }

    /// A whole number, if there is one.
    pub(super) fn number(&mut self, key: &'static str, bounds: RangeInclusive<i64>) -> Option<i64> {
        let value = self.get(key)?;
        let number = value.as_integer().filter(|number| bounds.contains(number));
        if number.is_none() {
            let (low, high) = (bounds.start(), bounds.end());
            self.note(key, &format!("a whole number from {low} to {high} is wanted, not {value}"));
        }
        number
    }

    /// A whole number that fits the bounds' type.
    pub(super) fn small(
        &mut self,
        key: &'static str,
        bounds: RangeInclusive<u32>,
        default: u32,
    ) -> u32 {
        let wide = i64::from(*bounds.start())..=i64::from(*bounds.end());
        self.number(key, wide).and_then(|number| u32::try_from(number).ok()).unwrap_or(default)
    }

    pub(super) fn flag(&mut self, key: &'static str, default: bool) -> bool {
        let Some(value) = self.get(key) else { return default };
        value.as_bool().unwrap_or_else(|| {
            self.note(key, &format!("true or false is wanted, not {value}"));
            default
        })
    }

    /// A text of 1 to `chars_max` characters.
    pub(super) fn text(&mut self, key: &'static str, chars_max: usize) -> Option<&'t str> {
        let value = self.get(key)?;
        let fits = |text: &&str| (1..=chars_max).contains(&text.chars().count());
        let text = value.as_str().filter(fits);
        if text.is_none() {
            self.note(key, &format!("a text of 1 to {chars_max} characters is wanted"));
        }
        text
    }

    /// A table; an empty one where there is none.
    pub(super) fn table(&mut self, key: &'static str, empty: &'t Table) -> &'t Table {
        let Some(value) = self.get(key) else { return empty };
        value.as_table().unwrap_or_else(|| {
            self.note(key, &format!("a table [{key}] is wanted"));
            empty
        })
    }

    /// A list of tables; `None` where there is none.
    pub(super) fn tables(&mut self, key: &'static str, most: usize) -> Option<Vec<&'t Table>> {
        let value = self.get(key)?;
        let tables: Option<Vec<&Table>> =
            value.as_array().and_then(|list| list.iter().map(Value::as_table).collect());
        let tables = tables.filter(|tables| (1..=most).contains(&tables.len()));
        if tables.is_none() {
            self.note(key, &format!("1 to {most} tables [[{key}]] are wanted"));
        }
        tables
    }

    /// Notes the unknown keys and returns all mistakes.
    pub(super) fn finish(mut self) -> Vec<String> {
        let known: Vec<&str> = self.known.iter().copied().collect();
        for key in self.table.keys().filter(|key| !self.known.contains(key.as_str())) {
            let known = known.join(", ");
            self.mistakes.push(format!("{}{key}: no such key; there are {known}", self.place));
        }
        self.mistakes
    }
}
