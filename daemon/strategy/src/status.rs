//! What others see of a team's strategy: plain data.

use phalanx_engine::{Generation, StrategyOrigin};
use phalanx_trial::TrialResult;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// A team's strategy now.
#[derive(Clone, Debug)]
pub struct StrategyStatus {
    /// What decides.
    pub active: GenerationInfo,
    /// The operator pinned it.
    pub pinned: bool,
    /// It is new and watched: too many errors take it back.
    pub on_probation: bool,
    /// The folder that it comes from; `None` when it came with the program.
    pub folder: Option<PathBuf>,
    /// Changed files are taken up by themselves.
    pub watching: bool,
    /// How the last trial went; `None` before the first, and after the folder went back from
    /// something refused to what decides.
    pub last_trial: Option<Arc<Trialled>>,
}

/// One generation of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerationInfo {
    /// Which.
    pub generation: Arc<Generation>,
    /// It decides now.
    pub active: bool,
    /// It failed and was taken back: how; empty when it was not.
    pub taken_back: String,
    /// How many files it has.
    pub file_count: usize,
}

/// A trial that was held.
#[derive(Clone, Debug)]
pub struct Trialled {
    /// How it went.
    pub report: TrialResult,
    /// Who brought the strategy; `None` for a mere check.
    pub origin: Option<StrategyOrigin>,
    /// When it ended.
    pub at: SystemTime,
}
