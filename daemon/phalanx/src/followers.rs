//! Who reads along with every team: the log and the figures.
//!
//! They begin to listen before a team's seats are opened, so that nothing is missed, and are waited
//! for at the end, so that the last words are written.

use crate::logs::{self, LogControl};
use phalanx_engine::SeatState;
use phalanx_metrics::{Answer, Metrics, SeatSample, Source, TeamMetrics, TeamSample};
use phalanx_net::{BuiltTeam, JournalItem, JournalStream, TeamHandle, WeakTeamHandle};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// How often the figures are taken up, scraped or not.
const UPKEEP_EVERY: Duration = Duration::from_secs(2);

/// The readers of all teams. Clones share them.
#[derive(Clone, Debug)]
pub struct Followers {
    metrics: Arc<Metrics>,
    tasks: TaskTracker,
    /// What teams tell is logged, too.
    logged: bool,
}

/// The readers of a team that is about to play.
#[derive(Debug)]
pub struct Listening {
    figures: Arc<TeamMetrics>,
    metrics: Arc<Metrics>,
}

impl Followers {
    /// No reader yet. With `log`, what teams tell is logged, and what it leaves out is told and
    /// counted as well; without, only the figures are counted. Must be called inside a tokio runtime.
    #[must_use]
    pub fn new(metrics: Arc<Metrics>, log: Option<LogControl>) -> Self {
        let logged = log.is_some();
        if let Some(log) = &log {
            tokio::spawn(log.clone().tell_dropped());
        }
        let kept = Arc::clone(&metrics);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(UPKEEP_EVERY).await;
                if let Some(log) = &log {
                    kept.log_lines_dropped(log.dropped());
                }
                upkeep(&kept).await;
            }
        });
        Self { metrics, tasks: TaskTracker::new(), logged }
    }

    /// Listens to a team from its first word on.
    #[must_use]
    pub fn listen(&self, team: &BuiltTeam) -> Listening {
        let name = team.name();
        let figures = Arc::new(TeamMetrics::new(Arc::clone(&self.metrics), name));
        if self.logged {
            self.tasks.spawn(logs::follow(name.to_owned(), team.journal()));
        }
        self.tasks.spawn(count(Arc::clone(&figures), team.journal()));
        Listening { figures, metrics: Arc::clone(&self.metrics) }
    }

    /// Until everything that teams told has been read; for teams that have ended.
    pub async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Listening {
    /// The team plays: its figures are asked for from now on, until nobody holds it any more.
    pub fn playing(self, team: &TeamHandle) {
        let Self { figures, metrics } = self;
        metrics.ask(Box::new(Asked { team: team.downgrade(), figures }));
    }
}

/// Many histograms take a while: not on the runtime's threads.
async fn upkeep(metrics: &Arc<Metrics>) {
    let metrics = Arc::clone(metrics);
    tokio::task::spawn_blocking(move || metrics.upkeep()).await.ok();
}

async fn count(figures: Arc<TeamMetrics>, mut journal: JournalStream) {
    while let Some(item) = journal.next().await {
        match item {
            JournalItem::Entry(entry) => figures.happened(&entry),
            // The team counts what its readers lost.
            JournalItem::Dropped(_) => {}
        }
    }
}

/// A team that is asked for its figures.
#[derive(Debug)]
struct Asked {
    team: WeakTeamHandle,
    figures: Arc<TeamMetrics>,
}

impl Source for Asked {
    fn sample(&mut self) -> bool {
        let Some(team) = self.team.upgrade() else { return false };
        let seats = team.seats().into_iter().map(|(name, status)| SeatSample {
            name,
            up: status.state == SeatState::Seated,
            connections: status.connections,
            round_trip: status.round_trip,
        });
        let (answers, thread) = (team.meter().fresh(), team.thread());
        let answer =
            |answer: phalanx_net::Answered| Answer { spent: answer.spent, margin: answer.margin };
        self.figures.sample(&TeamSample {
            snapshot: team.snapshot(),
            seats: seats.collect(),
            answers: answers.into_iter().map(answer).collect(),
            lost: team.journal_dropped(),
            restarts: team.restarts().into(),
            replaced: thread.replaced,
            abandoned: thread.abandoned,
            stuck: thread.stuck,
            dropped: team.inbox_dropped(),
        });
        true
    }
}
