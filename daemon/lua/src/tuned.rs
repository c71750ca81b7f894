//! `tuned.toml`: values of parameters that were found by playing, as a part of a strategy. Each one
//! replaces the default that a script declares; what operators set counts more.

use crate::Diagnostic;
use phalanx_game::Value;
use phalanx_game::sorted::SortedMap;
use std::sync::Arc;
use toml::{Table, Value as Toml};

/// The name of the file, at the top of a strategy.
pub const TUNED_FILE: &str = "tuned.toml";

/// What is in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuned {
    /// The run that found the values.
    pub run: String,
    /// The matches that it played.
    pub matches: u64,
    /// Against whom.
    pub opponents: Vec<String>,
    /// Values by the names of parameters.
    pub values: SortedMap<String, Value>,
}

impl Tuned {
    /// Reads a file.
    ///
    /// # Errors
    /// The first mistake, with its line where it has one.
    pub fn read(source: &Arc<str>) -> Result<Self, Box<Diagnostic>> {
        let table: Table = source.parse().map_err(|error: toml::de::Error| {
            let place = error.span().unwrap_or_default();
            let what = error.message().to_owned();
            Box::new(Diagnostic::error(TUNED_FILE, what).at_bytes(place, source))
        })?;
        Self::of(table).map_err(|what| Box::new(Diagnostic::error(TUNED_FILE, what)))
    }

    fn of(table: Table) -> Result<Self, String> {
        let mut tuned = Self::default();
        for (key, value) in table {
            match (key.as_str(), value) {
                ("run", Toml::String(run)) => tuned.run = run,
                ("matches", Toml::Integer(matches)) => {
                    tuned.matches = u64::try_from(matches).map_err(|_| negative(matches))?;
                }
                ("opponents", Toml::Array(names)) => {
                    let name = |name: Toml| name.as_str().map(str::to_owned);
                    let names: Option<_> = names.into_iter().map(name).collect();
                    tuned.opponents = names.ok_or("opponents: expected a list of texts")?;
                }
                ("values", Toml::Table(values)) => {
                    let values = values.into_iter().map(|(name, value)| plain(name, value));
                    tuned.values = values.collect::<Result<_, _>>()?;
                }
                ("run" | "matches" | "opponents" | "values", other) => {
                    return Err(format!("{key}: got {}, which does not fit", other.type_str()));
                }
                _ => {
                    let known = "run, matches, opponents and values";
                    return Err(format!("unknown key {key:?}; there are {known}"));
                }
            }
        }
        Ok(tuned)
    }

    /// The same with more values, which count more than those of the file.
    ///
    /// # Errors
    /// The first value that is no boolean, number or text.
    pub fn with_values(&self, values: &Table) -> Result<Self, String> {
        let mut tuned = self.clone();
        for (name, value) in values {
            let (name, value) = plain(name.clone(), value.clone())?;
            tuned.values.insert(name, value);
        }
        Ok(tuned)
    }

    /// The value of a parameter, if there is one.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        let value = |value: &Value| match value {
            Value::Bool(flag) => Some(Toml::Boolean(*flag)),
            Value::Str(text) => Some(Toml::String(text.to_string())),
            // A whole number is written without a point: `patience = 130`.
            Value::Int(_) | Value::Num(_) => value
                .as_num()
                .map(|number| whole(number).map_or(Toml::Float(number), Toml::Integer)),
            Value::Nil | Value::List(_) | Value::Map(_) => None,
        };
        let values = self.values.iter();
        let values: Table =
            values.filter_map(|(name, it)| Some((name.clone(), value(it)?))).collect();
        let opponents = self.opponents.iter().cloned().map(Toml::String).collect();
        let mut table = Table::new();
        table.insert("run".into(), Toml::String(self.run.clone()));
        let matches = i64::try_from(self.matches).unwrap_or(i64::MAX);
        table.insert("matches".into(), Toml::Integer(matches));
        table.insert("opponents".into(), Toml::Array(opponents));
        table.insert("values".into(), Toml::Table(values));
        table.to_string()
    }
}

/// The number where it is whole and a reader takes it back.
fn whole(number: f64) -> Option<i64> {
    let fits = number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX);
    fits.then(|| format!("{number:.0}").parse().ok()).flatten()
}

fn negative(matches: i64) -> String {
    format!("matches: expected a count, got {matches}")
}

fn plain(name: String, value: Toml) -> Result<(String, Value), String> {
    let value = match &value {
        Toml::Boolean(flag) => Value::Bool(*flag),
        Toml::Float(number) => Value::Num(*number),
        // Whole numbers of parameters are far below 2^53, where a float is exact.
        Toml::Integer(number) => {
            let small =
                i32::try_from(*number).map_err(|_| format!("{name}: {number} is too big"))?;
            Value::Num(f64::from(small))
        }
        Toml::String(text) => Value::from(text.clone()),
        Toml::Datetime(_) | Toml::Array(_) | Toml::Table(_) => {
            let got = value.type_str();
            return Err(format!("{name}: expected a boolean, number or text, got {got}"));
        }
    };
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Result<Tuned, String> {
        Tuned::read(&Arc::from(source)).map_err(|mistake| mistake.to_string())
    }

    #[test]
    fn what_is_written_is_read_again() {
        let values = [
            ("bold".to_owned(), Value::Bool(true)),
            ("depth".to_owned(), Value::Num(12.0)),
            ("greed".to_owned(), Value::Num(0.25)),
            ("mode".to_owned(), Value::from("rush".to_owned())),
        ];
        let tuned = Tuned {
            run: "2026-11-23".into(),
            matches: 400,
            opponents: vec!["freezer".into()],
            values: values.into(),
        };
        assert!(tuned.text().contains("depth = 12\n"), "{}", tuned.text());
        assert_eq!(read(&tuned.text()), Ok(tuned));
    }

    #[test]
    fn mistakes_are_named() {
        for (source, want) in [
            ("[values]\ngreed = [1]", "greed: expected a boolean, number or text, got array"),
            ("greed = 1", "unknown key \"greed\"; there are run, matches, opponents and values"),
            ("matches = -1", "matches: expected a count, got -1"),
            ("run = 1", "run: got integer, which does not fit"),
            ("[values]\ngreed = ", "tuned.toml:2"),
        ] {
            let mistake = read(source).unwrap_err();
            assert!(mistake.contains(want), "{source}: {mistake}");
        }
    }
}
