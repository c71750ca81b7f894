//! The leagues of a daemon: begun, shown and stopped through the control API, kept in its state folder.
//!
//! One league is played at a time, on threads of low priority, one core less than there are: teams
//! that play matter more. What was played stays; a league that was stopped goes on where it ended.

mod kept;

use crate::league::{Matches, Wish, prepare, usual_threads};
use crate::wire;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use kept::{Kept, Runner};
use phalanx_control::{Begun, LeagueAsk, LeagueDirectory, LeagueRefusal, LeagueView};
use phalanx_league::{Plan, Store, StoreError};
use std::collections::BTreeMap;
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
    leagues: BTreeMap<String, Arc<Kept>>,
    /// The league that is being played, or is about to be.
    busy: Option<String>,
    closing: bool,
}

impl Leagues {
    /// The leagues that a folder holds; one that cannot be read is told in the log and left alone.
    /// Blocks while it reads.
    #[must_use]
    pub fn open(folder: PathBuf) -> Self {
        let names = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let mut leagues = BTreeMap::new();
        for name in names.take(KEPT_MAX) {
            match Store::reopen(&folder.join(&name)) {
                Ok(store) => {
                    leagues.insert(name.clone(), Arc::new(Kept::found(name, &store)));
                }
                Err(error) => warn!(name, %error, "a league that cannot be read"),
            }
        }
        let state = Mutex::new(State { leagues, ..State::default() });
        Self { shared: Arc::new(Shared { folder, state }) }
    }

    /// Stops what is being played and lets nothing more begin; done when it has stopped, or after
    /// `grace`.
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
        // Each change is one statement: a panic between two leaves the state whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps everything else from beginning until what is returned is dropped.
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

    /// The name of a new league. Looks at drives.
    fn new_name(&self, wanted: Option<String>) -> Result<String, LeagueRefusal> {
        let state = self.state();
        if state.leagues.len() >= KEPT_MAX {
            let message = format!("{KEPT_MAX} leagues are kept; delete one");
            return Err(LeagueRefusal::TooMany(message));
        }
        // A folder that could not be read at the start is still somebody's.
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
    let wish = wish(&ask)?;
    let (wanted, looking) = (ask.name, Arc::clone(&shared));
    let name = blocking(move || looking.new_name(wanted)).await?;
    let busy = shared.occupy(name.clone())?;
    let (plan, matches) = blocking(move || prepared(&wish)).await?;
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
    let wish = Wish::again(known.plan()).map_err(|error| LeagueRefusal::Plan(error.to_string()))?;
    let (plan, matches) = blocking(move || prepared(&wish)).await?;
    begin(busy, plan, matches, by).await
}

/// Plays a league, or goes on with it, on a thread of its own.
async fn begin(busy: Busy, plan: Plan, matches: Matches, by: String) -> Begun {
    let folder = busy.shared.folder.join(&busy.name);
    let store = blocking(move || Store::open(&folder, plan).map_err(not_kept)).await?;
    let (kept, runner) = Kept::playing(busy.name.clone(), &store, by);
    let kept = Arc::new(kept);
    let shared = Arc::clone(&busy.shared);
    spawn(runner, store, matches, busy)?;
    shared.state().leagues.insert(kept.name().to_owned(), Arc::clone(&kept));
    Ok(kept)
}

fn spawn(
    runner: Runner,
    mut store: Store,
    matches: Matches,
    busy: Busy,
) -> Result<(), LeagueRefusal> {
    let play = move || {
        let end = runner.run(&mut store, &matches, usual_threads());
        // The folder is free before anybody hears that the league has stopped.
        drop(store);
        drop(busy);
        runner.ended(end);
    };
    let spawned = std::thread::Builder::new().name("league".to_owned()).spawn(play);
    spawned.map(drop).map_err(|error| LeagueRefusal::NotKept(format!("no thread for it: {error}")))
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

/// Runs something that waits for drives and scripts where it holds up nobody.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LeagueRefusal> + Send + 'static,
) -> Result<T, LeagueRefusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(LeagueRefusal::NotKept(format!("it broke down: {error}"))))
}

fn prepared(wish: &Wish) -> Result<(Plan, Matches), LeagueRefusal> {
    prepare(wish).map_err(|error| LeagueRefusal::Plan(format!("{error:#}")))
}

fn not_kept(error: StoreError) -> LeagueRefusal {
    match error {
        StoreError::Other { .. } => LeagueRefusal::Plan(error.to_string()),
        StoreError::File { .. } | StoreError::InUse { .. } | StoreError::Malformed { .. } => {
            LeagueRefusal::NotKept(error.to_string())
        }
    }
}

fn wish(ask: &LeagueAsk) -> Result<Wish, LeagueRefusal> {
    let game = wire::game(&ask.game).map_err(|error| LeagueRefusal::Game(error.to_string()))?;
    let number = |number: u32| number.to_string();
    let given = [
        ("variant", ask.variant.clone()),
        ("steps", ask.steps.map(number)),
        ("worlds", ask.worlds.map(number)),
    ];
    let setup = given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Ok(Wish {
        game,
        setup: setup.collect(),
        strategies: ask.players.clone(),
        first_against_all: ask.first_against_all,
        seeds: ask.seeds,
        swap: ask.swap,
        sprt: ask.sprt,
    })
}
