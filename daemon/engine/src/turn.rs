//! The team's open turn: the asked agents, and those that still have to decide.

use crate::TeamOptions;
use phalanx_game::sorted::{Order, SortedMap};
use phalanx_game::{AgentId, Turn};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// One agent's part in the open turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// The turn in the session's count.
    pub(crate) local: Turn,
    /// When the team got the request.
    pub(crate) at: Instant,
    /// When the session sends the fallback.
    pub(crate) due: Instant,
}

/// The phase of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Percepts arrive, at the latest until this instant.
    Gathering(Instant),
    /// These agents still have to decide, in this order.
    Deciding(VecDeque<AgentId>),
    /// All others have decided; the rest wait for their pilots.
    Waiting,
    /// Every asked agent has decided.
    Done,
}

/// The team's open turn.
#[derive(Clone, Debug)]
pub(crate) struct OpenTurn {
    pub(crate) turn: Turn,
    pub(crate) phase: Phase,
    pub(crate) asked: SortedMap<AgentId, Asked>,
    /// The agents that wait for an order, and until when.
    pub(crate) awaiting: SortedMap<AgentId, Instant>,
    /// The role of each agent when the team began to decide; empty when no scenes are kept.
    pub(crate) roles: Vec<String>,
    /// An operator's read or piece of script has used some of its time.
    pub(crate) served: bool,
    /// It is over, and there is no copy of it yet.
    pub(crate) unseen: bool,
}

/// How long a turn waits for other percepts if its first request arrived `now`.
pub(crate) fn patience(due: Instant, now: Instant, options: &TeamOptions) -> Duration {
    let window = due.saturating_duration_since(now);
    if window.is_zero() {
        // It is answered already, and says nothing about the other requests' deadlines.
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
            asked: SortedMap::new(),
            awaiting: SortedMap::new(),
            roles: Vec::new(),
            served: false,
            unseen: false,
        }
    }

    /// Adds a request. If the others have begun to decide, the agent is appended.
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

    /// Queues the agent for a decision, unless all agents decide later anyway.
    fn call(&mut self, agent: AgentId) {
        match &mut self.phase {
            Phase::Gathering(_) => {}
            Phase::Deciding(queue) => queue.push_back(agent),
            Phase::Waiting | Phase::Done => self.phase = Phase::Deciding(VecDeque::from([agent])),
        }
    }

    /// Ends an agent's wait for an order. False if it does not wait.
    pub(crate) fn wake(&mut self, agent: AgentId) -> bool {
        let waits = self.awaiting.remove(&agent).is_some();
        if waits {
            self.call(agent);
        }
        waits
    }

    /// Wakes the agents that waited for an order until this instant.
    pub(crate) fn wake_until(&mut self, now: Instant) {
        let due = self.awaiting.iter().filter(|(_, until)| **until <= now);
        let due: Vec<_> = due.map(|(agent, _)| *agent).collect();
        for agent in due {
            self.wake(agent);
        }
    }

    /// The agent's request cannot be answered any more.
    pub(crate) fn forget(&mut self, agent: AgentId) {
        if let Phase::Deciding(queue) = &mut self.phase {
            queue.retain(|waiting| *waiting != agent);
        }
        self.asked.remove(&agent);
        self.awaiting.remove(&agent);
    }

    /// The instant at which half of the sessions have sent the fallback: one request with an early
    /// deadline does not shorten the time of the others.
    pub(crate) fn due(&self) -> Option<Instant> {
        let mut dues: Vec<_> = self.asked.values().map(|asked| asked.due).collect();
        dues.order();
        dues.get(dues.len().saturating_sub(1) / 2).copied()
    }

    /// The time until then.
    pub(crate) fn time_left(&self, now: Instant) -> Duration {
        self.due().map_or(Duration::ZERO, |due| due.saturating_duration_since(now))
    }

    /// The asked agents without a decision.
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

    /// Whether some agents still have to answer, but none of them is deciding now.
    pub(crate) fn has_room(&self) -> bool {
        matches!(self.phase, Phase::Gathering(_) | Phase::Waiting)
    }
}
