//! How far leagues, ladders and tune runs are.

use crate::Metrics;
use std::sync::Arc;

/// The figures of leagues, ladders and tune runs.
#[derive(Debug)]
pub struct LabMetrics {
    metrics: Arc<Metrics>,
}

/// How far one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabSample<'a> {
    /// What it is: `league`, `ladder` or `tune_run`.
    pub kind: &'static str,
    pub name: &'a str,
    /// Matches that were played or failed.
    pub played: u64,
    /// Matches among them that failed.
    pub failed: u64,
    /// Matches of the whole schedule.
    pub planned: u64,
    /// Whether a process plays it.
    pub playing: bool,
    /// Workers of a queue that lately played for it.
    pub workers: u64,
}

impl LabMetrics {
    /// Figures of that daemon.
    #[must_use]
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics }
    }

    /// How far it is now.
    pub fn sample(&self, sample: &LabSample<'_>) {
        let labels = [("kind", sample.kind), ("name", sample.name)];
        for (name, value) in [
            ("phalanx_lab_matches_played", sample.played),
            ("phalanx_lab_matches_failed", sample.failed),
            ("phalanx_lab_matches_planned", sample.planned),
            ("phalanx_lab_playing", u64::from(sample.playing)),
            ("phalanx_lab_workers", sample.workers),
        ] {
            #[expect(clippy::cast_precision_loss, reason = "no schedule has 2^52 matches")]
            self.metrics.gauge(name, &labels).set(value as f64);
        }
    }
}
