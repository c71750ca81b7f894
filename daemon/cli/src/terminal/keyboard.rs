//! The keys of a full-screen view.

use anyhow::{Context, Result};
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use std::io;
use tokio::sync::mpsc;

/// Keys that wait, at most.
const KEYS_MAX: usize = 64;

/// Key presses. A thread reads them, since the read never returns when the terminal is gone.
#[derive(Debug)]
pub struct Keyboard(mpsc::Receiver<io::Result<Event>>);

impl Keyboard {
    /// Starts to read keys, until the receiver is dropped.
    pub fn open() -> Self {
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

    /// The next key; `None`: another event that needs a redraw, such as a new size.
    pub async fn next(&mut self) -> Result<Option<KeyEvent>> {
        let event = self.0.recv().await.context("the thread that reads keys has ended")?;
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
