//! A match in memory and the same match in a file are equal.

use crate::game::{Kept, PATIENCE, files, info, options, play, staged};
use phalanx_engine::{Generation, JournalEntry, JournalEvent, TeamStep, TurnDone};
use phalanx_game::Turn;
use phalanx_net::{Recorder, Taped};
use phalanx_proto::v1;
use phalanx_record::{Entry, Loader, Recorded, Recording, RecordingFile, RecordingOptions};
use std::any::Any;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Plays a match into memory and into a file.
fn recorded(steps: u32, change: impl FnOnce(&mut RecordingOptions)) -> Match {
    let folder = tempfile::tempdir().unwrap();
    let (info, mut options) = (info(), options(folder.path()));
    change(&mut options);
    let recording = Recording::begin(options, info.clone()).unwrap();
    let next = Some(recording.clone() as Arc<dyn Recorder>);
    let kept = Arc::new(Kept { next, ..Kept::default() });
    play(steps, kept.clone());
    let status = recording.finish(PATIENCE);
    assert!(status.over && status.trouble.is_none(), "{status:?}");
    assert_eq!((status.lost, status.failures), (0, 0));
    let entries = std::mem::take(&mut *kept.entries.lock().unwrap());
    let file = RecordingFile::open(only_file(folder.path())).unwrap();
    Match { begin: info.begun.instant, entries, file, _folder: folder }
}

struct Match {
    begin: Instant,
    entries: Vec<(Instant, Taped)>,
    file: RecordingFile,
    _folder: tempfile::TempDir,
}

fn only_file(folder: &std::path::Path) -> std::path::PathBuf {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_by_key(|path| path.file_name().unwrap().len());
    files.remove(0)
}

fn entries(file: &RecordingFile, begin: Instant) -> Vec<Entry> {
    file.entries(begin, &Loader::default()).map(|entry| entry.unwrap()).collect()
}

/// The entries that must be decoded exactly, as text; journal and pictures only as their kinds.
fn needed(what: &Taped) -> String {
    match what {
        Taped::Journal(entry) => format!("journal {:?}", entry.turn),
        Taped::Snapshot(snapshot) => format!("snapshot {}", snapshot.tick),
        Taped::Percepts(percepts) => format!("percepts {:?}", percepts.turn),
        Taped::Board { turn, page } => format!("board {turn:?} {}", page.revision),
        Taped::Drawing(drawing) => format!("drawing {}", drawing.tick),
        exact => format!("{exact:?}"),
    }
}

fn read_again(what: &Recorded) -> Option<String> {
    let turn = |turn: Option<v1::Turn>| {
        let turn = turn.unwrap();
        phalanx_game::Turn::new(turn.round, turn.step)
    };
    Some(match what {
        Recorded::Taped(taped) => needed(taped),
        Recorded::Info(_) => return None,
        Recorded::Event(event) => format!("journal {:?}", turn(event.turn)),
        Recorded::Team(team) => format!("snapshot {}", team.tick),
        Recorded::Percepts(percepts) => format!("percepts {:?}", turn(percepts.turn)),
        Recorded::Board(board) => format!("board {:?} {}", turn(board.turn), board.revision),
        Recorded::World(world) => format!("drawing {}", world.tick),
        Recorded::Gap(gap) => format!("gap {gap:?}"),
    })
}

#[test]
fn what_was_put_in_comes_out_in_order_and_with_its_times() {
    let played = recorded(20, |_| {});
    let expected: Vec<_> = played.entries.iter().map(|(at, what)| (*at, needed(what))).collect();
    let found = entries(&played.file, played.begin);
    let found: Vec<_> =
        found.iter().filter_map(|entry| Some((entry.at, read_again(&entry.what)?))).collect();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    let kinds: phalanx_game::sorted::SortedSet<_> =
        expected.iter().map(|(_, text)| text.split([' ', '(']).next().unwrap()).collect();
    for kind in
        ["Began", "SeatOpened", "Seat", "Steps", "journal", "snapshot", "percepts", "drawing"]
    {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }
}

#[test]
fn percepts_and_pictures_can_be_looked_at() {
    let played = recorded(12, |_| {});
    let (mut percepts, mut worlds) = (0, 0);
    for entry in entries(&played.file, played.begin) {
        match entry.what {
            Recorded::Percepts(told) => {
                percepts += told.agents.len();
                let agent = &told.agents[0];
                assert_eq!(agent.name, format!("agentA{}", agent.agent + 1));
                assert!(!agent.fields.as_ref().unwrap().fields.is_empty());
            }
            Recorded::World(world) => {
                worlds += 1;
                assert_eq!((world.team.as_str(), world.game.as_str()), ("teams/A", "assemble"));
                assert!(!world.parts.is_empty());
            }
            Recorded::Team(team) => assert_eq!(team.agents.len(), 15),
            _ => {}
        }
    }
    assert!(percepts >= 15 * 10 && worlds >= 1, "{percepts} percepts, {worlds} worlds");
}

#[test]
fn a_strategy_is_loaded_from_the_recording() {
    let played = recorded(5, |options| options.settings = Some("[a]\nb = 1\n".into()));
    let hash = staged().generation.hash.clone();
    assert_eq!(played.file.strategy(&hash), Some(files().as_slice()));
    let names: Vec<_> = played.file.attachments().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["settings.toml", "strategy-1-5ca1ab1e5ca1.json"]);
    let loader = Loader::new(|generation: &Generation, files: Option<&[(String, String)]>| {
        let text = format!("{} {}", generation.number, files.unwrap().len());
        Arc::new(text) as Arc<dyn Any + Send + Sync>
    });
    let first = |entry: &Entry| match &entry.what {
        Recorded::Taped(Taped::Began(began)) => Some(Arc::clone(&began.staged.code)),
        _ => None,
    };
    let mut entries = played.file.entries(played.begin, &loader).map(Result::unwrap);
    let code = entries.find_map(|entry| first(&entry)).unwrap();
    assert_eq!(code.downcast_ref::<String>().unwrap(), "1 2");
}

#[test]
fn a_large_recording_has_several_parts_that_read_as_one() {
    let played = recorded(20, |options| {
        (options.part_bytes_max, options.chunk_bytes) = (30_000, 20_000);
    });
    let parts = played.file.files().len();
    assert!(parts >= 3, "{parts} parts");
    let found = entries(&played.file, played.begin);
    let infos = found.iter().filter(|entry| matches!(entry.what, Recorded::Info(_))).count();
    assert_eq!((infos, found.len() - infos), (parts, played.entries.len()));
    let (by_index, by_reading) = (played.file.summary(), played.file.by_reading());
    assert_eq!(by_index.channels, by_reading.channels);
    assert_eq!(by_index.turns, 20);
    // Every part leads to all of them.
    for path in played.file.files().values() {
        assert_eq!(RecordingFile::open(path).unwrap().files().len(), parts);
    }
    std::fs::remove_file(&played.file.files()[&2]).unwrap();
    let torn = RecordingFile::open(&played.file.files()[&3]).unwrap();
    let damage = torn.summary().damage;
    assert_eq!(damage.len(), 1);
    assert_eq!(damage[0].to_string(), "part 2 is missing");
}

/// The others have decided when a straggler's request arrives: the turn ends once more.
#[test]
fn a_turn_that_ends_twice_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let info = info();
    let recording = Recording::begin(options(folder.path()), info.clone()).unwrap();
    for step in [0, 1, 1, 2] {
        let entry = JournalEntry {
            turn: Turn::new(0, step),
            agent: None,
            generation: 1,
            event: JournalEvent::TurnDone(TurnDone::default()),
        };
        recording.put(info.begun.instant, Taped::Journal(Arc::new(entry)));
    }
    let status = recording.finish(PATIENCE);
    assert!(status.over && status.trouble.is_none(), "{status:?}");
    let file = RecordingFile::open(only_file(folder.path())).unwrap();
    assert_eq!((file.summary().turns, file.by_reading().turns), (3, 3));
}

#[test]
fn a_summary_is_the_same_by_index_and_by_reading() {
    let played = recorded(20, |_| {});
    let (by_index, by_reading) = (played.file.summary(), played.file.by_reading());
    assert!(by_index.whole && !by_index.being_written);
    assert_eq!(by_index.channels, by_reading.channels);
    assert_eq!((by_index.turns, by_reading.turns), (20, 20));
    assert_eq!(by_index.duration, by_reading.duration);
    assert_eq!(by_index.generations, [1].into());
    assert_eq!(by_index.generations, by_reading.generations);
    assert_eq!(by_reading.obstacles(), Vec::<String>::new());
    let info = played.file.info();
    assert_eq!((info.team.as_str(), info.game.as_str(), info.seed), ("A", "assemble", 7));
    assert_eq!(info.id, "A-assemble-20261122T013000Z");
    let bytes: u64 = by_index.channels.values().map(|tally| tally.bytes).sum();
    let per_turn_and_agent = by_index.file_bytes / (20 * 15);
    println!(
        "{} bytes in the file, {bytes} before compression, {per_turn_and_agent} a turn and agent",
        by_index.file_bytes
    );
}

/// A step's own times are independent of its message's log time.
#[test]
fn the_times_of_steps_are_exact() {
    let played = recorded(5, |_| {});
    let steps = |what: &Taped| match what {
        Taped::Steps(steps) => steps.clone(),
        _ => Vec::new(),
    };
    let shown = |steps: &[TeamStep]| format!("{steps:?}");
    let expected: Vec<_> = played.entries.iter().flat_map(|(_, what)| steps(what)).collect();
    let found = entries(&played.file, played.begin);
    let found: Vec<_> = found
        .iter()
        .flat_map(|entry| match &entry.what {
            Recorded::Taped(taped) => steps(taped),
            _ => Vec::new(),
        })
        .collect();
    assert_eq!(shown(&found), shown(&expected));
    // Another begin moves all of them equally.
    let later = played.begin + Duration::from_secs(5);
    let moved = entries(&played.file, later);
    let moved = moved.iter().find_map(|entry| match &entry.what {
        Recorded::Taped(Taped::Steps(steps)) => Some(steps[0].at),
        _ => None,
    });
    assert_eq!(moved.unwrap(), expected[0].at + Duration::from_secs(5));
}

#[test]
fn putting_something_in_costs_little() {
    let kept = Arc::new(Kept::default());
    play(20, kept.clone());
    let entries = std::mem::take(&mut *kept.entries.lock().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::begin(options(folder.path()), info()).unwrap();
    let spent = Mutex::new(Duration::ZERO);
    let count = u32::try_from(entries.len()).unwrap();
    for (at, what) in entries {
        let begin = Instant::now();
        recording.put(at, what);
        *spent.lock().unwrap() += begin.elapsed();
    }
    let status = recording.finish(PATIENCE);
    assert_eq!((status.lost, status.messages), (0, u64::from(count) + 1));
    println!("a put takes {:?}", *spent.lock().unwrap() / count);
}
