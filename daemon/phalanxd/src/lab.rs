//! The lab: leagues, ladders and tune runs that other processes keep in the folders of one folder.
//! One thread looks for news; the control API and the metrics read what it found.

mod figures;
mod ladders;
mod recorded;
mod runs;

pub(crate) use figures::LabFigures;
pub(crate) use recorded::{LadderRecording, all_recordings};

use crate::leagues::FollowedLeague;
use ladders::ShownLadder;
use phalanx_control::{LabDirectory, LadderMatchAsk, LeagueView};
use phalanx_ladder::FollowedLadder;
use phalanx_league::LeagueStoreError;
use phalanx_proto::v1;
use runs::ShownRun;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tracing::warn;

/// How often the folders are read.
const LOOK: Duration = Duration::from_secs(2);
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
    folder: PathBuf,
    state: Mutex<State>,
}

/// What was found, by the names of the folders.
#[derive(Default)]
struct State {
    leagues: BTreeMap<String, Arc<dyn LeagueView>>,
    ladders: BTreeMap<String, Arc<ShownLadder>>,
    runs: BTreeMap<String, Arc<ShownRun>>,
}

/// What reads the folders.
#[derive(Debug, Default)]
struct Reader {
    leagues: BTreeMap<String, FollowedLeague>,
    /// Leagues that cannot be read: each is logged once.
    unreadable: BTreeSet<String>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Lab").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Lab {
    /// Reads the folder, and goes on doing so until the last clone is dropped. Blocks once.
    #[must_use]
    pub fn open(folder: PathBuf) -> Self {
        let shared = Arc::new(Shared { folder, state: Mutex::default() });
        let mut reader = Reader::default();
        reader.look(&shared);
        let watched = Arc::downgrade(&shared);
        let thread = std::thread::Builder::new().name("lab".to_owned());
        if let Err(error) = thread.spawn(move || keep_looking(reader, &watched)) {
            warn!(%error, "no thread for the lab: it stays as it is now");
        }
        Self { shared }
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

#[expect(clippy::disallowed_methods, reason = "a thread of its own, without a runtime")]
fn keep_looking(mut reader: Reader, shared: &Weak<Shared>) {
    loop {
        std::thread::sleep(LOOK);
        // Without a clone no client looks at it.
        let Some(shared) = shared.upgrade() else { return };
        reader.look(&shared);
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
        let names = names(&shared.folder);
        shared.state().retain(&names);
        self.leagues.retain(|name, _| names.contains(name));
        self.unreadable.retain(|name| names.contains(name));
        for name in names {
            let folder = shared.folder.join(&name);
            if let Some(league) = self.league(&name, &folder) {
                league.read();
                let view = league.view();
                shared.state().leagues.insert(name.clone(), view);
            }
            if FollowedLadder::is_at(&folder) {
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
    fn retain(&mut self, names: &BTreeSet<String>) {
        self.leagues.retain(|name, _| names.contains(name));
        self.ladders.retain(|name, _| names.contains(name));
        self.runs.retain(|name, _| names.contains(name));
    }
}

/// The names of the folders in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let plain = |name: &String| {
        name.len() <= NAME_BYTES_MAX
            && !name.starts_with('.')
            && !name.chars().any(char::is_control)
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok()).filter(plain);
    let all: BTreeSet<String> = names.collect();
    all.into_iter().take(FOLDERS_MAX).collect()
}
