//! A league that another process plays, here or on the workers of a queue: its folder is read again
//! and again.

use super::kept::{Facts, Live, to_event};
use crate::lab::workers;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use phalanx_control::{LeagueEvent, LeagueState, LeagueStatus, LeagueView};
use phalanx_league::{LeagueStore, LeagueStoreError, MatchPlayed, ResultsReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

/// Events that a slow follower may be behind; older ones are lost to it.
const EVENTS_MAX: usize = 1_024;

/// Reads the folder of a league.
#[derive(Debug)]
pub(crate) struct FollowedLeague {
    folder: PathBuf,
    store: LeagueStore,
    results: ResultsReader,
    /// The size of the results when they could not be counted any more, and why.
    broken: Option<(u64, String)>,
    live: watch::Sender<Live>,
    /// `None` while no process plays it.
    events: Option<broadcast::Sender<LeagueEvent>>,
    view: Arc<FollowedView>,
    /// Workers of a queue that lately played for it.
    workers: u32,
}

/// The league as the control API sees it, from when somebody begins to play it until that ends.
#[derive(Debug)]
struct FollowedView {
    facts: Facts,
    /// Never read: followers begin where it is now.
    events: broadcast::Receiver<LeagueEvent>,
}

impl FollowedLeague {
    /// The league of a folder; nothing of its results is read yet.
    ///
    /// # Errors
    /// When the folder holds none.
    pub(crate) fn new(name: &str, folder: &Path) -> Result<Self, LeagueStoreError> {
        let (store, results) = LeagueStore::look(folder)?;
        let live = Live::of(store.tally().standing(), LeagueState::Stopped);
        let (live, watched) = watch::channel(live);
        let facts = Facts {
            name: name.to_owned(),
            plan: Arc::new(store.plan().clone()),
            by: String::new(),
            started: None,
            folder: Some(folder.to_owned()),
            live: watched,
        };
        let view = Arc::new(FollowedView { facts, events: broadcast::channel(1).1 });
        let (folder, broken, events) = (folder.to_owned(), None, None);
        Ok(Self { folder, store, results, broken, live, events, view, workers: 0 })
    }

    /// Reads what is new. Blocks.
    pub(crate) fn read(&mut self) {
        // Asked first: a process that ends after it leaves no results behind that are not read.
        let played = self.results.is_held();
        if played && self.events.is_none() {
            self.begin();
        }
        let workers = if played { workers(&self.folder) } else { Vec::new() };
        self.workers = u32::try_from(workers.len()).unwrap_or(u32::MAX);
        let before = self.store.tally().played();
        let trouble = self.count();
        let standing = match before > 0 && self.store.tally().played() == before {
            true => Arc::clone(&self.live.borrow().standing),
            false => Arc::new(self.store.tally().standing()),
        };
        let state = match (standing.is_over(), played) {
            (true, _) => LeagueState::Over,
            (false, true) => LeagueState::Playing,
            (false, false) => LeagueState::Stopped,
        };
        self.live.send_replace(Live { state, standing, trouble, workers: Arc::new(workers) });
        if state != LeagueState::Playing {
            // Followers see the final state.
            self.events = None;
        }
    }

    /// Somebody begins to play it.
    fn begin(&mut self) {
        let (sender, events) = broadcast::channel(EVENTS_MAX);
        let plan = Arc::new(self.store.plan().clone());
        let facts = Facts { plan, ..self.view.facts.clone() };
        self.view = Arc::new(FollowedView { facts, events });
        self.events = Some(sender);
    }

    /// Counts what is new; returns why that is not possible. What does not fit is only counted again
    /// when the file has changed, from its beginning.
    fn count(&mut self) -> String {
        let bytes = self.results.bytes();
        let cut_off = bytes < self.results.position();
        match &self.broken {
            Some((then, trouble)) if *then == bytes => return trouble.clone(),
            None if !cut_off => {}
            Some(_) | None => match LeagueStore::look(&self.folder) {
                Ok((store, results)) => {
                    (self.store, self.results, self.broken) = (store, results, None);
                    self.begin();
                }
                Err(error) => return error.to_string(),
            },
        }
        match self.count_new() {
            Ok(()) => String::new(),
            Err(error) => {
                let trouble = error.to_string();
                if matches!(error, LeagueStoreError::Malformed { .. }) {
                    self.broken = Some((bytes, trouble.clone()));
                }
                trouble
            }
        }
    }

    fn count_new(&mut self) -> Result<(), LeagueStoreError> {
        let Self { folder, store, results, events, workers, .. } = self;
        let plan = store.plan().clone();
        // One is the view's own.
        let events = events.as_ref().filter(|events| events.receiver_count() > 1);
        let Some(events) = events else { return store.follow(folder, results, None) };
        let mut tell = |event: &MatchPlayed<'_>| {
            let standing = Arc::new(event.standing.clone());
            // All followers may have gone.
            drop(events.send(to_event(&plan, event, standing, *workers)));
        };
        store.follow(folder, results, Some(&mut tell))
    }

    pub(crate) fn view(&self) -> Arc<dyn LeagueView> {
        Arc::clone(&self.view) as Arc<dyn LeagueView>
    }
}

impl LeagueView for FollowedView {
    fn name(&self) -> &str {
        &self.facts.name
    }

    fn status(&self) -> LeagueStatus {
        self.facts.status()
    }

    fn events(&self) -> BoxStream<'static, LeagueEvent> {
        let played = stream::unfold(self.events.resubscribe(), |mut events| async {
            match events.recv().await {
                Ok(event) => Some((event, events)),
                Err(RecvError::Lagged(count)) => Some((LeagueEvent::Lost(count), events)),
                Err(RecvError::Closed) => None,
            }
        });
        let facts = self.facts.clone();
        let end = async move { LeagueEvent::Ended(Box::new(facts.status())) };
        played.chain(end.into_stream()).fuse().boxed()
    }

    fn cancel(&self) -> BoxFuture<'static, ()> {
        // The process that plays it can.
        std::future::ready(()).boxed()
    }
}
