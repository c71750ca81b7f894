//! The cost of a recording: answer times with and without one, alternating; processor time of its
//! thread and of the whole process; bytes on the disk. A paced referee over loopback TCP, a trivial
//! script.
//!
//! `cargo bench -p phalanx --bench recording [-- TURNS [MILLISECONDS A TURN]]`
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    reason = "a benchmark may fail loudly, and prints"
)]

#[path = "support/referee.rs"]
mod referee;
#[path = "support/team.rs"]
#[allow(dead_code, reason = "other benchmarks play without a recorder")]
mod team;

use hdrhistogram::Histogram;
use phalanx_games::TeamPlan;
use phalanx_net::{Endpoint, origin};
use phalanx_record::Recording;
use phalanx_settings::RecordingSettings;
use phalanxd::recordings::{Making, info};
use referee::{Referee, nanoseconds};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Turns of a round.
const TURNS: u32 = 200;
/// Rounds of each kind, alternating.
const ROUNDS: usize = 5;
/// Interval between turns, in milliseconds.
const PACE_MS: u32 = 20;
const WARM_UP: u32 = 50;
/// Name of the thread that writes.
const RECORDER: &str = "recording";

fn main() {
    let mut numbers = std::env::args().filter_map(|arg| arg.parse().ok());
    let (turns, pace) = (numbers.next().unwrap_or(TURNS), numbers.next().unwrap_or(PACE_MS));
    let pace = Duration::from_millis(pace.into());
    println!("a turn every {pace:?}, {ROUNDS} rounds of {turns} turns of each kind, in turn");
    println!(
        "{:<7} {:>10} {:>15} {:>15} {:>13} {:>19} {:>19} {:>21}",
        "agents",
        "recorded",
        "answer p50",
        "answer p99",
        "ratio p50/p99",
        "recorder, of a core",
        "process, of a core",
        "bytes per turn, agent"
    );
    for agents in [15, 50] {
        compare(agents, turns, pace);
    }
}

/// Answer times and costs of one kind.
struct Found {
    times: Histogram<u64>,
    recorder: Duration,
    process: Duration,
    played: Duration,
    bytes: u64,
}

fn compare(agents: u16, turns: u32, pace: Duration) {
    let new = || Found {
        times: Histogram::new(3).unwrap(),
        recorder: Duration::ZERO,
        process: Duration::ZERO,
        played: Duration::ZERO,
        bytes: 0,
    };
    let mut both = [(false, new()), (true, new())];
    for _ in 0..ROUNDS {
        for (recorded, found) in &mut both {
            round((agents, turns, pace), *recorded, found);
        }
    }
    let [(_, without), (_, with)] = &both;
    for (recorded, found) in &both {
        let at = |q| found.times.value_at_quantile(q);
        let ratio = |q| at(q) as f64 / without.times.value_at_quantile(q) as f64;
        let share = |spent: Duration| 100.0 * spent.as_secs_f64() / found.played.as_secs_f64();
        let decisions = u64::from(turns + WARM_UP) * u64::from(agents) * ROUNDS as u64;
        println!(
            "{agents:<7} {:>10} {:>12} µs {:>12} µs {:>6.2}/{:>6.2} {:>17.2} % {:>17.2} % {:>21}",
            if *recorded { "yes" } else { "no" },
            at(0.5) / 1000,
            at(0.99) / 1000,
            ratio(0.5),
            ratio(0.99),
            share(found.recorder),
            share(found.process),
            found.bytes / decisions,
        );
    }
    assert!(with.bytes > 0);
}

/// Plays a round.
fn round((agents, turns, pace): (u16, u32, Duration), recorded: bool, found: &mut Found) {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut plan = team::skipping("assemble", agents);
    let recording = recorded.then(|| record(&mut plan, folder.path()));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let endpoint = Endpoint::tcp(address.ip().to_string(), address.port());
    let team =
        runtime.block_on(async { phalanx_games::build(plan, endpoint).await.unwrap().spawn() });
    let mut referee = Referee::accept(&listener, agents);
    let (begun, process, recorder) = (Instant::now(), spent(), spent_by(RECORDER));
    for turn in 0..turns + WARM_UP {
        std::thread::sleep((pace * turn).saturating_sub(begun.elapsed()));
        for (since_last, _) in referee.turn(turn) {
            if turn >= WARM_UP {
                found.times.record(nanoseconds(since_last)).unwrap();
            }
        }
    }
    found.played += begun.elapsed();
    found.process += spent() - process;
    found.recorder += spent_by(RECORDER).saturating_sub(recorder);
    // A recording is complete when its team has ended.
    runtime.block_on(async { tokio::join!(team.drain(Duration::ZERO), team.ended()) });
    drop((referee, team, runtime));
    if let Some(recording) = recording {
        let status = recording.finish(Duration::from_secs(60));
        assert!(status.over && status.lost == 0, "{status:?}");
        found.bytes += status.bytes;
    }
}

fn record(plan: &mut TeamPlan, folder: &Path) -> Arc<Recording> {
    let making = Making::of(&RecordingSettings::default(), folder);
    let recording = making.file(info(plan, "bench", origin())).unwrap();
    plan.recorder = Some(recording.clone());
    recording
}

/// Processor time of our threads of that name so far.
fn spent_by(name: &str) -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let of = |thread: std::io::Result<std::fs::DirEntry>| {
        let read = |file| std::fs::read_to_string(thread.as_ref().ok()?.path().join(file)).ok();
        let ours = read("comm").is_some_and(|comm| comm.trim() == name);
        // Nanoseconds on a processor, as the scheduler counts them.
        let text = read("schedstat").filter(|_| ours)?;
        text.split(' ').next()?.parse::<u64>().ok()
    };
    Duration::from_nanos(threads.filter_map(of).sum())
}

/// Processor time of the whole process so far, threads that are gone included.
fn spent() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // The fields after the name in brackets; user and system time are fields 14 and 15, in
    // hundredths.
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let ticks = fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap());
    Duration::from_millis(10 * ticks.sum::<u64>())
}
