//! What a referee's file does not say.

/// How a match is started and ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaOptions {
    /// World and game seed in one, instead of the configured ones.
    pub seed: Option<u64>,
    /// After a game wait for resets instead of calling the match over. It is over when the engine's
    /// process would end: a while after the game, where that is configured.
    pub stay: bool,
}
