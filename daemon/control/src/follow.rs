//! One task for each team: it fills the event log and reports the health.

use crate::events::EventLog;
use crate::{ServedTeam, TeamDirectory, convert};
use phalanx_engine::{Explained, Hindsight, NotExplained, Snapshot, WhichTurn};
use phalanx_game::sorted::SortedMap;
use phalanx_net::{JournalItem, JournalStream};
use phalanx_proto::v1::TeamState;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

/// How long to wait for the last events of a deleted team.
const FORGET_MAX: Duration = Duration::from_secs(1);

/// The event logs of all followed teams.
#[derive(Debug)]
pub(crate) struct Followers {
    health: HealthReporter,
    events_max: usize,
    teams: Mutex<SortedMap<String, Followed>>,
    /// True when followers are to read what waits and end; each holds a receiver until then.
    finish: watch::Sender<bool>,
}

#[derive(Debug)]
struct Followed {
    log: Arc<EventLog>,
    past: SharedHindsight,
    task: JoinHandle<()>,
}

/// The last turns of a team, to explain its decisions.
pub(crate) type SharedHindsight = Arc<Mutex<Hindsight>>;

impl Followers {
    pub(crate) fn new(health: HealthReporter, events_max: usize) -> Self {
        Self { health, events_max, teams: Mutex::default(), finish: watch::Sender::new(false) }
    }

    /// Follows every team in the directory.
    pub(crate) fn follow_all(&self, directory: &dyn TeamDirectory) {
        for team in directory.teams() {
            drop(self.log(&team));
        }
    }

    /// The log of a team, which is followed from now on. A team with the name of one that ended
    /// gets a new log.
    pub(crate) fn log(&self, team: &Arc<ServedTeam>) -> Arc<EventLog> {
        self.followed(team).0
    }

    /// Explains what an agent of the team did in one of its last turns.
    pub(crate) fn explain(
        &self,
        team: &Arc<ServedTeam>,
        agent: &str,
        which: WhichTurn,
    ) -> Result<Explained, NotExplained> {
        let (_, past) = self.followed(team);
        let past = past.lock().unwrap_or_else(PoisonError::into_inner);
        past.explain(agent, which)
    }

    fn followed(&self, team: &Arc<ServedTeam>) -> (Arc<EventLog>, SharedHindsight) {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Followed { log, past, task }) = teams.get(team.name())
            && (!task.is_finished() || convert::team::state(team.as_ref()) == TeamState::Over)
        {
            return (Arc::clone(log), Arc::clone(past));
        }
        let log = Arc::new(EventLog::new(epoch(), self.events_max));
        let past = SharedHindsight::default();
        let kept = FollowerState { log: Arc::clone(&log), past: Arc::clone(&past), seen: None };
        let (health, finish) = (self.health.clone(), self.finish.subscribe());
        // From here on: what happens before the task runs is in it too.
        let journal = team.handle.journal();
        let task = tokio::spawn(follow(Arc::clone(team), journal, kept, health, finish));
        let (ours, own) = (Arc::clone(&log), Arc::clone(&past));
        teams.insert(team.name().to_owned(), Followed { log: ours, past: own, task });
        (log, past)
    }

    /// The team was deleted: ends its streams, and sets its health to unknown.
    pub(crate) async fn forget(&self, team: &str) {
        let followed = self.teams.lock().unwrap_or_else(PoisonError::into_inner).remove(team);
        let Some(Followed { log, mut task, .. }) = followed else { return };
        // The journal of an ended team is closed, so this only waits for its last entries.
        if tokio::time::timeout(FORGET_MAX, &mut task).await.is_err() {
            task.abort();
        }
        log.close();
        self.health.clone().clear_service_status(&convert::team::resource_name(team)).await;
    }

    /// Waits until every event that happened so far is in its log.
    pub(crate) async fn finish(&self) {
        self.finish.send_replace(true);
        self.finish.closed().await;
    }

    /// Stops following; streams end.
    pub(crate) fn stop(&self) {
        let teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        for Followed { log, task, .. } in teams.values() {
            task.abort();
            log.close();
        }
    }
}

/// The state of a follower.
struct FollowerState {
    log: Arc<EventLog>,
    past: SharedHindsight,
    /// The last snapshot that was added to the hindsight.
    seen: Option<Arc<Snapshot>>,
}

impl FollowerState {
    fn push(&self, item: JournalItem) {
        {
            let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
            match &item {
                JournalItem::Entry(entry) => past.heard(entry),
                JournalItem::Dropped(_) => past.missed(),
            }
        }
        self.log.push(item);
    }

    /// Takes the snapshot that belongs to the entries so far.
    fn saw(&mut self, snapshot: Arc<Snapshot>) {
        if self.seen.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, &snapshot)) {
            return;
        }
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        // If the journal is behind, the snapshot is tried again later.
        if past.saw(&snapshot) {
            drop(past);
            self.seen = Some(snapshot);
        }
    }
}

async fn follow(
    team: Arc<ServedTeam>,
    mut journal: Option<JournalStream>,
    mut kept: FollowerState,
    health: HealthReporter,
    mut finish: watch::Receiver<bool>,
) {
    let name = convert::team::resource_name(team.name());
    let mut snapshots = team.handle.snapshots();
    let mut published = true;
    let mut sent = None;
    loop {
        // The reporter wakes its watchers even without a change.
        let status = serving(team.as_ref());
        if sent.replace(status) != Some(status) {
            health.set_service_status(&name, status).await;
        }
        let mut leave = false;
        tokio::select! {
            item = next(&mut journal) => match item {
                Some(item) => kept.push(item),
                None => break,
            },
            changed = snapshots.changed(), if published => published = changed.is_ok(),
            _ = finish.wait_for(|finish| *finish) => leave = true,
        }
        // Taken first: the journal already has every event behind this snapshot.
        let snapshot = Arc::clone(&snapshots.borrow_and_update());
        // One update of the health for a burst of events.
        while let Some(item) = journal.as_mut().and_then(JournalStream::try_next) {
            kept.push(item);
        }
        kept.saw(snapshot);
        if leave {
            // The team continues, but the server stops; readers learn that another way.
            return;
        }
    }
    kept.saw(Arc::clone(&snapshots.borrow()));
    if sent != Some(ServingStatus::NotServing) {
        health.set_service_status(&name, ServingStatus::NotServing).await;
    }
    kept.log.close();
}

/// The next item of the journal; `None` once the team has ended.
async fn next(journal: &mut Option<JournalStream>) -> Option<JournalItem> {
    journal.as_mut()?.next().await
}

/// A team serves while the match runs and at least one agent is logged in.
fn serving(team: &ServedTeam) -> ServingStatus {
    match convert::team::state(team) {
        TeamState::Playing => ServingStatus::Serving,
        TeamState::Unspecified | TeamState::Waiting | TeamState::Over | TeamState::Stopped => {
            ServingStatus::NotServing
        }
    }
}

/// A number that no two logs share, so that one refuses the cursors of the other.
pub(crate) fn epoch() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}
