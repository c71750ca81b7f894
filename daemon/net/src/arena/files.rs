//! The arena's files: written one after the other on the blocking pool, so that the arena never
//! waits.

use crate::artifact::ArtifactWriter;
use phalanx_game::Artifact;
use std::path::PathBuf;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Files that wait to be written; if the disk is slower, further files are dropped.
const FILES_MAX: usize = 1_024;

pub(super) struct Files {
    queue: Option<mpsc::Sender<Artifact>>,
    writer: Option<JoinHandle<(u64, u64)>>,
    lost: u64,
}

impl Files {
    /// Writes files below this folder; `None`: nowhere.
    pub(super) fn open(folder: Option<PathBuf>) -> Self {
        let Some(folder) = folder else { return Self { queue: None, writer: None, lost: 0 } };
        let (sender, queue) = mpsc::channel(FILES_MAX);
        let writer = tokio::spawn(write_all(ArtifactWriter::new(folder), queue));
        Self { queue: Some(sender), writer: Some(writer), lost: 0 }
    }

    pub(super) fn push(&mut self, artifact: Artifact) {
        let Some(queue) = &self.queue else { return };
        if let Err(error) = queue.try_send(artifact) {
            self.lost += 1;
            let path = error.into_inner().path;
            tracing::error!(path, "not written: the disk is too slow, or the writer is gone");
        }
    }

    /// Waits for the last file. Returns how many were written and how many were not.
    pub(super) async fn close(&mut self) -> (u64, u64) {
        self.queue = None;
        let done = match self.writer.take() {
            Some(writer) => writer.await.unwrap_or_default(),
            None => (0, 0),
        };
        (done.0, done.1 + self.lost)
    }
}

async fn write_all(mut writer: ArtifactWriter, mut queue: mpsc::Receiver<Artifact>) -> (u64, u64) {
    let (mut written, mut failed) = (0, 0);
    while let Some(artifact) = queue.recv().await {
        let writing = tokio::task::spawn_blocking(move || {
            let done = writer.write(&artifact);
            (writer, done)
        });
        // A panic takes the writer with it.
        let Ok((same, done)) = writing.await else { return (written, failed + 1) };
        writer = same;
        match done {
            Ok(()) => written += 1,
            Err(error) => {
                failed += 1;
                tracing::error!(%error, "a file of the arena was not written");
            }
        }
    }
    (written, failed)
}
