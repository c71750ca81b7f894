//! Players that the host starts as processes, like referees that start their agents themselves:
//! two pipes, no arguments, our working folder and our environment.

use super::stderr::report;
use crate::Link;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long a process may run after its output was dropped, before it is killed.
const EXIT_MAX: Duration = Duration::from_millis(250);

/// The players of a match: an entry for each player of the referee's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerProcesses {
    /// The players, in the referee's order.
    pub players: Vec<Player>,
    /// Where their standard error goes.
    pub stderr: Stderr,
}

/// A process, or a client that connects by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Its name in logs.
    pub name: String,
    /// Its executable, started anew for each match; `None`: the player connects by itself.
    pub program: Option<PathBuf>,
}

/// Where the standard error of a player goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stderr {
    /// Into the same pipe as its standard output.
    #[default]
    Merged,
    /// Apart: into the log, a bounded number of lines.
    Reported,
}

impl PlayerProcesses {
    /// Name and executable of the player at this index, if it has one.
    pub(super) fn program(&self, player: usize) -> Option<(&str, &PathBuf)> {
        let player = self.players.get(player)?;
        Some((player.name.as_str(), player.program.as_ref()?))
    }
}

/// A running process, and the task that waits for its end.
pub(super) struct StartedProcess {
    pub(super) link: Link,
    pub(super) keeper: ProcessReaper,
}

/// Waits for the end of a process: it ends by itself, or it is killed [`EXIT_MAX`] after its output
/// was dropped.
pub(super) struct ProcessReaper {
    name: String,
    child: Box<Child>,
    released: CancellationToken,
}

/// Starts a player. Blocks until the system has executed the program or failed to.
pub(super) fn start(name: &str, program: &PathBuf, stderr: Stderr) -> io::Result<StartedProcess> {
    let (output, input) = io::pipe()?;
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).kill_on_drop(true);
    match stderr {
        Stderr::Merged => command.stderr(input.try_clone()?),
        Stderr::Reported => command.stderr(Stdio::piped()),
    };
    command.stdout(input);
    let mut child = command.spawn()?;
    // It holds our copies of the pipe's write end, which would keep the pipe open for ever.
    drop(command);
    let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
    let writer = child.stdin.take().ok_or_else(gone)?;
    if let Some(errors) = child.stderr.take() {
        tokio::spawn(report(errors, name.to_owned()));
    }
    let pipe = pipe::Receiver::from_owned_fd(output.into())?;
    let released = CancellationToken::new();
    let reader = ProcessOutput { pipe, _released: released.clone().drop_guard() };
    let peer = format!("{name} ({})", program.display());
    let link = Link { reader: Box::new(reader), writer: Box::new(writer), peer };
    Ok(StartedProcess {
        link,
        keeper: ProcessReaper { name: name.to_owned(), child: Box::new(child), released },
    })
}

/// The output of a process. Dropping it releases the process.
struct ProcessOutput {
    pipe: pipe::Receiver,
    _released: DropGuard,
}

impl AsyncRead for ProcessOutput {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_read(context, buffer)
    }
}

impl ProcessReaper {
    pub(super) async fn keep(mut self) {
        let ended = tokio::select! {
            status = self.child.wait() => Some(status),
            () = self.released.cancelled() => {
                tokio::time::timeout(EXIT_MAX, self.child.wait()).await.ok()
            }
        };
        let player = self.name;
        match ended {
            Some(Ok(status)) => tracing::debug!(player, %status, "the process has ended"),
            Some(Err(error)) => tracing::warn!(player, %error, "the process was lost"),
            None => {
                tracing::warn!(player, "the process did not end by itself; killed");
                if let Err(error) = self.child.kill().await {
                    tracing::warn!(player, %error, "could not kill the process");
                }
            }
        }
    }
}
