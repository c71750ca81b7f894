//! Parts that are broken on purpose, for tests of the promises: a check that cannot fail is none.

use phalanx_engine::{Answer, JournalEntry, Snapshot};
use phalanx_game::{Arena, Picture};
use phalanx_net::{SideLoad, Taped};
use std::fmt;

/// Wraps the network, the teams' only outside.
pub type Breaker<'a> = &'a dyn Fn(Box<dyn Arena>) -> Box<dyn Arena>;

/// What is broken in a match.
#[derive(Clone, Copy, Default)]
pub struct Sabotage<'a> {
    /// Stands between the network and the teams.
    pub arena: Option<Breaker<'a>>,
    /// What a team publishes instead of its snapshot.
    pub snapshot: Option<&'a dyn Fn(&Snapshot) -> Snapshot>,
    /// What waits in a team instead of what does.
    pub load: Option<&'a dyn Fn(SideLoad) -> SideLoad>,
    /// What a team believes instead of what it does.
    pub belief: Option<&'a dyn Fn(&Picture) -> Picture>,
    /// What the control API hears instead of the team's answer.
    pub answer: Option<&'a dyn Fn(Answer) -> Answer>,
    /// Whether the control API does not hear of an event.
    pub unheard: Option<&'a dyn Fn(&JournalEntry) -> bool>,
    /// Whether a recording loses an entry.
    pub loses: Option<&'a dyn Fn(&Taped) -> bool>,
}

impl fmt::Debug for Sabotage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sabotage").finish_non_exhaustive()
    }
}
