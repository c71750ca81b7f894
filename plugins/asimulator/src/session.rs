//! The connection to a simulator, as a state machine (spec sections 2 and 5).
//!
//! ```text
//! offline ─ connected: info byte ─▶ rules ─▶ first percept ─▶ known tiles ─▶ our turn
//!    our turn ─ symbols, text, action ─▶ percept ─ without End ─▶ our turn
//!                                         └─ with End ─▶ score ─▶ rules     rules ─ closed ─▶ over
//! ```
//!
//! A person may pause the simulator at any time, so silence is never a fault. A simulation that a
//! lost connection cuts short has no score; the next one begins with new rules.

mod options;

pub use options::{BoundsOption, ClientOptions, DETECT_QUIET, NeighbourhoodOption, OnUnacceptable};

use crate::action::Action;
use crate::percept::{Briefing, Opening, Percept};
use crate::rules::{Cell, OpeningRules, ScoreAccount, Senses, TurnAction};
use crate::wire::{self, DETECT_BYTES_MIN, Dialect, KnownTile, TILES_MAX};
use phalanx_game::{
    AgentId, DefaultCause, Event, Late, Notice, ProtocolError, Seat, Turn, TurnGate,
};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most bytes that wait to be read: the longest opening and more.
pub const INPUT_BYTES_MAX: usize = 1 << 16;

/// After this number of fallback answers in a row the agent shuts off.
pub const IDLE_TURNS_MAX: u32 = 8;

/// Wrong final scores in a row after which the rules are taken to be misread.
const MISMATCHES_MAX: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeatPhase {
    Offline,
    Rules,
    First,
    Tiles,
    Turn,
    Percept,
    Score,
    /// Nothing more is expected of this connection.
    Done,
}

impl SeatPhase {
    fn word(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Rules => "rules",
            Self::First => "first percept",
            Self::Tiles => "known tiles",
            Self::Turn => "our turn",
            Self::Percept => "percept",
            Self::Score => "final score",
            Self::Done => "after the end",
        }
    }
}

/// The protocol of one seat.
#[derive(Debug)]
pub struct Session {
    agent: AgentId,
    turn_limit: Duration,
    options: ClientOptions,
    /// How this connection writes; `None` until it is detected.
    dialect: Option<Dialect>,
    phase: SeatPhase,
    gate: TurnGate,
    /// Bytes that came, and how many of them are read.
    input: Vec<u8>,
    read: usize,
    /// Bytes of this connection that were read and dropped from `input`.
    offset: u64,
    /// When the line has been quiet for long enough to detect how it is written.
    quiet_at: Option<Instant>,
    /// When a percept is overdue.
    percept_due: Option<Instant>,
    opening: Opening,
    ledger: ScoreAccount,
    senses: Senses,
    doing: Option<TurnAction>,
    turn: Turn,
    finished: u32,
    idle: u32,
    mismatches: u32,
    unused_reported: bool,
    hangup: Option<String>,
    events: VecDeque<Event<Briefing, Percept>>,
    transmits: VecDeque<Vec<u8>>,
}

impl Session {
    /// A session for a seat, whose first agent plays.
    #[must_use]
    pub fn new(seat: &Seat, options: ClientOptions) -> Self {
        let opening = Opening {
            rules: OpeningRules::default(),
            first: Senses::default(),
            tiles: Vec::new(),
            dialect: options.dialect,
        };
        Self {
            agent: seat.agents.first().map_or(AgentId(0), |(agent, _)| *agent),
            turn_limit: seat.turn_limit,
            dialect: None,
            phase: SeatPhase::Offline,
            gate: TurnGate::default(),
            input: Vec::new(),
            read: 0,
            offset: 0,
            quiet_at: None,
            percept_due: None,
            ledger: ScoreAccount::new(&opening.rules, opening.first),
            opening,
            senses: Senses::default(),
            doing: None,
            turn: Turn::default(),
            finished: 0,
            idle: 0,
            mismatches: 0,
            unused_reported: false,
            hangup: None,
            events: VecDeque::new(),
            transmits: VecDeque::new(),
            options,
        }
    }

    /// How the connection writes, once that is known.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    fn rest(&self) -> &[u8] {
        self.input.get(self.read..).unwrap_or_default()
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let head = *self.rest().first_chunk::<N>()?;
        self.read += N;
        Some(head)
    }

    /// Reads as far as the bytes go.
    fn advance(&mut self, now: Instant) -> Result<(), ProtocolError> {
        let Some(dialect) = self.dialect else { return Ok(()) };
        loop {
            let went_on = match self.phase {
                SeatPhase::Rules => self.read_rules(dialect),
                SeatPhase::First => self.read_first(dialect),
                SeatPhase::Tiles => self.read_tile(dialect, now)?,
                SeatPhase::Percept => self.read_percept(dialect, now),
                SeatPhase::Score => self.read_score(dialect),
                SeatPhase::Turn if !self.rest().is_empty() => {
                    self.out_of_step(now)?;
                    false
                }
                SeatPhase::Turn | SeatPhase::Offline | SeatPhase::Done => false,
            };
            if !went_on {
                self.compact();
                return Ok(());
            }
        }
    }

    /// Drops what is read; a detected opening is kept until the first action, since more bytes may
    /// show that it was read in the wrong way.
    fn compact(&mut self) {
        let doubtful = self.options.detects() && self.finished == 0 && self.doing.is_none();
        if !doubtful {
            self.offset += self.read as u64;
            self.input.drain(..self.read);
            self.read = 0;
        }
    }

    fn read_rules(&mut self, dialect: Dialect) -> bool {
        let Some((rules, length)) = wire::decode_rules(self.rest(), dialect) else { return false };
        self.read += length;
        let (first, tiles) = (Senses::default(), Vec::new());
        self.opening = Opening { rules, first, tiles, dialect };
        self.phase = SeatPhase::First;
        true
    }

    fn read_first(&mut self, dialect: Dialect) -> bool {
        let Some([byte]) = self.take() else { return false };
        self.opening.first = self.senses_of(byte, dialect);
        self.phase = SeatPhase::Tiles;
        true
    }

    fn read_tile(&mut self, dialect: Dialect, now: Instant) -> Result<bool, ProtocolError> {
        if self.rest().first() == Some(&0) {
            self.read += 1;
            self.open(now);
            return Ok(true);
        }
        let Some(entry) = self.take::<3>() else { return Ok(false) };
        if self.opening.tiles.len() >= TILES_MAX {
            let expected = format!("at most {TILES_MAX} tiles before the zero byte");
            return Err(self.error(&expected, &entry));
        }
        let tile = wire::decode_entry(entry, dialect);
        if tile.at == Cell::ZERO {
            let expected = "no entry for the start tile, which the first percept describes";
            self.complain(expected, &entry);
        } else {
            self.check_tile(tile, &entry);
            self.opening.tiles.push(tile);
        }
        Ok(true)
    }

    /// A tile outside of the bounds shows that these bounds are wrong.
    fn check_tile(&mut self, tile: KnownTile, entry: &[u8]) {
        if self.opening.rules.bounds.excludes(tile.at) {
            self.complain("tiles within the announced bounds, which are dropped now", entry);
            self.opening.rules.bounds = crate::rules::Bounds::default();
        }
    }

    /// The opening is complete: a simulation begins.
    fn open(&mut self, now: Instant) {
        self.check_bounds();
        self.ledger = ScoreAccount::new(&self.opening.rules, self.opening.first);
        self.doing = None;
        self.idle = 0;
        let briefing = Some(Arc::new(self.opening.clone()));
        let round = self.turn.round;
        self.turn.step = 0;
        self.events.push_back(Event::RoundStarted { agent: self.agent, round, briefing });
        self.perceive(self.opening.first, now);
    }

    /// Bounds that the start tile is not within are dropped.
    fn check_bounds(&mut self) {
        let bounds = &mut self.opening.rules.bounds;
        let low = |bound: &mut Option<i8>| bound.take_if(|value| *value > 0).is_some();
        let high = |bound: &mut Option<i8>| bound.take_if(|value| *value < 0).is_some();
        let wrong = [
            low(&mut bounds.lower_x),
            high(&mut bounds.upper_x),
            low(&mut bounds.lower_y),
            high(&mut bounds.upper_y),
        ];
        if wrong.contains(&true) {
            self.complain("bounds around the start tile; the others are dropped", b"");
        }
    }

    /// An opening or a score that has begun has to be complete in time, as a percept has: the
    /// simulator waits for us, and bytes that are lost do not come again.
    fn expect_rest(&mut self, now: Instant) {
        let has_begun = match self.phase {
            SeatPhase::Rules => !self.rest().is_empty(),
            SeatPhase::First | SeatPhase::Tiles | SeatPhase::Score => true,
            SeatPhase::Percept | SeatPhase::Turn | SeatPhase::Offline | SeatPhase::Done => return,
        };
        let due = self.options.percept_timeout.map(|limit| now + limit);
        self.percept_due = if has_begun { self.percept_due.or(due) } else { None };
    }

    /// Handles a percept: asks the agent, or reports that the simulation is over.
    fn perceive(&mut self, senses: Senses, now: Instant) {
        self.percept_due = None;
        self.senses = senses;
        let (turn, agent) = (self.turn, self.agent);
        let percept = Percept { senses, after: self.doing, ledger: self.ledger };
        if senses.end {
            self.phase = SeatPhase::Score;
            self.events.push_back(Event::Percept { turn, agent, percept });
            return;
        }
        self.phase = SeatPhase::Turn;
        let due = now + self.turn_limit;
        // At most one turn is open: the action of the last one was sent before this percept came.
        self.gate.open(agent, turn, due);
        self.events.push_back(Event::Asked { turn, agent, due, percept });
    }

    fn read_percept(&mut self, dialect: Dialect, now: Instant) -> bool {
        let Some([byte]) = self.take() else { return false };
        let mut senses = self.senses_of(byte, dialect);
        let act = self.doing.unwrap_or(TurnAction::ShutOff);
        if senses.bump && act != TurnAction::Move {
            self.complain("Bump only after a move", &[byte]);
            senses.bump = false;
        }
        if senses.neutralized && act != TurnAction::Neutralize {
            self.complain("Enemy_Neutralized only after a shot", &[byte]);
            senses.neutralized = false;
        }
        self.ledger.book(&self.opening.rules, act, self.senses, senses);
        self.turn.step += 1;
        self.perceive(senses, now);
        true
    }

    fn senses_of(&mut self, byte: u8, dialect: Dialect) -> Senses {
        let (senses, unused) = wire::decode_senses(byte, dialect);
        if unused && !self.unused_reported {
            self.unused_reported = true;
            self.complain("bit 7 of a percept unused; reported once", &[byte]);
        }
        senses
    }

    fn read_score(&mut self, dialect: Dialect) -> bool {
        let Some(bytes) = self.take() else { return false };
        let score = wire::decode_score(bytes, dialect);
        self.check_score(score);
        let (agent, round) = (self.agent, self.turn.round);
        self.events.push_back(Event::RoundOver {
            agent,
            round,
            score: score.into(),
            ranking: None,
        });
        self.turn = Turn::new(round + 1, 0);
        self.finished += 1;
        self.phase = SeatPhase::Rules;
        true
    }

    /// Compares with our own bookkeeping. Percepts with End may or may not show a home.
    fn check_score(&mut self, score: i32) {
        let home = i32::from(self.opening.rules.home_reward);
        let own = self.ledger.score;
        let likely = [own, own.saturating_add(home), own.saturating_sub(home)].contains(&score);
        if likely || !self.ledger.exact {
            self.mismatches = 0;
            return;
        }
        self.mismatches += 1;
        let hint = if self.mismatches >= MISMATCHES_MAX {
            "; not the first time: check protocol_revision and bit_order"
        } else {
            ""
        };
        let expected = format!("{own} by our own bookkeeping{hint}");
        self.complain(&expected, score.to_string().as_bytes());
    }

    /// Bytes although it is our turn: the line is not written as we read it.
    fn out_of_step(&mut self, now: Instant) -> Result<(), ProtocolError> {
        let first = self.finished == 0 && self.doing.is_none();
        if !(first && self.options.detects()) {
            let got = self.rest().to_vec();
            let expected = "silence: either protocol_revision or bit_order is wrong, \
                            or a danger was sent as a zero byte";
            return Err(self.error(expected, &got));
        }
        for open in self.gate.close_all() {
            let cause = DefaultCause::Superseded;
            self.events.push_back(Event::Defaulted { turn: open.turn, agent: open.agent, cause });
        }
        self.turn = Turn::new(self.turn.round + 1, 0);
        (self.dialect, self.phase, self.read) = (None, SeatPhase::Rules, 0);
        self.quiet_at = Some(now + self.options.quiet);
        Ok(())
    }

    /// The line has been quiet: the burst is one opening.
    fn detect(&mut self, now: Instant) {
        self.quiet_at = None;
        if self.input.len() < DETECT_BYTES_MIN {
            return;
        }
        let found = wire::detect(&self.input, &self.options.candidates());
        let Some(best) = found.first() else {
            self.hangup = Some("the opening fits neither revision in any order of bits".to_owned());
            return;
        };
        self.dialect = Some(best.dialect);
        if let Err(error) = self.advance(now) {
            self.hangup = Some(error.to_string());
        }
    }

    fn error(&self, expected: &str, got: &[u8]) -> ProtocolError {
        let at = self.offset + self.read as u64;
        ProtocolError::new(format!("{}, byte {at}", self.phase.word()), expected, got)
    }

    fn complain(&mut self, expected: &str, got: &[u8]) {
        let notice = Notice::Malformed(self.error(expected, got));
        self.events.push_back(Event::Notice(notice));
    }

    /// Writes symbols, text and action at once.
    fn send(&mut self, action: &Action) {
        let Some(dialect) = self.dialect else { return };
        if action.refusal && self.options.on_unacceptable == OnUnacceptable::Disconnect {
            self.hangup = Some(format!("the rules are not acceptable: {}", action.notes.text()));
        }
        let mut bytes = Vec::new();
        for request in action.requests() {
            wire::encode_request(&request, dialect, &mut bytes);
        }
        self.transmits.push_back(bytes);
        self.doing = Some(action.act);
        self.phase = SeatPhase::Percept;
    }

    /// Answers an open turn for which no decision came.
    fn default(&mut self, turn: Turn, agent: AgentId, act: TurnAction) {
        let cause = DefaultCause::NoDecision;
        self.events.push_back(Event::Defaulted { turn, agent, cause });
        self.send(&act.into());
    }

    fn forget(&mut self) {
        self.transmits.clear();
        self.input.clear();
        (self.read, self.offset) = (0, 0);
        (self.quiet_at, self.percept_due, self.hangup) = (None, None, None);
        for open in self.gate.close_all() {
            let cause = DefaultCause::Disconnected;
            self.events.push_back(Event::Defaulted { turn: open.turn, agent: open.agent, cause });
        }
    }
}

impl phalanx_game::Session for Session {
    type Briefing = Briefing;
    type Percept = Percept;
    type Action = Action;

    fn handle_connected(&mut self, _now: Instant) {
        self.forget();
        (self.finished, self.doing) = (0, None);
        self.phase = SeatPhase::Rules;
        self.dialect = (!self.options.detects()).then_some(self.options.dialect);
        self.transmits.push_back(vec![self.options.dialect.info()]);
        self.events.push_back(Event::Seated { agents: vec![self.agent] });
    }

    fn handle_disconnected(&mut self, _now: Instant) {
        let between = self.phase == SeatPhase::Rules && self.rest().is_empty();
        if between && self.finished > 0 {
            self.events.push_back(Event::MatchOver);
            self.phase = SeatPhase::Done;
        } else if self.phase != SeatPhase::Done {
            if !between && self.phase != SeatPhase::Offline {
                // A connection that goes takes its simulation along. That is no mistake of a message.
                self.turn = Turn::new(self.turn.round + 1, 0);
            }
            self.phase = SeatPhase::Offline;
        }
        self.forget();
    }

    fn handle_input(&mut self, bytes: &[u8], now: Instant) -> Result<(), ProtocolError> {
        if matches!(self.phase, SeatPhase::Offline | SeatPhase::Done) {
            return Ok(());
        }
        if self.input.len() + bytes.len() > INPUT_BYTES_MAX {
            let expected = format!("at most {INPUT_BYTES_MAX} bytes at once");
            return Err(self.error(&expected, bytes));
        }
        self.input.extend_from_slice(bytes);
        if self.dialect.is_none() {
            self.quiet_at = Some(now + self.options.quiet);
        }
        self.advance(now)?;
        self.expect_rest(now);
        Ok(())
    }

    fn handle_action(&mut self, turn: Turn, agent: AgentId, action: &Action) -> Result<(), Late> {
        let due = self.gate.next_due();
        self.gate.answer(agent, turn)?;
        self.idle = 0;
        self.percept_due = due.zip(self.options.percept_timeout).map(|(due, limit)| due + limit);
        self.send(action);
        Ok(())
    }

    fn handle_timeout(&mut self, now: Instant) {
        if self.quiet_at.is_some_and(|at| at <= now) {
            self.detect(now);
        }
        if self.percept_due.is_some_and(|at| at <= now) {
            self.percept_due = None;
            self.hangup = Some("no percept within the configured percept_timeout".to_owned());
        }
        for expired in self.gate.expire(now) {
            self.idle += 1;
            let act =
                if self.idle > IDLE_TURNS_MAX { TurnAction::ShutOff } else { TurnAction::TurnLeft };
            self.percept_due = self.options.percept_timeout.map(|limit| now + limit);
            self.default(expired.turn, expired.agent, act);
        }
    }

    fn handle_shutdown(&mut self, _now: Instant) {
        for open in self.gate.close_all() {
            self.default(open.turn, open.agent, TurnAction::ShutOff);
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
        let instants = [self.gate.next_due(), self.quiet_at, self.percept_due];
        instants.into_iter().flatten().min()
    }

    fn round_trip(&self) -> Option<Duration> {
        None
    }
}
