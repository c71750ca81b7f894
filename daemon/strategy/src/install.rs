//! From a passed trial to a deciding generation, and what is told of those that never get there.

use crate::command::{Answered, Wanted};
use crate::patience::patiently;
use crate::task::{Job, Task, Verdict};
use crate::trial::unreadable;
use crate::watch::Seen;
use crate::{Refusal, Trialled};
use futures_util::future::BoxFuture;
use phalanx_engine::{BrainError, Carry, Fault, Staged, StrategyOrigin};
use phalanx_lua::{Bundle, LoadError};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;
use tracing::{info, warn};

/// A generation on its way into the team.
pub(crate) struct Installing {
    /// `None` when what decides is installed once more.
    job: Option<Job>,
    bundle: Arc<Bundle>,
    pub(crate) staged: Staged,
    trialled: Option<Arc<Trialled>>,
    pub(crate) future: BoxFuture<'static, Result<Result<(), BrainError>, Refusal>>,
}

/// A generation that the team was given and did not answer for: it may still take it over.
pub(crate) struct Late {
    bundle: Arc<Bundle>,
    staged: Staged,
}

impl Task {
    pub(crate) fn install(
        &mut self,
        job: Option<Job>,
        bundle: Arc<Bundle>,
        staged: Staged,
        trialled: Option<Arc<Trialled>>,
    ) {
        let (stage, pinned) = (Arc::clone(&self.stage), self.history.is_pinned());
        let sent = staged.clone();
        let future =
            Box::pin(async move { Ok(patiently(|| stage.install(sent.clone(), pinned)).await?) });
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
    pub(crate) fn installed(
        &mut self,
        installing: Installing,
        answer: Result<Result<(), BrainError>, Refusal>,
    ) {
        let Installing { job, bundle, staged, trialled, .. } = installing;
        let generation = Arc::clone(&staged.generation);
        let refusal = match answer {
            Ok(Ok(())) => {
                self.decides(&bundle, staged);
                if let Some((failed, again, reason)) = self.early.take() {
                    self.take_back(failed, again, &reason);
                }
                return self.answer(job, trialled);
            }
            Ok(Err(error)) => Refusal::Install(error),
            Err(refusal) => {
                self.history.spend(generation.number);
                self.late = Some(Late { bundle, staged });
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
        let is_it = |late: &mut Late| late.staged.generation.number == number;
        if let Some(Late { bundle, staged }) = self.late.take_if(is_it) {
            self.decides(&bundle, staged);
            drop(self.show());
        }
    }

    fn answer(&self, job: Option<Job>, trialled: Option<Arc<Trialled>>) {
        let saved = self.show();
        let reply = job.and_then(|job| job.reply);
        let answered = self.info().zip(trialled);
        let Some((reply, (generation, trialled))) = reply.zip(answered) else { return };
        tokio::spawn(async move {
            saved.await;
            // Whoever asked may have left.
            reply.send(Ok(Answered { generation, trialled })).ok();
        });
    }

    /// Tells that something does not play for another reason than its trial. What the team cannot
    /// take over stands in its journal already.
    pub(crate) fn refuse(&mut self, job: Job, refusal: Refusal) {
        let team = &*self.options.team;
        let origin = job.work.origin.clone().unwrap_or_default();
        if job.work.aim.plays() {
            warn!(team, %origin, %refusal, "the strategy does not play");
        }
        match (&refusal, &job.work.source) {
            (Refusal::Install(_), _) if job.is_of_folder() => self.verdict = Verdict::Refused,
            // The folder is as it is: try again, unless it changed meanwhile.
            (Refusal::Busy, Wanted::Changed(bundle)) if matches!(self.seen, Seen::Nothing) => {
                self.history.set_folder("");
                self.seen = Seen::Bundle(Arc::clone(bundle));
            }
            _ => {}
        }
        // Whoever asked may have left.
        job.reply.and_then(|reply| reply.send(Err(refusal)).ok());
    }

    /// Tells that a trial itself failed; nobody else has told of it.
    pub(crate) fn broke_off(&mut self, job: Job, refusal: Refusal) {
        if let (Refusal::Install(error), true) = (&refusal, job.work.aim.plays()) {
            self.journal(job.work.origin.clone().unwrap_or_default(), vec![fault_of(error)]);
        }
        self.refuse(job, refusal);
    }

    /// Tells that a trial found mistakes.
    pub(crate) fn mistaken(&mut self, job: Job, trialled: &Arc<Trialled>) {
        if job.work.aim.plays() {
            if job.is_of_folder() {
                self.verdict = Verdict::Refused;
            }
            let faults = trialled.report.faults();
            self.tell_refusal(job.work.origin.clone().unwrap_or_default(), faults);
        }
        let refusal = Refusal::Faults(Arc::clone(trialled));
        job.reply.and_then(|reply| reply.send(Err(refusal)).ok());
    }

    /// Tells that something passed its trial but does not play, since another one is pinned.
    pub(crate) fn hold_back(&mut self, job: Job) {
        if job.is_of_folder() {
            self.verdict = Verdict::HeldBack;
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
        let report = unreadable(error);
        let faults = report.faults();
        let (origin, at) = (Some(StrategyOrigin::File), SystemTime::now());
        self.last_trial = Some(Arc::new(Trialled { report, origin, at }));
        drop(self.show());
        self.tell_refusal(StrategyOrigin::File, faults);
    }

    /// The folder is not there.
    pub(crate) fn gone(&mut self, folder: &Path) {
        let (team, folder) = (&*self.options.team, folder.display());
        warn!(team, %folder, "the strategy's folder is gone; what decides plays on");
        let fault = self.fault_of_folder("the folder is gone; what decides plays on".into());
        self.journal(StrategyOrigin::File, vec![fault]);
    }

    /// The folder holds what decides again.
    pub(crate) fn went_back(&mut self, bundle: &Bundle) {
        self.history.set_folder(bundle.hash());
        self.verdict = Verdict::Played;
        self.last_trial = self.last_trial.take().filter(|last| last.report.passed());
        drop(self.show());
        let generation = self.info().map_or(0, |info| info.generation.number);
        info!(team = self.options.team, generation, "the folder holds again what decides");
    }

    fn tell_refusal(&self, origin: StrategyOrigin, faults: Vec<Fault>) {
        let fatal = faults.iter().filter(|fault| fault.fatal);
        let first = fatal.clone().next().map(ToString::to_string).unwrap_or_default();
        let mistakes = fatal.count();
        warn!(team = self.options.team, %origin, mistakes, first, "strategy refused; what decides \
            plays on");
        self.journal(origin, faults);
    }

    fn journal(&self, origin: StrategyOrigin, faults: Vec<Fault>) {
        if let Err(error) = self.stage.refused(origin, faults) {
            warn!(team = self.options.team, %error, "the team's journal does not tell of it");
        }
    }

    fn fault_of_folder(&self, message: String) -> Fault {
        let folder = self.options.folder.as_ref();
        let file = folder.map_or("strategy".into(), |folder| folder.display().to_string());
        Fault { file, ..fault(message) }
    }
}

fn fault_of(error: &BrainError) -> Fault {
    let (file, line) = match error.place.clone() {
        Some((file, line)) => (file, Some(line)),
        None => ("strategy".into(), None),
    };
    Fault { file, line, ..fault(error.message.clone()) }
}

fn fault(message: String) -> Fault {
    Fault {
        fatal: true,
        file: String::new(),
        line: None,
        column: None,
        message,
        help: String::new(),
        excerpt: String::new(),
    }
}
