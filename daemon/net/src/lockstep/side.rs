//! One team of a match on a virtual clock: its sessions, its engine, and its answer times.

use super::Observer;
use super::seat::{LockstepSeat, lockstep_seats};
use super::turn_meter::TurnMeter;
use crate::mailbox::Mailbox;
use crate::recovery_log::RecoveryLog;
use crate::sampler::Sampler;
use crate::spec::seat_of;
use crate::tape::{Clock, Tape, TapedBrain, Thinking};
use crate::{AnswerMeter, BuildError, Recorder, Taped};
use phalanx_engine::{
    Answer, Brain, BrainError, CommandError, CommandRequest, Enrolled, Freezer, Identity, Input,
    Output, SeatState, Snapshot, Staged, Team, TeamAct, TeamLink, TeamOptions, TeamStart,
    TeamState, Ticket,
};
use phalanx_game::{AgentId, ConnectionId, Game, Roster, Seat, SeatId, Session, Turn};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

/// A team without its types.
pub(super) trait Side {
    /// A seat that is due to connect now.
    fn wants_connection(&self, now: Instant) -> Option<usize>;
    /// Opens the connection. Returns the session's target.
    fn connect(&mut self, seat: usize, connection: ConnectionId, now: Instant) -> String;
    /// The arena has sent everything for now: real time counts from here.
    fn begin_batch(&mut self);
    fn deliver(&mut self, seat: usize, bytes: &[u8], now: Instant);
    /// The arena closed the connection.
    fn closed(&mut self, seat: usize, now: Instant);
    /// Passes the inputs to the team and collects its answers.
    fn decide(
        &mut self,
        team: usize,
        now: Instant,
        answers: &mut Vec<(ConnectionId, Vec<u8>)>,
        observer: &mut dyn Observer,
    );
    /// Ends the team and continues with another one from its state; false in the middle of a turn.
    fn restart(&mut self, now: Instant) -> Result<bool, BuildError>;
    /// The bytes of a checkpoint; `None` in the middle of a turn.
    fn frozen(&mut self) -> Option<Arc<[u8]>>;
    /// The process is killed: a new one begins from the checkpoint and connects at `again`.
    fn kill(
        &mut self,
        now: Instant,
        again: Instant,
        checkpoint: Option<Arc<[u8]>>,
    ) -> Result<(), BuildError>;
    /// The team takes nothing until then; its sessions go on.
    fn stall(&mut self, until: Instant);
    /// All seats, as those of a stopped team, or the one of an agent that was removed: they answer
    /// open turns, log out and do not dial again.
    fn hang_up(
        &mut self,
        agent: Option<AgentId>,
        answers: &mut Vec<(ConnectionId, Vec<u8>)>,
        now: Instant,
    );
    /// The seats of a stopped team dial.
    fn dial(&mut self, now: Instant);
    /// Opens the seat of an agent that was added.
    fn open_seat(&mut self, enrolled: Enrolled, name: &str, now: Instant);
    /// Passes a command to the team.
    fn command(&mut self, request: CommandRequest, now: Instant) -> Result<(), CommandError>;
    /// What waits.
    fn load(&self) -> SideLoad;
    /// Takes the connections that this side closed.
    fn left(&mut self) -> Vec<ConnectionId>;
    fn timeout(&mut self, now: Instant);
    fn poll_timeout(&self) -> Option<Instant>;
    fn snapshot(&self) -> Arc<Snapshot>;
    fn meter(&self) -> &AnswerMeter;
    fn turn_meter(&self) -> &TurnMeter;
}

/// Makes a brain for the team and for its replacements.
pub(super) type MakeBrain = Box<dyn FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError>>;

pub(super) struct TeamSide<G: Game> {
    game: G,
    /// The agents, and the seat of each.
    roster: Arc<Roster>,
    seat_of: Vec<SeatId>,
    /// The agents and the seats of the settings, with which a new process begins.
    begun: (Arc<Roster>, Vec<SeatId>),
    accounts: Vec<Seat>,
    options: TeamOptions,
    make_brain: MakeBrain,
    recovery: RecoveryLog<G>,
    team: Team<G>,
    seats: Vec<LockstepSeat<G>>,
    reconnect_after: Duration,
    left: Vec<ConnectionId>,
    snapshot: Arc<Snapshot>,
    meter: AnswerMeter,
    turns: TurnMeter,
    batch: Instant,
    tape: Tape,
    recorder: Option<Arc<dyn Recorder>>,
    sampler: Sampler,
    /// What the team has not taken while it is stalled or a script thinks.
    mailbox: Mailbox<G>,
    /// The team takes nothing until then: it is stalled, or a script thinks.
    stalled_until: Option<Instant>,
    /// An operator stopped the team: seats that are opened wait until it is started.
    is_stopped: bool,
    /// The time that scripts take.
    thinking: Option<Thinking>,
    /// What leaves when the script that thinks has decided.
    held: Option<Output<G>>,
    /// Answers to the commands that ended with the team before.
    lost: Vec<(Ticket, Answer)>,
    /// The instant of the last event.
    now: Instant,
}

/// What waits in a team's queues at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideLoad {
    /// Events that the team has not taken.
    pub inputs: usize,
    /// Bytes that its sessions have not sent.
    pub unsent_bytes: usize,
}

/// Options of a team when it is added.
pub(super) struct SideOptions {
    /// How long a seat waits before it returns.
    pub(super) reconnect_after: Duration,
    /// The current virtual instant.
    pub(super) now: Instant,
    /// Records the team.
    pub(super) recorder: Option<Arc<dyn Recorder>>,
    /// The time that scripts take; `None`: none.
    pub(super) thinking: Option<Thinking>,
}

impl<G: Game> Drop for TeamSide<G> {
    fn drop(&mut self) {
        self.tape.put(self.now, || Taped::Ended);
        self.tape.flush(self.now);
    }
}

impl<G: Game> TeamSide<G> {
    pub(super) fn new(
        game: &G,
        roster: Arc<Roster>,
        seats: &[Seat],
        options: TeamOptions,
        staged: Staged,
        mut make_brain: MakeBrain,
        setting: SideOptions,
    ) -> Result<Self, BuildError> {
        let seat_of = seat_of(&roster, seats)
            .map_err(|reason| BuildError::Seats { team: roster.team.clone(), reason })?;
        let SideOptions { reconnect_after, now, recorder, thinking } = setting;
        let tape = Tape::new(recorder.clone());
        let open = lockstep_seats(game, seats, recorder.as_ref(), now);
        let recovery = RecoveryLog::new(staged.clone());
        let accounts = seats.to_vec();
        let (seats, state) = (seat_of.clone(), TeamState::new(Arc::clone(&roster)));
        let start = TeamStart { seats, options, staged, state, checkpoint: None };
        let team = team(game, start, &mut make_brain, (&tape, thinking.as_ref()), now)?;
        Ok(Self {
            game: game.clone(),
            begun: (Arc::clone(&roster), seat_of.clone()),
            roster,
            seat_of,
            accounts,
            options,
            make_brain,
            recovery,
            team,
            seats: open,
            reconnect_after,
            left: Vec::new(),
            snapshot: Arc::default(),
            meter: AnswerMeter::default(),
            turns: TurnMeter::default(),
            batch: wall_clock(),
            tape,
            recorder,
            sampler: Sampler::default(),
            mailbox: Mailbox::default(),
            stalled_until: None,
            is_stopped: false,
            thinking,
            held: None,
            lost: Vec::new(),
            now,
        })
    }

    fn handle(&mut self, input: Input<G>, now: Instant) {
        self.recovery.note(&input);
        self.tape.handled(now, &input);
        self.team.handle(input, now);
    }

    fn act(
        &mut self,
        seat: SeatId,
        turn: Turn,
        agent: AgentId,
        action: &G::Action,
        now: Instant,
        answers: &mut Vec<(ConnectionId, Vec<u8>)>,
    ) {
        let Some(entry) = self.seats.get_mut(seat.index()) else { return };
        entry.driver.act(turn, agent, action, now);
        entry.post(answers);
        for due in entry.driver.take_answered() {
            self.meter.record(self.batch.elapsed(), due.checked_duration_since(now));
        }
        let inputs = std::mem::take(&mut entry.driver.inputs);
        inputs.into_iter().for_each(|input| self.handle(input, now));
    }

    /// Keeps what the team does not take while it is stalled or a script thinks.
    fn is_away(&mut self, inputs: &mut VecDeque<Input<G>>, now: Instant) -> bool {
        let is_away = self.stalled_until.is_some_and(|until| until > now);
        if is_away {
            // A mailbox that is never closed takes everything.
            self.mailbox.report(inputs).unwrap_or_default();
        } else {
            self.stalled_until = None;
        }
        is_away
    }

    /// Passes what waits to the team.
    fn take_inputs(&mut self, inputs: VecDeque<Input<G>>, now: Instant) {
        while let Some(input) = self.mailbox.try_recv() {
            self.handle(input, now);
        }
        inputs.into_iter().for_each(|input| self.handle(input, now));
    }

    /// The next output; one that a script thinks about is held back for that time.
    fn next_output(&mut self, now: Instant) -> Option<Output<G>> {
        self.tape.step(now, || TeamAct::Polled);
        let output = self.team.poll_output(now);
        let spent = self.thinking.as_ref().map(Thinking::take).unwrap_or_default();
        if spent.is_zero() {
            return output;
        }
        (self.stalled_until, self.held) = (Some(now + spent), output);
        None
    }

    /// Passes an output on.
    fn put_out(
        &mut self,
        output: Output<G>,
        team: usize,
        now: Instant,
        (answers, observer): (&mut Vec<(ConnectionId, Vec<u8>)>, &mut dyn Observer),
    ) {
        match output {
            Output::Act { seat, agent, turn, action } => {
                self.act(seat, turn, agent, &action, now, answers);
            }
            Output::Publish(snapshot) => {
                observer.snapshot(team, &snapshot);
                self.recovery.published(&snapshot);
                self.sampler.published(&snapshot);
                self.snapshot = snapshot;
            }
            Output::Journal(entry) => {
                self.recovery.journaled(&entry.event);
                self.sampler.journaled(&entry, now);
                self.tape.put(now, || Taped::Journal(Arc::new(entry.clone())));
                observer.journal(team, entry);
            }
            Output::Answer { ticket, answer } => {
                self.recovery.answered(ticket, &answer);
                observer.answer(team, ticket, answer);
            }
            Output::Roster { roster, seats } => (self.roster, self.seat_of) = (roster, seats),
            Output::Drained => {}
        }
    }
}

impl<G: Game> Side for TeamSide<G> {
    fn wants_connection(&self, now: Instant) -> Option<usize> {
        self.seats.iter().position(|entry| entry.connect_at.is_some_and(|at| at <= now))
    }

    fn connect(&mut self, seat: usize, connection: ConnectionId, now: Instant) -> String {
        let Some(entry) = self.seats.get_mut(seat) else { return String::new() };
        let target = entry.driver.session.target();
        entry.connect_at = None;
        entry.connection = Some(connection);
        entry.driver.connected(now);
        target
    }

    fn begin_batch(&mut self) {
        self.batch = wall_clock();
        self.turns.begin();
    }

    fn deliver(&mut self, seat: usize, bytes: &[u8], now: Instant) {
        let again = now + self.reconnect_after;
        let Some(entry) = self.seats.get_mut(seat) else { return };
        if entry.connection.is_none() {
            return;
        }
        if let Err(error) = entry.driver.input(bytes, now) {
            self.left.extend(entry.lose(&error.to_string(), now, again));
        }
    }

    fn closed(&mut self, seat: usize, now: Instant) {
        let again = now + self.reconnect_after;
        if let Some(entry) = self.seats.get_mut(seat) {
            // The arena already knows that this connection is gone.
            entry.lose("the referee closed the connection", now, again);
        }
    }

    fn decide(
        &mut self,
        team: usize,
        now: Instant,
        answers: &mut Vec<(ConnectionId, Vec<u8>)>,
        observer: &mut dyn Observer,
    ) {
        self.now = now;
        let again = now + self.reconnect_after;
        let mut inputs = VecDeque::new();
        for entry in &mut self.seats {
            entry.post(answers);
            if let Some(reason) = entry.driver.hangup.take() {
                self.left.extend(entry.lose(&reason, now, again));
            }
            inputs.append(&mut entry.driver.inputs);
        }
        for (ticket, answer) in self.lost.drain(..) {
            observer.answer(team, ticket, answer);
        }
        if self.is_away(&mut inputs, now) {
            return;
        }
        let mut acted = false;
        if let Some(output) = self.held.take() {
            self.put_out(output, team, now, (answers, observer));
        }
        self.take_inputs(inputs, now);
        while let Some(output) = self.next_output(now) {
            acted |= matches!(output, Output::Act { .. });
            self.put_out(output, team, now, (answers, observer));
        }
        self.turns.end(acted);
        self.sampler.look(&self.team, &self.tape, now);
        self.tape.flush(now);
    }

    fn command(&mut self, request: CommandRequest, now: Instant) -> Result<(), CommandError> {
        if self.stalled_until.is_some() {
            return self.mailbox.ask(request);
        }
        self.handle(Input::Command(request), now);
        Ok(())
    }

    fn frozen(&mut self) -> Option<Arc<[u8]>> {
        if self.held.is_some() {
            return None;
        }
        let checkpoint = self.team.checkpoint()?;
        let identity = Identity {
            team: self.roster.team.clone(),
            game: self.team.declaration().name.to_owned(),
            server: "lockstep".to_owned(),
            begun: UNIX_EPOCH,
            saved: UNIX_EPOCH,
        };
        Some(checkpoint.freeze(&identity, &mut Freezer::default()).into())
    }

    fn stall(&mut self, until: Instant) {
        self.stalled_until = self.stalled_until.max(Some(until));
    }

    fn hang_up(
        &mut self,
        agent: Option<AgentId>,
        answers: &mut Vec<(ConnectionId, Vec<u8>)>,
        now: Instant,
    ) {
        let seat = agent.map(|agent| self.seat_of.get(agent.index()).copied());
        let state = if agent.is_some() { SeatState::Closed } else { SeatState::Stopped };
        self.is_stopped |= agent.is_none();
        for entry in &mut self.seats {
            let is_meant = seat.is_none_or(|seat| seat == Some(entry.driver.seat));
            if is_meant && !entry.is_closed() {
                entry.driver.shutdown(now);
                entry.post(answers);
                self.left.extend(entry.leave(state.clone(), now));
            }
        }
        let accounts = self.accounts.iter().filter(|_| agent.is_none());
        for (entry, account) in self.seats.iter_mut().zip(accounts) {
            // A session that has logged out gets no reconnect.
            entry.driver.replace(self.game.session(account), now);
        }
    }

    fn dial(&mut self, now: Instant) {
        self.is_stopped = false;
        let stopped = |entry: &&mut LockstepSeat<G>| *entry.driver.state() == SeatState::Stopped;
        self.seats.iter_mut().filter(stopped).for_each(|entry| entry.connect_at = Some(now));
    }

    fn open_seat(&mut self, Enrolled { agent, seat }: Enrolled, name: &str, now: Instant) {
        let Some(first) = self.accounts.first() else { return };
        let (agents, user) = (vec![(agent, name.to_owned())], name.to_owned());
        let account = Seat { id: seat, agents, user, ..first.clone() };
        let opened = lockstep_seats(&self.game, &[account], self.recorder.as_ref(), now);
        for mut entry in opened {
            if self.is_stopped {
                entry.connect_at = None;
                entry.driver.set_state(SeatState::Stopped);
            }
            match self.seats.get_mut(seat.index()) {
                Some(known) => *known = entry,
                None => self.seats.push(entry),
            }
        }
    }

    fn load(&self) -> SideLoad {
        let unsent = self.seats.iter().map(|entry| entry.driver.outbox_bytes);
        let reports = self.seats.iter().map(|entry| entry.driver.inputs.len());
        SideLoad { inputs: self.mailbox.len() + reports.sum::<usize>(), unsent_bytes: unsent.sum() }
    }

    fn kill(
        &mut self,
        now: Instant,
        again: Instant,
        checkpoint: Option<Arc<[u8]>>,
    ) -> Result<(), BuildError> {
        (self.roster, self.seat_of) = self.begun.clone();
        let start = TeamStart {
            seats: self.seat_of.clone(),
            options: self.options,
            staged: self.recovery.proven(),
            state: TeamState::new(Arc::clone(&self.roster)),
            checkpoint,
        };
        let outside = (&self.tape, self.thinking.as_ref());
        self.team = team(&self.game, start.clone(), &mut self.make_brain, outside, now)?;
        self.left.extend(self.seats.iter().filter_map(|entry| entry.connection));
        self.recovery = RecoveryLog::new(start.staged);
        (self.mailbox, self.stalled_until, self.held) = (Mailbox::default(), None, None);
        self.lost.clear();
        self.is_stopped = false;
        self.seats = lockstep_seats(&self.game, &self.accounts, self.recorder.as_ref(), again);
        Ok(())
    }

    fn restart(&mut self, now: Instant) -> Result<bool, BuildError> {
        let Some(checkpoint) = self.frozen() else { return Ok(false) };
        let state = TeamState::new(Arc::clone(&self.roster)).after(self.snapshot.board_revision);
        let start = TeamStart {
            seats: self.seat_of.clone(),
            options: self.options,
            staged: self.recovery.proven(),
            state,
            checkpoint: Some(checkpoint),
        };
        let outside = (&self.tape, self.thinking.as_ref());
        self.team = team(&self.game, start, &mut self.make_brain, outside, now)?;
        (self.stalled_until, self.held) = (None, None);
        self.lost.extend(self.recovery.take_lost());
        for input in self.recovery.replay() {
            self.tape.handled(now, &input);
            self.team.handle(input, now);
        }
        Ok(true)
    }

    fn left(&mut self) -> Vec<ConnectionId> {
        std::mem::take(&mut self.left)
    }

    fn timeout(&mut self, now: Instant) {
        for entry in &mut self.seats {
            if entry.driver.session.poll_timeout().is_some_and(|due| due <= now) {
                entry.driver.timeout(now);
            }
        }
        if self.stalled_until.is_some_and(|until| until > now) {
            return;
        }
        if self.team.poll_timeout().is_some_and(|due| due <= now) {
            self.tape.step(now, || TeamAct::TimedOut);
            self.team.handle_timeout(now);
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let entries = self.seats.iter();
        let timers =
            entries.flat_map(|entry| [entry.driver.session.poll_timeout(), entry.connect_at]);
        let team = self.stalled_until.or_else(|| self.team.poll_timeout());
        timers.flatten().chain(team).min()
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot)
    }

    fn meter(&self) -> &AnswerMeter {
        &self.meter
    }

    fn turn_meter(&self) -> &TurnMeter {
        &self.turns
    }
}

/// Makes a team and records its initial state.
fn team<G: Game>(
    game: &G,
    start: TeamStart,
    make_brain: &mut MakeBrain,
    (tape, thinking): (&Tape, Option<&Thinking>),
    now: Instant,
) -> Result<Team<G>, BuildError> {
    tape.put(now, || Taped::Began(Box::new(start.clone())));
    // The acts of seats come after it.
    tape.flush(now);
    let brain = |link: TeamLink, staged: &_| {
        let shared = Rc::clone(&link.shared);
        let brain = make_brain(link, staged)?;
        let brain = TapedBrain::new(brain, tape.clone(), shared, Clock::Virtual, Arc::default());
        Ok(brain.thinking(thinking.cloned()))
    };
    let name = start.state.roster().team.clone();
    Team::new(game, start, brain).map_err(|why| BuildError::Brain { team: name, why })
}

/// Real time, for measuring only: no decision depends on it.
fn wall_clock() -> Instant {
    Instant::now()
}
