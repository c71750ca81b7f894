//! One account's connection to the referee, as a state machine (spec sections 2 to 5).
//!
//! ```text
//! connected ─▶ login ─ ok ─▶ seated ─ request-action ─▶ asked ─ answer or due ─▶ seated
//!                └─ fail ─▶ refused            sim-end ─▶ round over       bye ─▶ over
//! ```
//!
//! Which simulation a request belongs to: `id - step` stays the same within a simulation and
//! changes with the next one, since ids are never set back. The repeated start message after a
//! reconnect is unreliable (spec section 4), so that number decides, not the message.
//!
//! A request that was held up on its way leaves less time than its deadline says: the session
//! subtracts what it was slower than the fastest of the last requests ([`DeadlineClock`]).

use crate::action::Action;
use crate::percept::{Briefing, Percept};
use crate::wire::{self, Message, Request};
use phalanx_game::{
    AgentId, DeadlineClock, DefaultCause, Event, Heard, Late, Margin, Notice, NulFrames, Origin,
    ProtocolError, Retelling, Seat, Turn, TurnGate,
};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A stream without a NUL for this many bytes has lost its framing.
pub const FRAME_BYTES_MAX: usize = 4 << 20;

/// How long a referee may take to answer the login.
pub const LOGIN_PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Offline,
    Login { since: Instant },
    Refused,
    Seated,
    Over,
}

/// What is remembered of the account's simulations, through all connections.
#[derive(Clone, Debug, Default)]
struct Rounds {
    /// The round that runs now.
    live: Option<u32>,
    /// The number of the next new round.
    next: u32,
    /// `id - step` of the running round, once a request came.
    base: Option<i64>,
    /// The step of its last request.
    step: u32,
    /// The start message of the running round.
    briefing: Option<Briefing>,
    /// A start message that may be a repetition: the next request decides.
    doubtful: Option<Briefing>,
}

/// The protocol of one seat.
#[derive(Debug)]
pub struct Session {
    seat: Seat,
    agent: AgentId,
    phase: Phase,
    frames: NulFrames,
    retelling: Retelling,
    gate: TurnGate,
    margin: Margin,
    deadlines: DeadlineClock,
    rounds: Rounds,
    /// The action id of the open turn.
    id: i64,
    /// The turn whose answer left on this connection last.
    answered: Option<Turn>,
    /// What the referee's clock showed last.
    clock: Option<Origin>,
    transmits: VecDeque<Vec<u8>>,
    events: VecDeque<Event<Briefing, Percept>>,
}

impl Session {
    /// A session for a seat; it carries the seat's first agent.
    #[must_use]
    pub fn new(seat: &Seat) -> Self {
        let agent = seat.agents.first().map_or(AgentId(seat.id.0), |(agent, _)| *agent);
        Self {
            seat: seat.clone(),
            agent,
            phase: Phase::Offline,
            frames: NulFrames::default(),
            retelling: Retelling::default(),
            gate: TurnGate::default(),
            margin: Margin::new(seat.margin),
            deadlines: DeadlineClock::default(),
            rounds: Rounds::default(),
            id: -1,
            answered: None,
            clock: None,
            transmits: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    fn frame(&mut self, frame: &[u8], now: Instant) {
        if self.phase == Phase::Over {
            return;
        }
        match wire::decode(frame) {
            Ok(message) => {
                self.keep(&message, frame, now);
                self.message(message, now);
            }
            Err(error) => self.malformed(error),
        }
    }

    /// Keeps what a successor on this connection would have to hear.
    fn keep(&mut self, message: &Message, frame: &[u8], now: Instant) {
        match message {
            Message::AuthResponse { .. } => self.retelling.login(frame, now),
            Message::SimStart(_) => self.retelling.start(frame, now),
            Message::RequestAction(_) => self.retelling.request(frame, now),
            Message::SimEnd { .. } => self.retelling.end(),
            Message::Bye | Message::StatusResponse(_) | Message::Unknown { .. } => {}
        }
    }

    fn malformed(&mut self, error: ProtocolError) {
        self.events.push_back(Event::Notice(Notice::Malformed(error)));
    }

    fn message(&mut self, message: Message, now: Instant) {
        match message {
            Message::AuthResponse { ok, result } => self.logged_in(ok, &result, now),
            Message::SimStart(briefing) => {
                self.told_time(briefing.time, now);
                self.sim_start(briefing);
            }
            Message::RequestAction(request) => {
                self.told_time(request.time, now);
                self.request(request, now);
            }
            Message::SimEnd { score, ranking } => self.sim_end(score, ranking),
            Message::Bye => {
                self.close_open(DefaultCause::Superseded);
                self.phase = Phase::Over;
                self.events.push_back(Event::MatchOver);
            }
            Message::StatusResponse(_) => {
                self.unknown("status-response, which nobody asked for");
            }
            Message::Unknown { kind } => {
                self.unknown(&phalanx_game::excerpt(kind.as_bytes()));
            }
        }
    }

    fn told_time(&mut self, unix_ms: i64, now: Instant) {
        if let Some(unix_ms) = u64::try_from(unix_ms).ok().filter(|ms| *ms > 0) {
            self.clock = Some(Origin { instant: now, unix_ms });
        }
    }

    fn unknown(&mut self, kind: &str) {
        self.events.push_back(Event::Notice(Notice::Unknown { kind: kind.to_owned() }));
    }

    fn logged_in(&mut self, ok: bool, result: &str, now: Instant) {
        let Phase::Login { since } = self.phase else {
            let got = result.as_bytes();
            let expected = "no answer to a login that nobody sent";
            return self.malformed(ProtocolError::new("auth-response", expected, got));
        };
        self.margin.measured(now.saturating_duration_since(since));
        if ok {
            self.phase = Phase::Seated;
            self.events.push_back(Event::Seated { agents: vec![self.agent] });
        } else {
            let result = phalanx_game::excerpt(result.as_bytes());
            let user = &self.seat.user;
            self.refuse(format!("the referee answered {result:?} to the login of {user:?}"));
        }
    }

    fn refuse(&mut self, reason: String) {
        self.phase = Phase::Refused;
        self.events.push_back(Event::Refused { reason });
    }

    fn sim_start(&mut self, briefing: Briefing) {
        if self.rounds.live.is_none() {
            self.start(Some(briefing), None);
        } else if self.rounds.briefing.as_ref() != Some(&briefing) {
            // Either the first start message of a round that was met in its middle, or the end
            // of the old round was missed: the next request tells which.
            self.rounds.doubtful = Some(briefing);
        }
    }

    fn start(&mut self, briefing: Option<Briefing>, base: Option<i64>) {
        let round = self.rounds.next;
        self.rounds = Rounds {
            live: Some(round),
            next: round.saturating_add(1),
            base,
            step: 0,
            briefing: briefing.clone(),
            doubtful: None,
        };
        self.answered = None;
        self.events.push_back(Event::RoundStarted { agent: self.agent, round, briefing });
    }

    /// The round that a request belongs to; a new one is announced first.
    fn round_of(&mut self, base: i64, step: u32) -> u32 {
        let round = match (self.rounds.live, self.rounds.base) {
            (Some(round), None) => {
                self.rounds.base = Some(base);
                self.rounds.doubtful = None;
                round
            }
            // Steps never go back: they do when the referee itself was started anew.
            (Some(round), Some(known)) if known == base && step >= self.rounds.step => {
                if let Some(briefing) = self.rounds.doubtful.take() {
                    self.rounds.briefing = Some(briefing);
                }
                round
            }
            (Some(_) | None, _) => {
                let briefing = self.rounds.doubtful.take();
                self.start(briefing, Some(base));
                self.rounds.live.unwrap_or_default()
            }
        };
        self.rounds.step = step;
        round
    }

    fn request(&mut self, request: Request, now: Instant) {
        let Request { id, time, deadline, percept } = request;
        let round = self.round_of(id.saturating_sub(i64::from(percept.step)), percept.step);
        let turn = Turn::new(round, percept.step);
        if self.gate.open_turn(self.agent) == Some(turn) {
            // A referee may repeat a pending request after a login; the first one stands.
            return;
        }
        self.judge_last_answer(turn, &percept);
        let times = (Some(time), Some(deadline));
        let due = self.deadlines.due(times, self.seat.turn_limit, &self.margin, now);
        if let Some(old) = self.gate.open(self.agent, turn, due) {
            self.defaulted(old.turn, DefaultCause::Superseded);
        }
        self.id = id;
        self.events.push_back(Event::Asked { turn, agent: self.agent, due, percept });
    }

    /// Learns from the percept whether the referee counted the answer of the step before.
    fn judge_last_answer(&mut self, turn: Turn, percept: &Percept) {
        let Some(answered) = self.answered.take() else { return };
        let follows =
            answered.round == turn.round && answered.step.checked_add(1) == Some(turn.step);
        if !follows {
            return;
        }
        if percept.last_action == "no_action" {
            self.margin.missed();
            self.events.push_back(Event::Notice(Notice::AnswerLost { turn: answered }));
        } else {
            self.margin.answered();
        }
    }

    fn sim_end(&mut self, score: i64, ranking: Option<u32>) {
        let Some(round) = self.rounds.live.take() else {
            let error = ProtocolError::new("sim-end", "a running simulation", b"none");
            return self.malformed(error);
        };
        self.close_open(DefaultCause::Superseded);
        (self.rounds.base, self.rounds.briefing, self.rounds.doubtful) = (None, None, None);
        self.events.push_back(Event::RoundOver { agent: self.agent, round, score, ranking });
    }

    fn close_open(&mut self, cause: DefaultCause) {
        for gone in self.gate.close_all() {
            self.defaulted(gone.turn, cause);
        }
    }

    fn defaulted(&mut self, turn: Turn, cause: DefaultCause) {
        self.events.push_back(Event::Defaulted { turn, agent: self.agent, cause });
    }

    fn fallback(&mut self, turn: Turn) {
        self.send(turn, &Action::Skip);
        self.defaulted(turn, DefaultCause::NobodyDecided);
    }

    fn send(&mut self, turn: Turn, action: &Action) {
        self.transmits.push_back(wire::encode_action(self.id, action));
        self.answered = Some(turn);
    }

    /// What a connection leaves behind when it ends or another begins.
    fn forget_connection(&mut self) {
        self.frames.clear();
        self.retelling.clear();
        self.deadlines.reset();
        self.transmits.clear();
        self.answered = None;
        self.close_open(DefaultCause::Disconnected);
    }
}

impl phalanx_game::Session for Session {
    type Briefing = Briefing;
    type Percept = Percept;
    type Action = Action;

    fn handle_connected(&mut self, now: Instant) {
        self.forget_connection();
        self.phase = Phase::Login { since: now };
        self.transmits.push_back(wire::encode_auth(&self.seat.user, &self.seat.password));
    }

    fn handle_disconnected(&mut self, _now: Instant) {
        self.forget_connection();
        if self.phase != Phase::Over {
            self.phase = Phase::Offline;
        }
    }

    fn handle_input(&mut self, bytes: &[u8], now: Instant) -> Result<(), ProtocolError> {
        // Aside, while each message changes the rest of the session.
        let mut frames = std::mem::take(&mut self.frames);
        let fed = frames.feed(bytes, FRAME_BYTES_MAX, |frame| self.frame(frame, now));
        self.frames = frames;
        fed
    }

    fn handle_action(&mut self, turn: Turn, agent: AgentId, action: &Action) -> Result<(), Late> {
        self.gate.answer(agent, turn)?;
        self.send(turn, action);
        Ok(())
    }

    fn handle_timeout(&mut self, now: Instant) {
        for expired in self.gate.expire(now) {
            self.fallback(expired.turn);
        }
        if let Phase::Login { since } = self.phase
            && now.saturating_duration_since(since) >= LOGIN_PATIENCE
        {
            let patience = LOGIN_PATIENCE.as_secs();
            self.refuse(format!("the referee did not answer the login within {patience} s"));
        }
    }

    fn handle_shutdown(&mut self, _now: Instant) {
        for open in self.gate.close_all() {
            self.fallback(open.turn);
        }
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.transmits.pop_front()
    }

    fn poll_event(&mut self) -> Option<Event<Briefing, Percept>> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let login = match self.phase {
            Phase::Login { since } => Some(since + LOGIN_PATIENCE),
            Phase::Offline | Phase::Refused | Phase::Seated | Phase::Over => None,
        };
        self.gate.next_due().into_iter().chain(login).min()
    }

    fn round_trip(&self) -> Option<Duration> {
        self.margin.round_trip()
    }

    fn referee_clock(&self) -> Option<Origin> {
        self.clock
    }

    fn retold(&self) -> Option<Vec<Heard>> {
        let is_open = self.gate.open_turn(self.agent).is_some();
        let seated = self.phase == Phase::Seated;
        seated.then(|| self.retelling.tell(is_open, self.frames.partial())).flatten()
    }
}
