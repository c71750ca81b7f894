//! The command line of the verbs around contexts.

use super::{OutputArgs, Remote};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `phalanx context`.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
A context is a named daemon: its address and the credentials to show to it. Flags and environment
variables take precedence over the context in use. `local` always exists: the usual sockets of this
machine. Contexts are kept in $XDG_CONFIG_HOME/phalanx/contexts.toml. That file names token files
but contains no token.")]
pub enum ContextVerb {
    /// Add a context, or replace the one of that name.
    Add(AddArgs),
    /// List the contexts, one line each.
    #[command(visible_alias = "list")]
    Ls(OutputArgs),
    /// Use a context from now on.
    Use {
        /// The context's name; `local` is this machine's usual sockets.
        name: String,
        #[command(flatten)]
        print: OutputArgs,
    },
    /// Print which daemon the other verbs would call, after all flags and environment variables.
    Show(Remote),
    /// Remove a context; the files that it names stay.
    Remove {
        /// The context's name.
        name: String,
        #[command(flatten)]
        print: OutputArgs,
    },
}

/// `phalanx context add`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx context add room --control https://room:7420 --ca room.pem --token-file room.token --use
  phalanx team list")]
pub struct AddArgs {
    /// A name of letters, digits, '-', '_' and '.'.
    pub name: String,
    /// The daemon's address: `unix:/path`, `http://127.0.0.1:port` or `https://host:port`.
    #[arg(long, value_name = "ADDRESS")]
    pub control: String,
    /// File with the token for this daemon; each call reads it again.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Certificate authority of the daemon's certificate, in PEM [default: the system's
    /// authorities].
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Client certificate followed by its key, in PEM, for a daemon that requires one.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Use this context from now on.
    #[arg(long = "use")]
    pub choose: bool,
    #[command(flatten)]
    pub print: OutputArgs,
}
