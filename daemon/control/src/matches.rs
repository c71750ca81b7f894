//! The service `Matches`.

use crate::error::{Reason, refuse, refuse_field};
use crate::events::{BadCursor, EventLog, Slot};
use crate::follow::Followers;
use crate::{Feed, TeamDirectory, convert, teams};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use phalanx_engine::JournalEvent;
use phalanx_proto::v1;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tonic::{Request, Response, Status};

/// Reads the event logs.
pub(crate) struct MatchesService {
    pub(crate) directory: Arc<dyn TeamDirectory>,
    pub(crate) followers: Arc<Followers>,
    /// One permit an open stream.
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) closing: watch::Receiver<bool>,
}

#[tonic::async_trait]
impl v1::matches_server::Matches for MatchesService {
    type WatchMatchStream = BoxStream<'static, Result<v1::WatchMatchResponse, Status>>;

    async fn watch_match(
        &self,
        request: Request<v1::WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        let request = request.into_inner();
        let team = teams::find(self.directory.as_ref(), "team", &request.team)?;
        let permit = Arc::clone(&self.streams)
            .try_acquire_owned()
            .map_err(|_| refuse(Reason::TooManyStreams, "too many open streams; close some", []))?;
        let log = self.followers.log(&team);
        let wake = log.wake();
        let next = start(&log, &request.cursor)?;
        let reader = Reader {
            team: team.name().to_owned(),
            log,
            next,
            wake,
            closing: self.closing.clone(),
            decisions: request.decisions,
            over: false,
            _permit: permit,
        };
        let events = stream::unfold(reader, |mut reader| async {
            let item = reader.next().await?;
            Some((item, reader))
        });
        Ok(Response::new(events.boxed()))
    }
}

fn start(log: &EventLog, cursor: &str) -> Result<u64, Status> {
    if cursor.is_empty() {
        return Ok(log.head());
    }
    log.after(cursor).map_err(|bad| match bad {
        BadCursor::Malformed => {
            refuse_field(Reason::CursorMalformed, "cursor", "a cursor of an earlier event")
        }
        BadCursor::Expired => {
            let message = "the events after this cursor are gone";
            refuse(Reason::CursorExpired, message, [("oldest", log.oldest())])
        }
    })
}

/// One client's place in a log. It holds no events of its own: whoever reads too slowly finds the
/// log gone ahead.
struct Reader {
    team: String,
    log: Arc<EventLog>,
    next: u64,
    wake: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    decisions: bool,
    over: bool,
    _permit: OwnedSemaphorePermit,
}

impl Reader {
    async fn next(&mut self) -> Option<Result<v1::WatchMatchResponse, Status>> {
        while !self.over {
            self.wake.mark_unchanged();
            match self.log.at(self.next) {
                Slot::Event(item) => {
                    let cursor = self.log.cursor(self.next);
                    self.next += 1;
                    if self.decisions || !is_decision(&item) {
                        let event = Some(convert::event(&self.team, cursor, &item));
                        return Some(Ok(v1::WatchMatchResponse { event }));
                    }
                }
                Slot::Gone { oldest } => {
                    self.over = true;
                    return Some(Err(self.too_slow(oldest)));
                }
                Slot::End => self.over = true,
                Slot::Later => {
                    if let Some(end) = self.wait().await {
                        self.over = true;
                        return Some(Err(end));
                    }
                }
            }
        }
        None
    }

    /// Waits for the log to change; the status when the server leaves instead.
    async fn wait(&mut self) -> Option<Status> {
        tokio::select! {
            // Events come first: they all stood in the log before the server left.
            biased;
            changed = self.wake.changed() => {
                // The log outlives its readers: each holds it.
                changed.is_err().then(|| Status::internal("the event log is gone"))
            }
            _ = self.closing.wait_for(|closing| *closing) => {
                Some(refuse(Reason::ShuttingDown, "the daemon stops", []))
            }
        }
    }

    fn too_slow(&self, oldest: u64) -> Status {
        let missed = oldest.saturating_sub(self.next);
        let message = format!("the client read too slowly and missed {missed} events");
        refuse(Reason::ClientTooSlow, message, [("cursor", self.log.cursor(oldest))])
    }
}

fn is_decision(item: &Feed) -> bool {
    matches!(item, Feed::Entry(entry) if matches!(entry.event, JournalEvent::Decided { .. }))
}
