//! One client of an arena: a reader, and a writer with a bounded queue.

use super::HostOptions;
use crate::Link;
use crate::clock::now;
use crate::pipe::{Pipe, Reader, Writer};
use crate::web_socket;
use bytes::{Bytes, BytesMut};
use phalanx_game::{ConnectionId, Framing};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// Messages that may wait for one client, besides the limit in bytes.
const MESSAGES_MAX: usize = 1_024;
/// Messages that are written in one go.
const BATCH_MAX: usize = 64;
/// How long a client may take to ask for a WebSocket.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
/// No reason to close but that it is over.
const NO_REASON: u16 = 0;

/// What comes from a client.
pub(super) enum Coming {
    /// It named a target: it is in.
    Request(String),
    Bytes(Bytes),
    /// What it sends cannot be read any more; it is told so.
    Broken,
    Gone,
}

pub(super) struct Client {
    queue: mpsc::Sender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    bytes_max: usize,
    linger: Duration,
    /// When it connected.
    pub(super) since: Instant,
    /// The address that it comes from.
    host: String,
    /// The arena has said something to it: its login was read.
    pub(super) greeted: bool,
    /// The arena knows of it.
    pub(super) joined: bool,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

impl Client {
    pub(super) fn open(
        link: Link,
        framing: Framing,
        id: ConnectionId,
        options: &HostOptions,
        host: mpsc::Sender<(ConnectionId, Coming)>,
    ) -> Self {
        let (since, peer) = (now(), host_of(&link.peer).to_owned());
        let (queue, messages) = mpsc::channel(MESSAGES_MAX);
        let waiting = Arc::new(AtomicUsize::new(0));
        let farewell = Arc::new(AtomicU16::new(NO_REASON));
        let (opened, open) = oneshot::channel();
        let line = Line { id, host, farewell };
        let reader = tokio::spawn(serve(link, framing, opened, line.clone()));
        let writer = tokio::spawn(write(open, messages, Arc::clone(&waiting), line));
        let (bytes_max, linger) = (options.client_bytes_max, options.linger);
        let (greeted, joined) = (false, framing == Framing::Stream);
        Self {
            queue,
            waiting,
            bytes_max,
            linger,
            since,
            host: peer,
            greeted,
            joined,
            reader,
            writer,
        }
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

/// The address in a peer's name, without its port.
pub(super) fn host_of(peer: &str) -> &str {
    peer.rsplit_once(':').map_or(peer, |(host, _)| host)
}

/// The oldest client of this address that has not logged in, where the address has its share of
/// them.
pub(super) fn crowded(
    clients: &BTreeMap<ConnectionId, Client>,
    host: &str,
    share: usize,
) -> Option<ConnectionId> {
    let silent = || clients.iter().filter(|(_, client)| !client.greeted && client.host == host);
    let full = silent().count() >= share;
    silent().next().filter(|_| full).map(|(connection, _)| *connection)
}

/// The oldest client that has not logged in, of the address with the most of them.
pub(super) fn oldest_of_crowd(clients: &BTreeMap<ConnectionId, Client>) -> Option<ConnectionId> {
    let silent = || clients.iter().filter(|(_, client)| !client.greeted);
    let mut crowds: BTreeMap<&str, usize> = BTreeMap::new();
    silent().for_each(|(_, client)| *crowds.entry(&client.host).or_default() += 1);
    let (host, _) = crowds.into_iter().max_by_key(|(_, count)| *count)?;
    silent().find(|(_, client)| client.host == host).map(|(connection, _)| *connection)
}

/// What both tasks of a client share.
#[derive(Clone)]
struct Line {
    id: ConnectionId,
    host: mpsc::Sender<(ConnectionId, Coming)>,
    /// Why the client is told to go, once there is a reason.
    farewell: Arc<AtomicU16>,
}

impl Line {
    /// Tells the host. It may be gone already; then nobody needs to know.
    async fn tell(&self, coming: Coming) {
        drop(self.host.send((self.id, coming)).await);
    }
}

/// Opens the line, then reads it to its end.
async fn serve(link: Link, framing: Framing, opened: oneshot::Sender<Writer>, line: Line) {
    let pipe = match framing {
        Framing::Stream => link.into(),
        Framing::Message => {
            let accepted = tokio::time::timeout(HANDSHAKE_MAX, web_socket::accept(link)).await;
            let Ok(Ok((pipe, target))) = accepted else { return line.tell(Coming::Gone).await };
            line.tell(Coming::Request(target)).await;
            pipe
        }
    };
    let Pipe { reader, writer, .. } = pipe;
    // Without a writer the client was given up meanwhile; what it says is read all the same.
    drop(opened.send(writer));
    read(reader, line).await;
}

async fn read(mut reader: Reader, line: Line) {
    let mut buffer = BytesMut::new();
    loop {
        let coming = match reader.read(&mut buffer).await {
            Ok(0) => Coming::Gone,
            Ok(_) => Coming::Bytes(buffer.split().freeze()),
            Err(error) => match web_socket::reason_to_close(&error) {
                Some(code) => {
                    line.farewell.store(code, Ordering::Relaxed);
                    Coming::Broken
                }
                None => Coming::Gone,
            },
        };
        let last = !matches!(coming, Coming::Bytes(_));
        // With the host gone the rest is read all the same: see `finish`.
        line.tell(coming).await;
        if last {
            return;
        }
    }
}

async fn write(
    open: oneshot::Receiver<Writer>,
    mut queue: mpsc::Receiver<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    line: Line,
) {
    let Ok(mut writer) = open.await else { return };
    let mut batch = Vec::new();
    while queue.recv_many(&mut batch, BATCH_MAX).await > 0 {
        for message in batch.drain(..) {
            if writer.write_all(&message).await.is_err() {
                return line.tell(Coming::Gone).await;
            }
            waiting.fetch_sub(message.len(), Ordering::Relaxed);
        }
        if writer.flush().await.is_err() {
            return line.tell(Coming::Gone).await;
        }
    }
    // A peer that closed first makes this fail; the connection ends either way.
    drop(match line.farewell.load(Ordering::Relaxed) {
        NO_REASON => writer.shutdown().await,
        code => writer.refuse(code).await,
    });
}
