//! What this crate needs from the lab: ladders and tune runs that other processes play.

use phalanx_proto::v1;

/// The ladders and tune runs of a folder, and the ladders of a server. All methods may read files
/// and compute: call them on threads that may block.
pub trait LabDirectory: Send + Sync + 'static {
    /// All ladders without their rows, by their ids.
    fn ladders(&self) -> Vec<v1::Ladder>;

    /// The server that keeps ladders; `None` without one.
    fn server(&self) -> Option<v1::LabServer>;

    /// One ladder; `None` if there is none of that id.
    fn ladder(&self, id: &str) -> Option<v1::GetLadderResponse>;

    /// Matches of a ladder, the newest first; `None` if there is no such ladder.
    fn ladder_matches(&self, id: &str, ask: &LadderMatchAsk) -> Option<Vec<v1::LadderMatch>>;

    /// All tune runs, by their ids.
    fn tune_runs(&self) -> Vec<v1::TuneRun>;

    /// One tune run; `None` if there is none of that id.
    fn tune_run(&self, id: &str) -> Option<v1::GetTuneRunResponse>;
}

/// Which matches of a ladder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LadderMatchAsk {
    /// Only matches with a smaller number; `None`: the newest ones.
    pub before: Option<u64>,
    /// Most matches.
    pub count: usize,
    /// Only matches of all of these strategies, as `name@version`.
    pub players: Vec<String>,
}
