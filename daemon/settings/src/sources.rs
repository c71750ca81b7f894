//! The sources of settings, and how they become one tree.

use crate::environment::Environment;
use crate::key::KeyDoc;
use crate::node::{Data, Node, Origin};
use crate::section::Reader;
use config::{File, FileFormat, Source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Prefix of our environment variables, and the separator of a path's parts.
const PREFIX: &str = "PHALANX";
const SEPARATOR: &str = "__";
/// Longest path of a key, in parts.
const PATH_PARTS_MAX: usize = 16;
/// Largest settings file, in bytes.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// The input of [`load`](crate::load).
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The settings file.
    pub file: &'a Path,
    /// The environment.
    pub environment: &'a Environment,
    /// Flags: `key=value` each.
    pub overrides: &'a [String],
    /// The games that this daemon can play.
    pub games: &'a [GameKeys],
}

/// The part of a game that settings know.
#[derive(Clone, Copy, Debug)]
pub struct GameKeys {
    /// Its name.
    pub name: &'static str,
    /// The keys of `teams[].options`; a path is a plain key here.
    pub options: &'static [KeyDoc],
}

impl Sources<'_> {
    /// All sources as one tree; notes what cannot be read.
    pub(crate) fn read(&self, reader: &Reader<'_>) -> Node {
        let mut tree = Node::table(Rc::new(Origin::File(self.file.to_owned())));
        for file in std::iter::once(self.file.to_owned()).chain(self.drop_ins(reader)) {
            if let Some(node) = read_file(&file, reader) {
                tree.overlay(node);
            }
        }
        self.read_environment(&mut tree, reader);
        let origin = Rc::new(Origin::Flag);
        for text in self.overrides {
            match text.split_once('=') {
                Some((key, value)) => assign(&mut tree, key.trim(), value.trim(), &origin, reader),
                None => reader.note(&origin, "", format!("`{text}`"), "key=value"),
            }
        }
        tree
    }

    /// `<file>.d/*.toml`, in order of their names.
    fn drop_ins(&self, reader: &Reader<'_>) -> Vec<PathBuf> {
        let mut folder = self.file.as_os_str().to_owned();
        folder.push(".d");
        let folder = PathBuf::from(folder);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                reader.note(&Origin::File(folder), "", error.to_string(), "a readable folder");
                return Vec::new();
            }
        };
        let paths = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<_> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
        files.sort();
        files
    }

    fn read_environment(&self, tree: &mut Node, reader: &Reader<'_>) {
        let variables = self.environment.0.clone().into_iter().collect();
        let source = config::Environment::with_prefix(PREFIX)
            .prefix_separator(SEPARATOR)
            .separator(SEPARATOR)
            .source(Some(variables));
        let origin = Rc::new(Origin::Environment);
        match source.collect() {
            Ok(map) => {
                let sorted: BTreeMap<_, _> = map.into_iter().collect();
                for (key, value) in sorted {
                    let text = value.into_string().unwrap_or_default();
                    assign(tree, &key, &text, &origin, reader);
                }
            }
            Err(error) => reader.note(&origin, "", error.to_string(), "readable variables"),
        }
    }
}

fn assign(tree: &mut Node, key: &str, text: &str, origin: &Rc<Origin>, reader: &Reader<'_>) {
    let key = key.replace('[', ".").replace(']', "");
    let parts: Vec<_> = key.split('.').collect();
    if parts.len() > PATH_PARTS_MAX || parts.iter().any(|part| part.is_empty()) {
        reader.note(origin, key, "not a path of keys", "a few names separated by dots");
    } else if let Err(missing) = tree.assign(&parts, text, origin) {
        let expected = format!("a place that exists, but there is no `{missing}`");
        reader.note(origin, key, "not found", expected);
    }
}

fn read_file(path: &Path, reader: &Reader<'_>) -> Option<Node> {
    let origin = Rc::new(Origin::File(path.to_owned()));
    let refuse = |got: String| reader.note(&origin, "", got, "a readable TOML file");
    match std::fs::metadata(path) {
        Ok(about) if !about.is_file() => {
            refuse("not a file".to_owned());
            return None;
        }
        Ok(about) if about.len() > FILE_BYTES_MAX => {
            refuse(format!("{} bytes", about.len()));
            return None;
        }
        Ok(_) | Err(_) => {}
    }
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string())).ok()?;
    // Parsed separately first, since the settings library quotes the faulty line, which may contain
    // a password.
    if let Err(error) = toml::from_str::<toml::Table>(&text) {
        let (line, column) = position(&text, error.span().map_or(0, |span| span.start));
        let place = format!("line {line}, column {column}");
        reader.note(&origin, place, "not TOML", plain(error.message()));
        return None;
    }
    let map = File::from_str(&text, FileFormat::Toml).collect();
    let table = map
        .map_err(|_| refuse("a number that is out of range".to_owned()))
        .ok()?
        .into_iter()
        .map(|(key, value)| (key, Node::from_config(value, &origin)))
        .collect();
    Some(Node { origin, data: Data::Table(table) })
}

/// The parser's message on one line, without "expected", which the mistake adds.
fn plain(message: &str) -> String {
    let line = message.lines().collect::<Vec<_>>().join(", ");
    format!("valid TOML: {line}")
}

fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count()) + 1;
    (line, column)
}
