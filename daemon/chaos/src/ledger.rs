//! What the simulator knows of each seat: its connection, its open request, its faults, and from
//! when on its agents have to play again. The network of faults and the observer of the match share
//! it.

use crate::belief::Truths;
use crate::fault::{Fault, FaultClass, FaultKind};
use crate::misses::Misses;
use crate::often::Odds;
use crate::violation::{Rule, Violation};
use crate::wire::{Asks, Wire, WireForm, WireRequest};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{ConnectionId, Origin};
use std::time::{Duration, Instant};

/// Steps after the end of a fault in which its own agent may still miss a turn.
const GRACE_STEPS: u32 = 2;
/// Virtual time after which a seat has to be connected and asked again.
const BACK_MAX: Duration = Duration::from_secs(120);
/// Violations of a match that are kept.
const VIOLATIONS_MAX: usize = 8;

/// A request that has this much less time than the longest one is no fresh one.
const CLOCK_STEP: Duration = Duration::from_millis(50);

/// In games without deadlines on the wire, an answer is owed within a turn, and not sooner.
const OWED_MIN: Duration = Duration::from_secs(1);
/// The action for which no message is sent.
const NO_MESSAGE: &str = "wait";

/// A seat: its team and its place there.
pub(crate) type SeatKey = (usize, usize);

/// What is common to a match.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) wire: Wire,
    pub(crate) origin: Origin,
    pub(crate) now: Instant,
    /// The running step, counted from 1 over all rounds.
    pub(crate) step: u32,
    pub(crate) seats: SortedMap<SeatKey, SeatRecord>,
    pub(crate) violations: Vec<Violation>,
    /// Faults that took effect, by kind.
    pub(crate) injected: SortedMap<FaultKind, u64>,
    /// Requests that reached a seat.
    pub(crate) requests: u64,
    /// The referee's world in the last steps.
    pub(crate) truths: Truths,
    /// Turns without an answer.
    pub(crate) misses: Misses,
    /// The referee's longest turn.
    pub(crate) turn_limit: Duration,
    /// A request has to be answered if at least this much of its time was left.
    pub(crate) answer_time: Duration,
    lines: SortedMap<ConnectionId, SeatKey>,
    /// Network faults that wait for their step, by seat.
    waiting: SortedMap<SeatKey, Vec<Fault>>,
    /// Network faults by chance.
    odds: Odds,
    /// All agents of a team share a connection.
    shared: bool,
    /// The most time that a request had.
    longest: Duration,
}

/// What is known of a seat.
#[derive(Debug)]
pub(crate) struct SeatRecord {
    pub(crate) team: String,
    /// The agents that it carries.
    pub(crate) agents: Vec<String>,
    pub(crate) connection: Option<ConnectionId>,
    /// The newest request that arrived whole, and is not answered.
    pub(crate) open: Option<OpenRequest>,
    /// In games without ids: something has to be sent by then, and why.
    owes: Option<(Instant, String)>,
    /// The step in which it sent something last: a unit whose move another one makes sends nothing.
    sent_in: u32,
    /// The ids that arrived on this connection, changed ones included: none is answered twice as
    /// often as it arrived.
    arrived: SortedMap<i64, u32>,
    answered: SortedMap<i64, u32>,
    /// A fault is in effect.
    pub(crate) disturbed: bool,
    /// A request, or an answer to the login that names a time, arrived on this connection without
    /// delay: its client knows the referee's clock.
    knows_clock: bool,
    /// The referee has not asked since the connection was lost.
    away: bool,
    away_since: Instant,
    /// Messages that the referee did not send may still have an effect.
    lied_until: u32,
    /// The agents may miss turns up to this step.
    excused_until: u32,
    /// Agents whose script is hostile.
    pub(crate) hostile: SortedSet<String>,
}

/// A request that arrived whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRequest {
    pub(crate) id: i64,
    pub(crate) due: Instant,
    /// How long before its deadline it arrived.
    pub(crate) left: Duration,
    pub(crate) step: u32,
}

impl Ledger {
    pub(crate) fn new(
        wire: Wire,
        origin: Origin,
        (faults, odds): (&[Fault], Odds),
        shared: bool,
    ) -> Self {
        let mut waiting: SortedMap<_, Vec<_>> = SortedMap::new();
        for fault in faults.iter().filter(|fault| fault.kind.class() == FaultClass::Network) {
            let seat = if shared { 0 } else { fault.agent_index() };
            waiting.entry((fault.team_index(), seat)).or_default().push(fault.clone());
        }
        waiting.values_mut().for_each(|faults| faults.sort_by_key(|fault| fault.step));
        Self {
            wire,
            origin,
            now: origin.instant,
            step: 1,
            seats: SortedMap::new(),
            violations: Vec::new(),
            injected: SortedMap::new(),
            requests: 0,
            truths: Truths::default(),
            misses: Misses::default(),
            turn_limit: Duration::ZERO,
            answer_time: Duration::ZERO,
            lines: SortedMap::new(),
            waiting,
            odds,
            shared,
            longest: Duration::ZERO,
        }
    }

    pub(crate) fn add_seat(&mut self, key: SeatKey, team: &str, agents: Vec<String>) {
        let record = SeatRecord {
            team: team.to_owned(),
            agents,
            connection: None,
            open: None,
            owes: None,
            sent_in: 0,
            arrived: SortedMap::new(),
            answered: SortedMap::new(),
            disturbed: false,
            knows_clock: false,
            away: true,
            away_since: self.now,
            lied_until: 0,
            excused_until: 0,
            hostile: SortedSet::new(),
        };
        self.seats.insert(key, record);
    }

    pub(crate) fn seat_of(&self, connection: ConnectionId) -> Option<SeatKey> {
        self.lines.get(&connection).copied()
    }

    /// A player logged in, of whom nothing was known before.
    pub(crate) fn met(&mut self, (team, place): SeatKey, connection: ConnectionId) {
        let key = (team, if self.shared { 0 } else { place });
        if !self.seats.contains_key(&key) {
            let letter = u8::try_from(team).unwrap_or(u8::MAX).saturating_add(b'A');
            let agents = vec![(key.1 + 1).to_string()];
            self.add_seat(key, &char::from(letter).to_string(), agents);
        }
        self.connected(key, connection);
    }

    /// A seat opened a connection.
    pub(crate) fn connected(&mut self, key: SeatKey, connection: ConnectionId) {
        self.lines.insert(connection, key);
        if let Some(seat) = self.seats.get_mut(&key) {
            seat.connection = Some(connection);
            (seat.open, seat.owes, seat.knows_clock) = (None, None, false);
            seat.arrived.clear();
            seat.answered.clear();
        }
    }

    /// A connection is gone, by a fault or because one of its ends closed it.
    pub(crate) fn gone(&mut self, connection: ConnectionId) {
        let Some(key) = self.lines.get(&connection) else { return };
        let (step, now) = (self.step, self.now);
        self.truths.forget();
        let Some(seat) = self.seats.get_mut(key) else { return };
        if seat.connection == Some(connection) {
            (seat.connection, seat.open, seat.owes) = (None, None, None);
            (seat.disturbed, seat.away, seat.away_since) = (false, true, now);
            seat.excuse(step);
        }
    }

    /// The next network fault of a seat that is due.
    pub(crate) fn take_fault(&mut self, key: SeatKey, place: (u32, u32)) -> Option<Fault> {
        let step = self.step;
        let waiting = self.waiting.get_mut(&key);
        let is_due = |waiting: &&mut Vec<Fault>| waiting.first().is_some_and(|it| it.step <= step);
        let fault = waiting.filter(is_due).map(|waiting| waiting.remove(0));
        let fault = fault.or_else(|| self.odds.draw(key, place))?;
        self.note(&fault);
        let seat = self.seats.get_mut(&key)?;
        seat.excuse(step);
        if fault.kind.is_lie() {
            seat.lied_until = step + GRACE_STEPS;
        }
        Some(fault)
    }

    /// The last fault of a connection takes its next message, too.
    pub(crate) fn goes_on(&mut self, connection: ConnectionId) {
        let (key, step) = (self.seat_of(connection), self.step);
        if let Some(seat) = key.and_then(|key| self.seats.get_mut(&key)) {
            seat.excuse(step);
            seat.lied_until = step + GRACE_STEPS;
        }
    }

    /// Counts a fault that takes effect.
    pub(crate) fn note(&mut self, fault: &Fault) {
        *self.injected.entry(fault.kind).or_default() += 1;
    }

    /// The referee sends a message.
    pub(crate) fn asks(&mut self, connection: ConnectionId, message: &[u8]) {
        if let (Some(key), Some(request)) = (self.seat_of(connection), self.wire.request(message)) {
            let due = self.due(request);
            self.misses.asked(key, request.id, due);
        }
    }

    /// A message reaches the referee.
    pub(crate) fn answered(&mut self, connection: ConnectionId, message: &[u8]) {
        if let (Some(key), Some(id)) = (self.seat_of(connection), self.wire.answer(message)) {
            self.misses.answered(key, id, self.now);
        }
    }

    /// A whole message of the referee reaches a seat. `intact`: it is what the referee sent.
    /// `held`: it was on its way for some time.
    pub(crate) fn delivered(
        &mut self,
        connection: ConnectionId,
        message: &[u8],
        (intact, held): (bool, bool),
    ) {
        let request = self.wire.request(message);
        let Some(key) = self.seat_of(connection) else { return };
        let (now, step, answerable) = (self.now, self.step, self.now + self.answer_time);
        let due = request.map(|request| self.due(request));
        let left = due.map(|due| due.saturating_duration_since(now));
        self.longest = self.longest.max(left.filter(|_| intact).unwrap_or_default());
        let longest = self.longest.saturating_sub(CLOCK_STEP);
        let has_requests = self.wire.has_requests();
        let Some(seat) = self.seats.get_mut(&key) else { return };
        // The referee itself sends an old request again after a login.
        let is_fresh = left.is_some_and(|left| left >= longest);
        let shows_clock = is_fresh || (intact && self.wire.shows_clock(message));
        seat.knows_clock |= shows_clock && !held;
        if request.is_some() || !has_requests {
            seat.away = false;
        }
        if self.wire.asks == Asks::Lines && intact && !held && !seat.was_lied_to(step) {
            let due = now + self.turn_limit.max(OWED_MIN);
            seat.owes = Some((due, format!("a line of step {step} was not answered")));
        }
        let Some(WireRequest { id, .. }) = request else { return };
        *seat.arrived.entry(id).or_default() += 1;
        self.requests += u64::from(intact);
        let before = seat.open.take();
        if let Some(before) = before.filter(|before| before.due <= now && before.id != id) {
            let violation = SeatRecord::silent(before);
            self.report(key, Rule::Silent, &violation);
        }
        let Some(seat) = self.seats.get_mut(&key) else { return };
        if intact
            && let Some(due) = due.filter(|due| *due > answerable && !seat.was_lied_to(step))
            && seat.knows_clock
        {
            let left = due.saturating_duration_since(now);
            seat.open = Some(OpenRequest { id, due, left, step });
        }
    }

    fn due(&self, request: WireRequest) -> Instant {
        let begun = i64::try_from(self.origin.unix_ms).unwrap_or_default();
        let millis = u64::try_from(request.deadline_ms.saturating_sub(begun)).unwrap_or_default();
        self.origin.instant + Duration::from_millis(millis.min(1_000_000_000_000))
    }

    /// When something that is owed counts as silent: a referee that waits for ever has no timer.
    pub(crate) fn owed_at(&self) -> Option<Instant> {
        self.seats.values().filter_map(|seat| seat.owes.as_ref()).map(|(due, _)| *due).min()
    }

    /// An agent decided: in games without requests on the wire, something has to leave.
    pub(crate) fn decided(&mut self, team: usize, agent: &str, action: &str) {
        let (due, step) = (self.now + self.turn_limit.max(OWED_MIN), self.step);
        if self.wire.asks != Asks::Decisions || action.starts_with(NO_MESSAGE) {
            return;
        }
        let its = |(key, seat): &(&SeatKey, &mut SeatRecord)| {
            key.0 == team && seat.agents.iter().any(|name| name == agent)
        };
        for (_, seat) in self.seats.iter_mut().filter(its) {
            let is_silent = seat.connection.is_some() && seat.sent_in != step;
            if is_silent && !seat.disturbed && !seat.was_lied_to(step) {
                let text = || format!("{agent} decided {action} in step {step}, and nothing left");
                seat.owes.get_or_insert_with(|| (due, text()));
            }
        }
    }

    /// A seat sends a message.
    pub(crate) fn sent(&mut self, connection: ConnectionId, message: &[u8]) {
        let key = self.seat_of(connection);
        if let Some(seat) = key.and_then(|key| self.seats.get_mut(&key)) {
            (seat.owes, seat.sent_in) = (None, self.step);
        }
        let (Some(key), Some(id)) = (self.seat_of(connection), self.wire.answer(message)) else {
            return;
        };
        let now = self.now;
        let Some(seat) = self.seats.get_mut(&key) else { return };
        let times = seat.answered.entry(id).or_default();
        *times += 1;
        let (times, arrived) = (*times, seat.arrived.get(&id).copied().unwrap_or_default());
        let open = seat.open;
        if open.is_some_and(|open| open.id == id) {
            seat.open = None;
        }
        if seat.was_lied_to(self.step) {
            return;
        }
        if times > arrived {
            let text =
                format!("the request {id} arrived {arrived} times and was answered {times} times");
            return self.report(key, Rule::Turn, &text);
        }
        match open {
            Some(open) if open.id != id => {
                let text = format!("answered the request {id}, while {} was open", open.id);
                self.report(key, Rule::Turn, &text);
            }
            Some(open) if open.due <= now => {
                let late = now.saturating_duration_since(open.due);
                let text = format!("the answer to {id} was sent {late:?} after the deadline");
                self.report(key, Rule::Silent, &text);
            }
            Some(_) | None => {}
        }
    }

    /// Time has passed, or something happened.
    pub(crate) fn look(&mut self, now: Instant) {
        self.now = now;
        let step = self.step;
        let mut found = Vec::new();
        for (key, seat) in &mut self.seats {
            if seat.disturbed || seat.away {
                seat.excuse(step);
            }
            if let Some(open) = seat.open.filter(|open| open.due <= now) {
                seat.open = None;
                found.push((*key, Rule::Silent, SeatRecord::silent(open)));
            }
            if let Some((_, text)) = seat.owes.take_if(|(due, _)| *due <= now)
                && !seat.disturbed
            {
                found.push((*key, Rule::Silent, text));
            }
        }
        for (key, rule, text) in found {
            self.report(key, rule, &text);
        }
    }

    /// Some seat of a team got messages that the referee did not send: its map may be wrong.
    pub(crate) fn was_misled(&self, team: usize) -> bool {
        self.seats.iter().any(|((its, _), seat)| *its == team && seat.lied_until > 0)
    }

    /// In a game without deadlines, a client that was told that the simulation is over waits for the
    /// next one, and the referee waits for the client.
    pub(crate) fn may_wait_for_ever(&self) -> bool {
        self.wire.form == WireForm::Binary && self.seats.values().any(|seat| seat.lied_until > 0)
    }

    /// At the end of a match: every agent whose connection was lost plays again.
    pub(crate) fn check_back(&mut self) {
        let now = self.now;
        let is_lost = |seat: &SeatRecord| {
            seat.away
                && !seat.disturbed
                && seat.lied_until == 0
                && now.saturating_duration_since(seat.away_since) > BACK_MAX
        };
        let lost: Vec<_> =
            self.seats.iter().filter(|(_, seat)| is_lost(seat)).map(|(key, _)| *key).collect();
        for key in lost {
            self.report(key, Rule::Back, "the referee did not ask it again after its fault");
        }
    }

    /// The agents of a team may miss turns now, and shortly after.
    pub(crate) fn excuse_team(&mut self, team: usize) {
        let step = self.step;
        self.seats
            .iter_mut()
            .filter(|((its, _), _)| *its == team)
            .for_each(|(_, seat)| seat.excuse(step));
    }

    /// An agent may miss turns now, and shortly after.
    pub(crate) fn excuse_agent(&mut self, team: usize, name: &str) {
        let step = self.step;
        let its = |(key, seat): &(&SeatKey, &mut SeatRecord)| {
            key.0 == team && seat.agents.iter().any(|agent| agent == name)
        };
        self.seats.iter_mut().filter(its).for_each(|(_, seat)| seat.excuse(step));
    }

    /// Whether an agent may miss a turn now.
    pub(crate) fn is_excused(&self, team: usize, agent: &str) -> bool {
        let named = |(key, seat): (&SeatKey, &SeatRecord)| {
            key.0 == team && seat.agents.iter().any(|name| name == agent)
        };
        let seat = self.seats.iter().find(|(key, seat)| named((key, seat))).map(|(_, seat)| seat);
        seat.is_none_or(|seat| {
            seat.disturbed
                || seat.away
                || seat.hostile.contains(agent)
                || seat.was_lied_to(self.step)
                || self.step <= seat.excused_until
        })
    }

    /// Whether more than half of a team's agents may miss no turn now.
    pub(crate) fn is_mostly_well(&self, team: usize) -> bool {
        let seats = self.seats.iter().filter(|((its, _), _)| *its == team);
        let agents: Vec<_> = seats.flat_map(|(_, seat)| &seat.agents).collect();
        let well = agents.iter().filter(|agent| !self.is_excused(team, agent)).count();
        well * 2 > agents.len()
    }

    pub(crate) fn report(&mut self, key: SeatKey, rule: Rule, text: &str) {
        let seat = self.seats.get(&key);
        let team = seat.map(|seat| seat.team.clone()).unwrap_or_default();
        let agent = seat.map(|seat| seat.agents.join(",")).unwrap_or_default();
        self.violate(rule, team, agent, text.to_owned());
    }

    pub(crate) fn violate(&mut self, rule: Rule, team: String, agent: String, text: String) {
        if self.violations.len() < VIOLATIONS_MAX {
            let at = self.now.saturating_duration_since(self.origin.instant);
            self.violations.push(Violation { rule, team, agent, step: self.step, at, text });
        }
    }
}

impl SeatRecord {
    pub(crate) fn excuse(&mut self, step: u32) {
        self.excused_until = self.excused_until.max(step + GRACE_STEPS);
    }

    fn was_lied_to(&self, step: u32) -> bool {
        self.lied_until > 0 && step <= self.lied_until
    }

    fn silent(open: OpenRequest) -> String {
        let OpenRequest { id, left, step, .. } = open;
        format!(
            "the request {id} of step {step} arrived {left:?} before its deadline and was not \
             answered by then"
        )
    }
}
