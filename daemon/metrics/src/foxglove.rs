//! How the socket for Foxglove goes.

use crate::Metrics;
use std::sync::Arc;

/// The figures of the socket.
#[derive(Debug)]
pub struct FoxgloveMetrics {
    metrics: Arc<Metrics>,
}

/// How it goes, since its begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoxgloveSample {
    /// Clients that are connected.
    pub clients: u64,
    /// Messages of channels that were sent.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Messages that clients missed.
    pub lost: u64,
    /// Clients that were refused: a foreign origin.
    pub foreign: u64,
    /// Clients that were refused: too many.
    pub too_many: u64,
    /// Clients that were refused: another protocol.
    pub strangers: u64,
}

impl FoxgloveMetrics {
    /// Figures of that daemon.
    #[must_use]
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics }
    }

    /// How it goes now.
    pub fn sample(&self, sample: &FoxgloveSample) {
        #[expect(clippy::cast_precision_loss, reason = "the number of clients is limited")]
        let clients = sample.clients as f64;
        self.metrics.gauge("phalanx_foxglove_clients", &[]).set(clients);
        for (name, total) in [
            ("phalanx_foxglove_messages_total", sample.messages),
            ("phalanx_foxglove_bytes_total", sample.bytes),
            ("phalanx_foxglove_lost_total", sample.lost),
        ] {
            self.metrics.counter(name, &[]).absolute(total);
        }
        for (reason, total) in
            [("origin", sample.foreign), ("room", sample.too_many), ("protocol", sample.strangers)]
        {
            let labels = [("reason", reason)];
            self.metrics.counter("phalanx_foxglove_refused_total", &labels).absolute(total);
        }
    }
}
