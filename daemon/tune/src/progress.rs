//! How far a run got.

use crate::scores::{CandidateScores, PairedLead};
use phalanx_league::{ParamValues, Sprt};

/// What has been found so far.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneProgress {
    /// All candidates; the first one has the values at the start.
    pub candidates: Vec<TuneCandidate>,
    /// Matches that were played or failed.
    pub played: u64,
    /// Matches among them that failed.
    pub failed: u64,
    /// The best candidate.
    pub best: usize,
    /// When there was a new best candidate.
    pub improvements: Vec<Improvement>,
    /// The final test, once it has begun.
    pub test: Option<FinalTest>,
    /// What came out; `None`: the run goes on.
    pub verdict: Option<TuneVerdict>,
}

/// Values that were tried.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneCandidate {
    pub values: ParamValues,
    /// Its results in the search.
    pub scores: CandidateScores,
    pub fate: Fate,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is in the race.
    Racing,
    /// Others were better, after this many seeds.
    Dropped(u32),
    /// It has played all seeds.
    Finished,
    /// It failed on a seed on which the values at the start did not.
    Failed,
}

/// A new best candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Improvement {
    /// Matches until then.
    pub played: u64,
    pub candidate: usize,
    /// Its lead over the values at the start, on the seeds of the search.
    pub lead: PairedLead,
}

/// The best candidate against the values at the start, on fresh seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct FinalTest {
    /// What the best candidate scored.
    pub tuned: CandidateScores,
    /// What the values at the start scored.
    pub start: CandidateScores,
    /// For each seed without failures the share of meetings in which the best candidate did better.
    pub shares: Vec<f64>,
    pub sprt: Sprt,
}

/// What came out of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TuneVerdict {
    /// The search found nothing better than the start.
    NothingFound,
    /// The best candidate is better, as proved on fresh seeds.
    Better,
    /// The test took the hypothesis that it is not.
    NotBetter,
    /// The budget or the seeds ended before the test was decided.
    Undecided,
}

impl TuneProgress {
    pub(crate) fn new() -> Self {
        Self {
            candidates: Vec::new(),
            played: 0,
            failed: 0,
            best: 0,
            improvements: Vec::new(),
            test: None,
            verdict: None,
        }
    }

    /// The values of the best candidate.
    #[must_use]
    pub fn best_values(&self) -> Option<&ParamValues> {
        self.candidates.get(self.best).map(|candidate| &candidate.values)
    }

    /// The values that were proved to be better.
    #[must_use]
    pub fn proved(&self) -> Option<&ParamValues> {
        self.best_values().filter(|_| self.verdict == Some(TuneVerdict::Better))
    }
}

impl FinalTest {
    /// The mean share with its standard error.
    #[must_use]
    pub fn share(&self) -> (f64, f64) {
        let count = f64::from(u32::try_from(self.shares.len()).unwrap_or(u32::MAX));
        let mean = self.shares.iter().sum::<f64>() / count.max(1.0);
        let squares: f64 = self.shares.iter().map(|share| (share - mean) * (share - mean)).sum();
        (mean, (squares / (count - 1.0).max(1.0) / count.max(1.0)).sqrt())
    }
}
