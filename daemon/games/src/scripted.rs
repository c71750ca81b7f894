//! Games that are a folder: found by their path or by their name, loaded once, and wired like the
//! native ones.
//!
//! A folder that was loaded stays for the life of the program. Its files are an option of each of its
//! teams, so a recording has them and decides again without the folder.

use super::demo::{Connections, DemoAsk, DemoStage};
use super::plugin::{GameSetup, Plugin, Wired};
use super::{ArenaPlan, GameOptions, Start, WIRED, WireError, shipped};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{Arena, Seat, SeatId};
use phalanx_lua::Bundle;
use phalanx_scripted::{
    ArenaSetup, GameFolder, MANIFEST, Manifest, Mistake, Rules, STRATEGY_FOLDER, ScriptedArena,
    ScriptedGame,
};
use phalanx_settings::{LimitSettings, TeamSettings};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// The option of a team that holds the files of its game, as JSON.
const FOLDER_OPTION: &str = "game_folder";
/// Where packages install games, relative to the program's folder.
const SHARE: &str = "../share/phalanx/games";

/// The games that were loaded, and where more may be.
static LOADED: RwLock<Vec<&'static Folder>> = RwLock::new(Vec::new());
static SEARCHED: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// A game that is a folder.
pub(super) struct Folder {
    game: ScriptedGame,
    /// Where it is; `None`: it came out of a recording.
    dir: Option<PathBuf>,
    /// The script of a team that does nothing.
    idle: &'static str,
    /// Loaded for the recording that has it; it has no name on command lines.
    is_recorded: bool,
}

/// Adds folders that hold games, to find them by name.
pub fn search(dirs: impl IntoIterator<Item = PathBuf>) {
    let mut searched = SEARCHED.write().unwrap_or_else(PoisonError::into_inner);
    for dir in dirs {
        if !searched.contains(&dir) {
            searched.push(dir);
        }
    }
}

/// The game of a folder, checked.
///
/// # Errors
/// All mistakes of its files; or that another game of this name is there.
pub fn load_folder(dir: &Path) -> Result<&'static str, WireError> {
    let refused = |mistakes: Vec<Mistake>| WireError::Folder {
        dir: dir.display().to_string(),
        mistakes: mistakes.iter().map(|mistake| format!("\n  {mistake}")).collect(),
    };
    let folder = GameFolder::read(dir).map_err(refused)?;
    let game = ScriptedGame::new(folder).map_err(refused)?;
    phalanx_scripted::check(&game).map_err(refused)?;
    let name = game.rules().manifest.declaration.name;
    if is_native(name) {
        return Err(refused(vec![Mistake::of_file(MANIFEST, taken(name))]));
    }
    match named(name) {
        Some(folder) if folder.hash() == game.rules().folder.hash() => {}
        // The folder has changed: teams and referees that begin now play by the new files.
        Some(folder) if folder.is_at(dir) => register(game, Some(dir), false),
        Some(folder) => {
            let other = folder.dir.as_deref().unwrap_or(Path::new("a recording"));
            let what = format!("another folder has a game {name:?}, too: {}", other.display());
            return Err(refused(vec![Mistake::of_file(MANIFEST, what)]));
        }
        None => register(game, Some(dir), false),
    }
    Ok(name)
}

fn is_native(name: &str) -> bool {
    WIRED.iter().any(|wired| wired.declaration().name == name)
}

fn taken(name: &str) -> String {
    format!("this program has a game {name:?} of its own; choose another name")
}

/// Whether a new game may have this name.
///
/// # Errors
/// Why not.
pub fn check_name(name: &str) -> Result<(), String> {
    if is_native(name) { Err(taken(name)) } else { phalanx_scripted::check_name(name) }
}

/// The game whose own strategy is in this folder.
pub(super) fn around(strategy: &Path) -> Option<&'static str> {
    let strategy = strategy.canonicalize().ok()?;
    let dir = strategy.parent().filter(|dir| dir.join(MANIFEST).is_file())?;
    strategy.ends_with(STRATEGY_FOLDER).then(|| load_folder(dir).ok()).flatten()
}

/// Whether the name of a game is a path to its folder.
#[must_use]
pub fn is_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name.starts_with('.')
}

/// The game of this name: loaded, or in one of the folders that hold games.
pub(super) fn find(name: &str) -> Result<Option<&'static dyn Wired>, WireError> {
    if let Some(folder) = named(name) {
        return Ok(Some(folder));
    }
    if is_path(name) {
        return Ok(None);
    }
    let dirs = SEARCHED.read().unwrap_or_else(PoisonError::into_inner).clone();
    for dir in dirs.into_iter().chain(share()) {
        let dir = dir.join(name);
        if dir.join(MANIFEST).is_file() {
            let own = load_folder(&dir)?;
            if own != name {
                let mistakes =
                    format!("\n  {MANIFEST}: name = {own:?}, but its folder is called {name:?}");
                return Err(WireError::Folder { dir: dir.display().to_string(), mistakes });
            }
            return Ok(named(name).map(|folder| folder as &dyn Wired));
        }
    }
    Ok(None)
}

/// The names of the games in the folders that hold games.
pub(super) fn installed() -> Vec<String> {
    let dirs = SEARCHED.read().unwrap_or_else(PoisonError::into_inner).clone();
    let entries = dirs.into_iter().chain(share()).filter_map(|dir| std::fs::read_dir(dir).ok());
    let games = entries.flatten().flatten().filter(|entry| entry.path().join(MANIFEST).is_file());
    let found = games.filter_map(|entry| entry.file_name().into_string().ok());
    let all: SortedSet<String> = found.chain(names().into_iter().map(str::to_owned)).collect();
    all.into_iter().collect()
}

fn share() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    Some(program.parent()?.join(SHARE))
}

fn named(name: &str) -> Option<&'static Folder> {
    let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    let is = |folder: &&&Folder| !folder.is_recorded && folder.manifest().declaration.name == name;
    // The newest of a folder that has changed.
    loaded.iter().rev().find(is).copied()
}

/// The names of all games that were loaded.
fn names() -> Vec<&'static str> {
    let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    let shown = loaded.iter().filter(|folder| !folder.is_recorded);
    let names: SortedSet<_> = shown.map(|folder| folder.manifest().declaration.name).collect();
    names.into_iter().collect()
}

fn register(game: ScriptedGame, dir: Option<&Path>, is_recorded: bool) {
    let manifest = &game.rules().manifest;
    let fallback = phalanx_game::write_order(&manifest.fallback);
    let idle = format!("return {{ decide = function() return act.{fallback} end }}");
    let folder = Box::leak(Box::new(Folder {
        idle: Box::leak(idle.into_boxed_str()),
        game,
        dir: dir.map(Path::to_path_buf),
        is_recorded,
    }));
    LOADED.write().unwrap_or_else(PoisonError::into_inner).push(folder);
}

/// The game that a recording has among its team's options; `None`: it is a native one.
pub(super) fn recorded(options: &GameOptions) -> Result<Option<&'static dyn Wired>, WireError> {
    let Some(text) = options.get(FOLDER_OPTION) else { return Ok(None) };
    let refused = |what: String| WireError::Folder { dir: "the recording".into(), mistakes: what };
    let files: SortedMap<String, Arc<str>> =
        serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
    let all = |mistakes: Vec<Mistake>| {
        refused(mistakes.iter().map(|mistake| format!("\n  {mistake}")).collect())
    };
    let folder = GameFolder::from_files(files).map_err(all)?;
    let hash = folder.hash().to_owned();
    if with_hash(&hash).is_none() {
        register(ScriptedGame::new(folder).map_err(all)?, None, true);
    }
    Ok(with_hash(&hash).map(|folder| folder as &dyn Wired))
}

fn with_hash(hash: &str) -> Option<&'static Folder> {
    let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    loaded.iter().find(|known| known.hash() == hash).copied()
}

/// The folder of a game; `None` for a native one.
#[must_use]
pub fn folder_of(game: &str) -> Option<&'static Path> {
    named(game)?.dir.as_deref()
}

/// A hash over the files of a game that is a folder; `None` for a native one.
#[must_use]
pub fn files_hash(game: &str) -> Option<&'static str> {
    named(game).map(Folder::hash)
}

/// Whether other processes of this program find the game by its name: it is a native one, or
/// installed with the program.
#[must_use]
pub fn is_installed(game: &str) -> bool {
    let is_shared = |folder: &Folder| share().is_some_and(|dir| folder.is_at(&dir.join(game)));
    named(game).map_or_else(|| is_native(game), is_shared)
}

/// What the manifest of a game says besides its declaration, for people; nothing for a native game.
#[must_use]
pub fn facts(game: &str) -> Vec<(&'static str, String)> {
    let Some(folder) = named(game) else { return Vec::new() };
    let manifest = folder.manifest();
    let connections = if manifest.is_seat_per_agent { "one an agent" } else { "one a team" };
    let turn = format!(
        "{} ms unless the referee says otherwise, fallback {}",
        manifest.deadline.as_millis(),
        phalanx_game::write_order(&manifest.fallback)
    );
    let has_arena = folder.game.rules().folder.text("arena.luau").is_some();
    let arena = if has_arena { "in the folder" } else { "none: it plays on a server" };
    vec![
        ("version", manifest.version.to_owned()),
        ("transport", format!("{}, port {}", manifest.transport_text(), manifest.port)),
        (
            "teams",
            format!("{} of {} agents, connections: {connections}", manifest.teams, manifest.agents),
        ),
        ("turn", turn),
        ("referee", arena.to_owned()),
        ("files", folder.hash().to_owned()),
    ]
}

/// The options that every team of a game has, whatever its settings say.
pub(super) fn options(game: &str) -> GameOptions {
    let Some(folder) = named(game) else { return GameOptions::new() };
    let files: SortedMap<&str, &str> =
        folder.game.rules().folder.files().map(|(name, text)| (name, text.as_ref())).collect();
    let text = serde_json::to_string(&files).unwrap_or_default();
    [(FOLDER_OPTION.to_owned(), text)].into()
}

/// The strategy in the game's folder; `None` for a native game.
pub(super) fn strategy(game: &str) -> Option<Result<Bundle, phalanx_lua::LoadError>> {
    let dir = named(game)?.dir.as_deref()?.join(STRATEGY_FOLDER);
    Some(shipped::read(&dir))
}

impl Folder {
    fn manifest(&self) -> &Manifest {
        &self.game.rules().manifest
    }

    fn hash(&self) -> &str {
        self.game.rules().folder.hash()
    }

    /// Whether this folder is that one, however it is written.
    fn is_at(&self, dir: &Path) -> bool {
        let real = |dir: &Path| dir.canonicalize().ok();
        self.dir.as_deref().is_some_and(|own| real(own) == real(dir))
    }
}

fn arena(rules: &Arc<Rules>, setup: ArenaSetup) -> Result<Box<dyn Arena>, WireError> {
    let arena = ScriptedArena::new(rules, setup)
        .map_err(|mistake| WireError::Arena(mistake.to_string()))?;
    Ok(Box::new(arena))
}

/// The agents of a team, as demos name them.
fn agents(team: &str, count: usize) -> Vec<String> {
    match count {
        1 => vec![team.to_owned()],
        count => (1..=count).map(|number| format!("agent{team}{number}")).collect(),
    }
}

impl Plugin for Folder {
    type Game = ScriptedGame;

    fn game(&self, _options: &GameOptions) -> ScriptedGame {
        self.game.clone()
    }
}

impl GameSetup for Folder {
    fn about(&self) -> &'static str {
        self.manifest().about
    }

    fn variants(&self) -> &'static [&'static str] {
        &["standard"]
    }

    fn pace(&self, _variant: Option<&str>) -> Duration {
        self.manifest().pace
    }

    fn is_together(&self) -> bool {
        self.manifest().is_together
    }

    fn seats(&self, team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat> {
        let seats = team.seats(limits);
        if self.manifest().is_seat_per_agent {
            return seats;
        }
        let agents = seats.iter().flat_map(|seat| seat.agents.iter().cloned()).collect();
        let first = seats.into_iter().next();
        let whole = |first: Seat| Seat { id: SeatId(0), agents, user: team.name.clone(), ..first };
        first.map(whole).into_iter().collect()
    }

    /// A configuration is TOML: `seed`, `steps`, `teams` (names), `agents` (of a team), `port`.
    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
        let path = plan.config.display();
        let refuse = |error: String| WireError::Arena(format!("{path}: {error}"));
        if plan.start != Start::File {
            let reason = "this game begins when all agents are logged in; omit --start";
            return Err(refuse(reason.to_owned()));
        }
        let bytes = (plan.read)(plan.config).map_err(|error| refuse(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| refuse("not text in UTF-8".to_owned()))?;
        let config: ArenaFile = toml::from_str(&text).map_err(|error| refuse(error.to_string()))?;
        let manifest = self.manifest();
        let count = config.agents.unwrap_or(manifest.agents);
        let teams = config.teams.unwrap_or_else(|| team_names(manifest));
        let setup = ArenaSetup {
            seed: config.seed,
            steps: config.steps.unwrap_or(manifest.steps),
            teams: teams.iter().map(|team| (team.clone(), agents(team, count))).collect(),
            pace: plan.pace,
            deadline: manifest.deadline,
        };
        Ok((arena(self.game.rules(), setup)?, config.port.unwrap_or(manifest.port)))
    }

    fn demo(&self, ask: &DemoAsk) -> Result<DemoStage, WireError> {
        if ask.settings.is_some() {
            return Err(ask.refuse("a demo of this game is set up by --seed and --steps"));
        }
        let manifest = self.manifest();
        let rules = Arc::clone(self.game.rules());
        let (count, teams) = (manifest.agents, manifest.teams);
        let setup = ArenaSetup {
            seed: ask.seed,
            steps: ask.steps.unwrap_or(manifest.steps),
            teams: team_names(manifest).iter().map(|t| (t.clone(), agents(t, count))).collect(),
            pace: ask.pace(manifest.pace),
            deadline: manifest.deadline,
        };
        Ok(DemoStage {
            arena: Box::new(move |_origin| arena(&rules, setup.clone())),
            teams,
            agents: count,
            connections: if manifest.is_seat_per_agent {
                Connections::Agents
            } else {
                Connections::Team
            },
            turn_limit: manifest.deadline,
            options: options(manifest.declaration.name),
            idle: self.idle,
        })
    }
}

fn team_names(manifest: &Manifest) -> Vec<String> {
    ["A", "B"].into_iter().take(manifest.teams).map(str::to_owned).collect()
}

/// The configuration of a referee.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ArenaFile {
    #[serde(default)]
    seed: u64,
    steps: Option<u32>,
    teams: Option<Vec<String>>,
    agents: Option<usize>,
    port: Option<u16>,
}
