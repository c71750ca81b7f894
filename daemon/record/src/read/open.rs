//! Finds the parts of a recording and reads its description.

use super::bytes::Bytes;
use super::scan::{Scan, ScannedPiece};
use super::{Known, Raw, RecordingDamage, messages, unpack};
use crate::FORMAT;
use crate::book::{OPTION, STRATEGY};
use crate::channel::Channel;
use crate::names::{part_path, read_path};
use crate::part::{METADATA, METADATA_END};
use mcap::records::op;
use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1;
use prost::Message;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most attachments of a part that are kept.
const ATTACHMENTS_MAX: usize = 1_000;
/// Most bytes of all attachments together that are kept.
const ATTACHMENT_BYTES_MAX: usize = 64 << 20;
/// Most parts of a recording.
const PARTS_MAX: u32 = 10_000;
/// Most damaged places that are remembered from opening.
const DAMAGES_MAX: usize = 1_000;

/// Why a file cannot be opened as a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It cannot be opened.
    #[error("{path}: {why}", path = .path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The error.
        why: io::Error,
    },
    /// It is empty.
    #[error("{path}: the file is empty; the disk was full, or the daemon was killed as it began", path = .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It is not an MCAP file.
    #[error("{path}: this is no MCAP file: it begins with {got}", path = .path.display())]
    NotMcap {
        /// The file.
        path: PathBuf,
        /// Its first bytes.
        got: String,
    },
    /// Another program recorded it.
    #[error("{path}: this MCAP file was not recorded by Phalanx: it has no record of a team", path = .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// It has another version.
    #[error("{path}: the recording has layout {found}, this program reads layouts up to {FORMAT}; use version {version} of the program or later", path = .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The program that recorded it.
        version: String,
    },
}

/// An attachment of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its content.
    pub data: Vec<u8>,
}

/// An open recording.
#[derive(Debug)]
pub struct RecordingFile {
    info: v1::RecordingInfo,
    begin_nanos: u64,
    parts: SortedMap<u32, PathBuf>,
    /// By part: whether it has its index.
    pub(super) whole: SortedMap<u32, bool>,
    attachments: Vec<Attachment>,
    strategies: SortedMap<String, Vec<(String, String)>>,
    /// The figures at the ends of the parts.
    pub(super) ends: Vec<BTreeMap<String, String>>,
    pub(super) tallies: SortedMap<u16, u64>,
    pub(super) times: Option<(u64, u64)>,
    pub(super) known: Known,
    /// The damage that is visible without reading chunks.
    pub(super) damage: Vec<RecordingDamage>,
}

impl RecordingFile {
    /// Opens a recording by any of its files.
    ///
    /// # Errors
    /// When there is no such file, or it is not one of our recordings. Damage is no error: it is
    /// reported with what is read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let info = info_of(path)?;
        let begin_nanos = info.begin_time.and_then(nanos_of).unwrap_or_default();
        let mut recording = Self {
            begin_nanos,
            parts: parts_of(path, &info),
            info,
            whole: SortedMap::new(),
            attachments: Vec::new(),
            strategies: SortedMap::new(),
            ends: Vec::new(),
            tallies: SortedMap::new(),
            times: None,
            known: Known::default(),
            damage: Vec::new(),
        };
        for (part, path) in recording.parts.clone() {
            let disk = |why| RecordingError::Disk { path: path.clone(), why };
            recording.look(part, &path).map_err(disk)?;
        }
        Ok(recording)
    }

    /// The recording's description.
    #[must_use]
    pub fn info(&self) -> &v1::RecordingInfo {
        &self.info
    }

    /// Its attachments: settings, strategies.
    #[must_use]
    pub fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }

    /// The files of a generation's strategy, path and source, by the hash of all of them.
    #[must_use]
    pub fn strategy(&self, hash: &str) -> Option<&[(String, String)]> {
        self.strategies.get(hash).map(Vec::as_slice)
    }

    /// Its files, by part.
    #[must_use]
    pub fn files(&self) -> &SortedMap<u32, PathBuf> {
        &self.parts
    }

    /// When it began, in nanoseconds since the Unix epoch.
    #[must_use]
    pub fn begin_nanos(&self) -> u64 {
        self.begin_nanos
    }

    /// All parts from the first to the last; missing ones have no path.
    pub(crate) fn parts(&self) -> VecDeque<(u32, Option<PathBuf>)> {
        let last = self.parts.keys().next_back().copied().unwrap_or_default();
        (1..=last).map(|part| (part, self.parts.get(&part).cloned())).collect()
    }

    /// Scans a part without reading its chunks.
    fn look(&mut self, part: u32, path: &Path) -> io::Result<()> {
        let mut scan = Scan::new(BufReader::new(File::open(path)?))?;
        let mut whole = false;
        while let Some(piece) = scan.next()? {
            match piece {
                ScannedPiece::Chunk(chunk) => {
                    let (first, last) = self.times.unwrap_or(chunk.times);
                    self.times = Some((first.min(chunk.times.0), last.max(chunk.times.1)));
                }
                ScannedPiece::Damage(damage) if self.damage.len() < DAMAGES_MAX => {
                    self.damage.push(RecordingDamage { part, ..damage });
                }
                ScannedPiece::Damage(_) | ScannedPiece::Cut => {}
                ScannedPiece::Footer => whole = true,
                ScannedPiece::Record { op, body, .. } => self.learn(op, &body),
            }
        }
        self.whole.insert(part, whole);
        Ok(())
    }

    fn learn(&mut self, kind: u8, body: &[u8]) {
        match kind {
            op::ATTACHMENT => {
                if let Some(attachment) = attachment(body) {
                    self.keep(attachment);
                }
            }
            op::CHANNEL => self.known.learn(body),
            op::METADATA => {
                if let Some((METADATA_END, pairs)) = metadata(body) {
                    self.ends.push(pairs);
                }
            }
            op::STATISTICS => {
                if let Some(counts) = statistics(body) {
                    for (channel, count) in counts {
                        *self.tallies.entry(channel).or_default() += count;
                    }
                }
            }
            _ => {}
        }
    }

    fn keep(&mut self, attachment: Attachment) {
        if attachment.name.starts_with(STRATEGY)
            && let Some((hash, files)) = strategy(&attachment.data)
        {
            self.strategies.entry(hash).or_insert(files);
        }
        let size: usize = self.attachments.iter().map(|kept| kept.data.len()).sum();
        let full = self.attachments.len() >= ATTACHMENTS_MAX
            || size + attachment.data.len() > ATTACHMENT_BYTES_MAX;
        if !full && !self.attachments.contains(&attachment) {
            self.attachments.push(attachment);
        }
    }
}

/// The description in a file. The message has a checksum, so it is used rather than the record.
fn info_of(path: &Path) -> Result<v1::RecordingInfo, RecordingError> {
    let path_ = || path.to_owned();
    let disk = |why| RecordingError::Disk { path: path_(), why };
    let mut file = File::open(path).map_err(disk)?;
    let mut magic = Vec::new();
    (&mut file).take(mcap::MAGIC.len() as u64).read_to_end(&mut magic).map_err(disk)?;
    if magic.is_empty() {
        return Err(RecordingError::Empty { path: path_() });
    }
    if magic != mcap::MAGIC {
        let got = phalanx_game::excerpt(&magic);
        return Err(RecordingError::NotMcap { path: path_(), got: format!("{got:?}") });
    }
    file.seek(SeekFrom::Start(0)).map_err(disk)?;
    let info = read_description(BufReader::new(file)).map_err(disk)?;
    let info = info.ok_or_else(|| RecordingError::Foreign { path: path_() })?;
    if info.format == FORMAT {
        return Ok(info);
    }
    let (found, version) = (info.format, info.program_version);
    Err(RecordingError::Format { path: path_(), found, version })
}

fn read_description(file: BufReader<File>) -> io::Result<Option<v1::RecordingInfo>> {
    let mut scan = Scan::new(file)?;
    let mut by_record = None;
    let mut channels = Known::default();
    while let Some(piece) = scan.next()? {
        match piece {
            ScannedPiece::Record { op: op::METADATA, body, .. } => {
                if let Some((METADATA, pairs)) = metadata(&body) {
                    by_record = by_record.or_else(|| from_pairs(&pairs));
                }
            }
            ScannedPiece::Chunk(chunk) => {
                let data = scan.data(&chunk)?;
                let records = unpack(&chunk, &data).unwrap_or_default();
                let found = messages(&records, &mut channels, |_| true);
                let is_ours =
                    |raw: &&Raw| channels.channel(raw.channel) == Some(Channel::Recording);
                let info = found.iter().find(is_ours);
                if let Some(info) = info
                    && let Ok(info) = v1::RecordingInfo::decode(&*info.data)
                    && info.format > 0
                {
                    return Ok(Some(info));
                }
                // The entry is in the first chunk of each part. If that chunk is damaged, the
                // record has to do; if there is no such chunk, the other chunks do not have it
                // either.
                if !records.is_empty() || by_record.is_some() {
                    return Ok(by_record);
                }
            }
            ScannedPiece::Record { .. }
            | ScannedPiece::Damage(_)
            | ScannedPiece::Footer
            | ScannedPiece::Cut => {}
        }
    }
    Ok(by_record)
}

fn from_pairs(pairs: &BTreeMap<String, String>) -> Option<v1::RecordingInfo> {
    let text = |key: &str| pairs.get(key).cloned().unwrap_or_default();
    let begin: u64 = text("begin_unix_ms").parse().ok()?;
    let begin = std::time::SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(begin))?;
    Some(v1::RecordingInfo {
        id: text("id"),
        team: text("team"),
        game: text("game"),
        server: text("server"),
        seed: text("seed").parse().unwrap_or_default(),
        program_version: text("program_version"),
        format: text("format").parse().ok()?,
        part: text("part").parse().ok()?,
        begin_time: Some(begin.into()),
        cause: text("cause"),
        game_options: pairs
            .iter()
            .filter_map(|(key, value)| Some((key.strip_prefix(OPTION)?.to_owned(), value.clone())))
            .collect(),
        script_memory_bytes: text("script_memory_bytes").parse().unwrap_or_default(),
    })
}

/// The files of the same recording in the same folder.
fn parts_of(path: &Path, info: &v1::RecordingInfo) -> SortedMap<u32, PathBuf> {
    let own = (info.part.max(1), path.to_owned());
    let Some((name, _)) = read_path(path) else { return [own].into() };
    let folder = path.parent().unwrap_or(Path::new(""));
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut parts = SortedMap::new();
    for entry in std::fs::read_dir(listed).into_iter().flatten().flatten() {
        let found = entry.path();
        if let Some((other, part)) = read_path(&found)
            && other == name
            && part <= PARTS_MAX
            && part != own.0
            && let Ok(other) = info_of(&part_path(folder, &name, part))
            && other.id == info.id
        {
            parts.insert(part, part_path(folder, &name, part));
        }
    }
    parts.insert(own.0, own.1);
    parts
}

fn nanos_of(time: prost_types::Timestamp) -> Option<u64> {
    let seconds = u64::try_from(time.seconds).ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(u64::try_from(time.nanos).ok()?)
}

pub(super) fn metadata(body: &[u8]) -> Option<(&str, BTreeMap<String, String>)> {
    let mut bytes = Bytes(body);
    Some((bytes.text()?, bytes.pairs()?.into_iter().collect()))
}

pub(crate) fn attachment(body: &[u8]) -> Option<Attachment> {
    let mut bytes = Bytes(body);
    bytes.take(16)?;
    let (name, media_type) = (bytes.text()?.to_owned(), bytes.text()?.to_owned());
    let length = usize::try_from(bytes.long()?).ok()?;
    Some(Attachment { name, media_type, data: bytes.take(length)?.to_vec() })
}

/// The number of messages of each channel.
fn statistics(body: &[u8]) -> Option<Vec<(u16, u64)>> {
    let mut bytes = Bytes(body);
    // Messages, schemas, channels, attachments, metadata, chunks, first and last time.
    bytes.take(8 + 2 + 4 + 4 + 4 + 4 + 8 + 8)?;
    let length = usize::try_from(bytes.word()?).ok()?;
    let mut bytes = Bytes(bytes.take(length)?);
    let mut counts = Vec::new();
    while !bytes.0.is_empty() {
        counts.push((bytes.short()?, bytes.long()?));
    }
    Some(counts)
}

fn strategy(json: &[u8]) -> Option<(String, Vec<(String, String)>)> {
    let json: serde_json::Value = serde_json::from_slice(json).ok()?;
    let hash = json.get("hash")?.as_str()?.to_owned();
    let file = |(path, source): (&String, &serde_json::Value)| {
        Some((path.clone(), source.as_str()?.to_owned()))
    };
    let files = json.get("files")?.as_object()?.iter().map(file).collect::<Option<_>>()?;
    Some((hash, files))
}
