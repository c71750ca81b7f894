//! The manager's datagram socket, served by its own thread: a manager that does not read blocks no
//! caller, and messages arrive in order.

use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix,
    SocketFlags, SocketType, sendmsg_addr, socket_with,
};
use std::ffi::OsStr;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixDatagram;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

/// Messages that wait for the manager, at most; further ones are dropped with a warning.
const MESSAGES_MAX: usize = 64;
/// How long sending one message may wait while the manager's queue is full.
const SEND_MAX: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Message {
    /// Assignments, one per line.
    pub(super) text: String,
    /// A descriptor that is sent with it.
    pub(super) descriptor: Option<OwnedFd>,
}

#[derive(Debug)]
enum Work {
    Tell(Message),
    /// Confirms that every message before it was sent.
    Flush(SyncSender<()>),
}

/// The queue to the thread.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    queue: SyncSender<Work>,
}

impl Channel {
    /// Connects to the socket of that name; `@name` is in the abstract namespace.
    pub(super) fn open(name: &OsStr) -> io::Result<Self> {
        let address = address(name)?;
        let flags = SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, flags, None)?;
        let socket = UnixDatagram::from(socket);
        socket.set_write_timeout(Some(SEND_MAX))?;
        let (queue, work) = sync_channel(MESSAGES_MAX);
        std::thread::Builder::new()
            .name("service manager".to_owned())
            .spawn(move || carry(&socket, &address, &work))?;
        Ok(Self { queue })
    }

    pub(super) fn tell(&self, message: Message) {
        match self.queue.try_send(Work::Tell(message)) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                tracing::warn!("the service manager does not read: dropped a message to it");
            }
            // The thread ends with the last channel, so there is no receiver left.
            Err(TrySendError::Disconnected(_)) => {}
        }
    }

    /// Waits until all messages are sent, at most for `max`; false if that was not enough.
    pub(super) fn flush(&self, max: Duration) -> bool {
        let (done, flushed) = sync_channel(1);
        self.queue.try_send(Work::Flush(done)).is_ok() && flushed.recv_timeout(max).is_ok()
    }
}

/// A path, or a name in the abstract namespace.
fn address(name: &OsStr) -> io::Result<SocketAddrUnix> {
    Ok(match name.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddrUnix::new_abstract_name(name)?,
        None => SocketAddrUnix::new(name)?,
    })
}

fn carry(socket: &UnixDatagram, address: &SocketAddrUnix, work: &Receiver<Work>) {
    let mut deaf = false;
    for one in work {
        match one {
            Work::Tell(message) => {
                let sent = send(socket, address, &message);
                // Logged once: a manager that is gone stays gone for every later message.
                if let (Err(error), false) = (&sent, deaf) {
                    tracing::warn!(%error, "cannot reach the service manager");
                }
                deaf = sent.is_err();
            }
            Work::Flush(done) => drop(done.try_send(())),
        }
    }
}

fn send(socket: &UnixDatagram, address: &SocketAddrUnix, message: &Message) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptor = message.descriptor.as_ref().map(AsFd::as_fd);
    if let Some(descriptor) = &descriptor {
        let pushed =
            control.push(SendAncillaryMessage::ScmRights(std::slice::from_ref(descriptor)));
        debug_assert!(pushed, "there is room for one descriptor");
    }
    let text = [IoSlice::new(message.text.as_bytes())];
    sendmsg_addr(socket, address, &text, &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}
