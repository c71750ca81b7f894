//! The verbs that start, stop, move and end teams.

use super::agents::troubles;
use super::progress::{Seats, spun};
use super::{resource, run, short, teams as shown};
use crate::cli::OutputArgs;
use crate::cli::team::{ChangeArgs, DeleteArgs, DrainArgs, MoveArgs, NamedArgs, StartArgs};
use crate::failure::{misused, refused};
use crate::paint::Paint;
use anyhow::{Context, Result, bail};
use phalanx_control::client::Link;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{
    DeleteTeamRequest, DrainTeamRequest, GetTeamRequest, MoveTeamRequest, RestartTeamRequest,
    StartTeamRequest, StopTeamRequest, Team, TeamState,
};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;
use tonic::{Response, Status};

/// How often a team is looked at while somebody waits for it.
const LOOK: Duration = Duration::from_millis(200);

/// What every request that changes something carries.
pub(super) struct Change {
    pub(super) request_id: String,
    pub(super) etag: String,
    pub(super) validate_only: bool,
}

impl From<&ChangeArgs> for Change {
    fn from(args: &ChangeArgs) -> Self {
        Self {
            request_id: args.request_id.clone(),
            etag: args.etag.clone(),
            validate_only: args.dry_run,
        }
    }
}

/// What the daemon answered.
pub(super) fn answer<T>(answer: Result<Response<T>, Status>) -> Result<T> {
    answer.map(Response::into_inner).map_err(|status| refused(&status))
}

/// `phalanx team start`.
pub(super) fn start(args: &StartArgs) -> Result<()> {
    let NamedArgs { name, change } = &args.team;
    run(&change.remote, async |link| {
        let Change { request_id, etag, validate_only } = change.into();
        let name = resource(name);
        let request = StartTeamRequest { name: name.clone(), request_id, etag, validate_only };
        let mut teams = TeamsClient::new(link);
        let team = answer(teams.start_team(request).await)?.team;
        let team = match args.wait.wait {
            Some(limit) => seated(&mut teams, &name, limit).await?,
            None => team.context("the daemon's answer has no team")?,
        };
        tell(&change.remote.print, &team, change.dry_run)
    })
}

/// `phalanx team stop`.
pub(super) fn stop(args: &NamedArgs) -> Result<()> {
    let NamedArgs { name, change } = args;
    run(&change.remote, async |link| {
        let Change { request_id, etag, validate_only } = change.into();
        let request = StopTeamRequest { name: resource(name), request_id, etag, validate_only };
        let mut teams = TeamsClient::new(link);
        let what = format!("team {} says goodbye …", short(name));
        let team = answer(spun(what, teams.stop_team(request)).await)?.team;
        tell(&change.remote.print, &team.unwrap_or_default(), change.dry_run)
    })
}

/// `phalanx team restart`.
pub(super) fn restart(args: &NamedArgs) -> Result<()> {
    let NamedArgs { name, change } = args;
    run(&change.remote, async |link| {
        let Change { request_id, etag, validate_only } = change.into();
        let request = RestartTeamRequest { name: resource(name), request_id, etag, validate_only };
        let mut teams = TeamsClient::new(link);
        let what = format!("team {} begins anew …", short(name));
        let team = answer(spun(what, teams.restart_team(request)).await)?.team;
        tell(&change.remote.print, &team.unwrap_or_default(), change.dry_run)
    })
}

/// `phalanx team drain`; exit code 1 when somebody had to be cut off.
pub(super) fn drain(args: &DrainArgs) -> Result<()> {
    let NamedArgs { name, change } = &args.team;
    let grace = args.grace.map(prost_types::Duration::try_from).transpose();
    let grace = grace.map_err(|_| misused("--grace: too long"))?;
    run(&change.remote, async |link| {
        let Change { request_id, etag, validate_only } = change.into();
        let name = resource(name);
        let request = DrainTeamRequest { name, grace, request_id, etag, validate_only };
        let mut teams = TeamsClient::new(link);
        let what = format!("draining team {} …", short(&args.team.name));
        let drained = answer(spun(what, teams.drain_team(request)).await)?;
        tell(&change.remote.print, &drained.team.unwrap_or_default(), change.dry_run)?;
        if !drained.stragglers.is_empty() {
            bail!("cut off, for they were not done in time: {}", drained.stragglers.join(", "));
        }
        Ok(())
    })
}

/// `phalanx team delete`.
pub(super) fn delete(args: &DeleteArgs) -> Result<()> {
    let NamedArgs { name, change } = &args.team;
    run(&change.remote, async |link| {
        let Change { request_id, etag, validate_only } = change.into();
        let (name, force) = (resource(name), args.force);
        let request = DeleteTeamRequest { name, force, request_id, etag, validate_only };
        let mut teams = TeamsClient::new(link);
        let what = format!("deleting team {} …", short(&args.team.name));
        let team = answer(spun(what, teams.delete_team(request)).await)?.team.unwrap_or_default();
        let told = json!({ "deleted": short(&team.name), "team": shown::team_json(&team) });
        change.remote.print.tell(&told, || {
            format!("{}team {} is deleted", checked(change.dry_run), short(&team.name))
        })
    })
}

/// `phalanx team move`.
pub(super) fn send(args: &MoveArgs) -> Result<()> {
    let change = &args.change;
    run(&change.remote, async |link| {
        let Change { request_id, etag, validate_only } = change.into();
        let request = MoveTeamRequest {
            name: resource(&args.name),
            server: args.address.clone(),
            keep_world: !args.forget_world,
            keep_memory: !args.forget_memory,
            request_id,
            etag,
            validate_only,
        };
        let mut teams = TeamsClient::new(link);
        let what = format!("team {} says goodbye …", short(&args.name));
        let team = answer(spun(what, teams.move_team(request)).await)?.team;
        tell(&change.remote.print, &team.unwrap_or_default(), change.dry_run)
    })
}

/// The team when all of its seats are seated.
pub(super) async fn seated(
    teams: &mut TeamsClient<Link>,
    name: &str,
    limit: Duration,
) -> Result<Team> {
    let bar = Seats::new(short(name), limit);
    let end = Instant::now() + limit;
    loop {
        let request = GetTeamRequest { name: name.to_owned() };
        let team = answer(teams.get_team(request).await)?.team;
        let team = team.context("the daemon's answer has no team")?;
        bar.seen(team.seated_count, team.agent_count);
        if team.seated_count == team.agent_count {
            return Ok(team);
        }
        let over = team.state() == TeamState::Over;
        if over || Instant::now() >= end {
            let after = match over {
                true => "it has ended".to_owned(),
                false => format!("not in {}", humantime::format_duration(limit)),
            };
            let (seated, all) = (team.seated_count, team.agent_count);
            let why = troubles(&team.agents, Paint::none());
            bail!("team {}: {seated} of {all} seats are seated: {after}{why}", short(name));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Tells how a team stands after a change.
pub(super) fn tell(print: &OutputArgs, team: &Team, dry_run: bool) -> Result<()> {
    print.tell(&shown::team_json(team), || format!("{}{}", checked(dry_run), shown::line(team)))
}

/// What stands before what would be done.
pub(super) fn checked(dry_run: bool) -> &'static str {
    if dry_run { "only checked: " } else { "" }
}
