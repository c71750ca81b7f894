//! A referee that the test plays: it sends and receives lines on accepted connections.

use crate::toy::{Toy, squad};
use phalanx_engine::{Input, SeatState};
use phalanx_game::{AgentId, Event, Turn};
use phalanx_net::{
    Act, AnswerMeter, Endpoint, Link, Mailbox, MemoryListener, SeatLink, SeatOptions, memory,
    open_seat,
};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines};
use tokio_util::sync::CancellationToken;

pub(crate) struct Client {
    lines: Lines<BufReader<Box<dyn AsyncRead + Send + Unpin>>>,
    pub(crate) writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Client {
    pub(crate) fn new(link: Link) -> Self {
        Self { lines: BufReader::new(link.reader).lines(), writer: link.writer }
    }

    pub(crate) async fn says(&mut self, expected: &str) {
        assert_eq!(self.hear().await.as_deref(), Some(expected));
    }

    /// The next line; `None` once the other side closed.
    pub(crate) async fn hear(&mut self) -> Option<String> {
        self.lines.next_line().await.unwrap_or(None)
    }

    pub(crate) async fn say(&mut self, text: &str) {
        self.writer.write_all(format!("{text}\n").as_bytes()).await.unwrap();
    }

    /// Logs the seat in and starts a round.
    pub(crate) async fn welcome(&mut self) {
        self.says("hello red0").await;
        self.say("welcome\nstart").await;
    }
}

/// One seat between a referee and a team that the test plays.
pub(crate) struct Bench {
    pub(crate) listener: MemoryListener,
    pub(crate) inbox: Mailbox<Toy>,
    pub(crate) link: SeatLink<Toy>,
    pub(crate) leave: CancellationToken,
    pub(crate) meter: Arc<AnswerMeter>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(SeatOptions::default())
    }

    pub(crate) fn with(options: SeatOptions) -> Self {
        let (dialer, listener) = memory();
        Self::open(Endpoint::Memory(dialer), listener, options)
    }

    /// A seat whose referee listens elsewhere.
    pub(crate) fn at(endpoint: Endpoint, options: SeatOptions) -> Self {
        Self::open(endpoint, memory().1, options)
    }

    fn open(endpoint: Endpoint, listener: MemoryListener, options: SeatOptions) -> Self {
        let inbox = Mailbox::default();
        let (leave, meter) = (CancellationToken::new(), Arc::new(AnswerMeter::default()));
        let seat = squad("red", 1).1.remove(0);
        let (timed, token) = (Arc::clone(&meter), leave.clone());
        let link = open_seat(Toy, seat, endpoint, options, inbox.clone(), timed, token);
        Self { listener, inbox, link, leave, meter }
    }

    pub(crate) async fn accept(&mut self) -> Client {
        Client::new(self.listener.accept().await.unwrap())
    }

    /// The next event, without seat states.
    pub(crate) async fn event(&mut self) -> Event<(), u32> {
        loop {
            if let Input::Event { event, .. } = self.inbox.recv().await.unwrap() {
                return event;
            }
        }
    }

    /// Waits for the next request and returns its step.
    pub(crate) async fn asked(&mut self) -> u32 {
        loop {
            if let Event::Asked { turn, .. } = self.event().await {
                return turn.step;
            }
        }
    }

    /// Waits until the seat reports this state.
    pub(crate) async fn state(&mut self, wanted: fn(&SeatState) -> bool) -> SeatState {
        loop {
            if let Input::Seat { state, .. } = self.inbox.recv().await.unwrap()
                && wanted(&state)
            {
                return state;
            }
        }
    }

    pub(crate) async fn act(&self, step: u32, action: &str) {
        let (turn, agent, action) = (Turn::new(0, step), AgentId(0), action.to_owned());
        self.link.actions.send(Act { turn, agent, action }).await.unwrap();
    }
}
