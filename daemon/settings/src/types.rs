//! The checked settings.

use crate::parse::BRIDGE;
use crate::{
    AlertSettings, CheckpointSettings, FoxgloveSettings, GameSettings, HostPattern, LabSettings,
    LimitSettings, LogSettings, RecordingSettings, ReloadSettings,
};
use phalanx_game::{AgentId, MarginLimits, Roster, RosterEntry, Seat, SeatId};
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// All settings of the daemon.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Where the daemon keeps what must survive it; `None`: nowhere.
    pub state_dir: Option<PathBuf>,
    /// Where the control API listens.
    pub control: ControlSettings,
    /// Where bridges find their seats.
    pub bridge: BridgeSettings,
    /// Bounds on time and memory.
    pub limits: LimitSettings,
    /// How strategies change while they play.
    pub reload: ReloadSettings,
    /// What outlives the daemon of each team.
    pub checkpoints: CheckpointSettings,
    /// What is recorded of each team.
    pub recordings: RecordingSettings,
    /// Where Foxglove sees what happens.
    pub foxglove: FoxgloveSettings,
    /// Games that are a folder.
    pub games: GameSettings,
    /// Leagues, ladders and tune runs of other processes.
    pub lab: LabSettings,
    /// When somebody should look at a team.
    pub alerts: AlertSettings,
    /// What is logged, and how.
    pub log: LogSettings,
    /// Where spans are exported to; `None`: nowhere.
    pub otel_endpoint: Option<String>,
    /// The teams that play, in the order in which they were written.
    pub teams: Vec<TeamSettings>,
}

/// Where the control API listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlSettings {
    /// The Unix socket; `None`: none.
    pub socket: Option<PathBuf>,
    /// The socket's permission bits.
    pub socket_mode: u32,
    /// The group that owns the socket; `None`: the daemon's own.
    pub socket_group: Option<String>,
    /// The TCP address, without TLS always a loopback one; `None`: none. Port 0: any free one.
    pub tcp: Option<SocketAddr>,
    /// What callers from this machine may do over TCP without a token: `none`, or a role.
    pub loopback_role: String,
    /// The file of the tokens; `None`: in the state folder, if there is one.
    pub tokens: Option<PathBuf>,
    /// The daemon stays when every match is over, also where it was started with teams.
    pub stay: bool,
    /// The certificates for TCP; `None`: no TLS.
    pub tls: Option<TlsSettings>,
    /// The origins of web pages that may use it: `https://dash.example:3000`.
    pub origins: Vec<String>,
    /// Names by which callers may address the TCP address where it has no TLS.
    pub hosts: Vec<HostPattern>,
    /// Where operators may move teams, besides the addresses of the settings.
    pub move_hosts: Vec<HostPattern>,
    /// Any client that reaches a listener may read the metrics.
    pub metrics_open: bool,
    /// The web page is served at the TCP address.
    pub page: bool,
}

/// Where the certificates of the control API are: PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    /// The daemon's certificate.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// The authority of the callers' certificates; `None`: callers need none.
    pub client_ca: Option<PathBuf>,
}

/// Where bridges find the seats of teams whose referee starts its agents itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BridgeSettings {
    /// The Unix socket; `None`: none.
    pub socket: Option<PathBuf>,
    /// The socket's permission bits.
    pub socket_mode: u32,
}

impl LimitSettings {
    /// The bounds of the margin as sessions take them.
    #[must_use]
    pub fn margin(&self) -> MarginLimits {
        MarginLimits { min: self.margin_min, max: self.margin_max }
    }
}

/// One team.
#[derive(Clone, Debug)]
pub struct TeamSettings {
    /// Its name here and at the referee; unique.
    pub name: String,
    /// The game's name, one of those given to [`load`](crate::load).
    pub game: String,
    /// The referee: `host:port`; or `bridge`, see [`is_awaited`](Self::is_awaited).
    pub server: String,
    /// How many matches it plays at once; each but the first has an instance of its own.
    pub matches: u16,
    /// The team of the settings that this is another instance of.
    pub instance_of: Option<String>,
    /// The folder of the strategy.
    pub strategy: PathBuf,
    /// The agents, in the order in which they decide; at least one, names unique.
    pub agents: Vec<AgentSettings>,
    /// The seed of all randomness in scripts.
    pub seed: u64,
    /// How long a turn lasts where the referee does not say.
    pub deadline: Duration,
    /// Values of the strategy's parameters, which count more than those of its `tuned.toml`.
    pub params: toml::Table,
    /// What only this game knows, checked by its declaration.
    pub options: OptionSettings,
}

impl TeamSettings {
    /// An option that is text, or `None` where it is absent.
    #[must_use]
    pub fn option_text(&self, key: &str) -> Option<&str> {
        self.options.get(key)?.as_str()
    }

    /// An option that is a time, or `None` where it is absent.
    #[must_use]
    pub fn option_time(&self, key: &str) -> Option<Duration> {
        humantime::parse_duration(self.option_text(key)?).ok()
    }

    /// Whether the referee starts our agents itself, so that its seats wait for bridges.
    #[must_use]
    pub fn is_awaited(&self) -> bool {
        self.server == BRIDGE
    }

    /// The name by which bridges ask for it: that of the settings.
    #[must_use]
    pub fn bridge_name(&self) -> &str {
        self.instance_of.as_deref().unwrap_or(&self.name)
    }

    /// The roster: entry `i` is agent `i` of [`agents`](Self::agents).
    #[must_use]
    pub fn roster(&self) -> Roster {
        let entry =
            |agent: &AgentSettings| RosterEntry::new(agent.name.clone(), agent.role.clone());
        Roster { team: self.name.clone(), agents: self.agents.iter().map(entry).collect() }
    }

    /// One seat an agent, in roster order, for games in which each agent has its own connection.
    #[must_use]
    pub fn seats(&self, limits: &LimitSettings) -> Vec<Seat> {
        let seat = |(index, agent): (u16, &AgentSettings)| Seat {
            id: SeatId(index),
            agents: vec![(AgentId(index), agent.name.clone())],
            user: agent.user.clone(),
            password: agent.password.expose_secret().to_owned(),
            turn_limit: self.deadline,
            margin: limits.margin(),
        };
        (0..).zip(&self.agents).map(seat).collect()
    }
}

/// What only a team's game knows: values by their keys, some of them secret.
#[derive(Clone, Default, PartialEq)]
pub struct OptionSettings {
    values: toml::Table,
    secret: BTreeSet<String>,
}

impl OptionSettings {
    /// Values, and the keys that the game declares as [`Kind::Secret`](crate::Kind::Secret).
    pub(crate) fn new(values: toml::Table, secret: BTreeSet<String>) -> Self {
        Self { values, secret }
    }

    /// The value of a key, secret or not; `None` where it is absent.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&toml::Value> {
        self.values.get(key)
    }

    /// Those that are no secrets, in the order of their keys.
    pub fn plain(&self) -> impl Iterator<Item = (&str, &toml::Value)> {
        let values = self.values.iter().map(|(key, value)| (key.as_str(), value));
        values.filter(|(key, _)| !self.secret.contains(*key))
    }
}

/// Secrets are not shown.
impl fmt::Debug for OptionSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_map();
        for (key, value) in &self.values {
            if self.secret.contains(key) {
                shown.entry(key, &"[redacted]");
            } else {
                shown.entry(key, value);
            }
        }
        shown.finish()
    }
}

/// One agent.
#[derive(Clone, Debug)]
pub struct AgentSettings {
    /// Its name.
    pub name: String,
    /// Its account at the referee.
    pub user: String,
    /// The account's password; empty when none was given.
    pub password: SecretString,
    /// The role that decides for it at the start.
    pub role: String,
}
