//! `phalanx player`: the process that plays matches for a worker. It reads requests from standard
//! input, one a line, and answers on standard output. It opens no files and no connections.

use crate::args::PlayerArgs;
use anyhow::{Context, Result};
use phalanx_league::{Fixture, MatchOutcome, play_guarded};
use phalanx_queue::MatchItem;
use phalanxd::bundle_matches::{BundleMatches, bundle_of_bytes};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

/// A match to be played.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlayerRequest {
    pub(super) item: MatchItem,
    /// The strategies of the item that this process has not got before.
    pub(super) bundles: Vec<SentBundle>,
}

/// A strategy.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SentBundle {
    pub(super) hash: String,
    pub(super) text: String,
}

/// How a match ended.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PlayerAnswer {
    Scores(Vec<i64>),
    Failed(String),
    BadBundle(String),
}

/// Plays matches until standard input ends.
///
/// # Errors
/// When the memory cannot be limited, or standard output fails.
pub fn player(args: &PlayerArgs) -> Result<()> {
    limit_memory(args.memory).context("cannot limit the memory")?;
    let stop = Arc::new(AtomicBool::new(false));
    let requests = requests(&stop);
    let mut matches = BundleMatches::default();
    let mut output = std::io::stdout().lock();
    for line in requests {
        let request: PlayerRequest = serde_json::from_str(&line).context("a malformed request")?;
        let Some(answer) = answer(&mut matches, request, &stop) else { break };
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

/// The lines of standard input. When it ends, the worker is gone, and so is the interest in the match
/// that is played.
fn requests(stop: &Arc<AtomicBool>) -> Receiver<String> {
    let (sender, lines) = sync_channel(1);
    let stop = Arc::clone(stop);
    // The thread is left behind when the process ends; it holds nothing to clean up.
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut line = String::new();
        while input.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    lines
}

/// `None`: the match was given up.
fn answer(
    matches: &mut BundleMatches,
    PlayerRequest { item, bundles }: PlayerRequest,
    stop: &AtomicBool,
) -> Option<PlayerAnswer> {
    for SentBundle { hash, text } in bundles {
        match bundle_of_bytes(text.as_bytes(), &hash) {
            Ok(bundle) => matches.keep(bundle),
            Err(why) => return Some(PlayerAnswer::BadBundle(format!("{why:#}"))),
        }
    }
    let between = matches.between(&item.game, &item.setup, &item.bundles);
    let between = match between {
        Ok(between) => between,
        Err(why) => return Some(PlayerAnswer::BadBundle(format!("{why:#}"))),
    };
    let MatchItem { seed, players, values, .. } = item;
    let fixture = Fixture { number: 0, seed, players, values };
    Some(match play_guarded(between, &fixture, stop)? {
        MatchOutcome::Scores(scores) => PlayerAnswer::Scores(scores),
        MatchOutcome::Failed(reason) => PlayerAnswer::Failed(reason),
    })
}

/// Lets the system refuse memory beyond this many MiB, which ends the process.
fn limit_memory(mebibytes: u64) -> Result<()> {
    let bytes = Some(mebibytes.saturating_mul(1 << 20));
    let limit = Rlimit { current: bytes, maximum: bytes };
    setrlimit(Resource::Data, limit)?;
    // A process that is ended leaves no copy of its memory on the drive.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Ok(())
}
