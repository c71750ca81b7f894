//! The log filter: from the settings, or from an operator for a limited time.

use super::flood::{Flood, WINDOW};
use phalanx_control::{LogFilter, LogFilterError};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata, info, warn};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::Directive;

/// Longest filter, in bytes.
const FILTER_BYTES_MAX: usize = 1_024;
/// Most directives of a filter.
const DIRECTIVES_MAX: usize = 32;
/// Libraries whose TRACE lines are never written: tungstenite logs what it sends, secrets included;
/// notify logs each change of a file, the log's own file included.
const TRACE_HIDDEN: [&str; 2] = ["tungstenite", "notify"];
/// Levels of directives.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Installs a filter in place of the current one.
type Exchange = Box<dyn Fn(EnvFilter) -> Result<(), String> + Send + Sync>;

/// The log of this process, as a handle to change its filter. Clones share it.
#[derive(Clone)]
pub struct LogControl {
    inner: Arc<Inner>,
}

struct Inner {
    exchange: Exchange,
    flood: Arc<Flood>,
    state: Mutex<State>,
}

/// The current filter and the one of the settings.
struct State {
    configured: String,
    filter: String,
    until: Option<SystemTime>,
    /// Counts changes: only the last one reverts to the settings.
    change: u64,
}

impl fmt::Debug for LogControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LogControl").field(&self.current().filter).finish()
    }
}

impl LogControl {
    pub(super) fn new(configured: &str, exchange: Exchange, flood: Arc<Flood>) -> Self {
        let state = State {
            configured: configured.to_owned(),
            filter: configured.to_owned(),
            until: None,
            change: 0,
        };
        Self { inner: Arc::new(Inner { exchange, flood, state: Mutex::new(state) }) }
    }

    #[must_use]
    pub fn current(&self) -> LogFilter {
        let State { configured, filter, until, .. } = &*self.state();
        LogFilter { filter: filter.clone(), configured: configured.clone(), until: *until }
    }

    /// Installs a filter; an empty one is that of the settings. After `life` the settings' filter
    /// comes back. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// When a directive is invalid.
    pub fn set(&self, filter: &str, life: Option<Duration>) -> Result<LogFilter, LogFilterError> {
        let text = if filter.is_empty() { self.current().configured } else { filter.to_owned() };
        let parsed = parse(&text)?;
        let life = life.filter(|_| !filter.is_empty());
        let change = {
            let mut state = self.state();
            (self.inner.exchange)(parsed).map_err(|reason| LogFilterError { column: 1, reason })?;
            state.filter = text;
            state.until = life.and_then(|life| SystemTime::now().checked_add(life));
            state.change += 1;
            state.change
        };
        info!(filter = self.current().filter, ?life, "the log's filter was changed");
        if let Some(life) = life {
            let control = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(life).await;
                if control.state().change == change
                    && let Err(error) = control.set("", None)
                {
                    warn!(%error, "cannot reset the log's filter");
                }
            });
        }
        Ok(self.current())
    }

    /// Takes a new filter from the settings. An operator's filter stays until it expires.
    ///
    /// # Errors
    /// When a directive is invalid.
    pub fn configure(&self, filter: &str) -> Result<(), LogFilterError> {
        let parsed = parse(filter)?;
        let mut state = self.state();
        if state.filter == state.configured {
            (self.inner.exchange)(parsed).map_err(|reason| LogFilterError { column: 1, reason })?;
            filter.clone_into(&mut state.filter);
        }
        filter.clone_into(&mut state.configured);
        Ok(())
    }

    /// Lines that were dropped so far by the flood limit.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.inner.flood.total()
    }

    /// Reports dropped lines periodically.
    pub async fn tell_dropped(self) {
        loop {
            tokio::time::sleep(WINDOW).await;
            self.tell();
        }
    }

    /// Reports the lines that were dropped since the last report.
    pub fn tell(&self) {
        for held in self.inner.flood.take(Instant::now()) {
            let (lines, place, team) = (held.lines, held.place, held.team);
            warn!(lines, place, team, "dropped log lines: too many of one kind");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a line may be written at all, independent of the filter.
pub(super) fn is_shown(line: &Metadata<'_>) -> bool {
    let library = line.target().split("::").next().unwrap_or_default();
    *line.level() < Level::TRACE || !TRACE_HIDDEN.contains(&library)
}

/// Parses a filter of `level`, `module=level` and `module[span]=level`, separated by commas.
pub(super) fn parse(text: &str) -> Result<EnvFilter, LogFilterError> {
    let wrong = |column, reason: String| Err(LogFilterError { column, reason });
    if text.len() > FILTER_BYTES_MAX {
        return wrong(1, format!("expected at most {FILTER_BYTES_MAX} bytes"));
    }
    // No regular expressions: a filter comes from callers and would be matched at every line.
    let builder = EnvFilter::builder().with_regex(false);
    let mut filter = builder.with_default_directive(LevelFilter::OFF.into()).parse_lossy("");
    for (index, (column, part)) in directives(text).into_iter().enumerate() {
        if index >= DIRECTIVES_MAX {
            return wrong(column, format!("expected at most {DIRECTIVES_MAX} directives"));
        }
        match directive(part) {
            Ok(directive) => filter = filter.add_directive(directive),
            Err(expected) => {
                let shown: String = part.chars().take(40).collect();
                return wrong(column, format!("expected {expected}, got {shown:?}"));
            }
        }
    }
    Ok(filter)
}

/// The directives with their columns, counted from 1; commas inside brackets do not separate.
fn directives(text: &str) -> Vec<(usize, &str)> {
    let (mut parts, mut depth, mut begin, mut column) = (Vec::new(), 0_usize, 0, 1);
    for (count, (at, c)) in text.char_indices().enumerate() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(text.get(begin..at).map(|part| (column, part.trim())));
                (begin, column) = (at + 1, count + 2);
            }
            _ => {}
        }
    }
    parts.extend(text.get(begin..).map(|part| (column, part.trim())));
    parts
}

fn directive(part: &str) -> Result<Directive, String> {
    let what = || "a level or module=level, for example \"info,phalanx_net=debug\"".to_owned();
    let (target, level) = match part.rsplit_once('=') {
        Some((target, level)) if !level.contains([']', '}']) => (target, level),
        Some(_) | None => ("", part),
    };
    if !LEVELS.contains(&level) {
        return Err(if target.is_empty() {
            what()
        } else {
            format!("one of {}", LEVELS.join(", "))
        });
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "_:[]{}=\"., -".contains(c);
    if (target.is_empty() && part != level) || !target.chars().all(plain) {
        return Err(what());
    }
    part.parse().map_err(|_| what())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_sense_is_taken() {
        for good in [
            "info",
            "off",
            "warn,phalanx_net=debug",
            " info , phalanx_lua::vm=trace",
            "info,phalanx_net[seat{seat=\"agentA1,agentA2\"}]=debug",
        ] {
            assert!(parse(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn nonsense_is_refused_at_its_place() {
        let many = vec!["info"; DIRECTIVES_MAX + 1].join(",");
        for (bad, column, said) in [
            ("inof", 1, "a level or module=level"),
            ("info,phalanx_net=verbose", 6, "one of off, error"),
            ("ünfo", 1, "got \"ünfo\""),
            ("info,,warn", 6, "a level or module=level"),
            ("info,=debug", 6, "a level or module=level"),
            ("info, a/b=debug", 6, "a level or module=level"),
            (many.as_str(), 161, "at most 32"),
            (&"x".repeat(FILTER_BYTES_MAX + 1), 1, "at most 1024 bytes"),
        ] {
            let error = parse(bad).expect_err(bad);
            assert_eq!(error.column, column, "{bad}: {error}");
            assert!(error.to_string().contains(said), "{bad}: {error}");
        }
    }

    fn control() -> (LogControl, Arc<Mutex<Vec<String>>>) {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&seen);
        let exchange: Exchange = Box::new(move |filter| {
            kept.lock().unwrap().push(filter.to_string());
            Ok(())
        });
        (LogControl::new("info", exchange, Arc::new(Flood::new(1))), seen)
    }

    #[tokio::test(start_paused = true)]
    async fn a_filter_for_a_while_falls_back_unless_another_came() {
        let (control, seen) = control();
        let minute = Some(Duration::from_secs(60));
        let first = control.set("debug", minute).unwrap();
        assert!(first.until.is_some() && first.configured == "info", "{first:?}");
        control.set("trace", minute).unwrap();
        tokio::time::sleep(Duration::from_secs(61)).await;
        let back = control.current();
        assert_eq!((back.filter.as_str(), back.until), ("info", None));
        assert_eq!(*seen.lock().unwrap(), ["debug", "trace", "info"]);
        assert!(control.set("nonsense", None).is_err());
        assert_eq!(control.current().filter, "info", "a refused filter changes nothing");
    }

    #[tokio::test(start_paused = true)]
    async fn other_settings_count_at_once_unless_an_operator_chose() {
        let (control, seen) = control();
        control.configure("warn").unwrap();
        assert_eq!(control.current().filter, "warn");
        control.set("trace", Some(Duration::from_secs(60))).unwrap();
        control.configure("error").unwrap();
        assert_eq!(control.current().filter, "trace");
        tokio::time::sleep(Duration::from_secs(61)).await;
        assert_eq!(control.current().filter, "error");
        assert_eq!(*seen.lock().unwrap(), ["warn", "trace", "error"]);
        assert!(control.configure("nonsense").is_err());
        assert_eq!(control.current().configured, "error");
    }

    #[tokio::test(start_paused = true)]
    async fn an_empty_filter_is_that_of_the_settings() {
        let (control, _) = control();
        control.set("debug", None).unwrap();
        assert_eq!(control.set("", Some(Duration::from_secs(1))).unwrap().until, None);
        assert_eq!(control.current().filter, "info");
    }
}
