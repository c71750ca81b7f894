//! The server: bound in one step, serving in the next.

use crate::TeamDirectory;
use crate::access::AccessService;
use crate::follow::Followers;
use crate::gate::{Access, GateLayer};
use crate::listener;
use crate::matches::MatchesService;
use crate::socket::{self, SocketGuard};
use crate::strategies::StrategiesService;
use crate::teams::TeamsService;
use crate::tls::Certificates;
use phalanx_proto::v1::access_server::AccessServer;
use phalanx_proto::v1::matches_server::MatchesServer;
use phalanx_proto::v1::strategies_server::StrategiesServer;
use phalanx_proto::v1::teams_server::TeamsServer;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower::layer::util::{Identity, Stack};

/// Largest request, in bytes.
const REQUEST_BYTES_MAX: usize = 64 * 1024;
/// Largest request with a strategy's files: the files and what stands around them.
const UPLOAD_BYTES_MAX: usize = 9 << 20;
/// Most calls at once on one connection.
const CALLS_MAX: u32 = 256;
/// How often a quiet connection is asked whether it lives, and how long it may take to answer.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(10));
/// The name of health for the whole server.
const WHOLE_SERVER: &str = "";

/// Where and how much to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The Unix socket, if any.
    pub socket: Option<SocketOptions>,
    /// The TCP address, if any; without TLS it must be a loopback one. Port 0 takes a free one.
    pub tcp: Option<SocketAddr>,
    /// The certificates for TCP, if any.
    pub tls: Option<Arc<Certificates>>,
    /// Events that are kept for each team: the slowest a client may read, the furthest it may
    /// resume.
    pub events_max: usize,
    /// Most event streams at once.
    pub streams_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { socket: None, tcp: None, tls: None, events_max: 8_192, streams_max: 256 }
    }
}

/// The Unix socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketOptions {
    /// Its path; missing folders are made for the owner alone.
    pub path: PathBuf,
    /// Its permission bits.
    pub mode: u32,
    /// The name of the group that owns it; `None`: the process' own.
    pub group: Option<String>,
}

/// Why the server cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Without TLS nobody but this machine may connect.
    #[error(
        "the control API would listen on {address}, which other machines can reach; without TLS \
         it listens on loopback addresses only, for example 127.0.0.1:7420; \
         control.tls.certificate and control.tls.key make it TLS"
    )]
    NotLoopback {
        /// The address that was asked for.
        address: SocketAddr,
    },
    /// Somebody serves there already.
    #[error("{holder} serves at {path} already; stop it or choose another socket")]
    InUse {
        /// The socket.
        path: PathBuf,
        /// Who.
        holder: String,
    },
    /// There is a file of another kind.
    #[error("{path} exists and is not a socket; remove it or choose another path")]
    NotASocket {
        /// The path.
        path: PathBuf,
    },
    /// The system refused something about the socket.
    #[error("the socket {path}: could not {what}: {source}")]
    Socket {
        /// The socket.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The system refused the TCP address.
    #[error("the control address {address}: could not listen: {source}")]
    Tcp {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// The descriptors in this program cannot be served.
    #[error("the reflection service: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// A server that is bound but does not serve yet.
pub struct Control {
    unix: Option<(UnixListener, SocketGuard)>,
    tcp: Option<TcpListener>,
    socket_path: Option<PathBuf>,
    tcp_address: Option<SocketAddr>,
    routes: Routes,
    gate: GateLayer,
    tls: Option<Arc<Certificates>>,
    directory: Arc<dyn TeamDirectory>,
    shared: Shared,
}

/// What serving and stopping share.
#[derive(Debug)]
struct Shared {
    followers: Arc<Followers>,
    health: HealthReporter,
    closing: watch::Sender<bool>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("socket", &self.socket_path)
            .field("tcp", &self.tcp_address)
            .finish_non_exhaustive()
    }
}

/// Listeners that are bound: nobody else serves there. Clients wait until there is a server.
#[derive(Debug)]
pub struct Bound {
    options: Options,
    tcp: Option<(TcpListener, SocketAddr)>,
    unix: Option<(UnixListener, SocketGuard)>,
}

/// Binds all listeners, before any team connects: a second daemon must not take the seats of the
/// first. Must run inside a tokio runtime.
///
/// # Errors
/// When an address is taken, not allowed or not loopback.
pub fn bind(options: &Options) -> Result<Bound, ControlError> {
    let tcp = options.tcp.map(|address| bind_tcp(address, options.tls.is_some())).transpose()?;
    let unix = options.socket.as_ref().map(bind_unix).transpose()?;
    Ok(Bound { options: options.clone(), tcp, unix })
}

/// Binds all listeners and prepares the server. Must run inside a tokio runtime.
///
/// # Errors
/// As [`bind`].
pub fn build(
    options: &Options,
    directory: Arc<dyn TeamDirectory>,
    access: Arc<Access>,
) -> Result<Control, ControlError> {
    prepare(bind(options)?, directory, access)
}

/// Prepares the server over listeners that are bound.
///
/// # Errors
/// When the descriptors in this program cannot be served.
pub fn prepare(
    bound: Bound,
    directory: Arc<dyn TeamDirectory>,
    access: Arc<Access>,
) -> Result<Control, ControlError> {
    let Bound { options, tcp, unix } = bound;
    let health = HealthReporter::new();
    let followers = Arc::new(Followers::new(health.clone(), options.events_max));
    let closing = watch::Sender::new(false);
    let teams = TeamsService { directory: Arc::clone(&directory) };
    let matches = MatchesService {
        directory: Arc::clone(&directory),
        followers: Arc::clone(&followers),
        streams: Arc::new(Semaphore::new(options.streams_max.min(Semaphore::MAX_PERMITS))),
        closing: closing.subscribe(),
    };
    let strategies =
        StrategiesService { directory: Arc::clone(&directory), closing: closing.subscribe() };
    let strategies = StrategiesServer::new(strategies).max_decoding_message_size(UPLOAD_BYTES_MAX);
    let checks = tonic_health::server::HealthService::from_health_reporter(health.clone());
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(phalanx_proto::DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()?;
    let tokens = AccessService { authenticator: Arc::clone(&access.authenticator) };
    let tokens = AccessServer::new(tokens).max_decoding_message_size(REQUEST_BYTES_MAX);
    let routes = Routes::new(TeamsServer::new(teams).max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(MatchesServer::new(matches).max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(strategies)
        .add_service(tokens)
        .add_service(tonic_health::pb::health_server::HealthServer::new(checks))
        .add_service(reflection);
    Ok(Control {
        tcp_address: tcp.as_ref().map(|(_, address)| *address),
        tcp: tcp.map(|(listener, _)| listener),
        socket_path: options.socket.as_ref().map(|socket| socket.path.clone()),
        unix,
        routes,
        gate: GateLayer::new(access),
        tls: options.tls,
        directory,
        shared: Shared { followers, health, closing },
    })
}

fn bind_tcp(address: SocketAddr, tls: bool) -> Result<(TcpListener, SocketAddr), ControlError> {
    if !tls && !address.ip().is_loopback() {
        return Err(ControlError::NotLoopback { address });
    }
    let failed = |source| ControlError::Tcp { address, source };
    let listener = std::net::TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((TcpListener::from_std(listener).map_err(failed)?, bound))
}

/// Binds a Unix socket with its rights, for whoever serves on it. Its file goes with the guard.
/// Must run inside a tokio runtime.
///
/// # Errors
/// When somebody serves there, or the system refuses.
pub fn bind_unix(options: &SocketOptions) -> Result<(UnixListener, SocketGuard), ControlError> {
    let bound = socket::bind(options)?;
    let listener = UnixListener::from_std(bound.listener).map_err(|source| {
        ControlError::Socket { path: options.path.clone(), what: "listen", source }
    })?;
    Ok((listener, bound.guard))
}

impl Control {
    /// The path of the Unix socket.
    #[must_use]
    pub fn socket(&self) -> Option<&Path> {
        self.socket_path.as_deref()
    }

    /// The TCP address, with the port that was taken.
    #[must_use]
    pub fn tcp(&self) -> Option<SocketAddr> {
        self.tcp_address
    }

    /// Serves until [`ControlHandle::stop`], or until the handle is dropped.
    #[must_use]
    pub fn spawn(self) -> ControlHandle {
        let Self { unix, tcp, routes, gate, tls, directory, shared, .. } = self;
        shared.followers.follow_all(directory.as_ref());
        let health = shared.health.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            for name in phalanx_proto::v1::NAMES {
                health.set_service_status(name, ServingStatus::Serving).await;
            }
        });
        let closed = |mut closing: watch::Receiver<bool>| async move {
            // An error means that the handle is gone: the same.
            drop(closing.wait_for(|closing| *closing).await);
        };
        if let Some((listener, guard)) = unix {
            let (router, end) =
                (server(gate.clone()).add_routes(routes.clone()), shared.closing.subscribe());
            tasks.spawn(async move {
                let clients = UnixListenerStream::new(listener);
                report(router.serve_with_incoming_shutdown(clients, closed(end)).await);
                drop(guard);
            });
        }
        if let Some(listener) = tcp {
            let (router, end) = (server(gate).add_routes(routes), shared.closing.subscribe());
            tasks.spawn(async move {
                let clients = listener::accept(listener, tls);
                report(router.serve_with_incoming_shutdown(clients, closed(end)).await);
            });
        }
        ControlHandle { tasks, shared }
    }
}

fn server(gate: GateLayer) -> Server<Stack<GateLayer, Identity>> {
    Server::builder()
        .layer(gate)
        .max_concurrent_streams(CALLS_MAX)
        .http2_keepalive_interval(Some(KEEPALIVE.0))
        .http2_keepalive_timeout(Some(KEEPALIVE.1))
}

fn report(end: Result<(), tonic::transport::Error>) {
    if let Err(error) = end {
        tracing::error!(%error, "the control API stopped");
    }
}

/// A server that serves.
#[derive(Debug)]
pub struct ControlHandle {
    tasks: JoinSet<()>,
    shared: Shared,
}

impl ControlHandle {
    /// Health says "not serving" from now on, calls are still answered: the daemon drains.
    pub async fn not_serving(&self) {
        let names = phalanx_proto::v1::NAMES.iter().chain(std::iter::once(&WHOLE_SERVER));
        for name in names {
            self.shared.health.set_service_status(name, ServingStatus::NotServing).await;
        }
    }

    /// Ends streams once they have told all that happened, lets calls finish, closes all
    /// connections; what is still open after `grace` is cut. True when nothing had to be cut.
    pub async fn stop(mut self, grace: Duration) -> bool {
        self.not_serving().await;
        let all = async {
            self.shared.followers.finish().await;
            self.shared.closing.send_replace(true);
            while self.tasks.join_next().await.is_some() {}
        };
        let clean = tokio::time::timeout(grace, all).await.is_ok();
        self.shared.closing.send_replace(true);
        self.shared.followers.stop();
        self.tasks.shutdown().await;
        clean
    }
}
