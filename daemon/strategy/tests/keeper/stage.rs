//! A team that obeys every command, and a folder that editors treat badly.

use futures_util::FutureExt;
use phalanx_engine::{
    Answer, Board, BrainError, BrainErrorKind, Carry, Command, CommandError, CommandRequest,
    CopyView, Fault, Generation, InstallStrategy, JournalEntry, JournalEvent, ParamError, Params,
    Profile, ProfileScripts, Ran, RefuseStrategy, RunScript, SetParam, Staged, StrategyOrigin,
    TeamCommand, View,
};
use phalanx_game::{ActionDoc, Api, Roster, RosterEntry, Turn};
use phalanx_lua::{Bundle, Limits};
use phalanx_net::{Puppet, PuppetOptions};
use phalanx_strategy::{Keeper, KeeperHandle, KeeperOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

pub(crate) static API: Api = Api {
    actions: &[ActionDoc { name: "skip", doc: "Does nothing.", params: &[] }],
    percept: &[],
    queries: &[],
};

/// Longest wait for anything: on the paused clock it passes as soon as nothing else happens.
const PATIENCE: Duration = Duration::from_secs(120);

/// The commands that the team received.
#[derive(Debug)]
pub(crate) enum Told {
    Installed { generation: Arc<Generation>, pinned: bool, forget: bool },
    Refused { origin: StrategyOrigin, faults: Vec<Fault> },
}

/// A team that takes over whatever it is given.
#[derive(Debug)]
pub(crate) struct FakeTeam {
    told: mpsc::UnboundedSender<Told>,
    /// How many views may still be taken: trials wait for one.
    pub(crate) views: Arc<tokio::sync::Semaphore>,
    pub(crate) refuses: AtomicBool,
    /// It takes what it is given, but does not say so.
    pub(crate) is_mute: AtomicBool,
    decides: AtomicU64,
}

impl FakeTeam {
    async fn answer(self: Arc<Self>, request: CommandRequest) -> Answer {
        let CommandRequest { by, command, .. } = request;
        match command {
            Command::CopyView(_) => {
                self.views.acquire().await.unwrap().forget();
                let generation = u32::try_from(self.decides.load(Ordering::SeqCst)).unwrap();
                Ok(CopyView::reply(Box::new(view(generation))))
            }
            Command::InstallStrategy(install) => self.install(install).await,
            Command::RefuseStrategy(RefuseStrategy { origin, faults }) => {
                self.told.send(Told::Refused { origin, faults }).unwrap_or_default();
                Err(CommandError::busy())
            }
            Command::SetParam(SetParam { name, .. }) => {
                Err(ParamError::Unknown { name, known: "none".into() }.into())
            }
            Command::RunScript(RunScript { code, .. }) => {
                Ok(RunScript::reply(Ran { text: format!("{by}: {code}"), lines: Vec::new() }))
            }
            Command::ProfileScripts(ProfileScripts { turns }) => {
                Ok(ProfileScripts::reply(Profile { turns, ..Profile::default() }))
            }
            other => panic!("a keeper does not ask for {other:?}"),
        }
    }

    async fn install(&self, InstallStrategy { staged, pinned }: InstallStrategy) -> Answer {
        if self.refuses.load(Ordering::SeqCst) {
            let what = "a1: me.memory.plan.next is a function";
            return Err(BrainError::without_place(BrainErrorKind::Script, what).into());
        }
        let forget = staged.carry == Carry::Forget;
        let Staged { generation, .. } = staged;
        self.decides.store(u64::from(generation.number), Ordering::SeqCst);
        self.told.send(Told::Installed { generation, pinned, forget }).ok();
        if self.is_mute.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        Ok(InstallStrategy::reply(()))
    }
}

fn view(generation: u32) -> View {
    View {
        roster: roster(),
        seed: 1,
        scenes: Vec::new(),
        board: Board::default(),
        params: Params::default(),
        roles: vec!["worker".into()],
        memories: Vec::new(),
        generation,
    }
}

fn roster() -> Arc<Roster> {
    let agents = vec![RosterEntry::new("a1", "worker")];
    Arc::new(Roster { team: "A".into(), agents })
}

/// A team, its keeper, its folder.
pub(crate) struct Match {
    pub(crate) folder: PathBuf,
    pub(crate) state: PathBuf,
    pub(crate) keeper: KeeperHandle,
    pub(crate) stage: Arc<FakeTeam>,
    pub(crate) puppet: Arc<Puppet>,
    pub(crate) told: mpsc::UnboundedReceiver<Told>,
    pub(crate) home: Arc<tempfile::TempDir>,
}

/// A worker that can be recognised by `mark`.
pub(crate) fn worker(mark: &str) -> String {
    format!("-- {mark}\nreturn {{ decide = function(me) return act.skip() end }}\n")
}

pub(crate) const BROKEN: &str = "return { decide = function(me) return\n";

impl Match {
    /// A team that plays `worker.luau` of a fresh folder.
    pub(crate) fn start() -> Self {
        Self::start_with(|_| {})
    }

    pub(crate) fn start_with(change: impl FnOnce(&mut KeeperOptions)) -> Self {
        let home = Arc::new(tempfile::tempdir().unwrap());
        let folder = home.path().join("strategy");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("worker.luau"), worker("first")).unwrap();
        Self::open(home, folder, change)
    }

    /// The daemon begins on what is there.
    pub(crate) fn open(
        home: Arc<tempfile::TempDir>,
        folder: PathBuf,
        change: impl FnOnce(&mut KeeperOptions),
    ) -> Self {
        let state = home.path().join("state");
        let mut options = options(&folder, &state);
        change(&mut options);
        let mut keeper = Keeper::open(options);
        let bundle = Arc::new(Bundle::read(&folder, &[]).unwrap());
        let (staged, _) = keeper.first(&bundle).unwrap();
        let (sender, told) = mpsc::unbounded_channel();
        let stage = Arc::new(FakeTeam {
            told: sender,
            views: Arc::new(tokio::sync::Semaphore::new(1_000)),
            refuses: AtomicBool::new(false),
            is_mute: AtomicBool::new(false),
            decides: AtomicU64::new(staged.generation.number.into()),
        });
        let answering = Arc::clone(&stage);
        let answer = move |request| Arc::clone(&answering).answer(request).boxed();
        let (puppet, team) = Puppet::start(PuppetOptions::new((*roster()).clone(), answer));
        let keeper = keeper.spawn(team);
        Self { folder, state, keeper, stage, puppet, told, home }
    }

    /// Saves the worker in place.
    pub(crate) fn save(&self, source: &str) {
        std::fs::write(self.folder.join("worker.luau"), source).unwrap();
    }

    /// The next command that the team receives.
    pub(crate) async fn told(&mut self) -> Told {
        let told = tokio::time::timeout(PATIENCE, self.told.recv()).await;
        told.expect("the team received no command").expect("the stage is gone")
    }

    /// The number of the generation that is installed next.
    pub(crate) async fn installed(&mut self) -> u32 {
        match self.told().await {
            Told::Installed { generation, .. } => generation.number,
            Told::Refused { faults, .. } => panic!("refused: {faults:?}"),
        }
    }

    /// Who brought what is refused next, and its first fault.
    pub(crate) async fn refused(&mut self) -> String {
        match self.told().await {
            Told::Refused { origin, faults } => format!("{origin}: {}", faults.first().unwrap()),
            Told::Installed { generation, .. } => panic!("installed: {generation:?}"),
        }
    }

    /// Waits until the keeper shows what is wanted.
    pub(crate) async fn shows(&self, what: impl Fn(&KeeperHandle) -> bool) {
        let mut keeper = self.keeper.clone();
        let waiting = async {
            while !what(&keeper) {
                assert!(keeper.changed().await, "the keeper is gone");
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.expect("the keeper never shows it");
    }

    /// The folder was looked at and nothing came of it, for a good while.
    pub(crate) async fn nothing_happens(&mut self) {
        let silence = tokio::time::timeout(PATIENCE, self.told.recv()).await;
        assert!(silence.is_err(), "{silence:?}");
    }

    /// What the team's journal says.
    pub(crate) fn journal(&self, event: JournalEvent) {
        let entry = JournalEntry { turn: Turn::default(), agent: None, generation: 0, event };
        self.puppet.journal(entry);
    }

    /// The team ends.
    pub(crate) async fn end_team(&mut self) {
        self.puppet.end_journal();
        while self.keeper.changed().await {}
    }

    /// The daemon ends; what is left of it can be begun anew.
    pub(crate) async fn end(mut self) -> (Arc<tempfile::TempDir>, PathBuf) {
        self.end_team().await;
        drop(self.keeper);
        // The writer of the history holds the lock until everything is written.
        let lock = std::fs::File::open(self.state.join("strategies/%41/lock")).unwrap();
        while lock.try_lock().is_err() {
            tokio::task::yield_now().await;
        }
        drop(lock);
        (self.home, self.folder)
    }

    pub(crate) fn active(&self) -> u32 {
        self.keeper.status().active.generation.number
    }
}

fn options(folder: &Path, state: &Path) -> KeeperOptions {
    KeeperOptions {
        team: "A".into(),
        game: "toy",
        api: &API,
        roster: roster(),
        limits: Limits::default(),
        decide_max: Duration::from_millis(500),
        folder: Some(folder.into()),
        read: Arc::new(|folder| Bundle::read(folder, &[])),
        complete: Arc::new(Ok),
        watch: true,
        settle: Duration::from_millis(300),
        poll: Duration::from_secs(2),
        keep: 20,
        state: Some(state.into()),
        trial_max: Duration::from_secs(20),
    }
}
