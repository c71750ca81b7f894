//! Checkpoints of teams in the state folder: written while the teams play, read at the next start.

mod folder;
mod writer;

pub use writer::Writer;

use folder::{Folder, Slot};
use phalanx_engine::Found;
use phalanx_net::Lobby;
use phalanx_settings::{Settings, TeamSettings};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tracing::{info, warn};

/// Checkpoints in a state folder.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    sync_every: u32,
    age_max: Duration,
}

/// The checkpoint that a team resumes from.
#[derive(Clone, Debug)]
pub struct Resume {
    /// The checkpoint's identity: team, match, turn.
    pub found: Found,
    /// The whole checkpoint.
    pub bytes: Arc<[u8]>,
}

impl Checkpoints {
    /// `None` if the settings disable checkpoints.
    #[must_use]
    pub fn of(settings: &Settings) -> Option<Self> {
        let checkpoints = settings.checkpoints;
        let state = settings.state_dir.as_ref().filter(|_| checkpoints.write)?;
        let folder = state.join(folder::CHECKPOINTS);
        let (sync_every, age_max) = (checkpoints.sync_every, checkpoints.age_max);
        Some(Self { folder, sync_every, age_max })
    }

    /// The newest checkpoint that the team can resume from. Damaged checkpoints and those of
    /// another match are set aside with a warning, then the one before is tried.
    #[must_use]
    pub fn find(&self, team: &TeamSettings) -> Option<Resume> {
        let folder = Folder::of(&self.folder, &team.name);
        [Slot::Newest, Slot::Before].into_iter().find_map(|slot| {
            let bytes = match folder.read(slot) {
                Ok(bytes) => bytes?,
                Err(error) => return set_aside(&folder, slot, &error.to_string()),
            };
            match self.check(team, &bytes) {
                Ok(found) => {
                    let (turn, file) = (found.turn, folder.path(slot));
                    info!(team = team.name, %turn, file = %file.display(), "found a checkpoint: \
                        the team goes on from it if it meets the same match");
                    Some(Resume { found, bytes: bytes.into() })
                }
                Err(reason) => set_aside(&folder, slot, &reason),
            }
        })
    }

    /// Whether a team may resume from a checkpoint.
    fn check(&self, team: &TeamSettings, bytes: &[u8]) -> Result<Found, String> {
        let found = phalanx_games::examine(team, bytes)?;
        let identity = &found.identity;
        if identity.team != team.name {
            return Err(format!("it is of the team {:.80?}", identity.team));
        }
        if let Some(here) = server(team).filter(|here| *here != identity.server) {
            return Err(format!(
                "it is of a match at {}, the team plays at {here}",
                identity.server
            ));
        }
        let apart = match SystemTime::now().duration_since(identity.saved) {
            Ok(age) => age,
            // The clock was set back since then.
            Err(ahead) => ahead.duration(),
        };
        if apart > self.age_max {
            let [saved, max] = [apart, self.age_max].map(humantime::format_duration);
            return Err(format!("it is too old ({saved}; checkpoints.age_max is {max})"));
        }
        Ok(found)
    }
}

/// The server's address in the form that checkpoints use.
fn server(team: &TeamSettings) -> Option<String> {
    crate::plans::endpoint(team, &Lobby::default()).map(|endpoint| endpoint.to_string())
}

fn set_aside<T>(folder: &Folder, slot: Slot, reason: &str) -> Option<T> {
    let (team, file) = (folder.team(), folder.path(slot));
    let file = file.display();
    match folder.set_aside(slot) {
        Ok(aside) => {
            let aside = aside.display();
            warn!(team, %file, %aside, "set a checkpoint aside: {reason}");
        }
        Err(error) => {
            warn!(team, %file, %error, "cannot use a checkpoint, and cannot set it aside: \
                {reason}");
        }
    }
    None
}
