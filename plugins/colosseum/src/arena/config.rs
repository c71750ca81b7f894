//! The referee's file: what is played, how strictly, and by whom. TOML or JSON, with the same keys.
//!
//! ```toml
//! game = "food_catcher"      # or cherry_picker, snake, chess
//! mode = "skirmish"          # or round_robin, double_round_robin, triple_round_robin
//! rules = "faithful"         # or strict
//! seed = 1
//!
//! [[agents]]
//! name = "first"             # without it: the folder's name, as the original has it
//! path = "agents/first/agent.py"
//!
//! [[agents]]
//! name = "second"            # without a path: somebody who connects
//! ```

use super::options::{ArenaOptions, GameName, Mode};
use phalanx_game::sorted::SortedSet;
use serde_json::{Map, Value};
use std::time::Duration;

/// Most players of one file.
const PLAYERS_MAX: usize = 64;
/// Longest name, in characters.
const NAME_CHARS_MAX: usize = 64;
/// Longest path, in bytes.
const PATH_BYTES_MAX: usize = 4096;
/// Longest of all time limits, in milliseconds.
const LIMIT_MS_MAX: u64 = 3_600_000;
/// The original takes paths without one of these for docker images.
const NATIVE: [&str; 2] = ["agent.py", "agent.js"];
/// All keys at the top.
const KEYS: [&str; 10] = [
    "game",
    "mode",
    "rules",
    "seed",
    "epochs",
    "message_limit_ms",
    "step_limit_ms",
    "step_pool_ms",
    "replays",
    "agents",
];

/// A referee's file, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaConfig {
    /// What is played.
    pub options: ArenaOptions,
    /// The executable of each player; `None`: somebody who connects.
    pub paths: Vec<Option<String>>,
}

/// All mistakes of a file, one a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(Vec<String>);

impl ConfigError {
    #[must_use]
    pub fn mistakes(&self) -> &[String] {
        &self.0
    }
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for ConfigError {}

/// Whether the original would start this path as a process (spec section 2).
#[must_use]
pub fn is_native(path: &str) -> bool {
    NATIVE.iter().any(|name| path.contains(name))
}

impl ArenaConfig {
    /// Reads a file's text: JSON where it begins with a brace, TOML otherwise.
    ///
    /// # Errors
    /// All mistakes at once.
    pub fn read(text: &str) -> Result<Self, ConfigError> {
        let alone = |error: String| ConfigError(vec![error]);
        let tree: Map<String, Value> = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| alone(format!("not JSON: {error}")))?
        } else {
            toml::from_str(text).map_err(|error| alone(format!("not TOML: {error}")))?
        };
        let mut reader = ConfigReader { tree, mistakes: Vec::new() };
        let config = reader.config();
        if reader.mistakes.is_empty() { Ok(config) } else { Err(ConfigError(reader.mistakes)) }
    }
}

struct ConfigReader {
    tree: Map<String, Value>,
    mistakes: Vec<String>,
}

impl ConfigReader {
    fn config(&mut self) -> ArenaConfig {
        for key in self.tree.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            let all = KEYS.join(", ");
            self.mistakes.push(format!("{}: unknown key; there are: {all}", shown(key)));
        }
        let (players, paths) = self.agents();
        let games = GameName::ALL.map(GameName::word).join(", ");
        let game = self.word("game", "food_catcher", &games, GameName::parse).unwrap_or_default();
        let modes = "skirmish, round_robin, double_round_robin, triple_round_robin";
        let mode = self.word("mode", "skirmish", modes, mode).unwrap_or(Mode::Skirmish);
        let strict = self.word("rules", "faithful", "faithful, strict", |word| match word {
            "faithful" => Some(false),
            "strict" => Some(true),
            _ => None,
        });
        let usual = ArenaOptions::default();
        let mut options = ArenaOptions {
            game,
            mode,
            paths: players.iter().zip(&paths).map(shown_path).collect(),
            players,
            seed: self.whole("seed", 0, u64::MAX).unwrap_or(usual.seed),
            epochs: self
                .whole("epochs", 1, 1_000_000)
                .and_then(|epochs| u32::try_from(epochs).ok()),
            message_limit: self.limit("message_limit_ms").unwrap_or(usual.message_limit),
            replays: self.flag("replays").unwrap_or(usual.replays),
            ..usual
        };
        if strict == Some(true) {
            options = options.strict();
        }
        let (limit, pool) = (self.limit("step_limit_ms"), self.limit("step_pool_ms"));
        if limit.is_some() || pool.is_some() {
            let (usual_limit, usual_pool) = options.limits();
            options.step_limits = Some((limit.unwrap_or(usual_limit), pool.unwrap_or(usual_pool)));
        }
        ArenaConfig { options, paths }
    }

    fn agents(&mut self) -> (Vec<String>, Vec<Option<String>>) {
        let list = match self.tree.get("agents") {
            Some(Value::Array(list)) if (1..=PLAYERS_MAX).contains(&list.len()) => list.clone(),
            other => {
                let got = other.map_or("missing".to_owned(), excerpt);
                let expected = format!("a list of 1 to {PLAYERS_MAX} tables with name or path");
                self.mistakes.push(format!("agents: {got}; expected {expected}"));
                Vec::new()
            }
        };
        let (mut names, mut paths) = (Vec::new(), Vec::new());
        for (index, entry) in list.iter().enumerate() {
            let (name, path) = self.agent(index, entry);
            names.push(name);
            paths.push(path);
        }
        let mut seen = SortedSet::new();
        for name in names.iter().filter(|name| !name.is_empty()) {
            if !seen.insert(name) {
                let name = shown(name);
                self.mistakes.push(format!("agents: two are called {name}; give each a name"));
            }
        }
        (names, paths)
    }

    /// One entry: a table with a name, a path or both; or only the path's text.
    fn agent(&mut self, index: usize, entry: &Value) -> (String, Option<String>) {
        let text = |key: &str| match entry {
            Value::Object(table) => table.get(key),
            Value::String(_) if key == "path" => Some(entry),
            Value::String(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_) => None,
        };
        let place = format!("agents[{index}]");
        let strangers = entry.as_object().into_iter().flat_map(Map::keys);
        for key in strangers.filter(|key| !["name", "path"].contains(&key.as_str())) {
            let key = shown(key);
            self.mistakes.push(format!("{place}.{key}: unknown key; there are: name, path"));
        }
        let path = text("path").map(|path| {
            let fits = |path: &&str| (1..=PATH_BYTES_MAX).contains(&path.len()) && is_native(path);
            let path = path.as_str().filter(fits);
            path.filter(|path| !path.contains('\0')).map(str::to_owned)
        });
        if path == Some(None) {
            let got = text("path").map(excerpt).unwrap_or_default();
            self.mistakes.push(format!(
                "{place}.path: {got}; expected a path with \"agent.py\" or \"agent.js\" in it: the \
                 original takes any other for a docker image; rename the file, or put it in a \
                 folder like x.agent.py.d"
            ));
        }
        let path = path.flatten();
        let clean = |name: &&str| {
            (1..=NAME_CHARS_MAX).contains(&name.chars().count())
                && !name.contains(|letter: char| letter.is_control() || letter == '/')
        };
        let name = match text("name") {
            Some(name) => name.as_str().filter(clean),
            None => path.as_deref().and_then(folder).filter(clean),
        };
        if name.is_none() && (text("name").is_some() || text("path").is_none_or(|_| path.is_some()))
        {
            let got = text("name").map_or("missing".to_owned(), excerpt);
            let expected = format!("1 to {NAME_CHARS_MAX} characters without \"/\"");
            self.mistakes.push(format!("{place}.name: {got}; expected {expected}"));
        }
        (name.unwrap_or_default().to_owned(), path)
    }

    fn word<T>(
        &mut self,
        key: &str,
        usual: &str,
        all: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let Some(written) = self.tree.get(key) else { return parse(usual) };
        let value = written.as_str().and_then(|word| parse(&word.to_ascii_lowercase()));
        if value.is_none() {
            let got = excerpt(written);
            self.mistakes.push(format!("{key}: {got}; expected one of {all}"));
        }
        value
    }

    fn whole(&mut self, key: &str, min: u64, max: u64) -> Option<u64> {
        let written = self.tree.get(key)?;
        let value = written.as_u64().filter(|value| (min..=max).contains(value));
        if value.is_none() {
            let got = excerpt(written);
            let expected = format!("a whole number from {min} to {max}");
            self.mistakes.push(format!("{key}: {got}; expected {expected}"));
        }
        value
    }

    fn limit(&mut self, key: &str) -> Option<Duration> {
        self.whole(key, 1, LIMIT_MS_MAX).map(Duration::from_millis)
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        let written = self.tree.get(key)?;
        if written.as_bool().is_none() {
            let got = excerpt(written);
            self.mistakes.push(format!("{key}: {got}; expected true or false"));
        }
        written.as_bool()
    }
}

/// What results call a player: its executable, or its name.
fn shown_path((name, path): (&String, &Option<String>)) -> String {
    path.as_ref().unwrap_or(name).clone()
}

fn mode(word: &str) -> Option<Mode> {
    match word {
        "skirmish" => Some(Mode::Skirmish),
        "round_robin" => Some(Mode::RoundRobin(1)),
        "double_round_robin" => Some(Mode::RoundRobin(2)),
        "triple_round_robin" => Some(Mode::RoundRobin(3)),
        _ => None,
    }
}

fn folder(path: &str) -> Option<&str> {
    path.rsplit('/').nth(1).filter(|name| !name.is_empty() && *name != "." && *name != "..")
}

fn excerpt(value: &Value) -> String {
    phalanx_game::excerpt(value.to_string().as_bytes())
}

fn shown(text: &str) -> String {
    phalanx_game::excerpt(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::catcher::Fairness;

    #[test]
    fn both_forms_say_the_same() {
        let toml = "game = \"snake\"\nmode = \"DOUBLE_ROUND_ROBIN\"\nrules = \"strict\"\n\
                    seed = 9\nepochs = 40\nstep_limit_ms = 100\nreplays = false\n\
                    [[agents]]\npath = \"a/first/agent.py\"\n[[agents]]\nname = \"b\"\n";
        let json = r#" { "game": "snake", "mode": "double_round_robin", "rules": "strict",
            "seed": 9, "epochs": 40, "step_limit_ms": 100, "replays": false,
            "agents": ["a/first/agent.py", { "name": "b" }] }"#;
        let config = ArenaConfig::read(toml).expect("well-formed");
        assert_eq!(ArenaConfig::read(json).as_ref(), Ok(&config));
        let options = &config.options;
        assert_eq!((options.game, options.mode), (GameName::Snake, Mode::RoundRobin(2)));
        assert_eq!((options.fairness, options.epochs), (Fairness::Strict, Some(40)));
        let limits = (Duration::from_millis(100), Duration::from_secs(20));
        assert_eq!(options.step_limits, Some(limits));
        assert_eq!(options.players, ["first", "b"]);
        assert_eq!(config.paths, [Some("a/first/agent.py".to_owned()), None]);
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let text = "game = \"go\"\nmode = 3\nseeed = 1\nepochs = 0\nreplays = \"no\"\n\
                    agents = [\"bots/one.sh\", { name = \"x\" }, { name = \"x\" }, { name = \"\" }]";
        let said = ArenaConfig::read(text).expect_err("mistakes").to_string();
        for key in ["game:", "mode:", "seeed:", "epochs:", "replays:", "[0].path:", "[3].name:"] {
            assert!(said.contains(key), "{key} is missing in\n{said}");
        }
        assert!(said.contains("two are called x"), "{said}");
        assert!(said.contains("agent.py"), "{said}");
        assert_eq!(said.lines().count(), 8, "{said}");
    }

    #[test]
    fn a_folder_or_a_file_may_carry_the_name_that_the_original_wants() {
        for path in ["x/agent.py", "x.agent.py.d/bot", "my_agent.js", "agent.pyc"] {
            assert!(is_native(path), "{path}");
        }
        assert!(!is_native("x/agent.rb"));
    }
}
