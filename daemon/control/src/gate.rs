//! The gate in front of every call: it identifies the caller, checks the permission, and writes the
//! audit log for changes.
//!
//! Callers at the Unix socket are admins, since the socket's permissions keep other users out.
//! Callers over the network show a token. On a loopback address, callers without a token have the
//! role that the settings give to this machine's users.

use crate::caller::{self, IdentifiedCaller};
use crate::connection::NetPeer;
use crate::error::{Reason, refuse};
use crate::methods::{self, Method};
use crate::slots::ConnectionSlot;
use axum::body::Body;
use phalanx_access::{
    Audit, AuditLine, Authenticator, Denial, Denials, Denied, Role, TokenStore, TokenStoreError,
    throttle,
};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinError;
use tonic::codegen::http::{HeaderMap, Request, Response};
use tonic::transport::server::UdsConnectInfo;
use tonic::{Code, Status};
use tonic_types::StatusExt;
use tower::{Layer, Service};

/// Tokens that are hashed at once: each takes 19 MiB and tens of milliseconds of a core. Only
/// tokens need this that an earlier version of the daemon made and that were not used since.
const HASHES_MAX: usize = 1;
/// Tokens that wait to be hashed.
const HASHES_WAITING_MAX: usize = 32;
/// Pause before the token of an address with many failures is hashed.
const HASH_PAUSE: Duration = Duration::from_millis(250);
/// How often to check whether a minute of denied calls is over.
const DENIALS_EVERY: Duration = Duration::from_secs(5);
/// Longest name of a changed object in the audit log, in characters.
const SUBJECT_CHARS_MAX: usize = 200;
/// The scheme of the header with a token, in lower case.
const BEARER: &str = "bearer";

/// The access rules.
#[derive(Debug)]
pub struct Access {
    /// The tokens.
    pub authenticator: Arc<Authenticator>,
    /// The role of callers on a loopback address without a token; `None`: they are refused.
    pub loopback: Option<Role>,
    /// The log of changes.
    pub audit: Option<Arc<Audit>>,
    /// Counts denied calls.
    pub denials: Arc<Denials>,
}

impl Access {
    /// Tokens that last as long as the process, and no audit log; callers on a loopback address
    /// have this role without a token.
    #[must_use]
    pub fn on_this_machine(loopback: Role) -> Self {
        let authenticator = Arc::new(Authenticator::new(TokenStore::in_memory()));
        let denials = Arc::default();
        Self { authenticator, loopback: Some(loopback), audit: None, denials }
    }

    /// The tokens of a file; no audit log.
    ///
    /// # Errors
    /// When the tokens cannot be read.
    pub fn open(tokens: &Path, loopback: Option<Role>) -> Result<Self, TokenStoreError> {
        let tokens = TokenStore::open(tokens)?;
        let authenticator = Arc::new(Authenticator::new(tokens));
        Ok(Self { authenticator, loopback, audit: None, denials: Arc::default() })
    }
}

/// The object that a call changes, reported by its handler for the audit log. The first report
/// counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    /// `teams/A`.
    on: Arc<OnceLock<String>>,
    /// The new address of a moved team.
    to: Arc<OnceLock<String>>,
    /// The request is only checked: it changes nothing, so that nothing is logged.
    only_checked: Arc<OnceLock<()>>,
}

impl Subject {
    /// Notes the object that this request changes.
    pub(crate) fn note<T>(request: &tonic::Request<T>, name: &str) {
        if let Some(subject) = request.extensions().get::<Self>() {
            drop(subject.on.set(kept(name)));
        }
    }

    /// Notes that this request changes nothing.
    pub(crate) fn note_only_checked<T>(request: &tonic::Request<T>) {
        if let Some(subject) = request.extensions().get::<Self>() {
            subject.only_checked.get_or_init(|| ());
        }
    }

    /// Notes the new address of a team that this request moves.
    pub(crate) fn note_target<T>(request: &tonic::Request<T>, address: &str) {
        if let Some(subject) = request.extensions().get::<Self>() {
            drop(subject.to.set(kept(address)));
        }
    }
}

fn kept(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(SUBJECT_CHARS_MAX).collect()
}

/// What a request contains about its caller.
pub(crate) struct Asked {
    headers: HeaderMap,
    local: Option<UdsConnectInfo>,
    peer: Option<SocketAddr>,
    slot: Option<Arc<ConnectionSlot>>,
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
    /// For tokens that need hashing.
    usual: Arc<Lane>,
    /// The same for addresses with many failures, so that they do not delay others.
    throttled: Arc<Lane>,
}

/// A queue for tokens that need hashing.
#[derive(Debug)]
struct Lane {
    hashing: Semaphore,
    waiting: Semaphore,
    pause: Duration,
}

impl Lane {
    fn new(pause: Duration) -> Arc<Self> {
        let (hashing, waiting) = (Semaphore::new(HASHES_MAX), Semaphore::new(HASHES_WAITING_MAX));
        Arc::new(Self { hashing, waiting, pause })
    }

    /// Hashes when it is its turn; `None` if too many wait.
    async fn hash<T: Send + 'static>(
        &self,
        check: impl FnOnce() -> T + Send + 'static,
    ) -> Option<Result<T, JoinError>> {
        let _place = self.waiting.try_acquire().ok()?;
        // A caller that has left by its turn does not cost a hash; the semaphore is never closed.
        let _turn = self.hashing.acquire().await.ok()?;
        tokio::time::sleep(self.pause).await;
        Some(tokio::task::spawn_blocking(check).await)
    }
}

impl GateLayer {
    pub(crate) fn new(access: Arc<Access>) -> Self {
        Self { access, usual: Lane::new(Duration::ZERO), throttled: Lane::new(HASH_PAUSE) }
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
        // Call the instance that is ready, and keep its copy.
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        Box::pin(async move {
            let Some(method) = methods::find(request.uri().path()) else {
                // The next layer answers: there is nothing to serve here, or it is not a call.
                return inner.call(request).await;
            };
            let asked = Asked::of(&request);
            let caller = match gate.caller(method, asked).await {
                Ok(caller) => caller,
                Err((status, who)) => {
                    gate.count(method, who, &status);
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
                let result = status_word(code_of(answer.headers()));
                gate.write(method, &(caller.who, caller.from), &subject, &result).await;
            }
            Ok(answer)
        })
    }
}

impl GateLayer {
    /// Checks whether the caller may see this page.
    pub(crate) async fn admit(&self, page: &Method, asked: Asked) -> Result<(), Status> {
        let caller = self.caller(page, asked).await;
        caller.map(drop).map_err(|(status, who)| {
            self.count(page, who, &status);
            status
        })
    }

    /// Counts a denied call. The first of its kind in a minute is also logged.
    fn count(&self, method: &Method, (who, from): (String, String), status: &Status) {
        let what = short(method);
        let reason = status.get_details_error_info().map(|info| info.reason).unwrap_or_default();
        let address =
            from.parse::<SocketAddr>().map(|peer| throttle::network(peer.ip()).to_string());
        let denial = Denial { who, from: address.unwrap_or(from), reason };
        let Denial { who, from, reason } = denial.clone();
        if self.access.denials.count(denial, what, unix_ms()) {
            tracing::warn!(
                who,
                from,
                what,
                reason,
                "calls are denied; further ones of this minute are only counted, in denied.jsonl"
            );
        }
    }

    /// The caller, if the method needs one; or the refusal, with what is proven of the caller.
    async fn caller(
        &self,
        method: &Method,
        asked: Asked,
    ) -> Result<Option<IdentifiedCaller>, (Status, (String, String))> {
        let Some(needed) = method.role else { return Ok(None) };
        let Asked { headers, local, peer, slot } = asked;
        let caller = if let Some(peer) = local {
            let who = caller::user_at(&peer).await;
            IdentifiedCaller {
                identity: who.clone(),
                who,
                role: Role::Admin,
                from: "unix".to_owned(),
            }
        } else {
            let from = peer.map_or_else(|| "unknown".to_owned(), |peer| peer.to_string());
            match self.over_the_network(peer, &headers).await {
                Ok((who, role)) => IdentifiedCaller { identity: who.clone(), who, role, from },
                Err(status) => return Err((status, ("?".to_owned(), from))),
            }
        };
        let who = caller::shown(&headers, &caller.who);
        let caller = IdentifiedCaller { who, ..caller };
        if slot.is_some_and(|slot| !slot.admits(caller.role)) {
            let message = "every connection slot is in use; the last ones are for admins: close \
                           some connections or try again later";
            let refused = refuse(Reason::TooManyConnections, message, []);
            return Err((refused, (caller.who, caller.from)));
        }
        if caller.role.may(needed) {
            return Ok(Some(caller));
        }
        // Without the name that callers give themselves, which could differ for each call.
        let (has, needs) = (caller.role.word(), needed.word());
        let message = format!(
            "{} has the role {has}; this takes {needs}: ask an admin for a token of that role",
            caller.who
        );
        let metadata = [("has", has.to_owned()), ("needs", needs.to_owned())];
        Err((refuse(Reason::RoleTooSmall, message, metadata), (caller.identity, caller.from)))
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
                // Without its port, which differs for each connection.
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
        let text = shown.to_str().ok().and_then(bearer).unwrap_or_default().to_owned();
        let address = address.unwrap_or(IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED));
        self.check(text, address).await
    }

    async fn check(&self, text: String, address: IpAddr) -> Result<(String, Role), Status> {
        let authenticator = Arc::clone(&self.access.authenticator);
        let quick = authenticator.is_quick(&text);
        let throttled = authenticator.throttled(address, Instant::now());
        let check = move || authenticator.check(&text, address, Instant::now(), unix_seconds());
        let checked = if quick {
            check()
        } else {
            let lane = if throttled.is_some() { &self.throttled } else { &self.usual };
            match lane.hash(check).await {
                Some(checked) => checked.map_err(|error| {
                    Status::internal(format!("the token was not checked: {error}"))
                })?,
                None => Err(Denied::Throttled(throttled.unwrap_or(HASH_PAUSE))),
            }
        };
        let info = checked.map_err(turned_away)?;
        Ok((format!("{} (token {})", info.name, info.id), info.role))
    }

    async fn write(
        &self,
        method: &Method,
        (who, from): &(String, String),
        subject: &Subject,
        result: &str,
    ) {
        if !method.changes || subject.only_checked.get().is_some() {
            return;
        }
        let what = short(method).to_owned();
        let noted = |text: &OnceLock<String>| text.get().cloned().unwrap_or_default();
        let (on, to) = (noted(&subject.on), noted(&subject.to));
        tracing::info!(who, from, what, on, to, result, "a change through the control API");
        let Some(audit) = self.access.audit.clone() else { return };
        let line = AuditLine {
            time_ms: unix_ms(),
            who: who.clone(),
            from: from.clone(),
            what,
            on,
            to,
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

/// `Teams/StopTeam`.
fn short(method: &Method) -> &'static str {
    method.path.strip_prefix("phalanx.v1.").unwrap_or(method.path)
}

/// Logs the counts of denied calls until the server closes.
pub(crate) async fn write_denials(access: Arc<Access>, mut closing: watch::Receiver<bool>) {
    let mut ticks = tokio::time::interval(DENIALS_EVERY);
    loop {
        let closes = tokio::select! {
            _ = ticks.tick() => false,
            // An error means that the server is gone, too.
            _ = closing.wait_for(|closing| *closing) => true,
        };
        let denials = Arc::clone(&access.denials);
        let write = move || if closes { denials.finish() } else { denials.write(unix_ms()) };
        match tokio::task::spawn_blocking(write).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "denied calls could not be written down"),
            Err(error) => tracing::error!(%error, "denied calls could not be written down"),
        }
        if closes {
            return;
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

/// The status of an answer; without one in the headers, the call succeeded or is a stream.
fn code_of(headers: &HeaderMap) -> Code {
    headers.get("grpc-status").map_or(Code::Ok, |status| Code::from_bytes(status.as_bytes()))
}

/// The token after `Bearer`, whose case does not matter (RFC 9110, 11.1).
fn bearer(shown: &str) -> Option<&str> {
    let (scheme, text) = shown.split_once(' ')?;
    scheme.eq_ignore_ascii_case(BEARER).then(|| text.trim_start_matches(' '))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tokens_that_have_to_be_hashed_wait_in_a_bounded_queue() {
        let lane = Lane::new(Duration::ZERO);
        let (open, door) = std::sync::mpsc::channel::<()>();
        let door = Arc::new(std::sync::Mutex::new(door));
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..HASHES_WAITING_MAX {
            let (lane, door) = (Arc::clone(&lane), Arc::clone(&door));
            let wait = move || door.lock().is_ok_and(|door| door.recv().is_err());
            waiting.spawn(async move { lane.hash(wait).await.is_some() });
        }
        while lane.waiting.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(lane.hash(|| ()).await.is_none(), "there is no room");
        drop(open);
        assert!(waiting.join_all().await.into_iter().all(|hashed| hashed));
        assert!(lane.hash(|| ()).await.is_some(), "there is room again");
    }
}
