//! The service `Boards`.

mod follow;
mod stream;

use crate::changes::{Call, Changes};
use crate::convert::{board, value};
use crate::error::{Reason, RpcResult, refuse, refuse_field};
use crate::page::Page;
use crate::shares::{StreamHolder, StreamSlots};
use crate::{ServedTeam, TeamDirectory, caller, refusal, teams, wait};
use follow::BoardFollowers;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use phalanx_engine::{BoardItem, BoardRead, BoardWrite, BoardWriteError, CommandError};
use phalanx_game::Value;
use phalanx_proto::v1;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tonic::{Request, Response, Status};

/// Longest accepted resource name of an entry, in bytes: the longest key fits, escaped.
const NAME_BYTES_MAX: usize = 1_200;
/// Longest prefix of keys, in bytes.
const PREFIX_BYTES_MAX: usize = 200;

/// Reads and writes the boards of teams.
pub(crate) struct BoardsService {
    directory: Arc<dyn TeamDirectory>,
    changes: Changes,
    followers: BoardFollowers,
    /// A slot for each open stream.
    streams: Arc<StreamSlots>,
    closing: watch::Receiver<bool>,
}

#[tonic::async_trait]
impl v1::boards_server::Boards for BoardsService {
    type WatchBoardStream = BoxStream<'static, Result<v1::WatchBoardResponse, Status>>;

    async fn get_entry(
        &self,
        request: Request<v1::GetEntryRequest>,
    ) -> RpcResult<v1::GetEntryResponse> {
        let patience = caller::patience(request.metadata());
        let name = request.into_inner().name;
        let (team, key) = self.find(&name)?;
        let page =
            self.wait(patience, team.call(BoardRead::Key(key.clone()), String::new())).await?;
        let item = page.items.first().ok_or_else(|| not_found(&team, &key))?;
        let entry = Some(board::entry(team.name(), item));
        Ok(Response::new(v1::GetEntryResponse { entry }))
    }

    async fn list_entries(
        &self,
        request: Request<v1::ListEntriesRequest>,
    ) -> RpcResult<v1::ListEntriesResponse> {
        let patience = caller::patience(request.metadata());
        let request = request.into_inner();
        let team = teams::find(self.directory.as_ref(), "parent", &request.parent)?;
        let page = Page::parse(request.page_size, &request.page_token)?;
        let prefix = bounded_prefix(request.prefix)?;
        let (after, max) = (page.after().map(str::to_owned), page.size());
        let read = team.call(BoardRead::Range { prefix, after, max }, String::new());
        let found = self.wait(patience, read).await?;
        let last = found.items.last().filter(|_| found.more);
        let next_page_token = last.map(|item| Page::token(&item.key)).unwrap_or_default();
        let entries = found.items.iter().map(|item| board::entry(team.name(), item)).collect();
        Ok(Response::new(v1::ListEntriesResponse { entries, next_page_token }))
    }

    async fn set_entry(
        &self,
        request: Request<v1::SetEntryRequest>,
    ) -> RpcResult<v1::SetEntryResponse> {
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
        let write = BoardWrite { key, value, turns, etag, validate_only };
        let work = async move {
            let item = written(&team, write, by).await?;
            let entry = item.map(|item| board::entry(team.name(), &item));
            Ok(v1::SetEntryResponse { entry })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn delete_entry(
        &self,
        request: Request<v1::DeleteEntryRequest>,
    ) -> RpcResult<v1::DeleteEntryResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let (team, key) = self.find(&request.name)?;
        let etag = (!request.etag.is_empty()).then(|| request.etag.clone());
        let (value, validate_only, by) = (Value::Nil, request.validate_only, call.who.clone());
        let write = BoardWrite { key, value, turns: None, etag, validate_only };
        let work = async move {
            written(&team, write, by).await?;
            Ok(v1::DeleteEntryResponse {})
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn watch_board(
        &self,
        request: Request<v1::WatchBoardRequest>,
    ) -> RpcResult<Self::WatchBoardStream> {
        let holder = StreamHolder::of(&request);
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
        streams: Arc<StreamSlots>,
        changes: Changes,
        changes_max: usize,
        closing: watch::Receiver<bool>,
    ) -> Self {
        Self { directory, changes, followers: BoardFollowers::new(changes_max), streams, closing }
    }

    /// The team and the key in an entry's name.
    fn find(&self, name: &str) -> Result<(Arc<ServedTeam>, String), Status> {
        let split = if name.len() > NAME_BYTES_MAX { None } else { board::split(name) };
        let (team, key) = split.ok_or_else(|| {
            let expected = "a resource name such as teams/A/board/goal, the key percent-encoded";
            refuse_field(Reason::NameMalformed, "name", expected)
        })?;
        Ok((teams::find(self.directory.as_ref(), "name", team)?, key))
    }

    async fn wait<T>(
        &self,
        patience: Option<Duration>,
        reply: impl Future<Output = Result<T, Status>>,
    ) -> Result<T, Status> {
        wait::answer(&self.closing, patience, reply).await?
    }
}

async fn written(
    team: &Arc<ServedTeam>,
    write: BoardWrite,
    by: String,
) -> Result<Option<BoardItem>, Status> {
    team.handle.call(write, by).await.map_err(|error| {
        if let CommandError::Board(BoardWriteError::NotFound { key }) = error {
            not_found(team, &key)
        } else {
            refusal::command(error)
        }
    })
}

fn bounded_prefix(prefix: String) -> Result<String, Status> {
    if prefix.len() <= PREFIX_BYTES_MAX {
        return Ok(prefix);
    }
    let expected = format!("at most {PREFIX_BYTES_MAX} bytes");
    Err(refuse_field(Reason::NameMalformed, "prefix", &expected))
}

fn not_found(team: &Arc<ServedTeam>, key: &str) -> Status {
    let message = format!("the board of team {:?} has nothing under {key:?}", team.name());
    let name = board::name(team.name(), key);
    refuse(Reason::BoardKeyNotFound, message, [("name", name)])
}
