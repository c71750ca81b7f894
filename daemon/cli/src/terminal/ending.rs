//! Ends a program at a terminal after a signal, or when the terminal is gone.
//!
//! ```text
//!  SIGTERM, SIGHUP ─┐                 ┌─► `left`, `is_due`: the program ends by itself
//!  terminal gone ───┴─► a thread ─────┤
//!                                     └─► after GRACE: terminal restored, process ended
//! ```
//!
//! The second way is for code that cannot check: some libraries read a terminal that is gone in an
//! endless loop, others wait for a key that never comes.

use crate::failure::EXIT_INTERRUPTED;
use rustix::process::getpgrp;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Interval between checks that the terminal still exists.
const LOOK: Duration = Duration::from_millis(200);
/// How long the program may take to end by itself. All three times together are less than a second.
const GRACE: Duration = Duration::from_millis(500);
/// How long the last output may take: a terminal that ctrl-s has stopped takes none.
const RESTORE: Duration = Duration::from_millis(150);
/// Ends a synchronized update, shows the cursor, ends bracketed paste.
const PLAIN: &str = "\u{1b}[?2026l\u{1b}[?25h\u{1b}[?2004l";
/// Returns to the original screen.
const LEAVE_SCREEN: &str = "\u{1b}[?1049l";

/// Becomes true when the process should end. Global, as signals are.
static DUE: OnceLock<watch::Receiver<bool>> = OnceLock::new();
/// Whether a full-screen view is active.
static FILLED: AtomicBool = AtomicBool::new(false);

/// From now on SIGTERM, and SIGHUP or the end of this terminal, end the process within a second.
/// Without a terminal only SIGTERM does, so that `nohup` works for output to a file.
///
/// # Errors
/// When the system refuses the handlers.
pub fn listen(on: &(impl AsFd + IsTerminal)) -> io::Result<()> {
    if DUE.get().is_some() {
        return Ok(());
    }
    let terminal = on.is_terminal().then(|| Terminal::of(on)).transpose()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let signals = {
        let _inside = runtime.enter();
        let hang_up = terminal.is_some().then(|| signal(SignalKind::hangup())).transpose()?;
        (signal(SignalKind::terminate())?, hang_up)
    };
    let (tell, due) = watch::channel(false);
    if DUE.set(due).is_err() {
        return Ok(());
    }
    thread::Builder::new().name("ending".to_owned()).spawn(move || {
        wait(&runtime, signals, terminal.as_ref());
        tell.send_replace(true);
        // The timer must be created inside the runtime.
        runtime.block_on(async { tokio::time::sleep(GRACE).await });
        restore(terminal);
        end();
    })?;
    Ok(())
}

/// Whether the process should end.
pub fn is_due() -> bool {
    DUE.get().is_some_and(|due| *due.borrow())
}

/// Completes when the process should end: after a signal, ctrl-c, or the loss of the terminal.
pub async fn left() {
    let due = async {
        match DUE.get().cloned() {
            // The sender exists until the process ends.
            Some(mut due) => drop(due.wait_for(|due| *due).await),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = due => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// Notes whether a full-screen view is active.
pub(super) fn fills(filled: bool) {
    FILLED.store(filled, Ordering::Relaxed);
}

fn wait(runtime: &Runtime, signals: (Signal, Option<Signal>), terminal: Option<&Terminal>) {
    let (mut terminate, mut hang_up) = signals;
    runtime.block_on(async {
        let hung_up = async {
            match &mut hang_up {
                Some(hang_up) => drop(hang_up.recv().await),
                None => std::future::pending().await,
            }
        };
        let gone = async {
            match terminal {
                Some(terminal) => terminal.gone().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = terminate.recv() => {}
            () = hung_up => {}
            () = gone => {}
        }
    });
}

#[expect(clippy::disallowed_methods, reason = "the thread that should return from main hangs")]
fn end() -> ! {
    std::process::exit(EXIT_INTERRUPTED.into())
}

/// A terminal with its original mode.
struct Terminal {
    fd: OwnedFd,
    before: Termios,
}

impl Terminal {
    fn of(on: &impl AsFd) -> io::Result<Self> {
        let fd = on.as_fd().try_clone_to_owned()?;
        let before = tcgetattr(&fd)?;
        Ok(Self { fd, before })
    }

    /// Completes when the other end is closed. If the terminal belongs to another session, no
    /// signal reports that.
    async fn gone(&self) {
        while tcgetattr(&self.fd).is_ok() {
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Restores the terminal instead of the thread that hangs. Does not use standard output, which that
/// thread may have locked.
fn restore(terminal: Option<Terminal>) {
    let Some(Terminal { fd, before }) = terminal else { return };
    // A process in the background would be stopped when it changes the terminal.
    if tcgetpgrp(&fd) != Ok(getpgrp()) {
        return;
    }
    // This never waits. If the terminal refuses it, nothing else can be done.
    tcsetattr(&fd, OptionalActions::Now, &before).unwrap_or_default();
    let (done, is_done) = sync_channel(1);
    thread::spawn(move || {
        let leave = if FILLED.load(Ordering::Relaxed) { LEAVE_SCREEN } else { "" };
        let written = write!(File::from(fd), "{leave}{PLAIN}\r\n");
        done.send(written).unwrap_or_default();
    });
    drop(is_done.recv_timeout(RESTORE));
}
