//! What a team's thread and its seats keep for a recording, as it happens.
//!
//! A [`Recorder`] takes it and never makes its caller wait: what a recorder cannot take it
//! counts and leaves out.

mod brain;
mod seat;

pub use brain::ThinkTime;
pub(crate) use brain::{Clock, TapedBrain, Thinking};
pub(crate) use seat::SeatTape;

use phalanx_engine::{
    BoardPage, Drawing, Input, JournalEntry, Snapshot, TapedInput, TeamAct, TeamStart, TeamStep,
};
use phalanx_game::{AgentId, Game, Seat, SeatId, Turn, Value};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Most steps of a team's thread, or other entries, that wait until they are handed on.
const WAITING_MAX: usize = 512;

/// Takes what happens in a team. Called on the team's thread and from its seats' tasks: it returns
/// at once, whatever disks do.
pub trait Recorder: fmt::Debug + Send + Sync {
    /// Keeps it, or counts that it could not.
    fn put(&self, at: Instant, what: Taped);

    /// How much of what can be left out is wanted now: a recorder that is behind wants less.
    fn appetite(&self) -> Appetite;

    /// Why nothing can be written at the moment; `None` while all is well.
    fn trouble(&self) -> Option<String> {
        None
    }
}

/// What a recorder has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Appetite {
    /// Only what decisions can be computed from again, and the journal.
    Needed,
    /// Also percepts, the board and pictures of the world.
    Everything,
}

/// Something that happened in a team.
#[derive(Clone, Debug)]
pub enum Taped {
    /// The team begins: first of all, and again after each panic of its thread.
    Began(Box<TeamStart>),
    /// A seat is there; its password is empty.
    SeatOpened(Box<Seat>),
    /// Something happened at a seat's connection.
    Seat {
        /// Which seat.
        seat: SeatId,
        /// What.
        act: SeatAct,
    },
    /// What the team's thread did, in order.
    Steps(Vec<TeamStep>),
    /// The journal.
    Journal(Arc<JournalEntry>),
    /// What the team published at the end of a turn.
    Snapshot(Arc<Snapshot>),
    /// What the agents perceived in the turn that is through, as scripts read it.
    Percepts(Arc<Percepts>),
    /// What changed on the board.
    Board {
        /// In which turn.
        turn: Turn,
        /// What.
        page: Arc<BoardPage>,
    },
    /// The world as it is drawn.
    Drawing(Arc<Drawing>),
    /// The team is no more.
    Ended,
}

/// What agents perceived: of each of them the declared fields that have a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Percepts {
    /// In which turn.
    pub turn: Turn,
    /// By agent.
    pub agents: Vec<(AgentId, Vec<(&'static str, Value)>)>,
}

/// What happens at a seat's connection: every input of its session is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatAct {
    /// It is open.
    Connected,
    /// It is gone.
    Disconnected,
    /// A new session took the place of the old one.
    Replaced,
    /// Bytes came.
    Received(Arc<[u8]>),
    /// The session made sense of them: this is the time after it.
    Parsed,
    /// The session wants a message written. Before the login is accepted, only its length is recorded.
    Sent(Message),
    /// All messages so far are with the system.
    Written,
    /// The team's action came.
    Acted {
        /// Of which turn, in the session's count.
        turn: Turn,
        /// Whose.
        agent: AgentId,
    },
    /// The session's timer fired.
    TimedOut,
    /// The session was asked to log out.
    Shutdown,
}

/// An outgoing message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// As it was written.
    Plain(Arc<[u8]>),
    /// It may hold a password: only its length in bytes.
    Secret(usize),
}

/// What a team's thread keeps until it has time to hand it on: while it decides, answers go first.
/// Its lock is that thread's alone, until the thread is abandoned and another one ends its tape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape(Option<Arc<Reel>>);

#[derive(Debug)]
struct Reel {
    recorder: Arc<dyn Recorder>,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    steps: Vec<TeamStep>,
    /// What is behind steps that were taken before, in order.
    queue: Vec<(Instant, Taped)>,
    /// The thread was abandoned: what it still does is not recorded.
    ended: bool,
}

impl Reel {
    fn new(recorder: Arc<dyn Recorder>) -> Self {
        Self { recorder, waiting: Mutex::default() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Each change is one step: what waits is whole even when its holder panicked.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something behind all steps so far.
    fn queue(&self, waiting: &mut Waiting, at: Instant, what: Option<Taped>) {
        let steps = std::mem::take(&mut waiting.steps);
        if !steps.is_empty() {
            waiting.queue.push((at, Taped::Steps(steps)));
        }
        waiting.queue.extend(what.map(|what| (at, what)));
        if waiting.queue.len() >= WAITING_MAX {
            self.hand_on(waiting);
        }
    }

    fn hand_on(&self, waiting: &mut Waiting) {
        for (at, what) in waiting.queue.drain(..) {
            if !waiting.ended {
                self.recorder.put(at, what);
            }
        }
    }
}

impl Drop for Reel {
    fn drop(&mut self) {
        let mut waiting = std::mem::take(&mut *self.waiting());
        self.hand_on(&mut waiting);
    }
}

impl Tape {
    pub(crate) fn new(recorder: Option<Arc<dyn Recorder>>) -> Self {
        Self(recorder.map(|recorder| Arc::new(Reel::new(recorder))))
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// The thread did something.
    pub(crate) fn step(&self, at: Instant, act: impl FnOnce() -> TeamAct) {
        let Some(reel) = &self.0 else { return };
        let act = act();
        let mut waiting = reel.waiting();
        waiting.steps.push(TeamStep { at, act });
        if waiting.steps.len() >= WAITING_MAX {
            reel.queue(&mut waiting, at, None);
        }
    }

    /// The team gets an input.
    pub(crate) fn handled<G: Game>(&self, at: Instant, input: &Input<G>) {
        self.step(at, || TeamAct::Handled(TapedInput::of(input)));
    }

    /// Hands on what waits.
    pub(crate) fn flush(&self, at: Instant) {
        let Some(reel) = &self.0 else { return };
        let mut waiting = reel.waiting();
        reel.queue(&mut waiting, at, None);
        reel.hand_on(&mut waiting);
    }

    /// Keeps something else, behind all steps so far.
    pub(crate) fn put(&self, at: Instant, what: impl FnOnce() -> Taped) {
        if let Some(reel) = &self.0 {
            let what = what();
            reel.queue(&mut reel.waiting(), at, Some(what));
        }
    }

    /// The thread was abandoned: what it did so far is handed on, and nothing more ever.
    pub(crate) fn end(&self, at: Instant) {
        self.flush(at);
        if let Some(reel) = &self.0 {
            reel.waiting().ended = true;
        }
    }

    /// Whether there is room for what can be left out.
    pub(crate) fn wants_everything(&self) -> bool {
        self.0.as_ref().is_some_and(|reel| reel.recorder.appetite() == Appetite::Everything)
    }
}
