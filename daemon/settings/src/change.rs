//! What becomes of a key's new value in a daemon that runs.

/// What becomes of a key's new value when a running daemon reads its settings again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It takes effect at once.
    Live,
    /// It is refused: it needs a restart, for this reason.
    Restart(&'static str),
}

pub(crate) const OPEN: &str = "is opened when the daemon starts";
pub(crate) const BOUND: &str = "is bound when the daemon starts";
pub(crate) const KEPT: &str = "is fixed when a team's thread starts";
pub(crate) const RECORDED: &str = "is fixed when a team's recorder starts";
pub(crate) const MADE: &str = "adds or removes a team of the settings";
pub(crate) const SEATS: &str = "is fixed for each open connection";
pub(crate) const SCRIPTS: &str = "is fixed when a team's scripts are loaded";
pub(crate) const TEAM: &str =
    "is fixed for a team; a team with another name can have another value";
pub(crate) const ACCOUNT: &str = "is fixed for the agent's connection (take the agent out of the \
     file, reload, put it in again, and reload)";
pub(crate) const CERTIFICATE: &str = "is read from the same file; replace the file";
