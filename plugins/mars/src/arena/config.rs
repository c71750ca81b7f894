//! The referee's file: what is played, how strictly, and by whom (spec, section 13). TOML; every
//! key may be left out.
//!
//! ```toml
//! bind = "127.0.0.1:12300"
//! start = "complete"     # when all agents are there; or "key", or a number of seconds
//! steps = 750
//! seed = 77              # of the first simulation; the next one takes the next number
//!
//! [map]
//! nodes = 200
//!
//! [[simulations]]        # of one match; three when absent
//! nodes = 300
//!
//! [[teams]]
//! name = "A"
//! prefix = "a"           # accounts a1, a2, ...
//! password = "1"
//! ```

mod reader;
mod sims;

pub use phalanx_massim::{Launch, Password, TeamConfig};

use crate::rules::MarsRules;
use crate::rules::map::MapParams;
use reader::TomlReader;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;
use toml::{Table, Value};

/// Most teams of a tournament.
const TEAMS_MAX: usize = 64;
/// Most agents of a team.
const AGENTS_MAX: u32 = 100;
/// Longest name or password, in characters.
const NAME_CHARS_MAX: usize = 64;
/// Longest of all times, in milliseconds.
const TIME_MS_MAX: u32 = 3_600_000;
/// Longest frame that can be allowed, in bytes.
const FRAME_MAX: u32 = 1 << 20;

/// What becomes of a connection that sent what is no XML (spec, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MalformedPolicy {
    /// The frame is dropped.
    Ignore,
    /// The connection is never read again, as the original does.
    Legacy,
}

/// One simulation of every match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarsSim {
    /// How many steps.
    pub steps: u32,
    /// How its map is made.
    pub map: MapParams,
    /// The seed of its map and its chance; by chance where absent.
    pub seed: Option<i64>,
}

/// Connections and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarsServer {
    /// Where agents connect.
    pub bind: SocketAddr,
    /// When a run begins.
    pub launch: Launch,
    /// How long an agent may think, according to its requests.
    pub timeout: Duration,
    /// How much longer its answer is taken.
    pub aux: Duration,
    /// From the end of a simulation to the next one.
    pub pause: Duration,
    /// Wait for all answers, without a deadline.
    pub lockstep: bool,
    /// Longest frame of a client, in bytes.
    pub max_frame: usize,
    /// What becomes of bad frames.
    pub malformed: MalformedPolicy,
}

/// A referee's file, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaConfig {
    /// Connections and time.
    pub server: MarsServer,
    /// Numbers of the rules.
    pub rules: MarsRules,
    /// Agents of each team.
    pub agents: u32,
    /// Points in the table for a simulation that was won, and for a draw.
    pub points: [i64; 2],
    /// The simulations of every match.
    pub sims: Vec<MarsSim>,
    /// The teams; every pair meets once.
    pub teams: Vec<TeamConfig>,
}

impl Default for ArenaConfig {
    fn default() -> Self {
        let team = |name: &str, prefix: &str| TeamConfig {
            name: name.to_owned(),
            prefix: prefix.to_owned(),
            password: Password::new("1"),
        };
        let sim = MarsSim { steps: 750, map: MapParams::default(), seed: None };
        Self {
            server: MarsServer {
                bind: SocketAddr::from(([127, 0, 0, 1], 12300)),
                launch: Launch::Complete,
                timeout: Duration::from_millis(2000),
                aux: Duration::from_millis(500),
                pause: Duration::from_millis(200),
                lockstep: false,
                max_frame: 65536,
                malformed: MalformedPolicy::Ignore,
            },
            rules: MarsRules::default(),
            agents: 20,
            points: [3, 1],
            sims: vec![sim; 3],
            teams: vec![team("A", "a"), team("B", "b")],
        }
    }
}

/// All mistakes of a file, one a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(pub Vec<String>);

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for ConfigError {}

impl ArenaConfig {
    /// Reads a file's text.
    ///
    /// # Errors
    /// All mistakes at once.
    pub fn read(text: &str) -> Result<Self, ConfigError> {
        let table: Table =
            text.parse().map_err(|error| ConfigError(vec![format!("not TOML: {error}")]))?;
        let (default, empty) = (Self::default(), Table::new());
        let mut reader = TomlReader::new(&table, "");
        let mut nested = Vec::new();
        let [win, draw] = default.points;
        let config = Self {
            server: server(&mut reader, &default.server),
            rules: rules(&mut reader, &default.rules),
            agents: reader.small("agents", 1..=AGENTS_MAX, default.agents),
            points: [
                reader.number("points_win", 0..=1000).unwrap_or(win),
                reader.number("points_draw", 0..=1000).unwrap_or(draw),
            ],
            sims: sims::read(&mut reader, &empty, &mut nested),
            teams: teams(&mut reader, &mut nested).unwrap_or(default.teams),
        };
        let mut mistakes = reader.finish();
        mistakes.extend(nested);
        mistakes.extend(config.doubles());
        if mistakes.is_empty() { Ok(config) } else { Err(ConfigError(mistakes)) }
    }

    /// Accounts that several agents would share.
    fn doubles(&self) -> Vec<String> {
        let mut seen = phalanx_game::sorted::SortedSet::new();
        let mut doubles = Vec::new();
        for team in &self.teams {
            let names = (1..=self.agents as usize).map(|number| team.account(number));
            let first = names.filter(|name| !seen.insert(name.clone())).min();
            doubles.extend(first.map(|name| {
                format!("teams: {:?} has the account {name:?} of another team", team.name)
            }));
        }
        doubles
    }

    /// How many agents there are in all teams.
    #[must_use]
    pub fn accounts(&self) -> usize {
        self.teams.len().saturating_mul(self.agents as usize)
    }
}

fn server(reader: &mut TomlReader<'_>, default: &MarsServer) -> MarsServer {
    let bind = match reader.text("bind", NAME_CHARS_MAX).map(str::parse) {
        Some(Ok(bind)) => bind,
        None => default.bind,
        Some(Err(_)) => {
            reader.note("bind", "an address with a port is wanted, as 127.0.0.1:12300");
            default.bind
        }
    };
    let mut time = |key, default: Duration| {
        let ms = reader.number(key, 0..=i64::from(TIME_MS_MAX));
        ms.and_then(|ms| u64::try_from(ms).ok()).map_or(default, Duration::from_millis)
    };
    let timeout = time("timeout_ms", default.timeout);
    let aux = time("aux_ms", default.aux);
    let pause = time("pause_ms", default.pause);
    let frame = reader.small("max_frame", 256..=FRAME_MAX, 65536);
    let malformed = match reader.text("malformed", NAME_CHARS_MAX) {
        None | Some("ignore") => MalformedPolicy::Ignore,
        Some("legacy") => MalformedPolicy::Legacy,
        Some(_) => {
            reader.note("malformed", "\"ignore\" or \"legacy\" is wanted");
            default.malformed
        }
    };
    MarsServer {
        bind,
        launch: launch(reader).unwrap_or(default.launch),
        timeout,
        aux,
        pause,
        lockstep: reader.flag("lockstep", default.lockstep),
        max_frame: frame as usize,
        malformed,
    }
}

fn launch(reader: &mut TomlReader<'_>) -> Option<Launch> {
    let value = reader.get("start")?;
    let seconds = |seconds: i64| u64::try_from(seconds).ok().filter(|s| *s <= 86_400);
    let launch = match value {
        Value::String(word) if word == "complete" => Some(Launch::Complete),
        Value::String(word) if word == "key" => Some(Launch::Key),
        Value::Integer(number) => seconds(*number).map(|s| Launch::After(Duration::from_secs(s))),
        Value::String(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Array(_)
        | Value::Table(_) => None,
    };
    if launch.is_none() {
        reader.note("start", "\"complete\", \"key\" or up to 86400 seconds are wanted");
    }
    launch
}

fn rules(reader: &mut TomlReader<'_>, default: &MarsRules) -> MarsRules {
    let mut percent = |key, default| reader.small(key, 0..=100, default);
    let random = percent("random_fail_percent", default.random_fail_percent);
    let recharge = percent("recharge_percent", default.recharge_percent);
    let disabled = percent("recharge_percent_disabled", default.recharge_percent_disabled);
    let money = reader.number("achievement_points", 0..=1000);
    MarsRules {
        random_fail_percent: random,
        recharge_percent: recharge,
        recharge_percent_disabled: disabled,
        achievement_points: money.unwrap_or(default.achievement_points),
        repair_enemy: reader.flag("repair_enemy", default.repair_enemy),
    }
}

fn teams(reader: &mut TomlReader<'_>, nested: &mut Vec<String>) -> Option<Vec<TeamConfig>> {
    let tables = reader.tables("teams", TEAMS_MAX)?;
    if tables.len() < 2 {
        reader.note("teams", "a match has two teams");
    }
    let mut teams: Vec<TeamConfig> = Vec::new();
    for (number, table) in tables.into_iter().enumerate() {
        let mut team = TomlReader::new(table, &format!("teams[{number}]."));
        let name = team.text("name", NAME_CHARS_MAX).unwrap_or_default().to_owned();
        if name.is_empty() || name == "none" || teams.iter().any(|other| other.name == name) {
            team.note("name", "a name of its own is wanted, and not \"none\"");
        }
        let prefix = team.text("prefix", NAME_CHARS_MAX).map(str::to_owned);
        let password = Password::new(team.text("password", NAME_CHARS_MAX).unwrap_or("1"));
        let prefix = prefix.unwrap_or_else(|| name.to_lowercase());
        nested.extend(team.finish());
        teams.push(TeamConfig { name, prefix, password });
    }
    Some(teams)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_the_contest() {
        assert_eq!(ArenaConfig::read(""), Ok(ArenaConfig::default()));
    }

    #[test]
    fn simulations_inherit_what_they_do_not_say() {
        let text = "steps = 5\nseed = 7\n[map]\nnodes = 100\n[[simulations]]\n\
                    [[simulations]]\nnodes = 120\nsteps = 9\n[[simulations]]\nseed = 1";
        let config = ArenaConfig::read(text).expect("a good file");
        let told: Vec<_> =
            config.sims.iter().map(|sim| (sim.steps, sim.map.nodes, sim.seed)).collect();
        assert_eq!(told, [(5, 100, Some(7)), (9, 120, Some(8)), (5, 100, Some(1))]);
    }

    #[test]
    fn all_mistakes_are_told_at_once_with_their_keys() {
        let text = "step = 5\nagents = 0\nmalformed = \"maybe\"\n[map]\ngrid_width = 20\n\
                    min_value = 9\nmax_value = 3\n[[simulations]]\nnodes = \"many\"\n\
                    [[teams]]\nname = \"A\"\nprefix = \"x\"\n[[teams]]\nname = \"A\"\nprefix = \"x\"";
        let ConfigError(mistakes) = ArenaConfig::read(text).expect_err("a bad file");
        let keys = [
            "malformed",
            "agents",
            "step",
            "map.grid_width",
            "map.min_value",
            "simulations[0].nodes",
            "teams[1].name",
            "teams",
        ];
        let told: Vec<&str> =
            mistakes.iter().filter_map(|mistake| mistake.split(": ").next()).collect();
        assert_eq!(told, keys, "{mistakes:#?}");
    }
}
