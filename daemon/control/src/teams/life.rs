//! Teams start, stop, move and end.

use super::agents::refused;
use super::{TeamsService, find};
use crate::changes::{Call, check_etag};
use crate::convert;
use crate::error::{Reason, refuse, refuse_field};
use phalanx_engine::Keep;
use phalanx_proto::v1;
use std::time::Duration;
use tonic::Status;

/// Longest time for goodbyes that somebody may ask for.
const GRACE_MAX: Duration = Duration::from_secs(600);

impl TeamsService {
    pub(super) async fn start(
        &self,
        call: &Call,
        request: v1::StartTeamRequest,
    ) -> Result<v1::StartTeamResponse, Status> {
        let steered = self.steered("name", &request.name)?;
        let (by, asked) = (call.who.clone(), request.clone());
        let work = async move {
            let _alone = steered.queue.lock().await;
            steered.check(&asked)?;
            steered.check_alive()?;
            if !asked.validate_only {
                steered.controls.start(by).await.map_err(refused)?;
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
                steered.controls.stop(by).await.map_err(refused)?;
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
                steered.controls.restart(by).await.map_err(refused)?;
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
            steered.controls.check_server(&asked.server, role).map_err(refused)?;
            if !asked.validate_only {
                let server = asked.server.clone();
                steered.controls.move_to(server, role, keep, by).await.map_err(refused)?;
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
            let stays = asked.validate_only || steered.team.end().is_some();
            let stragglers = if stays {
                Vec::new()
            } else {
                steered.controls.drain(grace, by).await.map_err(refused)?
            };
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
            let stopped = team.controls().is_some_and(|controls| controls.is_stopped());
            if team.end().is_none() && !stopped && !asked.force {
                let message = "the team plays: stop or drain it first, or delete it with force";
                return Err(refuse(Reason::TeamPlays, message, []));
            }
            let controls = team.controls().filter(|_| team.end().is_none());
            if let Some(controls) = controls.filter(|_| !asked.validate_only) {
                controls.drain(None, by).await.map_err(refused)?;
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
    fn check_alive(&self) -> Result<(), Status> {
        if self.team.end().is_none() {
            return Ok(());
        }
        let message = format!("team {:?} has ended", self.team.name());
        Err(refuse(Reason::TeamEnded, message, []))
    }
}

fn grace(grace: prost_types::Duration) -> Result<Duration, Status> {
    let grace = convert::time_asked(grace).filter(|grace| *grace <= GRACE_MAX);
    let expected = format!("from 0 to {} seconds", GRACE_MAX.as_secs());
    grace.ok_or_else(|| refuse_field(Reason::GraceMalformed, "grace", &expected))
}
