//! `phalanx team create`.

use super::life::{seated, tell};
use super::progress::spun;
use super::report::TrialText;
use super::secrets::password;
use super::{resource, run};
use crate::args::team::CreateArgs;
use crate::failure::{answered, misused, refused};
use crate::paint::Paint;
use anyhow::{Context, Result, bail};
use phalanx_control::client::{explain, refused as findings};
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{AgentPattern, AgentSpec, CreateTeamRequest, TeamSpec};
use phalanx_settings::{Environment, Sources, TeamSettings};
use secrecy::ExposeSecret;
use std::path::Path;
use tonic::Status;

/// `phalanx team create`.
///
/// # Errors
/// When the file or a password cannot be read, no daemon answers, or it refuses.
pub(super) fn create(args: &CreateArgs) -> Result<()> {
    let spec = match &args.file {
        Some(file) => of_file(file, args.name.as_deref())?,
        None => of_flags(args)?,
    };
    let name = spec.name.clone();
    run(&args.remote, async |link| {
        let request = CreateTeamRequest {
            team: Some(spec),
            stopped: args.stopped,
            request_id: args.once.request_id.clone(),
            validate_only: args.once.dry_run,
        };
        let mut teams = TeamsClient::new(link.clone());
        let making = spun(format!("creating team {name} …"), teams.create_team(request)).await;
        let made = making.map_err(|status| not_made(&status))?.into_inner().team;
        let made = made.context("the daemon's answer has no team")?;
        let made = match args.wait.wait {
            Some(limit) => seated(&mut teams, &resource(&name), limit).await?,
            None => made,
        };
        tell(&args.remote.print, &made, args.once.dry_run)
    })
}

/// The error for a refused team; if its strategy did not pass its trial, with all findings.
fn not_made(status: &Status) -> anyhow::Error {
    match findings(status) {
        Some((report, _)) => {
            let text = TrialText { report: &report, paint: Paint::stderr() };
            answered(status, format!("{}\n{text}", explain(status)))
        }
        None => refused(status),
    }
}

fn of_flags(args: &CreateArgs) -> Result<TeamSpec> {
    let name = args.name.clone().unwrap_or_default();
    let whole = |path: &Path| std::path::absolute(path).context("--strategy is not a valid path");
    let strategy = args.strategy.as_deref().map(whole).transpose()?.unwrap_or_default();
    let agents = args.agent.iter().map(|agent| AgentSpec {
        name: agent.name.clone(),
        role: agent.role.clone(),
        ..AgentSpec::default()
    });
    let pattern = args.agents.as_ref().map(|pattern| AgentPattern {
        prefix: pattern.prefix.clone(),
        count: pattern.count,
        first: None,
    });
    let deadline = args.deadline.map(prost_types::Duration::try_from).transpose();
    let options = args.option.iter().map(|one| (one.key.clone(), one.value.clone()));
    let whose = format!("the accounts of team {name}");
    Ok(TeamSpec {
        game: args.game.unwrap_or_default().to_owned(),
        server: args.server.clone().unwrap_or_default(),
        strategy: strategy.display().to_string(),
        agents: agents.collect(),
        pattern,
        role: args.role.clone().unwrap_or_default(),
        password: password(args.password_file.as_deref(), args.ask_password, &whose)?,
        seed: args.seed,
        deadline: deadline.map_err(|_| misused("--deadline: too long"))?,
        options: options.collect(),
        name,
    })
}

/// The team of a file, checked by the daemon's own rules: mistakes are reported by key and line.
fn of_file(file: &Path, name: Option<&str>) -> Result<TeamSpec> {
    let games = phalanx_games::keys();
    // The environment variables that override a daemon's settings do not apply here.
    let environment = Environment::default();
    let sources = Sources { file, environment: &environment, overrides: &[], games: &games };
    let settings =
        phalanx_settings::load(&sources).map_err(|mistakes| misused(format!("{mistakes}")))?;
    let mut teams = settings.teams;
    match name {
        Some(name) => teams.retain(|team| team.name == name),
        None if teams.len() > 1 => {
            let names: Vec<_> = teams.iter().map(|team| team.name.as_str()).collect();
            bail!(misused(format!("which team? {} has {}", file.display(), names.join(", "))));
        }
        None => {}
    }
    let team = teams
        .pop()
        .ok_or_else(|| misused(format!("{} has no such [[teams]] section", file.display())))?;
    of_settings(team)
}

fn of_settings(team: TeamSettings) -> Result<TeamSpec> {
    let strategy =
        std::path::absolute(&team.strategy).context("the strategy is not a valid path")?;
    let agents = team.agents.into_iter().map(|agent| AgentSpec {
        name: agent.name,
        user: agent.user,
        password: agent.password.expose_secret().to_owned(),
        role: agent.role,
    });
    // From the declarations, since the readable list leaves out secret options.
    let declared = phalanx_games::keys().into_iter().find(|game| game.name == team.game);
    let keys = declared.iter().flat_map(|game| game.options).map(|doc| doc.path);
    let option = |key: &str| {
        let value = team.options.get(key)?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Some((key.to_owned(), text))
    };
    let options = keys.filter_map(option).collect();
    Ok(TeamSpec {
        name: team.name,
        game: team.game,
        server: team.server,
        strategy: strategy.display().to_string(),
        agents: agents.collect(),
        seed: team.seed,
        deadline: prost_types::Duration::try_from(team.deadline).ok(),
        options,
        ..TeamSpec::default()
    })
}
