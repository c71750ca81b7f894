//! Calls the daemon, for as long as the bridge lives: connects, says who we are, reads its replies,
//! and begins anew when it is gone.

use super::Heard;
use super::lines::Lines;
use super::log::Log;
use crate::cli::BridgeArgs;
use phalanx_net::{HELLO_BYTES_MAX, hello, welcomed};
use phalanx_settings::{Environment, bridge_candidates};
use std::io::{self, Read, Write};
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
                Ok(stream) => {
                    failures = 0;
                    if self.serve(stream, heard).is_none() {
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
    fn connect(&self) -> io::Result<UnixStream> {
        let mut last = io::Error::other("no place to look for it; say --socket");
        for path in &self.sockets {
            match UnixStream::connect(path).and_then(|stream| self.greet(stream)) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = io::Error::other(format!("{}: {error}", path.display())),
            }
        }
        Err(last)
    }

    fn greet(&self, mut stream: UnixStream) -> io::Result<UnixStream> {
        stream.set_read_timeout(Some(WELCOME_MAX))?;
        stream.set_write_timeout(Some(WELCOME_MAX))?;
        stream.write_all(format!("{}\n", self.hello).as_bytes())?;
        // The daemon says nothing after its welcome until it is spoken to: this is read bytewise
        // only so that a stranger cannot say more than a line.
        let mut line = Vec::new();
        for byte in (&mut stream).take(HELLO_BYTES_MAX as u64).bytes() {
            match byte? {
                b'\n' => break,
                byte => line.push(byte),
            }
        }
        welcomed(&String::from_utf8_lossy(&line)).map_err(io::Error::other)?;
        stream.set_read_timeout(None)?;
        Ok(stream)
    }

    /// Hands on what the daemon says, to its end; nothing when nobody listens.
    fn serve(&self, stream: UnixStream, heard: &SyncSender<Heard>) -> Option<()> {
        let Ok(writer) = stream.try_clone() else { return Some(()) };
        heard.send(Heard::Daemon(writer)).ok()?;
        let mut lines = Lines::new(stream);
        while let Ok(Some(line)) = lines.next() {
            heard.send(Heard::Reply(line)).ok()?;
        }
        heard.send(Heard::DaemonGone).ok()
    }
}
