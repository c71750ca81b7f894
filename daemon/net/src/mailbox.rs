//! What waits for a team's thread: everything that its seats report and its operators ask, in order.
//!
//! Sending never waits. A thread that takes nothing costs no seat its socket: when too much waits,
//! the mailbox drops what the newest news of the same agent or seat makes useless, and counts it.
//! What is kept then: for each agent the newest request that is still open, the newest percept and
//! the newest default, the beginnings and ends of its last [`ROUNDS_MAX`] rounds; for each seat the
//! newest state of its connection, login, refusal, goodbye and notice; every command,
//! at most [`COMMANDS_MAX`]. So at most `2 · (3 + 2 · ROUNDS_MAX) · agents + 10 · seats +
//! 2 · COMMANDS_MAX` inputs wait, or [`INBOX_EVENTS_MAX`] where that is more, and what one seat reports
//! at once.

use crate::options::INBOX_EVENTS_MAX;
use phalanx_engine::{CommandError, CommandRequest, Input};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{AgentId, Event, Game, SeatId, Turn};
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Rounds of one agent whose beginnings and ends are kept while the team takes nothing.
const ROUNDS_MAX: usize = 8;
/// Most commands that wait; one more is refused as busy.
const COMMANDS_MAX: usize = 128;

/// The queue between seats, operators and a team's thread. Clones share it.
pub struct Mailbox<G: Game> {
    inner: Arc<Inner<G>>,
}

struct Inner<G: Game> {
    state: Mutex<State<G>>,
    dropped: AtomicU64,
    /// Somebody wants the team to be made anew.
    restart: AtomicBool,
}

struct State<G: Game> {
    queue: VecDeque<Input<G>>,
    /// Commands among them.
    commands: usize,
    /// At this length what is of no use any more is dropped.
    full_at: usize,
    /// Who waits for the next input.
    waker: Option<Waker>,
    closed: bool,
}

/// A team's inbox without its game's types.
pub(crate) trait Port: Send + Sync {
    fn send(&self, request: CommandRequest) -> Result<(), CommandError>;

    /// Inputs that were dropped before the team took them.
    fn dropped(&self) -> u64;
}

impl<G: Game> Port for Mailbox<G> {
    fn send(&self, request: CommandRequest) -> Result<(), CommandError> {
        self.ask(request)
    }

    fn dropped(&self) -> u64 {
        self.dropped()
    }
}

/// The team has ended: it takes nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closed;

impl<G: Game> Clone for Mailbox<G> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<G: Game> fmt::Debug for Mailbox<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (waiting, dropped) = (self.state().queue.len(), self.dropped());
        f.debug_struct("Mailbox").field("waiting", &waiting).field("dropped", &dropped).finish()
    }
}

impl<G: Game> Default for Mailbox<G> {
    fn default() -> Self {
        let state = State {
            queue: VecDeque::new(),
            commands: 0,
            full_at: INBOX_EVENTS_MAX,
            waker: None,
            closed: false,
        };
        let (dropped, restart) = (AtomicU64::new(0), AtomicBool::new(false));
        let inner = Inner { state: Mutex::new(state), dropped, restart };
        Self { inner: Arc::new(inner) }
    }
}

impl<G: Game> Mailbox<G> {
    /// Takes all of a seat's reports, in order. Never waits.
    pub(crate) fn report(&self, inputs: &mut VecDeque<Input<G>>) -> Result<(), Closed> {
        let mut state = self.state();
        if state.closed {
            return Err(Closed);
        }
        state.queue.append(inputs);
        let dropped = if state.queue.len() < state.full_at { 0 } else { state.compact() };
        state.wake();
        self.inner.dropped.fetch_add(dropped, Ordering::Relaxed);
        Ok(())
    }

    /// Takes a command. Never waits.
    pub(crate) fn ask(&self, request: CommandRequest) -> Result<(), CommandError> {
        let mut state = self.state();
        if state.closed {
            return Err(CommandError::Ended);
        }
        if state.commands >= COMMANDS_MAX {
            return Err(CommandError::busy());
        }
        state.commands += 1;
        state.queue.push_back(Input::Command(request));
        state.wake();
        Ok(())
    }

    /// The next input, if one waits.
    pub fn try_recv(&self) -> Option<Input<G>> {
        self.state().pop()
    }

    /// The next input; `None` once the mailbox is closed and empty, or when the team is to be made
    /// anew. Only one caller may wait at a time. Cancel-safe.
    pub async fn recv(&self) -> Option<Input<G>> {
        std::future::poll_fn(|context| {
            let mut state = self.state();
            if let Some(input) = state.pop() {
                return Poll::Ready(Some(input));
            }
            if state.closed || self.inner.restart.load(Ordering::Relaxed) {
                return Poll::Ready(None);
            }
            if !state.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
                state.waker = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await
    }

    /// Takes nothing any more; what waits can still be received.
    pub fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.wake();
    }

    /// The thread is to make its team anew; what waits stays.
    pub(crate) fn ask_restart(&self) {
        self.inner.restart.store(true, Ordering::Relaxed);
        self.state().wake();
    }

    /// Whether that was asked; the question is answered with it.
    pub(crate) fn take_restart(&self) -> bool {
        let asked = &self.inner.restart;
        asked.load(Ordering::Relaxed) && asked.swap(false, Ordering::Relaxed)
    }

    /// It takes nothing any more, and nothing waits.
    pub(crate) fn is_finished(&self) -> bool {
        let state = self.state();
        state.closed && state.queue.is_empty()
    }

    /// It takes nothing any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Inputs that wait.
    pub(crate) fn len(&self) -> usize {
        self.state().queue.len()
    }

    /// Nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.state().queue.is_empty()
    }

    /// Inputs that were dropped so far: newer ones had made them useless before the team took them.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.inner.dropped.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State<G>> {
        // Each change is one step: a queue is whole even when its holder panicked.
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: Game> State<G> {
    fn pop(&mut self) -> Option<Input<G>> {
        let input = self.queue.pop_front()?;
        if let Input::Command(_) = input {
            self.commands = self.commands.saturating_sub(1);
        }
        Some(input)
    }

    fn wake(&mut self) {
        // It looks again at everything, and waits anew when there is nothing.
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Drops what is of no use any more; how much that was. The next time is when as much again
    /// waits as was left, so that one input costs the same however much waits.
    fn compact(&mut self) -> u64 {
        let before = self.queue.len();
        let mut news = News::default();
        let mut kept: Vec<_> = std::mem::take(&mut self.queue).into_iter().collect();
        kept.reverse();
        kept.retain(|input| news.needs(input));
        kept.reverse();
        self.full_at = INBOX_EVENTS_MAX.max(kept.len().saturating_mul(2));
        let dropped = before.saturating_sub(kept.len());
        self.queue = kept.into();
        u64::try_from(dropped).unwrap_or(u64::MAX)
    }
}

/// The kinds of reports of which only the newest of a seat or an agent counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    State,
    Seated,
    Refused,
    Over,
    Notice,
    Percept,
    Asked,
    Defaulted,
    Out,
}

/// What was met so far on the way from the newest input to the oldest.
#[derive(Debug, Default)]
struct News {
    seats: SortedSet<(SeatId, Kind)>,
    agents: SortedSet<(AgentId, Kind)>,
    /// Turns that their seats closed.
    closed: SortedSet<(AgentId, Turn)>,
    /// Rounds whose begin (`true`) or end was met.
    rounds: SortedMap<AgentId, SortedSet<(u32, bool)>>,
}

impl News {
    /// Whether the team still needs to hear of it.
    fn needs<G: Game>(&mut self, input: &Input<G>) -> bool {
        match input {
            Input::Seat { seat, .. } => self.seats.insert((*seat, Kind::State)),
            Input::Event { seat, event } => self.needs_event(*seat, event),
            // Nothing can be done about it any more.
            Input::Late { .. } => false,
            Input::Command(_) | Input::Restarted { .. } | Input::Drain => true,
        }
    }

    fn needs_event<B, P>(&mut self, seat: SeatId, event: &Event<B, P>) -> bool {
        match event {
            Event::Seated { .. } => self.seats.insert((seat, Kind::Seated)),
            Event::Refused { .. } => self.seats.insert((seat, Kind::Refused)),
            Event::MatchOver => self.seats.insert((seat, Kind::Over)),
            Event::RoundStarted { agent, round, .. } => self.needs_round(*agent, *round, true),
            Event::RoundOver { agent, round, .. } => self.needs_round(*agent, *round, false),
            Event::Percept { agent, .. } => self.agents.insert((*agent, Kind::Percept)),
            Event::Asked { agent, turn, .. } => {
                let newest = self.agents.insert((*agent, Kind::Asked));
                newest && !self.closed.contains(&(*agent, *turn))
            }
            Event::Defaulted { agent, turn, .. } => {
                self.closed.insert((*agent, *turn));
                self.agents.insert((*agent, Kind::Defaulted))
            }
            Event::Out { agent, .. } => self.agents.insert((*agent, Kind::Out)),
            Event::Notice(_) => self.seats.insert((seat, Kind::Notice)),
        }
    }

    fn needs_round(&mut self, agent: AgentId, round: u32, begins: bool) -> bool {
        let rounds = self.rounds.entry(agent).or_default();
        rounds.len() < 2 * ROUNDS_MAX && rounds.insert((round, begins))
    }
}
