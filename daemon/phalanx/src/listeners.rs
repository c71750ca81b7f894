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

/// The listeners that are bound. Nobody is answered before somebody serves on them.
#[derive(Debug)]
pub struct Listeners {
    /// Those of the control API.
    pub control: Bound,
    /// The one of the bridges, where a team waits for some.
    pub bridge: Option<(UnixListener, SocketGuard)>,
}

/// Binds what the settings want and nobody handed over. What a socket unit hands over is served
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
) -> Result<Listeners> {
    let awaited = settings.teams.iter().any(TeamSettings::is_awaited);
    for name in &inherited.unknown {
        let known = "control, control-tcp or bridge";
        warn!(name, "a socket unit's descriptor is not used: FileDescriptorName= must be {known}");
    }
    for listener in outdated(settings, awaited, &inherited) {
        info!(name = listener.name(), "a socket that was kept over the restart is not wanted now");
        inherited.drop_one(listener);
        manager.forget(&listener.kept_name());
    }
    let (own_control, own_tcp) = (inherited.control.is_none(), inherited.control_tcp.is_none());
    let handed = phalanx_control::Inherited {
        unix: inherited.control.take(),
        tcp: inherited.control_tcp.take(),
    };
    let mut control = phalanx_control::bind_over(options, handed)?;
    let own_bridge = inherited.bridge.is_none();
    let mut bridge = if awaited { bridge_door(settings, inherited)? } else { None };
    if manager.is_there() {
        let (unix, tcp) = control.share().context("the control API's sockets")?;
        let door = match bridge.as_mut().filter(|_| own_bridge) {
            Some((listener, guard)) => {
                guard.leave();
                Some(listener.as_fd().try_clone_to_owned().context("the bridges' socket")?)
            }
            None => None,
        };
        let shared = [
            (Listener::Control, unix.filter(|_| own_control)),
            (Listener::ControlTcp, tcp.filter(|_| own_tcp)),
            (Listener::Bridge, door),
        ];
        for (listener, descriptor) in shared {
            if let Some(descriptor) = descriptor {
                manager.keep(&listener.kept_name(), descriptor);
            }
        }
    }
    Ok(Listeners { control, bridge })
}

/// What was kept by an earlier process and is somewhere else in the settings of today.
fn outdated(settings: &Settings, awaited: bool, inherited: &Inherited) -> Vec<Listener> {
    let control = &settings.control;
    let wanted = |listener: &&Listener| match listener {
        Listener::Control => is_at(inherited.control.as_ref(), control.socket.as_deref()),
        Listener::ControlTcp => {
            let address = inherited.control_tcp.as_ref().and_then(|one| one.local_addr().ok());
            address.zip(control.tcp).is_some_and(|(is, wanted)| same(is, wanted))
        }
        Listener::Bridge => {
            awaited && is_at(inherited.bridge.as_ref(), settings.bridge.socket.as_deref())
        }
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

fn bridge_door(
    settings: &Settings,
    inherited: Inherited,
) -> Result<Option<(UnixListener, SocketGuard)>> {
    if let Some(listener) = inherited.bridge {
        info!("bridges come in by the service manager's socket");
        return Ok(Some(phalanx_control::adopt_unix(listener)?));
    }
    let Some(path) = settings.bridge.socket.clone() else { return Ok(None) };
    let options = SocketOptions { path, mode: settings.bridge.socket_mode, group: None };
    info!(socket = %options.path.display(), "bridges");
    Ok(Some(phalanx_control::bind_unix(&options)?))
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
