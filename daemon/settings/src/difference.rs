//! What differs in new settings: by key, as text, and never a secret.

use crate::change::Change;
use crate::keys::change;
use crate::setting::{SettingsTable as _, on_or_off, or_none, shown};
use crate::{
    AgentSettings, BridgeSettings, ControlSettings, HostPattern, Settings, TeamSettings,
    TlsSettings,
};
use secrecy::ExposeSecret;
use std::fmt;
use std::path::PathBuf;

/// A key with a different value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingDifference {
    /// The key: `limits.decide_max`, `teams[A].server`, `teams[A].agents[agentA1].role`.
    pub key: String,
    /// The current value as text; empty if it is absent or secret.
    pub before: String,
    /// The new value as text, in the same way.
    pub after: String,
    /// What a reload does with it.
    pub change: Change,
}

impl fmt::Display for SettingDifference {
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

/// Every key with a different value in `new`, in the order of the keys; agents and teams are
/// matched by name.
#[must_use]
pub fn differences(old: &Settings, new: &Settings) -> Vec<SettingDifference> {
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

/// The number of values that are the same: those outside of teams, and for each remaining team its
/// own.
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

fn note(
    all: &mut Vec<SettingDifference>,
    key: String,
    path: &'static str,
    before: String,
    after: String,
) {
    // A test fails for a key without a decision.
    let change = change(path).unwrap_or(Change::Restart("is not known"));
    all.push(SettingDifference { key, before, after, change });
}

fn all_hosts(hosts: &[HostPattern]) -> String {
    shown(&hosts.iter().map(ToString::to_string).collect::<Vec<_>>())
}

/// The values outside of teams, by key. The patterns name every field, so a new field does not
/// compile until it is handled here.
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
        games,
        lab,
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
    all.extend(limits.values());
    all.extend(reload.values());
    all.extend(checkpoints.values());
    all.extend(recordings.values());
    all.extend(foxglove.values());
    all.extend(games.values());
    all.extend(lab.values());
    all.extend(alerts.values());
    all.extend(log.values());
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

/// A team's own values, without those of its agents, and without its options, which may be secret.
fn own(team: &TeamSettings) -> Vec<(&'static str, String)> {
    let TeamSettings { game, server, matches, strategy, seed, deadline, params, .. } = team;
    let params = params.iter().map(|(name, value)| format!("{name} = {value}"));
    let TeamSettings { name: _, instance_of: _, agents: _, options: _, .. } = team;
    vec![
        ("game", game.clone()),
        ("server", server.clone()),
        ("matches", shown(matches)),
        ("strategy", shown(strategy)),
        ("seed", shown(seed)),
        ("deadline", shown(deadline)),
        ("params", params.collect::<Vec<_>>().join(", ")),
    ]
}

fn in_team(all: &mut Vec<SettingDifference>, old: &TeamSettings, new: &TeamSettings) {
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
            "params" => ("teams[].params", before, after),
            _ => ("teams[].deadline", before, after),
        };
        note(all, format!("teams[{team}].{key}"), path, before, after);
    }
    if old.options != new.options {
        // Some of them may be secret.
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

fn in_agent(all: &mut Vec<SettingDifference>, key: &str, old: &AgentSettings, new: &AgentSettings) {
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
