//! Broken promises.

use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// A promise that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A request that arrived whole before its deadline, on a connection that stayed, is answered
    /// before the deadline.
    Silent,
    /// An agent whose connection and script are healthy decides each turn, whatever happens to
    /// others.
    Neighbour,
    /// An answer names the newest request, and is the only one to it.
    Turn,
    /// An agent whose connection is whole again plays again.
    Back,
    /// Queues stay below their bounds.
    Bounds,
    /// A command that was acknowledged is in force in the next snapshot.
    Command,
    /// A call of the control API is answered as the team answers, and reaches it once however often
    /// it is sent; a viewer sees each event once, in order.
    Api,
    /// A recording decides again as it was.
    Redecide,
    /// A recording on a failing disk can be read, counts what it lost, and decides again as it was
    /// up to the first loss.
    Disk,
    /// A belief does not contradict the referee's world of the same step, unless wrong messages
    /// arrived: where healthy agents are, and the ground that is seen.
    Belief,
    /// The match goes on.
    Progress,
}

impl Rule {
    /// Its word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Silent => "silent turn",
            Self::Neighbour => "neighbour hurt",
            Self::Turn => "answer to another turn",
            Self::Back => "agent not back",
            Self::Bounds => "bound exceeded",
            Self::Command => "command not in force",
            Self::Api => "control API wrong",
            Self::Redecide => "decided differently",
            Self::Disk => "recording damaged",
            Self::Belief => "belief not true",
            Self::Progress => "no progress",
        }
    }
}

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Which promise.
    pub rule: Rule,
    /// The team.
    pub team: String,
    /// The agent; empty where it concerns the team.
    pub agent: String,
    /// The step of the match, counted from 1 over all rounds.
    pub step: u32,
    /// The virtual time since the beginning.
    pub at: Duration,
    /// What happened.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, team, agent, step, at, text } = self;
        let who = if agent.is_empty() { team.clone() } else { format!("{team}/{agent}") };
        write!(f, "{}: {who} in step {step} at {:.3} s: {text}", rule.word(), at.as_secs_f64())
    }
}
