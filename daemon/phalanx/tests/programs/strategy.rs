//! `phalanx strategy new`, `check` and `test`: what an author does before a match.

use crate::support::{PHALANX, Running, phalanx, quiet, stderr, stdout};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn write(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn json(text: &str) -> Value {
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

/// The match that shows that a template scores: the game, the file of its main role, and how it is
/// played.
const FIRST_MATCHES: [(&str, &str, &[&str]); 5] = [
    ("assemble", "worker.luau", &["--steps", "250", "--opponent", "idle"]),
    ("bomberland", "bomber.luau", &["--opponent", "idle"]),
    ("colosseum", "player.luau", &["--steps", "400", "--opponent", "idle"]),
    ("mars", "agent.luau", &["--steps", "100", "--opponent", "idle"]),
    ("asimulator", "explorer.luau", &["--worlds", "20"]),
];

#[test]
fn a_new_strategy_passes_its_check_and_its_specs_and_scores_at_once() {
    assert_eq!(FIRST_MATCHES.len(), phalanx_games::GAMES.len());
    for (game, role, how) in FIRST_MATCHES {
        let dir = tempfile::tempdir().unwrap();
        let mine = dir.path().join("mine");
        let mine = mine.to_str().unwrap();
        let made = phalanx(&["strategy", "new", "mine", "--dir", mine, "--game", game]);
        assert!(made.status.success(), "{}", stderr(&made));
        for next in ["strategy check", "strategy test", "demo --strategy"] {
            assert!(stdout(&made).contains(next), "{}", stdout(&made));
        }
        for file in
            ["types/phalanx.d.luau", "types/phalanx.lua", ".luaurc", ".vscode/settings.json"]
        {
            assert!(Path::new(mine).join(file).is_file(), "{game}: {file}");
        }
        // From here on the folder's type definitions name its game.
        let checked = phalanx(&["strategy", "check", mine, "--output", "json"]);
        let report = json(&stdout(&checked));
        assert_eq!(checked.status.code(), Some(0), "{game}: {report}");
        assert_eq!(report["faults"].as_array().unwrap().len(), 0, "{game}: {report}");
        assert!(report["specs_passed"].as_u64() >= Some(3), "{game}: {report}");
        let tested = phalanx(&["strategy", "test", mine, "--output", "json", "--coverage"]);
        let report = json(&stdout(&tested));
        assert_eq!((tested.status.code(), &report["failed"]), (Some(0), &0.into()), "{report}");
        assert!(report["coverage"][role]["ran"].as_u64() > Some(0), "{game}: {report}");
        let args = ["demo", "--fast", "--json", "--strategy", mine];
        let played = phalanx(&[&args[..], how].concat());
        assert_eq!(played.status.code(), Some(0), "{game}: {}", stderr(&played));
        let summary = json(&stdout(&played));
        assert_eq!(summary["game"], game, "{summary}");
        let ours = &summary["teams"][0];
        assert!(ours["score"].as_i64() > Some(0), "{game} scores nothing: {summary}");
        assert!(ours["decided"].as_u64() > Some(0), "{game}: {summary}");
        for trouble in ["fallback", "late", "script_errors", "alerts"] {
            assert_eq!(ours[trouble], 0, "{game}: {trouble} in {summary}");
        }
        let again = phalanx(&["strategy", "new", "mine", "--dir", mine]);
        assert_eq!(again.status.code(), Some(1));
        assert!(stderr(&again).contains("is not empty"), "{}", stderr(&again));
    }
}

#[test]
fn a_mistake_in_a_new_role_comes_before_the_specs_that_it_breaks() {
    let dir = tempfile::tempdir().unwrap();
    let mine = dir.path().join("mine");
    let folder = mine.to_str().unwrap();
    let made = phalanx(&["strategy", "new", "mine", "--dir", folder]);
    assert!(made.status.success(), "{}", stderr(&made));
    let worker =
        "return {\n    decide = function(me)\n        return act.moove(\"n\")\n    end,\n}\n";
    for worker in
        [worker, "return {\n    decide = function(me)\n        return me.nme.x\n    end,\n}\n"]
    {
        write(&mine, "worker.luau", worker);
        let checked = phalanx(&["strategy", "check", folder, "--output", "json"]);
        let report = json(&stdout(&checked));
        assert_eq!(checked.status.code(), Some(1), "{report}");
        assert!(report["specs_failed"].as_u64() > Some(0), "{report}");
        let first = &report["faults"][0];
        assert_eq!(
            (&first["file"], &first["line"]),
            (&"worker.luau".into(), &3.into()),
            "{report}"
        );
        let played = phalanx(&["demo", "--fast", "--steps", "1", "--strategy", folder]);
        let told = stderr(&played);
        let at = |file: &str| told.find(file).unwrap_or(usize::MAX);
        assert!(at("worker.luau:3") < at("spec/worker_spec.luau"), "{told}");
    }
}

#[test]
fn a_strategy_for_another_game_is_told_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let copied = dir.path().join("copied");
    write(&copied, "agent.luau", "return { decide = function() return act.recharge() end }");
    let folder = copied.to_str().unwrap();
    let ways: [&[&str]; 3] = [
        &["strategy", "check", folder, "--output", "table"],
        &["strategy", "check", folder, "--output", "table", "--game", "bomberland"],
        &["demo", "--fast", "--game", "assemble", "--strategy", folder],
    ];
    for args in ways {
        let output = phalanx(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let told = stderr(&output);
        assert!(told.contains("this strategy is for mars, not for"), "{args:?}: {told}");
        assert!(told.contains("--game mars") && !told.contains("act has no"), "{args:?}: {told}");
    }
    // A misspelt word is not another game.
    write(&copied, "agent.luau", "return { decide = function() return act.rechrge() end }");
    let told = stderr(&phalanx(&["strategy", "check", folder, "--output", "table"]));
    assert!(told.contains("act has no rechrge"), "{told}");
}

/// Scripts that compile and fail when they decide, each with its line and words of the error.
const FAILING: [(&str, &str, u64, &str, &str); 6] = [
    (
        "assemble",
        "worker",
        4,
        "return {\n decide = function(me)\n  local goal = board.get(\"goal\")\n  return act.move(goal.x)\n end }",
        "index nil",
    ),
    (
        "mars",
        "agent",
        2,
        "return { decide = function(me)\n return act.goto(board.get(\"goal\")) end }",
        "goto",
    ),
    (
        "assemble",
        "worker",
        3,
        "return { start = function(sim)\n local team = nil\n team.size = sim.agents end,\n \
         decide = function() return act.skip() end }",
        "index nil",
    ),
    ("bomberland", "unit", 1, "return { decide = function(me) end }", "action"),
    ("colosseum", "actor", 2, "return { decide = function(me)\n error(\"oh\") end }", "oh"),
    ("asimulator", "explorer", 1, "return { decide = function(me) return 5 end }", "action"),
];

#[test]
fn a_check_lets_scripts_decide_the_first_turns_of_a_match() {
    let dir = tempfile::tempdir().unwrap();
    for (game, role, line, script, words) in FAILING {
        let folder = dir.path().join(format!("{game}{line}"));
        write(&folder, &format!("{role}.luau"), script);
        let folder = folder.to_str().unwrap();
        let checked = phalanx(&["strategy", "check", folder, "--game", game, "--output", "json"]);
        let report = json(&stdout(&checked));
        assert_eq!(checked.status.code(), Some(1), "{game}: {report}");
        let faults = report["faults"].as_array().unwrap();
        let fault = faults.iter().find(|fault| fault["severity"] == "error").unwrap();
        assert_eq!(fault["line"], line, "{game}: {report}");
        let said = fault["message"].as_str().unwrap();
        assert!(said.contains(words) && said.ends_with(" of a match)"), "{game}: {said}");
        assert!(report["turns_rehearsed"].as_u64() > Some(0), "{game}: {report}");
    }
}

#[test]
fn a_folder_around_a_strategy_is_no_strategy() {
    let dir = tempfile::tempdir().unwrap();
    let inner = dir.path().join("group/mine");
    let made = phalanx(&["strategy", "new", "mine", "--dir", inner.to_str().unwrap()]);
    assert!(made.status.success(), "{}", stderr(&made));
    let around = dir.path().to_str().unwrap();
    let checked = phalanx(&["strategy", "check", around, "--output", "table"]);
    assert_eq!(checked.status.code(), Some(1));
    let said = stderr(&checked);
    assert!(said.contains("there is no role file here"), "{said}");
    assert!(said.contains(&format!("did you mean {}?", inner.display())), "{said}");
    assert_eq!(said.matches('×').count(), 1, "{said}");
    let specs = inner.join("spec");
    let checked = phalanx(&["strategy", "check", specs.to_str().unwrap(), "--output", "table"]);
    let said = stderr(&checked);
    assert!(said.contains("this folder holds specs"), "{said}");
    assert!(said.contains(&format!("did you mean {}?", inner.display())), "{said}");
    assert!(stdout(&checked).contains("checked as a strategy for assemble; --game"), "{said}");
}

/// Scripts that fail only without `start`, or in another variant of their game.
const WORKING: [(&str, &str, &str); 2] = [
    (
        "assemble",
        "worker",
        "local size\nreturn { start = function(sim) sim.memory.count = 0 size = 3 end,\n\
         decide = function(me) me.memory.count = me.memory.count + 1 + size * 0\n\
         return act.skip() end }",
    ),
    (
        "colosseum",
        "actor",
        "return { decide = function(me) return act.play(world.best_move(200).move) end }",
    ),
];

#[test]
fn a_check_plays_as_a_match_does_and_the_variant_that_a_strategy_is_for() {
    let dir = tempfile::tempdir().unwrap();
    for (game, role, script) in WORKING {
        let folder = dir.path().join(game);
        write(&folder, &format!("{role}.luau"), script);
        let folder = folder.to_str().unwrap();
        let checked = phalanx(&["strategy", "check", folder, "--game", game, "--output", "json"]);
        let report = json(&stdout(&checked));
        assert_eq!(checked.status.code(), Some(0), "{game}: {report}");
        assert!(report["turns_rehearsed"].as_u64() > Some(0), "{game}: {report}");
    }
}

#[test]
fn a_check_tries_the_roles_that_a_match_has_no_agent_for() {
    let dir = tempfile::tempdir().unwrap();
    for role in ["explorer", "other"] {
        let script = format!("return {{ decide = function() error(\"as {role}\") end }}");
        write(dir.path(), &format!("{role}.luau"), &script);
    }
    let folder = dir.path().to_str().unwrap();
    // A team of this game has one agent.
    let checked = phalanx(&["strategy", "check", folder, "--game", "asimulator"]);
    let said = stdout(&checked);
    assert!(said.contains("as explorer") && said.contains("as other"), "{said}");
}

#[test]
fn a_check_shows_all_mistakes_with_file_line_and_excerpt() {
    let dir = tempfile::tempdir().unwrap();
    let worker =
        "return {\n    decide = function(me)\n        return act.mvoe(\"n\")\n    end,\n}\n";
    write(dir.path(), "worker.luau", worker);
    write(dir.path(), "scout.luau", "return {\n    start = function() end,\n}\n");
    let folder = dir.path().to_str().unwrap();
    let people = phalanx(&["strategy", "check", folder, "--output", "table"]);
    assert_eq!(people.status.code(), Some(1));
    let said = stderr(&people);
    for part in ["worker.luau", "act.mvoe", "scout.luau", "decide"] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
    let programs = phalanx(&["strategy", "check", folder]);
    let report = json(&stdout(&programs));
    assert_eq!((programs.status.code(), &report["passed"]), (Some(1), &false.into()));
    let faults = report["faults"].as_array().unwrap();
    let typo = faults.iter().find(|fault| fault["file"] == "worker.luau").unwrap();
    assert_eq!(typo["line"], 3, "{typo}");
    assert!(typo["excerpt"].as_str().unwrap().contains("act.mvoe"), "{typo}");
    let only = phalanx(&["strategy", "check", folder, "--role", "miner"]);
    assert!(stdout(&only).contains("miner"), "{}", stdout(&only));
}

#[test]
fn specs_that_fail_are_told_with_their_line_and_written_as_junit() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "worker.luau", "return { decide = function() return act.skip() end }");
    let spec = "describe('a worker', function()\n    it('moves', function()\n        \
                expect(fake.agent({ role = 'worker' }):decide()).to_act('move', 'n')\n    end)\n    \
                it('skips', function()\n        \
                expect(fake.agent({ role = 'worker' }):decide()).to_act('skip')\n    end)\nend)\n";
    write(dir.path(), "spec/worker_spec.luau", spec);
    let folder = dir.path().to_str().unwrap();
    let junit = dir.path().join("report.xml");
    let args = ["strategy", "test", folder, "--junit", junit.to_str().unwrap()];
    let output = phalanx(&args);
    let report = json(&stdout(&output));
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert_eq!((&report["passed"], &report["failed"]), (&1.into(), &1.into()));
    assert!(report["failures"][0].as_str().unwrap().contains("worker_spec.luau:3"), "{report}");
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("<testsuite") && xml.contains("<failure"), "{xml}");
    let filtered = phalanx(&["strategy", "test", folder, "--filter", "skips"]);
    assert_eq!(filtered.status.code(), Some(0), "{}", stdout(&filtered));
    let report = json(&stdout(&filtered));
    assert_eq!((&report["passed"], &report["skipped"]), (&1.into(), &1.into()), "{report}");
    let nothing = phalanx(&["strategy", "test", folder, "--filter", "zzz"]);
    let report = json(&stdout(&nothing));
    assert_eq!(nothing.status.code(), Some(1), "{report}");
    let said = report["error"].as_str().unwrap();
    assert!(said.contains("\"zzz\"") && said.contains("2 were skipped"), "{report}");
    assert_eq!(report["skipped"], 2, "{report}");
    write(dir.path(), "worker.luau", "return {\n    decide = function(\n}\n");
    let broken = phalanx(&["strategy", "test", folder]);
    let report = json(&stdout(&broken));
    assert_eq!(
        (broken.status.code(), &report["faults"][0]["line"]),
        (Some(1), &3.into()),
        "{report}"
    );
}

const WORKER_SPEC: &str = "describe('a worker', function()\n    it('skips', function()\n        \
    expect(fake.agent({ role = 'worker' }):decide()).to_act('skip')\n    end)\nend)\n";

#[test]
fn watched_specs_run_again_at_every_save_until_somebody_ends_it() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "worker.luau", "return { decide = function() return act.skip() end }");
    write(dir.path(), "spec/worker_spec.luau", WORKER_SPEC);
    let mut command = quiet(Command::new(PHALANX));
    command.args(["strategy", "test", "--watch", "--output", "json"]).arg(dir.path());
    let mut watching = Running::start(command);
    assert_eq!(json(&watching.line_with("\"failed\""))["failed"], 0);
    write(dir.path(), "worker.luau", "return { decide = function() return act.move('n') end }");
    assert_eq!(json(&watching.line_with("\"failed\""))["failed"], 1);
    write(dir.path(), "worker.luau", "return { decide = function() return act.skip() end } -- so");
    assert_eq!(json(&watching.line_with("\"failed\""))["failed"], 0);
    // Not SIGINT: a test run in the background ignores it, and so would the program.
    watching.terminate();
    assert_eq!(watching.finish().1, None, "ended by the signal");
}

#[test]
fn a_folder_of_shared_modules_runs_its_own_specs() {
    let dir = tempfile::tempdir().unwrap();
    let lib = dir.path().join("lib");
    write(&lib, "twice.luau", "return function(n) return n * 2 end");
    let spec = "local twice = require('lib/twice')\nlocal geo = require('lib/geo')\n\
                describe('twice', function()\n    it('doubles', function()\n        \
                expect(twice(4)).to_equal(8)\n        expect(type(geo)).to_equal('table')\n    \
                end)\nend)\n";
    write(&lib, "spec/twice_spec.luau", spec);
    let output = phalanx(&["strategy", "test", lib.to_str().unwrap(), "--output", "json"]);
    let report = json(&stdout(&output));
    assert_eq!((output.status.code(), &report["passed"]), (Some(0), &1.into()), "{report}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    for verb in ["script api --format json", "script types --out types", "script specs"] {
        let dir = tempfile::tempdir().unwrap();
        let mut command = quiet(Command::new(PHALANX));
        command.args(verb.split(' ')).current_dir(dir.path());
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command.stdout(writer).stderr(std::process::Stdio::piped()).spawn();
        let output = output.unwrap().wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{verb}");
    }
}

#[test]
fn the_reference_and_the_definitions_come_from_the_same_names() {
    let page = stdout(&phalanx(&["script", "api", "--format", "json"]));
    let page: Value = serde_json::from_str(&page).unwrap();
    assert_eq!(page["game"], "assemble");
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("types");
    let made = phalanx(&["script", "types", "--out", out.to_str().unwrap()]);
    assert!(made.status.success(), "{}", stderr(&made));
    for file in ["phalanx.d.luau", "phalanx.lua"] {
        let text = std::fs::read_to_string(out.join(file)).unwrap();
        assert!(text.contains("nearest") && text.contains("claim"), "{file}");
    }
    assert!(stdout(&phalanx(&["script", "specs"])).contains("to_act"));
}
