//! Which browsers get an answer over the network: the origin of the page, and the host name of the
//! daemon.
//!
//! A web page can point its own name to this machine (DNS rebinding); the browser then takes the
//! daemon for the page's own server, and the page can read its answers. With TLS this fails,
//! because the certificate does not have that name. Without TLS, the daemon only answers requests
//! for an IP address, for `localhost` or for a name in the settings.

use crate::connection::NetPeer;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{self, HeaderValue};
use http::uri::Authority;
use std::net::IpAddr;
use std::sync::Arc;

/// It reveals nothing that needs protection, and supervisors may call it in any way.
const HEALTH: &str = "/healthz";
/// The name of this machine, for itself.
const LOCALHOST: &str = "localhost";

/// The rules for browsers.
#[derive(Clone, Debug)]
pub(crate) struct Visitors {
    origins: Arc<[HeaderValue]>,
    hosts: Arc<[String]>,
}

impl Visitors {
    /// Pages of these origins, besides the daemon's own, may call; without TLS by these names,
    /// besides addresses and `localhost`.
    pub(crate) fn new(origins: &[String], hosts: &[String]) -> Self {
        let origins = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
        Self { origins, hosts: hosts.into() }
    }

    pub(crate) fn origins(&self) -> &[HeaderValue] {
        &self.origins
    }

    /// Whether a host name that a caller used without TLS is one of ours.
    fn knows(&self, called: &Authority) -> bool {
        let name = host(called);
        // Neither can be pointed to another machine.
        let fixed = name.eq_ignore_ascii_case(LOCALHOST) || name.parse::<IpAddr>().is_ok();
        fixed || self.hosts.iter().any(|known| is_meant(known, name, called.port_u16()))
    }
}

/// Whether `phalanx.lan`, `phalanx.lan:7420` or `*.lan` matches a name and a port.
fn is_meant(known: &str, name: &str, port: Option<u16>) -> bool {
    let (known, own) = match known.rsplit_once(':') {
        Some((known, own)) => (known, own.parse().ok()),
        None => (known, None),
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let fits = match known.strip_prefix("*.") {
        Some(parent) => name.strip_suffix(parent).is_some_and(|below| below.ends_with('.')),
        None => name == known,
    };
    fits && (own.is_none() || own == port)
}

/// Browsers send the origin of the calling page, and the host name. A page that is not in the
/// settings gets no answer and no effect: even without reading the answer, it could act with the
/// rights of this machine's callers.
pub(crate) async fn admit(
    State(visitors): State<Visitors>,
    request: Request,
    next: Next,
) -> Response {
    // Requests over the Unix socket have no such name.
    let peer = request.extensions().get::<NetPeer>().copied();
    let plain = peer.is_some_and(|peer| !peer.secure);
    let called = called(&request);
    let known = request.uri().path() == HEALTH
        || match &called {
            Ok(None) => true,
            Ok(Some(called)) => visitors.knows(called),
            Err(MalformedHost) => false,
        };
    if plain && !known {
        let text = "this daemon is not called so; call it by an IP address or localhost, or add the \
                    name to control.hosts in the daemon's settings\n";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    let secure = peer.is_some_and(|peer| peer.secure);
    match request.headers().get(header::ORIGIN) {
        Some(origin)
            if !visitors.origins.contains(origin)
                && !is_own(origin, called.ok().flatten().as_ref(), secure) =>
        {
            let text = "pages of this origin may not use the control API; control.origins in the \
                        daemon's settings names those that may\n";
            (StatusCode::FORBIDDEN, text).into_response()
        }
        Some(_) | None => next.run(request).await,
    }
}

/// The host name of the request; `None` if there is none, which only programs do.
fn called(request: &Request) -> Result<Option<Authority>, MalformedHost> {
    if let Some(authority) = request.uri().authority() {
        return Ok(Some(authority.clone()));
    }
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => Ok(None),
        (Some(host), None) => host.as_bytes().try_into().map(Some).map_err(|_| MalformedHost),
        (Some(_), Some(_)) => Err(MalformedHost),
    }
}

/// The name is malformed, or there are two.
#[derive(Clone, Copy, Debug)]
struct MalformedHost;

/// Without brackets.
fn host(called: &Authority) -> &str {
    called.host().trim_start_matches('[').trim_end_matches(']')
}

/// Whether the calling page is the daemon's own: its origin is the host name of the request, with
/// the scheme of the connection. The host name itself is checked before.
fn is_own(origin: &HeaderValue, called: Option<&Authority>, secure: bool) -> bool {
    let scheme = if secure { "https://" } else { "http://" };
    let origin = origin.to_str().ok().and_then(|origin| origin.strip_prefix(scheme));
    called.is_some_and(|called| origin == Some(called.as_str()))
}
