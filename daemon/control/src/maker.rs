//! Teams that are made and deleted while the daemon runs.

use crate::ServedTeam;
use futures_util::future::BoxFuture;
use phalanx_settings::TeamRequest;
use phalanx_strategy::Trialled;
use std::sync::Arc;

/// A team that was made, and how its strategy's trial went.
pub type Made = (Arc<ServedTeam>, Arc<Trialled>);

/// Makes and deletes teams while the daemon runs.
pub trait TeamMaker: Send + Sync + 'static {
    /// Checks a team and tries its strategy; makes nothing.
    fn check(&self, request: TeamRequest) -> BoxFuture<'static, Result<Checked, MakeError>>;

    /// Makes a team. It is in the directory before this returns. `stopped`: it does not connect
    /// until it is started.
    fn make(
        &self,
        request: TeamRequest,
        stopped: bool,
        by: String,
    ) -> BoxFuture<'static, Result<Made, MakeError>>;

    /// Takes a team that has ended out of the directory, with all that it knows. False: there is
    /// none of that name.
    fn delete(&self, name: &str) -> bool;

    /// Puts a team with the same settings in the place of one whose match is over. It is in the
    /// directory when this completes. `None`: the settings of that team are not known.
    fn again(&self, name: &str, by: String) -> Option<BoxFuture<'static, Result<Made, MakeError>>> {
        let _ = (name, by);
        None
    }
}

/// A field that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Its path below what was sent: `agents[3].name`.
    pub field: String,
    /// What came and what was expected; never a password.
    pub text: String,
}

/// A team that could be made.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Name and role of each agent, in order.
    pub agents: Vec<(String, String)>,
    /// How the trial of its strategy went; it passed.
    pub trialled: Arc<Trialled>,
}

/// Why a team is not made. Nothing has changed then.
#[derive(Clone, Debug, thiserror::Error)]
pub enum MakeError {
    /// Something in it is wrong.
    #[error("{}", mistakes(.0))]
    Spec(Vec<Wrong>),
    /// Another team has the name.
    #[error("there is a team {0:?} already")]
    Exists(String),
    /// There are as many teams as there may be.
    #[error("a daemon has at most {0} teams")]
    TooMany(usize),
    /// Its strategy did not pass its trial.
    #[error("the strategy was refused")]
    Strategy(Arc<Trialled>),
    /// The system or the game refused for another reason.
    #[error("{0}")]
    Build(String),
    /// The daemon stops.
    #[error("the daemon stops")]
    Stopping,
}

/// All that is wrong in one line.
fn mistakes(wrong: &[Wrong]) -> String {
    let each = wrong.iter().map(|Wrong { field, text }| format!("{field}: {text}"));
    each.collect::<Vec<_>>().join("; ")
}
