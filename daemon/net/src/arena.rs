//! The host of one of our referees: accepts clients, carries bytes, keeps the arena's timer, writes
//! its files. The arena stays a state machine in one task. Each client has a reader and a writer
//! with a bounded queue, and a client that does not read is dropped. If the arena names the players
//! that it wants, the host starts them as processes.

mod client;
mod feed;
mod files;
mod player_processes;
mod report;
mod stderr;
mod truth;

pub use feed::{HostEvent, HostEventSender, HostFeed, Leave, host_feed};
pub use player_processes::{Player, PlayerProcesses, Stderr};
pub use report::{ArenaEnd, ArenaReport};
pub use truth::ArenaTruth;

use crate::clock::{now, until};
use crate::seat::panic_text;
use crate::{Link, Listener};
use client::{ArenaClient, Coming, host_of};
use files::Files;
use futures_util::FutureExt;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Arena, ConnectionId, Framing, Outgoing, Verdict};
use player_processes::{ProcessReaper, StartedProcess};
use report::HostTally;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use truth::{TruthClient, TruthRequest, TruthServer};

/// Pieces from clients that wait for the arena; each client holds one more.
const COMING_MAX: usize = 256;
/// The pause after the system refused to accept, because it is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Longest time from a connection to the referee's first message to it. A referee that starts its
/// players itself sends its first message when it needs them, so it has no such limit.
const LOGIN_MAX: Duration = Duration::from_secs(60);
/// Connections without a login get at most one part in this many of all places, for each address.
const SILENT_SHARE: usize = 2;

/// Limits of an arena's host.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// Clients at once. A further client takes the place of the oldest one that has not logged in.
    /// If all have, it is refused.
    pub connections_max: usize,
    /// Longest time from a connection to the referee's first message to it, if clients log in by
    /// themselves; then the connection is closed.
    pub login_max: Duration,
    /// Bytes that may wait for one client; one that reads less is dropped.
    pub client_bytes_max: usize,
    /// The players, if the arena names the players that it wants; clients are let in only for a
    /// wanted player without a program. `None`: any client is let in.
    pub player_processes: Option<PlayerProcesses>,
    /// Where the arena's files go; `None`: nowhere.
    pub artifacts: Option<PathBuf>,
    /// Draw the game after each step, with or without colours; `None`: no drawing.
    pub draw: Option<bool>,
    /// How long clients have to read the last bytes before they are cut off.
    pub linger: Duration,
    /// Receives the events in order; `None`: events are not reported.
    pub events: Option<HostEventSender>,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self {
            connections_max: 512,
            login_max: LOGIN_MAX,
            client_bytes_max: 8 << 20,
            player_processes: None,
            artifacts: None,
            draw: None,
            linger: Duration::from_secs(2),
            events: None,
        }
    }
}

/// A running arena. Clones share it; when the last one is dropped the arena stops.
#[derive(Clone, Debug)]
pub struct ArenaHandle {
    address: Option<SocketAddr>,
    verdict: watch::Receiver<Verdict>,
    picture: watch::Receiver<String>,
    truth_client: TruthClient,
    clients: watch::Receiver<usize>,
    report: watch::Receiver<Option<ArenaReport>>,
    _stop_when_dropped: Arc<tokio_util::sync::DropGuard>,
    stopped: CancellationToken,
    start: Arc<Notify>,
}

impl ArenaHandle {
    /// Its TCP address, if it has one.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// The state of the match.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict.borrow().clone()
    }

    /// Follows the state of the match.
    #[must_use]
    pub fn verdicts(&self) -> watch::Receiver<Verdict> {
        self.verdict.clone()
    }

    /// The game as text for people, after the last step; empty if it is not drawn.
    #[must_use]
    pub fn picture(&self) -> String {
        self.picture.borrow().clone()
    }

    /// The arena's world as it is, or as it was at the end; `None`: the arena failed.
    pub async fn truth(&self) -> Option<Arc<ArenaTruth>> {
        self.truth_client.ask().await
    }

    /// Clients that are connected.
    #[must_use]
    pub fn clients(&self) -> usize {
        *self.clients.borrow()
    }

    /// Why it ended; `None` while it runs.
    #[must_use]
    pub fn report(&self) -> Option<ArenaReport> {
        self.report.borrow().clone()
    }

    /// Starts the match, if the arena waits for a command to start.
    pub fn start(&self) {
        self.start.notify_one();
    }

    /// Stops the arena now: flushes the queues and disconnects all clients.
    pub fn stop(&self) {
        self.stopped.cancel();
    }

    /// Waits until it has ended and everything is flushed.
    pub async fn ended(&self) -> ArenaReport {
        let mut report = self.report.clone();
        let seen = report.wait_for(Option::is_some).await.ok().and_then(|report| report.clone());
        seen.unwrap_or_else(|| {
            let reason = "the host's task was cancelled".into();
            HostTally::default().report(ArenaEnd::Panicked { reason }, self.verdict())
        })
    }
}

/// Runs an arena on the current tokio runtime until its verdict is final, or it is stopped.
#[must_use]
pub fn serve_arena(arena: Box<dyn Arena>, listener: Listener, options: HostOptions) -> ArenaHandle {
    let address = listener.address();
    let stopped = CancellationToken::new();
    let start = Arc::new(Notify::new());
    let (verdict, verdicts) = watch::channel(arena.verdict());
    let (picture, pictures) = watch::channel(String::new());
    let (truth_client, truth_server) = truth::truth_channel();
    let (population, clients) = watch::channel(0);
    let (sender, report) = watch::channel(None);
    let (coming_in, coming) = mpsc::channel(COMING_MAX);
    let host = ArenaHost {
        files: Files::open(options.artifacts.clone()),
        arena,
        framing: listener.framing(),
        listener: Some(listener),
        accept_after: None,
        options,
        starting: None,
        tasks: JoinSet::new(),
        clients: SortedMap::new(),
        next: 0,
        coming_in,
        coming,
        verdict,
        picture,
        truth_server,
        population,
        stopped: stopped.clone(),
        start: Arc::clone(&start),
        tally: HostTally::default(),
    };
    tokio::spawn(async move {
        let report = host.run().await;
        sender.send_replace(Some(report));
    });
    let stop = Arc::new(stopped.clone().drop_guard());
    ArenaHandle {
        address,
        verdict: verdicts,
        picture: pictures,
        truth_client,
        clients,
        report,
        _stop_when_dropped: stop,
        stopped,
        start,
    }
}

struct ArenaHost {
    arena: Box<dyn Arena>,
    framing: Framing,
    listener: Option<Listener>,
    accept_after: Option<Instant>,
    options: HostOptions,
    /// The player that is starting.
    starting: Option<(usize, Starting)>,
    /// Background work: closing connections, and processes that end.
    tasks: JoinSet<()>,
    clients: SortedMap<ConnectionId, ArenaClient>,
    next: u64,
    coming_in: mpsc::Sender<(ConnectionId, Coming)>,
    coming: mpsc::Receiver<(ConnectionId, Coming)>,
    files: Files,
    verdict: watch::Sender<Verdict>,
    picture: watch::Sender<String>,
    truth_server: TruthServer,
    population: watch::Sender<usize>,
    stopped: CancellationToken,
    start: Arc<Notify>,
    tally: HostTally,
}

type Starting = JoinHandle<std::io::Result<StartedProcess>>;

/// Everything that makes the host act.
enum HostWake {
    Started(usize, std::io::Result<StartedProcess>),
    Timer,
    Stop,
    Start,
    Coming(ConnectionId, Coming),
    Joined(std::io::Result<Option<Link>>),
    AcceptAgain,
    LoginLate,
    TruthRequest(TruthRequest),
}

impl ArenaHost {
    async fn run(mut self) -> ArenaReport {
        let end = match AssertUnwindSafe(self.play_out()).catch_unwind().await {
            Ok(end) => end,
            Err(panic) => {
                let reason = panic_text(&*panic).to_owned();
                tracing::error!(reason, "the arena panicked");
                ArenaEnd::Panicked { reason }
            }
        };
        self.listener = None;
        let writers = std::mem::take(&mut self.clients).into_values().map(ArenaClient::finish);
        let all = futures_util::future::join_all(writers.collect::<Vec<_>>());
        // Further input is ignored, but must not block the readers.
        self.coming.close();
        all.await;
        while self.tasks.join_next().await.is_some() {}
        (self.tally.written, self.tally.failed) = self.files.close().await;
        self.population.send_replace(0);
        let verdict = self.verdict.borrow().clone();
        let panicked = matches!(end, ArenaEnd::Panicked { .. });
        if panicked {
            return self.tally.report(end, verdict);
        }
        let (summary, tallies) = (self.arena.summary(), self.arena.tallies());
        ArenaReport { summary, tallies, ..self.tally.report(end, verdict) }
    }

    async fn play_out(&mut self) -> ArenaEnd {
        let end = self.play().await;
        self.truth_server.keep(&*self.arena);
        end
    }

    async fn play(&mut self) -> ArenaEnd {
        loop {
            match self.wake().await {
                HostWake::Timer => self.arena.handle_timeout(now()),
                HostWake::Stop => return ArenaEnd::Stopped,
                HostWake::Start => self.arena.handle_start(now()),
                HostWake::Coming(connection, coming) => self.take(connection, coming),
                HostWake::Joined(Ok(Some(link))) => self.join(link),
                HostWake::Joined(Ok(None)) => self.listener = None,
                HostWake::Joined(Err(error)) => {
                    tracing::warn!(%error, "accepting failed");
                    self.accept_after = Some(now() + ACCEPT_PAUSE);
                }
                HostWake::AcceptAgain => self.accept_after = None,
                HostWake::LoginLate => self.close_silent(),
                HostWake::TruthRequest(request) => self.truth_server.show(request, &*self.arena),
                HostWake::Started(player, started) => self.started(player, started),
            }
            self.flush();
            while self.tasks.try_join_next().is_some() {}
            for _ in 0..COMING_MAX {
                let Ok((connection, coming)) = self.coming.try_recv() else { break };
                self.take(connection, coming);
                self.flush();
            }
            if self.publish() {
                return ArenaEnd::Over;
            }
        }
    }

    async fn wake(&mut self) -> HostWake {
        if self.arena.poll_timeout().is_some_and(|due| due <= now()) {
            return HostWake::Timer;
        }
        self.start_wanted();
        let accepting = self.accept_after.is_none() && self.lets_in();
        let login_due = self.login_due();
        // Fair, so that neither a flood of bytes nor one of connections starves the other.
        tokio::select! {
            () = until(self.arena.poll_timeout()) => HostWake::Timer,
            () = self.stopped.cancelled() => HostWake::Stop,
            () = self.start.notified() => HostWake::Start,
            Some((connection, coming)) = self.coming.recv() => HostWake::Coming(connection, coming),
            joined = accept(self.listener.as_mut()), if accepting => HostWake::Joined(joined),
            () = until(self.accept_after) => HostWake::AcceptAgain,
            () = until(login_due) => HostWake::LoginLate,
            Some(request) = self.truth_server.requests.recv() => HostWake::TruthRequest(request),
            (player, started) = start_done(self.starting.as_mut()) => HostWake::Started(player, started),
        }
    }

    /// Whether clients are let in now: if players are named, only when a client without a program
    /// is wanted.
    fn lets_in(&self) -> bool {
        let Some(player_processes) = &self.options.player_processes else { return true };
        self.arena
            .wanted()
            .first()
            .is_some_and(|player| player_processes.program(*player).is_none())
    }

    /// Begins to start the next wanted player, if it has a program.
    fn start_wanted(&mut self) {
        let (None, Some(player_processes)) = (&self.starting, &self.options.player_processes)
        else {
            return;
        };
        let Some(player) = self.arena.wanted().first().copied() else { return };
        let Some((name, program)) = player_processes.program(player) else { return };
        let (name, program, stderr) = (name.to_owned(), program.clone(), player_processes.stderr);
        let starting =
            tokio::task::spawn_blocking(move || player_processes::start(&name, &program, stderr));
        self.starting = Some((player, starting));
    }

    fn started(&mut self, player: usize, started: std::io::Result<StartedProcess>) {
        self.starting = None;
        match started {
            Ok(StartedProcess { link, keeper }) => {
                self.tasks.spawn(ProcessReaper::keep(keeper));
                self.join(link);
            }
            Err(error) => {
                let program = self
                    .options
                    .player_processes
                    .as_ref()
                    .and_then(|player_processes| player_processes.program(player));
                if let Some((player, program)) = program {
                    let program = program.display();
                    tracing::error!(player, %program, %error, "could not start the player");
                }
                // Handled like a process that ends at once.
                let connection = self.number();
                self.arena.handle_join(connection, now());
                self.arena.handle_leave(connection, now());
            }
        }
    }

    /// The next connection's number.
    fn number(&mut self) -> ConnectionId {
        let connection = ConnectionId(self.next);
        self.next += 1;
        connection
    }

    /// When the oldest connection without a login is closed.
    fn login_due(&self) -> Option<Instant> {
        let mut silent = self.clients.values().filter(|client| !client.greeted);
        let oldest = silent.next().filter(|_| self.options.player_processes.is_none())?;
        oldest.since.checked_add(self.options.login_max)
    }

    /// Closes connections whose login was late or incomplete.
    fn close_silent(&mut self) {
        while self.login_due().is_some_and(|due| due <= now()) {
            let silent = self.clients.iter().find(|(_, client)| !client.greeted);
            let Some(connection) = silent.map(|(connection, _)| *connection) else { return };
            tracing::debug!(connection = connection.0, "client did not log in; dropped");
            self.leave(connection, Leave::Closed);
        }
    }

    fn join(&mut self, link: Link) {
        let share = (self.options.connections_max / SILENT_SHARE).max(1);
        if let Some(oldest) = client::crowded(&self.clients, host_of(&link.peer), share) {
            self.tally.refused += 1;
            self.leave(oldest, Leave::CrowdedOut);
        }
        if self.clients.len() >= self.options.connections_max {
            self.tally.refused += 1;
            // Logged at each doubling: a flood of clients must not become a flood of log lines.
            let loud = self.tally.refused.is_power_of_two();
            // Connections without a login must not keep a player out: the oldest one is closed.
            let Some(silent) = client::oldest_of_crowd(&self.clients) else {
                if loud {
                    let (peer, refused) = (&link.peer, self.tally.refused);
                    tracing::warn!(peer, refused, "too many clients; the newest turned away");
                }
                return;
            };
            if loud {
                let (connection, refused) = (silent.0, self.tally.refused);
                tracing::warn!(connection, refused, "too many clients; one without login dropped");
            }
            self.leave(silent, Leave::CrowdedOut);
        }
        let connection = self.number();
        tracing::debug!(connection = connection.0, peer = link.peer, "client joined");
        self.tell(|| HostEvent::Connected { client: connection, peer: link.peer.clone() });
        let (framing, host) = (self.framing, self.coming_in.clone());
        let client = ArenaClient::open(link, framing, connection, &self.options, host);
        // A client with a handshake joins after it.
        if client.joined {
            self.arena.handle_join(connection, now());
        }
        self.clients.insert(connection, client);
    }

    fn take(&mut self, connection: ConnectionId, coming: Coming) {
        let Some(client) = self.clients.get_mut(&connection) else { return };
        match coming {
            Coming::Request(target) => {
                client.joined = true;
                self.arena.handle_request(connection, &target, now());
            }
            Coming::Broken => {
                if let Some(client) = self.clients.remove(&connection) {
                    self.tell(|| HostEvent::Left { client: connection, why: Leave::Broken });
                    self.tasks.spawn(client.finish());
                    self.arena.handle_leave(connection, now());
                }
            }
            Coming::Bytes(bytes) => self.arena.handle_input(connection, &bytes, now()),
            Coming::Gone => self.leave(connection, Leave::Gone),
        }
    }

    /// Reports an event to the follower, if there is one.
    fn tell(&mut self, event: impl FnOnce() -> HostEvent) {
        if let Some(events) = &mut self.options.events {
            events.tell(event());
        }
    }

    fn leave(&mut self, connection: ConnectionId, why: Leave) {
        if let Some(client) = self.clients.remove(&connection) {
            self.tell(|| HostEvent::Left { client: connection, why });
            let joined = client.joined;
            client.cut();
            if joined {
                self.arena.handle_leave(connection, now());
            }
        }
    }

    /// Executes what the arena requests after a call.
    fn flush(&mut self) {
        while let Some(outgoing) = self.arena.poll_transmit() {
            match outgoing {
                Outgoing::Bytes(connection, bytes) => self.send(connection, bytes),
                // Flushed in the background; further input is ignored.
                Outgoing::Close(connection) => {
                    if let Some(client) = self.clients.remove(&connection) {
                        self.tell(|| HostEvent::Left { client: connection, why: Leave::Closed });
                        self.tasks.spawn(client.finish());
                    }
                }
            }
        }
        while let Some(artifact) = self.arena.poll_artifact() {
            self.files.push(artifact);
        }
        while let Some(notice) = self.arena.poll_notice() {
            tracing::warn!("{notice}");
            self.tell(|| HostEvent::Notice(notice));
        }
    }

    fn send(&mut self, connection: ConnectionId, bytes: Vec<u8>) {
        let Some(client) = self.clients.get_mut(&connection) else { return };
        let first = !client.greeted;
        let sent = client.send(bytes);
        if first {
            self.tell(|| HostEvent::Greeted { client: connection });
        }
        if !sent {
            self.tally.slow += 1;
            tracing::warn!(connection = connection.0, "client does not read; dropped");
            self.leave(connection, Leave::Slow);
        }
    }

    /// Publishes the state of the match; true when it is over.
    fn publish(&mut self) -> bool {
        let verdict = self.arena.verdict();
        let over = verdict.over;
        let clients = self.clients.len();
        self.population.send_if_modified(|known| std::mem::replace(known, clients) != clients);
        if *self.verdict.borrow() != verdict {
            // The picture first: a follower that receives a step finds it drawn.
            if let Some(colour) = self.options.draw {
                self.picture.send_replace(self.arena.draw(colour));
            }
            self.tell(|| HostEvent::Progress(verdict.clone()));
            self.verdict.send_replace(verdict);
        }
        over
    }
}

/// Waits for the player that is starting.
async fn start_done(
    starting: Option<&mut (usize, Starting)>,
) -> (usize, std::io::Result<StartedProcess>) {
    match starting {
        Some((player, starting)) => {
            (*player, starting.await.unwrap_or_else(|error| Err(error.into())))
        }
        None => std::future::pending().await,
    }
}

async fn accept(listener: Option<&mut Listener>) -> std::io::Result<Option<Link>> {
    match listener {
        Some(listener) => listener.accept().await,
        None => std::future::pending().await,
    }
}
