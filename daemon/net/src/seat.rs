//! One seat: a task with one `select!` that connects, reads, writes, keeps the session's timer and
//! reconnects for ever. It awaits nothing without the timer among the arms.
//!
//! ```text
//!            ┌─────────── failed, lost, refused ──────────┐
//!            ▼                                            │
//!  Waiting ──► Dialing ──► Open (login ► seated) ─────────┘
//!     ├───────────┴──────────┴── match over or leave ──► Closed
//!     └◄── started ── Stopped ◄── stopped, from any of them
//! ```
//!
//! A seat that waits for its referee does not dial: each match is a connection that comes to it,
//! and only a leave closes the seat.

mod handing;
mod line;

use crate::backoff::Backoff;
use crate::clock::{now, until};
use crate::handed::HandedSeat;
use crate::mailbox::Mailbox;
use crate::options::{ACTIONS_MAX, LEAVE_MAX, READ_BYTES_MAX, SEATED_STABLE, TIMER_REST};
use crate::pipe::Pipe;
use crate::seat_target::SeatTarget;
use crate::session_driver::SessionDriver;
use crate::tape::SeatTape;
use crate::{AnswerMeter, Endpoint, EndpointError, Recorder, SeatAct, SeatOptions};
use bytes::BytesMut;
use futures_util::FutureExt;
use line::{Line, Open, Tail, dial_done, read, write};
use phalanx_engine::SeatState;
use phalanx_game::{AgentId, Game, Seat, SeatId, Session, Turn};
use secrecy::{ExposeSecret, SecretString};
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// An action on its way from the team to a seat.
#[derive(Debug)]
pub struct Act<G: Game> {
    /// The turn in the session's count.
    pub turn: Turn,
    /// The agent.
    pub agent: AgentId,
    /// The action.
    pub action: G::Action,
}

/// The state of a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatStatus {
    /// Its connection.
    pub state: SeatState,
    /// Connections opened so far; all but the first are reconnects.
    pub connections: u64,
    /// The smoothed round trip to the referee, once measured.
    pub round_trip: Option<Duration>,
}

/// A running seat, as its team sees it.
#[derive(Debug)]
pub struct SeatLink<G: Game> {
    /// Takes the team's decisions.
    pub actions: mpsc::Sender<Act<G>>,
    /// The state of the seat.
    pub status: watch::Receiver<SeatStatus>,
    /// Ends when the match is over for the seat, or after `leave`.
    pub task: tokio::task::JoinHandle<()>,
}

/// Starts a seat on the current tokio runtime. Its events go to `inbox`, which never makes it wait.
/// Cancelling `leave` makes it log out, flush and end.
pub fn open_seat<G: Game>(
    game: G,
    seat: Seat,
    endpoint: Endpoint,
    options: SeatOptions,
    inbox: Mailbox<G>,
    meter: Arc<AnswerMeter>,
    leave: CancellationToken,
) -> SeatLink<G> {
    // This target never changes.
    let target = SeatTarget { endpoint, stopped: false, connections: None };
    let target = watch::Sender::new(target).subscribe();
    let password = watch::Sender::default().subscribe();
    let links = SeatChannels { target, password, inbox, leave, handed: None };
    seat_on_target(game, seat, options, links, (meter, None))
}

/// The channels between a seat and its team.
pub(crate) struct SeatChannels<G: Game> {
    pub(crate) target: watch::Receiver<SeatTarget>,
    /// A new password of its account.
    pub(crate) password: watch::Receiver<SecretString>,
    pub(crate) inbox: Mailbox<G>,
    pub(crate) leave: CancellationToken,
    /// A connection from another process.
    pub(crate) handed: Option<HandedSeat>,
}

/// As [`open_seat`], for a seat whose target may change.
pub(crate) fn seat_on_target<G: Game>(
    game: G,
    seat: Seat,
    options: SeatOptions,
    links: SeatChannels<G>,
    (meter, recorder): (Arc<AnswerMeter>, Option<Arc<dyn Recorder>>),
) -> SeatLink<G> {
    let SeatChannels { mut target, password, inbox, leave, handed } = links;
    if target.borrow().stopped {
        // The seat has to read it before it dials.
        target.mark_changed();
    }
    let (actions, queue) = mpsc::channel(ACTIONS_MAX);
    let (sender, status) = watch::channel(SeatStatus::default());
    // Seats of two teams with one seed must not dial at the same times either.
    let seed = seat.user.bytes().fold(options.seed ^ u64::from(seat.id.0), |seed, byte| {
        (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut driver = SessionDriver::new(seat.id, game.session(&seat));
    driver.stays = is_awaited(&target);
    driver.tape = recorder.map(|recorder| SeatTape::open(recorder, &seat, now()));
    let task = SeatTask {
        driver,
        game,
        seat,
        target,
        password,
        has_newer_password: false,
        options,
        inbox,
        team_gone: false,
        actions: queue,
        leave,
        leaving: None,
        parting: None,
        giving: false,
        handed,
        backoff: Backoff::new(options.backoff, seed),
        line: Line::Waiting { until: now() },
        timer_rest: None,
        status: sender,
        meter,
        buffer: BytesMut::with_capacity(READ_BYTES_MAX),
    };
    let span = tracing::info_span!("seat", seat = seat_name(&task.seat));
    // Boxed, as all tasks that exist for each game: the runtime's code for them is compiled once.
    SeatLink { actions, status, task: tokio::spawn(task.run().instrument(span).boxed()) }
}

struct SeatTask<G: Game> {
    driver: SessionDriver<G>,
    game: G,
    seat: Seat,
    target: watch::Receiver<SeatTarget>,
    password: watch::Receiver<SecretString>,
    /// A new password came while a login with the old one was under way.
    has_newer_password: bool,
    options: SeatOptions,
    inbox: Mailbox<G>,
    team_gone: bool,
    actions: mpsc::Receiver<Act<G>>,
    leave: CancellationToken,
    /// Set while the seat leaves: when it closes the connection without further waiting.
    leaving: Option<Instant>,
    /// Set while the seat hangs up because the team stops or moves: when it closes without further
    /// waiting.
    parting: Option<Instant>,
    /// Set while the seat leaves and hands its connection to another process.
    giving: bool,
    /// The first connection, from another process.
    handed: Option<HandedSeat>,
    backoff: Backoff,
    line: Line,
    timer_rest: Option<Instant>,
    status: watch::Sender<SeatStatus>,
    meter: Arc<AnswerMeter>,
    buffer: BytesMut,
}

/// Everything that makes a seat act.
enum Wake<G: Game> {
    Timer,
    Leave,
    Target,
    Password,
    Dialed(Result<Pipe, EndpointError>),
    Written(io::Result<usize>),
    Action(Act<G>),
    Read(io::Result<usize>),
}

impl<G: Game> SeatTask<G> {
    async fn run(mut self) {
        // A session that panics loses its connection, but never ends the seat.
        while let Err(panic) = AssertUnwindSafe(self.play()).catch_unwind().await {
            let reason = format!("the session panicked: {}", panic_text(&*panic));
            tracing::error!(reason, "seat restarts");
            self.driver.replace(self.game.session(&self.seat), now());
            self.retry(&reason);
            self.deliver();
        }
        self.publish();
    }

    async fn play(&mut self) {
        if let Some(handed) = self.handed.take() {
            self.adopt(handed);
            self.settle();
        }
        while !self.finished() {
            match self.wake().await {
                Wake::Timer => self.timer(),
                Wake::Leave => self.start_leaving(),
                Wake::Target => self.follow_target(),
                Wake::Password => self.take_password(),
                Wake::Dialed(Ok(pipe)) => self.dialed(pipe),
                Wake::Dialed(Err(error)) => self.retry(&error.to_string()),
                Wake::Written(Ok(bytes)) => self.written(bytes),
                Wake::Written(Err(error)) => self.lost(&format!("writing failed: {error}")),
                Wake::Action(act) => self.act(&act),
                Wake::Read(Ok(0)) => self.lost("the referee closed the connection"),
                Wake::Read(Ok(_)) => self.read(),
                Wake::Read(Err(error)) => self.lost(&format!("reading failed: {error}")),
            }
            self.settle();
        }
    }

    /// Waits for the next thing to do. Every arm is cancel-safe: no arm loses anything when another
    /// one is faster. The order is: deadlines first, then what empties queues, then what fills
    /// them.
    async fn wake(&mut self) -> Wake<G> {
        let timer = self.next_timer();
        // Checked with the clock, since the runtime's timers may lag behind its sockets.
        if timer.is_some_and(|due| due <= now()) {
            return Wake::Timer;
        }
        let (dial, reader, writer) = self.line.parts();
        tokio::select! {
            biased;
            () = until(timer) => Wake::Timer,
            // Before the leave, so that the team's last decisions are still sent.
            Some(act) = self.actions.recv() => Wake::Action(act),
            () = self.leave.cancelled(), if self.leaving.is_none() => Wake::Leave,
            // When the sender is gone, the target does not change any more.
            Ok(()) = self.target.changed() => Wake::Target,
            Ok(()) = self.password.changed() => Wake::Password,
            result = dial_done(dial) => Wake::Dialed(result),
            result = write(writer, &self.driver.outbox) => Wake::Written(result),
            result = read(reader, &mut self.buffer), if !self.giving => Wake::Read(result),
        }
    }

    fn next_timer(&self) -> Option<Instant> {
        let session = match (self.driver.session.poll_timeout(), self.timer_rest) {
            (Some(due), Some(rest)) => Some(due.max(rest)),
            (due, _) => due,
        };
        let line = match &self.line {
            Line::Waiting { until } => Some(*until),
            Line::Open(open) => open.login_by,
            Line::Dialing(_) | Line::Stopped | Line::Closed => None,
        };
        [session, line, self.leaving, self.parting].into_iter().flatten().min()
    }

    fn timer(&mut self) {
        let now = now();
        self.session_timer(now);
        if self.leaving.is_some_and(|end| end <= now) {
            self.driver.inputs.clear();
            self.close();
            return;
        }
        if self.parting.is_some_and(|end| end <= now) {
            self.stop();
            return;
        }
        match &self.line {
            Line::Waiting { until } if *until <= now => self.dial(),
            Line::Open(Open { login_by: Some(by), .. }) if *by <= now => {
                let limit = self.options.login_timeout;
                self.lost(&format!("the referee did not accept the login within {limit:?}"));
            }
            Line::Waiting { .. }
            | Line::Dialing(_)
            | Line::Open(_)
            | Line::Stopped
            | Line::Closed => {}
        }
    }

    fn session_timer(&mut self, now: Instant) {
        self.timer_rest = None;
        if self.driver.session.poll_timeout().is_some_and(|due| due <= now) {
            self.driver.timeout(now);
            self.driver.decided(&self.meter, now);
            // A session that leaves its timer in the past must not cause a busy loop.
            let stuck = self.driver.session.poll_timeout().is_some_and(|due| due <= now);
            self.timer_rest = stuck.then(|| now + TIMER_REST);
        }
    }

    fn dial(&mut self) {
        let (endpoint, limit) =
            (self.target.borrow().endpoint.clone(), self.options.connect_timeout);
        if let Endpoint::Awaited(awaited) = &endpoint {
            let reason = awaited.wish(self.agent());
            self.driver.set_state(SeatState::Connecting { failures: 0, reason });
        } else if !matches!(
            self.driver.state(),
            SeatState::Connecting { .. } | SeatState::Refused { .. }
        ) {
            self.driver.set_state(SeatState::Connecting { failures: 0, reason: String::new() });
        }
        let target = self.driver.session.target();
        let agent = self.agent().to_owned();
        let dial = async move { endpoint.open(&agent, &target, limit).await };
        self.line = Line::Dialing(dial.boxed());
    }

    /// The name of the seat's first agent.
    fn agent(&self) -> &str {
        self.seat.agents.first().map_or("", |(_, name)| name)
    }

    fn dialed(&mut self, pipe: Pipe) {
        let now = now();
        tracing::debug!(peer = pipe.peer, "connected");
        self.open(pipe, now);
        self.driver.connected(now);
    }

    fn open(&mut self, pipe: Pipe, now: Instant) {
        self.status.send_modify(|status| status.connections += 1);
        self.line = Line::Open(Open {
            reader: pipe.reader,
            writer: pipe.writer,
            written: 0,
            tail: Tail::Nothing,
            login_by: Some(now + self.options.login_timeout),
            seated_at: None,
        });
    }

    fn read(&mut self) {
        let now = now();
        // The next request must not replace a turn whose fallback is already due.
        self.session_timer(now);
        let bytes = std::mem::take(&mut self.buffer);
        let goes = self.leaving.or(self.parting).is_some();
        let result = if goes { Ok(()) } else { self.driver.input(&bytes, now) };
        if self.driver.tape.is_some() {
            self.driver.keep(crate::clock::now(), || SeatAct::Parsed);
        }
        self.buffer = bytes;
        self.buffer.clear();
        if let Err(error) = result {
            self.lost(&error.to_string());
        }
    }

    fn act(&mut self, act: &Act<G>) {
        let now = now();
        self.driver.act(act.turn, act.agent, &act.action, now);
        self.driver.decided(&self.meter, now);
    }

    fn written(&mut self, bytes: usize) {
        let Line::Open(open) = &mut self.line else { return };
        let Some(front) = self.driver.outbox.front() else {
            open.tail = match open.tail {
                Tail::Flush | Tail::Nothing => Tail::Nothing,
                Tail::HalfClose | Tail::Done => Tail::Done,
            };
            self.driver.flushed(&self.meter, now());
            return;
        };
        open.written += bytes;
        if open.written >= front.len() {
            open.written = 0;
            open.tail = Tail::Flush;
            self.driver.front_written();
        }
    }

    /// After each step: handles what the session's events and the queues' sizes mean for the
    /// connection.
    fn settle(&mut self) {
        if let Line::Open(open) = &mut self.line {
            if *self.driver.state() == SeatState::Seated && open.login_by.take().is_some() {
                open.seated_at = Some(now());
            }
            if self.driver.over && self.leaving.is_none() {
                self.leaving = Some(now() + LEAVE_MAX);
            }
            let idle = self.driver.outbox.is_empty() && open.tail == Tail::Nothing;
            if self.giving && idle {
                self.give_away();
            } else if self.leaving.or(self.parting).is_some() && idle {
                open.tail = Tail::HalfClose;
            } else if self.driver.refused {
                self.lost("the referee refused the login");
            } else if let Some(reason) = self.driver.hangup.take() {
                self.lost(&reason);
            } else if self.driver.outbox_bytes > self.options.write_bytes_max {
                let bytes = self.driver.outbox_bytes;
                self.lost(&format!("the referee does not read: {bytes} bytes wait"));
            }
        }
        self.deliver();
        self.publish();
    }

    /// Delivers the events to the team. If the team has ended, they are dropped and the seat
    /// answers alone.
    fn deliver(&mut self) {
        if self.driver.inputs.is_empty() {
            return;
        }
        if self.team_gone || self.inbox.report(&mut self.driver.inputs).is_err() {
            self.driver.inputs.clear();
            self.team_gone();
        }
    }

    fn start_leaving(&mut self) {
        let now = now();
        self.leaving = Some(now + LEAVE_MAX);
        if matches!(self.line, Line::Open(_)) {
            self.giving = self.may_give();
            if !self.giving {
                self.driver.shutdown(now);
            }
        } else {
            self.close();
        }
    }

    /// The target has changed.
    fn follow_target(&mut self) {
        let stopped = self.target.borrow_and_update().stopped;
        match (&self.line, stopped) {
            (Line::Open(_), true) if self.leaving.or(self.parting).is_none() => {
                let now = now();
                self.parting = Some(now + LEAVE_MAX);
                self.driver.shutdown(now);
            }
            (Line::Waiting { .. } | Line::Dialing(_), true) => self.stop(),
            (Line::Stopped, false) => {
                self.driver.stays = is_awaited(&self.target);
                self.line = Line::Waiting { until: now() };
            }
            (Line::Open(_) | Line::Stopped | Line::Closed, true)
            | (Line::Waiting { .. } | Line::Dialing(_) | Line::Open(_) | Line::Closed, false) => {}
        }
    }

    /// The account has another password: a seat that is not connected tries it at once.
    fn take_password(&mut self) {
        self.password.borrow_and_update().expose_secret().clone_into(&mut self.seat.password);
        self.driver.session.set_password(&self.seat.password);
        if matches!(self.line, Line::Waiting { .. } | Line::Dialing(_)) {
            self.backoff.reset();
            self.line = Line::Waiting { until: now() };
        }
        self.has_newer_password = matches!(&self.line, Line::Open(open) if open.login_by.is_some());
    }

    /// The seat has hung up because the team stops or moves. A session that has logged out gets no
    /// reconnect.
    fn stop(&mut self) {
        self.parting = None;
        if matches!(self.line, Line::Open(_)) {
            self.driver.disconnected(now());
        }
        self.buffer.clear();
        self.backoff.reset();
        self.driver.replace(self.game.session(&self.seat), now());
        self.driver.set_state(SeatState::Stopped);
        self.line = Line::Stopped;
        // The team may have been started again meanwhile.
        self.target.mark_changed();
    }

    /// The connection is lost or closed.
    fn lost(&mut self, reason: &str) {
        let (now, refused) = (now(), self.driver.refused);
        // Do not dial in a tight loop if a referee accepts logins and closes at once.
        if let Line::Open(Open { seated_at: Some(at), .. }) = &self.line
            && now.saturating_duration_since(*at) >= SEATED_STABLE
        {
            self.backoff.reset();
        }
        if self.parting.is_some() && self.leaving.is_none() {
            self.stop();
            return;
        }
        self.driver.disconnected(now);
        self.buffer.clear();
        if self.driver.over || self.leaving.is_some() {
            self.close();
        } else if refused {
            let reason = match self.driver.state() {
                SeatState::Refused { reason } => reason.as_str(),
                // The referee sent several messages; the refusal is what counts.
                SeatState::Idle
                | SeatState::Connecting { .. }
                | SeatState::Connected
                | SeatState::Seated
                | SeatState::Stopped
                | SeatState::Closed => reason,
            };
            tracing::error!(reason, "login refused");
            let pause = match std::mem::take(&mut self.has_newer_password) {
                true => Duration::ZERO,
                false => self.backoff.refused(),
            };
            self.line = Line::Waiting { until: now + pause };
        } else if is_awaited(&self.target) {
            tracing::debug!(reason, "the bridge is gone; the next one is waited for");
            self.line = Line::Waiting { until: now };
        } else {
            self.retry(reason);
        }
    }

    fn retry(&mut self, reason: &str) {
        if self.parting.is_some() {
            self.stop();
            return;
        }
        let failures = self.backoff.failures().saturating_add(1);
        let wait = self.backoff.failed();
        // Logged at each doubling: a referee that is away for an hour must not fill the log.
        if failures.is_power_of_two() {
            tracing::warn!(failures, reason, "not connected, trying again");
        }
        self.driver.set_state(SeatState::Connecting { failures, reason: reason.to_owned() });
        self.line = Line::Waiting { until: now() + wait };
    }

    fn close(&mut self) {
        self.line = Line::Closed;
        self.driver.set_state(SeatState::Closed);
        // The last events still have to be delivered, but not for ever.
        self.leaving.get_or_insert_with(|| now() + LEAVE_MAX);
    }

    fn team_gone(&mut self) {
        if !self.team_gone {
            tracing::error!("no team: this seat answers by itself");
        }
        self.team_gone = true;
    }

    fn finished(&self) -> bool {
        matches!(self.line, Line::Closed) && self.driver.inputs.is_empty()
    }

    fn publish(&self) {
        let (state, round_trip) = (self.driver.state(), self.driver.session.round_trip());
        self.status.send_if_modified(|status| {
            let changed = status.state != *state || status.round_trip != round_trip;
            if changed {
                status.state = state.clone();
                status.round_trip = round_trip;
            }
            changed
        });
    }
}

/// Whether the referee connects to us, and may connect again after its match.
fn is_awaited(target: &watch::Receiver<SeatTarget>) -> bool {
    matches!(target.borrow().endpoint, Endpoint::Awaited(_))
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// The name of a seat in messages: its account, or its number.
pub(crate) fn seat_name(seat: &Seat) -> String {
    let SeatId(number) = seat.id;
    if seat.user.is_empty() { format!("seat {number}") } else { seat.user.clone() }
}
