//! A daemon that shows what other processes play: leagues, ladders and tune runs in one folder, and
//! ladders on a real nats-server.

use crate::nats::NatsServer;
use crate::queue::sample_server;
use crate::support::{
    PATIENCE, PHALANX, Running, WALKS, control, daemon, phalanx, quiet, refused, settings, stderr,
    strategy, text, wait,
};
use crate::watching::{scrape, value};
use phalanx_control::client::{Address, Link, connect};
use phalanx_proto::v1;
use phalanx_proto::v1::lab_client::LabClient;
use phalanx_proto::v1::recordings_client::RecordingsClient;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tonic_types::StatusExt;

/// A daemon that shows the folder `lab`, and whose only team never reaches its referee.
fn showing(dir: &Path) -> Running {
    showing_with(dir, &format!("path = \"{}/lab\"", dir.display()))
}

/// A daemon with these keys in `[lab]`.
fn showing_with(dir: &Path, keys: &str) -> Running {
    let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
    let path = settings(dir, nobody, 1, "return { decide = function() return act.skip() end }");
    let (here, text) = (dir.display(), std::fs::read_to_string(&path).unwrap());
    let text = format!("state_dir = \"{here}/state\"\n{text}\n[lab]\n{keys}\n");
    std::fs::write(&path, text).unwrap();
    let mut daemon = daemon(&path);
    daemon.line_with("control API");
    daemon
}

/// The JSON output of a command of the daemon, or its error.
fn ask(dir: &Path, words: &[&str]) -> Result<Value, String> {
    let control = control(dir);
    let output = phalanx(&[words, &["--output", "json", "--control", &control]].concat());
    if !output.status.success() {
        return Err(stderr(&output));
    }
    Ok(serde_json::from_slice(&output.stdout).unwrap())
}

/// Plays into a folder, and leaves it.
fn played(words: &[&str]) -> Value {
    let output = phalanx(&[words, &["--output", "json"]].concat());
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

async fn link(dir: &Path) -> Link {
    connect(&Address::Unix(dir.join("control.sock"))).await.unwrap()
}

#[test]
fn a_league_of_another_process_is_listed_watched_and_measured_and_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let walks = strategy(dir.path(), "walks", WALKS);
    // The name of a folder need not be one of a league.
    let folder = dir.path().join("lab/Night_1");
    let _daemon = showing(dir.path());
    let mut run = quiet(Command::new(PHALANX));
    run.args(["league", "run", "--game", "assemble", "--steps", "4", "--seeds", "1..20000"]);
    run.args(["--strategy", &walks, "--strategy", "idle", "--folder"]).arg(&folder);
    run.stdout(Stdio::null()).stderr(Stdio::null());
    let run = Running::start(run);

    let shown = || ask(dir.path(), &["league", "show", "Night_1"]).ok();
    let playing = wait(|| shown().filter(|league| league["state"] == "playing"));
    assert_eq!(playing["folder"], text(&folder));
    let mut watch = quiet(Command::new(PHALANX));
    watch.args(["league", "watch", "Night_1", "--output", "json"]);
    watch.args(["--control", &control(dir.path())]).stderr(Stdio::null());
    let mut watch = Running::start(watch);
    // Each result, with the table after it.
    let line: Value = serde_json::from_str(&watch.line_with("\"result\"")).unwrap();
    let number = line["result"]["number"].as_u64().unwrap();
    assert_eq!(line["result"]["standing"]["played"], number + 1, "{line}");
    assert_eq!(line["result"]["standing"]["total"], 40_000, "{line}");
    let labels = ["kind=\"league\"", "name=\"Night_1\""];
    let figure = |name: &str| value(&scrape(dir.path()), name, &labels);
    assert_eq!(figure("phalanx_lab_playing"), Some(1.0));
    assert!(figure("phalanx_lab_matches_played").unwrap() > 0.0);
    assert_eq!(figure("phalanx_lab_matches_planned"), Some(40_000.0));
    for verb in ["cancel", "resume", "delete"] {
        let refused = ask(dir.path(), &["league", verb, "Night_1"]).unwrap_err();
        assert!(refused.contains("LEAGUE_ELSEWHERE"), "{verb}: {refused}");
    }

    // The watch ends with the process that plays, and the next one is followed again.
    run.signal("INT");
    assert_eq!(run.finish().1, Some(130));
    let (told, code) = watch.finish();
    assert_eq!(code, Some(0), "{told}");
    let last: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    assert_eq!((&last["kind"], &last["ended"]["state"]), (&"ended".into(), &"stopped".into()));
    let stopped = shown().unwrap();
    let lines = std::fs::read_to_string(folder.join("results.jsonl")).unwrap().lines().count();
    assert_eq!(stopped["standing"]["played"], lines);
    std::fs::remove_dir_all(&folder).unwrap();
    wait(|| shown().is_none().then_some(()));
}

/// A ladder of two strategies with six matches, of which one was recorded.
fn club(dir: &Path) -> String {
    let ladder = dir.join("lab/club");
    let ladder = text(&ladder);
    let walks = strategy(dir, "walks", WALKS);
    let submit = ["ladder", "submit", ladder, &walks, "idle", "--game", "assemble", "--steps", "4"];
    played(&submit);
    played(&["ladder", "match", ladder, "--matches", "6"]);
    played(&["ladder", "history", ladder, "--record", "3"]);
    ladder.to_owned()
}

/// Asks for matches of that ladder.
fn matches_of(
    page_size: i32,
    page_token: &str,
    [strategy, against]: [&str; 2],
) -> v1::ListLadderMatchesRequest {
    v1::ListLadderMatchesRequest {
        parent: "ladders/club".to_owned(),
        page_size,
        page_token: page_token.to_owned(),
        strategy: strategy.to_owned(),
        against: against.to_owned(),
    }
}

#[tokio::test]
async fn a_ladder_is_shown_with_its_table_and_curves_also_while_it_grows() {
    let dir = tempfile::tempdir().unwrap();
    let ladder = club(dir.path());
    let _daemon = showing(dir.path());
    let mut lab = LabClient::new(link(dir.path()).await);

    let ladders = lab.list_ladders(v1::ListLaddersRequest::default()).await.unwrap().into_inner();
    let [club] = ladders.ladders.as_slice() else { panic!("{ladders:?}") };
    assert_eq!(
        (club.name.as_str(), club.game.as_str(), club.played),
        ("ladders/club", "assemble", 6)
    );
    assert_eq!((club.player.as_str(), club.rows.len()), ("", 0));

    let name = "ladders/club".to_owned();
    let shown = lab.get_ladder(v1::GetLadderRequest { name }).await.unwrap();
    let shown = shown.into_inner();
    let rows = shown.ladder.unwrap().rows;
    let mut strategies: Vec<_> = rows.iter().map(|row| row.strategy.as_str()).collect();
    strategies.sort_unstable();
    assert_eq!(strategies, ["idle@1", "walks@1"]);
    let [pair] = shown.pairs.as_slice() else { panic!("{:?}", shown.pairs) };
    assert_eq!((pair.row, pair.against, pair.wins + pair.draws + pair.losses), (0, 1, 6));
    let last = shown.series.iter().map(|line| line.points.last().unwrap());
    for (point, row) in last.zip(&rows) {
        assert_eq!((point.played, point.elo, point.error), (6, row.elo, row.error));
    }

    for name in ["ladders/none", "club", "ladders/..", ""] {
        let missing = lab.get_ladder(v1::GetLadderRequest { name: name.to_owned() }).await;
        let info = missing.unwrap_err().get_details_error_info().unwrap();
        assert_eq!(info.reason, "LADDER_NOT_FOUND", "{name}");
    }
    // What is played meanwhile appears.
    played(&["ladder", "match", &ladder, "--matches", "2"]);
    listed(dir.path(), |listed| listed.ladders[0].played == 8).await;
}

#[tokio::test]
async fn the_matches_of_a_ladder_come_in_pages_with_their_recordings() {
    let dir = tempfile::tempdir().unwrap();
    club(dir.path());
    let _daemon = showing(dir.path());
    let mut lab = LabClient::new(link(dir.path()).await);
    let page = lab.list_ladder_matches(matches_of(4, "", ["", ""])).await.unwrap().into_inner();
    let numbers = |page: &v1::ListLadderMatchesResponse| {
        page.matches.iter().map(|one| one.number).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&page), [5, 4, 3, 2]);
    let rest =
        lab.list_ladder_matches(matches_of(4, &page.next_page_token, ["", ""])).await.unwrap();
    assert_eq!(
        (numbers(rest.get_ref()), rest.get_ref().next_page_token.as_str()),
        (vec![1, 0], "")
    );
    let both = lab.list_ladder_matches(matches_of(0, "", ["idle@1", "walks@1"])).await.unwrap();
    assert_eq!(numbers(both.get_ref()).len(), 6);
    let none = lab.list_ladder_matches(matches_of(0, "", ["idle@2", ""])).await.unwrap();
    assert!(none.get_ref().matches.is_empty());

    // The recordings of a match are among those of the daemon.
    let mut recordings = RecordingsClient::new(link(dir.path()).await);
    let films = &page.matches[2].recordings;
    assert_eq!(films.len(), 2, "{films:?}");
    assert!(page.matches[1].recordings.is_empty());
    let listed = recordings.list_recordings(v1::ListRecordingsRequest::default()).await.unwrap();
    let listed = listed.into_inner().recordings;
    for film in films {
        assert!(film.starts_with("recordings/club.match-3."), "{film}");
        assert!(listed.iter().any(|one| one.name == *film), "{film}");
        let got = v1::GetRecordingRequest { name: film.clone() };
        let got = recordings.get_recording(got).await.unwrap().into_inner().recording.unwrap();
        assert_eq!((&got.name, got.turns), (film, 4));
        let refused = v1::DeleteRecordingRequest { name: film.clone(), request_id: String::new() };
        assert!(recordings.delete_recording(refused).await.is_err());
    }
}

#[tokio::test]
async fn a_tune_run_is_shown_with_what_its_report_says() {
    let dir = tempfile::tempdir().unwrap();
    let hasty = dir.path().join("hasty");
    std::fs::create_dir_all(&hasty).unwrap();
    std::fs::write(hasty.join("explorer.luau"), crate::tune::HASTY).unwrap();
    let out = dir.path().join("lab/mine");
    let run = ["tune", "run", text(&hasty), "--game", "asimulator", "--worlds", "1"];
    let found =
        played(&[&run[..], &["--seeds", "1..4", "--budget", "120", "--out", text(&out)]].concat());
    let broken = dir.path().join("lab/broken");
    std::fs::create_dir_all(&broken).unwrap();
    std::fs::copy(out.join("tune.json"), broken.join("tune.json")).unwrap();
    std::fs::write(broken.join("results.jsonl"), "{\"candidate\":7}\n").unwrap();
    let _daemon = showing(dir.path());
    let mut lab = LabClient::new(link(dir.path()).await);

    let listed = lab.list_tune_runs(v1::ListTuneRunsRequest::default()).await.unwrap().into_inner();
    let [broken, mine] = listed.runs.as_slice() else { panic!("{listed:?}") };
    assert!(broken.trouble.contains("results.jsonl, line 1"), "{broken:?}");
    assert_eq!((mine.name.as_str(), mine.trouble.as_str()), ("tuneRuns/mine", ""));
    assert_eq!(found["run"], mine.run_id);
    assert_eq!((found["played"].as_u64(), mine.budget), (Some(mine.played), 120));
    assert!(!mine.playing);

    let name = "tuneRuns/mine".to_owned();
    let shown = lab.get_tune_run(v1::GetTuneRunRequest { name }).await.unwrap().into_inner();
    assert_eq!(shown.run.as_ref(), Some(mine));
    let report = shown.report.unwrap();
    let [patience] = report.parameters.as_slice() else { panic!("{:?}", report.parameters) };
    assert_eq!((patience.name.as_str(), patience.start.as_str()), ("patience", "1"));
    assert_eq!(found["best"]["patience"].to_string(), format!("{}.0", patience.best));
    assert_eq!(report.improvements.len(), found["improvements"].as_array().unwrap().len());
    assert!(report.conditions.iter().any(|line| line == "Game: asimulator"));
    let page = std::fs::read_to_string(out.join("report.md")).unwrap();
    assert!(page.contains(&mine.summary), "{}\n{page}", mine.summary);
    let missing = v1::GetTuneRunRequest { name: "tuneRuns/none".to_owned() };
    let missing = lab.get_tune_run(missing).await.unwrap_err();
    assert_eq!(missing.get_details_error_info().unwrap().reason, "TUNE_RUN_NOT_FOUND");
}

#[tokio::test]
async fn a_daemon_without_a_lab_says_which_setting_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
    let path =
        settings(dir.path(), nobody, 1, "return { decide = function() return act.skip() end }");
    let mut running = daemon(&path);
    running.line_with("control API");
    let mut lab = LabClient::new(link(dir.path()).await);
    let refused = lab.list_ladders(v1::ListLaddersRequest::default()).await.unwrap_err();
    assert!(refused.message().contains("lab.path"), "{refused:?}");
    assert_eq!(refused.get_details_error_info().unwrap().reason, "NO_LAB");
}

/// The answer of `ListLadders` once it is as wanted.
async fn listed(
    dir: &Path,
    wanted: impl Fn(&v1::ListLaddersResponse) -> bool,
) -> v1::ListLaddersResponse {
    let mut lab = LabClient::new(link(dir).await);
    let begun = Instant::now();
    loop {
        let listed = lab.list_ladders(v1::ListLaddersRequest::default()).await.unwrap();
        if wanted(listed.get_ref()) {
            return listed.into_inner();
        }
        assert!(begun.elapsed() < PATIENCE, "it never came to that: {listed:?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn trouble(listed: &v1::ListLaddersResponse) -> &str {
    listed.server.as_ref().map_or("no server", |server| &server.trouble)
}

#[tokio::test]
async fn a_ladder_on_a_server_is_shown_and_measured_also_after_the_server_was_away() {
    let Some(mut server) = NatsServer::start() else { return };
    let (dir, url) = (tempfile::tempdir().unwrap(), server.url());
    let _daemon = showing_with(dir.path(), &format!("nats = \"{url}\""));
    // A server without ladders is no trouble.
    let none = listed(dir.path(), |listed| trouble(listed).is_empty()).await;
    assert_eq!((none.ladders.len(), none.server.unwrap().address), (0, url.clone()));

    let walks = strategy(dir.path(), "walks", WALKS);
    let submit = ["ladder", "submit", "kv:club", &walks, "idle", "--game", "assemble"];
    played(&[&submit[..], &["--steps", "4", "--nats", &url]].concat());
    let play = |matches: &str| {
        played(&["ladder", "match", "kv:club", "--matches", matches, "--here", "--nats", &url]);
    };
    play("4");
    let has = |count: u64| {
        move |listed: &v1::ListLaddersResponse| {
            listed.ladders.iter().any(|one| one.name == "ladders/kv:club" && one.played == count)
        }
    };
    listed(dir.path(), has(4)).await;
    let mut lab = LabClient::new(link(dir.path()).await);
    let name = "ladders/kv:club".to_owned();
    let shown = lab.get_ladder(v1::GetLadderRequest { name: name.clone() }).await.unwrap();
    assert_eq!(shown.into_inner().ladder.unwrap().rows.len(), 2);
    let matches = v1::ListLadderMatchesRequest { parent: name, ..matches_of(9, "", ["", ""]) };
    assert_eq!(lab.list_ladder_matches(matches).await.unwrap().into_inner().matches.len(), 4);
    let labels = ["kind=\"ladder\"", "name=\"kv:club\""];
    let measured = value(&scrape(dir.path()), "phalanx_lab_matches_played", &labels);
    assert_eq!(measured, Some(4.0));

    // What was read stays while the server is away, with the reason; what comes later follows.
    server.kill();
    let away =
        listed(dir.path(), |listed| trouble(listed).contains("no nats-server answers")).await;
    assert!(has(4)(&away), "{away:?}");
    server.restart();
    play("2");
    let back = listed(dir.path(), has(6)).await;
    assert_eq!(trouble(&listed(dir.path(), |listed| trouble(listed).is_empty()).await), "");
    assert_eq!(back.ladders.len(), 1);
    // A store that is made anew has other ladders.
    server.lose_store();
    listed(dir.path(), |listed| listed.ladders.is_empty() && trouble(listed).is_empty()).await;
}

#[tokio::test]
async fn a_user_that_may_only_read_shows_the_ladders_of_a_server_and_cannot_play_them() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = sample_server(dir.path()) else { return };
    let url = server.url().replace("nats://", "tls://");
    let (password, ca) = (dir.path().join("password"), dir.path().join("ca.pem"));
    let (password, ca) = (text(&password), text(&ca));
    let login = |user| {
        let words = ["--nats", &url, "--nats-user", user];
        [&words[..], &["--nats-password-file", password, "--nats-ca", ca]].concat()
    };
    let keys = format!(
        "nats = \"{url}\"\nnats_user = \"reader\"\nnats_password_file = \"{password}\"\n\
         nats_ca = \"{ca}\""
    );
    let _daemon = showing_with(dir.path(), &keys);
    // The stores are not there yet.
    listed(dir.path(), |listed| trouble(listed).is_empty()).await;
    let walks = strategy(dir.path(), "walks", WALKS);
    let submit = ["ladder", "submit", "kv:club", &walks, "idle", "--game", "assemble"];
    played(&[&submit[..], &["--steps", "4"], &login("coordinator")].concat());
    let play = ["ladder", "match", "kv:club", "--matches", "2", "--here"];
    played(&[&play[..], &login("coordinator")].concat());
    let seen = listed(dir.path(), |listed| listed.ladders.iter().any(|one| one.played == 2)).await;
    assert_eq!(trouble(&seen), "");
    let said = refused(&[&play[..], &login("reader")].concat(), 1);
    assert!(said.contains("may not do that") || said.contains("ermissions"), "{said}");
}

#[tokio::test]
async fn a_server_that_refuses_or_is_silent_is_named_and_holds_nothing_up() {
    let right = "jetstream { store_dir: \"STORE\" }\nauthorization { user: me, password: right }\n";
    let Some(server) = NatsServer::with(right) else { return };
    let dir = tempfile::tempdir().unwrap();
    let password = dir.path().join("password");
    std::fs::write(&password, "wrong").unwrap();
    let (url, file) = (server.url(), text(&password));
    let keys = format!("nats = \"{url}\"\nnats_user = \"me\"\nnats_password_file = \"{file}\"");
    let refused = showing_with(dir.path(), &keys);
    listed(dir.path(), |listed| trouble(listed).contains("refuses these credentials")).await;
    // The password is read again.
    std::fs::write(&password, "right").unwrap();
    listed(dir.path(), |listed| trouble(listed).is_empty()).await;
    drop(refused);

    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let keys = format!("nats = \"nats://{}\"", silent.local_addr().unwrap());
    let _silent = showing_with(dir.path(), &keys);
    let first = listed(dir.path(), |_| true).await;
    assert_eq!(trouble(&first), "the server has not answered yet");
    listed(dir.path(), |listed| trouble(listed).contains("no nats-server answers")).await;
}

#[test]
fn a_league_on_a_queue_is_shown_with_the_workers_that_play_it() {
    let Some(server) = NatsServer::start() else { return };
    let (dir, url) = (tempfile::tempdir().unwrap(), server.url());
    let walks = strategy(dir.path(), "walks", WALKS);
    let folder = dir.path().join("lab/night");
    let _daemon = showing(dir.path());
    let mut worker = quiet(Command::new(PHALANX));
    worker.args(["worker", "--nats", &url, "--threads", "1"]).stderr(Stdio::null());
    let _worker = Running::start(worker);
    let mut run = quiet(Command::new(PHALANX));
    run.args(["league", "run", "--game", "assemble", "--steps", "4", "--seeds", "1..20000"]);
    run.args(["--strategy", &walks, "--strategy", "idle", "--nats", &url, "--folder"]).arg(&folder);
    run.stdout(Stdio::null()).stderr(Stdio::null());
    let run = Running::start(run);

    let shown = || ask(dir.path(), &["league", "show", "night"]).ok();
    let busy = |league: &Value| league["workers"].as_array().is_some_and(|all| !all.is_empty());
    let league = wait(|| shown().filter(busy));
    let [one] = league["workers"].as_array().unwrap().as_slice() else { panic!("{league}") };
    assert!(one["matches"].as_u64().unwrap() > 0, "{one}");
    assert!(!one["name"].as_str().unwrap().is_empty(), "{one}");
    let figure = || {
        let labels = ["kind=\"league\"", "name=\"night\""];
        value(&scrape(dir.path()), "phalanx_lab_workers", &labels)
    };
    assert_eq!(figure(), Some(1.0));
    let mut watch = quiet(Command::new(PHALANX));
    watch.args(["league", "watch", "night", "--output", "json"]);
    watch.args(["--control", &control(dir.path())]).stderr(Stdio::null());
    let mut watch = Running::start(watch);
    let line: Value = serde_json::from_str(&watch.line_with("\"result\"")).unwrap();
    assert_eq!(line["result"]["workers"], 1, "{line}");

    // The workers of a run that ended are those of none.
    run.signal("INT");
    run.finish();
    assert!(!folder.join("workers.json").exists());
    wait(|| (figure() == Some(0.0)).then_some(()));
}
