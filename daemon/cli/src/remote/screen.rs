//! A view that is shown repeatedly: redrawn in place on a terminal, otherwise printed again.

use super::Shown;
use super::print::line;
use crate::args::OutputArgs;
use crate::failure::{Refused, advice};
use crate::paint::{Ink, Paint};
use anyhow::{Error, Result};
use console::{Term, truncate_str};
use std::io::Write;

/// Moves the cursor to the upper left corner.
const HOME: &str = "\u{1b}[H";
/// Erases from the cursor to the end of the line.
const ERASE_RIGHT: &str = "\u{1b}[K";
/// Erases below the cursor.
const ERASE_BELOW: &str = "\u{1b}[J";
/// The terminal shows everything between these two at once.
const FRAME: (&str, &str) = ("\u{1b}[?2026h", "\u{1b}[?2026l");

/// The output of a repeated view.
pub(super) struct Screen<'a> {
    print: &'a OutputArgs,
    /// `None`: standard output is not a terminal.
    term: Option<Term>,
    /// Something was shown before. A daemon that never answered is an error.
    begun: bool,
}

impl<'a> Screen<'a> {
    pub(super) fn new(print: &'a OutputArgs) -> Self {
        let term = Term::stdout();
        let term = (term.is_term() && !print.is_json()).then_some(term);
        Self { print, term, begun: false }
    }

    /// Shows a view or an error; false when standard output is closed. On a terminal that already
    /// shows a view, an unreachable daemon is reported in its place, since it may come back.
    pub(super) fn show(&mut self, shown: Result<Shown>) -> Result<bool> {
        let written = match shown {
            Ok(shown) => self.print.written(&shown.json, || shown.text)?,
            Err(error) if self.begun && self.term.is_some() && !error.is::<Refused>() => {
                describe(&error)
            }
            Err(error) => return Err(error),
        };
        self.begun = true;
        let Some(term) = &mut self.term else { return line(written.trim_end()) };
        let (height, width) = term.size();
        let frame = frame(&written, usize::from(width), usize::from(height));
        // If the terminal is gone, a signal ends the process.
        term.write_all(frame.as_bytes()).and_then(|()| term.flush())?;
        Ok(true)
    }
}

fn describe(error: &Error) -> String {
    let paint = Paint::stdout();
    let mut text = paint.ink(Ink::Red, &format!("{error:#}"));
    if let Some(advice) = advice(error) {
        text.push_str(&format!("\n{advice}"));
    }
    text
}

/// Redraws a view in place without flicker: each line overwrites the one before.
fn frame(text: &str, width: usize, height: usize) -> String {
    let lines: Vec<_> = text.trim_end().lines().collect();
    // The last row stays free for the cursor.
    let rows = height.saturating_sub(1).max(1);
    let hidden = lines.len().saturating_sub(rows);
    let shown = if hidden == 0 { lines.len() } else { rows - 1 };
    let mut frame = format!("{}{HOME}", FRAME.0);
    for line in lines.iter().take(shown) {
        frame.push_str(&truncate_str(line, width, "…"));
        frame.push_str(ERASE_RIGHT);
        frame.push_str("\r\n");
    }
    if hidden > 0 {
        frame.push_str(&format!("… {} more lines{ERASE_RIGHT}\r\n", hidden + 1));
    }
    frame.push_str(ERASE_BELOW);
    frame.push_str(FRAME.1);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_overwrites_the_one_before_line_by_line() {
        let shown = frame("TEAM  TURN\nA     0:1\n", 80, 24);
        assert_eq!(
            shown,
            "\u{1b}[?2026h\u{1b}[HTEAM  TURN\u{1b}[K\r\nA     0:1\u{1b}[K\r\n\u{1b}[J\u{1b}[?2026l"
        );
    }

    #[test]
    fn a_frame_is_no_larger_than_its_terminal() {
        let text = (0..30).map(|row| format!("{row} {}", "x".repeat(100))).collect::<Vec<_>>();
        let shown = frame(&text.join("\n"), 20, 10);
        let lines: Vec<_> = shown.split("\r\n").collect();
        // Nine rows and the rest of the frame: the tenth row stays free.
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[8], "… 22 more lines\u{1b}[K");
        assert_eq!(lines[1], format!("1 {}…\u{1b}[K", "x".repeat(17)));
    }
}
