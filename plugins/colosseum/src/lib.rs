//! Colosseum: our client, and our referee for its four games.
//!
//! The protocol in a nutshell. The referee starts an agent as a process and writes JSON lines to
//! it: who it is, a ping, the settings, then one state a tick, then stop. Each line is answered by
//! exactly one line. Whatever is written is taken for the answer to the newest line; a wrong id in
//! it disqualifies, and anything that is not JSON hangs the original for ever.
//!
//! The games: food_catcher (actors gather, carry, fight on a plane; the main one), cherry_picker
//! (the same, everybody in a world of its own), snake, chess.
//!
//! Where each rule is stated: the games themselves in [`rules`], bytes and messages in [`wire`],
//! the order of messages and the clock in [`session`], what is perceived in [`percept`], what may
//! be answered in [`action`], what scripts may ask in [`api`] and how it is found in [`world`] and,
//! for the best move of chess, in [`chess`], connections, matches and tournaments of the referee in [`arena`]. The agent executable that the
//! original starts is [`bridge`], without its input and output.
//!
//! Use: register [`Colosseum`] with the daemon. Absent on purpose: processes, sockets, clocks,
//! strategy.

pub mod action;
pub mod api;
pub mod arena;
pub mod bridge;
pub mod chess;
pub mod percept;
pub mod rules;
pub mod session;
pub mod wire;
pub mod world;

use phalanx_game::{Declaration, Framing, Game, Roster, Seat};

/// The game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colosseum;

static DECLARATION: Declaration = Declaration {
    name: "colosseum",
    framing: Framing::Stream,
    api: api::API,
    keys: api::KEYS,
    layers: &[world::draw::CELLS, world::draw::BOARD],
    fixed: Some("the referee starts its agents itself, before the match"),
};

impl Game for Colosseum {
    type Briefing = percept::MatchConfig;
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
