//! Reading TOML with the line of every mistake.

use crate::folder::MANIFEST;
use crate::mistake::Mistake;
use phalanx_game::similar;
use phalanx_game::sorted::Order;
use std::cell::RefCell;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Collects the mistakes of a text.
#[derive(Debug)]
pub(super) struct Mistakes<'t> {
    text: &'t str,
    found: RefCell<Vec<Mistake>>,
}

impl<'t> Mistakes<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, found: RefCell::default() }
    }

    /// Adds a mistake at a place of the text.
    pub(super) fn add(&self, span: &Range<usize>, what: impl Into<String>) {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let line = u32::try_from(line).ok();
        self.found.borrow_mut().push(Mistake { file: MANIFEST.into(), line, what: what.into() });
    }

    /// All mistakes, in order of their lines.
    pub(super) fn into_found(self) -> Vec<Mistake> {
        let mut found = self.found.into_inner();
        found.order_by_key(|mistake| mistake.line);
        found
    }
}

/// A table of the text, whose keys are all looked for by name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section<'a, 't> {
    table: &'a DeTable<'t>,
    span: &'a Range<usize>,
    /// How messages call it: `[turn]`.
    name: &'a str,
    mistakes: &'a Mistakes<'t>,
}

impl<'a, 't> Section<'a, 't> {
    /// A table with these keys; others are mistakes.
    pub(super) fn new(
        (table, span): (&'a DeTable<'t>, &'a Range<usize>),
        name: &'a str,
        keys: &[&str],
        mistakes: &'a Mistakes<'t>,
    ) -> Self {
        for key in table.keys() {
            let word = key.get_ref().as_ref();
            if !keys.contains(&word) {
                let meant = similar(word, keys.iter().copied());
                let hint = meant.map(|meant| format!("; did you mean {meant:?}?"));
                let all = || format!("; there are {}", keys.join(", "));
                let hint = hint.unwrap_or_else(all);
                mistakes.add(&key.span(), format!("{name} has no key {word:?}{hint}"));
            }
        }
        Self { table, span, name, mistakes }
    }

    pub(super) fn mistake(&self, what: impl Into<String>) {
        self.mistakes.add(self.span, what);
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'t>>> {
        self.table.get(key)
    }

    fn expected(&self, key: &str, value: &Spanned<DeValue<'t>>, what: &str) {
        let kind = value.get_ref().type_str();
        let message = format!("{} {key}: expected {what}, got: {kind}", self.name);
        self.mistakes.add(&value.span(), message);
    }

    /// A text and its place.
    pub(super) fn text(&self, key: &str) -> Option<(&'a str, Range<usize>)> {
        let value = self.get(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.expected(key, value, "a text");
        }
        Some((text?, value.span()))
    }

    /// A text that must be there.
    pub(super) fn required(&self, key: &str) -> Option<(&'a str, Range<usize>)> {
        if self.get(key).is_none() {
            self.mistake(format!("{} needs the key {key:?}", self.name));
        }
        self.text(key)
    }

    pub(super) fn flag(&self, key: &str, default: bool) -> bool {
        let Some(value) = self.get(key) else { return default };
        value.get_ref().as_bool().unwrap_or_else(|| {
            self.expected(key, value, "true or false");
            default
        })
    }

    /// A whole number in the range.
    pub(super) fn number(&self, key: &str, range: Range<u64>, default: u64) -> u64 {
        let Some(value) = self.get(key) else { return default };
        let read = value.get_ref().as_integer().and_then(|int| int.as_str().parse::<u64>().ok());
        read.filter(|number| range.contains(number)).unwrap_or_else(|| {
            let what = format!("a whole number from {} to {}", range.start, range.end - 1);
            self.expected(key, value, &what);
            default
        })
    }

    /// A duration like `"4s"`, in milliseconds at most `max_ms`.
    pub(super) fn millis(&self, key: &str, max_ms: u64, default: u64) -> u64 {
        let Some((text, span)) = self.text(key) else { return default };
        let units = [("ms", 1), ("s", 1000), ("m", 60_000)];
        let read = units.iter().find_map(|(unit, factor)| {
            let number: u64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            number.checked_mul(*factor)
        });
        read.filter(|ms| (1..=max_ms).contains(ms)).unwrap_or_else(|| {
            let what = format!("{} {key}: expected a time like \"250ms\" or \"4s\"", self.name);
            self.mistakes.add(&span, format!("{what}, at most {max_ms} ms"));
            default
        })
    }

    /// One of these words; the first by default.
    pub(super) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)], default: T) -> T {
        let Some((text, span)) = self.text(key) else { return default };
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        found.unwrap_or_else(|| {
            let names: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            let what = format!("{} {key}: expected one of {}", self.name, names.join(", "));
            self.mistakes.add(&span, format!("{what}, got {text:?}"));
            default
        })
    }

    /// The tables in this one: name, place of the name, content.
    pub(super) fn tables(&self) -> Vec<(&'a str, &'a DeTable<'t>, Range<usize>)> {
        let mut all = Vec::new();
        for (key, value) in self.table {
            match value.get_ref().as_table() {
                Some(table) => all.push((key.get_ref().as_ref(), table, key.span())),
                None => self.expected(key.get_ref(), value, "a table"),
            }
        }
        // In the order of the file, which people chose.
        all.order_by_key(|(_, _, span)| span.start);
        all
    }

    /// A list of tables.
    pub(super) fn list(&self, key: &str) -> Vec<(&'a DeTable<'t>, Range<usize>)> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let Some(items) = value.get_ref().as_array() else {
            self.expected(key, value, "a list of tables");
            return Vec::new();
        };
        let mut all = Vec::new();
        for item in items.iter() {
            match item.get_ref().as_table() {
                Some(table) => all.push((table, item.span())),
                None => self.expected(key, item, "a table"),
            }
        }
        all
    }

    /// The table under a key; `None` without one.
    pub(super) fn table(&self, key: &str) -> Option<(&'a DeTable<'t>, Range<usize>)> {
        let value = self.get(key)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.expected(key, value, "a table");
        }
        Some((table?, value.span()))
    }
}
