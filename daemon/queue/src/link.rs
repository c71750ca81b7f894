//! The connection to a server.

use crate::QueueError;
use crate::error::in_words;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the first connection may take.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Answers that wait to be read, for each subscription: more than matches in flight.
const SUBSCRIPTION_MAX: usize = 16_384;
/// Pause between two attempts to reach a server that went away.
const RECONNECT: Duration = Duration::from_millis(500);

/// A server with credentials.
#[derive(Clone, Debug)]
pub struct QueueAddress {
    /// `nats://host:4222`, or `tls://host:4222`.
    pub url: String,
    /// A user with the file that holds the password.
    pub user: Option<(String, PathBuf)>,
    /// Certificate authority of the server's certificate, in PEM.
    pub ca: Option<PathBuf>,
    /// Client certificate and its key, in PEM.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

impl QueueAddress {
    /// The address without a password.
    #[must_use]
    pub fn shown(&self) -> String {
        shown(&self.url)
    }
}

/// Says a line to the person who watches.
pub(crate) type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// Connects; answers arrive on subjects below `inbox`, so that a server can allow workers to read
/// those of workers only.
pub(crate) async fn connect(
    address: &QueueAddress,
    name: &str,
    inbox: &str,
    say: &Say,
) -> Result<Client, QueueError> {
    let url = shown(&address.url);
    let events = ServerEvents::new(&url, say);
    let mut options = ConnectOptions::new()
        .name(name)
        .custom_inbox_prefix(inbox)
        .subscription_capacity(SUBSCRIPTION_MAX)
        .reconnect_delay_callback(|_| RECONNECT)
        .event_callback(move |event| {
            events.report(&event);
            std::future::ready(())
        });
    if let Some((user, file)) = &address.user {
        options = options.user_and_password(user.clone(), password(file).await?);
    }
    if let Some(ca) = &address.ca {
        options = options.add_root_certificates(ca.clone()).require_tls(true);
    }
    if let Some((certificate, key)) = &address.certificate {
        options = options.add_client_certificate(certificate.clone(), key.clone());
        options = options.require_tls(true);
    }
    match tokio::time::timeout(CONNECT_MAX, options.connect(&address.url)).await {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(error)) => Err(QueueError::Connect(refused(&url, error.kind(), &error))),
        Err(_) => Err(QueueError::Connect(format!(
            "{url}: no answer within {} s; is a nats-server there?",
            CONNECT_MAX.as_secs()
        ))),
    }
}

async fn password(file: &std::path::Path) -> Result<String, QueueError> {
    let read = tokio::fs::read_to_string(file).await;
    let text = read.map_err(|error| {
        QueueError::Connect(format!("cannot read the password in {}: {error}", file.display()))
    })?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

fn refused(url: &str, kind: ConnectErrorKind, why: &async_nats::ConnectError) -> String {
    match kind {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => format!(
            "{url} refuses these credentials; check the user, the password file and the \
             certificate against the server's settings"
        ),
        ConnectErrorKind::Tls => {
            format!(
                "{url}: no TLS connection: {}; check the certificate authority (nats_ca) and the certificate",
                why
            )
        }
        ConnectErrorKind::ServerParse => {
            format!("{url}: {why}; expected an address such as nats://host:4222")
        }
        ConnectErrorKind::Io | ConnectErrorKind::Dns | ConnectErrorKind::TimedOut => {
            format!("{url}: no nats-server answers: {}; start one, or check the address", why)
        }
        ConnectErrorKind::MaxReconnects => format!("{url}: {}", in_words(why)),
    }
}

/// Says what happens to a connection.
struct ServerEvents {
    url: String,
    lost: AtomicBool,
    said: Mutex<String>,
    say: Say,
}

impl ServerEvents {
    fn new(url: &str, say: &Say) -> Self {
        let (lost, said) = (AtomicBool::new(false), Mutex::default());
        Self { url: url.to_owned(), lost, said, say: Arc::clone(say) }
    }

    fn report(&self, event: &Event) {
        let Self { url, lost, say, .. } = self;
        match event {
            Event::Disconnected => {
                // The client tries again and again; once is enough.
                if !lost.swap(true, Ordering::Relaxed) {
                    say(&format!("lost the server at {url}; waiting for it"));
                }
            }
            Event::Connected => {
                if lost.swap(false, Ordering::Relaxed) {
                    say(&format!("the server at {url} is back"));
                }
            }
            Event::ServerError(error) => self.trouble(&error.to_string()),
            Event::ClientError(error) => self.trouble(&error.to_string()),
            Event::SlowConsumer(_) => self.trouble("messages come faster than they are read"),
            Event::LameDuckMode | Event::Draining | Event::Closed => {}
        }
    }
}

impl ServerEvents {
    /// Says an error, once until another one comes: a request that is refused is made again.
    fn trouble(&self, text: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if *said != text {
            text.clone_into(&mut said);
            (self.say)(&format!("{}: {text}", self.url));
        }
    }
}

/// The address without a password.
fn shown(url: &str) -> String {
    match url.rsplit_once('@') {
        Some((secret, host)) => {
            let scheme = secret.split_once("://").map_or("", |(scheme, _)| scheme);
            if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_again_and_again_is_said_once() {
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let lines = Arc::clone(&said);
        let say: Say = Arc::new(move |line: &str| lines.lock().unwrap().push(line.to_owned()));
        let events = ServerEvents::new("nats://host", &say);
        let happened = [Event::SlowConsumer(1), Event::SlowConsumer(2), Event::Disconnected];
        for event in happened.iter().chain(&[Event::Disconnected, Event::Connected]) {
            events.report(event);
        }
        assert_eq!(
            *said.lock().unwrap(),
            [
                "nats://host: messages come faster than they are read",
                "lost the server at nats://host; waiting for it",
                "the server at nats://host is back",
            ]
        );
    }

    #[test]
    fn a_password_in_an_address_is_not_shown() {
        assert_eq!(shown("nats://me:secret@host:4222"), "nats://host:4222");
        assert_eq!(shown("me:secret@host"), "host");
        assert_eq!(shown("nats://host:4222"), "nats://host:4222");
    }
}
