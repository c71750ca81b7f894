//! `"$(path)"`: files inside files.

use super::ConfigMistake;
use serde_json::Value;
use std::io;
use std::path::Path;

/// Gives the bytes of a file.
pub type FileReader<'r> = &'r dyn Fn(&Path) -> io::Result<Vec<u8>>;

/// Deeper nesting is a loop.
const MAX_DEPTH: usize = 16;

/// The file with everything that it includes.
pub(super) fn load(
    path: &Path,
    read: FileReader<'_>,
    mistakes: &mut Vec<ConfigMistake>,
) -> Option<Value> {
    file(path, read, "", 0, mistakes)
}

fn file(
    path: &Path,
    read: FileReader<'_>,
    key: &str,
    depth: usize,
    mistakes: &mut Vec<ConfigMistake>,
) -> Option<Value> {
    let mut wrong = |problem: String| {
        mistakes.push(ConfigMistake {
            key: key.to_owned(),
            problem: format!("{}: {problem}", path.display()),
        });
    };
    if depth > MAX_DEPTH {
        wrong(format!("files include each other more than {MAX_DEPTH} deep"));
        return None;
    }
    let bytes = read(path).map_err(|error| wrong(error.to_string())).ok()?;
    let mut value: Value =
        serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string())).ok()?;
    resolve(&mut value, path.parent().unwrap_or(Path::new("")), read, key, depth, mistakes);
    Some(value)
}

fn resolve(
    value: &mut Value,
    folder: &Path,
    read: FileReader<'_>,
    key: &str,
    depth: usize,
    mistakes: &mut Vec<ConfigMistake>,
) {
    match value {
        Value::String(text) => {
            let Some(name) = text.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')) else {
                return;
            };
            let path = folder.join(name);
            *value = file(&path, read, key, depth + 1, mistakes).unwrap_or(Value::Null);
        }
        Value::Array(list) => {
            for (number, item) in list.iter_mut().enumerate() {
                resolve(item, folder, read, &format!("{key}[{number}]"), depth, mistakes);
            }
        }
        Value::Object(map) => {
            for (name, item) in map.iter_mut() {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                resolve(item, folder, read, &key, depth, mistakes);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
