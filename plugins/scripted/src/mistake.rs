//! What is wrong with a game's files.

use phalanx_luau::failure::Failure;
use std::fmt;

/// A mistake in one of the game's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file, relative to the game's folder.
    pub file: String,
    /// The line, from 1; `None`: it concerns the whole file.
    pub line: Option<u32>,
    /// What is wrong and what to do.
    pub what: String,
}

impl Mistake {
    /// A mistake that concerns a whole file.
    #[must_use]
    pub fn of_file(file: &str, what: String) -> Self {
        Self { file: file.to_owned(), line: None, what }
    }

    /// What a script raised; `file` if the failure has no place.
    #[must_use]
    pub fn of_failure(file: &str, failure: Failure) -> Self {
        match failure.place {
            Some((file, line)) => Self { file, line: Some(line), what: failure.message },
            None => Self::of_file(file, failure.message),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.what),
            None => write!(f, "{}: {}", self.file, self.what),
        }
    }
}
