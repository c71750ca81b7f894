//! `phalanx bridge`: the executable that a referee starts if it starts its agents itself.
//!
//! The program must be small and silent: it starts within milliseconds and writes one line for each
//! line that it reads. It writes nothing else, standard error included, since the referee takes
//! every byte for a reply. So it has no runtime but three threads: one reads from the referee, one
//! connects to the daemon and reads from it, and the main thread owns the state, which belongs to
//! the game.

mod caller;
mod lines;
mod log;

use crate::args::BridgeArgs;
use caller::Caller;
use lines::Lines;
use log::Log;
use phalanx_games::bridge::{Bridge, Write as Do};
use phalanx_net::now;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Input that waits to be handled, at most; then the readers wait.
const HEARD_MAX: usize = 16;
/// How long the daemon may take to read a message before its connection counts as lost.
const DAEMON_WRITE_MAX: Duration = Duration::from_secs(1);

/// Everything that makes the bridge act.
enum Heard {
    /// A line from the referee.
    Referee(Vec<u8>),
    /// The referee closed its end.
    RefereeGone,
    /// A daemon accepted the bridge; the stream takes our messages.
    Daemon(UnixStream),
    /// A line from the daemon.
    Reply(Vec<u8>),
    /// The daemon's connection is closed.
    DaemonGone,
}

/// Silences standard error unless it is a terminal. Call it before anything else.
pub fn hush() {
    if !io::stderr().is_terminal()
        && let Ok(nowhere) = File::options().write(true).open("/dev/null")
    {
        // Panics are silent even if this fails, see `run`.
        rustix::stdio::dup2_stderr(nowhere).unwrap_or_default();
    }
}

/// Plays one match, until the referee sends stop or closes its end.
#[must_use]
pub fn run(args: &BridgeArgs) -> ExitCode {
    let log = Log::open(args.log.as_deref());
    let quiet = log.clone();
    std::panic::set_hook(Box::new(move |panic| quiet.line(&format!("panic: {panic}"))));
    let (sender, heard) = sync_channel(HEARD_MAX);
    let caller = Caller::new(args, log.clone());
    let calls = sender.clone();
    let spawn = |name: &str, job: Box<dyn FnOnce() + Send>| {
        std::thread::Builder::new().name(name.to_owned()).spawn(job).map(drop)
    };
    let threads = spawn("referee", Box::new(move || listen(&sender)))
        .and_then(|()| spawn("daemon", Box::new(move || caller.call(&calls))));
    if let Err(error) = threads {
        log.line(&format!("no thread: {error}"));
        return ExitCode::FAILURE;
    }
    let bridge = if args.relay { Bridge::relay() } else { Bridge::colosseum(&args.agent) };
    let mut pump = Pump { bridge, daemon: None, log };
    match pump.run(&heard) {
        Ok(()) => ExitCode::SUCCESS,
        // The referee no longer reads, so the log is the only place to report it.
        Err(error) => {
            pump.log.line(&format!("the referee does not read: {error}"));
            ExitCode::SUCCESS
        }
    }
}

/// Reads lines from the referee to its end.
fn listen(sender: &SyncSender<Heard>) {
    let mut lines = Lines::new(io::stdin().lock());
    while let Ok(Some(line)) = lines.next() {
        if sender.send(Heard::Referee(line)).is_err() {
            return;
        }
    }
    // Sending fails when the match is already over.
    sender.send(Heard::RefereeGone).unwrap_or_default();
}

struct Pump {
    bridge: Bridge,
    daemon: Option<UnixStream>,
    log: Log,
}

impl Pump {
    fn run(&mut self, heard: &Receiver<Heard>) -> io::Result<()> {
        loop {
            while let Some(write) = self.bridge.poll_write() {
                match write {
                    Do::Referee(line) => {
                        let mut out = io::stdout().lock();
                        out.write_all(&line)?;
                        out.flush()?;
                    }
                    Do::Daemon(line) => self.tell_daemon(&line),
                    Do::Reconnect => self.hang_up("the daemon did not answer in time"),
                    Do::Exit => return Ok(()),
                }
            }
            match self.next(heard) {
                Some(Heard::RefereeGone) => return Ok(()),
                Some(heard) => self.hear(heard),
                None => self.bridge.handle_timeout(now()),
            }
        }
    }

    /// The next input; `None` when the daemon is late.
    fn next(&self, heard: &Receiver<Heard>) -> Option<Heard> {
        let Some(due) = self.bridge.poll_timeout() else {
            return Some(heard.recv().unwrap_or(Heard::RefereeGone));
        };
        match heard.recv_timeout(due.saturating_duration_since(now())) {
            Ok(heard) => Some(heard),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Heard::RefereeGone),
        }
    }

    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Referee(line) => {
                if let Err(error) = self.bridge.handle_referee(&line, now()) {
                    self.log.line(&format!("bad line from the referee: {error}"));
                }
            }
            Heard::Reply(line) => self.bridge.handle_reply(&line),
            Heard::Daemon(stream) => {
                self.log.line("the daemon plays");
                self.daemon = Some(stream);
                self.bridge.handle_daemon();
            }
            Heard::DaemonGone => {
                self.daemon = None;
                self.bridge.handle_daemon_lost();
            }
            Heard::RefereeGone => {}
        }
    }

    fn tell_daemon(&mut self, line: &[u8]) {
        let Some(stream) = &mut self.daemon else { return };
        if let Err(error) = write_within(stream, line, now() + DAEMON_WRITE_MAX) {
            self.hang_up(&format!("the daemon does not read: {error}"));
            self.bridge.handle_daemon_lost();
        }
    }

    /// Closes the connection; the reading thread notices and connects again.
    fn hang_up(&mut self, reason: &str) {
        self.log.line(reason);
        if let Some(stream) = self.daemon.take() {
            // It may be closed already.
            stream.shutdown(Shutdown::Both).unwrap_or_default();
        }
    }
}

/// Writes all of it or fails before `end`: no reply may wait for a daemon that hangs.
fn write_within(stream: &mut UnixStream, mut bytes: &[u8], end: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        let left = end.saturating_duration_since(now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_write_timeout(Some(left))?;
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
