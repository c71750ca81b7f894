//! Drives a session: keeps its unwritten messages, its events for the team, and the time of each
//! answer. The seat task and matches on a virtual clock both use it; it has no clock and no socket.

use crate::tape::SeatTape;
use crate::{AnswerMeter, SeatAct};
use phalanx_engine::{Input, SeatState};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    AgentId, DefaultCause, Event, Game, Notice, ProtocolError, ResumeFrame, SeatId, Session, Turn,
};
use std::collections::VecDeque;
use std::time::Instant;

#[derive(Debug)]
pub(crate) struct SessionDriver<G: Game> {
    pub(crate) seat: SeatId,
    pub(crate) session: G::Session,
    /// Events for the team, oldest first.
    pub(crate) inputs: VecDeque<Input<G>>,
    /// Messages to write, oldest first.
    pub(crate) outbox: VecDeque<Vec<u8>>,
    /// Bytes in the outbox.
    pub(crate) outbox_bytes: usize,
    /// The seat plays one match after the other, so it stays after a goodbye.
    pub(crate) stays: bool,
    /// The referee ended the match for this seat.
    pub(crate) over: bool,
    /// The referee refused the login on this connection.
    pub(crate) refused: bool,
    /// Why the session wants this connection closed and opened again.
    pub(crate) hangup: Option<String>,
    /// Records what the session receives.
    pub(crate) tape: Option<SeatTape>,
    state: SeatState,
    open: SortedMap<AgentId, Asked>,
    answered: Vec<Answer>,
}

/// An accepted action.
#[derive(Clone, Copy, Debug)]
struct Answer {
    agent: AgentId,
    asked: Asked,
    /// Its message was in the outbox; otherwise the session holds it, or has nothing to send.
    queued: bool,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    turn: Turn,
    at: Instant,
    due: Instant,
}

impl<G: Game> SessionDriver<G> {
    pub(crate) fn new(seat: SeatId, session: G::Session) -> Self {
        Self {
            seat,
            session,
            inputs: VecDeque::new(),
            outbox: VecDeque::new(),
            outbox_bytes: 0,
            stays: false,
            over: false,
            refused: false,
            hangup: None,
            tape: None,
            state: SeatState::Idle,
            open: SortedMap::new(),
            answered: Vec::new(),
        }
    }

    pub(crate) fn state(&self) -> &SeatState {
        &self.state
    }

    /// Stores the state of the connection and reports it.
    pub(crate) fn set_state(&mut self, state: SeatState) {
        if self.state != state {
            self.state = state.clone();
            self.inputs.push_back(Input::Seat { seat: self.seat, state });
        }
    }

    pub(crate) fn connected(&mut self, now: Instant) {
        self.refused = false;
        self.hangup = None;
        // Nothing is sent before the login.
        self.outbox.clear();
        self.outbox_bytes = 0;
        self.set_state(SeatState::Connected);
        self.keep(now, || SeatAct::Connected);
        self.session.handle_connected(now);
        self.collect(now);
    }

    /// The connection comes from another process: the session reads the messages that still matter.
    /// Its answers to them were sent before.
    pub(crate) fn adopted(
        &mut self,
        heard: Vec<ResumeFrame>,
        now: Instant,
    ) -> Result<(), ProtocolError> {
        self.connected(now);
        let result =
            heard.into_iter().try_for_each(|ResumeFrame { at, bytes }| self.input(&bytes, at));
        self.outbox.clear();
        self.outbox_bytes = 0;
        result
    }

    /// The connection is gone, and with it the unwritten messages.
    pub(crate) fn disconnected(&mut self, now: Instant) {
        self.keep(now, || SeatAct::Disconnected);
        self.session.handle_disconnected(now);
        self.collect(now);
        self.outbox.clear();
        self.outbox_bytes = 0;
        self.hangup = None;
        self.open.clear();
        self.answered.clear();
    }

    /// Handles received bytes. A framing error is reported to the team and returned: reconnect
    /// then.
    pub(crate) fn input(&mut self, bytes: &[u8], now: Instant) -> Result<(), ProtocolError> {
        self.keep(now, || SeatAct::Received(bytes.into()));
        let result = self.session.handle_input(bytes, now);
        self.collect(now);
        if let Err(error) = &result {
            let event = Event::Notice(Notice::Malformed(error.clone()));
            self.inputs.push_back(Input::Event { seat: self.seat, event });
        }
        result
    }

    /// Handles a decision of the team; true if the action was queued.
    pub(crate) fn act(
        &mut self,
        turn: Turn,
        agent: AgentId,
        action: &G::Action,
        now: Instant,
    ) -> bool {
        self.keep(now, || SeatAct::Acted { turn, agent });
        let accepted = match self.session.handle_action(turn, agent, action) {
            Ok(()) => {
                let asked = self.open.remove(&agent).filter(|asked| asked.turn == turn);
                let answer = |asked| Answer { agent, asked, queued: false };
                self.answered.extend(asked.map(answer));
                true
            }
            Err(late) => {
                self.inputs.push_back(Input::Late { agent: late.agent, turn: late.turn });
                false
            }
        };
        self.collect(now);
        accepted
    }

    pub(crate) fn timeout(&mut self, now: Instant) {
        self.keep(now, || SeatAct::TimedOut);
        self.session.handle_timeout(now);
        self.collect(now);
    }

    pub(crate) fn shutdown(&mut self, now: Instant) {
        self.keep(now, || SeatAct::Shutdown);
        self.session.handle_shutdown(now);
        self.collect(now);
    }

    /// Begins a new session after the old one panicked. Nothing of the old session is trusted, but
    /// the team learns that its open turns are lost.
    pub(crate) fn replace(&mut self, session: G::Session, now: Instant) {
        self.keep(now, || SeatAct::Replaced);
        self.session = session;
        self.outbox.clear();
        self.outbox_bytes = 0;
        self.hangup = None;
        self.answered.clear();
        for (agent, asked) in std::mem::take(&mut self.open) {
            let (turn, cause) = (asked.turn, DefaultCause::Disconnected);
            let event = Event::Defaulted { turn, agent, cause };
            self.inputs.push_back(Input::Event { seat: self.seat, event });
        }
    }

    /// The front message is written completely.
    pub(crate) fn front_written(&mut self) {
        if let Some(message) = self.outbox.pop_front() {
            self.outbox_bytes = self.outbox_bytes.saturating_sub(message.len());
        }
    }

    /// The outbox is flushed: records the times of its answers.
    pub(crate) fn flushed(&mut self, meter: &AnswerMeter, now: Instant) {
        self.keep(now, || SeatAct::Written);
        record(meter, self.answered.extract_if(.., |answer| answer.queued), now);
    }

    /// Records the times of answers for which nothing is sent: they are complete once decided.
    pub(crate) fn decided(&mut self, meter: &AnswerMeter, now: Instant) {
        let session = &self.session;
        let is_silent = |answer: &mut Answer| !answer.queued && !session.holds(answer.agent);
        record(meter, self.answered.extract_if(.., is_silent), now);
    }

    /// Takes the instants at which the answers are due.
    pub(crate) fn take_answered(&mut self) -> impl Iterator<Item = Instant> + '_ {
        self.answered.drain(..).map(|answer| answer.asked.due)
    }

    /// Writes the act to the recording, if there is one.
    pub(crate) fn keep(&self, now: Instant, act: impl FnOnce() -> SeatAct) {
        if let Some(tape) = &self.tape {
            tape.put(now, act());
        }
    }

    fn collect(&mut self, now: Instant) {
        let mut sends = false;
        while let Some(message) = self.session.poll_transmit() {
            sends = true;
            self.outbox_bytes += message.len();
            if let Some(tape) = &self.tape {
                tape.sent(now, &message, self.state == SeatState::Seated);
            }
            self.outbox.push_back(message);
        }
        for answer in self.answered.iter_mut().filter(|answer| sends && !answer.queued) {
            answer.queued = !self.session.holds(answer.agent);
        }
        while let Some(event) = self.session.poll_event() {
            if self.stays && matches!(event, Event::MatchOver) {
                // The team only gets the ends of rounds.
                continue;
            }
            self.note(&event, now);
            self.inputs.push_back(Input::Event { seat: self.seat, event });
        }
        if let Some(reason) = self.session.poll_hangup() {
            self.hangup.get_or_insert(reason);
        }
    }

    fn note(&mut self, event: &Event<G::Briefing, G::Percept>, now: Instant) {
        match event {
            Event::Seated { .. } => self.set_state(SeatState::Seated),
            Event::Refused { reason } => {
                self.refused = true;
                self.set_state(SeatState::Refused { reason: reason.clone() });
            }
            Event::Asked { turn, agent, due, .. } => {
                // What the session still held is not sent any more.
                self.answered.retain(|answer| answer.queued || answer.agent != *agent);
                self.open.insert(*agent, Asked { turn: *turn, at: now, due: *due });
            }
            Event::Defaulted { turn, agent, .. } => {
                if self.open.get(agent).is_some_and(|asked| asked.turn == *turn) {
                    self.open.remove(agent);
                }
            }
            Event::MatchOver => self.over = true,
            Event::RoundStarted { .. }
            | Event::Percept { .. }
            | Event::Notice(_)
            | Event::Out { .. }
            | Event::RoundOver { .. } => {}
        }
    }
}

fn record(meter: &AnswerMeter, answers: impl Iterator<Item = Answer>, now: Instant) {
    for Answer { asked, .. } in answers {
        let margin = asked.due.checked_duration_since(now);
        meter.record(now.saturating_duration_since(asked.at), margin);
    }
}
