//! A recording on a disk with faults, and the checks of what is left of it.

use crate::cast::{EPOCH_MS, limits};
use crate::disk::FaultyDisk;
use crate::fault::FaultKind;
use crate::rerun::{Again, Kept};
use crate::sabotage::Sabotage;
use phalanx_engine::{Generation, JournalEntry};
use phalanx_game::Origin;
use phalanx_games::{RerunPlan, TeamPlan};
use phalanx_lua::{Bundle, Program};
use phalanx_net::{Appetite, JournalComparison, Recorder, RerunOptions, Taped, now};
use phalanx_record::{
    Bundler, Entry, Loader, Recorded, Recording, RecordingFile, RecordingInfo, RecordingOptions,
    Summary,
};
use std::any::Any;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A small chunk, so that a short match writes several.
const CHUNK_BYTES: u64 = 20_000;
/// How long the recording's thread may take, in real time: no busy machine makes it late.
const PATIENCE: Duration = Duration::from_secs(3_600);
/// How long a fault waits until what came before is written, in real time.
const SETTLE_MAX: Duration = Duration::from_millis(500);
const SETTLE_STEP: Duration = Duration::from_millis(1);

/// Records into memory and onto a disk with faults.
#[derive(Debug)]
pub(crate) struct DiskTape {
    disk: FaultyDisk,
    kept: Arc<Kept>,
    recording: Arc<Recording>,
    folder: TempDir,
}

impl Recorder for DiskTape {
    fn put(&self, at: Instant, what: Taped) {
        self.kept.put(at, what.clone());
        self.recording.put(at, what);
    }

    fn appetite(&self) -> Appetite {
        Appetite::Everything
    }
}

impl DiskTape {
    /// Starts a recording of the first team.
    pub(crate) fn begin(
        (game, seed): (&str, u64),
        kept: Arc<Kept>,
        disk: FaultyDisk,
    ) -> io::Result<Arc<Self>> {
        let begun = Origin { instant: now(), unix_ms: EPOCH_MS };
        let folder = TempDir::new()?;
        let options = RecordingOptions {
            chunk_bytes: CHUNK_BYTES,
            flush_every: PATIENCE,
            retry_after: Duration::ZERO,
            bundler: Bundler::new(|staged| {
                let program = Arc::clone(&staged.code).downcast::<Program>().ok()?;
                let file = |(path, text): (&str, &Arc<str>)| (path.to_owned(), text.to_string());
                Some(program.bundle().files().map(file).collect())
            }),
            disk: Arc::new(disk.clone()),
            ..RecordingOptions::new(folder.path())
        };
        let info = RecordingInfo {
            team: "A".to_owned(),
            game: game.to_owned(),
            server: "chaos".to_owned(),
            seed,
            game_options: BTreeMap::new(),
            script_memory_bytes: 0,
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            begun,
        };
        let recording = Recording::begin(options, info)?;
        Ok(Arc::new(Self { disk, kept, recording, folder }))
    }

    /// A fault of the disk begins.
    pub(crate) fn fail(&self, kind: FaultKind, until: Instant) {
        if kind != FaultKind::DiskStuck && !self.disk.is_stuck() {
            self.settle();
        }
        self.disk.begin(kind, until);
    }

    /// Ends the faults whose time is over.
    pub(crate) fn elapse(&self, now: Instant) {
        if self.disk.is_over(now) {
            if !self.disk.is_stuck() {
                self.settle();
            }
            self.disk.end(Some(now));
        }
    }

    /// Waits until the disk has what came so far, or failed at it.
    fn settle(&self) {
        let begun = now();
        while self.recording.status().waiting_bytes > 0 && begun.elapsed() < SETTLE_MAX {
            thread::park_timeout(SETTLE_STEP);
        }
    }

    /// Ends the recording, cuts off its tail, and checks what can be read: it counts what it lost,
    /// and decides again as it was up to the first loss.
    pub(crate) fn check(&self, plan: &TeamPlan, tail: u64, sabotage: Sabotage<'_>) -> Again {
        self.disk.end(None);
        let status = self.recording.finish(PATIENCE);
        let failed = |text: String| Again { decisions: 0, difference: Some(text) };
        if !status.over {
            return failed(format!("the recording did not end within {PATIENCE:?}"));
        }
        let kept = self.kept.take();
        let needed = |(_, what): &&(Instant, Taped)| is_needed(what);
        let all = u64::try_from(kept.iter().filter(needed).count()).unwrap_or(u64::MAX);
        let read = match self.read(tail, sabotage) {
            Ok(read) => read,
            Err(_) if status.bytes == 0 && status.lost >= all => return Again::default(),
            Err(error) => return failed(error),
        };
        // A write that failed leaves a torn chunk, which cannot be read and counts as lost.
        if tail == 0 && read.needed + read.lost < all {
            let Read { needed, lost, .. } = read;
            return failed(format!(
                "{all} entries were recorded, {needed} can be read and {lost} count as lost"
            ));
        }
        let journal = kept.into_iter().filter_map(|(_, what)| {
            if let Taped::Journal(entry) = what { Some((*entry).clone()) } else { None }
        });
        decide(plan, read, journal.collect()).unwrap_or_else(failed)
    }

    /// All parts, the last one without its last bytes.
    fn read(&self, tail: u64, sabotage: Sabotage<'_>) -> Result<Read, String> {
        let text = |error: io::Error| error.to_string();
        let files = std::fs::read_dir(self.folder.path()).map_err(text)?;
        let files: Result<Vec<PathBuf>, _> = files.map(|file| Ok(file?.path())).collect();
        let mut files = files.map_err(text)?;
        files.sort();
        let (first, last) = (files.first().ok_or("there is no file")?, files.last());
        if let Some(last) = last.filter(|_| tail > 0) {
            let file = OpenOptions::new().write(true).open(last).map_err(text)?;
            let len = file.metadata().map_err(text)?.len();
            file.set_len(len.saturating_sub(tail)).map_err(text)?;
        }
        let file = match RecordingFile::open(first) {
            Ok(file) => file,
            // Nothing is left of the only part.
            Err(_) if tail > 0 && files.len() == 1 => return Ok(Read::nothing()),
            Err(error) => return Err(error.to_string()),
        };
        let mut read = Read::default();
        for entry in file.entries(now(), &Loader::new(code)) {
            match entry {
                Ok(Entry { what: Recorded::Taped(taped), .. })
                    if sabotage.loses.is_some_and(|loses| loses(&taped)) => {}
                Ok(entry) => read.entry(entry),
                Err(damage) if damage.is_harmless() => {}
                Err(_) => read.has_lost = true,
            }
        }
        read.has_lost |= tail > 0;
        Ok(read)
    }
}

/// Whether decisions depend on an entry.
fn is_needed(what: &Taped) -> bool {
    matches!(
        what,
        Taped::Began(_)
            | Taped::SeatOpened(_)
            | Taped::Seat { .. }
            | Taped::Steps(_)
            | Taped::Ended
    )
}

/// The code of a recorded generation.
fn code(_: &Generation, files: Option<&[(String, String)]>) -> Arc<dyn Any + Send + Sync> {
    let files = files.unwrap_or_default().iter();
    let files = files.map(|(path, source)| (path.clone(), Arc::from(source.as_str())));
    match Bundle::from_files(files) {
        Ok(bundle) => Arc::new(Program::compile(Arc::new(bundle)).0),
        // Deciding again says that there is no strategy.
        Err(_) => Arc::new(()),
    }
}

/// What can be read of a recording.
#[derive(Default)]
struct Read {
    /// Up to the first loss.
    taped: Vec<(Instant, Taped)>,
    /// Entries that decisions depend on.
    needed: u64,
    /// Such entries that count as lost.
    lost: u64,
    has_lost: bool,
}

impl Read {
    fn nothing() -> Self {
        Self { has_lost: true, ..Self::default() }
    }

    fn entry(&mut self, entry: Entry) {
        match entry.what {
            Recorded::Taped(taped) => {
                self.needed += 1;
                if !self.has_lost {
                    self.taped.push((entry.at, taped));
                }
            }
            Recorded::Gap(gap) => {
                let lacking = Summary::lacking(&gap);
                self.lost += lacking;
                self.has_lost |= lacking > 0;
            }
            Recorded::Info(_)
            | Recorded::Event(_)
            | Recorded::Team(_)
            | Recorded::Percepts(_)
            | Recorded::Board(_)
            | Recorded::World(_) => {}
        }
    }
}

/// Decides again what can be read before the first loss.
fn decide(plan: &TeamPlan, read: Read, journal: Vec<JournalEntry>) -> Result<Again, String> {
    let has_begun = read.taped.iter().any(|(_, what)| matches!(what, Taped::Began(_)));
    if !has_begun {
        return Ok(Again::default());
    }
    let mut rerun = phalanx_games::rerun(RerunPlan {
        game: plan.game.clone(),
        options: plan.options.clone(),
        limits: limits(),
        rerun: RerunOptions::default(),
    })
    .map_err(|error| error.to_string())?;
    let mut lines = Vec::new();
    for (at, what) in read.taped {
        rerun.feed(at, what).map_err(|error| error.to_string())?;
        lines.extend(std::iter::from_fn(|| rerun.poll_journal()));
    }
    let end = read.has_lost.then(|| rerun.turn());
    if !read.has_lost {
        rerun.finish().map_err(|error| error.to_string())?;
        lines.extend(std::iter::from_fn(|| rerun.poll_journal()));
    }
    let is_before = |line: &JournalEntry| end.is_none_or(|end| line.turn < end);
    let mut comparison = JournalComparison::new(false);
    let mut recorded = journal.into_iter().filter(is_before).peekable();
    let mut again = lines.into_iter().filter(is_before).peekable();
    // Side by side: a comparison keeps few turns.
    while recorded.peek().is_some() || again.peek().is_some() {
        let turn = again.peek().map(|line| line.turn);
        let is_next = |line: &JournalEntry| turn.is_none_or(|turn| line.turn <= turn);
        match recorded.next_if(is_next) {
            Some(line) => comparison.recorded(line),
            None => again.next().into_iter().for_each(|line| comparison.now(line)),
        }
    }
    comparison.finish(end.is_some());
    let difference = std::iter::from_fn(|| comparison.poll()).next();
    let difference = difference.map(|line| format!("{line:?}"));
    Ok(Again { decisions: comparison.tally().decisions.all, difference })
}
