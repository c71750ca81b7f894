//! Whole matches on a virtual clock: arena, sessions and teams in one thread, without sockets and
//! sleeping. The same inputs give the same match. Real time is only measured for the answer times.
//!
//! One beat delivers everything that the arena sent, side by side (first all bytes of a team, then
//! its decisions, so that a turn is decided once), and sends all answers back in connection order.
//! When there is nothing left to deliver, the clock jumps to the earliest timer.

mod seat;
mod side;
mod turn_meter;

use crate::tape::{ThinkTime, Thinking};
use crate::tickets::OWN_TICKET;
use crate::{AnswerMeter, BuildError, Recorder};
use phalanx_engine::{
    Answer, Brain, BrainError, CommandError, CommandRequest, Enrolled, InstallStrategy,
    JournalEntry, Snapshot, Staged, TeamLink, TeamOptions, Ticket,
};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    AgentId, Arena, Artifact, ConnectionId, Game, Outgoing, Picture, Roster, Seat, Tally, Verdict,
};
pub use side::SideLoad;
use side::{MakeBrain, Side, SideOptions, TeamSide};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
pub use turn_meter::TurnTimes;

/// Beats without a step and without progress of the clock after which a match counts as stuck.
const IDLE_BEATS_MAX: u32 = 10_000;

/// Virtual time without a step after which a match counts as stuck: no further client will be let
/// in.
const STILL_MAX: Duration = Duration::from_secs(3600);

/// How a match is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockstepOptions {
    /// Deliver what the arena sends in pieces of this many bytes; `None`: whole. Stream games only.
    pub chunk_bytes: Option<usize>,
    /// How long a seat whose connection the arena closed waits before it returns.
    pub reconnect_after: Duration,
}

impl Default for LockstepOptions {
    fn default() -> Self {
        Self { chunk_bytes: None, reconnect_after: Duration::from_secs(1) }
    }
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockstepEnd {
    /// The arena's verdict is final.
    Over,
    /// The observer stopped it.
    Stopped,
    /// Neither the arena nor a session waits for anything, or timers fire without effect: a defect
    /// of the arena or a session.
    Stuck,
}

/// Observes a match. Teams are numbered in the order in which they were added.
pub trait Observer {
    /// The arena finished a step.
    fn step(&mut self, _verdict: &Verdict) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// A team wrote a journal entry.
    fn journal(&mut self, _team: usize, _entry: JournalEntry) {}
    /// A team published a snapshot.
    fn snapshot(&mut self, _team: usize, _snapshot: &Arc<Snapshot>) {}
    /// A team answered a command such as that of [`Lockstep::install`].
    fn answer(&mut self, _team: usize, _ticket: Ticket, _answer: Answer) {}
    /// A seat of a team opens a connection; the arena learns of it right afterwards.
    fn connected(&mut self, _team: usize, _seat: usize, _connection: ConnectionId) {}
    /// Everything that was due at this virtual instant was delivered, and a timer may have fired.
    fn beat(&mut self, _now: Instant) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// The arena has a file to write.
    fn artifact(&mut self, _artifact: Artifact) {}
    /// The arena reports a mistake: of its own scripts, or in what a client sent.
    fn notice(&mut self, _text: &str) {}
}

/// Ignores everything.
impl Observer for () {}

/// A match on a virtual clock.
pub struct Lockstep {
    arena: Box<dyn Arena>,
    now: Instant,
    options: LockstepOptions,
    sides: Vec<Box<dyn Side>>,
    /// The side and seat of each connection.
    lines: SortedMap<ConnectionId, (usize, usize)>,
    next_connection: u64,
    /// The arena's output, by side.
    mail: Vec<Vec<(usize, Delivery)>>,
    /// The teams' answers, in connection order.
    answers: Vec<(ConnectionId, Vec<u8>)>,
    verdict: Verdict,
    /// The recorder of the next added team.
    recorder: Option<Arc<dyn Recorder>>,
    /// How long the scripts of teams that are added take.
    think: Option<ThinkTime>,
}

/// An output of the arena for one connection.
enum Delivery {
    Bytes(Vec<u8>),
    Close,
}

impl fmt::Debug for Lockstep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lockstep")
            .field("sides", &self.sides.len())
            .field("verdict", &self.verdict)
            .finish_non_exhaustive()
    }
}

impl Lockstep {
    /// A match without players. `origin` is the first instant of the virtual clock.
    #[must_use]
    pub fn new(arena: Box<dyn Arena>, origin: Instant, options: LockstepOptions) -> Self {
        let verdict = arena.verdict();
        Self {
            arena,
            now: origin,
            options,
            sides: Vec::new(),
            lines: SortedMap::new(),
            next_connection: 0,
            mail: Vec::new(),
            answers: Vec::new(),
            verdict,
            recorder: None,
            think: None,
        }
    }

    /// The scripts of teams that are added from now on take virtual time. A call that would take
    /// longer than its budget is stopped at its budget.
    pub fn think(&mut self, time: ThinkTime) {
        self.think = Some(time);
    }

    /// Records the team that is added next.
    pub fn record_next(&mut self, recorder: Arc<dyn Recorder>) {
        self.recorder = Some(recorder);
    }

    /// Adds a team that begins with the strategy `staged`; its seats connect when the match runs.
    /// Returns the team's number.
    ///
    /// # Errors
    /// When seats and roster do not fit, or the brain does not start.
    pub fn add_team<G: Game, B: Brain + 'static>(
        &mut self,
        game: &G,
        roster: Arc<Roster>,
        seats: &[Seat],
        options: TeamOptions,
        staged: Staged,
        mut make_brain: impl FnMut(TeamLink, &Staged) -> Result<B, BrainError> + 'static,
    ) -> Result<usize, BuildError> {
        let setting = SideOptions {
            reconnect_after: self.options.reconnect_after,
            now: self.now,
            recorder: self.recorder.take(),
            thinking: self.think.clone().map(Thinking::new),
        };
        let make_brain: MakeBrain =
            Box::new(move |link, staged| Ok(Box::new(make_brain(link, staged)?)));
        let side = TeamSide::new(game, roster, seats, options, staged, make_brain, setting)?;
        self.sides.push(Box::new(side));
        self.mail.push(Vec::new());
        Ok(self.sides.len() - 1)
    }

    /// Lets another generation decide for a team, from its next gap between turns on. The observer
    /// gets the answer. Does nothing if there is no such team.
    pub fn install(&mut self, team: usize, staged: Staged) {
        let install = InstallStrategy { staged, pinned: false };
        // A team that does not exist takes nothing.
        self.command(team, CommandRequest::new(OWN_TICKET, "", install)).unwrap_or_default();
    }

    /// Passes a command to a team. The observer gets the answer, with the ticket.
    ///
    /// # Errors
    /// When there is no such team, or a team that is stalled takes no further command.
    pub fn command(&mut self, team: usize, request: CommandRequest) -> Result<(), CommandError> {
        let side = self.sides.get_mut(team).ok_or(CommandError::Ended)?;
        side.command(request, self.now)
    }

    /// The bytes of a checkpoint of a team, for [`Self::kill`]; `None` while a turn of the team is
    /// open or if there is no such team.
    pub fn checkpoint(&mut self, team: usize) -> Option<Arc<[u8]>> {
        self.sides.get_mut(team)?.frozen()
    }

    /// Kills the process of a team: its connections are gone, and with them its sessions. A new one
    /// begins at once from the bytes of a checkpoint, or without one, and connects after `down`. Does
    /// nothing if there is no such team.
    ///
    /// # Errors
    /// When the brain does not start again; the old process goes on then.
    pub fn kill(
        &mut self,
        team: usize,
        down: Duration,
        checkpoint: Option<Arc<[u8]>>,
    ) -> Result<(), BuildError> {
        let Some(side) = self.sides.get_mut(team) else { return Ok(()) };
        let killed = side.kill(self.now, self.now + down, checkpoint);
        part(&mut **side, &mut *self.arena, &mut self.lines, self.now);
        killed
    }

    /// The team takes nothing for a while, as if its thread did not respond. Its sessions go on, and
    /// what they report waits in a mailbox with the bounds of the real one.
    pub fn stall(&mut self, team: usize, lasts: Duration) {
        if let Some(side) = self.sides.get_mut(team) {
            side.stall(self.now + lasts);
        }
    }

    /// All seats of a team, as those of a stopped one, or the seat of an agent that was removed:
    /// they answer open turns, log out and do not dial again.
    pub fn hang_up(&mut self, team: usize, agent: Option<AgentId>) {
        let Some(side) = self.sides.get_mut(team) else { return };
        side.hang_up(agent, &mut self.answers, self.now);
        for (connection, bytes) in self.answers.drain(..) {
            self.arena.handle_input(connection, &bytes, self.now);
        }
        part(&mut **side, &mut *self.arena, &mut self.lines, self.now);
    }

    /// The seats of a stopped team dial again.
    pub fn dial(&mut self, team: usize) {
        if let Some(side) = self.sides.get_mut(team) {
            side.dial(self.now);
        }
    }

    /// Opens the seat of an agent that was added to a team. Its account is called like the agent,
    /// and has the password of the first one.
    pub fn open_seat(&mut self, team: usize, enrolled: Enrolled, name: &str) {
        if let Some(side) = self.sides.get_mut(team) {
            side.open_seat(enrolled, name, self.now);
        }
    }

    /// What waits in a team's queues.
    #[must_use]
    pub fn load(&self, team: usize) -> SideLoad {
        self.sides.get(team).map_or_else(SideLoad::default, |side| side.load())
    }

    /// The arena's own world.
    #[must_use]
    pub fn truth(&self) -> Picture {
        self.arena.truth()
    }

    /// Ends a team and starts another one that continues from its state, as after a panic of its
    /// thread; its seats notice nothing. Returns false, and does nothing, while a turn of the team
    /// is open or if there is no such team.
    ///
    /// # Errors
    /// When the brain does not start again; the team continues to play.
    pub fn restart(&mut self, team: usize) -> Result<bool, BuildError> {
        self.sides.get_mut(team).map_or(Ok(false), |side| side.restart(self.now))
    }

    /// The virtual clock.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.now
    }

    /// The state of the match.
    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// What the teams have achieved so far, besides their scores.
    #[must_use]
    pub fn tallies(&self) -> Vec<Tally> {
        self.arena.tallies()
    }

    /// The last snapshot of a team.
    #[must_use]
    pub fn snapshot(&self, team: usize) -> Option<Arc<Snapshot>> {
        self.sides.get(team).map(|side| side.snapshot())
    }

    /// The answer times of a team in real time: from the arena's last request of the step for this
    /// team to the bytes of each action.
    #[must_use]
    pub fn meter(&self, team: usize) -> Option<&AnswerMeter> {
        self.sides.get(team).map(|side| side.meter())
    }

    /// The processor time that the turns of all teams took, with that of the observer.
    #[must_use]
    pub fn turn_times(&self) -> TurnTimes {
        TurnTimes::of(self.sides.iter().map(|side| side.turn_meter()))
    }

    /// Plays until the match is over or the observer stops it; may be called again.
    pub fn run(&mut self, observer: &mut dyn Observer) -> LockstepEnd {
        let (mut idle, mut moved_at) = (0, self.now);
        while idle < IDLE_BEATS_MAX && self.now.saturating_duration_since(moved_at) < STILL_MAX {
            idle += 1;
            self.connect(observer);
            let moved = self.beat(observer);
            let (before, step) = (self.now, self.verdict.step);
            if self.look(observer).is_break() {
                return LockstepEnd::Stopped;
            }
            if !moved {
                if self.verdict.over {
                    return LockstepEnd::Over;
                }
                if !self.advance(observer) {
                    break;
                }
            }
            if self.now > before || self.verdict.step != step {
                idle = 0;
            }
            if self.verdict.step != step {
                moved_at = self.now;
            }
            if observer.beat(self.now).is_break() {
                return LockstepEnd::Stopped;
            }
        }
        LockstepEnd::Stuck
    }

    /// Opens the connections of all seats that are due to connect.
    fn connect(&mut self, observer: &mut dyn Observer) {
        for (index, side) in self.sides.iter_mut().enumerate() {
            while let Some(seat) = side.wants_connection(self.now) {
                let connection = ConnectionId(self.next_connection);
                self.next_connection += 1;
                self.lines.insert(connection, (index, seat));
                observer.connected(index, seat, connection);
                let target = side.connect(seat, connection, self.now);
                self.arena.handle_request(connection, &target, self.now);
            }
        }
    }

    /// Delivers everything once in each direction; false if there was nothing.
    fn beat(&mut self, observer: &mut dyn Observer) -> bool {
        let mut moved = self.collect(observer);
        for (index, (side, mail)) in self.sides.iter_mut().zip(&mut self.mail).enumerate() {
            if !mail.is_empty() {
                side.begin_batch();
            }
            for (seat, letter) in mail.drain(..) {
                match letter {
                    Delivery::Bytes(bytes) => {
                        let piece = self.options.chunk_bytes.unwrap_or(bytes.len()).max(1);
                        for piece in bytes.chunks(piece) {
                            side.deliver(seat, piece, self.now);
                        }
                    }
                    Delivery::Close => side.closed(seat, self.now),
                }
            }
            side.decide(index, self.now, &mut self.answers, observer);
            moved |= part(&mut **side, &mut *self.arena, &mut self.lines, self.now);
        }
        for (connection, bytes) in self.answers.drain(..) {
            moved = true;
            self.arena.handle_input(connection, &bytes, self.now);
        }
        moved
    }

    /// Sorts the arena's output by side; false if there was none.
    fn collect(&mut self, observer: &mut dyn Observer) -> bool {
        let mut any = false;
        while let Some(outgoing) = self.arena.poll_transmit() {
            any = true;
            let (connection, letter) = match outgoing {
                Outgoing::Bytes(connection, bytes) => (connection, Delivery::Bytes(bytes)),
                Outgoing::Close(connection) => (connection, Delivery::Close),
            };
            let Some(&(side, seat)) = self.lines.get(&connection) else { continue };
            if matches!(letter, Delivery::Close) {
                self.lines.remove(&connection);
            }
            if let Some(mail) = self.mail.get_mut(side) {
                mail.push((seat, letter));
            }
        }
        while let Some(artifact) = self.arena.poll_artifact() {
            observer.artifact(artifact);
        }
        while let Some(notice) = self.arena.poll_notice() {
            observer.notice(&notice);
        }
        any
    }

    /// Calls the observer when the arena made a step.
    fn look(&mut self, observer: &mut dyn Observer) -> ControlFlow<()> {
        let verdict = self.arena.verdict();
        let place = |verdict: &Verdict| (verdict.round, verdict.step, verdict.over);
        let moved = place(&verdict) != place(&self.verdict);
        self.verdict = verdict;
        if moved { observer.step(&self.verdict) } else { ControlFlow::Continue(()) }
    }

    /// Jumps to the earliest timer and fires it; false if there is none.
    fn advance(&mut self, observer: &mut dyn Observer) -> bool {
        let sides = self.sides.iter().filter_map(|side| side.poll_timeout());
        let Some(next) = sides.chain(self.arena.poll_timeout()).min() else { return false };
        self.now = self.now.max(next);
        for (index, side) in self.sides.iter_mut().enumerate() {
            side.timeout(self.now);
            side.decide(index, self.now, &mut self.answers, observer);
        }
        // What leaves now is on its way before anything else arrives.
        for (connection, bytes) in self.answers.drain(..) {
            self.arena.handle_input(connection, &bytes, self.now);
        }
        for side in &mut self.sides {
            part(&mut **side, &mut *self.arena, &mut self.lines, self.now);
        }
        if self.arena.poll_timeout().is_some_and(|due| due <= self.now) {
            self.arena.handle_timeout(self.now);
        }
        true
    }
}

/// Reports the connections that a side closed to the arena; false if there are none.
fn part(
    side: &mut dyn Side,
    arena: &mut dyn Arena,
    lines: &mut SortedMap<ConnectionId, (usize, usize)>,
    now: Instant,
) -> bool {
    let left = side.left();
    for connection in &left {
        lines.remove(connection);
        arena.handle_leave(*connection, now);
    }
    !left.is_empty()
}
