//! A team that plays nothing, as its keeper sees it: it takes what it is given and remembers it.

use futures_util::FutureExt;
use phalanx_engine::{
    AgentSnapshot, Answer, Board, BoardLimits, BrainError, Command, CommandError, CommandRequest,
    CopyView, InstallStrategy, ParamKind, ParamSpec, Params, Profile, ProfileScripts, Ran,
    RunScript, SetParam, Snapshot, TeamCommand, View,
};
use phalanx_game::{Api, Roster, Value};
use phalanx_lua::{Bundle, Limits};
use phalanx_net::{Puppet, PuppetOptions, TeamHandle};
use phalanx_strategy::{Keeper, KeeperHandle, KeeperOptions};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::sync::watch;

/// A game without anything to do.
static API: Api = Api { actions: &[], percept: &[], queries: &[] };
/// A strategy that may play.
pub const GOOD: &str = "return { decide = function() return nil end }\n";
/// One that may not.
pub const BROKEN: &str = "return {\n  decide = function(\n}\n";

/// The commands that the team got.
#[derive(Debug, Default)]
pub struct Told {
    pub installed: Vec<(u32, bool)>,
    /// Who brought what was installed, set or run.
    pub callers: Vec<String>,
}

/// The team.
#[derive(Debug)]
pub struct FakeStage {
    roster: Arc<Roster>,
    snapshot: OnceLock<watch::Sender<Arc<Snapshot>>>,
    team: OnceLock<(Arc<Puppet>, TeamHandle)>,
    pub told: Mutex<Told>,
    /// Measurements that somebody waits for; they end when `turns_end` is set.
    pub measuring: watch::Sender<usize>,
    pub turns_end: watch::Sender<bool>,
    /// Why the next wishes do not arrive.
    pub trouble: Mutex<Option<CommandError>>,
    /// Why it cannot load what it is given.
    pub cannot_load: Mutex<Option<BrainError>>,
}

impl FakeStage {
    pub fn new(roster: Arc<Roster>) -> Arc<Self> {
        let mut params = Params::default();
        params.declare(greed()).unwrap();
        let agent = |name: &str| AgentSnapshot {
            name: name.to_owned(),
            role: "worker".to_owned(),
            ..AgentSnapshot::default()
        };
        let agents = roster.ids().map(|id| agent(roster.name(id))).collect();
        let snapshot =
            Snapshot { params: Arc::new(params), agents, generation: 1, ..Snapshot::default() };
        let stage = Arc::new(Self {
            roster: Arc::clone(&roster),
            snapshot: OnceLock::new(),
            team: OnceLock::new(),
            told: Mutex::default(),
            measuring: watch::Sender::new(0),
            turns_end: watch::Sender::new(true),
            trouble: Mutex::default(),
            cannot_load: Mutex::default(),
        });
        let answering = Arc::clone(&stage);
        let answer = move |request| Arc::clone(&answering).answer(request).boxed();
        let (puppet, team) = Puppet::start(PuppetOptions::new((*roster).clone(), answer));
        puppet.snapshot.send_replace(Arc::new(snapshot));
        stage.snapshot.set(puppet.snapshot.clone()).unwrap();
        assert!(stage.team.set((puppet, team)).is_ok());
        stage
    }
}

fn greed() -> ParamSpec {
    ParamSpec {
        name: "greed".into(),
        kind: ParamKind::number(0.0, 1.0, false),
        default: Value::Num(0.4),
        doc: "how much risk is taken".into(),
    }
}

/// A keeper of a strategy that already plays. Without `folder` it came with the program.
pub fn keep(stage: &Arc<FakeStage>, folder: Option<PathBuf>) -> KeeperHandle {
    let options = KeeperOptions {
        team: "A".into(),
        game: "toy",
        api: &API,
        roster: Arc::clone(&stage.roster),
        limits: Limits::default(),
        decide_max: Duration::from_secs(5),
        folder,
        read: Arc::new(|folder| Bundle::read(folder, &[])),
        complete: Arc::new(Ok),
        watch: false,
        settle: Duration::from_millis(1),
        poll: Duration::from_secs(3_600),
        keep: 20,
        state: None,
        trial_max: Duration::from_secs(60),
    };
    let mut keeper = Keeper::open(options);
    let bundle = Bundle::from_files([("worker.luau", GOOD)]).unwrap();
    keeper.first(&Arc::new(bundle)).unwrap();
    keeper.spawn(stage.team.get().unwrap().1.clone())
}

impl FakeStage {
    async fn answer(self: Arc<Self>, request: CommandRequest) -> Answer {
        let CommandRequest { by, command, .. } = request;
        let trouble = self.trouble.lock().unwrap().clone();
        trouble.map_or(Ok(()), Err)?;
        match command {
            Command::CopyView(_) => Ok(CopyView::reply(Box::new(self.view()))),
            Command::InstallStrategy(InstallStrategy { staged, pinned }) => {
                let mut told = self.told.lock().unwrap();
                told.installed.push((staged.generation.number, pinned));
                told.callers.push(staged.generation.origin.to_string());
                match self.cannot_load.lock().unwrap().clone() {
                    None => Ok(InstallStrategy::reply(())),
                    Some(error) => Err(error.into()),
                }
            }
            Command::SetParam(SetParam { name, scope, value }) => {
                self.told.lock().unwrap().callers.push(by);
                let snapshot = self.snapshot();
                let mut params = (*snapshot.borrow().params).clone();
                let before = params.set(&name, scope, value.as_ref())?;
                snapshot.send_modify(|snapshot| {
                    let params = Arc::new(params);
                    *snapshot = Arc::new(Snapshot { params, ..(**snapshot).clone() });
                });
                Ok(SetParam::reply(before))
            }
            Command::RunScript(RunScript { code, .. }) => {
                self.told.lock().unwrap().callers.push(by);
                Ok(RunScript::reply(Ran { text: code, lines: vec!["printed".into()] }))
            }
            Command::ProfileScripts(ProfileScripts { turns }) => {
                let waiting = Waiting::new(&self.measuring);
                let mut end = self.turns_end.subscribe();
                drop(end.wait_for(|end| *end).await);
                drop(waiting);
                Ok(ProfileScripts::reply(Profile { turns, ..Profile::default() }))
            }
            other => panic!("a keeper does not ask for {other:?}"),
        }
    }

    fn view(&self) -> View {
        let snapshot = self.snapshot().borrow().clone();
        View {
            roster: Arc::clone(&self.roster),
            seed: 1,
            scenes: Vec::new(),
            board: Board::new(BoardLimits::default()),
            params: (*snapshot.params).clone(),
            roles: snapshot.agents.iter().map(|agent| agent.role.clone()).collect(),
            memories: Vec::new(),
            generation: snapshot.generation,
        }
    }

    /// Waits until this many callers wait for the team.
    pub async fn callers(&self, wanted: usize) {
        let puppet = &self.team.get().unwrap().0;
        let waiting = async {
            while puppet.waiting() != wanted {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
    }

    fn snapshot(&self) -> &watch::Sender<Arc<Snapshot>> {
        self.snapshot.get().unwrap()
    }
}

/// Counts who waits for a measurement.
struct Waiting(watch::Sender<usize>);

impl Waiting {
    fn new(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count.clone())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
