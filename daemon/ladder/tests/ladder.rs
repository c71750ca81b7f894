//! A ladder as its users know it, in a folder and on a real nats-server, with a game in which the
//! strategy's number and the seed decide.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

#[path = "../../queue/tests/support/nats.rs"]
mod nats;

use nats::NatsServer;
use phalanx_ladder::{
    Ladder, LadderCopy, LadderDefinition, LadderEntry, LadderError, LadderEvent, LadderOptions,
    LadderPlace, LadderStore, history, json, markdown, next_round, rating_series, rows, table,
};
use phalanx_league::{Fixture, LeagueEnd, PlayError, PlayMatch, RunOptions};
use phalanx_queue::{BundleBytes, QueueAddress};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Plays by the strength that is the first byte of a bundle.
#[derive(Default)]
struct Toy {
    bundles: Mutex<Vec<BundleBytes>>,
    played: AtomicU64,
    /// Gives up after this many matches.
    most: Option<u64>,
}

impl Toy {
    fn score(strength: u8, seed: u64, seat: u64) -> i64 {
        // Luck between 0 and 9.
        i64::from(strength) + i64::try_from((seed * 7 + seat * 5) % 10).unwrap()
    }
}

impl PlayMatch for Toy {
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        let number = self.played.fetch_add(1, Ordering::Relaxed);
        if self.most.is_some_and(|most| number >= most) {
            stop.store(true, Ordering::Relaxed);
            return Err(PlayError::Stopped);
        }
        let bundles = self.bundles.lock().unwrap();
        let strengths = fixture.players.iter().map(|player| bundles[*player].bytes[0]);
        let strengths: Vec<u8> = strengths.collect();
        if strengths.contains(&b'!') {
            return Err(PlayError::Failed("it took too long".to_owned()));
        }
        let seats = 0_u64..;
        Ok(strengths
            .into_iter()
            .zip(seats)
            .map(|(s, at)| Toy::score(s, fixture.seed, at))
            .collect())
    }
}

fn bundle(strength: u8) -> BundleBytes {
    BundleBytes { hash: format!("{strength:064x}"), bytes: vec![strength].into() }
}

fn definition(alone: bool) -> LadderDefinition {
    LadderDefinition { game: "toy".into(), setup: BTreeMap::new(), alone, seed: 100 }
}

/// A ladder with strategies of these strengths, called by their letters.
fn ladder(place: &LadderPlace, alone: bool, strengths: &str) -> LadderStore {
    let mut store = LadderStore::open(place).unwrap();
    for strength in strengths.bytes() {
        submit(&mut store, alone, &char::from(strength).to_string(), strength);
    }
    store
}

fn submit(store: &mut LadderStore, alone: bool, name: &str, strength: u8) {
    let name = name.replace('!', "fails");
    store.submit(&definition(alone), &name, &bundle(strength)).unwrap().unwrap();
}

fn folder(path: &Path) -> LadderPlace {
    LadderPlace::Folder(path.to_owned())
}

fn play_with(
    store: &mut LadderStore,
    toy: &Toy,
    matches: u64,
    threads: usize,
) -> Result<LeagueEnd, LadderError> {
    store.lead()?;
    let stop = AtomicBool::new(false);
    let asked = LadderOptions { matches, round: 4, all_versions: false };
    store.play(
        asked,
        toy,
        &RunOptions { threads, stop: &stop },
        &mut |bundle| {
            toy.bundles.lock().unwrap().push(bundle);
            Ok(())
        },
        &mut |_: &LadderEvent<'_>| (),
    )
}

fn play(store: &mut LadderStore, matches: u64) {
    assert_eq!(play_with(store, &Toy::default(), matches, 3).unwrap(), LeagueEnd::Over);
}

fn log(path: &Path) -> String {
    std::fs::read_to_string(path.join("ladder.jsonl")).unwrap_or_default()
}

fn rank(ladder: &Ladder) -> Vec<String> {
    let id = |row: &phalanx_ladder::LadderRow| ladder.entrants()[row.entrant].id();
    rows(ladder).iter().map(id).collect()
}

#[test]
fn the_stronger_strategy_is_rated_higher_and_every_game_is_counted_on_both_sides() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = ladder(&folder(dir.path()), false, "adgz");
    play(&mut store, 120);
    let ladder = store.ladder();
    assert_eq!(rank(ladder), ["z@1", "g@1", "d@1", "a@1"]);
    assert_eq!((ladder.played(), ladder.pending()), (120, 0));
    let games: u32 = (0..4)
        .flat_map(|one| (one + 1..4).map(move |other| (one, other)))
        .map(|(one, other)| {
            let games = ladder.between(one, other);
            assert_eq!(games.turned(), ladder.between(other, one));
            games.won + games.drawn + games.lost
        })
        .sum();
    assert_eq!(games, 120);
    // Both sides of each meeting are played on the same seed.
    for both in ladder.matches().chunks(2) {
        assert_eq!(both[0].seed, both[1].seed);
        assert_eq!(
            both[0].players.iter().rev().collect::<Vec<_>>(),
            both[1].players.iter().collect::<Vec<_>>()
        );
    }
    assert!(table(ladder, false).contains("120 matches"), "{}", table(ladder, false));
    assert_eq!(json(ladder)["head_to_head"]["z@1"]["g@1"][2], 0);
}

#[test]
fn the_same_commands_give_the_same_bytes_on_any_number_of_threads_and_after_any_interruption() {
    let dirs = [(); 3].map(|()| tempfile::tempdir().unwrap());
    for (dir, threads) in dirs.iter().zip([1, 6, 2]) {
        let place = folder(dir.path());
        let mut store = ladder(&place, false, "adg");
        if threads == 2 {
            // Given up in the middle of a round, twice; each time another process goes on.
            for most in [3, 4] {
                let toy = Toy { most: Some(most), ..Toy::default() };
                let mut killed = LadderStore::reopen(&place).unwrap();
                let left = 24 - killed.ladder().matches().len() as u64;
                let end = play_with(&mut killed, &toy, left, 1);
                assert_eq!(end.unwrap(), LeagueEnd::Stopped);
            }
            store = LadderStore::reopen(&place).unwrap();
        }
        let left = 24 - store.ladder().matches().len() as u64;
        play_with(&mut store, &Toy::default(), left, threads).unwrap();
    }
    assert_eq!(log(dirs[0].path()).lines().count(), 1 + 3 + 3 + 24);
    assert_eq!(log(dirs[0].path()), log(dirs[1].path()));
    assert_eq!(log(dirs[0].path()), log(dirs[2].path()));
}

#[test]
fn a_round_takes_the_pairs_that_say_most() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = ladder(&folder(dir.path()), false, "adz");
    // Nothing is known: within one round everybody plays about equally often.
    let first = next_round(store.ladder(), 3, false).unwrap();
    let mut pairs: Vec<_> = first.meetings.iter().map(|one| one.players.clone()).collect();
    pairs.sort();
    pairs.dedup();
    assert_eq!(pairs.len(), 3, "{pairs:?}");
    play(&mut store, 200);
    // z always wins: its games say nothing more, while a and d are even.
    let next = next_round(store.ladder(), 1, false).unwrap().meetings.remove(0);
    assert_eq!(next.players, ["a@1", "d@1"]);
    // A new strategy is in every next meeting, against those whom its strength may be near.
    submit(&mut store, false, "new", b'e');
    let next = next_round(store.ladder(), 2, false).unwrap();
    assert!(next.meetings.iter().all(|one| one.players.contains(&"new@1".to_owned())), "{next:?}");
    assert!(next.meetings[0].bits > next.meetings[1].bits);
    // The same ladder gives the same round.
    assert_eq!(next, next_round(store.ladder(), 2, false).unwrap());
}

#[test]
fn a_new_version_takes_the_place_of_the_one_before_and_equal_files_are_none() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = ladder(&folder(dir.path()), false, "ad");
    play(&mut store, 8);
    assert_eq!(store.submit(&definition(false), "a", &bundle(b'a')).unwrap(), None);
    submit(&mut store, false, "a", b'x');
    play(&mut store, 16);
    let ladder = store.ladder();
    assert_eq!(ladder.find("a"), Some(2));
    assert_eq!((ladder.entrants()[0].id(), ladder.entrants()[0].matches), ("a@1".into(), 8));
    assert_eq!((ladder.entrants()[2].id(), ladder.entrants()[2].matches), ("a@2".into(), 16));
    assert_eq!(rank(ladder)[0], "a@2");
    assert!(!table(ladder, false).contains("a@1") && table(ladder, true).contains("a@1"));
    // On demand earlier versions play, too.
    let all = next_round(ladder, 6, true).unwrap().meetings;
    assert!(all.iter().any(|one| one.players.contains(&"a@1".to_owned())), "{all:?}");
    // The curves begin where a version was submitted.
    let series = rating_series(ladder, 12);
    assert_eq!((series[0][0].played, series[2][0].played), (2, 10));
    assert_eq!(series[2].last().unwrap().played, 24);
    assert_eq!(history(ladder, ladder.find("a@1"), 99).len(), 8);
}

#[test]
fn in_a_game_for_one_the_higher_score_on_a_seed_wins() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = ladder(&folder(dir.path()), true, "az");
    play(&mut store, 20);
    let ladder = store.ladder();
    assert!(ladder.matches().iter().all(|one| one.players.len() == 1));
    let games = ladder.between(1, 0);
    assert_eq!((games.won, games.drawn, games.lost), (10, 0, 0));
}

#[test]
fn failed_matches_count_for_no_strategy_and_a_strategy_that_always_fails_is_suspended() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = ladder(&folder(dir.path()), false, "adg!");
    play(&mut store, 100);
    let ladder = store.ladder();
    let fails = &ladder.entrants()[3];
    assert!(fails.is_suspended() && fails.matches == 0, "{fails:?}");
    assert!(fails.failed >= 8 && fails.failed < 24, "{fails:?}");
    assert!(ladder.entrants()[..3].iter().all(|one| !one.is_suspended() && one.matches > 20));
    assert!(table(ladder, false).contains("plays no more, since its last matches failed: it took"));
    let games: u32 = (0..3).map(|other| ladder.between(3, other)).map(|it| it.won + it.lost).sum();
    assert_eq!(games, 0);
    // Without a counted match it has no rating, and its place is below those that have lost.
    assert_eq!(rank(ladder), ["g@1", "d@1", "a@1", "fails@1"]);
    assert_eq!(json(ladder)["strategies"][3]["strategy"], "fails@1");
    let shown = table(ladder, false);
    let cells =
        |line: usize| shown.lines().nth(line).unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(cells(4)[..4], ["4", "fails@1", "-", "-"], "{shown}");
    assert_ne!(cells(3)[2], "-", "{shown}");
    assert!(markdown(ladder).contains("| 4 | fails@1 | - | - | 0 | 0 | 0 | 0 |"));
    // Alone with another one, nothing can be played, and the error says why.
    let dir = tempfile::tempdir().unwrap();
    let mut store = self::ladder(&folder(dir.path()), false, "a!");
    let refused = play_with(&mut store, &Toy::default(), 100, 1).unwrap_err().to_string();
    assert!(refused.contains("fails@1 (it took too long)"), "{refused}");
    // Its next version has another chance.
    submit(&mut store, false, "fails", b'b');
    submit(&mut store, false, "a", b'c');
    play(&mut store, 4);
}

#[test]
fn strategies_come_while_matches_are_played_and_play_from_the_next_round_on() {
    let dir = tempfile::tempdir().unwrap();
    let place = folder(dir.path());
    let mut store = ladder(&place, false, "ad");
    store.lead().unwrap();
    let (toy, stop) = (Toy::default(), AtomicBool::new(false));
    let mut came = false;
    let asked = LadderOptions { matches: 32, round: 4, all_versions: false };
    let options = RunOptions { threads: 1, stop: &stop };
    let end = store.play(
        asked,
        &toy,
        &options,
        &mut |bundle| {
            toy.bundles.lock().unwrap().push(bundle);
            Ok(())
        },
        &mut |event| {
            if event.result.number == 3 {
                // As another process does.
                let mut other = LadderStore::reopen(&place).unwrap();
                submit(&mut other, false, "late", b'f');
                came = true;
            }
        },
    );
    assert_eq!((end.unwrap(), came), (LeagueEnd::Over, true));
    let late = store.ladder().entrants()[2].clone();
    assert_eq!((late.id(), late.since), ("late@1".to_owned(), 8));
    assert!(late.matches >= 12, "{late:?}");
    assert_eq!(store.ladder().played(), 32);
    // What was written is what a new reader counts.
    let again = LadderStore::reopen(&place).unwrap();
    assert_eq!(json(again.ladder()), json(store.ladder()));
}

#[test]
fn a_second_process_that_plays_is_refused_and_the_first_one_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let place = folder(dir.path());
    let mut first = ladder(&place, false, "ad");
    first.lead().unwrap();
    let mut second = LadderStore::reopen(&place).unwrap();
    let refused = second.lead().unwrap_err().to_string();
    assert!(refused.contains(&format!("process {} on", std::process::id())), "{refused}");
    drop(first);
    second.lead().unwrap();
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let place = folder(dir.path());
    let none = LadderStore::reopen(&place).unwrap_err().to_string();
    assert!(none.contains("holds no ladder; `phalanx ladder submit` begins one"), "{none}");
    let mut store = ladder(&place, false, "a");
    let before = log(dir.path());
    let alone = play_with(&mut store, &Toy::default(), 2, 1).unwrap_err().to_string();
    assert!(alone.contains("a match needs two strategies, and 1 can play"), "{alone}");
    let refused = |store: &mut LadderStore, definition: LadderDefinition, name: &str, bundle| {
        store.submit(&definition, name, &bundle).unwrap_err().to_string()
    };
    for name in ["", "../x", "a@2", ".hidden", &"x".repeat(65)] {
        let why = refused(&mut store, definition(false), name, bundle(b'b'));
        assert!(why.contains("expected 1 to 64 of the characters"), "{name}: {why}");
    }
    let other = LadderDefinition { game: "other".into(), ..definition(false) };
    let why = refused(&mut store, other, "b", bundle(b'b'));
    assert!(why.contains("plays toy from seed 100, not other"), "{why}");
    let large = BundleBytes { hash: "c".repeat(64), bytes: vec![0; 5 << 20].into() };
    let why = refused(&mut store, definition(false), "b", large);
    assert!(why.contains("5242880 bytes; a ladder takes at most"), "{why}");
    assert_eq!(log(dir.path()), before);
}

#[test]
fn half_a_line_of_a_killed_writer_is_cut_off_and_a_changed_log_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let place = folder(dir.path());
    let mut store = ladder(&place, false, "ad");
    play(&mut store, 8);
    let whole = log(dir.path());
    std::fs::write(dir.path().join("ladder.jsonl"), format!("{whole}{{\"match\":{{\"nu")).unwrap();
    let mut again = LadderStore::reopen(&place).unwrap();
    assert_eq!(again.ladder().played(), 8);
    submit(&mut again, false, "g", b'g');
    assert_eq!(log(dir.path()).lines().count(), whole.lines().count() + 1);
    assert!(log(dir.path()).starts_with(&whole));
    // A result that counts twice, a missing one, and one of somebody else.
    let lines: Vec<_> = whole.lines().collect();
    let last = lines[lines.len() - 1];
    let twice = [&lines[..], &[last]].concat();
    let missing = [&lines[..5], &lines[6..]].concat();
    let other = whole.replace("\"number\":2,\"seed\":101", "\"number\":2,\"seed\":7");
    for (text, problem) in [
        (twice.join("\n") + "\n", "which is not on the schedule"),
        (missing.join("\n") + "\n", "expected match"),
        (other, "expected match 2"),
    ] {
        std::fs::write(dir.path().join("ladder.jsonl"), text).unwrap();
        let why = LadderStore::open(&place).unwrap_err().to_string();
        assert!(why.contains("ladder.jsonl, entry") && why.contains(problem), "{why}");
    }
}

#[test]
fn an_entry_reads_as_it_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = ladder(&folder(dir.path()), false, "ad");
    play(&mut store, 2);
    for line in log(dir.path()).lines() {
        let entry: LadderEntry = serde_json::from_str(line).unwrap();
        assert_eq!(entry.line(), line);
    }
}

/// The same ladder in a bucket of a server.
fn bucket(server: &NatsServer, name: &str) -> LadderPlace {
    let server = QueueAddress { url: server.url(), user: None, ca: None, certificate: None };
    LadderPlace::Bucket { server, name: name.to_owned() }
}

#[test]
fn a_server_keeps_the_same_ladder_as_a_folder_through_kills_of_both() {
    let Some(mut server) = NatsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let here = folder(dir.path());
    let mut kept = ladder(&here, false, "adg");
    play(&mut kept, 24);

    let place = bucket(&server, "club");
    let mut first = ladder(&place, false, "ad");
    // Another ladder on the same server is none of its business.
    drop(ladder(&bucket(&server, "other"), true, "xyz"));
    let mut second = LadderStore::reopen(&place).unwrap();
    submit(&mut second, false, "g", b'g');
    let toy = Toy { most: Some(5), ..Toy::default() };
    assert_eq!(play_with(&mut first, &toy, 24, 1).unwrap(), LeagueEnd::Stopped);
    let refused = second.lead().unwrap_err().to_string();
    assert!(refused.contains(&format!("process {} on", std::process::id())), "{refused}");
    server.restart();
    drop(first);
    let mut second = LadderStore::reopen(&place).unwrap();
    let left = 24 - second.ladder().matches().len() as u64;
    play(&mut second, left);
    assert_eq!(json(second.ladder()), json(kept.ladder()));
    assert_eq!(history(second.ladder(), None, 99), history(kept.ladder(), None, 99));
    let bad = LadderStore::open(&bucket(&server, "no.dots")).unwrap_err().to_string();
    assert!(bad.contains("is no name on a server"), "{bad}");
}

#[test]
fn a_copy_follows_its_ladder_and_no_other_one() {
    let dirs = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [from, to, other] = dirs.each_ref().map(|dir| folder(dir.path()));
    let none = LadderCopy::open(&from, &to).unwrap_err().to_string();
    assert!(none.contains("holds no ladder"), "{none}");
    let mut store = ladder(&from, false, "ad");
    play(&mut store, 8);
    let mut copy = LadderCopy::open(&from, &to).unwrap();
    assert_eq!(log(dirs[1].path()), "", "opening writes nothing");
    let lines = || log(dirs[0].path()).lines().count() as u64;
    assert_eq!(copy.update().unwrap(), lines());
    // What comes later comes with the next update, and after another begin.
    submit(&mut store, false, "g", b'g');
    assert_eq!(copy.update().unwrap(), lines());
    play(&mut store, 8);
    drop(copy);
    let mut copy = LadderCopy::open(&from, &to).unwrap();
    assert_eq!(copy.update().unwrap(), lines());
    assert_eq!(log(dirs[1].path()), log(dirs[0].path()));
    // It has the strategies, so that matches can be played again from it.
    let copied = LadderStore::reopen(&to).unwrap();
    assert_eq!(copied.log().fetch(&bundle(b'g').hash).unwrap(), bundle(b'g'));
    assert_eq!(json(copied.ladder()), json(store.ladder()));

    drop(ladder(&other, true, "xyz"));
    let refused = LadderCopy::open(&from, &other).unwrap_err().to_string();
    assert!(refused.contains("entry 1 differs; choose another place"), "{refused}");
    submit(&mut LadderStore::reopen(&to).unwrap(), false, "z", b'z');
    submit(&mut store, false, "x", b'x');
    let refused = copy.update().unwrap_err().to_string();
    assert!(refused.contains("another process writes into"), "{refused}");
}

#[test]
fn a_ladder_on_a_server_is_copied_into_a_folder_and_back() {
    let Some(mut server) = NatsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (place, here) = (bucket(&server, "club"), folder(dir.path()));
    let mut store = ladder(&place, false, "adg");
    play(&mut store, 8);
    let mut copy = LadderCopy::open(&place, &here).unwrap();
    copy.update().unwrap();
    assert_eq!(json(LadderStore::reopen(&here).unwrap().ladder()), json(store.ladder()));
    server.restart();
    drop(store);
    // The first request after a restart may fail; nothing is missing or twice after it.
    let mut store = LadderStore::reopen(&place).unwrap();
    play(&mut store, 8);
    while copy.update().is_err() {}
    assert_eq!(json(LadderStore::reopen(&here).unwrap().ladder()), json(store.ladder()));
    LadderCopy::open(&here, &bucket(&server, "again")).unwrap().update().unwrap();
    let again = LadderStore::reopen(&bucket(&server, "again")).unwrap();
    assert_eq!(history(again.ladder(), None, 99), history(store.ladder(), None, 99));
}
