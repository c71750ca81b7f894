//! The time that a team's scripts took.

use std::time::Duration;

/// A measurement over some turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Turns that were measured.
    pub turns: u32,
    /// One row for each role and each kind of call, the most expensive first.
    pub calls: Vec<CallProfile>,
    /// Samples of the running functions, the most frequent first.
    pub stacks: Vec<StackSample>,
    /// Requested time between two samples; busy machines take fewer.
    pub sample_every: Duration,
    /// Samples that were dropped, since there were too many different stacks.
    pub samples_dropped: u64,
}

/// The calls of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallProfile {
    /// The role; `team` for the plan.
    pub role: String,
    /// `plan`, `start`, `decide` or `finish`.
    pub call: &'static str,
    /// How often.
    pub count: u64,
    /// Time of all calls together, without the collector's.
    pub total: Duration,
    /// The longest call.
    pub longest: Duration,
    /// Memory that these calls allocated, in bytes.
    pub allocated: u64,
    /// Time of the garbage collector during these calls, not part of `total`.
    pub collector: Duration,
}

/// One stack of functions and how often it was sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackSample {
    /// Outermost first: the role, then `file:function:line` for each function.
    pub frames: Vec<String>,
    /// How often.
    pub count: u64,
}

impl Profile {
    /// The stacks in the format of flame graph tools: `role;function;function count` in each line.
    #[must_use]
    pub fn folded(&self) -> String {
        let line = |sample: &StackSample| format!("{} {}\n", sample.frames.join(";"), sample.count);
        self.stacks.iter().map(line).collect()
    }
}
