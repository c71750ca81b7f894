//! Connects to a daemon, for the command line and tests.

mod figures;
mod plain;

use crate::convert::board;
use crate::error::TRIAL_REPORT_TYPE;
use hyper_util::rt::TokioIo;
use phalanx_proto::v1;
use phalanx_proto::v1::strategies_client::StrategiesClient;
use prost::Message;
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity, Uri};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

pub use figures::figures;
use plain::Greeting;

/// How long a connection attempt may take.
const CONNECT_MAX: Duration = Duration::from_secs(3);
/// How long a daemon without TLS may take to greet.
const GREETING_MAX: Duration = Duration::from_secs(1);
/// Largest answer, in bytes: a strategy with all its files fits.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// The address of a daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket.
    Unix(PathBuf),
    /// `http://host:port`.
    Http(String),
    /// `https://host:port`.
    Https(String),
}

/// `unix:/path`, a plain path, `https://host:port`, `http://host:port` or `host:port`.
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
        let (scheme, host) = text.split_once("://").unwrap_or(("http", text));
        let host = host.trim_end_matches('/');
        let port = host.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        let uri = format!("{scheme}://{host}");
        match scheme {
            "http" | "https" if port.is_none() || uri.parse::<Uri>().is_err() => Err(malformed()),
            "http" => Ok(Self::Http(uri)),
            "https" => Ok(Self::Https(uri)),
            _ => Err(malformed()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Http(uri) | Self::Https(uri) => f.write_str(uri),
        }
    }
}

/// Why there is no connection to a daemon.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address is malformed.
    #[error(
        "{got:?} is no address; expected unix:/path, https://host:port, http://host:port or host:port"
    )]
    Malformed {
        /// The given text.
        got: String,
    },
    /// The address does not answer.
    #[error("no daemon answers at {address}: {reason}; is phalanxd running?")]
    Unreachable {
        /// The address.
        address: Address,
        /// The system's reason.
        reason: String,
    },
    /// The daemon speaks TLS.
    #[error(
        "the daemon at {address} needs TLS: use https:// instead of http://, and --ca FILE for \
         its certificate authority"
    )]
    NeedsTls {
        /// The address.
        address: Address,
    },
    /// A daemon may listen there, but the permissions keep us out.
    #[error("{} may not be opened: permission denied{owner}", .path.display())]
    Denied {
        /// The path.
        path: PathBuf,
        /// The owner and a hint, if they are known.
        owner: String,
    },
    /// A token, a certificate or a key is wrong.
    #[error("cannot use these credentials: {reason}")]
    Credentials {
        /// The problem.
        reason: String,
    },
    /// None of several places has a daemon.
    #[error("no daemon found; looked for {}", list(.tried))]
    NotFound {
        /// The places.
        tried: Vec<PathBuf>,
    },
}

fn list(paths: &[PathBuf]) -> String {
    let shown: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    shown.join(", ")
}

/// The credentials of a caller.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    /// The token, for connections over the network.
    token: Option<MetadataValue<Ascii>>,
    /// The authority of the daemon's certificate, in PEM; without it the system's authorities.
    authority: Option<Vec<u8>>,
    /// The client's certificate and its key, in PEM.
    identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl Credentials {
    /// Sends a token with each call.
    ///
    /// # Errors
    /// When the text is not a valid token.
    pub fn with_token(self, text: &SecretString) -> Result<Self, ClientError> {
        let header = format!("Bearer {}", text.expose_secret().trim());
        let mut token: MetadataValue<Ascii> =
            header.parse().map_err(|_| ClientError::Credentials {
                reason: "the token has characters that no token has".to_owned(),
            })?;
        token.set_sensitive(true);
        Ok(Self { token: Some(token), ..self })
    }

    /// Trusts only certificates of this authority.
    #[must_use]
    pub fn with_authority(self, pem: Vec<u8>) -> Self {
        Self { authority: Some(pem), ..self }
    }

    /// Uses a client certificate.
    #[must_use]
    pub fn with_identity(self, certificate: Vec<u8>, key: Vec<u8>) -> Self {
        Self { identity: Some((certificate, key)), ..self }
    }

    fn tls(&self) -> ClientTlsConfig {
        let mut tls = ClientTlsConfig::new();
        tls = match &self.authority {
            Some(pem) => tls.ca_certificate(Certificate::from_pem(pem)),
            None => tls.with_native_roots(),
        };
        match &self.identity {
            Some((certificate, key)) => tls.identity(Identity::from_pem(certificate, key)),
            None => tls,
        }
    }
}

impl Interceptor for Credentials {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.token {
            request.metadata_mut().insert("authorization", token.clone());
        }
        Ok(request)
    }
}

/// A connection to a daemon that sends credentials with each call.
pub type Link = InterceptedService<Channel, Credentials>;

/// Connects; the link reconnects by itself later on.
///
/// # Errors
/// When no daemon answers there, or its certificate is not trusted.
pub async fn connect_as(address: &Address, credentials: Credentials) -> Result<Link, ClientError> {
    let channel = match address {
        Address::Https(uri) => {
            let endpoint = Endpoint::from_shared(uri.clone());
            let endpoint = endpoint.map_err(|_| ClientError::Malformed { got: uri.clone() })?;
            let endpoint = endpoint.tls_config(credentials.tls());
            let endpoint =
                endpoint.map_err(|error| ClientError::Credentials { reason: cause(&error) })?;
            let connected = endpoint.connect_timeout(CONNECT_MAX).connect().await;
            connected.map_err(|error| ClientError::Unreachable {
                address: address.clone(),
                reason: over_tls(cause(&error)),
            })?
        }
        Address::Unix(_) | Address::Http(_) => dial(address).await?,
    };
    Ok(InterceptedService::new(channel, credentials))
}

/// Connects without credentials; the link reconnects by itself later on.
///
/// # Errors
/// When no daemon answers there.
pub async fn connect(address: &Address) -> Result<Link, ClientError> {
    connect_as(address, Credentials::default()).await
}

/// A connection to a server in this process, by [`Control::over`](crate::Control::over). It begins
/// with the first call, and is not made anew.
#[must_use]
pub fn over(stream: DuplexStream) -> Link {
    let mut stream = Some(stream);
    let connector = tower::service_fn(move |_: Uri| {
        let gone = || std::io::Error::from(std::io::ErrorKind::NotConnected);
        std::future::ready(stream.take().map(TokioIo::new).ok_or_else(gone))
    });
    let endpoint = Endpoint::from_static("http://127.0.0.1");
    InterceptedService::new(endpoint.connect_with_connector_lazy(connector), Credentials::default())
}

async fn dial(address: &Address) -> Result<Channel, ClientError> {
    let unreachable =
        |reason: String| ClientError::Unreachable { address: address.clone(), reason };
    match address {
        Address::Http(uri) | Address::Https(uri) => {
            let endpoint = Endpoint::from_shared(uri.clone());
            let endpoint = endpoint.map_err(|_| ClientError::Malformed { got: uri.clone() })?;
            let endpoint = endpoint.connect_timeout(CONNECT_MAX);
            let (sender, mut greetings) = mpsc::channel(1);
            let connector = tower::service_fn(move |uri| plain::open(uri, sender.clone()));
            let connected = endpoint.connect_with_connector(connector).await;
            let channel = connected.map_err(|error| unreachable(cause(&error)))?;
            // A daemon that says nothing gets its calls nevertheless.
            match tokio::time::timeout(GREETING_MAX, greetings.recv()).await {
                Ok(Some(Greeting::NeedsTls)) => {
                    Err(ClientError::NeedsTls { address: address.clone() })
                }
                _ => Ok(channel),
            }
        }
        Address::Unix(file) => {
            let path = file.clone();
            // The host only fills the `:authority` header.
            let endpoint = Endpoint::from_static("http://localhost").connect_timeout(CONNECT_MAX);
            let connector = tower::service_fn(move |_: Uri| {
                let path = path.clone();
                async move { UnixStream::connect(path).await.map(TokioIo::new) }
            });
            let connected = endpoint.connect_with_connector(connector).await;
            connected.map_err(|error| {
                let denied = io_error(&error)
                    .is_some_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied);
                if denied { closed_to_us(file) } else { unreachable(cause(&error)) }
            })
        }
    }
}

fn closed_to_us(path: &Path) -> ClientError {
    let owner = std::fs::metadata(path).map_or_else(
        |_| "; a folder above it may not be entered".to_owned(),
        |about| owner(about.mode(), about.gid(), crate::socket::group_name(about.gid())),
    );
    ClientError::Denied { path: path.to_owned(), owner }
}

fn owner(mode: u32, id: u32, name: Option<String>) -> String {
    let group = name.unwrap_or_else(|| id.to_string());
    let advice = if mode & 0o060 == 0o060 {
        format!("join that group (usermod -aG {group} YOU, then log in again)")
    } else {
        "`control.socket_mode` in the daemon's settings opens it to its group".to_owned()
    };
    format!(" (mode {:04o}, group {group}); {advice}", mode & 0o7777)
}

/// Connects to the first of these sockets at which a daemon answers.
///
/// # Errors
/// When none answers. A socket without permission is reported rather than a missing one.
pub async fn connect_first(sockets: &[PathBuf]) -> Result<(Address, Link), ClientError> {
    let mut denied = None;
    for path in sockets {
        let address = Address::Unix(path.clone());
        match connect(&address).await {
            Ok(channel) => return Ok((address, channel)),
            Err(error @ ClientError::Denied { .. }) => denied = denied.or(Some(error)),
            // Another place may have a daemon.
            Err(_) => {}
        }
    }
    Err(denied.unwrap_or_else(|| ClientError::NotFound { tried: sockets.to_vec() }))
}

/// Whether the connection failed, rather than the call at the daemon.
#[must_use]
pub fn is_gone(status: &Status) -> bool {
    // A status from the daemon has no source error.
    status.source().is_some()
}

/// A refusal as one line for people: the message and the server's reason.
#[must_use]
pub fn explain(status: &Status) -> String {
    if is_gone(status) {
        return "the daemon has gone: the connection to it broke".into();
    }
    match status.get_details_error_info() {
        Some(info) => format!("{} ({})", status.message(), info.reason),
        None if status.message().is_empty() && status.code() == Code::Unimplemented => {
            "this is not offered here: a demo has no settings, log filter or referees; an older \
             daemon may lack it"
                .to_owned()
        }
        None if status.message().is_empty() => status.code().to_string(),
        None => format!("{} ({})", status.message(), status.code()),
    }
}

/// The daemon's machine-readable reason with its metadata; `None` if there is none.
#[must_use]
pub fn reason(status: &Status) -> Option<(String, HashMap<String, String>)> {
    let info = status.get_details_error_info()?;
    Some((info.reason, info.metadata))
}

/// The resource name of a key on a team's board.
#[must_use]
pub fn entry_name(team: &str, key: &str) -> String {
    board::name(team, key)
}

/// A client of `Strategies` that accepts answers with all files of a strategy.
#[must_use]
pub fn strategies(link: Link) -> StrategiesClient<Link> {
    StrategiesClient::new(link).max_decoding_message_size(ANSWER_BYTES_MAX)
}

/// The findings of a refused strategy in a status, and their total number. `None` if the status is
/// something else.
#[must_use]
pub fn refused(status: &Status) -> Option<(v1::TrialReport, usize)> {
    let details = tonic_types::Status::decode(status.details()).ok()?;
    let mut details = details.details.into_iter();
    let detail = details.find(|detail| detail.type_url == TRIAL_REPORT_TYPE)?;
    let report = v1::TrialReport::decode(detail.value.as_slice()).ok()?;
    let info = status.get_details_error_info();
    let counted = info.and_then(|info| info.metadata.get("faults")?.parse().ok());
    let count = counted.unwrap_or(report.faults.len());
    Some((report, count))
}

/// All findings of a refused strategy. If the status has only some of them, it asks the daemon,
/// which keeps the last trial of the team (`teams/A`). If there was another trial since, it returns
/// the findings in the status.
pub async fn findings(
    client: &mut StrategiesClient<Link>,
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

/// Why TLS failed, with what helps.
fn over_tls(reason: String) -> String {
    let helps = [
        ("InvalidContentType", "there is no TLS: use http:// instead of https://"),
        ("UnknownIssuer", "name its certificate authority with --ca FILE"),
        // Another authority of the same name.
        ("BadSignature", "name its certificate authority with --ca FILE"),
        (
            "CaUsedAsEndEntity",
            "its certificate is an authority; `phalanx tls create` makes one for a server",
        ),
        (
            "NotValidForName",
            "its certificate names other hosts; `phalanx tls create` takes several",
        ),
    ];
    match helps.iter().find(|(part, _)| reason.contains(part)) {
        Some((_, help)) => format!("{reason} ({help})"),
        None => reason,
    }
}

fn io_error(error: &dyn Error) -> Option<&std::io::Error> {
    let mut causes = std::iter::successors(error.source(), |&error| error.source());
    causes.find_map(|cause| cause.downcast_ref())
}

/// The innermost error: the outer ones only say "transport error".
fn cause(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |&error| error.source());
    causes.last().map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_of_another_group_tells_what_helps() {
        let advice = owner(0o140_660, 993, Some("phalanx".into()));
        assert!(advice.starts_with(" (mode 0660, group phalanx); join that group"), "{advice}");
        let advice = owner(0o140_600, 993, None);
        assert!(
            advice.contains("(mode 0600, group 993)") && advice.contains("socket_mode"),
            "{advice}"
        );
    }

    #[test]
    fn a_broken_connection_is_told_as_such_and_a_refusal_in_its_own_words() {
        let broken = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        let status = Status::from_error(Box::new(broken));
        assert!(explain(&status).starts_with("the daemon has gone"), "{}", explain(&status));
        let refused = Status::not_found("no such team");
        assert!(explain(&refused).starts_with("no such team"), "{}", explain(&refused));
    }
}
