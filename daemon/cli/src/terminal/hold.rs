//! The terminal in full-screen mode.

use super::ending;
use crate::paint::Paint;
use anyhow::{Context, Result};
use ratatui::buffer::Buffer;
use ratatui::crossterm::execute;
use ratatui::crossterm::style::force_color_output;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::style::{Color, Modifier};
use ratatui::{DefaultTerminal, Frame};

/// Full-screen mode, until it is dropped; also after a panic.
#[derive(Debug)]
pub struct Held {
    terminal: DefaultTerminal,
    coloured: bool,
    given_back: bool,
}

impl Held {
    /// Enters full-screen mode.
    pub fn take() -> Result<Self> {
        // This also restores the terminal after a panic.
        let terminal = ratatui::try_init().context("cannot enter full-screen mode")?;
        ending::fills(true);
        let coloured = Paint::stdout().is_on();
        force_color_output(coloured);
        Ok(Self { terminal, coloured, given_back: false })
    }

    /// Draws a frame: only the differences are written, and terminals with support show them at
    /// once.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result<()> {
        let coloured = self.coloured;
        let drawn = execute!(self.terminal.backend_mut(), BeginSynchronizedUpdate).and_then(|()| {
            self.terminal.draw(|frame| {
                draw(frame);
                if !coloured {
                    uncolour(frame.buffer_mut());
                }
            })?;
            execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
        });
        drawn.context("the terminal failed")
    }

    /// Leaves full-screen mode.
    pub fn give_back(mut self) -> Result<()> {
        self.given_back = true;
        let restored = ratatui::try_restore();
        ending::fills(false);
        restored.context("cannot restore the terminal")
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.given_back {
            // The error that ended the program is the one to report.
            ratatui::try_restore().unwrap_or_default();
        }
    }
}

/// Removes colours; what was red becomes reversed or bold instead.
pub(super) fn uncolour(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if cell.fg == Color::Red {
            cell.modifier.insert(Modifier::BOLD);
        }
        if cell.bg == Color::Red {
            cell.modifier.insert(Modifier::REVERSED);
        }
        (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn without_colours_trouble_still_stands_out() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 1));
        buffer.set_string(0, 0, "F", Style::new().fg(Color::White).bg(Color::Red));
        buffer.set_string(1, 0, "g", Style::new().fg(Color::Green));
        uncolour(&mut buffer);
        assert!(buffer.content.iter().all(|cell| cell.fg == Color::Reset), "{buffer:?}");
        assert!(buffer.content.iter().all(|cell| cell.bg == Color::Reset), "{buffer:?}");
        let modifiers: Vec<_> = buffer.content.iter().map(|cell| cell.modifier).collect();
        assert_eq!(modifiers, [Modifier::REVERSED, Modifier::empty(), Modifier::empty()]);
    }
}
