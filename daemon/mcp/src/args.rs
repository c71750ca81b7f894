//! The command line of `phalanx mcp`.

use clap::Args;
use phalanx_cli::args::duration;
use std::path::PathBuf;
use std::time::Duration;

/// `phalanx mcp`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx mcp                           read-only: check, test, play, explain
  phalanx mcp --allow-write strategies  also make and change files below strategies/

You do not start this in a terminal: register it in an assistant, which starts it and talks to it on
standard input and output. For most assistants that is an entry in a file of JSON:

  { \"mcpServers\": { \"phalanx\": {
      \"command\": \"phalanx\", \"args\": [\"mcp\", \"--allow-write\", \"/home/me/strategies\"] } } }

Tools: strategy_check, strategy_test, strategy_params, demo, league, tune, why, replay, diff; with
--allow-write also strategy_new and write_file.
Resources: the script API and editor types of each game, the functions of specs, all manual pages.

Without --allow-write no tool writes a file. With it, tools write below DIR only: they follow no
symbolic links, and refuse paths that lead out of it. Paths of strategies and recordings that are not
absolute begin at DIR, or else in the current folder. Matches run on virtual time in this process;
a script cannot open files. The client sees the progress of long calls and can cancel them.")]
pub struct McpArgs {
    /// Let tools write below this folder, which must exist.
    #[arg(long, value_name = "DIR")]
    pub allow_write: Option<PathBuf>,
    /// Longest time of a call; leagues and tune runs then answer with what they have.
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = duration)]
    pub time_limit: Duration,
}
