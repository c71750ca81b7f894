//! MAPC 2020/21, "Agents Assemble II": our client and our referee.
//!
//! The protocol in a nutshell. Each agent has its own TCP connection; messages are JSON objects
//! that end with a NUL byte. After the login the referee sends, per simulation, `sim-start`, then
//! one `request-action` a step with everything the agent perceives, and `sim-end`; `bye` ends the
//! tournament. An answer counts while its step lasts; a silent agent costs everybody the full time.
//!
//! Agents walk a torus of unknown size, see five cells far and know only relative cells. They fetch
//! blocks from dispensers, join them to the shapes of tasks and deliver them on goal cells. The
//! reward melts with every step.
//!
//! Where each rule is stated: bytes and messages in [`wire`], the order of messages and the clock
//! in [`session`], what is perceived in [`percept`], what may be done in [`action`], what is
//! believed in [`world`], what scripts may ask in [`api`], and the game's own rules in [`arena`].
//!
//! Use: register [`Assemble`] with the daemon. Absent on purpose: sockets, clocks, strategy.

pub mod action;
pub mod api;
pub mod arena;
pub mod percept;
pub mod session;
pub mod wire;
pub mod world;

use phalanx_game::{Declaration, Framing, Game, Roster, Seat};

/// The game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assemble;

static DECLARATION: Declaration = Declaration {
    name: "assemble",
    framing: Framing::Stream,
    api: api::API,
    keys: api::KEYS,
    layers: &[world::draw::GROUND, world::draw::BLOCKS],
    fixed: None,
};

impl Game for Assemble {
    type Briefing = percept::Briefing;
    type Percept = percept::Percept;
    type Action = action::Action;
    type Session = session::Session;
    type World = world::World;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn session(&self, seat: &Seat) -> session::Session {
        session::Session::new(seat)
    }

    fn world(&self, roster: &Roster) -> world::World {
        world::World::new(roster)
    }

    fn describe(action: &action::Action) -> String {
        action.to_string()
    }
}
