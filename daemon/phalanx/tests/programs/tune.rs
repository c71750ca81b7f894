//! `phalanx tune`: from bad values to good ones, with a proof, and what cannot be tuned.

use crate::support::{PHALANX, pause, phalanx, stderr, stdout};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// An explorer that goes home at once by default. The shipped one stays as long as it pays.
pub(crate) const HASTY: &str = "
    param('patience', { default = 1, min = 1, max = 300, kind = 'int', log = true })
    param('name', { default = 'hasty', why = 'no range: it cannot vary' })
    return {
        start = function(me) me.memory.actions = 0 end,
        decide = function(me)
            me.memory.actions += 1
            local options = world.options()
            local stays = me.memory.actions <= param('patience')
            local option = options[if stays then 1 else #options]
            if not option then return act.shut_off() end
            return act[option.action]()
        end,
    }";

fn strategy(dir: &Path, source: &str) -> String {
    let folder = dir.join("hasty");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("explorer.luau"), source).unwrap();
    folder.to_str().unwrap().to_owned()
}

const MATCHES: [&str; 6] = ["--game", "asimulator", "--worlds", "4", "--output", "json"];

fn arguments<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().copied().chain(MATCHES).collect()
}

fn json(words: &[&str]) -> Value {
    let output = phalanx(&arguments(words));
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The mean score of the folder, and that of the shipped strategy.
fn against_shipped(folder: &str, flags: &[&str]) -> (f64, f64) {
    let mut words = vec!["league", "run", "--strategy", folder, "--strategy", "shipped"];
    words.extend(["--seeds", "501..520"]);
    words.extend(flags);
    let shown = json(&words);
    let score = |name: &str| {
        let players = shown["players"].as_array().unwrap();
        let player = players.iter().find(|player| player["name"] == name).unwrap();
        player["score_mean"].as_f64().unwrap()
    };
    (score("hasty"), score("shipped"))
}

#[test]
fn bad_values_come_back_to_the_shipped_strength_and_the_proof_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let hasty = strategy(dir.path(), HASTY);
    let (before, shipped) = against_shipped(&hasty, &[]);
    assert!(before < 0.5 * shipped, "{before} of {shipped}");

    let out = dir.path().join("run");
    let out = out.to_str().unwrap();
    let run = ["tune", "run", &hasty, "--seeds", "1..8", "--budget", "300", "--out", out];
    let found = json(&run);
    assert_eq!(found["verdict"], "better", "{found}");
    assert!(found["played"].as_u64().unwrap() <= 300, "{found}");
    let tuned = std::fs::read_to_string(Path::new(&hasty).join("tuned.toml")).unwrap();
    assert!(
        tuned.contains("patience") && tuned.contains(found["run"].as_str().unwrap()),
        "{tuned}"
    );
    let (after, _) = against_shipped(&hasty, &[]);
    assert!(after > 0.95 * shipped, "{after} of {shipped}");

    // The same matches without the file, and the report once more.
    assert_eq!(against_shipped(&hasty, &["--no-tuned"]).0, before);
    let report = phalanx(&["tune", "show", out, "--output", "table"]);
    assert!(stdout(&report).contains("better, proved on fresh seeds"), "{}", stdout(&report));
    let page = std::fs::read_to_string(Path::new(out).join("report.md")).unwrap();
    assert!(page.contains("| patience | 1 |"), "{page}");
    let demo = |flags: &[&str]| {
        let mut words = vec!["demo", "--game", "asimulator", "--worlds", "4", "--seed", "501"];
        words.extend(["--fast", "--json", "--strategy", &hasty]);
        words.extend(flags);
        let output = phalanx(&words);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    assert_ne!(demo(&[]), demo(&["--no-tuned"]));
    let params =
        phalanx(&["strategy", "params", &hasty, "--game", "asimulator", "--output", "table"]);
    assert!(stdout(&params).contains("tuned.toml: "), "{}", stdout(&params));
}

#[test]
fn without_an_improvement_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let good = HASTY.replace("default = 1,", "default = 300,");
    let folder = strategy(dir.path(), &good);
    let out = dir.path().join("run");
    let run = ["--seeds", "1..4", "--budget", "100", "--out", out.to_str().unwrap()];
    let found = json(&[&["tune", "run", &folder][..], &run].concat());
    assert_eq!((&found["over"], &found["written"]), (&true.into(), &Value::Null), "{found}");
    assert_ne!(found["verdict"], "better", "{found}");
    assert!(!Path::new(&folder).join("tuned.toml").exists());
    assert!(!out.join("tuned.toml").exists());
}

#[test]
fn a_killed_run_goes_on_and_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let folders = [dir.path().join("whole"), dir.path().join("killed")];
    let hasty = strategy(dir.path(), HASTY);
    let words = |out: &Path| {
        let run = ["tune", "run", &hasty, "--seeds", "1..8", "--budget", "240", "--out"];
        let mut words: Vec<String> = run.iter().chain(&MATCHES).map(ToString::to_string).collect();
        words.insert(run.len(), out.to_str().unwrap().to_owned());
        words
    };
    let results = |out: &Path| std::fs::read(out.join("results.jsonl")).unwrap_or_default();
    let finish = |out: &Path| {
        let words = words(out);
        let output = phalanx(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status.success(), "{}", stderr(&output));
        // If the run proved better values, the next one starts from the same ones nevertheless.
        drop(std::fs::remove_file(Path::new(&hasty).join("tuned.toml")));
    };
    finish(&folders[0]);
    for least in [1, 3_000, 9_000] {
        let mut run = Command::new(PHALANX)
            .args(words(&folders[1]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let due = Instant::now() + Duration::from_secs(60);
        while results(&folders[1]).len() < least && run.try_wait().unwrap().is_none() {
            assert!(Instant::now() < due, "no results");
            pause();
        }
        run.kill().unwrap();
        run.wait().unwrap();
        // A run that was too fast for us has ended and written it.
        drop(std::fs::remove_file(Path::new(&hasty).join("tuned.toml")));
    }
    finish(&folders[1]);
    assert_eq!(results(&folders[0]), results(&folders[1]));
}

#[test]
fn what_cannot_be_tuned_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let hasty = strategy(dir.path(), HASTY);
    let out = dir.path().join("run");
    let out = out.to_str().unwrap();
    let refused = |words: &[&str], code: i32| {
        let mut all = vec!["tune", "run"];
        all.extend(words);
        all.extend(["--out", out]);
        let output = phalanx(&arguments(&all));
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        stderr(&output)
    };
    for (words, want) in [
        (&[&*hasty, "--params", "patient"][..], "no script declares \"patient\"; there are"),
        (&[&*hasty, "--params", "name"], "a search would not know where to look"),
        (&[&*hasty, "--opponent", "shipped"], "in asimulator a team plays alone"),
        (&[&*hasty, "--budget", "10"], "a budget of 10 matches"),
        (&[&*hasty, "--test-seeds", "5..30"], "the final test has seeds of the search"),
        (&[&*hasty, "--weights", "1"], "1 for 0 opponents"),
        (&["shipped"], "name a folder"),
        (&[&*hasty, "--variant", "moon"], "asimulator has no variant \"moon\""),
    ] {
        let message = refused(words, 64);
        assert!(message.contains(want), "{words:?}: {message}");
    }
    let missing = phalanx(&["tune", "run", "nowhere"]);
    let message = stderr(&missing);
    assert_eq!(missing.status.code(), Some(1), "{message}");
    assert!(message.contains("nowhere: there is no such folder"), "{message}");
    let other = phalanx(&["league", "run", "--strategy", &hasty, "--strategy", "shipped"]);
    let message = stderr(&other);
    assert!(message.contains("--game asimulator") && !message.contains("leave"), "{message}");
    let words = ["tune", "run", &hasty, "--game", "assemble", "--opponent", "shipped"];
    let output = phalanx(&[&words[..], &["--worlds", "3"]].concat());
    assert!(stderr(&output).contains("a match of assemble has one world"), "{}", stderr(&output));
    let tuned = Path::new(&hasty).join("tuned.toml");
    std::fs::write(&tuned, "[values]\npatience = 1000\n").unwrap();
    let message = refused(&[&hasty], 1);
    assert!(message.contains("tuned.toml: parameter patience: expected"), "{message}");
    std::fs::remove_file(tuned).unwrap();
    strategy(dir.path(), "return { decide = function() return act.fly() end");
    let message = refused(&[&hasty], 1);
    assert!(message.contains("explorer.luau:1"), "{message}");
    let none = phalanx(&["tune", "show", out]);
    assert_eq!(none.status.code(), Some(1));
    assert!(stderr(&none).contains("holds no tune run"), "{}", stderr(&none));
}
