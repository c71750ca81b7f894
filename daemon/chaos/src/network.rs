//! The network between a referee and its players, with faults: an arena around another one.

use crate::fault::{Fault, FaultKind};
use crate::ledger::Ledger;
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{Arena, Artifact, ConnectionId, Outgoing, Picture, Tally, Verdict};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes that may be on their way on a connection; with more it is reset.
const WAITING_BYTES_MAX: usize = 8 << 20;

/// Shares the ledger of a match between its network and its observer.
pub(crate) type SharedLedger = Arc<Mutex<Ledger>>;

/// The ledger, whole even if its holder panicked: each change is one step.
pub(crate) fn open(ledger: &SharedLedger) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A referee behind a network with faults.
pub(crate) struct FaultyNetwork {
    inner: Box<dyn Arena>,
    ledger: SharedLedger,
    now: Instant,
    lines: SortedMap<ConnectionId, Line>,
    /// What reaches the players now, in the referee's order.
    ready: VecDeque<Outgoing>,
    /// Round and step of the match.
    place: (u32, u32),
    /// In a match without an observer the network itself finds out who plays.
    has_observer: bool,
    /// Connections of which that is not known yet.
    strangers: SortedSet<ConnectionId>,
}

/// A connection.
#[derive(Debug, Default)]
struct Line {
    /// What the referee sent and what has not arrived.
    outward: VecDeque<Parcel>,
    /// Bytes in both directions.
    waiting: usize,
    /// What the player sent and what has not arrived.
    inward: VecDeque<(Instant, Vec<u8>)>,
    /// Messages of the referee do not arrive before.
    outward_from: Option<Instant>,
    /// Messages of the player do not arrive before.
    inward_from: Option<Instant>,
    /// Messages of the referee that arrive at the same time arrive in one piece.
    merges: bool,
    /// The last message of the referee was cut: the next one is read as its end.
    is_cut: bool,
    loses_outward: bool,
    loses_inward: bool,
    closes_at: Option<Instant>,
    closed: bool,
}

/// Bytes on their way to a player.
#[derive(Debug)]
struct Parcel {
    sent: Instant,
    at: Instant,
    bytes: Vec<u8>,
    /// The message that is complete with it, and whether it is what the referee sent.
    completes: Option<(Vec<u8>, bool)>,
    /// The referee closes the connection after it.
    last: bool,
}

impl fmt::Debug for FaultyNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyNetwork").field("lines", &self.lines.len()).finish_non_exhaustive()
    }
}

impl FaultyNetwork {
    pub(crate) fn new(inner: Box<dyn Arena>, ledger: SharedLedger, now: Instant) -> Self {
        Self {
            inner,
            ledger,
            now,
            lines: SortedMap::new(),
            ready: VecDeque::new(),
            place: (0, 0),
            has_observer: true,
            strangers: SortedSet::new(),
        }
    }

    /// A network for a match without an observer, which also looks after its ledger.
    pub(crate) fn unobserved(inner: Box<dyn Arena>, ledger: SharedLedger, now: Instant) -> Self {
        Self { has_observer: false, ..Self::new(inner, ledger, now) }
    }

    /// The clock.
    fn at(&mut self, now: Instant) {
        self.now = now;
        let mut ledger = open(&self.ledger);
        ledger.now = now;
        if !self.has_observer {
            ledger.look(now);
        }
    }

    /// After each call of the referee: where the match is, and who plays.
    fn follow(&mut self) {
        let verdict = self.inner.verdict();
        let place = (verdict.round, verdict.step);
        let mut ledger = open(&self.ledger);
        if place != self.place {
            self.place = place;
            ledger.misses.moved(place);
            // A round that begins is no step.
            ledger.step += u32::from(!self.has_observer && verdict.step > 0);
        }
        if self.has_observer {
            return;
        }
        let found = |connection: &ConnectionId| {
            let key = self.inner.player(*connection)?;
            Some((*connection, key))
        };
        let found: Vec<_> = self.strangers.iter().filter_map(found).collect();
        for (connection, key) in found {
            self.strangers.remove(&connection);
            ledger.met(key, connection);
        }
    }

    fn joined(&mut self, connection: ConnectionId) {
        self.lines.insert(connection, Line::default());
        if !self.has_observer {
            self.strangers.insert(connection);
        }
    }

    /// Takes what the referee sends.
    fn pull(&mut self) {
        while let Some(outgoing) = self.inner.poll_transmit() {
            match outgoing {
                Outgoing::Bytes(connection, bytes) => {
                    self.keep_truth(&bytes);
                    self.send(connection, bytes);
                }
                Outgoing::Close(connection) => {
                    let now = self.now;
                    let Some(line) = self.lines.get_mut(&connection) else { continue };
                    let at = line.outward_from.unwrap_or(now).max(now);
                    let parcel =
                        Parcel { sent: now, at, bytes: Vec::new(), completes: None, last: true };
                    line.outward.push_back(parcel);
                }
            }
        }
        self.release();
    }

    /// With the first message of a step that shows the world: that world.
    fn keep_truth(&self, message: &[u8]) {
        if !self.has_observer {
            return;
        }
        let mut ledger = open(&self.ledger);
        let shows = !ledger.wire.has_requests() || ledger.wire.request(message).is_some();
        if ledger.truths.wants(self.place) && shows {
            ledger.truths.keep(self.place, self.inner.truth());
        }
    }

    /// A message of the referee, with the fault that is due.
    fn send(&mut self, connection: ConnectionId, bytes: Vec<u8>) {
        let Some(line) = self.lines.get_mut(&connection).filter(|line| !line.closed) else {
            return;
        };
        let mut ledger = open(&self.ledger);
        ledger.asks(connection, &bytes);
        if std::mem::take(&mut line.is_cut) {
            ledger.goes_on(connection);
        }
        if line.waiting > WAITING_BYTES_MAX {
            drop(ledger);
            return self.cut(connection);
        }
        let place = self.place;
        let fault = ledger.seat_of(connection).and_then(|key| ledger.take_fault(key, place));
        let wire = ledger.wire;
        drop(ledger);
        let kind = fault.as_ref().map(|fault| fault.kind);
        if let Some(fault) = &fault {
            line.begin(fault, self.now, wire.is_message);
        }
        let (seed, count) = fault.map_or((0, 0), |fault| {
            let count = usize::try_from(fault.bytes.unwrap_or_default()).unwrap_or_default();
            (fault.seed.unwrap_or_default(), count)
        });
        match kind {
            Some(FaultKind::Reset) => self.cut(connection),
            Some(FaultKind::Split) if !wire.is_message => {
                line.push_split(bytes, count.max(1), self.now);
            }
            Some(FaultKind::Duplicate) => {
                line.push(bytes.clone(), true, self.now);
                line.push(bytes, false, self.now);
            }
            Some(FaultKind::Garbage) => {
                let mut garbage = vec![0; count];
                ChaCha8Rng::seed_from_u64(seed).fill(garbage.as_mut_slice());
                line.push(garbage, false, self.now);
                line.push(bytes, false, self.now);
            }
            Some(FaultKind::Truncate) => {
                let kept = bytes.get(..count).map(<[u8]>::to_vec);
                line.is_cut = kept.is_some() && !wire.is_message;
                line.push(kept.unwrap_or(bytes), false, self.now);
            }
            Some(FaultKind::Wrong) => line.push(wire.wrong(&bytes, seed), false, self.now),
            Some(_) | None => line.push(bytes, true, self.now),
        }
    }

    /// The connection is reset: both ends learn it.
    fn cut(&mut self, connection: ConnectionId) {
        if let Some(line) = self.lines.get_mut(&connection).filter(|line| !line.closed) {
            line.closed = true;
            line.outward.clear();
            line.inward.clear();
            self.ready.push_back(Outgoing::Close(connection));
            open(&self.ledger).gone(connection);
            self.strangers.remove(&connection);
            self.inner.handle_leave(connection, self.now);
        }
    }

    /// Moves what arrives by now to the players.
    fn release(&mut self) {
        let now = self.now;
        for (connection, line) in &mut self.lines {
            let mut whole = Vec::new();
            while let Some(parcel) = line.outward.pop_front_if(|parcel| parcel.at <= now) {
                line.waiting = line.waiting.saturating_sub(parcel.bytes.len());
                let mut ledger = open(&self.ledger);
                if let Some((message, intact)) = &parcel.completes {
                    let held = parcel.at > parcel.sent;
                    ledger.delivered(*connection, message, (*intact, held));
                }
                if line.merges {
                    whole.extend(&parcel.bytes);
                } else if !parcel.bytes.is_empty() {
                    self.ready.push_back(Outgoing::Bytes(*connection, parcel.bytes));
                }
                if parcel.last {
                    if !whole.is_empty() {
                        let whole = std::mem::take(&mut whole);
                        self.ready.push_back(Outgoing::Bytes(*connection, whole));
                    }
                    self.ready.push_back(Outgoing::Close(*connection));
                    ledger.gone(*connection);
                    line.closed = true;
                }
            }
            if !whole.is_empty() {
                self.ready.push_back(Outgoing::Bytes(*connection, whole));
            }
            if line.outward.is_empty() && line.outward_from.is_some_and(|from| from <= now) {
                (line.outward_from, line.merges) = (None, false);
            }
        }
        self.lines.retain(|_, line| !line.closed);
    }

    /// Moves what arrives by now to the referee, and closes what is to be closed.
    fn receive(&mut self) {
        let now = self.now;
        let mut due = Vec::new();
        for (connection, line) in &mut self.lines {
            while let Some((_, bytes)) = line.inward.pop_front_if(|(at, _)| *at <= now) {
                line.waiting = line.waiting.saturating_sub(bytes.len());
                due.push((*connection, bytes));
            }
            if line.inward.is_empty() && line.inward_from.is_some_and(|from| from <= now) {
                line.inward_from = None;
            }
        }
        for (connection, bytes) in due {
            self.deliver(connection, &bytes);
        }
        let closing =
            |(_, line): &(&ConnectionId, &Line)| line.closes_at.is_some_and(|at| at <= now);
        let closing: Vec<_> = self.lines.iter().filter(closing).map(|(id, _)| *id).collect();
        for connection in closing {
            self.cut(connection);
        }
    }

    /// Bytes of a player reach the referee.
    fn deliver(&mut self, connection: ConnectionId, bytes: &[u8]) {
        open(&self.ledger).answered(connection, bytes);
        self.inner.handle_input(connection, bytes, self.now);
        self.follow();
    }

    /// Which seats are still disturbed.
    fn mark(&self) {
        let mut ledger = open(&self.ledger);
        for (connection, line) in &self.lines {
            if let Some(key) = ledger.seat_of(*connection)
                && let Some(seat) = ledger.seats.get_mut(&key)
                && seat.connection == Some(*connection)
            {
                seat.disturbed = line.is_disturbed();
            }
        }
    }
}

impl Line {
    /// The lasting part of a fault.
    fn begin(&mut self, fault: &Fault, now: Instant, is_message: bool) {
        let until = now + Duration::from_millis(fault.ms.unwrap_or_default());
        let later = |from: Option<Instant>| Some(from.map_or(until, |from| from.max(until)));
        match fault.kind {
            FaultKind::Delay => self.outward_from = later(self.outward_from),
            FaultKind::Merge => {
                (self.outward_from, self.merges) = (later(self.outward_from), !is_message);
            }
            FaultKind::Stall => {
                self.outward_from = later(self.outward_from);
                self.inward_from = later(self.inward_from);
            }
            FaultKind::HalfOpen => {
                (self.loses_outward, self.closes_at) = (true, later(self.closes_at));
            }
            FaultKind::Mute => {
                (self.loses_inward, self.closes_at) = (true, later(self.closes_at));
            }
            FaultKind::Split
            | FaultKind::Reset
            | FaultKind::Duplicate
            | FaultKind::Garbage
            | FaultKind::Truncate
            | FaultKind::Wrong
            | FaultKind::Restart
            | FaultKind::Kill
            | FaultKind::Freeze
            | FaultKind::Script
            | FaultKind::Reload
            | FaultKind::Command
            | FaultKind::Stop
            | FaultKind::Move
            | FaultKind::Remove
            | FaultKind::DiskFull
            | FaultKind::DiskStuck
            | FaultKind::DiskShort
            | FaultKind::DiskTail => {}
        }
    }

    fn is_disturbed(&self) -> bool {
        self.outward_from.is_some()
            || self.inward_from.is_some()
            || self.loses_outward
            || self.loses_inward
    }

    fn push(&mut self, bytes: Vec<u8>, intact: bool, now: Instant) {
        if !self.loses_outward {
            let at = self.outward_from.unwrap_or(now).max(now);
            let completes = Some((bytes.clone(), intact));
            self.waiting += bytes.len();
            self.outward.push_back(Parcel { sent: now, at, bytes, completes, last: false });
        }
    }

    fn push_split(&mut self, bytes: Vec<u8>, size: usize, now: Instant) {
        if self.loses_outward {
            return;
        }
        let at = self.outward_from.unwrap_or(now).max(now);
        for piece in bytes.chunks(size) {
            let bytes = piece.to_vec();
            self.waiting += bytes.len();
            self.outward.push_back(Parcel { sent: now, at, bytes, completes: None, last: false });
        }
        if let Some(parcel) = self.outward.back_mut() {
            parcel.completes = Some((bytes, true));
        }
    }
}

impl Arena for FaultyNetwork {
    fn handle_join(&mut self, connection: ConnectionId, now: Instant) {
        self.at(now);
        self.joined(connection);
        self.inner.handle_join(connection, now);
        self.follow();
    }

    fn handle_request(&mut self, connection: ConnectionId, target: &str, now: Instant) {
        self.at(now);
        self.joined(connection);
        self.inner.handle_request(connection, target, now);
        self.follow();
    }

    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        self.at(now);
        let Some(line) = self.lines.get_mut(&connection) else { return };
        open(&self.ledger).sent(connection, bytes);
        match line.inward_from {
            _ if line.loses_inward => {}
            Some(_) if line.waiting > WAITING_BYTES_MAX => self.cut(connection),
            Some(from) if from > now || !line.inward.is_empty() => {
                line.waiting += bytes.len();
                line.inward.push_back((from.max(now), bytes.to_vec()));
            }
            Some(_) | None => self.deliver(connection, bytes),
        }
    }

    fn handle_leave(&mut self, connection: ConnectionId, now: Instant) {
        self.at(now);
        if self.lines.remove(&connection).is_some() {
            open(&self.ledger).gone(connection);
            self.strangers.remove(&connection);
            self.inner.handle_leave(connection, now);
            self.follow();
        }
    }

    fn handle_start(&mut self, now: Instant) {
        self.at(now);
        self.inner.handle_start(now);
        self.follow();
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.at(now);
        if self.inner.poll_timeout().is_some_and(|due| due <= now) {
            self.inner.handle_timeout(now);
            self.follow();
        }
        self.receive();
        self.release();
        self.mark();
    }

    fn poll_transmit(&mut self) -> Option<Outgoing> {
        if self.ready.is_empty() {
            self.pull();
            self.mark();
        }
        self.ready.pop_front()
    }

    fn poll_artifact(&mut self) -> Option<Artifact> {
        self.inner.poll_artifact()
    }

    fn poll_notice(&mut self) -> Option<String> {
        self.inner.poll_notice()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let lines = self.lines.values().flat_map(|line| {
            let outward = line.outward.front().map(|parcel| parcel.at).or(line.outward_from);
            let inward = line.inward.front().map(|(at, _)| *at).or(line.inward_from);
            [outward, inward, line.closes_at]
        });
        let owed = open(&self.ledger).owed_at();
        lines.flatten().chain(self.inner.poll_timeout()).chain(owed).min()
    }

    fn verdict(&self) -> Verdict {
        let mut verdict = self.inner.verdict();
        // The host of a real match closes all connections at the end: what is still on its way
        // arrives before.
        verdict.over &=
            self.has_observer || self.lines.values().all(|line| line.outward.is_empty());
        verdict
    }

    fn player(&self, connection: ConnectionId) -> Option<(usize, usize)> {
        self.inner.player(connection)
    }

    fn summary(&self) -> String {
        self.inner.summary()
    }

    fn draw(&self, colour: bool) -> String {
        self.inner.draw(colour)
    }

    fn tallies(&self) -> Vec<Tally> {
        self.inner.tallies()
    }

    fn wanted(&self) -> &[usize] {
        self.inner.wanted()
    }

    fn truth(&self) -> Picture {
        self.inner.truth()
    }

    fn turn_limit(&self) -> Duration {
        self.inner.turn_limit()
    }
}
