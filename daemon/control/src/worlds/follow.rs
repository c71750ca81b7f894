//! Worlds that somebody looks at: drawn by one task each, however many clients, and only when one of
//! them waits for the next one.

use crate::feeds::{Feed, Feeds};
use crate::{TeamError, TeamView};
use phalanx_engine::{Drawing, Snapshot};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// A world is drawn at most so often.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// All worlds that are looked at.
#[derive(Debug, Default)]
pub(super) struct WorldFollowers {
    feeds: Feeds<Sight>,
}

/// The newest drawing of a world; `None`: none yet. Its end is the team's.
#[derive(Debug)]
pub(super) struct Sight {
    newest: watch::Receiver<Option<Arc<Drawing>>>,
    /// Somebody waits for a newer one.
    wanted: Arc<Notify>,
}

impl WorldFollowers {
    /// The team's world; from now on it is drawn.
    pub(super) fn feed(&self, team: &Arc<dyn TeamView>) -> Arc<Feed<Sight>> {
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

    /// Asks for a newer one, as soon as a turn has passed since the newest.
    pub(super) fn ask(&self) {
        self.wanted.notify_one();
    }
}

async fn follow(
    team: Arc<dyn TeamView>,
    newest: watch::Sender<Option<Arc<Drawing>>>,
    wanted: Arc<Notify>,
) {
    let mut snapshots = team.snapshots();
    let mut drawn = None;
    loop {
        let news = |snapshot: &Arc<Snapshot>| drawn != Some((snapshot.turn, snapshot.tick));
        if snapshots.wait_for(news).await.is_err() {
            return;
        }
        wanted.notified().await;
        let Snapshot { turn, tick, .. } = **snapshots.borrow_and_update();
        match team.draw().await {
            Ok(drawing) => {
                drawn = Some((turn, tick));
                newest.send_replace(Some(Arc::new(drawing)));
            }
            // Whoever waits waits on.
            Err(TeamError::Busy) => wanted.notify_one(),
            Err(TeamError::Ended) => return,
        }
        tokio::time::sleep(PAUSE).await;
    }
}
