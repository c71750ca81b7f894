//! The files of a recording, one after the other.

use crate::RecordingInfo;
use crate::channel::Channel;
use crate::disk::RecordingDisk;
use crate::encode::{self, Encoder};
use crate::names::{name_of, part_path};
use crate::part::{OpenChunk, Part, PartError, PartOptions};
use crate::queue::QueueLosses;
use phalanx_engine::{Command, JournalEvent, Staged, TapedInput, TeamAct};
use phalanx_game::Turn;
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_net::Taped;
use phalanx_proto::v1;
use phalanx_proto::v1::GapCause;
use prost::Message;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The most recordings of one team and game that may begin in the same second.
const NAMESAKES_MAX: u32 = 100;
/// The attachment with the settings.
pub(crate) const SETTINGS: &str = "settings.toml";
/// Prefix of the attachments with strategies.
pub(crate) const STRATEGY: &str = "strategy-";
/// Prefix of the keys of a game's options in a file's metadata.
pub(crate) const OPTION: &str = "game_option_";
/// Characters of a hash in the name of an attachment.
const HASH_CHARS: usize = 12;

/// Returns the files of a generation, path and source, sorted by path; `None` if they are not
/// available.
#[derive(Clone)]
pub struct Bundler(Arc<BundlerFn>);

type BundlerFn = dyn Fn(&Staged) -> Option<Vec<(String, String)>> + Send + Sync;

impl Bundler {
    /// Wraps the function that finds the files.
    pub fn new(
        bundle: impl Fn(&Staged) -> Option<Vec<(String, String)>> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(bundle))
    }
}

/// Finds no files.
impl Default for Bundler {
    fn default() -> Self {
        Self::new(|_| None)
    }
}

impl fmt::Debug for Bundler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bundler")
    }
}

/// How the files are written.
#[derive(Clone, Debug)]
pub(crate) struct BookOptions {
    pub(crate) folder: PathBuf,
    pub(crate) part_bytes_max: u64,
    pub(crate) part: PartOptions,
    pub(crate) bundler: Bundler,
    pub(crate) settings: Option<String>,
    pub(crate) disk: Arc<dyn RecordingDisk>,
}

/// A recording's files.
pub(crate) struct Book {
    options: BookOptions,
    info: RecordingInfo,
    /// Why it is written, if it is not written live.
    cause: String,
    encoder: Encoder,
    /// The begin in its name, after the Unix epoch.
    called: Duration,
    /// The recording's name, once its first file is there.
    name: Option<String>,
    /// The number of the open or next part.
    number: u32,
    /// The number of the part that was written last.
    last_part: u32,
    part: Option<Part>,
    path: PathBuf,
    /// Attachments with strategies, by hash: each part contains all of them.
    strategies: SortedMap<String, (String, Vec<u8>)>,
    turns: u64,
    last_turn: Option<Turn>,
    generations: SortedSet<u32>,
    lost: u64,
    /// The last gaps that were written; those of the open chunk are not on the disk yet.
    gaps: Vec<QueueLosses>,
    /// Bytes of the closed parts.
    closed_bytes: u64,
    messages: u64,
}

/// What was in the open chunk of a file that the disk took no more of.
#[derive(Debug, Default)]
pub(crate) struct Abandoned {
    /// Entries that are missing now.
    pub(crate) entries: Option<QueueLosses>,
    /// Gaps, whose entries were missing before.
    pub(crate) gaps: Vec<QueueLosses>,
}

impl Book {
    pub(crate) fn new(options: BookOptions, info: RecordingInfo, cause: String) -> Self {
        let encoder = Encoder::new(&info.team, &info.game, &info.server, info.begun.instant);
        let called = Duration::from_millis(info.begun.unix_ms);
        Self {
            options,
            info,
            cause,
            encoder,
            called,
            name: None,
            number: 1,
            last_part: 1,
            part: None,
            path: PathBuf::new(),
            strategies: SortedMap::new(),
            turns: 0,
            last_turn: None,
            generations: SortedSet::new(),
            lost: 0,
            gaps: Vec::new(),
            closed_bytes: 0,
            messages: 0,
        }
    }

    /// Uses another time for the name than the begin of the recording, after the Unix epoch.
    pub(crate) fn call(&mut self, unix: Duration) {
        self.called = unix;
    }

    /// The file that was written last; empty before the first one.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the part at [`Self::path`], from 1.
    pub(crate) fn last_part(&self) -> u32 {
        self.last_part
    }

    pub(crate) fn messages(&self) -> u64 {
        self.messages
    }

    /// All bytes written so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.closed_bytes + self.part.as_ref().map_or(0, Part::written)
    }

    /// Whether the open chunk has messages.
    pub(crate) fn has_open_chunk(&self) -> bool {
        self.part.as_ref().is_some_and(Part::is_open)
    }

    /// Writes an entry. False if it does not fit into a file.
    pub(crate) fn put(&mut self, at: Instant, what: &Taped) -> Result<bool, PartError> {
        self.open(at)?;
        self.count(what);
        for staged in strategies(what) {
            self.keep_strategy(at, staged)?;
        }
        let (channel, message) = encode::message(&mut self.encoder, what);
        let fits = self.message(at, channel, &message)?;
        if self.part.as_ref().is_some_and(|part| part.written() >= self.options.part_bytes_max) {
            self.close()?;
        }
        Ok(fits)
    }

    /// Writes a gap.
    pub(crate) fn gap(&mut self, losses: &QueueLosses) -> Result<(), PartError> {
        self.open(losses.to)?;
        let fields = self.encoder.gap(losses);
        self.message(losses.to, Channel::Gaps, &fields)?;
        self.lost += losses.all();
        self.forget_gaps_on_disk();
        self.gaps.push(losses.clone());
        Ok(())
    }

    /// Keeps the gaps before the last one that are in the open chunk.
    fn forget_gaps_on_disk(&mut self) {
        let open = self.part.as_ref().map_or(0, |part| part.open.count(Channel::Gaps));
        let before = open.saturating_sub(1);
        self.gaps.drain(..self.gaps.len().saturating_sub(before));
    }

    fn message(&mut self, at: Instant, channel: Channel, data: &[u8]) -> Result<bool, PartError> {
        let time = self.log_time(at);
        let Some(part) = &mut self.part else { return Ok(false) };
        let fits = part.message(channel, time, data)?;
        self.messages += u64::from(fits);
        Ok(fits)
    }

    pub(crate) fn flush(&mut self) -> Result<(), PartError> {
        self.part.as_mut().map_or(Ok(()), Part::flush)
    }

    /// Writes the index of the file; the next message begins another file.
    pub(crate) fn close(&mut self) -> Result<(), PartError> {
        let Some(mut part) = self.part.take() else { return Ok(()) };
        let numbers: Vec<_> = self.generations.iter().map(u32::to_string).collect();
        let fields = [
            ("turns", self.turns.to_string()),
            ("lost", self.lost.to_string()),
            ("generations", numbers.join(" ")),
        ];
        let fields = fields.map(|(key, value)| (key.to_owned(), value)).into();
        if let Err(error) = part.flush() {
            // The gap entry counts what was in the chunk.
            self.part = Some(part);
            return Err(error);
        }
        self.closed_bytes += part.written();
        self.number += 1;
        part.finish(fields)
    }

    /// The disk failed: leaves the file as it is. Returns the entries of the open chunk, which are
    /// lost, and the gaps in it, which have to be written again.
    pub(crate) fn abandon(&mut self) -> Abandoned {
        let gaps = std::mem::take(&mut self.gaps);
        let Some(part) = self.part.take() else { return Abandoned::default() };
        let kept = part.tally.values().map(|(messages, _)| messages).sum::<u64>();
        let open = part.open.clone();
        self.closed_bytes += part.written();
        drop(part);
        if kept > open.counts.values().sum::<u64>() {
            self.number += 1;
        } else {
            self.unmake();
        }
        let first = gaps.len().saturating_sub(open.count(Channel::Gaps));
        let gaps = gaps.get(first..).unwrap_or_default().to_vec();
        self.lost = self.lost.saturating_sub(gaps.iter().map(QueueLosses::all).sum());
        Abandoned { entries: self.losses(&open), gaps }
    }

    /// Removes a file without readable content, so that its name is free for the next attempt.
    fn unmake(&mut self) {
        drop(self.options.disk.remove(&self.path));
        if self.number == 1 {
            self.name = None;
        }
    }

    fn losses(&self, open: &OpenChunk) -> Option<QueueLosses> {
        let (first, last) = open.times?;
        let counts: SortedMap<_, _> = open
            .counts
            .iter()
            .filter(|(channel, _)| !matches!(channel, Channel::Recording | Channel::Gaps))
            .map(|(channel, count)| (*channel, *count))
            .collect();
        let (from, to) = (self.instant(first), self.instant(last));
        (!counts.is_empty()).then_some(QueueLosses { cause: GapCause::Disk, from, to, counts })
    }

    fn open(&mut self, at: Instant) -> Result<(), PartError> {
        if self.part.is_some() {
            return Ok(());
        }
        let file = self.create()?;
        self.last_part = self.number;
        match Part::begin(file, self.options.part, FileInfo(&self.description()).pairs()) {
            Ok(part) => self.part = Some(part),
            Err(error) => {
                self.unmake();
                return Err(error);
            }
        }
        let info = self.description().encode_to_vec();
        self.message(at, Channel::Recording, &info)?;
        let time = self.log_time(at);
        let settings = self.options.settings.clone();
        let Some(part) = &mut self.part else { return Ok(()) };
        if let Some(settings) = settings {
            part.attach(SETTINGS, "application/toml", time, settings.as_bytes())?;
        }
        for (name, json) in self.strategies.values() {
            part.attach(name, "application/json", time, json)?;
        }
        Ok(())
    }

    /// Makes the file of the next part, and its folder if it does not exist.
    fn create(&mut self) -> io::Result<Box<dyn crate::DiskFile>> {
        let BookOptions { folder, disk, .. } = &self.options;
        if let Some(name) = &self.name {
            self.path = part_path(folder, name, self.number);
            return disk.create(&self.path);
        }
        let first = name_of(&self.info.team, &self.info.game, self.called);
        for namesake in 1..=NAMESAKES_MAX {
            let name = if namesake == 1 { first.clone() } else { format!("{first}-{namesake}") };
            self.path = part_path(folder, &name, 1);
            match disk.create(&self.path) {
                Ok(file) => {
                    self.name = Some(name);
                    return Ok(file);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(format!("{first}: there are {NAMESAKES_MAX} of this name")))
    }

    fn description(&self) -> v1::RecordingInfo {
        v1::RecordingInfo {
            id: self.name.clone().unwrap_or_default(),
            part: self.number,
            cause: self.cause.clone(),
            ..self.info.to_message()
        }
    }

    fn keep_strategy(&mut self, at: Instant, staged: &Staged) -> Result<(), PartError> {
        let generation = &staged.generation;
        if self.strategies.contains_key(&generation.hash) {
            return Ok(());
        }
        let Some(files) = (self.options.bundler.0)(staged) else { return Ok(()) };
        let files: serde_json::Map<_, _> =
            files.into_iter().map(|(path, source)| (path, source.into())).collect();
        let json = serde_json::json!({
            "generation": generation.number,
            "hash": generation.hash,
            "files": files,
        });
        let json = json.to_string().into_bytes();
        let short: String = generation.hash.chars().take(HASH_CHARS).collect();
        let name = format!("{STRATEGY}{}-{short}.json", generation.number);
        let time = self.log_time(at);
        if let Some(part) = &mut self.part {
            part.attach(&name, "application/json", time, &json)?;
        }
        self.strategies.insert(generation.hash.clone(), (name, json));
        Ok(())
    }

    fn count(&mut self, what: &Taped) {
        if let Taped::Began(began) = what {
            self.generations.insert(began.staged.generation.number);
        }
        let Taped::Journal(entry) = what else { return };
        // A straggler ends its turn once more.
        if let JournalEvent::TurnDone(_) = entry.event
            && self.last_turn.replace(entry.turn) != Some(entry.turn)
        {
            self.turns += 1;
        }
        if let JournalEvent::Generation { generation, .. }
        | JournalEvent::TakenBack { generation, .. } = &entry.event
        {
            self.generations.insert(generation.number);
        }
    }

    fn log_time(&self, at: Instant) -> u64 {
        self.encoder.log_time(self.info.begun.unix_ms, at)
    }

    fn instant(&self, log_time: u64) -> Instant {
        let begin = self.info.begun.unix_ms.saturating_mul(1_000_000);
        let nanos = i128::from(log_time) - i128::from(begin);
        self.encoder.epoch().instant(i64::try_from(nanos).unwrap_or_default())
    }
}

/// The description of a recording for tools that do not know our messages.
pub(crate) struct FileInfo<'a>(pub(crate) &'a v1::RecordingInfo);

impl FileInfo<'_> {
    pub(crate) fn pairs(&self) -> BTreeMap<String, String> {
        let fields = self.0;
        let begin = fields.begin_time.unwrap_or_default();
        let begin = SystemTime::try_from(begin).unwrap_or(SystemTime::UNIX_EPOCH);
        let unix = begin.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let pairs = [
            ("id", fields.id.clone()),
            ("team", fields.team.clone()),
            ("game", fields.game.clone()),
            ("server", fields.server.clone()),
            ("seed", fields.seed.to_string()),
            ("program_version", fields.program_version.clone()),
            ("format", fields.format.to_string()),
            ("part", fields.part.to_string()),
            ("begin", humantime::format_rfc3339_millis(begin).to_string()),
            ("begin_unix_ms", unix.as_millis().to_string()),
            ("cause", fields.cause.clone()),
            ("script_memory_bytes", fields.script_memory_bytes.to_string()),
        ];
        let options = fields.game_options.iter();
        let options = options.map(|(key, value)| (format!("{OPTION}{key}"), value.clone()));
        pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).chain(options).collect()
    }
}

/// The strategies in an entry.
fn strategies(what: &Taped) -> Vec<&Staged> {
    if let Taped::Began(began) = what {
        return vec![&began.staged];
    }
    let Taped::Steps(steps) = what else { return Vec::new() };
    let mut brought = Vec::new();
    for step in steps {
        if let TeamAct::Handled(TapedInput::Command(request)) = &step.act
            && let Command::InstallStrategy(install) = &request.command
        {
            brought.push(&install.staged);
        }
    }
    brought
}
