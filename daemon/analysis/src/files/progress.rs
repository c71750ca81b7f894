//! A spinner while large files are read.

use indicatif::ProgressBar;
use phalanx_cli::args::OutputArgs;
use std::io::IsTerminal;
use std::time::Duration;

/// Interval of the spinner.
const TICK: Duration = Duration::from_millis(100);

/// Runs `work` with a spinner.
pub(super) fn meanwhile<T>(print: &OutputArgs, what: String, work: impl FnOnce() -> T) -> T {
    let shown = std::io::stderr().is_terminal() && !print.is_json_asked();
    let spinner = shown.then(|| ProgressBar::new_spinner().with_message(what));
    if let Some(spinner) = &spinner {
        spinner.enable_steady_tick(TICK);
    }
    let done = work();
    if let Some(spinner) = spinner {
        spinner.finish_and_clear();
    }
    done
}
