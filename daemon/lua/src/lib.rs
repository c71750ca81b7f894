//! The script host: a team's strategy in Lua, behind the engine's `Brain`.
//!
//! [`Bundle::read`] takes a strategy folder, [`LuaBrain::new`] compiles and loads it into one Luau
//! VM for the team and answers the engine's questions by calling `start`, `plan`, `decide` and
//! `finish`. [`check_bundle`] does the same without a match and lists all mistakes.
//!
//! Scripts are guests. Each call has a time budget: a timer thread raises a flag, the VM's
//! interrupt reads it and raises an error again and again until the outermost call returns, so
//! that no `pcall` keeps it. Native functions have no interrupt: those of Luau's library do bounded
//! pieces of work, ours pause in long work (both in `phalanx_luau`). Memory
//! is limited per VM; when a strategy keeps hogging it, the VM is rebuilt and the agents' memories
//! are carried over as plain data. Each role file and `team.lua` has an environment and modules of
//! its own; everything shared is read-only.
//!
//! Equal inputs give equal decisions: randomness is seeded by match, agent and turn, texts contain
//! no addresses, tables with text, number or boolean keys are walked in an order that depends on
//! their history alone. Two things are not: `time_left`, and walks of tables whose keys are tables
//! or functions.
//!
//! Absent on purpose: files, clocks, environment and bytecode for scripts; `require` outside the
//! bundle; any knowledge of a particular game, which comes as an `Api` and an `Oracle`.

mod action_value;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
mod args;
mod assign;
mod brain;
mod bundle;
mod check;
mod diagnostic;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
mod dialect;
mod dice;
mod eval;
mod explain;
mod host;
mod host_api;
mod limits;
mod migrate;
mod natives;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
mod param;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
mod prelude;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
mod pretty;
mod profile;
mod program;
mod reference;
mod replica;
mod spec_files;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
mod specs;
mod swap;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
mod team_natives;
mod timer;
mod tuned;
mod types;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
mod vm;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
mod world_natives;

pub use brain::LuaBrain;
pub use bundle::{
    Bundle, DEPTH_MAX, FILE_BYTES_MAX, FILES_MAX, LIB_FOLDER, TEAM_SCRIPT, TOTAL_BYTES_MAX,
    TYPES_FOLDER,
};
pub use check::{check_bundle, declared_params};
pub use diagnostic::{Diagnostic, LoadError, Severity};
pub use host_api::{Function, Module, Param, Type, modules};
pub use limits::Limits;
pub use phalanx_engine::similar;
pub use phalanx_luau::plain::PlainLimits;
pub(crate) use phalanx_luau::{failure, pace, plain};
pub use program::{Program, stage};
pub use reference::{reference, reference_json};
pub use replica::Replica;
pub use specs::{
    CASE_LINES_MAX, CASES_MAX, FAKE_AGENTS_MAX, FileCoverage, SPEC_ENDING, SPEC_FOLDER,
    SPEC_REFERENCE, SpecCase, SpecDifference, SpecOptions, SpecOutcome, SpecReport, SpecSetting,
    run_specs, spec_names,
};
pub use tuned::{TUNED_FILE, Tuned};
pub use types::{SPEC_NAMES, selene_library, types_luacats, types_luau};
