//! Which browsers get an answer over the network: whose page may call, and by which name.
//!
//! A web page can lead a name of its own to this machine (DNS rebinding); the browser then takes the
//! daemon for the page's own server, and reads what it answers. With TLS that fails at the
//! certificate, which has no such name. Without TLS the daemon itself answers only where it is called
//! by an address, `localhost` or a name of the settings.

use crate::listener::NetPeer;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{self, HeaderValue};
use http::uri::Authority;
use std::net::IpAddr;
use std::sync::Arc;

/// Tells nothing that has to be guarded, and whatever watches over the daemon may call it anyhow.
const HEALTH: &str = "/healthz";
/// The name of this machine, for itself.
const LOCALHOST: &str = "localhost";

/// Who gets an answer.
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

    /// Whether a name that a caller used without TLS is one of ours.
    fn knows(&self, called: &Authority) -> bool {
        let name = host(called);
        // Neither can be led elsewhere.
        let fixed = name.eq_ignore_ascii_case(LOCALHOST) || name.parse::<IpAddr>().is_ok();
        fixed || self.hosts.iter().any(|known| is_meant(known, name, called.port_u16()))
    }
}

/// Whether a name and a port are meant by `phalanx.lan`, `phalanx.lan:7420` or `*.lan`.
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

/// Browsers say whose page calls, and by which name. A page that the settings do not name gets
/// nothing: what it may not read it could still have done, with the rights that this machine's
/// callers have.
pub(crate) async fn admit(
    State(visitors): State<Visitors>,
    request: Request,
    next: Next,
) -> Response {
    // Callers at the Unix socket have no such name.
    let peer = request.extensions().get::<NetPeer>().copied();
    let plain = peer.is_some_and(|peer| !peer.secure);
    let called = called(&request);
    let known = request.uri().path() == HEALTH
        || match &called {
            Ok(None) => true,
            Ok(Some(called)) => visitors.knows(called),
            Err(Malformed) => false,
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

/// By which name the daemon is called; `None`: by none, as only programs do.
fn called(request: &Request) -> Result<Option<Authority>, Malformed> {
    if let Some(authority) = request.uri().authority() {
        return Ok(Some(authority.clone()));
    }
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => Ok(None),
        (Some(host), None) => host.as_bytes().try_into().map(Some).map_err(|_| Malformed),
        (Some(_), Some(_)) => Err(Malformed),
    }
}

/// A name that is none, or two of them.
#[derive(Clone, Copy, Debug)]
struct Malformed;

/// Without brackets.
fn host(called: &Authority) -> &str {
    called.host().trim_start_matches('[').trim_end_matches(']')
}

/// Whether the page that calls came from this very daemon: its origin is the name that is called,
/// with the scheme of the connection. By which names it may be called was looked at before.
fn is_own(origin: &HeaderValue, called: Option<&Authority>, secure: bool) -> bool {
    let scheme = if secure { "https://" } else { "http://" };
    let origin = origin.to_str().ok().and_then(|origin| origin.strip_prefix(scheme));
    called.is_some_and(|called| origin == Some(called.as_str()))
}
