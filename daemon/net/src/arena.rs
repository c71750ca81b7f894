//! The host of a referee of our own: accepts clients, carries bytes, keeps its timer, writes its
//! files. The arena itself stays a state machine in one task; each client has one reader and one
//! writer with a bounded queue, and who does not read is dropped. Where the arena names the players
//! that it wants, the host starts them as processes.

mod cast;
mod client;
mod feed;
mod files;
mod stderr;

pub use cast::{Cast, Player, Stderr};
pub use feed::{HostEvent, HostFeed, Leave, Teller, host_feed};

use crate::clock::{now, until};
use crate::seat::panic_text;
use crate::{Link, Listener};
use cast::{Keeper, Started};
use client::{Client, Coming, host_of};
use files::Files;
use futures_util::FutureExt;
use phalanx_game::{Arena, ConnectionId, Framing, Outgoing, Verdict};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// Pieces from clients that wait for the arena at most; each client has one more in its hand.
const COMING_MAX: usize = 256;
/// The pause after the system refused to accept: it is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Longest time from a connection to the referee's first word to it. A referee that starts its
/// players itself speaks when it needs them, so that it has no such limit.
const LOGIN_MAX: Duration = Duration::from_secs(60);
/// Connections without a login have at most this part of all places, for each address.
const SILENT_SHARE: usize = 2;

/// Limits of an arena's host.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// Clients at once; for further ones whoever has not logged in makes room, the oldest first.
    /// When all have, they are turned away.
    pub connections_max: usize,
    /// Longest time from a connection to the referee's first word to it, where clients log in by
    /// themselves; then the connection is closed.
    pub login_max: Duration,
    /// Bytes that may wait for one client; one that reads less is dropped.
    pub client_bytes_max: usize,
    /// Who plays, where the arena names the players that it wants; clients are let in only when
    /// one without a program is wanted. `None`: whoever connects.
    pub cast: Option<Cast>,
    /// Where the arena's files go; `None`: nowhere.
    pub artifacts: Option<PathBuf>,
    /// Draw the game after each step, with or without colours; `None`: do not.
    pub draw: Option<bool>,
    /// How long clients have to read the last bytes before they are cut off.
    pub linger: Duration,
    /// Who hears what happens, in order; `None`: nobody.
    pub teller: Option<Teller>,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self {
            connections_max: 512,
            login_max: LOGIN_MAX,
            client_bytes_max: 8 << 20,
            cast: None,
            artifacts: None,
            draw: None,
            linger: Duration::from_secs(2),
            teller: None,
        }
    }
}

/// Why an arena ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaEnd {
    /// All that was to be played has been played.
    Over,
    /// It was stopped.
    Stopped,
    /// It panicked: a defect.
    Panicked {
        /// What the panic said.
        reason: String,
    },
}

/// How an arena ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaReport {
    /// Why.
    pub end: ArenaEnd,
    /// The last verdict.
    pub verdict: Verdict,
    /// The results as text for people; empty where the verdict says it all.
    pub summary: String,
    /// Files written.
    pub artifacts_written: u64,
    /// Files that could not be written.
    pub artifacts_failed: u64,
    /// Clients dropped since they did not read.
    pub clients_slow: u64,
    /// Clients turned away, or closed before their login, since there were too many.
    pub clients_refused: u64,
}

/// A running arena. Clones share it; when the last one is dropped the arena stops.
#[derive(Clone, Debug)]
pub struct ArenaHandle {
    address: Option<SocketAddr>,
    verdict: watch::Receiver<Verdict>,
    picture: watch::Receiver<String>,
    clients: watch::Receiver<usize>,
    report: watch::Receiver<Option<ArenaReport>>,
    _stop_when_dropped: Arc<tokio_util::sync::DropGuard>,
    stopped: CancellationToken,
    start: Arc<Notify>,
}

impl ArenaHandle {
    /// Where it listens, over TCP.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// How the match stands.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict.borrow().clone()
    }

    /// Follows how the match stands.
    #[must_use]
    pub fn verdicts(&self) -> watch::Receiver<Verdict> {
        self.verdict.clone()
    }

    /// The game as text for people, as it was at the last step; empty unless it is drawn.
    #[must_use]
    pub fn picture(&self) -> String {
        self.picture.borrow().clone()
    }

    /// Clients that are connected.
    #[must_use]
    pub fn clients(&self) -> usize {
        *self.clients.borrow()
    }

    /// How it ended; `None` while it runs.
    #[must_use]
    pub fn report(&self) -> Option<ArenaReport> {
        self.report.borrow().clone()
    }

    /// Begins, where the arena waits for somebody to say so.
    pub fn start(&self) {
        self.start.notify_one();
    }

    /// Ends it now: what is queued is flushed, everybody is disconnected.
    pub fn stop(&self) {
        self.stopped.cancel();
    }

    /// Waits until it has ended and everything is flushed.
    pub async fn ended(&self) -> ArenaReport {
        let mut report = self.report.clone();
        let seen = report.wait_for(Option::is_some).await.ok().and_then(|report| report.clone());
        seen.unwrap_or_else(|| {
            let reason = "the host's task was cancelled".into();
            Tally::default().report(ArenaEnd::Panicked { reason }, self.verdict())
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
    let (population, clients) = watch::channel(0);
    let (sender, report) = watch::channel(None);
    let (coming_in, coming) = mpsc::channel(COMING_MAX);
    let host = Host {
        files: Files::open(options.artifacts.clone()),
        arena,
        framing: listener.framing(),
        listener: Some(listener),
        accept_after: None,
        options,
        starting: None,
        tasks: JoinSet::new(),
        clients: BTreeMap::new(),
        next: 0,
        coming_in,
        coming,
        verdict,
        picture,
        population,
        stopped: stopped.clone(),
        start: Arc::clone(&start),
        tally: Tally::default(),
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
        clients,
        report,
        _stop_when_dropped: stop,
        stopped,
        start,
    }
}

#[derive(Debug, Default)]
struct Tally {
    slow: u64,
    refused: u64,
    written: u64,
    failed: u64,
}

impl Tally {
    fn report(&self, end: ArenaEnd, verdict: Verdict) -> ArenaReport {
        ArenaReport {
            end,
            verdict,
            summary: String::new(),
            artifacts_written: self.written,
            artifacts_failed: self.failed,
            clients_slow: self.slow,
            clients_refused: self.refused,
        }
    }
}

struct Host {
    arena: Box<dyn Arena>,
    framing: Framing,
    listener: Option<Listener>,
    accept_after: Option<Instant>,
    options: HostOptions,
    /// The player that is being started.
    starting: Option<(usize, Starting)>,
    /// What goes on in its own time: goodbyes, and processes on their way to their end.
    tasks: JoinSet<()>,
    clients: BTreeMap<ConnectionId, Client>,
    next: u64,
    coming_in: mpsc::Sender<(ConnectionId, Coming)>,
    coming: mpsc::Receiver<(ConnectionId, Coming)>,
    files: Files,
    verdict: watch::Sender<Verdict>,
    picture: watch::Sender<String>,
    population: watch::Sender<usize>,
    stopped: CancellationToken,
    start: Arc<Notify>,
    tally: Tally,
}

type Starting = JoinHandle<std::io::Result<Started>>;

/// All reasons for which a host does anything.
enum Wake {
    Started(usize, std::io::Result<Started>),
    Timer,
    Stop,
    Start,
    Coming(ConnectionId, Coming),
    Joined(std::io::Result<Option<Link>>),
    AcceptAgain,
    LoginLate,
}

impl Host {
    async fn run(mut self) -> ArenaReport {
        let end = match AssertUnwindSafe(self.play()).catch_unwind().await {
            Ok(end) => end,
            Err(panic) => {
                let reason = panic_text(&*panic).to_owned();
                tracing::error!(reason, "the arena panicked");
                ArenaEnd::Panicked { reason }
            }
        };
        self.listener = None;
        let writers = std::mem::take(&mut self.clients).into_values().map(Client::finish);
        let all = futures_util::future::join_all(writers.collect::<Vec<_>>());
        // What they still say is not heard, but must not block their readers.
        self.coming.close();
        all.await;
        while self.tasks.join_next().await.is_some() {}
        (self.tally.written, self.tally.failed) = self.files.close().await;
        self.population.send_replace(0);
        let verdict = self.verdict.borrow().clone();
        let panicked = matches!(end, ArenaEnd::Panicked { .. });
        let summary = if panicked { String::new() } else { self.arena.summary() };
        ArenaReport { summary, ..self.tally.report(end, verdict) }
    }

    async fn play(&mut self) -> ArenaEnd {
        loop {
            match self.wake().await {
                Wake::Timer => self.arena.handle_timeout(now()),
                Wake::Stop => return ArenaEnd::Stopped,
                Wake::Start => self.arena.handle_start(now()),
                Wake::Coming(connection, coming) => self.take(connection, coming),
                Wake::Joined(Ok(Some(link))) => self.join(link),
                Wake::Joined(Ok(None)) => self.listener = None,
                Wake::Joined(Err(error)) => {
                    tracing::warn!(%error, "accepting failed");
                    self.accept_after = Some(now() + ACCEPT_PAUSE);
                }
                Wake::AcceptAgain => self.accept_after = None,
                Wake::LoginLate => self.close_silent(),
                Wake::Started(player, started) => self.started(player, started),
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

    async fn wake(&mut self) -> Wake {
        if self.arena.poll_timeout().is_some_and(|due| due <= now()) {
            return Wake::Timer;
        }
        self.start_wanted();
        let accepting = self.accept_after.is_none() && self.lets_in();
        let login_due = self.login_due();
        // Fair: neither a flood of bytes nor one of connections keeps the other out.
        tokio::select! {
            () = until(self.arena.poll_timeout()) => Wake::Timer,
            () = self.stopped.cancelled() => Wake::Stop,
            () = self.start.notified() => Wake::Start,
            Some((connection, coming)) = self.coming.recv() => Wake::Coming(connection, coming),
            joined = accept(self.listener.as_mut()), if accepting => Wake::Joined(joined),
            () = until(self.accept_after) => Wake::AcceptAgain,
            () = until(login_due) => Wake::LoginLate,
            (player, started) = start_done(self.starting.as_mut()) => Wake::Started(player, started),
        }
    }

    /// Whether clients are let in now: with a cast, when somebody who connects is wanted.
    fn lets_in(&self) -> bool {
        let Some(cast) = &self.options.cast else { return true };
        self.arena.wanted().first().is_some_and(|player| cast.program(*player).is_none())
    }

    /// Begins to start the player that is wanted next, if it is one to be started.
    fn start_wanted(&mut self) {
        let (None, Some(cast)) = (&self.starting, &self.options.cast) else { return };
        let Some(player) = self.arena.wanted().first().copied() else { return };
        let Some((name, program)) = cast.program(player) else { return };
        let (name, program, stderr) = (name.to_owned(), program.clone(), cast.stderr);
        let starting = tokio::task::spawn_blocking(move || cast::start(&name, &program, stderr));
        self.starting = Some((player, starting));
    }

    fn started(&mut self, player: usize, started: std::io::Result<Started>) {
        self.starting = None;
        match started {
            Ok(Started { link, keeper }) => {
                self.tasks.spawn(Keeper::keep(keeper));
                self.join(link);
            }
            Err(error) => {
                let program = self.options.cast.as_ref().and_then(|cast| cast.program(player));
                if let Some((player, program)) = program {
                    let program = program.display();
                    tracing::error!(player, %program, %error, "could not start the player");
                }
                // The same as a process that ends at once.
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
        let oldest = silent.next().filter(|_| self.options.cast.is_none())?;
        oldest.since.checked_add(self.options.login_max)
    }

    /// Closes the connections whose login did not come in time, or only half of it.
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
            // Each doubling once: a flood of clients is not to become one of lines.
            let loud = self.tally.refused.is_power_of_two();
            // Connections without a login are no reason to keep a player out: the oldest goes.
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
        self.tell(|| HostEvent::Came { client: connection, peer: link.peer.clone() });
        let (framing, host) = (self.framing, self.coming_in.clone());
        let client = Client::open(link, framing, connection, &self.options, host);
        // With a handshake it joins once that is done.
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

    /// Says to whoever follows what happened.
    fn tell(&mut self, event: impl FnOnce() -> HostEvent) {
        if let Some(teller) = &mut self.options.teller {
            teller.tell(event());
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

    /// Passes on what the arena wants done after a call.
    fn flush(&mut self) {
        while let Some(outgoing) = self.arena.poll_transmit() {
            match outgoing {
                Outgoing::Bytes(connection, bytes) => self.send(connection, bytes),
                // Flushed in its own time; what it still says is not heard.
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

    /// Tells watchers how the match stands; true when it is over.
    fn publish(&mut self) -> bool {
        let verdict = self.arena.verdict();
        let over = verdict.over;
        let clients = self.clients.len();
        self.population.send_if_modified(|known| std::mem::replace(known, clients) != clients);
        if *self.verdict.borrow() != verdict {
            // The picture first: whoever hears of a step finds it drawn.
            if let Some(colour) = self.options.draw {
                self.picture.send_replace(self.arena.draw(colour));
            }
            self.tell(|| HostEvent::Stood(verdict.clone()));
            self.verdict.send_replace(verdict);
        }
        over
    }
}

/// Waits for the player that is being started.
async fn start_done(starting: Option<&mut (usize, Starting)>) -> (usize, std::io::Result<Started>) {
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
