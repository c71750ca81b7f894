//! How answers get out.

use crate::cli::{Form, OutputArgs};
use crate::template::Template;
use anyhow::{Context, Result};
use serde_json::Value;
use std::io::{ErrorKind, IsTerminal, Write};

impl OutputArgs {
    /// Prints an answer in the form that the caller wants.
    pub(crate) fn tell(&self, json: &Value, text: impl FnOnce() -> String) -> Result<()> {
        print(&self.written(json, text)?)
    }

    /// The same for one of a stream; false when nobody reads any more.
    pub(crate) fn tell_one(&self, json: &Value, text: impl FnOnce() -> String) -> Result<bool> {
        line(&self.written(json, text)?)
    }

    /// An answer in the form that the caller wants.
    pub(crate) fn written(&self, json: &Value, text: impl FnOnce() -> String) -> Result<String> {
        if let Some(template) = self.template() {
            return template.render(json).map_err(crate::failure::misused);
        }
        Ok(if self.is_json() { json.to_string() } else { text() })
    }

    /// Whether a program reads, or asked for it.
    pub(crate) fn is_json(&self) -> bool {
        match &self.output {
            Form::Json => true,
            Form::Table | Form::Template(_) => false,
            Form::Auto => self.is_auto() && !std::io::stdout().is_terminal(),
        }
    }

    /// Whether nobody said in which form.
    pub(crate) fn is_auto(&self) -> bool {
        matches!(self.output, Form::Auto) && self.template.is_none()
    }

    /// Whether people read.
    pub(crate) fn is_text(&self) -> bool {
        self.template().is_none() && !self.is_json()
    }

    /// Whether JSON was asked for by name.
    pub(crate) fn is_json_asked(&self) -> bool {
        matches!(self.output, Form::Json)
    }

    pub(crate) fn template(&self) -> Option<&Template> {
        match (&self.template, &self.output) {
            (Some(template), _) | (None, Form::Template(template)) => Some(template),
            (None, Form::Auto | Form::Table | Form::Json) => None,
        }
    }
}

/// Prints a text and ends its last line.
pub(crate) fn print(text: &str) -> Result<()> {
    line(text.trim_end()).map(drop)
}

/// Prints a line at once; false when nobody reads any more.
pub(crate) fn line(text: &str) -> Result<bool> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        // `| head` has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("cannot print"),
    }
}

/// Says something on standard error.
pub(crate) fn say(text: &str) {
    // A closed standard error only means that nobody reads it.
    writeln!(std::io::stderr(), "{text}").unwrap_or_default();
}
