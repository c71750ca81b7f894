//! Trouble that repeats: one mistake in a script fails for many agents, turn after turn.

use std::collections::BTreeMap;

/// Distinct texts that are told; further ones are only counted.
const DISTINCT_MAX: usize = 50;

/// Counts each distinct text, so that it is told once and another one is not drowned by it.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    seen: BTreeMap<String, u64>,
    untold: u64,
}

impl Repeats {
    /// Counts a text; true when it is new and is to be told.
    pub fn is_new(&mut self, text: &str) -> bool {
        if let Some(count) = self.seen.get_mut(text) {
            *count += 1;
            return false;
        }
        if self.seen.len() >= DISTINCT_MAX {
            self.untold += 1;
            return false;
        }
        self.seen.insert(text.to_owned(), 1);
        true
    }

    /// A line for each text that came more than once, and forgets all.
    pub fn take(&mut self) -> Vec<String> {
        let seen = std::mem::take(&mut self.seen);
        let again = seen.into_iter().filter(|(_, count)| *count > 1);
        let mut lines: Vec<_> =
            again.map(|(text, count)| format!("{count} times: {text}")).collect();
        let untold = std::mem::take(&mut self.untold);
        if untold > 0 {
            lines.push(format!("{untold} more troubles of other kinds"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_trouble_is_told_beside_a_frequent_one() {
        let mut repeats = Repeats::default();
        assert!(repeats.is_new("worker.luau:3: oh"));
        for _ in 0..500 {
            assert!(!repeats.is_new("worker.luau:3: oh"));
        }
        assert!(repeats.is_new("worker.luau:9: rare"));
        assert_eq!(repeats.take(), ["501 times: worker.luau:3: oh"]);
        assert!(repeats.is_new("worker.luau:3: oh"), "a new round tells it again");
    }

    #[test]
    fn a_flood_of_distinct_troubles_is_counted() {
        let mut repeats = Repeats::default();
        let told = (0..80).filter(|index| repeats.is_new(&format!("error {index}"))).count();
        assert_eq!(told, DISTINCT_MAX);
        assert_eq!(repeats.take(), ["30 more troubles of other kinds"]);
    }
}
