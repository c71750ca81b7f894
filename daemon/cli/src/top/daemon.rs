//! The view's tasks that follow the daemon, poll it, and send requests.

use super::cockpit::{Heard, UserRequest};
use super::follow::{self, Links};
use crate::args::Remote;
use crate::failure::refused;
use crate::remote::{all_teams, link, short};
use anyhow::{Result, anyhow};
use phalanx_control::client::{Link, strategies};
use phalanx_lua::Bundle;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{
    Agent, GetGenerationRequest, PauseAgentRequest, ReleaseAgentRequest, RollBackStrategyRequest,
    SetAgentRoleRequest,
};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio::time::{sleep, timeout};

/// Messages that wait for the view, at most; then the daemon is read more slowly.
const HEARD_MAX: usize = 256;
/// Requests that wait, at most.
const WISHES_MAX: usize = 16;
/// Interval at which the teams are fetched.
const TEAMS_EVERY: Duration = Duration::from_secs(1);
/// A daemon that takes longer to answer counts as unreachable.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// Timeout of changes, which may take longer: a strategy is tried first.
const CHANGE_MAX: Duration = Duration::from_secs(60);

/// The tasks that talk to the daemon.
#[derive(Debug)]
pub(super) struct Daemon {
    links: Links,
    heard: mpsc::Sender<Heard>,
    wishes: mpsc::Sender<UserRequest>,
    tasks: JoinSet<()>,
    /// The tasks that follow the selected team.
    followers: Vec<AbortHandle>,
}

impl Daemon {
    /// Starts the tasks; messages come out of the receiver.
    pub(super) fn begin(link: Link, remote: Remote) -> (Self, mpsc::Receiver<Heard>) {
        let (heard, hears) = mpsc::channel(HEARD_MAX);
        let (wishes, wished) = mpsc::channel(WISHES_MAX);
        let (renew, links) = watch::channel(link);
        let mut tasks = JoinSet::new();
        tasks.spawn(look_at_teams(renew, remote, heard.clone()));
        tasks.spawn(fulfil_all(links.clone(), wished, heard.clone()));
        (Self { links, heard, wishes, tasks, followers: Vec::new() }, hears)
    }

    /// Queues a request; its outcome comes as a message.
    pub(super) fn wish(&mut self, wish: UserRequest) {
        if let UserRequest::Watch(team) = wish {
            return self.watch(&team);
        }
        if self.wishes.try_send(wish).is_err() {
            let why = "not done: the daemon still handles your earlier requests".to_owned();
            // We receive the message ourselves: a full queue needs no further message.
            self.heard.try_send(Heard::Refused(why)).unwrap_or_default();
        }
    }

    fn watch(&mut self, team: &str) {
        self.followers.drain(..).for_each(|task| task.abort());
        let (links, team, heard) = (self.links.clone(), team.to_owned(), self.heard.clone());
        self.followers = vec![
            self.tasks.spawn(follow::events(links.clone(), team.clone(), heard.clone())),
            self.tasks.spawn(follow::worlds(links.clone(), team.clone(), heard.clone())),
            self.tasks.spawn(follow::team(links.clone(), team.clone(), heard.clone())),
            self.tasks.spawn(follow::margins(links, team, heard)),
        ];
    }

    /// Completes with a task that panicked; no task ends otherwise.
    pub(super) async fn failed(&mut self) -> JoinError {
        loop {
            match self.tasks.join_next().await {
                Some(Err(error)) if error.is_panic() => return error,
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }
}

/// Fetches the teams repeatedly; after a timeout, opens a new connection.
async fn look_at_teams(renew: watch::Sender<Link>, remote: Remote, heard: mpsc::Sender<Heard>) {
    loop {
        let link = renew.borrow().clone();
        let (heard_now, is_mute) = match timeout(ANSWER_MAX, all_teams(link)).await {
            Ok(Ok(teams)) => (Heard::Teams(teams), false),
            Ok(Err(error)) => (Heard::Lost(format!("{error:#}")), false),
            Err(_) => (Heard::Lost("the daemon does not answer".to_owned()), true),
        };
        if heard.send(heard_now).await.is_err() {
            return;
        }
        if is_mute && let Ok(Ok(link)) = timeout(ANSWER_MAX, link::open(&remote)).await {
            renew.send_replace(link);
        }
        sleep(TEAMS_EVERY).await;
    }
}

async fn fulfil_all(
    links: Links,
    mut wished: mpsc::Receiver<UserRequest>,
    heard: mpsc::Sender<Heard>,
) {
    while let Some(wish) = wished.recv().await {
        let link = links.borrow().clone();
        let done = match timeout(CHANGE_MAX, fulfil(link, wish)).await {
            Ok(done) => done,
            Err(_) => Err(anyhow!("the daemon does not answer; the request may still succeed")),
        };
        let heard_now = done.unwrap_or_else(|error| Heard::Refused(format!("{error:#}")));
        if heard.send(heard_now).await.is_err() {
            return;
        }
    }
}

async fn fulfil(link: Link, wish: UserRequest) -> Result<Heard> {
    let mut teams = TeamsClient::new(link.clone());
    match wish {
        UserRequest::Pause(name) => {
            let request = PauseAgentRequest { name: name.clone(), ..Default::default() };
            let done = teams.pause_agent(request).await.map_err(|status| refused(&status))?;
            Ok(changed(format!("{} is paused", agent(&name)), done.into_inner().agent))
        }
        UserRequest::Release(name) => {
            let request = ReleaseAgentRequest { name: name.clone(), ..Default::default() };
            let done = teams.release_agent(request).await.map_err(|status| refused(&status))?;
            let what = format!("the script of {} decides again", agent(&name));
            Ok(changed(what, done.into_inner().agent))
        }
        UserRequest::SetRole(name, role) => {
            let request = SetAgentRoleRequest {
                name: name.clone(),
                role: role.clone(),
                ..Default::default()
            };
            let done = teams.set_agent_role(request).await.map_err(|status| refused(&status))?;
            let what = format!("{} has the role {role} from its next turn on", agent(&name));
            Ok(changed(what, done.into_inner().agent))
        }
        UserRequest::RollBack(team) => {
            let request = RollBackStrategyRequest { team: team.clone(), ..Default::default() };
            let back = strategies(link).roll_back_strategy(request).await;
            let back = back.map_err(|status| refused(&status))?.into_inner().generation;
            let number = back.map_or(0, |generation| generation.number);
            let team = short(&team);
            Ok(changed(format!("{team} plays generation {number} from the next turn on"), None))
        }
        UserRequest::AskRoles(team, generation) => {
            let name = format!("{team}/generations/{generation}");
            let asked = strategies(link).get_generation(GetGenerationRequest { name }).await;
            // A user who may not read the strategy can still type a role.
            let generation = asked.ok().and_then(|answer| answer.into_inner().generation);
            let files = generation.map(|generation| generation.files).unwrap_or_default();
            let files = files.into_iter().map(|file| (file.path, file.source));
            let bundle = Bundle::from_files(files).ok();
            let roles = bundle.iter().flat_map(Bundle::root_names).map(str::to_owned).collect();
            Ok(Heard::Roles(team, roles))
        }
        UserRequest::Leave | UserRequest::Watch(_) => Err(anyhow!("not a request to the daemon")),
    }
}

fn changed(what: String, agent: Option<Agent>) -> Heard {
    Heard::Done(what, agent.map(Box::new))
}

/// An agent's name from its resource name.
fn agent(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
