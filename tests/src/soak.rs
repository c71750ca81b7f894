//! What long runs measure, what counts as growth, and the graph of it.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Samples before this part of a run do not count: programs fill their caches.
const WARM_UP: f64 = 0.2;
/// Memory may grow by this factor and [`MEMORY_SLACK_MB`] between the first and the last quarter.
const MEMORY_GROWTH: f64 = 1.25;
const MEMORY_SLACK_MB: f64 = 32.0;
/// Most memory of a program.
const MEMORY_MAX_MB: f64 = 1_024.0;
/// Descriptors and threads that may come on top of those of the first quarter. When a match begins,
/// strategies are tried on threads of their own, which stay for some seconds.
const DESCRIPTORS_SLACK: f64 = 16.0;
const THREADS_SLACK: f64 = 16.0;
/// Recordings of running matches are kept whole: what a request may add to them, in kilobytes.
const RECORDED_KB: f64 = 0.8;
/// The size of a chart.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 150.0;
const MARGIN: f64 = 70.0;
const COLOURS: [&str; 3] = ["#1f77b4", "#d62728", "#2ca02c"];

/// What a program used at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Memory in megabytes.
    pub memory_mb: f64,
    /// Open descriptors.
    pub descriptors: f64,
    /// Threads.
    pub threads: f64,
}

/// Everything at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Time since the beginning.
    pub at: Duration,
    /// By program, in the order of [`Soak::programs`].
    pub used: Vec<Usage>,
    /// Megabytes in the daemon's state folder.
    pub disk_mb: f64,
    /// Requests that reached the teams so far.
    pub requests: u64,
    /// Those of the matches that are running.
    pub running: u64,
    /// Turns without an answer of ours so far.
    pub late: u64,
}

/// A run.
#[derive(Clone, Debug, Default)]
pub struct Soak {
    /// The programs that are measured.
    pub programs: Vec<String>,
    /// Most megabytes in the state folder beside recordings.
    pub state_max_mb: f64,
    /// Most megabytes of recordings, unless those of running matches need more.
    pub recordings_max_mb: f64,
    /// Matches that were played to their end.
    pub matches: u64,
    /// What was measured, in order.
    pub samples: Vec<Sample>,
}

/// A bound, and whether it held.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What is bounded.
    pub what: String,
    /// What was measured, and the bound.
    pub figures: String,
    /// It held.
    pub holds: bool,
}

/// Reads what a process uses.
///
/// # Errors
/// When there is no such process.
pub fn usage(process: u32) -> io::Result<Usage> {
    let folder = Path::new("/proc").join(process.to_string());
    let status = fs::read_to_string(folder.join("status"))?;
    let number = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        let word = line.and_then(|line| line.split_whitespace().next());
        word.and_then(|word| word.parse::<f64>().ok()).unwrap_or_default()
    };
    let descriptors = u32::try_from(fs::read_dir(folder.join("fd"))?.count()).unwrap_or(u32::MAX);
    Ok(Usage {
        memory_mb: number("VmRSS:") / 1_024.0,
        descriptors: f64::from(descriptors),
        threads: number("Threads:"),
    })
}

/// The sum of the values of a metric with these labels, in the text form of Prometheus.
#[must_use]
pub fn metric(text: &str, name: &str, label: &str) -> u64 {
    let its = |line: &&str| line.starts_with(name) && line.contains(label);
    let value = |line: &str| line.rsplit(' ').next()?.parse::<f64>().ok();
    let sum: f64 = text.lines().filter(its).filter_map(value).sum();
    format!("{sum:.0}").parse().unwrap_or_default()
}

impl Soak {
    /// The bounds, in the order in which people read them.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        for (index, program) in self.programs.iter().enumerate() {
            let series = |of: fn(&Usage) -> f64| {
                let used = |sample: &Sample| sample.used.get(index).map(of).unwrap_or_default();
                self.samples.iter().map(used).collect::<Vec<_>>()
            };
            let memory = series(|used| used.memory_mb);
            let (first, last) = quarters(&memory);
            let bound = (median(first) * MEMORY_GROWTH + MEMORY_SLACK_MB).min(MEMORY_MAX_MB);
            verdicts.push(verdict(&format!("{program}: memory, MB"), median(last), bound));
            let descriptors = series(|used| used.descriptors);
            let (first, last) = quarters(&descriptors);
            let bound = most(first) + DESCRIPTORS_SLACK;
            verdicts.push(verdict(&format!("{program}: descriptors"), most(last), bound));
            let threads = series(|used| used.threads);
            let (first, last) = quarters(&threads);
            let bound = most(first) + THREADS_SLACK;
            verdicts.push(verdict(&format!("{program}: threads"), most(last), bound));
        }
        let (requests, late) =
            self.samples.last().map(|last| (last.requests, last.late)).unwrap_or_default();
        // The sample that is nearest to its bound, or furthest above it.
        let bound = |sample: &Sample| {
            self.state_max_mb + self.recordings_max_mb.max(megabytes(sample.running))
        };
        let over = |sample: &&Sample| sample.disk_mb - bound(sample);
        let fullest = self.samples.iter().max_by(|a, b| over(a).total_cmp(&over(b)));
        let (disk, bound) = fullest.map(|it| (it.disk_mb, bound(it))).unwrap_or_default();
        verdicts.push(verdict("state folder, MB", disk, bound));
        let figures = format!("{}, at least 1", self.matches);
        let holds = self.matches > 0;
        verdicts.push(Verdict { what: "matches to their end".to_owned(), figures, holds });
        let figures = format!("{late} of {requests}, at most 0");
        let holds = late == 0 && requests > 0;
        verdicts.push(Verdict { what: "turns without an answer".to_owned(), figures, holds });
        verdicts
    }

    /// The graph: a chart for each figure.
    #[must_use]
    pub fn svg(&self) -> String {
        let used = |of: fn(&Usage) -> f64| {
            let line = |index: usize| {
                let at = |sample: &Sample| sample.used.get(index).map(of).unwrap_or_default();
                self.samples.iter().map(at).collect()
            };
            self.programs.iter().cloned().zip((0..).map(line)).collect::<Vec<(_, Vec<f64>)>>()
        };
        let disk = self.samples.iter().map(|sample| sample.disk_mb).collect();
        let charts = [
            ("memory, MB", used(|used| used.memory_mb)),
            ("descriptors", used(|used| used.descriptors)),
            ("threads", used(|used| used.threads)),
            ("state folder, MB", vec![("disk".to_owned(), disk)]),
        ];
        let (width, height) = (WIDTH + 2.0 * MARGIN, (HEIGHT + MARGIN) * 4.0 + MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        let minutes = self.samples.last().map_or(0.0, |last| last.at.as_secs_f64() / 60.0);
        let mut top = MARGIN / 2.0;
        for (name, lines) in charts {
            chart(&mut svg, top, (name, minutes), &lines);
            top += HEIGHT + MARGIN;
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// One chart, below `top`.
fn chart(svg: &mut String, top: f64, (name, minutes): (&str, f64), lines: &[(String, Vec<f64>)]) {
    let highest = lines.iter().flat_map(|(_, line)| line).copied().fold(1.0, f64::max) * 1.1;
    // Writing to a text cannot fail.
    write!(
        svg,
        "<text x=\"{MARGIN}\" y=\"{:.1}\">{name}</text>\n\
         <rect x=\"{MARGIN}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" \
         stroke=\"#999\"/>\n<text x=\"8\" y=\"{:.1}\">{highest:.0}</text>\n\
         <text x=\"8\" y=\"{:.1}\">0</text>\n<text x=\"{:.1}\" y=\"{:.1}\">{minutes:.1} min</text>\n",
        top - 6.0,
        top + 10.0,
        top + HEIGHT,
        MARGIN + WIDTH - 50.0,
        top + HEIGHT + 16.0,
    )
    .unwrap_or_default();
    for ((label, line), (place, colour)) in lines.iter().zip((0_u32..).zip(COLOURS)) {
        let count = u32::try_from(line.len().saturating_sub(1)).unwrap_or(u32::MAX).max(1);
        let point = |(number, value): (u32, &f64)| {
            let x = MARGIN + WIDTH * f64::from(number) / f64::from(count);
            format!("{x:.1},{:.1}", top + HEIGHT * (1.0 - value / highest))
        };
        let points: Vec<_> = (0..).zip(line).map(point).collect();
        write!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" points=\"{}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{label}</text>\n",
            points.join(" "),
            MARGIN + 180.0 + 180.0 * f64::from(place),
            top - 6.0,
        )
        .unwrap_or_default();
    }
}

fn verdict(what: &str, measured: f64, bound: f64) -> Verdict {
    let figures = format!("{measured:.0}, at most {bound:.0}");
    Verdict { what: what.to_owned(), figures, holds: measured <= bound }
}

/// Megabytes that these requests may add to recordings.
#[expect(clippy::cast_precision_loss, reason = "a bound")]
fn megabytes(requests: u64) -> f64 {
    requests as f64 * RECORDED_KB / 1_024.0
}

/// The first and the last quarter after the warm-up.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a list of samples"
)]
fn quarters(line: &[f64]) -> (&[f64], &[f64]) {
    let begin = (line.len() as f64 * WARM_UP) as usize;
    let counted = line.get(begin..).unwrap_or_default();
    let size = (counted.len() / 4).max(1).min(counted.len());
    let first = counted.get(..size).unwrap_or_default();
    (first, counted.get(counted.len() - size..).unwrap_or_default())
}

fn median(line: &[f64]) -> f64 {
    let mut line = line.to_vec();
    line.sort_by(f64::total_cmp);
    line.get(line.len() / 2).copied().unwrap_or_default()
}

fn most(line: &[f64]) -> f64 {
    line.iter().copied().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of a hundred samples whose figures grow by this much in all.
    fn run(memory: f64, descriptors: f64, disk: f64, late: u64) -> Soak {
        let sample = |number: u32| {
            let part = f64::from(number) / 100.0;
            Sample {
                at: Duration::from_secs(number.into()),
                used: vec![Usage {
                    memory_mb: 100.0 + memory * part,
                    descriptors: 40.0 + descriptors * part,
                    threads: 12.0,
                }],
                disk_mb: disk * part,
                requests: u64::from(number) * 30,
                running: u64::from(number) * 30,
                late,
            }
        };
        let programs = vec!["phalanxd".to_owned()];
        Soak {
            programs,
            state_max_mb: 60.0,
            recordings_max_mb: 140.0,
            matches: 2,
            samples: (0..=100).map(sample).collect(),
        }
    }

    fn broken(soak: &Soak) -> Vec<String> {
        let verdicts = soak.verdicts().into_iter();
        verdicts.filter(|one| !one.holds).map(|one| one.what).collect()
    }

    #[test]
    fn what_stays_within_its_bounds_holds_and_each_kind_of_growth_is_named() {
        assert_eq!(broken(&run(20.0, 4.0, 150.0, 0)), Vec::<String>::new());
        assert_eq!(broken(&run(200.0, 4.0, 150.0, 0)), ["phalanxd: memory, MB"]);
        assert_eq!(broken(&run(20.0, 60.0, 150.0, 0)), ["phalanxd: descriptors"]);
        assert_eq!(broken(&run(20.0, 4.0, 300.0, 0)), ["state folder, MB"]);
        assert_eq!(broken(&run(20.0, 4.0, 150.0, 1)), ["turns without an answer"]);
        // A running match may need more than is kept otherwise.
        let mut long = run(20.0, 4.0, 300.0, 0);
        long.samples.iter_mut().for_each(|sample| sample.running *= 103);
        assert_eq!(broken(&long), Vec::<String>::new());
        let nothing = ["matches to their end", "turns without an answer"];
        assert_eq!(broken(&Soak::default()), nothing, "nothing was played");
    }

    #[test]
    fn the_graph_has_a_line_for_each_figure_of_each_program() {
        let svg = run(20.0, 4.0, 150.0, 0).svg();
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn a_process_that_runs_is_measured_and_metrics_are_summed() {
        let own = usage(std::process::id()).unwrap();
        assert!(own.memory_mb > 1.0 && own.descriptors >= 3.0 && own.threads >= 1.0, "{own:?}");
        assert!(usage(u32::MAX).is_err());
        let text = "# HELP x_total x\nx_total{team=\"A\",outcome=\"late\"} 2\n\
                    x_total{team=\"B\",outcome=\"late\"} 3\nx_total{team=\"A\",outcome=\"held\"} 7\n";
        assert_eq!(metric(text, "x_total{", "late"), 5);
    }
}
