//! What this crate needs to know about the process that it runs in, and the service `Daemon`, which
//! tells it on.

use crate::caller;
use crate::convert::time_asked;
use crate::error::{Reason, RpcResult, refuse, refuse_field};
use crate::gate::Subject;
use crate::reload::Reloaded;
use futures_util::future::BoxFuture;
use phalanx_proto::v1;
use prost_types::Timestamp;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tonic::{Request, Response, Status};

/// Shortest and longest time for which a filter of the log may be set.
const LIFE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(24 * 3600));
/// What is changed, in the audit log.
const LOG: &str = "log filter";
/// The same for the settings.
const SETTINGS: &str = "settings";

/// The process, as it knows itself.
pub trait Host: Send + Sync + fmt::Debug + 'static {
    /// What runs. May read files of the system.
    fn about(&self) -> About;

    /// Which lines are logged.
    fn log_filter(&self) -> LogFilter;

    /// Logs by this filter from now on, an empty one being that of the settings; with a `life` the
    /// settings' filter comes back after it.
    ///
    /// # Errors
    /// When a directive makes no sense.
    fn set_log_filter(
        &self,
        filter: &str,
        life: Option<Duration>,
    ) -> Result<LogFilter, LogFilterError>;

    /// Reads the settings again; `by` is who wants it. With `validate_only` nothing changes. `None`
    /// where no settings were read, or as long as the teams are made.
    fn reload(&self, by: String, validate_only: bool) -> Option<BoxFuture<'static, Reloaded>>;
}

/// What runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its version.
    pub version: String,
    /// How it was built.
    pub build: String,
    /// Which of several daemons it is.
    pub instance: String,
    /// When it was started.
    pub started: SystemTime,
    /// Its settings, key and value; never a secret.
    pub settings: Vec<(String, String)>,
    /// Memory that it holds, in bytes; 0 where the system does not tell.
    pub resident_bytes: u64,
}

/// Which lines are logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter {
    /// By these directives.
    pub filter: String,
    /// What the settings say.
    pub configured: String,
    /// When the settings' filter comes back; `None`: it stays.
    pub until: Option<SystemTime>,
}

/// What is wrong in a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilterError {
    /// Where, in characters, counted from 1.
    pub column: usize,
    /// What was expected.
    pub reason: String,
}

impl fmt::Display for LogFilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.reason)
    }
}

impl std::error::Error for LogFilterError {}

/// Tells what the process knows of itself.
pub(crate) struct DaemonService {
    pub(crate) host: Arc<dyn Host>,
    /// Where the control API listens.
    pub(crate) listeners: Vec<String>,
}

#[tonic::async_trait]
impl v1::daemon_server::Daemon for DaemonService {
    async fn get_daemon(
        &self,
        _request: Request<v1::GetDaemonRequest>,
    ) -> RpcResult<v1::GetDaemonResponse> {
        let host = Arc::clone(&self.host);
        let asked = tokio::task::spawn_blocking(move || (host.about(), host.log_filter())).await;
        let (about, log) = asked.map_err(|error| Status::internal(error.to_string()))?;
        let uptime = SystemTime::now().duration_since(about.started).unwrap_or_default();
        let setting = |(key, value)| v1::Setting { key, value };
        let daemon = Some(v1::DaemonInfo {
            version: about.version,
            build: about.build,
            instance: about.instance,
            start_time: Some(time(about.started)),
            uptime: prost_types::Duration::try_from(uptime).ok(),
            process_id: std::process::id(),
            resident_bytes: about.resident_bytes,
            listeners: self.listeners.clone(),
            settings: about.settings.into_iter().map(setting).collect(),
            log_filter: Some(filter(log)),
        });
        Ok(Response::new(v1::GetDaemonResponse { daemon }))
    }

    async fn get_log_filter(
        &self,
        _request: Request<v1::GetLogFilterRequest>,
    ) -> RpcResult<v1::GetLogFilterResponse> {
        let log_filter = Some(filter(self.host.log_filter()));
        Ok(Response::new(v1::GetLogFilterResponse { log_filter }))
    }

    async fn set_log_filter(
        &self,
        request: Request<v1::SetLogFilterRequest>,
    ) -> RpcResult<v1::SetLogFilterResponse> {
        Subject::note(&request, LOG);
        let request = request.into_inner();
        let life = request.life.map(life).transpose()?;
        let set = self.host.set_log_filter(&request.filter, life).map_err(|error| {
            let metadata = [("field", "filter".to_owned()), ("column", error.column.to_string())];
            refuse(Reason::LogFilter, format!("filter, {error}"), metadata)
        })?;
        Ok(Response::new(v1::SetLogFilterResponse { log_filter: Some(filter(set)) }))
    }

    async fn reload_settings(
        &self,
        request: Request<v1::ReloadSettingsRequest>,
    ) -> RpcResult<v1::ReloadSettingsResponse> {
        Subject::note(&request, SETTINGS);
        if request.get_ref().validate_only {
            Subject::note_only_checked(&request);
        }
        let by = caller::name(&request);
        let v1::ReloadSettingsRequest { validate_only } = request.into_inner();
        let reloading = self.host.reload(by, validate_only).ok_or_else(|| {
            Status::unimplemented(
                "no settings were read; a daemon that is just starting has some soon",
            )
        })?;
        // On a task of its own: a caller that goes away must not leave half a change behind.
        let reloaded = tokio::spawn(reloading).await;
        let reloaded = reloaded.map_err(|_| Status::internal("the reload failed; see the log"))?;
        reloaded.answer(validate_only).map(Response::new)
    }
}

fn life(life: prost_types::Duration) -> Result<Duration, Status> {
    let life = time_asked(life).filter(|life| (LIFE.0..=LIFE.1).contains(life));
    life.ok_or_else(|| refuse_field(Reason::LogLife, "life", "1 s to 24 h, or nothing"))
}

fn filter(log: LogFilter) -> v1::LogFilter {
    let LogFilter { filter, configured, until } = log;
    v1::LogFilter { filter, configured, expire_time: until.map(time) }
}

fn time(at: SystemTime) -> Timestamp {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanos = i32::try_from(since.subsec_nanos()).unwrap_or_default();
    Timestamp { seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX), nanos }
}
