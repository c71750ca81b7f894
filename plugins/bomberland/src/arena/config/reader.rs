//! Reads variables as the engine does, and says what it cannot read.

use super::{ArenaConfig, ConfigErrors, pairs};
use phalanx_game::excerpt;
use std::collections::BTreeMap;

/// Variables that are being read, and what was wrong so far.
pub(super) struct VariableReader {
    variables: BTreeMap<String, String>,
    lines: Vec<String>,
}

impl VariableReader {
    pub(super) fn new(variables: BTreeMap<String, String>) -> Self {
        Self { variables, lines: Vec::new() }
    }

    pub(super) fn complain(&mut self, line: String) {
        self.lines.push(line);
    }

    pub(super) fn finish(self, config: ArenaConfig) -> Result<ArenaConfig, ConfigErrors> {
        if self.lines.is_empty() { Ok(config) } else { Err(ConfigErrors { lines: self.lines }) }
    }

    /// Refuses names that are not known.
    pub(super) fn unknown(&mut self, known: &[&str]) {
        for name in self.variables.keys().filter(|name| !known.contains(&name.as_str())) {
            let near = known.iter().max_by(|a, b| {
                strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name))
            });
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            let name = excerpt(name.as_bytes());
            self.lines.push(format!("{name} is no variable of the engine{near}"));
        }
    }

    fn wrong(&mut self, name: &str, value: &str, expected: &str) {
        let value = excerpt(value.as_bytes());
        self.lines.push(format!("{name} = \"{value}\": expected {expected}"));
    }

    fn take(&mut self, name: &str) -> Option<String> {
        self.variables.remove(name)
    }

    /// The place of the value among words.
    pub(super) fn word(&mut self, name: &str, words: &[&str]) -> Option<usize> {
        let value = self.take(name)?;
        let found = words.iter().position(|word| *word == value);
        if found.is_none() {
            self.wrong(name, &value, &words.join(" or "));
        }
        found
    }

    /// `1` is true, anything else is false.
    pub(super) fn flag(&mut self, name: &str, target: &mut bool) {
        if let Some(value) = self.take(name) {
            *target = value.trim() == "1";
        }
    }

    /// A whole number, read from the leading digits.
    pub(super) fn int<T: TryFrom<i64>>(&mut self, name: &str, target: &mut T, min: i64, max: i64) {
        let Some(value) = self.take(name) else { return };
        let read = leading_int(&value).filter(|int| (min..=max).contains(int));
        match read.and_then(|int| T::try_from(int).ok()) {
            Some(int) => *target = int,
            None => self.wrong(name, &value, &format!("a whole number from {min} to {max}")),
        }
    }

    /// A whole number that may be absent; so it is when empty.
    pub(super) fn maybe(&mut self, name: &str, max: i64, set: impl FnOnce(u64)) {
        let given = self.variables.get(name).is_some_and(|value| !value.trim().is_empty());
        let (mut number, before) = (0_u64, self.lines.len());
        self.int(name, &mut number, 0, max);
        if given && self.lines.len() == before {
            set(number);
        } else if !given {
            self.lines.truncate(before);
        }
    }

    /// A number with a fraction from 0.
    pub(super) fn fraction(&mut self, name: &str, target: &mut f64, max: f64) {
        let Some(value) = self.take(name) else { return };
        match leading_fraction(&value).filter(|number| (0.0..=max).contains(number)) {
            Some(number) => *target = number,
            None => self.wrong(name, &value, &format!("a number from 0 to {max}")),
        }
    }

    /// Secrets and ids: a JSON object, or a list of secrets.
    pub(super) fn secrets(&mut self, name: &str) -> Option<Vec<(String, String)>> {
        let value = self.take(name)?;
        let secrets = if value.trim_start().starts_with('{') {
            serde_json::from_str::<BTreeMap<String, String>>(&value)
                .map(|map| map.into_iter().collect())
                .unwrap_or_default()
        } else {
            let listed: Vec<&str> =
                value.split(',').map(str::trim).filter(|secret| !secret.is_empty()).collect();
            pairs(&listed)
        };
        if secrets.is_empty() {
            self.wrong(name, &value, "{\"secret\":\"a\",…} or secret,secret");
            return None;
        }
        Some(secrets)
    }
}

fn leading_int(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..length + text.len() - digits.len())?.parse().ok()
}

fn leading_fraction(text: &str) -> Option<f64> {
    let text = text.trim();
    let length =
        text.bytes().take_while(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte)).count();
    (1..=length).rev().find_map(|length| text.get(..length)?.parse().ok())
}
