//! Calls the daemon, for as long as the bridge lives: connects, says who we are, reads its replies,
//! and begins anew when it is gone.

use super::Heard;
use super::lines::Lines;
use super::log::Log;
use crate::cli::BridgeArgs;
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
/// How long the daemon may take to let us in.
const WELCOME_MAX: Duration = Duration::from_secs(3);
/// Where packages have the socket.
const SYSTEM_SOCKET: &str = "/run/phalanx/bridge.sock";

/// What a daemon says, and where it hears us.
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

    /// Returns when nobody wants to hear of the daemon any more.
    pub(super) fn call(&self, heard: &SyncSender<Heard>) {
        let mut failures: u32 = 0;
        loop {
            match self.connect() {
                Ok((lines, writer)) => {
                    failures = 0;
                    if serve(lines, writer, heard).is_none() {
                        return;
                    }
                    self.log.line("the daemon is gone; called again");
                }
                Err(error) => {
                    failures = failures.saturating_add(1);
                    if failures.is_power_of_two() {
                        self.log.line(&format!("no daemon, try {failures}: {error}"));
                    }
                }
            }
            let pause = PAUSE_MIN.saturating_mul(1 << failures.min(8)).min(PAUSE_MAX);
            // Nobody unparks this thread: it is a wait.
            std::thread::park_timeout(pause);
        }
    }

    /// The first daemon that lets us in, or why the last one did not.
    fn connect(&self) -> io::Result<Daemon> {
        let mut last = io::Error::other("no place to look for it; say --socket");
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
        // It holds for both halves.
        writer.set_read_timeout(None)?;
        Ok((lines, writer))
    }
}

/// Hands on what the daemon says, to its end; nothing when nobody listens.
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
