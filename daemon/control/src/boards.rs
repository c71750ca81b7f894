//! The service `Boards`.

mod follow;
mod stream;

use crate::changes::{Call, Changes};
use crate::convert::{board, value};
use crate::error::{Reason, refuse, refuse_field};
use crate::page::Page;
use crate::shares::{Holder, Shares};
use crate::{Asking, TeamDirectory, TeamView, caller, teams, wait};
use follow::BoardFollowers;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use phalanx_engine::{
    BoardError, BoardItem, BoardRead, BoardWrite, BoardWriteError, EXPIRY_TURNS_MAX,
};
use phalanx_game::Value;
use phalanx_proto::v1;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tonic::{Request, Response, Status};

/// Longest resource name of an entry that is looked up, in bytes: the longest key fits, escaped.
const NAME_BYTES_MAX: usize = 1_200;
/// Longest prefix of keys, in bytes.
const PREFIX_BYTES_MAX: usize = 200;

/// Asks the teams.
pub(crate) struct BoardsService {
    directory: Arc<dyn TeamDirectory>,
    changes: Changes,
    followers: BoardFollowers,
    /// One slot an open stream.
    streams: Arc<Shares>,
    closing: watch::Receiver<bool>,
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl v1::boards_server::Boards for BoardsService {
    type WatchBoardStream = BoxStream<'static, Result<v1::WatchBoardResponse, Status>>;

    async fn get_entry(
        &self,
        request: Request<v1::GetEntryRequest>,
    ) -> Answer<v1::GetEntryResponse> {
        let patience = caller::patience(request.metadata());
        let name = request.into_inner().name;
        let (team, key) = self.find(&name)?;
        let page = self.wait(patience, team.read_board(BoardRead::Key(key.clone()))).await?;
        let item = page.items.first().ok_or_else(|| not_found(&team, &key))?;
        let entry = Some(board::entry(team.name(), item));
        Ok(Response::new(v1::GetEntryResponse { entry }))
    }

    async fn list_entries(
        &self,
        request: Request<v1::ListEntriesRequest>,
    ) -> Answer<v1::ListEntriesResponse> {
        let patience = caller::patience(request.metadata());
        let request = request.into_inner();
        let team = teams::find(self.directory.as_ref(), "parent", &request.parent)?;
        let page = Page::parse(request.page_size, &request.page_token)?;
        let prefix = bounded_prefix(request.prefix)?;
        let (after, max) = (page.after().map(str::to_owned), page.size());
        let read = team.read_board(BoardRead::Range { prefix, after, max });
        let found = self.wait(patience, read).await?;
        let last = found.items.last().filter(|_| found.more);
        let next_page_token = last.map(|item| Page::token(&item.key)).unwrap_or_default();
        let entries = found.items.iter().map(|item| board::entry(team.name(), item)).collect();
        Ok(Response::new(v1::ListEntriesResponse { entries, next_page_token }))
    }

    async fn set_entry(
        &self,
        request: Request<v1::SetEntryRequest>,
    ) -> Answer<v1::SetEntryResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let (team, key) = self.find(&request.name)?;
        let value = request.value.clone().and_then(value::whole_from_api);
        let value = value.filter(|value| *value != Value::Nil).ok_or_else(|| {
            let depth = value::DEPTH_MAX;
            let expected = format!("a value without nulls, nested at most {depth} deep");
            refuse_field(Reason::BoardValue, "value", &expected)
        })?;
        let etag = (!request.etag.is_empty()).then(|| request.etag.clone());
        let (turns, validate_only, by) = (request.turns, request.validate_only, call.who.clone());
        let write = BoardWrite { key, value, turns, etag, validate_only, by };
        let work = async move {
            let item = written(&team, write).await?;
            let entry = item.map(|item| board::entry(team.name(), &item));
            Ok(v1::SetEntryResponse { entry })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn delete_entry(
        &self,
        request: Request<v1::DeleteEntryRequest>,
    ) -> Answer<v1::DeleteEntryResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let (team, key) = self.find(&request.name)?;
        let etag = (!request.etag.is_empty()).then(|| request.etag.clone());
        let (value, validate_only, by) = (Value::Nil, request.validate_only, call.who.clone());
        let write = BoardWrite { key, value, turns: None, etag, validate_only, by };
        let work = async move {
            written(&team, write).await?;
            Ok(v1::DeleteEntryResponse {})
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn watch_board(
        &self,
        request: Request<v1::WatchBoardRequest>,
    ) -> Answer<Self::WatchBoardStream> {
        let holder = Holder::of(&request);
        let request = request.into_inner();
        let team = teams::find(self.directory.as_ref(), "team", &request.team)?;
        let prefix = bounded_prefix(request.prefix)?;
        let lease = self.streams.open(holder)?;
        let feed = self.followers.feed(&team);
        let news = stream::news(feed, prefix, &request.cursor, self.closing.clone())?;
        Ok(Response::new(lease.watch(news.boxed()).boxed()))
    }
}

impl BoardsService {
    pub(crate) fn new(
        directory: Arc<dyn TeamDirectory>,
        streams: Arc<Shares>,
        changes: Changes,
        changes_max: usize,
        closing: watch::Receiver<bool>,
    ) -> Self {
        Self { directory, changes, followers: BoardFollowers::new(changes_max), streams, closing }
    }

    /// The team and the key of an entry's name.
    fn find(&self, name: &str) -> Result<(Arc<dyn TeamView>, String), Status> {
        let split = if name.len() > NAME_BYTES_MAX { None } else { board::split(name) };
        let (team, key) = split.ok_or_else(|| {
            let expected = "a resource name such as teams/A/board/goal, the key percent-encoded";
            refuse_field(Reason::NameMalformed, "name", expected)
        })?;
        Ok((teams::find(self.directory.as_ref(), "name", team)?, key))
    }

    async fn wait<T>(&self, patience: Option<Duration>, asking: Asking<T>) -> Result<T, Status> {
        wait::answer(&self.closing, patience, asking).await?.map_err(teams::unanswered)
    }
}

async fn written(team: &Arc<dyn TeamView>, write: BoardWrite) -> Result<Option<BoardItem>, Status> {
    let written = team.write_board(write).await.map_err(teams::unanswered)?;
    written.map_err(|error| not_written(team, error))
}

fn bounded_prefix(prefix: String) -> Result<String, Status> {
    if prefix.len() <= PREFIX_BYTES_MAX {
        return Ok(prefix);
    }
    let expected = format!("at most {PREFIX_BYTES_MAX} bytes");
    Err(refuse_field(Reason::NameMalformed, "prefix", &expected))
}

fn not_found(team: &Arc<dyn TeamView>, key: &str) -> Status {
    let message = format!("the board of team {:?} has nothing under {key:?}", team.name());
    let name = board::name(team.name(), key);
    refuse(Reason::BoardKeyNotFound, message, [("name", name)])
}

fn not_written(team: &Arc<dyn TeamView>, error: BoardWriteError) -> Status {
    let message = error.to_string();
    match error {
        BoardWriteError::NotFound { key } => not_found(team, &key),
        BoardWriteError::Changed { now, .. } => {
            refuse(Reason::EtagMismatch, message, [("etag", now)])
        }
        BoardWriteError::Turns { .. } => {
            let expected = format!("1 to {EXPIRY_TURNS_MAX}, or absent for ever");
            refuse_field(Reason::TurnsMalformed, "turns", &expected)
        }
        BoardWriteError::Busy(_) => refuse(Reason::TeamBusy, message, []),
        BoardWriteError::Limit(limit) => match limit {
            BoardError::Key { max, got } => too_large(Reason::BoardKeyTooLong, message, max, got),
            BoardError::Value { max, got } => {
                too_large(Reason::BoardValueTooLarge, message, max, got)
            }
            BoardError::Full(max) | BoardError::Total(max) => {
                refuse(Reason::BoardFull, message, [("max", max.to_string())])
            }
        },
    }
}

fn too_large(reason: Reason, message: String, max: usize, got: usize) -> Status {
    refuse(reason, message, [("max", max.to_string()), ("got", got.to_string())])
}
