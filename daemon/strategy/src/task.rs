//! The keeper's task: the one owner of a team's strategy while it plays. It does one thing at a
//! time, and still hears what happens meanwhile.
//!
//! ```text
//!          work, changed folder
//!                 │
//!  idle ──────────┴──► trial ──► install ──► idle
//! └─ mistakes, pinned, outdated: report ─► idle
//! ```

use crate::command::{
    COMMANDS_MAX, KeeperCommand, KeeperView, ReplyTo, StrategySource, TrialAim, TrialWork,
    WorkResult,
};
use crate::install::{Installing, PendingInstall};
use crate::store::{History, Saver};
use crate::trial::{Depth, TrialOutcome, TrialSubject, hold};
use crate::watch::{FolderState, watch as watch_folder};
use crate::{
    GenerationInfo, KeeperHandle, KeeperOptions, RequestedSource, StrategyError, StrategyStatus,
    Trialled, Tuning,
};
use futures_util::future::BoxFuture;
use phalanx_engine::{
    Carry, Generation, JournalEntry, JournalEvent, Snapshot, Staged, StrategyOrigin,
};
use phalanx_lua::Bundle;
use phalanx_net::{JournalItem, JournalStream, TeamHandle};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::{mpsc, watch};

/// Starts the task of a team.
pub(crate) fn spawn(
    options: KeeperOptions,
    history: History,
    playing: Option<Staged>,
    team: TeamHandle,
) -> KeeperHandle {
    let (commands, queue) = mpsc::channel(COMMANDS_MAX);
    let watched = watched(&options);
    let task = KeeperTask {
        saver: history.saver(),
        snapshots: team.snapshots(),
        shown: watch::Sender::new(Arc::new(shown(&options, &history, None))),
        team: team.clone(),
        verdict: FolderVerdict::at_start(&history),
        last_trial: None,
        queue: VecDeque::new(),
        watched,
        seen: FolderState::Nothing,
        is_troubled: false,
        running: None,
        early: None,
        late: None,
        playing,
        history,
        options: Arc::new(options),
    };
    let handle = KeeperHandle {
        shown: task.shown.subscribe(),
        sessions: Arc::new(crate::sessions::Sessions::new(&task.options)),
        team,
        commands,
    };
    if let Some(journal) = handle.team.journal() {
        tokio::spawn(task.run(queue, journal));
    }
    handle
}

/// Answers with a generation that is kept.
fn answer(history: &History, number: u32, reply: ReplyTo<(GenerationInfo, Arc<Bundle>)>) {
    let entry = history.entry(number);
    let found = entry.map(|entry| (history.info(entry), entry.bundle.clone()));
    // The caller may have gone.
    reply.send(found.ok_or(StrategyError::NoGeneration(number))).ok();
}

/// Begins to watch the folder, if it is to be watched.
fn watched(options: &KeeperOptions) -> Option<watch::Receiver<FolderState>> {
    let folder = options.folder.clone().filter(|_| options.watch);
    folder.map(|folder| watch_folder(folder, options))
}

/// A team's strategy while it plays.
pub(crate) struct KeeperTask {
    pub(crate) options: Arc<KeeperOptions>,
    pub(crate) team: TeamHandle,
    pub(crate) history: History,
    pub(crate) saver: Saver,
    pub(crate) snapshots: watch::Receiver<Arc<Snapshot>>,
    shown: watch::Sender<Arc<KeeperView>>,
    pub(crate) last_trial: Option<Arc<Trialled>>,
    /// What decides, as it was installed.
    pub(crate) playing: Option<Staged>,
    queue: VecDeque<Queued>,
    /// The watcher of the folder; `None` when the folder is not watched.
    watched: Option<watch::Receiver<FolderState>>,
    /// The watcher's last result that is not handled yet.
    pub(crate) seen: FolderState,
    /// What came of the folder when it was tried last.
    pub(crate) verdict: FolderVerdict,
    /// The folder was gone or held no strategy.
    is_troubled: bool,
    running: Option<Running>,
    /// A generation was taken back before we heard that it was installed: which, what decides
    /// instead, and why.
    pub(crate) early: Option<(u32, u32, String)>,
    /// What the team was given last without an answer.
    pub(crate) late: Option<PendingInstall>,
}

/// What came of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderVerdict {
    /// It plays, or has played.
    Played,
    /// Its trial found mistakes, or the team could not take it over.
    Refused,
    /// It would play, were nothing pinned.
    HeldBack,
}

impl FolderVerdict {
    /// Whether the daemon began with something else than the folder holds, and why.
    fn at_start(history: &History) -> Self {
        let active = history.active().map(|active| active.generation.hash.as_str());
        match (active == Some(history.folder()), history.is_pinned()) {
            (true, _) => Self::Played,
            (false, true) => Self::HeldBack,
            (false, false) => Self::Refused,
        }
    }
}

/// What waits.
enum Queued {
    Work(QueuedWork),
    Pin {
        pinned: bool,
        reply: ReplyTo<()>,
    },
    /// What decides is installed once more, so that the team does not take it back.
    Hold,
}

/// A piece of work and who waits for it.
pub(crate) struct QueuedWork {
    pub(crate) work: TrialWork,
    pub(crate) reply: Option<ReplyTo<WorkResult>>,
}

/// What is going on.
enum Running {
    Trial {
        job: QueuedWork,
        /// The generation that is to decide again.
        again: Option<Arc<Generation>>,
        future: BoxFuture<'static, Result<TrialOutcome, StrategyError>>,
    },
    Install(Box<Installing>),
}

/// What came of what was going on.
enum FinishedStep {
    Tried(Result<TrialOutcome, StrategyError>),
    Installed(Result<(), StrategyError>),
}

impl KeeperTask {
    async fn run(
        mut self,
        mut commands: mpsc::Receiver<KeeperCommand>,
        mut journal: JournalStream,
    ) {
        loop {
            self.start_next();
            tokio::select! {
                step = proceed(&mut self.running) => self.on_step(step),
                command = commands.recv() => match command {
                    Some(command) => self.on_command(command),
                    None => return,
                },
                item = journal.next() => match item {
                    Some(JournalItem::Entry(entry)) => self.on_journal(&entry),
                    // It reads all the time: what it needs is not among the dropped entries.
                    Some(JournalItem::Dropped(_)) => {}
                    None => break,
                },
                seen = newest(&mut self.watched) => self.seen = seen,
            }
        }
        self.remember(commands).await;
    }

    /// The team has ended: its generations can still be read, for as long as somebody may ask.
    async fn remember(self, mut commands: mpsc::Receiver<KeeperCommand>) {
        // All else goes now, the hold on the team with it.
        let Self { history, .. } = { self };
        while let Some(command) = commands.recv().await {
            match command {
                KeeperCommand::Generation { number, reply } => answer(&history, number, reply),
                // Without an answer the caller learns that the team has ended.
                KeeperCommand::Work { .. }
                | KeeperCommand::Retune { .. }
                | KeeperCommand::Pin { .. } => {}
            }
        }
    }

    fn on_command(&mut self, command: KeeperCommand) {
        match command {
            KeeperCommand::Work { work, reply } => {
                self.enqueue(Queued::Work(QueuedWork { work, reply: Some(reply) }));
            }
            KeeperCommand::Generation { number, reply } => answer(&self.history, number, reply),
            KeeperCommand::Retune { tuning, reply } => {
                self.retune(tuning);
                // The caller may have gone.
                reply.send(Ok(())).ok();
            }
            KeeperCommand::Pin { pinned, reply } => match self.running {
                // What is pinned shows when the team has answered.
                Some(Running::Install(_)) => self.enqueue(Queued::Pin { pinned, reply }),
                Some(Running::Trial { .. }) | None => self.pin(pinned, reply),
            },
        }
    }

    fn retune(&mut self, tuning: Tuning) {
        let (before, keep) = (self.options.tuning(), tuning.keep);
        if before == tuning {
            return;
        }
        self.options = Arc::new(self.options.tuned(tuning));
        if before.folder != self.options.folder {
            (self.seen, self.is_troubled) = (FolderState::Nothing, false);
        }
        self.watched = watched(&self.options);
        self.history.set_keep(keep);
        drop(self.show());
    }

    fn enqueue(&mut self, queued: Queued) {
        if self.queue.len() < COMMANDS_MAX {
            return self.queue.push_back(queued);
        }
        match queued {
            Queued::Work(QueuedWork { reply, .. }) => {
                reply.and_then(|reply| reply.send(Err(StrategyError::Busy)).ok());
            }
            Queued::Pin { reply, .. } => drop(reply.send(Err(StrategyError::Busy))),
            Queued::Hold => {}
        }
    }

    fn on_journal(&mut self, entry: &JournalEntry) {
        if let JournalEvent::Generation { generation, .. } = &entry.event {
            return self.took_over(generation.number);
        }
        let JournalEvent::TakenBack { failed, generation, reason } = &entry.event else { return };
        let (failed, again) = (failed.number, generation.number);
        if let Some(Running::Install(installing)) = &self.running
            && installing.staged.generation.number == failed
        {
            self.early = Some((failed, again, reason.clone()));
            return;
        }
        self.take_back(failed, again, reason);
    }

    pub(crate) fn take_back(&mut self, failed: u32, again: u32, reason: &str) {
        self.history.take_back(failed, again, reason);
        self.playing = None;
        drop(self.show());
    }

    /// Holds on to what decides, or lets go.
    fn pin(&mut self, pinned: bool, reply: ReplyTo<()>) {
        if self.history.is_pinned() != pinned && self.history.active().is_some() {
            self.history.set_pinned(pinned);
            let is_watched = self.snapshots.borrow().on_probation;
            if pinned && is_watched {
                self.queue.push_front(Queued::Hold);
            }
            if !pinned && self.verdict == FolderVerdict::HeldBack {
                let (work, reply) = (TrialWork::reload(StrategyOrigin::File), None);
                self.enqueue(Queued::Work(QueuedWork { work, reply }));
            }
            let saved = self.show();
            tokio::spawn(async move {
                saved.await;
                reply.send(Ok(())).ok();
            });
            return;
        }
        reply.send(Ok(())).ok();
    }

    fn start_next(&mut self) {
        while self.running.is_none() {
            match self.queue.pop_front() {
                Some(Queued::Work(job)) => self.begin(job),
                Some(Queued::Pin { pinned, reply }) => self.pin(pinned, reply),
                Some(Queued::Hold) => self.hold(),
                None => match self.take_seen() {
                    Some(work) => self.begin(QueuedWork { work, reply: None }),
                    None => return,
                },
            }
        }
    }

    /// The watcher's last result as work, if it needs any.
    fn take_seen(&mut self) -> Option<TrialWork> {
        let folder = self.options.folder.clone().unwrap_or_default();
        match std::mem::take(&mut self.seen) {
            FolderState::Nothing => None,
            FolderState::Bundle(bundle) => {
                let was_troubled = std::mem::replace(&mut self.is_troubled, false);
                let active = self.history.active().map(|active| &active.generation.hash);
                if active.is_some_and(|active| active == bundle.hash()) {
                    if was_troubled || self.history.folder() != bundle.hash() {
                        self.went_back(&bundle);
                    }
                    return None;
                }
                let is_known = self.history.folder() == bundle.hash();
                let retry = was_troubled && self.verdict == FolderVerdict::Refused;
                (!is_known || retry).then(|| TrialWork::changed(bundle))
            }
            FolderState::Faulty(error) => {
                self.is_troubled = true;
                self.unreadable(&error);
                None
            }
            FolderState::Gone => {
                let was_troubled = std::mem::replace(&mut self.is_troubled, true);
                if !was_troubled {
                    self.gone(&folder);
                }
                None
            }
        }
    }

    fn begin(&mut self, job: QueuedWork) {
        let TrialWork { source, origin, aim, carry, .. } = &job.work;
        let found = self.subject(source);
        let is_active = |again: &Option<Arc<Generation>>| {
            let active = self.history.active().map(|active| active.generation.number);
            again.is_some() && again.as_ref().map(|again| again.number) == active
        };
        let (subject, again) = match found {
            Ok((_, again))
                if aim.plays()
                    && by_operator(origin)
                    && self.history.is_pinned()
                    && !is_active(&again) =>
            {
                return self.refuse(job, self.pinned());
            }
            Ok(found) => found,
            Err(refusal) => return self.refuse(job, refusal),
        };
        let depth = Depth { specs: *aim != TrialAim::PlayAgain, carry: *carry };
        let (options, team) = (Arc::clone(&self.options), self.team.clone());
        let future = Box::pin(hold(options, team, subject, depth));
        self.running = Some(Running::Trial { job, again, future });
    }

    /// What is to be tried, and the generation that it is already.
    fn subject(
        &self,
        wanted: &StrategySource,
    ) -> Result<(TrialSubject, Option<Arc<Generation>>), StrategyError> {
        let entry = match wanted {
            StrategySource::Changed(bundle) => {
                return Ok((TrialSubject::Bundle(Arc::clone(bundle)), None));
            }
            StrategySource::From(RequestedSource::Files(files)) => {
                return Ok((TrialSubject::Files(files.clone()), None));
            }
            StrategySource::From(RequestedSource::Folder) => {
                let folder = self.options.folder.clone().ok_or(StrategyError::NoFolder)?;
                return Ok((TrialSubject::Folder(folder), None));
            }
            StrategySource::From(RequestedSource::Generation(number)) => {
                self.history.entry(*number).ok_or(StrategyError::NoGeneration(*number))?
            }
            StrategySource::Before => {
                self.history.before().ok_or(StrategyError::NothingToRollBack)?
            }
        };
        let again = Arc::clone(&entry.generation);
        Ok((TrialSubject::Bundle(Arc::clone(&entry.bundle)), Some(again)))
    }

    fn on_step(&mut self, step: FinishedStep) {
        match (self.running.take(), step) {
            (Some(Running::Trial { job, again, .. }), FinishedStep::Tried(tried)) => match tried {
                Ok(tried) => self.judge(job, again, tried),
                Err(refusal) => self.broke_off(job, refusal),
            },
            (Some(Running::Install(installing)), FinishedStep::Installed(answer)) => {
                self.installed(*installing, answer);
            }
            (Some(Running::Trial { .. }), FinishedStep::Installed(_))
            | (Some(Running::Install(_)), FinishedStep::Tried(_))
            | (None, _) => {}
        }
    }

    /// What a trial's end means: an answer, a refusal, or a swap.
    fn judge(&mut self, job: QueuedWork, again: Option<Arc<Generation>>, tried: TrialOutcome) {
        let TrialWork { origin, aim, .. } = &job.work;
        let TrialOutcome { bundle, report } = tried;
        let at = SystemTime::now();
        let trialled = Arc::new(Trialled { report, origin: origin.clone(), at });
        self.last_trial = Some(Arc::clone(&trialled));
        if let Some(bundle) = bundle.as_ref().filter(|_| aim.plays() && job.is_of_folder()) {
            self.history.set_folder(bundle.hash());
            self.verdict = FolderVerdict::Played;
        }
        drop(self.show());
        let program = trialled.report.program.clone().filter(|_| trialled.report.passed());
        let (bundle, program) = match (bundle, program) {
            _ if *aim == TrialAim::Check => return self.accept(job, trialled),
            (Some(bundle), Some(program)) => (bundle, program),
            _ => return self.mistaken(job, &trialled),
        };
        if *aim == TrialAim::Validate {
            return self.accept(job, trialled);
        }
        if job.is_of_folder() && self.is_outdated(&bundle) {
            return self.refuse(job, StrategyError::Stale);
        }
        let active = self.history.active().map(|active| Arc::clone(&active.generation));
        let again = again.or(active.clone().filter(|active| active.hash == bundle.hash()));
        if again.is_some() && again == active && job.work.carry != Carry::Forget {
            tracing::info!(
                team = self.options.team,
                "nothing changed: this generation is already active"
            );
            return self.accept(job, trialled);
        }
        if self.history.is_pinned() && again != active {
            return self.hold_back(job);
        }
        let origin = origin.clone().unwrap_or_default();
        let generation = again.unwrap_or_else(|| self.history.next(&bundle, origin));
        let staged = program.staged(generation, trialled.report.cost);
        let staged = Staged { carry: job.work.carry, note: job.work.note(), ..staged };
        self.install(Some(job), bundle, staged, Some(trialled));
    }

    /// Something newer than what was tried is in the folder.
    fn is_outdated(&self, bundle: &Bundle) -> bool {
        match &self.seen {
            FolderState::Bundle(newer) => newer.hash() != bundle.hash(),
            FolderState::Faulty(_) => true,
            FolderState::Nothing | FolderState::Gone => false,
        }
    }

    pub(crate) fn run_install(&mut self, installing: Installing) {
        self.running = Some(Running::Install(Box::new(installing)));
    }

    pub(crate) fn accept(&mut self, job: QueuedWork, trialled: Arc<Trialled>) {
        let answered = self.info().map(|generation| WorkResult { generation, trialled });
        job.reply.and_then(|reply| reply.send(answered.ok_or(StrategyError::Ended)).ok());
    }

    pub(crate) fn pinned(&self) -> StrategyError {
        StrategyError::Pinned(self.info().map_or(0, |info| info.generation.number))
    }

    pub(crate) fn info(&self) -> Option<GenerationInfo> {
        self.history.active().map(|active| self.history.info(active))
    }

    /// Shows and keeps how things stand now; the future is over when it is written.
    pub(crate) fn show(&self) -> impl Future<Output = ()> + use<> {
        let shown = shown(&self.options, &self.history, self.last_trial.clone());
        self.shown.send_replace(Arc::new(shown));
        self.saver.save(&self.history)
    }
}

impl QueuedWork {
    pub(crate) fn is_of_folder(&self) -> bool {
        matches!(
            self.work.source,
            StrategySource::Changed(_) | StrategySource::From(RequestedSource::Folder)
        )
    }
}

/// While a generation is pinned, requests over the API are refused; changed files and signals are
/// tested and reported.
fn by_operator(origin: &Option<StrategyOrigin>) -> bool {
    matches!(origin, Some(StrategyOrigin::Api { .. }))
}

async fn proceed(running: &mut Option<Running>) -> FinishedStep {
    match running {
        Some(Running::Trial { future, .. }) => FinishedStep::Tried(future.await),
        Some(Running::Install(installing)) => {
            FinishedStep::Installed((&mut installing.future).await)
        }
        None => std::future::pending().await,
    }
}

/// What the watcher tells next.
async fn newest(folder: &mut Option<watch::Receiver<FolderState>>) -> FolderState {
    if let Some(seen) = folder {
        if seen.changed().await.is_ok() {
            return seen.borrow_and_update().clone();
        }
        *folder = None;
    }
    std::future::pending().await
}

fn shown(
    options: &KeeperOptions,
    history: &History,
    last_trial: Option<Arc<Trialled>>,
) -> KeeperView {
    let active = history.active();
    let nothing = || GenerationInfo {
        generation: Arc::new(Generation {
            number: 0,
            hash: String::new(),
            accepted: SystemTime::UNIX_EPOCH,
            origin: StrategyOrigin::Start,
        }),
        active: false,
        taken_back: String::new(),
        file_count: 0,
    };
    let roles = active.map(|active| active.bundle.root_names().map(str::to_owned).collect());
    let status = StrategyStatus {
        active: active.map_or_else(nothing, |active| history.info(active)),
        pinned: history.is_pinned(),
        on_probation: false,
        folder: options.folder.clone(),
        watching: options.watch && options.folder.is_some(),
        last_trial,
    };
    KeeperView { status, generations: history.infos(), roles: roles.unwrap_or_default() }
}
