//! The service `Arenas`.

use crate::TeamDirectory;
use crate::arena_view::{
    ArenaAsk, ArenaBegin, ArenaDirectory, ArenaEvent, ArenaRefusal, ArenaSetup, ArenaView,
};
use crate::caller::IdentifiedCaller;
use crate::changes::{Call, Changes};
use crate::convert::arena as convert;
use crate::convert::{time_asked, world};
use crate::error::{Reason, RpcResult, listed, refuse, refuse_field};
use crate::events::EventLog;
use crate::follow::epoch;
use crate::page::Page;
use crate::shares::StreamHolder;
use crate::tail::{Begin, Tails};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use phalanx_access::Role;
use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, UNIX_EPOCH};
use tonic::{Request, Response, Status};

/// Largest request with a configuration: its files and the rest of the message, in bytes.
pub(crate) const UPLOAD_BYTES_MAX: usize = (1 << 20) + (64 << 10);
/// Most files of a configuration.
const FILES_MAX: usize = 64;
/// Most bytes of all files of a configuration together.
const FILES_BYTES_MAX: usize = 1 << 20;
/// Longest path of a file, in bytes; file systems have no longer ones.
const PATH_BYTES_MAX: usize = 4_096;
/// Longest name of an arena or a league, in characters.
const ID_CHARS_MAX: usize = 63;
/// Longest accepted name of a game or variant, in bytes.
const WORD_BYTES_MAX: usize = 128;

/// Starts, lists and stops arenas.
pub(crate) struct ArenasService {
    pub(crate) directory: Arc<dyn TeamDirectory>,
    pub(crate) tails: Tails,
    pub(crate) logs: Arc<ArenaLogs>,
    pub(crate) changes: Changes,
}

#[tonic::async_trait]
impl v1::arenas_server::Arenas for ArenasService {
    type WatchArenaStream = BoxStream<'static, Result<v1::WatchArenaResponse, Status>>;

    async fn list_arenas(
        &self,
        request: Request<v1::ListArenasRequest>,
    ) -> RpcResult<v1::ListArenasResponse> {
        let request = request.into_inner();
        let page = Page::parse(request.page_size, &request.page_token)?;
        let mut all: Vec<_> = self.hosted()?.arenas().iter().map(|arena| arena.status()).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        let (arenas, next_page_token) = page.cut(all, |arena| &arena.name);
        let arenas = arenas.iter().map(convert::arena).collect();
        Ok(Response::new(v1::ListArenasResponse { arenas, next_page_token }))
    }

    async fn get_arena(
        &self,
        request: Request<v1::GetArenaRequest>,
    ) -> RpcResult<v1::GetArenaResponse> {
        let arena = self.find(&request.into_inner().name)?;
        let arena = Some(convert::arena(&arena.status()));
        Ok(Response::new(v1::GetArenaResponse { arena }))
    }

    async fn get_arena_world(
        &self,
        request: Request<v1::GetArenaWorldRequest>,
    ) -> RpcResult<v1::GetArenaWorldResponse> {
        let request = request.into_inner();
        let arena = self.find(&request.name)?;
        let status = arena.status();
        let truth = arena.truth().await.ok_or_else(|| {
            let message = format!("arena {} failed before its world was drawn", status.name);
            refuse(Reason::ArenaUnseen, message, [])
        })?;
        // Another arena may get the name of one that ended.
        let since = status.started.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let etag = format!("{since:x}.{:x}", truth.version);
        let world =
            (etag != request.etag).then(|| world::truth(&status.game, truth.at, &truth.picture));
        Ok(Response::new(v1::GetArenaWorldResponse { world, etag }))
    }

    async fn start_arena(
        &self,
        request: Request<v1::StartArenaRequest>,
    ) -> RpcResult<v1::StartArenaResponse> {
        let call = Call::open(&request, &request.get_ref().arena_id);
        let is_admin = request
            .extensions()
            .get::<IdentifiedCaller>()
            .is_some_and(|caller| caller.role == Role::Admin);
        let request = request.into_inner();
        let check = request.validate_only;
        let ask = ask(request.clone(), call.who.clone())?;
        let elsewhere = ask.listen.filter(|address| !address.ip().to_canonical().is_loopback());
        if let Some(address) = elsewhere.filter(|_| !is_admin) {
            let message = format!(
                "other machines reach {address}; an operator's arena listens on this machine only, \
                 for example on 127.0.0.1:{}; an admin may do otherwise",
                address.port()
            );
            return Err(refuse(Reason::AddressNotLocal, message, []));
        }
        let (hosted, logs) = (self.hosted()?, Arc::clone(&self.logs));
        let work = async move {
            let arena = hosted.start(ask, check).await.map_err(refused)?;
            if !check {
                logs.log(&arena);
            }
            Ok(v1::StartArenaResponse { arena: Some(convert::arena(&arena.status())) })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn begin_arena(
        &self,
        request: Request<v1::BeginArenaRequest>,
    ) -> RpcResult<v1::BeginArenaResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let arena = self.find(&request.name)?;
        let work = async move {
            runs(arena.as_ref())?;
            arena.begin();
            Ok(v1::BeginArenaResponse { arena: Some(convert::arena(&arena.status())) })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn stop_arena(
        &self,
        request: Request<v1::StopArenaRequest>,
    ) -> RpcResult<v1::StopArenaResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let arena = self.find(&request.name)?;
        let work = async move {
            runs(arena.as_ref())?;
            arena.stop().await;
            Ok(v1::StopArenaResponse { arena: Some(convert::arena(&arena.status())) })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn watch_arena(
        &self,
        request: Request<v1::WatchArenaRequest>,
    ) -> RpcResult<Self::WatchArenaStream> {
        let holder = StreamHolder::of(&request);
        let request = request.into_inner();
        let arena = self.find(&request.name)?;
        let show = |cursor, event: &ArenaEvent| {
            Some(v1::WatchArenaResponse { event: Some(convert::event(cursor, event)) })
        };
        let (log, begin) = (self.logs.log(&arena), (&*request.cursor, Begin::Oldest));
        let events = self.tails.open(holder, log, begin, show)?;
        Ok(Response::new(events))
    }
}

impl ArenasService {
    fn hosted(&self) -> Result<Arc<dyn ArenaDirectory>, Status> {
        self.directory.arenas().ok_or_else(|| {
            let message = "this program hosts no arenas; ask a phalanxd";
            refuse(Reason::NoArenas, message, [])
        })
    }

    fn find(&self, name: &str) -> Result<Arc<dyn ArenaView>, Status> {
        let hosted = self.hosted()?;
        let id = name.strip_prefix(convert::ARENAS).filter(|id| is_id(id)).ok_or_else(|| {
            let expected = "a resource name such as arenas/assemble-1";
            refuse_field(Reason::NameMalformed, "name", expected)
        })?;
        hosted.arena(id).ok_or_else(|| {
            let there = listed(hosted.arenas().iter().map(|arena| arena.status().name));
            let message = format!("there is no arena {id:?}; there are: {there}");
            refuse(Reason::ArenaNotFound, message, [("name", name.to_owned())])
        })
    }
}

/// Refuses an arena that has ended.
fn runs(arena: &dyn ArenaView) -> Result<(), Status> {
    let status = arena.status();
    if status.state.is_final() {
        return Err(refuse(Reason::ArenaEnded, format!("arena {} has ended", status.name), []));
    }
    Ok(())
}

/// The event logs of all known arenas.
pub(crate) struct ArenaLogs {
    events_max: usize,
    arenas: Mutex<SortedMap<String, LoggedArena>>,
}

type LoggedArena = (Weak<dyn ArenaView>, Arc<EventLog<ArenaEvent>>);

impl ArenaLogs {
    pub(crate) fn new(events_max: usize) -> Self {
        Self { events_max, arenas: Mutex::default() }
    }

    /// The arena's log, which is filled from now on. Removes the logs of forgotten arenas.
    fn log(&self, arena: &Arc<dyn ArenaView>) -> Arc<EventLog<ArenaEvent>> {
        let mut arenas = self.arenas.lock().unwrap_or_else(PoisonError::into_inner);
        arenas.retain(|_, (arena, _)| arena.strong_count() > 0);
        let name = arena.status().name;
        if let Some((known, log)) = arenas.get(&name)
            && std::ptr::addr_eq(known.as_ptr(), Arc::as_ptr(arena))
        {
            return Arc::clone(log);
        }
        let log = Arc::new(EventLog::new(epoch(), self.events_max));
        let (ours, mut events) = (Arc::clone(&log), arena.events());
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                ours.push(event);
            }
            ours.close();
        });
        arenas.insert(name, (Arc::downgrade(arena), Arc::clone(&log)));
        log
    }
}

/// Whether the text is a valid name of an arena or a league.
pub(crate) fn is_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    id.len() <= ID_CHARS_MAX
        && id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(plain)
}

/// The caller's name for something new, if there is one.
pub(crate) fn new_id(field: &str, id: String) -> Result<Option<String>, Status> {
    if !id.is_empty() && !is_id(&id) {
        let expected = "1 to 63 of the characters a to z, 0 to 9 and -, beginning with a letter";
        return Err(refuse_field(Reason::NameMalformed, field, expected));
    }
    Ok(Some(id).filter(|id| !id.is_empty()))
}

fn ask(request: v1::StartArenaRequest, by: String) -> Result<ArenaAsk, Status> {
    use v1::start_arena_request::Setup;
    let begin = match request.begin() {
        v1::ArenaBegin::Unspecified => ArenaBegin::Usual,
        v1::ArenaBegin::File => ArenaBegin::File,
        v1::ArenaBegin::Now => ArenaBegin::Now,
        v1::ArenaBegin::Complete => ArenaBegin::Complete,
    };
    if request.game.len() > WORD_BYTES_MAX {
        return Err(refuse_field(Reason::GameUnknown, "game", "the name of a game"));
    }
    let variant = v1::ArenaVariant { seed: 1, ..v1::ArenaVariant::default() };
    let setup = match request.setup.unwrap_or(Setup::Variant(variant)) {
        Setup::Variant(variant) => flavour(variant)?,
        Setup::Configuration(configuration) => files(configuration)?,
    };
    Ok(ArenaAsk {
        name: new_id("arena_id", request.arena_id)?,
        game: request.game,
        setup,
        listen: address(&request.listen)?,
        begin,
        pace: request.pace.map(pace).transpose()?,
        keep_files: request.keep_files,
        by,
    })
}

fn flavour(variant: v1::ArenaVariant) -> Result<ArenaSetup, Status> {
    let v1::ArenaVariant { name, seed, steps, worlds } = variant;
    if name.len() > WORD_BYTES_MAX {
        return Err(refuse_field(Reason::ArenaRefused, "variant.name", "the name of a variant"));
    }
    let some = |number: u32| Some(number).filter(|number| *number > 0);
    let name = Some(name).filter(|name| !name.is_empty());
    Ok(ArenaSetup::Variant { name, seed, steps: some(steps), worlds: some(worlds) })
}

fn files(configuration: v1::ArenaConfiguration) -> Result<ArenaSetup, Status> {
    let v1::ArenaConfiguration { path, files } = configuration;
    let bytes: usize = files.iter().map(|file| file.content.len()).sum();
    let short = files.iter().all(|file| file.path.len() <= PATH_BYTES_MAX);
    if files.len() > FILES_MAX || bytes > FILES_BYTES_MAX || !short {
        let expected = format!(
            "at most {FILES_MAX} files with {FILES_BYTES_MAX} bytes in all and paths of \
             {PATH_BYTES_MAX} bytes"
        );
        return Err(refuse_field(Reason::ArenaRefused, "configuration.files", &expected));
    }
    if !files.iter().any(|file| file.path == path) {
        let expected = "the path of one of the files";
        return Err(refuse_field(Reason::ArenaRefused, "configuration.path", expected));
    }
    let files = files.into_iter().map(|file| (PathBuf::from(file.path), file.content)).collect();
    Ok(ArenaSetup::Files { path: path.into(), files })
}

fn address(text: &str) -> Result<Option<SocketAddr>, Status> {
    if text.is_empty() {
        return Ok(None);
    }
    let expected = "an IP address with a port, for example 127.0.0.1:12300";
    let address = text.parse();
    address.map(Some).map_err(|_| refuse_field(Reason::AddressMalformed, "listen", expected))
}

/// Longest requested step.
const PACE_MAX: Duration = Duration::from_secs(60);

fn pace(pace: prost_types::Duration) -> Result<Duration, Status> {
    let fits = |pace: &Duration| *pace <= PACE_MAX;
    time_asked(pace).filter(fits).ok_or_else(|| {
        let expected = format!("a duration from 0 to {} s", PACE_MAX.as_secs());
        refuse_field(Reason::ArenaRefused, "pace", &expected)
    })
}

fn refused(refusal: ArenaRefusal) -> Status {
    match refusal {
        ArenaRefusal::Game(message) => refuse(Reason::GameUnknown, message, []),
        ArenaRefusal::Setup(message) => refuse(Reason::ArenaRefused, message, []),
        ArenaRefusal::Exists(name) => {
            let message =
                format!("there is an arena {name:?} already; leave the name out to get a free one");
            refuse(Reason::ArenaExists, message, [("name", format!("{}{name}", convert::ARENAS))])
        }
        ArenaRefusal::TooMany(count) => {
            let message = format!("{count} arenas run already, as many as there may be; stop one");
            refuse(Reason::TooManyArenas, message, [("running", count.to_string())])
        }
        ArenaRefusal::Address(message) => refuse(Reason::AddressTaken, message, []),
        ArenaRefusal::StartsPrograms => {
            let message = "this configuration names executables, and the daemon runs no programs \
                           for callers of this API; leave their paths out and let the agents \
                           connect, or run `phalanx arena` on that machine";
            refuse(Reason::ArenaStartsPrograms, message, [])
        }
        ArenaRefusal::NoStateFolder => {
            let message = "the daemon has no state folder (state_dir), so it keeps no files";
            refuse(Reason::NoStateFolder, message, [])
        }
        ArenaRefusal::Closing => refuse(Reason::ShuttingDown, "the daemon stops", []),
    }
}
