//! The service `Matches`.

use crate::error::{Reason, refuse, refuse_field};
use crate::follow::Followers;
use crate::shares::StreamHolder;
use crate::tail::{Begin, Tails};
use crate::{TeamDirectory, convert, teams};
use futures_util::stream::BoxStream;
use phalanx_engine::{JournalEvent, NotExplained, WhichTurn};
use phalanx_net::JournalItem;
use phalanx_proto::v1;
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// Reads the event logs.
pub(crate) struct MatchesService {
    pub(crate) directory: Arc<dyn TeamDirectory>,
    pub(crate) followers: Arc<Followers>,
    pub(crate) tails: Tails,
}

#[tonic::async_trait]
impl v1::matches_server::Matches for MatchesService {
    type WatchMatchStream = BoxStream<'static, Result<v1::WatchMatchResponse, Status>>;

    async fn watch_match(
        &self,
        request: Request<v1::WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        let holder = StreamHolder::of(&request);
        let v1::WatchMatchRequest { team, cursor, decisions } = request.into_inner();
        let team = teams::find(self.directory.as_ref(), "team", &team)?;
        let (log, name) = (self.followers.log(&team), team.name().to_owned());
        let show = move |cursor, item: &JournalItem| {
            let event =
                (decisions || !is_decision(item)).then(|| convert::event(&name, cursor, item));
            event.map(|event| v1::WatchMatchResponse { event: Some(event) })
        };
        Ok(Response::new(self.tails.open(holder, log, (&cursor, Begin::Next), show)?))
    }

    async fn explain_decision(
        &self,
        request: Request<v1::ExplainDecisionRequest>,
    ) -> Result<Response<v1::ExplainDecisionResponse>, Status> {
        let request = request.into_inner();
        let (team, agent) = teams::agents::parts(&request.name)?;
        let which = which(&request)?;
        let team = teams::find(self.directory.as_ref(), "name", team)?;
        let roster = team.handle.roster();
        if roster.find(agent).is_none() {
            let names: Vec<_> = roster.present().map(|agent| roster.name(agent)).collect();
            let (team, names) = (team.name(), names.join(", "));
            let message = format!("team {team:?} has no agent {agent:?}; there are {names}");
            return Err(refuse(Reason::AgentNotFound, message, [("agent", agent.to_owned())]));
        }
        let explained = self.followers.explain(&team, agent, which);
        let explained = explained.map_err(|why| not_explained(agent, &why))?;
        let name = request.name.clone();
        let explanation = Some(convert::provenance::explanation(team.name(), name, &explained));
        Ok(Response::new(v1::ExplainDecisionResponse { explanation }))
    }
}

/// The turn that a request selects.
fn which(request: &v1::ExplainDecisionRequest) -> Result<WhichTurn, Status> {
    let refuse = |field, expected| Err(refuse_field(Reason::TurnsMalformed, field, expected));
    match (request.step, request.round, request.ago) {
        (Some(step), round, 0) => Ok(WhichTurn::Step { round, step }),
        (Some(_), _, _) => refuse("ago", "0 where a step is given"),
        (None, Some(_), _) => refuse("round", "a step beside the round"),
        (None, None, ago) => Ok(WhichTurn::Ago(ago)),
    }
}

fn not_explained(agent: &str, why: &NotExplained) -> Status {
    match why {
        NotExplained::Nothing => refuse(Reason::TurnNotKept, why.to_string(), []),
        NotExplained::NotKept { oldest, newest } => {
            let turns = [("oldest", oldest.to_string()), ("newest", newest.to_string())];
            refuse(Reason::TurnNotKept, why.to_string(), turns)
        }
        NotExplained::NotAsked { near } => {
            let turns: Vec<_> = near.iter().map(ToString::to_string).collect();
            let turns = [("turns", turns.join(" "))];
            refuse(Reason::NotAsked, format!("{agent}: {why}"), turns)
        }
    }
}

fn is_decision(item: &JournalItem) -> bool {
    matches!(item, JournalItem::Entry(entry) if matches!(entry.event, JournalEvent::Decided { .. }))
}
