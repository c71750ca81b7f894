//! The service `Matches`.

use crate::follow::Followers;
use crate::tail::{Begin, Tails};
use crate::{Feed, TeamDirectory, convert, teams};
use futures_util::stream::BoxStream;
use phalanx_engine::JournalEvent;
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
        let v1::WatchMatchRequest { team, cursor, decisions } = request.into_inner();
        let team = teams::find(self.directory.as_ref(), "team", &team)?;
        let (log, name) = (self.followers.log(&team), team.name().to_owned());
        let show = move |cursor, item: &Feed| {
            let event =
                (decisions || !is_decision(item)).then(|| convert::event(&name, cursor, item));
            event.map(|event| v1::WatchMatchResponse { event: Some(event) })
        };
        Ok(Response::new(self.tails.open(log, (&cursor, Begin::Next), show)?))
    }
}

fn is_decision(item: &Feed) -> bool {
    matches!(item, Feed::Entry(entry) if matches!(entry.event, JournalEvent::Decided { .. }))
}
