//! Figures of the process, under the names that Prometheus gives them:
//! <https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics>. Linux tells them
//! in `/proc`; what cannot be read is left out.

use metrics::{Key, Level, Metadata, Recorder};
use rustix::param::clock_ticks_per_second;
use rustix::process::{Resource, Rlimit, getrlimit};
use std::fs;

const ABOUT: Metadata<'static> = Metadata::new("process", Level::INFO, None);
const CPU: (&str, &str) =
    ("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.");
const GAUGES: [(&str, &str); 7] = [
    ("process_open_fds", "Number of open file descriptors."),
    ("process_max_fds", "Maximum number of open file descriptors."),
    ("process_virtual_memory_bytes", "Virtual memory size in bytes."),
    ("process_virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes."),
    ("process_resident_memory_bytes", "Resident memory size in bytes."),
    ("process_start_time_seconds", "Start time of the process since unix epoch in seconds."),
    ("process_threads", "Number of OS threads in the process."),
];

pub(crate) fn describe(recorder: &dyn Recorder) {
    recorder.describe_counter(CPU.0.into(), None, CPU.1.into());
    for (name, help) in GAUGES {
        recorder.describe_gauge(name.into(), None, help.into());
    }
}

/// Reads the figures and tells them.
pub(crate) fn collect(recorder: &dyn Recorder) {
    let stat = fs::read_to_string("/proc/self/stat").ok();
    let stat = stat.as_deref().and_then(Stat::parse);
    if let Some(stat) = &stat {
        let cpu = recorder.register_counter(&Key::from_static_name(CPU.0), &ABOUT);
        cpu.absolute(stat.cpu_ticks / clock_ticks_per_second().max(1));
    }
    let values = [
        // The folder itself is open while it is read.
        fs::read_dir("/proc/self/fd").ok().map(|open| open.count().saturating_sub(1) as u64),
        Some(limit(getrlimit(Resource::Nofile))),
        stat.as_ref().map(|stat| stat.virtual_bytes),
        Some(limit(getrlimit(Resource::As))),
        Some(resident_bytes()).filter(|bytes| *bytes > 0),
        stat.as_ref().and_then(|stat| {
            Some(boot_time()? + stat.start_ticks / clock_ticks_per_second().max(1))
        }),
        stat.as_ref().map(|stat| stat.threads),
    ];
    for ((name, _), value) in GAUGES.into_iter().zip(values) {
        if let Some(value) = value {
            #[expect(clippy::cast_precision_loss, reason = "gauges are floats, far below 2^53")]
            recorder.register_gauge(&Key::from_static_name(name), &ABOUT).set(value as f64);
        }
    }
}

/// The resident memory of this process; 0 when the system does not say.
#[must_use]
pub fn resident_bytes() -> u64 {
    resident(&fs::read_to_string("/proc/self/status").unwrap_or_default())
}

/// `VmRSS:     12345 kB`, in bytes.
fn resident(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
    kilobytes.map_or(0, |kilobytes: u64| kilobytes.saturating_mul(1024))
}

/// 0: unlimited.
fn limit(limit: Rlimit) -> u64 {
    limit.current.unwrap_or(0)
}

/// When the machine started, in seconds since 1970.
fn boot_time() -> Option<u64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

/// What `/proc/self/stat` says, see proc(5).
#[derive(Debug, PartialEq)]
struct Stat {
    /// Of programs and of the system for them.
    cpu_ticks: u64,
    threads: u64,
    /// Since the machine started.
    start_ticks: u64,
    virtual_bytes: u64,
}

impl Stat {
    fn parse(text: &str) -> Option<Self> {
        // The name of the program may contain anything; its bracket is the last one.
        let (_, fields) = text.rsplit_once(')')?;
        let fields: Vec<_> = fields.split_whitespace().collect();
        // The manual numbers the fields from 1; the first one here is its third.
        let field = |number: usize| -> Option<u64> { fields.get(number - 3)?.parse().ok() };
        Some(Self {
            cpu_ticks: field(14)? + field(15)?,
            threads: field(20)?,
            start_ticks: field(22)?,
            virtual_bytes: field(23)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_found_behind_any_name() {
        let text = "7 (a) b (c)) S 1 7 7 0 -1 4194560 9 0 0 0 120 30 0 0 20 0 5 0 4200 9000 33 1";
        let stat = Stat { cpu_ticks: 150, threads: 5, start_ticks: 4_200, virtual_bytes: 9_000 };
        assert_eq!(Stat::parse(text), Some(stat));
        assert_eq!(Stat::parse("7 (a) S 1"), None);
        assert_eq!(Stat::parse(""), None);
    }

    #[test]
    fn memory_is_read_where_the_system_tells_it() {
        let status = "VmPeak:\t  999 kB\nVmRSS:\t   12 kB\nThreads:\t3\n";
        assert_eq!(resident(status), 12 * 1024);
        for other in ["", "VmRSS:\n", "VmRSS: x kB", "VmRSS: 12 MB"] {
            assert_eq!(resident(other), 0, "{other}");
        }
    }
}
