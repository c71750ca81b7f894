//! `phalanx demo`: an arena and two teams in one process.
//!
//! With `--fast` the match runs on a virtual clock in one thread: the same bytes, scripts and
//! referee, no sockets and no waiting, the same result for the same seed. Without it the arena
//! listens on loopback TCP, the teams play through real connections, and what is saved in a
//! strategy's folder plays a moment later.

mod cast;
mod changes;
mod fast;
mod live;
mod progress;
mod summary;
mod takes;

pub(crate) use cast::{Casting, Cleared};
pub(crate) use changes::{held_back, is_held_back};
pub(crate) use fast::beginning;
pub use summary::{Summary, TeamSummary};

use crate::cli::DemoArgs;
use crate::remote::say;
use crate::terminal::ending;
use anyhow::{Context, Result};
use phalanx_game::Artifact;
use phalanx_net::{now, origin};
use std::path::{Path, PathBuf};
use takes::Takes;

/// Ctrl-c came before the end of the match.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted before the match was over")]
pub struct Interrupted;

/// Plays a match and prints its summary.
///
/// # Errors
/// When a strategy or the simulation's settings do not load, or the match gets stuck.
pub fn run(args: &DemoArgs) -> Result<()> {
    ending::listen(&std::io::stderr())?;
    let mut cast = cast::Cast::new(args)?;
    let begun = if args.fast { beginning(now(), args.seed) } else { origin() };
    let takes = Takes::begin(args, &mut cast, begun)?;
    let played =
        if args.fast { fast::play(args, &cast, begun) } else { live::play(args, cast, begun) };
    let taken = takes.finish();
    if let Some(trouble) = &taken.trouble {
        say(&format!("the recording is not whole: {trouble}"));
    }
    let files = taken.files.iter().map(|file| file.display().to_string()).collect();
    let summary = Summary { recordings: files, ..played? };
    let text = if args.json { serde_json::to_string(&summary)? } else { summary.text() };
    crate::remote::print(&text)
}

/// Writes a file of the arena below a folder.
fn keep(folder: &Path, artifact: &Artifact) -> Result<()> {
    let path: PathBuf = folder.join(&artifact.path);
    let parent = path.parent().unwrap_or(folder);
    std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    std::fs::write(&path, &artifact.bytes)
        .with_context(|| format!("cannot write {}", path.display()))
}
