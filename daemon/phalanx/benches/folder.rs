//! What it costs that a game is a folder: MAPC 2022 beside the native MAPC 2020, with the same
//! agents that walk on the same map, and a script that always skips.
//!
//! - Answer times as a referee over loopback measures them: last byte of the *last* percept of a turn
//!   out → each action's bytes in.
//! - Time of the parts in one thread, by agent and turn: session (bytes in, answer out), world (the
//!   percept into the belief), and one query.
//! - What a call of a script's function costs the adapter, and the memory of the process.
//! - Steps of the referee of `plugins/tron`, without clients.
//!
//! `cargo bench -p phalanx --bench folder [-- TURNS]`
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::wildcard_enum_match_arm,
    reason = "a benchmark may fail loudly, and prints"
)]

#[path = "support/referee.rs"]
#[allow(dead_code, reason = "other benchmarks ask every agent the same")]
mod referee;
#[path = "support/team.rs"]
mod team;
#[path = "support/walkers.rs"]
mod walkers;

use hdrhistogram::Histogram;
use phalanx_assemble::Assemble;
use phalanx_game::{AgentId, Arena, Event, Game, Session, Turn, World};
use phalanx_net::Endpoint;
use phalanx_scripted::{ArenaSetup, GameFolder, ScriptedArena, ScriptedGame};
use referee::{Referee, nanoseconds};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use walkers::{Form, Walkers};

const TURNS: u32 = 1_000;
const WARM_UP: u32 = 50;
const SIDE: i32 = 70;
const SIZES: [u16; 3] = [15, 20, 40];

fn main() {
    let turns = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(TURNS);
    phalanx_games::load_folder(&folder("mapc2022")).unwrap();
    println!("answers over loopback since the last percept, {turns} turns");
    println!("{:>7} {:>10} {:>10} {:>10} {:>12}", "agents", "game", "p50", "p99", "process");
    for agents in SIZES {
        for (game, form) in [("assemble", Form::Mapc2020), ("mapc2022", Form::Mapc2022)] {
            let times = answers(game, form, agents, turns);
            let at = |q| format!("{} µs", times.value_at_quantile(q) / 1000);
            let memory = resident() / 1024;
            println!("{agents:>7} {game:>10} {:>10} {:>10} {memory:>8} MiB", at(0.5), at(0.99));
        }
    }
    println!(
        "\none agent's turn in one thread, {turns} turns, in µs: mean, first quartile, median"
    );
    println!(
        "{:>7} {:>10} {:>17} {:>17} {:>17} {:>6} {:>13}",
        "agents", "game", "session", "world", "both", "query", "longest call"
    );
    let scripted = ScriptedGame::new(GameFolder::read(&folder("mapc2022")).unwrap()).unwrap();
    for agents in SIZES {
        let native = parts(&Assemble, Form::Mapc2020, agents, turns);
        let ours = parts(&scripted, Form::Mapc2022, agents, turns);
        for (game, parts) in [("assemble", &native), ("mapc2022", &ours)] {
            let [session, world, both] = parts
                .parts
                .map(|[mean, quartile, median]| format!("{mean:.1} {quartile:>5.1} {median:>5.1}"));
            let longest = parts.longest.as_secs_f64() * 1e6;
            println!(
                "{agents:>7} {game:>10} {session:>17} {world:>17} {both:>17} {:>6.1} {longest:>13.1}",
                parts.query
            );
        }
        let [_, _, native] = native.parts;
        let [_, _, ours] = ours.parts;
        let ratio = |index: usize| format!("{:.2}", ours[index] / native[index]);
        println!("{agents:>7} {:>10} {:>47} {:>5} {:>5}", "ratio", ratio(0), ratio(1), ratio(2));
    }
    calls();
    tron();
}

fn folder(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins").join(game)
}

/// Answer times of a team of the daemon, in nanoseconds.
fn answers(game: &str, form: Form, agents: u16, turns: u32) -> Histogram<u64> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let endpoint = Endpoint::tcp(address.ip().to_string(), address.port());
    let client = team::play(team::skipping(game, agents), endpoint);
    let mut walkers = Walkers::new(agents, SIDE);
    let start = |agent| walkers.start(agent, form);
    let mut referee = Referee::accept_with(&listener, agents, start);
    let mut times = Histogram::new(3).unwrap();
    for turn in 0..turns + WARM_UP {
        let requests: Vec<_> = (0..agents).map(|agent| walkers.request(agent, form)).collect();
        for (since_last, _) in referee.ask(|agent| &requests[usize::from(agent)]) {
            if turn >= WARM_UP {
                times.record(nanoseconds(since_last)).unwrap();
            }
        }
        walkers.walk();
    }
    drop((referee, client));
    times
}

/// What an agent's turn takes.
struct Parts {
    /// Session, world, and both: mean, first quartile and median, in µs.
    parts: [[f64; 3]; 3],
    /// Mean of one query, in µs.
    query: f64,
    /// The longest call of the world.
    longest: Duration,
}

fn parts<G: Game>(game: &G, form: Form, agents: u16, turns: u32) -> Parts {
    let mut sessions: Vec<_> = (0..agents).map(|agent| game.session(&team::seat(agent))).collect();
    let mut world = game.world(&team::roster(agents));
    let mut walkers = Walkers::new(agents, SIDE);
    let now = Instant::now();
    let mut spent: [Vec<Duration>; 3] = Default::default();
    let (mut query, mut longest) = (Duration::ZERO, Duration::ZERO);
    for (agent, session) in (0..).zip(&mut sessions) {
        session.handle_connected(now);
        let login = r#"{"type":"auth-response","content":{"result":"ok"}}"#;
        let start = walkers.start(agent, form);
        session.handle_input(format!("{login}\0{start}").as_bytes(), now).unwrap();
    }
    // The scripts are compiled in the first turn.
    for turn in 0..turns + WARM_UP {
        let mut open = Vec::new();
        let mut times = vec![[Duration::ZERO; 2]; usize::from(agents)];
        for ((index, session), times) in (0..).zip(&mut sessions).zip(&mut times) {
            let request = walkers.request(index, form);
            let began = Instant::now();
            session.handle_input(request.as_bytes(), now).unwrap();
            while session.poll_transmit().is_some() {}
            let events: Vec<_> = std::iter::from_fn(|| session.poll_event()).collect();
            times[0] += began.elapsed();
            let began = Instant::now();
            for event in events {
                match event {
                    Event::RoundStarted { agent, round, briefing } => {
                        world.begin(round, agent, briefing.as_ref());
                    }
                    Event::Asked { turn, agent, percept, .. } => {
                        open.push(turn);
                        world.observe(turn, agent, percept);
                    }
                    Event::Notice(notice) => panic!("{notice}"),
                    _other => {}
                }
            }
            times[1] += began.elapsed();
        }
        let at = Turn::new(0, turn);
        assert_eq!(open, vec![at; usize::from(agents)], "every agent is asked");
        let began = Instant::now();
        world.settle(at);
        let settled = began.elapsed();
        let mut asked = Duration::ZERO;
        for ((agent, session), times) in (0..agents).map(AgentId).zip(&mut sessions).zip(&mut times)
        {
            let began = Instant::now();
            drop(world.query(agent, "mates", &[]).or_else(|_| world.query(agent, "crew", &[])));
            asked += began.elapsed();
            let began = Instant::now();
            session.handle_action(at, agent, &world.fallback(agent)).unwrap();
            while session.poll_transmit().is_some() {}
            times[0] += began.elapsed();
        }
        assert!(world.poll_notice().is_none(), "the world has nothing to report");
        walkers.walk();
        if turn < WARM_UP {
            continue;
        }
        query += asked;
        longest = times.iter().map(|[_, world]| *world).fold(longest.max(settled), Duration::max);
        for [session, world] in times {
            let world = world + settled / u32::from(agents);
            for (all, time) in spent.iter_mut().zip([session, world, session + world]) {
                all.push(time);
            }
        }
    }
    let parts = spent.map(summary);
    Parts { parts, query: micros(query) / f64::from(turns * u32::from(agents)), longest }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Mean, first quartile and median, in µs.
fn summary(mut times: Vec<Duration>) -> [f64; 3] {
    times.sort_unstable();
    let mean = micros(times.iter().sum::<Duration>()) / times.len() as f64;
    [mean, micros(times[times.len() / 4]), micros(times[times.len() / 2])]
}

/// What the adapter adds to a function of a script that does nothing.
fn calls() {
    let files = [
        (
            "game.toml",
            "contract = 1\nname = \"nothing\"\n[transport]\nkind = \"lines\"\n[turn]\nfallback = \"rest()\"\n[actions.rest]\ndoc = \"\"\n[queries.none]\ndoc = \"\"\nreturns = \"any\"\n",
        ),
        ("session.luau", "return {}"),
        (
            "world.luau",
            "return { new = function() return {} end, settle = function() end, queries = { none = function() end } }",
        ),
    ];
    let files = files.map(|(name, text)| (name.to_owned(), text.into()));
    let game = ScriptedGame::new(GameFolder::from_files(files.into()).unwrap()).unwrap();
    let mut world = game.world(&team::roster(1));
    const CALLS: u32 = 100_000;
    let began = Instant::now();
    (0..CALLS).for_each(|step| world.settle(Turn::new(0, step)));
    let settled = began.elapsed() / CALLS;
    let began = Instant::now();
    (0..CALLS).for_each(|_| drop(world.query(AgentId(0), "none", &[]).unwrap()));
    let asked = began.elapsed() / CALLS;
    println!(
        "\na call of a function that does nothing: {settled:?} with changes of self, {asked:?} without"
    );
}

/// The referee of Tron, without clients: every cycle drives straight on, so matches are short.
fn tron() {
    let game = ScriptedGame::new(GameFolder::read(&folder("tron")).unwrap()).unwrap();
    let names = |team: &str| (1..=3).map(|number| format!("agent{team}{number}")).collect();
    let (began, mut steps) = (Instant::now(), 0);
    for seed in 0..40 {
        let setup = ArenaSetup {
            seed,
            steps: 400,
            teams: ["A", "B"].map(|team| (team.to_owned(), names(team))).to_vec(),
            pace: Duration::ZERO,
            deadline: Duration::from_secs(1),
        };
        let mut arena = ScriptedArena::new(game.rules(), setup).unwrap();
        let mut now = began;
        arena.handle_start(now);
        while !arena.verdict().over {
            now = arena.poll_timeout().unwrap();
            arena.handle_timeout(now);
            while arena.poll_transmit().is_some() {}
        }
        steps += arena.verdict().step;
    }
    let rate = f64::from(steps) / began.elapsed().as_secs_f64();
    println!("the referee of tron alone: {rate:.0} steps a second ({steps} steps)");
}

/// Resident memory of this process in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
