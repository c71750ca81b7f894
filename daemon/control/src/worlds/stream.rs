//! One client's stream of a world: first all of it, then what changed.

use super::follow::Sight;
use crate::convert::world::{self, Wanted};
use crate::error::{Reason, refuse};
use crate::feeds::Feed;
use crate::{ServedTeam, refusal};
use futures_util::stream::{self, Stream};
use phalanx_engine::{CommandError, Drawing};
use phalanx_proto::v1;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tonic::Status;

/// What a client wants to see, and how often.
pub(super) struct Viewer {
    pub(super) team: Arc<ServedTeam>,
    pub(super) feed: Arc<Feed<Sight>>,
    pub(super) wanted: Wanted,
    /// The shortest time between two worlds.
    pub(super) every: Duration,
}

struct WorldReader {
    viewer: Viewer,
    drawings: watch::Receiver<Option<Arc<Drawing>>>,
    /// The last drawing that the client got.
    sent: Option<(Arc<Drawing>, Instant)>,
    closing: watch::Receiver<bool>,
    over: bool,
}

/// The worlds for a client: always the newest, and never more often than requested.
pub(super) fn worlds(
    viewer: Viewer,
    closing: watch::Receiver<bool>,
) -> impl Stream<Item = Result<v1::WatchWorldResponse, Status>> {
    let drawings = viewer.feed.shown.drawings();
    let reader = WorldReader { viewer, drawings, sent: None, closing, over: false };
    stream::unfold(reader, |mut reader| async {
        if reader.over {
            return None;
        }
        let item = reader.next().await;
        reader.over = item.is_err();
        Some((item, reader))
    })
}

impl WorldReader {
    async fn next(&mut self) -> Result<v1::WatchWorldResponse, Status> {
        if let Some((_, at)) = self.sent {
            let due = at + self.viewer.every;
            self.unless_closing(tokio::time::sleep_until(due)).await?;
        }
        let drawing = match self.news() {
            Some(drawing) => drawing,
            None => self.next_drawing().await?,
        };
        let Viewer { team, wanted, .. } = &self.viewer;
        let world = match &self.sent {
            None => world::whole(team.as_ref(), &drawing, wanted),
            Some((before, _)) => world::changes(team.as_ref(), &drawing, before, wanted),
        };
        self.sent = Some((drawing, Instant::now()));
        Ok(v1::WatchWorldResponse { world: Some(world) })
    }

    /// The newest drawing, if the client does not have it and no turn has begun since it was made.
    fn news(&mut self) -> Option<Arc<Drawing>> {
        let newest = self.drawings.borrow_and_update().clone()?;
        let sent = self.sent.as_ref().is_some_and(|(sent, _)| Arc::ptr_eq(sent, &newest));
        let now = self.viewer.team.handle.snapshots().borrow().tick;
        (!sent && newest.tick >= now).then_some(newest)
    }

    /// Waits for a newer drawing.
    async fn next_drawing(&mut self) -> Result<Arc<Drawing>, Status> {
        loop {
            self.viewer.feed.shown.ask();
            let mut drawings = self.drawings.clone();
            let changed = async move { drawings.changed().await.map(|()| drawings) };
            // The drawing task ends with the team.
            let changed = self.unless_closing(changed).await?;
            self.drawings = changed.map_err(|_| refusal::command(CommandError::Ended))?;
            if let Some(drawing) = self.drawings.borrow_and_update().clone() {
                return Ok(drawing);
            }
        }
    }

    /// Waits; returns a status if the server stops instead.
    async fn unless_closing<T>(&self, wait: impl Future<Output = T>) -> Result<T, Status> {
        let mut closing = self.closing.clone();
        tokio::select! {
            biased;
            done = wait => Ok(done),
            _ = closing.wait_for(|closing| *closing) => {
                Err(refuse(Reason::ShuttingDown, "the daemon stops", []))
            }
        }
    }
}
