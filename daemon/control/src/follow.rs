//! One task a team: fills its event log and keeps its health.

use crate::events::EventLog;
use crate::{Feed, TeamDirectory, TeamView, convert};
use futures_util::{FutureExt, StreamExt};
use phalanx_engine::{Explained, Hindsight, NotExplained, Snapshot, WhichTurn};
use phalanx_proto::v1::TeamState;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

/// How long the last events of a team that is deleted may take to be read.
const FORGET_MAX: Duration = Duration::from_secs(1);

/// The event logs of all teams that are followed.
#[derive(Debug)]
pub(crate) struct Followers {
    health: HealthReporter,
    events_max: usize,
    teams: Mutex<BTreeMap<String, Followed>>,
    /// True when followers are to take what waits and leave; each holds a receiver until then.
    finish: watch::Sender<bool>,
}

#[derive(Debug)]
struct Followed {
    log: Arc<EventLog>,
    past: Past,
    task: JoinHandle<()>,
}

/// The last turns of a team, for whoever asks why.
pub(crate) type Past = Arc<Mutex<Hindsight>>;

impl Followers {
    pub(crate) fn new(health: HealthReporter, events_max: usize) -> Self {
        Self { health, events_max, teams: Mutex::default(), finish: watch::Sender::new(false) }
    }

    /// Follows every team that is there.
    pub(crate) fn follow_all(&self, directory: &dyn TeamDirectory) {
        for team in directory.teams() {
            drop(self.log(&team));
        }
    }

    /// The team's log; from now on it is followed. A team that came back under the name of one
    /// that ended gets a new log.
    pub(crate) fn log(&self, team: &Arc<dyn TeamView>) -> Arc<EventLog> {
        self.followed(team).0
    }

    /// What an agent of the team did in one of its last turns.
    pub(crate) fn explain(
        &self,
        team: &Arc<dyn TeamView>,
        agent: &str,
        which: WhichTurn,
    ) -> Result<Explained, NotExplained> {
        let (_, past) = self.followed(team);
        let past = past.lock().unwrap_or_else(PoisonError::into_inner);
        past.explain(agent, which)
    }

    fn followed(&self, team: &Arc<dyn TeamView>) -> (Arc<EventLog>, Past) {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Followed { log, past, task }) = teams.get(team.name())
            && (!task.is_finished() || convert::team::state(team.as_ref()) == TeamState::Over)
        {
            return (Arc::clone(log), Arc::clone(past));
        }
        let log = Arc::new(EventLog::new(epoch(), self.events_max));
        let past = Past::default();
        let kept = Kept { log: Arc::clone(&log), past: Arc::clone(&past), seen: None };
        let (health, finish) = (self.health.clone(), self.finish.subscribe());
        let task = tokio::spawn(follow(Arc::clone(team), kept, health, finish));
        let (ours, own) = (Arc::clone(&log), Arc::clone(&past));
        teams.insert(team.name().to_owned(), Followed { log: ours, past: own, task });
        (log, past)
    }

    /// The team was deleted: its streams end, and its health is unknown.
    pub(crate) async fn forget(&self, team: &str) {
        let followed = self.teams.lock().unwrap_or_else(PoisonError::into_inner).remove(team);
        let Some(Followed { log, mut task, .. }) = followed else { return };
        // The journal of a team that has ended is closed: this is about what is left of it.
        if tokio::time::timeout(FORGET_MAX, &mut task).await.is_err() {
            task.abort();
        }
        log.close();
        self.health.clone().clear_service_status(&convert::team::resource_name(team)).await;
    }

    /// Until every event that happened so far stands in its log.
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

/// What is kept of a team's words.
struct Kept {
    log: Arc<EventLog>,
    past: Past,
    /// The last snapshot that went into the past.
    seen: Option<Arc<Snapshot>>,
}

impl Kept {
    fn push(&self, item: Feed) {
        {
            let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
            match &item {
                Feed::Entry(entry) => past.heard(entry),
                Feed::Lost(_) => past.missed(),
            }
        }
        self.log.push(item);
    }

    /// What was published before all that was pushed up to now.
    fn saw(&mut self, snapshot: Arc<Snapshot>) {
        if self.seen.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, &snapshot)) {
            return;
        }
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        // The journal may lag behind: then it is looked at again later.
        if past.saw(&snapshot) {
            drop(past);
            self.seen = Some(snapshot);
        }
    }
}

async fn follow(
    team: Arc<dyn TeamView>,
    mut kept: Kept,
    health: HealthReporter,
    mut finish: watch::Receiver<bool>,
) {
    let name = convert::team::resource_name(team.name());
    let mut snapshots = team.snapshots();
    let mut journal = team.journal();
    let mut published = true;
    let mut told = None;
    'team: loop {
        // The reporter wakes its watchers even when nothing changed.
        let status = serving(team.as_ref());
        if told.replace(status) != Some(status) {
            health.set_service_status(&name, status).await;
        }
        let mut leave = false;
        tokio::select! {
            item = journal.next() => match item {
                Some(item) => kept.push(item),
                None => break,
            },
            changed = snapshots.changed(), if published => published = changed.is_ok(),
            _ = finish.wait_for(|finish| *finish) => leave = true,
        }
        // Taken first: what it tells of stands in the journal already.
        let snapshot = Arc::clone(&snapshots.borrow_and_update());
        // A burst of events is one change of health.
        while let Some(next) = journal.next().now_or_never() {
            match next {
                Some(item) => kept.push(item),
                None => break 'team,
            }
        }
        kept.saw(snapshot);
        if leave {
            // The team goes on, the server does not: its readers are told so elsewhere.
            return;
        }
    }
    kept.saw(Arc::clone(&snapshots.borrow()));
    if told != Some(ServingStatus::NotServing) {
        health.set_service_status(&name, ServingStatus::NotServing).await;
    }
    kept.log.close();
}

/// A team serves while the match runs and at least one agent is logged in.
fn serving(team: &dyn TeamView) -> ServingStatus {
    match convert::team::state(team) {
        TeamState::Playing => ServingStatus::Serving,
        TeamState::Unspecified | TeamState::Waiting | TeamState::Over | TeamState::Stopped => {
            ServingStatus::NotServing
        }
    }
}

/// A number that two logs never share: cursors of one are refused by the other.
pub(crate) fn epoch() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}
