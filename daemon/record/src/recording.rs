//! A recording that is written as it happens.

use crate::book::{Book, BookOptions, Bundler};
use crate::disk::{Disk, RealDisk};
use crate::part::{PartError, PartOptions};
use crate::queue::{Item, Losses, Outlet, Queue, QueueLimits, queue};
use crate::{Channel, FORMAT};
use phalanx_game::Origin;
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

/// What is recorded.
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
    /// What only the game knows of the team, by the keys of the settings, without secrets.
    pub game_options: BTreeMap<String, String>,
    /// Memory that the team's scripts may use, in bytes.
    pub script_memory_bytes: u64,
    /// The version of the program.
    pub program_version: String,
    /// When it begins: from here times are counted, whatever becomes of the wall clock.
    pub begun: Origin,
}

impl RecordingInfo {
    /// The same as a message; what only a file knows of itself is empty.
    pub(crate) fn told(&self) -> v1::RecordingInfo {
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

/// How it is recorded.
#[derive(Clone, Debug)]
pub struct RecordingOptions {
    /// Where the files are; it is there.
    pub folder: PathBuf,
    /// What may wait for the disk.
    pub queue: QueueLimits,
    /// A chunk is closed once it has so many bytes before compression.
    pub chunk_bytes: u64,
    /// A chunk is closed once it is so old: what a crash can cost.
    pub flush_every: Duration,
    /// Each chunk is to survive the loss of power, too.
    pub sync: bool,
    /// From this size on the recording goes on in another file.
    pub part_bytes_max: u64,
    /// After trouble with the disk it is tried again so much later.
    pub retry_after: Duration,
    /// The files of strategies.
    pub bundler: Bundler,
    /// The settings, without secrets.
    pub settings: Option<String>,
    /// Where files are made.
    pub disk: Arc<dyn Disk>,
}

impl RecordingOptions {
    /// The usual ones, for a folder.
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

/// How a recording goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingStatus {
    /// The file that is written now; empty before the first.
    pub path: PathBuf,
    /// Which part that is, from 1.
    pub part: u32,
    /// Bytes on the disk, of all parts.
    pub bytes: u64,
    /// Messages so far.
    pub messages: u64,
    /// Entries that are missing.
    pub lost: u64,
    /// Bytes that wait for the disk, roughly.
    pub waiting_bytes: u64,
    /// What is the matter with the disk; `None`: nothing.
    pub trouble: Option<String>,
    /// How often the disk failed.
    pub failures: u64,
    /// Nothing more is written: the file is whole.
    pub over: bool,
}

/// A team's recording. Putting something in costs a copy into a queue; a thread of its own does the
/// rest.
pub struct Recording {
    queue: Queue,
    board: Arc<Noticeboard>,
}

/// Where the thread tells how it goes.
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
}

impl Recording {
    /// Begins to record. The file is made with the first entry.
    ///
    /// # Errors
    /// When the machine gives no thread.
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
            missing: BTreeMap::new(),
            lost: 0,
            failures: 0,
            trouble: None,
        };
        thread::Builder::new().name("recording".into()).spawn(move || scribe.run())?;
        Ok(Arc::new(Self { queue, board }))
    }

    /// How it goes.
    #[must_use]
    pub fn status(&self) -> RecordingStatus {
        let status = self.board.status().clone();
        let (lost, waiting_bytes) = (status.lost + self.queue.lost(), self.queue.waiting_bytes());
        RecordingStatus { lost, waiting_bytes, ..status }
    }

    /// Ends the recording: what waits is written, then the index. Waits for that so long at most;
    /// [`RecordingStatus::over`] tells whether it was enough.
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

/// Niceness of the thread that writes; that of play is 0.
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
    /// The disk failed: until then it is left alone.
    silent_until: Option<Instant>,
    /// What is missing and not told yet.
    missing: BTreeMap<GapCause, Losses>,
    /// What is missing, beside what the queue refused.
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
                Item::Taped(at, what) => self.write(at, &what),
                Item::Gap(losses) => self.note(losses),
                Item::Idle => {}
                Item::Over => break,
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
        self.missing.entry(cause).or_insert_with(|| Losses::new(cause, at)).add(channel, at);
        self.lost += 1;
    }

    /// The queue refused something. It counted that itself.
    fn note(&mut self, losses: Losses) {
        let known = self.missing.entry(losses.cause);
        let all = known.or_insert_with(|| Losses { counts: BTreeMap::new(), ..losses.clone() });
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

    /// The disk failed: play goes on, and it is tried again later.
    fn fail(&mut self, error: &PartError) {
        let text = format!("{}: {error}", self.book.path().display());
        self.failures += 1;
        self.silent_until = Some(now() + self.options.retry_after);
        self.chunk_since = None;
        if let Some(losses) = self.book.abandon() {
            self.lost += losses.counts.values().sum::<u64>();
            self.note(losses);
        }
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

/// Play comes before us, where the system can tell threads apart. Where it refuses we go on as we
/// are: it costs answers some time, not more.
pub(crate) fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "the recording's thread keeps the priority of play");
    }
}
