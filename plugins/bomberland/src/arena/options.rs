//! How this referee may differ from the original's behaviour.

use super::ForwardMode;
use std::time::Duration;

/// What the engine's variables do not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaOptions {
    /// World and game seed in one, instead of the configured ones.
    pub seed: Option<u64>,
    /// Close connections that are refused after this long; the engine keeps them open in silence.
    pub close_refused: Option<Duration>,
    /// Also take the older document's detonation: a `move` with coordinates.
    pub lenient: bool,
    /// How the forward model reads states.
    pub forward: ForwardMode,
    /// After a game wait for resets instead of calling the match over. It is over when the engine's
    /// process would end: a while after the game, where that is configured.
    pub stay: bool,
}
