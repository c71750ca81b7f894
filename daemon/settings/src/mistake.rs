//! Mistakes in settings, in words that say what to do.

use std::fmt;

/// A mistake at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsMistake {
    /// The file, or `environment`, or `--set`.
    pub file: String,
    /// The key as a path: `teams[0].agents[3].name`; the line and column for a file that is not
    /// TOML.
    pub key: String,
    /// What was found there; never a password.
    pub got: String,
    /// What is allowed there.
    pub expected: String,
}

impl fmt::Display for SettingsMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, key, got, expected } = self;
        match key.as_str() {
            "" => write!(f, "{file}: {got}; expected {expected}"),
            key => write!(f, "{file}: {key}: {got}; expected {expected}"),
        }
    }
}

/// All mistakes of one attempt to load settings; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SettingsErrors {
    /// Each of them, in the order of the keys.
    pub mistakes: Vec<SettingsMistake>,
}

impl fmt::Display for SettingsErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mistakes.len() {
            1 => f.write_str("1 mistake in the settings:")?,
            count => write!(f, "{count} mistakes in the settings:")?,
        }
        self.mistakes.iter().try_for_each(|mistake| write!(f, "\n  {mistake}"))
    }
}
