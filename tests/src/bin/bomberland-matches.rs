//! Whole matches of a Bomberland strategy, by default the shipped one, against all opponents.
//!
//! `bomberland-matches PROGRAM GAMES [OPPONENT [STRATEGY]] [NAME=VALUE]...` plays GAMES games of each
//! kind, or against one of the opponents only, with the program `phalanx` and prints a table; it is
//! run at the top of the repository. `first-seed=N` begins with another seed than 1 and
//! `rules=engine` plays by these rules only; any other name is a parameter of the strategy.
//!
//! It fails when a game against the idle or the random team is not won, costs a unit by an own bomb
//! or a life by a step into a blast that was known, when too few games against another opponent are
//! won by the engine's rules, when an answer is missing, or when one side of equals wins most. By
//! the classic rules the shares against other opponents are only printed. It names the seeds of
//! games that were not won, or in which own bombs cost lives.

use phalanx_e2e::bomberland::{Blunders, Losses, blunders, losses};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;

const STRATEGY: &str = "scripts/bomberland";
const VARIANTS: &[&str] = &["engine", "classic"];
/// The strategy with one role for each of the opponents that are not folders of their own.
const FOES: &str = "scripts/opponents/bomberland";
const OPPONENTS: &[Opponent] = &[
    Opponent {
        name: "idle",
        source: Source::Folder("tests/opponents/bomberland-idle"),
        goal: Goal::All,
    },
    Opponent {
        name: "random",
        source: Source::Folder("tests/opponents/bomberland-random"),
        goal: Goal::All,
    },
    Opponent { name: "freezer", source: Source::Role("freezer"), goal: Goal::Most },
    Opponent { name: "centre", source: Source::Role("centre"), goal: Goal::Most },
    Opponent { name: "rusher", source: Source::Role("rusher"), goal: Goal::Most },
    Opponent { name: "turtle", source: Source::Role("turtle"), goal: Goal::Most },
    Opponent {
        name: "rules",
        source: Source::Folder("scripts/opponents/bomberland-rules"),
        goal: Goal::Most,
    },
    Opponent { name: "itself", source: Source::Itself, goal: Goal::Half },
];
/// What the program says of a seed that no world can be made of; the engine refuses it, too.
const UNUSABLE: &str = "no world can be made";
/// From this number of games between equals on, the shares are significant.
const TELLING: usize = 20;
/// Most games of one kind.
const GAMES_MAX: usize = 300;

/// Where an opponent's scripts are.
#[derive(Clone, Copy)]
enum Source {
    Folder(&'static str),
    /// A role in the folder of opponents.
    Role(&'static str),
    Itself,
}

/// How many games should be won.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// All, without a life lost to own bombs.
    All,
    /// More than half of them.
    Most,
    /// As many as the other side.
    Half,
}

/// Whom the strategy plays.
#[derive(Clone, Copy)]
struct Opponent {
    name: &'static str,
    source: Source,
    goal: Goal,
}

/// One kind of game.
#[derive(Clone, Copy)]
struct Pairing<'a> {
    variant: &'static str,
    opponent: Opponent,
    /// Folders of both strategies.
    strategy: &'a Path,
    folder: &'a Path,
}

/// How one game ended for the strategy.
#[derive(Clone, Copy)]
struct Outcome {
    seed: u64,
    /// Its side: the first team of odd games, the second of even ones.
    first: bool,
    /// 1 won, 0 drawn, -1 lost.
    result: i64,
    ticks: u64,
    own: Blunders,
    losses: Losses,
    /// Answers that were late, missing or wrong.
    amiss: i64,
}

fn main() -> ExitCode {
    match table() {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            note(&trouble);
            ExitCode::FAILURE
        }
    }
}

fn table() -> Result<(), String> {
    let asked = Request::parse(std::env::args().skip(1)).ok_or_else(|| {
        format!(
            "usage: bomberland-matches PROGRAM GAMES [OPPONENT [STRATEGY]] [NAME=VALUE]..., 1 to \
             {GAMES_MAX} games"
        )
    })?;
    let program = asked
        .program
        .canonicalize()
        .map_err(|error| format!("{}: {error}", asked.program.display()))?;
    let strategy = strategy(&asked).map_err(|error| error.to_string())?;
    say(
        "| rules | against | won | drawn | lost | share (standard error) | units lost to own bombs | lives lost: own bombs | ring | frozen | shut in | other | unit-ticks without an order | median ticks |",
    )?;
    say("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")?;
    let mut troubles = Vec::new();
    for &variant in
        VARIANTS.iter().filter(|name| asked.rules.as_deref().is_none_or(|it| it == **name))
    {
        for &opponent in OPPONENTS.iter().filter(|other| asked.plays(other.name)) {
            let made =
                folder(opponent.source, strategy.path()).map_err(|error| error.to_string())?;
            let pairing =
                Pairing { variant, opponent, strategy: strategy.path(), folder: made.path() };
            let outcomes = play_all(&program, pairing, asked.seeds())?;
            say(&row(pairing, &outcomes))?;
            for line in seeds_to_look_at(&outcomes) {
                note(&format!("{variant} against {}: {line}", opponent.name));
            }
            troubles.extend(judge(pairing, &outcomes));
        }
    }
    if troubles.is_empty() { Ok(()) } else { Err(troubles.join("\n")) }
}

/// What the arguments ask for.
struct Request {
    program: PathBuf,
    games: usize,
    /// One opponent; all without it.
    opponent: Option<String>,
    strategy: PathBuf,
    first_seed: u64,
    /// One of the variants; all without it.
    rules: Option<String>,
    /// Parameters of the strategy, as lines of TOML.
    values: Vec<String>,
}

impl Request {
    fn parse(args: impl Iterator<Item = String>) -> Option<Self> {
        let (settings, places): (Vec<String>, Vec<String>) =
            args.partition(|arg| arg.contains('='));
        let mut places = places.into_iter();
        let mut asked = Self {
            program: places.next()?.into(),
            games: places.next()?.parse().ok()?,
            opponent: places.next(),
            strategy: places.next().map_or_else(|| STRATEGY.into(), PathBuf::from),
            first_seed: 1,
            rules: None,
            values: Vec::new(),
        };
        for (name, value) in settings.iter().filter_map(|setting| setting.split_once('=')) {
            match name {
                "first-seed" => asked.first_seed = value.parse().ok()?,
                "rules" => asked.rules = Some(value.to_owned()),
                _ if value.parse::<f64>().is_ok() => asked.values.push(format!("{name} = {value}")),
                _ => asked.values.push(format!("{name} = {value:?}")),
            }
        }
        let known = OPPONENTS.iter().any(|other| asked.plays(other.name))
            && asked.rules.as_deref().is_none_or(|rules| VARIANTS.contains(&rules));
        (known && (1..=GAMES_MAX).contains(&asked.games)).then_some(asked)
    }

    fn plays(&self, opponent: &str) -> bool {
        self.opponent.as_deref().is_none_or(|only| only == opponent)
    }

    fn seeds(&self) -> impl Iterator<Item = u64> + Send + use<> {
        (self.first_seed..).take(self.games)
    }
}

/// The strategy; with parameters, a copy that has them.
fn strategy(asked: &Request) -> std::io::Result<Folder> {
    if asked.values.is_empty() {
        return Ok(Folder::Kept(asked.strategy.clone()));
    }
    let made = tempfile::tempdir()?;
    copy(&asked.strategy, made.path())?;
    let values = asked.values.join("\n");
    std::fs::write(
        made.path().join("tuned.toml"),
        format!(
            "run = \"bomberland-matches\"\nmatches = 0\nopponents = []\n\n[values]\n{values}\n"
        ),
    )?;
    Ok(Folder::Made(made))
}

/// Copies the files of a folder and of the folders in it.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            std::fs::create_dir(&place)?;
            copy(&entry.path(), &place)?;
        } else {
            std::fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}

/// The folder of a strategy, which may be made for it.
enum Folder {
    Kept(PathBuf),
    Made(tempfile::TempDir),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Made(made) => made.path(),
        }
    }
}

/// An opponent's folder; for a role, a copy of the opponents with this role only.
fn folder(source: Source, strategy: &Path) -> std::io::Result<Folder> {
    let role = match source {
        Source::Folder(path) => return Ok(Folder::Kept(path.into())),
        Source::Itself => return Ok(Folder::Kept(strategy.into())),
        Source::Role(role) => format!("{role}.luau"),
    };
    let made = tempfile::tempdir()?;
    let lib = made.path().join("lib");
    std::fs::create_dir(&lib)?;
    copy(&Path::new(FOES).join("lib"), &lib)?;
    std::fs::copy(Path::new(FOES).join(&role), made.path().join(&role))?;
    Ok(Folder::Made(made))
}

fn say(line: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{line}").map_err(|error| error.to_string())
}

/// The games that were not won, and those in which own bombs cost lives.
fn seeds_to_look_at(outcomes: &[Outcome]) -> impl Iterator<Item = String> {
    let seeds = |what: &str, wanted: fn(&Outcome) -> bool| {
        let seeds = outcomes.iter().filter(|outcome| wanted(outcome));
        let seeds: Vec<String> = seeds.map(|outcome| outcome.seed.to_string()).collect();
        (!seeds.is_empty()).then(|| format!("{what} with the seeds {}", seeds.join(", ")))
    };
    let lost = seeds("not won", |outcome| outcome.result < 1);
    lost.into_iter().chain(seeds("own bombs cost lives", |outcome| outcome.losses.own > 0))
}

/// Writes a line for people; without a reader it is lost.
fn note(line: &str) {
    drop(writeln!(std::io::stderr(), "{line}"));
}

/// Plays the seeds of which a world can be made, on all cores; the strategy is on the first side
/// with odd seeds.
fn play_all(
    program: &Path,
    pairing: Pairing<'_>,
    seeds: impl Iterator<Item = u64> + Send,
) -> Result<Vec<Outcome>, String> {
    let queue = Mutex::new(seeds);
    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
    let work = || {
        let mut outcomes = Vec::new();
        while let Some(seed) = next() {
            outcomes.extend(play(program, pairing, seed)?);
        }
        Ok::<_, String>(outcomes)
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<Result<Vec<Outcome>, String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let crashed = |_| Err("a worker panicked".to_owned());
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(crashed)).collect()
    });
    let mut outcomes = Vec::new();
    for part in parts {
        outcomes.extend(part?);
    }
    outcomes.sort_by_key(|outcome| outcome.seed);
    Ok(outcomes)
}

/// One game; `None` for a seed that no world can be made of.
fn play(program: &Path, pairing: Pairing<'_>, seed: u64) -> Result<Option<Outcome>, String> {
    let first = seed % 2 == 1;
    let place = format!("{} against {}, seed {seed}", pairing.variant, pairing.opponent.name);
    let trouble = |error: &dyn std::fmt::Display| format!("{place}: {error}");
    let folder = tempfile::tempdir().map_err(|error| trouble(&error))?;
    let (ours, theirs) = (pairing.strategy, pairing.folder);
    let (one, other) = if first { (ours, theirs) } else { (theirs, ours) };
    let output = Command::new(program)
        .args(["demo", "--game", "bomberland", "--fast", "--json", "--variant", pairing.variant])
        .args(["--seed", &seed.to_string()])
        .args([Path::new("--strategy"), one, Path::new("--opponent"), other])
        .arg("--replay")
        .arg(folder.path())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| trouble(&error))?;
    if !output.status.success() {
        let fault = String::from_utf8_lossy(&output.stderr);
        return if fault.contains(UNUSABLE) { Ok(None) } else { Err(trouble(&fault)) };
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let summary = text.lines().last().unwrap_or_default();
    let summary: Value = serde_json::from_str(summary).map_err(|error| trouble(&error))?;
    let replay =
        std::fs::read(folder.path().join("replay.json")).map_err(|error| trouble(&error))?;
    let replay: Value = serde_json::from_slice(&replay).map_err(|error| trouble(&error))?;
    let team = if first { "a" } else { "b" };
    let shown = (blunders(&replay, team), losses(&replay, team));
    let found = read(&summary, seed, first, shown);
    found.map(Some).ok_or_else(|| trouble(&"the summary lacks a team"))
}

/// What the summary of a game says.
fn read(
    summary: &Value,
    seed: u64,
    first: bool,
    (own, losses): (Blunders, Losses),
) -> Option<Outcome> {
    let teams = summary.get("teams")?.as_array()?;
    let (ours, theirs) = if first { (0, 1) } else { (1, 0) };
    let (ours, theirs) = (teams.get(ours)?, teams.get(theirs)?);
    let number = |team: &Value, key: &str| team.get(key)?.as_i64();
    let amiss = ["late", "fallback", "script_errors"].map(|key| number(ours, key));
    Some(Outcome {
        seed,
        first,
        result: (number(ours, "score")? - number(theirs, "score")?).signum(),
        ticks: summary.get("steps")?.as_u64()?,
        own,
        losses,
        amiss: amiss.into_iter().sum::<Option<i64>>()?,
    })
}

fn row(pairing: Pairing<'_>, outcomes: &[Outcome]) -> String {
    let count = |result: i64| outcomes.iter().filter(|outcome| outcome.result == result).count();
    let units: u32 = outcomes.iter().map(|outcome| outcome.own.losses).sum();
    let mut all = Losses::default();
    outcomes.iter().for_each(|outcome| all += outcome.losses);
    let Losses { own, ring, frozen, shut_in, other, unit_ticks, ordered } = all;
    let mut ticks: Vec<u64> = outcomes.iter().map(|outcome| outcome.ticks).collect();
    ticks.sort_unstable();
    let median = ticks.get(ticks.len() / 2).copied().unwrap_or_default();
    let (share, error) = share(outcomes);
    let idle = 100.0 * (1.0 - f64::from(ordered) / f64::from(unit_ticks.max(1)));
    format!(
        "| {} | {} | {} | {} | {} | {share:.2} ({error:.2}) | {units} | {own} | {ring} | {frozen} | {shut_in} | {other} | {idle:.0} % | {median} |",
        pairing.variant,
        pairing.opponent.name,
        count(1),
        count(0),
        count(-1)
    )
}

/// The share of the points, of which a draw has half, and its standard error.
fn share(outcomes: &[Outcome]) -> (f64, f64) {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let games = number(outcomes.len()).max(1.0);
    let won = outcomes.iter().filter(|outcome| outcome.result == 1).count();
    let drawn = outcomes.iter().filter(|outcome| outcome.result == 0).count();
    let share = (number(won) + number(drawn) / 2.0) / games;
    let square = (number(won) + number(drawn) / 4.0) / games;
    (share, ((square - share * share).max(0.0) / games).sqrt())
}

/// What must not be.
fn judge(pairing: Pairing<'_>, outcomes: &[Outcome]) -> Vec<String> {
    let Pairing { variant, opponent: Opponent { name: opponent, goal, .. }, .. } = pairing;
    let mut troubles = Vec::new();
    for outcome in outcomes {
        let Outcome { seed, result, own, amiss, .. } = outcome;
        let place = format!("{variant} against {opponent}, seed {seed}");
        if *amiss > 0 {
            troubles.push(format!("{place}: {amiss} answers were late, missing or wrong"));
        }
        if goal == Goal::All && *result < 1 {
            troubles.push(format!("{place}: not won"));
        }
        if goal == Goal::All && own.losses > 0 {
            troubles.push(format!("{place}: {} units lost to own bombs", own.losses));
        }
        if goal == Goal::All && own.walked_into > 0 {
            troubles.push(format!("{place}: {} steps into a known blast", own.walked_into));
        }
    }
    let (share, _) = share(outcomes);
    if goal == Goal::Most && variant == "engine" && share <= 0.5 {
        troubles.push(format!("{variant} against {opponent}: a share of {share:.2} is too little"));
    }
    if goal == Goal::Half && outcomes.len() >= TELLING {
        // Twice the wins, a draw counts for one; by chance 30 to 70 % of 20 games.
        let of_first =
            |outcome: &Outcome| if outcome.first { outcome.result } else { -outcome.result };
        let points: i64 = outcomes.iter().map(|outcome| 1 + of_first(outcome)).sum();
        let games = i64::try_from(outcomes.len()).unwrap_or(i64::MAX);
        if points * 10 < games * 2 * 3 || points * 10 > games * 2 * 7 {
            troubles
                .push(format!("{variant} against itself: one side wins {points} of {}", 2 * games));
        }
    }
    troubles
}
