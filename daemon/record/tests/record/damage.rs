//! The readable rest of a broken file is read, and there is no panic.

use crate::game::{PATIENCE, info, options, play};
use phalanx_record::{
    DamageCause, Entry, Loader, Recording, RecordingError, RecordingFile, Summary, recover,
};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Instant;

/// A recorded match in many chunks, with its path.
static WHOLE: LazyLock<(tempfile::TempDir, PathBuf, Vec<u8>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path());
    options.chunk_bytes = 30_000;
    let recording = Recording::begin(options, info()).unwrap();
    play(8, recording.clone());
    let path = recording.finish(PATIENCE).path;
    let bytes = std::fs::read(&path).unwrap();
    (folder, path, bytes)
});

fn broken(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.mcap");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Entries as texts, and how many places are damaged.
fn read(path: &Path) -> Result<(Vec<String>, usize), RecordingError> {
    let file = RecordingFile::open(path)?;
    let begin = *BEGIN;
    let (mut found, mut damaged) = (Vec::new(), 0);
    for entry in file.entries(begin, &Loader::default()) {
        match entry {
            Ok(Entry { nanos, what, .. }) => found.push(format!("{nanos} {what:?}")),
            Err(_) => damaged += 1,
        }
    }
    Ok((found, damaged))
}

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

#[test]
fn a_file_that_is_cut_anywhere_is_read_up_to_there() {
    let (_, path, bytes) = &*WHOLE;
    let (all, damaged) = read(path).unwrap();
    assert_eq!(damaged, 0);
    let mut most = 0;
    for length in (0..bytes.len()).step_by(1_000) {
        let (_folder, path) = broken(&bytes[..length]);
        match read(&path) {
            Ok((found, damaged)) => {
                assert!(damaged > 0 || length + 9 > bytes.len(), "{length}: {damaged}");
                assert!(found.len() >= most, "{length}: a longer file has no fewer entries");
                assert_eq!(found, all[..found.len()], "{length}");
                most = found.len();
            }
            Err(error) => assert!(length < 1_000, "{length}: {error}"),
        }
    }
    assert!(most > all.len() / 2, "{most} of {}", all.len());
}

#[test]
fn the_messages_of_a_chunk_that_is_cut_are_read() {
    let folder = tempfile::tempdir().unwrap();
    // One chunk, larger than the buffer of the compression.
    let mut options = options(folder.path());
    (options.chunk_bytes, options.flush_every) = (64 << 20, PATIENCE);
    let recording = Recording::begin(options, info()).unwrap();
    play(30, recording.clone());
    let path = recording.finish(PATIENCE).path;
    let (all, _) = read(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (_folder, path) = broken(&bytes[..bytes.len() * 2 / 3]);
    let (found, damaged) = read(&path).unwrap();
    assert_eq!(damaged, 1);
    assert!(found.len() > all.len() / 10, "{} of {}", found.len(), all.len());
    assert_eq!(found, all[..found.len()]);
}

#[test]
fn a_flipped_bit_costs_what_it_stands_in_and_no_more() {
    let (_, path, bytes) = &*WHOLE;
    let (all, _) = read(path).unwrap();
    let step = bytes.len() / 97;
    for (nth, at) in (8..bytes.len()).step_by(step.max(1)).enumerate() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (nth % 8);
        let (_folder, path) = broken(&flipped);
        let (found, _) = match read(&path) {
            Ok(read) => read,
            Err(error) => panic!("{at}: {error}"),
        };
        let checked = RecordingFile::open(&path).unwrap().by_reading();
        assert!(!checked.damage.is_empty() || !checked.whole, "{at}: no check finds it");
        // Everything that is read was written, in the same order; at most one or two chunks are
        // missing.
        let mut rest = all.iter();
        let lost = found.iter().filter(|entry| !rest.any(|kept| kept == *entry)).count();
        assert!(lost <= 1, "{at}: {lost} entries that were never written");
        assert!(found.len() * 3 >= all.len() * 2, "{at}: {} of {}", found.len(), all.len());
    }
}

#[test]
fn a_flipped_bit_in_the_end_of_a_file_is_found_and_costs_no_entry() {
    let (_, path, bytes) = &*WHOLE;
    let (all, _) = read(path).unwrap();
    // The footer, and the magic bytes after it.
    for at in bytes.len() - 37..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        let (_folder, path) = broken(&flipped);
        let checked = RecordingFile::open(&path).unwrap().by_reading();
        assert!(!checked.damage.is_empty() || !checked.whole, "{at}: no check finds it");
        assert_eq!(read(&path).unwrap().0, all, "{at}");
    }
}

#[test]
fn a_damaged_strategy_is_found_and_not_copied() {
    let (_, _, bytes) = &*WHOLE;
    let at = bytes.windows(9).position(|name| name == b"strategy-").unwrap();
    let mut flipped = bytes.clone();
    flipped[at + 50] ^= 1;
    let (folder, path) = broken(&flipped);
    let checked = RecordingFile::open(&path).unwrap().summary();
    assert_eq!(checked.damage.first().unwrap().wrong, DamageCause::Attachment);
    assert!(!checked.obstacles().is_empty(), "the decisions cannot be computed again");
    let out = folder.path().join("whole.mcap");
    let recovered = recover(&path, &out).unwrap();
    assert_eq!(recovered.damage.first().unwrap().wrong, DamageCause::Attachment);
    assert!(!RecordingFile::open(&out).unwrap().by_reading().obstacles().is_empty());
}

#[test]
fn a_damaged_chunk_is_told_with_its_place() {
    let (_, path, bytes) = &*WHOLE;
    let whole: Summary = RecordingFile::open(path).unwrap().by_reading();
    assert_eq!(whole.damage, []);
    let middle = bytes.len() / 2;
    let mut torn = bytes.clone();
    torn[middle..middle + 200].fill(0);
    let (_folder, path) = broken(&torn);
    let file = RecordingFile::open(&path).unwrap();
    let summary = file.summary();
    let damage = summary.damage.first().unwrap();
    let middle = u64::try_from(middle).unwrap();
    assert!(damage.at <= middle + 200 && damage.part == 1, "{damage}");
    assert!(!summary.obstacles().is_empty());
}

#[test]
fn a_whole_file_is_made_of_a_broken_one() {
    let (_, path, bytes) = &*WHOLE;
    let (all, _) = read(path).unwrap();
    let mut torn = bytes[..bytes.len() * 3 / 4].to_vec();
    let middle = torn.len() / 2;
    torn[middle..middle + 50].fill(0xff);
    let (folder, path) = broken(&torn);
    let (left, _) = read(&path).unwrap();
    let out = folder.path().join("whole.mcap");
    let recovered = recover(&path, &out).unwrap();
    assert!(!recovered.damage.is_empty());
    let file = RecordingFile::open(&out).unwrap();
    let summary = file.summary();
    assert!(summary.whole && summary.damage.is_empty(), "{summary:?}");
    let reread = file.by_reading();
    assert!(!reread.obstacles().is_empty(), "the gap stays known");
    let first = reread.gaps.first().unwrap();
    let end = i64::try_from(reread.duration.as_nanos()).unwrap();
    let inside = 1..=end;
    assert!(inside.contains(&first.from_nanos) && inside.contains(&first.to_nanos), "{first:?}");
    let (found, damaged) = read(&out).unwrap();
    let gaps = found.iter().filter(|entry| entry.contains(" Gap(")).count();
    assert_eq!(damaged, 0);
    assert!(gaps >= 1 && found.len() - gaps == left.len(), "{} {gaps} {}", found.len(), left.len());
    assert!(left.len() > all.len() / 3);
    assert_eq!(file.attachments().len(), 1, "the strategy");
    // The standard reader accepts it, including checksums.
    let bytes = std::fs::read(&out).unwrap();
    let messages = mcap::MessageStream::new(&bytes).unwrap().map(|message| message.unwrap());
    assert_eq!(messages.count(), found.len());
    let again = recover(&path, &out).unwrap_err().to_string();
    assert!(again.contains("whole.mcap") && again.contains("exists"), "{again}");
}

#[test]
fn a_file_without_its_end_is_not_whole_but_nothing_is_missing() {
    let (_, path, bytes) = &*WHOLE;
    let (all, _) = read(path).unwrap();
    let (_folder, path) = broken(&bytes[..bytes.len() - 8]);
    assert_eq!(read(&path).unwrap().0, all);
    // The index begins after the last chunk.
    let index = RecordingFile::open(&path).unwrap();
    assert!(index.summary().damage.iter().all(|damage| damage.wrong == DamageCause::End));
}
