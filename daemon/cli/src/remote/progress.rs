//! Progress on a terminal while something takes long.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Interval of a spinner.
const TURN: Duration = Duration::from_millis(100);

/// Shows a spinner until the work is done.
pub(super) async fn spun<T>(what: String, work: impl Future<Output = T>) -> T {
    let spinner = ProgressBar::new_spinner();
    spinner.set_message(what);
    spinner.enable_steady_tick(TURN);
    let _shown = Shown(&spinner);
    work.await
}

/// A bar over seats that connect one after the other.
#[derive(Debug)]
pub(super) struct Seats(ProgressBar);

impl Seats {
    pub(super) fn new(team: &str, limit: Duration) -> Self {
        let bar = ProgressBar::new(0);
        let style = "{msg} [{bar:30}] {pos}/{len} seated, {elapsed} of {prefix}";
        // The template is a constant.
        bar.set_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()));
        bar.set_prefix(humantime::format_duration(limit).to_string());
        bar.set_message(format!("team {team}"));
        bar.enable_steady_tick(TURN);
        Self(bar)
    }

    pub(super) fn seen(&self, seated: u32, all: u32) {
        self.0.set_length(all.into());
        self.0.set_position(seated.into());
    }
}

impl Drop for Seats {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Clears its bar when dropped, also when ctrl-c cancels the work.
struct Shown<'a>(&'a ProgressBar);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
