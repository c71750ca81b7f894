//! The lab: leagues, ladders and tune runs that other processes keep in the folders of one folder, and
//! ladders that a server keeps. One thread looks for news in the folders, another one on the server;
//! the control API and the metrics read what they found.

mod figures;
mod ladders;
mod recorded;
mod runs;
mod server;
mod workers;

pub(crate) use figures::LabFigures;
pub(crate) use recorded::{LadderRecording, all_recordings};
pub(crate) use workers::workers;

use crate::leagues::FollowedLeague;
use ladders::ShownLadder;
use phalanx_control::{LabDirectory, LadderMatchAsk, LeagueView};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_ladder::FollowedLadder;
use phalanx_league::LeagueStoreError;
use phalanx_proto::v1;
use phalanx_settings::LabSettings;
use runs::ShownRun;
use server::{ON_SERVER, ServerReader, address};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tracing::warn;

/// How often the folders are read.
const LOOK: Duration = Duration::from_secs(2);
/// Pause before a thread looks for the first time.
const FIRST: Duration = Duration::from_millis(100);
/// Folders that are read at most, in the order of their names.
const FOLDERS_MAX: usize = 256;
/// Longest name of a folder, in bytes.
const NAME_BYTES_MAX: usize = 100;

/// All that is in the folder. Clones share it.
#[derive(Clone, Debug)]
pub struct Lab {
    shared: Arc<Shared>,
}

struct Shared {
    folder: Option<PathBuf>,
    state: Mutex<State>,
}

/// What was found, by the names of the folders; ladders of the server have `kv:` before theirs.
#[derive(Default)]
struct State {
    leagues: SortedMap<String, Arc<dyn LeagueView>>,
    ladders: SortedMap<String, Arc<ShownLadder>>,
    runs: SortedMap<String, Arc<ShownRun>>,
    /// `None` without a server.
    server: Option<v1::LabServer>,
}

/// What reads the folders.
#[derive(Debug, Default)]
struct Reader {
    leagues: SortedMap<String, FollowedLeague>,
    /// Leagues that cannot be read: each is logged once.
    unreadable: SortedSet<String>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Lab").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Lab {
    /// Reads the folder and the server, and goes on doing so until the last clone is dropped. Blocks
    /// while it reads the folder for the first time, and does not wait for the server; `None` if the
    /// settings name neither.
    #[must_use]
    pub fn open(settings: &LabSettings) -> Option<Self> {
        let (folder, server) = (settings.path.clone(), address(settings));
        if folder.is_none() && server.is_none() {
            return None;
        }
        let shown = server.as_ref().map(|server| v1::LabServer {
            address: server.shown(),
            trouble: "the server has not answered yet".to_owned(),
        });
        let state = Mutex::new(State { server: shown, ..State::default() });
        let shared = Arc::new(Shared { folder, state });
        if shared.folder.is_some() {
            let mut reader = Reader::default();
            reader.look(&shared);
            keep_looking("lab", &shared, move |shared| {
                reader.look(shared);
                LOOK
            });
        }
        if let Some(server) = server {
            let mut reader = ServerReader::new(server);
            keep_looking("lab-server", &shared, move |shared| reader.look(shared));
        }
        Some(Self { shared })
    }

    /// The leagues of the folder.
    pub(crate) fn leagues(&self) -> Vec<Arc<dyn LeagueView>> {
        self.shared.state().leagues.values().cloned().collect()
    }

    fn all_ladders(&self) -> Vec<Arc<ShownLadder>> {
        self.shared.state().ladders.values().cloned().collect()
    }

    fn all_runs(&self) -> Vec<Arc<ShownRun>> {
        self.shared.state().runs.values().cloned().collect()
    }

    fn one_ladder(&self, id: &str) -> Option<Arc<ShownLadder>> {
        self.shared.state().ladders.get(id).cloned()
    }

    fn one_run(&self, id: &str) -> Option<Arc<ShownRun>> {
        self.shared.state().runs.get(id).cloned()
    }
}

impl LabDirectory for Lab {
    fn ladders(&self) -> Vec<v1::Ladder> {
        self.all_ladders().iter().map(|ladder| ladder.summary()).collect()
    }

    fn server(&self) -> Option<v1::LabServer> {
        self.shared.state().server.clone()
    }

    fn ladder(&self, id: &str) -> Option<v1::GetLadderResponse> {
        Some(self.one_ladder(id)?.shown())
    }

    fn ladder_matches(&self, id: &str, ask: &LadderMatchAsk) -> Option<Vec<v1::LadderMatch>> {
        Some(self.one_ladder(id)?.matches(ask))
    }

    fn tune_runs(&self) -> Vec<v1::TuneRun> {
        self.all_runs().iter().map(|run| run.shown().0).collect()
    }

    fn tune_run(&self, id: &str) -> Option<v1::GetTuneRunResponse> {
        let (run, report) = self.one_run(id)?.shown();
        Some(v1::GetTuneRunResponse { run: Some(run), report: Some(report) })
    }
}

/// Starts a thread that looks again and again; `look` returns the pause before the next time.
#[expect(clippy::disallowed_methods, reason = "a thread of its own, without a runtime")]
fn keep_looking(
    name: &str,
    shared: &Arc<Shared>,
    mut look: impl FnMut(&Shared) -> Duration + Send + 'static,
) {
    let watched: Weak<Shared> = Arc::downgrade(shared);
    let thread = std::thread::Builder::new().name(name.to_owned());
    let started = thread.spawn(move || {
        let mut pause = FIRST;
        loop {
            std::thread::sleep(pause);
            // Without a clone no client looks at it.
            let Some(shared) = watched.upgrade() else { return };
            pause = look(&shared);
        }
    });
    if let Err(error) = started {
        warn!(%error, name, "no thread for the lab: it stays as it is now");
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one statement, so a panic cannot leave the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    /// Reads all folders. No reader of the state waits for the drive.
    fn look(&mut self, shared: &Shared) {
        let Some(lab) = &shared.folder else { return };
        let names = names(lab);
        shared.state().retain(&names);
        self.leagues.retain(|name, _| names.contains(name));
        self.unreadable.retain(|name| names.contains(name));
        for name in names {
            let folder = lab.join(&name);
            if let Some(league) = self.league(&name, &folder) {
                league.read();
                let view = league.view();
                shared.state().leagues.insert(name.clone(), view);
            }
            if FollowedLadder::is_at(&folder) && !name.starts_with(ON_SERVER) {
                let new = || Arc::new(ShownLadder::new(&name, &folder));
                let known = shared.state().ladders.entry(name.clone()).or_insert_with(new).clone();
                known.read();
            }
            if ShownRun::is_at(&folder) {
                let new = || Arc::new(ShownRun::new(&name, &folder));
                let known = shared.state().runs.entry(name.clone()).or_insert_with(new).clone();
                known.read();
            }
        }
    }

    /// The league of a folder, if it holds one.
    fn league(&mut self, name: &str, folder: &Path) -> Option<&mut FollowedLeague> {
        if !self.leagues.contains_key(name) {
            match FollowedLeague::new(name, folder) {
                Ok(league) => drop(self.leagues.insert(name.to_owned(), league)),
                Err(LeagueStoreError::Missing { .. }) => {}
                Err(error) => {
                    if self.unreadable.insert(name.to_owned()) {
                        warn!(name, %error, "cannot read a league");
                    }
                }
            }
        }
        self.leagues.get_mut(name)
    }
}

impl State {
    /// Drops what is gone.
    fn retain(&mut self, names: &SortedSet<String>) {
        self.leagues.retain(|name, _| names.contains(name));
        self.ladders.retain(|name, ladder| ladder.is_on_server() || names.contains(name));
        self.runs.retain(|name, _| names.contains(name));
    }
}

/// The names of the folders in a folder.
fn names(folder: &Path) -> SortedSet<String> {
    let plain = |name: &String| {
        name.len() <= NAME_BYTES_MAX
            && !name.starts_with('.')
            && !name.chars().any(char::is_control)
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok()).filter(plain);
    let all: SortedSet<String> = names.collect();
    all.into_iter().take(FOLDERS_MAX).collect()
}
