//! A team's strategy over time: generations and their history, the watched folder, trials, and
//! live looks inside.
//!
//! [`Keeper::open`] reads the history, [`Keeper::first`] tries what the team begins with, and
//! [`Keeper::spawn`] starts one task a team that owns the strategy from then on. Everybody else
//! holds a [`KeeperHandle`]; the keeper asks the team through its
//! [`TeamHandle`](phalanx_net::TeamHandle).
//!
//! ```text
//! saved file, SIGHUP, API ─► bundle ─► trial (a thread, the team's view) ─► InstallStrategy ─► history
//!                                        └── mistakes: journal, log, status; the old one plays on
//! ```

mod command;
mod handle;
mod install;
mod keeper;
mod options;
mod patience;
mod request;
mod scan;
mod sessions;
mod status;
mod store;
mod task;
mod trial;
mod watch;

pub use handle::KeeperHandle;
pub use keeper::Keeper;
pub use options::{Complete, KeeperOptions, ReadFolder, Tuning};
pub use request::{
    Activation, CODE_BYTES_MAX, Eval, Evaluated, RequestedSource, SESSION_NAME_BYTES_MAX,
    SESSIONS_MAX, StrategyError,
};
pub use status::{GenerationInfo, StrategyStatus, Trialled};
pub use store::safe_name;
