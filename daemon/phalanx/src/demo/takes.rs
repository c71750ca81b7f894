//! The recordings of a demo's teams.

use super::cast::Cast;
use crate::cli::DemoArgs;
use crate::recordings::{Making, Patient, info};
use anyhow::{Context, Result};
use phalanx_game::Origin;
use phalanx_net::Recorder;
use phalanx_record::Recording;
use phalanx_settings::RecordingSettings;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long the last pieces may take.
const FINISH_MAX: Duration = Duration::from_secs(60);
/// The referee's address, in recordings.
pub(super) const SERVER: &str = "demo";

/// The recordings of all teams, where the command line wants some.
#[derive(Debug, Default)]
pub(super) struct Takes {
    recordings: Vec<Arc<Recording>>,
}

/// What became of them.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) files: Vec<PathBuf>,
    /// What went wrong.
    pub(super) trouble: Option<String>,
}

impl Takes {
    /// Records every team of the cast from here on.
    pub(super) fn begin(args: &DemoArgs, cast: &mut Cast, begun: Origin) -> Result<Self> {
        let Some(folder) = &args.record else { return Ok(Self::default()) };
        make(folder)?;
        let making = Making::of(&RecordingSettings::default(), folder);
        let mut takes = Self::default();
        for plan in &mut cast.teams {
            let recording = making.file(info(plan, SERVER, begun));
            let recording = recording.context("no thread for a recording")?;
            let recorder: Arc<dyn Recorder> = if args.fast {
                Arc::new(Patient(Arc::clone(&recording)))
            } else {
                Arc::clone(&recording) as _
            };
            plan.recorder = Some(recorder);
            takes.recordings.push(recording);
        }
        Ok(takes)
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> Taken {
        let mut taken = Taken::default();
        for recording in self.recordings {
            let status = recording.finish(FINISH_MAX);
            if !status.path.as_os_str().is_empty() {
                taken.files.push(status.path);
            }
            let late = (!status.over).then(|| "the disk is too slow".to_owned());
            let lost = format!("{} messages are missing", status.lost);
            let lost = (status.lost > 0).then_some(lost);
            taken.trouble = taken.trouble.or(status.trouble).or(late).or(lost);
        }
        taken
    }
}

/// Its folder is there before the match is played for nothing.
fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}
