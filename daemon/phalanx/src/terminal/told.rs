//! Signals that end us: a terminal is to be given back then, too.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears of them from now on.
#[derive(Debug)]
pub(crate) struct Told {
    terminate: Signal,
    hang_up: Signal,
    interrupt: Signal,
}

impl Told {
    /// Inside a runtime.
    ///
    /// # Errors
    /// When the system refuses it.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Ends when somebody wants us to.
    pub(crate) async fn leave(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
