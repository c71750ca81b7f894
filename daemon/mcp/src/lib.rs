//! `phalanx mcp`: the verbs around strategies as tools of the Model Context Protocol, on standard
//! input and output, and the documentation of scripts as resources.
//!
//! ```text
//!  client ⇄ Server ──► a tool's function on a thread of its own ──► the code behind the verb
//!             ▲               │ Work: is it stopped, how far is it
//!             └── progress ───┘
//! ```
//!
//! - `server`: the protocol. `call`: one call of a tool, its time and its progress.
//! - `tools`: what there is to call. `library`: what there is to read.
//! - `sandbox`: the only way to write a file.
//! - `answer`: results, with bounds.
//!
//! Absent on purpose: tools that steer a running daemon, and a shell.

mod answer;
mod args;
mod call;
mod library;
mod places;
mod sandbox;
mod server;
mod tools;

use anyhow::{Context, Result};
pub use args::McpArgs;
use phalanx_cli::terminal::ending;
use places::Places;
use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use server::Server;
use std::time::Duration;

/// Longest message of a client, in bytes: a file to write, and what is around it.
const MESSAGE_BYTES_MAX: usize = 4 << 20;
/// How long calls may take to end when the client is gone.
const LEAVE: Duration = Duration::from_secs(2);

/// Serves one client on standard input and output until it leaves.
///
/// # Errors
/// When the folder cannot be written, or the client does not speak the protocol.
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
    let calls = server.calls();
    let (input, output) = rmcp::transport::stdio();
    let transport = AsyncRwTransport::new_server(input, output);
    let transport = transport.with_max_line_length(MESSAGE_BYTES_MAX);
    let left = async {
        let service = server.serve(transport).await.context("no client of the protocol")?;
        service.waiting().await.context("the server broke down")?;
        anyhow::Ok(())
    };
    let served = tokio::select! {
        served = left => served,
        () = ending::left() => Ok(()),
    };
    // Temporary files are deleted by the calls that made them.
    calls.end(LEAVE).await;
    served
}
