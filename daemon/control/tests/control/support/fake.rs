//! A daemon with teams that play nothing: tests say what they publish.

use super::steered::FakeControls;
use futures_util::FutureExt;
use phalanx_control::client::Link;
use phalanx_control::{
    Control, ControlHandle, Destinations, MoveHosts, Newcomers, Options, ServedTeam, SocketOptions,
    TeamDirectory, build, client,
};
use phalanx_engine::{
    Answer, Board, BoardRead, BoardWrite, Command, CommandError, CommandRequest, DrawWorld,
    Drawing, JournalEntry, JournalEvent, SeatState, Snapshot, TeamCommand,
};
use phalanx_game::{
    ActionDoc, Api, Declaration, Framing, Kind, ParamDoc, Roster, RosterEntry, Turn,
};
use phalanx_net::{Puppet, PuppetOptions, TeamHandle};
use phalanx_strategy::KeeperHandle;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::sync::watch;

const DIRECTION: ParamDoc = ParamDoc {
    name: "direction",
    kind: Kind::Word(&["n", "s"]),
    optional: false,
    doc: "Where to.",
};
static ASSEMBLE: Declaration = Declaration {
    name: "assemble",
    framing: Framing::Stream,
    api: Api {
        actions: &[ActionDoc { name: "move", doc: "Moves.", params: &[DIRECTION] }],
        percept: &[],
        queries: &[],
    },
    keys: &[],
    layers: &[],
    fixed: None,
};

/// A team that a test plays.
pub struct FakeTeam {
    pub puppet: Arc<Puppet>,
    pub snapshot: watch::Sender<Arc<Snapshot>>,
    pub handle: TeamHandle,
    keeper: Mutex<Option<KeeperHandle>>,
    mind: Arc<Mind>,
}

/// What it knows, and who operates it.
#[derive(Default)]
pub struct Mind {
    snapshot: OnceLock<watch::Sender<Arc<Snapshot>>>,
    board: Mutex<Board>,
    drawing: Mutex<Drawing>,
    controls: OnceLock<FakeControls>,
    /// Every command is refused with this.
    deaf: Mutex<Option<CommandError>>,
}

impl FakeTeam {
    pub fn new(name: &str) -> Arc<Self> {
        Self::with_journal(name, 4_096)
    }

    /// A journal that keeps this many entries for slow readers.
    pub fn with_journal(name: &str, journal_max: usize) -> Arc<Self> {
        let entry = |number| RosterEntry::new(format!("{name}{number}"), "worker");
        let roster = Roster { team: name.to_owned(), agents: (1..=2).map(entry).collect() };
        let mind = Arc::<Mind>::default();
        let answering = Arc::clone(&mind);
        let answer = move |request| Arc::clone(&answering).answer(request).boxed();
        let options = PuppetOptions::new(roster, answer);
        let options = PuppetOptions { declared: &ASSEMBLE, journal_max, ..options };
        let (puppet, handle) = Puppet::start(options);
        let snapshot = puppet.snapshot.clone();
        mind.snapshot.set(snapshot.clone()).unwrap();
        Arc::new(Self { puppet, snapshot, handle, keeper: Mutex::default(), mind })
    }

    pub fn name(&self) -> &str {
        self.handle.name()
    }

    /// As the API serves it.
    pub fn served(&self) -> Arc<ServedTeam> {
        let hosts = MoveHosts::default();
        hosts.allow(vec!["127.0.0.1".parse().unwrap()]);
        Arc::new(ServedTeam {
            handle: self.handle.clone(),
            keeper: self.keeper.lock().unwrap().clone(),
            drain_max: Duration::from_secs(5),
            newcomers: Newcomers::default(),
            destinations: Destinations::new(hosts, "bridge"),
            creator: None,
        })
    }

    /// Something happened to the first agent in turn 0:`step`.
    pub fn happens(&self, step: u32, event: JournalEvent) {
        let agent = Some(format!("{}1", self.name()));
        self.puppet.journal(JournalEntry { turn: Turn::new(0, step), agent, generation: 2, event });
    }

    pub fn log(&self, step: u32, text: &str) {
        self.happens(step, JournalEvent::Log { level: "info", text: text.to_owned() });
    }

    /// All connections are in this state.
    pub fn seats(&self, state: &SeatState) {
        self.puppet.seats(state);
        self.snapshot.send_modify(|_| ());
    }

    /// Its strategy can be changed from now on.
    pub fn kept_by(&self, keeper: KeeperHandle) {
        self.keeper.lock().unwrap().replace(keeper);
    }

    /// A script writes to the board, in a turn of its own.
    pub fn scribbles(&self, change: impl FnOnce(&mut Board)) {
        let mut board = self.mind.board.lock().unwrap();
        let tick = self.snapshot.borrow().tick + 1;
        board.advance(tick);
        board.at(Turn::new(0, u32::try_from(tick).unwrap()));
        change(&mut board);
        self.mind.publish(tick, board.revision());
    }

    /// Its world looks like this from now on.
    pub fn draws(&self, drawing: Drawing) {
        *self.mind.drawing.lock().unwrap() = drawing;
    }

    /// Every command is refused from now on.
    pub fn refuses(&self, error: CommandError) {
        self.mind.deaf.lock().unwrap().replace(error);
    }

    /// Operators are answered by this.
    pub fn steered_by(&self, controls: FakeControls) {
        assert!(self.mind.controls.set(controls).is_ok());
    }
}

impl Mind {
    fn publish(&self, tick: u64, board_revision: u64) {
        self.snapshot.get().unwrap().send_modify(|snapshot| {
            *snapshot = Arc::new(Snapshot { tick, board_revision, ..(**snapshot).clone() });
        });
    }

    async fn answer(self: Arc<Self>, request: CommandRequest) -> Answer {
        if let Some(error) = self.deaf.lock().unwrap().clone() {
            return Err(error);
        }
        match request.command {
            Command::BoardRead(read) => {
                Ok(BoardRead::reply(self.board.lock().unwrap().read(&read)))
            }
            Command::BoardWrite(write) => {
                let mut board = self.board.lock().unwrap();
                let written = board.write(&write, &request.by);
                let tick = self.snapshot.get().unwrap().borrow().tick;
                self.publish(tick, board.revision());
                Ok(BoardWrite::reply(written?))
            }
            Command::DrawWorld(_) => {
                Ok(DrawWorld::reply(Box::new(self.drawing.lock().unwrap().clone())))
            }
            _ => self.controls.get().expect("it has no operators").answer(request).await,
        }
    }
}

pub struct FakeDirectory(pub Vec<Arc<FakeTeam>>);

impl TeamDirectory for FakeDirectory {
    fn teams(&self) -> Vec<Arc<ServedTeam>> {
        self.0.iter().map(|team| team.served()).collect()
    }
}

/// A served daemon in a folder of its own.
/// Every caller on this machine is an admin.
pub fn local() -> Arc<phalanx_control::Access> {
    Arc::new(phalanx_control::Access::on_this_machine(phalanx_control::Role::Admin))
}

pub struct Daemon {
    pub folder: tempfile::TempDir,
    pub teams: Vec<Arc<FakeTeam>>,
    pub handle: ControlHandle,
    pub tcp: std::net::SocketAddr,
}

impl Daemon {
    pub fn start(names: &[&str]) -> Self {
        Self::start_with(names, Options::default())
    }

    pub fn start_with(names: &[&str], limits: Options) -> Self {
        Self::of(names.iter().map(|name| FakeTeam::new(name)).collect(), limits)
    }

    pub fn of(teams: Vec<Arc<FakeTeam>>, limits: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            socket: Some(socket(folder.path().join("control.sock"))),
            tcp: Some("127.0.0.1:0".parse().unwrap()),
            ..limits
        };
        let control: Control =
            build(&options, Arc::new(FakeDirectory(teams.clone())), local()).unwrap();
        let tcp = control.tcp().unwrap();
        Self { folder, teams, handle: control.spawn(), tcp }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("control.sock")
    }

    pub async fn channel(&self) -> Link {
        client::connect(&client::Address::Unix(self.path())).await.unwrap()
    }
}

pub fn socket(path: PathBuf) -> SocketOptions {
    SocketOptions { path, mode: 0o660, group: None }
}
