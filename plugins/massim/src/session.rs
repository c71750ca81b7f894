//! One account's connection to the referee, as a state machine.
//!
//! ```text
//! connected ─▶ login ─ ok ─▶ seated ─ request-action ─▶ asked ─ answer or due ─▶ seated
//!                └─ fail ─▶ refused            sim-end ─▶ round over       bye ─▶ over
//! ```
//!
//! A request that was held up on its way leaves less time than its deadline says: the session
//! subtracts what it was slower than the fastest of the last requests ([`DeadlineClock`]).

use crate::rounds::{RoundStart, RoundTracker, StartMessage};
use phalanx_game::{
    AgentId, DeadlineClock, DefaultCause, Event, Late, Margin, Notice, NulFrames, Origin,
    ProtocolError, ResumeFrame, ResumeFrames, Seat, Session, Turn, TurnGate,
};
use std::collections::VecDeque;
use std::fmt::Debug;
use std::time::{Duration, Instant};

/// A stream without a NUL for this many bytes has lost its framing.
pub const FRAME_BYTES_MAX: usize = 4 << 20;

/// How long a referee may take to answer the login.
pub const LOGIN_PATIENCE: Duration = Duration::from_secs(10);

/// What a contest adds to the session: its codec, and where it differs from the other one.
pub trait SessionProtocol: Debug + Send + Sized + 'static {
    /// The start message of a simulation.
    type Briefing: StartMessage + Debug + Send;
    /// What a request tells the agent.
    type Percept: Debug + Send;
    /// An answer.
    type Action: Clone + Debug + Send;
    /// What a request and its answer are matched by.
    type RequestId: Clone + Debug + Default + Send;

    /// The answer when the team sends none in time.
    const FALLBACK: Self::Action;

    /// The session hangs up after this many answers in a row that the referee did not count.
    const LOST_MAX: Option<u32>;

    /// Whether a round is announced again when its start message comes after its first request.
    const ANNOUNCES_LATE_START: bool;

    /// Reads a frame, without its NUL. Returns also when it was sent, in Unix milliseconds on the
    /// referee's clock.
    ///
    /// # Errors
    /// What was expected and what came.
    fn decode(frame: &[u8]) -> Result<(Option<i64>, RefereeMessage<Self>), ProtocolError>;

    /// The login, with its NUL.
    fn encode_auth(user: &str, password: &str) -> Vec<u8>;

    /// An answer, with its NUL.
    fn encode_action(id: &Self::RequestId, action: &Self::Action) -> Vec<u8>;

    /// Whether the percept shows that the referee counted the answer of the step before.
    fn counted_last_answer(percept: &Self::Percept) -> bool;

    /// The fallback to a request that cannot be read, if its id can be found all the same.
    fn answer_unreadable(frame: &[u8]) -> Option<Vec<u8>> {
        let _ = frame;
        None
    }
}

/// What the referee sends.
#[derive(Debug)]
pub enum RefereeMessage<P: SessionProtocol> {
    /// The answer to the login.
    Login {
        /// Whether the referee accepted it.
        accepted: bool,
        /// The referee's word.
        result: String,
    },
    /// A simulation begins.
    SimStart(P::Briefing),
    /// The referee wants an action.
    Request(ActionRequest<P>),
    /// The simulation is over.
    SimEnd {
        /// The team's score, when it came.
        score: Option<i64>,
        /// The team's rank from 1, when it came.
        ranking: Option<u32>,
    },
    /// The tournament is over.
    Bye,
    /// A kind that the session does not expect.
    Unexpected(String),
}

/// A request for an action.
#[derive(Debug)]
pub struct ActionRequest<P: SessionProtocol> {
    /// To be copied into the answer.
    pub id: P::RequestId,
    /// The id less the step, where ids are numbers: it is the same in a whole simulation.
    pub base: Option<i64>,
    /// The step, from 0.
    pub step: u32,
    /// Until when the answer counts, in Unix milliseconds on the referee's clock.
    pub deadline: Option<i64>,
    /// The team's score, when it came.
    pub score: Option<i64>,
    /// What the agent perceives.
    pub percept: P::Percept,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionPhase {
    Offline,
    Login { since: Instant },
    Refused,
    Seated,
    Over,
}

/// The protocol of one seat.
#[derive(Debug)]
pub struct MassimSession<P: SessionProtocol> {
    seat: Seat,
    agent: AgentId,
    phase: SessionPhase,
    frames: NulFrames,
    resume_frames: ResumeFrames,
    gate: TurnGate,
    margin: Margin,
    deadlines: DeadlineClock,
    rounds: RoundTracker<P::Briefing>,
    /// The id of the open turn's request.
    id: P::RequestId,
    /// The turn whose answer left on this connection last.
    answered: Option<Turn>,
    /// Answers in a row that the referee did not count.
    lost: u32,
    /// The team's last known score in the running round.
    score: i64,
    /// What the referee's clock showed last.
    clock: Option<Origin>,
    hangup: Option<String>,
    transmits: VecDeque<Vec<u8>>,
    events: VecDeque<Event<P::Briefing, P::Percept>>,
}

impl<P: SessionProtocol> MassimSession<P> {
    /// A session for a seat; it carries the seat's first agent.
    #[must_use]
    pub fn new(seat: &Seat) -> Self {
        let agent = seat.agents.first().map_or(AgentId(seat.id.0), |(agent, _)| *agent);
        Self {
            seat: seat.clone(),
            agent,
            phase: SessionPhase::Offline,
            frames: NulFrames::default(),
            resume_frames: ResumeFrames::default(),
            gate: TurnGate::default(),
            margin: Margin::new(seat.margin),
            deadlines: DeadlineClock::default(),
            rounds: RoundTracker::default(),
            id: P::RequestId::default(),
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
        if self.phase == SessionPhase::Over {
            return;
        }
        match P::decode(frame) {
            Ok((sent, message)) => {
                self.keep(&message, frame, now);
                let unix_ms = sent.and_then(|sent| u64::try_from(sent).ok());
                if let Some(unix_ms) = unix_ms.filter(|ms| *ms > 0) {
                    self.clock = Some(Origin { instant: now, unix_ms });
                }
                self.message(message, sent, now);
            }
            Err(error) => {
                self.malformed(error);
                self.answer_unreadable(frame);
            }
        }
    }

    /// Keeps the frames that another process needs to take over this connection.
    fn keep(&mut self, message: &RefereeMessage<P>, frame: &[u8], now: Instant) {
        match message {
            RefereeMessage::Login { .. } => self.resume_frames.login(frame, now),
            RefereeMessage::SimStart(_) => self.resume_frames.start(frame, now),
            RefereeMessage::Request(_) => self.resume_frames.request(frame, now),
            RefereeMessage::SimEnd { .. } => self.resume_frames.end(),
            RefereeMessage::Bye | RefereeMessage::Unexpected(_) => {}
        }
    }

    fn malformed(&mut self, error: ProtocolError) {
        self.events.push_back(Event::Notice(Notice::Malformed(error)));
    }

    fn answer_unreadable(&mut self, frame: &[u8]) {
        if self.phase == SessionPhase::Seated
            && let Some(fallback) = P::answer_unreadable(frame)
        {
            self.close_open(DefaultCause::Superseded);
            self.answered = None;
            self.transmits.push_back(fallback);
        }
    }

    fn message(&mut self, message: RefereeMessage<P>, sent: Option<i64>, now: Instant) {
        match message {
            RefereeMessage::Login { accepted, result } => {
                if let Some(sent) = sent {
                    self.deadlines.logged_in(sent, now);
                }
                self.logged_in(accepted, &result, now);
            }
            RefereeMessage::SimStart(briefing) => {
                self.let_in();
                let start = self.rounds.sim_start(briefing);
                self.round_started(start);
            }
            RefereeMessage::Request(request) => {
                self.let_in();
                self.request(request, sent, now);
            }
            RefereeMessage::SimEnd { score, ranking } => self.sim_end(score, ranking),
            RefereeMessage::Bye => {
                self.close_open(DefaultCause::Superseded);
                self.phase = SessionPhase::Over;
                self.events.push_back(Event::MatchOver);
            }
            RefereeMessage::Unexpected(kind) => {
                self.events.push_back(Event::Notice(Notice::Unknown { kind }));
            }
        }
    }

    fn logged_in(&mut self, accepted: bool, result: &str, now: Instant) {
        let SessionPhase::Login { since } = self.phase else {
            let expected = "no answer to a login that was not sent";
            let error = ProtocolError::new("auth-response", expected, result.as_bytes());
            return self.malformed(error);
        };
        self.margin.measured(now.saturating_duration_since(since));
        if accepted {
            self.phase = SessionPhase::Seated;
            self.events.push_back(Event::Seated { agents: vec![self.agent] });
        } else {
            let result = phalanx_game::excerpt(result.as_bytes());
            let user = &self.seat.user;
            self.refuse(format!("the referee answered {result:?} to the login of {user:?}"));
        }
    }

    /// A referee that plays with this connection has accepted the login, even if its answer to it
    /// was lost.
    fn let_in(&mut self) {
        if let SessionPhase::Login { .. } = self.phase {
            self.phase = SessionPhase::Seated;
            self.events.push_back(Event::Seated { agents: vec![self.agent] });
        }
    }

    fn refuse(&mut self, reason: String) {
        self.phase = SessionPhase::Refused;
        self.events.push_back(Event::Refused { reason });
    }

    fn round_started(&mut self, start: Option<RoundStart<P::Briefing>>) {
        let Some(RoundStart { round, start: briefing, is_new }) = start else { return };
        if is_new {
            self.close_open(DefaultCause::Superseded);
            self.answered = None;
            self.score = 0;
        }
        if is_new || P::ANNOUNCES_LATE_START {
            self.events.push_back(Event::RoundStarted { agent: self.agent, round, briefing });
        }
    }

    fn request(&mut self, request: ActionRequest<P>, sent: Option<i64>, now: Instant) {
        let ActionRequest { id, base, step, deadline, score, percept } = request;
        let (round, start) = self.rounds.request(base, step);
        self.round_started(start);
        let turn = Turn::new(round, step);
        if self.gate.open_turn(self.agent) == Some(turn) {
            // A referee may repeat a pending request after a login; the first one counts.
            return;
        }
        self.judge_last_answer(turn, &percept);
        self.score = score.unwrap_or(self.score);
        let times = (sent, deadline);
        let due = self.deadlines.due(times, self.seat.turn_limit, &self.margin, now);
        if let Some(old) = self.gate.open(self.agent, turn, due) {
            self.defaulted(old.turn, DefaultCause::Superseded);
        }
        self.id = id;
        self.events.push_back(Event::Asked { turn, agent: self.agent, due, percept });
    }

    /// Learns from the percept whether the referee counted the answer of the step before.
    fn judge_last_answer(&mut self, turn: Turn, percept: &P::Percept) {
        let Some(answered) = self.answered.take() else { return };
        let follows =
            answered.round == turn.round && answered.step.checked_add(1) == Some(turn.step);
        if !follows {
            return;
        }
        if P::counted_last_answer(percept) {
            self.lost = 0;
            self.margin.answered();
            return;
        }
        self.margin.missed();
        self.events.push_back(Event::Notice(Notice::AnswerLost { turn: answered }));
        self.lost += 1;
        if let Some(most) = P::LOST_MAX.filter(|most| self.lost >= *most) {
            self.lost = 0;
            self.hangup = Some(format!("{most} answers in a row were not counted"));
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

    fn fallback(&mut self, turn: Turn) {
        self.send(turn, &P::FALLBACK);
        self.defaulted(turn, DefaultCause::NoDecision);
    }

    fn send(&mut self, turn: Turn, action: &P::Action) {
        self.transmits.push_back(P::encode_action(&self.id, action));
        self.answered = Some(turn);
    }

    /// Clears what belongs to one connection when it ends or another begins.
    fn reset_connection(&mut self) {
        self.frames.clear();
        self.resume_frames.clear();
        self.deadlines.reset();
        self.transmits.clear();
        self.answered = None;
        self.lost = 0;
        self.hangup = None;
        self.close_open(DefaultCause::Disconnected);
    }
}

impl<P: SessionProtocol> Session for MassimSession<P> {
    type Briefing = P::Briefing;
    type Percept = P::Percept;
    type Action = P::Action;

    fn set_password(&mut self, password: &str) {
        password.clone_into(&mut self.seat.password);
    }

    fn handle_connected(&mut self, now: Instant) {
        self.reset_connection();
        self.phase = SessionPhase::Login { since: now };
        self.transmits.push_back(P::encode_auth(&self.seat.user, &self.seat.password));
    }

    fn handle_disconnected(&mut self, _now: Instant) {
        self.reset_connection();
        if self.phase != SessionPhase::Over {
            self.phase = SessionPhase::Offline;
        }
    }

    fn handle_input(&mut self, bytes: &[u8], now: Instant) -> Result<(), ProtocolError> {
        // Taken out, because each message changes the rest of the session.
        let mut frames = std::mem::take(&mut self.frames);
        let fed = frames.feed(bytes, FRAME_BYTES_MAX, |frame| self.frame(frame, now));
        self.frames = frames;
        fed
    }

    fn handle_action(
        &mut self,
        turn: Turn,
        agent: AgentId,
        action: &P::Action,
    ) -> Result<(), Late> {
        self.gate.answer(agent, turn)?;
        self.send(turn, action);
        Ok(())
    }

    fn handle_timeout(&mut self, now: Instant) {
        for expired in self.gate.expire(now) {
            self.fallback(expired.turn);
        }
        if let SessionPhase::Login { since } = self.phase
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

    fn poll_event(&mut self) -> Option<Event<P::Briefing, P::Percept>> {
        self.events.pop_front()
    }

    fn poll_hangup(&mut self) -> Option<String> {
        self.hangup.take()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let login = match self.phase {
            SessionPhase::Login { since } => Some(since + LOGIN_PATIENCE),
            SessionPhase::Offline
            | SessionPhase::Refused
            | SessionPhase::Seated
            | SessionPhase::Over => None,
        };
        self.gate.next_due().into_iter().chain(login).min()
    }

    fn round_trip(&self) -> Option<Duration> {
        self.margin.round_trip()
    }

    fn referee_clock(&self) -> Option<Origin> {
        self.clock
    }

    fn resume_frames(&self) -> Option<Vec<ResumeFrame>> {
        let is_open = self.gate.open_turn(self.agent).is_some();
        let seated = self.phase == SessionPhase::Seated;
        seated.then(|| self.resume_frames.tell(is_open, self.frames.partial())).flatten()
    }
}
