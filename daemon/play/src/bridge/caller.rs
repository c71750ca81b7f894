//! Keeps a connection to the daemon while the bridge lives: connects, introduces the bridge, reads
//! replies, and connects again after a loss.

use super::Heard;
use super::lines::Lines;
use super::log::Log;
use crate::args::BridgeArgs;
use phalanx_net::{hello, welcomed};
use phalanx_settings::{Environment, bridge_candidates};
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

/// The first wait after a failure; it doubles with each further one.
const PAUSE_MIN: Duration = Duration::from_millis(20);
/// The longest wait.
const PAUSE_MAX: Duration = Duration::from_millis(500);
/// How long the daemon may take to accept the bridge.
const WELCOME_MAX: Duration = Duration::from_secs(3);
/// The socket's path in packages.
const SYSTEM_SOCKET: &str = "/run/phalanx/bridge.sock";

/// A connected daemon: its lines, and the stream to write to.
type Daemon = (Lines<UnixStream>, UnixStream);

pub(super) struct Caller {
    sockets: Vec<PathBuf>,
    hello: String,
    log: Log,
}

impl Caller {
    pub(super) fn new(args: &BridgeArgs, log: Log) -> Self {
        let sockets = match &args.socket {
            Some(socket) => vec![socket.clone()],
            None => {
                let environment: Environment = std::env::vars_os().collect();
                let mut sockets = bridge_candidates(&environment);
                sockets.push(SYSTEM_SOCKET.into());
                sockets
            }
        };
        Self { sockets, hello: hello(&args.team, &args.agent), log }
    }

    /// Runs until the receiver of `heard` is gone.
    pub(super) fn call(&self, heard: &SyncSender<Heard>) {
        let mut failures: u32 = 0;
        loop {
            match self.connect() {
                Ok((lines, writer)) => {
                    failures = 0;
                    if serve(lines, writer, heard).is_none() {
                        return;
                    }
                    self.log.line("the daemon closed the connection; connecting again");
                }
                Err(error) => {
                    failures = failures.saturating_add(1);
                    if failures.is_power_of_two() {
                        self.log.line(&format!("no daemon, try {failures}: {error}"));
                    }
                }
            }
            let pause = PAUSE_MIN.saturating_mul(1 << failures.min(8)).min(PAUSE_MAX);
            // No thread unparks this one: the call only waits.
            std::thread::park_timeout(pause);
        }
    }

    /// The first daemon that accepts us, or the error of the last one.
    fn connect(&self) -> io::Result<Daemon> {
        let mut last = io::Error::other("no socket path is known; use --socket");
        for path in &self.sockets {
            match UnixStream::connect(path).and_then(|stream| self.greet(stream)) {
                Ok(daemon) => return Ok(daemon),
                Err(error) => last = io::Error::other(format!("{}: {error}", path.display())),
            }
        }
        Err(last)
    }

    fn greet(&self, mut stream: UnixStream) -> io::Result<Daemon> {
        stream.set_read_timeout(Some(WELCOME_MAX))?;
        stream.set_write_timeout(Some(WELCOME_MAX))?;
        stream.write_all(format!("{}\n", self.hello).as_bytes())?;
        let writer = stream.try_clone()?;
        let mut lines = Lines::new(stream);
        let line = lines.next()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        welcomed(&String::from_utf8_lossy(&line)).map_err(io::Error::other)?;
        // The timeout applies to both halves.
        writer.set_read_timeout(None)?;
        Ok((lines, writer))
    }
}

/// Forwards the daemon's lines until it closes the connection or the receiver is gone.
fn serve(
    mut lines: Lines<UnixStream>,
    writer: UnixStream,
    heard: &SyncSender<Heard>,
) -> Option<()> {
    heard.send(Heard::Daemon(writer)).ok()?;
    while let Ok(Some(line)) = lines.next() {
        heard.send(Heard::Reply(line)).ok()?;
    }
    heard.send(Heard::DaemonGone).ok()
}
