//! Readers of every team's journal: the log and the metrics.
//!
//! They subscribe before a team's seats are opened, so that they miss no event, and the daemon
//! waits for them at the end, so that the last events are written.

use crate::logs::{self, LogControl};
use phalanx_engine::SeatState;
use phalanx_metrics::{AnswerSample, Metrics, MetricsSource, SeatSample, TeamMetrics, TeamSample};
use phalanx_net::{BuiltTeam, JournalItem, JournalStream, TeamHandle, WeakTeamHandle};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// How often the metrics of teams are collected, even without a scrape.
const UPKEEP_EVERY: Duration = Duration::from_secs(2);

/// The readers of all teams. Clones share them.
#[derive(Clone, Debug)]
pub struct Followers {
    metrics: Arc<Metrics>,
    tasks: TaskTracker,
    /// Journal events are logged, too.
    logged: bool,
}

/// The readers of a team that is about to play.
#[derive(Debug)]
pub struct Listening {
    figures: Arc<TeamMetrics>,
    metrics: Arc<Metrics>,
}

impl Followers {
    /// No reader yet. With `log`, journal events are logged, and lines that the log drops are
    /// reported and counted; without it, only metrics are counted. Call it inside a tokio runtime.
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

    /// Subscribes to a team before its first event.
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

    /// Waits until all journals have been read; for teams that have ended.
    pub async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Listening {
    /// Collects the team's metrics from now on, until all handles of the team are dropped.
    pub fn playing(self, team: &TeamHandle) {
        let Self { figures, metrics } = self;
        metrics.ask(Box::new(Asked { team: team.downgrade(), figures }));
    }
}

/// Encoding many histograms takes a while, so it runs on the blocking pool.
async fn upkeep(metrics: &Arc<Metrics>) {
    let metrics = Arc::clone(metrics);
    tokio::task::spawn_blocking(move || metrics.upkeep()).await.ok();
}

async fn count(figures: Arc<TeamMetrics>, mut journal: JournalStream) {
    while let Some(item) = journal.next().await {
        match item {
            JournalItem::Entry(entry) => figures.happened(&entry),
            // The team itself counts what its readers lost.
            JournalItem::Dropped(_) => {}
        }
    }
}

/// A team whose metrics are collected.
#[derive(Debug)]
struct Asked {
    team: WeakTeamHandle,
    figures: Arc<TeamMetrics>,
}

impl MetricsSource for Asked {
    fn sample(&mut self) -> bool {
        let Some(team) = self.team.upgrade() else { return false };
        let seats = team.seats().into_iter().map(|(name, status)| SeatSample {
            name,
            up: status.state == SeatState::Seated,
            connections: status.connections,
            round_trip: status.round_trip,
        });
        let (answers, thread) = (team.meter().fresh(), team.thread());
        let answer = |answer: phalanx_net::Answered| AnswerSample {
            spent: answer.spent,
            margin: answer.margin,
        };
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
