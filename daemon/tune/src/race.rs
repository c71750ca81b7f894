//! Racing: which candidates of a batch are worth more matches.
//!
//! Candidates play the same seeds, so what counts is the difference on each seed: maps that are easy
//! for all of them do not blur the comparison. After each rung of seeds a candidate goes that is
//! worse than the best one so far with 95 % confidence (a paired t-test on one side), and of the
//! others the better half stays (successive halving).

use crate::scores::PairedLead;

/// Quantile of the normal distribution for 95 % on one side.
const ONE_SIDED: f64 = 1.645;
/// Fewest seeds on which a test says anything.
const SEEDS_MIN: usize = 5;
/// The first rung has one in this many seeds; each further one twice as many.
const RUNGS: u32 = 8;

/// A candidate after a rung.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Racer {
    /// Which one.
    pub candidate: usize,
    /// Its lead over the best candidate so far, on the seeds that it has played.
    pub lead: PairedLead,
}

/// The candidates that stay in the race, the best first; `last`: after the last rung, when no half
/// has to go.
#[must_use]
pub fn survivors(racers: &[Racer], last: bool) -> Vec<usize> {
    let mut stay: Vec<&Racer> = racers.iter().filter(|racer| !is_worse(&racer.lead)).collect();
    // Equal leads keep the order of the candidates.
    stay.sort_by(|a, b| b.lead.value.total_cmp(&a.lead.value).then(a.candidate.cmp(&b.candidate)));
    if !last {
        stay.truncate(racers.len().div_ceil(2));
    }
    stay.into_iter().map(|racer| racer.candidate).collect()
}

/// Whether it is worse with 95 % confidence.
fn is_worse(lead: &PairedLead) -> bool {
    if lead.seeds < SEEDS_MIN {
        return false;
    }
    let freedom = f64::from(u32::try_from(lead.seeds - 1).unwrap_or(u32::MAX));
    // The quantile of Student's distribution, to the first order.
    let quantile = ONE_SIDED + (ONE_SIDED.powi(3) + ONE_SIDED) / (4.0 * freedom);
    lead.value + quantile * lead.error < 0.0
}

/// How many seeds have been played after each rung.
pub(crate) fn rungs(seeds: u32) -> Vec<u32> {
    let mut rungs = Vec::new();
    let mut rung = seeds.div_ceil(RUNGS).max(1);
    while rung < seeds {
        rungs.push(rung);
        rung = rung.saturating_mul(2);
    }
    rungs.push(seeds);
    rungs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn racer(candidate: usize, value: f64, error: f64, seeds: usize) -> Racer {
        Racer { candidate, lead: PairedLead { value, error, seeds } }
    }

    #[test]
    fn the_rungs_double_and_end_with_all_seeds() {
        assert_eq!(rungs(1), [1]);
        assert_eq!(rungs(10), [2, 4, 8, 10]);
        assert_eq!(rungs(64), [8, 16, 32, 64]);
    }

    #[test]
    fn the_better_half_stays_and_what_is_surely_worse_goes() {
        let racers = [
            racer(1, 0.1, 0.3, 8),
            racer(2, -0.9, 0.1, 8),
            racer(3, 0.2, 0.3, 8),
            racer(4, -0.1, 0.3, 8),
        ];
        assert_eq!(survivors(&racers, false), [3, 1]);
        assert_eq!(survivors(&racers, true), [3, 1, 4], "only what is surely worse goes");
        let few = [racer(1, -0.9, 0.1, 4)];
        assert_eq!(survivors(&few, true), [1], "four seeds prove nothing");
        assert_eq!(survivors(&[racer(1, -0.9, 0.0, 8)], true), [0; 0], "equal on every seed");
    }
}
