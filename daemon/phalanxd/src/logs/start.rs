//! Chooses the log's output: fields for systemd's journal, JSON for programs, lines for people.

use super::filter::{LogControl, is_shown, parse};
use super::flood::{Flood, FloodLayer};
use super::traces::Traces;
use anyhow::Result;
use phalanx_settings::{LogFormat, LogSettings};
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use tracing::{Subscriber, warn};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt, reload};

/// Set by systemd if standard error is its journal: `device:inode`.
const JOURNAL_STREAM: &str = "JOURNAL_STREAM";
/// Prefix of our fields in the journal.
const JOURNAL_PREFIX: &str = "PHALANX";

pub(super) type Boxed<S> = Box<dyn Layer<S> + Send + Sync>;

/// Starts logging. Invalid directives fall back to `info`; the settings were checked before. With
/// an address for `traces`, spans are exported as long as the returned value lives.
///
/// # Errors
/// When spans cannot be exported; logging works all the same.
pub fn start(settings: &LogSettings, traces: Option<&str>) -> Result<(LogControl, Traces)> {
    let filter = parse(&settings.filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let (filter, handle) = reload::Layer::new(filter);
    let flood = Arc::new(Flood::new(settings.lines_max));
    let (output, trouble) = output(settings.format);
    let opened = traces.map(Traces::open).transpose();
    let started = tracing_subscriber::registry()
        .with(filter)
        .with(filter_fn(is_shown))
        .with(FloodLayer(Arc::clone(&flood)))
        .with(output)
        .with(opened.as_ref().ok().and_then(|traces| traces.as_ref()?.layer()))
        .try_init();
    if let Err(error) = started {
        warn!(%error, "logging is already started");
    }
    if let Some(error) = trouble {
        warn!(%error, "cannot reach the journal: logging JSON to standard error");
    }
    let exchange = move |filter| handle.reload(filter).map_err(|error| error.to_string());
    let control = LogControl::new(&settings.filter, Box::new(exchange), flood);
    Ok((control, opened?.unwrap_or_default()))
}

fn output<S>(format: LogFormat) -> (Boxed<S>, Option<io::Error>)
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let terminal = io::stderr().is_terminal();
    let pretty = || {
        let color = terminal && std::env::var_os("NO_COLOR").is_none();
        fmt::layer().with_target(false).with_ansi(color).with_writer(io::stderr).boxed()
    };
    let json = || fmt::layer().json().with_ansi(false).with_writer(io::stderr).boxed();
    let journald = || match tracing_journald::layer() {
        Ok(layer) => (layer.with_field_prefix(Some(JOURNAL_PREFIX.to_owned())).boxed(), None),
        Err(error) => (json(), Some(error)),
    };
    match format {
        LogFormat::Pretty => (pretty(), None),
        LogFormat::Json => (json(), None),
        LogFormat::Journald => journald(),
        LogFormat::Auto if is_journal() => journald(),
        LogFormat::Auto if terminal => (pretty(), None),
        LogFormat::Auto => (json(), None),
    }
}

/// Whether standard error is the journal, by systemd's protocol: if it is redirected it is not,
/// although the variable is set.
fn is_journal() -> bool {
    let Ok(named) = std::env::var(JOURNAL_STREAM) else { return false };
    let file = io::stderr().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let about = file.and_then(|file| file.metadata());
    about.is_ok_and(|about| is_named(&named, about.dev(), about.ino()))
}

fn is_named(stream: &str, device: u64, inode: u64) -> bool {
    stream.split_once(':').is_some_and(|(named_device, named_inode)| {
        named_device.parse() == Ok(device) && named_inode.parse() == Ok(inode)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_stream_that_systemd_named_is_the_journal() {
        assert!(is_named("8:12345", 8, 12_345));
        for other in ["8:12346", "9:12345", "", "8", ":", "8:12345:1", "x:y"] {
            assert!(!is_named(other, 8, 12_345), "{other}");
        }
    }
}
