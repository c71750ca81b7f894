//! The verbs around the daemon itself.

use super::{Look, Remote, duration};
use clap::Subcommand;
use std::time::Duration;

/// `phalanx daemon`.
#[derive(Debug, Subcommand)]
pub enum DaemonVerb {
    /// What runs: version, memory, listeners, settings without secrets.
    Show(Look),
    /// Read the settings again: all of what changed counts from then on, or nothing.
    #[command(after_help = "\
Examples:
  phalanx daemon reload --dry-run     what would change, and what cannot
  phalanx daemon reload

What needs a restart is told by key; deploy/config/all-keys.toml says it for each. `phalanx check`
looks for mistakes before.")]
    Reload {
        /// Only tell what would change and what would be refused.
        #[arg(long)]
        dry_run: bool,
        /// Where and how.
        #[command(flatten)]
        remote: Remote,
    },
    /// Show or change which lines the daemon logs, while it runs.
    #[command(after_help = "\
Examples:
  phalanx daemon log-level
  phalanx daemon log-level info,phalanx_net=debug --for 10m
  phalanx daemon log-level --reset")]
    LogLevel {
        /// Directives: a level (off, error, warn, info, debug, trace), or module=level for a part of
        /// the program, separated by commas [default: only show].
        filter: Option<String>,
        /// For so long, 1s to 24h; then the settings' filter comes back [default: until it is
        /// changed].
        #[arg(long = "for", value_name = "DURATION", value_parser = duration, requires = "filter")]
        life: Option<Duration>,
        /// Back to the settings' filter.
        #[arg(long, conflicts_with = "filter")]
        reset: bool,
        /// Where and how.
        #[command(flatten)]
        remote: Remote,
    },
}
