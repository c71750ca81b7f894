//! Teams that take orders and come and go, but play nothing.

use super::fake::{FakeTeam, socket};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use phalanx_control::client::{self, Credentials, Link};
use phalanx_control::{
    Access, AgentDraft, Checked, ControlHandle, ControlsError, ControlsFuture, Made, MakeError,
    Options, Role, TeamControls, TeamDirectory, TeamDraft, TeamEnd, TeamMaker, TeamView, Trialled,
    Wrong, build,
};
use phalanx_engine::{
    AgentSnapshot, Carry, Keep, OrderError, Snapshot, Steer, SteerError, Steering,
};
use phalanx_game::{AgentId, Said};
use phalanx_trial::Report;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tokio::sync::Semaphore;

/// The operators' side of a team.
#[derive(Clone)]
pub struct FakeControls(pub Arc<State>);

/// What it was told, and what it does about it.
pub struct State {
    team: Arc<FakeTeam>,
    stopped: Mutex<bool>,
    pub told: Mutex<Vec<String>>,
    /// Why wishes are not followed.
    pub trouble: Mutex<Option<ControlsError>>,
    /// Each wish takes one of these before it is followed.
    pub turns: Semaphore,
}

impl FakeControls {
    /// Gives a team controls and something to show.
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
            team: Arc::clone(team),
            stopped: Mutex::default(),
            told: Mutex::default(),
            trouble: Mutex::default(),
            turns: Semaphore::new(1_000),
        }));
        team.steered_by(Arc::new(controls.clone()));
        controls
    }

    pub fn told(&self) -> Vec<String> {
        self.0.told.lock().unwrap().clone()
    }

    pub fn refuses(&self, trouble: impl Into<ControlsError>) {
        self.0.trouble.lock().unwrap().replace(trouble.into());
    }

    /// Follows a wish in its turn.
    fn follow<T: Send + 'static>(
        &self,
        what: String,
        then: impl FnOnce(&State) -> T + Send + 'static,
    ) -> ControlsFuture<T> {
        let state = Arc::clone(&self.0);
        async move {
            state.turns.acquire().await.unwrap().forget();
            if let Some(trouble) = state.trouble.lock().unwrap().clone() {
                return Err(trouble);
            }
            state.told.lock().unwrap().push(what);
            Ok(then(&state))
        }
        .boxed()
    }
}

impl State {
    fn change(&self, agent: AgentId, change: impl FnOnce(&mut AgentSnapshot)) {
        self.team.snapshot.send_modify(|snapshot| {
            let mut next = (**snapshot).clone();
            change(next.agents.get_mut(agent.index()).unwrap());
            *snapshot = Arc::new(next);
        });
    }
}

impl TeamControls for FakeControls {
    fn is_stopped(&self) -> bool {
        *self.0.stopped.lock().unwrap()
    }

    fn start(&self, by: String) -> ControlsFuture<()> {
        self.follow(format!("start {by}"), |state| *state.stopped.lock().unwrap() = false)
    }

    fn stop(&self, by: String) -> ControlsFuture<()> {
        self.follow(format!("stop {by}"), |state| *state.stopped.lock().unwrap() = true)
    }

    fn restart(&self, by: String) -> ControlsFuture<()> {
        self.follow(format!("restart {by}"), |_| ())
    }

    fn check_server(&self, server: &str, role: Role) -> Result<(), ControlsError> {
        if !role.may(Role::Admin) && !server.starts_with("listed:") {
            let (server, allowed) = (server.to_owned(), "listed".to_owned());
            return Err(ControlsError::ServerNotAllowed { server, allowed });
        }
        let wrong = || ControlsError::Server("expected host:port".into());
        server.contains(':').then_some(()).ok_or_else(wrong)
    }

    fn move_to(&self, server: String, _: Role, keep: Keep, by: String) -> ControlsFuture<()> {
        self.follow(format!("move {server} {} {} {by}", keep.world, keep.memory), |_| ())
    }

    fn drain(&self, grace: Option<Duration>, by: String) -> ControlsFuture<Vec<String>> {
        self.follow(format!("drain {grace:?} {by}"), |state| {
            state.team.end.lock().unwrap().replace(TeamEnd::Drained);
            state.team.ends();
            vec!["a straggler".to_owned()]
        })
    }

    fn set_role(
        &self,
        agent: AgentId,
        role: String,
        carry: Carry,
        by: String,
    ) -> ControlsFuture<()> {
        self.follow(format!("role {agent:?} {role} {carry:?} {by}"), move |state| {
            state.change(agent, |agent| agent.role = role);
        })
    }

    fn check_order(&self, order: &Said) -> Result<(), ControlsError> {
        if order.action == "move" {
            return Ok(());
        }
        let (action, known) = (order.action.to_string(), vec!["move".to_owned()]);
        Err(SteerError::Order(OrderError::Action { action, meant: None, known }).into())
    }

    fn steer(&self, agent: AgentId, steer: Steer, by: String) -> ControlsFuture<Steering> {
        let steering = match &steer {
            Steer::Pause => Steering::Paused { by: by.clone() },
            Steer::Pin { order, turns } => {
                Steering::Pinned { order: order.clone(), turns_left: *turns, by: by.clone() }
            }
            Steer::Pilot { lease } => {
                Steering::Piloted { by: by.clone(), lease: *lease, turns_left: *lease, order: None }
            }
            Steer::Order { order } => Steering::Piloted {
                by: by.clone(),
                lease: 9,
                turns_left: 9,
                order: Some(order.clone()),
            },
            Steer::Release => Steering::Script,
        };
        self.follow(format!("{agent:?} {}", steering.word()), move |state| {
            state.change(agent, |agent| agent.steering = steering.clone());
            steering
        })
    }

    fn check_members(&self) -> Result<(), ControlsError> {
        Ok(())
    }

    fn add_agent(&self, agent: AgentDraft, by: String) -> ControlsFuture<AgentId> {
        // The names of its agents are fixed: the second one stands for whoever comes.
        self.follow(format!("add {} as {} {by}", agent.name, agent.role), |_| AgentId(1))
    }

    fn remove_agent(&self, agent: AgentId, by: String) -> ControlsFuture<()> {
        self.follow(format!("remove {agent:?} {by}"), |_| ())
    }
}

/// Teams that come and go. A team with the folder `/broken` is refused by its trial.
#[derive(Clone, Default)]
pub struct FakeTeams(Arc<Mutex<Vec<Arc<FakeTeam>>>>);

impl TeamDirectory for FakeTeams {
    fn teams(&self) -> Vec<Arc<dyn TeamView>> {
        let teams = self.0.lock().unwrap();
        teams.iter().map(|team| Arc::clone(team) as Arc<dyn TeamView>).collect()
    }

    fn maker(&self) -> Option<Arc<dyn TeamMaker>> {
        Some(Arc::new(self.clone()))
    }
}

fn checked(draft: &TeamDraft) -> Result<Arc<Trialled>, MakeError> {
    let report = Report { hash: "abc".into(), ..Report::default() };
    let trialled = Arc::new(Trialled { report, origin: None, at: SystemTime::UNIX_EPOCH });
    if draft.name.is_empty() {
        let wrong = |field: &str| Wrong { field: field.into(), text: "missing".into() };
        return Err(MakeError::Spec(vec![wrong("name"), wrong("agents[3].name")]));
    }
    if draft.strategy == "/broken" { Err(MakeError::Strategy(trialled)) } else { Ok(trialled) }
}

impl TeamMaker for FakeTeams {
    fn check(&self, draft: TeamDraft) -> BoxFuture<'static, Result<Checked, MakeError>> {
        let agents = draft.agents.iter().map(|agent| (agent.name.clone(), agent.role.clone()));
        let agents = agents.collect();
        let checked = checked(&draft).map(|trialled| Checked { agents, trialled });
        std::future::ready(checked).boxed()
    }

    fn make(&self, draft: TeamDraft, _by: String) -> BoxFuture<'static, Result<Made, MakeError>> {
        let teams = self.clone();
        async move {
            let trialled = checked(&draft)?;
            if teams.team(&draft.name).is_some() {
                return Err(MakeError::Exists(draft.name));
            }
            let team = FakeTeam::new(&draft.name);
            FakeControls::of(&team);
            teams.0.lock().unwrap().push(Arc::clone(&team));
            Ok((team as Arc<dyn TeamView>, trialled))
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
