//! Recordings for users and operators: made by demos and daemons, read, repaired and deleted by
//! `phalanx recording`.

use crate::support::{
    PHALANX, PHALANXD, Plain, Running, control, daemon, phalanx, python, quiet, recorded, settings,
    shown, stderr, stdout, text, wait,
};
use phalanx_control::client::{Address, connect};
use phalanx_proto::v1;
use phalanx_proto::v1::recordings_client::RecordingsClient;
use prost::Message;
use serde_json::{Value, json};
use std::fs::File;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

const SKIP: &str = "return { decide = function() return act.skip() end }\n";

/// Runs `phalanx … --output json` and parses the output.
fn asked(args: &[&str], code: i32) -> Value {
    let output = phalanx(&[args, &["--output", "json"]].concat());
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The files of a folder with this ending, sorted by name.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| text(path).ends_with(ending)).collect();
    paths.sort();
    paths
}

/// The MCAP project's packages for Python.
const PACKAGES: &[&str] = &["mcap==1.6.0", "mcap-protobuf-support==0.6.0"];
const SCRIPT: &str = "
import json, sys
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
with open(sys.argv[1], 'rb') as file:
    reader = make_reader(file, decoder_factories=[DecoderFactory()], validate_crcs=True)
    topics = {}
    for schema, channel, message, value in reader.iter_decoded_messages():
        topics[channel.topic] = topics.get(channel.topic, 0) + 1
    print(json.dumps(topics))
";

/// The messages that the MCAP project's reader finds in a file, by channel.
fn listed(python: &Path, file: &str) -> Value {
    let output = Command::new(python).args(["-c", SCRIPT, file]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_game_is_recorded_whole_and_the_usual_reader_lists_all_channels() {
    let python = python("mcap", PACKAGES, "mcap.reader, mcap_protobuf");
    if python.is_none() {
        println!("the usual reader is skipped: there is no Python with {PACKAGES:?}");
    }
    for game in ["assemble", "bomberland", "colosseum", "mars", "asimulator"] {
        let dir = tempfile::tempdir().unwrap();
        let args = ["--game", game, "--steps", "20", "--seed", "7"];
        let worlds: &[&str] = if game == "asimulator" { &["--worlds", "2"] } else { &[] };
        for file in recorded(dir.path(), &[&args, worlds].concat()) {
            let info = asked(&["recording", "info", &file, "--check"], 0);
            assert_eq!((&info["state"], &info["lost"]), (&"whole".into(), &0.into()), "{info}");
            assert_eq!((&info["game"], &info["seed"]), (&game.into(), &7.into()));
            assert_eq!(info["obstacles"], json!([]));
            assert!(info["turns"].as_u64().unwrap() >= 2, "{info}");
            let attached = info["attachments"][0].as_str().unwrap();
            assert!(attached.starts_with("strategy-1-"), "{attached}");
            let channels = info["channels"].as_object().unwrap();
            for topic in ["/journal", "/percepts", "/seat/0/received", "/team/steps", "/world"] {
                assert!(channels[topic]["messages"].as_u64() > Some(0), "{game} {topic}: {info}");
            }
            if let Some(python) = &python {
                let found = listed(python, &file);
                let ours: serde_json::Map<_, _> = channels
                    .iter()
                    .map(|(topic, tally)| (topic.clone(), tally["messages"].clone()))
                    .collect();
                assert_eq!(found, Value::Object(ours), "{game}");
            }
        }
    }
}

#[test]
fn a_demo_in_real_time_is_recorded_and_listed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("new/folder");
    let args = ["demo", "--steps", "5", "--pace", "1ms", "--opponent", "idle", "--record"];
    let output = phalanx(&[&args[..], &[text(&folder)]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stdout(&output);
    let told: Vec<_> = said.lines().filter_map(|line| line.strip_prefix("recorded: ")).collect();
    assert_eq!(told.len(), 2, "{said}");
    let list = asked(&["recording", "list", text(&folder)], 0);
    let list = list["recordings"].as_array().unwrap();
    for (recording, team) in list.iter().zip(["A", "B"]) {
        assert_eq!(recording["team"], team);
        assert_eq!((&recording["state"], &recording["turns"]), (&"whole".into(), &5.into()));
    }
    let table = stdout(&phalanx(&["recording", "list", text(&folder), "--output", "table"]));
    assert!(table.starts_with("RECORDING") && table.contains("  whole"), "{table}");
    let table = stdout(&phalanx(&["recording", "info", told[0], "--output", "table"]));
    assert!(table.contains("5 turns") && table.contains("/seat/14/sent"), "{table}");
}

#[test]
fn what_is_no_recording_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.mcap");
    let info = || {
        let output = phalanx(&["recording", "info", text(&file)]);
        assert_eq!(output.status.code(), Some(1));
        stderr(&output)
    };
    assert!(info().contains("x.mcap: No such file"), "{}", info());
    assert_eq!(info().matches("No such file").count(), 1, "{}", info());
    File::create(&file).unwrap();
    assert!(info().contains("the file is empty"), "{}", info());
    std::fs::write(&file, "holiday").unwrap();
    assert!(info().contains("this is no MCAP file"), "{}", info());
    let list = asked(&["recording", "list", text(dir.path())], 0);
    assert_eq!(list["recordings"][0]["state"], "unreadable");
    let output = phalanx(&["recording", "list", "/nowhere"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot read /nowhere"));
    let output = phalanx(&["recording", "prune", text(dir.path())]);
    assert_eq!(output.status.code(), Some(64));
    assert!(stderr(&output).contains("--keep-size"), "{}", stderr(&output));
}

#[test]
fn recordings_are_pruned_by_size_and_the_dry_run_tells_what_would_go() {
    let dir = tempfile::tempdir().unwrap();
    recorded(dir.path(), &["--steps", "2"]);
    let holiday = dir.path().join("holiday.mcap");
    std::fs::write(&holiday, "not ours").unwrap();
    let prune = |more: &[&str]| {
        let args = ["recording", "prune", text(dir.path()), "--keep-size", "1B"];
        asked(&[&args, more].concat(), 0)["pruned"].as_array().unwrap().len()
    };
    assert_eq!(prune(&["--dry-run"]), 2);
    assert_eq!(prune(&[]), 2);
    assert_eq!(prune(&[]), 0);
    assert_eq!(files(dir.path(), ".mcap"), [holiday]);
}

/// A daemon of one agent with a state folder, and its referee.
pub(crate) struct Bench {
    pub(crate) daemon: Running,
    referee: TcpListener,
    pub(crate) dir: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new(more: &str) -> Self {
        Self::with(more, daemon)
    }

    /// [`Bench`] with a strategy.
    pub(crate) fn playing(more: &str, strategy: &str) -> Self {
        Self::with(more, |config| {
            let worker = config.with_file_name("strategy").join("worker.luau");
            std::fs::write(worker, strategy).unwrap();
            daemon(config)
        })
    }

    /// [`Bench`] with the control API on a free TCP port, too.
    pub(crate) fn reachable(strategy: &str) -> Self {
        Self::with("", |config| {
            let text = std::fs::read_to_string(config).unwrap();
            let text = text.replace("[control]\n", "[control]\ntcp = \"127.0.0.1:0\"\n");
            std::fs::write(config, text).unwrap();
            let worker = config.with_file_name("strategy").join("worker.luau");
            std::fs::write(worker, strategy).unwrap();
            daemon(config)
        })
    }

    fn with(more: &str, start: impl FnOnce(&Path) -> Running) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let referee = TcpListener::bind("127.0.0.1:0").unwrap();
        let config = settings(dir.path(), referee.local_addr().unwrap(), 1, SKIP);
        let text = std::fs::read_to_string(&config).unwrap();
        let state = dir.path().join("state").display().to_string();
        std::fs::write(&config, format!("state_dir = {state:?}\n{more}\n{text}")).unwrap();
        Self { daemon: start(&config), referee, dir }
    }

    /// The file that is being written, as soon as it exists.
    fn file(&self) -> PathBuf {
        wait(|| files(&self.folder(), ".mcap").pop())
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.dir.path().join("state/recordings")
    }

    pub(crate) fn seat(&self) -> Plain {
        let mut seat = Plain::over(self.referee.accept().unwrap().0);
        assert_eq!(seat.receive().unwrap()["type"], "auth-request");
        seat.send(&json!({ "type": "auth-response", "content": { "result": "ok" } }));
        seat
    }

    /// Ends the daemon and checks that it drained.
    pub(crate) fn leave(self) -> String {
        self.daemon.terminate();
        let (said, code) = self.daemon.finish();
        assert_eq!(code, Some(0), "{said}");
        said
    }
}

/// Requests an action, and reads it.
pub(crate) fn turn(seat: &mut Plain, id: i64) {
    let content = json!({
        "id": id, "time": 1000, "deadline": 61_000, "step": id,
        "percept": { "lastAction": "skip" },
    });
    seat.send(&json!({ "type": "request-action", "content": content }));
    let answer = seat.receive().unwrap();
    assert_eq!((&answer["type"], &answer["content"]["id"]), (&"action".into(), &id.into()));
}

#[test]
fn a_daemon_records_its_teams_and_ends_the_file_when_it_leaves() {
    let bench = Bench::new("");
    let mut seat = bench.seat();
    for id in 0..3 {
        turn(&mut seat, id);
    }
    let file = bench.file();
    let folder = bench.folder();
    let state =
        || asked(&["recording", "list", text(&folder)], 0)["recordings"][0]["state"].clone();
    assert_eq!(state(), "recording");
    let Bench { dir, daemon, .. } = bench;
    daemon.terminate();
    drop(seat);
    let (said, code) = daemon.finish();
    assert_eq!(code, Some(0));
    assert!(said.contains("\"recorded\""), "{said}");
    assert_eq!(state(), "whole");
    let info = asked(&["recording", "info", text(&file), "--check"], 0);
    assert_eq!((&info["team"], &info["turns"]), (&"A".into(), &3.into()));
    drop(dir);
}

#[test]
fn a_match_that_is_being_played_counts_among_what_is_kept() {
    let more = "[recordings]\nflush_every = \"100ms\"\nkeep_size = \"1MiB\"";
    let mut old = PathBuf::new();
    let bench = Bench::with(more, |config| {
        // It fits while the folder is otherwise empty.
        let folder = config.with_file_name("state").join("recordings");
        std::fs::create_dir_all(&folder).unwrap();
        old = folder.join("A-assemble-20200101T000000Z.mcap");
        File::create(&old).unwrap().set_len((1 << 20) - 1_000).unwrap();
        daemon(config)
    });
    let mut seat = bench.seat();
    assert!(old.exists());
    let (mut id, begun) = (0, Instant::now());
    while old.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no room was made in {id} turns");
        turn(&mut seat, id);
        id += 1;
    }
    // The match continues, and so does its recording.
    turn(&mut seat, id);
    assert!(bench.file().exists());
    drop(seat);
    bench.leave();
}

#[test]
fn folders_that_the_daemon_makes_are_its_owners_alone() {
    let bench = Bench::new("");
    let mut seat = bench.seat();
    turn(&mut seat, 0);
    bench.file();
    let state = bench.dir.path().join("state");
    let mut folders = vec![state.clone()];
    for folder in std::fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().path()) {
        folders.extend(folder.is_dir().then_some(folder));
    }
    assert!(folders.len() > 2, "{folders:?}");
    for folder in folders {
        let mode = std::fs::metadata(&folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
    }
    drop(seat);
    bench.leave();
}

#[test]
fn what_a_killed_daemon_recorded_is_readable_and_can_be_made_whole() {
    let bench = Bench::new("[recordings]\nflush_every = \"100ms\"");
    let mut seat = bench.seat();
    for id in 0..3 {
        turn(&mut seat, id);
    }
    let file = bench.file();
    let turns = || asked(&["recording", "info", text(&file)], 0)["turns"].as_u64();
    wait(|| (turns() >= Some(2)).then_some(()));
    bench.daemon.signal("KILL");
    let (_, code) = bench.daemon.finish();
    assert_ne!(code, Some(0));
    let info = asked(&["recording", "info", text(&file)], 0);
    assert_eq!((&info["state"], &info["gaps"]), (&"cut off".into(), &json!([])), "{info}");
    let help = stdout(&phalanx(&["recording", "list", "--help"]));
    let states = ["`whole`", "`recording`", "`cut off`"];
    assert!(states.iter().all(|state| help.contains(state)), "{help}");
    asked(&["recording", "info", text(&file), "--check"], 1);
    let recovered = asked(&["recording", "recover", text(&file)], 0);
    let whole = recovered["file"].as_str().unwrap();
    assert!(whole.ends_with(".recovered.mcap"), "{whole}");
    assert!(recovered["messages"].as_u64() > Some(10));
    let info = asked(&["recording", "info", whole, "--check"], 0);
    assert_eq!(info["state"], "whole");
    assert!(info["turns"].as_u64() >= Some(2), "{info}");
    // It is not overwritten.
    assert_eq!(phalanx(&["recording", "recover", text(&file)]).status.code(), Some(1));
}

#[test]
fn a_disk_that_is_full_is_told_once_and_play_goes_on() {
    let more = "[recordings]\nflush_every = \"100ms\"\nretry_after = \"100ms\"";
    let mut bench = Bench::with(more, |config| {
        // Files are limited to a block: further writes fail as on a full disk.
        let mut shell = quiet(Command::new("sh"));
        shell.arg("-c").arg(r#"trap '' XFSZ; ulimit -f 1; exec "$0" "$@" 2>&1"#);
        shell.arg(PHALANXD).arg("--config").arg(config);
        Running::start(shell)
    });
    let mut seat = bench.seat();
    let line = bench.daemon.line_with("the recording stops");
    assert!(line.contains("File too large"), "{line}");
    for id in 0..5 {
        turn(&mut seat, id);
    }
    assert_eq!(shown(bench.dir.path())["counters"]["decided"], 5);
    drop(seat);
    let said = bench.leave();
    assert!(said.contains("the recording ended with a problem"), "{said}");
    assert!(!said.contains("the recording stops"), "told again: {said}");
}

#[test]
fn a_folder_that_cannot_be_made_keeps_nobody_from_playing() {
    let mut bench = Bench::new("[recordings]\nfolder = \"/proc/recordings\"");
    let line = bench.daemon.line_with("cannot create the folder of recordings");
    assert!(line.contains("/proc/recordings"), "{line}");
    let mut seat = bench.seat();
    bench.daemon.line_with("the recording stops");
    turn(&mut seat, 0);
    drop(seat);
    bench.leave();
}

#[test]
fn old_recordings_are_deleted_at_the_start_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let old = |name: &str, days: u64, bytes: u64| {
        let path = folder.path().join(name);
        let file = File::create(&path).unwrap();
        file.set_len(bytes).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).unwrap();
    };
    old("A-mars-20261122T013000Z.mcap", 40, 10);
    old("B-mars-20261122T013000Z.mcap", 3, 3 << 20);
    old("C-mars-20261122T013000Z.mcap", 2, 1 << 19);
    old("holiday.mcap", 99, 9 << 20);
    let path = text(folder.path());
    let mut bench = Bench::new(&format!("[recordings]\nfolder = {path:?}\nkeep_size = \"1MiB\""));
    for gone in ["A-mars-20261122T013000Z", "B-mars-20261122T013000Z"] {
        let line = bench.daemon.line_with("deleted an old recording to free space");
        assert!(line.contains(gone), "{line}");
    }
    bench.daemon.line_with("control API");
    let left = files(folder.path(), ".mcap");
    assert!(left.iter().any(|path| path.ends_with("holiday.mcap")), "{left:?}");
    assert!(left.iter().any(|path| text(path).contains("C-mars")), "{left:?}");
    bench.leave();
}

#[test]
fn a_flight_recorder_is_written_when_a_seat_loses_its_referee() {
    let mut bench = Bench::new("[recordings]\nmode = \"flight\"");
    let mut seat = bench.seat();
    turn(&mut seat, 0);
    assert_eq!(files(&bench.folder(), ".mcap"), [""; 0].map(PathBuf::from));
    drop(seat);
    let line = bench.daemon.line_with("wrote the flight recorder");
    let file = bench.file();
    assert!(line.contains(text(&file)), "{line}");
    let info = asked(&["recording", "info", text(&file), "--check"], 0);
    assert_eq!((&info["state"], &info["turns"]), (&"whole".into(), &1.into()), "{info}");
    let cause = info["cause"].as_str().unwrap();
    assert!(cause.starts_with("agentA1 lost its referee"), "{cause}");
    bench.leave();
}

#[test]
fn nothing_is_recorded_where_the_settings_say_so() {
    let bench = Bench::new("[recordings]\nmode = \"off\"");
    let mut seat = bench.seat();
    turn(&mut seat, 0);
    assert!(!bench.folder().exists());
    let told = phalanx(&["daemon", "show", "--control", &control(bench.dir.path())]);
    assert!(stdout(&told).contains("\"recordings.mode\":\"off\""), "{}", stdout(&told));
    drop(seat);
    bench.leave();
}

#[test]
fn recordings_of_a_daemon_are_listed_fetched_and_deleted() {
    let bench = Bench::new("[recordings]\nflush_every = \"100ms\"");
    let control = control(bench.dir.path());
    let ask =
        |words: &[&str]| asked(&[&["recording"], words, &["--control", &control]].concat(), 0);
    let one = || ask(&["list"])["recordings"][0].clone();
    let mut seat = bench.seat();
    turn(&mut seat, 0);
    wait(|| (one()["state"] == "recording").then_some(()));
    let name = one()["name"].as_str().unwrap().to_owned();
    assert!(name.starts_with("A-assemble-20"), "{name}");
    let there = bench.dir.path().join("films");
    let fetch = || {
        let fetched = ask(&["fetch", &name, "--to", text(&there)]);
        PathBuf::from(fetched["files"][0].as_str().unwrap())
    };
    // An incomplete copy is continued.
    let first = std::fs::read(fetch()).unwrap();
    for id in 1..20 {
        turn(&mut seat, id);
    }
    // What is played is written a little later.
    wait(|| ask(&["info", &name])["channels"]["/journal"]["messages"].as_u64());
    let refused = |words: &[&str], why: &str| {
        let args = [&["recording"], words, &["--control", &control]].concat();
        let output = phalanx(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(why), "{args:?}: {}", stderr(&output));
    };
    refused(&["delete", &name], "is being written");
    refused(&["fetch", "nothing"], "`phalanx recording list`");
    refused(&["delete", ".."], "a resource name");
    refused(&["dump", "A"], "no flight recorder");
    drop(seat);
    let drained = phalanx(&["team", "drain", "A", "--control", &control]);
    assert!(drained.status.success(), "{}", stderr(&drained));
    wait(|| (one()["state"] == "whole").then_some(()));
    let copy = fetch();
    let (copied, kept) = (std::fs::read(&copy).unwrap(), files(&bench.folder(), ".mcap").remove(0));
    assert!(copied.len() > first.len() && copied.starts_with(&first));
    assert!(copied == std::fs::read(kept).unwrap());
    asked(&["recording", "info", text(&copy), "--check"], 0);
    ask(&["delete", &name]);
    assert_eq!(ask(&["list"])["recordings"], json!([]));
    assert_eq!(files(&bench.folder(), ".mcap").len(), 0);
    bench.leave();
}

#[test]
fn a_demo_shows_what_it_records_to_its_page() {
    let dir = tempfile::tempdir().unwrap();
    let mut shell = quiet(Command::new("sh"));
    shell.args(["-c", r#"exec "$0" "$@" 2>&1"#, PHALANX, "demo", "--steps", "2000", "--no-watch"]);
    shell.arg("--record").arg(dir.path());
    let mut demo = Running::start(shell);
    let line = demo.line_with("see it");
    let page = line.trim().rsplit(' ').next().unwrap().trim_end_matches('/');
    let there = || asked(&["recording", "list", "--control", page], 0)["recordings"].clone();
    let is_written = |it: &Value| it["state"] == "recording";
    wait(|| {
        let there = there();
        let all = there.as_array()?;
        (all.len() == 2 && all.iter().all(is_written)).then_some(())
    });
    let name = there()[0]["name"].as_str().unwrap().to_owned();
    let refused = phalanx(&["recording", "delete", &name, "--control", page]);
    assert!(stderr(&refused).contains("is being written"), "{}", stderr(&refused));
    demo.signal("INT");
    demo.finish();
}

#[test]
fn a_flight_recorder_is_written_when_somebody_asks_for_it() {
    let bench = Bench::new("[recordings]\nmode = \"flight\"");
    let control = control(bench.dir.path());
    let mut seat = bench.seat();
    turn(&mut seat, 0);
    let dumped = asked(&["recording", "dump", "--control", &control], 0);
    let name = dumped["recording"].as_str().unwrap();
    let info = asked(&["recording", "info", name, "--control", &control], 0);
    assert_eq!(info["state"], "whole", "{info}");
    let cause = info["cause"].as_str().unwrap();
    assert!(cause.ends_with(" asked for it"), "{cause}");
    drop(seat);
    bench.leave();
}

#[tokio::test]
async fn a_recording_is_streamed_from_any_moment_by_channel() {
    let bench = Bench::new("[recordings]\nflush_every = \"100ms\"");
    let mut seat = bench.seat();
    for id in 0..20 {
        turn(&mut seat, id);
    }
    let address = Address::Unix(bench.dir.path().join("control.sock"));
    let client = RecordingsClient::new(connect(&address).await.unwrap());
    let name = loop {
        let listed = client.clone().list_recordings(v1::ListRecordingsRequest::default()).await;
        if let Some(one) = listed.unwrap().into_inner().recordings.pop() {
            break one.name;
        }
    };
    let ask = async |channels: &[&str], from: Option<Duration>, speed: f64| {
        let request = v1::ReplayRecordingRequest {
            name: name.clone(),
            channels: channels.iter().map(|&channel| channel.to_owned()).collect(),
            from: from.map(|from| from.try_into().unwrap()),
            speed,
        };
        let mut stream = client.clone().replay_recording(request).await.unwrap().into_inner();
        let mut all = Vec::new();
        while let Some(message) = stream.message().await.unwrap() {
            all.push(message);
        }
        // It is being written, so its end is missing, and perhaps the end of its last chunk.
        let missing: Vec<_> = all.extract_if(.., |it| !it.damage.is_empty()).collect();
        assert!(!missing.is_empty());
        assert!(missing.iter().all(|it| it.damage.contains("cut off")), "{missing:?}");
        all
    };
    let turns = async || {
        let events = ask(&["/journal"], None, 0.0).await;
        let event = |message: &v1::ReplayRecordingResponse| {
            assert_eq!((&*message.channel, &*message.message_type), ("/journal", EVENT));
            v1::MatchEvent::decode(&*message.data).unwrap()
        };
        let events = events.iter().map(event);
        events.filter(|it| matches!(it.kind, Some(v1::match_event::Kind::TurnDone(_)))).count()
    };
    while turns().await < 20 {}
    let parts = ["/seat/", "/team"];
    // The file still grows: repeat until both reads see the same contents.
    loop {
        let wire = ask(&parts, None, 0.0).await;
        assert!(wire.iter().any(|it| it.channel == "/seat/0/received"));
        assert!(wire.iter().all(|it| it.channel.starts_with("/seat/") || it.channel == "/team"));
        let half = wire[wire.len() / 2].nanos;
        let from = Some(Duration::from_nanos(half.unsigned_abs()));
        let rest = ask(&parts, from, 1_000.0).await;
        let expected: Vec<_> = wire.iter().filter(|it| it.nanos >= half).cloned().collect();
        assert!(rest.starts_with(&expected));
        if rest == expected {
            break;
        }
    }
    drop(seat);
    bench.leave();
}

const EVENT: &str = "phalanx.v1.MatchEvent";
