//! A long run of whole programs, over sockets: a daemon with four teams, a referee for each of two
//! games at ten times a contest's pace, followers of everything that the page follows, and the
//! recorder. A match that is over is followed by the next one, as on a tournament's day. Measures
//! what the programs use, and says whether it stayed within bounds. Ctrl-C and SIGTERM end it with
//! the figures so far.
//!   cargo run -p phalanx-e2e --bin soak -- PROGRAMS HOURS FOLDER
//! FOLDER gets `soak.svg` and `soak.csv`. Used by `tests/run --soak`.

use phalanx_control::client::{self, Address, Link};
use phalanx_e2e::root;
use phalanx_e2e::soak::{Sample, Soak, metric, usage};
use phalanx_proto::v1;
use phalanx_proto::v1::boards_client::BoardsClient;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::worlds_client::WorldsClient;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Steps of a simulation, and how long one lasts: a tenth of a contest's.
const STEPS: u32 = 750;
/// Simulations of a match.
const SIMULATIONS: usize = 3;
const ASSEMBLE_STEP: Duration = Duration::from_millis(400);
const MARS_STEP: Duration = Duration::from_millis(200);
/// How much recordings may take, and the size of a part; two parts of each team are being written.
const KEEP_MB: u32 = 96;
const PART_MB: u32 = 4;
const GAMES: [&str; 2] = ["assemble", "mars"];
const SIDES: [&str; 2] = ["A", "B"];
/// Checkpoints, logs and metadata beside recordings.
const STATE_MB: u32 = 64;
/// Followers of each team.
const FOLLOWERS: usize = 3;
/// About this many samples are taken.
const SAMPLES: u32 = 600;
/// How long programs may take to start.
const START_MAX: Duration = Duration::from_secs(120);
/// How long teams may take to learn that their match is over.
const OVER_MAX: Duration = Duration::from_secs(30);
/// How often is looked whether a referee has ended, or somebody wants the figures.
const LOOK_EVERY: Duration = Duration::from_millis(500);

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let done = run();
    let text = match &done {
        Ok((text, _)) => text.clone(),
        Err(trouble) => format!("{trouble}\n"),
    };
    // If stdout is closed there is no reader.
    drop(std::io::stdout().write_all(text.as_bytes()));
    if done.is_ok_and(|(_, holds)| holds) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A program; it is killed when this is dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Program {
    /// Starts a program, and returns the first line that contains a text.
    fn start(command: &mut Command, text: &str) -> Outcome<(Self, String)> {
        let mut child = Self(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
        let mut lines = BufReader::new(child.0.stdout.take().ok_or("no output")?).lines();
        let found = lines.find_map(|line| line.ok().filter(|line| line.contains(text)));
        // Somebody has to read the rest.
        std::thread::spawn(move || lines.for_each(drop));
        let found = found.ok_or_else(|| format!("{command:?} never said {text:?}"))?;
        Ok((child, found))
    }
}

fn run() -> Outcome<(String, bool)> {
    let usage = "usage: soak PROGRAMS HOURS FOLDER";
    let mut args = std::env::args().skip(1);
    let programs = PathBuf::from(args.next().ok_or(usage)?);
    let hours: f64 = args.next().ok_or(usage)?.parse()?;
    let out = PathBuf::from(args.next().ok_or(usage)?);
    let lasts = Duration::try_from_secs_f64(hours * 3_600.0)?;
    fs::create_dir_all(&out)?;
    let state = tempfile::tempdir()?;
    let configs = [assemble()?, mars()];
    let paces = [ASSEMBLE_STEP, MARS_STEP];
    let mut arenas = Vec::new();
    for ((game, config), pace) in GAMES.into_iter().zip(configs).zip(paces) {
        arenas.push(Referee::start(&programs, state.path(), game, &config, pace)?);
    }
    let settings = state.path().join("soak.toml");
    fs::write(&settings, settings_text(state.path(), &arenas))?;
    let mut daemon = Command::new(programs.join("phalanxd"));
    daemon.arg("--config").arg(&settings).stdout(Stdio::null()).stderr(Stdio::null());
    // As in its unit.
    daemon.env("MALLOC_ARENA_MAX", "4");
    let daemon = Program(daemon.stdin(Stdio::null()).spawn()?);
    let runtime = tokio::runtime::Runtime::new()?;
    let socket = state.path().join("control.sock");
    let link = runtime.block_on(connect(&socket))?;
    for team in arenas.iter().flat_map(|referee| teams(referee.game)) {
        for _ in 0..FOLLOWERS {
            runtime.spawn(follow(link.clone(), team.clone()));
        }
    }
    let ends = runtime.spawn(ended());
    let day = Day { runtime, link, ends, state: state.path().to_owned() };
    let soak = day.measure(&daemon, &mut arenas, lasts)?;
    fs::write(out.join("soak.svg"), soak.svg())?;
    fs::write(out.join("soak.csv"), csv(&soak))?;
    Ok(report(&soak, &out))
}

/// Completes when somebody wants the run to end.
async fn ended() {
    let term = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
    let Ok(mut term) = term else { return std::future::pending().await };
    tokio::select! {
        _ = term.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// The resource names of a game's teams.
fn teams(game: &str) -> impl Iterator<Item = String> {
    SIDES.iter().map(move |side| format!("teams/{game}-{side}"))
}

/// A referee, which begins its next match where the one before was.
struct Referee {
    game: &'static str,
    program: Program,
    address: String,
    command: Command,
    /// Matches that were played to their end.
    matches: u64,
    /// Requests of its teams when the running match began.
    begun_at: u64,
}

impl Referee {
    fn start(
        programs: &Path,
        state: &Path,
        game: &'static str,
        config: &str,
        pace: Duration,
    ) -> Outcome<Self> {
        let folder = state.join(format!("arena-{game}"));
        fs::create_dir_all(&folder)?;
        let file = folder.join(if game == "mars" { "soak.toml" } else { "soak.json" });
        fs::write(&file, config)?;
        let command = |listen: &str| {
            let mut command = Command::new(programs.join("phalanx"));
            command.args(["arena", game, "--start", "complete", "--listen", listen]);
            command.arg("--pace").arg(format!("{}ms", pace.as_millis()));
            command.arg("--output").arg(&folder).arg("--config").arg(&file);
            command.stderr(Stdio::null());
            command
        };
        let (program, line) = Program::start(&mut command("127.0.0.1:0"), "listens on")?;
        let address = line.trim().rsplit(' ').next().unwrap_or_default().to_owned();
        let command = command(&address);
        Ok(Self { game, program, address, command, matches: 0, begun_at: 0 })
    }
}

/// Everything that the run needs besides its programs.
struct Day {
    runtime: tokio::runtime::Runtime,
    link: Link,
    /// Somebody wants the run to end.
    ends: tokio::task::JoinHandle<()>,
    state: PathBuf,
}

impl Day {
    fn measure(&self, daemon: &Program, arenas: &mut [Referee], lasts: Duration) -> Outcome<Soak> {
        let names = arenas.iter().map(|referee| format!("arena {}", referee.game));
        let mut soak = Soak {
            programs: std::iter::once("phalanxd".to_owned()).chain(names).collect(),
            state_max_mb: f64::from(STATE_MB),
            recordings_max_mb: f64::from(KEEP_MB + 4 * 2 * PART_MB),
            ..Soak::default()
        };
        let every = (lasts / SAMPLES).max(Duration::from_secs(1));
        let begun = Instant::now();
        while begun.elapsed() < lasts && !self.ends.is_finished() {
            let sampled = Instant::now();
            while sampled.elapsed() < every && !self.ends.is_finished() {
                std::thread::park_timeout(LOOK_EVERY);
                for referee in arenas.iter_mut() {
                    if referee.program.0.try_wait()?.is_some() {
                        self.next_match(referee)?;
                        referee.matches += 1;
                        referee.begun_at = requests(&self.metrics(), referee.game);
                    }
                }
            }
            let page = self.metrics();
            let processes = std::iter::once(daemon).chain(arenas.iter().map(|it| &it.program));
            let used = processes.map(|program| usage(program.0.id())).collect::<Result<_, _>>();
            let running =
                arenas.iter().map(|it| requests(&page, it.game).saturating_sub(it.begun_at)).sum();
            soak.samples.push(Sample {
                at: begun.elapsed(),
                used: used.map_err(|error| format!("a program has ended: {error}"))?,
                disk_mb: folder_mb(&self.state, &["arena-assemble", "arena-mars"]),
                requests: GAMES.iter().map(|game| requests(&page, game)).sum(),
                running,
                late: metric(&page, "phalanx_actions_total{", "outcome=\"late\""),
            });
        }
        soak.matches = arenas.iter().map(|referee| referee.matches).sum();
        Ok(soak)
    }

    /// A referee whose match is over plays the next one, and its teams with it.
    fn next_match(&self, referee: &mut Referee) -> Outcome<()> {
        (referee.program, _) = Program::start(&mut referee.command, "listens on")?;
        for name in teams(referee.game) {
            let begun = Instant::now();
            let mut client = TeamsClient::new(self.link.clone());
            loop {
                let asked = v1::GetTeamRequest { name: name.clone() };
                let shown = self.runtime.block_on(client.get_team(asked))?.into_inner();
                if shown.team.is_some_and(|team| team.state() == v1::TeamState::Over) {
                    break;
                }
                if begun.elapsed() > OVER_MAX {
                    return Err(format!("the match of {name} is not over").into());
                }
                std::thread::park_timeout(LOOK_EVERY);
            }
            let start = v1::StartTeamRequest { name, ..v1::StartTeamRequest::default() };
            self.runtime.block_on(client.start_team(start))?;
        }
        Ok(())
    }

    /// The page of metrics, over the Unix socket; empty if it does not come.
    fn metrics(&self) -> String {
        metrics(&self.state.join("control.sock")).unwrap_or_default()
    }
}

/// Requests that reached the teams of a game, by a page of metrics.
fn requests(page: &str, game: &str) -> u64 {
    metric(page, "phalanx_requests_total{", &format!("team=\"{game}-"))
}

fn assemble() -> Outcome<String> {
    let folder = root().join("deploy/arena/assemble");
    let text = fs::read_to_string(folder.join("contest.json"))?;
    let mut config: serde_json::Value = serde_json::from_str(&text)?;
    let first = fs::read_to_string(folder.join("sim1.json"))?;
    let simulation: serde_json::Value = serde_json::from_str(&first)?;
    let limit = u64::try_from(ASSEMBLE_STEP.as_millis())?;
    let matches = vec![simulation; SIMULATIONS];
    for (place, value) in [("/match", matches.into()), ("/server/agentTimeout", limit.into())] {
        *config.pointer_mut(place).ok_or("the contest's configuration has no such key")? = value;
    }
    Ok(config.to_string())
}

fn mars() -> String {
    let limit = MARS_STEP.as_millis();
    let simulations = "[[simulations]]\nnodes = 200\n".repeat(SIMULATIONS);
    let team = |name: &str, prefix: &str| {
        format!("[[teams]]\nname = \"{name}\"\nprefix = \"{prefix}\"\npassword = \"1\"\n")
    };
    format!(
        "start = \"complete\"\ntimeout_ms = {limit}\nsteps = {STEPS}\nseed = 1\n{simulations}{}{}",
        team("A", "a"),
        team("B", "b")
    )
}

fn settings_text(state: &Path, referees: &[Referee]) -> String {
    let mut text = format!(
        "state_dir = \"{0}\"\n[control]\nsocket = \"{0}/control.sock\"\ntcp = \"127.0.0.1:0\"\nstay = \"always\"\n\
         [recordings]\nkeep_size = \"{KEEP_MB}MiB\"\npart_size = \"{PART_MB}MiB\"\n",
        state.display()
    );
    let games = [("assemble", "agent", 15, "scout"), ("mars", "", 20, "explorer")];
    for ((game, prefix, count, role), referee) in games.into_iter().zip(referees) {
        let server = &referee.address;
        for side in SIDES {
            let letter = if game == "mars" { side.to_lowercase() } else { side.to_owned() };
            let role = if game == "mars" { format!("role = \"{role}\"\n") } else { String::new() };
            write!(
                text,
                "[[teams]]\nname = \"{game}-{side}\"\ngame = \"{game}\"\nserver = \"{server}\"\n\
                 strategy = \"{}\"\n{role}agents = {{ prefix = \"{prefix}{letter}\", \
                 count = {count}, password = \"1\" }}\n",
                root().join("scripts").join(game).display()
            )
            // Writing to a text cannot fail.
            .unwrap_or_default();
        }
    }
    text
}

/// Connects as soon as the daemon listens.
async fn connect(socket: &Path) -> Outcome<Link> {
    let begun = Instant::now();
    loop {
        match client::connect(&Address::Unix(socket.to_owned())).await {
            Ok(link) => return Ok(link),
            Err(error) if begun.elapsed() > START_MAX => return Err(error.into()),
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Follows what the page follows of a team, again after each end.
async fn follow(link: Link, team: String) {
    loop {
        let (mut matches, mut worlds) =
            (MatchesClient::new(link.clone()), WorldsClient::new(link.clone()));
        let mut boards = BoardsClient::new(link.clone());
        let events = async {
            let request = v1::WatchMatchRequest {
                team: team.clone(),
                decisions: true,
                ..v1::WatchMatchRequest::default()
            };
            let mut stream = matches.watch_match(request).await?.into_inner();
            while stream.message().await?.is_some() {}
            Ok::<_, tonic::Status>(())
        };
        let maps = async {
            let request =
                v1::WatchWorldRequest { team: team.clone(), ..v1::WatchWorldRequest::default() };
            let mut stream = worlds.watch_world(request).await?.into_inner();
            while stream.message().await?.is_some() {}
            Ok::<_, tonic::Status>(())
        };
        let news = async {
            let request =
                v1::WatchBoardRequest { team: team.clone(), ..v1::WatchBoardRequest::default() };
            let mut stream = boards.watch_board(request).await?.into_inner();
            while stream.message().await?.is_some() {}
            Ok::<_, tonic::Status>(())
        };
        // What ended begins again, as a page does.
        drop(tokio::join!(events, maps, news));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// The page of metrics, over the Unix socket.
fn metrics(socket: &Path) -> std::io::Result<String> {
    let mut stream = std::os::unix::net::UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

fn folder_mb(folder: &Path, without: &[&str]) -> f64 {
    let own = |entry: &walkdir::DirEntry| {
        !without.contains(&entry.file_name().to_string_lossy().as_ref())
    };
    let files = walkdir::WalkDir::new(folder).into_iter().filter_entry(own).flatten();
    let bytes: u64 = files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();
    let kib = u32::try_from(bytes / 1_024).unwrap_or(u32::MAX);
    f64::from(kib) / 1_024.0
}

fn csv(soak: &Soak) -> String {
    let mut text = String::from("seconds,disk_mb,requests,running,late");
    for program in &soak.programs {
        write!(text, ",{program} memory_mb,{program} descriptors,{program} threads")
            .unwrap_or_default();
    }
    for sample in &soak.samples {
        let Sample { at, used, disk_mb, requests, running, late } = sample;
        write!(text, "\n{:.1},{disk_mb:.1},{requests},{running},{late}", at.as_secs_f64())
            .unwrap_or_default();
        for one in used {
            write!(text, ",{:.1},{},{}", one.memory_mb, one.descriptors, one.threads)
                .unwrap_or_default();
        }
    }
    text.push('\n');
    text
}

fn report(soak: &Soak, out: &Path) -> (String, bool) {
    let mut text = String::new();
    let verdicts = soak.verdicts();
    for one in &verdicts {
        let word = if one.holds { "ok" } else { "FAILED" };
        writeln!(text, "{:<32} {:<24} {word}", one.what, one.figures).unwrap_or_default();
    }
    let (minutes, requests) = soak
        .samples
        .last()
        .map(|last| (last.at.as_secs_f64() / 60.0, last.requests))
        .unwrap_or_default();
    let holds = verdicts.iter().all(|one| one.holds);
    let word = if holds { "within its bounds" } else { "NOT within its bounds" };
    writeln!(text, "{minutes:.1} minutes, {requests} requests: {word}").unwrap_or_default();
    writeln!(text, "graph: {}", out.join("soak.svg").display()).unwrap_or_default();
    (text, holds)
}
