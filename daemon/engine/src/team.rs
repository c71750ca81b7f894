//! One team as a state machine.

use crate::{Brain, BrainError, Input, Output, TeamLink};
use phalanx_game::{Game, Roster, SeatId};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How a team deals with time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TeamOptions {
    /// The share of a turn's time that is waited for agents whose percepts are missing, 0 to 1.
    pub straggler_share: f64,
    /// The longest wait for them, however long the turn is.
    pub straggler_max: Duration,
    /// The longest that one `decide` may take, however much time is left.
    pub decide_max: Duration,
    /// The longest that `plan` may take.
    pub plan_max: Duration,
    /// The match's seed for scripts.
    pub seed: u64,
}

impl Default for TeamOptions {
    fn default() -> Self {
        Self {
            straggler_share: 0.25,
            straggler_max: Duration::from_millis(500),
            decide_max: Duration::from_millis(250),
            plan_max: Duration::from_millis(500),
            seed: 0,
        }
    }
}

/// One team.
#[derive(Debug)]
pub struct Team<G: Game, B: Brain> {
    game: std::marker::PhantomData<(G, B)>,
}

impl<G: Game, B: Brain> Team<G, B> {
    /// A team without connections yet. `seats` names the seat of each agent, by roster index.
    ///
    /// # Errors
    /// Whatever `brain` says: for example that the strategy does not compile.
    pub fn new(
        _game: &G,
        _roster: Arc<Roster>,
        _seats: Vec<SeatId>,
        _options: TeamOptions,
        _brain: impl FnOnce(TeamLink) -> Result<B, BrainError>,
    ) -> Result<Self, BrainError> {
        Ok(Self { game: std::marker::PhantomData })
    }

    /// Something happened.
    pub fn handle(&mut self, _input: Input<G>, _now: Instant) {}

    /// The instant of `poll_timeout` has come.
    pub fn handle_timeout(&mut self, _now: Instant) {}

    /// The next thing to do; decides for one agent at most. Call until `None`.
    #[must_use]
    pub fn poll_output(&mut self, _now: Instant) -> Option<Output<G>> {
        None
    }

    /// When `handle_timeout` must be called at the latest.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        None
    }
}
