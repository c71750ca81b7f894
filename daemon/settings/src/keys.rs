//! Every key: the only place that says what it is, what it may be, its default and what a reload
//! does with it. Sections of plain values are declared in `tables`.

use crate::change::{ACCOUNT, BOUND, CERTIFICATE, Change, MADE, OPEN, SEATS, TEAM};
use crate::key::{DeclaredKey, KeyDoc, Kind, MINUTE, key};
use crate::setting::SettingsTable;
use crate::{
    AlertSettings, CheckpointSettings, FoxgloveSettings, GameSettings, LabSettings, LimitSettings,
    LogSettings, RecordingSettings, ReloadSettings,
};
use Change::{Live, Restart};
use std::sync::LazyLock;

/// Longest name of a team, an agent or a role, in characters.
pub(crate) const NAME_CHARS_MAX: usize = 64;
/// Longest of other texts, in characters.
const TEXT_CHARS_MAX: usize = 256;
/// Most matches that a team plays at once.
const MATCHES_MAX: i64 = 64;

/// All keys, in the order of the sample.
const DECLARED: &[&[DeclaredKey]] = &[
    SOCKETS,
    LimitSettings::KEYS,
    ReloadSettings::KEYS,
    CheckpointSettings::KEYS,
    RecordingSettings::KEYS,
    FoxgloveSettings::KEYS,
    GameSettings::KEYS,
    LabSettings::KEYS,
    AlertSettings::KEYS,
    LogSettings::KEYS,
    TEAMS,
];

/// Every key, in the order of the sample.
pub static KEYS: LazyLock<Vec<KeyDoc>> =
    LazyLock::new(|| DECLARED.iter().copied().flatten().map(|(doc, _)| *doc).collect());

/// What becomes of a new value of the key of that path; `None` for what is no key.
#[must_use]
pub fn change(path: &str) -> Option<Change> {
    let declared = DECLARED.iter().copied().flatten().find(|(doc, _)| doc.path == path);
    declared.map(|(_, change)| *change)
}

/// The state folder, the control API and bridges.
const SOCKETS: &[DeclaredKey] = &[
    key(
        "state_dir",
        Kind::Path,
        None,
        "\"/var/lib/phalanx\"",
        Restart(OPEN),
        "Folder for data that outlives the daemon. Default: the folder that the service manager \
         made (StateDirectory=). If there is none, the daemon keeps nothing.",
    ),
    key(
        "control.socket",
        Kind::PathOrOff,
        None,
        "\"/run/phalanx/control.sock\"",
        Restart(BOUND),
        "Unix socket of the control API, or \"off\". Default: phalanx/control.sock in the \
         runtime folder of the service manager or of the login session.",
    ),
    key(
        "control.socket_mode",
        Kind::Mode,
        Some("0660"),
        "\"0660\"",
        Restart(BOUND),
        "Permission bits of the socket, as octal digits in quotes.",
    ),
    key(
        "control.socket_group",
        Kind::Text(NAME_CHARS_MAX),
        None,
        "\"phalanx\"",
        Restart(BOUND),
        "Group that owns the socket. Default: the daemon's own group.",
    ),
    key(
        "control.tcp",
        Kind::AddressOrOff,
        Some("off"),
        "\"127.0.0.1:7420\"",
        Restart(BOUND),
        "TCP address of the control API, or \"off\". Without control.tls, only loopback \
         addresses are accepted. Port 0 picks a free port.",
    ),
    key(
        "control.loopback_role",
        Kind::Word(&["none", "viewer", "operator", "admin"]),
        Some("viewer"),
        "\"viewer\"",
        Restart("is fixed for connected callers"),
        "Role of callers from this machine at the TCP address that show no token. Callers at \
         the Unix socket are admins: its mode and group decide who can connect.",
    ),
    key(
        "control.tokens",
        Kind::Path,
        None,
        "\"/var/lib/phalanx/tokens.json\"",
        Restart(OPEN),
        "File with the hashes of the tokens for callers over the network. Default: tokens.json \
         in state_dir. Without state_dir, tokens are lost when the daemon stops.",
    ),
    key(
        "control.origins",
        Kind::Origins,
        None,
        "[\"https://dash.example:3000\"]",
        Restart(BOUND),
        "Origins of web pages that may use the control API (grpc-web). Default: none.",
    ),
    key(
        "control.hosts",
        Kind::Hosts,
        None,
        "[\"phalanx.lan\"]",
        Restart(BOUND),
        "Host names that callers may use for control.tcp without TLS, besides localhost and IP \
         addresses. Requests for any other host are refused, which prevents DNS rebinding by \
         web pages.",
    ),
    key(
        "control.move_hosts",
        Kind::Hosts,
        None,
        "[\"10.0.0.5\", \"*.contest.example:12300\"]",
        Live,
        "Referees to which operators may move teams (`phalanx team move`), besides the address \
         in the team's own settings: the agents' passwords are sent there. Admins may move teams \
         anywhere. Without a port: every port. A name allows that name, not its address; `*.` \
         allows every name below it.",
    ),
    key(
        "control.metrics_open",
        Kind::Word(&["on", "off"]),
        Some("off"),
        "\"on\"",
        Restart(BOUND),
        "on: every client that can reach a listener may read /metrics. off: the client needs \
         the role viewer, from a token or from control.loopback_role.",
    ),
    key(
        "control.page",
        Kind::Word(&["on", "off"]),
        Some("on"),
        "\"off\"",
        Restart(BOUND),
        "on: the TCP address also serves the web page. The page has the rights of its user's \
         token or of control.loopback_role.",
    ),
    key(
        "control.stay",
        Kind::Word(&["auto", "always"]),
        Some("auto"),
        "\"always\"",
        Restart("is decided when the daemon starts"),
        "Whether the daemon keeps running when every match is over. always: it does. auto: only \
         if it was started without teams, so that teams are created over the control API.",
    ),
    key(
        "control.tls.certificate",
        Kind::Path,
        None,
        "\"/etc/phalanx/server.pem\"",
        Restart(CERTIFICATE),
        "Certificate of the daemon in PEM, followed by its intermediate certificates. SIGHUP \
         reads it again. Here and in the next keys, \"%d/NAME\" is a credential of the service \
         manager.",
    ),
    key(
        "control.tls.key",
        Kind::Path,
        None,
        "\"/etc/phalanx/server.key\"",
        Restart(CERTIFICATE),
        "Its PEM key.",
    ),
    key(
        "control.tls.client_ca",
        Kind::Path,
        None,
        "\"/etc/phalanx/clients.pem\"",
        Restart(CERTIFICATE),
        "Authority of the callers' certificates, in PEM. If set, callers over the network need \
         a certificate of this authority in addition to a token.",
    ),
    key(
        "bridge.socket",
        Kind::PathOrOff,
        None,
        "\"/run/phalanx/bridge.sock\"",
        Restart(BOUND),
        "Unix socket where `phalanx bridge` finds the seats of teams whose server is \
         \"bridge\", or \"off\". Default: bridge.sock beside the control API's socket.",
    ),
    key(
        "bridge.socket_mode",
        Kind::Mode,
        Some("0600"),
        "\"0660\"",
        Restart(BOUND),
        "Permission bits of that socket, as octal digits in quotes. Every user who may write to \
         it can play a seat's match.",
    ),
];

/// Spans and teams.
const TEAMS: &[DeclaredKey] = &[
    key(
        "otel.endpoint",
        Kind::Text(TEXT_CHARS_MAX),
        None,
        "\"http://127.0.0.1:4317\"",
        Restart("is connected to when the daemon starts"),
        "OpenTelemetry collector (gRPC, no TLS) that gets a span for each turn. Only for builds \
         with the feature otel; without this key nothing is exported.",
    ),
    key(
        "teams[].name",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"A\"",
        Restart(MADE),
        "Required. The team's name, here and at the referee; unique.",
    ),
    key(
        "teams[].game",
        Kind::Word(&[]),
        None,
        "\"assemble\"",
        Restart(TEAM),
        "Required. The game's name.",
    ),
    key(
        "teams[].server",
        Kind::Server,
        Some("127.0.0.1:12300"),
        "\"127.0.0.1:12300\"",
        Live,
        "The referee's address, host:port. \"bridge\": the referee starts the agents itself, \
         and the seats wait for `phalanx bridge --team NAME --agent AGENT`.",
    ),
    key(
        "teams[].matches",
        Kind::Whole(1, MATCHES_MAX),
        Some("1"),
        "1",
        Restart(MADE),
        "Number of matches that the team plays at once, if the server is \"bridge\". Each match \
         has an instance of the team, called A, A~2, A~3 and so on, with these settings.",
    ),
    key(
        "teams[].strategy",
        Kind::Path,
        None,
        "\"scripts/assemble\"",
        Live,
        "Required. Folder with the scripts of the strategy.",
    ),
    key(
        "teams[].agents",
        Kind::Table,
        None,
        "{ prefix = \"agentA\", count = 15, password = \"1\" }",
        Live,
        "Required. Either a pattern for numbered agents, or a list of tables, one an agent: [{ \
         name = \"agentA1\", password = \"1\" }, …].",
    ),
    key(
        "teams[].role",
        Kind::Name(NAME_CHARS_MAX),
        Some("worker"),
        "\"worker\"",
        Live,
        "Role of every agent without its own role.",
    ),
    key(
        "teams[].roles",
        Kind::Table,
        None,
        "{ agentA1 = \"scout\" }",
        Live,
        "Roles by agent; or a list that assigns roles in the agents' order: [{ role = \
         \"scout\", count = 2 }].",
    ),
    key(
        "teams[].password",
        Kind::Secret,
        None,
        "\"1\"",
        Live,
        "Password of every agent without its own password.",
    ),
    key(
        "teams[].password_file",
        Kind::Path,
        None,
        "\"agents.secret\"",
        Live,
        "File that contains the password.",
    ),
    key(
        "teams[].password_credential",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"agents\"",
        Live,
        "Name of the service manager's credential that contains the password.",
    ),
    key(
        "teams[].seed",
        Kind::Whole(0, i64::MAX),
        Some("0"),
        "7",
        Restart(TEAM),
        "Seed of all randomness in the team's scripts.",
    ),
    key(
        "teams[].deadline",
        Kind::Duration(1, 60 * MINUTE),
        Some("4s"),
        "\"4s\"",
        Restart(SEATS),
        "Length of a turn if the referee sends no deadline.",
    ),
    key(
        "teams[].params",
        Kind::Table,
        None,
        "{}",
        Restart(TEAM),
        "Values of parameters that the strategy declares, for example { patience = 12 }. They \
         count more than its tuned.toml; what operators set while it plays counts more than they.",
    ),
    key(
        "teams[].options",
        Kind::Table,
        None,
        "{}",
        Restart(TEAM),
        "Options of this game. bomberland: agent_id, the player's secret id (default: the \
         team's name); training, the interval at which an admin connection requests a tick.",
    ),
    key(
        "teams[].agents.prefix",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"agentA\"",
        Live,
        "Required. Names are the prefix and a number.",
    ),
    key(
        "teams[].agents.count",
        Kind::Whole(1, 1000),
        None,
        "15",
        Live,
        "Required. How many agents.",
    ),
    key(
        "teams[].agents.first",
        Kind::Whole(0, 1_000_000),
        Some("1"),
        "1",
        Live,
        "Number of the first agent.",
    ),
    key("teams[].agents.password", Kind::Secret, None, "\"1\"", Live, "Password of these agents."),
    key(
        "teams[].agents.password_file",
        Kind::Path,
        None,
        "\"agents.secret\"",
        Live,
        "File that holds the password, instead of it.",
    ),
    key(
        "teams[].agents.password_credential",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"agents\"",
        Live,
        "Credential that holds the password, instead of it.",
    ),
    key(
        "teams[].agents[].name",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"agentA1\"",
        Live,
        "Required. The agent's name at the referee; unique in the team.",
    ),
    key(
        "teams[].agents[].user",
        Kind::Text(TEXT_CHARS_MAX),
        None,
        "\"agentA1\"",
        Restart(ACCOUNT),
        "The agent's account. Without it: its name.",
    ),
    key(
        "teams[].agents[].role",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"scout\"",
        Live,
        "The agent's role. Without it: as `roles` and `role` say.",
    ),
    key("teams[].agents[].password", Kind::Secret, None, "\"1\"", Live, "The account's password."),
    key(
        "teams[].agents[].password_file",
        Kind::Path,
        None,
        "\"agentA1.secret\"",
        Live,
        "File that holds the password, instead of it.",
    ),
    key(
        "teams[].agents[].password_credential",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"agentA1\"",
        Live,
        "Credential that holds the password, instead of it.",
    ),
    key(
        "teams[].roles[].role",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"scout\"",
        Live,
        "Required. The role.",
    ),
    key(
        "teams[].roles[].count",
        Kind::Whole(0, 1000),
        None,
        "2",
        Live,
        "Required. How many agents get it.",
    ),
];
