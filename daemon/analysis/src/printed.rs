//! Prints the results of a verb as they come, above a bar that shows how far it is.

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use phalanx_cli::args::OutputArgs;
use phalanx_cli::paint::Paint;
use phalanx_cli::remote::{self, ResultSink};
use serde_json::Value;

/// Standard output and standard error.
pub(crate) struct Printed<'a> {
    print: &'a OutputArgs,
    bar: Option<ProgressBar>,
    limit: Option<u64>,
}

impl<'a> Printed<'a> {
    /// Prints everything, without a bar.
    pub(crate) fn plain(print: &'a OutputArgs) -> Self {
        Self { print, bar: None, limit: None }
    }

    /// Prints at most this many items in tables; 0: all.
    pub(crate) fn limited(print: &'a OutputArgs, limit: u64, bar: Option<ProgressBar>) -> Self {
        let limited = limit > 0 && print.is_text();
        Self { print, bar, limit: limited.then_some(limit) }
    }

    fn above_bar<T>(&self, tell: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(tell),
            None => tell(),
        }
    }
}

impl ResultSink for Printed<'_> {
    fn item(&mut self, json: &Value, text: &dyn Fn(Paint) -> String) -> Result<bool> {
        self.above_bar(|| self.print.tell_one(json, || text(Paint::stdout())))
    }

    fn warn(&mut self, text: &str) {
        self.above_bar(|| remote::say(text));
    }

    fn went_on(&mut self, done: u64, total: u64) -> bool {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
        }
        true
    }

    fn limit(&self) -> Option<u64> {
        self.limit
    }
}

impl Drop for Printed<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The bar of a match that is decided again.
pub(crate) fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    let style = "deciding again {bar:30} turn {pos}/{len}, {per_sec}, {eta} to go";
    // The template is a constant.
    bar.set_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()));
    bar
}
