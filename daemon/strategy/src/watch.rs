//! Watches a strategy folder. Events of the file system only wake it: the truth is what the folder
//! looks like, so that no way of saving files has to be understood.
//!
//! ```text
//! event or poll ─► look ─► other than before? ─► rests for `settle`? ─► read ─► look again ─► tell
//! ```

use crate::KeeperOptions;
use crate::scan::{ENTRIES_MAX, FolderMetadata, look};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use phalanx_lua::{Bundle, LoadError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until};
use tracing::{debug, info, warn};

/// Events wake us so often at most: a busy folder costs no more than this.
const REST: Duration = Duration::from_millis(10);

/// A folder that keeps changing is read after this many rest periods all the same.
const UNREST_MAX: u32 = 10;

/// What a folder holds, after it came to rest.
#[derive(Clone, Debug, Default)]
pub(crate) enum FolderState {
    /// Nothing is known yet.
    #[default]
    Nothing,
    /// A strategy.
    Bundle(Arc<Bundle>),
    /// Files that are no strategy.
    Faulty(Arc<LoadError>),
    /// The folder is not there.
    Gone,
}

/// Watches a folder on the current runtime until the last receiver is gone. Only the newest state
/// is kept for slow readers.
pub(crate) fn watch(folder: PathBuf, options: &KeeperOptions) -> watch::Receiver<FolderState> {
    let (sender, seen) = watch::channel(FolderState::Nothing);
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let watcher = FolderWatcher {
        events: Events::new(folder.clone()),
        folder,
        options: options.clone(),
        last: None,
        look_twice: false,
        is_cut: false,
        sender,
    };
    tokio::spawn(watcher.run());
    seen
}

struct FolderWatcher {
    folder: PathBuf,
    options: KeeperOptions,
    events: Events,
    /// The metadata that was reported last.
    last: Option<FolderMetadata>,
    /// A file may change twice within one tick of its drive's clock, which no look shows.
    look_twice: bool,
    is_cut: bool,
    sender: watch::Sender<FolderState>,
}

impl FolderWatcher {
    async fn run(mut self) {
        while !self.sender.is_closed() {
            let look = self.look().await;
            self.events.follow(&look).await;
            if self.last.as_ref() != Some(&look) {
                self.settle(look).await;
                continue;
            }
            if self.wait().await && self.look_twice {
                self.look_twice = false;
                self.read_again().await;
            }
        }
    }

    /// Waits for the next reason to look; true when the time for it came by itself.
    async fn wait(&self) -> bool {
        tokio::select! {
            () = self.events.wake.notified() => {
                tokio::time::sleep(REST).await;
                false
            }
            () = tokio::time::sleep(self.options.poll) => true,
            () = self.sender.closed() => false,
        }
    }

    /// Waits until the folder looks the same for long enough, then reads and tells it.
    async fn settle(&mut self, mut look: FolderMetadata) {
        let latest = Instant::now() + self.options.settle * UNREST_MAX;
        loop {
            look = self.rest(look, latest).await;
            let seen = match &look {
                FolderMetadata::There { .. } => self.read().await,
                FolderMetadata::Gone(_) => FolderState::Gone,
            };
            // A file that was written while we read it shows now; then nothing read counts.
            let after = self.look().await;
            if after == look || Instant::now() >= latest {
                self.tell(seen);
                self.last = Some(look);
                self.look_twice = true;
                return;
            }
            if self.sender.is_closed() {
                return;
            }
            look = after;
        }
    }

    /// The look that has been the same until `settle` was over, or the one of the latest moment.
    async fn rest(&mut self, mut look: FolderMetadata, latest: Instant) -> FolderMetadata {
        let settle = self.options.settle;
        let mut rested = latest.min(Instant::now() + settle);
        loop {
            let is_over = tokio::select! {
                () = sleep_until(rested) => true,
                () = self.events.wake.notified() => {
                    tokio::time::sleep(REST.min(settle)).await;
                    false
                }
            };
            let now = self.look().await;
            let has_rested = now == look && (is_over || Instant::now() >= rested);
            if now != look {
                self.events.follow(&now).await;
                look = now;
                rested = latest.min(Instant::now() + settle);
            }
            if has_rested || Instant::now() >= latest {
                return look;
            }
        }
    }

    async fn read_again(&mut self) {
        let seen = match self.last {
            Some(FolderMetadata::There { .. }) => self.read().await,
            Some(FolderMetadata::Gone(_)) | None => return,
        };
        let is_same = match (&seen, &*self.sender.borrow()) {
            (FolderState::Bundle(now), FolderState::Bundle(before)) => now.hash() == before.hash(),
            (FolderState::Faulty(now), FolderState::Faulty(before)) => {
                now.to_string() == before.to_string()
            }
            _ => false,
        };
        if !is_same {
            // Something changed unseen: it may still be changing.
            self.last = None;
        }
    }

    fn tell(&mut self, seen: FolderState) {
        debug!(team = self.options.team, folder = %self.folder.display(), ?seen, "folder");
        self.sender.send_replace(seen);
    }

    async fn look(&mut self) -> FolderMetadata {
        let folder = self.folder.clone();
        let look = tokio::task::spawn_blocking(move || look(&folder)).await;
        let look = look.unwrap_or(FolderMetadata::Gone(std::io::ErrorKind::Other));
        let is_cut = matches!(&look, FolderMetadata::There { is_cut: true, .. });
        if is_cut && !self.is_cut {
            warn!(team = self.options.team, folder = %self.folder.display(), "the strategy's \
                folder has more than {ENTRIES_MAX} entries; changes beyond them are not seen");
        }
        self.is_cut = is_cut;
        look
    }

    async fn read(&self) -> FolderState {
        let (read, folder) = (Arc::clone(&self.options.read), self.folder.clone());
        match tokio::task::spawn_blocking(move || read(&folder)).await {
            Ok(Ok(bundle)) => FolderState::Bundle(Arc::new(bundle)),
            Ok(Err(error)) => FolderState::Faulty(Arc::new(error)),
            Err(_) => FolderState::Gone,
        }
    }
}

/// Events of the file system, where it has any: of the folder, and of what leads to it.
struct Events {
    folder: PathBuf,
    wake: Arc<Notify>,
    /// What is watched: where the folder really is, and which one it is.
    followed: Option<(PathBuf, (u64, u64))>,
    watcher: Option<RecommendedWatcher>,
    is_deaf: bool,
}

impl Events {
    fn new(folder: PathBuf) -> Self {
        Self { folder, wake: Arc::default(), followed: None, watcher: None, is_deaf: false }
    }

    /// Watches the folder that is there now, which may be another one than before.
    async fn follow(&mut self, look: &FolderMetadata) {
        let there = match look {
            FolderMetadata::There { root, identity, .. } => Some((root.clone(), *identity)),
            FolderMetadata::Gone(_) => None,
        };
        if there == self.followed && self.watcher.is_some() {
            return;
        }
        self.followed = there;
        let (folder, wake) = (self.folder.clone(), Arc::clone(&self.wake));
        let root = self.followed.as_ref().map(|(root, _)| root.clone());
        let listening = tokio::task::spawn_blocking(move || listen(&folder, root.as_deref(), wake));
        let listening =
            listening.await.unwrap_or_else(|error| Err(notify::Error::generic(&error.to_string())));
        match listening {
            Ok(watcher) => self.watcher = Some(watcher),
            Err(error) => {
                self.watcher = None;
                if !self.is_deaf {
                    self.is_deaf = true;
                    info!(folder = %self.folder.display(), %error, "no events of the strategy's \
                        folder; it is looked through now and then instead");
                }
            }
        }
    }
}

fn listen(
    folder: &Path,
    root: Option<&Path>,
    wake: Arc<Notify>,
) -> notify::Result<RecommendedWatcher> {
    let (link, real) = (folder.to_path_buf(), root.map(Path::to_path_buf));
    // The parent may be a busy place: only what concerns the folder is of interest.
    let concerns = move |path: &PathBuf| {
        path.starts_with(&link) || real.as_ref().is_some_and(|real| path.starts_with(real))
    };
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let is_ours = match event {
            Ok(event) if event.kind.is_access() => false,
            Ok(event) => event.paths.is_empty() || event.paths.iter().any(&concerns),
            // Lost events, for one: the look tells.
            Err(_) => true,
        };
        if is_ours {
            wake.notify_one();
        }
    })?;
    if let Some(root) = root {
        watcher.watch(root, RecursiveMode::Recursive)?;
    }
    // Tells when the folder returns, or a link to it is switched. Without it, polling does.
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        watcher.watch(parent, RecursiveMode::NonRecursive).ok();
    }
    Ok(watcher)
}
