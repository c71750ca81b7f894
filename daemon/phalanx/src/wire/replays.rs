//! Replays in the organisers' formats: read as matches that can be recorded, and written again out of
//! recordings. Each format has a file of its own.

mod bomberland;
mod colosseum;
mod massim;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use phalanx_game::{Picture, Turn};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest file of a replay, in bytes.
const FILE_BYTES_MAX: u64 = 256 << 20;
/// Most agents of a replay.
const AGENTS_MAX: usize = 1_000;
/// Longest text that is taken out of a replay, in characters.
const WORD_CHARS_MAX: usize = 200;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReplayForm {
    /// A folder of MASSim: static.json, 0.json, 5.json and so on.
    Massim,
    /// A file of the Bomberland engine: replay.json.
    Bomberland,
    /// A file of Colosseum: JSON lines.
    Colosseum,
}

impl ReplayForm {
    /// The game that it is of.
    #[must_use]
    pub fn game(self) -> &'static str {
        match self {
            Self::Massim => "assemble",
            Self::Bomberland => "bomberland",
            Self::Colosseum => "colosseum",
        }
    }

    /// What a file or folder seems to be.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn of(path: &Path) -> Result<Self> {
        if path.is_dir() {
            if path.join(massim::STATIC).is_file() {
                return Ok(Self::Massim);
            }
            bail!("{}: the folder has no {}", path.display(), massim::STATIC);
        }
        let bytes = read(path)?;
        let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if colosseum::is_line(first) {
            return Ok(Self::Colosseum);
        }
        if bomberland::is_replay(&bytes) {
            return Ok(Self::Bomberland);
        }
        bail!(
            "{}: this is no replay: expected a folder of MASSim, Bomberland's replay.json, or JSON \
             lines of Colosseum",
            path.display()
        )
    }
}

/// What comes out of a replay, in order: its head, then documents and steps.
#[derive(Debug)]
pub enum Found {
    /// Who plays.
    Head(Head),
    /// A piece of the replay as it was, byte for byte: together they are all of it.
    Document(Vec<u8>),
    /// What happened in a step.
    Step(Box<Step>),
}

/// Who plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The team from whose side it is looked at.
    pub team: String,
    /// Its agents.
    pub agents: Vec<String>,
}

/// What happened in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Which.
    pub turn: Turn,
    /// What agents did, by index in the head.
    pub deeds: Vec<Deed>,
    /// The team's score after it.
    pub score: Option<i64>,
    /// The world after it.
    pub picture: Picture,
}

/// What an agent did in a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deed {
    /// Which agent.
    pub agent: usize,
    /// The action as people read it; empty: none came.
    pub action: String,
    /// What came of it; empty: the replay does not tell.
    pub result: String,
    /// Where it stood, for people.
    pub summary: String,
}

/// Takes what comes out of a replay.
pub type Sink<'a> = &'a mut dyn FnMut(Found) -> Result<()>;

/// Reads a replay from the side of that team, or of its first one.
///
/// # Errors
/// When a file cannot be read, is not what it should be, or the sink says so.
pub fn read_replay(
    form: ReplayForm,
    path: &Path,
    team: Option<&str>,
    sink: Sink<'_>,
) -> Result<()> {
    match form {
        ReplayForm::Massim => massim::read(path, team, sink),
        ReplayForm::Bomberland => bomberland::read(path, team, sink),
        ReplayForm::Colosseum => colosseum::read(path, team, sink),
    }
}

/// Writes a replay of the documents that it was read from.
///
/// # Errors
/// When something is there already, or cannot be written.
pub fn write_replay(
    form: ReplayForm,
    documents: Vec<Vec<u8>>,
    path: &Path,
) -> Result<Vec<PathBuf>> {
    match form {
        ReplayForm::Massim => massim::write(documents, path),
        ReplayForm::Bomberland | ReplayForm::Colosseum => {
            let mut file = create(path)?;
            for document in documents {
                put(&mut file, &document, path)?;
            }
            Ok(vec![path.to_owned()])
        }
    }
}

/// Bytes that went over a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The team sent them; otherwise the referee did.
    pub sent: bool,
    /// They.
    pub bytes: Vec<u8>,
}

/// A replay of a match that a team played, as far as its talk with the referee tells: its documents,
/// and what is lacking. `None`: it does not tell.
#[must_use]
pub fn played_replay(form: ReplayForm, talk: &[Chunk]) -> Option<(Vec<Vec<u8>>, &'static str)> {
    match form {
        ReplayForm::Bomberland => {
            let received = talk.iter().filter(|chunk| !chunk.sent);
            let received: Vec<u8> = received.flat_map(|chunk| chunk.bytes.clone()).collect();
            bomberland::sent(&received).map(|replay| (vec![replay], ""))
        }
        ReplayForm::Colosseum => {
            let lines = colosseum::played(talk);
            let lacks = "what the other agents answered is not known to the team: it is left empty";
            (!lines.is_empty()).then_some((lines, lacks))
        }
        ReplayForm::Massim => None,
    }
}

fn create(path: &Path) -> Result<File> {
    File::create_new(path).with_context(|| format!("{}", path.display()))
}

fn put(file: &mut File, bytes: &[u8], path: &Path) -> Result<()> {
    std::io::Write::write_all(file, bytes).with_context(|| format!("{}", path.display()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let told = || format!("{}", path.display());
    let file = File::open(path).with_context(told)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).with_context(told)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        bail!("{}: larger than {FILE_BYTES_MAX} bytes", path.display());
    }
    Ok(bytes)
}

/// A text of the replay, cut where it is too long.
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

/// The items of a list; none where it is something else.
fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
