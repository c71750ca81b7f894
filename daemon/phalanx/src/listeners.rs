//! Where the daemon listens: on sockets of its own, or on those that the service manager hands it.

use crate::manager::{Inherited, Listener, Manager};
use anyhow::{Context, Result};
use phalanx_control::{Bound, Certificates, Options, SocketGuard, SocketOptions};
use phalanx_settings::{ControlSettings, Settings, TeamSettings};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use tokio::net::UnixListener;
use tracing::{info, warn};

/// Where bridges come in; its file stays as long as the guard does.
pub type Door = (UnixListener, SocketGuard);

/// Binds the socket of the bridges, where a team waits for some and nobody handed it over. It comes
/// before all that takes its time: a referee's match goes on while we start, and a bridge that gets
/// through waits for its answer instead of calling again. Must run inside a tokio runtime.
///
/// # Errors
/// When the socket is taken or cannot be made.
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
        info!("bridges come in by the service manager's socket");
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

/// Binds what the settings want of the control API and nobody handed over. What a socket unit hands over is served
/// wherever it is; what an earlier process left with the manager only where the settings still want
/// it. Our own sockets are left with the manager from then on, so that callers wait during a
/// restart. Must run inside a tokio runtime.
///
/// # Errors
/// When an address is taken or not allowed.
pub fn open(
    settings: &Settings,
    options: &Options,
    mut inherited: Inherited,
    manager: &Manager,
) -> Result<Bound> {
    for name in &inherited.unknown {
        let known = "control, control-tcp or bridge";
        warn!(name, "a socket unit's descriptor is not used: FileDescriptorName= must be {known}");
    }
    for listener in unwanted(settings, &inherited) {
        outdated(listener, &mut inherited, manager);
    }
    let (own_control, own_tcp) = (inherited.control.is_none(), inherited.control_tcp.is_none());
    let handed = phalanx_control::Inherited {
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

/// What was kept by an earlier process and is somewhere else in the settings of today.
fn outdated(listener: Listener, inherited: &mut Inherited, manager: &Manager) {
    info!(name = listener.name(), "a socket that was kept over the restart is not wanted now");
    inherited.drop_one(listener);
    manager.forget(&listener.kept_name());
}

/// Sockets of the control API that were kept by an earlier process and are somewhere else now.
fn unwanted(settings: &Settings, inherited: &Inherited) -> Vec<Listener> {
    let control = &settings.control;
    let wanted = |listener: &&Listener| match listener {
        Listener::Control => is_at(inherited.control.as_ref(), control.socket.as_deref()),
        Listener::ControlTcp => {
            let address = inherited.control_tcp.as_ref().and_then(|one| one.local_addr().ok());
            address.zip(control.tcp).is_some_and(|(is, wanted)| same(is, wanted))
        }
        // `door` has seen to it.
        Listener::Bridge => true,
    };
    inherited.kept.iter().filter(|listener| !wanted(listener)).copied().collect()
}

fn is_at(listener: Option<&std::os::unix::net::UnixListener>, wanted: Option<&Path>) -> bool {
    let path = listener.and_then(phalanx_control::place_of);
    // A socket whose file somebody removed is out of reach.
    path.is_some_and(|path| Some(&*path) == wanted && path.exists())
}

/// Port 0 took any free one.
fn same(is: SocketAddr, wanted: SocketAddr) -> bool {
    is.ip() == wanted.ip() && (wanted.port() == 0 || is.port() == wanted.port())
}

/// Where and to whom the control API is served, as the settings have it.
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
