//! A team that plays nothing, as its keeper sees it: it takes what it is given and remembers it.

use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use phalanx_engine::{
    AgentSnapshot, Board, BoardLimits, BrainError, Fault, JournalEntry, ParamError, ParamKind,
    ParamSpec, Params, Profile, Ran, Scope, Snapshot, Staged, StrategyOrigin, View,
};
use phalanx_game::{AgentId, Api, Roster, Value};
use phalanx_lua::{Bundle, Limits};
use phalanx_strategy::{Keeper, KeeperHandle, KeeperOptions, Stage, StageError, StageFuture};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// A game without anything to do.
static API: Api = Api { actions: &[], percept: &[], queries: &[] };
/// A strategy that may play.
pub const GOOD: &str = "return { decide = function() return nil end }\n";
/// One that may not.
pub const BROKEN: &str = "return {\n  decide = function(\n}\n";

/// What the team was told.
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
    snapshot: watch::Sender<Arc<Snapshot>>,
    pub told: Mutex<Told>,
    /// Measurements that somebody waits for; they end when `turns_end` is set.
    pub measuring: watch::Sender<usize>,
    pub turns_end: watch::Sender<bool>,
    /// Why the next wishes do not arrive.
    pub trouble: Mutex<Option<StageError>>,
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
        Arc::new(Self {
            roster,
            snapshot: watch::Sender::new(Arc::new(snapshot)),
            told: Mutex::default(),
            measuring: watch::Sender::new(0),
            turns_end: watch::Sender::new(true),
            trouble: Mutex::default(),
            cannot_load: Mutex::default(),
        })
    }

    fn arrives(&self) -> Result<(), StageError> {
        self.trouble.lock().unwrap().map_or(Ok(()), Err)
    }
}

fn greed() -> ParamSpec {
    ParamSpec {
        name: "greed".into(),
        kind: ParamKind::Num { min: 0.0, max: 1.0, whole: false },
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
    keeper.spawn(Arc::clone(stage) as Arc<dyn Stage>)
}

impl Stage for FakeStage {
    fn roster(&self) -> Arc<Roster> {
        Arc::clone(&self.roster)
    }

    fn view(&self) -> StageFuture<View> {
        let snapshot = self.snapshot.borrow().clone();
        let view = self.arrives().map(|()| View {
            roster: Arc::clone(&self.roster),
            seed: 1,
            scenes: Vec::new(),
            board: Board::new(BoardLimits::default()),
            params: (*snapshot.params).clone(),
            roles: snapshot.agents.iter().map(|agent| agent.role.clone()).collect(),
            memories: Vec::new(),
            generation: snapshot.generation,
        });
        std::future::ready(view).boxed()
    }

    fn install(&self, staged: Staged, pinned: bool) -> StageFuture<Result<(), BrainError>> {
        let mut told = self.told.lock().unwrap();
        told.installed.push((staged.generation.number, pinned));
        told.callers.push(staged.generation.origin.to_string());
        let loaded = self.cannot_load.lock().unwrap().clone().map_or(Ok(()), Err);
        std::future::ready(self.arrives().map(|()| loaded)).boxed()
    }

    fn refused(&self, _: StrategyOrigin, _: Vec<Fault>) -> Result<(), StageError> {
        self.arrives()
    }

    fn set_param(
        &self,
        name: String,
        scope: Scope,
        value: Option<Value>,
        by: String,
    ) -> StageFuture<Result<Option<Value>, ParamError>> {
        self.told.lock().unwrap().callers.push(by);
        let mut params = (*self.snapshot.borrow().params).clone();
        let set = params.set(&name, scope, value.as_ref());
        self.snapshot.send_modify(|snapshot| {
            *snapshot = Arc::new(Snapshot { params: Arc::new(params), ..(**snapshot).clone() });
        });
        std::future::ready(self.arrives().map(|()| set)).boxed()
    }

    fn run(&self, _: AgentId, code: String, by: String) -> StageFuture<Result<Ran, BrainError>> {
        self.told.lock().unwrap().callers.push(by);
        let ran = Ran { text: code, lines: vec!["printed".into()] };
        std::future::ready(self.arrives().map(|()| Ok(ran))).boxed()
    }

    fn profile(&self, turns: u32) -> StageFuture<Profile> {
        let waiting = Waiting::new(&self.measuring);
        let mut end = self.turns_end.subscribe();
        let arrives = self.arrives();
        async move {
            arrives?;
            drop(end.wait_for(|end| *end).await);
            drop(waiting);
            Ok(Profile { turns, ..Profile::default() })
        }
        .boxed()
    }

    fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.snapshot.subscribe()
    }

    fn journal(&self) -> BoxStream<'static, Arc<JournalEntry>> {
        stream::pending().boxed()
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
