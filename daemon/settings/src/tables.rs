//! Sections whose every key is one value: each line declares key, type, bounds, default, example,
//! what a reload does with it, and documentation. Everything else is made of these lines.

use crate::change::{BOUND, Change, KEPT, OPEN, RECORDED, SCRIPTS, SEATS};
use crate::key::{DAY, GIB, KIB, Kind, MIB, MINUTE, TIB};
use crate::parse::word;
use crate::setting::{SettingsTable as _, setting_values, settings_table, shown};
use Change::{Live, Restart};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

settings_table! {
    /// Bounds on time and memory; each key of `[limits]`.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct LimitSettings = "limits" {
        decide_max: Duration, Kind::Duration(1, MINUTE), Some("250ms"), "\"250ms\"", Live,
            "Longest time for one call of decide, however much time is left.";
        plan_max: Duration, Kind::Duration(1, MINUTE), Some("500ms"), "\"500ms\"", Live,
            "Longest time for plan in a turn.";
        straggler_share: f64, Kind::Share, Some("0.25"), "0.25", Live,
            "Share of a turn's time, 0 to 1, that the team waits for missing percepts.";
        straggler_max: Duration, Kind::Duration(0, MINUTE), Some("500ms"), "\"500ms\"", Live,
            "Longest wait for missing percepts, however long the turn is.";
        margin_min: Duration, Kind::Duration(0, MINUTE), Some("100ms"), "\"100ms\"", Restart(SEATS),
            "An action leaves at least this long before the referee's deadline.";
        margin_max: Duration, Kind::Duration(0, MINUTE), Some("1500ms"), "\"1500ms\"", Restart(SEATS),
            "Largest margin. The margin grows up to this when the network is slow.";
        script_memory: usize, Kind::Size(MIB, 16 * 1024 * MIB), Some("64MiB"), "\"64MiB\"", Restart(SCRIPTS),
            "Memory for all scripts of one team.";
        connect_timeout: Duration, Kind::Duration(1, MINUTE), Some("5s"), "\"5s\"", Restart(SEATS),
            "Longest time for one attempt to connect, including name resolution.";
        login_timeout: Duration, Kind::Duration(1, MINUTE), Some("10s"), "\"10s\"", Restart(SEATS),
            "Longest time from an open connection to the accepted login.";
        reconnect_min: Duration, Kind::Duration(1, MINUTE), Some("200ms"), "\"200ms\"", Restart(SEATS),
            "Longest wait after the first failed connection attempt; doubles with each further \
             one.";
        reconnect_max: Duration, Kind::Duration(1, 60 * MINUTE), Some("5s"), "\"5s\"", Restart(SEATS),
            "Longest wait between two connection attempts.";
        reconnect_refused: Duration, Kind::Duration(1, 60 * MINUTE), Some("1m"), "\"1m\"", Restart(SEATS),
            "Longest wait after the referee refused a login.";
        drain_max: Duration, Kind::Duration(0, 10 * MINUTE), Some("5s"), "\"5s\"", Live,
            "Time to answer open turns and log out after a signal to stop.";
    }
}

settings_table! {
    /// How strategies change while they play; each key of `[reload]`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ReloadSettings = "reload" {
        watch: bool, Kind::Word(&["on", "off"]), Some("on"), "\"off\"", Live,
            "on: changed files in a strategy's folder are tried and then play without a \
             command. off: only SIGHUP and the control API change a strategy.";
        tuned: bool, Kind::Word(&["on", "off"]), Some("on"), "\"off\"", Restart(SCRIPTS),
            "on: the values in a strategy's `tuned.toml` replace the defaults of its parameters. \
             off: that file is ignored, as with `phalanxd --no-tuned`.";
        settle: Duration, Kind::Duration(0, MINUTE), Some("300ms"), "\"300ms\"", Live,
            "Time without a further change before changed files are read.";
        poll: Duration, Kind::Duration(10, 10 * MINUTE), Some("2s"), "\"2s\"", Live,
            "How often the folder is scanned in addition, since some file systems report no \
             changes.";
        keep: usize, Kind::Whole(2, 1000), Some("20"), "20", Live,
            "Generations that are kept for each team, to inspect and to roll back to.";
        trial_max: Duration, Kind::Duration(100, 10 * MINUTE), Some("30s"), "\"30s\"", Live,
            "Longest time for a whole trial: lint, specs, rehearsal.";
        rehearsal_turns: usize, Kind::Whole(0, 20), Some("3"), "3", Live,
            "Number of last turns that are kept in memory for the rehearsals of trials. 0: \
             none.";
        probation_decisions: u32, Kind::Whole(0, 1_000_000), Some("1000"), "1000", Live,
            "Number of first decisions of a new generation that are on probation, all agents \
             together. 0: none.";
        probation_errors: u32, Kind::Whole(0, 1_000_000), Some("10"), "10", Live,
            "More script errors and fallbacks than this in probation roll the generation \
             back.";
    }
}

settings_table! {
    /// What outlives the daemon of each team; each key of `[checkpoints]`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CheckpointSettings = "checkpoints" {
        write: bool, Kind::Word(&["on", "off"]), Some("on"), "\"on\"", Restart(KEPT),
            "on: the state of each team (world, board, memories, changes by operators) is \
             written to state_dir between turns. A daemon that starts in the middle of a match \
             reads it again. Without state_dir, checkpoints are kept in memory, in case the \
             team's thread fails.";
        interval: Duration, Kind::Duration(0, 10 * MINUTE), Some("100ms"), "\"100ms\"", Restart(KEPT),
            "Shortest time between two checkpoints of a team. The time is longer when \
             checkpoints are expensive: they never take more than 2 % of a team's time.";
        sync_every: u32, Kind::Whole(0, 100_000), Some("10"), "10", Restart(KEPT),
            "One checkpoint in this many is forced onto the disk (fsync), in case the whole \
             machine fails. 1: each; 0: none.";
        age_max: Duration, Kind::Duration(1_000, 7 * 24 * 60 * MINUTE), Some("1h"), "\"1h\"", Restart("is only used when the daemon starts"),
            "Older checkpoints are set aside when the daemon starts: their match must be over.";
        hand_over: bool, Kind::Word(&["on", "off"]), Some("on"), "\"on\"", Restart(KEPT),
            "on: when the service manager stops the daemon, the daemon answers open turns and \
             stores its connections with the manager. After a restart the next daemon continues \
             on them, and referees notice nothing. This works for Agents Assemble and Mars; \
             other games connect again. It needs state_dir, checkpoints and \
             FileDescriptorStoreMax= in the unit.";
    }
}

settings_table! {
    /// What is recorded of each team; each key of `[recordings]`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RecordingSettings = "recordings" {
        mode: RecordingMode, Kind::Word(&["file", "flight", "off"]), Some("file"), "\"flight\"", Restart(RECORDED),
            "file: everything that happens in a team is written to a file, and the team's \
             decisions can be computed again from it. flight: only the most recent part is \
             kept, in memory. It is written when something goes wrong (an alert, a turn without \
             an answer, a seat that loses its referee, a team's thread that fails) and by \
             `phalanx recording dump`. off: no recordings.";
        folder: Option<PathBuf>, Kind::Path, None, "\"/var/lib/phalanx/recordings\"", Restart(OPEN),
            "Folder of the recordings. Default: recordings in state_dir. Without state_dir, \
             nothing is recorded.";
        part_size: u64, Kind::Size(MIB, TIB), Some("1GiB"), "\"256MiB\"", Restart(RECORDED),
            "A recording continues in another file from this size on.";
        flush_every: Duration, Kind::Duration(100, MINUTE), Some("2s"), "\"2s\"", Restart(RECORDED),
            "Longest time until an entry is in the file: the most that a crash can lose. Longer \
             times make smaller files.";
        sync: bool, Kind::Word(&["on", "off"]), Some("off"), "\"on\"", Restart(RECORDED),
            "on: each piece is forced onto the disk (fsync), in case the whole machine fails.";
        queue_entries: usize, Kind::Whole(256, 1_000_000), Some("16384"), "16384", Restart(RECORDED),
            "Most entries of a team that wait for a slow disk. Further ones are dropped: \
             pictures, board and percepts first, bytes and decisions last.";
        queue_size: usize, Kind::Size(MIB, 4 * GIB), Some("32MiB"), "\"32MiB\"", Restart(RECORDED),
            "Memory for these entries, for each team.";
        retry_after: Duration, Kind::Duration(100, 60 * MINUTE), Some("10s"), "\"10s\"", Restart(RECORDED),
            "Time after which a failed disk is tried again.";
        keep_size: u64, Kind::Size(MIB, 1024 * TIB), Some("20GiB"), "\"20GiB\"", Live,
            "Largest size of all recordings together, including those of running matches. The \
             oldest ones are deleted at the start, during a match and after it. A recording \
             that is being written is never deleted.";
        keep_age: Duration, Kind::Duration(MINUTE, 3650 * DAY), Some("30days"), "\"30days\"", Live,
            "Recordings whose last write is longer ago than this are deleted at the same times.";
        flight_size: usize, Kind::Size(MIB, 4 * GIB), Some("32MiB"), "\"32MiB\"", Restart(RECORDED),
            "With mode flight: memory for the most recent entries, for each team.";
        flight_pause: Duration, Kind::Duration(1_000, DAY), Some("1m"), "\"1m\"", Live,
            "With mode flight: shortest time between two files of a team that are written \
             because something went wrong.";
    }
}

settings_table! {
    /// Where Foxglove sees what happens; each key of `[foxglove]`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct FoxgloveSettings = "foxglove" {
        listen: Option<SocketAddr>, Kind::AddressOrOff, Some("off"), "\"127.0.0.1:8765\"", Restart(BOUND),
            "TCP address where Foxglove, or any client of its WebSocket protocol, follows the \
             channels of recordings live, or \"off\". It has no logins: every client that can \
             reach it sees everything except passwords, and can change nothing. Port 0 picks a \
             free port.";
        allow_remote: bool, Kind::Word(&["on", "off"]), Some("off"), "\"on\"", Restart(BOUND),
            "on: foxglove.listen may be an address that other machines reach. off: only loopback \
             addresses are accepted.";
        origins: Vec<String>, Kind::Origins, None, "[\"https://app.foxglove.dev\"]", Restart(BOUND),
            "Origins whose web pages may connect. Default: only those of this machine \
             (localhost). Programs that send no origin always may.";
        clients_max: usize, Kind::Whole(1, 1_000), Some("8"), "8", Restart(BOUND),
            "Most clients at once. A further client replaces one that subscribed to no channel or that \
             reads too slowly, or the newest one of an address with at least two clients more; if \
             there is none, it is refused.";
        queue_size: usize, Kind::Size(64 * KIB, 1024 * MIB), Some("16MiB"), "\"16MiB\"", Restart("is fixed for each connection"),
            "Memory for messages that wait for a client that reads too slowly. When it is full, \
             the oldest messages are dropped and the client gets their count; no team waits.";
    }
}

settings_table! {
    /// Games that are a folder; each key of `[games]`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct GameSettings = "games" {
        path: Option<PathBuf>, Kind::Path, None, "\"/srv/contest/games\"", Restart("is read when the daemon starts"),
            "A folder that holds games: a team with game = \"tron\" plays the game of the folder \
             tron in it. Games that a package installed are found without it.";
    }
}

settings_table! {
    /// Leagues, ladders and tune runs of other processes; each key of `[lab]`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct LabSettings = "lab" {
        path: Option<PathBuf>, Kind::Path, None, "\"/srv/contest/lab\"", Restart("is read when the daemon starts"),
            "A folder whose folders are leagues (phalanx league run --folder), ladders (phalanx \
             ladder) and tune runs (phalanx tune run --out), which other processes play, here or \
             on workers. The page, phalanx league and the metrics show them; the daemon changes \
             nothing there. The daemon's user must be allowed to read the folders.";
        nats: Option<String>, Kind::Text(300), None, "\"nats://lab1:4222\"", Restart("is read when the daemon starts"),
            "A NATS server that keeps ladders (kv:NAME), for example nats://host:4222, or \
             tls://host:4222. The page and the metrics show its ladders; the daemon changes nothing \
             there. While the server is away the page says so, and shows what was read before.";
        nats_user: Option<String>, Kind::Text(200), None, "\"coordinator\"", Restart("is read when the daemon starts"),
            "User at the NATS server, with lab.nats_password_file.";
        nats_password_file: Option<PathBuf>, Kind::Path, None, "\"/etc/phalanx/nats-password\"", Restart("is read when the daemon starts"),
            "File with that user's password.";
        nats_ca: Option<PathBuf>, Kind::Path, None, "\"/etc/phalanx/nats-ca.pem\"", Restart("is read when the daemon starts"),
            "Certificate authority of the NATS server's certificate, in PEM; connects with TLS only. \
             Without it: the system's authorities.";
        nats_certificate: Option<PathBuf>, Kind::Path, None, "\"/etc/phalanx/nats.pem\"", Restart("is read when the daemon starts"),
            "Client certificate for the NATS server, in PEM, with lab.nats_key.";
        nats_key: Option<PathBuf>, Kind::Path, None, "\"/etc/phalanx/nats.key\"", Restart("is read when the daemon starts"),
            "The key of that certificate, in PEM.";
    }
}

settings_table! {
    /// When somebody should look at a team; each key of `[alerts]`. A number of 0 turns an alert off.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct AlertSettings = "alerts" {
        silent_turns: u32, Kind::Whole(0, 10_000), Some("5"), "5", Live,
            "An agent is silent after this many turns without an action from its script or from \
             an operator, or when its seat was away for that time. 0: never.";
        stuck_turns: u32, Kind::Whole(0, 10_000), Some("5"), "5", Live,
            "An agent is stuck when the same action fails this many times in a row. 0: never.";
        margin_share: f64, Kind::Share, Some("0.1"), "0.1", Live,
            "The margin is too small when at least one answer in ten leaves with less than this \
             share of its time, 0 to 1. 0: never.";
        storm_errors: u32, Kind::Whole(0, 1_000_000), Some("20"), "20", Live,
            "This many script errors of a team within alerts.storm_turns are a storm. 0: never.";
        storm_turns: u32, Kind::Whole(1, 10_000), Some("10"), "10", Live,
            "See alerts.storm_errors.";
    }
}

settings_table! {
    /// What is logged, and how.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct LogSettings = "log" {
        filter: String, Kind::Filter, Some("info"), "\"info,phalanx_net=debug\"", Live,
            "Levels (off, error, warn, info, debug, trace), also per module: module=level, \
             separated by commas.";
        format: LogFormat, Kind::Word(&["auto", "pretty", "json", "journald"]), Some("auto"), "\"json\"", Restart("is fixed when the log starts"),
            "Format of a line. auto: fields for the journal under systemd, pretty on a \
             terminal, json elsewhere.";
        lines_max: u32, Kind::Whole(0, 1_000_000), Some("200"), "200", Restart("is fixed when the log starts"),
            "Most lines of one kind about one team within ten seconds; further ones are \
             counted, and one line reports the count. It does not apply to debug and trace. 0: \
             no limit.";
    }
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

setting_values! {
    RecordingMode: |node, kind| Ok(match word(node, kind)?.as_str() {
        "file" => Self::File,
        "flight" => Self::Flight,
        _ => Self::Off,
    }), |value, _| shown(value).to_lowercase();
    LogFormat: |node, kind| Ok(match word(node, kind)?.as_str() {
        "pretty" => Self::Pretty,
        "json" => Self::Json,
        "journald" => Self::Journald,
        _ => Self::Auto,
    }), |value, _| shown(value).to_lowercase();
}

impl Default for ReloadSettings {
    fn default() -> Self {
        Self::declared()
    }
}

impl Default for CheckpointSettings {
    fn default() -> Self {
        Self::declared()
    }
}

/// Nothing is recorded; the rest is as declared: for programs that read no file.
impl Default for RecordingSettings {
    fn default() -> Self {
        Self { mode: RecordingMode::Off, ..Self::declared() }
    }
}

impl Default for FoxgloveSettings {
    fn default() -> Self {
        Self::declared()
    }
}

impl Default for AlertSettings {
    fn default() -> Self {
        Self::declared()
    }
}
