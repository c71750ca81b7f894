//! Settings: a file, its drop-ins, the environment and flags become checked types.
//!
//! The problem: an operator finds out on match day that a key was misspelt. So every key is
//! declared once, in [`KEYS`], with its type, bounds, default and meaning; whatever is not declared
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
//! Relative paths count from the folder of the file in which they stand. Passwords may stand in
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
mod hosts;
mod keys;
mod mistake;
mod node;
mod parse;
mod request;
mod sample;
mod secret;
mod section;
mod sources;
mod team;
mod types;

pub use change::{Change, change};
pub use difference::{Difference, differences, unchanged};
pub use hosts::{HostPattern, NoHost};
pub use keys::{KEYS, KeyDoc, Kind};
pub use mistake::{Mistake, SettingsErrors};
pub use request::{AgentRequest, AgentsRequest, TEAMS_MAX, TeamRequest, server, team};
pub use sample::sample;
pub use sources::{Environment, GameKeys, Sources, bridge_candidates, socket_candidates};
pub use types::{
    AgentSettings, AlertSettings, BridgeSettings, CheckpointSettings, ControlSettings,
    FoxgloveSettings, LimitSettings, LogFormat, LogSettings, OptionSettings, RecordingMode,
    RecordingSettings, ReloadSettings, Settings, TeamSettings, TlsSettings,
};

use section::{Reader, Section};
use sources::BRIDGE_SOCKET;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The folder of recordings in the state folder.
const RECORDINGS: &str = "recordings";

/// Reads all sources and checks everything.
///
/// # Errors
/// Every mistake of every source, in the order of the keys.
pub fn load(sources: &Sources<'_>) -> Result<Settings, SettingsErrors> {
    let reader = Reader::new(sources.environment);
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
        reload: reload(&top.section("reload")),
        checkpoints: checkpoints(&top.section("checkpoints")),
        foxglove: foxglove(&top.section("foxglove")),
        alerts: alerts(&top.section("alerts")),
        log: log(&top.section("log")),
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

fn limits(section: &Section<'_>) -> LimitSettings {
    let limits = LimitSettings {
        decide_max: section.value("decide_max", parse::duration),
        plan_max: section.value("plan_max", parse::duration),
        straggler_share: section.value("straggler_share", parse::share),
        straggler_max: section.value("straggler_max", parse::duration),
        margin_min: section.value("margin_min", parse::duration),
        margin_max: section.value("margin_max", parse::duration),
        script_memory: section.value("script_memory", parse::size),
        connect_timeout: section.value("connect_timeout", parse::duration),
        login_timeout: section.value("login_timeout", parse::duration),
        reconnect_min: section.value("reconnect_min", parse::duration),
        reconnect_max: section.value("reconnect_max", parse::duration),
        reconnect_refused: section.value("reconnect_refused", parse::duration),
        drain_max: section.value("drain_max", parse::duration),
    };
    section.ordered("margin_min", limits.margin_min, "margin_max", limits.margin_max);
    section.ordered("reconnect_min", limits.reconnect_min, "reconnect_max", limits.reconnect_max);
    limits
}

fn reload(section: &Section<'_>) -> ReloadSettings {
    // The keys' own bounds keep these far from overflow.
    let whole = |key| u32::try_from(section.value(key, parse::whole)).unwrap_or_default();
    let watch: String = section.value("watch", parse::word);
    ReloadSettings {
        watch: watch != "off",
        settle: section.value("settle", parse::duration),
        poll: section.value("poll", parse::duration),
        keep: usize::try_from(whole("keep")).unwrap_or(usize::MAX),
        trial_max: section.value("trial_max", parse::duration),
        rehearsal_turns: usize::try_from(whole("rehearsal_turns")).unwrap_or(usize::MAX),
        probation_decisions: whole("probation_decisions"),
        probation_errors: whole("probation_errors"),
    }
}

fn checkpoints(section: &Section<'_>) -> CheckpointSettings {
    CheckpointSettings {
        write: section.value::<String>("write", parse::word) == "on",
        interval: section.value("interval", parse::duration),
        // The key's own bounds keep it far from overflow.
        sync_every: u32::try_from(section.value("sync_every", parse::whole)).unwrap_or_default(),
        age_max: section.value("age_max", parse::duration),
        hand_over: section.value::<String>("hand_over", parse::word) == "on",
    }
}

fn recordings(section: &Section<'_>, state: Option<&Path>) -> RecordingSettings {
    let wide = |key| u64::try_from(section.value(key, parse::size)).unwrap_or(u64::MAX);
    RecordingSettings {
        mode: match section.value::<String>("mode", parse::word).as_str() {
            "file" => RecordingMode::File,
            "flight" => RecordingMode::Flight,
            _ => RecordingMode::Off,
        },
        folder: section
            .optional("folder", parse::path)
            .or_else(|| state.map(|state| state.join(RECORDINGS))),
        part_size: wide("part_size"),
        flush_every: section.value("flush_every", parse::duration),
        sync: section.value::<String>("sync", parse::word) == "on",
        // The key's own bounds keep it far from overflow.
        queue_entries: usize::try_from(section.value("queue_entries", parse::whole))
            .unwrap_or_default(),
        queue_size: section.value("queue_size", parse::size),
        retry_after: section.value("retry_after", parse::duration),
        keep_size: wide("keep_size"),
        keep_age: section.value("keep_age", parse::duration),
        flight_size: section.value("flight_size", parse::size),
        flight_pause: section.value("flight_pause", parse::duration),
    }
}

fn foxglove(section: &Section<'_>) -> FoxgloveSettings {
    let listen: Option<SocketAddr> = section.optional("listen", parse::address_or_off).flatten();
    let allow_remote = section.value::<String>("allow_remote", parse::word) == "on";
    if let (Some(address), false, Some(node)) = (listen, allow_remote, section.node("listen"))
        && !address.ip().is_loopback()
    {
        let expected = "a loopback address such as 127.0.0.1:8765; there are no logins, so for any \
                        other one say foxglove.allow_remote = \"on\"";
        section.refuse("listen", node, expected);
    }
    FoxgloveSettings {
        listen,
        allow_remote,
        origins: section.optional("origins", parse::origins).unwrap_or_default(),
        // The key's own bounds keep it far from overflow.
        clients_max: usize::try_from(section.value("clients_max", parse::whole))
            .unwrap_or_default(),
        queue_size: section.value("queue_size", parse::size),
    }
}

fn alerts(section: &Section<'_>) -> AlertSettings {
    // The keys' own bounds keep these far from overflow.
    let whole = |key| u32::try_from(section.value(key, parse::whole)).unwrap_or_default();
    AlertSettings {
        silent_turns: whole("silent_turns"),
        stuck_turns: whole("stuck_turns"),
        margin_share: section.value("margin_share", parse::share),
        storm_errors: whole("storm_errors"),
        storm_turns: whole("storm_turns"),
    }
}

fn log(section: &Section<'_>) -> LogSettings {
    let format: String = section.value("format", parse::word);
    LogSettings {
        filter: section.value("filter", parse::log_filter),
        format: match format.as_str() {
            "pretty" => LogFormat::Pretty,
            "json" => LogFormat::Json,
            "journald" => LogFormat::Journald,
            _ => LogFormat::Auto,
        },
        // The key's own bounds keep it far from overflow.
        lines_max: u32::try_from(section.value("lines_max", parse::whole)).unwrap_or_default(),
    }
}
