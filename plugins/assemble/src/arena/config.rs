//! The organisers' configuration files (spec, sections 6 and 7): server, teams, simulations.
//!
//! A string `"$(path)"` means that file, relative to the file it is written in. Files come
//! through a reader of the caller. All mistakes are listed at once, each with its key path.

mod fields;
mod image;
mod include;
mod sim;

use fields::FieldReader;
pub use include::FileReader;
use phalanx_game::sorted::Order;
pub use phalanx_massim::{Launch, Password, TeamConfig};
use serde_json::Value;
pub use sim::{ClearRules, EventRules, GoalRules, GridRules, Instruction, SimConfig, TaskRules};
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// One mistake in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigMistake {
    /// Where, as `match[0].grid.width`; empty for the file as a whole.
    pub key: String,
    /// What was expected and what is there.
    pub problem: String,
}

/// All mistakes of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(pub Vec<ConfigMistake>);

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, ConfigMistake { key, problem }) in self.0.iter().enumerate() {
            let line = if number == 0 { "" } else { "\n" };
            let colon = if key.is_empty() { "" } else { ": " };
            write!(out, "{line}{key}{colon}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

/// Who plays whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tournament {
    /// Every choice of `teams_per_match` teams once.
    RoundRobin,
    /// Random choices, for ever.
    Random,
    /// These lists of team names.
    Manual(Vec<Vec<String>>),
}

/// The `server` section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembleServer {
    /// Who plays whom.
    pub tournament: Tournament,
    /// Teams in one match.
    pub teams_per_match: usize,
    /// When it begins.
    pub launch: Launch,
    /// TCP port.
    pub port: u16,
    /// How long agents may think.
    pub agent_timeout: Duration,
    /// Pause after each simulation.
    pub pause: Duration,
    /// Longest packet of a client, in bytes.
    pub max_packet: usize,
    /// Folder of result files.
    pub result_path: String,
    /// Folder of replays.
    pub replay_path: String,
}

/// A whole configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ArenaConfig {
    /// The `server` section.
    pub server: AssembleServer,
    /// The simulations of each match, in order.
    pub sims: Vec<SimConfig>,
    /// All teams, by name.
    pub teams: Vec<TeamConfig>,
}

impl ArenaConfig {
    /// Reads a configuration file and everything that it includes.
    ///
    /// # Errors
    /// All mistakes at once.
    pub fn load(path: &Path, read: FileReader<'_>) -> Result<Self, ConfigError> {
        let mut mistakes = Vec::new();
        let config = include::load(path, read, &mut mistakes).and_then(|root| {
            parse(&root, path.parent().unwrap_or(Path::new("")), read, &mut mistakes)
        });
        match config {
            Some(config) if mistakes.is_empty() => Ok(config),
            _ => Err(ConfigError(mistakes)),
        }
    }

    /// The largest team size of all simulations: the number of a team's accounts.
    #[must_use]
    pub fn accounts_per_team(&self) -> usize {
        self.sims.iter().map(|sim| sim.entities).max().unwrap_or(0)
    }
}

impl SimConfig {
    /// Reads one simulation's file.
    ///
    /// # Errors
    /// All mistakes at once.
    pub fn load(path: &Path, read: FileReader<'_>) -> Result<Self, ConfigError> {
        let mut mistakes = Vec::new();
        let folder = path.parent().unwrap_or(Path::new(""));
        let sim = include::load(path, read, &mut mistakes).and_then(|root| {
            sim::parse(&mut FieldReader::new("", &root, &mut mistakes), folder, read)
        });
        match sim {
            Some(sim) if mistakes.is_empty() => Ok(sim),
            _ => Err(ConfigError(mistakes)),
        }
    }
}

fn parse(
    root: &Value,
    folder: &Path,
    read: FileReader<'_>,
    mistakes: &mut Vec<ConfigMistake>,
) -> Option<ArenaConfig> {
    let mut top = FieldReader::new("", root, mistakes);
    let teams = top.object("teams").map(|list| parse_teams(&mut top, &list));
    let server = top.section("server", parse_server);
    let manual = top.optional("manual-mode").cloned();
    let sims = top.list("match").map(|list| {
        let mut sims = Vec::new();
        for (number, value) in list.iter().enumerate() {
            let mut fields = top.nested(&format!("match[{number}]"), value);
            sims.push(sim::parse(&mut fields, folder, read));
        }
        sims
    });
    let (mut teams, mut server, sims) = (teams?, server?, sims?);
    if sims.is_empty() {
        top.wrong("match", "at least one simulation expected");
    }
    teams.order_by(|a, b| a.name.cmp(&b.name));
    if teams.len() < server.teams_per_match && !matches!(server.tournament, Tournament::Manual(_)) {
        let message =
            format!("{} teams play a match, {} are listed", server.teams_per_match, teams.len());
        top.wrong("teams", &message);
    }
    if let Tournament::Manual(lists) = &mut server.tournament {
        *lists = parse_manual(&mut top, manual.as_ref(), &teams);
    }
    let sims: Option<Vec<SimConfig>> = sims.into_iter().collect();
    let config = ArenaConfig { server, sims: sims?, teams };
    check_accounts(&mut top, &config);
    Some(config)
}

fn check_accounts(top: &mut FieldReader<'_, '_>, config: &ArenaConfig) {
    let mut names = phalanx_game::sorted::SortedMap::new();
    for team in &config.teams {
        for number in 1..=config.accounts_per_team() {
            if let Some(other) = names.insert(team.account(number), &team.name) {
                let message = format!("account {} belongs to {other} too", team.account(number));
                top.wrong(&format!("teams.{}", team.name), &message);
                return;
            }
        }
    }
}

fn parse_teams(top: &mut FieldReader<'_, '_>, list: &[(String, Value)]) -> Vec<TeamConfig> {
    let mut teams = Vec::new();
    for (name, value) in list {
        let mut fields = top.nested(&format!("teams.{name}"), value);
        let prefix = fields.text("prefix");
        let password = fields.secret("password");
        if let (Some(prefix), Some(password)) = (prefix, password) {
            let prefix = format!("{prefix}{name}");
            let password = Password::new(&password);
            teams.push(TeamConfig { name: name.clone(), prefix, password });
        }
    }
    if list.is_empty() {
        top.wrong("teams", "at least one team expected");
    }
    teams
}

fn parse_manual(
    top: &mut FieldReader<'_, '_>,
    lists: Option<&Value>,
    teams: &[TeamConfig],
) -> Vec<Vec<String>> {
    let read: Option<Vec<Vec<String>>> =
        lists.and_then(|value| serde_json::from_value(value.clone()).ok());
    let Some(read) = read else {
        top.wrong("manual-mode", "a list of lists of team names expected");
        return Vec::new();
    };
    for (number, list) in read.iter().enumerate() {
        for (slot, name) in list.iter().enumerate() {
            let key = format!("manual-mode[{number}]");
            if !teams.iter().any(|team| team.name == *name) {
                top.wrong(&key, &format!("no team is called {name}"));
            }
            if list.iter().take(slot).any(|other| other == name) {
                top.wrong(&key, &format!("{name} is listed twice"));
            }
        }
        if list.is_empty() {
            top.wrong(&format!("manual-mode[{number}]"), "at least one team expected");
        }
    }
    read
}

fn parse_server(server: &mut FieldReader<'_, '_>) -> Option<AssembleServer> {
    let mode = server.text("tournamentMode");
    let tournament = match mode.as_deref() {
        Some("round-robin") => Some(Tournament::RoundRobin),
        Some("random") => Some(Tournament::Random),
        Some("manual") => Some(Tournament::Manual(Vec::new())),
        Some(other) => {
            server.wrong(
                "tournamentMode",
                &format!("round-robin, manual or random expected, got {other}"),
            );
            None
        }
        None => None,
    };
    let teams_per_match = server.int("teamsPerMatch", 1, sim::MAX_TEAMS);
    let launch = server.text("launch").and_then(|text| {
        let launch = parse_launch(&text);
        if launch.is_none() {
            server.wrong("launch", &format!("key, 30s or 18:30 expected, got {text}"));
        }
        launch
    });
    let port = server.int("port", 0, i64::from(u16::MAX));
    // Required by the original, of no use here.
    let _backlog = server.int("backlog", 0, i64::MAX);
    let _log_level = server.text("logLevel");
    let _log_path = server.text("logPath");
    let timeout = server.int("agentTimeout", 0, sim::MAX_MILLISECONDS);
    let pause = server.optional_int("waitBetweenSimulations", 0, 0, sim::MAX_MILLISECONDS);
    let packet = server.int("maxPacketLength", 1, 1 << 30);
    let result_path = server.text("resultPath");
    let replay_path = server.text("replayPath");
    Some(AssembleServer {
        tournament: tournament?,
        teams_per_match: usize::try_from(teams_per_match?).ok()?,
        launch: launch?,
        port: u16::try_from(port?).ok()?,
        agent_timeout: Duration::from_millis(timeout?.unsigned_abs()),
        pause: Duration::from_millis(pause?.unsigned_abs()),
        max_packet: usize::try_from(packet?).ok()?,
        result_path: result_path?,
        replay_path: replay_path?,
    })
}

fn parse_launch(text: &str) -> Option<Launch> {
    if text == "key" {
        return Some(Launch::Key);
    }
    if let Some(seconds) = text.strip_suffix('s') {
        let seconds: u32 = seconds.parse().ok()?;
        return Some(Launch::After(Duration::from_secs(seconds.into())));
    }
    let (hour, minute) = text.split_once(':')?;
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 24 && minute < 60).then_some(Launch::At { minute: hour * 60 + minute })
}
