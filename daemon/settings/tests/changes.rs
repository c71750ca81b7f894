//! The differences that a reload finds, and what happens with each key.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use phalanx_settings::{
    Change, Environment, GameKeys, KEYS, Kind, SettingDifference, Settings, Sources, change,
    differences, load, unchanged,
};
use std::path::Path;

const GAMES: &[GameKeys] = &[
    GameKeys {
        name: "assemble",
        options: &[phalanx_settings::KeyDoc {
            path: "id",
            kind: Kind::Secret,
            default: None,
            example: "",
            doc: "",
        }],
    },
    GameKeys { name: "mars", options: &[] },
];

const BASE: &str = r#"
[[teams]]
name = "A"
game = "assemble"
strategy = "scripts/assemble"
agents = [{ name = "a1", password = "one" }, { name = "a2", password = "two" }]
"#;

/// A new value for each key outside of teams.
const VALUES: &[(&str, &str)] = &[
    ("state_dir", "\"/var/other\""),
    ("control.socket", "\"/run/other.sock\""),
    ("control.socket_mode", "\"0600\""),
    ("control.socket_group", "\"others\""),
    ("control.tcp", "\"127.0.0.1:7999\""),
    ("control.loopback_role", "\"none\""),
    ("control.tokens", "\"/var/tokens.json\""),
    ("control.origins", "[\"https://d.example\"]"),
    ("control.hosts", "[\"phalanx.lan\"]"),
    ("control.move_hosts", "[\"10.0.0.5\", \"*.d.example:1\"]"),
    ("control.metrics_open", "\"on\""),
    ("control.page", "\"off\""),
    ("control.stay", "\"always\""),
    ("control.tls.certificate", "\"/etc/other.pem\""),
    ("control.tls.key", "\"/etc/other.key\""),
    ("control.tls.client_ca", "\"/etc/clients.pem\""),
    ("bridge.socket", "\"/run/bridge.sock\""),
    ("bridge.socket_mode", "\"0660\""),
    ("limits.decide_max", "\"99ms\""),
    ("limits.plan_max", "\"99ms\""),
    ("limits.straggler_share", "0.5"),
    ("limits.straggler_max", "\"99ms\""),
    ("limits.margin_min", "\"99ms\""),
    ("limits.margin_max", "\"999ms\""),
    ("limits.script_memory", "\"99MiB\""),
    ("limits.connect_timeout", "\"99ms\""),
    ("limits.login_timeout", "\"99ms\""),
    ("limits.reconnect_min", "\"99ms\""),
    ("limits.reconnect_max", "\"9s\""),
    ("limits.reconnect_refused", "\"9s\""),
    ("limits.drain_max", "\"9s\""),
    ("reload.watch", "\"off\""),
    ("reload.tuned", "\"off\""),
    ("reload.settle", "\"99ms\""),
    ("reload.poll", "\"99ms\""),
    ("reload.keep", "9"),
    ("reload.trial_max", "\"9s\""),
    ("reload.rehearsal_turns", "9"),
    ("reload.probation_decisions", "9"),
    ("reload.probation_errors", "9"),
    ("checkpoints.write", "\"off\""),
    ("checkpoints.interval", "\"99ms\""),
    ("checkpoints.sync_every", "9"),
    ("checkpoints.age_max", "\"9s\""),
    ("checkpoints.hand_over", "\"off\""),
    ("recordings.mode", "\"flight\""),
    ("recordings.folder", "\"/elsewhere\""),
    ("recordings.part_size", "\"9MiB\""),
    ("recordings.flush_every", "\"9s\""),
    ("recordings.sync", "\"on\""),
    ("recordings.queue_entries", "999"),
    ("recordings.queue_size", "\"9MiB\""),
    ("recordings.retry_after", "\"9s\""),
    ("recordings.keep_size", "\"9MiB\""),
    ("recordings.keep_age", "\"9m\""),
    ("recordings.flight_size", "\"9MiB\""),
    ("recordings.flight_pause", "\"9s\""),
    ("foxglove.listen", "\"127.0.0.1:7998\""),
    ("foxglove.allow_remote", "\"on\""),
    ("foxglove.origins", "[\"https://d.example\"]"),
    ("foxglove.clients_max", "9"),
    ("foxglove.queue_size", "\"9MiB\""),
    ("games.path", "\"/srv/games\""),
    ("lab.path", "\"/srv/lab\""),
    ("lab.nats", "\"nats://other:4222\""),
    ("lab.nats_user", "\"you\""),
    ("lab.nats_password_file", "\"/etc/other\""),
    ("lab.nats_ca", "\"/etc/other-ca.pem\""),
    ("lab.nats_certificate", "\"/etc/other.pem\""),
    ("lab.nats_key", "\"/etc/other.key\""),
    ("alerts.silent_turns", "9"),
    ("alerts.stuck_turns", "9"),
    ("alerts.margin_share", "0.9"),
    ("alerts.storm_errors", "9"),
    ("alerts.storm_turns", "9"),
    ("log.filter", "\"debug\""),
    ("log.format", "\"json\""),
    ("log.lines_max", "9"),
    ("otel.endpoint", "\"http://127.0.0.1:4318\""),
];

#[test]
fn every_key_outside_of_teams_is_noticed_under_its_name() {
    let keys = KEYS.iter().map(|doc| doc.path).filter(|path| !path.starts_with("teams"));
    let listed: Vec<_> = VALUES.iter().map(|(key, _)| *key).collect();
    assert_eq!(listed, keys.collect::<Vec<_>>(), "give a new key a new value here");
    // Certificates and credentials come in pairs.
    let pairs = [
        ("control.tls.certificate", "\"/etc/a.pem\""),
        ("control.tls.key", "\"/etc/a.key\""),
        ("lab.nats", "\"nats://lab1:4222\""),
        ("lab.nats_user", "\"me\""),
        ("lab.nats_password_file", "\"/etc/password\""),
        ("lab.nats_certificate", "\"/etc/b.pem\""),
        ("lab.nats_key", "\"/etc/b.key\""),
    ];
    let file = |values: &[(&str, &str)]| {
        let lines = values.iter().map(|(key, value)| format!("{key} = {value}\n"));
        settings(&format!("{}{BASE}", lines.collect::<String>()))
    };
    let old = file(&pairs);
    for (key, value) in VALUES {
        let mut values: Vec<_> = pairs.iter().copied().filter(|(known, _)| known != key).collect();
        values.push((key, value));
        let new = file(&values);
        let found = differences(&old, &new);
        let told: Vec<_> = found.iter().map(|one| one.key.as_str()).collect();
        let expected: &[&str] = match *key {
            // The bridge's socket is beside the control API's.
            "control.socket" => &["control.socket", "bridge.socket"],
            // Recordings are in the state folder.
            "state_dir" => &["state_dir", "recordings.folder"],
            key => &[key],
        };
        assert_eq!(told, expected);
        assert_eq!(found.first().map(|one| one.change), change(key));
        assert!(found.iter().all(|one| one.before != one.after), "{found:?}");
        assert_eq!(unchanged(&old, &new), unchanged(&old, &old) - expected.len());
    }
}

#[test]
fn the_same_settings_have_no_difference() {
    let old = settings(BASE);
    assert_eq!(differences(&old, &old), []);
}

#[test]
fn a_teams_keys_are_noticed_under_its_name() {
    let old = settings(BASE);
    for (from, to, told, live) in [
        ("\"assemble\"\ns", "\"mars\"\ns", "teams[A].game: assemble → mars", false),
        (
            "name = \"A\"",
            "server = \"h:1\"\nname = \"A\"",
            "teams[A].server: 127.0.0.1:12300 → h:1",
            true,
        ),
        (
            "scripts/assemble",
            "other",
            "teams[A].strategy: \"/x/scripts/assemble\" → \"/x/other\"",
            true,
        ),
        ("name = \"A\"", "seed = 7\nname = \"A\"", "teams[A].seed: 0 → 7", false),
        ("name = \"A\"", "deadline = \"9s\"\nname = \"A\"", "teams[A].deadline: 4s → 9s", false),
        (
            "name = \"A\"",
            "params = { greed = 2.5, calm = true }\nname = \"A\"",
            "teams[A].params: calm = true, greed = 2.5 is new",
            false,
        ),
        ("name = \"A\"", "options = { id = \"hush\" }\nname = \"A\"", "teams[A].options", false),
        (
            "name = \"A\"",
            "role = \"scout\"\nname = \"A\"",
            "teams[A].agents[a1].role: worker → scout",
            true,
        ),
        ("\"one\" }", "\"hush\" }", "teams[A].agents[a1].password", true),
        ("\"one\" }", "\"one\", user = \"u\" }", "teams[A].agents[a1].user: a1 → u", false),
        (", { name = \"a2\", password = \"two\" }", "", "teams[A].agents: a2 is gone", true),
        ("[{", "[{ name = \"a3\" }, {", "teams[A].agents: a3 is new", true),
    ] {
        let text = BASE.replacen(from, to, 1);
        assert_ne!(text, BASE, "{from}");
        let found = differences(&old, &settings(&text));
        let first = found.first().map(ToString::to_string);
        assert_eq!(first.as_deref(), Some(told));
        let is_live = |one: &SettingDifference| one.change == Change::Live;
        assert!(found.iter().all(|one| is_live(one) == live), "{found:?}");
        let said = format!("{found:?}");
        assert!(!said.contains("hush"), "{said}");
    }
}

#[test]
fn more_matches_at_once_are_more_teams() {
    let text = BASE.replace("name = \"A\"", "server = \"bridge\"\nmatches = 2\nname = \"A\"");
    let old = settings(&text);
    let names: Vec<_> = old.teams.iter().map(|team| (&*team.name, team.bridge_name())).collect();
    assert_eq!(names, [("A", "A"), ("A~2", "A")]);
    assert_eq!(old.teams[0].agents.len(), old.teams[1].agents.len());
    let found = differences(&old, &settings(&text.replace("matches = 2", "matches = 3")));
    let told: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["teams[A].matches: 2 → 3", "teams[A~2].matches: 2 → 3", "teams: A~3 is new"]);
    assert!(found.iter().all(|one| one.change != Change::Live), "{found:?}");
}

#[test]
fn a_team_with_another_name_is_another_team() {
    let old = settings(BASE);
    let found = differences(&old, &settings(&BASE.replace("\"A\"", "\"B\"")));
    let told: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["teams: A is gone", "teams: B is new"]);
}

fn settings(text: &str) -> Settings {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("phalanx.toml");
    std::fs::write(&file, text).unwrap();
    let environment: Environment = [("HOME", "/home/u")].into_iter().collect();
    let sources = Sources { file: &file, environment: &environment, overrides: &[], games: GAMES };
    let mut settings = load(&sources).unwrap();
    for team in &mut settings.teams {
        // Test folders differ, but that does not count.
        let inside = team.strategy.strip_prefix(folder.path()).unwrap().to_owned();
        team.strategy = Path::new("/x").join(inside);
    }
    settings
}
