//! Files that are not recordings, and folders with too many.

use crate::game::{PATIENCE, info, options};
use mcap::records::MessageHeader;
use phalanx_game::SeatId;
use phalanx_net::{Recorder, SeatAct, Taped};
use phalanx_record::{
    DamageCause, Entry, Loader, Recorded, Recording, RecordingFile, RecordingOptions,
    RecordingStatus, RetentionPolicy, prune,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

fn refused(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.mcap");
    std::fs::write(&path, bytes).unwrap();
    let text = RecordingFile::open(&path).unwrap_err().to_string();
    text.replace(&path.display().to_string(), "x.mcap")
}

/// An MCAP file of another program, perhaps with our record.
fn foreign(pairs: Option<&[(&str, &str)]>) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    let mut writer = mcap::Writer::new(&mut file).unwrap();
    if let Some(pairs) = pairs {
        let metadata = pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        let name = "phalanx".to_owned();
        writer.write_metadata(&mcap::records::Metadata { name, metadata }).unwrap();
    }
    let schema = writer.add_schema("ros/Twist", "ros1msg", b"float64 x").unwrap();
    let channel = writer.add_channel(schema, "/cmd", "ros1", &BTreeMap::new()).unwrap();
    let header = MessageHeader { channel_id: channel, sequence: 0, log_time: 1, publish_time: 1 };
    writer.write_to_known_channel(&header, &[0; 8]).unwrap();
    writer.finish().unwrap();
    drop(writer);
    file.into_inner()
}

#[test]
fn what_is_no_recording_is_told_apart() {
    assert!(refused(b"").starts_with("x.mcap: the file is empty"));
    assert!(refused(b"PK\x03\x04 something else").contains("this is no MCAP file: it begins with"));
    assert!(refused(&mcap::MAGIC[..5]).contains("this is no MCAP file"));
    assert!(refused(mcap::MAGIC).contains("was not recorded by Phalanx"));
    assert!(refused(&foreign(None)).contains("was not recorded by Phalanx"));
    let other =
        [("format", "7"), ("part", "1"), ("begin_unix_ms", "5"), ("program_version", "9.1.0")];
    let text = refused(&foreign(Some(&other)));
    assert!(
        text.contains("layout 7, this program reads layouts up to 1; use version 9.1.0"),
        "{text}"
    );
    let missing = RecordingFile::open("/nowhere.mcap").unwrap_err().to_string();
    assert!(missing.starts_with("/nowhere.mcap: "), "{missing}");
}

/// A whole recording with a few messages, a second apart.
fn small(folder: &Path, messages: u64) -> PathBuf {
    let mut options = options(folder);
    options.chunk_bytes = 500;
    recorded(options, messages).path
}

/// The status after recording a few messages, a second apart.
fn recorded(options: RecordingOptions, messages: u64) -> RecordingStatus {
    let info = info();
    let recording = Recording::begin(options, info.clone()).unwrap();
    for second in 0..messages {
        let act = SeatAct::Received(vec![7; 100].into());
        let at = info.begun.instant + Duration::from_secs(second);
        recording.put(at, Taped::Seat { seat: SeatId(0), act });
    }
    recording.finish(PATIENCE)
}

#[test]
fn its_end_names_the_part_that_was_written_last() {
    for (part_bytes_max, parts) in [(u64::MAX, 1), (1, 3)] {
        let folder = tempfile::tempdir().unwrap();
        let status = recorded(RecordingOptions { part_bytes_max, ..options(folder.path()) }, 3);
        assert_eq!((status.part, status.over), (parts, true), "{status:?}");
        let file = RecordingFile::open(&status.path).unwrap();
        assert_eq!(file.info().part, parts);
    }
}

#[test]
fn sizes_that_only_are_declared_cost_no_memory() {
    const HUGE: u64 = 100_000_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = small(folder.path(), 3);
    let bytes = std::fs::read(&path).unwrap();
    // Each record in turn declares a hundred gigabytes, and so does the unpacked size of a chunk.
    let mut at = mcap::MAGIC.len();
    let mut records = 0;
    while at + 9 <= bytes.len() - mcap::MAGIC.len() {
        let length = u64::from_le_bytes(bytes[at + 1..at + 9].try_into().unwrap());
        let mut places = vec![at + 1];
        if bytes[at] == mcap::records::op::CHUNK {
            places.extend([at + 9 + 16, at + 9 + 16 + 8 + 4 + 8]);
        }
        for place in places {
            let mut lying = bytes.clone();
            lying[place..place + 8].copy_from_slice(&HUGE.to_le_bytes());
            std::fs::write(&path, &lying).unwrap();
            if let Ok(file) = RecordingFile::open(&path) {
                let begin = std::time::Instant::now();
                let read = file.entries(begin, &Loader::default()).count();
                assert!(read <= 20, "{read}");
            }
        }
        at += 9 + usize::try_from(length).unwrap();
        records += 1;
    }
    assert!(records > 10, "{records}");
    // A hole of a hundred gigabytes, which needs no space on the disk, is skipped.
    std::fs::write(&path, &bytes).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(1 << 34).unwrap();
    let file = RecordingFile::open(&path).unwrap();
    assert_eq!(file.info().team, "A");
}

#[test]
fn an_unpacked_chunk_is_no_larger_than_any_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let path = small(folder.path(), 1);
    let mut bytes = std::fs::read(&path).unwrap();
    // After the magic bytes of the end: a chunk that unpacks to a gigabyte of zeros.
    let bomb = zstd::bulk::compress(&vec![0; 80 << 20], 19).unwrap();
    let mut chunk = Vec::new();
    chunk.extend([0_u8; 16]);
    chunk.extend((80_u64 << 20).to_le_bytes());
    chunk.extend(0_u32.to_le_bytes());
    chunk.extend(b"\x04\0\0\0zstd");
    chunk.extend((bomb.len() as u64).to_le_bytes());
    chunk.extend(&bomb);
    let mut record = vec![mcap::records::op::CHUNK];
    record.extend((chunk.len() as u64).to_le_bytes());
    record.extend(chunk);
    // In place of the first record.
    let at = mcap::MAGIC.len();
    bytes.splice(at..at, record);
    std::fs::write(&path, &bytes).unwrap();
    let file = RecordingFile::open(&path).unwrap();
    let found: Vec<_> = file.entries(std::time::Instant::now(), &Loader::default()).collect();
    let wrong = found.iter().find_map(|it| it.as_ref().err()).unwrap();
    assert!(matches!(wrong.wrong, DamageCause::TooLarge(_)), "{wrong}");
    assert!(found.iter().any(|it| matches!(it, Ok(Entry { what: Recorded::Taped(_), .. }))));
}

#[test]
fn reading_can_begin_in_the_middle() {
    let folder = tempfile::tempdir().unwrap();
    let file = RecordingFile::open(small(folder.path(), 60)).unwrap();
    let times =
        |nanos: u64| file.raw_messages(nanos).map(|raw| raw.unwrap().nanos).collect::<Vec<_>>();
    let (all, later) = (times(0), times(30_000_000_000));
    let behind = |list: &[i64]| list.iter().filter(|nanos| **nanos >= 30_000_000_000).count();
    assert_eq!((behind(&all), behind(&later)), (later.len(), later.len()));
    assert!(later.len() < all.len() / 2 + 10, "{} of {}", later.len(), all.len());
    // The chunk that declares the channels' names is skipped.
    let topics = file.raw_messages(30_000_000_000).map(|raw| raw.unwrap().channel);
    assert_eq!(topics.collect::<BTreeSet<_>>(), BTreeSet::from(["/seat/0/received".to_owned()]));
}

/// A recording's file of this size and age.
fn old(folder: &Path, name: &str, bytes: usize, age: Duration) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, vec![0; bytes]).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + NOW - age).unwrap();
    path
}

const NOW: Duration = Duration::from_secs(2_000_000_000);
const HOUR: Duration = Duration::from_secs(3_600);

#[test]
fn the_oldest_recordings_go_until_the_rest_fits() {
    let folder = tempfile::tempdir().unwrap();
    let old = |name, bytes, hours| old(folder.path(), name, bytes, HOUR * hours);
    old("A-mars-20261122T013000Z.mcap", 100, 9);
    old("A-mars-20261122T013000Z.2.mcap", 100, 8);
    old("B-mars-20261122T013000Z.mcap", 100, 7);
    old("C-mars-20261122T013000Z-2.mcap", 100, 1);
    let holiday = old("holiday.mcap", 10_000, 99);
    let busy = old("D-mars-20261122T013000Z.mcap", 100, 99);
    let lock = File::open(&busy).unwrap();
    lock.lock().unwrap();
    let now = SystemTime::UNIX_EPOCH + NOW;
    let names = |policy, dry_run| {
        let pruned = prune(folder.path(), policy, now, dry_run).unwrap();
        assert!(pruned.iter().all(|gone| gone.trouble.is_none()));
        pruned.iter().map(|gone| (gone.name[..1].to_owned(), gone.bytes)).collect::<Vec<_>>()
    };
    let a = ("A".to_owned(), 200);
    let b = ("B".to_owned(), 100);
    let bytes = |bytes| RetentionPolicy { bytes: Some(bytes), age: None };
    assert_eq!(names(RetentionPolicy::default(), true), []);
    assert_eq!(names(bytes(500), true), []);
    // A dry run deletes nothing.
    for _ in 0..2 {
        assert_eq!(names(bytes(499), true).as_slice(), std::slice::from_ref(&a));
        assert_eq!(names(bytes(299), true), [a.clone(), b.clone()]);
    }
    let age = RetentionPolicy { bytes: None, age: Some(HOUR * 6) };
    assert_eq!(names(age, false), [a, b]);
    assert_eq!(names(age, false), []);
    assert_eq!(names(bytes(0), false), [("C".to_owned(), 100)]);
    assert!(busy.exists() && holiday.exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    assert!(prune(Path::new("/nowhere"), age, now, false).is_err());
}
