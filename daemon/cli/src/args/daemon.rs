//! The verbs around the daemon itself.

use super::{Look, Remote, duration};
use clap::Subcommand;
use std::time::Duration;

/// `phalanx daemon`.
#[derive(Debug, Subcommand)]
pub enum DaemonVerb {
    /// Show version, memory, listeners, and the settings without secrets.
    Show(Look),
    /// Read the settings again; all changes take effect, or none.
    #[command(after_help = "\
Examples:
  phalanx daemon reload --dry-run     list what would change, and what needs a restart
  phalanx daemon reload

The command lists each key that needs a restart; deploy/config/all-keys.toml says it for every key.
Check the file first with `phalanx check`.")]
    Reload {
        /// Only list what would change and what would be refused.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        remote: Remote,
    },
    /// Show or change which lines the running daemon logs.
    #[command(after_help = "\
Examples:
  phalanx daemon log-level
  phalanx daemon log-level info,phalanx_net=debug --for 10m
  phalanx daemon log-level --reset")]
    LogLevel {
        /// Directives, separated by commas: a level (off, error, warn, info, debug, trace), or
        /// module=level for a part of the program [default: print the current ones].
        filter: Option<String>,
        /// How long, 1s to 24h; after that the settings' filter applies again [default: until the
        /// next change].
        #[arg(long = "for", value_name = "DURATION", value_parser = duration, requires = "filter")]
        life: Option<Duration>,
        /// Return to the filter of the settings.
        #[arg(long, conflicts_with = "filter")]
        reset: bool,
        #[command(flatten)]
        remote: Remote,
    },
}
