//! Single keys for a program that writes lines as usual.

use super::Keyboard;
use anyhow::{Context, Result};
use ratatui::crossterm::event::KeyCode;
use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use std::io::stdin;

/// Reads keys without ENTER and without echo, until it is dropped. Signals work as usual: ctrl-c
/// still interrupts.
#[derive(Debug)]
pub struct KeyPresses {
    keyboard: Keyboard,
    before: Termios,
}

impl KeyPresses {
    /// `None` unless input and output are a terminal and this process is in its foreground.
    ///
    /// # Errors
    /// When the terminal refuses the mode.
    pub fn open() -> Result<Option<Self>> {
        // A process in the background would be stopped when it changes the terminal.
        if !super::is_there() || tcgetpgrp(stdin()) != Ok(getpgrp()) {
            return Ok(None);
        }
        let before = tcgetattr(stdin()).context("cannot read the terminal's mode")?;
        let mut mode = before.clone();
        mode.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        tcsetattr(stdin(), OptionalActions::Now, &mode).context("cannot read single keys")?;
        Ok(Some(Self { keyboard: Keyboard::open(), before }))
    }

    /// The next character.
    ///
    /// # Errors
    /// When the terminal fails.
    pub async fn next(&mut self) -> Result<char> {
        loop {
            let key = self.keyboard.next().await?;
            if let Some(KeyCode::Char(character)) = key.map(|key| key.code) {
                return Ok(character);
            }
        }
    }
}

impl Drop for KeyPresses {
    fn drop(&mut self) {
        // A terminal that is gone needs no mode.
        tcsetattr(stdin(), OptionalActions::Now, &self.before).unwrap_or_default();
    }
}
