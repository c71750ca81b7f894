//! What an operator learns about a wrong configuration: all mistakes, at once, by key.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use phalanx_settings::{
    Environment, GameKeys, KEYS, KeyDoc, Kind, SettingsMistake, Sources, load, sample, schema,
};
use rstest::rstest;

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
strategy = "s"
agents = { prefix = "agentA", count = 3, password = "hunter2" }
"#;

#[test]
fn a_file_with_ten_mistakes_gets_ten_lines() {
    let text = r#"
        state_dirr = "/x"
        [control]
        tcp = "0.0.0.0:7420"
        [limits]
        decide_max = "4"
        plan_max = 500
        straggler_share = 1.5
        script_memory = "64"
        [log]
        format = "xml"
        [[teams]]
        name = "A"
        game = "asemble"
        server = "tcp://referee"
        strategy = "s"
        agents = { prefix = "a", count = 0, password = "hunter2" }
    "#;
    let mistakes = mistakes(text, &[], &[]);
    let shown: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(shown.join("\n"));
    assert_eq!(mistakes.len(), 10);
}

#[rstest]
#[case::unit("[limits]\ndecide_max = \"4\"", "limits.decide_max", "\"4\"", "needs a unit")]
#[case::any_origin(
    "[control]\norigins = [\"*\"]",
    "control.origins",
    "a list of 1",
    "would let any web page"
)]
#[case::origin_with_a_path(
    "[control]\norigins = [\"https://dash.example/x\"]",
    "control.origins",
    "a list of 1",
    "nothing behind them"
)]
#[case::move_host(
    "[control]\nmove_hosts = [\"http://referee.example\"]",
    "control.move_hosts",
    "a list of 1",
    "not \"http://referee.example\""
)]
#[case::too_long("[limits]\ndecide_max = \"2h\"", "limits.decide_max", "\"2h\"", "1ms to 1m")]
#[case::order("[limits]\nmargin_min = \"9s\"", "limits.margin_min", "9s", "at most margin_max")]
#[case::not_a_table("limits = 7", "limits", "7", "a table")]
#[case::top_level_key("deadline = \"4s\"", "deadline", "unknown key", "`teams[].deadline`")]
#[case::nearest("[limits]\ndecde_max = \"4s\"", "limits.decde_max", "unknown key", "`decide_max`")]
#[case::mode("[control]\nsocket_mode = \"0440\"", "control.socket_mode", "\"0440\"", "octal")]
#[case::wide("[control]\ntcp = \"[::]:1\"", "control.tcp", "\"[::]:1\"", "control.tls.certificate")]
#[case::seen_by_all(
    "[foxglove]\nlisten = \"0.0.0.0:8765\"",
    "foxglove.listen",
    "\"0.0.0.0:8765\"",
    "foxglove.allow_remote = \"on\""
)]
#[case::no_client("[foxglove]\nclients_max = 0", "foxglove.clients_max", "0", "from 1 to 1000")]
#[case::no_key("[control.tls]\ncertificate = \"a\"", "control.tls.key", "missing", "come together")]
#[case::only_ca("[control.tls]\nclient_ca = \"a\"", "control.tls.certificate", "missing", "a path")]
#[case::filter("[log]\nfilter = \"loud\"", "log.filter", "\"loud\"", "log directives")]
#[case::one_team("teams = 3", "teams", "3", "[[teams]]")]
#[case::no_name(
    "[[teams]]\ngame = \"mars\"\nstrategy=\"s\"\nagents=[{name=\"x\"}]",
    "teams[0].name",
    "missing",
    "a name"
)]
fn each_mistake_names_key_got_and_expected(
    #[case] text: &str,
    #[case] key: &str,
    #[case] got: &str,
    #[case] expected: &str,
) {
    check(text, key, got, expected);
}

#[rstest]
#[case::port("server = \"referee:0\"", "server", "\"referee:0\"", "host:port")]
#[case::host("server = \":12300\"", "server", "\":12300\"", "host:port")]
#[case::space("server = \"a b:1\"", "server", "\"a b:1\"", "host:port")]
#[case::seed("seed = -1", "seed", "-1", "a whole number")]
#[case::quoted_seed("seed = \"1\"", "seed", "\"1\"", "a whole number")]
#[case::stranger("roles = { agentB1 = \"scout\" }", "roles.agentB1", "unknown agent", "`agentA1`")]
#[case::too_many("roles = [{ role = \"x\", count = 4 }]", "roles", "a list of 1", "at most 3")]
#[case::options("options = 3", "options", "3", "a table")]
#[case::option("options = { zone = 1 }", "options.zone", "unknown option", "`zones`")]
#[case::zones("options = { zones = 10 }", "options.zones", "10", "a whole number from 1 to 9")]
#[case::pace("options = { pace = \"2s\" }", "options.pace", "\"2s\"", "a time with a unit")]
#[case::secret_option("options = { id = 7 }", "options.id", "[redacted]", "text in quotes")]
#[case::password("password = 7", "password", "[redacted]", "text in quotes")]
#[case::no_file("password_file = \"nowhere\"", "password_file", "\"nowhere\"", "a readable file")]
#[case::no_service("password_credential = \"x\"", "password_credential", "\"x\"", "LoadCredential")]
fn each_mistake_in_a_team_is_found(
    #[case] line: &str,
    #[case] key: &str,
    #[case] got: &str,
    #[case] expected: &str,
) {
    check(&format!("{SMALL}{line}"), &format!("teams[0].{key}"), got, expected);
}

#[test]
fn names_are_given_once() {
    check(&format!("{SMALL}{SMALL}"), "teams[1].name", "\"A\" again", "of its own");
    let twins = SMALL.replace(
        "{ prefix = \"agentA\", count = 3, password = \"hunter2\" }",
        "[{ name = \"x\" }, { name = \"x\" }]",
    );
    check(&twins, "teams[0].agents[1].name", "\"x\"", "of its own");
}

#[test]
fn a_mistake_in_the_environment_or_a_flag_names_its_source() {
    let found = mistakes(SMALL, &[("PHALANX__LIMITS__DECIDE_MAX", "4")], &["log.format=xml"]);
    let places: Vec<_> = found.iter().map(|it| (it.file.as_str(), it.key.as_str())).collect();
    assert_eq!(places, [("environment", "limits.decide_max"), ("--set", "log.format")]);
    let found = mistakes(SMALL, &[("PHALANX__TEAMS__Z__SEED", "1")], &["nonsense", "a..b=1"]);
    let keys: Vec<_> = found.iter().map(|it| it.key.as_str()).collect();
    assert_eq!(keys, ["teams.z.seed", "", "a..b"]);
}

#[test]
fn a_file_that_is_not_toml_is_refused_by_line_without_quoting_it() {
    let text = "[[teams]]\nname = \"A\"\npassword = \"hunter2\" oops\n";
    let found = mistakes(text, &[], &[]);
    let [mistake] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((mistake.key.as_str(), mistake.got.as_str()), ("line 3, column 22", "not TOML"));
    assert!(!mistake.to_string().contains("hunter2"));
}

#[test]
fn a_missing_file_and_a_folder_in_its_place_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let load_at = |name: &str| {
        let environment = Environment::default();
        let file = folder.path().join(name);
        let sources =
            Sources { file: &file, environment: &environment, overrides: &[], games: &[] };
        load(&sources).unwrap_err().to_string()
    };
    assert!(load_at("nowhere.toml").contains("No such file"));
    assert!(load_at("").contains("not a file"));
}

#[test]
fn no_mistake_shows_a_password() {
    let twice =
        SMALL.replace("password = \"hunter2\"", "password = \"hunter2\", password_file = 3");
    let wrong = SMALL.replace("\"hunter2\"", "[\"hunter2\"]");
    for text in [twice, wrong] {
        let found = mistakes(&text, &[], &[]);
        assert!(!found.is_empty());
        assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
    }
}

#[test]
fn the_sample_loads_as_it_is_and_with_every_key_set() {
    assert_eq!(mistakes(&sample(), &[("HOME", "/home/u")], &[]), []);
    let set: String = sample()
        .lines()
        .filter(|line| {
            !["#password_file", "#password_credential"].iter().any(|key| line.starts_with(key))
        })
        .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line))
        .fold(String::new(), |all, line| all + line + "\n");
    let scalar =
        KEYS.iter().filter(|doc| !doc.path.contains("].") || doc.path.starts_with("teams[].n"));
    for doc in scalar {
        let name = doc.path.rsplit('.').next().unwrap();
        assert!(set.lines().any(|line| line.starts_with(&format!("{name} ="))), "{name}");
    }
    let roles = set.replace("agentA1 = \"scout\"", "agentA2 = \"scout\"");
    assert_eq!(mistakes(&roles, &[("HOME", "/home/u")], &[]), []);
}

#[test]
fn the_shipped_sample_and_schema_are_the_generated_ones() {
    for (name, generated) in [("all-keys.toml", sample()), ("schema.json", schema())] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/config");
        let path = std::path::Path::new(folder).join(name);
        if std::env::var_os("UPDATE_SAMPLE").is_some() {
            std::fs::write(&path, &generated).unwrap();
        }
        let shipped = std::fs::read_to_string(&path).unwrap();
        assert!(shipped == generated, "{name}: run the settings tests with UPDATE_SAMPLE=1");
    }
}

#[test]
fn the_schema_has_every_key_and_knows_which_are_required() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    for doc in KEYS.iter() {
        // A list's tables are the last form of a key, a pattern the first.
        let pointer = doc.path.split('.').fold(String::new(), |at, part| {
            let at = if at.ends_with("/agents") { format!("{at}/anyOf/0") } else { at };
            let name = part.trim_end_matches("[]");
            let list = match (part.ends_with("[]"), name) {
                (true, "teams") => "/items",
                (true, _) => "/anyOf/1/items",
                (false, _) => "",
            };
            format!("{at}/properties/{name}{list}")
        });
        let property = schema.pointer(&pointer);
        let described = property.and_then(|property| property["description"].as_str());
        assert!(described.is_some_and(|text| text.starts_with(doc.doc)), "{}: {pointer}", doc.path);
    }
    let team = &schema["properties"]["teams"]["items"];
    assert_eq!(team["required"], serde_json::json!(["name", "game", "strategy", "agents"]));
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn every_example_and_default_is_allowed_by_its_own_key() {
    for doc in KEYS.iter().filter(|doc| !doc.path.contains("[]")) {
        let (table, name) = doc.path.rsplit_once('.').unwrap_or(("", doc.path));
        let head = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
        // Half of a certificate, or of credentials, is a mistake of its own.
        let others = match doc.path {
            "control.tls.certificate" => "key = \"k\"",
            "control.tls.key" => "certificate = \"c\"",
            "control.tls.client_ca" => "certificate = \"c\"\nkey = \"k\"",
            "lab.nats_user" => "nats = \"n\"\nnats_password_file = \"p\"",
            "lab.nats_password_file" => "nats = \"n\"\nnats_user = \"u\"",
            "lab.nats_ca" => "nats = \"n\"",
            "lab.nats_certificate" => "nats = \"n\"\nnats_key = \"k\"",
            "lab.nats_key" => "nats = \"n\"\nnats_certificate = \"c\"",
            _ => "",
        };
        let text = format!("{head}{name} = {}\n{others}", doc.example);
        assert_eq!(mistakes(&text, &[], &[]), [], "{}", doc.path);
        if let Some(default) = doc.default {
            let flag = format!("{}={default}", doc.path);
            assert_eq!(mistakes("", &[], &[&flag]), [], "{flag}");
        }
    }
}

fn check(text: &str, key: &str, got: &str, expected: &str) {
    let found = mistakes(text, &[], &[]);
    let [mistake] = found.as_slice() else { panic!("one mistake in {text}: {found:#?}") };
    assert_eq!((mistake.key.as_str(), mistake.got.as_str()), (key, got));
    assert!(mistake.expected.contains(expected), "{mistake}");
    assert!(!mistake.expected.contains("  "), "{mistake}");
    assert_eq!(mistake.file, "FILE");
}

/// The mistakes of a file of this text, the file's path shown as FILE.
fn mistakes(text: &str, environment: &[(&str, &str)], overrides: &[&str]) -> Vec<SettingsMistake> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("phalanx.toml");
    std::fs::write(&file, text).unwrap();
    let environment: Environment = environment.iter().copied().collect();
    let overrides: Vec<_> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let sources =
        Sources { file: &file, environment: &environment, overrides: &overrides, games: GAMES };
    let Err(errors) = load(&sources) else { return Vec::new() };
    let shown = file.display().to_string();
    let rename = |mut mistake: SettingsMistake| {
        mistake.file = mistake.file.replace(&shown, "FILE");
        mistake
    };
    errors.mistakes.into_iter().map(rename).collect()
}

#[rstest]
#[case("nats_user = \"me\"", &["lab.nats_password_file", "lab.nats"])]
#[case("nats = \"nats://a\"\nnats_password_file = \"/p\"", &["lab.nats_user"])]
#[case("nats = \"nats://a\"\nnats_key = \"/k\"", &["lab.nats_certificate"])]
#[case("nats = \"nats://me:hunter2@a\"", &["lab.nats"])]
#[case("nats_ca = \"/ca.pem\"", &["lab.nats"])]
#[case("nats = \"tls://a\"\nnats_ca = \"/ca.pem\"", &[])]
fn the_server_of_the_lab_needs_whole_credentials(#[case] keys: &str, #[case] wrong: &[&str]) {
    let mistakes = mistakes(&format!("[lab]\n{keys}\n{SMALL}"), &[], &[]);
    let found: Vec<_> = mistakes.iter().map(|mistake| mistake.key.as_str()).collect();
    assert_eq!(found, wrong);
}
