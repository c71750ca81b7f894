//! The recorder: a handle of its own, nothing global, nothing that listens.

use crate::names::{METRICS, MetricKind};
use crate::process;
use metrics::{Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder};
use metrics_exporter_prometheus::{
    Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use metrics_util::MetricKindMask;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A label set that was not updated for this long is dropped.
pub const IDLE: Duration = Duration::from_secs(3600);
/// Where our metrics come from, as the recorder wants to know it.
const ABOUT: Metadata<'static> = Metadata::new("phalanx", Level::INFO, None);

/// Figures that are read when a scrape asks for them.
pub trait MetricsSource: Send + fmt::Debug {
    /// Tells the newest figures; false: nothing will come any more.
    fn sample(&mut self) -> bool;
}

/// All figures of a daemon.
pub struct Metrics {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
    version: String,
    sources: Mutex<Vec<Box<dyn MetricsSource>>>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("version", &self.version).finish_non_exhaustive()
    }
}

impl Metrics {
    /// No figures yet, for a daemon of this version.
    #[must_use]
    pub fn new(version: &str) -> Self {
        let mut builder = PrometheusBuilder::new().idle_timeout(MetricKindMask::ALL, Some(IDLE));
        for metric in METRICS {
            if let MetricKind::Histogram(bounds) = metric.kind {
                let name = Matcher::Full(metric.name.to_owned());
                builder = builder
                    .set_buckets_for_metric(name, bounds)
                    .expect("every histogram of the table has bounds");
            }
        }
        let recorder = builder.build_recorder();
        for metric in METRICS {
            let (name, help) = (metric.name.into(), metric.help.into());
            match metric.kind {
                MetricKind::Counter => recorder.describe_counter(name, None, help),
                MetricKind::Gauge => recorder.describe_gauge(name, None, help),
                MetricKind::Histogram(_) => recorder.describe_histogram(name, None, help),
            }
        }
        process::describe(&recorder);
        let (handle, version) = (recorder.handle(), version.to_owned());
        Self { recorder, handle, version, sources: Mutex::default() }
    }

    /// Asks this source at each scrape and each upkeep.
    pub fn ask(&self, source: Box<dyn MetricsSource>) {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).push(source);
    }

    /// Takes up what was recorded. Wanted every few seconds, since values of histograms wait in
    /// memory for it. Takes a lock and reads no files.
    pub fn upkeep(&self) {
        self.sample();
        self.handle.run_upkeep();
    }

    /// The figures as Prometheus reads them, in its text format. Reads the process' own figures
    /// from the system: not for a thread that may not wait.
    #[must_use]
    pub fn render(&self) -> String {
        self.sample();
        self.gauge("phalanx_build_info", &[("version", &self.version)]).set(1.0);
        process::collect(&self.recorder);
        self.handle.render()
    }

    fn sample(&self) {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        sources.retain_mut(|source| source.sample());
    }

    /// A counter of the table; as a handle does not outlive [`IDLE`], it is asked for each time.
    pub(crate) fn counter(&self, name: &'static str, labels: &[(&'static str, &str)]) -> Counter {
        self.recorder.register_counter(&key(name, labels), &ABOUT)
    }

    pub(crate) fn gauge(&self, name: &'static str, labels: &[(&'static str, &str)]) -> Gauge {
        self.recorder.register_gauge(&key(name, labels), &ABOUT)
    }

    pub(crate) fn histogram(
        &self,
        name: &'static str,
        labels: &[(&'static str, &str)],
    ) -> Histogram {
        self.recorder.register_histogram(&key(name, labels), &ABOUT)
    }

    /// Sets the total of dropped log lines.
    pub fn log_lines_dropped(&self, total: u64) {
        self.counter("phalanx_log_lines_dropped_total", &[]).absolute(total);
    }
}

fn key(name: &'static str, labels: &[(&'static str, &str)]) -> Key {
    let labels = labels.iter().map(|(key, value)| Label::new(*key, (*value).to_owned()));
    Key::from_parts(name, labels.collect::<Vec<_>>())
}
