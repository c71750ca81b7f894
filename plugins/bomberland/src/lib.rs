//! Bomberland: our client, its forward model, and our referee.
//!
//! The protocol in a nutshell. One WebSocket per player, who commands three units; the place of
//! the player is in the query (`/?role=agent&agentId=agentA`). The referee sends the full state
//! once, then ten ticks a second with everything that happened, and the end of the game. Orders
//! are small JSON objects, one a unit and tick; the first counts, nothing is ever answered. A
//! connection that is refused just stays silent.
//!
//! Units walk a grid of blocks, put bombs, and lose lives in blasts and fire. From a certain tick
//! on a ring of fire eats the map; the last player with a living unit wins. Nothing is hidden, so
//! the art is to look ahead.
//!
//! Where each rule is stated: the game itself in [`rules`], bytes and messages in [`wire`], the
//! order of messages and the clock in [`session`], what is perceived in [`percept`], what may be
//! done in [`action`], looking ahead in [`world`], plans for a team in [`search`], what scripts may ask in [`api`], connections
//! and ticks of the referee in [`arena`]. The engine's own forward model is asked through
//! [`forward`], and [`picture`] draws a game for people.
//!
//! Use: register [`Bomberland`] with the daemon. Absent on purpose: sockets, clocks, strategy.

pub mod action;
pub mod api;
pub mod arena;
pub mod forward;
pub mod percept;
pub mod picture;
pub mod rules;
pub mod search;
pub mod session;
pub mod wire;
pub mod world;

use phalanx_game::{Declaration, Framing, Game, Roster, Seat};

/// The game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bomberland;

static DECLARATION: Declaration = Declaration {
    name: "bomberland",
    framing: Framing::Message,
    api: api::API,
    keys: api::KEYS,
    layers: &[world::draw::THINGS],
    fixed: Some("one connection carries all units of a team, and the game begins with them"),
};

impl Game for Bomberland {
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
