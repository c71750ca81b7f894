//! How much time was left when answers were sent, from the daemon's metrics.

use std::collections::VecDeque;
use std::time::Duration;

/// The metric's histogram.
const NAME: &str = "phalanx_deadline_margin_seconds_bucket{";
/// Samples that are compared: the view covers the time since the oldest one.
const LOOKS_KEPT: usize = 30;
/// Bounds of a histogram, at most.
const BOUNDS_MAX: usize = 64;
/// Heights of a bar.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Answers by the time that was left: the cumulative count for each bound, in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Histogram(Vec<(f64, u64)>);

/// The last samples of a team's histogram.
#[derive(Debug, Default)]
pub(super) struct Margins {
    looks: VecDeque<Histogram>,
}

/// The part that is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shown {
    pub(super) count: u64,
    /// One answer in a hundred had less time left.
    pub(super) tight: Duration,
    /// Half of the answers had less time left.
    pub(super) half: Duration,
    /// A bar for each bound between the smallest and the largest margin, the smallest first.
    pub(super) bars: String,
}

impl Histogram {
    /// Reads a team's histogram from the metrics.
    pub(super) fn read(figures: &str, team: &str) -> Self {
        let label = format!("team=\"{}\"", escaped(team));
        let lines = figures.lines().filter_map(|line| line.strip_prefix(NAME));
        let ours = lines.filter(|line| line.contains(&label));
        let bounds = ours.filter_map(|line| {
            let (_, bound) = line.split_once("le=\"")?;
            let bound = match bound.split_once('"')?.0 {
                "+Inf" => f64::INFINITY,
                bound => bound.parse().ok()?,
            };
            let count = line.rsplit(' ').next()?.parse::<u64>().ok()?;
            Some((bound, count))
        });
        Self(bounds.take(BOUNDS_MAX).collect())
    }

    fn count(&self) -> u64 {
        self.0.last().map_or(0, |(_, count)| *count)
    }

    /// The answers since an older sample; `None`: the counters were reset.
    fn since(&self, old: &Self) -> Option<Self> {
        if self.0.len() != old.0.len() {
            return None;
        }
        let pairs = self.0.iter().zip(&old.0);
        let each = pairs.map(|((bound, new), (_, old))| Some((*bound, new.checked_sub(*old)?)));
        each.collect::<Option<_>>().map(Self)
    }

    /// The margin that this share of the answers fell below.
    fn quantile(&self, share: f64) -> Duration {
        let wanted = number(self.count()) * share;
        let mut before = (0.0, 0);
        for (bound, count) in &self.0 {
            if number(*count) >= wanted && *count > before.1 {
                if bound.is_infinite() {
                    break;
                }
                let part = (wanted - number(before.1)) / number(count - before.1);
                let seconds = before.0 + (bound - before.0) * part.clamp(0.0, 1.0);
                return Duration::try_from_secs_f64(seconds).unwrap_or_default();
            }
            before = (*bound, *count);
        }
        Duration::try_from_secs_f64(before.0).unwrap_or_default()
    }

    fn bars(&self) -> String {
        let before = std::iter::once(0).chain(self.0.iter().map(|(_, count)| *count));
        let each =
            self.0.iter().zip(before).map(|((_, count), before)| count.saturating_sub(before));
        let each: Vec<u64> = each.collect();
        let most = each.iter().copied().max().unwrap_or_default().max(1);
        let used = |count: &u64| *count > 0;
        let first = each.iter().position(used).unwrap_or_default();
        let last = each.iter().rposition(used).map_or(0, |last| last + 1);
        let bar = |count: &u64| {
            let height = usize::try_from(count * 7 / most).unwrap_or_default();
            BARS.get(height).copied().unwrap_or('█')
        };
        each.get(first..last).unwrap_or_default().iter().map(bar).collect()
    }
}

impl Margins {
    /// Adds a sample.
    pub(super) fn add(&mut self, look: Histogram) {
        let anew = self.looks.back().is_some_and(|last| look.since(last).is_none());
        if anew {
            self.looks.clear();
        }
        if self.looks.len() >= LOOKS_KEPT {
            self.looks.pop_front();
        }
        self.looks.push_back(look);
    }

    /// The answers of the last minute, or those of the whole match if there were none.
    pub(super) fn shown(&self) -> Option<Shown> {
        let newest = self.looks.back()?;
        let since = self.looks.front().and_then(|oldest| newest.since(oldest));
        let all = since.filter(|since| since.count() > 0).unwrap_or_else(|| newest.clone());
        (all.count() > 0).then(|| Shown {
            count: all.count(),
            tight: all.quantile(0.01),
            half: all.quantile(0.5),
            bars: all.bars(),
        })
    }
}

/// Escapes a name as labels of metrics are.
fn escaped(team: &str) -> String {
    team.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[expect(clippy::cast_precision_loss, reason = "a share of a count needs no last digit")]
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(counts: [u64; 4]) -> String {
        let [a, b, c, all] = counts;
        format!(
            "# TYPE phalanx_deadline_margin_seconds histogram\n\
             phalanx_deadline_margin_seconds_bucket{{team=\"B\",le=\"0.1\"}} 7\n\
             phalanx_deadline_margin_seconds_bucket{{team=\"A\",le=\"0.1\"}} {a}\n\
             phalanx_deadline_margin_seconds_bucket{{team=\"A\",le=\"0.2\"}} {b}\n\
             phalanx_deadline_margin_seconds_bucket{{team=\"A\",le=\"0.4\"}} {c}\n\
             phalanx_deadline_margin_seconds_bucket{{team=\"A\",le=\"+Inf\"}} {all}\n\
             phalanx_deadline_margin_seconds_count{{team=\"A\"}} {all}\n"
        )
    }

    #[test]
    fn the_tightest_answers_and_the_usual_ones_are_told() {
        let mut margins = Margins::default();
        assert_eq!(margins.shown(), None);
        margins.add(Histogram::read(&figures([0, 50, 100, 100]), "A"));
        let shown = margins.shown().unwrap();
        assert_eq!((shown.count, shown.half), (100, Duration::from_millis(200)));
        assert_eq!(shown.tight, Duration::from_millis(102));
        assert_eq!(shown.bars, "██", "fifty each, and nothing outside");
    }

    #[test]
    fn only_what_came_lately_counts_until_the_daemon_counts_anew() {
        let mut margins = Margins::default();
        margins.add(Histogram::read(&figures([90, 100, 100, 100]), "A"));
        margins.add(Histogram::read(&figures([90, 100, 110, 110]), "A"));
        let shown = margins.shown().unwrap();
        assert_eq!((shown.count, shown.bars.as_str()), (10, "█"));
        assert_eq!(shown.half, Duration::from_millis(300));
        margins.add(Histogram::read(&figures([2, 2, 2, 2]), "A"));
        assert_eq!(margins.shown().unwrap().count, 2);
        assert_eq!(Histogram::read("nothing of it", "A"), Histogram::default());
    }
}
