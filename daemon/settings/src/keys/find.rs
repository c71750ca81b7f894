//! Keys by their paths and names.

use super::{KEYS, KeyDoc};

/// The key of that path.
pub(crate) fn find(path: &str) -> Option<&'static KeyDoc> {
    KEYS.iter().find(|doc| doc.path == path)
}

/// The names that may stand directly under `parent` ("" is the top), each once.
pub(crate) fn children(parent: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for doc in KEYS {
        let rest = match parent {
            "" => Some(doc.path),
            parent => doc.path.strip_prefix(parent).and_then(|rest| rest.strip_prefix('.')),
        };
        let name = rest.and_then(|rest| rest.split(['.', '[']).next());
        if let Some(name) = name.filter(|name| !names.contains(name)) {
            names.push(name);
        }
    }
    names
}

/// The whole path of a key that is written right but in the wrong table.
pub(crate) fn elsewhere(name: &str) -> Option<&'static str> {
    let named = |doc: &&KeyDoc| doc.path.rsplit('.').next() == Some(name);
    KEYS.iter().find(named).map(|doc| doc.path)
}
