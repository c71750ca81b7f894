//! What is other in new settings: by key, as people read it, and never a secret.

use crate::change::{Change, change};
use crate::{
    AgentSettings, AlertSettings, BridgeSettings, CheckpointSettings, ControlSettings,
    FoxgloveSettings, HostPattern, LimitSettings, LogSettings, RecordingSettings, ReloadSettings,
    Settings, TeamSettings, TlsSettings,
};
use secrecy::ExposeSecret;
use std::fmt::{self, Debug};
use std::path::PathBuf;

/// A key whose value is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which: `limits.decide_max`, `teams[A].server`, `teams[A].agents[agentA1].role`.
    pub key: String,
    /// The value that counts, as people read it; empty where there is none, or where it is secret.
    pub before: String,
    /// The new one, likewise.
    pub after: String,
    /// What becomes of it.
    pub change: Change,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, before, after, .. } = self;
        match (before.as_str(), after.as_str()) {
            ("", "") => f.write_str(key),
            (before, "") => write!(f, "{key}: {before} is gone"),
            ("", after) => write!(f, "{key}: {after} is new"),
            (before, after) => write!(f, "{key}: {before} → {after}"),
        }
    }
}

/// Every key whose value is another one in `new`, in the order of the keys; agents and teams go by
/// their names.
#[must_use]
pub fn differences(old: &Settings, new: &Settings) -> Vec<Difference> {
    let mut all = Vec::new();
    for ((key, before), (_, after)) in values(old).into_iter().zip(values(new)) {
        if before != after {
            note(&mut all, key.to_owned(), key, before, after);
        }
    }
    let named =
        |teams: &[TeamSettings], name: &str| teams.iter().find(|team| team.name == name).cloned();
    for team in &old.teams {
        match named(&new.teams, &team.name) {
            Some(after) => in_team(&mut all, team, &after),
            None => {
                note(&mut all, "teams".into(), "teams[].name", team.name.clone(), String::new())
            }
        }
    }
    for team in &new.teams {
        if named(&old.teams, &team.name).is_none() {
            note(&mut all, "teams".into(), "teams[].name", String::new(), team.name.clone());
        }
    }
    all
}

/// How many values of the settings are as they were: those outside of teams, and for each team
/// that stays those of its own.
#[must_use]
pub fn unchanged(old: &Settings, new: &Settings) -> usize {
    let outside = values(old).iter().zip(values(new)).filter(|(old, new)| *old == new).count();
    let teams = old.teams.iter().filter_map(|team| {
        let after = new.teams.iter().find(|after| after.name == team.name)?;
        let options = usize::from(team.options == after.options);
        Some(options + own(team).iter().zip(own(after)).filter(|(old, new)| *old == new).count())
    });
    outside + teams.sum::<usize>()
}

fn note(all: &mut Vec<Difference>, key: String, path: &'static str, before: String, after: String) {
    // A key without a decision does not pass its test.
    let change = change(path).unwrap_or(Change::Restart("is not known"));
    all.push(Difference { key, before, after, change });
}

fn shown(value: &impl Debug) -> String {
    format!("{value:?}")
}

fn on_or_off(value: bool) -> String {
    if value { "on" } else { "off" }.to_owned()
}

fn all_hosts(hosts: &[HostPattern]) -> String {
    shown(&hosts.iter().map(ToString::to_string).collect::<Vec<_>>())
}

fn or_none(value: Option<&impl Debug>) -> String {
    value.map_or_else(|| "none".to_owned(), shown)
}

/// The values outside of teams, by key. Every field stands here, or this does not compile.
fn values(settings: &Settings) -> Vec<(&'static str, String)> {
    let Settings {
        state_dir,
        control,
        bridge,
        limits,
        reload,
        checkpoints,
        recordings,
        foxglove,
        alerts,
        log,
        otel_endpoint,
        teams: _,
    } = settings;
    let mut all = vec![("state_dir", or_none(state_dir.as_ref()))];
    all.extend(of_control(control));
    let BridgeSettings { socket, socket_mode } = bridge;
    all.push(("bridge.socket", or_none(socket.as_ref())));
    all.push(("bridge.socket_mode", format!("{socket_mode:04o}")));
    all.extend(of_limits(limits));
    all.extend(of_reload(reload));
    let CheckpointSettings { write, interval, sync_every, age_max, hand_over } = checkpoints;
    all.push(("checkpoints.write", on_or_off(*write)));
    all.push(("checkpoints.interval", shown(interval)));
    all.push(("checkpoints.sync_every", shown(sync_every)));
    all.push(("checkpoints.age_max", shown(age_max)));
    all.push(("checkpoints.hand_over", on_or_off(*hand_over)));
    all.extend(of_recordings(recordings));
    all.extend(of_foxglove(foxglove));
    let AlertSettings { silent_turns, stuck_turns, margin_share, storm_errors, storm_turns } =
        alerts;
    all.push(("alerts.silent_turns", shown(silent_turns)));
    all.push(("alerts.stuck_turns", shown(stuck_turns)));
    all.push(("alerts.margin_share", shown(margin_share)));
    all.push(("alerts.storm_errors", shown(storm_errors)));
    all.push(("alerts.storm_turns", shown(storm_turns)));
    let LogSettings { filter, format, lines_max } = log;
    all.push(("log.filter", filter.clone()));
    all.push(("log.format", shown(format).to_lowercase()));
    all.push(("log.lines_max", shown(lines_max)));
    all.push(("otel.endpoint", or_none(otel_endpoint.as_ref())));
    all
}

fn of_control(control: &ControlSettings) -> Vec<(&'static str, String)> {
    let ControlSettings {
        socket,
        socket_mode,
        socket_group,
        tcp,
        loopback_role,
        tokens,
        origins,
        hosts,
        move_hosts,
        metrics_open,
        page,
        stay,
        tls,
    } = control;
    let file = |pick: fn(&TlsSettings) -> Option<&PathBuf>| or_none(tls.as_ref().and_then(pick));
    vec![
        ("control.socket", or_none(socket.as_ref())),
        ("control.socket_mode", format!("{socket_mode:04o}")),
        ("control.socket_group", or_none(socket_group.as_ref())),
        ("control.tcp", or_none(tcp.as_ref())),
        ("control.loopback_role", loopback_role.clone()),
        ("control.tokens", or_none(tokens.as_ref())),
        ("control.origins", shown(origins)),
        ("control.hosts", all_hosts(hosts)),
        ("control.move_hosts", all_hosts(move_hosts)),
        ("control.metrics_open", on_or_off(*metrics_open)),
        ("control.page", on_or_off(*page)),
        ("control.stay", if *stay { "always" } else { "auto" }.to_owned()),
        ("control.tls.certificate", file(|tls| Some(&tls.certificate))),
        ("control.tls.key", file(|tls| Some(&tls.key))),
        ("control.tls.client_ca", file(|tls| tls.client_ca.as_ref())),
    ]
}

fn of_limits(limits: &LimitSettings) -> Vec<(&'static str, String)> {
    let LimitSettings {
        decide_max,
        plan_max,
        straggler_share,
        straggler_max,
        margin_min,
        margin_max,
        script_memory,
        connect_timeout,
        login_timeout,
        reconnect_min,
        reconnect_max,
        reconnect_refused,
        drain_max,
    } = limits;
    vec![
        ("limits.decide_max", shown(decide_max)),
        ("limits.plan_max", shown(plan_max)),
        ("limits.straggler_share", shown(straggler_share)),
        ("limits.straggler_max", shown(straggler_max)),
        ("limits.margin_min", shown(margin_min)),
        ("limits.margin_max", shown(margin_max)),
        ("limits.script_memory", format!("{script_memory} bytes")),
        ("limits.connect_timeout", shown(connect_timeout)),
        ("limits.login_timeout", shown(login_timeout)),
        ("limits.reconnect_min", shown(reconnect_min)),
        ("limits.reconnect_max", shown(reconnect_max)),
        ("limits.reconnect_refused", shown(reconnect_refused)),
        ("limits.drain_max", shown(drain_max)),
    ]
}

fn of_reload(reload: &ReloadSettings) -> Vec<(&'static str, String)> {
    let ReloadSettings {
        watch,
        settle,
        poll,
        keep,
        trial_max,
        rehearsal_turns,
        probation_decisions,
        probation_errors,
    } = reload;
    vec![
        ("reload.watch", on_or_off(*watch)),
        ("reload.settle", shown(settle)),
        ("reload.poll", shown(poll)),
        ("reload.keep", shown(keep)),
        ("reload.trial_max", shown(trial_max)),
        ("reload.rehearsal_turns", shown(rehearsal_turns)),
        ("reload.probation_decisions", shown(probation_decisions)),
        ("reload.probation_errors", shown(probation_errors)),
    ]
}

fn of_recordings(recordings: &RecordingSettings) -> Vec<(&'static str, String)> {
    let RecordingSettings {
        mode,
        folder,
        part_size,
        flush_every,
        sync,
        queue_entries,
        queue_size,
        retry_after,
        keep_size,
        keep_age,
        flight_size,
        flight_pause,
    } = recordings;
    vec![
        ("recordings.mode", shown(mode).to_lowercase()),
        ("recordings.folder", or_none(folder.as_ref())),
        ("recordings.part_size", format!("{part_size} bytes")),
        ("recordings.flush_every", shown(flush_every)),
        ("recordings.sync", on_or_off(*sync)),
        ("recordings.queue_entries", shown(queue_entries)),
        ("recordings.queue_size", format!("{queue_size} bytes")),
        ("recordings.retry_after", shown(retry_after)),
        ("recordings.keep_size", format!("{keep_size} bytes")),
        ("recordings.keep_age", shown(keep_age)),
        ("recordings.flight_size", format!("{flight_size} bytes")),
        ("recordings.flight_pause", shown(flight_pause)),
    ]
}

fn of_foxglove(foxglove: &FoxgloveSettings) -> Vec<(&'static str, String)> {
    let FoxgloveSettings { listen, allow_remote, origins, clients_max, queue_size } = foxglove;
    vec![
        ("foxglove.listen", or_none(listen.as_ref())),
        ("foxglove.allow_remote", on_or_off(*allow_remote)),
        ("foxglove.origins", shown(origins)),
        ("foxglove.clients_max", shown(clients_max)),
        ("foxglove.queue_size", format!("{queue_size} bytes")),
    ]
}

/// A team's own values, those of its agents apart, and its options, which may be secret.
fn own(team: &TeamSettings) -> Vec<(&'static str, String)> {
    let TeamSettings { game, server, matches, strategy, seed, deadline, .. } = team;
    let TeamSettings { name: _, instance_of: _, agents: _, options: _, .. } = team;
    vec![
        ("game", game.clone()),
        ("server", server.clone()),
        ("matches", shown(matches)),
        ("strategy", shown(strategy)),
        ("seed", shown(seed)),
        ("deadline", shown(deadline)),
    ]
}

fn in_team(all: &mut Vec<Difference>, old: &TeamSettings, new: &TeamSettings) {
    let team = &old.name;
    for ((key, before), (_, after)) in own(old).into_iter().zip(own(new)) {
        if before == after {
            continue;
        }
        let (path, before, after) = match key {
            "game" => ("teams[].game", before, after),
            "server" => ("teams[].server", before, after),
            "matches" => ("teams[].matches", before, after),
            "strategy" => ("teams[].strategy", before, after),
            "seed" => ("teams[].seed", before, after),
            _ => ("teams[].deadline", before, after),
        };
        note(all, format!("teams[{team}].{key}"), path, before, after);
    }
    if old.options != new.options {
        // Some of them are secret.
        let (key, none) = (format!("teams[{team}].options"), String::new);
        note(all, key, "teams[].options", none(), none());
    }
    let named = |agents: &[AgentSettings], name: &str| {
        agents.iter().find(|agent| agent.name == name).cloned()
    };
    let agents = format!("teams[{team}].agents");
    for agent in &old.agents {
        let name = agent.name.clone();
        match named(&new.agents, &name) {
            Some(after) => in_agent(all, &format!("{agents}[{name}]"), agent, &after),
            None => note(all, agents.clone(), "teams[].agents", name, String::new()),
        }
    }
    for agent in &new.agents {
        if named(&old.agents, &agent.name).is_none() {
            let name = agent.name.clone();
            note(all, agents.clone(), "teams[].agents", String::new(), name);
        }
    }
}

fn in_agent(all: &mut Vec<Difference>, key: &str, old: &AgentSettings, new: &AgentSettings) {
    let AgentSettings { name: _, user, password, role } = old;
    if *user != new.user {
        let (before, after) = (user.clone(), new.user.clone());
        note(all, format!("{key}.user"), "teams[].agents[].user", before, after);
    }
    if *role != new.role {
        let (before, after) = (role.clone(), new.role.clone());
        note(all, format!("{key}.role"), "teams[].agents[].role", before, after);
    }
    if password.expose_secret() != new.password.expose_secret() {
        let (path, none) = ("teams[].agents[].password", String::new);
        note(all, format!("{key}.password"), path, none(), none());
    }
}
