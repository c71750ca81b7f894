//! The rules of the game as a pure function (spec sections 5 to 7): a state, the orders of a tick
//! and two streams of chance in, the next state and its events out.
//!
//! Both the referee (`arena`) and the forward model (`world`) run on this code.
//!
//! - `params`: what a game is configured with. `board`: what never changes in it. `state`: the rest.
//! - `order`: what units may be told, and which orders are accepted. `event`: what a tick tells.
//! - `tick`: the phases of a tick. `blast`: explosions, items, and everything put into a cell.
//! - `chance`: random streams and the list of free cells. `fire`: the ring of fire. `map`: worlds.

mod blast;
mod board;
mod chance;
mod event;
mod fire;
mod map;
mod order;
mod params;
mod state;
mod tick;

pub use board::{Board, UnitName};
pub use chance::{Chance, FreeList, Luck, Mersenne, Streams};
pub use event::{Event, Sink};
pub use fire::fire_order;
pub use map::{Generated, Unmakeable, generate};
pub use order::{Act, Direction, Order, Queue, Refusal};
pub use params::{Params, SIDE_MAX, Setup};
pub use state::{Entity, Kind, State, Unit};
pub use tick::step;

/// A cell's number: `x + y · width`.
pub type Cell = u16;

/// Index of a unit in the order of the game.
pub type UnitIndex = u8;

/// Index of an agent (a player with its units) in the order of the game.
pub type AgentIndex = u8;
