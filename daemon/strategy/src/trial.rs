//! Trials, as a keeper holds them: with what the team sees now, on a thread of their own.

use crate::patience::patiently;
use crate::{KeeperOptions, StrategyError};
use phalanx_engine::{BrainError, BrainErrorKind, Carry, CopyView, View};
use phalanx_game::AgentId;
use phalanx_lua::{Bundle, LoadError};
use phalanx_net::TeamHandle;
use phalanx_trial::{Candidate, TrialOptions, TrialResult};
use std::path::PathBuf;
use std::sync::Arc;

/// What is tried.
#[derive(Clone, Debug)]
pub(crate) enum TrialSubject {
    Folder(PathBuf),
    Files(Vec<(String, String)>),
    Bundle(Arc<Bundle>),
}

/// How thorough a trial is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    pub(crate) specs: bool,
    pub(crate) carry: Carry,
}

/// What came of a trial.
#[derive(Debug)]
pub(crate) struct TrialOutcome {
    /// `None` when the folder holds no strategy.
    pub(crate) bundle: Option<Arc<Bundle>>,
    pub(crate) report: TrialResult,
}

/// Holds a trial on this thread, before the team plays.
pub(crate) fn hold_now(options: &KeeperOptions, bundle: &Arc<Bundle>, specs: bool) -> TrialResult {
    let depth = Depth { specs, carry: Carry::Forget };
    phalanx_trial::run(bundle, &candidate(options, None, depth))
}

/// Reads what is to be tried and holds the trial.
pub(crate) async fn hold(
    options: Arc<KeeperOptions>,
    team: TeamHandle,
    subject: TrialSubject,
    depth: Depth,
) -> Result<TrialOutcome, StrategyError> {
    let from = Arc::clone(&options);
    let bundle = match on_a_thread(move || read(&from, subject)).await?? {
        Ok(bundle) => bundle,
        Err(error) => return Ok(TrialOutcome { bundle: None, report: error.into() }),
    };
    let view = *patiently(|| team.call(CopyView, "")).await?;
    let tried = Arc::clone(&bundle);
    let report =
        on_a_thread(move || phalanx_trial::run(&tried, &candidate(&options, Some(view), depth)));
    Ok(TrialOutcome { bundle: Some(bundle), report: report.await? })
}

/// Files of a client that are no strategy are refused; a folder with mistakes has failed its trial.
fn read(
    options: &KeeperOptions,
    subject: TrialSubject,
) -> Result<Result<Arc<Bundle>, LoadError>, StrategyError> {
    match subject {
        TrialSubject::Folder(folder) => Ok((options.read)(&folder).map(Arc::new)),
        TrialSubject::Files(files) => {
            let bundle = Bundle::from_files(files).and_then(|bundle| (options.complete)(bundle));
            bundle.map(|bundle| Ok(Arc::new(bundle))).map_err(StrategyError::Files)
        }
        TrialSubject::Bundle(bundle) => Ok(Ok(bundle)),
    }
}

fn candidate(options: &KeeperOptions, view: Option<View>, depth: Depth) -> Candidate {
    let roster = view.as_ref().map_or(&options.roster, |view| &view.roster).clone();
    let present = |agent: &AgentId| roster.is_present(*agent);
    let now = view.as_ref().map_or(&[][..], |view| &view.roles);
    let now = roster.ids().zip(now).filter(|(agent, _)| present(agent)).map(|(_, role)| role);
    let start = roster.agents.iter().filter(|entry| !entry.gone).map(|entry| &entry.role);
    let roles = start.chain(now).cloned().collect();
    Candidate {
        game: options.game,
        api: options.api,
        roster,
        roles,
        limits: options.limits,
        view,
        options: TrialOptions {
            time: options.trial_max,
            specs: depth.specs,
            decide_max: options.decide_max,
            refuse_endless: false,
            carry: depth.carry,
        },
    }
}

async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StrategyError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        let what = format!("the trial broke off: {error}");
        StrategyError::Install(BrainError::without_place(BrainErrorKind::Script, what))
    })
}
