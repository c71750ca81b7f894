//! The keeper's task: the one owner of a team's strategy while it plays. It does one thing at a
//! time, and still hears what happens meanwhile.
//!
//! ```text
//!          work, changed folder
//!                 │
//!  idle ──────────┴──► trial ──► install ──► idle
//!                        └─ mistakes, pinned, outdated: told ─► idle
//! ```

use crate::command::{Aim, Answered, COMMANDS_MAX, Command, Reply, Shown, Wanted, Work};
use crate::install::{Installing, Late};
use crate::store::{History, Saver};
use crate::trial::{Depth, Subject, Tried, hold};
use crate::watch::{Seen, watch as watch_folder};
use crate::{
    GenerationInfo, KeeperHandle, KeeperOptions, Refusal, Source, Stage, Status, Trialled, Tuning,
};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use phalanx_engine::{
    BrainError, Carry, Generation, JournalEntry, JournalEvent, Snapshot, Staged, StrategyOrigin,
};
use phalanx_lua::Bundle;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::{mpsc, watch};

/// Starts the task of a team.
pub(crate) fn spawn(
    options: KeeperOptions,
    history: History,
    playing: Option<Staged>,
    stage: Arc<dyn Stage>,
) -> KeeperHandle {
    let (commands, queue) = mpsc::channel(COMMANDS_MAX);
    let watched = watched(&options);
    let task = Task {
        saver: history.saver(),
        snapshots: stage.snapshots(),
        shown: watch::Sender::new(Arc::new(shown(&options, &history, None))),
        stage: Arc::clone(&stage),
        verdict: Verdict::at_start(&history),
        last_trial: None,
        queue: VecDeque::new(),
        watched,
        seen: Seen::Nothing,
        is_troubled: false,
        running: None,
        early: None,
        late: None,
        playing,
        history,
        options: Arc::new(options),
    };
    let handle = KeeperHandle {
        team: task.options.team.as_str().into(),
        snapshots: stage.snapshots(),
        shown: task.shown.subscribe(),
        sessions: Arc::new(crate::sessions::Sessions::new(&task.options)),
        stage,
        commands,
    };
    let journal = handle.stage.journal();
    tokio::spawn(task.run(queue, journal));
    handle
}

/// Begins to watch the folder, if it is to be watched.
fn watched(options: &KeeperOptions) -> Option<watch::Receiver<Seen>> {
    let folder = options.folder.clone().filter(|_| options.watch);
    folder.map(|folder| watch_folder(folder, options))
}

/// A team's strategy while it plays.
pub(crate) struct Task {
    pub(crate) options: Arc<KeeperOptions>,
    pub(crate) stage: Arc<dyn Stage>,
    pub(crate) history: History,
    pub(crate) saver: Saver,
    pub(crate) snapshots: watch::Receiver<Arc<Snapshot>>,
    shown: watch::Sender<Arc<Shown>>,
    pub(crate) last_trial: Option<Arc<Trialled>>,
    /// What decides, as it was installed.
    pub(crate) playing: Option<Staged>,
    queue: VecDeque<Queued>,
    /// The watcher of the folder; `None` where nobody watches.
    watched: Option<watch::Receiver<Seen>>,
    /// What the watcher told last and nobody looked at yet.
    pub(crate) seen: Seen,
    /// What came of the folder when it was tried last.
    pub(crate) verdict: Verdict,
    /// The folder was gone or held no strategy.
    is_troubled: bool,
    running: Option<Running>,
    /// A generation was taken back before we heard that it was installed: which, what decides
    /// instead, and why.
    pub(crate) early: Option<(u32, u32, String)>,
    /// What the team was given last without an answer.
    pub(crate) late: Option<Late>,
}

/// What came of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It plays, or has played.
    Played,
    /// Its trial found mistakes, or the team could not take it over.
    Refused,
    /// It would play, were nothing pinned.
    HeldBack,
}

impl Verdict {
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
    Work(Job),
    Pin {
        pinned: bool,
        reply: Reply<()>,
    },
    /// What decides is installed once more, so that the team does not take it back.
    Hold,
}

/// A piece of work and who waits for it.
pub(crate) struct Job {
    pub(crate) work: Work,
    pub(crate) reply: Option<Reply<Answered>>,
}

/// What is going on.
enum Running {
    Trial {
        job: Job,
        /// The generation that is to decide again.
        again: Option<Arc<Generation>>,
        future: BoxFuture<'static, Result<Tried, Refusal>>,
    },
    Install(Box<Installing>),
}

/// What came of what was going on.
enum Step {
    Tried(Result<Tried, Refusal>),
    Installed(Result<Result<(), BrainError>, Refusal>),
}

impl Task {
    async fn run(
        mut self,
        mut commands: mpsc::Receiver<Command>,
        mut journal: BoxStream<'static, Arc<JournalEntry>>,
    ) {
        loop {
            self.start_next();
            tokio::select! {
                step = proceed(&mut self.running) => self.on_step(step),
                command = commands.recv() => match command {
                    Some(command) => self.on_command(command),
                    None => return,
                },
                entry = journal.next() => match entry {
                    Some(entry) => self.on_journal(&entry),
                    None => return,
                },
                seen = newest(&mut self.watched) => self.seen = seen,
            }
        }
    }

    fn on_command(&mut self, command: Command) {
        match command {
            Command::Work { work, reply } => {
                self.enqueue(Queued::Work(Job { work, reply: Some(reply) }));
            }
            Command::Generation { number, reply } => {
                let entry = self.history.entry(number);
                let found = entry.map(|entry| (self.history.info(entry), entry.bundle.clone()));
                // Whoever asked may have left.
                reply.send(found.ok_or(Refusal::NoGeneration(number))).ok();
            }
            Command::Retune { tuning, reply } => {
                self.retune(tuning);
                // Whoever asked may have left.
                reply.send(Ok(())).ok();
            }
            Command::Pin { pinned, reply } => match self.running {
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
            (self.seen, self.is_troubled) = (Seen::Nothing, false);
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
            Queued::Work(Job { reply, .. }) => {
                reply.and_then(|reply| reply.send(Err(Refusal::Busy)).ok());
            }
            Queued::Pin { reply, .. } => drop(reply.send(Err(Refusal::Busy))),
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
    fn pin(&mut self, pinned: bool, reply: Reply<()>) {
        if self.history.is_pinned() != pinned && self.history.active().is_some() {
            self.history.set_pinned(pinned);
            let is_watched = self.snapshots.borrow().on_probation;
            if pinned && is_watched {
                self.queue.push_front(Queued::Hold);
            }
            if !pinned && self.verdict == Verdict::HeldBack {
                let (work, reply) = (Work::reload(StrategyOrigin::File), None);
                self.enqueue(Queued::Work(Job { work, reply }));
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
                    Some(work) => self.begin(Job { work, reply: None }),
                    None => return,
                },
            }
        }
    }

    /// What the watcher told last, as work, if there is any in it.
    fn take_seen(&mut self) -> Option<Work> {
        let folder = self.options.folder.clone().unwrap_or_default();
        match std::mem::take(&mut self.seen) {
            Seen::Nothing => None,
            Seen::Bundle(bundle) => {
                let was_troubled = std::mem::replace(&mut self.is_troubled, false);
                let active = self.history.active().map(|active| &active.generation.hash);
                if active.is_some_and(|active| active == bundle.hash()) {
                    if was_troubled || self.history.folder() != bundle.hash() {
                        self.went_back(&bundle);
                    }
                    return None;
                }
                let is_known = self.history.folder() == bundle.hash();
                let retry = was_troubled && self.verdict == Verdict::Refused;
                (!is_known || retry).then(|| Work::changed(bundle))
            }
            Seen::Faulty(error) => {
                self.is_troubled = true;
                self.unreadable(&error);
                None
            }
            Seen::Gone => {
                let was_troubled = std::mem::replace(&mut self.is_troubled, true);
                if !was_troubled {
                    self.gone(&folder);
                }
                None
            }
        }
    }

    fn begin(&mut self, job: Job) {
        let Work { source, origin, aim, carry, .. } = &job.work;
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
        let depth = Depth { specs: *aim != Aim::PlayAgain, carry: *carry };
        let (options, stage) = (Arc::clone(&self.options), Arc::clone(&self.stage));
        let future = Box::pin(hold(options, stage, subject, depth));
        self.running = Some(Running::Trial { job, again, future });
    }

    /// What is to be tried, and the generation that it is already.
    fn subject(&self, wanted: &Wanted) -> Result<(Subject, Option<Arc<Generation>>), Refusal> {
        let entry = match wanted {
            Wanted::Changed(bundle) => return Ok((Subject::Bundle(Arc::clone(bundle)), None)),
            Wanted::From(Source::Files(files)) => return Ok((Subject::Files(files.clone()), None)),
            Wanted::From(Source::Folder) => {
                let folder = self.options.folder.clone().ok_or(Refusal::NoFolder)?;
                return Ok((Subject::Folder(folder), None));
            }
            Wanted::From(Source::Generation(number)) => {
                self.history.entry(*number).ok_or(Refusal::NoGeneration(*number))?
            }
            Wanted::Before => self.history.before().ok_or(Refusal::NothingToRollBack)?,
        };
        let again = Arc::clone(&entry.generation);
        Ok((Subject::Bundle(Arc::clone(&entry.bundle)), Some(again)))
    }

    fn on_step(&mut self, step: Step) {
        match (self.running.take(), step) {
            (Some(Running::Trial { job, again, .. }), Step::Tried(tried)) => match tried {
                Ok(tried) => self.judge(job, again, tried),
                Err(refusal) => self.broke_off(job, refusal),
            },
            (Some(Running::Install(installing)), Step::Installed(answer)) => {
                self.installed(*installing, answer);
            }
            (Some(Running::Trial { .. }), Step::Installed(_))
            | (Some(Running::Install(_)), Step::Tried(_))
            | (None, _) => {}
        }
    }

    /// What a trial's end means: an answer, a refusal, or a swap.
    fn judge(&mut self, job: Job, again: Option<Arc<Generation>>, tried: Tried) {
        let Work { origin, aim, .. } = &job.work;
        let Tried { bundle, report } = tried;
        let at = SystemTime::now();
        let trialled = Arc::new(Trialled { report, origin: origin.clone(), at });
        self.last_trial = Some(Arc::clone(&trialled));
        if let Some(bundle) = bundle.as_ref().filter(|_| aim.plays() && job.is_of_folder()) {
            self.history.set_folder(bundle.hash());
            self.verdict = Verdict::Played;
        }
        drop(self.show());
        let program = trialled.report.program.clone().filter(|_| trialled.report.passed());
        let (bundle, program) = match (bundle, program) {
            _ if *aim == Aim::Check => return self.accept(job, trialled),
            (Some(bundle), Some(program)) => (bundle, program),
            _ => return self.mistaken(job, &trialled),
        };
        if *aim == Aim::Validate {
            return self.accept(job, trialled);
        }
        if job.is_of_folder() && self.is_outdated(&bundle) {
            return self.refuse(job, Refusal::Stale);
        }
        let active = self.history.active().map(|active| Arc::clone(&active.generation));
        let again = again.or(active.clone().filter(|active| active.hash == bundle.hash()));
        if again.is_some() && again == active && job.work.carry != Carry::Forget {
            tracing::info!(team = self.options.team, "nothing changed: that decides already");
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
            Seen::Bundle(newer) => newer.hash() != bundle.hash(),
            Seen::Faulty(_) => true,
            Seen::Nothing | Seen::Gone => false,
        }
    }

    pub(crate) fn run_install(&mut self, installing: Installing) {
        self.running = Some(Running::Install(Box::new(installing)));
    }

    pub(crate) fn accept(&mut self, job: Job, trialled: Arc<Trialled>) {
        let answered = self.info().map(|generation| Answered { generation, trialled });
        job.reply.and_then(|reply| reply.send(answered.ok_or(Refusal::Ended)).ok());
    }

    pub(crate) fn pinned(&self) -> Refusal {
        Refusal::Pinned(self.info().map_or(0, |info| info.generation.number))
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

impl Job {
    pub(crate) fn is_of_folder(&self) -> bool {
        matches!(self.work.source, Wanted::Changed(_) | Wanted::From(Source::Folder))
    }
}

/// People are refused while something is pinned; files and signals are tried and told.
fn by_operator(origin: &Option<StrategyOrigin>) -> bool {
    matches!(origin, Some(StrategyOrigin::Api { .. }))
}

async fn proceed(running: &mut Option<Running>) -> Step {
    match running {
        Some(Running::Trial { future, .. }) => Step::Tried(future.await),
        Some(Running::Install(installing)) => Step::Installed((&mut installing.future).await),
        None => std::future::pending().await,
    }
}

/// What the watcher tells next.
async fn newest(folder: &mut Option<watch::Receiver<Seen>>) -> Seen {
    if let Some(seen) = folder {
        if seen.changed().await.is_ok() {
            return seen.borrow_and_update().clone();
        }
        *folder = None;
    }
    std::future::pending().await
}

fn shown(options: &KeeperOptions, history: &History, last_trial: Option<Arc<Trialled>>) -> Shown {
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
    let status = Status {
        active: active.map_or_else(nothing, |active| history.info(active)),
        pinned: history.is_pinned(),
        on_probation: false,
        folder: options.folder.clone(),
        watching: options.watch && options.folder.is_some(),
        last_trial,
    };
    Shown { status, generations: history.infos(), roles: roles.unwrap_or_default() }
}
