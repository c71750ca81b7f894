//! The rules of the game as a pure function (spec sections 5 to 7): a state, the orders of a tick
//! and two streams of chance in, the next state and its events out.
//!
//! Both the referee (`arena`) and the forward model (`world`) run on this code.
//!
//! - `params`: what a game is configured with. `board`: what never changes in it. `state`: the rest.
//! - `order`: orders for units, and which of them are accepted. `event`: events of a tick.
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

pub use board::{GameBoard, UnitName};
pub use chance::{ForwardChance, FreeList, Mersenne, Streams, TickChance};
pub use event::{EventSink, TickEvent};
pub use fire::fire_order;
pub use map::{GeneratedGame, Unmakeable, generate};
pub use order::{OrderQueue, OrderRefusal, UnitAction, UnitDirection, UnitOrder};
pub use params::{GameParams, SIDE_MAX, Setup};
pub use state::{CellEntity, EntityKind, GameState, Unit};
pub use tick::step;

/// A cell's number: `x + y · width`.
pub type CellIndex = u16;

/// Index of a unit in the order of the game.
pub type UnitIndex = u8;

/// Index of an agent (a player with its units) in the order of the game.
pub type AgentIndex = u8;
