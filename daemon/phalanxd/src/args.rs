//! The command line of `phalanxd`.

use clap::Parser;
use std::path::PathBuf;

/// `phalanxd`.
#[derive(Debug, Parser)]
#[command(name = "phalanxd", version, max_term_width = 100)]
#[command(about = "Runs the Phalanx daemon: connects teams to referees, runs their scripts")]
#[command(after_help = "\
Signals: TERM and INT answer the open turns and end the daemon, a second one ends it at once; HUP
reads the settings, every strategy and the certificates again.

Exit codes: 0 done; 1 something could not be started, or a team was given up; 2 teams were cut off
at the end of the grace period; 64 wrong command line, settings or strategy.

Under systemd (Type=notify-reload) the daemon reports when clients can call, when a reload begins
and ends, and each team's step, score and missed turns; while it drains it asks for more time. It
feeds the watchdog while its runtime and at least one team's thread make progress. A stuck team
shows in the status and its seats send fallbacks; systemd restarts the daemon only when no team
makes progress. The daemon takes sockets from socket units by FileDescriptorName=: control,
control-tcp, bridge. It leaves its own sockets with systemd, so that callers wait during a restart.")]
pub struct Phalanxd {
    /// Configuration file in TOML; files FILE.d/*.toml and environment variables
    /// PHALANX__SECTION__KEY override it.
    #[arg(long, value_name = "FILE", env = "PHALANX_CONFIG")]
    pub config: PathBuf,
    /// Override one setting, for example --set control.tcp=127.0.0.1:7700; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Check settings and strategies without playing, then exit.
    #[arg(long)]
    pub check: bool,
    /// Do not watch the strategies' folders: only SIGHUP and the control API change the strategy.
    #[arg(long)]
    pub no_watch: bool,
    /// Ignore the file tuned.toml of strategies: parameters have the defaults that scripts declare;
    /// as --set reload.tuned=off.
    #[arg(long)]
    pub no_tuned: bool,
}

impl Phalanxd {
    /// The settings that the command line overrides.
    #[must_use]
    pub fn overrides(&self) -> Vec<String> {
        let tuned = self.no_tuned.then(|| "reload.tuned=off".to_owned());
        self.set.iter().cloned().chain(tuned).collect()
    }
}
