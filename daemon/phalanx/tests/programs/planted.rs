//! Plants secrets wherever one may be, and searches everything that the programs print, answer and
//! write: none of the secrets occurs there, nor in another encoding.

use crate::foxglove::Looker;
use crate::support::{
    PHALANX, PHALANXD, Running, arena_config, daemon, phalanx, quiet, stderr, stdout, wait,
};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use phalanx_control::client::{Address, connect};
use phalanx_proto::v1;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_record::{EXTENSION, RecordingFile};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Passwords and ids of players, each used in one place; some need escaping.
const TEAM: &str = "planted+team/pass word 1";
const AGENT: &str = "planted+agent/pass word 2";
const FILE: &str = "planted+file/pass word 3";
const PLAYER: &str = "planted-player-4";
const SENT_TEAM: &str = "planted+sent/pass word 5";
const SENT_AGENT: &str = "planted+sent/pass word 6";
const SENT_PLAYER: &str = "planted-player-7";
/// A secret in settings with mistakes.
const SLIP: &str = "plantedSlip8";
/// Looks like a token, but was never created.
const GUESS: &str = "cGxhbnRlZC10b2tlbi1zZWNyZXQtb2YtMzItYnl0ZXM";

#[test]
fn settings_that_are_wrong_are_told_without_their_secrets() {
    let mut search = Search::new();
    search.plant("what stands in the settings", SLIP);
    search.plant("a password", TEAM);
    let good = search.settings("127.0.0.1:1".parse().unwrap(), "127.0.0.1:1".parse().unwrap());
    let password = format!("password = \"{TEAM}\"");
    let player = format!("agent_id = \"{PLAYER}\"");
    let slips = [
        (&password, format!("pasword = \"{SLIP}\"")),
        (&password, format!("password = [\"{SLIP}\"]")),
        (&password, format!("password = {{ text = \"{SLIP}\" }}")),
        // Invalid TOML.
        (&password, format!("password = \"{SLIP}")),
        (&password, format!("password = {SLIP}")),
        (&password, format!("password \"{SLIP}\"")),
        (&password, format!("{password}\npassword = \"{SLIP}\"")),
        (&password, format!("password = \"{SLIP}\"\npassword_file = \"no such file\"")),
        (&player, format!("agent_id = [\"{SLIP}\"]")),
        (&player, format!("agentid = \"{SLIP}\"")),
    ];
    for (good_line, slip) in slips {
        let config = search.dir.path().join("given/slip.toml");
        let text = std::fs::read_to_string(&good).unwrap().replace(good_line, &slip);
        assert!(text.contains(SLIP));
        std::fs::write(&config, text).unwrap();
        search.refuses(&config, &[], &[]);
    }
    let flags = ["teams.A.pasword", "teams.A.password.x", "teams.C.options.agentid"];
    for key in flags {
        search.refuses(&good, &["--set", &format!("{key}={SLIP}")], &[]);
    }
    search.refuses(&good, &[], &[("PHALANX__TEAMS__A__PASWORD", SLIP)]);
    search.refuses(&good, &[], &[("PHALANX__TEAMS__C__OPTIONS__AGENTID", SLIP)]);
    search.finds_nothing();
}

#[test]
fn nothing_that_the_programs_say_or_write_holds_a_secret() {
    let mut search = Search::new();
    for secret in [TEAM, AGENT, FILE, PLAYER, SENT_TEAM, SENT_AGENT, SENT_PLAYER, GUESS] {
        search.plant("a password, player or token", secret);
    }
    let (mut arena, referee) = strict_arena(search.dir.path());
    let config = search.settings(referee, rude_referee());
    search.certificates();
    let mut daemon = daemon(&config);
    let line = daemon.line_with("\"Foxglove\"");
    search.says("log", &line);
    let line: Value = serde_json::from_str(&line).unwrap();
    let mut looker = Looker::connect(line["fields"]["address"].as_str().unwrap().parse().unwrap());
    looker.know("/D/seat/0/steps");
    let first = looker.subscribe_all();
    let looker = std::thread::spawn(|| looker.transcript());
    for (_, data) in first.values().flatten() {
        search.says("Foxglove", &String::from_utf8_lossy(data));
    }
    let address = loop {
        let line = daemon.line_with("control API");
        search.says("log", &line);
        let line: Value = serde_json::from_str(&line).unwrap();
        if let Some(address) = line["fields"]["address"].as_str() {
            break address.to_owned();
        }
    };
    // The first login that the referee refuses.
    search.says("log", &daemon.line_with("refused"));
    let log = daemon.read_on();

    search.verbs(&config);
    search.tokens(&address);
    search.requests();
    search.pages();
    daemon.terminate();
    search.says("log", &log.join().unwrap());
    search.says("Foxglove", &looker.join().unwrap());
    assert_eq!(daemon.finish().1, Some(0));
    arena.signal("INT");
    search.says("arena", &arena.read_on().join().unwrap());

    let tokens = std::fs::read_to_string(search.dir.path().join("state/tokens.json")).unwrap();
    assert_eq!(tokens.matches("$argon2id$").count(), 3, "{tokens}");
    let recordings = search.dir.path().join("state/recordings");
    assert!(std::fs::read_dir(recordings).unwrap().count() >= 4);
    search.finds_nothing();
}

/// A text that was printed or written, and its place.
struct Said {
    place: String,
    /// With signs in place of invalid UTF-8.
    text: String,
}

/// The secrets, and the places to search. Only files in the folder `given` may contain them.
struct Search {
    dir: tempfile::TempDir,
    planted: Vec<(&'static str, String)>,
    said: Vec<Said>,
}

impl Search {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("given")).unwrap();
        std::fs::create_dir(dir.path().join("strategy")).unwrap();
        let script = "return { decide = function() end }";
        std::fs::write(dir.path().join("strategy/worker.luau"), script).unwrap();
        Self { dir, planted: Vec::new(), said: Vec::new() }
    }

    fn plant(&mut self, what: &'static str, secret: &str) {
        self.planted.push((what, secret.to_owned()));
    }

    fn given(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join("given").join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn says(&mut self, place: &str, text: &str) {
        self.said.push(Said { place: place.to_owned(), text: text.to_owned() });
    }

    fn hears(&mut self, place: &str, output: &Output) {
        self.says(&format!("{place}, standard output"), &stdout(output));
        self.says(&format!("{place}, standard error"), &stderr(output));
    }

    /// Settings with a secret in each place that takes one, and a log with every line.
    fn settings(&self, referee: SocketAddr, rude: SocketAddr) -> PathBuf {
        let dir = self.dir.path().display();
        self.given("password", &format!("{FILE}\n"));
        let text = format!(
            r#"
state_dir = "{dir}/state"
[control]
socket = "{dir}/control.sock"
tcp = "127.0.0.1:0"
loopback_role = "none"
[control.tls]
certificate = "server.pem"
key = "server.key"
client_ca = "ca.pem"
[foxglove]
listen = "127.0.0.1:0"
[log]
format = "json"
filter = "trace"
[[teams]]
name = "A"
game = "assemble"
server = "{referee}"
strategy = "{dir}/strategy"
password = "{TEAM}"
agents = [{{ name = "agentA1", password = "{AGENT}" }}, {{ name = "agentA2" }}]
[[teams]]
name = "B"
game = "assemble"
server = "{referee}"
strategy = "{dir}/strategy"
agents = {{ prefix = "agentB", count = 1, password_file = "password" }}
[[teams]]
name = "C"
game = "bomberland"
server = "{rude}"
strategy = "{dir}/strategy"
agents = {{ prefix = "C", count = 3 }}
options = {{ agent_id = "{PLAYER}" }}
[[teams]]
name = "D"
game = "mars"
server = "{rude}"
strategy = "{dir}/strategy"
agents = {{ prefix = "D", count = 1, password = "{TEAM}" }}
"#
        );
        self.given("phalanxd.toml", &text)
    }

    /// The daemon's certificate and that of its callers, with their keys.
    fn certificates(&mut self) {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        self.given("ca.pem", &authority.pem());
        for name in ["server", "client"] {
            let key = KeyPair::generate().unwrap();
            let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
            let certificate = params.signed_by(&key, &authority).unwrap().pem();
            let key = key.serialize_pem();
            for line in key.lines().filter(|line| !line.starts_with("-----")) {
                self.plant("a line of a private key", line);
            }
            if name == "server" {
                self.given("server.pem", &certificate);
                self.given("server.key", &key);
            } else {
                self.given("client.pem", &format!("{certificate}{key}"));
            }
        }
    }

    /// Checks that both programs refuse these settings.
    fn refuses(&mut self, config: &Path, args: &[&str], variables: &[(&str, &str)]) {
        let config = config.to_str().unwrap();
        let daemon = [&["--config", config], args].concat();
        let check = [&["check"], &*daemon].concat();
        for (program, args) in [(PHALANXD, daemon), (PHALANX, check)] {
            let mut command = quiet(Command::new(program));
            let output = command.args(&args).envs(variables.iter().copied()).output().unwrap();
            let place = format!("{args:?} {:?}", variables.first().map(|(name, _)| name));
            assert_eq!(output.status.code(), Some(64), "{place}: {}", stderr(&output));
            assert!(!stderr(&output).is_empty(), "{place}");
            self.hears(&place.replace(SLIP, "…"), &output);
        }
    }

    fn control(&self) -> String {
        format!("unix:{}/control.sock", self.dir.path().display())
    }

    /// Runs the verbs that read a running daemon and its settings.
    fn verbs(&mut self, config: &Path) {
        let (config, control) = (config.to_str().unwrap(), self.control());
        let asks: &[&[&str]] = &[
            &["team", "list"],
            &["team", "show", "A"],
            &["team", "show", "B"],
            &["team", "show", "C"],
            &["strategy", "show", "A"],
            &["board", "list", "A"],
            &["param", "list", "A"],
            &["daemon", "show"],
            &["daemon", "log-level", "trace"],
            &["token", "whoami"],
            &["agent", "eval", "C", "C1", "me"],
        ];
        for words in asks {
            for form in ["json", "table"] {
                let args = [words, &["--control", &*control, "--output", form][..]].concat();
                let output = phalanx(&args);
                let known = output.status.success() || output.status.code() == Some(2);
                assert!(known, "{args:?}: {}", stderr(&output));
                self.hears(&args.join(" "), &output);
            }
        }
        self.hears("check", &phalanx(&["check", "--config", config]));
        let doctor = ["doctor", "--config", config, "--load-seconds", "0", "--output", "json"];
        self.hears("doctor", &phalanx(&doctor));
        let mut shell = quiet(Command::new("sh"));
        shell.args(["-c", r#"exec "$0" "$@" 2>&1"#, PHALANX, "match", "watch", "--team", "A"]);
        shell.args(["--output", "json", "--control", &control]);
        let mut watch = Running::start(shell);
        watch.signal("INT");
        self.says("match watch", &watch.read_on().join().unwrap());
    }

    /// Calls with tokens over TLS: valid, expired, revoked, guessed, none; and without a client
    /// certificate.
    fn tokens(&mut self, address: &str) {
        let local = self.control();
        let mut create = |name: &str, more: &[&str]| {
            let words = ["token", "create", name, "--role", "viewer", "--control", &local];
            let output = phalanx(&[&words, more].concat());
            assert!(output.status.success(), "{}", stderr(&output));
            let text = stdout(&output).trim().to_owned();
            self.plant("a token", text.splitn(3, '_').last().unwrap());
            self.given(&format!("{name}.token"), &text);
            text.split('_').nth(1).unwrap().to_owned()
        };
        create("good", &[]);
        create("short", &["--life", "1s"]);
        let revoked = create("revoked", &[]);
        self.given("guess.token", &format!("phx_abcdefgh_{GUESS}"));
        let revoke = phalanx(&["token", "revoke", &revoked, "--control", &local]);
        assert!(revoke.status.success(), "{}", stderr(&revoke));
        self.hears("token revoke", &revoke);

        let good = self.over_tls(address, "good", true);
        assert!(good.status.success(), "{}", stderr(&good));
        wait(|| {
            let said = stderr(&self.over_tls(address, "short", true));
            said.contains("TOKEN_EXPIRED").then_some(())
        });
        for (token, reason) in [("revoked", "TOKEN_REVOKED"), ("guess", "TOKEN_UNKNOWN")] {
            let output = self.over_tls(address, token, true);
            assert!(stderr(&output).contains(reason), "{}", stderr(&output));
        }
        assert!(!self.over_tls(address, "good", false).status.success(), "without a certificate");
        self.hears("token list", &phalanx(&["token", "list", "--control", &local]));
    }

    fn over_tls(&mut self, address: &str, token: &str, certificate: bool) -> Output {
        let given = |name: &str| self.dir.path().join("given").join(name).display().to_string();
        let (control, token) = (format!("https://{address}"), format!("{token}.token"));
        let (token, ca, client) = (given(&token), given("ca.pem"), given("client.pem"));
        let mut args = vec!["team", "list", "--control", &control, "--token-file", &token];
        args.extend(["--ca", &ca]);
        if certificate {
            args.extend(["--certificate", &client]);
        }
        let output = phalanx(&args);
        self.hears("over TLS", &output);
        output
    }

    /// Requests with secrets, valid ones and invalid ones.
    fn requests(&mut self) {
        let socket = self.dir.path().join("control.sock");
        let strategy = self.dir.path().join("strategy").display().to_string();
        let agent = |name: &str| v1::AgentSpec {
            name: name.to_owned(),
            password: SENT_AGENT.to_owned(),
            ..v1::AgentSpec::default()
        };
        let team = |name: &str, game: &str| v1::TeamSpec {
            name: name.to_owned(),
            game: game.to_owned(),
            server: "127.0.0.1:1".to_owned(),
            strategy: strategy.clone(),
            agents: vec![agent("x1"), agent("x2"), agent("x3")],
            password: SENT_TEAM.to_owned(),
            options: [("agent_id".to_owned(), SENT_PLAYER.to_owned())].into(),
            ..v1::TeamSpec::default()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let told = runtime.block_on(async {
            let mut teams = TeamsClient::new(connect(&Address::Unix(socket)).await.unwrap());
            let mut told = Vec::new();
            // One is valid; one's game has no such option; one is entirely invalid.
            for spec in [team("E", "bomberland"), team("F", "assemble"), team("/", "\0")] {
                let request = v1::CreateTeamRequest { team: Some(spec), ..Default::default() };
                told.push(format!("{request:?}"));
                told.push(format!("{:?}", teams.create_team(request).await));
            }
            for name in ["agentA3", "agentA1", "/"] {
                let agent = Some(agent(name));
                let team = "teams/A".to_owned();
                let request = v1::AddAgentRequest { team, agent, ..Default::default() };
                told.push(format!("{:?}", teams.add_agent(request).await));
            }
            let listed = teams.list_teams(v1::ListTeamsRequest::default()).await.unwrap();
            told.push(format!("{listed:?}"));
            told
        });
        for text in told {
            self.says("an answer", &text);
        }
    }

    /// The HTTP endpoints besides gRPC.
    fn pages(&mut self) {
        for page in ["/metrics", "/healthz"] {
            let socket = self.dir.path().join("control.sock");
            let mut stream = UnixStream::connect(socket).unwrap();
            let request = format!("GET {page} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            self.says(page, &answer);
        }
    }

    /// Searches all output, and every file outside of `given`.
    fn finds_nothing(mut self) {
        let root = self.dir.path().to_owned();
        let files = files_below(&root, &root.join("given"));
        self.said.extend(files);
        assert!(self.said.len() > 20, "{}", self.said.len());
        let mut found = Vec::new();
        for (what, secret) in &self.planted {
            for spelling in spellings(secret) {
                let places = self.said.iter().filter(|said| said.text.contains(&spelling));
                found.extend(places.map(|said| {
                    let line = said.text.lines().find(|line| line.contains(&spelling));
                    format!("{what} ({spelling}) in {}: {line:?}", said.place)
                }));
            }
        }
        assert_eq!(found, Vec::<String>::new());
    }
}

/// Encodings of a secret: plain, percent-encoded, as digits, and at any offset in Base64.
fn spellings(secret: &str) -> BTreeSet<String> {
    let bytes = secret.as_bytes();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let escaped = |byte: &u8| match plain(*byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    let percent: String = bytes.iter().map(escaped).collect();
    let form = percent.replace("%20", "+");
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let list = format!("{bytes:?}");
    let mut all = BTreeSet::from([secret.to_owned(), percent, form, hex, list]);
    for before in 0..3 {
        let padded = [&vec![0; before][..], bytes].concat();
        // The characters that depend on the secret alone.
        let (first, last) = ((before * 8).div_ceil(6), padded.len() * 8 / 6);
        for engine in [STANDARD, URL_SAFE] {
            all.insert(engine.encode(&padded)[first..last].to_owned());
        }
    }
    all
}

/// All files below a folder except those of one folder.
fn files_below(folder: &Path, but: &Path) -> Vec<Said> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path != but {
            all.extend(files_below(&path, but));
        } else if path.is_file() && !path.ends_with("arena.json") {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            all.push(Said { place: path.display().to_string(), text });
            if path.extension().is_some_and(|ending| ending == EXTENSION) {
                all.extend(recorded(&path));
            }
        }
    }
    all
}

/// The uncompressed contents of a recording.
fn recorded(path: &Path) -> Vec<Said> {
    let file = RecordingFile::open(path).unwrap();
    let said = |what: &str, data: &[u8]| {
        let text = String::from_utf8_lossy(data).into_owned();
        Said { place: format!("{}, {what}", path.display()), text }
    };
    let messages = file.raw_messages(0).map(|message| message.unwrap());
    let messages = messages.map(|message| said(&message.channel, &message.data));
    let attached = file.attachments().iter().map(|attached| said(&attached.name, &attached.data));
    let all: Vec<_> = messages.chain(attached).collect();
    assert!(all.len() > 5, "{}: {}", path.display(), all.len());
    all
}

/// A referee with other passwords.
fn strict_arena(dir: &Path) -> (Running, SocketAddr) {
    let config = arena_config(dir, 2, 5, 4000);
    let mut shell = quiet(Command::new("sh"));
    shell.args(["-c", r#"exec "$0" "$@" 2>&1"#, PHALANX, "arena", "assemble", "--listen"]);
    shell.args(["127.0.0.1:0", "--start", "complete", "--output"]).arg(dir);
    shell.arg("--config").arg(config);
    let mut arena = Running::start(shell);
    let line = arena.line_with("listens on");
    let address = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
    (arena, address)
}

/// A referee that refuses every connection, in no known protocol.
fn rude_referee() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // The client may have closed the connection already.
            drop(stream.read(&mut [0; 4096]));
            drop(stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n\0"));
        }
    });
    address
}
