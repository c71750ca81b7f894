//! Teams that take orders and come and go, but play nothing.

use super::fake::{FakeTeam, socket};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use phalanx_control::client::{self, Credentials, Link};
use phalanx_control::{
    Access, Checked, ControlHandle, Made, MakeError, Options, Role, ServedTeam, TeamDirectory,
    TeamMaker, Trialled, Wrong, build,
};
use phalanx_engine::{
    AddAgent, AgentSnapshot, Answer, Command, CommandError, CommandRequest, Enrolled, LeaveReferee,
    RemoveAgent, ReturnToReferee, SetRole, Snapshot, Steer, SteerAgent, Steering, TeamCommand,
};
use phalanx_game::{AgentId, SeatId};
use phalanx_settings::{AgentsRequest, TeamRequest};
use phalanx_trial::TrialResult;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;
use tokio::sync::{Semaphore, watch};

/// What a team's operators get.
#[derive(Clone)]
pub struct FakeControls(pub Arc<State>);

/// What it was asked, and what it does about it.
pub struct State {
    snapshot: watch::Sender<Arc<Snapshot>>,
    pub told: Mutex<Vec<String>>,
    /// Why commands are refused.
    pub trouble: Mutex<Option<CommandError>>,
    /// Each command takes one of these before it is handled.
    pub turns: Semaphore,
}

impl FakeControls {
    /// Gives a team operators and something to show.
    pub fn of(team: &Arc<FakeTeam>) -> Self {
        let agent = |number: u32| AgentSnapshot {
            name: format!("{}{number}", team.name()),
            role: "worker".into(),
            ..AgentSnapshot::default()
        };
        let agents = (1..=2).map(agent).collect();
        let snapshot = Snapshot { agents, generation: 1, ..Snapshot::default() };
        team.snapshot.send_replace(Arc::new(snapshot));
        let controls = Self(Arc::new(State {
            snapshot: team.snapshot.clone(),
            told: Mutex::default(),
            trouble: Mutex::default(),
            turns: Semaphore::new(1_000),
        }));
        team.steered_by(controls.clone());
        controls
    }

    pub fn told(&self) -> Vec<String> {
        self.0.told.lock().unwrap().clone()
    }

    pub fn refuses(&self, trouble: CommandError) {
        self.0.trouble.lock().unwrap().replace(trouble);
    }

    /// Handles a command in its turn.
    pub async fn answer(&self, CommandRequest { by, command, .. }: CommandRequest) -> Answer {
        self.0.turns.acquire().await.unwrap().forget();
        if let Some(trouble) = self.0.trouble.lock().unwrap().clone() {
            return Err(trouble);
        }
        let (told, reply) = match command {
            Command::ReturnToReferee(_) => (format!("start {by}"), ReturnToReferee::reply(())),
            Command::LeaveReferee(LeaveReferee { to, keep }) => {
                let to = to.map(|to| format!("move {to} {} {} {by}", keep.world, keep.memory));
                (to.unwrap_or_else(|| format!("stop {by}")), LeaveReferee::reply(()))
            }
            Command::SetRole(SetRole { agent, role, carry }) => {
                let told = format!("role {agent:?} {role} {carry:?} {by}");
                self.0.change(agent, |agent| agent.role = role);
                (told, SetRole::reply("worker".to_owned()))
            }
            Command::SteerAgent(SteerAgent { agent, steer }) => {
                let steering = steering(steer, by);
                self.0.change(agent, |agent| agent.steering = steering.clone());
                (format!("{agent:?} {}", steering.word()), SteerAgent::reply(steering))
            }
            Command::AddAgent(AddAgent { name, role }) => {
                // The names of its agents are fixed: the second one is the one that comes.
                let enrolled = Enrolled { agent: AgentId(1), seat: SeatId(1) };
                (format!("add {name} as {role} {by}"), AddAgent::reply(enrolled))
            }
            Command::RemoveAgent(RemoveAgent { agent }) => {
                (format!("remove {agent:?} {by}"), RemoveAgent::reply(()))
            }
            other => panic!("no operator asks for {other:?}"),
        };
        self.0.told.lock().unwrap().push(told);
        Ok(reply)
    }
}

impl State {
    fn change(&self, agent: AgentId, change: impl FnOnce(&mut AgentSnapshot)) {
        self.snapshot.send_modify(|snapshot| {
            let mut next = (**snapshot).clone();
            change(next.agents.get_mut(agent.index()).unwrap());
            *snapshot = Arc::new(next);
        });
    }
}

fn steering(steer: Steer, by: String) -> Steering {
    match steer {
        Steer::Pause => Steering::Paused { by },
        Steer::Pin { order, turns } => Steering::Pinned { order, turns_left: turns, by },
        Steer::Pilot { lease } => Steering::Piloted { by, lease, turns_left: lease, order: None },
        Steer::Order { order } => {
            Steering::Piloted { by, lease: 9, turns_left: 9, order: Some(order) }
        }
        Steer::Release => Steering::Script,
    }
}

/// Teams that come and go. A team with the folder `/broken` is refused by its trial.
#[derive(Clone, Default)]
pub struct FakeTeams(Arc<Mutex<Vec<Arc<FakeTeam>>>>);

impl TeamDirectory for FakeTeams {
    fn teams(&self) -> Vec<Arc<ServedTeam>> {
        self.0.lock().unwrap().iter().map(|team| team.served()).collect()
    }

    fn maker(&self) -> Option<Arc<dyn TeamMaker>> {
        Some(Arc::new(self.clone()))
    }
}

impl FakeTeams {
    pub fn find(&self, name: &str) -> Arc<FakeTeam> {
        let teams = self.0.lock().unwrap();
        Arc::clone(teams.iter().find(|team| team.name() == name).unwrap())
    }
}

fn checked(request: &TeamRequest) -> Result<Arc<Trialled>, MakeError> {
    let report = TrialResult { hash: "abc".into(), ..TrialResult::default() };
    let trialled = Arc::new(Trialled { report, origin: None, at: SystemTime::UNIX_EPOCH });
    if request.name.is_empty() {
        let wrong = |field: &str| Wrong { field: field.into(), text: "missing".into() };
        return Err(MakeError::Spec(vec![wrong("name"), wrong("agents[3].name")]));
    }
    if request.strategy == "/broken" { Err(MakeError::Strategy(trialled)) } else { Ok(trialled) }
}

impl TeamMaker for FakeTeams {
    fn check(&self, request: TeamRequest) -> BoxFuture<'static, Result<Checked, MakeError>> {
        let agents = match &request.agents {
            AgentsRequest::List(agents) => agents.as_slice(),
            AgentsRequest::Pattern { .. } => &[],
        };
        let agents = agents.iter().map(|agent| (agent.name.clone(), agent.role.clone())).collect();
        let checked = checked(&request).map(|trialled| Checked { agents, trialled });
        std::future::ready(checked).boxed()
    }

    fn make(
        &self,
        request: TeamRequest,
        _stopped: bool,
        _by: String,
    ) -> BoxFuture<'static, Result<Made, MakeError>> {
        let teams = self.clone();
        async move {
            let trialled = checked(&request)?;
            if teams.team(&request.name).is_some() {
                return Err(MakeError::Exists(request.name));
            }
            let team = FakeTeam::new(&request.name);
            FakeControls::of(&team);
            teams.0.lock().unwrap().push(Arc::clone(&team));
            Ok((team.served(), trialled))
        }
        .boxed()
    }

    fn delete(&self, name: &str) -> bool {
        let mut teams = self.0.lock().unwrap();
        let before = teams.len();
        teams.retain(|team| team.name() != name);
        teams.len() < before
    }
}

/// A served daemon with the team A, which takes orders. Callers at its Unix socket are admins, at
/// the TCP address viewers without a token.
pub struct Steered {
    pub folder: tempfile::TempDir,
    pub tcp: SocketAddr,
    _handle: ControlHandle,
    pub controls: FakeControls,
    pub teams: FakeTeams,
}

impl Steered {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            socket: Some(socket(folder.path().join("control.sock"))),
            tcp: Some("127.0.0.1:0".parse().unwrap()),
            ..Options::default()
        };
        let team = FakeTeam::new("A");
        let controls = FakeControls::of(&team);
        let teams = FakeTeams(Arc::new(Mutex::new(vec![team])));
        let tokens = folder.path().join("tokens.json");
        let access = Access::open(&tokens, Some(Role::Viewer)).unwrap();
        let control = build(&options, Arc::new(teams.clone()), Arc::new(access)).unwrap();
        let tcp = control.tcp().unwrap();
        Self { folder, tcp, _handle: control.spawn(), controls, teams }
    }

    pub async fn local(&self) -> Link {
        let path = self.folder.path().join("control.sock");
        client::connect(&client::Address::Unix(path)).await.unwrap()
    }

    /// Over the network, with a token or as a viewer.
    pub async fn remote(&self, token: Option<String>) -> Link {
        let address = client::Address::Http(format!("http://{}", self.tcp));
        let credentials = Credentials::default();
        let credentials = match token {
            Some(token) => credentials.with_token(&token.into()).unwrap(),
            None => credentials,
        };
        client::connect_as(&address, credentials).await.unwrap()
    }
}
