//! The keys of a terminal that is filled.

use anyhow::{Context, Result};
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use std::io;
use tokio::sync::mpsc;

/// Keys that wait at most.
const KEYS_MAX: usize = 64;

/// What somebody presses. A thread reads it: where the terminal has gone such a read never ends.
#[derive(Debug)]
pub(crate) struct Keyboard(mpsc::Receiver<io::Result<Event>>);

impl Keyboard {
    /// Keys as they come, until nobody wants them.
    pub(crate) fn open() -> Self {
        let (sender, receiver) = mpsc::channel(KEYS_MAX);
        std::thread::spawn(move || {
            loop {
                let read = event::read();
                let failed = read.is_err();
                if sender.blocking_send(read).is_err() || failed {
                    return;
                }
            }
        });
        Self(receiver)
    }

    /// The next key; `None`: something else that changes the picture, for example its size.
    pub(crate) async fn next(&mut self) -> Result<Option<KeyEvent>> {
        let event = self.0.recv().await.context("nothing reads the keys any more")?;
        match event.context("the terminal failed")? {
            Event::Key(key) if key.kind != KeyEventKind::Release => Ok(Some(key)),
            Event::Key(_)
            | Event::Resize(..)
            | Event::FocusGained
            | Event::FocusLost
            | Event::Mouse(_)
            | Event::Paste(_) => Ok(None),
        }
    }
}
