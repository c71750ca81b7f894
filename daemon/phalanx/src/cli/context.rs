//! The command line of the verbs around contexts.

use super::{OutputArgs, Remote};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `phalanx context`.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
A context is a daemon's address and what to show to it. The one in use counts where neither flags
nor the environment say where the daemon is. `local` is always there: this machine's usual sockets.
They are kept in $XDG_CONFIG_HOME/phalanx/contexts.toml, which names the files of tokens and holds
no token itself.")]
pub enum ContextVerb {
    /// Add a context, or replace the one of that name.
    Add(AddArgs),
    /// One line for each context.
    #[command(visible_alias = "list")]
    Ls(OutputArgs),
    /// Use a context from now on.
    Use {
        /// Its name; `local` is this machine's usual sockets.
        name: String,
        /// How.
        #[command(flatten)]
        print: OutputArgs,
    },
    /// Where the daemon is looked for, all flags and variables counted.
    Show(Remote),
    /// Forget a context; its files stay.
    Remove {
        /// Its name.
        name: String,
        /// How.
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
    /// What to call it: letters, digits, '-', '_' and '.'.
    pub name: String,
    /// The daemon's address: `unix:/path`, `http://127.0.0.1:port` or `https://host:port`.
    #[arg(long, value_name = "ADDRESS")]
    pub control: String,
    /// File with the token to show; it is read at each call.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Authority of the daemon's certificate in PEM [default: those of the system].
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Our own certificate with its key behind it, in PEM, where the daemon wants one.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Use it from now on.
    #[arg(long = "use")]
    pub choose: bool,
    /// How.
    #[command(flatten)]
    pub print: OutputArgs,
}
