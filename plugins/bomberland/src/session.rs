//! One seat's connection to the referee, as a state machine (spec sections 1 to 4).
//!
//! ```text
//! connected ─▶ waiting ─ game_state ─▶ playing ─ tick ─▶ asked ─ answers or due ─▶ playing
//!                 └─ silence ─▶ refused    └─ endgame_state ─▶ over   silence ─▶ hang up, again
//! ```
//!
//! A seat with agents plays for the secret id that is its password (`agentA`), or its user where it
//! has none; a seat without agents is an admin that steps a training game at the pace of its turn limit.
//!
//! One order a unit and tick, never a correction. An order is sent as soon as it is decided, with
//! one exception: a move into the cell of an own unit that is still undecided waits for it, since
//! the engine executes moves in the order of their arrival. And a move that aims where another own
//! move of the tick aims is not sent: the engine would drop both.

mod mirror;

use crate::action::Action;
use crate::percept::{Briefing, Percept, TickScene};
use crate::rules::{UnitIndex, UnitOrder};
use crate::wire::{self, Full, RefereePacket};
use mirror::GameMirror;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    AgentId, DefaultCause, Event, Late, Margin, Notice, ProtocolError, Seat, Turn, TurnGate,
};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A referee that accepts sends the full state at once; silence for this long is a refusal.
pub const LOGIN_PATIENCE: Duration = Duration::from_secs(2);

/// Silence of this many ticks, and at least [`SILENCE_MIN`], while a game runs is the engine's
/// habit of forgetting a healthy connection.
pub const SILENCE_TICKS: u32 = 20;

/// See [`SILENCE_TICKS`].
pub const SILENCE_MIN: Duration = Duration::from_secs(2);

/// The probe interval grows while a game makes no progress, up to this limit.
pub const SILENCE_MAX: Duration = Duration::from_secs(60);

/// After the end of a game a reset may follow; after this long none is expected any more.
pub const END_PATIENCE: Duration = Duration::from_secs(10);

/// A request for a tick that nothing came of is repeated after this long.
pub const STEP_PATIENCE: Duration = Duration::from_secs(1);

/// Complaints of one packet that become notices; the rest of a packet full of them is silent.
const COMPLAINTS_MAX: usize = 8;

/// A tick is never believed to last longer than this.
const PERIOD_MAX: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionPhase {
    Offline,
    /// Connected, nothing heard yet.
    Waiting(Instant),
    Refused,
    /// The referee talks to us.
    Seated,
    /// The game is over; a new one may come.
    Ended(Instant),
    /// No game will come any more.
    Over,
}

/// The protocol of one seat.
#[derive(Debug)]
pub struct Session {
    seat: Seat,
    phase: ConnectionPhase,
    gate: TurnGate,
    margin: Margin,
    game: Option<GameMirror>,
    /// The number of the running round, and of the next one.
    live: Option<u32>,
    next: u32,
    /// The unit that each agent is.
    units: SortedMap<AgentId, UnitIndex>,
    /// What was sent last, with its turn.
    sent: SortedMap<AgentId, (Turn, Action)>,
    /// Moves that wait for an own unit in front of them.
    held: SortedMap<AgentId, (Turn, Action, UnitIndex)>,
    heard: Option<Instant>,
    /// How long silence is borne; longer after each time that it meant nothing.
    patience: u32,
    /// When an admin asks for the next tick.
    step_at: Option<Instant>,
    hangup: Option<String>,
    transmits: VecDeque<Vec<u8>>,
    events: VecDeque<Event<Briefing, Percept>>,
}

impl Session {
    /// A session for a seat.
    #[must_use]
    pub fn new(seat: &Seat) -> Self {
        Self {
            seat: seat.clone(),
            phase: ConnectionPhase::Offline,
            gate: TurnGate::default(),
            margin: Margin::new(seat.margin),
            game: None,
            live: None,
            next: 0,
            units: SortedMap::new(),
            sent: SortedMap::new(),
            held: SortedMap::new(),
            heard: None,
            patience: 1,
            step_at: None,
            hangup: None,
            transmits: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// The game, built from the packets received so far.
    #[must_use]
    pub fn scene(&self) -> Option<TickScene> {
        self.game.as_ref().map(|game| game.scene(Vec::new()))
    }

    fn is_admin(&self) -> bool {
        self.seat.agents.is_empty()
    }

    fn agents(&self) -> Vec<AgentId> {
        self.seat.agents.iter().map(|(agent, _)| *agent).collect()
    }

    fn malformed(&mut self, place: &str, expected: &str, got: &[u8]) {
        let error = ProtocolError::new(place, expected, got);
        self.events.push_back(Event::Notice(Notice::Malformed(error)));
    }

    fn complain(&mut self, place: &str, complaints: &[String]) {
        for complaint in complaints.iter().take(COMPLAINTS_MAX) {
            self.malformed(place, "what the engine's schema allows", complaint.as_bytes());
        }
    }

    fn message(&mut self, message: RefereePacket, now: Instant) {
        match message {
            RefereePacket::GameState(full) => self.full(&full, now),
            RefereePacket::Tick { tick, events } => self.tick(tick, &events, now),
            RefereePacket::EndGame { winner } => self.end(winner.as_deref(), now),
            RefereePacket::Info(_) | RefereePacket::Next(_) => {}
            RefereePacket::Unknown { kind } => {
                let kind = phalanx_game::excerpt(kind.as_bytes());
                self.events.push_back(Event::Notice(Notice::Unknown { kind }));
            }
        }
    }

    fn seated(&mut self, now: Instant) {
        if let ConnectionPhase::Waiting(since) = self.phase {
            self.margin.measured(now.saturating_duration_since(since));
            self.events.push_back(Event::Seated { agents: self.agents() });
        }
        self.phase = ConnectionPhase::Seated;
    }

    /// A full state: on connecting, or everything is new.
    fn full(&mut self, full: &Full, now: Instant) {
        let mut complaints = Vec::new();
        let mirror = match GameMirror::new(full, &mut complaints) {
            Ok(mirror) => mirror,
            Err(error) => {
                return self.malformed("game_state", "a state to play on", error.as_bytes());
            }
        };
        self.seated(now);
        self.complain("game_state", &complaints);
        self.close_open(DefaultCause::Superseded);
        let known = self.game.replace(mirror);
        let same = |game: &GameMirror| !game.game_id.is_empty() && game.game_id == full.game_id;
        let known = known.filter(|game| self.live.is_some() && same(game));
        let Some(game) = &self.game else { return };
        match known {
            Some(old) if old.state.tick == game.state.tick => {
                self.patience = self.patience.saturating_mul(2).min(1 << 8);
            }
            Some(_) => self.patience = 1,
            None => self.begin(),
        }
        self.step_at = self.is_admin().then(|| now + self.seat.turn_limit);
        // What is left of this tick is not known; half of it is a fair guess.
        self.tell(Vec::new(), now, self.period() / 2);
    }

    /// A new round, for every agent with its unit.
    fn begin(&mut self) {
        self.leave_round();
        let round = self.next;
        (self.live, self.next) = (Some(round), round.saturating_add(1));
        (self.patience, self.sent) = (1, SortedMap::new());
        let Some(game) = &self.game else { return };
        self.units = pair(&self.seat.agents, game);
        for (agent, _) in &self.seat.agents {
            let unit = self.units.get(agent).and_then(|unit| game.board.unit(*unit));
            let briefing = Briefing {
                game_id: game.game_id.clone(),
                agent: game.board.agent(game.agent).unwrap_or_default().to_owned(),
                unit: unit.map(|unit| unit.name.clone()),
            };
            self.events.push_back(Event::RoundStarted {
                agent: *agent,
                round,
                briefing: Some(briefing),
            });
        }
    }

    /// A round that was reset in its middle ends without a winner.
    fn leave_round(&mut self) {
        let Some(round) = self.live.take() else { return };
        for agent in self.agents() {
            self.events.push_back(Event::RoundOver { agent, round, score: 0, ranking: None });
        }
    }

    fn tick(&mut self, tick: i64, events: &[Value], now: Instant) {
        if self.phase != ConnectionPhase::Seated {
            // The engine computes one tick more after the end.
            return;
        }
        let Some(game) = &mut self.game else {
            return self.malformed("tick", "a game_state before the first tick", b"none");
        };
        if tick != i64::from(game.state.tick) + 1 {
            let known = game.state.tick;
            self.hangup = Some(format!("tick {tick} came after tick {known}: frames were lost"));
            return;
        }
        let mut complaints = Vec::new();
        let number = game.state.tick.saturating_add(1);
        let events = game.apply(number, events, &mut complaints);
        self.complain(&format!("tick {tick}"), &complaints);
        self.patience = 1;
        for gone in self.gate.close_all() {
            self.defaulted(gone.agent, gone.turn, DefaultCause::Superseded);
        }
        self.held.clear();
        self.step_at = self.is_admin().then(|| now + self.seat.turn_limit);
        self.tell(events, now, self.period());
    }

    /// Sends the current state to every agent, and asks the agents that can act.
    fn tell(&mut self, events: Vec<crate::rules::TickEvent>, now: Instant, window: Duration) {
        let (Some(game), Some(round)) = (&self.game, self.live) else { return };
        let step = u32::try_from(game.state.tick).unwrap_or_default();
        let turn = Turn::new(round, step);
        let scene = Arc::new(game.scene(events));
        let due = now + window.saturating_sub(self.margin.of(window));
        for (agent, _) in &self.seat.agents {
            let unit = self.units.get(agent).copied();
            let body = unit.and_then(|unit| scene.state.unit(unit));
            let sent = self.sent.get(agent);
            let done =
                sent.filter(|(at, _)| at.round == round && at.step.checked_add(1) == Some(step));
            let done = done.and_then(|(_, action)| action.act()).map(|_| {
                let of = |event: &crate::rules::TickEvent| {
                    matches!(event, crate::rules::TickEvent::Done(order) if Some(order.unit) == unit)
                };
                scene.events.iter().any(of)
            });
            let percept = Percept { scene: Arc::clone(&scene), unit, done };
            let able = step > 0
                && body.is_some_and(|body| body.alive() && body.stunned < f64::from(step))
                && sent.is_none_or(|(at, _)| *at < turn);
            self.events.push_back(if able {
                self.gate.open(*agent, turn, due);
                Event::Asked { turn, agent: *agent, due, percept }
            } else {
                Event::Percept { turn, agent: *agent, percept }
            });
        }
    }

    fn end(&mut self, winner: Option<&str>, now: Instant) {
        if matches!(self.phase, ConnectionPhase::Ended(_) | ConnectionPhase::Over) {
            // In training mode every further step tells the end again.
            return;
        }
        self.seated(now);
        self.close_open(DefaultCause::Superseded);
        self.phase = ConnectionPhase::Ended(now);
        let (Some(round), Some(game)) = (self.live.take(), &self.game) else { return };
        let won = winner.is_some() && winner == game.board.agent(game.agent);
        let ranking = Some(if won || winner.is_none() { 1 } else { 2 });
        for agent in self.agents() {
            self.events.push_back(Event::RoundOver { agent, round, score: won.into(), ranking });
        }
    }

    fn over(&mut self) {
        self.phase = ConnectionPhase::Over;
        self.events.push_back(Event::MatchOver);
    }

    fn close_open(&mut self, cause: DefaultCause) {
        for gone in self.gate.close_all() {
            self.defaulted(gone.agent, gone.turn, cause);
        }
        self.held.clear();
    }

    fn defaulted(&mut self, agent: AgentId, turn: Turn, cause: DefaultCause) {
        self.events.push_back(Event::Defaulted { turn, agent, cause });
    }

    /// The time from one tick to the next.
    fn period(&self) -> Duration {
        let hz = self.game.as_ref().map_or(0.0, |game| game.tick_rate_hz);
        if hz.is_finite() && hz > 0.0 {
            Duration::try_from_secs_f64(1.0 / hz).unwrap_or(PERIOD_MAX).min(PERIOD_MAX)
        } else {
            self.seat.turn_limit
        }
    }

    /// When silence becomes suspicious; only while ticks run.
    fn silence_limit(&self) -> Option<Instant> {
        let running = self.game.as_ref().is_some_and(|game| game.state.tick > 0);
        if self.phase != ConnectionPhase::Seated || !running {
            return None;
        }
        let limit = (self.period() * SILENCE_TICKS).max(SILENCE_MIN);
        Some(self.heard? + limit.saturating_mul(self.patience).min(SILENCE_MAX.max(limit)))
    }

    fn send(&mut self, turn: Turn, agent: AgentId, action: Action) {
        let in_the_way = self.collides(turn, agent, action);
        self.sent.insert(agent, (turn, action));
        if in_the_way {
            return;
        }
        let unit = self.units.get(&agent).zip(self.game.as_ref());
        let unit = unit.and_then(|(unit, game)| game.board.unit(*unit));
        if let (Some(unit), Some(act)) = (unit, action.act()) {
            self.transmits.push_back(wire::encode_act(&unit.name, act));
        }
    }

    /// Whether a move aims where another own move of this turn does.
    fn collides(&self, turn: Turn, agent: AgentId, action: Action) -> bool {
        let aim = |agent: AgentId, action: Action| {
            let (game, unit) = (self.game.as_ref()?, *self.units.get(&agent)?);
            UnitOrder { agent: game.agent, unit, act: action.act()? }.aim(&game.state)
        };
        let Some(own) = aim(agent, action) else { return false };
        let others = self.sent.iter().filter(|(other, (at, _))| **other != agent && *at == turn);
        others.into_iter().any(|(other, (_, sent))| aim(*other, *sent) == Some(own))
    }

    /// The own unit in whose cell a move ends.
    fn leader(&self, agent: AgentId, action: Action) -> Option<UnitIndex> {
        let (game, unit) = (self.game.as_ref()?, *self.units.get(&agent)?);
        let order = UnitOrder { agent: game.agent, unit, act: action.act()? };
        let target = order.destination(&game.state)?;
        game.state.units_at(target).find(|other| self.units.values().any(|own| own == other))
    }

    /// Whether that unit may still answer in this turn.
    fn undecided(&self, unit: UnitIndex) -> bool {
        let agent = self.units.iter().find(|(_, own)| **own == unit).map(|(agent, _)| *agent);
        agent.is_some_and(|agent| {
            self.gate.open_turn(agent).is_some() || self.held.contains_key(&agent)
        })
    }

    /// Sends the moves whose way is decided; those that wait for each other go as they are.
    fn release(&mut self) {
        loop {
            let free = self.held.iter().find(|(_, (.., leader))| !self.undecided(*leader));
            let nobody_open = self.held.keys().len() > 0 && self.gate.next_due().is_none();
            let next = free.or_else(|| self.held.iter().next().filter(|_| nobody_open));
            let Some((&agent, &(turn, action, _))) = next else { return };
            self.held.remove(&agent);
            self.send(turn, agent, action);
        }
    }
}

/// Gives every agent its unit: by the unit's name, otherwise in the order of the game.
fn pair(agents: &[(AgentId, String)], game: &GameMirror) -> SortedMap<AgentId, UnitIndex> {
    let own: Vec<UnitIndex> = game.own_units().collect();
    let named = |name: &str| game.board.find_unit(name).filter(|unit| own.contains(unit));
    let mut units: SortedMap<AgentId, UnitIndex> =
        agents.iter().filter_map(|(agent, name)| Some((*agent, named(name)?))).collect();
    for (agent, _) in agents {
        let taken: Vec<UnitIndex> = units.values().copied().collect();
        let free = own.iter().find(|unit| !taken.contains(unit));
        if let (false, Some(unit)) = (units.contains_key(agent), free) {
            units.insert(*agent, *unit);
        }
    }
    units
}

/// A text as a value of a query string.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

impl phalanx_game::Session for Session {
    type Briefing = Briefing;
    type Percept = Percept;
    type Action = Action;

    fn target(&self) -> String {
        let Seat { user, password, .. } = &self.seat;
        let name = escaped(user);
        if self.is_admin() {
            return format!("/?role=admin&name={name}");
        }
        let id = if password.is_empty() { user } else { password };
        format!("/?role=agent&agentId={}&name={name}", escaped(id))
    }

    fn set_password(&mut self, password: &str) {
        password.clone_into(&mut self.seat.password);
    }

    fn handle_connected(&mut self, now: Instant) {
        self.transmits.clear();
        self.hangup = None;
        self.close_open(DefaultCause::Disconnected);
        self.heard = Some(now);
        self.phase = ConnectionPhase::Waiting(now);
    }

    fn handle_disconnected(&mut self, _now: Instant) {
        self.transmits.clear();
        self.hangup = None;
        self.step_at = None;
        self.close_open(DefaultCause::Disconnected);
        match self.phase {
            ConnectionPhase::Ended(_) => self.over(),
            ConnectionPhase::Over => {}
            ConnectionPhase::Offline
            | ConnectionPhase::Waiting(_)
            | ConnectionPhase::Refused
            | ConnectionPhase::Seated => {
                self.phase = ConnectionPhase::Offline;
            }
        }
    }

    fn handle_input(&mut self, bytes: &[u8], now: Instant) -> Result<(), ProtocolError> {
        self.heard = Some(now);
        if self.phase == ConnectionPhase::Over {
            return Ok(());
        }
        match wire::decode(bytes) {
            Ok(message) => self.message(message, now),
            Err(error) => self.events.push_back(Event::Notice(Notice::Malformed(error))),
        }
        Ok(())
    }

    fn handle_action(&mut self, turn: Turn, agent: AgentId, action: &Action) -> Result<(), Late> {
        self.gate.answer(agent, turn)?;
        match self.leader(agent, *action).filter(|leader| self.undecided(*leader)) {
            Some(leader) => {
                self.held.insert(agent, (turn, *action, leader));
            }
            None => self.send(turn, agent, *action),
        }
        self.release();
        Ok(())
    }

    fn holds(&self, agent: AgentId) -> bool {
        self.held.contains_key(&agent)
    }

    fn handle_timeout(&mut self, now: Instant) {
        for expired in self.gate.expire(now) {
            self.sent.insert(expired.agent, (expired.turn, Action::Wait));
            self.defaulted(expired.agent, expired.turn, DefaultCause::NoDecision);
        }
        self.release();
        if self.step_at.is_some_and(|at| at <= now) {
            // The engine ignores requests while agents are missing, so this one is not the last.
            self.step_at = Some(now + self.seat.turn_limit.max(STEP_PATIENCE));
            self.transmits.push_back(br#"{"type":"request_tick"}"#.to_vec());
        }
        match self.phase {
            ConnectionPhase::Waiting(since) if now >= since + LOGIN_PATIENCE => {
                let waited = LOGIN_PATIENCE.as_secs();
                let reason = format!("no game_state within {waited} s: the referee refuses us");
                if self.live.is_some() {
                    // It knew us before: it may not have noticed yet that the old line is gone.
                    self.hangup = Some(reason);
                    self.phase = ConnectionPhase::Offline;
                } else {
                    self.phase = ConnectionPhase::Refused;
                    self.events.push_back(Event::Refused { reason });
                }
            }
            ConnectionPhase::Ended(since) if now >= since + END_PATIENCE => self.over(),
            ConnectionPhase::Offline
            | ConnectionPhase::Waiting(_)
            | ConnectionPhase::Refused
            | ConnectionPhase::Seated
            | ConnectionPhase::Ended(_)
            | ConnectionPhase::Over => {}
        }
        if self.silence_limit().is_some_and(|limit| limit <= now) {
            self.heard = Some(now);
            self.hangup = Some("the referee fell silent while the game runs".to_owned());
        }
    }

    fn handle_shutdown(&mut self, _now: Instant) {
        for open in self.gate.close_all() {
            self.defaulted(open.agent, open.turn, DefaultCause::NoDecision);
        }
        self.release();
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.transmits.pop_front()
    }

    fn poll_event(&mut self) -> Option<Event<Briefing, Percept>> {
        self.events.pop_front()
    }

    fn poll_hangup(&mut self) -> Option<String> {
        self.hangup.take()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let phase = match self.phase {
            ConnectionPhase::Waiting(since) => Some(since + LOGIN_PATIENCE),
            ConnectionPhase::Ended(since) => Some(since + END_PATIENCE),
            ConnectionPhase::Offline
            | ConnectionPhase::Refused
            | ConnectionPhase::Seated
            | ConnectionPhase::Over => None,
        };
        let instants = [self.gate.next_due(), phase, self.silence_limit(), self.step_at];
        instants.into_iter().flatten().min()
    }

    fn round_trip(&self) -> Option<Duration> {
        self.margin.round_trip()
    }
}
