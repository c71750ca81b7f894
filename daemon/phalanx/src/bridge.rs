//! `phalanx bridge`: the executable that a referee starts where it starts its agents itself.
//!
//! It must be small and silent: it starts within milliseconds, writes one line for each line that
//! it reads, and nothing else ever, standard error included, since the referee takes every byte for
//! a reply. So there is no runtime here, only three threads: one reads the referee, one calls the
//! daemon and reads it, and this one owns the state, which is the game's own.

mod caller;
mod lines;
mod log;

use crate::cli::BridgeArgs;
use crate::wire::bridge::{Bridge, Write as Do};
use caller::Caller;
use lines::Lines;
use log::Log;
use phalanx_net::now;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// What was heard and not handled yet, at most; then the readers wait.
const HEARD_MAX: usize = 16;
/// How long the daemon may take to read what we write, before it counts as lost.
const DAEMON_WRITE_MAX: Duration = Duration::from_secs(1);

/// All reasons for which the bridge does anything.
enum Heard {
    /// A line of the referee.
    Referee(Vec<u8>),
    /// The referee is gone.
    RefereeGone,
    /// A daemon let us in; what we write to it goes here.
    Daemon(UnixStream),
    /// A line of the daemon.
    Reply(Vec<u8>),
    /// The daemon is gone.
    DaemonGone,
}

/// Silences standard error unless a person reads it. To be called before anything else happens.
pub fn hush() {
    if !io::stderr().is_terminal()
        && let Ok(nowhere) = File::options().write(true).open("/dev/null")
    {
        // Without it panics are still silent, see `run`.
        rustix::stdio::dup2_stderr(nowhere).unwrap_or_default();
    }
}

/// Plays one match: until the referee says stop or goes away.
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
    let mut pump = Pump { bridge: Bridge::new(&args.agent), daemon: None, log };
    match pump.run(&heard) {
        Ok(()) => ExitCode::SUCCESS,
        // The referee does not listen any more; nobody is left who could be told.
        Err(error) => {
            pump.log.line(&format!("the referee does not read: {error}"));
            ExitCode::SUCCESS
        }
    }
}

/// Reads the referee to its end.
fn listen(sender: &SyncSender<Heard>) {
    let mut lines = Lines::new(io::stdin().lock());
    while let Ok(Some(line)) = lines.next() {
        if sender.send(Heard::Referee(line)).is_err() {
            return;
        }
    }
    // Nobody listens when the match was over before.
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
                    Do::Reconnect => self.hang_up("the daemon is late"),
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

    /// The next thing that was heard; nothing when the daemon is late.
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
                    self.log.line(&format!("from the referee: {error}"));
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

    /// The reading thread notices, and calls again.
    fn hang_up(&mut self, reason: &str) {
        self.log.line(reason);
        if let Some(stream) = self.daemon.take() {
            // It may be closed already.
            stream.shutdown(Shutdown::Both).unwrap_or_default();
        }
    }
}

/// Writes all of it, or fails in time: no reply may wait for a daemon that is stuck.
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
