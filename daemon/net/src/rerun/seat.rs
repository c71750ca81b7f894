//! A seat's session, run again with its recorded input.

use super::tally::{Share, Trouble};
use crate::{Message, SeatAct};
use phalanx_game::{AgentId, Event, Game, Seat, SeatId, Session, Turn};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// Percepts that wait for the team; if it takes none, the oldest are dropped.
const EVENTS_MAX: usize = 8_192;
/// Actions of the team that wait for their place in the recording.
const ACTIONS_MAX: usize = 1_024;
/// Acts of a seat that may wait for a decision; then the seat continues with the fallback.
const ACTS_MAX: usize = 16_384;

/// A message to the referee that differs; one of the two may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentDifference {
    /// The seat.
    pub seat: SeatId,
    /// The team's turn, approximately.
    pub turn: Turn,
    /// The recorded message.
    pub recorded: Option<Arc<[u8]>>,
    /// The new message.
    pub now: Option<Vec<u8>>,
}

/// The next input of a session, and the result.
#[derive(Debug)]
pub(super) struct SeatRerun<G: Game> {
    seat: Seat,
    session: G::Session,
    acts: VecDeque<(Instant, SeatAct)>,
    /// Briefings and percepts that the team has not taken yet; other events of sessions are
    /// recorded.
    events: VecDeque<Event<G::Briefing, G::Percept>>,
    /// Messages of the session that are not compared yet.
    out: VecDeque<Vec<u8>>,
    /// The team's decisions for this seat.
    actions: VecDeque<(AgentId, Turn, G::Action)>,
    /// Another strategy decides, so its messages are not compared.
    other: bool,
    /// Messages that differ.
    found: VecDeque<SentDifference>,
    pub(super) messages: Share,
    pub(super) trouble: Trouble,
}

impl<G: Game> SeatRerun<G> {
    pub(super) fn new(game: &G, seat: Seat, other: bool) -> Self {
        let session = game.session(&seat);
        Self {
            seat,
            session,
            acts: VecDeque::new(),
            events: VecDeque::new(),
            out: VecDeque::new(),
            actions: VecDeque::new(),
            other,
            found: VecDeque::new(),
            messages: Share::default(),
            trouble: Trouble::default(),
        }
    }

    /// The seat is opened again, for an agent that was added again. Its earlier results stay.
    pub(super) fn reopen(&mut self, game: &G, seat: Seat) {
        self.session = game.session(&seat);
        self.seat = seat;
    }

    pub(super) fn push(&mut self, at: Instant, act: SeatAct) {
        self.acts.push_back((at, act));
    }

    /// Takes a decision of the team.
    pub(super) fn decided(&mut self, agent: AgentId, turn: Turn, action: G::Action) {
        if self.actions.len() >= ACTIONS_MAX {
            self.actions.pop_front();
        }
        self.actions.push_back((agent, turn, action));
    }

    /// The agent whose action comes next, if the team has not decided it yet.
    pub(super) fn waits_for(&self) -> Option<AgentId> {
        let Some((_, SeatAct::Acted { turn, agent })) = self.acts.front() else { return None };
        self.action(*agent, *turn).is_none().then_some(*agent)
    }

    /// More acts wait here than a team lets a seat wait.
    pub(super) fn is_overdue(&self) -> bool {
        self.acts.len() > ACTS_MAX
    }

    /// The team does not decide the next action, so its agent gets this one.
    pub(super) fn give_up(&mut self, action: G::Action) {
        if let Some((_, SeatAct::Acted { turn, agent })) = self.acts.front() {
            let (turn, agent) = (*turn, *agent);
            self.trouble.actions_missing += 1;
            self.decided(agent, turn, action);
        }
    }

    /// Advances as far as possible; true if it did anything. `turn` is the team's, for differences.
    pub(super) fn advance(&mut self, game: &G, turn: Turn) -> bool {
        let mut moved = false;
        while self.waits_for().is_none()
            && let Some((at, act)) = self.acts.pop_front()
        {
            moved = true;
            if let SeatAct::Sent(message) = act {
                let now = self.out.pop_front();
                if let Message::Plain(recorded) = message {
                    self.compare(turn, Some(recorded), now);
                }
            } else if !matches!(act, SeatAct::Parsed | SeatAct::Written) {
                self.close_message(turn);
                let full = AssertUnwindSafe(|| self.tell(game, at, act));
                self.trouble.panics += u64::from(catch_unwind(full).is_err());
            }
        }
        moved
    }

    /// There is no further input.
    pub(super) fn finish(&mut self, turn: Turn) {
        // The session's answer to its last input may not be recorded any more.
        if self.acts.is_empty() {
            self.out.clear();
        }
        self.close_message(turn);
    }

    /// The next message that differs.
    pub(super) fn poll(&mut self) -> Option<SentDifference> {
        self.found.pop_front()
    }

    /// Whether the session has already emitted the briefing or percept behind a recorded event.
    pub(super) fn holds(&self, event: &Event<(), ()>) -> bool {
        self.place(event).is_some()
    }

    /// Takes it; earlier ones never reached the team.
    pub(super) fn take(&mut self, event: &Event<(), ()>) -> Option<Event<G::Briefing, G::Percept>> {
        let place = self.place(event)?;
        self.trouble.percepts_dropped += place as u64;
        self.events.drain(..=place).next_back()
    }

    fn place(&self, event: &Event<(), ()>) -> Option<usize> {
        self.events.iter().position(|full| is_hollow_of(full, event))
    }

    fn action(&self, agent: AgentId, turn: Turn) -> Option<usize> {
        self.actions.iter().position(|(who, when, _)| (*who, *when) == (agent, turn))
    }

    fn tell(&mut self, game: &G, at: Instant, act: SeatAct) {
        match act {
            SeatAct::Connected => self.session.handle_connected(at),
            SeatAct::Disconnected => self.session.handle_disconnected(at),
            SeatAct::Replaced => self.session = game.session(&self.seat),
            SeatAct::Received(bytes) => {
                // The driver's event is recorded with the inputs of the team.
                drop(self.session.handle_input(&bytes, at));
            }
            SeatAct::Acted { turn, agent } => {
                let place = self.action(agent, turn);
                if let Some((_, _, action)) = place.and_then(|place| self.actions.remove(place)) {
                    // Whether it was late is recorded as well.
                    self.session.handle_action(turn, agent, &action).unwrap_or_default();
                }
            }
            SeatAct::TimedOut => self.session.handle_timeout(at),
            SeatAct::Shutdown => self.session.handle_shutdown(at),
            SeatAct::Parsed | SeatAct::Sent(_) | SeatAct::Written => {}
        }
        self.collect();
    }

    fn collect(&mut self) {
        while let Some(message) = self.session.poll_transmit() {
            self.out.push_back(message);
        }
        while let Some(event) = self.session.poll_event() {
            if !has_more(&event) {
                continue;
            }
            if self.events.len() >= EVENTS_MAX {
                self.events.pop_front();
                self.trouble.percepts_dropped += 1;
            }
            self.events.push_back(event);
        }
        drop(self.session.poll_hangup());
    }

    fn compare(&mut self, turn: Turn, recorded: Option<Arc<[u8]>>, now: Option<Vec<u8>>) {
        if self.other {
            return;
        }
        let differs = recorded.as_deref() != now.as_deref();
        self.messages.count(differs);
        if differs {
            let seat = self.seat.id;
            self.found.push_back(SentDifference { seat, turn, recorded, now });
        }
    }

    /// Another act follows, so the session's answer to its last input is complete.
    fn close_message(&mut self, turn: Turn) {
        for now in std::mem::take(&mut self.out) {
            self.compare(turn, None, Some(now));
        }
    }
}

/// Whether the event has parts that a recording of events omits.
fn has_more<B, P>(event: &Event<B, P>) -> bool {
    match event {
        Event::RoundStarted { briefing, .. } => briefing.is_some(),
        Event::Percept { .. } | Event::Asked { .. } => true,
        Event::Seated { .. }
        | Event::Refused { .. }
        | Event::Defaulted { .. }
        | Event::Notice(_)
        | Event::Out { .. }
        | Event::RoundOver { .. }
        | Event::MatchOver => false,
    }
}

fn is_hollow_of<B, P>(full: &Event<B, P>, hollow: &Event<(), ()>) -> bool {
    if let Event::RoundStarted { agent, round, briefing: Some(_) } = full
        && let Event::RoundStarted { agent: who, round: which, briefing: Some(()) } = hollow
    {
        return (agent, round) == (who, which);
    }
    if let (Event::Percept { turn, agent, .. }, Event::Percept { turn: when, agent: who, .. })
    | (Event::Asked { turn, agent, .. }, Event::Asked { turn: when, agent: who, .. }) =
        (full, hollow)
    {
        return (agent, turn) == (who, when);
    }
    false
}
