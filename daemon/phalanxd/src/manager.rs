//! The link to the machine's service manager: notifications, and inherited sockets.
//!
//! This uses systemd's notification protocol, which other managers implement as well. Without a
//! manager every call does nothing, and the daemon runs the same.

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

/// Variable with the path of the manager's socket.
const SOCKET: &str = "NOTIFY_SOCKET";
/// Longest status text, in characters: it is one line of `systemctl status`.
const STATUS_CHARS_MAX: usize = 480;
/// How long to wait for the last notifications at the end.
const LAST_WORDS_MAX: Duration = Duration::from_secs(2);
/// The number of an invalid argument, for errors without a number of their own.
const EINVAL: i32 = 22;

/// The service manager, if there is one. Clones share it. No call blocks: notifications are sent by
/// a thread, in order.
#[derive(Clone, Debug, Default)]
pub struct Manager {
    channel: Option<Channel>,
    watchdog: Option<Duration>,
    /// Outcome of the last reload, for the status line.
    remark: Arc<Mutex<String>>,
}

impl Manager {
    /// The manager that the environment names. If the name of its socket is unusable, that is
    /// printed on standard error, and the daemon continues without a manager.
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
                // Logging has not started yet.
                let text = format!("phalanxd: no service manager at ${SOCKET}: {error}\n");
                io::stderr().write_all(text.as_bytes()).unwrap_or_default();
                Self::default()
            }
        }
    }

    #[must_use]
    pub fn is_there(&self) -> bool {
        self.channel.is_some()
    }

    /// The watchdog's interval; `None`: no watchdog.
    #[must_use]
    pub fn watchdog(&self) -> Option<Duration> {
        self.watchdog
    }

    /// Reports that the start is over and clients can connect.
    pub fn ready(&self, status: &str) {
        self.tell(&[NotifyState::Ready, NotifyState::Status(&line(status))]);
    }

    /// Reports that a reload begins. The time lets the manager distinguish this reload from an
    /// older one.
    pub fn reloading(&self) {
        let status = NotifyState::Status("reloading");
        match NotifyState::monotonic_usec_now() {
            Ok(now) => self.tell(&[NotifyState::Reloading, now, status]),
            Err(error) => tracing::warn!(%error, "cannot read the monotonic clock for a reload"),
        }
    }

    /// Reports that the reload is over, in any case: after a refused reload the daemon is as ready
    /// as before.
    pub fn reloaded(&self, outcome: &str) {
        outcome.clone_into(&mut self.remark.lock().unwrap_or_else(PoisonError::into_inner));
        self.ready(outcome);
    }

    /// Reports that the daemon is shutting down.
    pub fn stopping(&self) {
        "draining".clone_into(&mut self.remark.lock().unwrap_or_else(PoisonError::into_inner));
        self.tell(&[NotifyState::Stopping, NotifyState::Status("draining")]);
    }

    /// Reports why the daemon could not start, or had to end.
    pub fn failed(&self, error: &anyhow::Error) {
        let system = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
        let number = system.and_then(io::Error::raw_os_error).unwrap_or(EINVAL);
        let status = line(&format!("failed: {error:#}"));
        self.tell(&[NotifyState::Status(&status), NotifyState::Errno(number.unsigned_abs())]);
    }

    /// Asks for up to `time` more, counted from now.
    pub fn extend(&self, time: Duration) {
        let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
        self.tell(&[NotifyState::ExtendTimeoutUsec(micros)]);
    }

    /// Keeps a descriptor over a restart: the next process receives it by this name.
    pub fn keep(&self, name: &str, descriptor: OwnedFd) {
        let Some(channel) = &self.channel else { return };
        let text = format!("FDSTORE=1\nFDNAME={name}\n");
        channel.tell(Message { text, descriptor: Some(descriptor) });
    }

    /// Drops a descriptor that the manager keeps.
    pub fn forget(&self, name: &str) {
        let name = format!("FDNAME={name}");
        self.tell(&[NotifyState::Custom("FDSTOREREMOVE=1"), NotifyState::Custom(&name)]);
    }

    /// Feeds the watchdog.
    fn alive(&self) {
        self.tell(&[NotifyState::Watchdog]);
    }

    /// Sets the status line, with the outcome of the last reload.
    fn status(&self, text: &str) {
        let remark = self.remark.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let parts: Vec<_> = [text, &remark].into_iter().filter(|part| !part.is_empty()).collect();
        self.tell(&[NotifyState::Status(&line(&parts.join("; ")))]);
    }

    /// Waits briefly until all notifications are sent. Blocks.
    pub fn last_words(&self) {
        let flushed = self.channel.as_ref().is_none_or(|channel| channel.flush(LAST_WORDS_MAX));
        if !flushed {
            tracing::warn!("the service manager did not take all messages in time");
        }
    }

    fn tell(&self, states: &[NotifyState<'_>]) {
        let Some(channel) = &self.channel else { return };
        let text = states.iter().map(|state| format!("{state}\n")).collect();
        channel.tell(Message { text, descriptor: None });
    }
}

/// Cuts a text to one line of bounded length.
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
