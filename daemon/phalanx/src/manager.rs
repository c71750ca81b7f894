//! The machine's service manager: what the daemon tells it, and what it hands the daemon.
//!
//! Everything here is about systemd's notification protocol, which other managers speak as well.
//! Without a manager nothing happens, and the daemon runs the same.

mod channel;
mod inherited;
mod status;
mod vitals;
mod watch;

pub use inherited::{Inherited, Listener};
pub use watch::{hold_on, watch};

use crate::manager::channel::{Channel, Message};
use sd_notify::NotifyState;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Variable that names the manager's socket.
const SOCKET: &str = "NOTIFY_SOCKET";
/// Longest status text, in characters: it is one line of `systemctl status`.
const STATUS_CHARS_MAX: usize = 480;
/// How long the manager may take to hear our last words.
const LAST_WORDS_MAX: Duration = Duration::from_secs(2);
/// The system's number for an argument that makes no sense, where no other number is known.
const EINVAL: i32 = 22;

/// The service manager, if there is one. Clones share it. Nothing here waits: what is told goes to
/// a thread of its own, in order.
#[derive(Clone, Debug, Default)]
pub struct Manager {
    channel: Option<Channel>,
    watchdog: Option<Duration>,
    /// What came of the last reload, for the status line.
    remark: Arc<Mutex<String>>,
}

impl Manager {
    /// The manager that started this process, by the environment. One whose socket has no usable
    /// name is told on standard error, and the daemon goes on without it.
    #[must_use]
    pub fn of_environment() -> Self {
        let Some(address) = std::env::var_os(SOCKET).filter(|name| !name.is_empty()) else {
            return Self::default();
        };
        match Channel::open(&address) {
            Ok(channel) => {
                let watchdog = sd_notify::watchdog_enabled();
                Self { channel: Some(channel), watchdog, remark: Arc::default() }
            }
            Err(error) => {
                // Nothing is logged yet.
                let text = format!("phalanxd: no service manager at ${SOCKET}: {error}\n");
                io::stderr().write_all(text.as_bytes()).unwrap_or_default();
                Self::default()
            }
        }
    }

    /// Whether there is one.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.channel.is_some()
    }

    /// How long it waits for a sign of life; `None`: it wants none.
    #[must_use]
    pub fn watchdog(&self) -> Option<Duration> {
        self.watchdog
    }

    /// Clients can call: the start is over.
    pub fn ready(&self, status: &str) {
        self.tell(&[NotifyState::Ready, NotifyState::Status(&line(status))]);
    }

    /// A reload begins. The time is the one by which the manager tells this reload from an older
    /// one.
    pub fn reloading(&self) {
        let status = NotifyState::Status("reloading");
        match NotifyState::monotonic_usec_now() {
            Ok(now) => self.tell(&[NotifyState::Reloading, now, status]),
            Err(error) => tracing::warn!(%error, "no monotonic clock to tell the manager"),
        }
    }

    /// The reload is over, whatever came of it: a refused one changed nothing, and the daemon is as
    /// ready as before.
    pub fn reloaded(&self, outcome: &str) {
        outcome.clone_into(&mut self.remark.lock().unwrap_or_else(PoisonError::into_inner));
        self.ready(outcome);
    }

    /// The daemon leaves.
    pub fn stopping(&self) {
        "draining".clone_into(&mut self.remark.lock().unwrap_or_else(PoisonError::into_inner));
        self.tell(&[NotifyState::Stopping, NotifyState::Status("draining")]);
    }

    /// Why the daemon could not start, or had to end.
    pub fn failed(&self, error: &anyhow::Error) {
        let system = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
        let number = system.and_then(io::Error::raw_os_error).unwrap_or(EINVAL);
        let status = line(&format!("failed: {error:#}"));
        self.tell(&[NotifyState::Status(&status), NotifyState::Errno(number.unsigned_abs())]);
    }

    /// What is going on takes up to so long from now on.
    pub fn extend(&self, time: Duration) {
        let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
        self.tell(&[NotifyState::ExtendTimeoutUsec(micros)]);
    }

    /// Keeps a descriptor over a restart: the next process gets it by this name.
    pub fn keep(&self, name: &str, descriptor: OwnedFd) {
        let Some(channel) = &self.channel else { return };
        let text = format!("FDSTORE=1\nFDNAME={name}\n");
        channel.tell(Message { text, descriptor: Some(descriptor) });
    }

    /// Forgets a descriptor that it keeps.
    pub fn forget(&self, name: &str) {
        let name = format!("FDNAME={name}");
        self.tell(&[NotifyState::Custom("FDSTOREREMOVE=1"), NotifyState::Custom(&name)]);
    }

    /// A sign of life.
    fn alive(&self) {
        self.tell(&[NotifyState::Watchdog]);
    }

    /// One line about everything, with what came of the last reload.
    fn status(&self, text: &str) {
        let remark = self.remark.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let parts: Vec<_> = [text, &remark].into_iter().filter(|part| !part.is_empty()).collect();
        self.tell(&[NotifyState::Status(&line(&parts.join("; ")))]);
    }

    /// Waits until the manager has heard everything, for a moment at most. Blocks.
    pub fn last_words(&self) {
        let told = self.channel.as_ref().is_none_or(|channel| channel.flush(LAST_WORDS_MAX));
        if !told {
            tracing::warn!("the service manager did not hear everything");
        }
    }

    fn tell(&self, states: &[NotifyState<'_>]) {
        let Some(channel) = &self.channel else { return };
        let text = states.iter().map(|state| format!("{state}\n")).collect();
        channel.tell(Message { text, descriptor: None });
    }
}

/// Text that fits in a status: one line, of a bounded length.
fn line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut line: String = text.chars().map(plain).take(STATUS_CHARS_MAX).collect();
    if text.chars().nth(STATUS_CHARS_MAX).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_line_however_long_its_reason() {
        let long = line(&format!("refused:\n{}\0", "x".repeat(2 * STATUS_CHARS_MAX)));
        assert!(!long.contains(['\n', '\0']));
        assert_eq!(long.chars().count(), STATUS_CHARS_MAX + 1);
        assert_eq!(line("fine"), "fine");
    }
}
