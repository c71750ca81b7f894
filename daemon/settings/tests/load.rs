//! From files, drop-ins, environment and flags to settings.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use phalanx_settings::{
    AlertSettings, Environment, FoxgloveSettings, GameKeys, KeyDoc, Kind, LogFormat,
    ReloadSettings, Settings, SettingsErrors, Sources, load,
};
use secrecy::ExposeSecret;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The games that these tests know.
const GAMES: &[GameKeys] = &[
    GameKeys {
        name: "assemble",
        options: &[
            option("zones", Kind::Whole(1, 9)),
            option("pace", Kind::Duration(1, 1000)),
            option("id", Kind::Secret),
        ],
    },
    GameKeys { name: "mars", options: &[] },
];

const fn option(path: &'static str, kind: Kind) -> KeyDoc {
    KeyDoc { path, kind, default: None, example: "", doc: "" }
}

const SMALL: &str = r#"
[[teams]]
name = "A"
game = "assemble"
strategy = "scripts/assemble"
agents = { prefix = "agentA", count = 3, password = "1" }
"#;

#[test]
fn a_five_line_file_is_enough() {
    let folder = Folder::with(&[("phalanx.toml", SMALL)]);
    let settings = folder.load(&[], &[]).unwrap();
    let [team] = settings.teams.as_slice() else { panic!("one team") };
    let names: Vec<_> = team.agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["agentA1", "agentA2", "agentA3"]);
    assert!(team.agents.iter().all(|agent| agent.user == agent.name));
    assert!(team.agents.iter().all(|agent| agent.role == "worker"));
    assert!(team.agents.iter().all(|agent| agent.password.expose_secret() == "1"));
    assert_eq!(team.server, "127.0.0.1:12300");
    assert_eq!(team.strategy, folder.path().join("scripts/assemble"));
    assert_eq!(team.deadline, Duration::from_secs(4));
    assert_eq!(settings.limits.decide_max, Duration::from_millis(250));
    assert_eq!(settings.limits.script_memory, 64 << 20);
    assert_eq!(settings.log.format, LogFormat::Auto);
    assert_eq!(settings.control.tcp, None);
}

#[test]
fn reloading_is_watched_and_settled_unless_told_otherwise() {
    let folder = Folder::with(&[("phalanx.toml", SMALL)]);
    let reload = folder.load(&[], &[]).unwrap().reload;
    assert!(reload.watch);
    assert_eq!(reload.settle, Duration::from_millis(300));
    assert_eq!(reload, ReloadSettings::default(), "programs without a file get the same");
    let told = folder.load(&[], &["reload.watch=off", "reload.keep=7"]).unwrap().reload;
    assert_eq!((told.watch, told.keep), (false, 7));
}

#[test]
fn alerts_have_their_defaults_and_each_can_be_turned_off() {
    let folder = Folder::with(&[("phalanx.toml", SMALL)]);
    let alerts = folder.load(&[], &[]).unwrap().alerts;
    assert_eq!(alerts, AlertSettings::default(), "programs without a file get the same");
    let off = ["alerts.silent_turns=0", "alerts.margin_share=0", "alerts.storm_turns=30"];
    let told = folder.load(&[], &off).unwrap().alerts;
    assert_eq!((told.silent_turns, told.margin_share, told.storm_turns), (0, 0.0, 30));
    assert_eq!(told.stuck_turns, 5);
}

#[test]
fn foxglove_is_off_and_on_loopback_unless_both_are_said_otherwise() {
    let folder = Folder::with(&[("phalanx.toml", SMALL)]);
    let load = |overrides: &[&str]| folder.load(&[], overrides).map(|settings| settings.foxglove);
    assert_eq!(load(&[]).unwrap(), FoxgloveSettings::default());
    let local = load(&["foxglove.listen=localhost:8765"]).unwrap();
    assert_eq!(local.listen, Some("127.0.0.1:8765".parse().unwrap()));
    assert!(load(&["foxglove.listen=[::]:8765"]).is_err());
    let remote = load(&["foxglove.listen=[::]:8765", "foxglove.allow_remote=on"]).unwrap();
    assert_eq!(remote.listen, Some("[::]:8765".parse().unwrap()));
    assert!(remote.allow_remote);
}

#[test]
fn roster_and_seats_carry_what_a_session_needs() {
    let folder = Folder::with(&[("phalanx.toml", SMALL)]);
    let settings = folder.load(&[], &["limits.margin_min=80ms"]).unwrap();
    let team = settings.teams.first().unwrap();
    let roster = team.roster();
    assert_eq!((roster.team.as_str(), roster.agents.len()), ("A", 3));
    let seats = team.seats(&settings.limits);
    let last = seats.last().unwrap();
    assert_eq!((last.id.0, last.user.as_str(), last.password.as_str()), (2, "agentA3", "1"));
    assert_eq!(last.margin.min, Duration::from_millis(80));
    assert_eq!(last.turn_limit, Duration::from_secs(4));
}

#[test]
fn later_sources_win_file_drop_in_environment_flag() {
    let base = format!("{SMALL}seed = 1\n[limits]\nplan_max = \"1s\"\ndecide_max = \"1s\"\n");
    let folder = Folder::with(&[
        ("phalanx.toml", &base),
        ("phalanx.toml.d/10.toml", "[limits]\nplan_max = \"2s\"\nmargin_max = \"2s\""),
        ("phalanx.toml.d/20.toml", "[limits]\nmargin_max = \"3s\""),
        ("phalanx.toml.d/notes.txt", "not a drop-in"),
    ]);
    let environment = [("PHALANX__LIMITS__PLAN_MAX", "3s"), ("PHALANX__TEAMS__A__SEED", "8")];
    let settings = folder.load(&environment, &["limits.plan_max=4s", "teams[0].role=scout"]);
    let settings = settings.unwrap();
    assert_eq!(settings.limits.decide_max, Duration::from_secs(1));
    assert_eq!(settings.limits.margin_max, Duration::from_secs(3));
    assert_eq!(settings.limits.plan_max, Duration::from_secs(4));
    let team = settings.teams.first().unwrap();
    assert_eq!((team.seed, team.agents.first().unwrap().role.as_str()), (8, "scout"));
}

#[test]
fn a_drop_in_adds_a_team_or_changes_the_one_of_its_name() {
    let second = SMALL.replace("agentA", "agentB").replace("\"A\"", "\"B\"");
    let folder = Folder::with(&[
        ("phalanx.toml", SMALL),
        ("phalanx.toml.d/1.toml", &second),
        ("phalanx.toml.d/2.toml", "[[teams]]\nname = \"A\"\nserver = \"referee:12300\""),
    ]);
    let settings = folder.load(&[], &[]).unwrap();
    let teams: Vec<_> =
        settings.teams.iter().map(|team| (team.name.as_str(), team.server.as_str())).collect();
    assert_eq!(teams, [("A", "referee:12300"), ("B", "127.0.0.1:12300")]);
    let inside = folder.path().join("phalanx.toml.d/scripts/assemble");
    assert_eq!(settings.teams.last().unwrap().strategy, inside);
}

#[test]
fn roles_are_given_by_name_or_dealt_in_order() {
    let cases = [
        ("roles = { agentA3 = \"scout\" }", ["worker", "worker", "scout"]),
        ("role = \"x\"\nroles = { agentA1 = \"scout\" }", ["scout", "x", "x"]),
        ("roles = [{ role = \"scout\", count = 2 }]", ["scout", "scout", "worker"]),
        ("roles = [{ role = \"a\", count = 1 }, { role = \"b\", count = 2 }]", ["a", "b", "b"]),
    ];
    for (text, expected) in cases {
        let folder = Folder::with(&[("phalanx.toml", &format!("{SMALL}{text}"))]);
        let settings = folder.load(&[], &[]).unwrap();
        let agents = &settings.teams.first().unwrap().agents;
        let roles: Vec<_> = agents.iter().map(|agent| agent.role.as_str()).collect();
        assert_eq!(roles, expected, "{text}");
    }
}

#[test]
fn listed_agents_keep_their_order_and_own_accounts() {
    let text = r#"
        [[teams]]
        name = "A"
        game = "assemble"
        strategy = "/scripts"
        password = "shared"
        roles = [{ role = "scout", count = 1 }]
        agents = [
            { name = "zoe", user = "z-account", password = "own", role = "keeper" },
            { name = "adam" },
        ]
    "#;
    let folder = Folder::with(&[("phalanx.toml", text)]);
    let settings = folder.load(&[], &[]).unwrap();
    let agents = &settings.teams.first().unwrap().agents;
    let row = |index: usize| {
        let agent = agents.get(index).unwrap();
        (
            agent.name.as_str(),
            agent.user.as_str(),
            agent.password.expose_secret(),
            agent.role.as_str(),
        )
    };
    assert_eq!(row(0), ("zoe", "z-account", "own", "keeper"));
    assert_eq!(row(1), ("adam", "adam", "shared", "scout"));
}

#[test]
fn a_password_comes_from_a_file_or_a_credential_and_is_never_printed() {
    let cases = ["password_file = \"pw\"", "password_credential = \"agents\""];
    for how in cases {
        let text = SMALL.replace("password = \"1\"", how);
        let folder = Folder::with(&[
            ("phalanx.toml", &text),
            ("pw", "hunter2\n"),
            ("creds/agents", "hunter2"),
        ]);
        let creds = folder.path().join("creds");
        let environment = [("CREDENTIALS_DIRECTORY", creds.to_str().unwrap())];
        let settings = folder.load(&environment, &[]).unwrap();
        let team = settings.teams.first().unwrap();
        assert_eq!(team.agents.first().unwrap().password.expose_secret(), "hunter2", "{how}");
        let seats = team.seats(&settings.limits);
        assert!(!format!("{settings:?} {seats:?}").contains("hunter2"));
    }
}

#[test]
fn keys_and_the_state_folder_come_from_the_service_manager() {
    let tls = "[control.tls]\ncertificate = \"server.pem\"\nkey = \"%d/server.key\"\n";
    let folder = Folder::with(&[("phalanx.toml", &format!("{SMALL}{tls}"))]);
    let environment = [
        ("CREDENTIALS_DIRECTORY", "/run/credentials/phalanxd.service"),
        ("STATE_DIRECTORY", "/var/lib/phalanx/cup:/var/lib/other"),
    ];
    let settings = folder.load(&environment, &[]).unwrap();
    let tls = settings.control.tls.unwrap();
    assert_eq!(tls.certificate, folder.path().join("server.pem"));
    assert_eq!(tls.key, Path::new("/run/credentials/phalanxd.service/server.key"));
    assert_eq!(settings.state_dir.as_deref(), Some(Path::new("/var/lib/phalanx/cup")));
    let told = folder.load(&environment, &["state_dir=/srv/phalanx"]).unwrap();
    assert_eq!(told.state_dir.as_deref(), Some(Path::new("/srv/phalanx")), "who says, is heard");

    let nobody = folder.load(&[], &[]).unwrap_err().to_string();
    assert!(nobody.contains("control.tls.key") && nobody.contains("LoadCredential=server.key"));
    let escape = folder.load(&environment, &["control.tls.key=%d/../shadow"]).unwrap_err();
    assert!(escape.to_string().contains("plain name"), "{escape}");
}

#[test]
fn the_control_socket_is_where_the_service_manager_or_the_session_says() {
    let folder = Folder::with(&[("phalanx.toml", SMALL)]);
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], Option<&'a str>);
    let cases: &[Case<'_>] = &[
        (&[], &[], None),
        (&[("HOME", "/home/u")], &[], Some("/home/u/.local/state/phalanx/control.sock")),
        (
            &[("HOME", "/home/u"), ("XDG_RUNTIME_DIR", "/run/user/7")],
            &[],
            Some("/run/user/7/phalanx/control.sock"),
        ),
        (
            &[("XDG_RUNTIME_DIR", "/run/user/7"), ("RUNTIME_DIRECTORY", "/run/phalanx")],
            &[],
            Some("/run/phalanx/control.sock"),
        ),
        (&[("HOME", "/home/u")], &["control.socket=off"], None),
        (&[("HOME", "/home/u")], &["control.socket=/x.sock"], Some("/x.sock")),
    ];
    for (environment, overrides, expected) in cases {
        let settings = folder.load(environment, overrides).unwrap();
        assert_eq!(settings.control.socket, expected.map(PathBuf::from), "{environment:?}");
        assert_eq!(settings.control.socket_mode, 0o660);
    }
}

#[test]
fn what_only_the_game_knows_is_handed_on_as_it_is() {
    let text = format!("{SMALL}[teams.options]\nzones = 3\npace = \"250ms\"\nid = \"abc\"\n");
    let folder = Folder::with(&[("phalanx.toml", &text)]);
    let settings = folder.load(&[], &[]).unwrap();
    let team = settings.teams.first().unwrap();
    assert_eq!(team.options.get("zones").and_then(toml::Value::as_integer), Some(3));
    assert_eq!(team.option_time("pace"), Some(Duration::from_millis(250)));
    assert_eq!(team.option_text("id"), Some("abc"));
    assert_eq!((team.option_text("pase"), team.option_time("id")), (None, None));
}

/// The text of the file in each place where a secret may be.
#[test]
fn no_secret_is_seen_in_what_is_printed_of_settings() {
    let text = r#"
        [[teams]]
        name = "A"
        game = "assemble"
        strategy = "/scripts"
        password = "planted-team"
        options = { id = "planted-option", zones = 3 }
        agents = [{ name = "zoe", password = "planted-agent" }, { name = "adam" }]

        [[teams]]
        name = "B"
        game = "assemble"
        strategy = "/scripts"
        options = { id = "planted-option-too" }
        agents = { prefix = "b", count = 2, password_file = "pw" }
    "#;
    let folder = Folder::with(&[("phalanx.toml", text), ("pw", "planted-file\n")]);
    let variables = [("PHALANX__TEAMS__B__OPTIONS__ID", "planted-variable")];
    let settings = folder.load(&variables, &["teams.A.options.id=planted-flag"]).unwrap();
    let [a, b] = settings.teams.as_slice() else { panic!("two teams") };
    assert_eq!(
        (a.option_text("id"), b.option_text("id")),
        (Some("planted-flag"), Some("planted-variable"))
    );
    let plain: Vec<_> = a.options.plain().map(|(key, _)| key).collect();
    assert_eq!(plain, ["zones"]);
    for shown in [format!("{settings:?}"), format!("{settings:#?}"), format!("{:?}", a.options)] {
        assert!(shown.contains("zones") && shown.contains("[redacted]"), "{shown}");
        assert!(!shown.contains("planted"), "{shown}");
    }
    let seats: Vec<_> = [a, b].map(|team| team.seats(&settings.limits)).into();
    assert!(!format!("{seats:?}").contains("planted"), "{seats:?}");
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn load(
        &self,
        environment: &[(&str, &str)],
        overrides: &[&str],
    ) -> Result<Settings, SettingsErrors> {
        let environment: Environment = environment.iter().copied().collect();
        let overrides: Vec<_> = overrides.iter().map(|text| (*text).to_owned()).collect();
        load(&Sources {
            file: &self.path().join("phalanx.toml"),
            environment: &environment,
            overrides: &overrides,
            games: GAMES,
        })
    }
}
