//! Streams over event logs: each client only has a position in a log.

use crate::error::{Reason, refuse, refuse_field};
use crate::events::{BadCursor, EventLog, LogSlot};
use crate::shares::{StreamHolder, StreamSlots};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use std::sync::Arc;
use tokio::sync::watch;
use tonic::Status;

/// Where a stream without a cursor begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// At the oldest kept event.
    Oldest,
    /// At the next event.
    Next,
}

/// The slots of streams, and the signal that ends them all.
#[derive(Clone, Debug)]
pub(crate) struct Tails {
    /// A slot for each open stream of any kind.
    pub(crate) streams: Arc<StreamSlots>,
    pub(crate) closing: watch::Receiver<bool>,
}

impl Tails {
    /// A stream from a cursor, or without one from `begin`. `show` converts an event with its
    /// cursor; `None` skips it for this client.
    pub(crate) fn open<T, R>(
        &self,
        holder: StreamHolder,
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
        let reader = LogReader { log, next, wake, closing, show, over: false };
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

/// One client's position in a log. It holds no events of its own: when a slow reader comes back,
/// the log may have dropped its next events.
struct LogReader<T, F> {
    log: Arc<EventLog<T>>,
    next: u64,
    wake: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    show: F,
    over: bool,
}

impl<T: Clone, R, F: Fn(String, &T) -> Option<R>> LogReader<T, F> {
    async fn next(&mut self) -> Option<Result<R, Status>> {
        while !self.over {
            self.wake.mark_unchanged();
            match self.log.at(self.next) {
                LogSlot::Event(item) => {
                    let cursor = self.log.cursor(self.next);
                    self.next += 1;
                    if let Some(shown) = (self.show)(cursor, &item) {
                        return Some(Ok(shown));
                    }
                }
                LogSlot::Gone { oldest } => {
                    self.over = true;
                    return Some(Err(self.too_slow(oldest)));
                }
                LogSlot::End => self.over = true,
                LogSlot::Later => {
                    if let Some(end) = self.wait().await {
                        self.over = true;
                        return Some(Err(end));
                    }
                }
            }
        }
        None
    }

    /// Waits for a change of the log; returns a status if the server stops instead.
    async fn wait(&mut self) -> Option<Status> {
        tokio::select! {
            // Events first: they were in the log before the server stopped.
            biased;
            changed = self.wake.changed() => {
                // Each reader holds the log, so it outlives them.
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
