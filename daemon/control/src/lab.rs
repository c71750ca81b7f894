//! The service `Lab`.

use crate::TeamDirectory;
use crate::error::{Reason, RpcResult, refuse};
use crate::lab_view::{LabDirectory, LadderMatchAsk};
use crate::page::Page;
use phalanx_proto::v1;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tonic::{Request, Response, Status};

/// Requests that compute at once; each takes a thread.
const LOOKS_MAX: usize = 2;
/// Longest name that an error repeats, in characters.
const NAME_CHARS_MAX: usize = 200;
/// Prefix of a ladder's resource name.
const LADDERS: &str = "ladders/";
/// Prefix of a tune run's resource name.
const TUNE_RUNS: &str = "tuneRuns/";

/// Shows ladders and tune runs.
pub(crate) struct LabService {
    directory: Arc<dyn TeamDirectory>,
    looks: Arc<Semaphore>,
}

impl LabService {
    pub(crate) fn new(directory: Arc<dyn TeamDirectory>) -> Self {
        Self { directory, looks: Arc::new(Semaphore::new(LOOKS_MAX)) }
    }

    /// Runs work on a thread that may block.
    async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn LabDirectory) -> T + Send + 'static,
    ) -> Result<T, Status> {
        let lab = self.directory.lab().ok_or_else(|| {
            let message = "this daemon shows no ladders and tune runs: set lab.path to the folder \
                           that holds their folders, or lab.nats to the server of ladders";
            refuse(Reason::NoLab, message, [])
        })?;
        let closing = || refuse(Reason::ShuttingDown, "the daemon stops", []);
        let look = Arc::clone(&self.looks).acquire_owned().await.map_err(|_| closing())?;
        let done = tokio::task::spawn_blocking(move || {
            let _look = look;
            work(&*lab)
        });
        done.await.map_err(|_| closing())
    }
}

#[tonic::async_trait]
impl v1::lab_server::Lab for LabService {
    async fn list_ladders(
        &self,
        request: Request<v1::ListLaddersRequest>,
    ) -> RpcResult<v1::ListLaddersResponse> {
        let request = request.into_inner();
        let page = Page::parse(request.page_size, &request.page_token)?;
        let (all, server) = self.look(|lab| (lab.ladders(), lab.server())).await?;
        let (ladders, next_page_token) = page.cut(all, |one| id(&one.name, LADDERS));
        Ok(Response::new(v1::ListLaddersResponse { ladders, next_page_token, server }))
    }

    async fn get_ladder(
        &self,
        request: Request<v1::GetLadderRequest>,
    ) -> RpcResult<v1::GetLadderResponse> {
        let name = request.into_inner().name;
        let wanted = id(&name, LADDERS).to_owned();
        let found = self.look(move |lab| lab.ladder(&wanted)).await?;
        found.map(Response::new).ok_or_else(|| no_ladder(&name))
    }

    async fn list_ladder_matches(
        &self,
        request: Request<v1::ListLadderMatchesRequest>,
    ) -> RpcResult<v1::ListLadderMatchesResponse> {
        let request = request.into_inner();
        let page = Page::parse(request.page_size, &request.page_token)?;
        let ask = LadderMatchAsk {
            before: page.after_number()?.map(u64::from),
            count: page.size() + 1,
            players: [request.strategy, request.against]
                .into_iter()
                .filter(|player| !player.is_empty())
                .collect(),
        };
        let wanted = id(&request.parent, LADDERS).to_owned();
        let found = self.look(move |lab| lab.ladder_matches(&wanted, &ask)).await?;
        let found = found.ok_or_else(|| no_ladder(&request.parent))?;
        let (matches, next_page_token) = page.fill(found.into_iter(), |one| one.number.to_string());
        Ok(Response::new(v1::ListLadderMatchesResponse { matches, next_page_token }))
    }

    async fn list_tune_runs(
        &self,
        request: Request<v1::ListTuneRunsRequest>,
    ) -> RpcResult<v1::ListTuneRunsResponse> {
        let request = request.into_inner();
        let page = Page::parse(request.page_size, &request.page_token)?;
        let all = self.look(|lab| lab.tune_runs()).await?;
        let (runs, next_page_token) = page.cut(all, |one| id(&one.name, TUNE_RUNS));
        Ok(Response::new(v1::ListTuneRunsResponse { runs, next_page_token }))
    }

    async fn get_tune_run(
        &self,
        request: Request<v1::GetTuneRunRequest>,
    ) -> RpcResult<v1::GetTuneRunResponse> {
        let name = request.into_inner().name;
        let wanted = id(&name, TUNE_RUNS).to_owned();
        let found = self.look(move |lab| lab.tune_run(&wanted)).await?;
        found.map(Response::new).ok_or_else(|| {
            let name = shown(&name);
            let message = format!("there is no tune run {name:?}");
            refuse(Reason::TuneRunNotFound, message, [("name", name)])
        })
    }
}

fn no_ladder(name: &str) -> Status {
    let name = shown(name);
    let message = format!("there is no ladder {name:?}");
    refuse(Reason::LadderNotFound, message, [("name", name)])
}

/// The id in a resource name. One without the prefix is no id of anything.
fn id<'a>(name: &'a str, prefix: &str) -> &'a str {
    name.strip_prefix(prefix).unwrap_or_default()
}

fn shown(name: &str) -> String {
    name.chars().take(NAME_CHARS_MAX).collect()
}
