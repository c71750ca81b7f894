//! Settings: a file, its drop-ins, the environment and flags become checked types.
//!
//! The problem: an operator finds out on match day that a key was misspelt. So every key is
//! declared once, in [`KEYS`], with its type, bounds, default and meaning; anything that is not declared
//! is refused with the nearest known key; and all mistakes are reported together, each with the
//! place where it was written, the key, what was found and what was expected.
//!
//! Use: fill [`Sources`], call [`load`]. Later sources win:
//!
//! 1. the file, TOML;
//! 2. its drop-ins, `<file>.d/*.toml`, in order of their names. A `[[teams]]` entry whose name is
//!    known changes that team, any other adds one;
//! 3. the environment: `PHALANX__LIMITS__DECIDE_MAX=200ms`,
//!    `PHALANX__TEAMS__A__SERVER=10.0.0.1:12300` (case does not matter, a team goes by its name or
//!    its index);
//! 4. overrides from flags: `limits.decide_max=200ms`.
//!
//! Relative paths count from the folder of the file that contains them. Passwords may be in
//! files or systemd credentials; they are never part of an error or of `Debug` output.
//!
//! A running daemon reads them again and asks [`differences`]: each key says what becomes of a new
//! value, see [`change()`].
//!
//! Absent on purpose: reading the process' environment (it is an argument), knowledge of any game
//! or strategy beyond their names, carrying out what changed.
#![deny(missing_docs)]

mod agents;
mod change;
mod difference;
mod environment;
mod hosts;
mod key;
mod keys;
mod mistake;
mod node;
mod parse;
mod request;
mod sample;
mod schema;
mod secret;
mod section;
mod setting;
mod sources;
mod tables;
mod team;
mod types;

pub use change::Change;
pub use difference::{SettingDifference, differences, unchanged};
pub use environment::{Environment, bridge_candidates, socket_candidates};
pub use hosts::{HostPattern, NoHost};
pub use key::{KeyDoc, Kind};
pub use keys::{KEYS, change};
pub use mistake::{SettingsErrors, SettingsMistake};
pub use request::{AgentRequest, AgentsRequest, TEAMS_MAX, TeamRequest, server, team};
pub use sample::sample;
pub use schema::schema;
pub use sources::{GameKeys, Sources};
pub use tables::{
    AlertSettings, CheckpointSettings, FoxgloveSettings, GameSettings, LabSettings, LimitSettings,
    LogFormat, LogSettings, RecordingMode, RecordingSettings, ReloadSettings,
};
pub use types::{
    AgentSettings, BridgeSettings, ControlSettings, OptionSettings, Settings, TeamSettings,
    TlsSettings,
};

use environment::BRIDGE_SOCKET;
use section::{Reader, Section};
use setting::SettingsTable as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The folder of recordings in the state folder.
const RECORDINGS: &str = "recordings";

/// Reads all sources and checks everything.
///
/// # Errors
/// Every mistake of every source, in the order of the keys.
pub fn load(sources: &Sources<'_>) -> Result<Settings, SettingsErrors> {
    let reader = Reader::new(&KEYS, sources.environment);
    let tree = sources.read(&reader);
    let top = Section::top(&reader, &tree);
    let control = control(&top.section("control"), sources.environment);
    let bridge = bridge(&top.section("bridge"), &control, sources.environment);
    let state_dir = top.optional("state_dir", parse::path).or_else(|| state(sources.environment));
    let settings = Settings {
        recordings: recordings(&top.section("recordings"), state_dir.as_deref()),
        state_dir,
        control,
        bridge,
        limits: limits(&top.section("limits")),
        reload: ReloadSettings::read(&top.section("reload")),
        checkpoints: CheckpointSettings::read(&top.section("checkpoints")),
        foxglove: foxglove(&top.section("foxglove")),
        games: GameSettings::read(&top.section("games")),
        lab: lab(&top.section("lab")),
        alerts: AlertSettings::read(&top.section("alerts")),
        log: LogSettings::read(&top.section("log")),
        otel_endpoint: top.section("otel").optional("endpoint", parse::text),
        teams: team::teams(&top, sources.games),
    };
    let awaited = settings.teams.iter().find(|team| team.is_awaited());
    if let (Some(team), None) = (awaited, &settings.bridge.socket) {
        let expected = format!("a path, since team {} waits for bridges", team.name);
        reader.note(&top.origin, "bridge.socket", "no socket", expected);
    }
    reader.finish(settings)
}

/// The folder that holds games, which must be read before the teams can name one. Mistakes are
/// reported by [`load`].
#[must_use]
pub fn games(sources: &Sources<'_>) -> GameSettings {
    let reader = Reader::new(&KEYS, sources.environment);
    let tree = sources.read(&reader);
    GameSettings::read(&Section::top(&reader, &tree).section("games"))
}

/// The folder that the service manager made for it.
fn state(environment: &Environment) -> Option<PathBuf> {
    let folder = environment.get("STATE_DIRECTORY")?.split(':').next()?;
    folder.starts_with('/').then(|| PathBuf::from(folder))
}

fn control(section: &Section<'_>, environment: &Environment) -> ControlSettings {
    let chosen = section.optional("socket", parse::path_or_off);
    let tls = tls(&section.section("tls"));
    let tcp: Option<SocketAddr> = section.optional("tcp", parse::address_or_off).flatten();
    if let (Some(address), None, Some(node)) = (tcp, &tls, section.node("tcp"))
        && !address.ip().is_loopback()
    {
        let expected = "a loopback address such as 127.0.0.1:7420; for any other one set \
                        control.tls.certificate and control.tls.key";
        section.refuse("tcp", node, expected);
    }
    ControlSettings {
        socket: match chosen {
            Some(chosen) => chosen,
            None => socket_candidates(environment).into_iter().next(),
        },
        socket_mode: section.value("socket_mode", parse::mode),
        socket_group: section.optional("socket_group", parse::text),
        tcp,
        loopback_role: section.value("loopback_role", parse::word),
        tokens: secret::file(section, "tokens"),
        stay: section.value::<String>("stay", parse::word) == "always",
        tls,
        origins: section.optional("origins", parse::origins).unwrap_or_default(),
        hosts: section.optional("hosts", parse::hosts).unwrap_or_default(),
        move_hosts: section.optional("move_hosts", parse::hosts).unwrap_or_default(),
        metrics_open: section.value("metrics_open", parse::word) == "on",
        page: section.value("page", parse::word) == "on",
    }
}

/// Certificate and key come together.
fn tls(section: &Section<'_>) -> Option<TlsSettings> {
    let certificate = secret::file(section, "certificate");
    let key = secret::file(section, "key");
    let client_ca = secret::file(section, "client_ca");
    match (certificate, key) {
        (Some(certificate), Some(key)) => Some(TlsSettings { certificate, key, client_ca }),
        (None, None) if client_ca.is_none() => None,
        (certificate, _) => {
            let missing = if certificate.is_none() { "certificate" } else { "key" };
            let expected = "a path: certificate and key come together";
            section.reader.note(&section.origin, section.shown(missing), "missing", expected);
            None
        }
    }
}

fn bridge(
    section: &Section<'_>,
    control: &ControlSettings,
    environment: &Environment,
) -> BridgeSettings {
    let beside = || {
        let control = control.socket.as_ref().map(|socket| socket.with_file_name(BRIDGE_SOCKET));
        control.or_else(|| bridge_candidates(environment).into_iter().next())
    };
    BridgeSettings {
        socket: section.optional("socket", parse::path_or_off).unwrap_or_else(beside),
        socket_mode: section.value("socket_mode", parse::mode),
    }
}

/// The parts of credentials come together, and with a server.
fn lab(section: &Section<'_>) -> LabSettings {
    let lab = LabSettings::read(section);
    let missing = |key: &str, expected: &str| {
        section.reader.note(&section.origin, section.shown(key), "missing", expected);
    };
    if let (Some(_), Some(node)) =
        (lab.nats.as_ref().filter(|url| url.contains('@')), section.node("nats"))
    {
        let expected = "an address without a user: write lab.nats_user and lab.nats_password_file";
        section.refuse("nats", node, expected);
    }
    let (user, password) = (lab.nats_user.is_some(), lab.nats_password_file.is_some());
    match (user, password) {
        (true, false) => missing("nats_password_file", "a path, since lab.nats_user is set"),
        (false, true) => missing("nats_user", "a name, since lab.nats_password_file is set"),
        (true, true) | (false, false) => {}
    }
    let (certificate, key) = (lab.nats_certificate.is_some(), lab.nats_key.is_some());
    match (certificate, key) {
        (true, false) => missing("nats_key", "a path: certificate and key come together"),
        (false, true) => missing("nats_certificate", "a path: certificate and key come together"),
        (true, true) | (false, false) => {}
    }
    if lab.nats.is_none() && (user || password || certificate || key || lab.nats_ca.is_some()) {
        missing("nats", "the address of the server for the other keys of its name");
    }
    lab
}

fn limits(section: &Section<'_>) -> LimitSettings {
    let limits = LimitSettings::read(section);
    section.ordered("margin_min", limits.margin_min, "margin_max", limits.margin_max);
    section.ordered("reconnect_min", limits.reconnect_min, "reconnect_max", limits.reconnect_max);
    limits
}

fn recordings(section: &Section<'_>, state: Option<&Path>) -> RecordingSettings {
    let mut recordings = RecordingSettings::read(section);
    recordings.folder = recordings.folder.or_else(|| state.map(|state| state.join(RECORDINGS)));
    recordings
}

fn foxglove(section: &Section<'_>) -> FoxgloveSettings {
    let foxglove = FoxgloveSettings::read(section);
    if let (Some(address), false, Some(node)) =
        (foxglove.listen, foxglove.allow_remote, section.node("listen"))
        && !address.ip().is_loopback()
    {
        let expected = "a loopback address such as 127.0.0.1:8765; there are no logins, so for any \
                        other one say foxglove.allow_remote = \"on\"";
        section.refuse("listen", node, expected);
    }
    foxglove
}
