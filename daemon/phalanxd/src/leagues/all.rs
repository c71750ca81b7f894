//! The daemon's own leagues, and those that other processes play.

use super::Leagues;
use crate::lab::Lab;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use phalanx_control::{Begun, LeagueAsk, LeagueDirectory, LeagueRefusal, LeagueView};
use std::sync::Arc;

/// All leagues that this daemon shows.
#[derive(Clone, Debug)]
pub(crate) struct AllLeagues {
    /// `None` without a state folder.
    pub(crate) own: Option<Leagues>,
    /// `None` without the settings `lab.path` and `lab.nats`.
    pub(crate) lab: Option<Lab>,
}

impl AllLeagues {
    fn is_own(&self, name: &str) -> bool {
        self.own.as_ref().is_some_and(|own| own.league(name).is_some())
    }

    /// Why the daemon cannot change a league that is not its own.
    fn refusal(&self, name: &str) -> LeagueRefusal {
        let folder = self.league(name).and_then(|league| league.status().folder);
        folder.map_or(LeagueRefusal::NotFound, LeagueRefusal::Elsewhere)
    }
}

impl LeagueDirectory for AllLeagues {
    fn leagues(&self) -> Vec<Arc<dyn LeagueView>> {
        let mut all = self.own.as_ref().map(|own| own.leagues()).unwrap_or_default();
        let others = self.lab.iter().flat_map(Lab::leagues);
        // The daemon's own league hides another one of its name.
        all.extend(others.filter(|league| !self.is_own(league.name())).collect::<Vec<_>>());
        all
    }

    fn create(&self, ask: LeagueAsk, check: bool) -> BoxFuture<'static, Begun> {
        match &self.own {
            Some(own) => own.create(ask, check),
            None => std::future::ready(Err(LeagueRefusal::NoFolder)).boxed(),
        }
    }

    fn resume(&self, name: &str, by: String) -> BoxFuture<'static, Begun> {
        match self.own.as_ref().filter(|_| self.is_own(name)) {
            Some(own) => own.resume(name, by),
            None => std::future::ready(Err(self.refusal(name))).boxed(),
        }
    }

    fn delete(&self, name: &str) -> BoxFuture<'static, Result<(), LeagueRefusal>> {
        match self.own.as_ref().filter(|_| self.is_own(name)) {
            Some(own) => own.delete(name),
            None => std::future::ready(Err(self.refusal(name))).boxed(),
        }
    }
}
