//! One account's connection to the referee, as a state machine (spec sections 2 to 5).
//!
//! ```text
//! connected ─▶ login ─ ok ─▶ seated ─ request-action ─▶ asked ─ answer or due ─▶ seated
//!                └─ fail ─▶ refused            sim-end ─▶ round over       bye ─▶ over
//! ```
//!
//! Which simulation a request belongs to is decided in `rounds`.
//!
//! The original referee stops reading a connection for good when it meets something that it cannot
//! read, and says nothing. Two answers in a row that were not counted are taken for that: the
//! connection is opened anew, which heals it.
//!
//! A request that was held up on its way leaves less time than its deadline says: the session
//! subtracts what it was slower than the fastest of the last requests ([`DeadlineClock`]).

mod rounds;

use crate::action::Action;
use crate::percept::{Briefing, Percept};
use crate::wire::{self, Request, ServerBody, ServerMessage};
use phalanx_game::{
    AgentId, DeadlineClock, DefaultCause, Event, Heard, Late, Margin, Notice, NulFrames, Origin,
    ProtocolError, Retelling, Seat, Turn, TurnGate,
};
use rounds::{Begun, Rounds};
use smol_str::SmolStr;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A stream without a NUL for this many bytes has lost its framing.
pub const FRAME_BYTES_MAX: usize = 4 << 20;

/// How long a referee may take to answer the login.
pub const LOGIN_PATIENCE: Duration = Duration::from_secs(10);

/// Answers in a row that were not counted until the connection is opened anew.
pub const LOST_MAX: u32 = 2;

/// The longest id that is looked for in a frame that cannot be read, in digits.
const ID_DIGITS_MAX: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Offline,
    Login { since: Instant },
    Refused,
    Seated,
    Over,
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
    /// The id of the open turn's request.
    id: SmolStr,
    /// The turn whose answer left on this connection last.
    answered: Option<Turn>,
    /// Answers in a row that were not counted.
    lost: u32,
    /// The team's score as it was told last.
    score: i64,
    /// What the referee's clock showed last.
    clock: Option<Origin>,
    hangup: Option<String>,
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
            id: SmolStr::default(),
            answered: None,
            lost: 0,
            score: 0,
            clock: None,
            hangup: None,
            transmits: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    fn frame(&mut self, frame: &[u8], now: Instant) {
        if self.phase == Phase::Over {
            return;
        }
        match wire::decode_server(frame) {
            Ok(message) => {
                self.keep(&message.body, frame, now);
                self.message(message, now);
            }
            Err(error) => {
                self.malformed(error);
                self.rescue(frame);
            }
        }
    }

    /// Keeps what a successor on this connection would have to hear.
    fn keep(&mut self, message: &ServerBody, frame: &[u8], now: Instant) {
        match message {
            ServerBody::AuthResponse { .. } => self.retelling.login(frame, now),
            ServerBody::SimStart(_) => self.retelling.start(frame, now),
            ServerBody::RequestAction(_) => self.retelling.request(frame, now),
            ServerBody::SimEnd { .. } => self.retelling.end(),
            ServerBody::Bye | ServerBody::Unknown { .. } => {}
        }
    }

    fn malformed(&mut self, error: ProtocolError) {
        self.events.push_back(Event::Notice(Notice::Malformed(error)));
    }

    /// Answers a request that cannot be read, when its id can be found all the same.
    fn rescue(&mut self, frame: &[u8]) {
        let text = String::from_utf8_lossy(frame);
        if self.phase != Phase::Seated || !text.contains("request-action") {
            return;
        }
        let Some(id) = find_id(&text) else { return };
        self.close_open(DefaultCause::Superseded);
        self.answered = None;
        self.transmits.push_back(wire::encode_action(id, &Action::Recharge));
    }

    fn message(&mut self, message: ServerMessage, now: Instant) {
        let told = message.timestamp.and_then(|told| u64::try_from(told).ok());
        if let Some(unix_ms) = told.filter(|ms| *ms > 0) {
            self.clock = Some(Origin { instant: now, unix_ms });
        }
        match message.body {
            ServerBody::AuthResponse { result } => self.logged_in(&result, now),
            ServerBody::SimStart(briefing) => {
                let begun = self.rounds.sim_start(briefing);
                self.begun(begun);
            }
            ServerBody::RequestAction(request) => self.request(request, message.timestamp, now),
            ServerBody::SimEnd { score, ranking } => self.sim_end(score, ranking),
            ServerBody::Bye => {
                self.close_open(DefaultCause::Superseded);
                self.phase = Phase::Over;
                self.events.push_back(Event::MatchOver);
            }
            ServerBody::Unknown { kind } => {
                let kind = phalanx_game::excerpt(kind.as_bytes());
                self.events.push_back(Event::Notice(Notice::Unknown { kind }));
            }
        }
    }

    fn logged_in(&mut self, result: &str, now: Instant) {
        let Phase::Login { since } = self.phase else {
            let expected = "no answer to a login that nobody sent";
            let error = ProtocolError::new("auth-response", expected, result.as_bytes());
            return self.malformed(error);
        };
        self.margin.measured(now.saturating_duration_since(since));
        if result.eq_ignore_ascii_case("ok") {
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

    fn begun(&mut self, begun: Option<Begun>) {
        let Some(Begun { round, briefing, anew }) = begun else { return };
        if anew {
            self.close_open(DefaultCause::Superseded);
            self.answered = None;
            self.score = 0;
        }
        self.events.push_back(Event::RoundStarted { agent: self.agent, round, briefing });
    }

    fn request(&mut self, request: Request, timestamp: Option<i64>, now: Instant) {
        let Request { id, deadline, percept } = request;
        let (round, begun) = self.rounds.request(&id, percept.step);
        self.begun(begun);
        let turn = Turn::new(round, percept.step);
        if self.gate.open_turn(self.agent) == Some(turn) {
            // The same request again: the first one stands.
            return;
        }
        self.judge_last_answer(turn, &percept);
        self.score = percept.team.score.unwrap_or(self.score);
        let times = (timestamp, deadline);
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
        // "invalid" is the word of 2011.
        if !matches!(percept.me.last_action.as_str(), "noAction" | "invalid") {
            self.lost = 0;
            self.margin.answered();
            return;
        }
        self.margin.missed();
        self.events.push_back(Event::Notice(Notice::AnswerLost { turn: answered }));
        self.lost += 1;
        if self.lost >= LOST_MAX {
            self.lost = 0;
            let reason = format!("{LOST_MAX} answers in a row were not counted");
            self.hangup = Some(reason);
        }
    }

    fn sim_end(&mut self, score: Option<i64>, ranking: Option<u32>) {
        let Some(round) = self.rounds.end() else {
            let error = ProtocolError::new("sim-end", "a running simulation", b"none");
            return self.malformed(error);
        };
        self.close_open(DefaultCause::Superseded);
        self.answered = None;
        let score = score.unwrap_or(self.score);
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

    /// Recharging is never worse than doing nothing.
    fn fallback(&mut self, turn: Turn) {
        self.send(turn, &Action::Recharge);
        self.defaulted(turn, DefaultCause::NobodyDecided);
    }

    fn send(&mut self, turn: Turn, action: &Action) {
        self.transmits.push_back(wire::encode_action(&self.id, action));
        self.answered = Some(turn);
    }

    /// What a connection leaves behind when it ends or another begins.
    fn forget_connection(&mut self) {
        self.frames.clear();
        self.retelling.clear();
        self.deadlines.reset();
        self.transmits.clear();
        self.answered = None;
        self.lost = 0;
        self.hangup = None;
        self.close_open(DefaultCause::Disconnected);
    }
}

/// The first id in a text that is no document.
fn find_id(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(" id=")?;
    let rest = rest.strip_prefix(['"', '\''])?;
    let id = rest.split(['"', '\'']).next()?;
    let digits = (1..=ID_DIGITS_MAX).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_digit());
    digits.then_some(id)
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

    fn poll_hangup(&mut self) -> Option<String> {
        self.hangup.take()
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
