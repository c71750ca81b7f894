//! The progress of leagues, ladders and tune runs in the metrics.

use super::Lab;
use crate::leagues::AllLeagues;
use phalanx_control::{LeagueDirectory, LeagueState};
use phalanx_metrics::{LabMetrics, LabSample, Metrics, MetricsSource};
use std::sync::Arc;

/// What a scrape asks.
#[derive(Debug)]
pub(crate) struct LabFigures {
    metrics: LabMetrics,
    leagues: AllLeagues,
    lab: Option<Lab>,
}

impl LabFigures {
    pub(crate) fn new(metrics: Arc<Metrics>, leagues: AllLeagues, lab: Option<Lab>) -> Self {
        Self { metrics: LabMetrics::new(metrics), leagues, lab }
    }
}

impl MetricsSource for LabFigures {
    fn sample(&mut self) -> bool {
        for league in self.leagues.leagues() {
            let status = league.status();
            self.metrics.sample(&LabSample {
                kind: "league",
                name: league.name(),
                played: status.standing.played,
                failed: status.standing.failed,
                planned: status.standing.total,
                playing: status.state == LeagueState::Playing,
                workers: status.workers.len() as u64,
            });
        }
        for ladder in self.lab.iter().flat_map(Lab::all_ladders) {
            self.metrics.sample(&ladder.sample());
        }
        for run in self.lab.iter().flat_map(Lab::all_runs) {
            self.metrics.sample(&run.sample());
        }
        true
    }
}
