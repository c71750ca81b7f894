//! Disks that fail, fill up, or hang: play continues.

use crate::game::{Kept, PATIENCE, info, options, play};
use phalanx_game::{SeatId, Turn};
use phalanx_net::{Appetite, Percepts, Recorder, SeatAct, Taped};
use phalanx_record::{
    DiskFile, Loader, QueueLimits, RealDisk, Recorded, Recording, RecordingDisk, RecordingFile,
};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// A disk with room for this many bytes, until the test makes more.
#[derive(Debug)]
struct Full {
    room: Arc<AtomicU64>,
}

#[derive(Debug)]
struct FullFile {
    file: Box<dyn DiskFile>,
    room: Arc<AtomicU64>,
}

impl RecordingDisk for Full {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let (file, room) = (RealDisk.create(path)?, Arc::clone(&self.room));
        Ok(Box::new(FullFile { file, room }))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }
}

impl Write for FullFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room.load(Ordering::Acquire);
        let count = bytes.len().min(usize::try_from(room).unwrap());
        if count == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room.fetch_sub(u64::try_from(count).unwrap(), Ordering::AcqRel);
        self.file.write(&bytes[..count])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl DiskFile for FullFile {
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}

/// A disk that blocks until it is released.
#[derive(Clone, Debug, Default)]
struct Stuck {
    free: Arc<(Mutex<bool>, Condvar)>,
}

struct StuckFile(Box<dyn DiskFile>, Stuck);

impl fmt::Debug for StuckFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StuckFile")
    }
}

impl Stuck {
    fn let_go(&self) {
        *self.free.0.lock().unwrap() = true;
        self.free.1.notify_all();
    }

    fn wait(&self) {
        let (free, changed) = &*self.free;
        drop(changed.wait_while(free.lock().unwrap(), |free| !*free).unwrap());
    }
}

impl RecordingDisk for Stuck {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(StuckFile(RealDisk.create(path)?, self.clone())))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }
}

impl Write for StuckFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.wait();
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl DiskFile for StuckFile {
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}

fn bytes(at: Instant, size: usize) -> (Instant, Taped) {
    (at, Taped::Seat { seat: SeatId(0), act: SeatAct::Received(vec![7; size].into()) })
}

fn entries(path: &Path, begin: Instant) -> Vec<Recorded> {
    let file = RecordingFile::open(path).unwrap();
    let found = file.entries(begin, &Loader::default());
    found.filter_map(Result::ok).map(|entry| entry.what).collect()
}

#[test]
fn a_full_disk_stops_the_recording_and_it_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let room = Arc::new(AtomicU64::new(40_000));
    let (info, mut options) = (info(), options(folder.path()));
    options.disk = Arc::new(Full { room: Arc::clone(&room) });
    (options.chunk_bytes, options.retry_after) = (20_000, Duration::ZERO);
    let recording = Recording::begin(options, info.clone()).unwrap();
    let kept = Arc::new(Kept::default());
    play(6, kept.clone());
    let taped = std::mem::take(&mut *kept.entries.lock().unwrap());
    for (at, what) in taped.clone() {
        recording.put(at, what);
    }
    // The thread writes what it can; then there is room again.
    while recording.status().failures == 0 {
        std::thread::yield_now();
    }
    assert!(recording.status().trouble.is_some());
    room.store(u64::MAX / 2, Ordering::Release);
    for (at, what) in taped {
        recording.put(at, what);
    }
    let status = recording.finish(PATIENCE);
    assert!(status.over && status.trouble.is_none(), "{status:?}");
    assert!(status.failures >= 1 && status.lost > 0, "{status:?}");
    let first = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let file = RecordingFile::open(first).unwrap();
    let summary = file.summary();
    assert_eq!(summary.lost, status.lost, "each missing entry is counted");
    assert!(summary.whole && !summary.obstacles().is_empty());
    assert!(summary.gaps.iter().all(|gap| gap.from_nanos <= gap.to_nanos));
    let written: u64 = summary.channels.values().map(|tally| tally.messages).sum();
    assert!(written > 100, "{written}");
}

#[test]
fn what_is_missing_is_counted_though_the_disk_fails_again_before_it_has_the_count() {
    let folder = tempfile::tempdir().unwrap();
    let room = Arc::new(AtomicU64::new(40_000));
    let mut options = options(folder.path());
    options.disk = Arc::new(Full { room: Arc::clone(&room) });
    (options.chunk_bytes, options.retry_after) = (20_000, Duration::ZERO);
    options.flush_every = PATIENCE;
    let recording = Recording::begin(options, info()).unwrap();
    let put = |size: usize| {
        let (at, what) = bytes(Instant::now(), size);
        recording.put(at, what);
    };
    let await_failure = |before: u64| {
        while recording.status().failures <= before {
            put(30_000);
            std::thread::yield_now();
        }
    };
    let await_empty_queue = || {
        while recording.status().waiting_bytes > 0 {
            std::thread::yield_now();
        }
    };
    await_failure(0);
    await_empty_queue();
    // There is room: the count of what is missing waits for its chunk to be full.
    room.store(u64::MAX / 2, Ordering::Release);
    put(10);
    await_empty_queue();
    room.store(0, Ordering::Release);
    await_failure(recording.status().failures);
    room.store(u64::MAX / 2, Ordering::Release);
    put(10);
    let status = recording.finish(PATIENCE);
    assert!(status.over && status.lost > 0, "{status:?}");
    let first = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let summary = RecordingFile::open(first).unwrap().summary();
    assert_eq!(summary.lost, status.lost, "each missing entry is counted");
}

#[test]
fn no_folder_and_a_device_without_room_cost_only_the_recording() {
    for folder in ["/dev/full", "/proc/nowhere/at/all", "/proc"] {
        let mut options = options(Path::new(folder));
        options.retry_after = PATIENCE;
        let recording = Recording::begin(options, info()).unwrap();
        play(2, recording.clone());
        let status = recording.finish(PATIENCE);
        assert!(status.over && status.trouble.is_some(), "{folder}: {status:?}");
        assert!(status.trouble.unwrap().contains(folder), "{folder}");
        assert_eq!((status.failures, status.messages), (1, 0), "{folder}");
        assert!(status.lost > 100, "{folder}");
    }
}

/// Writes to `/dev/full`.
#[derive(Debug)]
struct DevFull;

impl RecordingDisk for DevFull {
    fn create(&self, _path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(std::fs::OpenOptions::new().write(true).open("/dev/full")?))
    }

    fn remove(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_device_that_is_always_full_is_tried_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path());
    (options.disk, options.retry_after) = (Arc::new(DevFull), Duration::ZERO);
    let recording = Recording::begin(options, info()).unwrap();
    play(1, recording.clone());
    let status = recording.finish(PATIENCE);
    assert!(status.over && status.failures > 10 && status.messages == 0, "{status:?}");
    assert!(status.trouble.unwrap().contains("No space left"));
}

#[test]
fn a_disk_that_hangs_slows_nobody_down_and_what_is_needed_survives_longest() {
    let folder = tempfile::tempdir().unwrap();
    let (info, mut options) = (info(), options(folder.path()));
    let stuck = Stuck::default();
    options.disk = Arc::new(stuck.clone());
    options.queue = QueueLimits { entries_max: 400, bytes_max: 1 << 20 };
    let recording = Recording::begin(options, info.clone()).unwrap();
    let begin = info.begun.instant;
    let percepts = |nth: u32| {
        let turn = Turn::new(0, nth);
        Taped::Percepts(Arc::new(Percepts { turn, agents: Vec::new() }))
    };
    let entry = phalanx_engine::JournalEntry {
        turn: Turn::default(),
        agent: None,
        generation: 1,
        event: phalanx_engine::JournalEvent::RoundStarted,
    };
    let entry = Arc::new(entry);
    assert_eq!(recording.appetite(), Appetite::Everything);
    let at = |nth: u32| begin + Duration::from_millis(nth.into());
    for nth in 0..200 {
        recording.put(at(nth), percepts(nth));
        recording.put(at(nth), Taped::Journal(Arc::clone(&entry)));
        let (at, wire) = bytes(at(nth), 10);
        recording.put(at, wire);
    }
    assert_eq!(recording.appetite(), Appetite::Needed);
    // Far more than fits.
    for nth in 200..2_000 {
        let (at, wire) = bytes(at(nth), 10);
        recording.put(at, wire);
    }
    let lost = recording.status().lost;
    assert!(lost > 1_500, "{lost}");
    stuck.let_go();
    let status = recording.finish(PATIENCE);
    assert!(status.over && status.trouble.is_none(), "{status:?}");
    assert_eq!(status.lost, lost);
    let found = entries(&status.path, begin);
    let count = |wanted: fn(&Recorded) -> bool| found.iter().filter(|it| wanted(it)).count();
    let shown = count(|it| matches!(it, Recorded::Percepts(_)));
    let told = count(|it| matches!(it, Recorded::Event(_)));
    let needed = count(|it| matches!(it, Recorded::Taped(_)));
    assert!(shown > 50 && shown <= told && told < needed, "{shown} {told} {needed}");
    let gaps: u64 = found
        .iter()
        .filter_map(|it| match it {
            Recorded::Gap(gap) => Some(gap.channels.iter().map(|it| it.count).sum::<u64>()),
            _ => None,
        })
        .sum();
    assert_eq!(gaps, lost);
}

#[test]
fn what_comes_after_the_end_is_not_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (info, options) = (info(), options(folder.path()));
    let begin = info.begun.instant;
    let recording = Recording::begin(options, info).unwrap();
    let (at, wire) = bytes(begin, 10);
    recording.put(at, wire.clone());
    let ended = recording.finish(PATIENCE);
    assert!(ended.over && ended.lost == 0, "{ended:?}");
    // A seat that is cut off may still report something.
    recording.put(at, wire);
    assert_eq!(recording.status().lost, 0);
}

#[test]
fn a_gap_stands_where_something_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (info, mut options) = (info(), options(folder.path()));
    let stuck = Stuck::default();
    options.disk = Arc::new(stuck.clone());
    options.queue = QueueLimits { entries_max: 10, bytes_max: 1 << 20 };
    let recording = Recording::begin(options, info.clone()).unwrap();
    let begin = info.begun.instant;
    let at = |nth: u32| begin + Duration::from_millis(nth.into());
    let put = |nth: u32| {
        let (at, wire) = bytes(at(nth), usize::try_from(nth).unwrap());
        recording.put(at, wire);
    };
    (1..=100).for_each(put);
    stuck.let_go();
    // There is room again: new entries are recorded after the gap.
    while recording.status().messages < 10 && recording.appetite() == Appetite::Needed {
        std::thread::yield_now();
    }
    put(200);
    let status = recording.finish(PATIENCE);
    let found = entries(&status.path, begin);
    let shown: Vec<_> = found
        .iter()
        .filter_map(|it| match it {
            Recorded::Taped(Taped::Seat { act: SeatAct::Received(bytes), .. }) => Some(bytes.len()),
            Recorded::Gap(gap) => {
                assert_eq!(gap.channels[0].channel, "/seat/0/received");
                assert_eq!(gap.to_nanos, 100_000_000);
                Some(1_000)
            }
            _ => None,
        })
        .collect();
    assert_eq!(shown[shown.len() - 2..], [1_000, 200], "{shown:?}");
}

#[test]
fn a_clock_that_is_set_back_does_not_turn_time_around() {
    let folder = tempfile::tempdir().unwrap();
    let info = info();
    let recording = Recording::begin(options(folder.path()), info.clone()).unwrap();
    let begin = info.begun.instant;
    // Times continue from the begin, however the wall clock is set meanwhile.
    for second in 0..5 {
        let (at, wire) = bytes(begin + Duration::from_secs(second), 3);
        recording.put(at, wire);
    }
    let path = recording.finish(PATIENCE).path;
    let data = std::fs::read(path).unwrap();
    let times: Vec<_> =
        mcap::MessageStream::new(&data).unwrap().map(|it| it.unwrap().log_time).collect();
    assert!(times.is_sorted());
    assert_eq!(times.first(), Some(&1_795_311_000_250_000_000));
    assert_eq!(times.last().unwrap() - times.first().unwrap(), 4_000_000_000);
}

#[test]
fn what_a_crash_leaves_has_all_closed_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let (info, mut options) = (info(), options(folder.path()));
    options.flush_every = Duration::ZERO;
    let recording = Recording::begin(options, info.clone()).unwrap();
    let (at, wire) = bytes(info.begun.instant, 100);
    recording.put(at, wire);
    while recording.status().messages < 2 {
        std::thread::yield_now();
    }
    // It is still being written: it is not pruned, and it can be read.
    let path = recording.status().path;
    let file = RecordingFile::open(&path).unwrap();
    let summary = file.summary();
    assert!(summary.being_written && !summary.whole, "{summary:?}");
    assert_eq!(summary.channels["/seat/0/received"].messages, 1);
    assert_eq!(summary.obstacles(), Vec::<String>::new());
    recording.finish(PATIENCE);
    let summary = RecordingFile::open(&path).unwrap().summary();
    assert!(!summary.being_written && summary.whole, "{summary:?}");
}
