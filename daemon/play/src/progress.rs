//! How far a run of many matches is, line by line where no terminal shows a bar.

use phalanx_net::now;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Shortest time between two lines.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Prints to standard error, unless that is a terminal.
pub(crate) struct ProgressLines {
    /// How many matches there are, in words.
    all: String,
    /// When the last line was printed; `None`: on a terminal.
    last: Option<Instant>,
}

impl ProgressLines {
    pub(crate) fn new(all: String) -> Self {
        let last = (!std::io::stderr().is_terminal()).then(now);
        Self { all, last }
    }

    /// A match was played.
    pub(crate) fn went_on(&mut self, played: u64) {
        if let Some(line) = self.line(played, now()) {
            crate::say(&line);
        }
    }

    fn line(&mut self, played: u64, now: Instant) -> Option<String> {
        let last = self.last.as_mut()?;
        if now.saturating_duration_since(*last) < LINE_EVERY {
            return None;
        }
        *last = now;
        Some(format!("{played} of {} matches", self.all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_every_thirty_seconds_and_none_on_a_terminal() {
        let begin = now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut lines = ProgressLines { all: "60".to_owned(), last: Some(begin) };
        assert_eq!(lines.line(3, at(29)), None);
        assert_eq!(lines.line(12, at(30)).as_deref(), Some("12 of 60 matches"));
        assert_eq!(lines.line(13, at(59)), None);
        assert_eq!(lines.line(20, at(75)).as_deref(), Some("20 of 60 matches"));
        let mut terminal = ProgressLines { all: "60".to_owned(), last: None };
        assert_eq!(terminal.line(12, at(300)), None);
    }
}
