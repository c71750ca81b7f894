//! Streams over event logs: each client has a place in a log, and nothing else.

use crate::error::{Reason, refuse, refuse_field};
use crate::events::{BadCursor, EventLog, Slot};
use crate::shares::{Holder, Shares};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use std::sync::Arc;
use tokio::sync::watch;
use tonic::Status;

/// Where a stream without a cursor begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// With the oldest event that is still there.
    Oldest,
    /// With the next event.
    Next,
}

/// Where streams get their slots, and what ends them all.
#[derive(Clone, Debug)]
pub(crate) struct Tails {
    /// One slot an open stream, whatever it is about.
    pub(crate) streams: Arc<Shares>,
    pub(crate) closing: watch::Receiver<bool>,
}

impl Tails {
    /// A stream from a cursor, or from where one begins without. `show` gets an event with its
    /// cursor; `None` is not for this client.
    pub(crate) fn open<T, R>(
        &self,
        holder: Holder,
        log: Arc<EventLog<T>>,
        (cursor, begin): (&str, Begin),
        show: impl Fn(String, &T) -> Option<R> + Send + 'static,
    ) -> Result<BoxStream<'static, Result<R, Status>>, Status>
    where
        T: Clone + Send + Sync + 'static,
        R: Send + 'static,
    {
        let lease = self.streams.open(holder)?;
        let wake = log.wake();
        let next = start(&log, cursor, begin)?;
        let closing = self.closing.clone();
        let reader = Reader { log, next, wake, closing, show, over: false };
        let events = stream::unfold(reader, |mut reader| async {
            let item = reader.next().await?;
            Some((item, reader))
        });
        Ok(lease.watch(events.boxed()).boxed())
    }
}

fn start<T: Clone>(log: &EventLog<T>, cursor: &str, begin: Begin) -> Result<u64, Status> {
    if cursor.is_empty() {
        return Ok(match begin {
            Begin::Oldest => log.first(),
            Begin::Next => log.head(),
        });
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
struct Reader<T, F> {
    log: Arc<EventLog<T>>,
    next: u64,
    wake: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    show: F,
    over: bool,
}

impl<T: Clone, R, F: Fn(String, &T) -> Option<R>> Reader<T, F> {
    async fn next(&mut self) -> Option<Result<R, Status>> {
        while !self.over {
            self.wake.mark_unchanged();
            match self.log.at(self.next) {
                Slot::Event(item) => {
                    let cursor = self.log.cursor(self.next);
                    self.next += 1;
                    if let Some(shown) = (self.show)(cursor, &item) {
                        return Some(Ok(shown));
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
