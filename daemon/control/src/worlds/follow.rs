//! Followed worlds: one task draws each for any number of clients, and only when one of them waits
//! for the next drawing.

use crate::ServedTeam;
use crate::feeds::{Feed, Feeds};
use phalanx_engine::{CommandError, DrawWorld, Drawing, Snapshot};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// Shortest time between two drawings.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// All followed worlds.
#[derive(Debug, Default)]
pub(super) struct WorldFollowers {
    feeds: Feeds<Sight>,
}

/// The newest drawing of a world; `None`: none yet. It ends with the team.
#[derive(Debug)]
pub(super) struct Sight {
    newest: watch::Receiver<Option<Arc<Drawing>>>,
    /// A reader waits for a newer drawing.
    wanted: Arc<Notify>,
}

impl WorldFollowers {
    /// The team's world, which is drawn from now on.
    pub(super) fn feed(&self, team: &Arc<ServedTeam>) -> Arc<Feed<Sight>> {
        self.feeds.feed(team.name(), || {
            let (sender, newest) = watch::channel(None);
            let wanted = Arc::new(Notify::new());
            let task = tokio::spawn(follow(Arc::clone(team), sender, Arc::clone(&wanted)));
            (Arc::new(Sight { newest, wanted }), task.abort_handle())
        })
    }
}

impl Sight {
    /// Follows the drawings; slow readers see only the newest.
    pub(super) fn drawings(&self) -> watch::Receiver<Option<Arc<Drawing>>> {
        self.newest.clone()
    }

    /// Requests a newer drawing, as soon as a turn has passed since the newest one.
    pub(super) fn ask(&self) {
        self.wanted.notify_one();
    }
}

async fn follow(
    team: Arc<ServedTeam>,
    newest: watch::Sender<Option<Arc<Drawing>>>,
    wanted: Arc<Notify>,
) {
    let mut snapshots = team.handle.snapshots();
    let mut drawn = None;
    loop {
        let news = |snapshot: &Arc<Snapshot>| drawn != Some((snapshot.turn, snapshot.tick));
        if snapshots.wait_for(news).await.is_err() {
            return;
        }
        wanted.notified().await;
        let Snapshot { turn, tick, .. } = **snapshots.borrow_and_update();
        match team.handle.call(DrawWorld, "").await {
            Ok(drawing) => {
                drawn = Some((turn, tick));
                newest.send_replace(Some(Arc::from(drawing)));
            }
            Err(CommandError::Ended) => return,
            // The readers keep waiting.
            Err(_) => wanted.notify_one(),
        }
        tokio::time::sleep(PAUSE).await;
    }
}
