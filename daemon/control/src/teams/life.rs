//! Teams start, stop, move and end.

use super::{TeamsService, find};
use crate::TeamDirectory;
use crate::changes::{Call, check_etag};
use crate::error::{Reason, refuse, refuse_field};
use crate::{Made, MakeError, convert, refusal};
use futures_util::future::BoxFuture;
use phalanx_engine::Keep;
use phalanx_net::TeamEnd;
use phalanx_proto::v1;
use std::sync::Arc;
use std::time::Duration;
use tonic::Status;

/// Longest time for goodbyes that somebody may ask for.
const GRACE_MAX: Duration = Duration::from_secs(600);

/// How long the teams of the next match may take to come.
const AGAIN_MAX: Duration = Duration::from_secs(30);

impl TeamsService {
    pub(super) async fn start(
        &self,
        call: &Call,
        request: v1::StartTeamRequest,
    ) -> Result<v1::StartTeamResponse, Status> {
        let steered = self.steered("name", &request.name)?;
        let (by, asked) = (call.who.clone(), request.clone());
        let (directory, followers) = (Arc::clone(&self.directory), self.followers.clone());
        let work = async move {
            let _alone = steered.queue.lock().await;
            steered.check(&asked)?;
            if let Some(again) = steered.again(directory.as_ref(), asked.other_seed) {
                if !asked.validate_only {
                    tokio::time::timeout(AGAIN_MAX, again).await.ok();
                }
                let team = find(directory.as_ref(), "name", &asked.name)?;
                let team = Some(convert::team::team(team.as_ref(), true));
                return Ok(v1::StartTeamResponse { team });
            }
            if let Some(anew) = steered.anew(directory.as_ref(), &by) {
                if asked.validate_only {
                    return Ok(v1::StartTeamResponse { team: steered.shown() });
                }
                let (team, _) = anew.await.map_err(super::make::not_made)?;
                // What was kept for followers is of the match before.
                followers.forget(team.name()).await;
                let team = Some(convert::team::team(team.as_ref(), true));
                return Ok(v1::StartTeamResponse { team });
            }
            steered.check_alive()?;
            if !asked.validate_only {
                steered.team.handle.start(by).await.map_err(refusal::command)?;
            }
            Ok(v1::StartTeamResponse { team: steered.shown() })
        };
        self.changes.make(call, &request, work).await
    }

    pub(super) async fn stop(
        &self,
        call: &Call,
        request: v1::StopTeamRequest,
    ) -> Result<v1::StopTeamResponse, Status> {
        let steered = self.steered("name", &request.name)?;
        let (by, asked) = (call.who.clone(), request.clone());
        let work = async move {
            let _alone = steered.queue.lock().await;
            steered.check(&asked)?;
            steered.check_alive()?;
            if !asked.validate_only {
                steered.team.handle.stop(by).await.map_err(refusal::command)?;
            }
            Ok(v1::StopTeamResponse { team: steered.shown() })
        };
        self.changes.make(call, &request, work).await
    }

    pub(super) async fn restart(
        &self,
        call: &Call,
        request: v1::RestartTeamRequest,
    ) -> Result<v1::RestartTeamResponse, Status> {
        let steered = self.steered("name", &request.name)?;
        let (by, asked) = (call.who.clone(), request.clone());
        let work = async move {
            // Other changes may wait for the very thread that does not respond: not for them.
            steered.check(&asked)?;
            steered.check_alive()?;
            if !asked.validate_only {
                tracing::info!(team = steered.team.name(), by, "the team is restarted");
                steered.team.handle.restart(by).await.map_err(refusal::command)?;
            }
            Ok(v1::RestartTeamResponse { team: steered.shown() })
        };
        self.changes.make(call, &request, work).await
    }

    pub(super) async fn send(
        &self,
        call: &Call,
        request: v1::MoveTeamRequest,
        keep: Keep,
    ) -> Result<v1::MoveTeamResponse, Status> {
        let steered = self.steered("name", &request.name)?;
        let (by, role, asked) = (call.who.clone(), call.role, request.clone());
        let work = async move {
            let _alone = steered.queue.lock().await;
            steered.check(&asked)?;
            steered.check_alive()?;
            let endpoint = steered.team.destination(&asked.server, role)?;
            if !asked.validate_only {
                steered.team.move_to(endpoint, role, keep, by).await?;
            }
            Ok(v1::MoveTeamResponse { team: steered.shown() })
        };
        self.changes.make(call, &request, work).await
    }

    pub(super) async fn drain(
        &self,
        call: &Call,
        request: v1::DrainTeamRequest,
    ) -> Result<v1::DrainTeamResponse, Status> {
        let steered = self.steered("name", &request.name)?;
        let grace = request.grace.map(grace).transpose()?;
        let (by, asked) = (call.who.clone(), request.clone());
        let work = async move {
            let _alone = steered.queue.lock().await;
            steered.check(&asked)?;
            let stays = asked.validate_only || steered.team.handle.end().is_some();
            let stragglers = if stays { Vec::new() } else { steered.team.drain(grace, &by).await };
            Ok(v1::DrainTeamResponse { team: steered.shown(), stragglers })
        };
        self.changes.make(call, &request, work).await
    }

    pub(super) async fn delete(
        &self,
        call: &Call,
        request: v1::DeleteTeamRequest,
    ) -> Result<v1::DeleteTeamResponse, Status> {
        let maker = self.directory.maker().ok_or_else(super::make::fixed)?;
        let team = find(self.directory.as_ref(), "name", &request.name)?;
        let (by, asked) = (call.who.clone(), request.clone());
        let (changes, followers) = (self.changes.clone(), self.followers.clone());
        let work = async move {
            let queue = changes.queue(team.name());
            let _alone = queue.lock().await;
            check_etag(team.as_ref(), &asked.etag)?;
            let playing = team.handle.end().is_none();
            if playing && !team.handle.is_stopped() && !asked.force {
                let message = "the team plays: stop or drain it first, or delete it with force";
                return Err(refuse(Reason::TeamPlays, message, []));
            }
            if playing && !asked.validate_only {
                team.drain(None, &by).await;
            }
            let last = convert::team::team(team.as_ref(), true);
            if !asked.validate_only {
                maker.delete(team.name());
                followers.forget(team.name()).await;
                changes.forget(team.name());
            }
            Ok(v1::DeleteTeamResponse { team: Some(last) })
        };
        self.changes.make(call, &request, work).await
    }
}

impl super::Steered {
    /// The next match, if this team's match is over and the directory repeats matches.
    fn again(
        &self,
        directory: &dyn TeamDirectory,
        other_seed: bool,
    ) -> Option<BoxFuture<'static, ()>> {
        let is_over = self.team.handle.end() == Some(TeamEnd::MatchOver);
        is_over.then(|| directory.play_again(other_seed)).flatten()
    }

    /// The same team anew, if its match is over: the referee may play another one.
    fn anew(
        &self,
        directory: &dyn TeamDirectory,
        by: &str,
    ) -> Option<BoxFuture<'static, Result<Made, MakeError>>> {
        let is_over = self.team.handle.end() == Some(TeamEnd::MatchOver);
        is_over.then(|| directory.maker()?.again(self.team.name(), by.to_owned())).flatten()
    }

    fn check_alive(&self) -> Result<(), Status> {
        let Some(end) = self.team.handle.end() else { return Ok(()) };
        let name = self.team.name();
        let message = match end {
            TeamEnd::MatchOver => {
                format!("the match of team {name:?} is over, and this server plays no other one")
            }
            TeamEnd::Drained | TeamEnd::Crashed { .. } => format!("team {name:?} has ended"),
        };
        Err(refuse(Reason::TeamEnded, message, []))
    }
}

fn grace(grace: prost_types::Duration) -> Result<Duration, Status> {
    let grace = convert::time_asked(grace).filter(|grace| *grace <= GRACE_MAX);
    let expected = format!("from 0 to {} seconds", GRACE_MAX.as_secs());
    grace.ok_or_else(|| refuse_field(Reason::GraceMalformed, "grace", &expected))
}
