//! Whole leagues of a game that is one line long.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use phalanx_league::{
    Fixture, LeagueContestant, LeagueDefinition, LeagueEnd, LeagueStore, LeagueStoreError,
    MatchOutcome, Pairing, PlayError, PlayMatch, RunOptions, Seeds, SprtOptions, SprtVerdict, json,
    markdown, run, table,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};

/// Player i scores i points more than luck has it.
struct Toy;

impl PlayMatch for Toy {
    fn play(&self, fixture: &Fixture, _stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        if fixture.seed == 13 {
            panic!("a referee that breaks down");
        }
        let score = |(seat, player): (usize, &usize)| {
            let luck = (fixture.seed * 7 + seat as u64 * 3) % 5;
            i64::try_from(luck).unwrap() + i64::try_from(*player).unwrap()
        };
        Ok(fixture.players.iter().enumerate().map(score).collect())
    }
}

fn plan(players: usize, seeds: u32) -> LeagueDefinition {
    let player = |index| LeagueContestant {
        name: format!("p{index}"),
        identity: format!("hash {index}"),
        source: String::new(),
    };
    LeagueDefinition {
        game: "toy".into(),
        game_files: None,
        setup: BTreeMap::from([("steps".into(), "9".into())]),
        players: (0..players).map(player).collect(),
        pairing: Pairing::RoundRobin,
        seeds: Seeds { first: 1, count: seeds },
        swap: true,
        sprt: None,
    }
}

fn play(store: &mut LeagueStore, threads: usize, play: &dyn PlayMatch) -> LeagueEnd {
    let stop = AtomicBool::new(false);
    run(store, play, &RunOptions { threads, stop: &stop }, &mut |_| ()).unwrap()
}

fn results(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("results.jsonl")).unwrap()
}

#[test]
fn the_same_league_gives_the_same_bytes_on_any_number_of_threads() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut told = Vec::new();
    for (folder, threads) in folders.iter().zip([1, 8]) {
        let mut store = LeagueStore::open(folder.path(), plan(3, 20)).unwrap();
        assert_eq!(play(&mut store, threads, &Toy), LeagueEnd::Over);
        let (plan, tally) = (store.plan(), store.tally());
        let text = table(&tally.standing());
        told.push((results(folder.path()), text, json(plan, tally), markdown(plan, tally)));
    }
    assert_eq!(told[0], told[1]);
    let (lines, text, json, markdown) = &told[0];
    assert_eq!(lines.lines().count(), 3 * 2 * 20);
    assert_eq!(
        lines.lines().next().unwrap(),
        r#"{"match":0,"seed":1,"players":["p0","p1"],"scores":[2,1]}"#
    );
    // The matches on the seed at which the referee breaks down are not counted.
    assert_eq!((&json["failed"], &json["players"][0]["name"]), (&6.into(), &"p2".into()));
    assert!(text.contains("120 of 120 matches, 6 failed"), "{text}");
    let why = "6 matches failed: the match broke down: a referee that breaks down";
    assert!(text.contains(why) && markdown.contains(why), "{text}");
    assert!(markdown.contains("| p2 | · |"), "{markdown}");
    assert!(lines.contains("the match broke down: a referee that breaks down"), "{lines}");
}

/// Stops the league from inside a match.
struct Stopping<'a> {
    at: u64,
    stop: &'a AtomicBool,
}

impl PlayMatch for Stopping<'_> {
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        if fixture.number == self.at {
            self.stop.store(true, Ordering::Relaxed);
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            return Err(PlayError::Stopped);
        }
        Toy.play(fixture, stop)
    }
}

#[test]
fn a_league_that_was_stopped_goes_on_where_its_results_end() {
    let whole = tempfile::tempdir().unwrap();
    let mut store = LeagueStore::open(whole.path(), plan(2, 9)).unwrap();
    play(&mut store, 2, &Toy);

    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let mut store = LeagueStore::open(folder.path(), plan(2, 9)).unwrap();
    let stopping = Stopping { at: 5, stop: &stop };
    let options = RunOptions { threads: 1, stop: &stop };
    let end = run(&mut store, &stopping, &options, &mut |_| ()).unwrap();
    assert_eq!((end, store.tally().played()), (LeagueEnd::Stopped, 5));
    let busy = LeagueStore::open(folder.path(), plan(2, 9)).unwrap_err();
    assert!(matches!(busy, LeagueStoreError::InUse { .. }), "{busy}");
    drop(store);
    // The machine stopped in the middle of a line.
    let path = folder.path().join("results.jsonl");
    let half = results(folder.path()) + r#"{"match":5,"se"#;
    std::fs::write(&path, half).unwrap();

    let mut store = LeagueStore::reopen(folder.path()).unwrap();
    assert_eq!(store.tally().played(), 5);
    assert_eq!(play(&mut store, 3, &Toy), LeagueEnd::Over);
    assert_eq!(results(folder.path()), results(whole.path()));
    assert_eq!(play(&mut store, 3, &Toy), LeagueEnd::Over, "nothing is left to play");
}

#[test]
fn a_folder_is_for_one_league_and_malformed_results_are_named() {
    let folder = tempfile::tempdir().unwrap();
    drop(LeagueStore::open(folder.path(), plan(2, 3)).unwrap());
    let mut changed = plan(2, 3);
    changed.players[1].identity = "other files".into();
    let refused = LeagueStore::open(folder.path(), changed).unwrap_err().to_string();
    assert!(refused.contains("the files of p1"), "{refused}");
    let refused = LeagueStore::open(folder.path(), plan(2, 4)).unwrap_err().to_string();
    assert!(refused.contains("seeds"), "{refused}");
    let of_files = |files: &str| LeagueDefinition { game_files: Some(files.into()), ..plan(2, 3) };
    let scripted = tempfile::tempdir().unwrap();
    drop(LeagueStore::open(scripted.path(), of_files("a hash")).unwrap());
    drop(LeagueStore::open(scripted.path(), of_files("a hash")).unwrap());
    let refused = LeagueStore::open(scripted.path(), of_files("other")).unwrap_err().to_string();
    assert!(refused.contains("the files of the game toy were other ones"), "{refused}");
    let good = r#"{"match":0,"seed":1,"players":["p0","p1"],"scores":[2,1]}"#;
    for line in ["nonsense", r#"{"match":7}"#, good] {
        // The good line is the wrong one as the second.
        std::fs::write(folder.path().join("results.jsonl"), format!("{good}\n{line}\n")).unwrap();
        let refused = LeagueStore::reopen(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("results.jsonl, line 2"), "{refused}");
    }
}

#[test]
fn an_early_stop_takes_the_same_matches_however_threads_overtake() {
    let plan = LeagueDefinition { sprt: Some(SprtOptions::default()), ..plan(2, 500) };
    let mut ends = Vec::new();
    for threads in [1, 4] {
        let mut store = LeagueStore::in_memory(plan.clone());
        assert_eq!(play(&mut store, threads, &Toy), LeagueEnd::Over);
        let standing = store.tally().standing();
        assert_eq!(standing.decided, Some(SprtVerdict::NotBetter), "p0 is the weaker one");
        assert!(standing.played < 200, "{}", standing.played);
        assert_eq!(standing.played % 2, 0, "a seed is played to its end");
        ends.push(standing);
    }
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn in_games_for_one_the_scores_on_equal_seeds_are_compared() {
    let plan = LeagueDefinition { pairing: Pairing::Alone, ..plan(3, 10) };
    let mut store = LeagueStore::in_memory(plan);
    play(&mut store, 2, &Toy);
    let standing = store.tally().standing();
    let names: Vec<_> = standing.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["p2", "p1", "p0"]);
    assert_eq!((standing.rows[0].wins, standing.rows[0].matches), (20, 10));
    assert_eq!(store.tally().between(2, 0), [10, 0, 0]);
}

/// The first match waits until all others are through.
struct Late {
    others: Mutex<u64>,
    done: Condvar,
}

impl PlayMatch for Late {
    fn play(&self, fixture: &Fixture, _stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        let mut others = self.others.lock().unwrap();
        if fixture.number == 0 {
            drop(self.done.wait_while(others, |others| *others < 3).unwrap());
            return Err(PlayError::Failed("too\nlate".into()));
        }
        *others += 1;
        self.done.notify_all();
        Ok(vec![1, 0])
    }
}

#[test]
fn results_are_told_in_the_order_of_the_schedule() {
    let mut store = LeagueStore::in_memory(plan(2, 2));
    let stop = AtomicBool::new(false);
    let late = Late { others: Mutex::new(0), done: Condvar::new() };
    let mut told = Vec::new();
    let options = RunOptions { threads: 2, stop: &stop };
    run(&mut store, &late, &options, &mut |event| {
        told.push((event.fixture.number, event.outcome.clone(), event.standing.played));
    })
    .unwrap();
    assert_eq!(told[0], (0, MatchOutcome::Failed("too late".into()), 1));
    assert_eq!(told.iter().map(|one| one.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

/// Every match fails, most of them for one reason.
struct Failing;

impl PlayMatch for Failing {
    fn play(&self, fixture: &Fixture, _stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        let reason = match fixture.number {
            0 => "never",
            1..5 => "seldom",
            5 => "late",
            _ => "often",
        };
        Err(PlayError::Failed(reason.into()))
    }
}

#[test]
fn the_most_frequent_reasons_of_failed_matches_are_named() {
    let mut store = LeagueStore::in_memory(plan(2, 10));
    assert!(!store.tally().standing().counts_nothing(), "nothing was played yet");
    assert_eq!(play(&mut store, 1, &Failing), LeagueEnd::Over);
    let standing = store.tally().standing();
    assert!(standing.counts_nothing());
    let failures = serde_json::json!([
        { "reason": "often", "count": 14 },
        { "reason": "seldom", "count": 4 },
        { "reason": "never", "count": 1 },
    ]);
    assert_eq!(json(store.plan(), store.tally())["failures"], failures);
    let text = table(&standing);
    let end = "14 matches failed: often\n4 matches failed: seldom\n1 match failed: never\n";
    assert!(text.ends_with(end), "{text}");
}
