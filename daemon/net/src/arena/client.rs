//! One client of an arena: a reader, and a writer with a bounded queue.

use super::HostOptions;
use crate::Link;
use crate::options::READ_BYTES_MAX;
use bytes::{Bytes, BytesMut};
use phalanx_game::ConnectionId;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Messages that may wait for one client, besides the limit in bytes.
const MESSAGES_MAX: usize = 1_024;
/// Messages that are written in one go.
const BATCH_MAX: usize = 64;

/// What comes from a client.
pub(super) enum Coming {
    Bytes(Bytes),
    Gone,
}

pub(super) struct Client {
    queue: mpsc::Sender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    bytes_max: usize,
    linger: Duration,
    /// The arena has said something to it: its login was read.
    pub(super) greeted: bool,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

impl Client {
    pub(super) fn open(
        link: Link,
        id: ConnectionId,
        options: &HostOptions,
        host: mpsc::Sender<(ConnectionId, Coming)>,
    ) -> Self {
        let (queue, messages) = mpsc::channel(MESSAGES_MAX);
        let waiting = Arc::new(AtomicUsize::new(0));
        let reader = tokio::spawn(read(link.reader, id, host.clone()));
        let writer = tokio::spawn(write(link.writer, id, messages, Arc::clone(&waiting), host));
        let (bytes_max, linger) = (options.client_bytes_max, options.linger);
        Self { queue, waiting, bytes_max, linger, greeted: false, reader, writer }
    }

    /// Queues a message; false when the client is too slow to take it, or gone.
    pub(super) fn send(&mut self, bytes: Vec<u8>) -> bool {
        self.greeted = true;
        let size = bytes.len();
        let waiting = self.waiting.fetch_add(size, Ordering::Relaxed) + size;
        waiting <= self.bytes_max && self.queue.try_send(bytes).is_ok()
    }

    /// Flushes what is queued, then closes; cuts the client off when it does not read in time.
    pub(super) async fn finish(self) {
        let Self { queue, mut reader, mut writer, linger, .. } = self;
        drop(queue);
        // A socket closed with unread bytes resets, and the client's last bytes are lost: hence
        // the client closes first, if it does so in time.
        let closing = async {
            drop((&mut writer).await);
            drop((&mut reader).await);
        };
        if tokio::time::timeout(linger, closing).await.is_err() {
            writer.abort();
            reader.abort();
        }
    }

    /// Drops the connection now.
    pub(super) fn cut(self) {
        self.reader.abort();
        self.writer.abort();
    }
}

async fn read(
    mut reader: Box<dyn AsyncRead + Send + Unpin>,
    id: ConnectionId,
    host: mpsc::Sender<(ConnectionId, Coming)>,
) {
    let mut buffer = BytesMut::new();
    loop {
        buffer.reserve(READ_BYTES_MAX);
        let coming = match (&mut reader).take(READ_BYTES_MAX as u64).read_buf(&mut buffer).await {
            Ok(0) | Err(_) => Coming::Gone,
            Ok(_) => Coming::Bytes(buffer.split().freeze()),
        };
        let last = matches!(coming, Coming::Gone);
        // With the host gone the rest is read all the same: see `finish`.
        drop(host.send((id, coming)).await);
        if last {
            return;
        }
    }
}

async fn write(
    mut writer: Box<dyn AsyncWrite + Send + Unpin>,
    id: ConnectionId,
    mut queue: mpsc::Receiver<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    host: mpsc::Sender<(ConnectionId, Coming)>,
) {
    let mut batch = Vec::new();
    while queue.recv_many(&mut batch, BATCH_MAX).await > 0 {
        for message in batch.drain(..) {
            if writer.write_all(&message).await.is_err() {
                // The host may be gone already; then nobody needs to know.
                drop(host.send((id, Coming::Gone)).await);
                return;
            }
            waiting.fetch_sub(message.len(), Ordering::Relaxed);
        }
        if writer.flush().await.is_err() {
            drop(host.send((id, Coming::Gone)).await);
            return;
        }
    }
    // A peer that closed first makes this fail; the connection ends either way.
    drop(writer.shutdown().await);
}
