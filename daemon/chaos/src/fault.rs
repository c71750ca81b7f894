//! The kinds of faults and their parameters.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a fault hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultClass {
    /// The connection of one seat.
    Network,
    /// The team's process or thread.
    Process,
    /// The disk of recording and checkpoints.
    Disk,
    /// Scripts and operators.
    People,
}

/// One kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The referee's next message arrives later, and all after it wait behind it.
    Delay,
    /// The connection carries nothing in both directions for a while, then everything at once.
    Stall,
    /// The referee's next message arrives in pieces.
    Split,
    /// The referee's messages of a while arrive as one piece.
    Merge,
    /// The connection is reset.
    Reset,
    /// The referee's messages vanish for a while, then the connection is closed.
    HalfOpen,
    /// Our answers vanish for a while, then the connection is closed.
    Mute,
    /// The referee's next message arrives twice.
    Duplicate,
    /// Random bytes arrive before the referee's next message.
    Garbage,
    /// The referee's next message is cut, and the connection stays open.
    Truncate,
    /// The referee's next message has wrong content but the right form.
    Wrong,
    /// The team's thread ends; another one continues from its state.
    Restart,
    /// The process is killed; another one begins from the last checkpoint.
    Kill,
    /// The team's thread does not respond.
    Freeze,
    /// The agent gets a hostile script.
    Script,
    /// Another generation is installed.
    Reload,
    /// An operator gives a random legal command.
    Command,
    /// An operator stops the team, and starts it again later.
    Stop,
    /// An operator moves the team to another address of the referee; it forgets its world.
    Move,
    /// An operator removes the agent, and adds it again later.
    Remove,
    /// The disk of recording and checkpoints has no room.
    DiskFull,
    /// Writes to that disk do not return.
    DiskStuck,
    /// That disk takes few bytes at a time.
    DiskShort,
    /// The last bytes of the recording are lost, and those of the team's checkpoint that is read
    /// next.
    DiskTail,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 24] = [
        Self::Delay,
        Self::Stall,
        Self::Split,
        Self::Merge,
        Self::Reset,
        Self::HalfOpen,
        Self::Mute,
        Self::Duplicate,
        Self::Garbage,
        Self::Truncate,
        Self::Wrong,
        Self::Restart,
        Self::Kill,
        Self::Freeze,
        Self::Script,
        Self::Reload,
        Self::Command,
        Self::Stop,
        Self::Move,
        Self::Remove,
        Self::DiskFull,
        Self::DiskStuck,
        Self::DiskShort,
        Self::DiskTail,
    ];

    /// Its word in scenario files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Delay => "delay",
            Self::Stall => "stall",
            Self::Split => "split",
            Self::Merge => "merge",
            Self::Reset => "reset",
            Self::HalfOpen => "half_open",
            Self::Mute => "mute",
            Self::Duplicate => "duplicate",
            Self::Garbage => "garbage",
            Self::Truncate => "truncate",
            Self::Wrong => "wrong",
            Self::Restart => "restart",
            Self::Kill => "kill",
            Self::Freeze => "freeze",
            Self::Script => "script",
            Self::Reload => "reload",
            Self::Command => "command",
            Self::Stop => "stop",
            Self::Move => "move",
            Self::Remove => "remove",
            Self::DiskFull => "disk_full",
            Self::DiskStuck => "disk_stuck",
            Self::DiskShort => "disk_short",
            Self::DiskTail => "disk_tail",
        }
    }

    /// What it hits.
    #[must_use]
    pub fn class(self) -> FaultClass {
        match self {
            Self::Delay
            | Self::Stall
            | Self::Split
            | Self::Merge
            | Self::Reset
            | Self::HalfOpen
            | Self::Mute
            | Self::Duplicate
            | Self::Garbage
            | Self::Truncate
            | Self::Wrong => FaultClass::Network,
            Self::Restart | Self::Kill | Self::Freeze => FaultClass::Process,
            Self::Script
            | Self::Reload
            | Self::Command
            | Self::Stop
            | Self::Move
            | Self::Remove => FaultClass::People,
            Self::DiskFull | Self::DiskStuck | Self::DiskShort | Self::DiskTail => FaultClass::Disk,
        }
    }

    /// The parameters that it takes: (`ms`, `bytes`, `seed`).
    #[must_use]
    pub fn takes(self) -> (bool, bool, bool) {
        match self {
            Self::Delay
            | Self::Stall
            | Self::Merge
            | Self::HalfOpen
            | Self::Mute
            | Self::Kill
            | Self::Freeze
            | Self::Stop
            | Self::Remove
            | Self::DiskFull
            | Self::DiskStuck
            | Self::DiskShort => (true, false, false),
            Self::Split | Self::Truncate | Self::DiskTail => (false, true, false),
            Self::Garbage => (false, true, true),
            Self::Wrong | Self::Command => (false, false, true),
            Self::Reset
            | Self::Duplicate
            | Self::Restart
            | Self::Script
            | Self::Reload
            | Self::Move => (false, false, false),
        }
    }

    /// The messages that arrive after it are not those that the referee sent.
    #[must_use]
    pub fn is_lie(self) -> bool {
        matches!(self, Self::Duplicate | Self::Garbage | Self::Truncate | Self::Wrong)
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A script that does harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostileScript {
    /// Fails in each turn.
    Throws,
    /// Returns something that is no action.
    Lies,
    /// Returns nothing.
    Silent,
    /// Calls itself without an end.
    Deep,
    /// Writes as much to the board and to the log as it may.
    Floods,
    /// Takes memory until there is no more.
    Greedy,
    /// Acts, but takes all the virtual time that it may.
    Slow,
    /// Never returns.
    Endless,
}

impl HostileScript {
    /// All of them; those that take real time last.
    pub const ALL: [Self; 8] = [
        Self::Throws,
        Self::Lies,
        Self::Silent,
        Self::Deep,
        Self::Floods,
        Self::Slow,
        Self::Greedy,
        Self::Endless,
    ];

    /// The name of its role.
    #[must_use]
    pub fn role(self) -> &'static str {
        match self {
            Self::Throws => "throws",
            Self::Lies => "lies",
            Self::Silent => "silent",
            Self::Deep => "deep",
            Self::Floods => "floods",
            Self::Greedy => "greedy",
            Self::Slow => "slow",
            Self::Endless => "endless",
        }
    }
}

/// One fault of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// It begins with this step of the match, counted from 1 over all rounds.
    pub step: u32,
    /// The team that it hits: `A` or `B`.
    #[serde(default = "first_team")]
    pub team: String,
    /// The agent that it hits, counted from 1. Where a team has one connection, all share it.
    #[serde(default = "first_agent")]
    pub agent: u16,
    /// What happens.
    pub kind: FaultKind,
    /// How long it lasts, in milliseconds of virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// How many bytes: of a piece, of garbage, or what is left of a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    /// Seed of what is random about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The hostile script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<HostileScript>,
}

fn first_team() -> String {
    "A".to_owned()
}

fn first_agent() -> u16 {
    1
}

impl Fault {
    /// The team's number.
    #[must_use]
    pub fn team_index(&self) -> usize {
        usize::from(self.team == "B")
    }

    /// The agent's place in the roster.
    #[must_use]
    pub fn agent_index(&self) -> usize {
        usize::from(self.agent).saturating_sub(1)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, team, agent, kind, .. } = self;
        write!(f, "step {step}: {kind} for {team}/{agent}")?;
        if let Some(ms) = self.ms {
            write!(f, ", {ms} ms")?;
        }
        if let Some(bytes) = self.bytes {
            write!(f, ", {bytes} bytes")?;
        }
        if let Some(seed) = self.seed {
            write!(f, ", seed {seed}")?;
        }
        if let Some(script) = self.script {
            write!(f, ", {}", script.role())?;
        }
        Ok(())
    }
}
