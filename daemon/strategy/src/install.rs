//! From a passed trial to an installed generation, and reports on those that are not installed.

use crate::command::{StrategySource, WorkResult};
use crate::patience::patiently;
use crate::task::{FolderVerdict, KeeperTask, QueuedWork};
use crate::watch::FolderState;
use crate::{StrategyError, Trialled};
use futures_util::future::BoxFuture;
use phalanx_engine::{
    Carry, CommandError, Fault, InstallStrategy, RefuseStrategy, Staged, StrategyOrigin,
};
use phalanx_lua::{Bundle, LoadError};
use phalanx_trial::TrialResult;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;
use tracing::{info, warn};

/// A generation on its way into the team.
pub(crate) struct Installing {
    /// `None` when what decides is installed once more.
    job: Option<QueuedWork>,
    bundle: Arc<Bundle>,
    pub(crate) staged: Staged,
    trialled: Option<Arc<Trialled>>,
    pub(crate) future: BoxFuture<'static, Result<(), StrategyError>>,
}

/// A generation that the team was given and did not answer for: it may still take it over.
pub(crate) struct PendingInstall {
    bundle: Arc<Bundle>,
    staged: Staged,
}

impl KeeperTask {
    pub(crate) fn install(
        &mut self,
        job: Option<QueuedWork>,
        bundle: Arc<Bundle>,
        staged: Staged,
        trialled: Option<Arc<Trialled>>,
    ) {
        let (team, pinned) = (self.team.clone(), self.history.is_pinned());
        let install = InstallStrategy { staged: staged.clone(), pinned };
        let future =
            Box::pin(async move { Ok(patiently(|| team.call(install.clone(), "")).await?) });
        self.run_install(Installing { job, bundle, staged, trialled, future });
    }

    /// Installs once more what decides, so that the team knows that it is pinned.
    pub(crate) fn hold(&mut self) {
        let Some(active) = self.history.active() else { return };
        let (bundle, generation) = (Arc::clone(&active.bundle), Arc::clone(&active.generation));
        // What was taken back for another one is not watched any more.
        if let Some(staged) = self.playing.clone().filter(|it| it.generation == generation) {
            let staged = Staged { note: "pinned".into(), ..staged };
            self.install(None, bundle, staged, None);
        }
    }

    /// The team has answered.
    pub(crate) fn installed(&mut self, installing: Installing, answer: Result<(), StrategyError>) {
        let Installing { job, bundle, staged, trialled, .. } = installing;
        let generation = Arc::clone(&staged.generation);
        let refusal = match answer {
            Ok(()) => {
                self.decides(&bundle, staged);
                if let Some((failed, again, reason)) = self.early.take() {
                    self.take_back(failed, again, &reason);
                }
                return self.answer(job, trialled);
            }
            Err(refusal @ StrategyError::Install(_)) => refusal,
            Err(refusal) => {
                self.history.spend(generation.number);
                self.late = Some(PendingInstall { bundle, staged });
                refusal
            }
        };
        self.early = None;
        match job {
            Some(job) => self.refuse(job, refusal),
            None => {
                warn!(team = self.options.team, generation = generation.number, %refusal, "the team \
                still watches the pinned generation")
            }
        }
    }

    fn decides(&mut self, bundle: &Arc<Bundle>, staged: Staged) {
        let (team, generation) = (&self.options.team, Arc::clone(&staged.generation));
        info!(team, generation = generation.number, origin = %generation.origin, hash =
            generation.hash, "generation decides");
        self.history.decide(&generation, bundle);
        self.playing = Some(Staged { carry: Carry::Strict, note: String::new(), ..staged });
        self.late = None;
    }

    /// The team took over what it did not answer for in time.
    pub(crate) fn took_over(&mut self, number: u32) {
        let is_it = |late: &mut PendingInstall| late.staged.generation.number == number;
        if let Some(PendingInstall { bundle, staged }) = self.late.take_if(is_it) {
            self.decides(&bundle, staged);
            drop(self.show());
        }
    }

    fn answer(&self, job: Option<QueuedWork>, trialled: Option<Arc<Trialled>>) {
        let saved = self.show();
        let reply = job.and_then(|job| job.reply);
        let answered = self.info().zip(trialled);
        let Some((reply, (generation, trialled))) = reply.zip(answered) else { return };
        tokio::spawn(async move {
            saved.await;
            // The caller may have gone.
            reply.send(Ok(WorkResult { generation, trialled })).ok();
        });
    }

    /// Reports that a strategy is not installed although its trial passed. If the team could not
    /// install it, its journal has the reason already.
    pub(crate) fn refuse(&mut self, job: QueuedWork, refusal: StrategyError) {
        let team = &*self.options.team;
        let origin = job.work.origin.clone().unwrap_or_default();
        if job.work.aim.plays() {
            warn!(team, %origin, %refusal, "the strategy does not play");
        }
        match (&refusal, &job.work.source) {
            (StrategyError::Install(_), _) if job.is_of_folder() => {
                self.verdict = FolderVerdict::Refused
            }
            // The folder is as it is: try again, unless it changed meanwhile.
            (
                StrategyError::Busy | StrategyError::Command(CommandError::Stuck { .. }),
                StrategySource::Changed(bundle),
            ) if matches!(self.seen, FolderState::Nothing) => {
                self.history.set_folder("");
                self.seen = FolderState::Bundle(Arc::clone(bundle));
            }
            _ => {}
        }
        // The caller may have gone.
        job.reply.and_then(|reply| reply.send(Err(refusal)).ok());
    }

    /// Reports that the trial itself failed; no other code has reported it.
    pub(crate) fn broke_off(&mut self, job: QueuedWork, refusal: StrategyError) {
        if let (StrategyError::Install(error), true) = (&refusal, job.work.aim.plays()) {
            self.journal(job.work.origin.clone().unwrap_or_default(), vec![Fault::from(error)]);
        }
        self.refuse(job, refusal);
    }

    /// Tells that a trial found mistakes.
    pub(crate) fn mistaken(&mut self, job: QueuedWork, trialled: &Arc<Trialled>) {
        if job.work.aim.plays() {
            if job.is_of_folder() {
                self.verdict = FolderVerdict::Refused;
            }
            let faults = trialled.report.faults();
            self.tell_refusal(job.work.origin.clone().unwrap_or_default(), faults);
        }
        let refusal = StrategyError::Faults(Arc::clone(trialled));
        job.reply.and_then(|reply| reply.send(Err(refusal)).ok());
    }

    /// Tells that something passed its trial but does not play, since another one is pinned.
    pub(crate) fn hold_back(&mut self, job: QueuedWork) {
        if job.is_of_folder() {
            self.verdict = FolderVerdict::HeldBack;
        }
        let refusal = self.pinned();
        let pinned = self.info().map_or(0, |info| info.generation.number);
        let what = format!("it passed its trial, but generation {pinned} is pinned");
        let mut fault = self.fault_of_folder(what);
        // Nothing is wrong with it.
        fault.fatal = false;
        fault.help = format!("`phalanx strategy unpin {}` lets it play", self.options.team);
        self.journal(job.work.origin.clone().unwrap_or_default(), vec![fault]);
        self.refuse(job, refusal);
    }

    /// The folder holds no strategy.
    pub(crate) fn unreadable(&mut self, error: &LoadError) {
        let report = TrialResult::from(error.clone());
        let faults = report.faults();
        let (origin, at) = (Some(StrategyOrigin::File), SystemTime::now());
        self.last_trial = Some(Arc::new(Trialled { report, origin, at }));
        drop(self.show());
        self.tell_refusal(StrategyOrigin::File, faults);
    }

    /// The folder is not there.
    pub(crate) fn gone(&mut self, folder: &Path) {
        let (team, folder) = (&*self.options.team, folder.display());
        warn!(team, %folder, "the strategy's folder is gone; the active generation plays on");
        let fault =
            self.fault_of_folder("the folder is gone; the active generation plays on".into());
        self.journal(StrategyOrigin::File, vec![fault]);
    }

    /// The folder holds what decides again.
    pub(crate) fn went_back(&mut self, bundle: &Bundle) {
        self.history.set_folder(bundle.hash());
        self.verdict = FolderVerdict::Played;
        self.last_trial = self.last_trial.take().filter(|last| last.report.passed());
        drop(self.show());
        let generation = self.info().map_or(0, |info| info.generation.number);
        info!(
            team = self.options.team,
            generation, "the folder equals the active generation again"
        );
    }

    fn tell_refusal(&self, origin: StrategyOrigin, faults: Vec<Fault>) {
        let fatal = faults.iter().filter(|fault| fault.fatal);
        let first = fatal.clone().next().map(ToString::to_string).unwrap_or_default();
        let mistakes = fatal.count();
        warn!(team = self.options.team, %origin, mistakes, first, "strategy refused; the active \
            generation plays on");
        self.journal(origin, faults);
    }

    fn journal(&self, origin: StrategyOrigin, faults: Vec<Fault>) {
        if let Err(error) = self.team.post(RefuseStrategy { origin, faults }, "") {
            warn!(team = self.options.team, %error, "cannot record this in the team's journal");
        }
    }

    fn fault_of_folder(&self, message: String) -> Fault {
        let folder = self.options.folder.as_ref();
        let file = folder.map_or("strategy".into(), |folder| folder.display().to_string());
        Fault::error(file, message)
    }
}
