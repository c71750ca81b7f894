//! Data from recordings: reasons, times, tables, replays; and replays that become recordings.

use crate::support::{
    PYTHON_DEMANDED, first_recorded, phalanx, refused, said, stderr, stdout, text,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Agents of a team in the contest's match.
const AGENTS: usize = 15;

fn asked(args: &[&str]) -> Value {
    serde_json::from_str(&said(&[args, &["--output", "json"]].concat())).unwrap()
}

#[test]
fn reasons_times_and_tables_come_out_of_a_recording() {
    let dir = tempfile::tempdir().unwrap();
    let file = first_recorded(dir.path(), &["--steps", "12"]);
    let why = |who: &str| asked(&["why", who, "--file", &file]);
    let fifth = why("A/agentA1@5");
    assert_eq!((&fifth["step"], &fifth["agent"]), (&json!(5), &json!("A/agentA1")));
    assert_eq!((&fifth["result_turn"]["step"], &fifth["generation"]), (&json!(6), &json!(1)));
    assert!(!fifth["percept"].as_str().unwrap().is_empty(), "{fifth}");
    assert_eq!(why("agentA1@0:5"), fifth);
    assert_eq!(why("agentA1@-6"), fifth, "the last step is 11");
    assert!(refused(&["why", "nobody@5", "--file", &file], 1).contains("agentA15"));
    assert!(refused(&["why", "agentA1@99", "--file", &file], 1).contains("it has 0:0 to 0:11"));
    assert!(refused(&["why", "B/agentB1", "--file", &file], 64).contains("is of team A"));

    let csv = said(&["recording", "export", &file, "--to", "csv"]);
    let lines = said(&["recording", "export", &file, "--to", "jsonl"]);
    let parquet = dir.path().join("table.parquet");
    said(&["recording", "export", &file, "--to", "parquet", "--out", text(&parquet)]);
    let parquet = SerializedFileReader::new(std::fs::File::open(&parquet).unwrap()).unwrap();
    let columns = parquet.metadata().file_metadata().schema().get_fields().iter();
    let columns: Vec<_> = columns.map(|column| column.name()).collect();
    assert_eq!(columns.join(","), csv.lines().next().unwrap());
    let rows = usize::try_from(parquet.metadata().file_metadata().num_rows());
    assert_eq!(rows, Ok(lines.lines().count()));
    let rows: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(rows.len(), 12 * AGENTS);
    assert!(csv.starts_with("recording,team,game,round,step,time_ms,agent,"), "{csv}");
    let row = rows.iter().find(|row| row["agent"] == "agentA1" && row["step"] == 5).unwrap();
    let decided = &fifth["events"].as_array().unwrap().last().unwrap()["details"];
    for (column, field) in [("action", "action"), ("role", "role"), ("spent_us", "spent_us")] {
        assert_eq!(row[column], decided[field], "{column}");
    }
    assert_eq!((&row["result"], &row["percept"]), (&fifth["result"], &fifth["percept"]));
    if !notebook(dir.path(), &csv, &lines, rows.len()) {
        println!("the notebook is skipped: there is no python3");
    }
}

#[test]
fn a_recording_tells_where_the_time_of_each_turn_went() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["demo", "--steps", "6", "--pace", "1ms", "--json", "--record", text(dir.path())];
    let told: Value = serde_json::from_str(said(&args).lines().last().unwrap()).unwrap();
    let file = told["recordings"][0].as_str().unwrap().to_owned();
    let latency = asked(&["recording", "latency", &file]);
    assert_eq!((&latency["turns"], &latency["damage"]), (&json!(6), &json!(0)));
    let stages: Vec<_> =
        latency["stages"].as_array().unwrap().iter().map(|it| it["stage"].clone()).collect();
    let expected =
        ["received", "parsed", "handed", "settled", "planned", "decided", "written", "referee"];
    assert_eq!(stages, expected);
    assert!(latency["answer"]["count"].as_u64() >= Some(5), "{latency}");
    let one = asked(&["recording", "latency", &file, "--turn", "3"]);
    assert_eq!((&one["step"], &one["agents"]), (&json!(3), &json!(AGENTS)));
    let missing = refused(&["recording", "latency", &file, "--turn", "9"], 64);
    assert!(missing.contains("it has 0:0 to 0:5"), "{missing}");
    let page = said(&["recording", "latency", &file, "--output", "table", "--worst", "1"]);
    for expected in
        ["typical turn", "slowest turns", "not measured", "phalanx replay", "phalanx why"]
    {
        assert!(page.contains(expected), "{expected}: {page}");
    }
}

/// The example notebook reads both tables, and prints the same for both.
fn notebook(dir: &Path, csv: &str, lines: &str, decisions: usize) -> bool {
    let has_python = Command::new("python3").arg("--version").output().is_ok();
    assert!(has_python || std::env::var_os(PYTHON_DEMANDED).is_none(), "there is no python3");
    if !has_python {
        return false;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/notebook/decisions.py");
    let told = [("table.csv", csv), ("table.jsonl", lines)].map(|(name, table)| {
        let path = dir.join(name);
        std::fs::write(&path, table).unwrap();
        let output = Command::new("python3").arg(script).arg(&path).output().unwrap();
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        stdout(&output)
    });
    assert!(
        told[0].starts_with(&format!("{decisions} decisions of {AGENTS} agents")),
        "{}",
        told[0]
    );
    assert_eq!(told[0], told[1]);
    true
}

/// Imports a replay, exports it again and compares every byte; returns the recording.
fn round_trip(form: &str, replay: &Path, dir: &Path, more: &[&str]) -> String {
    let file = dir.join(format!("{form}.mcap"));
    said(&[&["recording", "import", text(replay), "--out", text(&file)], more].concat());
    let again = dir.join(format!("{form}.again"));
    said(&["recording", "export", text(&file), "--to", form, "--out", text(&again)]);
    assert_eq!(contents(&again), contents(replay), "{form}");
    assert!(
        refused(&["recording", "export", text(&file), "--to", form, "-o", text(&again)], 1)
            .contains("exists")
    );
    text(&file).to_owned()
}

/// A file, or all files of a folder, by name.
fn contents(path: &Path) -> Vec<(String, Vec<u8>)> {
    let one = |path: &PathBuf, name: &str| (name.to_owned(), std::fs::read(path).unwrap());
    if path.is_file() {
        return vec![one(&path.to_owned(), "")];
    }
    let paths = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> =
        paths.map(|path| one(&path, path.file_name().unwrap().to_str().unwrap())).collect();
    all.sort();
    all
}

fn rows(file: &str) -> Vec<Value> {
    let lines = said(&["recording", "export", file, "--to", "jsonl"]);
    lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

#[test]
fn a_replay_folder_of_massim_is_imported_and_exported_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let replay = dir.path().join("replay");
    std::fs::create_dir(&replay).unwrap();
    let write = |name: &str, value: &Value| {
        std::fs::write(replay.join(name), format!("{value}\n")).unwrap();
    };
    let teams = json!({ "A": { "name": "A" }, "B": { "name": "B" } });
    let grid = json!({ "width": 3, "height": 2 });
    write("static.json", &json!({ "sim": "x", "grid": grid, "teams": teams, "steps": 7 }));
    let state = |step: i64| {
        let entity = |id: i64, team: &str, action: &str| {
            json!({
                "id": id, "name": format!("agent{team}1"), "team": team, "x": step.max(0), "y": 1,
                "energy": 300, "vision": 5, "action": action, "actionParams": ["e"],
                "actionResult": "success",
            })
        };
        let mine = if step == 6 { "no_action" } else { "move" };
        json!({
            "step": step, "cells": [[0, 1, 2], [0, 0, 0]],
            "entities": [entity(0, "A", mine), entity(1, "B", "skip")],
            "blocks": [{ "x": 2, "y": 1, "type": "b0" }], "dispensers": [], "taskboards": [],
            "scores": { "A": step * 10, "B": 0 },
        })
    };
    let states = |steps: std::ops::Range<i64>| -> Value {
        steps.map(|step| (step.to_string(), state(step))).collect::<serde_json::Map<_, _>>().into()
    };
    write("0.json", &states(-1..5));
    write("5.json", &states(5..7));
    let file = round_trip("massim", &replay, dir.path(), &["--team", "A"]);
    let rows = rows(&file);
    let actions: Vec<_> = rows.iter().map(|row| row["action"].clone()).collect();
    let moved = json!("move(e)");
    assert_eq!(actions, [vec![moved; 6], vec![Value::Null]].concat());
    assert_eq!((&rows[3]["score"], &rows[3]["result"]), (&json!(30), &json!("success")));
    assert_eq!(rows[3]["percept"], "at (2, 1), energy 300");
    assert_eq!(rows[6]["kind"], "defaulted");
    let info = asked(&["recording", "info", &file, "--check"]);
    assert_eq!((&info["turns"], &info["team"]), (&json!(7), &json!("A")));
    let said = refused(&["replay", &file, "--decide", "--strategy", "shipped"], 64);
    assert!(said.contains("was imported from a replay"), "{said}");
    let folder = text(Path::new(&file).parent().unwrap()).to_owned();
    let said = refused(&["recording", "info", &folder], 64);
    assert!(said.contains("is a folder; name one of its files"), "{said}");
    let stranger = ["recording", "import", text(&replay), "--team", "C", "-o", "/nowhere/x.mcap"];
    assert!(refused(&stranger, 1).contains("no team \"C\"; there are A, B"));
}

#[test]
fn a_replay_of_bomberland_is_imported_and_exported_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let unit =
        |x: i64, y: i64| json!({ "coordinates": [x, y], "hp": 3, "unit_id": "c", "agent_id": "a" });
    let initial = json!({
        "game_id": "g", "agents": { "a": { "agent_id": "a", "unit_ids": ["c"] } },
        "unit_state": { "c": unit(1, 1) }, "world": { "width": 5, "height": 5 },
        "entities": [{ "x": 3, "y": 3, "type": "w", "hp": 1 }],
    });
    let moves = json!({ "type": "move", "move": "up", "unit_id": "c" });
    let history = json!([
        { "tick": 1, "events": [{ "type": "unit", "agent_id": "a", "data": moves }] },
        { "tick": 4, "events": [{ "type": "entity_expired", "data": [3, 3] }] },
    ]);
    let payload = json!({ "initial_state": initial, "history": history, "winning_agent_id": "a" });
    let replay = dir.path().join("replay.json");
    let packet = json!({ "type": "endgame_state", "payload": payload });
    std::fs::write(&replay, packet.to_string()).unwrap();
    let file = round_trip("bomberland", &replay, dir.path(), &[]);
    let rows = rows(&file);
    let shown: Vec<_> = rows
        .iter()
        .map(|row| [&row["step"], &row["action"], &row["percept"]].map(Clone::clone))
        .collect();
    assert_eq!(
        shown,
        [
            [json!(1), json!("move(up)"), json!("at [1,1], hp 3")],
            [json!(4), Value::Null, json!("at [1,2], hp 3")],
        ]
    );
}

#[test]
fn a_replay_of_colosseum_is_imported_and_exported_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let line = |epoch: u32| {
        json!({
            "game_config": { "game_name": "snake" }, "epoch": epoch, "max_epoch": 3,
            "world_state": { "epoch": epoch, "score": { "b": epoch }, "foods": [[1, 2], [3, 4]] },
            "agent_actions": [{}, { "agent_id": "b", "actions": [{ "action": "move" }] }],
            "agent_ids": ["a", "b"],
        })
    };
    let lines: String = (1..=3).map(|epoch| format!("{}\n", line(epoch))).collect();
    let replay = dir.path().join("replay.jsonl");
    std::fs::write(&replay, lines).unwrap();
    let file = round_trip("colosseum", &replay, dir.path(), &["--team", "b"]);
    let rows = rows(&file);
    assert_eq!((rows.len(), &rows[2]["score"]), (3, &json!(3)));
    assert_eq!(rows[0]["action"], r#"[{"action":"move"}]"#);
}

#[test]
fn what_a_played_match_does_not_tell_is_not_invented() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let export = |file: &str, form: &'static str| {
        ["recording", "export", file, "--to", form, "--out", text(&out)].map(str::to_owned)
    };
    let words = |args: &[String]| args.to_vec();
    let assemble = first_recorded(dir.path(), &["--steps", "2"]);
    let args = words(&export(&assemble, "massim"));
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    assert!(refused(&args, 1).contains("only what the team's own agents perceived"));
    let args = words(&export(&assemble, "colosseum"));
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    assert!(refused(&args, 1).contains("a match of assemble; this format is for colosseum"));
    // Colosseum sends an agent everything except the answers of the others.
    let snake = ["--game", "colosseum", "--variant", "snake", "--steps", "12"];
    let snake = first_recorded(dir.path(), &snake);
    let args = words(&export(&snake, "colosseum"));
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    assert!(stderr(&phalanx(&args)).contains("these fields are empty"));
    let lines = std::fs::read_to_string(&out).unwrap();
    let ticks: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert!(!ticks.is_empty());
    for tick in ticks {
        let answers = tick["agent_actions"].as_array().unwrap();
        let empty = answers.iter().filter(|answer| **answer == json!({})).count();
        assert_eq!((answers.len(), empty), (2, 1), "{tick}");
    }
    assert_eq!(
        said(&["recording", "import", text(&out), "-o", text(&dir.path().join("x.mcap"))]),
        ""
    );
}

#[test]
fn real_replays_of_the_organisers_servers_survive_the_round_trip() {
    let Some(traces) = std::env::var_os("PHALANX_TRACES").map(PathBuf::from) else {
        return println!("skipped: PHALANX_TRACES does not say where real replays are");
    };
    let dir = tempfile::tempdir().unwrap();
    let archive = traces.join("mapc2020/replay/rules_replay.tar.gz");
    let unpacked = Command::new("tar").arg("xzf").arg(archive).arg("-C").arg(dir.path()).status();
    assert!(unpacked.unwrap().success());
    let file = round_trip("massim", &dir.path().join("rules"), dir.path(), &[]);
    assert!(rows(&file).iter().filter(|row| row["result"] == "success").count() > 10);
    let recorded = traces.join("bomberland/01_realtime_w1234_p1234_random_random.jsonl.gz");
    let unpacked = Command::new("gzip").arg("-dc").arg(recorded).output().unwrap();
    let packets = stdout(&unpacked);
    let packet = packets.lines().find(|line| line.contains("endgame_state")).unwrap();
    let packet: Value = serde_json::from_str(packet).unwrap();
    let replay = dir.path().join("replay.json");
    std::fs::write(&replay, packet["raw"].as_str().unwrap()).unwrap();
    let file = round_trip("bomberland", &replay, dir.path(), &["--team", "b"]);
    assert!(rows(&file).iter().any(|row| row["action"] == "move(up)"));
}

#[test]
fn a_recording_is_printed_turn_by_turn_where_no_terminal_reads() {
    let dir = tempfile::tempdir().unwrap();
    let file = first_recorded(dir.path(), &["--steps", "8"]);
    let lines = said(&["replay", &file]);
    let turns: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let steps: Vec<_> = turns.iter().map(|turn| turn["step"].as_u64().unwrap()).collect();
    assert_eq!(steps, (0..8).collect::<Vec<_>>());
    assert_eq!(turns[3]["agents"].as_array().unwrap().len(), AGENTS);
    assert_eq!(turns[3]["agents"][0]["result_turn"]["step"], 4);
    let text = said(&["replay", &file, "--at", "5", "--agent", "agentA2", "--output", "table"]);
    let heads: Vec<_> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(heads.len(), 3, "{text}");
    assert!(heads[0].starts_with("0:5 asked 15 decided 15"), "{text}");
    assert!(text.contains("agentA2") && !text.contains("agentA3"), "{text}");
    assert!(refused(&["replay", &file, "--at", "99"], 64).contains("it has 0:0 to 0:7"));
    assert!(refused(&["replay", &file, "--agent", "nobody"], 64).contains("agentA15"));
}
