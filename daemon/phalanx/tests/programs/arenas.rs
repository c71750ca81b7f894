//! Referees inside a daemon, steered by `phalanx arena`.

use crate::support::{
    PHALANX, Plain, Running, arena_config, control, daemon, phalanx, quiet, settings, stderr,
};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

/// What `phalanx arena …` prints as JSON, or why it fails.
fn arena(dir: &Path, words: &[&str]) -> Result<Value, String> {
    let control = control(dir);
    let tail = ["--output", "json", "--control", &control];
    let args: Vec<_> = ["arena"].iter().chain(words).chain(&tail).copied().collect();
    let output = phalanx(&args);
    if !output.status.success() {
        return Err(stderr(&output));
    }
    Ok(serde_json::from_slice(&output.stdout).unwrap())
}

/// A daemon whose only team waits for a referee that never comes.
fn waiting_daemon(dir: &Path) -> Running {
    let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
    let strategy = "return { decide = function() return act.skip() end }";
    let mut daemon = daemon(&settings(dir, nobody, 1, strategy));
    daemon.line_with("control API");
    daemon
}

#[test]
fn a_match_is_played_at_a_referee_inside_the_daemon() {
    let dir = tempfile::tempdir().unwrap();
    let _daemon = waiting_daemon(dir.path());
    let config = arena_config(dir.path(), 2, 5, 4000);
    let config = config.to_str().unwrap();
    let start = ["start", "assemble", "--config", config, "--begin", "complete"];
    let checked = arena(dir.path(), &[&start[..], &["--check"]].concat()).unwrap();
    assert_eq!(checked["address"], "");
    let started = arena(dir.path(), &start).unwrap();
    assert_eq!((&started["name"], &started["state"]), (&"assemble-1".into(), &"waiting".into()));
    let address: SocketAddr = started["address"].as_str().unwrap().parse().unwrap();
    assert!(address.ip().is_loopback());

    let mut watch = quiet(Command::new(PHALANX));
    watch.args(["arena", "watch", "--output", "json", "--control", &control(dir.path())]);
    let watch = Running::start({
        watch.stderr(Stdio::null());
        watch
    });
    let players: Vec<_> = ["agentA1", "agentA2", "agentB1", "agentB2"]
        .into_iter()
        .map(|user| {
            let mut client = Plain::connect(address);
            client.login(user, if user.contains('A') { "secret-a" } else { "secret-b" });
            std::thread::spawn(move || client.skip_to_the_end())
        })
        .collect();
    for player in players {
        assert_eq!(player.join().unwrap(), [0]);
    }
    let (events, code) = watch.finish();
    assert_eq!(code, Some(0));
    let events: Vec<Value> =
        events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| events.iter().filter(|event| event["kind"] == kind).count();
    assert_eq!((of("client_came"), of("client_greeted"), of("ended")), (4, 4, 1), "{events:?}");
    let last = events.iter().rfind(|event| event["kind"] == "verdict").unwrap();
    assert_eq!(last["verdict"]["step"], 5);
    let shown = arena(dir.path(), &["show", "assemble-1"]).unwrap();
    assert_eq!((&shown["state"], &shown["verdict"]["step"]), (&"over".into(), &5.into()));
    let gone = arena(dir.path(), &["stop", "assemble-1"]).unwrap_err();
    assert!(gone.contains("ARENA_ENDED"), "{gone}");
}

#[test]
fn a_flavour_says_who_may_log_in_and_is_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = waiting_daemon(dir.path());
    let start = ["start", "assemble", "--steps", "3", "--seed", "7", "--name", "mine"];
    let started = arena(dir.path(), &start).unwrap();
    assert_eq!((&started["variant"], &started["seed"]), (&"sim1".into(), &7.into()));
    let sides = started["sides"].as_array().unwrap();
    assert_eq!(sides.len(), 2);
    assert_eq!(sides[1]["accounts"][0], "agentB1");
    let again = arena(dir.path(), &start).unwrap_err();
    assert!(again.contains("ARENA_EXISTS"), "{again}");
    let stopped = arena(dir.path(), &["stop"]).unwrap();
    assert_eq!(stopped["state"], "stopped");
    let listed = arena(dir.path(), &["list"]).unwrap();
    assert_eq!(listed["arenas"][0]["name"], "mine");
    daemon.terminate();
    assert_eq!(daemon.finish().1, Some(0));
}

#[test]
fn what_a_referee_cannot_be_is_refused_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let _daemon = waiting_daemon(dir.path());
    let refused = |words: &[&str]| arena(dir.path(), words).unwrap_err();
    let variant = refused(&["start", "assemble", "--variant", "sim9"]);
    assert!(variant.contains("ARENA_REFUSED") && variant.contains("there are: sim1"), "{variant}");
    let name = refused(&["start", "assemble", "--name", "A/B"]);
    assert!(name.contains("NAME_MALFORMED"), "{name}");
    let address = refused(&["start", "assemble", "--listen", "localhost"]);
    assert!(address.contains("ADDRESS_MALFORMED"), "{address}");
    let files = refused(&["start", "assemble", "--keep-files"]);
    assert!(files.contains("NO_STATE_FOLDER"), "{files}");
    let stranger = refused(&["show", "nobody"]);
    assert!(stranger.contains("ARENA_NOT_FOUND"), "{stranger}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let address = refused(&["start", "assemble", "--listen", &taken]);
    assert!(address.contains("ADDRESS_TAKEN"), "{address}");
    let config = dir.path().join("colosseum.toml");
    std::fs::write(&config, colosseum()).unwrap();
    let programs = refused(&["start", "colosseum", "--config", config.to_str().unwrap()]);
    assert!(programs.contains("ARENA_STARTS_PROGRAMS"), "{programs}");
}

/// A referee that would start executables.
fn colosseum() -> &'static str {
    r#"
game = "chess"

[[agents]]
name = "first"
path = "agents/first/agent.py"

[[agents]]
name = "second"
"#
}
