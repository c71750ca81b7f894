//! The way in for command lines and tests.

use crate::error::TRIAL_REPORT_TYPE;
use hyper_util::rt::TokioIo;
use phalanx_proto::v1;
use phalanx_proto::v1::strategies_client::StrategiesClient;
use prost::Message;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use tokio::net::UnixStream;
use tonic::Status;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic_types::StatusExt;

/// How long a connection attempt may take.
const CONNECT_MAX: Duration = Duration::from_secs(3);
/// Largest answer, in bytes: a strategy with all its files fits.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// Where a daemon listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket.
    Unix(PathBuf),
    /// `http://host:port`.
    Http(String),
}

/// `unix:/path`, a plain path, `http://host:port` or `host:port`.
impl FromStr for Address {
    type Err = ClientError;

    fn from_str(text: &str) -> Result<Self, ClientError> {
        let malformed = || ClientError::Malformed { got: text.chars().take(80).collect() };
        let path = text.strip_prefix("unix://").or_else(|| text.strip_prefix("unix:"));
        if let Some(path) = path.or_else(|| text.contains('/').then_some(text))
            && !text.starts_with("http")
        {
            return if path.is_empty() { Err(malformed()) } else { Ok(Self::Unix(path.into())) };
        }
        let host = text.strip_prefix("http://").unwrap_or(text).trim_end_matches('/');
        let port = host.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        let uri = format!("http://{host}");
        let whole = port.is_some() && uri.parse::<Uri>().is_ok();
        if whole { Ok(Self::Http(uri)) } else { Err(malformed()) }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Http(uri) => f.write_str(uri),
        }
    }
}

/// Why no daemon was reached.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address makes no sense.
    #[error("{got:?} is no address; expected unix:/path, http://host:port or host:port")]
    Malformed {
        /// What was given.
        got: String,
    },
    /// Nobody answers there.
    #[error("no daemon answers at {address}: {reason}; is phalanxd running?")]
    Unreachable {
        /// Where.
        address: Address,
        /// The system's reason.
        reason: String,
    },
    /// None of several places has a daemon.
    #[error("no daemon found; looked for {}", list(.tried))]
    NotFound {
        /// Where it was looked for.
        tried: Vec<PathBuf>,
    },
}

fn list(paths: &[PathBuf]) -> String {
    let shown: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    shown.join(", ")
}

/// Connects; the channel reconnects by itself later on.
///
/// # Errors
/// When nobody answers there.
pub async fn connect(address: &Address) -> Result<Channel, ClientError> {
    let unreachable =
        |reason: String| ClientError::Unreachable { address: address.clone(), reason };
    match address {
        Address::Http(uri) => {
            let endpoint = Endpoint::from_shared(uri.clone());
            let endpoint = endpoint.map_err(|_| ClientError::Malformed { got: uri.clone() })?;
            let connected = endpoint.connect_timeout(CONNECT_MAX).connect().await;
            connected.map_err(|error| unreachable(reason(&error)))
        }
        Address::Unix(path) => {
            let path = path.clone();
            // The host only fills the `:authority` header.
            let endpoint = Endpoint::from_static("http://localhost").connect_timeout(CONNECT_MAX);
            let connector = tower::service_fn(move |_: Uri| {
                let path = path.clone();
                async move { UnixStream::connect(path).await.map(TokioIo::new) }
            });
            let connected = endpoint.connect_with_connector(connector).await;
            connected.map_err(|error| unreachable(reason(&error)))
        }
    }
}

/// Connects to the first of these sockets at which a daemon answers.
///
/// # Errors
/// When none answers.
pub async fn connect_first(sockets: &[PathBuf]) -> Result<(Address, Channel), ClientError> {
    for path in sockets {
        let address = Address::Unix(path.clone());
        if let Ok(channel) = connect(&address).await {
            return Ok((address, channel));
        }
    }
    Err(ClientError::NotFound { tried: sockets.to_vec() })
}

/// A refusal in one line for people: the message and the reason that the server gave.
#[must_use]
pub fn explain(status: &Status) -> String {
    match status.get_details_error_info() {
        Some(info) => format!("{} ({})", status.message(), info.reason),
        None if status.message().is_empty() => status.code().to_string(),
        None => format!("{} ({})", status.message(), status.code()),
    }
}

/// The service `Strategies`, ready for answers with all files of a strategy.
#[must_use]
pub fn strategies(channel: Channel) -> StrategiesClient<Channel> {
    StrategiesClient::new(channel).max_decoding_message_size(ANSWER_BYTES_MAX)
}

/// The findings of a refused strategy, as far as its status has them; with how many there were.
/// `None` when the status tells of something else.
#[must_use]
pub fn refused(status: &Status) -> Option<(v1::TrialReport, usize)> {
    let details = tonic_types::Status::decode(status.details()).ok()?;
    let mut details = details.details.into_iter();
    let detail = details.find(|detail| detail.type_url == TRIAL_REPORT_TYPE)?;
    let report = v1::TrialReport::decode(detail.value.as_slice()).ok()?;
    let info = status.get_details_error_info();
    let told = info.and_then(|info| info.metadata.get("faults")?.parse().ok());
    let count = told.unwrap_or(report.faults.len());
    Some((report, count))
}

/// All findings of a refused strategy: what the status had no room for is asked of the daemon,
/// which remembers the last trial of the team (`teams/A`). Where another one was held since, it
/// stays at what the status has.
pub async fn findings(
    client: &mut StrategiesClient<Channel>,
    team: &str,
    status: &Status,
) -> Option<v1::TrialReport> {
    let (report, _) = refused(status)?;
    let name = format!("{team}/strategy");
    let asked = client.get_strategy(v1::GetStrategyRequest { name }).await;
    let strategy = asked.ok().and_then(|answer| answer.into_inner().strategy);
    let last = strategy.and_then(|strategy| strategy.last_trial);
    let same = |last: &v1::TrialReport| !report.hash.is_empty() && last.hash == report.hash;
    Some(last.filter(same).unwrap_or(report))
}

/// The innermost cause: the outer ones only say "transport error".
fn reason(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.last().map_or_else(|| error.to_string(), ToString::to_string)
}
