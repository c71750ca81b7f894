//! The listener: who comes in, and who does not.

use crate::client;
use crate::hub::{AdmittedClient, Figures, FoxgloveStatus, Hub};
use crate::wire::subprotocol;
use phalanx_game::sorted::SortedMap;
use phalanx_record::{LiveFeed, RecordingInfo};
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::header::{ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode, Uri};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{debug, info, warn};

/// Most connections that are not clients yet; for a further one the oldest ends.
const HANDSHAKES_MAX: usize = 32;
/// Most such connections from one address.
const HANDSHAKES_PER_ADDRESS_MAX: usize = 16;
/// Longest time from a connection to the end of its handshake.
const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(5);
/// Longest message of a client; who sends more is disconnected.
const CLIENT_BYTES_MAX: usize = 1 << 20;
/// What each connection reads at once.
const READ_BYTES: usize = 8 << 10;
/// How long to wait before the next `accept` after one failed.
const REST: Duration = Duration::from_millis(100);
/// Longest origin that is logged, in characters.
const ORIGIN_CHARS_MAX: usize = 128;

/// Where and to whom it is shown.
#[derive(Clone, Debug)]
pub struct FoxgloveOptions {
    /// The address to listen on; port 0 takes any free port. There are no logins: any client that
    /// can connect sees everything.
    /// one.
    pub address: SocketAddr,
    /// Pages of these origins may look, beside those of this machine.
    pub origins: Vec<String>,
    /// Most clients.
    pub clients_max: usize,
    /// Most bytes of messages that wait for one of them.
    pub queue_bytes_max: usize,
    /// What we are called.
    pub name: String,
    /// What tells this life of the daemon from its others.
    pub session: String,
}

/// A socket for Foxglove. Clones share it.
#[derive(Clone, Debug)]
pub struct Foxglove {
    hub: Arc<Hub>,
    address: SocketAddr,
    tasks: TaskTracker,
    leaving: CancellationToken,
}

/// What a connection has to know.
#[derive(Debug)]
struct FoxgloveServer {
    hub: Arc<Hub>,
    options: FoxgloveOptions,
    places: Arc<Semaphore>,
}

impl Foxglove {
    /// Listens, and lets clients in from here on. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// When the address is taken or not ours.
    pub async fn open(options: FoxgloveOptions) -> io::Result<Self> {
        let listener = TcpListener::bind(options.address).await?;
        let address = listener.local_addr()?;
        let hub = Arc::new(Hub::default());
        let (tasks, leaving) = (TaskTracker::new(), CancellationToken::new());
        let places = Arc::new(Semaphore::new(options.clients_max));
        let door = Arc::new(FoxgloveServer { hub: Arc::clone(&hub), options, places });
        let accepting = accept(listener, door, tasks.clone());
        let until = leaving.clone();
        tokio::spawn(async move { until.run_until_cancelled(accepting).await });
        Ok(Self { hub, address, tasks, leaving })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Shows a team from here on: what it hands to the feed.
    ///
    /// # Errors
    /// When the machine gives no thread.
    pub fn begin(&self, info: RecordingInfo) -> io::Result<Arc<LiveFeed>> {
        self.hub.begin(info)
    }

    /// How it goes.
    #[must_use]
    pub fn status(&self) -> FoxgloveStatus {
        self.hub.status()
    }

    /// Stops accepting connections. Clients get the last messages of the teams and a close frame,
    /// within `patience`.
    pub async fn close(&self, patience: Duration) {
        self.leaving.cancel();
        // A team that does not end is shown up to here.
        tokio::time::timeout(patience / 2, self.hub.emptied()).await.ok();
        self.hub.close();
        self.tasks.close();
        // Who does not read is cut off with the runtime.
        tokio::time::timeout(patience / 2, self.tasks.wait()).await.ok();
    }
}

async fn accept(listener: TcpListener, door: Arc<FoxgloveServer>, tasks: TaskTracker) {
    let handshakes = Arc::new(Handshakes::default());
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(came) => came,
            Err(error) => {
                debug!(%error, "no connection");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        let (number, crowded) = handshakes.begin(peer.ip());
        if crowded {
            Figures::add(&door.hub.figures.too_many, 1);
        }
        let (door, handshakes) = (Arc::clone(&door), Arc::clone(&handshakes));
        tasks.spawn(async move { door.receive(stream, peer, &handshakes, number).await });
    }
}

/// The connections that are not clients yet.
#[derive(Debug, Default)]
struct Handshakes {
    begun: Mutex<OpenConnections>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    last: u64,
    /// By number: the oldest first.
    open: SortedMap<u64, (IpAddr, CancellationToken)>,
}

impl Handshakes {
    /// A handshake begins; its number, and whether an older one ends for it: one of the same
    /// address where that has its share, else the oldest of all.
    fn begin(&self, address: IpAddr) -> (u64, bool) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let mut own = begun.open.iter().filter(|(_, (from, _))| *from == address).map(|(n, _)| *n);
        let oldest = own.next();
        let full = own.count() + 1 >= HANDSHAKES_PER_ADDRESS_MAX;
        let victim = match oldest.filter(|_| full) {
            Some(oldest) => Some(oldest),
            None if begun.open.len() >= HANDSHAKES_MAX => begun.open.keys().next().copied(),
            None => None,
        };
        let victim = victim.and_then(|number| begun.open.remove(&number));
        let crowded = victim.map(|(_, ends)| ends.cancel()).is_some();
        begun.last += 1;
        let number = begun.last;
        begun.open.insert(number, (address, CancellationToken::new()));
        (number, crowded)
    }

    /// Waits until this handshake has to end.
    async fn ends(&self, number: u64) {
        let ends = {
            let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
            begun.open.get(&number).map(|(_, ends)| ends.clone())
        };
        // Without an entry it ended before it began.
        if let Some(ends) = ends {
            ends.cancelled().await;
        }
    }

    fn end(&self, number: u64) {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).open.remove(&number);
    }
}

/// Why somebody is not let in.
#[derive(Debug)]
enum AdmissionError {
    Foreign(String),
    Stranger,
    TooMany(usize),
}

impl AdmissionError {
    fn response(&self) -> ErrorResponse {
        let (status, text) = match self {
            Self::Foreign(_) => (
                StatusCode::FORBIDDEN,
                "pages of this origin may not look; foxglove.origins in the daemon's settings \
                 names those that may\n"
                    .to_owned(),
            ),
            Self::Stranger => (
                StatusCode::BAD_REQUEST,
                "this port speaks the WebSocket protocol of Foxglove, foxglove.sdk.v1 or \
                 foxglove.websocket.v1\n"
                    .to_owned(),
            ),
            Self::TooMany(most) => (
                StatusCode::SERVICE_UNAVAILABLE,
                format!(
                    "{most} clients are here already, as many as foxglove.clients_max allows\n"
                ),
            ),
        };
        let mut response = ErrorResponse::new(Some(text));
        *response.status_mut() = status;
        response
    }
}

impl FoxgloveServer {
    async fn receive(
        self: Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        handshakes: &Handshakes,
        number: u64,
    ) {
        let shaking = tokio::time::timeout(HANDSHAKE_TIME_MAX, self.shake_hands(stream, peer));
        let shaken = tokio::select! {
            shaken = shaking => shaken.ok().flatten(),
            () = handshakes.ends(number) => None,
        };
        handshakes.end(number);
        let Some((socket, place)) = shaken else { return };
        let guest = AdmittedClient { address: peer.ip(), place, leaving: CancellationToken::new() };
        info!(%peer, "a Foxglove client connected");
        client::serve(socket, &self.hub, &self.options, guest).await;
        info!(%peer, "a Foxglove client disconnected");
    }

    async fn shake_hands(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
    ) -> Option<(WebSocketStream<TcpStream>, OwnedSemaphorePermit)> {
        // Small messages are not held back; where that fails it only looks less smooth.
        stream.set_nodelay(true).ok();
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BYTES)
            .max_message_size(Some(CLIENT_BYTES_MAX))
            .max_frame_size(Some(CLIENT_BYTES_MAX));
        let mut seat = Err(AdmissionError::Stranger);
        #[expect(clippy::result_large_err, reason = "the library wants it so, once a connection")]
        let answer = |request: &Request, response: Response| {
            let answered = self.admit(request, peer.ip());
            let answer = match &answered {
                Ok((_, protocol)) => Ok(chosen(response, protocol)),
                Err(refusal) => Err(refusal.response()),
            };
            seat = answered.map(|(seat, _)| seat);
            answer
        };
        let socket = accept_hdr_async_with_config(stream, answer, Some(config)).await;
        match (socket, seat) {
            (Ok(socket), Ok(seat)) => Some((socket, seat)),
            (Err(error), Ok(_)) => {
                debug!(%peer, %error, "a Foxglove client left during its handshake");
                None
            }
            (_, Err(refusal)) => {
                self.note(peer, &refusal);
                None
            }
        }
    }

    fn note(&self, peer: SocketAddr, refusal: &AdmissionError) {
        let figures = &self.hub.figures;
        match refusal {
            AdmissionError::Foreign(origin) => {
                warn!(%peer, origin, "refused a page of a foreign origin; foxglove.origins lists the allowed ones");
                Figures::add(&figures.foreign, 1);
            }
            AdmissionError::Stranger => {
                debug!(%peer, "refused a client that does not speak the Foxglove protocol");
                Figures::add(&figures.strangers, 1);
            }
            AdmissionError::TooMany(most) => {
                warn!(%peer, most, "refused a Foxglove client: too many are connected");
                Figures::add(&figures.too_many, 1);
            }
        }
    }

    /// A place and the protocol that is spoken.
    fn admit(
        &self,
        request: &Request,
        address: IpAddr,
    ) -> Result<(OwnedSemaphorePermit, &'static str), AdmissionError> {
        let headers = request.headers();
        if let Some(origin) = headers.get(ORIGIN)
            && !is_welcome(origin, &self.options.origins)
        {
            let shown = String::from_utf8_lossy(origin.as_bytes());
            return Err(AdmissionError::Foreign(shown.chars().take(ORIGIN_CHARS_MAX).collect()));
        }
        let offers = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter();
        let protocol = subprotocol(offers.filter_map(|offer| offer.to_str().ok()));
        let protocol = protocol.ok_or(AdmissionError::Stranger)?;
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.ok().or_else(|| {
            let place = self.hub.crowd_out(address)?;
            Figures::add(&self.hub.figures.too_many, 1);
            Some(place)
        });
        let place = place.ok_or(AdmissionError::TooMany(self.options.clients_max))?;
        Ok((place, protocol))
    }
}

fn chosen(mut response: Response, protocol: &'static str) -> Response {
    response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(protocol));
    response
}

/// Browsers send the origin of the calling page. Pages of this machine and of the configured
/// origins are allowed; a client without an origin is not a page.
fn is_welcome(origin: &HeaderValue, named: &[String]) -> bool {
    let Ok(origin) = origin.to_str() else { return false };
    named.iter().any(|known| known == origin) || is_of_this_machine(origin)
}

fn is_of_this_machine(origin: &str) -> bool {
    let Ok(uri) = origin.parse::<Uri>() else { return false };
    let web = matches!(uri.scheme_str(), Some("http" | "https"));
    let host = uri.host().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let loopback = bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    web && (host == "localhost" || loopback)
}

/// The metadata for clients besides our name.
pub(crate) fn metadata(name: &str) -> BTreeMap<String, String> {
    [("program".to_owned(), name.to_owned())].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_this_machine_and_named_ones_look_and_no_others() {
        let named = ["https://app.foxglove.dev".to_owned()];
        let welcome = |origin: &'static str| is_welcome(&HeaderValue::from_static(origin), &named);
        for origin in [
            "http://localhost:8080",
            "https://localhost",
            "http://127.0.0.1:3000",
            "http://127.8.0.1",
            "http://[::1]:3000",
            "https://app.foxglove.dev",
        ] {
            assert!(welcome(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "https://app.foxglove.dev.evil.example",
            "http://app.foxglove.dev",
            "http://localhost.evil.example",
            "http://evil.example:8765",
            "http://10.0.0.1",
            "file://localhost",
            "localhost",
            "http://evil.example@127.0.0.1.evil.example",
        ] {
            assert!(!welcome(origin), "{origin}");
        }
        assert!(!is_welcome(&HeaderValue::from_bytes(b"http://\xff").unwrap(), &named));
    }
}
