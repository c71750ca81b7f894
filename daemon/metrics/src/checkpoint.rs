//! What the checkpoints of a team cost.

use crate::Metrics;
use std::sync::Arc;
use std::time::Duration;

/// The figures of one team's checkpoints.
#[derive(Debug)]
pub struct CheckpointMetrics {
    metrics: Arc<Metrics>,
    team: String,
}

impl CheckpointMetrics {
    /// The figures of the team of that name; failures are there with 0 at once.
    #[must_use]
    pub fn new(metrics: Arc<Metrics>, team: &str) -> Self {
        let new = Self { metrics, team: team.to_owned() };
        new.count_failures(0);
        new
    }

    /// Counts a checkpoint. The team's thread was blocked for `copy`; `write` ran in the
    /// background.
    pub fn written(&self, copy: Duration, write: Duration, bytes: usize) {
        for (part, spent) in [("copy", copy), ("write", write)] {
            let labels = [("team", self.team.as_str()), ("part", part)];
            let seconds = self.metrics.histogram("phalanx_checkpoint_seconds", &labels);
            seconds.record(spent.as_secs_f64());
        }
        #[expect(clippy::cast_precision_loss, reason = "no checkpoint reaches 2^52 bytes")]
        let bytes = bytes as f64;
        self.metrics.gauge("phalanx_checkpoint_bytes", &[("team", &self.team)]).set(bytes);
    }

    /// One could not be written.
    pub fn failed(&self) {
        self.count_failures(1);
    }

    fn count_failures(&self, more: u64) {
        let labels = [("team", self.team.as_str())];
        self.metrics.counter("phalanx_checkpoint_failures_total", &labels).increment(more);
    }
}
