//! The recordings of a demo's teams.

use super::cast::Cast;
use crate::args::DemoArgs;
use anyhow::{Context, Result};
use phalanx_cli::remote::say;
use phalanx_game::Origin;
use phalanx_net::Recorder;
use phalanx_record::Recording;
use phalanx_settings::RecordingSettings;
use phalanxd::recordings::{Making, Patient, info};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// How long writing the last pieces may take.
const FINISH_MAX: Duration = Duration::from_secs(60);
/// The referee's address, in recordings.
pub(super) const SERVER: &str = "demo";
/// The start of a temporary folder's name.
const TEMPORARY: &str = "phalanx-demo-";

/// Where the recordings of a demo's matches go.
#[derive(Debug)]
pub(super) enum Films {
    /// Nothing is recorded.
    None,
    /// The user named a folder.
    Kept(PathBuf),
    /// A folder that is deleted when this is dropped.
    Temporary(TempDir),
}

impl Films {
    /// A demo in real time records even if the command line does not ask for it, so that its page
    /// reaches back to the first turn.
    pub(super) fn of(args: &DemoArgs) -> Result<Self> {
        if let Some(folder) = &args.record {
            // Before the match, so that a match is not played in vain.
            let made = std::fs::create_dir_all(folder);
            made.with_context(|| format!("cannot make {}", folder.display()))?;
            return Ok(Self::Kept(folder.clone()));
        }
        if args.fast || args.json || args.no_record {
            return Ok(Self::None);
        }
        match tempfile::Builder::new().prefix(TEMPORARY).tempdir() {
            Ok(folder) => Ok(Self::Temporary(folder)),
            Err(error) => {
                say(&format!("the match is not recorded: no temporary folder: {error}"));
                Ok(Self::None)
            }
        }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::None => None,
            Self::Kept(folder) => Some(folder),
            Self::Temporary(folder) => Some(folder.path()),
        }
    }

    /// Where they are and how long, as a line for the user.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::None => "nothing is recorded; leave out --no-record to record".to_owned(),
            Self::Kept(folder) => format!("the recordings are in {}", folder.display()),
            Self::Temporary(folder) => format!(
                "the recordings are in {} until the demo ends: copy what you want to keep, or use \
                 --record DIR next time",
                folder.path().display()
            ),
        }
    }
}

/// The recordings of all teams in one match.
#[derive(Debug, Default)]
pub(super) struct Takes {
    recordings: Vec<Arc<Recording>>,
    /// The user asked for the files.
    kept: bool,
}

/// The outcome of the recordings.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// The files that the user asked for.
    files: Vec<PathBuf>,
    /// The first problem, if any.
    trouble: Option<String>,
}

impl Takes {
    /// Starts to record every team of the cast.
    pub(super) fn begin(
        args: &DemoArgs,
        films: &Films,
        cast: &mut Cast,
        begun: Origin,
    ) -> Result<Self> {
        let Some(folder) = films.folder() else { return Ok(Self::default()) };
        let making = Making::of(&RecordingSettings::default(), folder);
        let kept = matches!(films, Films::Kept(_));
        let mut takes = Self { recordings: Vec::new(), kept };
        for plan in &mut cast.teams {
            let recording = making.file(info(plan, SERVER, begun));
            let recording = recording.context("cannot start the thread of a recording")?;
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

    /// Writes the rest and closes the files. Blocks.
    pub(super) fn finish(self) -> Taken {
        let mut taken = Taken::default();
        for recording in self.recordings {
            let status = recording.finish(FINISH_MAX);
            if self.kept && !status.path.as_os_str().is_empty() {
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

impl Taken {
    /// Reports a problem; returns the files for the summary.
    pub(super) fn report(self) -> Vec<String> {
        if let Some(trouble) = &self.trouble {
            say(&format!("the recording is incomplete: {trouble}"));
        }
        self.files.iter().map(|file| file.display().to_string()).collect()
    }
}
