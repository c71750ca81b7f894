//! The generations of a team: kept in memory, and in the state folder as far as that can be
//! written.

mod disk;
mod wire;

use crate::GenerationInfo;
pub use disk::safe_name;

use disk::HistoryDisk;
use phalanx_engine::{Generation, StrategyOrigin};
use phalanx_game::sorted::SortedMap;
use phalanx_lua::Bundle;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use tokio::sync::watch;
use tracing::{info, warn};

/// One plays, and there must be one to return to.
const KEEP_MIN: usize = 2;

/// One generation that is kept, its files included.
#[derive(Clone, Debug)]
pub(crate) struct StoredGeneration {
    pub(crate) generation: Arc<Generation>,
    /// How it failed; empty when it did not.
    pub(crate) taken_back: String,
    pub(crate) bundle: Arc<Bundle>,
}

/// Which generations played, and whether the present one is pinned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HistoryMarker {
    /// The highest number that was ever given.
    last: u32,
    /// Which generations decided, the present one last. Going back takes them off.
    decided: Vec<u32>,
    pinned: bool,
    /// The hash of the folder when it was tried last; empty: never.
    folder: String,
}

/// All that is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredHistory {
    entries: SortedMap<u32, StoredGeneration>,
    marker: HistoryMarker,
}

/// A team's generations.
#[derive(Debug)]
pub(crate) struct History {
    keep: usize,
    saved: StoredHistory,
    store: Option<Arc<HistoryStore>>,
}

/// The state folder, and whether it was complained about.
#[derive(Debug)]
struct HistoryStore {
    team: String,
    disk: HistoryDisk,
    is_failing: AtomicBool,
}

impl HistoryStore {
    fn write(&self, saved: &StoredHistory) {
        let (team, folder) = (&*self.team, self.disk.folder().display());
        match self.disk.write(saved) {
            Ok(()) => {
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    info!(team, %folder, "the history of the strategy is written again");
                }
            }
            Err(error) => {
                if !self.is_failing.swap(true, Ordering::Relaxed) {
                    warn!(team, %folder, %error, "cannot write the history of the strategy; it is \
                        kept in memory");
                }
            }
        }
    }
}

impl History {
    /// Reads the state folder. Entries that cannot be read are logged and skipped.
    pub(crate) fn open(state: Option<&Path>, team: &str, keep: usize) -> Self {
        let keep = keep.max(KEEP_MIN);
        let mut history = Self { keep, saved: StoredHistory::default(), store: None };
        let Some(state) = state else { return history };
        let opened =
            HistoryDisk::open(state, team).and_then(|disk| disk.load().map(|all| (disk, all)));
        match opened {
            Ok((disk, (saved, troubles))) => {
                for trouble in troubles {
                    warn!(team, "a part of the strategy's history cannot be read: {trouble}");
                }
                history.saved = saved;
                let is_failing = AtomicBool::new(false);
                history.store =
                    Some(Arc::new(HistoryStore { team: team.into(), disk, is_failing }));
            }
            Err(error) => {
                let state = state.display();
                warn!(team, %state, %error, "cannot use the state folder; the history of the \
                    strategy is kept in memory");
            }
        }
        let StoredHistory { entries, marker } = &mut history.saved;
        if marker.decided.last().is_some_and(|number| !entries.contains_key(number)) {
            // What decided is lost: neither its pin nor its folder says anything about the rest.
            (marker.pinned, marker.folder) = (false, String::new());
        }
        marker.decided.retain(|number| entries.contains_key(number));
        marker.pinned &= !marker.decided.is_empty();
        history
    }

    /// Sets how many generations are kept.
    pub(crate) fn set_keep(&mut self, keep: usize) {
        self.keep = keep.max(KEEP_MIN);
        self.prune();
    }

    /// What decides, once something does.
    pub(crate) fn active(&self) -> Option<&StoredGeneration> {
        self.entry(*self.saved.marker.decided.last()?)
    }

    pub(crate) fn entry(&self, number: u32) -> Option<&StoredGeneration> {
        self.saved.entries.get(&number)
    }

    /// What decided before the present one.
    pub(crate) fn before(&self) -> Option<&StoredGeneration> {
        let [.., before, _] = self.saved.marker.decided.as_slice() else { return None };
        self.entry(*before)
    }

    pub(crate) fn is_pinned(&self) -> bool {
        self.saved.marker.pinned
    }

    pub(crate) fn set_pinned(&mut self, pinned: bool) {
        self.saved.marker.pinned = pinned;
    }

    /// The hash of the folder when it was tried last; empty: never.
    pub(crate) fn folder(&self) -> &str {
        &self.saved.marker.folder
    }

    pub(crate) fn set_folder(&mut self, hash: &str) {
        hash.clone_into(&mut self.saved.marker.folder);
    }

    /// A generation for a bundle that is about to play; it counts once it [`decides`](Self::decide).
    pub(crate) fn next(&self, bundle: &Bundle, origin: StrategyOrigin) -> Arc<Generation> {
        Arc::new(Generation {
            number: self.saved.marker.last.saturating_add(1),
            hash: bundle.hash().into(),
            accepted: SystemTime::now(),
            origin,
        })
    }

    /// This number is given to no other generation.
    pub(crate) fn spend(&mut self, number: u32) {
        let last = &mut self.saved.marker.last;
        *last = number.max(*last);
    }

    /// A generation decides from now on.
    pub(crate) fn decide(&mut self, generation: &Arc<Generation>, bundle: &Arc<Bundle>) {
        let number = generation.number;
        let StoredHistory { entries, marker } = &mut self.saved;
        marker.last = marker.last.max(number);
        entries.entry(number).or_insert_with(|| StoredGeneration {
            generation: Arc::clone(generation),
            taken_back: String::new(),
            bundle: Arc::clone(bundle),
        });
        match marker.decided.iter().position(|decided| *decided == number) {
            Some(index) => marker.decided.truncate(index + 1),
            None => marker.decided.push(number),
        }
        self.prune();
    }

    /// A generation failed, and another decides again.
    pub(crate) fn take_back(&mut self, failed: u32, again: u32, reason: &str) {
        let StoredHistory { entries, marker } = &mut self.saved;
        if let Some(entry) = entries.get_mut(&failed) {
            reason.clone_into(&mut entry.taken_back);
        }
        if marker.decided.last() == Some(&failed) && entries.contains_key(&again) {
            marker.decided.retain(|number| *number != failed);
            if marker.decided.last() != Some(&again) {
                marker.decided.push(again);
            }
        }
    }

    /// Drops the oldest beyond the bound, but never what decides or decided right before it.
    fn prune(&mut self) {
        let StoredHistory { entries, marker } = &mut self.saved;
        let held: Vec<u32> = marker.decided.iter().rev().take(2).copied().collect();
        let excess = entries.len().saturating_sub(self.keep);
        let oldest = entries.keys().filter(|number| !held.contains(number)).copied();
        for number in oldest.take(excess).collect::<Vec<_>>() {
            entries.remove(&number);
        }
        marker.decided.retain(|number| entries.contains_key(number));
    }

    /// As others see them, newest first.
    pub(crate) fn infos(&self) -> Vec<GenerationInfo> {
        self.saved.entries.values().rev().map(|entry| self.info(entry)).collect()
    }

    pub(crate) fn info(&self, entry: &StoredGeneration) -> GenerationInfo {
        GenerationInfo {
            generation: Arc::clone(&entry.generation),
            active: self.saved.marker.decided.last() == Some(&entry.generation.number),
            taken_back: entry.taken_back.clone(),
            file_count: entry.bundle.files().count(),
        }
    }

    /// Writes everything now, on this thread: before the team plays.
    pub(crate) fn save(&self) {
        if let Some(store) = &self.store {
            store.write(&self.saved);
        }
    }

    /// Begins to write on the current runtime.
    pub(crate) fn saver(&self) -> Saver {
        let (sender, mut newest) = watch::channel((0_u64, self.saved.clone()));
        let (done, written) = watch::channel(0_u64);
        let store = self.store.clone();
        tokio::spawn(async move {
            // The newest state alone matters: a slow disk skips those between.
            while newest.changed().await.is_ok() {
                let (version, saved) = newest.borrow_and_update().clone();
                if let Some(store) = store.clone() {
                    let write = tokio::task::spawn_blocking(move || store.write(&saved));
                    if let Err(error) = write.await {
                        warn!(%error, "the history of the strategy was not written");
                    }
                }
                done.send_replace(version);
            }
        });
        Saver { sender, written }
    }
}

/// Writes histories in the background, the newest first.
#[derive(Debug)]
pub(crate) struct Saver {
    sender: watch::Sender<(u64, StoredHistory)>,
    written: watch::Receiver<u64>,
}

impl Saver {
    /// Has the history written; the future is over when it is.
    pub(crate) fn save(&self, history: &History) -> impl Future<Output = ()> + use<> {
        let version = self.sender.borrow().0 + 1;
        self.sender.send_replace((version, history.saved.clone()));
        let mut written = self.written.clone();
        async move {
            // An error means that the runtime ends: nothing is left to wait for.
            drop(written.wait_for(|written| *written >= version).await);
        }
    }
}
