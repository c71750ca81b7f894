//! Passwords: written directly, in a file, or a credential of the service manager; and files that
//! may be such credentials.

use crate::section::Section;
use crate::{Kind, parse};
use secrecy::SecretString;
use std::path::{Path, PathBuf};

/// Variable that names the folder of systemd's credentials.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";
/// The prefix of a path that is a credential, as in the manager's own files.
const CREDENTIAL: &str = "%d/";
/// Largest file that is read as a password, in bytes.
const SECRET_BYTES_MAX: u64 = 64 * 1024;

/// The password of a section from one of its three keys; two of them at once are a mistake.
pub(crate) fn password(section: &Section<'_>) -> Option<SecretString> {
    let keys = ["password", "password_file", "password_credential"];
    let written: Vec<_> = keys.iter().filter_map(|key| Some((*key, section.node(key)?))).collect();
    if let [_, (key, node), ..] = written.as_slice() {
        section.refuse(key, node, "only one of password, password_file, password_credential");
    }
    let written = section.optional("password", parse::secret);
    let from_file = section.optional("password_file", parse::path).and_then(|path| {
        read(&path).map_err(|expected| refuse(section, "password_file", &expected)).ok()
    });
    let from_credential = section.optional("password_credential", parse::text).and_then(|name| {
        credential(section, &name)
            .map_err(|expected| refuse(section, "password_credential", &expected))
            .ok()
    });
    written.or(from_file).or(from_credential)
}

/// A file of the section: a path, or `%d/NAME` for a credential of the service manager.
pub(crate) fn file(section: &Section<'_>, key: &str) -> Option<PathBuf> {
    let written = section.optional(key, |node, kind| {
        let path = parse::path(node, kind)?;
        let text = parse::text(node, Kind::Text(usize::MAX))?;
        Ok((path, text.strip_prefix(CREDENTIAL).map(str::to_owned)))
    });
    match written? {
        (path, None) => Some(path),
        (_, Some(name)) => {
            let found = place(section, &name);
            found.map_err(|expected| refuse(section, key, &expected)).ok()
        }
    }
}

fn credential(section: &Section<'_>, name: &str) -> Result<SecretString, String> {
    read(&place(section, name)?)
}

/// The path of the credential with that name.
fn place(section: &Section<'_>, name: &str) -> Result<PathBuf, String> {
    if name.is_empty() || name == ".." || name.contains('/') {
        return Err("the plain name of a credential after %d/".to_owned());
    }
    match section.reader.environment.get(CREDENTIALS) {
        Some(folder) => Ok(Path::new(folder).join(name)),
        None => {
            Err(format!("${CREDENTIALS}, set by the service manager (LoadCredential={name}:…)"))
        }
    }
}

fn read(path: &Path) -> Result<SecretString, String> {
    let wrong = |why: &str| format!("a readable file of text: {}: {why}", path.display());
    let about = std::fs::metadata(path).map_err(|error| wrong(&error.to_string()))?;
    if !about.is_file() || about.len() > SECRET_BYTES_MAX {
        return Err(wrong("not a file, or too large for a password"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error.to_string()))?;
    Ok(SecretString::from(text.trim_end_matches(['\r', '\n'])))
}

fn refuse(section: &Section<'_>, key: &str, expected: &str) {
    if let Some(node) = section.node(key) {
        section.refuse(key, node, expected);
    }
}
