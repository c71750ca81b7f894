//! Matches under faults, and the proof that every turn is answered.
//!
//! The problem: defects that need three faults in one second are found in the final of a contest, or
//! by simulating years of matches. A seed gives a [`Scenario`]: a match of any game, and faults of
//! its network, processes and people. [`play()`] plays it on virtual time, in one thread, and checks
//! the promises of the daemon after each event ([`Rule`]). Equal scenarios give equal matches, so a
//! broken promise can be [shrunk](shrink()) to a short file, which becomes a regression test.
//!
//! - `scenario`, `fault`: what happens, as data. `generate`: from a seed.
//! - `often`: faults with a chance instead of a step. `misses`: turns without an answer.
//! - `wire`: requests, answers and wrong content in the formats of the games.
//! - `network`: an arena around an arena, with the faults of connections. `people`: commands.
//!   `errands`: teams that stop, start and move, agents that come and go.
//! - `disk`, `disk_tape`, `checkpoints`: a recording and checkpoints on a disk with faults.
//! - `belief`: what a team believes beside the truth.
//! - `ledger`, `watch`: what is known of each seat, and the checks.
//! - `sabotage`: parts that are broken on purpose, for tests.
//! - `live`: the same network for matches in real time.
//! - `play`: one match. `shrink`: a shorter one. `run`, `report`: many.
#![deny(missing_docs)]

mod api;
mod belief;
mod cast;
mod checkpoints;
mod disk;
mod disk_tape;
mod fault;
mod generate;
mod ledger;
mod live;
mod methods;
mod misses;
mod network;
mod often;
mod people;
mod play;
mod report;
mod rerun;
mod run;
mod sabotage;
mod scenario;
mod shrink;
mod violation;
mod watch;
mod wire;

pub use cast::SetupError;
pub use fault::{Fault, FaultClass, FaultKind, HostileScript};
pub use generate::{Ground, generate};
pub use live::{FaultLog, NetworkReport, disturb};
pub use misses::MissFigures;
pub use often::{Numbers, Often};
pub use play::{Outcome, play, play_broken};
pub use report::{described, json, table};
pub use run::{ChaosPlan, ChaosReport, Failure, GameFigures, KindFigures, run};
pub use sabotage::{Breaker, Sabotage};
pub use scenario::{
    FAULT_PLANS, FaultPlan, SCENARIO_VERSION, STEPS_MAX, Scenario, ScenarioError, ScenarioStrategy,
};
pub use shrink::{Shrunk, shrink};
pub use violation::{Rule, Violation};
