//! What a daemon runs in addition to its teams: referees that it hosts, leagues that it plays.

use crate::arenas::Arenas;
use crate::leagues::Leagues;
use std::path::Path;
use std::time::Duration;

/// The folder below the state folder for files of arenas.
const ARENAS_FOLDER: &str = "arenas";
/// The folder below the state folder for leagues.
const LEAGUES_FOLDER: &str = "leagues";

/// Arenas and leagues of one daemon. Clones share them.
#[derive(Clone, Debug)]
pub struct Beside {
    pub(crate) arenas: Arenas,
    /// `None` without a state folder.
    pub(crate) leagues: Option<Leagues>,
}

impl Beside {
    /// Opens an empty registry with the leagues of the state folder. Blocks while it reads them.
    #[must_use]
    pub fn open(state: Option<&Path>) -> Self {
        Self {
            arenas: Arenas::new(state.map(|state| state.join(ARENAS_FOLDER))),
            leagues: state.map(|state| Leagues::open(state.join(LEAGUES_FOLDER))),
        }
    }

    /// Ends all of it and refuses new ones; returns when all have ended, or after `grace`.
    pub async fn close(&self, grace: Duration) {
        let leagues = async {
            if let Some(leagues) = &self.leagues {
                leagues.close(grace).await;
            }
        };
        futures_util::future::join(self.arenas.close(grace), leagues).await;
    }
}
