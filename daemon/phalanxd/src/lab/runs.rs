//! A tune run as the control API shows it.

use super::workers;
use phalanx_league::{ParamValues, ResultsReader};
use phalanx_metrics::LabSample;
use phalanx_proto::v1;
use phalanx_tune::{
    FinalTest, Influence, TunePlan, TuneProgress, TuneStore, TuneVerdict, conditions, influences,
    lead_with_error, range, shown, strength_text, unit, verdict_text,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Files of a run.
const PLAN: &str = "tune.json";
const RESULTS: &str = "results.jsonl";
/// A run is computed anew, from its first match, at most in this part of the time.
const REST: u32 = 20;
/// Quantile of the normal distribution for 95 % on both sides.
const TWO_SIDED: f64 = 1.96;

/// A tune run of another process.
#[derive(Debug)]
pub(super) struct ShownRun {
    id: String,
    folder: PathBuf,
    kept: Mutex<Kept>,
}

/// What was computed last.
#[derive(Debug, Default)]
struct Kept {
    /// Bytes of the results then.
    bytes: Option<u64>,
    /// When it may be computed again.
    again: Option<Instant>,
    run: v1::TuneRun,
    report: v1::TuneReport,
}

impl ShownRun {
    /// Whether a folder holds a run.
    pub(super) fn is_at(folder: &Path) -> bool {
        folder.join(PLAN).is_file()
    }

    /// The run of a folder; nothing is read yet.
    pub(super) fn new(id: &str, folder: &Path) -> Self {
        Self { id: id.to_owned(), folder: folder.to_owned(), kept: Mutex::default() }
    }

    /// How far it is, for the metrics.
    pub(super) fn sample(&self) -> LabSample<'_> {
        let kept = self.kept();
        let v1::TuneRun { played, failed, budget, playing, .. } = kept.run;
        let workers = kept.run.workers.len() as u64;
        let (kind, name) = ("tune_run", self.id.as_str());
        LabSample { kind, name, played, failed, planned: budget, playing, workers }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // What is kept is replaced as a whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run and its report.
    pub(super) fn shown(&self) -> (v1::TuneRun, v1::TuneReport) {
        let kept = self.kept();
        (kept.run.clone(), kept.report.clone())
    }

    /// Computes it if its results have changed and the last time is long ago. Blocks.
    pub(super) fn read(&self) {
        let playing = ResultsReader::new(&self.folder).is_held();
        let workers = if playing { workers(&self.folder) } else { Vec::new() };
        let bytes = self.folder.join(RESULTS).metadata().map_or(0, |data| data.len());
        let (begun, known) = {
            let mut kept = self.kept();
            kept.run.playing = playing;
            kept.run.workers.clone_from(&workers);
            (Instant::now(), kept.bytes == Some(bytes) || kept.again > Some(Instant::now()))
        };
        if known {
            return;
        }
        let (run, report) = self.computed();
        let cost = begun.elapsed();
        let again = begun.checked_add(cost * REST + Duration::from_millis(1));
        let run = v1::TuneRun { name: format!("tuneRuns/{}", self.id), playing, workers, ..run };
        *self.kept() = Kept { bytes: Some(bytes), again, run, report };
    }

    fn computed(&self) -> (v1::TuneRun, v1::TuneReport) {
        let failed = |error: String| {
            let run = v1::TuneRun { trouble: error, ..v1::TuneRun::default() };
            (run, v1::TuneReport::default())
        };
        let mut store = match TuneStore::look(&self.folder) {
            Ok(store) => store,
            Err(error) => return failed(error.to_string()),
        };
        match phalanx_tune::show(&mut store) {
            Ok((_, progress)) => (run(store.plan(), &progress), report(store.plan(), &progress)),
            Err(error) => failed(error.to_string()),
        }
    }
}

fn run(plan: &TunePlan, progress: &TuneProgress) -> v1::TuneRun {
    let verdict = match progress.verdict {
        None => v1::TuneVerdict::Unspecified,
        Some(TuneVerdict::NothingFound) => v1::TuneVerdict::NothingFound,
        Some(TuneVerdict::Better) => v1::TuneVerdict::Better,
        Some(TuneVerdict::NotBetter) => v1::TuneVerdict::NotBetter,
        Some(TuneVerdict::Undecided) => v1::TuneVerdict::Undecided,
    };
    let opponent =
        |one: &phalanx_tune::TuneOpponent| format!("{} × {}", one.player.name, one.weight);
    v1::TuneRun {
        run_id: plan.id(),
        game: plan.game.clone(),
        strategy: plan.strategy.name.clone(),
        opponents: plan.opponents.iter().map(opponent).collect(),
        objective: plan.objective.word().to_owned(),
        budget: plan.budget,
        played: progress.played,
        failed: progress.failed,
        candidates: progress.candidates.len() as u64,
        verdict: verdict.into(),
        summary: verdict_text(plan, progress),
        ..v1::TuneRun::default()
    }
}

fn report(plan: &TunePlan, progress: &TuneProgress) -> v1::TuneReport {
    let improvement = |one: &phalanx_tune::Improvement| {
        let values = progress.candidates.get(one.candidate).map(|candidate| &candidate.values);
        let (lead, error) = lead_with_error(plan, &one.lead);
        v1::TuneImprovement {
            played: one.played,
            candidate: one.candidate as u64,
            lead,
            error,
            seeds: one.lead.seeds as u64,
            values: values.map(texts).unwrap_or_default(),
        }
    };
    let influences = influences(plan, progress);
    let parameters = influences.into_iter().zip(&plan.dimensions);
    let parameter = |(influence, dimension): (Influence, &phalanx_tune::Dimension)| {
        let value = |values: Option<&ParamValues>| {
            values.and_then(|values| values.get(&dimension.name)).map(shown).unwrap_or_default()
        };
        v1::TuneParameter {
            name: dimension.name.clone(),
            start: value(Some(&plan.start)),
            best: value(progress.best_values()),
            range: range(&dimension.kind),
            influence: influence.correlation,
            interval: influence.interval.map(|(low, high)| v1::TuneInterval { low, high }),
            certain: influence.is_certain(),
            better: influence.better,
        }
    };
    v1::TuneReport {
        unit: unit(plan).to_owned(),
        improvements: progress.improvements.iter().map(improvement).collect(),
        parameters: parameters.map(parameter).collect(),
        test: progress.test.as_ref().map(|one| test(plan, progress, one)),
        conditions: conditions(plan),
    }
}

fn texts(values: &ParamValues) -> BTreeMap<String, String> {
    values.iter().map(|(name, value)| (name.clone(), shown(value))).collect()
}

fn test(plan: &TunePlan, progress: &TuneProgress, test: &FinalTest) -> v1::TuneTest {
    let (state, (share, error)) = (test.sprt.state(), test.share());
    let verdict = match progress.verdict {
        Some(TuneVerdict::Better) => v1::LeagueVerdict::Better,
        Some(TuneVerdict::NotBetter) => v1::LeagueVerdict::NotBetter,
        Some(TuneVerdict::NothingFound | TuneVerdict::Undecided) | None => {
            v1::LeagueVerdict::Unspecified
        }
    };
    v1::TuneTest {
        seeds: test.shares.len() as u64,
        share,
        error: TWO_SIDED * error,
        sprt: Some(v1::LeagueSprtState {
            llr: state.llr,
            lower: state.lower,
            upper: state.upper,
            verdict: verdict.into(),
        }),
        tuned: strength_text(plan, test, &test.tuned),
        start: strength_text(plan, test, &test.start),
    }
}
