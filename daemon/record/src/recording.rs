//! Writes a recording live.

use crate::book::{Abandoned, Book, BookOptions, Bundler};
use crate::disk::{RealDisk, RecordingDisk};
use crate::part::{PartError, PartOptions};
use crate::queue::{Outlet, QueueItem, QueueLimits, QueueLosses, RecordQueue, queue};
use crate::{Channel, FORMAT};
use phalanx_game::Origin;
use phalanx_game::sorted::SortedMap;
use phalanx_net::{Appetite, Recorder, Taped, now};
use phalanx_proto::v1;
use phalanx_proto::v1::GapCause;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// The shortest wait for the next entry, however often chunks are closed.
const PATIENCE_MIN: Duration = Duration::from_millis(5);

/// The description of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingInfo {
    /// The team's name.
    pub team: String,
    /// The game's name.
    pub game: String,
    /// The referee's address.
    pub server: String,
    /// The match's seed for scripts.
    pub seed: u64,
    /// The game's own options of the team, by the keys of the settings, without secrets.
    pub game_options: BTreeMap<String, String>,
    /// Memory that the team's scripts may use, in bytes.
    pub script_memory_bytes: u64,
    /// The version of the program.
    pub program_version: String,
    /// The begin: times count from here, even if the wall clock is set.
    pub begun: Origin,
}

impl RecordingInfo {
    /// The same as a message; fields that only a file has are empty.
    pub(crate) fn to_message(&self) -> v1::RecordingInfo {
        let Self { team, game, server, seed, program_version, begun, .. } = self.clone();
        let begin = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(begun.unix_ms));
        v1::RecordingInfo {
            id: String::new(),
            team,
            game,
            server,
            seed,
            program_version,
            format: FORMAT,
            part: 0,
            begin_time: begin.map(Into::into),
            cause: String::new(),
            game_options: self.game_options.clone(),
            script_memory_bytes: self.script_memory_bytes,
        }
    }
}

/// Options of a recording.
#[derive(Clone, Debug)]
pub struct RecordingOptions {
    /// The folder of the files; it exists.
    pub folder: PathBuf,
    /// Limits of what waits for the disk.
    pub queue: QueueLimits,
    /// A chunk is closed once it has this many bytes before compression.
    pub chunk_bytes: u64,
    /// A chunk is closed once it is this old: the most that a crash can lose.
    pub flush_every: Duration,
    /// Force each chunk onto the disk, in case of a loss of power.
    pub sync: bool,
    /// The recording continues in another file from this size on.
    pub part_bytes_max: u64,
    /// Time after which a failed disk is tried again.
    pub retry_after: Duration,
    /// The files of strategies.
    pub bundler: Bundler,
    /// The settings, without secrets.
    pub settings: Option<String>,
    /// Makes the files.
    pub disk: Arc<dyn RecordingDisk>,
}

impl RecordingOptions {
    /// The default options, for a folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            queue: QueueLimits::default(),
            chunk_bytes: 1 << 20,
            flush_every: Duration::from_secs(2),
            sync: false,
            part_bytes_max: 1 << 30,
            retry_after: Duration::from_secs(10),
            bundler: Bundler::default(),
            settings: None,
            disk: Arc::new(RealDisk),
        }
    }

    pub(crate) fn book(&self) -> BookOptions {
        BookOptions {
            folder: self.folder.clone(),
            part_bytes_max: self.part_bytes_max,
            part: PartOptions { chunk_bytes: self.chunk_bytes, sync: self.sync },
            bundler: self.bundler.clone(),
            settings: self.settings.clone(),
            disk: Arc::clone(&self.disk),
        }
    }
}

/// The status of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingStatus {
    /// The current file; empty before the first one.
    pub path: PathBuf,
    /// The number of that part, from 1.
    pub part: u32,
    /// Bytes on the disk, of all parts.
    pub bytes: u64,
    /// Messages so far.
    pub messages: u64,
    /// Entries that are missing.
    pub lost: u64,
    /// Bytes that wait for the disk, approximately.
    pub waiting_bytes: u64,
    /// The current problem of the disk; `None` if there is none.
    pub trouble: Option<String>,
    /// How often the disk failed.
    pub failures: u64,
    /// Nothing more will be written: the file is complete.
    pub over: bool,
}

/// A team's recording. Adding an entry costs a copy into a queue; a thread of its own does the
/// rest.
pub struct Recording {
    queue: RecordQueue,
    board: Arc<Noticeboard>,
}

/// Where the thread publishes the status.
#[derive(Debug, Default)]
struct Noticeboard {
    status: Mutex<RecordingStatus>,
    changed: Condvar,
}

impl Noticeboard {
    fn status(&self) -> MutexGuard<'_, RecordingStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("status", &*self.board.status()).finish_non_exhaustive()
    }
}

impl Recorder for Recording {
    fn put(&self, at: Instant, what: Taped) {
        self.queue.put(at, what);
    }

    fn appetite(&self) -> Appetite {
        self.queue.appetite()
    }

    fn trouble(&self) -> Option<String> {
        self.board.status().trouble.clone()
    }
}

impl Recording {
    /// Starts a recording. The first entry creates the file.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn begin(options: RecordingOptions, info: RecordingInfo) -> io::Result<Arc<Self>> {
        let (queue, outlet) = queue(options.queue);
        let board = Arc::new(Noticeboard::default());
        let scribe = Scribe {
            book: Book::new(options.book(), info, String::new()),
            options,
            outlet,
            board: Arc::clone(&board),
            chunk_since: None,
            silent_until: None,
            missing: SortedMap::new(),
            lost: 0,
            failures: 0,
            trouble: None,
        };
        thread::Builder::new().name("recording".into()).spawn(move || scribe.run())?;
        Ok(Arc::new(Self { queue, board }))
    }

    /// The current status.
    #[must_use]
    pub fn status(&self) -> RecordingStatus {
        let status = self.board.status().clone();
        let (lost, waiting_bytes) = (status.lost + self.queue.lost(), self.queue.waiting_bytes());
        RecordingStatus { lost, waiting_bytes, ..status }
    }

    /// Ends the recording: writes what waits, then the index. Waits for this at most as long as
    /// `patience`; [`RecordingStatus::over`] is true if it was enough.
    pub fn finish(&self, patience: Duration) -> RecordingStatus {
        self.queue.close();
        let status = self.board.status();
        drop(self.board.changed.wait_timeout_while(status, patience, |status| !status.over));
        self.status()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// Niceness of the writing thread; the other threads have 0.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Writes a recording on its own thread.
struct Scribe {
    options: RecordingOptions,
    outlet: Outlet,
    book: Book,
    board: Arc<Noticeboard>,
    /// When the open chunk got its first message.
    chunk_since: Option<Instant>,
    /// The disk failed: no attempt until then.
    silent_until: Option<Instant>,
    /// What is missing and not reported yet.
    missing: SortedMap<GapCause, QueueLosses>,
    /// What is missing, besides what the queue refused.
    lost: u64,
    failures: u64,
    trouble: Option<String>,
}

impl Scribe {
    fn run(mut self) {
        give_way();
        loop {
            let flush_every = self.options.flush_every;
            let age = self.chunk_since.map_or(Duration::ZERO, |since| now() - since);
            let patience = flush_every.saturating_sub(age).max(PATIENCE_MIN);
            match self.outlet.take(patience) {
                QueueItem::Taped(at, what) => self.write(at, &what),
                QueueItem::Gap(losses) => self.note(losses),
                QueueItem::Idle => {}
                QueueItem::Over => break,
            }
            self.close_old_chunk();
        }
        self.tell_gaps();
        let open = self.book.has_open_chunk();
        let closed = self.book.close();
        if open || closed.is_err() {
            self.settle(closed);
        }
        self.publish(true);
    }

    fn write(&mut self, at: Instant, what: &Taped) {
        if self.silent_until.is_some_and(|until| now() < until) {
            return self.lose(GapCause::Disk, Channel::of(what), at);
        }
        self.tell_gaps();
        match self.book.put(at, what) {
            Ok(true) => {}
            Ok(false) => self.lose(GapCause::TooLarge, Channel::of(what), at),
            Err(error) => {
                self.lose(GapCause::Disk, Channel::of(what), at);
                self.fail(&error);
            }
        }
    }

    fn lose(&mut self, cause: GapCause, channel: Channel, at: Instant) {
        self.missing.entry(cause).or_insert_with(|| QueueLosses::new(cause, at)).add(channel, at);
        self.lost += 1;
    }

    /// The queue refused entries, and has counted them itself.
    fn note(&mut self, losses: QueueLosses) {
        let known = self.missing.entry(losses.cause);
        let all =
            known.or_insert_with(|| QueueLosses { counts: SortedMap::new(), ..losses.clone() });
        (all.from, all.to) = (all.from.min(losses.from), all.to.max(losses.to));
        for (channel, count) in losses.counts {
            *all.counts.entry(channel).or_default() += count;
        }
    }

    fn tell_gaps(&mut self) {
        if self.silent_until.is_some_and(|until| now() < until) {
            return;
        }
        while let Some((cause, losses)) = self.missing.pop_first() {
            if let Err(error) = self.book.gap(&losses) {
                self.missing.insert(cause, losses);
                return self.fail(&error);
            }
        }
    }

    fn close_old_chunk(&mut self) {
        if !self.book.has_open_chunk() {
            self.chunk_since = None;
            return;
        }
        let since = *self.chunk_since.get_or_insert_with(now);
        if now().saturating_duration_since(since) >= self.options.flush_every {
            self.chunk_since = None;
            let flushed = self.book.flush();
            self.settle(flushed);
            self.publish(false);
        }
    }

    fn settle(&mut self, done: Result<(), PartError>) {
        match done {
            Ok(()) => self.well(),
            Err(error) => self.fail(&error),
        }
    }

    /// The disk failed: play continues, and a later attempt follows.
    fn fail(&mut self, error: &PartError) {
        let text = format!("{}: {error}", self.book.path().display());
        self.failures += 1;
        self.silent_until = Some(now() + self.options.retry_after);
        self.chunk_since = None;
        let Abandoned { entries, gaps } = self.book.abandon();
        self.lost += entries.as_ref().map_or(0, QueueLosses::all);
        gaps.into_iter().chain(entries).for_each(|losses| self.note(losses));
        if self.trouble.is_none() {
            tracing::warn!(error = %text, "the recording stops; it is tried again later");
        }
        self.trouble = Some(text);
        self.publish(false);
    }

    fn well(&mut self) {
        if self.trouble.take().is_some() {
            tracing::info!(path = %self.book.path().display(), "the recording goes on");
            self.silent_until = None;
            self.publish(false);
        }
    }

    fn publish(&self, over: bool) {
        *self.board.status() = RecordingStatus {
            path: self.book.path().to_owned(),
            part: self.book.last_part(),
            bytes: self.book.bytes(),
            messages: self.book.messages(),
            lost: self.lost,
            waiting_bytes: 0,
            trouble: self.trouble.clone(),
            failures: self.failures,
            over,
        };
        self.board.changed.notify_all();
    }
}

/// Lets the threads that play go first, if the system supports priorities for threads. If it
/// refuses, nothing changes: answers may be a bit slower.
pub(crate) fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "the recording's thread keeps the priority of play");
    }
}
