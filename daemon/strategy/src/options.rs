//! Options of a keeper.

use phalanx_game::{Api, Roster};
use phalanx_lua::{Bundle, Limits, LoadError};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Reads a strategy folder.
pub type ReadFolder = Arc<dyn Fn(&Path) -> Result<Bundle, LoadError> + Send + Sync>;
/// Adds the modules that the program ships to a strategy that came without a folder.
pub type Complete = Arc<dyn Fn(Bundle) -> Result<Bundle, LoadError> + Send + Sync>;

#[derive(Clone)]
pub struct KeeperOptions {
    /// The team's name in the daemon.
    pub team: String,
    /// The game's name.
    pub game: &'static str,
    /// What the game offers to scripts.
    pub api: &'static Api,
    /// The agents at the start of the match.
    pub roster: Arc<Roster>,
    /// What scripts may use.
    pub limits: Limits,
    /// Longest time of one decision.
    pub decide_max: Duration,
    /// The strategy's folder; `None` when it came with the program.
    pub folder: Option<PathBuf>,
    /// Reads the folder, shared modules included.
    pub read: ReadFolder,
    /// Completes a bundle that came as files with the program's own shared modules.
    pub complete: Complete,
    /// Changed files are taken up by themselves.
    pub watch: bool,
    /// How long files must not have changed before they are read.
    pub settle: Duration,
    /// How often the folder is looked through, whatever its drive tells.
    pub poll: Duration,
    /// Generations that are kept.
    pub keep: usize,
    /// The state folder of the daemon; `None`: the history is kept in memory alone.
    pub state: Option<PathBuf>,
    /// Longest time of a whole trial.
    pub trial_max: Duration,
}

/// What may change while a keeper is at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// As [`KeeperOptions::folder`].
    pub folder: Option<PathBuf>,
    /// As [`KeeperOptions::watch`].
    pub watch: bool,
    /// As [`KeeperOptions::settle`].
    pub settle: Duration,
    /// As [`KeeperOptions::poll`].
    pub poll: Duration,
    /// As [`KeeperOptions::keep`].
    pub keep: usize,
    /// As [`KeeperOptions::trial_max`].
    pub trial_max: Duration,
    /// As [`KeeperOptions::decide_max`].
    pub decide_max: Duration,
}

impl KeeperOptions {
    /// What of it may change.
    #[must_use]
    pub fn tuning(&self) -> Tuning {
        Tuning {
            folder: self.folder.clone(),
            watch: self.watch,
            settle: self.settle,
            poll: self.poll,
            keep: self.keep,
            trial_max: self.trial_max,
            decide_max: self.decide_max,
        }
    }

    /// The same with what has changed.
    pub(crate) fn tuned(&self, tuning: Tuning) -> Self {
        let Tuning { folder, watch, settle, poll, keep, trial_max, decide_max } = tuning;
        let own = self.clone();
        Self { folder, watch, settle, poll, keep, trial_max, decide_max, ..own }
    }
}

impl fmt::Debug for KeeperOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeeperOptions")
            .field("team", &self.team)
            .field("game", &self.game)
            .field("folder", &self.folder)
            .field("watch", &self.watch)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
