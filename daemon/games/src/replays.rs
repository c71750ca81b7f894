//! Replays in the organisers' formats: reads them as matches that can be recorded, and writes them
//! again from recordings. Each format has a file of its own.

pub(crate) mod bomberland;
pub(crate) mod colosseum;
pub(crate) mod massim;

use anyhow::{Context, Result, anyhow, bail};
use phalanx_game::{Picture, Turn};
use serde_json::Value;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Largest file of a replay, in bytes.
const FILE_BYTES_MAX: u64 = 256 << 20;
/// Agents in a replay, at most.
const AGENTS_MAX: usize = 1_000;
/// Longest text that is taken from a replay, in characters.
const WORD_CHARS_MAX: usize = 200;

/// The pieces that a replay is written in.
pub type Documents = Vec<Vec<u8>>;

/// A replay format.
#[derive(Debug)]
pub struct ReplayForm {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a line of help.
    pub about: &'static str,
    /// The game of this format.
    pub game: &'static str,
    /// What a path of it leads to, for people who named another one.
    expected: &'static str,
    /// Whether this path leads to one; with the bytes of a file.
    is_one: fn(&Path, &[u8]) -> bool,
    read: fn(&Path, Option<&str>, Sink<'_>) -> Result<()>,
    write: fn(Documents, &Path) -> Result<Vec<PathBuf>>,
    /// The documents as far as the talk of a team with the referee tells, and what is lacking.
    played: fn(&[Chunk]) -> Option<(Documents, &'static str)>,
}

impl ReplayForm {
    /// Detects the format of a file or folder.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn of(path: &Path) -> Result<&'static Self> {
        let bytes = if path.is_dir() { Vec::new() } else { read(path)? };
        crate::replay_forms().find(|form| (form.is_one)(path, &bytes)).with_context(|| {
            let expected: Vec<_> = crate::replay_forms().map(|form| form.expected).collect();
            format!("{}: not a replay: expected {}", path.display(), expected.join(", or "))
        })
    }

    /// Reads a replay from the side of that team, or of its first one.
    ///
    /// # Errors
    /// When a file cannot be read, is not what it should be, or the sink says so.
    pub fn read(&self, path: &Path, team: Option<&str>, sink: Sink<'_>) -> Result<()> {
        (self.read)(path, team, sink)
    }

    /// Writes a replay of the documents that it was read from.
    ///
    /// # Errors
    /// When something is there already, or cannot be written.
    pub fn write(&self, documents: Documents, path: &Path) -> Result<Vec<PathBuf>> {
        (self.write)(documents, path)
    }

    /// A replay of a match that a team played, as far as its talk with the referee tells: its
    /// documents, and what is lacking. `None`: it does not tell.
    #[must_use]
    pub fn played(&self, talk: &[Chunk]) -> Option<(Documents, &'static str)> {
        (self.played)(talk)
    }
}

/// The parts of a replay, in order: the head, then documents and steps.
#[derive(Debug)]
pub enum Found {
    /// The participants.
    Head(Head),
    /// A piece of the replay, byte for byte: all pieces together are the whole replay.
    Document(Vec<u8>),
    /// The events of a step.
    Step(Box<Step>),
}

/// The participants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The team whose view is recorded.
    pub team: String,
    pub agents: Vec<String>,
}

/// The events of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    pub turn: Turn,
    /// What agents did, by index in the head.
    pub deeds: Vec<Deed>,
    /// The team's score after it.
    pub score: Option<i64>,
    /// The world after it.
    pub picture: Picture,
}

/// An agent's action in a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deed {
    /// The agent's index.
    pub agent: usize,
    /// The action as text; empty: none.
    pub action: String,
    /// Its result; empty: the replay does not contain it.
    pub result: String,
    /// The agent's position, as text.
    pub summary: String,
}

/// Receives the parts of a replay.
pub type Sink<'a> = &'a mut dyn FnMut(Found) -> Result<()>;

/// Bytes of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// True: the team sent them; false: the referee did.
    pub sent: bool,
    pub bytes: Vec<u8>,
}

/// Writes all documents into one file.
fn write_file(documents: Documents, path: &Path) -> Result<Vec<PathBuf>> {
    let mut file = create(path)?;
    for document in documents {
        put(&mut file, &document, path)?;
    }
    Ok(vec![path.to_owned()])
}

/// Makes a file that is not there yet.
///
/// # Errors
/// When it is, or the system refuses.
pub fn create(path: &Path) -> Result<File> {
    let exists = |error: &std::io::Error| error.kind() == ErrorKind::AlreadyExists;
    File::create_new(path).map_err(|error| match path.display() {
        path if exists(&error) => {
            anyhow!("{path} exists already; choose another name, or remove it")
        }
        path => anyhow!("{path}: {error}"),
    })
}

fn put(file: &mut File, bytes: &[u8], path: &Path) -> Result<()> {
    std::io::Write::write_all(file, bytes).with_context(|| format!("{}", path.display()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let place = || format!("{}", path.display());
    let file = File::open(path).with_context(place)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).with_context(place)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        bail!("{}: larger than {FILE_BYTES_MAX} bytes", path.display());
    }
    Ok(bytes)
}

/// A text of the replay, cut if it is too long.
fn word(value: &Value) -> String {
    let cut = |text: &str| text.chars().take(WORD_CHARS_MAX).collect();
    match value.as_str() {
        Some(text) => cut(text),
        None if value.is_null() => String::new(),
        None => cut(&value.to_string()),
    }
}

/// A whole number that fits a coordinate.
fn coordinate(value: &Value) -> Option<i32> {
    value.as_i64().and_then(|number| i32::try_from(number).ok())
}

/// The items of a list; empty if it is something else.
fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
