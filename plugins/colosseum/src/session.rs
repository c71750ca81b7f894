//! One agent's connection to the referee, as a state machine (spec sections 3 to 5 and 13).
//!
//! ```text
//! connected ─▶ set_agent_id ─▶ ping ─▶ config ─▶ state … state ─▶ stop
//!   (each line is answered by one line; a state by the team's action, or by the fallback at due)
//! ```
//!
//! The referee does not match replies to messages: whatever we write is the answer to its newest
//! line. So a reply whose message was overtaken by another one is never sent. The order of the
//! messages is not relied on, and any of them may share a line.

mod fallback;

use crate::action::Action;
use crate::percept::{MatchConfig, Percept, StateScene};
use crate::rules::Id;
use crate::wire::{LINE_BYTES_MAX, RefereeLine, ReplyLine};
pub(crate) use fallback::fallback;
use phalanx_game::{
    AgentId, DefaultCause, Event, Late, Margin, Notice, ProtocolError, Seat, Turn, TurnGate,
};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The referee gives up after 5 seconds; ours must be on its way before.
pub const REPLY_MAX: Duration = Duration::from_millis(4500);

/// What is kept of a line that is too long, for the journal.
const KEPT_BYTES: usize = 400;

/// The turn that waits for an answer.
#[derive(Debug)]
struct UnansweredTurn {
    turn: Turn,
    fallback: Action,
    /// The same line also asked whether we live.
    pong: bool,
}

/// The protocol of one seat.
#[derive(Debug)]
pub struct Session {
    seat: Seat,
    buffer: Vec<u8>,
    /// The rest of a line that is too long is skipped.
    skipping: bool,
    id: Option<(Id, String)>,
    config: Arc<MatchConfig>,
    agents: Arc<[Id]>,
    /// The running round, and the next one's number.
    live: Option<u32>,
    next: u32,
    /// The last epoch, for referees that do not count.
    epoch: u32,
    score: f64,
    over: bool,
    gate: TurnGate,
    margin: Margin,
    open: Option<UnansweredTurn>,
    transmits: VecDeque<Vec<u8>>,
    events: VecDeque<Event<MatchConfig, Percept>>,
}

impl Session {
    /// A session for a seat.
    #[must_use]
    pub fn new(seat: &Seat) -> Self {
        Self {
            seat: seat.clone(),
            buffer: Vec::new(),
            skipping: false,
            id: None,
            config: Arc::default(),
            agents: Arc::from([]),
            live: None,
            next: 0,
            epoch: 0,
            score: 0.0,
            over: false,
            gate: TurnGate::default(),
            margin: Margin::new(seat.margin),
            open: None,
            transmits: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// The agent of this connection.
    fn agent(&self) -> AgentId {
        self.seat.agents.first().map_or(AgentId(0), |(agent, _)| *agent)
    }

    fn reply(&mut self, reply: ReplyLine<'_>) {
        let id = self.id.as_ref().map(|(_, literal)| literal.as_str());
        let line = ReplyLine { id, ..reply }.line();
        self.transmits.push_back(line);
    }

    fn line(&mut self, line: &[u8], now: Instant) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        self.overtaken();
        match RefereeLine::read(line) {
            Ok(message) => self.message(message, now),
            Err(error) => self.malformed(error),
        }
    }

    /// A line that makes no sense still waits for its answer.
    fn malformed(&mut self, error: ProtocolError) {
        self.events.push_back(Event::Notice(Notice::Malformed(error)));
        self.reply(ReplyLine { action: Some(&Action::Nothing), ..ReplyLine::default() });
    }

    /// A new line: the referee no longer waits for an answer to the one before.
    fn overtaken(&mut self) {
        self.open = None;
        for gone in self.gate.close_all() {
            self.defaulted(gone.turn, DefaultCause::Superseded);
        }
    }

    fn defaulted(&mut self, turn: Turn, cause: DefaultCause) {
        let agent = self.agent();
        self.events.push_back(Event::Defaulted { turn, agent, cause });
    }

    fn message(&mut self, message: RefereeLine, now: Instant) {
        let introduced = message.set_agent_id.is_some();
        if let Some((id, literal)) = message.set_agent_id {
            self.id = Some((id.into(), literal));
            self.events.push_back(Event::Seated { agents: vec![self.agent()] });
        }
        if let Some(config) = &message.config {
            self.config = Arc::new(MatchConfig::read(config));
            self.begin(Some(MatchConfig::clone(&self.config)));
        }
        if let Some(kind) = &message.unknown {
            let kind = phalanx_game::excerpt(kind.as_bytes());
            self.events.push_back(Event::Notice(Notice::Unknown { kind }));
        }
        if message.stop.is_some() {
            self.reply(ReplyLine { pong: message.ping, ..ReplyLine::default() });
            return self.stop();
        }
        match message.state {
            Some(state) => self.state(&state, message.ping, now),
            None => {
                let name = self.seat.agents.first().map(|(_, name)| name.clone());
                let name = name.as_deref().filter(|_| introduced);
                self.reply(ReplyLine { name, pong: message.ping, ..ReplyLine::default() });
            }
        }
    }

    fn begin(&mut self, briefing: Option<MatchConfig>) {
        self.finish();
        let round = self.next;
        (self.live, self.next, self.epoch) = (Some(round), round.saturating_add(1), 0);
        (self.score, self.over) = (0.0, false);
        let agent = self.agent();
        self.events.push_back(Event::RoundStarted { agent, round, briefing });
    }

    fn finish(&mut self) {
        let Some(round) = self.live.take() else { return };
        #[expect(clippy::cast_possible_truncation, reason = "scores are small; the cast saturates")]
        let score = self.score.floor() as i64;
        let agent = self.agent();
        self.events.push_back(Event::RoundOver { agent, round, score, ranking: None });
    }

    fn stop(&mut self) {
        self.finish();
        if !self.over {
            self.over = true;
            self.events.push_back(Event::MatchOver);
        }
    }

    fn state(&mut self, state: &Map<String, Value>, pong: bool, now: Instant) {
        if self.live.is_none() {
            self.begin(None);
        }
        let told = state.get("epoch").and_then(Value::as_u64);
        let told = told.and_then(|epoch| u32::try_from(epoch).ok());
        // Turns must grow, whatever the referee counts.
        self.epoch = told.unwrap_or_default().max(self.epoch.saturating_add(1));
        self.know_agents(state);
        let me = self.id.as_ref().map_or_else(|| Id::from(""), |(id, _)| id.clone());
        let (config, agents) = (Arc::clone(&self.config), Arc::clone(&self.agents));
        let scene = Arc::new(StateScene::read(state));
        let percept = Percept { epoch: self.epoch, me, agents, config, scene };
        self.score = percept.score();
        let turn = Turn::new(self.live.unwrap_or_default(), self.epoch);
        let (agent, due) = (self.agent(), now + self.window());
        self.open = Some(UnansweredTurn { turn, fallback: fallback(&percept), pong });
        self.gate.open(agent, turn, due);
        self.events.push_back(Event::Asked { turn, agent, due, percept });
    }

    fn know_agents(&mut self, state: &Map<String, Value>) {
        let ids = state.get("agent_ids").and_then(Value::as_array).into_iter().flatten();
        let ids: Vec<Id> = ids.filter_map(Value::as_str).map(Id::from).collect();
        if *ids != *self.agents {
            self.agents = ids.into();
        }
    }

    /// The time from a state to our answer.
    fn window(&self) -> Duration {
        let told = self.config.step_limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        let limit = told.filter(|limit| !limit.is_zero()).unwrap_or(REPLY_MAX).min(REPLY_MAX);
        let window = limit.min(self.seat.turn_limit);
        window.saturating_sub(self.margin.of(window))
    }

    /// Answers the open turn, if it is that one.
    fn answer(&mut self, turn: Turn, action: Option<&Action>) {
        let Some(open) = self.open.take_if(|open| open.turn == turn) else { return };
        let action = action.unwrap_or(&open.fallback);
        self.reply(ReplyLine { pong: open.pong, action: Some(action), ..ReplyLine::default() });
    }
}

impl phalanx_game::Session for Session {
    type Briefing = MatchConfig;
    type Percept = Percept;
    type Action = Action;

    /// A new process of ours: the referee tells everything anew.
    fn handle_connected(&mut self, _now: Instant) {
        self.finish();
        self.buffer.clear();
        (self.skipping, self.id, self.config) = (false, None, Arc::default());
    }

    fn handle_disconnected(&mut self, _now: Instant) {
        self.buffer.clear();
        self.open = None;
        for gone in self.gate.close_all() {
            self.defaulted(gone.turn, DefaultCause::Disconnected);
        }
    }

    fn handle_input(&mut self, bytes: &[u8], now: Instant) -> Result<(), ProtocolError> {
        let mut pieces = bytes.split(|byte| *byte == b'\n');
        // The last piece has no end yet.
        let rest = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.buffer.extend_from_slice(piece);
            let line = std::mem::take(&mut self.buffer);
            if std::mem::take(&mut self.skipping) || line.len() > LINE_BYTES_MAX {
                self.overtaken();
                let head = line.get(..LINE_BYTES_MAX.min(line.len())).unwrap_or_default();
                let expected = format!("at most {LINE_BYTES_MAX} bytes");
                self.malformed(ProtocolError::new("line", expected, head));
            } else {
                self.line(&line, now);
            }
        }
        self.buffer.extend_from_slice(rest);
        if self.buffer.len() > LINE_BYTES_MAX {
            self.skipping = true;
            self.buffer.truncate(KEPT_BYTES);
        }
        Ok(())
    }

    fn handle_action(&mut self, turn: Turn, agent: AgentId, action: &Action) -> Result<(), Late> {
        self.gate.answer(agent, turn)?;
        self.answer(turn, Some(action));
        Ok(())
    }

    fn handle_timeout(&mut self, now: Instant) {
        for gone in self.gate.expire(now) {
            self.answer(gone.turn, None);
            self.defaulted(gone.turn, DefaultCause::NoDecision);
        }
    }

    fn handle_shutdown(&mut self, _now: Instant) {
        for gone in self.gate.close_all() {
            self.answer(gone.turn, None);
            self.defaulted(gone.turn, DefaultCause::NoDecision);
        }
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.transmits.pop_front()
    }

    fn poll_event(&mut self) -> Option<Event<MatchConfig, Percept>> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.gate.next_due()
    }

    /// The referee's lines do not let it be measured.
    fn round_trip(&self) -> Option<Duration> {
        self.margin.round_trip()
    }
}
