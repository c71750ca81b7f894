//! Prints answers in the chosen format.

use crate::args::{Form, OutputArgs};
use crate::paint::Paint;
use crate::template::Template;
use anyhow::{Context, Result};
use serde_json::Value;
use std::io::{ErrorKind, IsTerminal, Write};

/// Takes the results of a verb one by one, while it runs.
pub trait ResultSink {
    /// Takes a result, as JSON or as text; false when no more are wanted.
    ///
    /// # Errors
    /// When it cannot be kept or printed.
    fn item(&mut self, json: &Value, text: &dyn Fn(Paint) -> String) -> Result<bool>;

    /// Takes a warning.
    fn warn(&mut self, text: &str);

    /// Hears how much is done, of `total`; false when no more is wanted.
    fn went_on(&mut self, done: u64, total: u64) -> bool;

    /// Most items to take; `None`: all.
    fn limit(&self) -> Option<u64>;
}

impl OutputArgs {
    /// Prints an answer.
    pub fn tell(&self, json: &Value, text: impl FnOnce() -> String) -> Result<()> {
        print(&self.written(json, text)?)
    }

    /// Prints one item of a stream; false when standard output is closed.
    pub fn tell_one(&self, json: &Value, text: impl FnOnce() -> String) -> Result<bool> {
        line(&self.written(json, text)?)
    }

    /// Formats an answer.
    pub fn written(&self, json: &Value, text: impl FnOnce() -> String) -> Result<String> {
        if let Some(template) = self.template() {
            return template.render(json).map_err(crate::failure::misused);
        }
        Ok(if self.is_json() { json.to_string() } else { text() })
    }

    /// Whether the output is JSON.
    pub fn is_json(&self) -> bool {
        match &self.output {
            Form::Json => true,
            Form::Table | Form::Template(_) => false,
            Form::Auto => self.is_auto() && !std::io::stdout().is_terminal(),
        }
    }

    /// Whether no format was chosen.
    pub fn is_auto(&self) -> bool {
        matches!(self.output, Form::Auto) && self.template.is_none()
    }

    /// Whether the output is text.
    pub fn is_text(&self) -> bool {
        self.template().is_none() && !self.is_json()
    }

    /// Whether JSON was chosen explicitly.
    pub fn is_json_asked(&self) -> bool {
        matches!(self.output, Form::Json)
    }

    pub fn template(&self) -> Option<&Template> {
        match (&self.template, &self.output) {
            (Some(template), _) | (None, Form::Template(template)) => Some(template),
            (None, Form::Auto | Form::Table | Form::Json) => None,
        }
    }
}

/// Prints a text, with a line end.
pub fn print(text: &str) -> Result<()> {
    line(text.trim_end()).map(drop)
}

/// Prints a line and flushes; false when standard output is closed.
pub(super) fn line(text: &str) -> Result<bool> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        // `| head` closed the pipe.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("cannot print"),
    }
}

/// Prints a line on standard error.
pub fn say(text: &str) {
    // An error only means that standard error is closed.
    writeln!(std::io::stderr(), "{text}").unwrap_or_default();
}
