//! The daemon's listeners: its own sockets, or those that the service manager hands over.

use crate::manager::{Inherited, Listener, Manager};
use anyhow::{Context, Result};
use phalanx_control::{BoundListeners, Certificates, Options, SocketGuard, SocketOptions};
use phalanx_settings::{ControlSettings, Settings, TeamSettings};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use tokio::net::UnixListener;
use tracing::{info, warn};

/// The listener for bridges; its file exists as long as the guard.
pub type Door = (UnixListener, SocketGuard);

/// Binds the socket for bridges if a team needs it and the service manager did not hand it over. It
/// is bound before everything that takes time: a referee's match continues while the daemon starts,
/// and a connected bridge waits for its answer instead of trying again. Must run inside a tokio
/// runtime.
///
/// # Errors
/// When the socket is taken or cannot be created.
pub fn door(
    settings: &Settings,
    inherited: &mut Inherited,
    manager: &Manager,
) -> Result<Option<Door>> {
    let awaited = settings.teams.iter().any(TeamSettings::is_awaited);
    let wanted = awaited && is_at(inherited.bridge.as_ref(), settings.bridge.socket.as_deref());
    if inherited.kept.contains(&Listener::Bridge) && !wanted {
        outdated(Listener::Bridge, inherited, manager);
    }
    if !awaited {
        return Ok(None);
    }
    if let Some(listener) = inherited.bridge.take() {
        info!("bridges connect to the service manager's socket");
        return Ok(Some(phalanx_control::adopt_unix(listener)?));
    }
    let Some(path) = settings.bridge.socket.clone() else { return Ok(None) };
    let options = SocketOptions { path, mode: settings.bridge.socket_mode, group: None };
    info!(socket = %options.path.display(), "bridges");
    let (listener, mut guard) = phalanx_control::bind_unix(&options)?;
    if manager.is_there() {
        guard.leave();
        let kept = listener.as_fd().try_clone_to_owned().context("the bridges' socket")?;
        manager.keep(&Listener::Bridge.kept_name(), kept);
    }
    Ok(Some((listener, guard)))
}

/// Binds the sockets of the control API that the settings name and the service manager did not hand
/// over. A socket of a socket unit is used wherever it is; a socket that an earlier process left
/// only if the settings still name it. Own sockets are left with the service manager from then on,
/// so that callers wait during a restart. Must run inside a tokio runtime.
///
/// # Errors
/// When an address is taken or not allowed.
pub fn open(
    settings: &Settings,
    options: &Options,
    mut inherited: Inherited,
    manager: &Manager,
) -> Result<BoundListeners> {
    for name in &inherited.unknown {
        let known = "control, control-tcp or bridge";
        warn!(name, "a socket unit's descriptor is not used: FileDescriptorName= must be {known}");
    }
    for listener in unwanted(settings, &inherited) {
        outdated(listener, &mut inherited, manager);
    }
    let (own_control, own_tcp) = (inherited.control.is_none(), inherited.control_tcp.is_none());
    let handed = phalanx_control::InheritedListeners {
        unix: inherited.control.take(),
        tcp: inherited.control_tcp.take(),
    };
    let mut control = phalanx_control::bind_over(options, handed)?;
    if manager.is_there() {
        let (unix, tcp) = control.share().context("the control API's sockets")?;
        let shared = [
            (Listener::Control, unix.filter(|_| own_control)),
            (Listener::ControlTcp, tcp.filter(|_| own_tcp)),
        ];
        for (listener, descriptor) in shared {
            if let Some(descriptor) = descriptor {
                manager.keep(&listener.kept_name(), descriptor);
            }
        }
    }
    Ok(control)
}

/// Closes a socket that an earlier process left and that the settings no longer name.
fn outdated(listener: Listener, inherited: &mut Inherited, manager: &Manager) {
    info!(name = listener.name(), "closing a kept socket that the settings no longer name");
    inherited.drop_one(listener);
    manager.forget(&listener.kept_name());
}

/// Sockets of the control API that an earlier process left and that the settings no longer name.
fn unwanted(settings: &Settings, inherited: &Inherited) -> Vec<Listener> {
    let control = &settings.control;
    let wanted = |listener: &&Listener| match listener {
        Listener::Control => is_at(inherited.control.as_ref(), control.socket.as_deref()),
        Listener::ControlTcp => {
            let address = inherited.control_tcp.as_ref().and_then(|one| one.local_addr().ok());
            address.zip(control.tcp).is_some_and(|(is, wanted)| same(is, wanted))
        }
        // `door` has handled it.
        Listener::Bridge => true,
    };
    inherited.kept.iter().filter(|listener| !wanted(listener)).copied().collect()
}

fn is_at(listener: Option<&std::os::unix::net::UnixListener>, wanted: Option<&Path>) -> bool {
    let path = listener.and_then(phalanx_control::place_of);
    // No caller can reach a socket whose file was removed.
    path.is_some_and(|path| Some(&*path) == wanted && path.exists())
}

/// Port 0 matches any port.
fn same(is: SocketAddr, wanted: SocketAddr) -> bool {
    is.ip() == wanted.ip() && (wanted.port() == 0 || is.port() == wanted.port())
}

/// The listeners and access rules of the control API, from the settings.
#[must_use]
pub fn options(settings: &ControlSettings, tls: Option<Arc<Certificates>>) -> Options {
    let socket = settings.socket.as_ref().map(|path| SocketOptions {
        path: path.clone(),
        mode: settings.socket_mode,
        group: settings.socket_group.clone(),
    });
    Options {
        socket,
        tcp: settings.tcp,
        tls,
        origins: settings.origins.clone(),
        hosts: settings.hosts.iter().map(ToString::to_string).collect(),
        metrics_open: settings.metrics_open,
        page: settings.page,
        ..Options::default()
    }
}
