//! MAPC 2012, "Agents on Mars": our client and our referee.
//!
//! The protocol in a nutshell. Each agent has its own TCP connection; messages are XML documents
//! that end with a NUL byte. After the login the referee sends, per simulation, `sim-start`, then
//! one `request-action` a step with everything the agent perceives, and `sim-end`; `bye` ends the
//! tournament. The first answer with the request's id counts; a silent agent costs everybody the
//! full time.
//!
//! Two teams of twenty agents in five roles walk an unknown graph. They probe vertices, survey
//! edges, inspect, disable and repair each other. Every step a team earns the value of the zones
//! that its agents enclose, and its money once more.
//!
//! Where each rule is stated: bytes and messages in [`wire`], the order of messages and the clock in
//! [`session`], what is perceived in [`percept`], what may be done in [`action`], what is believed in
//! [`world`], what scripts may ask in [`api`], the game itself in [`rules`], the referee's side of the
//! connections in [`arena`].
//!
//! Use: register [`Mars`] with the daemon. Absent on purpose: sockets, clocks, strategy.

pub mod action;
pub mod api;
pub mod arena;
pub mod percept;
pub mod rules;
pub mod session;
pub mod wire;
pub mod world;

use phalanx_game::{Declaration, Framing, Game, Roster, Seat};

/// The game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mars;

static DECLARATION: Declaration = Declaration {
    name: "mars",
    framing: Framing::Stream,
    api: api::API,
    keys: api::KEYS,
    layers: &[],
    fixed: None,
};

impl Game for Mars {
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
