//! Listeners that the manager hands over at the start: from socket units, or left by the previous
//! process. Until the daemon accepts on them, callers wait instead of being refused.

use crate::handover::SEATS;
use anyhow::{Context, Result, bail};
use listenfd::ListenFd;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;

/// Variable with the descriptors' names, separated by colons.
const NAMES: &str = "LISTEN_FDNAMES";
/// Prefix of the names of descriptors that the previous process left with the manager.
const KEPT: &str = "kept-";

/// The daemon's listeners, by the names that socket units give them (`FileDescriptorName=`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    Control,
    /// The control API's TCP address: `control-tcp`.
    ControlTcp,
    /// The Unix socket of the bridges: `bridge`.
    Bridge,
}

impl Listener {
    const ALL: [Self; 3] = [Self::Control, Self::ControlTcp, Self::Bridge];

    /// Its name in a socket unit.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::ControlTcp => "control-tcp",
            Self::Bridge => "bridge",
        }
    }

    /// Its name while the manager keeps it between two processes.
    #[must_use]
    pub fn kept_name(self) -> String {
        format!("{KEPT}{}", self.name())
    }
}

/// The inherited sockets.
#[derive(Debug, Default)]
pub struct Inherited {
    /// The control API's Unix socket.
    pub control: Option<UnixListener>,
    /// The control API's TCP listener.
    pub control_tcp: Option<TcpListener>,
    /// The socket for bridges.
    pub bridge: Option<UnixListener>,
    /// Those of the listeners that the previous process left with the manager.
    pub kept: Vec<Listener>,
    /// Connections of teams that the previous process left with the manager.
    pub seats: Vec<TcpStream>,
    /// Names of descriptors that the daemon does not know.
    pub unknown: Vec<String>,
}

impl Inherited {
    /// Takes the sockets that the environment names, and removes the variables. Call it before any
    /// thread starts.
    ///
    /// # Errors
    /// When a descriptor is not what its name says.
    pub fn take() -> Result<Self> {
        let names = std::env::var(NAMES).unwrap_or_default();
        let mut descriptors = ListenFd::from_env();
        let mut inherited = Self::default();
        let names: Vec<_> = names.split(':').collect();
        for index in 0..descriptors.len() {
            let name = names.get(index).copied().unwrap_or_default();
            let taken = inherited.add(name, index, &mut descriptors);
            taken.with_context(|| format!("the service manager's descriptor {name:?}"))?;
        }
        Ok(inherited)
    }

    fn add(&mut self, name: &str, index: usize, all: &mut ListenFd) -> Result<()> {
        if name == SEATS {
            // A TCP stream, although the function is named for listeners.
            let stream = all.take_tcp_listener(index)?.map(OwnedFd::from);
            self.seats.extend(stream.map(TcpStream::from));
            return Ok(());
        }
        let (kept, plain) = match name.strip_prefix(KEPT) {
            Some(plain) => (true, plain),
            None => (false, name),
        };
        let Some(listener) = Listener::ALL.into_iter().find(|one| one.name() == plain) else {
            self.unknown.push(name.to_owned());
            return Ok(());
        };
        // A socket unit that was enabled meanwhile has the address: the kept socket is obsolete.
        if kept && self.has(listener) {
            return Ok(());
        }
        if self.has(listener) && !self.kept.contains(&listener) {
            bail!("there are two of that name; a socket unit may have one address of each kind");
        }
        self.kept.retain(|one| *one != listener);
        match listener {
            Listener::Control => self.control = all.take_unix_listener(index)?,
            Listener::ControlTcp => self.control_tcp = all.take_tcp_listener(index)?,
            Listener::Bridge => self.bridge = all.take_unix_listener(index)?,
        }
        if kept {
            self.kept.push(listener);
        }
        Ok(())
    }

    /// Closes one of them.
    pub fn drop_one(&mut self, listener: Listener) {
        match listener {
            Listener::Control => self.control = None,
            Listener::ControlTcp => self.control_tcp = None,
            Listener::Bridge => self.bridge = None,
        }
    }

    fn has(&self, listener: Listener) -> bool {
        match listener {
            Listener::Control => self.control.is_some(),
            Listener::ControlTcp => self.control_tcp.is_some(),
            Listener::Bridge => self.bridge.is_some(),
        }
    }
}
