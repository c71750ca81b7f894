//! Teams that are made and deleted while the daemon runs.

use crate::ServedTeam;
use futures_util::future::BoxFuture;
use phalanx_strategy::Trialled;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A team that was made, and how its strategy's trial went.
pub type Made = (Arc<ServedTeam>, Arc<Trialled>);

/// Makes and deletes teams while the daemon runs.
pub trait TeamMaker: Send + Sync + 'static {
    /// Checks a team and tries its strategy; makes nothing.
    fn check(&self, draft: TeamDraft) -> BoxFuture<'static, Result<Checked, MakeError>>;

    /// Makes a team. It is in the directory before this returns.
    fn make(&self, draft: TeamDraft, by: String) -> BoxFuture<'static, Result<Made, MakeError>>;

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

/// A team that somebody wants to make, as it came; empty texts are absent ones.
#[derive(Clone, Debug, Default)]
pub struct TeamDraft {
    /// Its name.
    pub name: String,
    /// Its game.
    pub game: String,
    /// The referee's address.
    pub server: String,
    /// The folder of its strategy.
    pub strategy: String,
    /// Its agents; empty where there is a pattern.
    pub agents: Vec<AgentDraft>,
    /// Agents whose names differ in a number.
    pub pattern: Option<AgentPattern>,
    /// The role of agents without one.
    pub role: String,
    /// The password of agents without one.
    pub password: Option<SecretString>,
    /// The seed of its scripts.
    pub seed: u64,
    /// How long a turn lasts where the referee does not say.
    pub deadline: Option<Duration>,
    /// What only its game knows, as text; may hold secrets.
    pub options: BTreeMap<String, SecretString>,
    /// It does not connect until it is started.
    pub stopped: bool,
}

/// An agent that somebody wants to add, as it came; empty texts are absent ones.
#[derive(Clone, Debug)]
pub struct AgentDraft {
    /// Its name at the referee.
    pub name: String,
    /// Its account; empty: its name.
    pub user: String,
    /// The account's password; `None`: the team's, or that of its first agent.
    pub password: Option<SecretString>,
    /// Its first role; empty: the team's, or that of its first agent.
    pub role: String,
}

/// A field that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Its path below what was sent: `agents[3].name`.
    pub field: String,
    /// What came and what was expected; never a password.
    pub text: String,
}

/// Agents whose names differ in a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentPattern {
    /// The prefix of the number.
    pub prefix: String,
    /// How many.
    pub count: u32,
    /// The first number.
    pub first: Option<u32>,
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
