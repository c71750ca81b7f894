//! Tries a login once: one connection, no team, no retry.

use crate::clock::{now, until};
use crate::pipe::Pipe;
use crate::session_driver::SessionDriver;
use crate::{Endpoint, EndpointError};
use bytes::BytesMut;
use phalanx_engine::SeatState;
use phalanx_game::{Game, Origin, Seat, Session};
use std::io;
use std::time::{Duration, Instant};

/// Time limits of the parts of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeOptions {
    /// Until the connection is open, name resolution included.
    pub connect_timeout: Duration,
    /// From there to the referee's answer to the login.
    pub login_timeout: Duration,
    /// How long an accepted login waits for a message with the referee's time.
    pub listen: Duration,
}

/// The result of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginProbe {
    /// How long the connection took, name resolution included.
    pub connected: Duration,
    /// From the open connection to the referee's answer to the login.
    pub answered: Duration,
    /// Why the login was refused; `None`: it was accepted.
    pub refused: Option<String>,
    /// The referee's clock, if the referee sent one.
    pub clock: Option<Origin>,
}

/// Why a login got no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// There is no connection.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The connection was lost before the answer.
    #[error("{endpoint}: {reason}")]
    Lost {
        /// Where.
        endpoint: String,
        /// How.
        reason: String,
    },
    /// The referee did not answer in time.
    #[error("{endpoint}: no answer to the login within {limit:?}")]
    Silent {
        /// Where.
        endpoint: String,
        /// The limit.
        limit: Duration,
    },
}

/// Logs a seat in and out again. If the referee asks for an action meanwhile, the session answers
/// with the fallback.
///
/// # Errors
/// When there is no connection, or no answer to the login. A refusal is an answer.
pub async fn probe_login<G: Game>(
    game: &G,
    seat: &Seat,
    endpoint: &Endpoint,
    options: ProbeOptions,
) -> Result<LoginProbe, ProbeError> {
    let begun = now();
    let session = game.session(seat);
    let agent = seat.agents.first().map_or("", |(_, name)| name);
    let pipe = endpoint.open(agent, &session.target(), options.connect_timeout).await?;
    let opened = now();
    let mut visit = ProbeConnection { pipe, driver: SessionDriver::<G>::new(seat.id, session) };
    visit.driver.connected(opened);
    let lost = |reason: io::Error| ProbeError::Lost {
        endpoint: endpoint.to_string(),
        reason: reason.to_string(),
    };
    let limit = options.login_timeout;
    if !visit.talk(opened + limit, ProbeConnection::is_decided).await.map_err(lost)? {
        return Err(ProbeError::Silent { endpoint: endpoint.to_string(), limit });
    }
    let answered = now() - opened;
    let refused = visit.refused();
    if refused.is_none() {
        // The login works even if the connection is lost from here on.
        drop(visit.talk(now() + options.listen, ProbeConnection::knows_time).await);
    }
    let clock = visit.driver.session.referee_clock();
    visit.leave().await;
    Ok(LoginProbe { connected: opened - begun, answered, refused, clock })
}

struct ProbeConnection<G: Game> {
    pipe: Pipe,
    driver: SessionDriver<G>,
}

impl<G: Game> ProbeConnection<G> {
    fn is_decided(&self) -> bool {
        matches!(self.driver.state(), SeatState::Seated) || self.driver.refused
    }

    fn knows_time(&self) -> bool {
        self.driver.session.referee_clock().is_some() || self.driver.over
    }

    fn refused(&self) -> Option<String> {
        let SeatState::Refused { reason } = self.driver.state() else { return None };
        Some(reason.clone())
    }

    /// Exchanges messages until `enough` holds or until `end`. Returns whether it holds.
    async fn talk(&mut self, end: Instant, enough: fn(&Self) -> bool) -> io::Result<bool> {
        let mut buffer = BytesMut::new();
        while !enough(self) {
            self.write().await?;
            let timer = self.driver.session.poll_timeout();
            tokio::select! {
                biased;
                () = until(Some(end)) => return Ok(enough(self)),
                () = until(timer) => self.driver.timeout(now()),
                read = self.pipe.reader.read(&mut buffer) => {
                    if read? == 0 {
                        return Err(io::Error::other("the referee closed the connection"));
                    }
                    self.driver.input(&buffer, now()).map_err(io::Error::other)?;
                    buffer.clear();
                }
            }
            // There is no team that could use them.
            self.driver.inputs.clear();
        }
        Ok(true)
    }

    async fn write(&mut self) -> io::Result<()> {
        while let Some(message) = self.driver.outbox.front() {
            self.pipe.writer.write_all(message).await?;
            self.driver.front_written();
        }
        self.pipe.writer.flush().await
    }

    async fn leave(mut self) {
        self.driver.shutdown(now());
        // Leave even if the referee does not read the goodbye.
        let goodbye = async {
            self.write().await?;
            self.pipe.writer.shutdown().await
        };
        drop(tokio::time::timeout(crate::options::LEAVE_MAX, goodbye).await);
    }
}
