//! What a daemon has in addition to its teams: referees that it hosts, leagues that it plays, and the
//! leagues, ladders and tune runs of other processes.

use crate::arenas::Arenas;
use crate::lab::{Lab, LabFigures};
use crate::leagues::{AllLeagues, Leagues};
use phalanx_metrics::Metrics;
use phalanx_settings::Settings;
use std::sync::Arc;
use std::time::Duration;

/// The folder below the state folder for files of arenas.
const ARENAS_FOLDER: &str = "arenas";
/// The folder below the state folder for leagues.
const LEAGUES_FOLDER: &str = "leagues";

/// Arenas, leagues and the lab of one daemon. Clones share them.
#[derive(Clone, Debug)]
pub struct SideServices {
    pub(crate) arenas: Arenas,
    /// `None` without a state folder.
    pub(crate) leagues: Option<Leagues>,
    /// `None` without the settings `lab.path` and `lab.nats`.
    pub(crate) lab: Option<Lab>,
}

impl SideServices {
    /// Opens an empty registry with the leagues of the state folder and what is in that of the lab.
    /// Blocks while it reads them.
    #[must_use]
    pub fn open(settings: &Settings) -> Self {
        let state = settings.state_dir.as_deref();
        Self {
            arenas: Arenas::new(state.map(|state| state.join(ARENAS_FOLDER))),
            leagues: state.map(|state| Leagues::open(state.join(LEAGUES_FOLDER))),
            lab: Lab::open(&settings.lab),
        }
    }

    /// All leagues; `None` where there can be none.
    pub(crate) fn all_leagues(&self) -> Option<AllLeagues> {
        let all = AllLeagues { own: self.leagues.clone(), lab: self.lab.clone() };
        (all.own.is_some() || all.lab.is_some()).then_some(all)
    }

    /// Shows the progress of leagues, ladders and tune runs in the metrics.
    pub fn measure(&self, metrics: &Arc<Metrics>) {
        if let Some(leagues) = self.all_leagues() {
            metrics.ask(Box::new(LabFigures::new(Arc::clone(metrics), leagues, self.lab.clone())));
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
