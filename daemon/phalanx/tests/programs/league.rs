//! `phalanx league`: many matches, a table, results that can be continued, here and in a daemon.

use crate::support::{
    PHALANX, Running, WALKS, control, daemon, phalanx, python, quiet, settings, stderr, stdout,
    strategy,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[test]
fn a_small_league_gives_the_same_twice_and_goes_on_where_it_ended() {
    let dir = tempfile::tempdir().unwrap();
    let walks = strategy(dir.path(), "walks", WALKS);
    let kept = [dir.path().join("first"), dir.path().join("second")];
    let markdown = dir.path().join("table.md");
    let mut told = Vec::new();
    for (folder, threads) in kept.iter().zip(["1", "2"]) {
        let output = phalanx(&[
            "league",
            "run",
            "--game",
            "assemble",
            "--steps",
            "4",
            "--seeds",
            "3..4",
            "--strategy",
            &walks,
            "--strategy",
            "idle",
            "--threads",
            threads,
            "--output",
            "json",
            "--folder",
            folder.to_str().unwrap(),
            "--markdown",
            markdown.to_str().unwrap(),
        ]);
        assert!(output.status.success(), "{}", stderr(&output));
        let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&shown["played"], &shown["failed"]), (&4.into(), &0.into()), "{shown}");
        told.push((stdout(&output), std::fs::read(folder.join("results.jsonl")).unwrap()));
    }
    assert_eq!(told[0], told[1]);
    let page = std::fs::read_to_string(markdown).unwrap();
    assert!(page.contains("| walks |") && page.contains("| idle |"), "{page}");

    // Half of the results are deleted: those matches are played again.
    let results = kept[0].join("results.jsonl");
    let text = String::from_utf8(told[0].1.clone()).unwrap();
    let half: Vec<_> = text.lines().take(2).collect();
    std::fs::write(&results, half.join("\n") + "\n{\"mat").unwrap();
    let folder = kept[0].to_str().unwrap();
    let again = |seeds| {
        phalanx(&[
            "league",
            "run",
            "--game",
            "assemble",
            "--steps",
            "4",
            "--seeds",
            seeds,
            "--strategy",
            &walks,
            "--strategy",
            "idle",
            "--output",
            "json",
            "--folder",
            folder,
        ])
    };
    let output = again("3..4");
    assert_eq!(stdout(&output), told[0].0);
    assert_eq!(std::fs::read(&results).unwrap(), told[0].1);
    let other = again("3..5");
    assert_eq!(other.status.code(), Some(1));
    assert!(stderr(&other).contains("holds another league"), "{}", stderr(&other));
}

#[test]
fn games_for_one_compare_what_each_scored() {
    let output = phalanx(&[
        "league",
        "run",
        "--game",
        "asimulator",
        "--worlds",
        "2",
        "--steps",
        "30",
        "--seeds",
        "1..3",
        "--strategy",
        "shipped",
        "--strategy",
        "idle",
        "--output",
        "json",
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&shown["matches"], &shown["failed"]), (&6.into(), &0.into()), "{shown}");
    let [first, second] = shown["players"].as_array().unwrap().as_slice() else { panic!() };
    assert_eq!(first["against_mean"], 0.0);
    let games = |row: &Value| {
        let count = |key: &str| row[key].as_u64().unwrap();
        count("wins") + count("draws") + count("losses")
    };
    assert_eq!((games(first), games(second)), (3, 3));
}

#[test]
fn what_cannot_be_a_league_is_told_before_anything_is_played() {
    let dir = tempfile::tempdir().unwrap();
    let broken = strategy(dir.path(), "broken", "return { decide = function( }");
    let run = |words: &[&str]| {
        let args: Vec<_> = ["league", "run", "--game", "assemble"].iter().chain(words).collect();
        let output = phalanx(&args.into_iter().copied().collect::<Vec<_>>());
        (output.status.code(), stderr(&output))
    };
    let (code, said) = run(&["--strategy", "idle"]);
    assert_eq!(code, Some(64));
    assert!(said.contains("a league needs 2 to 32 strategies, and got 1"), "{said}");
    let (code, said) = run(&["--strategy", "idle", "--strategy", "idle"]);
    assert_eq!(code, Some(64));
    assert!(said.contains("two players are called \"idle\""), "{said}");
    let (code, said) = run(&["--strategy", "idle", "--strategy", &broken]);
    assert_eq!(code, Some(1));
    assert!(said.contains("broken") && said.contains("worker.luau:1"), "{said}");
    let (code, said) = run(&["--strategy", "idle", "--strategy", "a=shipped", "--sprt=elo1=-5"]);
    assert_eq!(code, Some(64));
    assert!(said.contains("elo0 below elo1"), "{said}");
    let (code, said) = run(&["--strategy", "idle", "--strategy", "shipped", "--worlds", "3"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("a match of assemble has one world; --worlds is for asimulator"));
    let markdown = ["--strategy", "idle", "--strategy", "shipped", "--markdown", "/nowhere/x.md"];
    let (code, said) = run(&markdown);
    assert_eq!(code, Some(64));
    assert!(said.contains("--markdown /nowhere/x.md: there is no folder /nowhere"), "{said}");
    let folder = dir.path().to_str().unwrap();
    let markdown = ["--strategy", "idle", "--strategy", "shipped", "--markdown", folder];
    let (code, said) = run(&markdown);
    assert_eq!(code, Some(1));
    assert!(said.contains(&format!("--markdown: cannot write {folder}")), "{said}");
}

/// Settings of a daemon that keeps leagues, and whose only team never reaches its referee.
fn keeping(dir: &Path) -> PathBuf {
    let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
    let path = settings(dir, nobody, 1, "return { decide = function() return act.skip() end }");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("state_dir = \"{}/state\"\n{text}", dir.display())).unwrap();
    path
}

fn started(config: &Path) -> Running {
    let mut daemon = daemon(config);
    daemon.line_with("control API");
    daemon
}

/// The JSON output of `phalanx league …`, or its error.
fn ask(dir: &Path, words: &[&str]) -> Result<Value, String> {
    let control = control(dir);
    let tail = ["--output", "json", "--control", &control];
    let args: Vec<_> = ["league"].iter().chain(words).chain(&tail).copied().collect();
    let output = phalanx(&args);
    if !output.status.success() {
        return Err(stderr(&output));
    }
    Ok(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn a_daemon_plays_the_same_league_and_tells_each_result() {
    let dir = tempfile::tempdir().unwrap();
    let walks = strategy(dir.path(), "walks", WALKS);
    let _daemon = started(&keeping(dir.path()));
    let plan = ["--game", "assemble", "--steps", "4", "--seeds", "3..4", "--strategy", &walks];
    let plan = [&plan[..], &["--strategy", "idle"]].concat();
    let create = [&["create", "--name", "night"][..], &plan].concat();
    let checked = ask(dir.path(), &[&create[..], &["--check"]].concat()).unwrap();
    assert_eq!(checked["standing"]["total"], 4);
    let begun = ask(dir.path(), &create).unwrap();
    assert_eq!(begun["name"], "night");
    let control = control(dir.path());
    let watched = phalanx(&["league", "watch", "night", "--output", "json", "--control", &control]);
    let events: Vec<Value> =
        stdout(&watched).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.iter().filter(|event| event["kind"] == "result").count(), 4);
    let last = events.last().unwrap();
    assert_eq!((&last["kind"], &last["ended"]["state"]), (&"ended".into(), &"over".into()));

    let here = dir.path().join("here");
    let run = [&["league", "run", "--output", "json"][..], &plan].concat();
    let output = phalanx(&[&run[..], &["--folder", here.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let results = |folder: &Path| std::fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let there = dir.path().join("state/leagues/night");
    assert_eq!(results(&there), results(&here));

    let refused = |words: &[&str]| ask(dir.path(), words).unwrap_err();
    assert!(refused(&create).contains("LEAGUE_EXISTS"));
    assert!(refused(&["cancel", "night"]).contains("LEAGUE_NOT_RUNNING"));
    assert!(refused(&["resume", "night"]).contains("LEAGUE_OVER"));
    assert!(refused(&["show", "nobody"]).contains("LEAGUE_NOT_FOUND"));
    ask(dir.path(), &["delete", "night"]).unwrap();
    assert!(!there.exists());
    assert_eq!(ask(dir.path(), &["list"]).unwrap()["leagues"], serde_json::json!([]));
}

#[test]
fn a_league_of_a_daemon_is_cancelled_goes_on_and_outlives_the_daemon() {
    let dir = tempfile::tempdir().unwrap();
    let walks = strategy(dir.path(), "walks", WALKS);
    let config = keeping(dir.path());
    let first = started(&config);
    let create = [
        "create",
        "--game",
        "assemble",
        "--steps",
        "4",
        "--seeds",
        "1..20000",
        "--strategy",
        &walks,
        "--strategy",
        "idle",
    ];
    let begun = ask(dir.path(), &create).unwrap();
    assert_eq!((&begun["name"], &begun["state"]), (&"league-1".into(), &"playing".into()));
    let busy = ask(dir.path(), &[&create[..], &["--name", "other"]].concat()).unwrap_err();
    assert!(busy.contains("TOO_MANY_LEAGUES"), "{busy}");
    let mut watch = quiet(Command::new(PHALANX));
    watch.args(["league", "watch", "--output", "json", "--control", &control(dir.path())]);
    watch.stderr(Stdio::null());
    let mut watch = Running::start(watch);
    watch.line_with("\"number\":1,");
    let stopped = ask(dir.path(), &["cancel"]).unwrap();
    assert_eq!(stopped["state"], "stopped");
    let played = stopped["standing"]["played"].as_u64().unwrap();
    assert!(played >= 2, "{stopped}");
    assert_eq!(watch.finish().1, Some(0));

    let resumed = ask(dir.path(), &["resume", "league-1"]).unwrap();
    assert_eq!(resumed["state"], "playing");
    assert!(resumed["standing"]["played"].as_u64().unwrap() >= played);
    // The daemon ends while the league runs.
    first.terminate();
    assert_eq!(first.finish().1, Some(0));
    let second = started(&config);
    let found = ask(dir.path(), &["show", "league-1"]).unwrap();
    assert_eq!(found["state"], "stopped", "{found}");
    assert!(found["standing"]["played"].as_u64().unwrap() >= played);
    // With changed files it is another league.
    std::fs::write(Path::new(&walks).join("worker.luau"), format!("-- new\n{WALKS}")).unwrap();
    let changed = ask(dir.path(), &["resume", "league-1"]).unwrap_err();
    assert!(changed.contains("the files of walks were other ones"), "{changed}");
    second.terminate();
    assert_eq!(second.finish().1, Some(0));
}

#[test]
fn what_a_killed_run_left_behind_changes_no_byte_of_a_dataset() {
    let dir = tempfile::tempdir().unwrap();
    let written = |name: &str, left: bool| {
        let data = dir.path().join(name);
        if left {
            let folder = data.join(".recordings/match-000001");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("A-assemble-20260101T000000Z.mcap"), "cut off").unwrap();
        }
        let words = ["league", "run", "--game", "assemble", "--steps", "3", "--seeds", "3"];
        let players = ["--strategy", "idle", "--strategy", "other=idle"];
        let output =
            phalanx(&[&words[..], &players, &["--dataset", data.to_str().unwrap()]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        [0, 1].map(|number| std::fs::read(data.join(format!("match-00000{number}.parquet"))))
    };
    let [ours, theirs] = [written("whole", false), written("again", true)];
    for (ours, theirs) in ours.into_iter().zip(theirs) {
        assert!(ours.unwrap() == theirs.unwrap());
    }
}

#[test]
fn a_dataset_has_a_row_for_each_decision_of_each_match() {
    let dir = tempfile::tempdir().unwrap();
    let notes = "return { decide = function(me)
        board.set('goal', { x = 1 })
        explain('because')
        return act.move(rng.pick({ 'n', 's' }))
    end }";
    let notes = strategy(dir.path(), "notes", notes);
    let (data, results) = (dir.path().join("data"), dir.path().join("results"));
    let run = |more: &[&str]| {
        let words = ["league", "run", "--game", "assemble", "--steps", "6", "--seeds", "3..4"];
        let players = ["--strategy", &notes, "--strategy", "idle", "--output", "json"];
        phalanx(&[&words[..], &players, more].concat())
    };
    let folders = ["--folder", results.to_str().unwrap(), "--dataset", data.to_str().unwrap()];
    let output = run(&folders);
    assert!(output.status.success(), "{}", stderr(&output));
    // The results are those of a league without a dataset.
    assert_eq!(stdout(&output), stdout(&run(&[])));
    let names: Vec<_> = (0..4).map(|number| format!("match-{number:06}.parquet")).collect();
    let mut found: Vec<_> = std::fs::read_dir(&data)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, names);
    let lines = std::fs::read_to_string(results.join("results.jsonl")).unwrap();
    for (name, line) in names.iter().zip(lines.lines()) {
        let result: Value = serde_json::from_str(line).unwrap();
        let rows = parquet_rows(&data.join(name));
        // 15 agents on both sides in 6 steps.
        assert_eq!(rows.len(), 15 * 2 * 6, "{:?}", rows.first());
        for row in &rows {
            assert_eq!(row["seed"], result["seed"].to_string());
            let seat = usize::from(result["players"][1] == row["player"].trim_matches('"'));
            assert_eq!(row["own_score"], result["scores"][seat].to_string());
            assert_eq!(row["opponent"].trim_matches('"'), result["players"][1 - seat]);
        }
        let own = |row: &&BTreeMap<String, String>| row["player"] == "\"notes\"";
        let moved = rows.iter().filter(own).filter(|row| row["action"].contains("move("));
        assert_eq!(moved.count(), 15 * 6);
        let noted = rows.iter().filter(own).filter(|row| row["board"].contains("goal"));
        assert_eq!(
            noted.count(),
            15 * 5,
            "the board before a turn has what the turns before wrote"
        );
        assert!(rows.iter().filter(own).all(|row| row["reason"].contains("because")));
        assert!(rows.iter().all(|row| !row["percept"].is_empty()));
    }
    // The same command writes the same bytes, and the example notebook reads them.
    let again = dir.path().join("again");
    run(&["--dataset", again.to_str().unwrap(), "--threads", "2"]);
    for name in &names {
        assert!(
            std::fs::read(again.join(name)).unwrap() == std::fs::read(data.join(name)).unwrap()
        );
    }
    if let Some(python) = python("dataset", &["pyarrow==26.0.1"], "pyarrow.dataset") {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/notebook/dataset.py");
        let output = Command::new(python).arg(script).arg(&data).output().unwrap();
        let text = stdout(&output);
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(text.starts_with("720 decisions in 4 matches\n"), "{text}");
        assert!(text.contains("notes            4 matches, 0 won"), "{text}");
    }
}

#[test]
fn a_dataset_that_would_have_holes_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let run = |seeds: &str, more: &[&str]| {
        let words = ["league", "run", "--game", "assemble", "--steps", "2", "--seeds", seeds];
        let players = ["--strategy", "a=idle", "--strategy", "b=idle", "--folder"];
        phalanx(&[&words[..], &players, more].concat())
    };
    let (results, data, other) = (folder("results"), folder("data"), folder("other"));
    let refused = |output: &Output, why: &str| {
        assert_eq!(output.status.code(), Some(64));
        assert!(stderr(output).contains(why), "{}", stderr(output));
    };
    let queued = run("1..2", &[&results, "--dataset", &data, "--nats", "nats://127.0.0.1:1"]);
    refused(&queued, "workers send scores only");
    assert!(run("1..2", &[&results, "--dataset", &data]).status.success());
    let missing = run("1..2", &[&results, "--dataset", &other]);
    refused(&missing, "4 matches of this league were played without");
    let another = run("3..4", &[&folder("next"), "--dataset", &data]);
    refused(&another, ".parquet is of another league");
    // Nothing is missing, so the league may go on.
    assert!(run("1..2", &[&results, "--dataset", &data]).status.success());
}

/// The rows of a Parquet file as its library reads them: values by the names of columns.
fn parquet_rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let file = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let rows = file.get_row_iter(None).unwrap();
    rows.map(|row| {
        let row = row.unwrap();
        row.get_column_iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
    })
    .collect()
}
