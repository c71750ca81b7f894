//! The service `Leagues`.

use crate::TeamDirectory;
use crate::arenas::{is_id, new_id};
use crate::changes::{Call, Changes};
use crate::convert::league as convert;
use crate::error::{Reason, RpcResult, refuse, refuse_field};
use crate::events::EventLog;
use crate::follow::epoch;
use crate::league_view::{
    LeagueAsk, LeagueDirectory, LeagueEvent, LeagueRefusal, LeagueState, LeagueView,
};
use crate::page::Page;
use crate::shares::StreamHolder;
use crate::tail::{Begin, Tails};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use phalanx_game::sorted::SortedMap;
use phalanx_league::{NAME_CHARS_MAX, PLAYERS_MAX, Seeds, SprtOptions};
use phalanx_proto::v1;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tonic::{Request, Response, Status};

/// Longest accepted name of a game or variant, in bytes.
const WORD_BYTES_MAX: usize = 128;
/// Longest path of a strategy's folder, in bytes; file systems have no longer ones.
const PATH_BYTES_MAX: usize = 4_096;

/// Runs leagues.
pub(crate) struct LeaguesService {
    pub(crate) directory: Arc<dyn TeamDirectory>,
    pub(crate) tails: Tails,
    pub(crate) logs: Arc<LeagueLogs>,
    pub(crate) changes: Changes,
}

#[tonic::async_trait]
impl v1::leagues_server::Leagues for LeaguesService {
    type WatchLeagueStream = BoxStream<'static, Result<v1::WatchLeagueResponse, Status>>;

    async fn create_league(
        &self,
        request: Request<v1::CreateLeagueRequest>,
    ) -> RpcResult<v1::CreateLeagueResponse> {
        let call = Call::open(&request, &request.get_ref().league_id);
        let request = request.into_inner();
        let check = request.validate_only;
        let name = new_id("league_id", request.league_id.clone())?;
        let ask = ask(name, request.plan.clone().unwrap_or_default(), call.who.clone())?;
        let (kept, logs) = (self.kept()?, Arc::clone(&self.logs));
        let work = async move {
            let league = kept.create(ask, check).await.map_err(refused)?;
            if !check {
                logs.log(&league);
            }
            Ok(v1::CreateLeagueResponse { league: Some(convert::league(&league.status())) })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn get_league(
        &self,
        request: Request<v1::GetLeagueRequest>,
    ) -> RpcResult<v1::GetLeagueResponse> {
        let league = self.find(&request.into_inner().name)?;
        let league = Some(convert::league(&league.status()));
        Ok(Response::new(v1::GetLeagueResponse { league }))
    }

    async fn list_leagues(
        &self,
        request: Request<v1::ListLeaguesRequest>,
    ) -> RpcResult<v1::ListLeaguesResponse> {
        let request = request.into_inner();
        let page = Page::parse(request.page_size, &request.page_token)?;
        let mut all = self.kept()?.leagues();
        all.sort_by(|a, b| a.name().cmp(b.name()));
        let (leagues, next_page_token) = page.cut(all, |league| league.name());
        let leagues = leagues.iter().map(|league| convert::league(&league.status())).collect();
        Ok(Response::new(v1::ListLeaguesResponse { leagues, next_page_token }))
    }

    async fn watch_league(
        &self,
        request: Request<v1::WatchLeagueRequest>,
    ) -> RpcResult<Self::WatchLeagueStream> {
        let holder = StreamHolder::of(&request);
        let request = request.into_inner();
        let league = self.find(&request.name)?;
        let show = |cursor, event: &LeagueEvent| {
            Some(v1::WatchLeagueResponse { event: Some(convert::event(cursor, event)) })
        };
        let (log, begin) = (self.logs.log(&league), (&*request.cursor, Begin::Oldest));
        let events = self.tails.open(holder, log, begin, show)?;
        Ok(Response::new(events))
    }

    async fn cancel_league(
        &self,
        request: Request<v1::CancelLeagueRequest>,
    ) -> RpcResult<v1::CancelLeagueResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let league = self.find(&request.name)?;
        let work = async move {
            let status = league.status();
            if let Some(folder) = status.folder {
                return Err(refused(LeagueRefusal::Elsewhere(folder)));
            }
            if status.state != LeagueState::Playing {
                let message = format!("the league {} is not being played", league.name());
                return Err(refuse(Reason::LeagueNotRunning, message, []));
            }
            league.cancel().await;
            Ok(v1::CancelLeagueResponse { league: Some(convert::league(&league.status())) })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn resume_league(
        &self,
        request: Request<v1::ResumeLeagueRequest>,
    ) -> RpcResult<v1::ResumeLeagueResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let league = self.find(&request.name)?;
        let (kept, logs, by) = (self.kept()?, Arc::clone(&self.logs), call.who.clone());
        let work = async move {
            let league = kept.resume(league.name(), by).await.map_err(refused)?;
            logs.log(&league);
            Ok(v1::ResumeLeagueResponse { league: Some(convert::league(&league.status())) })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn delete_league(
        &self,
        request: Request<v1::DeleteLeagueRequest>,
    ) -> RpcResult<v1::DeleteLeagueResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let (league, kept) = (self.find(&request.name)?, self.kept()?);
        let work = async move {
            kept.delete(league.name()).await.map_err(refused)?;
            Ok(v1::DeleteLeagueResponse {})
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }
}

impl LeaguesService {
    fn kept(&self) -> Result<Arc<dyn LeagueDirectory>, Status> {
        self.directory.leagues().ok_or_else(|| refused(LeagueRefusal::NoFolder))
    }

    fn find(&self, name: &str) -> Result<Arc<dyn LeagueView>, Status> {
        let kept = self.kept()?;
        let malformed =
            || refuse_field(Reason::NameMalformed, "name", "a resource name such as leagues/night");
        let id = name.strip_prefix(convert::LEAGUES).ok_or_else(malformed)?;
        // A league of another process is called like its folder, which may be no id.
        match kept.league(id) {
            Some(league) => Ok(league),
            None if is_id(id) => Err(not_found(name)),
            None => Err(malformed()),
        }
    }
}

/// The event logs of all known leagues.
pub(crate) struct LeagueLogs {
    events_max: usize,
    leagues: Mutex<SortedMap<String, LoggedLeague>>,
}

type LoggedLeague = (Weak<dyn LeagueView>, Arc<EventLog<LeagueEvent>>);

impl LeagueLogs {
    pub(crate) fn new(events_max: usize) -> Self {
        Self { events_max, leagues: Mutex::default() }
    }

    /// The league's log, which is filled from now on. Removes the logs of leagues that were deleted
    /// or continued in a new run.
    fn log(&self, league: &Arc<dyn LeagueView>) -> Arc<EventLog<LeagueEvent>> {
        let mut leagues = self.leagues.lock().unwrap_or_else(PoisonError::into_inner);
        leagues.retain(|_, (league, _)| league.strong_count() > 0);
        if let Some((known, log)) = leagues.get(league.name())
            && std::ptr::addr_eq(known.as_ptr(), Arc::as_ptr(league))
        {
            return Arc::clone(log);
        }
        let log = Arc::new(EventLog::new(epoch(), self.events_max));
        let (ours, mut events) = (Arc::clone(&log), league.events());
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                ours.push(event);
            }
            ours.close();
        });
        leagues.insert(league.name().to_owned(), (Arc::downgrade(league), Arc::clone(&log)));
        log
    }
}

fn ask(name: Option<String>, plan: v1::LeaguePlan, by: String) -> Result<LeagueAsk, Status> {
    let some = |number: u32| Some(number).filter(|number| *number > 0);
    let long = |text: &str| text.len() > WORD_BYTES_MAX;
    if long(&plan.game) {
        return Err(refuse_field(Reason::GameUnknown, "plan.game", "the name of a game"));
    }
    if long(&plan.variant) {
        let expected = "the name of a variant";
        return Err(refuse_field(Reason::LeagueRefused, "plan.variant", expected));
    }
    Ok(LeagueAsk {
        name,
        game: plan.game,
        variant: Some(plan.variant).filter(|variant| !variant.is_empty()),
        steps: some(plan.steps),
        worlds: some(plan.worlds),
        players: players(plan.players)?,
        first_against_all: plan.first_against_all,
        seeds: Seeds { first: plan.first_seed, count: plan.seed_count },
        swap: !plan.no_swap,
        sprt: plan.sprt.map(|v1::LeagueSprt { elo0, elo1, alpha, beta }| SprtOptions {
            elo0,
            elo1,
            alpha,
            beta,
        }),
        by,
    })
}

fn players(players: Vec<v1::LeaguePlayer>) -> Result<Vec<(String, String)>, Status> {
    let named = |player: &v1::LeaguePlayer| {
        let plain = player.strategy.starts_with('/') && !player.strategy.contains('\0');
        let word = ["shipped", "idle"].contains(&player.strategy.as_str());
        player.name.chars().count() <= NAME_CHARS_MAX
            && player.strategy.len() <= PATH_BYTES_MAX
            && (plain || word)
    };
    if players.len() > PLAYERS_MAX || !players.iter().all(named) {
        let expected = format!(
            "at most {PLAYERS_MAX} players with names of at most {NAME_CHARS_MAX} characters, each \
             with an absolute path of a folder, `shipped` or `idle`"
        );
        return Err(refuse_field(Reason::LeagueRefused, "plan.players", &expected));
    }
    Ok(players.into_iter().map(|player| (player.name, player.strategy)).collect())
}

fn not_found(name: &str) -> Status {
    let message = format!("there is no league {name:?}");
    refuse(Reason::LeagueNotFound, message, [("name", name.to_owned())])
}

fn refused(refusal: LeagueRefusal) -> Status {
    match refusal {
        LeagueRefusal::Game(message) => refuse(Reason::GameUnknown, message, []),
        LeagueRefusal::Plan(message) => refuse(Reason::LeagueRefused, message, []),
        LeagueRefusal::Exists(name) => {
            let message = format!("there is a league {name:?} already; choose another name");
            refuse(Reason::LeagueExists, message, [("name", format!("{}{name}", convert::LEAGUES))])
        }
        LeagueRefusal::NotFound => not_found("of that name any more"),
        LeagueRefusal::Running => {
            refuse(Reason::LeagueRunning, "the league is being played; cancel it first", [])
        }
        LeagueRefusal::Over => refuse(Reason::LeagueOver, "nothing is left to play", []),
        LeagueRefusal::NoFolder => {
            let message = "this daemon plays no leagues: it has no state folder (state_dir) for \
                           their results; `phalanx league run` plays one in a terminal";
            refuse(Reason::NoLeagues, message, [])
        }
        LeagueRefusal::Elsewhere(folder) => {
            let message = format!(
                "another process keeps this league, in {}; stop and continue it there",
                folder.display()
            );
            refuse(Reason::LeagueElsewhere, message, [])
        }
        LeagueRefusal::TooMany(message) => refuse(Reason::TooManyLeagues, message, []),
        LeagueRefusal::NotKept(message) => refuse(Reason::LeagueNotKept, message, []),
        LeagueRefusal::Closing => refuse(Reason::ShuttingDown, "the daemon stops", []),
    }
}
