//! Counts repeated problems: one mistake in a script fails for many agents, turn after turn.

use phalanx_game::sorted::SortedMap;

/// Distinct texts that are counted separately; further ones share a count.
const DISTINCT_MAX: usize = 50;
/// A text is reported again at this count, and at every doubling of it.
const AGAIN: u64 = 32;

/// Counts each distinct text, so that a frequent one is not reported every time and does not hide
/// another one.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    seen: SortedMap<String, u64>,
    others: u64,
}

impl Repeats {
    /// Counts a text; returns the line to report now, if any.
    pub fn tell(&mut self, text: &str) -> Option<String> {
        if let Some(count) = self.seen.get_mut(text) {
            *count += 1;
            return is_due(*count).then(|| format!("{text} ({count} times by now)"));
        }
        if self.seen.len() < DISTINCT_MAX {
            self.seen.insert(text.to_owned(), 1);
            return Some(text.to_owned());
        }
        self.others += 1;
        let others = self.others;
        is_due(others).then(|| format!("{text} (one of {others} more problems of other kinds)"))
    }

    /// A line for each text that came more than once; resets all counts. Called at a new round, and
    /// when another strategy becomes active.
    pub fn take(&mut self) -> Vec<String> {
        let seen = std::mem::take(&mut self.seen);
        let again = seen.into_iter().filter(|(_, count)| *count > 1);
        let mut lines: Vec<_> =
            again.map(|(text, count)| format!("{count} times: {text}")).collect();
        let others = std::mem::take(&mut self.others);
        if others > 0 {
            lines.push(format!("{others} more problems of other kinds"));
        }
        lines
    }
}

fn is_due(count: u64) -> bool {
    count == 1
        || (count >= AGAIN && count.is_multiple_of(AGAIN) && (count / AGAIN).is_power_of_two())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_trouble_is_told_beside_a_frequent_one() {
        let mut repeats = Repeats::default();
        let mut lines_out = Vec::new();
        for _ in 0..150 {
            lines_out.extend(repeats.tell("worker.luau:3: oh"));
        }
        let again = |count| format!("worker.luau:3: oh ({count} times by now)");
        assert_eq!(lines_out, ["worker.luau:3: oh".to_owned(), again(32), again(64), again(128)]);
        assert_eq!(repeats.tell("worker.luau:9: rare").unwrap(), "worker.luau:9: rare");
        assert_eq!(repeats.take(), ["150 times: worker.luau:3: oh"]);
        assert!(repeats.tell("worker.luau:3: oh").is_some(), "afterwards it is reported again");
    }

    #[test]
    fn a_flood_of_distinct_troubles_is_counted_and_never_mute() {
        let mut repeats = Repeats::default();
        let lines_out: Vec<_> =
            (0..114).filter_map(|index| repeats.tell(&format!("error {index}"))).collect();
        let others: Vec<_> = lines_out.iter().skip(DISTINCT_MAX).map(String::as_str).collect();
        let more = "more problems of other kinds)";
        assert_eq!(
            others,
            [
                format!("error 50 (one of 1 {more}"),
                format!("error 81 (one of 32 {more}"),
                format!("error 113 (one of 64 {more}"),
            ]
        );
        assert_eq!(repeats.take(), ["64 more problems of other kinds"]);
    }
}
