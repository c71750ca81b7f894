//! A daemon with teams that play nothing: tests say what they publish.

use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use phalanx_control::client::Link;
use phalanx_control::{
    Asking, Control, ControlHandle, Feed, Options, SocketOptions, TeamControls, TeamDirectory,
    TeamEnd, TeamError, TeamView, build, client,
};
use phalanx_engine::{
    Board, BoardItem, BoardPage, BoardRead, BoardWrite, BoardWriteError, Drawing, JournalEntry,
    JournalEvent, SeatState, Snapshot,
};
use phalanx_game::{AgentId, Roster, RosterEntry, Turn};
use phalanx_strategy::KeeperHandle;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::UnboundedReceiverStream;

/// A team whose journal is fed by the test.
pub struct FakeTeam {
    name: String,
    pub snapshot: watch::Sender<Arc<Snapshot>>,
    seats: Mutex<Vec<SeatState>>,
    feed: Mutex<Option<mpsc::UnboundedSender<Feed>>>,
    journal: Mutex<Option<mpsc::UnboundedReceiver<Feed>>>,
    keeper: Mutex<Option<KeeperHandle>>,
    board: Mutex<Board>,
    pub drawing: Mutex<Drawing>,
    controls: Mutex<Option<Arc<dyn TeamControls>>>,
    pub end: Mutex<Option<TeamEnd>>,
    /// Nothing that is asked of the team is answered but with this.
    pub deaf: Mutex<Option<TeamError>>,
}

impl FakeTeam {
    pub fn new(name: &str) -> Arc<Self> {
        let (feed, journal) = mpsc::unbounded_channel();
        Arc::new(Self {
            name: name.to_owned(),
            snapshot: watch::Sender::default(),
            seats: Mutex::new(vec![SeatState::Idle; 2]),
            feed: Mutex::new(Some(feed)),
            journal: Mutex::new(Some(journal)),
            keeper: Mutex::default(),
            board: Mutex::default(),
            drawing: Mutex::default(),
            controls: Mutex::default(),
            end: Mutex::default(),
            deaf: Mutex::default(),
        })
    }

    /// Something happened to the first agent in turn 0:`step`.
    pub fn happens(&self, step: u32, event: JournalEvent) {
        let agent = Some(format!("{}1", self.name));
        let entry = JournalEntry { turn: Turn::new(0, step), agent, generation: 2, event };
        self.feeds(Feed::Entry(Arc::new(entry)));
    }

    pub fn feeds(&self, feed: Feed) {
        self.feed.lock().unwrap().as_ref().unwrap().send(feed).unwrap();
    }

    pub fn log(&self, step: u32, text: &str) {
        self.happens(step, JournalEvent::Log { level: "info", text: text.to_owned() });
    }

    /// All connections are in this state.
    pub fn seats(&self, state: &SeatState) {
        self.seats.lock().unwrap().fill(state.clone());
        self.snapshot.send_modify(|_| ());
    }

    /// Its strategy can be changed from now on.
    pub fn kept_by(&self, keeper: KeeperHandle) {
        self.keeper.lock().unwrap().replace(keeper);
    }

    /// A script writes to the board, in a turn of its own.
    pub fn scribbles(&self, change: impl FnOnce(&mut Board)) {
        let mut board = self.board.lock().unwrap();
        let tick = self.snapshot.borrow().tick + 1;
        board.advance(tick);
        board.at(Turn::new(0, u32::try_from(tick).unwrap()));
        change(&mut board);
        self.publishes(tick, board.revision());
    }

    fn publishes(&self, tick: u64, board_revision: u64) {
        self.snapshot.send_modify(|snapshot| {
            *snapshot = Arc::new(Snapshot { tick, board_revision, ..(**snapshot).clone() });
        });
    }

    fn answers<T: Send + 'static>(&self, answer: impl FnOnce() -> T) -> Asking<T> {
        let deaf = *self.deaf.lock().unwrap();
        std::future::ready(deaf.map_or_else(|| Ok(answer()), Err)).boxed()
    }

    /// It takes orders from now on.
    pub fn steered_by(&self, controls: Arc<dyn TeamControls>) {
        self.controls.lock().unwrap().replace(controls);
    }

    /// The journal ends.
    pub fn ends(&self) {
        self.feed.lock().unwrap().take();
    }
}

impl TeamView for FakeTeam {
    fn name(&self) -> &str {
        &self.name
    }

    fn game(&self) -> &str {
        "assemble"
    }

    fn server(&self) -> String {
        "127.0.0.1:12300".to_owned()
    }

    fn roster(&self) -> Arc<Roster> {
        let entry = |number| RosterEntry::new(format!("{}{number}", self.name), "worker");
        Arc::new(Roster { team: self.name.clone(), agents: (1..=2).map(entry).collect() })
    }

    fn seat(&self, agent: AgentId) -> SeatState {
        self.seats.lock().unwrap().get(agent.index()).cloned().unwrap_or_default()
    }

    fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.snapshot.subscribe()
    }

    fn journal(&self) -> BoxStream<'static, Feed> {
        let journal = self.journal.lock().unwrap().take().expect("followed once");
        UnboundedReceiverStream::new(journal).boxed()
    }

    fn read_board(&self, read: BoardRead) -> Asking<BoardPage> {
        self.answers(|| self.board.lock().unwrap().read(&read))
    }

    fn write_board(&self, write: BoardWrite) -> Asking<Result<Option<BoardItem>, BoardWriteError>> {
        self.answers(|| {
            let mut board = self.board.lock().unwrap();
            let written = board.write(&write);
            let tick = self.snapshot.borrow().tick;
            self.publishes(tick, board.revision());
            written
        })
    }

    fn draw(&self) -> Asking<Drawing> {
        self.answers(|| self.drawing.lock().unwrap().clone())
    }

    fn strategy(&self) -> Option<KeeperHandle> {
        self.keeper.lock().unwrap().clone()
    }

    fn controls(&self) -> Option<Arc<dyn TeamControls>> {
        self.controls.lock().unwrap().clone()
    }

    fn end(&self) -> Option<TeamEnd> {
        self.end.lock().unwrap().clone()
    }

    fn creator(&self) -> Option<String> {
        None
    }
}

pub struct FakeDirectory(pub Vec<Arc<FakeTeam>>);

impl TeamDirectory for FakeDirectory {
    fn teams(&self) -> Vec<Arc<dyn TeamView>> {
        self.0.iter().map(|team| Arc::clone(team) as Arc<dyn TeamView>).collect()
    }
}

/// A served daemon in a folder of its own.
/// Whoever connects on this machine is an admin.
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
        let folder = tempfile::tempdir().unwrap();
        let teams: Vec<_> = names.iter().map(|name| FakeTeam::new(name)).collect();
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
