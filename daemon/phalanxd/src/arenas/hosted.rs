//! One arena as the control API sees it.

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use phalanx_control::{ArenaEvent, ArenaSide, ArenaState, ArenaStatus, ArenaView};
use phalanx_game::Verdict;
use phalanx_net::{ArenaEnd, ArenaHandle, ArenaTruth, HostFeed};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

/// An arena that runs, has ended, or was only checked.
#[derive(Debug)]
pub(super) struct Hosted {
    facts: ArenaStatus,
    run: Option<Run>,
}

/// The running part of an arena.
#[derive(Debug)]
struct Run {
    handle: ArenaHandle,
    feed: Mutex<Option<HostFeed>>,
    ended: Arc<OnceLock<SystemTime>>,
}

impl Hosted {
    pub(super) fn new(
        name: String,
        game: &str,
        by: String,
        variant: Option<(String, u64)>,
        sides: Vec<ArenaSide>,
        files: Option<PathBuf>,
    ) -> Self {
        let facts = ArenaStatus {
            name,
            game: game.to_owned(),
            variant,
            address: None,
            state: ArenaState::Waiting,
            verdict: Verdict::default(),
            clients: 0,
            sides,
            summary: String::new(),
            by,
            started: SystemTime::now(),
            ended: None,
            files,
            other_seeds: false,
        };
        Self { facts, run: None }
    }

    /// Somebody may ask for a next match with another seed.
    pub(super) fn offers_seeds(&mut self) {
        self.facts.other_seeds = true;
    }

    /// Marks the arena as running.
    pub(super) fn runs(&mut self, handle: ArenaHandle, feed: HostFeed) {
        self.facts.address = handle.address();
        let ended = Arc::new(OnceLock::new());
        let (end, watched) = (Arc::clone(&ended), handle.clone());
        tokio::spawn(async move {
            watched.ended().await;
            end.get_or_init(SystemTime::now);
        });
        self.run = Some(Run { handle, feed: Mutex::new(Some(feed)), ended });
    }

    pub(super) fn name(&self) -> &str {
        &self.facts.name
    }

    pub(super) fn has_ended(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.handle.report().is_some())
    }
}

impl ArenaView for Hosted {
    fn status(&self) -> ArenaStatus {
        let facts = self.facts.clone();
        self.run.as_ref().map_or_else(|| facts.clone(), |run| run.status(&facts))
    }

    fn truth(&self) -> BoxFuture<'static, Option<Arc<ArenaTruth>>> {
        let Some(run) = &self.run else { return std::future::ready(None).boxed() };
        let handle = run.handle.clone();
        async move { handle.truth().await }.boxed()
    }

    fn events(&self) -> BoxStream<'static, ArenaEvent> {
        let Some(run) = &self.run else { return stream::empty().boxed() };
        let feed = run.feed.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(feed) = feed else { return stream::empty().boxed() };
        let happened = stream::unfold(feed, |mut feed| async {
            let event = ArenaEvent::Host(feed.next().await?);
            Some((event, feed))
        });
        let (facts, handle, ended) =
            (self.facts.clone(), run.handle.clone(), Arc::clone(&run.ended));
        let end = async move {
            handle.ended().await;
            let last = Run { handle, feed: Mutex::new(None), ended };
            ArenaEvent::Ended(Box::new(last.status(&facts)))
        };
        happened.chain(end.into_stream()).fuse().boxed()
    }

    fn begin(&self) {
        if let Some(run) = &self.run {
            run.handle.start();
        }
    }

    fn stop(&self) -> BoxFuture<'static, ()> {
        let Some(run) = &self.run else { return std::future::ready(()).boxed() };
        let handle = run.handle.clone();
        async move {
            handle.stop();
            handle.ended().await;
        }
        .boxed()
    }
}

impl Run {
    fn status(&self, facts: &ArenaStatus) -> ArenaStatus {
        let report = self.handle.report();
        let verdict = self.handle.verdict();
        let begun = verdict.round > 0 || verdict.step > 0;
        let state = match report.as_ref().map(|report| &report.end) {
            None if begun => ArenaState::Playing,
            None => ArenaState::Waiting,
            Some(ArenaEnd::Over) => ArenaState::Over,
            Some(ArenaEnd::Stopped) => ArenaState::Stopped,
            Some(ArenaEnd::Panicked { reason }) => ArenaState::Failed(reason.clone()),
        };
        let ended = report.is_some().then(|| *self.ended.get_or_init(SystemTime::now));
        ArenaStatus {
            state,
            verdict,
            clients: self.handle.clients(),
            summary: report.map(|report| report.summary).unwrap_or_default(),
            ended,
            ..facts.clone()
        }
    }
}
