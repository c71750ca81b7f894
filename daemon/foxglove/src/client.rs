//! The life of one client: what it says goes to the hub, what waits for it goes out.

use crate::door::{FoxgloveOptions, metadata};
use crate::hub::{AdmittedClient, Figures, Hub};
use crate::outbox::{Outbox, OutboxItem, Post};
use crate::wire::{self, NoticeLevel};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message};

/// Interval at which a client is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(15);
/// A client that sends nothing for this long, not even an answer to that, is gone.
const SILENCE_MAX: Duration = Duration::from_secs(60);
/// A client that reads nothing for this long is cut off.
const STUCK_MAX: Duration = Duration::from_secs(30);
/// Shortest time between two notices about lost messages.
const TELL_EVERY: Duration = Duration::from_secs(1);
/// Posts that are written before they are flushed, at most.
const BATCH_MAX: usize = 64;
/// What the text about lost messages is called: a newer one takes its place.
const LOST: &str = "lost";

type ClientSink = SplitSink<WebSocketStream<TcpStream>, Message>;
type Stream = SplitStream<WebSocketStream<TcpStream>>;

/// Serves it until it goes, or everything ends.
pub(crate) async fn serve(
    socket: WebSocketStream<TcpStream>,
    hub: &Hub,
    options: &FoxgloveOptions,
    guest: AdmittedClient,
) {
    let leaving = guest.leaving.clone();
    let outbox = Arc::new(Outbox::new(options.queue_bytes_max));
    let hello = wire::server_info(&options.name, &metadata(&options.name), &options.session);
    let number = hub.join(Arc::clone(&outbox), hello, guest);
    let (sink, stream) = socket.split();
    let writer = ClientWriter { sink, hub, reported: None, lost: 0 };
    tokio::select! {
        () = listen(stream, hub, number) => {}
        // Another client needs the place.
        () = leaving.cancelled() => {}
        // An error means that it is gone.
        _ = writer.run(&outbox) => {}
    }
    hub.leave(number);
}

/// Hears a client out until it goes.
async fn listen(mut stream: Stream, hub: &Hub, number: u64) {
    while let Ok(Some(Ok(message))) = timeout(SILENCE_MAX, stream.next()).await {
        match message {
            Message::Text(text) => hub.said(number, text.as_str()),
            Message::Binary(_) => hub.complain(number, "this server takes no messages of clients"),
            // The next reading sends the answer to a goodbye, then ends.
            Message::Close(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    }
}

/// Writes what waits for a client.
struct ClientWriter<'a> {
    sink: ClientSink,
    hub: &'a Hub,
    /// When the last notice about lost messages was sent.
    reported: Option<Instant>,
    /// All that it lost.
    lost: u64,
}

impl ClientWriter<'_> {
    async fn run(mut self, outbox: &Outbox) -> Result<(), Error> {
        let mut pings = interval(PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let over = self.empty(outbox).await?;
            if over {
                return self.goodbye().await;
            }
            tokio::select! {
                () = outbox.filled() => {}
                _ = pings.tick() => self.write(Message::Ping(Vec::new().into())).await?,
            }
        }
    }

    /// Writes all that waits; true when nothing more will come.
    async fn empty(&mut self, outbox: &Outbox) -> Result<bool, Error> {
        loop {
            self.tell_lost(outbox).await?;
            for _ in 0..BATCH_MAX {
                match outbox.next() {
                    OutboxItem::Post(post) => self.post(post).await?,
                    OutboxItem::Empty => {
                        self.flush().await?;
                        return Ok(false);
                    }
                    OutboxItem::Over => return Ok(true),
                }
            }
            self.flush().await?;
        }
    }

    async fn post(&mut self, post: Post) -> Result<(), Error> {
        match post {
            Post::Text(text) => self.write(Message::text(text)).await,
            Post::Data(subscription, message) => {
                let bytes = wire::message_data(subscription, message.log_time, &message.data);
                Figures::add(&self.hub.figures.messages, 1);
                Figures::add(&self.hub.figures.bytes, bytes.len() as u64);
                self.write(Message::Binary(bytes)).await
            }
        }
    }

    async fn tell_lost(&mut self, outbox: &Outbox) -> Result<(), Error> {
        if self.reported.is_some_and(|at| at.elapsed() < TELL_EVERY) {
            return Ok(());
        }
        let lost = outbox.take_lost();
        if lost == 0 {
            return Ok(());
        }
        self.lost += lost;
        self.reported = Some(Instant::now());
        let text = format!(
            "{lost} messages were left out since this client reads too slowly, {} in all: \
             subscribe to fewer channels",
            self.lost
        );
        self.write(Message::text(wire::status(NoticeLevel::Warning, &text, Some(LOST)))).await
    }

    async fn write(&mut self, message: Message) -> Result<(), Error> {
        in_time(self.sink.feed(message)).await
    }

    async fn flush(&mut self) -> Result<(), Error> {
        in_time(self.sink.flush()).await
    }

    async fn goodbye(mut self) -> Result<(), Error> {
        in_time(self.sink.close()).await
    }
}

/// Every write has a time limit.
async fn in_time(written: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    timeout(STUCK_MAX, written).await.unwrap_or(Err(Error::ConnectionClosed))
}
