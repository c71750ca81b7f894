//! The arguments of all verbs that ask a running daemon: its address, and how to print its answer.

use super::duration;
use crate::template::Template;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Args, Command};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

/// The prefix of a template in `--output`.
const TEMPLATE: &str = "template=";

/// The daemon's address and credentials.
#[derive(Args, Clone, Debug)]
pub struct Remote {
    /// The daemon of this context, see `phalanx context` [default: the context in use].
    #[arg(long, value_name = "NAME", env = "PHALANX_CONTEXT")]
    pub context: Option<String>,
    /// Address of the daemon's control API: `unix:/path`, `http://127.0.0.1:port` or
    /// `https://host:port`.
    #[arg(long, value_name = "ADDRESS", env = "PHALANX_CONTROL")]
    pub control: Option<String>,
    /// File with the token for calls over the network; the environment variable PHALANX_TOKEN holds
    /// the token itself.
    #[arg(long, value_name = "FILE", env = "PHALANX_TOKEN_FILE")]
    pub token_file: Option<PathBuf>,
    /// Certificate authority of the daemon's certificate, in PEM [default: the system's
    /// authorities].
    #[arg(long, value_name = "FILE", env = "PHALANX_CA")]
    pub ca: Option<PathBuf>,
    /// Client certificate followed by its key, in PEM, for a daemon that requires one.
    #[arg(long, value_name = "FILE", env = "PHALANX_CERTIFICATE")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub print: OutputArgs,
}

/// [`Remote`] for a verb that shows something, once or repeatedly.
#[derive(Args, Clone, Debug)]
pub struct Look {
    /// Repeat until ctrl-c, every 2s or as often as INTERVAL says (at least 100ms).
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true,
        default_missing_value = "2s", value_parser = interval)]
    pub watch: Option<Duration>,
    #[command(flatten)]
    pub remote: Remote,
}

/// How a verb prints its answer.
#[derive(Args, Clone, Debug)]
pub struct OutputArgs {
    /// Output format: `auto` prints a table on a terminal and JSON otherwise; `template=TEXT` is
    /// the same as --template TEXT.
    #[arg(long, value_name = "FORM", value_parser = FormParser, default_value = "auto")]
    pub output: Form,
    /// Print this text with fields of the JSON output in it, for example '{{ name }}', in the
    /// template language of Jinja.
    #[arg(long, value_name = "TEXT", value_parser = template, conflicts_with = "output")]
    pub template: Option<Template>,
}

/// The output formats.
#[derive(Clone, Debug)]
pub enum Form {
    /// A table on a terminal, JSON otherwise.
    Auto,
    Table,
    /// One JSON object, or one per line for streams.
    Json,
    /// A template of the caller.
    Template(Template),
}

/// Parses a [`Form`].
#[derive(Clone, Copy, Debug)]
struct FormParser;

impl TypedValueParser for FormParser {
    type Value = Form;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Form, clap::Error> {
        let text = value.to_string_lossy();
        match (text.as_ref(), text.strip_prefix(TEMPLATE)) {
            ("auto", _) => Ok(Form::Auto),
            ("table", _) => Ok(Form::Table),
            ("json", _) => Ok(Form::Json),
            (_, Some(source)) => template(source)
                .map(Form::Template)
                .map_err(|why| clap::Error::raw(ErrorKind::ValueValidation, format!("{why}\n"))),
            (_, None) => Err(unknown(command, arg, &text)),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(["auto", "table", "json", TEMPLATE].map(PossibleValue::new).into_iter()))
    }
}

fn unknown(command: &Command, arg: Option<&Arg>, got: &str) -> clap::Error {
    let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
    let mut tell = |kind, text: String| drop(error.insert(kind, ContextValue::String(text)));
    tell(ContextKind::InvalidArg, arg.map(ToString::to_string).unwrap_or_default());
    tell(ContextKind::InvalidValue, got.to_owned());
    let forms = ["auto", "table", "json", "template=TEXT"].map(str::to_owned).to_vec();
    error.insert(ContextKind::ValidValue, ContextValue::Strings(forms));
    error
}

fn template(source: &str) -> Result<Template, String> {
    source.parse().map_err(|error: crate::template::TemplateError| error.to_string())
}

/// Shortest interval: a playing daemon should not spend its time on refreshes.
const INTERVAL_MIN: Duration = Duration::from_millis(100);

fn interval(text: &str) -> Result<Duration, String> {
    let interval = duration(text)?;
    if interval < INTERVAL_MIN {
        return Err(format!("expected at least {}", humantime::format_duration(INTERVAL_MIN)));
    }
    Ok(interval)
}
