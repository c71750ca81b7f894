//! What a change of the settings is made of: steps that running teams take, each with its way back.

use crate::directory::Directory;
use crate::logs::LogControl;
use crate::plans;
use phalanx_engine::{Carry, Keep, RetuneTeam, SetRole, TeamOptions};
use phalanx_game::AgentId;
use phalanx_net::{AgentSpec, Lobby, TeamHandle};
use phalanx_settings::{AgentSettings, HostPattern, Settings, TeamSettings};
use phalanx_strategy::{KeeperHandle, Tuning};
use secrecy::{ExposeSecret, SecretString};

/// One thing that changes.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// What is logged.
    Log { filter: String },
    /// Where operators may move teams.
    Allow { hosts: Vec<HostPattern> },
    /// How a team deals with time, and when somebody should look at it.
    Retune { team: String, options: TeamOptions },
    /// How a team's strategy changes, and from which folder.
    Keep { team: String, tuning: Tuning },
    /// Where a team plays.
    Move { team: Box<TeamSettings> },
    /// Who decides for an agent.
    Role { team: String, agent: String, role: String },
    /// With what an agent logs in.
    Password { team: String, agent: String, password: SecretString },
    /// An agent comes.
    Add { team: String, agent: AgentSettings },
    /// An agent leaves.
    Remove { team: String, agent: AgentSettings },
}

/// All steps from one settings to the other, each with the one back. What is quick and cannot fail
/// comes first, what the referee sees comes last.
pub(super) fn between(before: &Settings, after: &Settings, watch: bool) -> Vec<(Step, Step)> {
    let mut steps = Vec::new();
    if before.log.filter != after.log.filter {
        let log = |settings: &Settings| Step::Log { filter: settings.log.filter.clone() };
        steps.push((log(after), log(before)));
    }
    if before.control.move_hosts != after.control.move_hosts {
        let allow =
            |settings: &Settings| Step::Allow { hosts: settings.control.move_hosts.clone() };
        steps.push((allow(after), allow(before)));
    }
    let both = after.teams.iter().filter_map(|new| {
        let old = before.teams.iter().find(|old| old.name == new.name)?;
        Some((old, new))
    });
    let both: Vec<_> = both.collect();
    for (old, new) in &both {
        let options = |team: &TeamSettings, settings| Step::Retune {
            team: team.name.clone(),
            options: phalanx_games::patient(&team.game, plans::team_options(team, settings)),
        };
        if plans::team_options(old, before) != plans::team_options(new, after) {
            steps.push((options(new, after), options(old, before)));
        }
        let tuning = |team: &TeamSettings, settings| Step::Keep {
            team: team.name.clone(),
            tuning: plans::tuning(team, settings, watch),
        };
        if plans::tuning(old, before, watch) != plans::tuning(new, after, watch) {
            steps.push((tuning(new, after), tuning(old, before)));
        }
    }
    for (old, new) in both {
        lineup(&mut steps, old, new);
        if old.server != new.server {
            let there = |team: &TeamSettings| Step::Move { team: Box::new(team.clone()) };
            steps.push((there(new), there(old)));
        }
    }
    steps
}

/// Roles and passwords that change, agents that come and agents that leave.
fn lineup(steps: &mut Vec<(Step, Step)>, old: &TeamSettings, new: &TeamSettings) {
    let named = |agents: &[AgentSettings], name: &str| {
        agents.iter().find(|agent| agent.name == name).cloned()
    };
    let team = || new.name.clone();
    for agent in &new.agents {
        let before = named(&old.agents, &agent.name);
        let is_other = |before: &AgentSettings| {
            before.password.expose_secret() != agent.password.expose_secret()
        };
        if let Some(before) = before.as_ref().filter(|before| is_other(before)) {
            let password = |agent: &AgentSettings| Step::Password {
                team: team(),
                agent: agent.name.clone(),
                password: agent.password.clone(),
            };
            steps.push((password(agent), password(before)));
        }
        match before {
            None => {
                let (add, remove) = (agent.clone(), agent.clone());
                steps.push((
                    Step::Add { team: team(), agent: add },
                    Step::Remove { team: team(), agent: remove },
                ));
            }
            Some(before) if before.role != agent.role => {
                let role = |agent: &AgentSettings| Step::Role {
                    team: team(),
                    agent: agent.name.clone(),
                    role: agent.role.clone(),
                };
                steps.push((role(agent), role(&before)));
            }
            Some(_) => {}
        }
    }
    for agent in &old.agents {
        if named(&new.agents, &agent.name).is_none() {
            let (remove, add) = (agent.clone(), agent.clone());
            steps.push((
                Step::Remove { team: team(), agent: remove },
                Step::Add { team: team(), agent: add },
            ));
        }
    }
}

impl Step {
    /// The key by which people know it.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Log { .. } => "log.filter".to_owned(),
            Self::Allow { .. } => "control.move_hosts".to_owned(),
            Self::Retune { team, .. } => format!("limits, alerts (team {team})"),
            Self::Keep { team, .. } => format!("reload (team {team})"),
            Self::Move { team } => format!("teams[{}].server", team.name),
            Self::Role { team, agent, .. } => format!("teams[{team}].agents[{agent}].role"),
            Self::Password { team, agent, .. } => {
                format!("teams[{team}].agents[{agent}].password")
            }
            Self::Add { team, agent } | Self::Remove { team, agent } => {
                format!("teams[{team}].agents[{}]", agent.name)
            }
        }
    }

    /// Does it. A team that has ended takes every step: there is nothing left to change.
    ///
    /// # Errors
    /// Why it is as it was.
    pub(super) async fn take(
        self,
        directory: &Directory,
        log: &LogControl,
        by: &str,
    ) -> Result<(), String> {
        let by = by.to_owned();
        match self {
            Self::Log { filter } => log.configure(&filter).map_err(said),
            Self::Allow { hosts } => {
                directory.move_hosts().allow(hosts);
                Ok(())
            }
            Self::Retune { team, options } => {
                let Some((team, _)) = playing(directory, &team) else { return Ok(()) };
                team.call(RetuneTeam { options }, by).await.map_err(said)
            }
            Self::Keep { team, tuning } => {
                let Some((_, keeper)) = playing(directory, &team) else { return Ok(()) };
                keeper.retune(tuning).await.map_err(said)
            }
            Self::Move { team } => {
                let Some((handle, _)) = playing(directory, &team.name) else { return Ok(()) };
                // Teams that wait for bridges do not come here.
                let endpoint = plans::endpoint(&team, &Lobby::default()).ok_or("no port")?;
                handle.move_to(endpoint, Keep::ALL, by).await.map_err(said)?;
                directory.set_home(&team.name, &team.server);
                Ok(())
            }
            Self::Role { team, agent, role } => {
                let Some((team, _)) = playing(directory, &team) else { return Ok(()) };
                let agent = find(&team, &agent)?;
                let role = SetRole { agent, role, carry: Carry::Strict };
                team.call(role, by).await.map(drop).map_err(said)
            }
            Self::Password { team: name, agent, password } => {
                let Some((team, _)) = playing(directory, &name) else { return Ok(()) };
                if team.roster().find(&agent) == Some(AgentId(0)) {
                    directory.set_newcomers_password(&name, password.clone());
                }
                // An operator may have removed it.
                if let Ok(agent) = find(&team, &agent) {
                    team.set_password(agent, password);
                }
                Ok(())
            }
            Self::Add { team, agent } => {
                let Some((team, _)) = playing(directory, &team) else { return Ok(()) };
                let AgentSettings { name, user, password, role } = agent;
                let agent = AgentSpec { name, role, user: Some(user), password };
                team.add_agent(agent, by).await.map(drop).map_err(said)
            }
            Self::Remove { team, agent } => {
                let Some((team, _)) = playing(directory, &team) else { return Ok(()) };
                let agent = find(&team, &agent.name)?;
                team.remove_agent(agent, by).await.map_err(said)
            }
        }
    }
}

/// The team of that name, unless it is gone or has ended.
fn playing(directory: &Directory, team: &str) -> Option<(TeamHandle, KeeperHandle)> {
    directory.find(team).filter(|(handle, _)| handle.journal().is_some())
}

fn find(team: &TeamHandle, agent: &str) -> Result<AgentId, String> {
    let roster = team.roster();
    let agent_id = roster.find(agent).filter(|agent| roster.is_present(*agent));
    agent_id.ok_or_else(|| format!("there is no agent {agent}"))
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
