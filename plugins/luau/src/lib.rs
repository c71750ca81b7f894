//! What all hosts of Luau share: the one for strategies, and the one for games that are written in
//! Luau.
//!
//! - [`library::bound`]: Luau's own library in pieces of work between which an interrupt can stop it.
//! - [`plain`]: data that goes into a VM and comes out of it.
//! - [`pace`]: long work of natives in pieces.
//! - [`failure`]: what a script raised, and where.
//!
//! Absent on purpose: what scripts can do in a game, and who calls them when.
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
pub mod failure;
pub mod library;
pub mod pace;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
pub mod plain;

use mlua::chunk::{ChunkMode, Compiler};
use mlua::{Function, Lua};

/// Our own Luau source, compiled without line numbers: an error that it raises with level 2 carries
/// the line of the script that called.
///
/// # Errors
/// The VM's own: no memory.
pub fn trusted(lua: &Lua, source: &str) -> mlua::Result<Function> {
    let code = Compiler::new().set_optimization_level(2).set_debug_level(0).compile(source)?;
    lua.load(code).set_mode(ChunkMode::Binary).set_name("=phalanx").into_function()
}
