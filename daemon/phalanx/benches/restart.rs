//! The absence of a killed daemon's team, and its knowledge afterwards. A daemon with the shipped
//! strategy plays Agents Assemble against one that skips; it is killed repeatedly at random
//! instants and started again at once.
//!
//! The time ends with the first action that the new daemon decides. Two parts of it are the
//! referee's: an agent that returns is asked in the next step, and a step whose answers were lost
//! with the daemon lasts until its timeout.
//!
//! `cargo bench -p phalanx --bench restart [-- KILLS]`
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark may fail loudly, and prints"
)]

#[allow(dead_code, reason = "the specs use more of it")]
#[path = "../tests/programs/support.rs"]
mod support;
#[allow(dead_code, reason = "the specs use more of it")]
#[path = "../tests/programs/warm/truth.rs"]
mod truth;

use hdrhistogram::Histogram;
use serde_json::Value;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{PHALANX, Running, arena_config, control, daemon, phalanx, quiet};
use truth::{Part, Picture, SIDE, wrap};

const AGENTS: u32 = 15;
const KILLS: u32 = 50;
/// A step takes at least this long.
const PACE: &str = "100ms";
/// How long the referee waits for missing answers, in milliseconds.
const TURN_MS: u32 = 500;
/// Time for the team to learn something, and between two kills.
const STEPS: Duration = Duration::from_secs(1);

fn main() {
    let kills = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(KILLS);
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [ours, theirs] = [dirs[0].path(), dirs[1].path()];
    let (_arena, address) = arena(ours);
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/assemble");
    settings(ours, &address, "A", shipped);
    std::fs::write(theirs.join("w.luau"), "return { decide = function() return act.skip() end }")
        .unwrap();
    settings(theirs, &address, "B", theirs.to_str().unwrap());
    let mut team = daemon(&ours.join("phalanxd.toml"));
    let _opponent = daemon(&theirs.join("phalanxd.toml"));
    team.line_with("\"decided\"");
    std::thread::sleep(20 * STEPS);

    let (mut resumed, mut decided) = (times(), times());
    let (mut kept, mut missed, mut anew, mut pictures) = ((0, 0), 0, 0, Vec::new());
    let mut luck = 7_u64;
    for _ in 0..kills {
        luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(STEPS + Duration::from_micros((luck >> 44) % 1_000_000));
        let (_, before) = picture(ours);
        let begun = Instant::now();
        team.signal("KILL");
        team.finish();
        team = daemon(&ours.join("phalanxd.toml"));
        let line = team.line_with("what it knew");
        record(&mut resumed, begun);
        team.line_with("\"decided\"");
        record(&mut decided, begun);
        let line: Value = serde_json::from_str(&line).unwrap();
        let told = line["fields"]["missed"].as_u64();
        anew += u32::from(told.is_none());
        missed += told.unwrap_or_default();
        std::thread::sleep(STEPS);
        let (step, after) = picture(ours);
        let (cells, all) = kept_of(&after, &before);
        kept = (kept.0 + cells, kept.1 + all);
        pictures.push((step, after));
    }
    let metrics = scrape(ours);
    let states = truth::replay(ours);
    let wrong = |(step, picture): &(i64, Picture)| {
        // A picture during a step's percepts shows the step before.
        let states = [step - 1, step - 2].into_iter().filter_map(|after| states.get(&after));
        states.map(|state| misplaced(picture, state)).min()
    };
    let misplaced: usize = pictures.iter().filter_map(wrong).sum();
    println!("{kills} kills, {AGENTS} agents a side, a step each {PACE}, timeout {TURN_MS} ms");
    println!("{:<44} {:>9} {:>9}", "", "p50", "p99");
    print_row("kill -9 -> the match is recognized", &resumed);
    print_row("kill -9 -> first action decided", &decided);
    println!("begun anew {anew}; steps missed {missed}, {:.1} a kill", share(missed, kills.into()));
    println!("cells known before and after: {} of {}", kept.0, kept.1);
    println!("agents at a wrong place: {misplaced}");
    println!("{metrics}");
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn share(part: u64, all: u64) -> f64 {
    part as f64 / all as f64
}

fn times() -> Histogram<u64> {
    Histogram::new(3).unwrap()
}

fn record(times: &mut Histogram<u64>, begun: Instant) {
    times.record(u64::try_from(begun.elapsed().as_micros()).unwrap()).unwrap();
}

fn print_row(name: &str, times: &Histogram<u64>) {
    let at = |quantile| format!("{} ms", times.value_at_quantile(quantile) / 1000);
    println!("{name:<44} {:>9} {:>9}", at(0.5), at(0.99));
}

fn arena(dir: &Path) -> (Running, String) {
    let config = arena_config(dir, AGENTS, 100_000, TURN_MS);
    let text = std::fs::read_to_string(&config).unwrap();
    let caves = r#""instructions": [["cave", 0.45, 9, 5, 4]]"#;
    std::fs::write(&config, text.replace(r#""instructions": []"#, caves)).unwrap();
    let mut command = quiet(Command::new(PHALANX));
    command.args(["arena", "assemble", "--listen", "127.0.0.1:0", "--start", "complete"]);
    command.args(["--pace", PACE]).arg("--output").arg(dir).arg("--config").arg(config);
    let mut arena = Running::start({
        command.stderr(Stdio::null());
        command
    });
    let line = arena.line_with("listens on");
    (arena, line.trim().rsplit(' ').next().unwrap().to_owned())
}

fn settings(dir: &Path, address: &str, team: &str, strategy: &str) {
    let (shown, secret) = (dir.display(), team.to_lowercase());
    let text = format!(
        "state_dir = \"{shown}/state\"\n[control]\nsocket = \"{shown}/control.sock\"\n\
         [log]\nformat = \"json\"\nfilter = \"info,phalanx=debug\"\n\
         [recordings]\nmode = \"off\"\n\
         [[teams]]\nname = \"{team}\"\ngame = \"assemble\"\nserver = \"{address}\"\n\
         strategy = \"{strategy}\"\nrole = \"{role}\"\n\
         agents = {{ prefix = \"agent{team}\", count = {AGENTS}, password = \"secret-{secret}\" }}\n",
        role = if team == "A" { "worker" } else { "w" }
    );
    std::fs::write(dir.join("phalanxd.toml"), text).unwrap();
}

/// The step, and the map as the team believes it.
fn picture(dir: &Path) -> (i64, Picture) {
    let control = control(dir);
    let shown = phalanx(&["world", "show", "A", "--output", "json", "--control", &control]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    (shown["turn"]["step"].as_i64().unwrap(), Picture::of(&shown["parts"]))
}

/// How many cells of an earlier picture are unchanged, and how many there were.
fn kept_of(now: &Picture, before: &Picture) -> (u64, u64) {
    let kept = |part: &Part| now.parts.iter().map(|now| most_of(now, part)).max().unwrap_or(0);
    let all: usize = before.parts.iter().map(|part| part.ground.len()).sum();
    (before.parts.iter().map(kept).sum(), all as u64)
}

/// The largest number of cells of `before` that are in `now`, over all offsets.
fn most_of(now: &Part, before: &Part) -> u64 {
    let found = |(dx, dy)| {
        let cells = before.ground.iter();
        let same = cells
            .filter(|((x, y), ground)| now.ground.get(&wrap((x + dx, y + dy))) == Some(*ground));
        same.count() as u64
    };
    (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y))).map(found).max().unwrap_or(0)
}

/// Agents at other positions than their map says.
fn misplaced(picture: &Picture, state: &Value) -> usize {
    picture.parts.iter().map(|part| part.offsets(state).len().saturating_sub(1)).sum()
}

/// The costs of the last daemon's checkpoints.
fn scrape(dir: &Path) -> String {
    let mut stream = UnixStream::connect(dir.join("control.sock")).unwrap();
    let request = b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let wanted = ["_bytes{", "_seconds_sum{", "_seconds_count{"];
    let lines = text.lines().filter(|line| {
        let name = line.strip_prefix("phalanx_checkpoint");
        name.is_some_and(|name| wanted.iter().any(|wanted| name.starts_with(wanted)))
    });
    lines.collect::<Vec<_>>().join("\n")
}
