//! Creates recorders.

use phalanx_game::Origin;
use phalanx_games::TeamPlan;
use phalanx_lua::Program;
use phalanx_net::{Appetite, Recorder, Taped};
use phalanx_record::{
    Bundler, FlightRecorder, QueueLimits, Recording, RecordingInfo, RecordingOptions,
};
use phalanx_settings::RecordingSettings;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a match on virtual time pauses while the disk catches up.
const REST: Duration = Duration::from_millis(1);

/// Options of recordings.
#[derive(Clone, Debug)]
pub struct Making {
    options: RecordingOptions,
}

impl Making {
    /// Options from the settings, for files in a folder.
    #[must_use]
    pub fn of(settings: &RecordingSettings, folder: &Path) -> Self {
        let options = RecordingOptions {
            queue: QueueLimits {
                entries_max: settings.queue_entries,
                bytes_max: settings.queue_size,
            },
            flush_every: settings.flush_every,
            sync: settings.sync,
            part_bytes_max: settings.part_size,
            retry_after: settings.retry_after,
            bundler: bundler(),
            ..RecordingOptions::new(folder)
        };
        Self { options }
    }

    /// Records everything into a file.
    ///
    /// # Errors
    /// When the system cannot create a thread.
    pub fn file(&self, info: RecordingInfo) -> io::Result<Arc<Recording>> {
        Recording::begin(self.options.clone(), info)
    }

    /// Keeps the last `bytes_max` bytes in memory.
    #[must_use]
    pub fn flight(&self, info: RecordingInfo, bytes_max: usize) -> FlightRecorder {
        FlightRecorder::new(self.options.clone(), info, bytes_max)
    }
}

/// The description of a team's recording; `server` is the referee's address.
#[must_use]
pub fn info(plan: &TeamPlan, server: &str, begun: Origin) -> RecordingInfo {
    RecordingInfo {
        team: plan.roster.team.clone(),
        game: plan.game.clone(),
        server: server.to_owned(),
        seed: plan.team.seed,
        game_options: plan.options.clone(),
        script_memory_bytes: plan.limits.memory_bytes as u64,
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        begun,
    }
}

/// Packs the files of a strategy's generation.
fn bundler() -> Bundler {
    Bundler::new(|staged| {
        let program = Arc::clone(&staged.code).downcast::<Program>().ok()?;
        let file = |(path, source): (&str, &Arc<str>)| (path.to_owned(), source.to_string());
        Some(program.bundle().files().map(file).collect())
    })
}

/// A recorder for matches on virtual time, which wait for the disk, so that nothing is dropped.
#[derive(Debug)]
pub struct Patient(pub Arc<Recording>);

impl Recorder for Patient {
    fn put(&self, at: Instant, what: Taped) {
        while self.0.appetite() == Appetite::Needed {
            thread::park_timeout(REST);
        }
        self.0.put(at, what);
    }

    fn appetite(&self) -> Appetite {
        Appetite::Everything
    }

    fn trouble(&self) -> Option<String> {
        self.0.trouble()
    }
}
