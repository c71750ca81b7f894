//! The arguments of all verbs that ask a running daemon: where it is, how its answer is printed.

use super::duration;
use crate::template::Template;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Args, Command};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

/// What stands before a template in `--output`.
const TEMPLATE: &str = "template=";

/// Where the daemon is.
#[derive(Args, Clone, Debug)]
pub struct Remote {
    /// The daemon of this context, see `phalanx context` [default: the one in use].
    #[arg(long, value_name = "NAME", env = "PHALANX_CONTEXT")]
    pub context: Option<String>,
    /// The daemon's control socket: `unix:/path`, `http://127.0.0.1:port` or `https://host:port`.
    #[arg(long, value_name = "ADDRESS", env = "PHALANX_CONTROL")]
    pub control: Option<String>,
    /// File with the token to show over the network; the environment variable PHALANX_TOKEN holds
    /// the token itself.
    #[arg(long, value_name = "FILE", env = "PHALANX_TOKEN_FILE")]
    pub token_file: Option<PathBuf>,
    /// Authority of the daemon's certificate in PEM [default: those of the system].
    #[arg(long, value_name = "FILE", env = "PHALANX_CA")]
    pub ca: Option<PathBuf>,
    /// Our own certificate with its key behind it, in PEM, where the daemon wants one.
    #[arg(long, value_name = "FILE", env = "PHALANX_CERTIFICATE")]
    pub certificate: Option<PathBuf>,
    /// How the answer is printed.
    #[command(flatten)]
    pub print: OutputArgs,
}

/// The same for a verb that shows something, once or again and again.
#[derive(Args, Clone, Debug)]
pub struct Look {
    /// Show it again and again, every 2s or as often as told, until ctrl-c.
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true,
        default_missing_value = "2s", value_parser = interval)]
    pub watch: Option<Duration>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// How a verb prints.
#[derive(Args, Clone, Debug)]
pub struct OutputArgs {
    /// How to print: `auto` is a table on a terminal, else JSON; `template=TEXT` as --template.
    #[arg(long, value_name = "FORM", value_parser = FormParser, default_value = "auto")]
    pub output: Form,
    /// Print this text with the fields of the JSON form in it, for example '{{ name }}'; the
    /// language is that of Jinja.
    #[arg(long, value_name = "TEXT", value_parser = template, conflicts_with = "output")]
    pub template: Option<Template>,
}

/// The forms of an answer.
#[derive(Clone, Debug)]
pub enum Form {
    /// A table on a terminal, JSON otherwise.
    Auto,
    /// For people.
    Table,
    /// For programs: one JSON object, or one a line for streams.
    Json,
    /// A text of the caller's own.
    Template(Template),
}

/// Reads a [`Form`].
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

/// Shortest interval: a daemon that plays has better things to do.
const INTERVAL_MIN: Duration = Duration::from_millis(100);

fn interval(text: &str) -> Result<Duration, String> {
    let interval = duration(text)?;
    if interval < INTERVAL_MIN {
        return Err(format!("expected at least {}", humantime::format_duration(INTERVAL_MIN)));
    }
    Ok(interval)
}
