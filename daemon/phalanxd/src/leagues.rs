//! The leagues of a daemon: started, shown and stopped through the control API, kept in its state
//! folder.
//!
//! One league is played at a time, on all cores but one and with low priority: teams that play
//! matter more. Results are kept; a league that was stopped continues after its last result.

mod all;
mod followed;
mod kept;

pub(crate) use all::AllLeagues;
pub(crate) use followed::FollowedLeague;

use crate::league_matches::{LeagueSetup, Matches, prepare, usual_threads};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use kept::{Kept, Runner};
use phalanx_control::{Begun, LeagueAsk, LeagueDirectory, LeagueRefusal, LeagueView};
use phalanx_game::sorted::SortedMap;
use phalanx_league::{LeagueDefinition, LeagueStore, LeagueStoreError};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tracing::warn;

/// Leagues that are kept at most.
const KEPT_MAX: usize = 256;

/// All leagues of this process. Clones share them.
#[derive(Clone, Debug)]
pub struct Leagues {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    leagues: SortedMap<String, Arc<Kept>>,
    /// The league that is being played, or is about to be.
    busy: Option<String>,
    closing: bool,
}

impl Leagues {
    /// Reads the leagues in a folder; logs one that cannot be read and leaves its files alone.
    /// Blocks while it reads.
    #[must_use]
    pub fn open(folder: PathBuf) -> Self {
        let names = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let mut leagues = SortedMap::new();
        for name in names.take(KEPT_MAX) {
            match LeagueStore::reopen(&folder.join(&name)) {
                Ok(store) => {
                    leagues.insert(name.clone(), Arc::new(Kept::found(name, &store)));
                }
                Err(error) => warn!(name, %error, "cannot read a league"),
            }
        }
        let state = Mutex::new(State { leagues, ..State::default() });
        Self { shared: Arc::new(Shared { folder, state }) }
    }

    /// Stops the league that is being played and refuses new ones; returns when it has stopped, or
    /// after `grace`.
    pub async fn close(&self, grace: Duration) {
        let playing = {
            let mut state = self.shared.state();
            state.closing = true;
            state.busy.as_ref().and_then(|name| state.leagues.get(name).cloned())
        };
        if let Some(league) = playing {
            tokio::time::timeout(grace, league.cancel()).await.ok();
        }
    }
}

impl LeagueDirectory for Leagues {
    fn leagues(&self) -> Vec<Arc<dyn LeagueView>> {
        let state = self.shared.state();
        state.leagues.values().map(|league| Arc::clone(league) as Arc<dyn LeagueView>).collect()
    }

    fn create(&self, ask: LeagueAsk, check: bool) -> BoxFuture<'static, Begun> {
        create(Arc::clone(&self.shared), ask, check).boxed()
    }

    fn resume(&self, name: &str, by: String) -> BoxFuture<'static, Begun> {
        resume(Arc::clone(&self.shared), name.to_owned(), by).boxed()
    }

    fn delete(&self, name: &str) -> BoxFuture<'static, Result<(), LeagueRefusal>> {
        delete(Arc::clone(&self.shared), name.to_owned()).boxed()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one statement, so a panic cannot leave the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prevents other leagues from starting until the returned guard is dropped.
    fn occupy(self: &Arc<Self>, name: String) -> Result<Busy, LeagueRefusal> {
        let mut state = self.state();
        if state.closing {
            return Err(LeagueRefusal::Closing);
        }
        if let Some(busy) = &state.busy {
            let message = format!("the league {busy} is being played; cancel it, or wait");
            return Err(LeagueRefusal::TooMany(message));
        }
        state.busy = Some(name.clone());
        Ok(Busy { shared: Arc::clone(self), name })
    }

    /// The name of a new league. Blocks while it reads the folder.
    fn new_name(&self, wanted: Option<String>) -> Result<String, LeagueRefusal> {
        let state = self.state();
        if state.leagues.len() >= KEPT_MAX {
            let message = format!("{KEPT_MAX} leagues are kept already; delete one");
            return Err(LeagueRefusal::TooMany(message));
        }
        // A folder that could not be read at the start still takes its name.
        let taken =
            |name: &String| state.leagues.contains_key(name) || self.folder.join(name).exists();
        match wanted {
            Some(name) if taken(&name) => Err(LeagueRefusal::Exists(name)),
            Some(name) => Ok(name),
            None => {
                let mut names = (1..).map(|number: u32| format!("league-{number}"));
                names.find(|name| !taken(name)).ok_or(LeagueRefusal::NotFound)
            }
        }
    }

    fn known(&self, name: &str) -> Result<Arc<Kept>, LeagueRefusal> {
        self.state().leagues.get(name).cloned().ok_or(LeagueRefusal::NotFound)
    }
}

/// A league is being played, or is about to be.
#[derive(Debug)]
struct Busy {
    shared: Arc<Shared>,
    name: String,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.shared.state().busy = None;
    }
}

async fn create(shared: Arc<Shared>, ask: LeagueAsk, check: bool) -> Begun {
    let setup = setup(&ask)?;
    let (wanted, looking) = (ask.name, Arc::clone(&shared));
    let name = blocking(move || looking.new_name(wanted)).await?;
    let busy = shared.occupy(name.clone())?;
    let (plan, matches) = blocking(move || prepared(&setup)).await?;
    if check {
        return Ok(Arc::new(Kept::wished(name, plan, ask.by)));
    }
    begin(busy, plan, matches, ask.by).await
}

async fn resume(shared: Arc<Shared>, name: String, by: String) -> Begun {
    let known = shared.known(&name)?;
    if shared.state().busy.as_deref() == Some(&*name) {
        return Err(LeagueRefusal::Running);
    }
    if known.is_over() {
        return Err(LeagueRefusal::Over);
    }
    let busy = shared.occupy(name)?;
    let setup =
        LeagueSetup::again(known.plan()).map_err(|error| LeagueRefusal::Plan(error.to_string()))?;
    let (plan, matches) = blocking(move || prepared(&setup)).await?;
    begin(busy, plan, matches, by).await
}

/// Plays or continues a league on its own thread.
async fn begin(busy: Busy, plan: LeagueDefinition, matches: Matches, by: String) -> Begun {
    let folder = busy.shared.folder.join(&busy.name);
    let store = blocking(move || LeagueStore::open(&folder, plan).map_err(not_kept)).await?;
    let (kept, runner) = Kept::playing(busy.name.clone(), &store, by);
    let kept = Arc::new(kept);
    let shared = Arc::clone(&busy.shared);
    spawn(runner, store, matches, busy)?;
    shared.state().leagues.insert(kept.name().to_owned(), Arc::clone(&kept));
    Ok(kept)
}

fn spawn(
    runner: Runner,
    mut store: LeagueStore,
    matches: Matches,
    busy: Busy,
) -> Result<(), LeagueRefusal> {
    let play = move || {
        let end = runner.run(&mut store, &matches, usual_threads());
        // The folder is free before the end of the league is reported.
        drop(store);
        drop(busy);
        runner.ended(end);
    };
    let spawned = std::thread::Builder::new().name("league".to_owned()).spawn(play);
    spawned.map(drop).map_err(|error| LeagueRefusal::NotKept(format!("no thread: {error}")))
}

async fn delete(shared: Arc<Shared>, name: String) -> Result<(), LeagueRefusal> {
    shared.known(&name)?;
    let folder = shared.folder.join(&name);
    {
        let mut state = shared.state();
        if state.busy.as_deref() == Some(&*name) {
            return Err(LeagueRefusal::Running);
        }
        state.leagues.remove(&name);
    }
    blocking(move || {
        std::fs::remove_dir_all(&folder)
            .map_err(|error| LeagueRefusal::NotKept(format!("{}: {error}", folder.display())))
    })
    .await
}

/// Runs blocking work on the blocking pool.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LeagueRefusal> + Send + 'static,
) -> Result<T, LeagueRefusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(LeagueRefusal::NotKept(format!("it panicked: {error}"))))
}

fn prepared(setup: &LeagueSetup) -> Result<(LeagueDefinition, Matches), LeagueRefusal> {
    prepare(setup).map_err(|error| LeagueRefusal::Plan(format!("{error:#}")))
}

fn not_kept(error: LeagueStoreError) -> LeagueRefusal {
    match error {
        LeagueStoreError::Other { .. } => LeagueRefusal::Plan(error.to_string()),
        LeagueStoreError::File { .. }
        | LeagueStoreError::InUse { .. }
        | LeagueStoreError::Missing { .. }
        | LeagueStoreError::Malformed { .. } => LeagueRefusal::NotKept(error.to_string()),
    }
}

fn setup(ask: &LeagueAsk) -> Result<LeagueSetup, LeagueRefusal> {
    let game =
        phalanx_games::game(&ask.game).map_err(|error| LeagueRefusal::Game(error.to_string()))?;
    let matches = LeagueSetup::of_matches(game, ask.variant.clone(), ask.steps, ask.worlds);
    Ok(LeagueSetup {
        game,
        setup: matches.map_err(|error| LeagueRefusal::Plan(error.to_string()))?,
        strategies: ask.players.clone(),
        tuned: true,
        first_against_all: ask.first_against_all,
        seeds: ask.seeds,
        swap: ask.swap,
        sprt: ask.sprt,
    })
}
