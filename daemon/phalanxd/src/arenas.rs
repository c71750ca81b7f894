//! The referees that a daemon hosts: started, shown and stopped through the control API.
//!
//! A bounded number runs at once. The newest ended ones are kept with their results. A referee that
//! would start executables is refused here for every caller: a token must never become the right to
//! run programs on the daemon's machine.

mod hosted;
mod setup;
mod shown;

pub use shown::ShownArena;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hosted::Hosted;
use phalanx_control::{ArenaAsk, ArenaDirectory, ArenaRefusal, ArenaView, Started};
use phalanx_net::{HostOptions, host_feed, serve_arena};
use setup::Stage;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Arenas that run at once: each is a match of its own, in addition to the daemon's teams.
const RUNNING_MAX: usize = 8;
/// Ended arenas that are kept.
const ENDED_MAX: usize = 32;
/// Numbers that are tried for an automatic name.
const NUMBERS_MAX: u32 = 1_000;

/// All arenas of this process. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Arenas {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The folder with a folder for each arena's files; `None`: no files are kept.
    files: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// In the order in which they were started.
    arenas: Vec<Arc<Hosted>>,
    /// Names of arenas that are about to start.
    reserved: Vec<String>,
    closing: bool,
}

impl Arenas {
    /// Creates an empty registry. `files` is the folder for the arenas' files, if they are kept.
    #[must_use]
    pub fn new(files: Option<PathBuf>) -> Self {
        Self { shared: Arc::new(Shared { files, state: Mutex::default() }) }
    }

    /// Ends all arenas and refuses new ones; returns when everything is flushed, or after `grace`.
    pub async fn close(&self, grace: Duration) {
        let running = {
            let mut state = self.shared.state();
            state.closing = true;
            state.arenas.clone()
        };
        let stops = running.iter().map(|arena| arena.stop());
        tokio::time::timeout(grace, futures_util::future::join_all(stops)).await.ok();
    }
}

impl ArenaDirectory for Arenas {
    fn arenas(&self) -> Vec<Arc<dyn ArenaView>> {
        let state = self.shared.state();
        state.arenas.iter().map(|arena| Arc::clone(arena) as Arc<dyn ArenaView>).collect()
    }

    fn start(&self, ask: ArenaAsk, check: bool) -> BoxFuture<'static, Started> {
        let shared = Arc::clone(&self.shared);
        start(shared, ask, check).boxed()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one statement, so a panic cannot leave the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves a name until the arena has started or failed to start.
    fn reserve(self: &Arc<Self>, ask: &ArenaAsk, check: bool) -> Result<Reserved, ArenaRefusal> {
        let mut state = self.state();
        if state.closing {
            return Err(ArenaRefusal::Closing);
        }
        let running = state.running();
        if running >= RUNNING_MAX {
            return Err(ArenaRefusal::TooMany(running));
        }
        let name = match &ask.name {
            Some(name) if state.is_known(name) => return Err(ArenaRefusal::Exists(name.clone())),
            Some(name) => name.clone(),
            None => state.free_name(&ask.game)?,
        };
        if check {
            return Ok(Reserved { shared: Arc::clone(self), name, kept: false });
        }
        state.reserved.push(name.clone());
        Ok(Reserved { shared: Arc::clone(self), name, kept: true })
    }
}

impl State {
    fn running(&self) -> usize {
        let running = self.arenas.iter().filter(|arena| !arena.has_ended()).count();
        running + self.reserved.len()
    }

    fn is_known(&self, name: &str) -> bool {
        self.reserved.iter().any(|known| known == name)
            || self.arenas.iter().any(|arena| arena.name() == name)
    }

    fn free_name(&self, game: &str) -> Result<String, ArenaRefusal> {
        let names = (1..=NUMBERS_MAX).map(|number| format!("{game}-{number}"));
        let mut free = names.filter(|name| !self.is_known(name));
        free.next().ok_or_else(|| ArenaRefusal::Exists(format!("{game}-{NUMBERS_MAX}")))
    }

    /// Drops the oldest of those that ended.
    fn forget(&mut self) {
        let ended = self.arenas.iter().filter(|arena| arena.has_ended()).count();
        let mut surplus = ended.saturating_sub(ENDED_MAX);
        self.arenas.retain(|arena| {
            let goes = surplus > 0 && arena.has_ended();
            surplus -= usize::from(goes);
            !goes
        });
    }
}

/// A name that is reserved for an arena that is about to start.
struct Reserved {
    shared: Arc<Shared>,
    name: String,
    kept: bool,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if self.kept {
            self.shared.state().reserved.retain(|name| *name != self.name);
        }
    }
}

async fn start(shared: Arc<Shared>, ask: ArenaAsk, check: bool) -> Started {
    let reserved = shared.reserve(&ask, check)?;
    let name = reserved.name.clone();
    let files = folder(&shared, &ask, &name)?;
    // Drawing a map may take a while, so it runs on the blocking pool.
    let wish = ask.clone();
    let staged = tokio::task::spawn_blocking(move || setup::stage(&wish)).await;
    let staged = staged.map_err(|_| ArenaRefusal::Setup("the arena panicked".to_owned()))?;
    let Stage { game, arena, port, cast, variant, sides } = staged?;
    let mut hosted = Hosted::new(name, game, ask.by, variant, sides, files.clone());
    if check {
        return Ok(Arc::new(hosted));
    }
    let address = ask.listen.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let listener = phalanx_games::listen(game, &address.to_string()).await.map_err(|error| {
        ArenaRefusal::Address(format!("cannot listen on {address}: {error}; choose another"))
    })?;
    let (events, feed) = host_feed();
    let options = HostOptions {
        player_processes: cast,
        artifacts: files,
        events: Some(events),
        ..HostOptions::default()
    };
    hosted.runs(serve_arena(arena, listener, options), feed);
    let hosted = Arc::new(hosted);
    let mut state = shared.state();
    state.arenas.push(Arc::clone(&hosted));
    state.forget();
    drop(state);
    // Release the reservation only after the arena's name is registered.
    drop(reserved);
    Ok(hosted)
}

/// Where the arena's files go.
fn folder(shared: &Shared, ask: &ArenaAsk, name: &str) -> Result<Option<PathBuf>, ArenaRefusal> {
    if !ask.keep_files {
        return Ok(None);
    }
    let Some(files) = &shared.files else { return Err(ArenaRefusal::NoStateFolder) };
    // A name may be used again: the time keeps the folders apart.
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Ok(Some(files.join(format!("{name}-{seconds}"))))
}
