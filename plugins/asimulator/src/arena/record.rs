//! Results: one line a simulation, and what they come to.

use crate::rules::Simulation;
use serde::Serialize;
use std::fmt::Write as _;

/// One simulation's result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SimulationResult {
    /// The number of its world under the seed.
    pub world: u64,
    /// Final score.
    pub score: i64,
    /// Spent in all.
    pub cost: u32,
    /// Actions done.
    pub actions: u64,
    /// Items grabbed.
    pub items: u32,
    /// Enemies neutralized.
    pub kills: u32,
    pub end: &'static str,
}

impl SimulationResult {
    pub(super) fn of(simulation: &Simulation, world: u64, end: &'static str) -> Self {
        Self {
            world,
            score: simulation.score.into(),
            cost: simulation.cost,
            actions: simulation.actions,
            items: simulation.items,
            kills: simulation.kills,
            end,
        }
    }
}

/// What a session achieved in all its simulations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SessionFeats {
    pub(super) items: i64,
    pub(super) kills: i64,
    pub(super) deaths: i64,
}

impl SessionFeats {
    pub(super) fn of(records: &[SimulationResult]) -> Self {
        records.iter().fold(Self::default(), |sum, record| Self {
            items: sum.items + i64::from(record.items),
            kills: sum.kills + i64::from(record.kills),
            deaths: sum.deaths + i64::from(record.end == "death"),
        })
    }
}

/// What many simulations come to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ResultSummary {
    /// Simulations that were played to their end.
    pub simulations: u32,
    /// Simulations that the client left.
    pub aborted: u32,
    /// Mean final score of those that were played to their end, as all that follows.
    pub mean_score: f64,
    /// Standard error of that mean.
    pub standard_error: f64,
    /// Lowest score.
    pub worst: i64,
    /// Highest score.
    pub best: i64,
    /// Share of agents that died, 0 to 1.
    pub deaths: f64,
    /// Items, on average.
    pub mean_items: f64,
    /// Enemies neutralized, on average.
    pub mean_kills: f64,
    /// Actions, on average.
    pub mean_actions: f64,
}

#[expect(clippy::cast_precision_loss, reason = "scores and counts are far below 2^53")]
impl ResultSummary {
    /// Sums up.
    #[must_use]
    pub fn of(records: &[SimulationResult]) -> Self {
        let played: Vec<&SimulationResult> =
            records.iter().filter(|one| one.end != "aborted").collect();
        let count = played.len().max(1) as f64;
        let mean = |of: &dyn Fn(&SimulationResult) -> f64| {
            played.iter().map(|record| of(record)).sum::<f64>() / count
        };
        let mean_score = mean(&|record| record.score as f64);
        let spread = mean(&|record| (record.score as f64 - mean_score).powi(2));
        let scores = || played.iter().map(|record| record.score);
        let narrow = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            simulations: narrow(played.len()),
            aborted: narrow(records.len() - played.len()),
            mean_score,
            standard_error: (spread / count).sqrt(),
            worst: scores().min().unwrap_or_default(),
            best: scores().max().unwrap_or_default(),
            deaths: mean(&|record| f64::from(u8::from(record.end == "death"))),
            mean_items: mean(&|record| record.items.into()),
            mean_kills: mean(&|record| record.kills.into()),
            mean_actions: mean(&|record| record.actions as f64),
        }
    }

    pub(super) fn json(&self) -> Vec<u8> {
        // Plain numbers always have a JSON form.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// All results as comma-separated values.
pub(super) fn table(records: &[SimulationResult]) -> Vec<u8> {
    let mut out = "world,score,cost,actions,items,kills,end\n".to_owned();
    for SimulationResult { world, score, cost, actions, items, kills, end } in records {
        // Writing to a text cannot fail.
        writeln!(out, "{world},{score},{cost},{actions},{items},{kills},{end}").unwrap_or_default();
    }
    out.into_bytes()
}
