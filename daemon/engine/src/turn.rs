//! The turn that is open for the team: who was asked, who must still decide.

use crate::TeamOptions;
use phalanx_game::{AgentId, Turn};
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// One agent's part in the open turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// The turn in the session's count.
    pub(crate) local: Turn,
    /// When the team heard of it.
    pub(crate) at: Instant,
    /// When the session answers by itself.
    pub(crate) due: Instant,
}

/// How far the turn is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Percepts are coming in, at the latest until this instant.
    Gathering(Instant),
    /// These still have to decide, in this order.
    Deciding(VecDeque<AgentId>),
    /// All others have decided; these wait for their pilots.
    Waiting,
    /// Everybody who was asked has decided.
    Done,
}

/// The team's open turn.
#[derive(Clone, Debug)]
pub(crate) struct OpenTurn {
    pub(crate) turn: Turn,
    pub(crate) phase: Phase,
    pub(crate) asked: BTreeMap<AgentId, Asked>,
    /// Who waits for an order, and until when.
    pub(crate) awaiting: BTreeMap<AgentId, Instant>,
    /// The role of each agent when the team began to decide; empty when no scenes are kept.
    pub(crate) roles: Vec<String>,
    /// An operator's look or piece of script took some of its time already.
    pub(crate) served: bool,
    /// It is through, and no copy of it was kept yet.
    pub(crate) unseen: bool,
}

/// How long a turn whose first request arrived `now` waits for others.
pub(crate) fn patience(due: Instant, now: Instant, options: &TeamOptions) -> Duration {
    let window = due.saturating_duration_since(now);
    if window.is_zero() {
        // It is answered already, and says nothing of the time that the others have.
        return options.straggler_max;
    }
    window.mul_f64(options.straggler_share.clamp(0.0, 1.0)).min(options.straggler_max)
}

impl OpenTurn {
    /// A turn whose first request just arrived.
    pub(crate) fn new(turn: Turn, due: Instant, now: Instant, options: &TeamOptions) -> Self {
        Self {
            turn,
            phase: Phase::Gathering(now + patience(due, now, options)),
            asked: BTreeMap::new(),
            awaiting: BTreeMap::new(),
            roles: Vec::new(),
            served: false,
            unseen: false,
        }
    }

    /// An agent was asked. One that comes after the others began to decide is appended.
    pub(crate) fn ask(&mut self, agent: AgentId, asked: Asked, options: &TeamOptions) {
        let is_over = |asked: &Asked| asked.due <= asked.at;
        if let Phase::Gathering(until) = &mut self.phase
            && self.asked.values().all(is_over)
            && !is_over(&asked)
        {
            *until = (*until).min(asked.at + patience(asked.due, asked.at, options));
        }
        self.asked.insert(agent, asked);
        self.call(agent);
    }

    /// The agent is to decide, unless all do so later anyway.
    fn call(&mut self, agent: AgentId) {
        match &mut self.phase {
            Phase::Gathering(_) => {}
            Phase::Deciding(queue) => queue.push_back(agent),
            Phase::Waiting | Phase::Done => self.phase = Phase::Deciding(VecDeque::from([agent])),
        }
    }

    /// An agent that waits for an order does not wait longer. False when it does not wait.
    pub(crate) fn wake(&mut self, agent: AgentId) -> bool {
        let waits = self.awaiting.remove(&agent).is_some();
        if waits {
            self.call(agent);
        }
        waits
    }

    /// Wakes whoever waited for an order until this instant.
    pub(crate) fn wake_until(&mut self, now: Instant) {
        let due = self.awaiting.iter().filter(|(_, until)| **until <= now);
        let due: Vec<_> = due.map(|(agent, _)| *agent).collect();
        for agent in due {
            self.wake(agent);
        }
    }

    /// The agent's chance to answer is gone.
    pub(crate) fn forget(&mut self, agent: AgentId) {
        if let Phase::Deciding(queue) = &mut self.phase {
            queue.retain(|waiting| *waiting != agent);
        }
        self.asked.remove(&agent);
        self.awaiting.remove(&agent);
    }

    /// When half of the sessions have answered by themselves: one that names a deadline of its own
    /// costs the others no time.
    pub(crate) fn due(&self) -> Option<Instant> {
        let mut dues: Vec<_> = self.asked.values().map(|asked| asked.due).collect();
        dues.sort_unstable();
        dues.get(dues.len().saturating_sub(1) / 2).copied()
    }

    /// The time until then.
    pub(crate) fn time_left(&self, now: Instant) -> Duration {
        self.due().map_or(Duration::ZERO, |due| due.saturating_duration_since(now))
    }

    /// Who was asked and has no decision yet.
    pub(crate) fn undecided(&self) -> Vec<AgentId> {
        match &self.phase {
            Phase::Gathering(_) => self.asked.keys().copied().collect(),
            Phase::Deciding(queue) => queue.iter().chain(self.awaiting.keys()).copied().collect(),
            Phase::Waiting => self.awaiting.keys().copied().collect(),
            Phase::Done => Vec::new(),
        }
    }

    pub(crate) fn is_gathering(&self) -> bool {
        matches!(self.phase, Phase::Gathering(_))
    }

    /// Some of its agents still have to answer, but none of them is being asked just now.
    pub(crate) fn has_room(&self) -> bool {
        matches!(self.phase, Phase::Gathering(_) | Phase::Waiting)
    }
}
