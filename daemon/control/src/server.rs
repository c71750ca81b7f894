//! The server: bound in one step, serving in the next.

use crate::TeamDirectory;
use crate::access::AccessService;
use crate::boards::BoardsService;
use crate::changes::Changes;
use crate::follow::Followers;
use crate::gate::{self, Access, GateLayer};
use crate::host::{DaemonService, Host};
use crate::listener;
use crate::matches::MatchesService;
use crate::recordings::{READERS_MAX, RecordingsService};
use crate::reflection;
use crate::shares::{StreamLimits, StreamSlots};
use crate::side_services::add_side_services;
use crate::slots::{ConnectionLimits, Slots};
use crate::socket::{self, SocketGuard, SocketOptions};
use crate::strategies::StrategiesService;
use crate::tail::Tails;
use crate::teams::TeamsService;
use crate::tls::Certificates;
use crate::visitors::Visitors;
use crate::web::{self, Pages};
use crate::worlds::WorldsService;
use phalanx_metrics::{ApiMetrics, Metrics};
use phalanx_proto::v1::access_server::AccessServer;
use phalanx_proto::v1::boards_server::BoardsServer;
use phalanx_proto::v1::daemon_server::DaemonServer;
use phalanx_proto::v1::matches_server::MatchesServer;
use phalanx_proto::v1::recordings_server::RecordingsServer;
use phalanx_proto::v1::strategies_server::StrategiesServer;
use phalanx_proto::v1::teams_server::TeamsServer;
use phalanx_proto::v1::worlds_server::WorldsServer;
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener as StdTcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener as StdUnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

/// Largest request, in bytes.
const REQUEST_BYTES_MAX: usize = 64 * 1024;
/// Largest request with a strategy's files: the files and the rest of the message.
const UPLOAD_BYTES_MAX: usize = 9 << 20;
/// Largest request to write to a board, in bytes: its largest value fits.
const BOARD_BYTES_MAX: usize = 1 << 20;
/// Most calls at once on one connection.
const CALLS_MAX: u32 = 256;
/// How often an idle connection gets a ping, and how long the answer may take.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(10));
/// Largest head of a request, in bytes.
const HEAD_BYTES_MAX: u32 = 16 * 1024;
/// The name of the whole server in the health service.
const WHOLE_SERVER: &str = "";

/// What to serve, and the limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// The Unix socket, if any.
    pub socket: Option<SocketOptions>,
    /// The TCP address, if any; without TLS it must be a loopback one. Port 0 picks a free port.
    pub tcp: Option<SocketAddr>,
    /// The certificates for TCP, if any.
    pub tls: Option<Arc<Certificates>>,
    /// Events that are kept for each team: they limit how slowly a client may read and how far back
    /// it may resume.
    pub events_max: usize,
    /// Most event streams at once.
    pub streams_max: usize,
    /// Limits on the connections to each listener.
    pub connections: ConnectionLimits,
    /// How long streams may stall.
    pub streams: StreamLimits,
    /// The origins of web pages that may call.
    pub origins: Vec<String>,
    /// Host names that callers may use for the TCP address without TLS, besides `localhost` and IP
    /// addresses: `phalanx.lan`, `phalanx.lan:7420`, `*.lan`.
    pub hosts: Vec<String>,
    /// The metrics to serve, if any.
    pub metrics: Option<Arc<Metrics>>,
    /// Any client may read them; otherwise it takes a viewer.
    pub metrics_open: bool,
    /// Serves the web page over the network.
    pub page: bool,
    /// The process; without it there is no service `Daemon`.
    pub host: Option<Arc<dyn Host>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            socket: None,
            tcp: None,
            tls: None,
            events_max: 8_192,
            streams_max: 256,
            connections: ConnectionLimits::default(),
            streams: StreamLimits::default(),
            origins: Vec::new(),
            hosts: Vec::new(),
            metrics: None,
            metrics_open: false,
            page: true,
            host: None,
        }
    }
}

/// Why the server cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Without TLS only this machine may connect.
    #[error(
        "the control API would listen on {address}, which other machines can reach; without TLS \
         it listens on loopback addresses only, for example 127.0.0.1:7420; \
         control.tls.certificate and control.tls.key make it TLS"
    )]
    NotLoopback {
        /// The requested address.
        address: SocketAddr,
    },
    /// Another process serves there.
    #[error("{holder} serves at {path} already; stop it or choose another socket")]
    InUse {
        /// The socket.
        path: PathBuf,
        /// The process.
        holder: String,
    },
    /// There is a file of another kind.
    #[error("{path} exists and is not a socket; remove it or choose another path")]
    NotASocket {
        /// The path.
        path: PathBuf,
    },
    /// The system refused something about the socket.
    #[error("the socket {path}: could not {what}: {why}")]
    Socket {
        /// The socket.
        path: PathBuf,
        /// The failed operation.
        what: &'static str,
        /// The system's reason.
        why: io::Error,
    },
    /// The system refused the TCP address.
    #[error("the control address {address}: could not listen: {why}")]
    Tcp {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        why: io::Error,
    },
    /// The descriptors in this program cannot be used for reflection.
    #[error("the reflection service: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// A server that is bound but does not serve yet.
pub struct Control {
    unix: Option<(UnixListener, SocketGuard)>,
    tcp: Option<TcpListener>,
    here: Option<mpsc::Receiver<DuplexStream>>,
    socket_path: Option<PathBuf>,
    /// The web page's address, if it is served.
    page: Option<String>,
    tcp_address: Option<SocketAddr>,
    routes: Routes,
    metrics: Option<Arc<Metrics>>,
    connections: ConnectionLimits,
    tls: Option<Arc<Certificates>>,
    directory: Arc<dyn TeamDirectory>,
    access: Arc<Access>,
    shared: ServerShared,
}

/// Shared by serving and stopping.
#[derive(Debug)]
struct ServerShared {
    followers: Arc<Followers>,
    /// The slots of streams.
    shares: [Arc<StreamSlots>; 2],
    health: HealthReporter,
    closing: watch::Sender<bool>,
    leaving: Arc<AtomicBool>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("socket", &self.socket_path)
            .field("tcp", &self.tcp_address)
            .finish_non_exhaustive()
    }
}

/// Listeners that are bound, so that no other process serves there. Clients wait until there is a
/// server.
#[derive(Debug)]
pub struct BoundListeners {
    options: Options,
    tcp: Option<(TcpListener, SocketAddr)>,
    unix: Option<(UnixListener, SocketGuard)>,
}

/// Listeners that another process bound, for example the service manager.
#[derive(Debug, Default)]
pub struct InheritedListeners {
    /// For the Unix socket.
    pub unix: Option<StdUnixListener>,
    /// For the TCP address.
    pub tcp: Option<StdTcpListener>,
}

/// Binds all listeners, before any team connects: a second daemon must not take the seats of the
/// first. Must run inside a tokio runtime.
///
/// # Errors
/// When an address is taken, not allowed or not loopback.
pub fn bind(options: &Options) -> Result<BoundListeners, ControlError> {
    bind_over(options, InheritedListeners::default())
}

/// As [`bind`], but uses listeners that are bound already, whatever their address, instead of those
/// that the options name. Must run inside a tokio runtime.
///
/// # Errors
/// As [`bind`]; the same addresses are allowed.
pub fn bind_over(
    options: &Options,
    inherited: InheritedListeners,
) -> Result<BoundListeners, ControlError> {
    let tls = options.tls.is_some();
    let tcp = match inherited.tcp {
        Some(listener) => Some(adopt_tcp(listener, tls)?),
        None => options.tcp.map(|address| bind_tcp(address, tls)).transpose()?,
    };
    let unix = match inherited.unix {
        Some(listener) => Some(adopt_unix(listener)?),
        None => options.socket.as_ref().map(bind_unix).transpose()?,
    };
    Ok(BoundListeners { options: options.clone(), tcp, unix })
}

impl BoundListeners {
    /// Copies of the listeners' descriptors, Unix socket first, for a process that keeps them open
    /// while no daemon runs. The socket's file stays from now on.
    ///
    /// # Errors
    /// When the process has no descriptors left.
    pub fn share(&mut self) -> io::Result<(Option<OwnedFd>, Option<OwnedFd>)> {
        let tcp = self.tcp.as_ref().map(|(listener, _)| listener.as_fd().try_clone_to_owned());
        let tcp = tcp.transpose()?;
        let Some((listener, guard)) = &mut self.unix else { return Ok((None, tcp)) };
        let unix = listener.as_fd().try_clone_to_owned()?;
        guard.leave();
        Ok((Some(unix), tcp))
    }
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
/// When the descriptors in this program cannot be used for reflection.
pub fn prepare(
    bound: BoundListeners,
    directory: Arc<dyn TeamDirectory>,
    access: Arc<Access>,
) -> Result<Control, ControlError> {
    let BoundListeners { options, tcp, unix } = bound;
    let (has_tls, tcp_at) = (options.tls.is_some(), tcp.as_ref().map(|(_, address)| *address));
    let health = HealthReporter::new();
    let followers = Arc::new(Followers::new(health.clone(), options.events_max));
    let closing = watch::Sender::new(false);
    let [streams, readers] = shares(&options);
    let changes = Changes::new(closing.subscribe());
    let teams = TeamsService {
        directory: Arc::clone(&directory),
        changes: changes.clone(),
        followers: Arc::clone(&followers),
    };
    let tails = Tails { streams: Arc::clone(&streams), closing: closing.subscribe() };
    let matches = MatchesService {
        directory: Arc::clone(&directory),
        followers: Arc::clone(&followers),
        tails: tails.clone(),
    };
    let worlds =
        WorldsService::new(Arc::clone(&directory), Arc::clone(&streams), closing.subscribe());
    let boards = BoardsService::new(
        Arc::clone(&directory),
        Arc::clone(&streams),
        changes.clone(),
        options.events_max,
        closing.subscribe(),
    );
    let strategies =
        StrategiesService { directory: Arc::clone(&directory), changes: changes.clone() };
    let strategies = StrategiesServer::new(strategies).max_decoding_message_size(UPLOAD_BYTES_MAX);
    let routes = Routes::new(TeamsServer::new(teams).max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(MatchesServer::new(matches).max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(strategies)
        .add_service(BoardsServer::new(boards).max_decoding_message_size(BOARD_BYTES_MAX))
        .add_service(WorldsServer::new(worlds).max_decoding_message_size(REQUEST_BYTES_MAX));
    let routes = around(routes, &access, &changes, &health)?;
    let recordings = RecordingsService::new(directory.clone(), changes.clone(), readers.clone());
    let routes = add_side_services(routes, &directory, &tails, &changes, options.events_max)
        .add_service(RecordingsServer::new(recordings));
    let routes = match options.host.clone() {
        Some(host) => {
            let socket = options.socket.as_ref().map(|socket| &*socket.path);
            let listeners = listener::names(socket, has_tls, tcp_at);
            let daemon = DaemonServer::new(DaemonService { host, listeners });
            routes.add_service(daemon.max_decoding_message_size(REQUEST_BYTES_MAX))
        }
        None => routes,
    };
    let leaving = Arc::new(AtomicBool::new(false));
    let pages = pages(&options, &access, &leaving);
    let routes = web::serve(routes, pages, Visitors::new(&options.origins, &options.hosts));
    Ok(Control {
        tcp_address: tcp_at,
        page: tcp_at.and_then(|address| listener::page(options.page, has_tls, address)),
        tcp: tcp.map(|(listener, _)| listener),
        here: None,
        socket_path: unix.as_ref().map(|(_, guard)| guard.path().to_owned()),
        unix,
        routes,
        metrics: options.metrics,
        connections: options.connections,
        tls: options.tls,
        directory,
        access,
        shared: ServerShared { followers, shares: [streams, readers], health, closing, leaving },
    })
}

fn pages(options: &Options, access: &Arc<Access>, leaving: &Arc<AtomicBool>) -> Pages {
    Pages {
        gate: GateLayer::new(Arc::clone(access)),
        metrics: options.metrics.clone(),
        metrics_open: options.metrics_open,
        page: options.page,
        body_max: options.connections.body,
        leaving: Arc::clone(leaving),
    }
}

/// The slots of event streams, and those of recordings that are read.
fn shares(options: &Options) -> [Arc<StreamSlots>; 2] {
    [("events", options.streams_max), ("recordings", READERS_MAX)].map(|(kind, max)| {
        StreamSlots::new(kind, max, options.streams, options.metrics.clone().map(ApiMetrics::new))
    })
}

/// Adds what every such server has: access control, health, reflection.
fn around(
    routes: Routes,
    access: &Access,
    changes: &Changes,
    health: &HealthReporter,
) -> Result<Routes, ControlError> {
    let tokens = AccessService {
        authenticator: Arc::clone(&access.authenticator),
        changes: changes.clone(),
    };
    let tokens = AccessServer::new(tokens).max_decoding_message_size(REQUEST_BYTES_MAX);
    let checks = tonic_health::server::HealthService::from_health_reporter(health.clone());
    let routes = routes
        .add_service(tokens)
        .add_service(tonic_health::pb::health_server::HealthServer::new(checks));
    Ok(reflection::reflected(routes)?)
}

fn bind_tcp(address: SocketAddr, tls: bool) -> Result<(TcpListener, SocketAddr), ControlError> {
    allow(address, tls)?;
    let listener = StdTcpListener::bind(address);
    adopt_tcp(listener.map_err(|why| ControlError::Tcp { address, why })?, tls)
}

fn adopt_tcp(
    listener: StdTcpListener,
    tls: bool,
) -> Result<(TcpListener, SocketAddr), ControlError> {
    let anywhere = SocketAddr::from(([0, 0, 0, 0], 0));
    let address = listener.local_addr();
    let address = address.map_err(|why| ControlError::Tcp { address: anywhere, why })?;
    allow(address, tls)?;
    let failed = |why| ControlError::Tcp { address, why };
    listener.set_nonblocking(true).map_err(failed)?;
    Ok((TcpListener::from_std(listener).map_err(failed)?, address))
}

fn allow(address: SocketAddr, tls: bool) -> Result<(), ControlError> {
    if tls || address.ip().is_loopback() {
        Ok(())
    } else {
        Err(ControlError::NotLoopback { address })
    }
}

/// Serves on a Unix socket that another process bound and whose file, if it has one, stays. Must
/// run inside a tokio runtime.
///
/// # Errors
/// When the system refuses.
pub fn adopt_unix(listener: StdUnixListener) -> Result<(UnixListener, SocketGuard), ControlError> {
    let path = socket::place_of(&listener).unwrap_or_default();
    let guard = SocketGuard::of_another(path.clone());
    let failed = |why| ControlError::Socket { path: path.clone(), what: "listen", why };
    listener.set_nonblocking(true).map_err(failed)?;
    Ok((UnixListener::from_std(listener).map_err(failed)?, guard))
}

/// Binds a Unix socket with its permissions. Dropping the guard removes its file. Must run inside a
/// tokio runtime.
///
/// # Errors
/// When another process serves there, or the system refuses.
pub fn bind_unix(options: &SocketOptions) -> Result<(UnixListener, SocketGuard), ControlError> {
    let bound = socket::bind(options)?;
    let listener = UnixListener::from_std(bound.listener).map_err(|why| ControlError::Socket {
        path: options.path.clone(),
        what: "listen",
        why,
    })?;
    Ok((listener, bound.guard))
}

impl Control {
    /// The path of the Unix socket.
    #[must_use]
    pub fn socket(&self) -> Option<&Path> {
        self.socket_path.as_deref()
    }

    /// The TCP address with the actual port.
    #[must_use]
    pub fn tcp(&self) -> Option<SocketAddr> {
        self.tcp_address
    }

    /// The web page's address; `None`: it is not served.
    #[must_use]
    pub fn page(&self) -> Option<&str> {
        self.page.as_deref()
    }

    /// Also serves callers within this process: each stream is a connection. [`client::over`] is its
    /// other end.
    ///
    /// [`client::over`]: crate::client::over
    #[must_use]
    pub fn over(self, callers: mpsc::Receiver<DuplexStream>) -> Self {
        Self { here: Some(callers), ..self }
    }

    /// Serves until [`ControlHandle::stop`], or until the handle is dropped.
    #[must_use]
    pub fn spawn(self) -> ControlHandle {
        let Self {
            unix,
            tcp,
            here,
            routes,
            metrics,
            connections,
            tls,
            directory,
            access,
            shared,
            ..
        } = self;
        let metrics = metrics.map(ApiMetrics::new);
        let slots = |listener| Slots::new(listener, connections.clone(), metrics.clone());
        shared.followers.follow_all(directory.as_ref());
        let health = shared.health.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(gate::write_denials(access, shared.closing.subscribe()));
        tasks.spawn(async move {
            for name in phalanx_proto::v1::NAMES {
                health.set_service_status(name, ServingStatus::Serving).await;
            }
        });
        for shares in &shared.shares {
            tasks.spawn(Arc::clone(shares).sweep(shared.closing.subscribe()));
        }
        let closed = |mut closing: watch::Receiver<bool>| async move {
            // An error means that the handle is gone, too.
            drop(closing.wait_for(|closing| *closing).await);
        };
        let mut serve = |clients, guard: Option<SocketGuard>| {
            let (router, end) = (server().add_routes(routes.clone()), shared.closing.subscribe());
            tasks.spawn(async move {
                report(router.serve_with_incoming_shutdown(clients, closed(end)).await);
                drop(guard);
            });
        };
        if let Some((listener, guard)) = unix {
            serve(listener::accept_unix(listener, slots(listener::UNIX)), Some(guard));
        }
        if let Some(listener) = tcp {
            serve(listener::accept(listener, tls, slots(listener::TCP)), None);
        }
        if let Some(callers) = here {
            serve(listener::accept_here(callers, slots(listener::HERE)), None);
        }
        ControlHandle { tasks, shared }
    }
}

fn server() -> Server {
    // Over HTTP/1 the library allows thirty seconds for a head; for the first one the limit is in
    // `ConnectionLimits`.
    Server::builder()
        .accept_http1(true)
        .http2_max_header_list_size(HEAD_BYTES_MAX)
        .max_concurrent_streams(CALLS_MAX)
        .http2_keepalive_interval(Some(KEEPALIVE.0))
        .http2_keepalive_timeout(Some(KEEPALIVE.1))
}

fn report(end: Result<(), tonic::transport::Error>) {
    if let Err(error) = end {
        tracing::error!(%error, "the control API stopped");
    }
}

/// A running server.
#[derive(Debug)]
pub struct ControlHandle {
    tasks: JoinSet<()>,
    shared: ServerShared,
}

impl ControlHandle {
    /// Follows teams that came into the directory by another way than a call.
    pub fn follow(&self, directory: &dyn TeamDirectory) {
        self.shared.followers.follow_all(directory);
    }

    /// Health reports "not serving" from now on, but calls are still answered, because the daemon
    /// drains.
    pub async fn not_serving(&self) {
        self.shared.leaving.store(true, Ordering::Relaxed);
        let names = phalanx_proto::v1::NAMES.iter().chain(std::iter::once(&WHOLE_SERVER));
        for name in names {
            self.shared.health.set_service_status(name, ServingStatus::NotServing).await;
        }
    }

    /// Ends streams once they have delivered all events, lets calls finish, closes all connections;
    /// cuts what is still open after `grace`. True if nothing had to be cut.
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
