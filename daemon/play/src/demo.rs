//! `phalanx demo`: an arena and two teams in one process.
//!
//! With `--fast` the match runs on a virtual clock in one thread: the same bytes, scripts and
//! referee, without sockets and waiting, and with the same result for the same seed. Without it the
//! arena listens on loopback TCP, the teams play over real connections, and changes saved in a
//! strategy's folder take effect within a second. On a terminal such a demo stays after the match,
//! with its web page, and plays again on request.
//!
//! - `live`: the process in real time. `playing`: one match of it. `finale`: the keys after it.
//! - `fast`: a match on virtual time.
//! - `summary` and `leads`: who won, and what decided it. `takes`: recordings.

mod browser;
mod cast;
mod fast;
mod finale;
mod leads;
mod live;
mod playing;
mod progress;
mod summary;
mod takes;

pub(crate) use cast::PATIENCE;
pub use summary::{Summary, TallyLine, TeamSummary};

use crate::args::DemoArgs;
use anyhow::{Context, Result};
use phalanx_cli::terminal::ending;
use phalanx_game::Artifact;
use phalanxd::casting::beginning;
use std::path::{Path, PathBuf};
use takes::{Films, Takes};

/// Plays a match and prints its summary.
///
/// # Errors
/// When a strategy or the simulation's settings do not load, or the match gets stuck.
pub fn run(args: &DemoArgs) -> Result<()> {
    ending::listen(&std::io::stderr())?;
    if !args.fast {
        return live::play(args);
    }
    print(args, &trial(args, &mut |_, _| !ending::is_due())?)
}

/// Hears of each step of a match and of its last one, 0 if there is none; false ends the match.
pub type StepWatch<'a> = dyn FnMut(u64, u64) -> bool + 'a;

/// Plays a match on virtual time.
///
/// # Errors
/// As [`run`], or when `watch` ended the match.
pub fn trial(args: &DemoArgs, watch: &mut StepWatch<'_>) -> Result<Summary> {
    let films = Films::of(args)?;
    let mut cast = cast::Cast::new(args)?;
    let begun = beginning(phalanx_net::now(), args.seed);
    let takes = Takes::begin(args, &films, &mut cast, begun)?;
    let played = fast::play(args, &cast, begun, watch);
    let recordings = takes.finish().report();
    Ok(Summary { recordings, ..played? })
}

fn print(args: &DemoArgs, summary: &Summary) -> Result<()> {
    let text = if args.json { serde_json::to_string(summary)? } else { summary.text() };
    phalanx_cli::remote::print(&text)
}

/// Writes an artifact of the arena below a folder.
fn keep(folder: &Path, artifact: &Artifact) -> Result<()> {
    let path: PathBuf = folder.join(&artifact.path);
    let parent = path.parent().unwrap_or(folder);
    std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    std::fs::write(&path, &artifact.bytes)
        .with_context(|| format!("cannot write {}", path.display()))
}
