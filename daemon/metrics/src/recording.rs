//! How the recordings of teams go.

use crate::Metrics;
use std::sync::Arc;

/// The figures of one team's recording.
#[derive(Debug)]
pub struct RecordingMetrics {
    metrics: Arc<Metrics>,
    team: String,
}

/// How a recording goes, since its begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingSample {
    /// Bytes on the disk.
    pub bytes: u64,
    pub messages: u64,
    /// Messages that are missing.
    pub lost: u64,
    /// How often the disk failed.
    pub failures: u64,
    /// Bytes that wait for the disk.
    pub waiting_bytes: u64,
    /// The disk fails now.
    pub trouble: bool,
}

impl RecordingMetrics {
    /// The figures of the team of that name; all are there with 0 at once.
    #[must_use]
    pub fn new(metrics: Arc<Metrics>, team: &str) -> Self {
        let new = Self { metrics, team: team.to_owned() };
        new.sample(&RecordingSample::default());
        new
    }

    /// How it goes now.
    pub fn sample(&self, sample: &RecordingSample) {
        let labels = [("team", self.team.as_str())];
        for (name, total) in [
            ("phalanx_recording_bytes_total", sample.bytes),
            ("phalanx_recording_messages_total", sample.messages),
            ("phalanx_recording_lost_total", sample.lost),
            ("phalanx_recording_failures_total", sample.failures),
        ] {
            self.metrics.counter(name, &labels).absolute(total);
        }
        #[expect(clippy::cast_precision_loss, reason = "no queue reaches 2^52 bytes")]
        let waiting = sample.waiting_bytes as f64;
        self.metrics.gauge("phalanx_recording_waiting_bytes", &labels).set(waiting);
        let trouble = f64::from(u8::from(sample.trouble));
        self.metrics.gauge("phalanx_recording_trouble", &labels).set(trouble);
    }
}
