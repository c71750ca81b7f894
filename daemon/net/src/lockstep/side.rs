//! One team of a match on a virtual clock: its sessions, its core, and the time that answers took.

use super::Observer;
use crate::desk::Desk;
use crate::ledger::Ledger;
use crate::lookout::Lookout;
use crate::spec::seat_of;
use crate::standing::Standing;
use crate::tape::{Clock, SeatTape, Tape, TapedBrain, beginning};
use crate::tickets::OWN_TICKET;
use crate::{BuildError, Meter, Recorder, Taped};
use phalanx_engine::{
    Brain, BrainError, Freezer, Identity, Input, Output, SeatState, Snapshot, Staged, Team,
    TeamAct, TeamLink, TeamOptions, TeamStart,
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
    /// Opens the connection; the target that the session asks for.
    fn connect(&mut self, seat: usize, connection: ConnectionId, now: Instant) -> String;
    /// The arena has sent all that it will send for now: real time counts from here.
    fn begin_batch(&mut self);
    fn deliver(&mut self, seat: usize, bytes: &[u8], now: Instant);
    /// The arena closed the connection.
    fn closed(&mut self, seat: usize, now: Instant);
    /// Tells the team what happened and collects what it answers.
    fn decide(
        &mut self,
        team: usize,
        now: Instant,
        answers: &mut Vec<(ConnectionId, Vec<u8>)>,
        observer: &mut dyn Observer,
    );
    /// The team ends, and another one goes on with what it knew; false in the middle of a turn.
    fn restart(&mut self, now: Instant) -> Result<bool, BuildError>;
    /// Another generation is to decide.
    fn install(&mut self, staged: Staged, now: Instant);
    /// Takes the connections that this side gave up.
    fn left(&mut self) -> Vec<ConnectionId>;
    fn timeout(&mut self, now: Instant);
    fn poll_timeout(&self) -> Option<Instant>;
    fn snapshot(&self) -> Arc<Snapshot>;
    fn meter(&self) -> &Meter;
}

/// Makes a brain for the team, and for those that go on in its place.
type MakeBrain<B> = Box<dyn FnMut(TeamLink, &Staged) -> Result<B, BrainError>>;

pub(super) struct TeamSide<G: Game, B: Brain> {
    game: G,
    roster: Arc<Roster>,
    seats: Vec<SeatId>,
    options: TeamOptions,
    make_brain: MakeBrain<B>,
    standing: Standing<G>,
    ledger: Ledger,
    team: Team<G, TapedBrain<B>>,
    places: Vec<Place<G>>,
    reconnect_after: Duration,
    left: Vec<ConnectionId>,
    snapshot: Arc<Snapshot>,
    meter: Meter,
    batch: Instant,
    tape: Tape,
    lookout: Lookout,
    /// When something happened last.
    now: Instant,
}

/// When a team comes, and who looks on.
pub(super) struct Setting {
    /// How long a seat waits before it returns.
    pub(super) reconnect_after: Duration,
    /// The virtual present.
    pub(super) now: Instant,
    /// Who records the team.
    pub(super) recorder: Option<Arc<dyn Recorder>>,
}

struct Place<G: Game> {
    desk: Desk<G>,
    connection: Option<ConnectionId>,
    connect_at: Option<Instant>,
}

impl<G: Game, B: Brain> Drop for TeamSide<G, B> {
    fn drop(&mut self) {
        self.tape.put(self.now, || Taped::Ended);
        self.tape.flush(self.now);
    }
}

impl<G: Game, B: Brain> TeamSide<G, B> {
    pub(super) fn new(
        game: &G,
        roster: Arc<Roster>,
        seats: &[Seat],
        options: TeamOptions,
        staged: Staged,
        make_brain: impl FnMut(TeamLink, &Staged) -> Result<B, BrainError> + 'static,
        setting: Setting,
    ) -> Result<Self, BuildError> {
        let seat_of = seat_of(&roster, seats)
            .map_err(|reason| BuildError::Seats { team: roster.team.clone(), reason })?;
        let Setting { reconnect_after, now, recorder } = setting;
        let tape = Tape::new(recorder.clone());
        let place = |seat: &Seat| {
            let mut desk = Desk::new(seat.id, game.session(seat));
            let recorder = recorder.clone();
            desk.tape = recorder.map(|recorder| SeatTape::open(recorder, seat, now));
            Place { desk, connection: None, connect_at: Some(now) }
        };
        let places = seats.iter().map(place).collect();
        let mut make_brain: MakeBrain<B> = Box::new(make_brain);
        let ledger = Ledger::new(staged.clone());
        let start = TeamStart { staged, ..TeamStart::default() };
        let parts = (game, &roster, seat_of.as_slice(), options);
        let team = team(parts, start, &mut make_brain, &tape, now)?;
        Ok(Self {
            game: game.clone(),
            roster,
            seats: seat_of,
            options,
            make_brain,
            standing: Standing::default(),
            ledger,
            team,
            places,
            reconnect_after,
            left: Vec::new(),
            snapshot: Arc::default(),
            meter: Meter::default(),
            batch: wall_clock(),
            tape,
            lookout: Lookout::default(),
            now,
        })
    }

    fn handle(&mut self, input: Input<G>, now: Instant) {
        self.standing.note(&input);
        self.ledger.note(&input);
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
        let Some(place) = self.places.get_mut(seat.index()) else { return };
        place.desk.act(turn, agent, action, now);
        place.post(answers);
        for due in place.desk.take_answered() {
            self.meter.record(self.batch.elapsed(), due.checked_duration_since(now));
        }
        let inputs = std::mem::take(&mut place.desk.inputs);
        inputs.into_iter().for_each(|input| self.handle(input, now));
    }

    fn next_output(&mut self, now: Instant) -> Option<Output<G>> {
        self.tape.step(now, || TeamAct::Polled);
        self.team.poll_output(now)
    }
}

impl<G: Game> Place<G> {
    /// Moves what the session wants written to the arena's pile.
    fn post(&mut self, answers: &mut Vec<(ConnectionId, Vec<u8>)>) {
        while let Some(message) = self.desk.outbox.pop_front() {
            if let Some(connection) = self.connection {
                answers.push((connection, message));
            }
        }
        self.desk.outbox_bytes = 0;
    }

    fn lose(&mut self, reason: &str, now: Instant, again: Instant) -> Option<ConnectionId> {
        self.desk.disconnected(now);
        if self.desk.over {
            self.desk.set_state(SeatState::Closed);
        } else {
            if !self.desk.refused {
                let reason = reason.to_owned();
                self.desk.set_state(SeatState::Connecting { failures: 1, reason });
            }
            self.connect_at = Some(again);
        }
        self.connection.take()
    }
}

impl<G: Game, B: Brain> Side for TeamSide<G, B> {
    fn wants_connection(&self, now: Instant) -> Option<usize> {
        self.places.iter().position(|place| place.connect_at.is_some_and(|at| at <= now))
    }

    fn connect(&mut self, seat: usize, connection: ConnectionId, now: Instant) -> String {
        let Some(place) = self.places.get_mut(seat) else { return String::new() };
        let target = place.desk.session.target();
        place.connect_at = None;
        place.connection = Some(connection);
        place.desk.connected(now);
        target
    }

    fn begin_batch(&mut self) {
        self.batch = wall_clock();
    }

    fn deliver(&mut self, seat: usize, bytes: &[u8], now: Instant) {
        let again = now + self.reconnect_after;
        let Some(place) = self.places.get_mut(seat) else { return };
        if place.connection.is_none() {
            return;
        }
        if let Err(error) = place.desk.input(bytes, now) {
            self.left.extend(place.lose(&error.to_string(), now, again));
        }
    }

    fn closed(&mut self, seat: usize, now: Instant) {
        let again = now + self.reconnect_after;
        if let Some(place) = self.places.get_mut(seat) {
            // The arena knows already that this connection is gone.
            place.lose("the referee closed the connection", now, again);
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
        for place in &mut self.places {
            place.post(answers);
            if let Some(reason) = place.desk.hangup.take() {
                self.left.extend(place.lose(&reason, now, again));
            }
            inputs.append(&mut place.desk.inputs);
        }
        inputs.into_iter().for_each(|input| self.handle(input, now));
        while let Some(output) = self.next_output(now) {
            match output {
                Output::Act { seat, agent, turn, action } => {
                    self.act(seat, turn, agent, &action, now, answers);
                }
                Output::Publish(snapshot) => {
                    observer.snapshot(team, &snapshot);
                    self.ledger.published(&snapshot);
                    self.lookout.published(&snapshot);
                    self.snapshot = snapshot;
                }
                Output::Journal(entry) => {
                    self.ledger.told(&entry.event);
                    self.lookout.told(&entry, now);
                    self.tape.put(now, || Taped::Journal(Arc::new(entry.clone())));
                    observer.journal(team, entry);
                }
                Output::Answer { ticket, answer } => {
                    self.ledger.answered(ticket, &answer);
                    observer.answer(team, answer);
                }
                // Nobody can add agents to a match on a virtual clock.
                Output::Roster { .. } | Output::Drained => {}
            }
        }
        self.lookout.look(&self.team, &self.tape, now);
        self.tape.flush(now);
    }

    fn install(&mut self, staged: Staged, now: Instant) {
        self.handle(Input::Install { ticket: OWN_TICKET, staged, pinned: false }, now);
    }

    fn restart(&mut self, now: Instant) -> Result<bool, BuildError> {
        let Some(checkpoint) = self.team.checkpoint() else { return Ok(false) };
        let identity = Identity {
            team: self.roster.team.clone(),
            game: G::NAME.to_owned(),
            server: "lockstep".to_owned(),
            begun: UNIX_EPOCH,
            saved: UNIX_EPOCH,
        };
        let checkpoint = checkpoint.freeze(&identity, &mut Freezer::default());
        let start = TeamStart {
            staged: self.ledger.proven(),
            board_revision: self.snapshot.board_revision,
            checkpoint: Some(checkpoint.into()),
            ..TeamStart::default()
        };
        let parts = (&self.game, &self.roster, self.seats.as_slice(), self.options);
        self.team = team(parts, start, &mut self.make_brain, &self.tape, now)?;
        let first = self.standing.replay().into_iter().chain(self.ledger.replay());
        for input in first.collect::<Vec<_>>() {
            self.tape.handled(now, &input);
            self.team.handle(input, now);
        }
        Ok(true)
    }

    fn left(&mut self) -> Vec<ConnectionId> {
        std::mem::take(&mut self.left)
    }

    fn timeout(&mut self, now: Instant) {
        for place in &mut self.places {
            if place.desk.session.poll_timeout().is_some_and(|due| due <= now) {
                place.desk.timeout(now);
            }
        }
        if self.team.poll_timeout().is_some_and(|due| due <= now) {
            self.tape.step(now, || TeamAct::TimedOut);
            self.team.handle_timeout(now);
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let places = self.places.iter();
        let timers = places.flat_map(|place| [place.desk.session.poll_timeout(), place.connect_at]);
        timers.flatten().chain(self.team.poll_timeout()).min()
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot)
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }
}

/// Makes a team and tells the tape of what.
fn team<G: Game, B: Brain>(
    (game, roster, seats, options): (&G, &Arc<Roster>, &[SeatId], TeamOptions),
    start: TeamStart,
    make_brain: &mut MakeBrain<B>,
    tape: &Tape,
    now: Instant,
) -> Result<Team<G, TapedBrain<B>>, BuildError> {
    tape.put(now, || Taped::Began(Box::new(beginning(roster, seats, options, &start))));
    // What seats do comes behind it.
    tape.flush(now);
    let brain = |link: TeamLink, staged: &_| {
        let shared = Rc::clone(&link.shared);
        let brain = make_brain(link, staged)?;
        Ok(TapedBrain::new(brain, tape.clone(), shared, Clock::Virtual, Arc::default()))
    };
    let team = Team::new(game, Arc::clone(roster), seats.to_vec(), options, start, brain);
    team.map_err(|source| BuildError::Brain { team: roster.team.clone(), source })
}

/// Real time, for measuring only: no decision depends on it.
fn wall_clock() -> Instant {
    Instant::now()
}
