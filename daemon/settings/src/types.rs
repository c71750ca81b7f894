//! The checked settings.

use crate::HostPattern;
use crate::parse::BRIDGE;
use phalanx_game::{AgentId, MarginLimits, Roster, RosterEntry, Seat, SeatId};
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that the daemon is told at its start.
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
    /// Whoever reaches a listener may read the metrics.
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

/// Bounds on time and memory; each key of `[limits]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitSettings {
    /// Longest time of one `decide`.
    pub decide_max: Duration,
    /// Longest time of one `plan`.
    pub plan_max: Duration,
    /// Share of a turn that is waited for missing percepts, 0 to 1.
    pub straggler_share: f64,
    /// Longest such wait.
    pub straggler_max: Duration,
    /// Smallest safety margin before a deadline.
    pub margin_min: Duration,
    /// Largest safety margin before a deadline.
    pub margin_max: Duration,
    /// Memory of one team's scripts, in bytes.
    pub script_memory: usize,
    /// Longest time of one attempt to connect.
    pub connect_timeout: Duration,
    /// Longest time from an open connection to the accepted login.
    pub login_timeout: Duration,
    /// Longest wait after the first failed connection attempt; doubles with each further one.
    pub reconnect_min: Duration,
    /// Longest wait between two connection attempts.
    pub reconnect_max: Duration,
    /// Longest wait after the referee refused a login.
    pub reconnect_refused: Duration,
    /// Longest time to leave after a signal to stop.
    pub drain_max: Duration,
}

impl LimitSettings {
    /// The bounds of the margin as sessions take them.
    #[must_use]
    pub fn margin(&self) -> MarginLimits {
        MarginLimits { min: self.margin_min, max: self.margin_max }
    }
}

/// How strategies change while they play; each key of `[reload]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReloadSettings {
    /// Changed files are taken up by themselves.
    pub watch: bool,
    /// So long files have to rest before they are read.
    pub settle: Duration,
    /// How often the folder is looked through, whatever its drive tells.
    pub poll: Duration,
    /// Generations that are kept for each team.
    pub keep: usize,
    /// Longest time of a whole trial.
    pub trial_max: Duration,
    /// Turns that are kept for trials to rehearse.
    pub rehearsal_turns: usize,
    /// First decisions of a generation that are watched; 0: none.
    pub probation_decisions: u32,
    /// More troubles than this among them take it back.
    pub probation_errors: u32,
}

/// The same values as those of the keys: for programs that read no file.
impl Default for ReloadSettings {
    fn default() -> Self {
        Self {
            watch: true,
            settle: Duration::from_millis(300),
            poll: Duration::from_secs(2),
            keep: 20,
            trial_max: Duration::from_secs(30),
            rehearsal_turns: 3,
            probation_decisions: 1000,
            probation_errors: 10,
        }
    }
}

/// What outlives the daemon of each team; each key of `[checkpoints]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointSettings {
    /// Checkpoints are taken.
    pub write: bool,
    /// Shortest time between two of a team.
    pub interval: Duration,
    /// One in so many is forced onto the disk; 0: none.
    pub sync_every: u32,
    /// Older ones are not taken over.
    pub age_max: Duration,
    /// Connections are left with the service manager for the next process.
    pub hand_over: bool,
}

impl Default for CheckpointSettings {
    fn default() -> Self {
        Self {
            write: true,
            interval: Duration::from_millis(100),
            sync_every: 10,
            age_max: Duration::from_secs(60 * 60),
            hand_over: true,
        }
    }
}

/// What is recorded of each team; each key of `[recordings]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingSettings {
    /// What is recorded at all.
    pub mode: RecordingMode,
    /// Where the files are; `None`: nowhere, so that nothing is recorded.
    pub folder: Option<PathBuf>,
    /// From this size on a recording goes on in another file, in bytes.
    pub part_size: u64,
    /// Longest time until something is in the file.
    pub flush_every: Duration,
    /// Each piece is forced onto the disk.
    pub sync: bool,
    /// So many things of a team wait for a slow disk at most.
    pub queue_entries: usize,
    /// Memory for what waits so, in bytes.
    pub queue_size: usize,
    /// After trouble with the disk it is tried again so much later.
    pub retry_after: Duration,
    /// All recordings together may have this size, in bytes.
    pub keep_size: u64,
    /// Recordings may be so old.
    pub keep_age: Duration,
    /// Memory of a flight recorder, in bytes.
    pub flight_size: usize,
    /// Shortest time between two files that trouble makes a flight recorder write.
    pub flight_pause: Duration,
}

/// What is recorded of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordingMode {
    /// All that happens, in a file.
    File,
    /// The last of it, in memory, for when something goes wrong.
    Flight,
    /// Nothing.
    #[default]
    Off,
}

/// Nothing is recorded; the rest is as the keys have it: for programs that read no file.
impl Default for RecordingSettings {
    fn default() -> Self {
        Self {
            mode: RecordingMode::Off,
            folder: None,
            part_size: 1 << 30,
            flush_every: Duration::from_secs(2),
            sync: false,
            queue_entries: 16_384,
            queue_size: 32 << 20,
            retry_after: Duration::from_secs(10),
            keep_size: 20 << 30,
            keep_age: Duration::from_secs(30 * 24 * 3_600),
            flight_size: 32 << 20,
            flight_pause: Duration::from_secs(60),
        }
    }
}

/// Where Foxglove sees what happens; each key of `[foxglove]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoxgloveSettings {
    /// The TCP address; `None`: none. Port 0: any free one.
    pub listen: Option<SocketAddr>,
    /// It may be one that other machines reach.
    pub allow_remote: bool,
    /// The origins of web pages that may look, beside those of this machine.
    pub origins: Vec<String>,
    /// Most clients.
    pub clients_max: usize,
    /// Memory for what waits for a client, in bytes.
    pub queue_size: usize,
}

/// It does not listen; the rest is as the keys have it: for programs that read no file.
impl Default for FoxgloveSettings {
    fn default() -> Self {
        Self {
            listen: None,
            allow_remote: false,
            origins: Vec::new(),
            clients_max: 8,
            queue_size: 16 << 20,
        }
    }
}

/// When somebody should look at a team; each key of `[alerts]`. A number of 0 turns an alert off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlertSettings {
    /// So many turns without an own action make an agent silent.
    pub silent_turns: u32,
    /// So many failures of the same action in a row make an agent stuck.
    pub stuck_turns: u32,
    /// One answer in ten with less than this share of its time left, 0 to 1, is too many.
    pub margin_share: f64,
    /// So many script errors within `storm_turns` are a storm.
    pub storm_errors: u32,
    /// See `storm_errors`; at least 1.
    pub storm_turns: u32,
}

/// The same values as those of the keys: for programs that read no file.
impl Default for AlertSettings {
    fn default() -> Self {
        Self {
            silent_turns: 5,
            stuck_turns: 5,
            margin_share: 0.1,
            storm_errors: 20,
            storm_turns: 10,
        }
    }
}

/// What is logged, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSettings {
    /// Directives as `tracing` reads them: `info,phalanx_net=debug`.
    pub filter: String,
    /// The form of a line.
    pub format: LogFormat,
    /// Lines of one kind about one team within ten seconds; 0: no limit.
    pub lines_max: u32,
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For the journal under systemd, for people on a terminal, JSON elsewhere.
    #[default]
    Auto,
    /// For people.
    Pretty,
    /// One JSON object a line.
    Json,
    /// Fields for the service manager's journal.
    Journald,
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
