//! Matches under faults, and the proof that every turn is answered.
//!
//! The problem: defects that need three faults in one second are found in the final of a contest, or
//! by simulating years of matches. A seed gives a [`Scenario`]: a match of any game, and faults of
//! its network, processes and people. [`play()`] plays it on virtual time, in one thread, and checks
//! the promises of the daemon after each event ([`Rule`]). Equal scenarios give equal matches, so a
//! broken promise can be [shrunk](shrink()) to a short file, which becomes a regression test.
//!
//! - `scenario`, `fault`: what happens, as data. `generate`: from a seed.
//! - `wire`: requests, answers and wrong content in the formats of the games.
//! - `network`: an arena around an arena, with the faults of connections. `people`: commands.
//! - `ledger`, `watch`: what is known of each seat, and the checks.
//! - `play`: one match. `shrink`: a shorter one. `run`, `report`: many.
#![deny(missing_docs)]

mod cast;
mod fault;
mod generate;
mod ledger;
mod network;
mod people;
mod play;
mod report;
mod rerun;
mod run;
mod scenario;
mod shrink;
mod violation;
mod watch;
mod wire;

pub use cast::SetupError;
pub use fault::{Fault, FaultClass, FaultKind, HostileScript};
pub use generate::{Ground, generate};
pub use play::{Breaker, Outcome, play, play_broken};
pub use report::{described, json, table};
pub use run::{ChaosPlan, ChaosReport, Failure, GameFigures, KindFigures, run};
pub use scenario::{SCENARIO_VERSION, STEPS_MAX, Scenario, ScenarioError, ScenarioStrategy};
pub use shrink::{Shrunk, shrink};
pub use violation::{Rule, Violation};
