//! Every key: the only place that says what it is, what it may be and what it is without you.

mod control;
mod doc;
mod find;
mod foxglove;
mod recordings;

pub use doc::{KeyDoc, Kind};
pub(crate) use find::{children, elsewhere, find};

const fn key(
    path: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    example: &'static str,
    doc: &'static str,
) -> KeyDoc {
    KeyDoc { path, kind, default, example, doc }
}

const MIB: u64 = 1 << 20;
const MINUTE: u64 = 60_000;
/// Longest name of a team, an agent or a role, in characters.
pub(crate) const NAME_CHARS_MAX: usize = 64;
/// Longest of other texts, in characters.
const TEXT_CHARS_MAX: usize = 256;
/// Most matches that a team plays at once.
const MATCHES_MAX: i64 = 64;

/// Every key, in the order of the sample.
pub const KEYS: &[KeyDoc] = &[
    key(
        "state_dir",
        Kind::Path,
        None,
        "\"/var/lib/phalanx\"",
        "Folder for what must survive the daemon. Without it: the one that the service manager made \
         (StateDirectory=); without that nothing is kept.",
    ),
    key(
        "control.socket",
        Kind::PathOrOff,
        None,
        "\"/run/phalanx/control.sock\"",
        "Unix socket of the control API, or \"off\". Without it: phalanx/control.sock in the folder \
         that the service manager or the login session names for such files.",
    ),
    control::SOCKET_MODE,
    key(
        "control.socket_group",
        Kind::Text(NAME_CHARS_MAX),
        None,
        "\"phalanx\"",
        "Group that owns the socket. Without it: the daemon's own group.",
    ),
    key(
        "control.tcp",
        Kind::AddressOrOff,
        Some("off"),
        "\"127.0.0.1:7420\"",
        "TCP address of the control API, or \"off\". Without control.tls only loopback addresses \
         are accepted. Port 0 takes a free one.",
    ),
    key(
        "control.loopback_role",
        Kind::Word(&["none", "viewer", "operator", "admin"]),
        Some("viewer"),
        "\"viewer\"",
        "What callers from this machine may do at the TCP address without a token. Callers at the \
         Unix socket are admins: its mode and group say who they are.",
    ),
    key(
        "control.tokens",
        Kind::Path,
        None,
        "\"/var/lib/phalanx/tokens.json\"",
        "File of the tokens (as hashes) for callers over the network. Without it: tokens.json in \
         state_dir; without that tokens end with the daemon.",
    ),
    key(
        "control.origins",
        Kind::Origins,
        None,
        "[\"https://dash.example:3000\"]",
        "Web pages of these origins may use the control API from a browser (grpc-web). Without it: \
         none may.",
    ),
    control::HOSTS,
    control::MOVE_HOSTS,
    key(
        "control.metrics_open",
        Kind::Word(&["on", "off"]),
        Some("off"),
        "\"on\"",
        "on: whoever reaches a listener may read /metrics. off: it takes a viewer, by token or by \
         control.loopback_role.",
    ),
    key(
        "control.page",
        Kind::Word(&["on", "off"]),
        Some("on"),
        "\"off\"",
        "on: the TCP address also serves the web page that shows the teams at work, with the rights \
         of its user's token or of control.loopback_role. off: it does not.",
    ),
    key(
        "control.stay",
        Kind::Word(&["auto", "always"]),
        Some("auto"),
        "\"always\"",
        "Whether the daemon stays when every match is over: always; or auto, only where it was \
         started without teams, for those that are made over the control API.",
    ),
    key(
        "control.tls.certificate",
        Kind::Path,
        None,
        "\"/etc/phalanx/server.pem\"",
        "Certificate of the daemon in PEM, with those between it and its authority. SIGHUP reads \
         it again. Here and in the next keys \"%d/NAME\" is a credential of the service manager.",
    ),
    key("control.tls.key", Kind::Path, None, "\"/etc/phalanx/server.key\"", "Its key in PEM."),
    key(
        "control.tls.client_ca",
        Kind::Path,
        None,
        "\"/etc/phalanx/clients.pem\"",
        "Authority of the callers' certificates in PEM: where it is set, nobody comes in without \
         one. Tokens are needed besides.",
    ),
    key(
        "bridge.socket",
        Kind::PathOrOff,
        None,
        "\"/run/phalanx/bridge.sock\"",
        "Unix socket where `phalanx bridge` finds the seats of teams whose server is \"bridge\", or \
         \"off\". Without it: bridge.sock beside the control API's socket.",
    ),
    key(
        "bridge.socket_mode",
        Kind::Mode,
        Some("0600"),
        "\"0660\"",
        "Permission bits of that socket, as octal digits in quotes. Whoever may write to it can play \
         a seat's match.",
    ),
    key(
        "limits.decide_max",
        Kind::Duration(1, MINUTE),
        Some("250ms"),
        "\"250ms\"",
        "Longest time that one decide may take, however much time is left.",
    ),
    key(
        "limits.plan_max",
        Kind::Duration(1, MINUTE),
        Some("500ms"),
        "\"500ms\"",
        "Longest time that plan may take in a turn.",
    ),
    key(
        "limits.straggler_share",
        Kind::Share,
        Some("0.25"),
        "0.25",
        "Share of a turn's time, 0 to 1, that is waited for agents whose percepts are missing.",
    ),
    key(
        "limits.straggler_max",
        Kind::Duration(0, MINUTE),
        Some("500ms"),
        "\"500ms\"",
        "Longest wait for missing percepts, however long the turn is.",
    ),
    key(
        "limits.margin_min",
        Kind::Duration(0, MINUTE),
        Some("100ms"),
        "\"100ms\"",
        "An action leaves at least this long before the referee's deadline.",
    ),
    key(
        "limits.margin_max",
        Kind::Duration(0, MINUTE),
        Some("1500ms"),
        "\"1500ms\"",
        "A bad network widens the margin up to this.",
    ),
    key(
        "limits.script_memory",
        Kind::Size(MIB, 16 * 1024 * MIB),
        Some("64MiB"),
        "\"64MiB\"",
        "Memory of all scripts of one team.",
    ),
    key(
        "limits.connect_timeout",
        Kind::Duration(1, MINUTE),
        Some("5s"),
        "\"5s\"",
        "Longest time of one attempt to connect, name resolution included.",
    ),
    key(
        "limits.login_timeout",
        Kind::Duration(1, MINUTE),
        Some("10s"),
        "\"10s\"",
        "Longest time from an open connection to the accepted login.",
    ),
    key(
        "limits.reconnect_min",
        Kind::Duration(1, MINUTE),
        Some("200ms"),
        "\"200ms\"",
        "Longest wait after the first failed connection attempt; doubles with each further one.",
    ),
    key(
        "limits.reconnect_max",
        Kind::Duration(1, 60 * MINUTE),
        Some("5s"),
        "\"5s\"",
        "Longest wait between two connection attempts.",
    ),
    key(
        "limits.reconnect_refused",
        Kind::Duration(1, 60 * MINUTE),
        Some("1m"),
        "\"1m\"",
        "Longest wait after the referee refused a login.",
    ),
    key(
        "limits.drain_max",
        Kind::Duration(0, 10 * MINUTE),
        Some("5s"),
        "\"5s\"",
        "Time to answer open turns and leave after a signal to stop.",
    ),
    key(
        "reload.watch",
        Kind::Word(&["on", "off"]),
        Some("on"),
        "\"off\"",
        "Changed files of a strategy's folder are tried and play by themselves. off: only SIGHUP and \
         the control API change a strategy.",
    ),
    key(
        "reload.settle",
        Kind::Duration(0, MINUTE),
        Some("300ms"),
        "\"300ms\"",
        "Files have to rest so long before they are read.",
    ),
    key(
        "reload.poll",
        Kind::Duration(10, 10 * MINUTE),
        Some("2s"),
        "\"2s\"",
        "How often the folder is looked through as well, since some drives tell of no change.",
    ),
    key(
        "reload.keep",
        Kind::Whole(2, 1000),
        Some("20"),
        "20",
        "Generations that are kept for each team, to look at and to return to.",
    ),
    key(
        "reload.trial_max",
        Kind::Duration(100, 10 * MINUTE),
        Some("30s"),
        "\"30s\"",
        "Longest time of a whole trial: lint, specs, rehearsal.",
    ),
    key(
        "reload.rehearsal_turns",
        Kind::Whole(0, 20),
        Some("3"),
        "3",
        "So many of the last turns are kept in memory, for trials to rehearse. 0: none.",
    ),
    key(
        "reload.probation_decisions",
        Kind::Whole(0, 1_000_000),
        Some("1000"),
        "1000",
        "So many first decisions of a new generation are watched, those of all agents together. \
         0: none.",
    ),
    key(
        "reload.probation_errors",
        Kind::Whole(0, 1_000_000),
        Some("10"),
        "10",
        "More script errors and defaulted turns than this among them take the generation back.",
    ),
    key(
        "checkpoints.write",
        Kind::Word(&["on", "off"]),
        Some("on"),
        "\"on\"",
        "What each team knows (world, board, memories, what operators set) is written to state_dir \
         between turns, and read again by a daemon that starts in the middle of a match. Without \
         state_dir it is kept in memory, in case the team's thread fails.",
    ),
    key(
        "checkpoints.interval",
        Kind::Duration(0, 10 * MINUTE),
        Some("100ms"),
        "\"100ms\"",
        "Shortest time between two checkpoints of a team. Where they are dear it is longer: they \
         never take more than a fiftieth of a team's time.",
    ),
    key(
        "checkpoints.sync_every",
        Kind::Whole(0, 100_000),
        Some("10"),
        "10",
        "One checkpoint in so many is not only handed to the system but forced onto the disk, for \
         the case that the whole machine fails. 1: each; 0: none.",
    ),
    key(
        "checkpoints.age_max",
        Kind::Duration(1_000, 7 * 24 * 60 * MINUTE),
        Some("1h"),
        "\"1h\"",
        "Older checkpoints are set aside when the daemon starts: their match must be over.",
    ),
    key(
        "checkpoints.hand_over",
        Kind::Word(&["on", "off"]),
        Some("on"),
        "\"on\"",
        "A daemon that its service manager stops answers open turns and leaves its connections with \
         the manager: after a restart the next one goes on with them, and referees notice nothing. \
         Agents Assemble and Mars; other games dial again. Needs state_dir, checkpoints and \
         FileDescriptorStoreMax= of the unit.",
    ),
    recordings::MODE,
    recordings::FOLDER,
    recordings::PART_SIZE,
    recordings::FLUSH_EVERY,
    recordings::SYNC,
    recordings::QUEUE_ENTRIES,
    recordings::QUEUE_SIZE,
    recordings::RETRY_AFTER,
    recordings::KEEP_SIZE,
    recordings::KEEP_AGE,
    recordings::FLIGHT_SIZE,
    recordings::FLIGHT_PAUSE,
    foxglove::LISTEN,
    foxglove::ALLOW_REMOTE,
    foxglove::ORIGINS,
    foxglove::CLIENTS_MAX,
    foxglove::QUEUE_SIZE,
    key(
        "alerts.silent_turns",
        Kind::Whole(0, 10_000),
        Some("5"),
        "5",
        "An agent is silent when so many of its turns went by without an action that its script or \
         an operator decided, or its seat was away for as long. 0: never.",
    ),
    key(
        "alerts.stuck_turns",
        Kind::Whole(0, 10_000),
        Some("5"),
        "5",
        "An agent is stuck when the same action failed so often in a row. 0: never.",
    ),
    key(
        "alerts.margin_share",
        Kind::Share,
        Some("0.1"),
        "0.1",
        "The margin is too small when of ten answers one or more leave with less than this share of \
         their time, 0 to 1. 0: never.",
    ),
    key(
        "alerts.storm_errors",
        Kind::Whole(0, 1_000_000),
        Some("20"),
        "20",
        "So many script errors of a team within alerts.storm_turns are a storm. 0: never.",
    ),
    key("alerts.storm_turns", Kind::Whole(1, 10_000), Some("10"), "10", "See alerts.storm_errors."),
    key(
        "log.filter",
        Kind::Filter,
        Some("info"),
        "\"info,phalanx_net=debug\"",
        "Levels (off, error, warn, info, debug, trace), also per module: module=level, separated \
         by commas.",
    ),
    key(
        "log.format",
        Kind::Word(&["auto", "pretty", "json", "journald"]),
        Some("auto"),
        "\"json\"",
        "Form of a line. auto: fields for the journal under systemd, pretty on a terminal, json \
         elsewhere.",
    ),
    key(
        "log.lines_max",
        Kind::Whole(0, 1_000_000),
        Some("200"),
        "200",
        "So many lines of one kind about one team are written within ten seconds; further ones are \
         counted and told as one. Does not hold for debug and trace. 0: no limit.",
    ),
    key(
        "otel.endpoint",
        Kind::Text(TEXT_CHARS_MAX),
        None,
        "\"http://127.0.0.1:4317\"",
        "Collector of OpenTelemetry (gRPC, no TLS) that gets a span for each turn. Only for builds \
         with the feature otel; without this key nothing is exported.",
    ),
    key(
        "teams[].name",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"A\"",
        "Required. The team's name, here and at the referee; unique.",
    ),
    key("teams[].game", Kind::Word(&[]), None, "\"assemble\"", "Required. Which game it plays."),
    key(
        "teams[].server",
        Kind::Server,
        Some("127.0.0.1:12300"),
        "\"127.0.0.1:12300\"",
        "The referee's address, host:port; or \"bridge\" where the referee starts our agents itself: \
         the seats wait for `phalanx bridge --team NAME --agent AGENT`.",
    ),
    key(
        "teams[].matches",
        Kind::Whole(1, MATCHES_MAX),
        Some("1"),
        "1",
        "How many matches it plays at once, where the server is \"bridge\": each has an instance of \
         the team, called A, A~2, A~3 and so on, with these settings.",
    ),
    key(
        "teams[].strategy",
        Kind::Path,
        None,
        "\"scripts/assemble\"",
        "Required. Folder with the strategy's scripts.",
    ),
    key(
        "teams[].agents",
        Kind::Table,
        None,
        "{ prefix = \"agentA\", count = 15, password = \"1\" }",
        "Required. Either a pattern for numbered agents, or a list of tables, one an agent: \
         [{ name = \"agentA1\", password = \"1\" }, …].",
    ),
    key(
        "teams[].role",
        Kind::Name(NAME_CHARS_MAX),
        Some("worker"),
        "\"worker\"",
        "Role of every agent that has no other one.",
    ),
    key(
        "teams[].roles",
        Kind::Table,
        None,
        "{ agentA1 = \"scout\" }",
        "Other roles, by agent; or a list that is dealt out in the agents' order: \
         [{ role = \"scout\", count = 2 }].",
    ),
    key(
        "teams[].password",
        Kind::Secret,
        None,
        "\"1\"",
        "Password of every agent that has no other one.",
    ),
    key(
        "teams[].password_file",
        Kind::Path,
        None,
        "\"agents.secret\"",
        "File that holds the password, instead of it.",
    ),
    key(
        "teams[].password_credential",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"agents\"",
        "Name of the service manager's credential that holds the password, instead of it.",
    ),
    key(
        "teams[].seed",
        Kind::Whole(0, i64::MAX),
        Some("0"),
        "7",
        "Seed of all randomness in the team's scripts.",
    ),
    key(
        "teams[].deadline",
        Kind::Duration(1, 60 * MINUTE),
        Some("4s"),
        "\"4s\"",
        "Length of a turn where the referee does not tell a deadline.",
    ),
    key(
        "teams[].options",
        Kind::Table,
        None,
        "{}",
        "What only this game knows. bomberland: agent_id, the player's secret id (the team's name when absent); training, a time: an admin connection asks for a tick so often.",
    ),
    key(
        "teams[].agents.prefix",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"agentA\"",
        "Required. Names are the prefix and a number.",
    ),
    key("teams[].agents.count", Kind::Whole(1, 1000), None, "15", "Required. How many agents."),
    key(
        "teams[].agents.first",
        Kind::Whole(0, 1_000_000),
        Some("1"),
        "1",
        "Number of the first agent.",
    ),
    key("teams[].agents.password", Kind::Secret, None, "\"1\"", "Password of these agents."),
    key(
        "teams[].agents.password_file",
        Kind::Path,
        None,
        "\"agents.secret\"",
        "File that holds the password, instead of it.",
    ),
    key(
        "teams[].agents.password_credential",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"agents\"",
        "Credential that holds the password, instead of it.",
    ),
    key(
        "teams[].agents[].name",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"agentA1\"",
        "Required. The agent's name at the referee; unique in the team.",
    ),
    key(
        "teams[].agents[].user",
        Kind::Text(TEXT_CHARS_MAX),
        None,
        "\"agentA1\"",
        "The agent's account. Without it: its name.",
    ),
    key(
        "teams[].agents[].role",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"scout\"",
        "The agent's role. Without it: as `roles` and `role` say.",
    ),
    key("teams[].agents[].password", Kind::Secret, None, "\"1\"", "The account's password."),
    key(
        "teams[].agents[].password_file",
        Kind::Path,
        None,
        "\"agentA1.secret\"",
        "File that holds the password, instead of it.",
    ),
    key(
        "teams[].agents[].password_credential",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"agentA1\"",
        "Credential that holds the password, instead of it.",
    ),
    key(
        "teams[].roles[].role",
        Kind::Name(NAME_CHARS_MAX),
        None,
        "\"scout\"",
        "Required. The role.",
    ),
    key(
        "teams[].roles[].count",
        Kind::Whole(0, 1000),
        None,
        "2",
        "Required. How many agents get it.",
    ),
];
