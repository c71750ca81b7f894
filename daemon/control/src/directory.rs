//! The daemon's teams, as the API finds them.

use crate::{
    ArenaDirectory, LabDirectory, LeagueDirectory, RecordingDirectory, ServedTeam, TeamMaker,
};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// The daemon's teams.
pub trait TeamDirectory: Send + Sync + 'static {
    /// All teams, in any order.
    fn teams(&self) -> Vec<Arc<ServedTeam>>;

    /// The team of that name.
    fn team(&self, name: &str) -> Option<Arc<ServedTeam>> {
        self.teams().into_iter().find(|team| team.name() == name)
    }

    /// Makes and deletes teams; `None` where they neither come nor go.
    fn maker(&self) -> Option<Arc<dyn TeamMaker>> {
        None
    }

    /// The referees that stand beside the teams; `None` where none can.
    fn arenas(&self) -> Option<Arc<dyn ArenaDirectory>> {
        None
    }

    /// Plays the next match with these teams, whose match is over, with the same seed or another
    /// one. Completes when they are in the directory. `None` where matches are not repeated.
    fn play_again(&self, _other_seed: bool) -> Option<BoxFuture<'static, ()>> {
        None
    }

    /// The leagues that are played beside the teams; `None` where none can.
    fn leagues(&self) -> Option<Arc<dyn LeagueDirectory>> {
        None
    }

    /// Ladders and tune runs that other processes play; `None` where none are shown.
    fn lab(&self) -> Option<Arc<dyn LabDirectory>> {
        None
    }

    /// What is recorded of the teams; `None` where nothing is.
    fn recordings(&self) -> Option<Arc<dyn RecordingDirectory>> {
        None
    }
}
