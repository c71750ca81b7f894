//! The verbs around teams, and those that start, stop, move, drain and delete teams: the command line
//! of each, and what it does.

use super::progress::{Seats, spun};
use super::troubles::troubles;
use super::{create, resource, run, short, teams as shown};
use crate::args::team::{ChangeArgs, CreateArgs, ShowArgs, WaitArgs};
use crate::args::{Look, OutputArgs, duration};
use crate::failure::{misused, refused};
use crate::paint::Paint;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use phalanx_control::client::Link;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{
    DeleteTeamRequest, DrainTeamRequest, GetTeamRequest, MoveTeamRequest, RestartTeamRequest,
    StartTeamRequest, StopTeamRequest, Team, TeamState,
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;
use tonic::{Response, Status};

/// Interval between checks of a team while waiting for it.
const LOOK: Duration = Duration::from_millis(200);

/// `phalanx team`.
#[derive(Debug, Subcommand)]
pub enum TeamVerb {
    /// List the teams, one line each.
    ///
    /// A team is waiting until its first seat has logged in, ready until its first turn, then
    /// playing. It is stopped while an operator keeps it from its referee, and over after its match.
    /// In JSON, a ready team is `playing` without a turn.
    #[command(visible_alias = "ls")]
    List(Look),
    /// Show one team: its turn, its score, its alerts and each of its agents.
    Show(ShowArgs),
    /// Create a team that plays until you delete it or the daemon ends.
    Create(Box<CreateArgs>),
    /// Connect a stopped team to its referee again, or play the next match after one that is over.
    Start(StartArgs),
    /// Disconnect a team from its referee until you start it again; it keeps what it knows.
    Stop(NamedArgs),
    /// Restart a team's thread from the last checkpoint, even when the thread does not respond.
    ///
    /// The seats stay connected and answer meanwhile. A script that did not return is not called
    /// again; scripts that were suspended before get another chance.
    Restart(NamedArgs),
    /// End a team for good: it answers its open turns, logs out and ends.
    Drain(DrainArgs),
    /// Delete a team from the daemon, with all that it knows, and free its name.
    Delete(DeleteArgs),
    /// Move a team to another address of its game's referee.
    Move(MoveArgs),
}

/// `phalanx team …`.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn team(verb: TeamVerb) -> Result<()> {
    match verb {
        TeamVerb::List(look) => shown::list(&look),
        TeamVerb::Show(args) => shown::show(&args),
        TeamVerb::Create(args) => create::create(&args),
        TeamVerb::Start(args) => start(&args),
        TeamVerb::Stop(args) => stop(&args),
        TeamVerb::Restart(args) => restart(&args),
        TeamVerb::Drain(args) => drain(&args),
        TeamVerb::Delete(args) => delete(&args),
        TeamVerb::Move(args) => send(&args),
    }
}

/// Arguments of a verb that changes one team.
#[derive(Args, Clone, Debug)]
pub struct NamedArgs {
    /// The team's name.
    pub name: String,
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// Fields that every changing request has.
pub(super) struct Change {
    pub(super) request_id: String,
    pub(super) etag: String,
    pub(super) validate_only: bool,
}

impl From<&ChangeArgs> for Change {
    fn from(args: &ChangeArgs) -> Self {
        Self {
            request_id: args.once.request_id.clone(),
            etag: args.etag.clone(),
            validate_only: args.once.dry_run,
        }
    }
}

/// Unwraps an answer, or makes an error of its status.
pub(super) fn answer<T>(answer: Result<Response<T>, Status>) -> Result<T> {
    answer.map(Response::into_inner).map_err(|status| refused(&status))
}

/// `phalanx team start`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx team start A --wait=30s
  phalanx team start A --other-seed          in a demo whose match is over: another map")]
pub struct StartArgs {
    #[command(flatten)]
    pub team: NamedArgs,
    /// After a demo's match: play the next one with another seed.
    #[arg(long)]
    pub other_seed: bool,
    #[command(flatten)]
    pub wait: WaitArgs,
}

fn start(args: &StartArgs) -> Result<()> {
    steer(&args.team, async |mut teams, name, change| {
        let Change { request_id, etag, validate_only } = change;
        let request = StartTeamRequest {
            name: name.clone(),
            request_id,
            etag,
            validate_only,
            other_seed: args.other_seed,
        };
        let team = answer(teams.start_team(request).await)?.team;
        match args.wait.wait {
            Some(limit) => seated(&mut teams, &name, limit).await.map(Some),
            None => Ok(team),
        }
    })
}

fn stop(args: &NamedArgs) -> Result<()> {
    steer(args, async |mut teams, name, change| {
        let Change { request_id, etag, validate_only } = change;
        let what = format!("stopping team {} …", short(&name));
        let request = StopTeamRequest { name, request_id, etag, validate_only };
        Ok(answer(spun(what, teams.stop_team(request)).await)?.team)
    })
}

fn restart(args: &NamedArgs) -> Result<()> {
    steer(args, async |mut teams, name, change| {
        let Change { request_id, etag, validate_only } = change;
        let what = format!("restarting team {} …", short(&name));
        let request = RestartTeamRequest { name, request_id, etag, validate_only };
        Ok(answer(spun(what, teams.restart_team(request)).await)?.team)
    })
}

/// Changes a team, and prints its new state.
fn steer(
    NamedArgs { name, change }: &NamedArgs,
    verb: impl AsyncFnOnce(TeamsClient<Link>, String, Change) -> Result<Option<Team>>,
) -> Result<()> {
    run(&change.remote, async |link| {
        let team = verb(TeamsClient::new(link), resource(name), change.into()).await?;
        let team = team.context("the daemon's answer has no team")?;
        tell(&change.remote.print, &team, change.once.dry_run)
    })
}

/// `phalanx team drain`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx team drain A --grace 5s

Exit code: 1 when seats had to be cut off.")]
pub struct DrainArgs {
    #[command(flatten)]
    pub team: NamedArgs,
    /// Longest time for answering and logging out; seats that need longer are cut off [default: the
    /// daemon's `limits.drain_max`].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub grace: Option<Duration>,
}

/// Exit code 1 when seats had to be cut off.
fn drain(args: &DrainArgs) -> Result<()> {
    let grace = args.grace.map(prost_types::Duration::try_from).transpose();
    let grace = grace.map_err(|_| misused("--grace: too long"))?;
    let mut stragglers = Vec::new();
    steer(&args.team, async |mut teams, name, change| {
        let Change { request_id, etag, validate_only } = change;
        let what = format!("draining team {} …", short(&name));
        let request = DrainTeamRequest { name, grace, request_id, etag, validate_only };
        let drained = answer(spun(what, teams.drain_team(request)).await)?;
        stragglers = drained.stragglers;
        Ok(drained.team)
    })?;
    if !stragglers.is_empty() {
        bail!("cut off because they did not finish in time: {}", stragglers.join(", "));
    }
    Ok(())
}

/// `phalanx team delete`.
#[derive(Args, Clone, Debug)]
pub struct DeleteArgs {
    #[command(flatten)]
    pub team: NamedArgs,
    /// Delete it even while it plays: it is drained first.
    #[arg(long)]
    pub force: bool,
}

fn delete(args: &DeleteArgs) -> Result<()> {
    let NamedArgs { name, change } = &args.team;
    run(&change.remote, async |link| {
        let Change { request_id, etag, validate_only } = change.into();
        let (name, force) = (resource(name), args.force);
        let request = DeleteTeamRequest { name, force, request_id, etag, validate_only };
        let mut teams = TeamsClient::new(link);
        let what = format!("deleting team {} …", short(&args.team.name));
        let team = answer(spun(what, teams.delete_team(request)).await)?.team.unwrap_or_default();
        let output = json!({ "deleted": short(&team.name), "team": shown::team_json(&team) });
        let output = only_checked(output, change.once.dry_run);
        change.remote.print.tell(&output, || {
            format!("{}team {} is deleted", checked(change.once.dry_run), short(&team.name))
        })
    })
}

/// `phalanx team move`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx team move A backup:12300                                    continue the same match there
  phalanx team move A finals:12300 --forget-world --forget-memory     begin another match there")]
pub struct MoveArgs {
    #[command(flatten)]
    pub team: NamedArgs,
    /// The referee's new address, host:port. The agents' passwords are sent there. Operators may
    /// use the address in the team's settings and those in control.move_hosts, admins any address.
    pub address: String,
    /// Begin a new round in an empty world, with an empty board.
    #[arg(long)]
    pub forget_world: bool,
    /// Empty the agents' memories.
    #[arg(long)]
    pub forget_memory: bool,
}

fn send(args: &MoveArgs) -> Result<()> {
    steer(&args.team, async |mut teams, name, change| {
        let Change { request_id, etag, validate_only } = change;
        let what = format!("moving team {} …", short(&name));
        let request = MoveTeamRequest {
            name,
            server: args.address.clone(),
            keep_world: !args.forget_world,
            keep_memory: !args.forget_memory,
            request_id,
            etag,
            validate_only,
        };
        Ok(answer(spun(what, teams.move_team(request)).await)?.team)
    })
}

/// Waits until all seats are connected; returns the team.
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
                false => format!("not within {}", humantime::format_duration(limit)),
            };
            let (seated, all) = (team.seated_count, team.agent_count);
            let why = troubles(&team.agents, Paint::none());
            bail!("team {}: {seated} of {all} seats are seated: {after}{why}", short(name));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Prints a team's state after a change.
pub(super) fn tell(print: &OutputArgs, team: &Team, dry_run: bool) -> Result<()> {
    let json = only_checked(shown::team_json(team), dry_run);
    print.tell(&json, || format!("{}{}", checked(dry_run), shown::line(team)))
}

/// Says in JSON that a change was only checked.
pub(super) fn only_checked(mut json: Value, dry_run: bool) -> Value {
    if let (true, Some(fields)) = (dry_run, json.as_object_mut()) {
        fields.insert("dry_run".to_owned(), Value::Bool(true));
    }
    json
}

/// Prefix of a message about a change that was only checked.
pub(super) fn checked(dry_run: bool) -> &'static str {
    if dry_run { "only checked: " } else { "" }
}
