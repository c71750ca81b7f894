//! Facts about the simulator that a client must be configured with, since the protocol does not
//! contain them (spec section 13).

use crate::rules::{BoundsMean, Neighbourhood, ScoreLimitMode};
use crate::wire::Dialect;
use std::time::Duration;

/// The line must have been quiet for so long before its opening is taken to be complete.
pub const DETECT_QUIET: Duration = Duration::from_millis(300);

/// What the client believes about bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoundsOption {
    /// What the first contact shows.
    #[default]
    Learn,
    /// This.
    Always(BoundsMean),
}

/// What the client believes about the reach of Hostility and Fear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NeighbourhoodOption {
    /// Four neighbours, until percepts contradict that.
    #[default]
    Learn,
    /// This.
    Always(Neighbourhood),
}

/// What to do when a script refuses the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnUnacceptable {
    /// Say why, and shut off: the connection stays usable.
    #[default]
    ShutOff,
    /// Say why, shut off, and close.
    Disconnect,
}

/// A client's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientOptions {
    /// How the connection writes; where something is detected, what is tried first.
    pub dialect: Dialect,
    /// Whether the revision is detected.
    pub detect_revision: bool,
    /// Whether the order of bits is detected.
    pub detect_bits: bool,
    /// See [`DETECT_QUIET`].
    pub quiet: Duration,
    /// How long a percept may take after our own deadline; `None`: for ever.
    pub percept_timeout: Option<Duration>,
    /// What bounds mean.
    pub bounds: BoundsOption,
    /// How far Hostility and Fear reach.
    pub neighbourhood: NeighbourhoodOption,
    /// How a score limit is meant.
    pub score_limit: ScoreLimitMode,
    /// What happens to rules that a script refuses.
    pub on_unacceptable: OnUnacceptable,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            detect_revision: false,
            detect_bits: false,
            quiet: DETECT_QUIET,
            percept_timeout: None,
            bounds: BoundsOption::default(),
            neighbourhood: NeighbourhoodOption::default(),
            score_limit: ScoreLimitMode::default(),
            on_unacceptable: OnUnacceptable::default(),
        }
    }
}

impl ClientOptions {
    /// Whether anything about the writing is detected.
    #[must_use]
    pub fn detects(&self) -> bool {
        self.detect_revision || self.detect_bits
    }

    /// The dialects that are possible, in the order of preference.
    #[must_use]
    pub fn candidates(&self) -> Vec<Dialect> {
        self.dialect.candidates(self.detect_revision, self.detect_bits)
    }
}
