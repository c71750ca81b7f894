//! `phalanx replay --decide`: decides recorded matches again.

use crate::support::{PHALANX, phalanx, quiet, stderr, stdout};
use phalanx_engine::{Generation, Staged, StrategyOrigin, TeamOptions};
use phalanx_game::{Roster, RosterEntry};
use phalanx_games::TeamPlan;
use phalanx_games::demo::DemoAsk;
use phalanx_lua::{Bundle, Limits, Program, stage};
use phalanx_net::{Lockstep, LockstepEnd, LockstepOptions, SeatOptions, now, origin};
use phalanx_record::{Bundler, Recording, RecordingInfo, RecordingOptions};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const GAME: &str = "assemble";
const PATIENCE: Duration = Duration::from_secs(60);

const GOES: &str = "return { decide = function(me)
    me.memory.count = (me.memory.count or 0) + 1
    explain('as always')
    return act.move('n')
end }";
const WAITS: &str = "return { decide = function(me)
    if me.turn % 4 == 3 then explain('every fourth turn') return act.skip() end
    return act.move('n')
end }";

fn staged(bundle: &Bundle) -> Staged {
    let generation = Generation {
        number: 1,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    stage(Arc::new(bundle.clone()), Arc::new(generation)).unwrap()
}

/// The files of a strategy, for the recording.
fn files(staged: &Staged) -> Option<Vec<(String, String)>> {
    let program = Arc::clone(&staged.code).downcast::<Program>().ok()?;
    let file = |(path, source): (&str, &Arc<str>)| (path.to_owned(), source.to_string());
    Some(program.bundle().files().map(file).collect())
}

fn recording(dir: &Path, team: &str) -> Arc<Recording> {
    let options = RecordingOptions {
        bundler: Bundler::new(files),
        chunk_bytes: 20_000,
        ..RecordingOptions::new(dir)
    };
    let info = RecordingInfo {
        team: team.to_owned(),
        game: GAME.to_owned(),
        server: "virtual".to_owned(),
        seed: 7,
        game_options: Default::default(),
        script_memory_bytes: 0,
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        begun: origin(),
    };
    Recording::begin(options, info).unwrap()
}

/// Two teams of agents that go north; both are recorded in small chunks. Returns the first team's
/// file.
fn walkers(dir: &Path, steps: u32) -> PathBuf {
    let bundle = Bundle::from_files([("worker.luau", GOES)]).unwrap();
    let ask = DemoAsk {
        seed: 7,
        steps: Some(steps),
        fast: true,
        pace: None,
        worlds: None,
        variant: None,
        settings: None,
    };
    let stage = phalanx_games::demo(GAME, &ask).unwrap();
    let arena = (stage.arena)(origin()).unwrap();
    let mut lockstep = Lockstep::new(arena, now(), LockstepOptions::default());
    let recordings = ["A", "B"].map(|team| {
        let recording = recording(dir, team);
        let entry = |index: usize| RosterEntry::new(stage.agent_name(team, index + 1), "worker");
        let agents = (0..stage.agents).map(entry).collect();
        let roster = Roster { team: team.to_owned(), agents };
        let plan = TeamPlan {
            game: GAME.to_owned(),
            options: stage.options.clone(),
            seats: stage.seats(&roster),
            roster,
            staged: staged(&bundle),
            limits: Limits { load: PATIENCE, ..Limits::default() },
            team: TeamOptions { seed: 7, ..TeamOptions::default() },
            seat: SeatOptions::default(),
            recorder: Some(Arc::clone(&recording) as _),
            checkpoints: None,
        };
        phalanx_games::join(&mut lockstep, &plan).unwrap();
        recording
    });
    assert_eq!(lockstep.run(&mut ()), LockstepEnd::Over);
    drop(lockstep);
    let [path, _] = recordings.map(|recording| {
        let status = recording.finish(PATIENCE);
        assert!(status.over && status.lost == 0, "{status:?}");
        status.path
    });
    path
}

fn decide(path: &Path, more: &[&str]) -> Output {
    typed(path, more, "")
}

/// [`decide`] with lines for its standard input.
fn typed(path: &Path, more: &[&str], lines: &str) -> Output {
    let mut command = quiet(std::process::Command::new(PHALANX));
    command.arg("replay").arg(path).arg("--decide").args(more);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// The JSON lines of the output, and the last one, which is the summary.
fn told(output: &Output) -> (Vec<Value>, Value) {
    let lines = stdout(output);
    let mut lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["kind"], "summary", "{}", stderr(output));
    (lines, summary)
}

/// Records a demo, and decides both its teams again without any difference.
fn demonstrated(args: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    let demo = phalanx(&[&["demo", "--json", "--record", folder], args].concat());
    assert_eq!(demo.status.code(), Some(0), "{args:?}: {}", stderr(&demo));
    let demo: Value = serde_json::from_str(stdout(&demo).lines().last().unwrap()).unwrap();
    let teams = demo["teams"].as_array().unwrap();
    for team in teams {
        let name = team["name"].as_str().unwrap();
        let output = decide(dir.path(), &["--team", name, "--output", "json"]);
        let (differences, summary) = told(&output);
        assert_eq!(differences, Vec::<Value>::new(), "{args:?}: {summary}");
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{args:?}");
        assert_eq!((&summary["trouble"], &summary["whole"]), (&json!([]), &json!(true)));
        let count = |what: &str| team[what].as_u64().unwrap();
        let all = count("decided") + count("fallback");
        assert_eq!(summary["decisions"], json!({ "all": all, "differ": 0 }), "{args:?}");
        for what in ["messages", "journal"] {
            assert!(summary[what]["all"].as_u64() > Some(5), "{args:?}: {summary}");
            assert_eq!(summary[what]["differ"], 0, "{args:?}: {summary}");
        }
    }
}

#[test]
fn demos_of_all_games_are_decided_again_with_zero_differences() {
    let games: [&[&str]; 5] = [
        &["--game", "assemble", "--steps", "8"],
        &["--game", "bomberland", "--steps", "5"],
        &["--game", "colosseum", "--steps", "12"],
        &["--game", "mars", "--variant", "quick", "--steps", "6"],
        &["--game", "asimulator", "--worlds", "5"],
    ];
    for game in games {
        demonstrated(&[&["--fast"], game].concat());
    }
}

#[test]
fn a_demo_in_real_time_is_decided_again_with_zero_differences() {
    demonstrated(&["--steps", "6", "--pace", "1ms"]);
}

#[test]
fn people_are_told_that_nothing_differs_and_how_long_it_took() {
    let dir = tempfile::tempdir().unwrap();
    let path = walkers(dir.path(), 8);
    let output = decide(&path, &["--output", "table"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stdout(&output);
    let (verdict, speed) = said.split_once('\n').unwrap();
    assert!(
        verdict.starts_with("zero differences: team A of assemble, 8 turns: 120 decisions, "),
        "{said}"
    );
    assert!(speed.contains("turns a second"), "{said}");
}

/// A folder with a strategy of one file.
fn strategy(dir: &Path, source: &str) -> PathBuf {
    let folder = dir.join("mine");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("worker.luau"), source).unwrap();
    folder
}

#[test]
fn an_edit_is_told_by_agent_and_turn_with_both_reasons_and_by_role() {
    let dir = tempfile::tempdir().unwrap();
    let path = walkers(dir.path(), 8);
    let mine = strategy(dir.path(), WAITS);
    let mine = mine.to_str().unwrap();
    let output = decide(&path, &["--strategy", mine, "--output", "table", "--limit", "2"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said = stdout(&output).replace(mine, "mine");
    let expected = "\
0:3    agentA1      - move(n) (worker, worker.luau:4): as always
                    + skip() (worker, worker.luau:2): every fourth turn
0:3    agentA2      - move(n) (worker, worker.luau:4): as always
                    + skip() (worker, worker.luau:2): every fourth turn
… and 28 more; --limit 0 shows all
30 of 120 decisions differ: team A of assemble, 8 turns, decided by mine
ROLE    DECISIONS  DIFFER
worker  120        30
";
    assert!(said.starts_with(expected), "{said}");
    let (differences, summary) = told(&decide(&path, &["--strategy", mine, "--output", "json"]));
    assert_eq!(differences.len(), 30);
    let Value::Object(first) = &differences[0] else { panic!("{differences:?}") };
    assert_eq!(
        (&first["round"], &first["step"], &first["agent"]),
        (&json!(0), &json!(3), &json!("agentA1"))
    );
    assert_eq!(first["recorded"]["details"]["reason"], "as always");
    assert_eq!(first["now"]["details"]["action"], "skip()");
    assert_eq!(summary["by_role"]["worker"], json!({ "all": 120, "differ": 30 }));
    assert_eq!(summary["by_agent"]["agentA7"], json!({ "all": 8, "differ": 2 }));
}

#[test]
fn a_strategy_with_mistakes_is_refused_before_anything_is_decided() {
    let dir = tempfile::tempdir().unwrap();
    let path = walkers(dir.path(), 8);
    let mine = strategy(dir.path(), "return { decide = function(me) return act.skip( end }");
    let output = decide(&path, &["--strategy", mine.to_str().unwrap()]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""));
    assert!(stderr(&output).contains("worker.luau:1"), "{}", stderr(&output));
}

#[test]
fn it_stops_before_a_turn_where_lines_run_in_the_agents_view() {
    let dir = tempfile::tempdir().unwrap();
    let path = walkers(dir.path(), 8);
    let more = ["--until", "5", "--repl", "--agent", "agentA3", "--output", "json"];
    let lines = "me.turn, me.memory.count\nnonsense(\n:next\nme.turn\n:quit\n";
    let output = typed(&path, &more, lines);
    let said = stdout(&output);
    let (typed, summary) = said.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(typed, "5\n5\n6", "{}", stderr(&output));
    assert!(stderr(&output).contains("nonsense") || stderr(&output).contains("eof"), "{said}");
    let summary: Value = serde_json::from_str(summary).unwrap();
    assert_eq!((&summary["turns"], &summary["stopped"]), (&json!(6), &json!(true)));
    assert_eq!(summary["decisions"], json!({ "all": 6 * 15 + 2, "differ": 0 }));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn without_a_conversation_it_ends_before_the_turn() {
    let dir = tempfile::tempdir().unwrap();
    let path = walkers(dir.path(), 8);
    let (_, summary) = told(&decide(&path, &["--until", "0.5", "--output", "json"]));
    assert_eq!((&summary["turns"], &summary["decisions"]["all"]), (&json!(5), &json!(75)));
    let output = decide(&path, &["--until", "99", "--output", "table"]);
    let said = stdout(&output);
    assert!(said.contains("no agent was asked in turn 99 or later: the last was 0:7"), "{said}");
    // This game's first turn is 1.
    let later = format!("{}/tests/recorded/bomberland.mcap", env!("CARGO_MANIFEST_DIR"));
    let output = decide(Path::new(&later), &["--until", "0:0"]);
    assert_eq!(output.status.code(), Some(64));
    let said = stderr(&output);
    assert!(
        said.contains("--until 0:0: the first decision in this recording is in turn 0:1"),
        "{said}"
    );
    let more = ["--until", "5", "--agent", "nobody"];
    let output = decide(&path, &more);
    assert_eq!(output.status.code(), Some(64));
    let said = stderr(&output);
    assert!(said.contains("no agent nobody; there are agentA1, agentA2"), "{said}");
}

#[test]
fn places_where_an_expression_is_true_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    let path = walkers(dir.path(), 8);
    let expression = "me.name == 'agentA3' and me.turn % 4 == 2 and me.memory.count";
    let output = decide(&path, &["--break", expression, "--output", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let (places, summary) = told(&output);
    let place = |place: &Value| format!("{} {} {}", place["step"], place["agent"], place["value"]);
    let places: Vec<_> = places.iter().map(place).collect();
    assert_eq!(places, [r#"2 "agentA3" "2""#, r#"6 "agentA3" "6""#]);
    assert_eq!((&summary["breaks"], &summary["decisions"]["differ"]), (&json!(2), &json!(0)));
    // An expression that fails in an agent's view counts as false, and the failures are reported.
    let output = decide(&path, &["--break", "me.nothing.at_all", "--output", "table"]);
    let said = stdout(&output);
    assert!(said.contains("me.nothing.at_all was true 0 times\nit failed 120 times"), "{said}");
    let output = decide(&path, &["--break", "me.turn =="]);
    assert_eq!(output.status.code(), Some(64));
    assert!(stderr(&output).contains("--break \"me.turn ==\""), "{}", stderr(&output));
    // With a prompt it stops at each of them.
    let more = ["--break", "me.turn == 4", "--agent", "agentA3", "--repl", "--output", "table"];
    let output = typed(&path, &more, "me.memory.count\n:go\n");
    assert!(stdout(&output).starts_with("4\nzero differences"), "{}", stdout(&output));
}

#[test]
fn a_recording_that_is_cut_off_is_decided_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let path = walkers(dir.path(), 20);
    let bytes = std::fs::read(&path).unwrap();
    let cut = dir.path().join("cut.mcap");
    std::fs::write(&cut, &bytes[..bytes.len() * 3 / 5]).unwrap();
    let output = decide(&cut, &["--output", "json"]);
    let (differences, summary) = told(&output);
    assert_eq!(differences, Vec::<Value>::new());
    let turns = summary["turns"].as_u64().unwrap();
    assert!((2..20).contains(&turns), "{summary}");
    assert_eq!(summary["whole"], false);
    let told = summary["trouble"].to_string();
    assert!(told.contains("ends before the team did"), "{told}");
}

#[test]
fn damage_in_the_middle_is_told_with_the_turn_from_which_it_counts() {
    let dir = tempfile::tempdir().unwrap();
    let path = walkers(dir.path(), 20);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 40].fill(0x55);
    let hurt = dir.path().join("hurt.mcap");
    std::fs::write(&hurt, &bytes).unwrap();
    let output = decide(&hurt, &["--output", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let said = stderr(&output);
    assert!(said.contains("damage") && said.contains("the chunk is damaged"), "{said}");
    let (_, summary) = told(&output);
    assert!(summary["exact_until"]["step"].as_u64() > Some(1), "{summary}");
    assert!(summary["turns"].as_u64() > Some(5), "{summary}");
}

#[test]
fn what_is_no_recording_is_refused_with_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.mcap");
    std::fs::write(&path, "dear diary").unwrap();
    let output = decide(&path, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("this is no MCAP file"), "{}", stderr(&output));
    let output = decide(&dir.path().join("nowhere.mcap"), &[]);
    assert!(stderr(&output).contains("nowhere.mcap"), "{}", stderr(&output));
    std::fs::remove_file(&path).unwrap();
    let output = decide(dir.path(), &[]);
    assert!(stderr(&output).contains("there is no recording in"), "{}", stderr(&output));
}

#[test]
fn of_a_folder_the_recording_of_the_team_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    walkers(dir.path(), 8);
    let output = decide(dir.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("recordings of the teams A, B; choose with --team"), "{said}");
    let (_, summary) = told(&decide(dir.path(), &["--team", "B", "--output", "json"]));
    assert_eq!((&summary["team"], &summary["decisions"]["differ"]), (&json!("B"), &json!(0)));
}

#[test]
fn help_teaches_by_examples() {
    let output = quiet(std::process::Command::new(PHALANX)).args(["replay", "--help"]).output();
    let said = stdout(&output.unwrap());
    for word in ["--decide --strategy mine", "--until 118 --repl", "--break '", "Exit codes"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}
