//! The gate in front of every call: who calls, whether that is allowed, and the line in the audit
//! log for what changes something.
//!
//! Callers at the Unix socket are admins, since the socket's rights let nobody else in. Callers
//! over the network show a token; on a loopback address without one they have the role that the
//! settings give to this machine's users.

use crate::error::{Reason, refuse};
use crate::methods::{self, Method};
use crate::slots::Slot;
use crate::{caller, listener::NetPeer};
use axum::body::Body;
use phalanx_access::{Audit, AuditLine, Authenticator, Denied, Role, StoreError, TokenStore};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::Semaphore;
use tonic::codegen::http::{HeaderMap, Request, Response};
use tonic::transport::server::UdsConnectInfo;
use tonic::{Code, Status};
use tower::{Layer, Service};

/// Tokens that are hashed at once: each takes 19 MiB and tens of milliseconds of a core.
const HASHES_MAX: usize = 2;
/// Longest name of what was changed that is kept for the audit log, in characters.
const SUBJECT_CHARS_MAX: usize = 200;
/// What stands before a token in the header.
const BEARER: &str = "Bearer ";

/// Who may come in.
#[derive(Debug)]
pub struct Access {
    /// The tokens.
    pub authenticator: Arc<Authenticator>,
    /// What callers on a loopback address may do without a token; `None`: nothing.
    pub loopback: Option<Role>,
    /// Where changes are written down.
    pub audit: Option<Arc<Audit>>,
}

impl Access {
    /// Tokens that live as long as the process, no audit log; callers on a loopback address have
    /// this role without a token.
    ///
    /// # Errors
    /// When hashing does not work here.
    pub fn on_this_machine(loopback: Role) -> Result<Self, StoreError> {
        let tokens = TokenStore::in_memory(&mut UnwrapErr(SysRng))?;
        let authenticator = Arc::new(Authenticator::new(tokens));
        Ok(Self { authenticator, loopback: Some(loopback), audit: None })
    }

    /// The tokens of a file; no audit log.
    ///
    /// # Errors
    /// When the tokens cannot be read.
    pub fn open(tokens: &Path, loopback: Option<Role>) -> Result<Self, StoreError> {
        let tokens = TokenStore::open(tokens, &mut UnwrapErr(SysRng))?;
        Ok(Self { authenticator: Arc::new(Authenticator::new(tokens)), loopback, audit: None })
    }
}

/// Who calls: what the gate found out.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// For people.
    pub(crate) who: String,
    /// The same for the same caller, however often it connects and whatever it calls itself.
    pub(crate) identity: String,
    pub(crate) role: Role,
    pub(crate) from: String,
}

/// What a call changes, told by its handler: `teams/A`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject(Arc<OnceLock<String>>);

impl Subject {
    /// Notes what the call of this request changes.
    pub(crate) fn note<T>(request: &tonic::Request<T>, name: &str) {
        if let Some(subject) = request.extensions().get::<Self>() {
            let kept = name.chars().filter(|c| !c.is_control()).take(SUBJECT_CHARS_MAX).collect();
            // The first word stands.
            drop(subject.0.set(kept));
        }
    }
}

/// What a request tells of its caller.
pub(crate) struct Asked {
    headers: HeaderMap,
    local: Option<UdsConnectInfo>,
    peer: Option<SocketAddr>,
    slot: Option<Arc<Slot>>,
}

impl Asked {
    pub(crate) fn of(request: &Request<Body>) -> Self {
        let extensions = request.extensions();
        Self {
            headers: request.headers().clone(),
            local: extensions.get().cloned(),
            peer: extensions.get::<NetPeer>().map(|peer| peer.address),
            slot: extensions.get().cloned(),
        }
    }
}

/// Puts the gate in front of a service.
#[derive(Clone, Debug)]
pub(crate) struct GateLayer {
    access: Arc<Access>,
    hashes: Arc<Semaphore>,
}

impl GateLayer {
    pub(crate) fn new(access: Arc<Access>) -> Self {
        Self { access, hashes: Arc::new(Semaphore::new(HASHES_MAX)) }
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = Gate<S>;

    fn layer(&self, inner: S) -> Gate<S> {
        Gate { gate: self.clone(), inner }
    }
}

/// A service behind the gate.
#[derive(Clone, Debug)]
pub(crate) struct Gate<S> {
    gate: GateLayer,
    inner: S,
}

type Answering<E> = futures_util::future::BoxFuture<'static, Result<Response<Body>, E>>;

impl<S> Service<Request<Body>> for Gate<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answering<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Answering<S::Error> {
        let gate = self.gate.clone();
        // The one that is ready is called, its copy stays behind.
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        Box::pin(async move {
            let Some(method) = methods::find(request.uri().path()) else {
                // Whoever serves it answers that there is nothing, or it is no call at all.
                return inner.call(request).await;
            };
            let asked = Asked::of(&request);
            let caller = match gate.caller(method, asked).await {
                Ok(caller) => caller,
                Err((status, who)) => {
                    gate.write(method, &who, "", &status_word(status.code())).await;
                    return Ok(status.into_http());
                }
            };
            let subject = Subject::default();
            let Some(caller) = caller else { return inner.call(request).await };
            request.extensions_mut().insert(caller.clone());
            request.extensions_mut().insert(subject.clone());
            request.extensions_mut().insert(method);
            let answer = inner.call(request).await?;
            if method.changes {
                let on = subject.0.get().map_or("", String::as_str);
                let result = status_word(code_of(answer.headers()));
                gate.write(method, &(caller.who, caller.from), on, &result).await;
            }
            Ok(answer)
        })
    }
}

impl GateLayer {
    /// Whether whoever asks for this page may see it.
    pub(crate) async fn admit(&self, page: &Method, asked: Asked) -> Result<(), Status> {
        self.caller(page, asked).await.map(drop).map_err(|(status, _)| status)
    }

    /// Who calls, if the method asks; or why not, with what is known of the caller.
    async fn caller(
        &self,
        method: &Method,
        asked: Asked,
    ) -> Result<Option<Caller>, (Status, (String, String))> {
        let Some(needed) = method.role else { return Ok(None) };
        let Asked { headers, local, peer, slot } = asked;
        let caller = if let Some(peer) = local {
            let who = caller::user_at(&peer).await;
            Caller { identity: who.clone(), who, role: Role::Admin, from: "unix".to_owned() }
        } else {
            let from = peer.map_or_else(|| "unknown".to_owned(), |peer| peer.to_string());
            match self.over_the_network(peer, &headers).await {
                Ok((who, role)) => Caller { identity: who.clone(), who, role, from },
                Err(status) => return Err((status, ("?".to_owned(), from))),
            }
        };
        let who = caller::shown(&headers, &caller.who);
        let caller = Caller { who, ..caller };
        if slot.is_some_and(|slot| !slot.admits(caller.role)) {
            let message = "every connection slot is in use; the last ones are for admins: close \
                           some connections or try again later";
            let refused = refuse(Reason::TooManyConnections, message, []);
            return Err((refused, (caller.who, caller.from)));
        }
        if caller.role.may(needed) {
            return Ok(Some(caller));
        }
        let (has, needs) = (caller.role.word(), needed.word());
        let message = format!(
            "{} has the role {has}; this takes {needs}: ask an admin for a token of that role",
            caller.who
        );
        let metadata = [("has", has.to_owned()), ("needs", needs.to_owned())];
        Err((refuse(Reason::RoleTooSmall, message, metadata), (caller.who, caller.from)))
    }

    async fn over_the_network(
        &self,
        peer: Option<SocketAddr>,
        headers: &HeaderMap,
    ) -> Result<(String, Role), Status> {
        let address = peer.map(|peer| peer.ip());
        let Some(shown) = headers.get("authorization") else {
            let here = address.is_some_and(|address| address.to_canonical().is_loopback());
            return match self.access.loopback.filter(|_| here) {
                // Without its port, which is another one for each connection.
                Some(role) => {
                    Ok((peer.map_or_else(String::new, |p| format!("tcp {}", p.ip())), role))
                }
                None => Err(refuse(
                    Reason::TokenMissing,
                    "a token is missing: `phalanx token create` at the daemon's Unix socket makes \
                     one; PHALANX_TOKEN or --token-file hands it over",
                    [],
                )),
            };
        };
        let text = shown.to_str().ok().and_then(|text| text.strip_prefix(BEARER));
        let text = text.unwrap_or_default().to_owned();
        let address = address.unwrap_or(IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED));
        self.check(text, address).await
    }

    async fn check(&self, text: String, address: IpAddr) -> Result<(String, Role), Status> {
        let authenticator = Arc::clone(&self.access.authenticator);
        let quick = authenticator.is_quick(&text);
        let check = move || authenticator.check(&text, address, Instant::now(), unix_seconds());
        let checked = if quick {
            check()
        } else {
            // Whoever is gone by its turn does not cost a hash; the semaphore is never closed.
            let _permit = self.hashes.acquire().await;
            let checked = tokio::task::spawn_blocking(check).await;
            checked
                .map_err(|error| Status::internal(format!("the token was not checked: {error}")))?
        };
        let info = checked.map_err(turned_away)?;
        Ok((format!("{} (token {})", info.name, info.id), info.role))
    }

    async fn write(&self, method: &Method, (who, from): &(String, String), on: &str, result: &str) {
        if !method.changes {
            return;
        }
        let what = method.path.strip_prefix("phalanx.v1.").unwrap_or(method.path).to_owned();
        tracing::info!(who, from, what, on, result, "a change through the control API");
        let Some(audit) = self.access.audit.clone() else { return };
        let line = AuditLine {
            time_ms: unix_ms(),
            who: who.clone(),
            from: from.clone(),
            what,
            on: on.to_owned(),
            result: result.to_owned(),
        };
        let written = tokio::task::spawn_blocking(move || audit.write(&line)).await;
        match written {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the audit log could not be written"),
            Err(error) => tracing::error!(%error, "the audit log could not be written"),
        }
    }
}

fn turned_away(denied: Denied) -> Status {
    let reason = match denied {
        Denied::Malformed => Reason::TokenMalformed,
        Denied::Unknown => Reason::TokenUnknown,
        Denied::Expired => Reason::TokenExpired,
        Denied::Revoked => Reason::TokenRevoked,
        Denied::Throttled(wait) => {
            let seconds = wait.as_secs().saturating_add(1).to_string();
            let message = format!("too many failed attempts from this address; wait {seconds} s");
            return refuse(Reason::TooManyFailures, message, [("seconds", seconds)]);
        }
    };
    refuse(reason, denied.to_string(), [])
}

/// The status of an answer; where its head says nothing, the call went well or is a stream.
fn code_of(headers: &HeaderMap) -> Code {
    headers.get("grpc-status").map_or(Code::Ok, |status| Code::from_bytes(status.as_bytes()))
}

fn status_word(code: Code) -> String {
    if code == Code::Ok { "ok".to_owned() } else { format!("{code:?}") }
}

fn unix_seconds() -> u64 {
    unix_ms() / 1000
}

fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
