//! Looks at the world of a hosted arena: drawn when somebody asks, by the task that plays it.

use crate::clock::now;
use phalanx_game::{Arena, Picture, Turn};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};

/// Requests that wait for the arena.
const REQUESTS_MAX: usize = 16;
/// A picture may be this old while no step ends: then, too, things happen in some games.
const AGE_MAX: Duration = Duration::from_millis(100);

/// The world of an arena as it was at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct ArenaTruth {
    /// Grows with each change of the rest.
    pub version: u64,
    /// Round and step of the verdict.
    pub at: Turn,
    /// The world.
    pub picture: Picture,
}

/// A request: where its answer goes.
pub(super) type TruthRequest = oneshot::Sender<Arc<ArenaTruth>>;

/// The side that asks. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct TruthClient {
    requests: mpsc::Sender<TruthRequest>,
    last: watch::Receiver<Option<Arc<ArenaTruth>>>,
}

/// The side that draws.
#[derive(Debug)]
pub(super) struct TruthServer {
    pub(super) requests: mpsc::Receiver<TruthRequest>,
    last: watch::Sender<Option<Arc<ArenaTruth>>>,
    drawn: Option<(Instant, Arc<ArenaTruth>)>,
}

pub(super) fn truth_channel() -> (TruthClient, TruthServer) {
    let (sender, requests) = mpsc::channel(REQUESTS_MAX);
    let (last, seen) = watch::channel(None);
    (TruthClient { requests: sender, last: seen }, TruthServer { requests, last, drawn: None })
}

impl TruthClient {
    /// The world as it is, or as it was when the arena ended; `None`: the arena failed.
    pub(super) async fn ask(&self) -> Option<Arc<ArenaTruth>> {
        let (request, seen) = oneshot::channel();
        if self.requests.send(request).await.is_ok()
            && let Ok(truth) = seen.await
        {
            return Some(truth);
        }
        self.last.borrow().clone()
    }
}

impl TruthServer {
    /// Answers a request.
    pub(super) fn show(&mut self, request: TruthRequest, arena: &dyn Arena) {
        // A client who left does not wait.
        request.send(self.truth(arena)).unwrap_or_default();
    }

    /// Keeps the world as it is when the arena ends.
    pub(super) fn keep(&mut self, arena: &dyn Arena) {
        let last = self.draw(arena, now());
        self.last.send_replace(Some(last));
    }

    fn truth(&mut self, arena: &dyn Arena) -> Arc<ArenaTruth> {
        let now = now();
        let fresh = |(drawn, truth): &&(Instant, Arc<ArenaTruth>)| {
            truth.at == turn(arena) && now.saturating_duration_since(*drawn) < AGE_MAX
        };
        let known = self.drawn.as_ref().filter(fresh).map(|(_, truth)| Arc::clone(truth));
        known.unwrap_or_else(|| self.draw(arena, now))
    }

    fn draw(&mut self, arena: &dyn Arena, now: Instant) -> Arc<ArenaTruth> {
        let (at, picture) = (turn(arena), arena.truth().bounded());
        let truth = match &self.drawn {
            Some((_, truth)) if truth.at == at && truth.picture == picture => Arc::clone(truth),
            Some((_, truth)) => Arc::new(ArenaTruth { version: truth.version + 1, at, picture }),
            None => Arc::new(ArenaTruth { version: 1, at, picture }),
        };
        self.drawn = Some((now, Arc::clone(&truth)));
        truth
    }
}

/// Round and step of the verdict.
fn turn(arena: &dyn Arena) -> Turn {
    let verdict = arena.verdict();
    Turn::new(verdict.round, verdict.step)
}
