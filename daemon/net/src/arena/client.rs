//! One client of an arena: a reader, and a writer with a bounded queue.

use super::HostOptions;
use crate::Link;
use crate::clock::now;
use crate::pipe::{Pipe, Reader, Writer};
use crate::web_socket;
use bytes::{Bytes, BytesMut};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{ConnectionId, Framing};
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
/// The match is over; there is no other reason to close.
const NO_REASON: u16 = 0;

/// What comes from a client.
pub(super) enum Coming {
    /// It named a target and is let in.
    Request(String),
    Bytes(Bytes),
    /// Its input cannot be parsed any more; the client gets an error.
    Broken,
    Gone,
}

pub(super) struct ArenaClient {
    queue: mpsc::Sender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    bytes_max: usize,
    linger: Duration,
    /// When it connected.
    pub(super) since: Instant,
    /// Its address.
    host: String,
    /// The arena has sent it something, so it has read the login.
    pub(super) greeted: bool,
    /// The arena knows the client.
    pub(super) joined: bool,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

impl ArenaClient {
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
        let line = ClientLine { id, host, farewell };
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

    /// Queues a message; false if the client is too slow or gone.
    pub(super) fn send(&mut self, bytes: Vec<u8>) -> bool {
        self.greeted = true;
        let size = bytes.len();
        let waiting = self.waiting.fetch_add(size, Ordering::Relaxed) + size;
        waiting <= self.bytes_max && self.queue.try_send(bytes).is_ok()
    }

    /// Flushes the queue, then closes; cuts the client off if it does not read in time.
    pub(super) async fn finish(self) {
        let Self { queue, mut reader, mut writer, linger, .. } = self;
        drop(queue);
        // Closing a socket with unread bytes resets the connection, and the client's last bytes are
        // lost. So the client closes first, if it does so in time.
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

/// The oldest client of this address that has not logged in, if the address has its full share of
/// such clients.
pub(super) fn crowded(
    clients: &SortedMap<ConnectionId, ArenaClient>,
    host: &str,
    share: usize,
) -> Option<ConnectionId> {
    let silent = || clients.iter().filter(|(_, client)| !client.greeted && client.host == host);
    let full = silent().count() >= share;
    silent().next().filter(|_| full).map(|(connection, _)| *connection)
}

/// The oldest client that has not logged in, of the address with the most of them.
pub(super) fn oldest_of_crowd(
    clients: &SortedMap<ConnectionId, ArenaClient>,
) -> Option<ConnectionId> {
    let silent = || clients.iter().filter(|(_, client)| !client.greeted);
    let mut crowds: SortedMap<&str, usize> = SortedMap::new();
    silent().for_each(|(_, client)| *crowds.entry(&client.host).or_default() += 1);
    let (host, _) = crowds.into_iter().max_by_key(|(_, count)| *count)?;
    silent().find(|(_, client)| client.host == host).map(|(connection, _)| *connection)
}

/// Shared by both tasks of a client.
#[derive(Clone)]
struct ClientLine {
    id: ConnectionId,
    host: mpsc::Sender<(ConnectionId, Coming)>,
    /// The code to send to the client when it is closed, if there is one.
    farewell: Arc<AtomicU16>,
}

impl ClientLine {
    /// Reports to the host. If the host is gone already, the message does not matter.
    async fn tell(&self, coming: Coming) {
        drop(self.host.send((self.id, coming)).await);
    }
}

/// Opens the connection, then reads it to its end.
async fn serve(link: Link, framing: Framing, opened: oneshot::Sender<Writer>, line: ClientLine) {
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
    // Without a receiver the client was dropped meanwhile; its input is read all the same.
    drop(opened.send(writer));
    read(reader, line).await;
}

async fn read(mut reader: Reader, line: ClientLine) {
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
        // If the host is gone, the rest is read all the same: see `finish`.
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
    line: ClientLine,
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
    // This fails if the peer closed first; the connection ends either way.
    drop(match line.farewell.load(Ordering::Relaxed) {
        NO_REASON => writer.shutdown().await,
        code => writer.refuse(code).await,
    });
}
