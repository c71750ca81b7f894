//! The bridge's log: a file if --log names one, otherwise nothing.

use phalanx_net::origin;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Lines that one bridge writes, at most.
const LINES_MAX: u32 = 10_000;

/// Clones write to the same file.
#[derive(Clone, Debug)]
pub(super) struct Log {
    file: Option<Arc<Mutex<(File, u32)>>>,
}

impl Log {
    /// Opens the file for appending. If that fails, nothing is logged: there is no place to report
    /// it.
    pub(super) fn open(path: Option<&Path>) -> Self {
        let open = |path| File::options().append(true).create(true).open(path).ok();
        Self { file: path.and_then(open).map(|file| Arc::new(Mutex::new((file, 0)))) }
    }

    pub(super) fn line(&self, text: &str) {
        let Some(file) = &self.file else { return };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, lines) = &mut *file;
        *lines = lines.saturating_add(1);
        if *lines <= LINES_MAX {
            let (process, time) = (std::process::id(), origin().unix_ms);
            let line = format!("{time} bridge {process}: {text}\n");
            // A full disk must not end the match.
            file.write_all(line.as_bytes()).unwrap_or_default();
        }
    }
}
