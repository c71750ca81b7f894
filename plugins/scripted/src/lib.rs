//! Games that are a folder: `game.toml` declares the game, Luau files are its protocol, its world and
//! its referee, behind the same contract as the native games.
//!
//! - [`GameFolder`]: the files, with a hash that recordings keep.
//! - [`Manifest`]: what `game.toml` declares.
//! - [`ScriptedGame`]: the [`Game`]; [`ScriptedArena`]: its referee.
//! - [`check()`]: everything that can be found wrong without a match.
//! - [`Percept`]: what a session reports and a world gets; a part of a message stays text until
//!   it is read.
//!
//! Scripts keep their state as plain data, so it can move between threads, be copied, saved and
//! calculated again (`state.rs`). Calls are bounded by steps and not by time.
//!
//! Absent on purpose: clocks, sockets, and the rules of any game.
#![deny(missing_docs)]

mod arena;
mod check;
mod codec;
mod folder;
mod kits;
mod manifest;
mod mistake;
mod natives;
mod percept;
mod picture;
mod scan;
mod session;
mod state;
mod steps;
#[expect(clippy::wildcard_enum_match_arm, reason = "mlua's enums grow with its versions")]
mod vm;
mod world;

pub use arena::{ArenaSetup, ScriptedArena};
pub use check::check;
pub use folder::{GameFolder, MANIFEST, STRATEGY_FOLDER};
pub use manifest::{CONTRACT, Encoding, Manifest, PerceptForm, Transport, check_name};
pub use mistake::Mistake;
pub use percept::Percept;
pub use session::ScriptedSession;
pub use world::ScriptedWorld;

use phalanx_game::{Declaration, Game, Roster, Said, Seat, Value};
use std::sync::Arc;

/// A value as text for people and attributes: texts without quotes.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| phalanx_game::write_value(value), str::to_owned)
}

/// A folder and what it declares.
#[derive(Debug)]
pub struct Rules {
    /// The files.
    pub folder: Arc<GameFolder>,
    /// The manifest.
    pub manifest: Manifest,
}

/// A game that is written in Luau.
#[derive(Clone, Debug)]
pub struct ScriptedGame {
    rules: Arc<Rules>,
}

impl ScriptedGame {
    /// The game of a folder.
    ///
    /// # Errors
    /// All mistakes of its manifest, with their lines.
    pub fn new(folder: GameFolder) -> Result<Self, Vec<Mistake>> {
        let manifest = Manifest::read(&folder)?;
        Ok(Self { rules: Arc::new(Rules { folder: Arc::new(folder), manifest }) })
    }

    /// The folder and what it declares.
    #[must_use]
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }
}

impl Game for ScriptedGame {
    type Briefing = Value;
    type Percept = Percept;
    type Action = Said;
    type Session = ScriptedSession;
    type World = ScriptedWorld;

    fn declaration(&self) -> &'static Declaration {
        self.rules.manifest.declaration
    }

    fn session(&self, seat: &Seat) -> ScriptedSession {
        ScriptedSession::new(&self.rules, seat)
    }

    fn world(&self, roster: &Roster) -> ScriptedWorld {
        ScriptedWorld::new(&self.rules, roster)
    }

    fn describe(action: &Said) -> String {
        phalanx_game::write_order(action)
    }
}
