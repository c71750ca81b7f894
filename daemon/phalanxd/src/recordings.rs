//! Records the teams that play here: a recording begins and ends with its team, and is kept as long
//! as the settings say.
//!
//! ```text
//! team ──put──► Tap ──► Recording (a file as it happens) or FlightRecorder (memory)
//!                └─ ended, trouble ─► task: finish, prune; write the flight recorder
//! ```
//!
//! No team waits for the disk.

mod directory;
mod flight;
mod making;
mod tap;
mod upkeep;

pub use making::{Making, Patient, info};

use crate::reload::Reloader;
use flight::Flight;
use phalanx_games::TeamPlan;
use phalanx_metrics::{Metrics, RecordingMetrics};
use phalanx_record::{RecordingInfo, RecordingStatus, RetentionPolicy, prune};
use phalanx_settings::{RecordingMode, RecordingSettings, Settings};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tap::{Ends, Tap};
use tokio_util::sync::CancellationToken;
use tracing::warn;

/// Mode of the folder: recordings contain everything that a team knows.
const FOLDER_MODE: u32 = 0o700;
/// How long writing the last pieces of a recording may take after its team has ended.
const FINISH_MAX: Duration = Duration::from_secs(30);

/// All recordings of this process. Clones share them.
#[derive(Clone, Debug)]
pub struct Recordings {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    settings: RecordingSettings,
    folder: PathBuf,
    /// The folder of the lab, whose ladders may have recordings.
    lab: Option<PathBuf>,
    metrics: Arc<Metrics>,
    /// Reloads the settings, which may change how much is kept.
    reloader: OnceLock<Arc<Reloader>>,
    takes: Mutex<Vec<Arc<Take>>>,
    /// Held while old recordings are deleted, so that two tasks do not delete at once.
    pruning: Mutex<()>,
}

/// A team that is recorded.
#[derive(Debug)]
struct Take {
    team: String,
    keeps: Keeps,
    ends: Arc<Ends>,
    figures: RecordingMetrics,
    /// The outcome was reported.
    logged: AtomicBool,
}

/// The recorder.
#[derive(Debug)]
enum Keeps {
    File(Arc<phalanx_record::Recording>),
    Flight(Arc<Flight>),
}

/// A team that is about to be recorded.
#[derive(Debug)]
pub struct Begun {
    recordings: Recordings,
    take: Arc<Take>,
}

impl Recordings {
    /// The recordings that the settings ask for; `None`: none. Creates the folder and deletes old
    /// recordings.
    #[must_use]
    pub fn open(settings: &Settings, metrics: Arc<Metrics>) -> Option<Self> {
        let lab = settings.lab.path.clone();
        let settings = settings.recordings.clone();
        if settings.mode == RecordingMode::Off {
            return None;
        }
        let Some(folder) = settings.folder.clone() else {
            tracing::info!("recording is off: neither recordings.folder nor state_dir is set");
            return None;
        };
        let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&folder);
        if let Err(error) = made {
            let folder = folder.display();
            warn!(%folder, %error, "cannot create the folder of recordings; will try again");
        }
        let recordings = Self::new(settings, folder, lab, metrics);
        recordings.prune();
        Some(recordings)
    }

    /// The recordings of a folder that another process writes; nothing is deleted.
    #[must_use]
    pub fn of_folder(folder: PathBuf, metrics: Arc<Metrics>) -> Self {
        Self::new(RecordingSettings::default(), folder, None, metrics)
    }

    fn new(
        settings: RecordingSettings,
        folder: PathBuf,
        lab: Option<PathBuf>,
        metrics: Arc<Metrics>,
    ) -> Self {
        let shared = Shared {
            settings,
            folder,
            lab,
            metrics,
            reloader: OnceLock::new(),
            takes: Mutex::default(),
            pruning: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Uses the reloader's settings from now on.
    pub fn reloads_with(&self, reloader: Arc<Reloader>) {
        // It is set once, when the daemon starts.
        drop(self.shared.reloader.set(reloader));
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.shared.folder
    }

    /// Records the team of this plan.
    #[must_use]
    pub fn begin(&self, plan: &mut TeamPlan, info: RecordingInfo) -> Option<Begun> {
        let team = plan.roster.team.clone();
        let settings = &self.shared.settings;
        let making = Making::of(settings, &self.shared.folder);
        let ends = Arc::new(Ends::default());
        let (keeps, tap) = match settings.mode {
            RecordingMode::Off => return None,
            RecordingMode::File => match making.file(info) {
                Ok(recording) => {
                    let tap = Tap::new(recording.clone(), Arc::clone(&ends));
                    (Keeps::File(recording), tap)
                }
                Err(error) => {
                    warn!(team, %error, "cannot record the team");
                    return None;
                }
            },
            RecordingMode::Flight => {
                let recorder = Arc::new(making.flight(info, settings.flight_size));
                let flight = Arc::new(Flight::new(recorder.clone()));
                let tap = Tap::watching(recorder, Arc::clone(&ends), Arc::clone(&flight));
                (Keeps::Flight(flight), tap)
            }
        };
        plan.recorder = Some(Arc::new(tap));
        let figures = RecordingMetrics::new(Arc::clone(&self.shared.metrics), &team);
        let take = Arc::new(Take { team, keeps, ends, figures, logged: AtomicBool::default() });
        Some(Begun { recordings: self.clone(), take })
    }

    /// Ends all running recordings; writing the rest may take `patience`. Blocks.
    pub fn finish(&self, patience: Duration) {
        let begun = Instant::now();
        for take in self.takes() {
            take.finish(patience.saturating_sub(begun.elapsed()));
        }
    }

    /// Deletes old recordings as the settings say. Blocks.
    fn prune(&self) {
        let _alone = self.shared.pruning.lock().unwrap_or_else(PoisonError::into_inner);
        let RecordingSettings { keep_size, keep_age, .. } = self.settings();
        let policy = RetentionPolicy { bytes: Some(keep_size), age: Some(keep_age) };
        let folder = self.folder();
        let pruned = match prune(folder, policy, SystemTime::now(), false) {
            Ok(pruned) => pruned,
            Err(error) => {
                let folder = folder.display();
                warn!(%folder, %error, "cannot read the folder of recordings; nothing is deleted");
                return;
            }
        };
        for gone in pruned {
            let (name, bytes) = (gone.name, gone.bytes);
            match gone.trouble {
                None => tracing::info!(name, bytes, "deleted an old recording to free space"),
                Some(trouble) => warn!(name, trouble, "cannot delete an old recording"),
            }
        }
    }

    fn settings(&self) -> RecordingSettings {
        let now = self.shared.reloader.get().map(|reloader| reloader.settings().recordings.clone());
        now.unwrap_or_else(|| self.shared.settings.clone())
    }

    fn takes(&self) -> Vec<Arc<Take>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Take>>> {
        // Each change is one step: the list is consistent even if a holder panicked.
        self.shared.takes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Begun {
    /// Supervises the team's recording from now on, until the team ends. Must be called inside a
    /// tokio runtime.
    pub fn playing(self) {
        let Self { recordings, take } = self;
        recordings.lock().push(Arc::clone(&take));
        tokio::spawn(upkeep::follow(recordings, take));
    }
}

impl Take {
    /// Writes the rest and logs the outcome. Blocks.
    fn finish(&self, patience: Duration) {
        let Keeps::File(recording) = &self.keeps else { return };
        let status = recording.finish(patience);
        self.figures.sample(&sample(&status));
        if !self.logged.swap(true, Ordering::AcqRel) {
            log_status(&self.team, &status);
        }
    }
}

fn log_status(team: &str, status: &RecordingStatus) {
    let RecordingStatus { path, bytes, lost, over, .. } = status;
    let file = path.display();
    if !over {
        warn!(team, %file, bytes, "the recording has no end: the disk is too slow");
    } else if path.as_os_str().is_empty() || status.trouble.is_some() {
        let trouble = status.trouble.as_deref().unwrap_or_default();
        warn!(team, trouble, lost, "the recording ended with a problem");
    } else {
        tracing::info!(team, %file, bytes, lost, "recorded");
    }
}

fn sample(status: &RecordingStatus) -> phalanx_metrics::RecordingSample {
    phalanx_metrics::RecordingSample {
        bytes: status.bytes,
        messages: status.messages,
        lost: status.lost,
        failures: status.failures,
        waiting_bytes: status.waiting_bytes,
        trouble: status.trouble.is_some(),
    }
}

/// Completes when the team has ended.
async fn ended(token: &CancellationToken) {
    token.cancelled().await;
}
