//! What callers of the control API do, as numbers.

use crate::Metrics;
use std::sync::Arc;
use std::time::Duration;

/// The status of a call that its caller gave up.
const CANCELLED: &str = "Cancelled";

/// The figures of the control API.
#[derive(Clone, Debug)]
pub struct ApiMetrics {
    metrics: Arc<Metrics>,
}

impl ApiMetrics {
    /// Figures of that daemon.
    #[must_use]
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics }
    }

    /// A call began. `method` is one of a table: whatever else callers ask for is one of its own.
    #[must_use]
    pub fn began(&self, method: &'static str) -> OpenCall {
        self.metrics.gauge("phalanx_api_open_calls", &[("method", method)]).increment(1.0);
        OpenCall { metrics: Arc::clone(&self.metrics), method, code: CANCELLED }
    }

    /// A connection to this listener (`unix`, `tcp`) was opened.
    #[must_use]
    pub fn connected(&self, listener: &'static str) -> Connected {
        self.metrics.gauge("phalanx_api_connections", &[("listener", listener)]).increment(1.0);
        Connected { metrics: Arc::clone(&self.metrics), listener }
    }

    /// A connection was hung up on, as there were too many.
    pub fn hung_up(&self, listener: &'static str) {
        let labels = [("listener", listener)];
        self.metrics.counter("phalanx_api_connections_refused_total", &labels).increment(1);
    }

    /// The server closed a connection, for a reason of a fixed list.
    pub fn evicted(&self, listener: &'static str, reason: &'static str) {
        let labels = [("listener", listener), ("reason", reason)];
        self.metrics.counter("phalanx_api_connections_evicted_total", &labels).increment(1);
    }

    /// The server ended a stream (`events`, `recordings`) before it was over, for a reason of a
    /// fixed list.
    pub fn stream_evicted(&self, kind: &'static str, reason: &'static str) {
        let labels = [("kind", kind), ("reason", reason)];
        self.metrics.counter("phalanx_api_streams_evicted_total", &labels).increment(1);
    }
}

/// A running call. If it is dropped before [`OpenCall::ended`], it counts as cancelled.
#[derive(Debug)]
pub struct OpenCall {
    metrics: Arc<Metrics>,
    method: &'static str,
    code: &'static str,
}

impl OpenCall {
    /// Its answer begins, so long after the call.
    pub fn answers(&self, after: Duration) {
        let labels = [("method", self.method)];
        let seconds = self.metrics.histogram("phalanx_api_call_seconds", &labels);
        seconds.record(after.as_secs_f64());
    }

    /// Its status is known; the name as gRPC has it.
    pub fn ended(&mut self, code: &'static str) {
        self.code = code;
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let open = self.metrics.gauge("phalanx_api_open_calls", &[("method", self.method)]);
        open.decrement(1.0);
        let labels = [("method", self.method), ("code", self.code)];
        self.metrics.counter("phalanx_api_calls_total", &labels).increment(1);
    }
}

/// A connection that is open until this is dropped.
#[derive(Debug)]
pub struct Connected {
    metrics: Arc<Metrics>,
    listener: &'static str,
}

impl Drop for Connected {
    fn drop(&mut self) {
        let open = self.metrics.gauge("phalanx_api_connections", &[("listener", self.listener)]);
        open.decrement(1.0);
    }
}
