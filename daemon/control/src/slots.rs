//! Connection slots: how many connections a listener serves, which one loses its slot when there is
//! none left, and how long a connection keeps one without calls.
//!
//! A new connection gets a slot as long as another one can be closed for it: one with an unknown
//! caller, or one without an open call. The oldest is closed first. If there is neither, a few
//! reserved slots are left for admins and for `/healthz`.

use futures_util::task::AtomicWaker;
use phalanx_access::Role;
use phalanx_access::throttle::network;
use phalanx_game::sorted::SortedMap;
use phalanx_metrics::{ApiMetrics, Connected as Counted};
use std::cmp::Reverse;
use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;

/// Most connections to a listener at once.
pub const CONNECTIONS_MAX: usize = 512;
/// The number of these that only admins and health checks may use.
const RESERVED: usize = 32;
/// Most connections from one address: all programs of a machine share one, and so do all users of a
/// proxy.
const PER_ADDRESS_MAX: usize = 256;
/// Longest time from a connection to its first request, TLS handshake included.
const FIRST_REQUEST_MAX: Duration = Duration::from_secs(10);
/// Longest time without a call for an unknown caller.
const IDLE_MAX: Duration = Duration::from_secs(30);
/// Longest time in which a client accepts no byte.
const STALLED_MAX: Duration = Duration::from_secs(30);
/// Longest time from the head of a request to the end of its body.
const BODY_MAX: Duration = Duration::from_secs(60);
/// Longest time between two checks of the deadlines; shorter if the deadlines are.
const SWEEP_MAX: Duration = Duration::from_secs(1);
/// Checks of the deadlines within the shortest of them.
const SWEEPS: u32 = 4;
/// No bytes wait to be written.
const NOT_BLOCKED: u64 = u64::MAX;

/// Limits on the connections to each listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Most connections at once.
    pub total: usize,
    /// The number of these that only admins and health checks may use.
    pub reserved: usize,
    /// Most connections from one address; IPv6 addresses of one /64 network count as one.
    pub per_address: usize,
    /// Longest time from a connection to its first request, TLS handshake included.
    pub first_request: Duration,
    /// Longest time without a call for an unknown caller.
    pub idle: Duration,
    /// Longest time in which a client accepts no byte.
    pub stalled: Duration,
    /// Longest time from the head of a request to the end of its body.
    pub body: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            total: CONNECTIONS_MAX,
            reserved: RESERVED,
            per_address: PER_ADDRESS_MAX,
            first_request: FIRST_REQUEST_MAX,
            idle: IDLE_MAX,
            stalled: STALLED_MAX,
            body: BODY_MAX,
        }
    }
}

/// Why the server closes a connection: the label in metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// There was no request in time.
    FirstRequest,
    /// There was no call for too long, and the caller is unknown.
    Idle,
    /// The client accepts no bytes.
    Stalled,
    /// A new connection needed the slot.
    Crowded,
}

impl Closing {
    fn word(self) -> &'static str {
        match self {
            Self::FirstRequest => "first_request",
            Self::Idle => "idle",
            Self::Stalled => "stalled",
            Self::Crowded => "crowded",
        }
    }
}

/// The slots of one listener.
#[derive(Debug)]
pub(crate) struct Slots {
    listener: &'static str,
    limits: ConnectionLimits,
    metrics: Option<ApiMetrics>,
    table: Mutex<SlotTable>,
}

#[derive(Debug, Default)]
struct SlotTable {
    last: u64,
    /// By number, so the oldest is first.
    slots: SortedMap<u64, Arc<ConnectionSlot>>,
}

/// What is known about the caller of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CallerKnowledge {
    Unknown,
    Known,
    Admin,
}

/// The slot of one connection.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    address: Option<IpAddr>,
    /// Only for admins and open pages.
    reserved: bool,
    opened: Instant,
    usage: Mutex<Usage>,
    /// When the first byte since the last accepted one was refused, in milliseconds after `opened`;
    /// or [`NOT_BLOCKED`].
    blocked: AtomicU64,
    closed: AtomicBool,
    waker: AtomicWaker,
}

#[derive(Debug)]
struct Usage {
    standing: CallerKnowledge,
    /// There was a request.
    asked: bool,
    /// Calls whose answers are not complete.
    open: usize,
    /// The number of these whose requests are completely received.
    received: usize,
    /// The beginning or the end of the last call.
    last: Instant,
}

/// Holds the slot of a connection.
#[derive(Debug)]
pub(crate) struct SlotHold {
    slots: Arc<Slots>,
    number: u64,
    slot: Arc<ConnectionSlot>,
    _counted: Option<Counted>,
}

impl Slots {
    pub(crate) fn new(
        listener: &'static str,
        limits: ConnectionLimits,
        metrics: Option<ApiMetrics>,
    ) -> Arc<Self> {
        Arc::new(Self { listener, limits, metrics, table: Mutex::default() })
    }

    /// A slot for a new connection; `None` if every other connection is busy.
    pub(crate) fn admit(self: &Arc<Self>, address: Option<IpAddr>) -> Option<SlotHold> {
        let address = address.map(network);
        let (victim, place) = {
            let mut table = self.table();
            let (reserved, victim) = self.room(&table, address)?;
            let victim = victim.and_then(|number| table.slots.remove(&number));
            let slot = Arc::new(ConnectionSlot::new(address, reserved));
            table.last += 1;
            let number = table.last;
            table.slots.insert(number, Arc::clone(&slot));
            let counted = self.metrics.as_ref().map(|metrics| metrics.connected(self.listener));
            (victim, SlotHold { slots: Arc::clone(self), number, slot, _counted: counted })
        };
        if let Some(victim) = victim {
            self.close(&victim, Closing::Crowded);
        }
        Some(place)
    }

    /// A new connection was refused.
    pub(crate) fn refused(&self) {
        self.metrics.as_ref().inspect(|metrics| metrics.hung_up(self.listener));
    }

    /// Whether a new connection gets a reserved slot, and which connection loses its slot for it;
    /// `None` if there is no room.
    fn room(&self, table: &SlotTable, address: Option<IpAddr>) -> Option<(bool, Option<u64>)> {
        let ConnectionLimits { total, reserved, per_address, .. } = self.limits;
        let neighbours = |slot: &ConnectionSlot| address.is_some() && slot.address == address;
        let count = |wanted: &dyn Fn(&ConnectionSlot) -> bool| {
            table.slots.values().filter(|slot| wanted(slot)).count()
        };
        if count(&|slot| !slot.reserved && neighbours(slot)) >= per_address {
            if let Some(victim) = table.victim(|slot| !slot.reserved && neighbours(slot)) {
                return Some((false, Some(victim)));
            }
        } else if count(&|slot| !slot.reserved) < total.saturating_sub(reserved) {
            return Some((false, None));
        } else if let Some(victim) = table.victim(|slot| !slot.reserved) {
            return Some((false, Some(victim)));
        }
        if count(&|slot| slot.reserved) < reserved {
            return Some((true, None));
        }
        table.victim(|slot| slot.reserved).map(|victim| (true, Some(victim)))
    }

    /// Closes every connection whose time is over.
    pub(crate) fn sweep(&self) {
        let now = Instant::now();
        let mut table = self.table();
        let gone: Vec<_> = table
            .slots
            .iter()
            .filter_map(|(n, slot)| Some((*n, slot.late(&self.limits, now)?)))
            .collect();
        for (number, why) in gone {
            if let Some(slot) = table.slots.remove(&number) {
                self.close(&slot, why);
            }
        }
    }

    /// The time between two sweeps.
    pub(crate) fn pause(&self) -> Duration {
        let ConnectionLimits { first_request, idle, stalled, .. } = self.limits;
        let shortest = first_request.min(idle).min(stalled) / SWEEPS;
        shortest.clamp(Duration::from_millis(1), SWEEP_MAX)
    }

    fn close(&self, slot: &ConnectionSlot, why: Closing) {
        self.metrics.as_ref().inspect(|metrics| metrics.evicted(self.listener, why.word()));
        tracing::debug!(address = ?slot.address, why = why.word(), "a connection to the control API is closed");
        slot.close();
    }

    fn table(&self) -> MutexGuard<'_, SlotTable> {
        // Each change is one step, so the table is intact even after a panic of a holder.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SlotTable {
    /// The connection to close first: one with an unknown caller, otherwise one without calls; from
    /// the address with the most connections, the one that was unused for the longest time.
    fn victim(&self, eligible: impl Fn(&ConnectionSlot) -> bool) -> Option<u64> {
        let mut crowds: SortedMap<Option<IpAddr>, usize> = SortedMap::new();
        for slot in self.slots.values().filter(|slot| eligible(slot)) {
            *crowds.entry(slot.address).or_default() += 1;
        }
        let ranked =
            self.slots.iter().filter(|(_, slot)| eligible(slot)).filter_map(|(n, slot)| {
                let used = slot.used();
                let busy = used.received > 0;
                let crowd = crowds.get(&slot.address).copied().unwrap_or_default();
                let closable = !busy || used.standing == CallerKnowledge::Unknown;
                closable.then_some(((used.standing, busy, Reverse(crowd), used.last), *n))
            });
        ranked.min().map(|(_, number)| number)
    }
}

impl ConnectionSlot {
    fn new(address: Option<IpAddr>, reserved: bool) -> Self {
        let opened = Instant::now();
        let usage = Usage {
            standing: CallerKnowledge::Unknown,
            asked: false,
            open: 0,
            received: 0,
            last: opened,
        };
        Self {
            address,
            reserved,
            opened,
            usage: Mutex::new(usage),
            blocked: AtomicU64::new(NOT_BLOCKED),
            closed: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        }
    }

    fn used(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn late(&self, limits: &ConnectionLimits, now: Instant) -> Option<Closing> {
        let blocked = self.blocked.load(Ordering::Relaxed);
        if blocked != NOT_BLOCKED
            && now >= self.opened + Duration::from_millis(blocked) + limits.stalled
        {
            return Some(Closing::Stalled);
        }
        let used = self.used();
        match (used.asked, used.standing) {
            (false, _) => {
                (now >= self.opened + limits.first_request).then_some(Closing::FirstRequest)
            }
            (true, CallerKnowledge::Unknown) if used.open == 0 => {
                (now >= used.last + limits.idle).then_some(Closing::Idle)
            }
            (true, CallerKnowledge::Unknown | CallerKnowledge::Known | CallerKnowledge::Admin) => {
                None
            }
        }
    }

    /// Notes the identified caller; false if this slot is reserved for admins and the caller is
    /// none.
    pub(crate) fn admits(&self, role: Role) -> bool {
        let admin = role.may(Role::Admin);
        if self.reserved && !admin {
            return false;
        }
        let standing = if admin { CallerKnowledge::Admin } else { CallerKnowledge::Known };
        let mut used = self.used();
        used.standing = used.standing.max(standing);
        true
    }

    /// A request has begun; its body may follow.
    pub(crate) fn asked(self: &Arc<Self>) -> OpenRequest {
        let mut used = self.used();
        used.asked = true;
        used.open += 1;
        used.last = Instant::now();
        OpenRequest { slot: Arc::clone(self), received: AtomicBool::new(false) }
    }

    /// Notes whether the client accepts bytes.
    pub(crate) fn wrote(&self, accepted: bool) {
        if accepted {
            self.blocked.store(NOT_BLOCKED, Ordering::Relaxed);
        } else if self.blocked.load(Ordering::Relaxed) == NOT_BLOCKED {
            let since = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(NOT_BLOCKED);
            self.blocked.store(since, Ordering::Relaxed);
        }
    }

    /// Ends the connection at its next read or write, which follows at once.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.waker.wake();
    }

    /// Whether the connection must end; otherwise the task is woken when it must.
    pub(crate) fn poll_closed(&self, context: &Context<'_>) -> Poll<()> {
        self.waker.register(context.waker());
        if self.closed.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Waits until the connection must end.
    pub(crate) async fn closed(&self) {
        poll_fn(|context| self.poll_closed(context)).await;
    }
}

impl SlotHold {
    pub(crate) fn slot(&self) -> &Arc<ConnectionSlot> {
        &self.slot
    }
}

impl Drop for SlotHold {
    fn drop(&mut self) {
        self.slots.table().slots.remove(&self.number);
    }
}

/// A request without a complete answer.
#[derive(Debug)]
pub(crate) struct OpenRequest {
    slot: Arc<ConnectionSlot>,
    received: AtomicBool,
}

impl OpenRequest {
    /// The request is complete, and the answer is our job. Before that, a connection does not count
    /// as busy; otherwise a body that never arrives would keep its slot.
    pub(crate) fn received(&self) {
        if !self.received.swap(true, Ordering::Relaxed) {
            self.slot.used().received += 1;
        }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut used = self.slot.used();
        used.open = used.open.saturating_sub(1);
        if *self.received.get_mut() {
            used.received = used.received.saturating_sub(1);
        }
        used.last = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(total: usize, reserved: usize, per_address: usize) -> Arc<Slots> {
        let limits =
            ConnectionLimits { total, reserved, per_address, ..ConnectionLimits::default() };
        Slots::new("tcp", limits, None)
    }

    fn come(slots: &Arc<Slots>, from: &str) -> Option<SlotHold> {
        slots.admit(Some(from.parse().unwrap()))
    }

    fn is_closed(place: &SlotHold) -> bool {
        place.slot.closed.load(Ordering::Relaxed)
    }

    #[test]
    fn a_newcomer_takes_the_slot_of_the_oldest_unknown_caller_of_the_largest_crowd() {
        let slots = slots(3, 0, 3);
        let alone = come(&slots, "10.0.0.1").unwrap();
        let [first, second] = [(); 2].map(|()| come(&slots, "10.0.0.2").unwrap());
        let _new = come(&slots, "10.0.0.3").unwrap();
        assert!(is_closed(&first) && !is_closed(&second) && !is_closed(&alone));
        assert_eq!(slots.table().slots.len(), 3);
    }

    #[test]
    fn known_callers_go_after_unknown_ones_and_never_with_an_open_call() {
        let slots = slots(2, 0, 2);
        let known = come(&slots, "10.0.0.1").unwrap();
        assert!(known.slot.admits(Role::Viewer));
        let unknown = come(&slots, "10.0.0.1").unwrap();
        // An open page that any client may request, so it does not protect the slot.
        let page = unknown.slot.asked();
        page.received();
        let third = come(&slots, "10.0.0.2").unwrap();
        assert!(is_closed(&unknown) && !is_closed(&known));
        assert!(third.slot.admits(Role::Viewer));
        let stream = known.slot.asked();
        stream.received();
        let fourth = come(&slots, "10.0.0.3").unwrap();
        assert!(is_closed(&third) && !is_closed(&known));
        drop((stream, fourth));
    }

    #[test]
    fn one_address_fills_its_share_and_no_more() {
        let slots = slots(10, 0, 2);
        let places: Vec<_> = (0..5).map(|_| come(&slots, "10.0.0.1").unwrap()).collect();
        let open: Vec<_> = places.iter().map(|place| !is_closed(place)).collect();
        assert_eq!(open, [false, false, false, true, true]);
        let other = come(&slots, "10.0.0.2").unwrap();
        assert!(!is_closed(&other) && !is_closed(places.last().unwrap()));
    }

    #[test]
    fn addresses_of_one_network_of_ipv6_fill_one_share() {
        for (first, second, share) in [
            ("2001:db8::1", "2001:db8::ffff:2", true),
            ("2001:db8::1", "2001:db8:0:1::1", false),
            ("::ffff:127.0.0.1", "127.0.0.1", true),
            ("::1", "::2", false),
        ] {
            let slots = slots(10, 0, 1);
            let (held, _new) = (come(&slots, first).unwrap(), come(&slots, second).unwrap());
            assert_eq!(is_closed(&held), share, "{first} {second}");
        }
    }

    #[test]
    fn where_all_are_busy_admins_and_health_checks_still_get_in() {
        let slots = slots(3, 1, 3);
        let busy: Vec<_> = (0..2)
            .map(|_| {
                let place = come(&slots, "10.0.0.1").unwrap();
                assert!(place.slot.admits(Role::Viewer));
                let call = place.slot.asked();
                call.received();
                (place, call)
            })
            .collect();
        let check = come(&slots, "10.0.0.2").unwrap();
        assert!(!check.slot.admits(Role::Operator), "the reserve is for admins");
        let admin = come(&slots, "10.0.0.2").unwrap();
        assert!(is_closed(&check));
        assert!(admin.slot.admits(Role::Admin));
        let call = admin.slot.asked();
        call.received();
        assert!(come(&slots, "10.0.0.3").is_none());
        assert!(busy.iter().all(|(place, _)| !is_closed(place)));
    }

    #[test]
    fn a_request_whose_body_does_not_come_keeps_no_slot() {
        let slots = slots(1, 0, 1);
        let half = come(&slots, "10.0.0.1").unwrap();
        assert!(half.slot.admits(Role::Viewer));
        let _request = half.slot.asked();
        assert!(come(&slots, "10.0.0.1").is_some());
        assert!(is_closed(&half));
    }

    #[tokio::test(start_paused = true)]
    async fn connections_end_at_their_deadlines() {
        let slots = slots(10, 0, 10);
        let [silent, asked, known, stuck] = [(); 4].map(|()| come(&slots, "10.0.0.1").unwrap());
        drop((asked.slot.asked(), known.slot.asked(), stuck.slot.asked()));
        assert!(known.slot.admits(Role::Viewer) && stuck.slot.admits(Role::Viewer));
        stuck.slot.wrote(false);
        let state = || [&silent, &asked, &known, &stuck].map(is_closed);
        slots.sweep();
        assert_eq!(state(), [false; 4]);
        tokio::time::advance(FIRST_REQUEST_MAX).await;
        slots.sweep();
        assert_eq!(state(), [true, false, false, false]);
        tokio::time::advance(IDLE_MAX.max(STALLED_MAX)).await;
        slots.sweep();
        assert_eq!(state(), [true, true, false, true]);
    }
}
