//! A try to log in, to see whether it would work: one connection, no team, no second try.

use crate::clock::{now, until};
use crate::desk::Desk;
use crate::pipe::Pipe;
use crate::{Endpoint, EndpointError};
use bytes::BytesMut;
use phalanx_engine::SeatState;
use phalanx_game::{Game, Origin, Seat, Session};
use std::io;
use std::time::{Duration, Instant};

/// How long each part of a try may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnockOptions {
    /// Until the connection is open, name resolution included.
    pub connect_timeout: Duration,
    /// From there to the referee's word on the login.
    pub login_timeout: Duration,
    /// How long an accepted login waits for a message that tells the referee's time.
    pub listen: Duration,
}

/// What a try found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knock {
    /// How long the connection took, name resolution included.
    pub connected: Duration,
    /// From the open connection to the referee's word on the login.
    pub answered: Duration,
    /// Why the login was refused; `None`: it was accepted.
    pub refused: Option<String>,
    /// The referee's clock, where it told one.
    pub clock: Option<Origin>,
}

/// Why there is no word on a login.
#[derive(Debug, thiserror::Error)]
pub enum KnockError {
    /// There is no connection.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The connection was lost before.
    #[error("{endpoint}: {reason}")]
    Lost {
        /// Where.
        endpoint: String,
        /// How.
        reason: String,
    },
    /// The referee says nothing.
    #[error("{endpoint}: no word on the login within {limit:?}")]
    Silent {
        /// Where.
        endpoint: String,
        /// The limit.
        limit: Duration,
    },
}

/// Logs a seat in and leaves again, politely. What the referee asks meanwhile is answered with the
/// harmless action.
///
/// # Errors
/// When there is no connection, or no word on the login. That it is refused is a word.
pub async fn knock<G: Game>(
    game: &G,
    seat: &Seat,
    endpoint: &Endpoint,
    options: KnockOptions,
) -> Result<Knock, KnockError> {
    let begun = now();
    let session = game.session(seat);
    let agent = seat.agents.first().map_or("", |(_, name)| name);
    let pipe = endpoint.open(agent, &session.target(), options.connect_timeout).await?;
    let opened = now();
    let mut visit = Visit { pipe, desk: Desk::<G>::new(seat.id, session) };
    visit.desk.connected(opened);
    let lost = |reason: io::Error| KnockError::Lost {
        endpoint: endpoint.to_string(),
        reason: reason.to_string(),
    };
    let limit = options.login_timeout;
    if !visit.talk(opened + limit, Visit::is_decided).await.map_err(lost)? {
        return Err(KnockError::Silent { endpoint: endpoint.to_string(), limit });
    }
    let answered = now() - opened;
    let refused = visit.refused();
    if refused.is_none() {
        // What is lost from here on does not change that the login works.
        drop(visit.talk(now() + options.listen, Visit::knows_time).await);
    }
    let clock = visit.desk.session.referee_clock();
    visit.leave().await;
    Ok(Knock { connected: opened - begun, answered, refused, clock })
}

struct Visit<G: Game> {
    pipe: Pipe,
    desk: Desk<G>,
}

impl<G: Game> Visit<G> {
    fn is_decided(&self) -> bool {
        matches!(self.desk.state(), SeatState::Seated) || self.desk.refused
    }

    fn knows_time(&self) -> bool {
        self.desk.session.referee_clock().is_some() || self.desk.over
    }

    fn refused(&self) -> Option<String> {
        let SeatState::Refused { reason } = self.desk.state() else { return None };
        Some(reason.clone())
    }

    /// Speaks with the referee until it is enough, or until `end`: whether it was enough.
    async fn talk(&mut self, end: Instant, enough: fn(&Self) -> bool) -> io::Result<bool> {
        let mut buffer = BytesMut::new();
        while !enough(self) {
            self.write().await?;
            let timer = self.desk.session.poll_timeout();
            tokio::select! {
                biased;
                () = until(Some(end)) => return Ok(enough(self)),
                () = until(timer) => self.desk.timeout(now()),
                read = self.pipe.reader.read(&mut buffer) => {
                    if read? == 0 {
                        return Err(io::Error::other("the referee closed the connection"));
                    }
                    self.desk.input(&buffer, now()).map_err(io::Error::other)?;
                    buffer.clear();
                }
            }
            // Nobody decides here, so nobody has to hear.
            self.desk.inputs.clear();
        }
        Ok(true)
    }

    async fn write(&mut self) -> io::Result<()> {
        while let Some(message) = self.desk.outbox.front() {
            self.pipe.writer.write_all(message).await?;
            self.desk.front_written();
        }
        self.pipe.writer.flush().await
    }

    async fn leave(mut self) {
        self.desk.shutdown(now());
        // Whoever does not read our goodbye is left all the same.
        let goodbye = async {
            self.write().await?;
            self.pipe.writer.shutdown().await
        };
        drop(tokio::time::timeout(crate::options::LEAVE_MAX, goodbye).await);
    }
}
