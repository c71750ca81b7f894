//! `phalanx mcp`: the verbs around strategies as tools of the Model Context Protocol, on standard
//! input and output, and the documentation of scripts as resources.
//!
//! ```text
//!  client ⇄ Server ──► a tool's function on a thread of its own ──► the code behind the verb
//!             ▲               │ Work: is it stopped, how far is it
//!             └── progress ───┘
//! ```
//!
//! - `server`: who answers what. `protocol`: messages and versions. `call`: one call of a tool, its
//!   time and its progress.
//! - `tools`: what there is to call. `arguments`: what it takes. `library`: what there is to read.
//! - `sandbox`: the only way to write a file.
//! - `answer`: results, with bounds.
//!
//! Absent on purpose: tools that steer a running daemon, and a shell.

mod answer;
mod args;
mod arguments;
mod call;
mod library;
mod places;
mod protocol;
mod sandbox;
mod server;
mod tools;

use anyhow::{Context, Result};
pub use args::McpArgs;
use phalanx_cli::terminal::ending;
use places::Places;
use server::Server;
use std::time::Duration;

/// How long calls may take to end when the client is gone.
const LEAVE: Duration = Duration::from_secs(2);

/// Serves one client on standard input and output until it leaves.
///
/// # Errors
/// When the folder cannot be written, or standard input cannot be read.
pub fn run(args: &McpArgs) -> Result<()> {
    let places = Places::new(args.allow_write.as_deref())?;
    ending::listen(&std::io::stderr())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start")?;
    let served = runtime.block_on(serve(Server::new(places, args.time_limit)));
    // A read of standard input cannot be interrupted.
    runtime.shutdown_background();
    served
}

async fn serve(server: Server) -> Result<()> {
    let served = tokio::select! {
        served = server.serve(tokio::io::stdin()) => served,
        () = ending::left() => Ok(()),
    };
    // Temporary files are deleted by the calls that made them.
    server.end(LEAVE).await;
    served
}
