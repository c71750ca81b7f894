//! The only sockets and the only clock: connections, team threads, the arena's host.
//!
//! Engine and plugins are state machines that take bytes and time as arguments. This crate runs
//! them. A [`TeamSpec`] becomes a running team in two steps: `build`, which may fail, and `spawn`,
//! which cannot. The result is a [`TeamHandle`] without types of a game. Each seat is one task with
//! one `select!`, each team is one OS thread, and between them are two bounded hand-offs:
//!
//! ```text
//!            Input (bounded, never waits)               poll_output
//!  seat task ───────────────────────────────► team thread ─────────► snapshot (watch)
//!     ▲  │                                          │                 journal (broadcast)
//!     │  └ session: fallback at `due`, always       │
//!     └─────────────────────────────────────────────┘
//!            action (bounded, as soon as decided)
//! ```
//!
//! A seat always waits with its timer, and never waits for its team, so a stuck team or a referee
//! that does not read cannot stop a fallback. The [`Mailbox`] drops reports that a stuck team does
//! not take once newer ones have replaced them. [`serve_arena`] hosts one of our referees on the
//! same transports, and starts its players as processes. In a [`Lobby`], seats wait for a referee
//! that connects to them. [`Lockstep`] plays whole matches on a virtual clock, without sockets.
//!
//! Absent on purpose: knowledge of a game, of Lua, of settings files, of the control API; locks on
//! the path of a turn. The exceptions are one short lock for each hand-off to the team, one mutex
//! for a histogram, one for the operators' open requests, one that orders moves of a team, one for
//! the list of its seats, and two in the lobby when a bridge connects.
#![deny(missing_docs)]

mod arena;
mod artifact;
mod backoff;
mod call;
mod checkpoint;
mod clock;
mod endpoint;
mod enrol;
mod handed;
mod handle;
mod lease;
mod link;
mod listener;
mod lobby;
mod lockstep;
mod login_probe;
mod mailbox;
mod meter;
mod options;
mod outlet;
mod pipe;
mod pulse;
#[cfg(feature = "puppet")]
mod puppet;
mod recovery_log;
mod recovery_state;
mod relocate;
mod rerun;
mod sampler;
mod seat;
mod seat_registry;
mod seat_target;
mod session_driver;
mod spec;
mod supervisor;
mod tape;
mod thread;
mod thread_recovery;
mod tickets;
mod turn_span;
mod web_socket;

pub use arena::{
    ArenaEnd, ArenaHandle, ArenaReport, ArenaTruth, HostEvent, HostEventSender, HostFeed,
    HostOptions, Leave, Player, PlayerProcesses, Stderr, host_feed, serve_arena,
};
pub use artifact::ArtifactError;
pub use backoff::BackoffOptions;
pub use checkpoint::{CheckpointOptions, CheckpointSink, Freeze};
pub use clock::{now, origin};
pub use endpoint::{Endpoint, EndpointError};
pub use handed::HandedSeat;
pub use handle::{DrainReport, TeamHandle, WeakTeamHandle};
pub use link::{Link, MemoryDialer, MemoryListener, memory};
pub use listener::Listener;
pub use lobby::{Awaited, Lobby, hello, receive_bridges, welcomed};
pub use lockstep::{Lockstep, LockstepEnd, LockstepOptions, Observer, SideLoad, TurnTimes};
pub use login_probe::{LoginProbe, ProbeError, ProbeOptions, probe_login};
pub use mailbox::Mailbox;
pub use meter::{AnswerMeter, Answered, Timings};
pub use options::SeatOptions;
pub use outlet::{JOURNAL_ENTRIES_MAX, JournalItem, JournalStream};
pub use pulse::Pulse;
#[cfg(feature = "puppet")]
pub use puppet::{Puppet, PuppetAnswer, PuppetOptions};
pub use rerun::{
    Decision, JournalComparison, Line, LineDifference, Question, Redecide, Rerun, RerunOptions,
    SentDifference, Share, Tally, Trouble, Watcher,
};
pub use seat::{Act, SeatLink, SeatStatus, open_seat};
pub use seat_registry::{AgentSpec, Lineup};
pub use spec::{BuildError, BuiltTeam, TeamSpec};
pub use supervisor::{ABANDONED_MAX, STUCK_AFTER, ThreadHealth};
pub use tape::{Appetite, Message, Percepts, Recorder, SeatAct, Taped, ThinkTime};
pub use thread::{RESTART_WINDOW, RESTARTS_MAX, TeamEnd};
pub use tickets::REQUESTS_MAX;
