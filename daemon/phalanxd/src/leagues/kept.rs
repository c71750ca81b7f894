//! One league as the control API sees it, and what plays it.

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use phalanx_control::{LeagueEvent, LeagueState, LeagueStatus, LeagueView};
use phalanx_league::{
    LeagueDefinition, LeagueEnd, LeagueStore, LeagueStoreError, LeagueTable, LeagueTally,
    MatchPlayed, PlayMatch, RunOptions,
};
use phalanx_proto::v1;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tokio::sync::{mpsc, watch};

/// Events that wait for the control API; further ones are dropped and counted.
const EVENTS_MAX: usize = 1_024;

/// A league that is played, was played, or was only checked.
#[derive(Debug)]
pub(super) struct Kept {
    name: String,
    plan: Arc<LeagueDefinition>,
    by: String,
    started: Option<SystemTime>,
    live: watch::Receiver<Live>,
    stop: Arc<AtomicBool>,
    feed: Mutex<Option<mpsc::Receiver<LeagueEvent>>>,
}

/// The part that changes while a league is played.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) state: LeagueState,
    pub(super) standing: Arc<LeagueTable>,
    pub(super) trouble: String,
    /// Workers of a queue that lately played for it.
    pub(super) workers: Arc<Vec<v1::QueueWorker>>,
}

impl Live {
    pub(super) fn of(standing: LeagueTable, state: LeagueState) -> Self {
        let (standing, workers) = (Arc::new(standing), Arc::default());
        Self { state, standing, trouble: String::new(), workers }
    }

    /// A league that is not being played.
    fn resting(standing: LeagueTable) -> Self {
        let state = if standing.is_over() { LeagueState::Over } else { LeagueState::Stopped };
        Self::of(standing, state)
    }
}

impl Kept {
    /// A league of an earlier run of the daemon.
    pub(super) fn found(name: String, store: &LeagueStore) -> Self {
        let live = Live::resting(store.tally().standing());
        Self::resting(name, store.plan().clone(), String::new(), live)
    }

    /// A league that was only checked.
    pub(super) fn wished(name: String, plan: LeagueDefinition, by: String) -> Self {
        let live = Live::resting(LeagueTally::new(&plan).standing());
        Self::resting(name, plan, by, live)
    }

    fn resting(name: String, plan: LeagueDefinition, by: String, live: Live) -> Self {
        Self {
            name,
            plan: Arc::new(plan),
            by,
            started: None,
            // It does not change any more.
            live: watch::channel(live).1,
            stop: Arc::default(),
            feed: Mutex::new(None),
        }
    }

    /// A league that is about to be played, and its runner.
    pub(super) fn playing(name: String, store: &LeagueStore, by: String) -> (Self, Runner) {
        let (sender, feed) = mpsc::channel(EVENTS_MAX);
        let standing = store.tally().standing();
        let (live, watched) = watch::channel(Live::of(standing, LeagueState::Playing));
        let (plan, stop) = (Arc::new(store.plan().clone()), Arc::<AtomicBool>::default());
        let started = Some(SystemTime::now());
        let runner = Runner { live, stop: Arc::clone(&stop), sender };
        let feed = Mutex::new(Some(feed));
        (Self { name, plan, by, started, live: watched, stop, feed }, runner)
    }

    pub(super) fn plan(&self) -> &LeagueDefinition {
        &self.plan
    }

    pub(super) fn is_over(&self) -> bool {
        self.live.borrow().state == LeagueState::Over
    }

    fn facts(&self) -> Facts {
        Facts {
            name: self.name.clone(),
            plan: Arc::clone(&self.plan),
            by: self.by.clone(),
            started: self.started,
            folder: None,
            live: self.live.clone(),
        }
    }
}

impl LeagueView for Kept {
    fn name(&self) -> &str {
        &self.name
    }

    fn status(&self) -> LeagueStatus {
        self.facts().status()
    }

    fn events(&self) -> BoxStream<'static, LeagueEvent> {
        let feed = self.feed.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(feed) = feed else { return stream::empty().boxed() };
        let played = stream::unfold(feed, |mut feed| async {
            let event = feed.recv().await?;
            Some((event, feed))
        });
        let facts = self.facts();
        let end = async move { LeagueEvent::Ended(Box::new(facts.status())) };
        played.chain(end.into_stream()).fuse().boxed()
    }

    fn cancel(&self) -> BoxFuture<'static, ()> {
        self.stop.store(true, Ordering::Relaxed);
        let mut live = self.live.clone();
        async move {
            // A dropped sender means that it has ended, too.
            drop(live.wait_for(|live| live.state != LeagueState::Playing).await);
        }
        .boxed()
    }
}

/// The facts of which a league's status is made.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) name: String,
    pub(super) plan: Arc<LeagueDefinition>,
    pub(super) by: String,
    pub(super) started: Option<SystemTime>,
    pub(super) folder: Option<PathBuf>,
    pub(super) live: watch::Receiver<Live>,
}

impl Facts {
    pub(super) fn status(&self) -> LeagueStatus {
        let live = self.live.borrow().clone();
        LeagueStatus {
            name: self.name.clone(),
            plan: Arc::clone(&self.plan),
            state: live.state,
            standing: live.standing,
            trouble: live.trouble,
            by: self.by.clone(),
            started: self.started,
            folder: self.folder.clone(),
            workers: live.workers.to_vec(),
        }
    }
}

/// Plays a league and reports its progress.
#[derive(Debug)]
pub(super) struct Runner {
    live: watch::Sender<Live>,
    stop: Arc<AtomicBool>,
    sender: mpsc::Sender<LeagueEvent>,
}

impl Runner {
    /// Plays until the league is over or `stop` is set. Blocks.
    pub(super) fn run(
        &self,
        store: &mut LeagueStore,
        play: &dyn PlayMatch,
        threads: usize,
    ) -> Result<LeagueEnd, LeagueStoreError> {
        let plan = store.plan().clone();
        let mut lost = 0;
        let options = RunOptions { threads, stop: &self.stop };
        phalanx_league::run(store, play, &options, &mut |event| {
            let standing = Arc::new(event.standing.clone());
            self.live.send_modify(|live| live.standing = Arc::clone(&standing));
            self.tell(to_event(&plan, event, standing, 0), &mut lost);
        })
    }

    /// Reports that the league has ended, and how.
    pub(super) fn ended(self, end: Result<LeagueEnd, LeagueStoreError>) {
        let Self { live, sender, .. } = self;
        live.send_modify(|live| {
            live.state = match &end {
                Ok(LeagueEnd::Over) => LeagueState::Over,
                Ok(LeagueEnd::Stopped) | Err(_) => LeagueState::Stopped,
            };
            live.trouble = end.err().map(|error| error.to_string()).unwrap_or_default();
        });
        // Dropped last, so that a follower that reads to the end sees the final state.
        drop(sender);
    }

    /// Sends an event without waiting for slow followers.
    fn tell(&self, event: LeagueEvent, lost: &mut u64) {
        if *lost > 0 && self.sender.try_send(LeagueEvent::Lost(*lost)).is_ok() {
            *lost = 0;
        }
        if *lost > 0 || self.sender.try_send(event).is_err() {
            *lost += 1;
        }
    }
}

pub(super) fn to_event(
    plan: &LeagueDefinition,
    event: &MatchPlayed<'_>,
    standing: Arc<LeagueTable>,
    workers: u32,
) -> LeagueEvent {
    let name = |player: &usize| plan.players.get(*player).map(|player| player.name.clone());
    LeagueEvent::Result {
        fixture: event.fixture.clone(),
        players: event.fixture.players.iter().filter_map(name).collect(),
        outcome: event.outcome.clone(),
        standing,
        workers,
    }
}
