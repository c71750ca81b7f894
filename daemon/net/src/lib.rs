//! The only sockets and the only clock: connections, team threads, the arena's host.
//!
//! Engine and plugins are state machines that take bytes and time as arguments. This crate runs
//! them. A [`TeamSpec`] becomes a running team in two steps: `build`, which may fail, and `spawn`,
//! which cannot; what comes out is a [`TeamHandle`] that knows no game. Each seat is one task with
//! one `select!`; each team is one OS thread; between them are two bounded hand-offs:
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
//! The seat never waits for anything without its timer, nor for its team at all, so a stuck team or a
//! referee that does not read cannot stop a fallback. What a stuck team does not take is dropped once
//! newer news has made it useless, see [`Mailbox`]. [`serve_arena`] hosts a referee of our own on the
//! same transports, and starts the players that it wants as processes; a [`Lobby`] is where seats
//! wait for a referee that comes to them; [`Lockstep`] plays whole matches on a virtual clock, without sockets.
//!
//! Absent on purpose: knowledge of a game, of Lua, of settings files, of the control API; locks on
//! the path of a turn (each hand-off to the team is one short lock, one mutex guards a histogram, one the operators' open requests, one lets them
//! send a team away one after the other, one guards the list of its seats, two in the lobby are taken when a bridge comes).
#![deny(missing_docs)]

mod arena;
mod artifact;
mod backoff;
mod checkpoint;
mod clock;
mod course;
mod desk;
mod endpoint;
mod enrol;
mod estate;
mod handed;
mod handle;
mod knock;
mod lease;
mod ledger;
mod listener;
mod lobby;
mod lockstep;
mod lookout;
mod mailbox;
mod meter;
mod operator;
mod options;
mod outlet;
mod pipe;
mod places;
mod pulse;
mod rerun;
mod seat;
mod spec;
mod standing;
mod supervisor;
mod tape;
mod thread;
mod tickets;
mod turn_span;
mod web_socket;

pub use arena::{
    ArenaEnd, ArenaHandle, ArenaReport, Cast, HostEvent, HostFeed, HostOptions, Leave, Player,
    Stderr, Teller, host_feed, serve_arena,
};
pub use artifact::ArtifactError;
pub use backoff::BackoffOptions;
pub use checkpoint::{CheckpointOptions, CheckpointSink, Freeze};
pub use clock::{now, origin};
pub use course::CourseError;
pub use endpoint::{Endpoint, EndpointError, Link, MemoryDialer, MemoryListener, memory};
pub use handed::HandedSeat;
pub use handle::{
    DrainReport, Lineup, OperatorError, SeatStatus, TeamEnd, TeamHandle, WeakTeamHandle,
};
pub use knock::{Knock, KnockError, KnockOptions, knock};
pub use listener::Listener;
pub use lobby::{Awaited, Lobby, hello, receive_bridges, welcomed};
pub use lockstep::{Lockstep, LockstepEnd, LockstepOptions, Observer};
pub use mailbox::Mailbox;
pub use meter::{Answered, Meter, Timings};
pub use options::SeatOptions;
pub use outlet::{JOURNAL_ENTRIES_MAX, JournalItem, JournalStream};
pub use places::AgentSpec;
pub use pulse::Pulse;
pub use rerun::{
    Comparison, Decision, Difference, Line, Question, Redecide, Rerun, RerunOptions,
    SentDifference, Share, Tally, Trouble, Watcher,
};
pub use seat::{Act, SeatLink, open_seat};
pub use spec::{BuildError, BuiltTeam, TeamSpec};
pub use supervisor::{ABANDONED_MAX, STUCK_AFTER, ThreadHealth};
pub use tape::{Appetite, Message, Percepts, Recorder, SeatAct, Taped};
pub use thread::{RESTART_WINDOW, RESTARTS_MAX};
pub use tickets::REQUESTS_MAX;
