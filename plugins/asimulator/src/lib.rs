//! Asimulator: our client, exact inference about what it cannot see, and our simulator.
//!
//! The protocol in a nutshell. The simulator listens, the agent connects over TCP and says one
//! byte: the byte order of numbers. Then simulation follows simulation: the rules as bits and
//! numbers, a percept of one byte, the tiles that are known from the start, and then in turn an
//! action of one byte and a percept of one byte until one says End; the final score follows.
//! Symbols and texts for the simulator's display may go before an action. There are no deadlines
//! and no words of greeting or farewell: the simulator hangs up between two simulations.
//!
//! One agent walks a grid of walls, deadly tiles and deadly enemies that it can shoot, gathers
//! items, and should be at a home in the end. It perceives only whether something deadly is next to
//! it, so the art is to infer what is where, and to know when to stop.
//!
//! Where each rule is stated: the game itself in [`rules`], bytes in [`wire`], the order of
//! messages in [`session`], what is perceived in [`percept`], what may be done in [`action`],
//! inference and planning in [`world`], what scripts may ask in [`api`], the simulator's side in
//! [`arena`].
//!
//! Use: register [`Asimulator`] with the daemon. Absent on purpose: sockets, clocks, strategy.

pub mod action;
pub mod api;
pub mod arena;
pub mod percept;
pub mod rules;
pub mod session;
pub mod wire;
pub mod world;

use phalanx_game::{Declaration, Framing, Game, Roster, Seat};
use session::ClientOptions;

/// The game, with what must be said about the simulator since its protocol does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asimulator {
    /// The client's options.
    pub options: ClientOptions,
}

static DECLARATION: Declaration = Declaration {
    name: "asimulator",
    framing: Framing::Stream,
    api: api::API,
    keys: api::KEYS,
    layers: &[world::draw::GROUND],
    fixed: Some("each connection plays alone, in a simulation of its own"),
};

impl Game for Asimulator {
    type Briefing = percept::Briefing;
    type Percept = percept::Percept;
    type Action = action::Action;
    type Session = session::Session;
    type World = world::World;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn session(&self, seat: &Seat) -> session::Session {
        session::Session::new(seat, self.options)
    }

    fn world(&self, roster: &Roster) -> world::World {
        world::World::new(roster, self.options)
    }

    fn describe(action: &action::Action) -> String {
        action.to_string()
    }
}
