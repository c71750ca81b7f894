//! The process' environment, and the places of sockets that it names.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The default file name of the socket for bridges.
pub(crate) const BRIDGE_SOCKET: &str = "bridge.sock";

/// The process' environment, as an argument.
#[derive(Clone, Debug, Default)]
pub struct Environment(pub(crate) BTreeMap<String, String>);

impl Environment {
    /// The variable of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// From `std::env::vars_os()`; skips variables that are not Unicode.
impl FromIterator<(OsString, OsString)> for Environment {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(variables: I) -> Self {
        let text = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self(variables.into_iter().filter_map(text).collect())
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Environment {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(variables: I) -> Self {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self(variables.into_iter().map(owned).collect())
    }
}

/// The default places of the control socket, best first: the folder that the service manager made
/// (`RUNTIME_DIRECTORY`), the login session's (`XDG_RUNTIME_DIR`), the home folder. The daemon
/// listens on the first; clients try each, then `/run/phalanx/control.sock`.
#[must_use]
pub fn socket_candidates(environment: &Environment) -> Vec<PathBuf> {
    candidates(environment, "control.sock")
}

/// The default places of the socket for bridges: beside the control socket, in the same order.
#[must_use]
pub fn bridge_candidates(environment: &Environment) -> Vec<PathBuf> {
    candidates(environment, BRIDGE_SOCKET)
}

fn candidates(environment: &Environment, name: &str) -> Vec<PathBuf> {
    let runtime = environment.get("RUNTIME_DIRECTORY").and_then(|list| list.split(':').next());
    let below = |name| environment.get(name).filter(|folder| folder.starts_with('/'));
    let places = [
        runtime.map(PathBuf::from),
        below("XDG_RUNTIME_DIR").map(|folder| Path::new(folder).join("phalanx")),
        below("XDG_STATE_HOME").map(|folder| Path::new(folder).join("phalanx")),
        below("HOME").map(|folder| Path::new(folder).join(".local/state/phalanx")),
    ];
    places.into_iter().flatten().map(|folder| folder.join(name)).collect()
}
