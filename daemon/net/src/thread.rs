//! A team's thread: takes everything that waits, decides, hands each action out at once.

use crate::checkpoint::{CheckpointOptions, Checkpoints};
use crate::clock::{now, until};
use crate::course::Course;
use crate::handle::{Lineup, TeamEnd};
use crate::ledger::Ledger;
use crate::lookout::Lookout;
use crate::options::INBOX_EVENTS_MAX;
use crate::places::Ways;
use crate::pulse::Beat;
use crate::seat::{Act, panic_text};
use crate::standing::Standing;
use crate::tape::{Clock, Tape, TapedBrain, beginning};
use crate::tickets::Tickets;
use crate::turn_span::TurnSpan;
use crate::{Recorder, Taped};
use futures_util::FutureExt;
use phalanx_engine::{
    Brain, BrainError, Input, JournalEntry, Output, Snapshot, Staged, Team, TeamAct, TeamLink,
    TeamOptions, TeamStart,
};
use phalanx_game::{Game, Roster, SeatId};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

/// So many panics of a team's thread within [`RESTART_WINDOW`] are survived; one more ends it.
pub const RESTARTS_MAX: usize = 3;
/// No board changes so often between two snapshots: after a panic it counts on behind all of it.
const LOST_CHANGES: u64 = 1 << 32;
/// See [`RESTARTS_MAX`].
pub const RESTART_WINDOW: Duration = Duration::from_secs(60);

/// What a team is made of, again after each panic.
pub(crate) struct Recipe<G: Game, F> {
    /// The team's name in the daemon.
    pub(crate) name: String,
    pub(crate) game: G,
    pub(crate) roster: Arc<Roster>,
    pub(crate) seat_of: Vec<SeatId>,
    pub(crate) options: TeamOptions,
    /// What the first brain plays.
    pub(crate) staged: Staged,
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    pub(crate) checkpoints: Option<CheckpointOptions>,
    pub(crate) make_brain: F,
}

impl<G: Game, F> Recipe<G, F> {
    fn team<B: Brain>(
        &mut self,
        start: TeamStart,
        tape: &Tape,
    ) -> Result<Team<G, TapedBrain<B>>, BrainError>
    where
        F: FnMut(TeamLink, &Staged) -> Result<B, BrainError>,
    {
        let (roster, seats) = (Arc::clone(&self.roster), self.seat_of.clone());
        let begun = || beginning(&roster, &seats, self.options, &start);
        tape.put(now(), || Taped::Began(Box::new(begun())));
        // What seats do comes behind it.
        tape.flush(now());
        let brain = |link: TeamLink, staged: &_| {
            let shared = Rc::clone(&link.shared);
            let brain = (self.make_brain)(link, staged)?;
            Ok(TapedBrain::new(brain, tape.clone(), shared, Clock::Real))
        };
        // A panic in the factory is one more way in which a strategy does not load.
        let (game, options) = (&self.game, self.options);
        let made = AssertUnwindSafe(|| Team::new(game, roster, seats, options, start, brain));
        catch_unwind(made).unwrap_or_else(|panic| {
            Err(BrainError {
                kind: phalanx_engine::BrainErrorKind::Script,
                place: None,
                role: String::new(),
                message: format!("the brain panicked at its start: {}", panic_text(&*panic)),
            })
        })
    }
}

/// Where a team's outputs go, and who tells it to stop.
pub(crate) struct Outlets<G: Game> {
    pub(crate) ways: watch::Receiver<Ways<G>>,
    pub(crate) lineup: watch::Sender<Lineup>,
    pub(crate) snapshot: watch::Sender<Arc<Snapshot>>,
    pub(crate) journal: broadcast::Sender<Arc<JournalEntry>>,
    pub(crate) ended: watch::Sender<Option<TeamEnd>>,
    pub(crate) restarts: Arc<AtomicU32>,
    pub(crate) signals: Signals,
    pub(crate) tickets: Arc<Tickets>,
    pub(crate) beat: Beat,
    pub(crate) course: watch::Receiver<Course>,
}

/// One-way signals between a team's parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    /// To the thread: answer what is open, ask for nothing more.
    pub(crate) drain: CancellationToken,
    /// From the thread: that is done.
    pub(crate) drained: CancellationToken,
    /// To the seats: say goodbye.
    pub(crate) leave: CancellationToken,
    /// To the thread: the seats are gone.
    pub(crate) stop: CancellationToken,
}

/// The thread's body. Reports through `built` whether the team could be made, then waits for
/// `outlets`; when that channel is dropped instead, the team was never spawned.
pub(crate) fn run<G, B, F>(
    mut recipe: Recipe<G, F>,
    inbox: mpsc::Receiver<Input<G>>,
    built: oneshot::Sender<Result<(), BrainError>>,
    outlets: oneshot::Receiver<Outlets<G>>,
    runtime: &tokio::runtime::Runtime,
) where
    G: Game,
    B: Brain,
    F: FnMut(TeamLink, &Staged) -> Result<B, BrainError>,
{
    let checkpoint = recipe.checkpoints.as_ref().and_then(|options| options.from.clone());
    let start = TeamStart { staged: recipe.staged.clone(), checkpoint, ..TeamStart::default() };
    let tape = Tape::new(recipe.recorder.clone());
    let first = match recipe.team::<B>(start, &tape) {
        Ok(team) => team,
        Err(error) => {
            drop(built.send(Err(error)));
            return;
        }
    };
    if built.send(Ok(())).is_err() {
        return;
    }
    runtime.block_on(async move {
        let Ok(outlets) = outlets.await else { return };
        let checkpoints = Checkpoints::new(recipe.name.clone(), recipe.checkpoints.take());
        let mut thread = TeamThread::new(inbox, outlets, recipe.staged.clone(), tape, checkpoints);
        let end = thread.supervise(first, &mut recipe).await;
        thread.inbox.close();
        thread.tape.put(now(), || Taped::Ended);
        thread.tape.flush(now());
        // Whoever learns of the end finds the journal closed and complete.
        let Outlets { ended, journal, tickets, .. } = thread.outlets;
        tickets.close();
        drop(journal);
        ended.send_replace(Some(end));
    });
}

struct TeamThread<G: Game> {
    inbox: mpsc::Receiver<Input<G>>,
    outlets: Outlets<G>,
    /// The ways to the seats, as they were when an action left last.
    ways: Ways<G>,
    standing: Standing<G>,
    ledger: Ledger,
    /// Inputs to be handled before the inbox: what a fresh team must know, failed hand-offs.
    first: VecDeque<Input<G>>,
    /// The drain signal was passed on to the team.
    draining: bool,
    panics: VecDeque<Instant>,
    turn: TurnSpan,
    tape: Tape,
    lookout: Lookout,
    checkpoints: Checkpoints<G>,
}

impl<G: Game> TeamThread<G> {
    fn new(
        inbox: mpsc::Receiver<Input<G>>,
        outlets: Outlets<G>,
        first: Staged,
        tape: Tape,
        checkpoints: Checkpoints<G>,
    ) -> Self {
        Self {
            inbox,
            ways: Ways::new(),
            outlets,
            standing: Standing::default(),
            ledger: Ledger::new(first),
            first: VecDeque::new(),
            draining: false,
            panics: VecDeque::new(),
            turn: TurnSpan::default(),
            tape,
            lookout: Lookout::default(),
            checkpoints,
        }
    }

    async fn supervise<B: Brain, F>(
        &mut self,
        first: Team<G, TapedBrain<B>>,
        recipe: &mut Recipe<G, F>,
    ) -> TeamEnd
    where
        F: FnMut(TeamLink, &Staged) -> Result<B, BrainError>,
    {
        let mut next: Result<_, BrainError> = Ok(first);
        loop {
            let reason = match next {
                Ok(mut team) => {
                    let serving = AssertUnwindSafe(self.serve(&mut team)).catch_unwind().await;
                    // What panicked once may panic again while it is dropped.
                    drop(catch_unwind(AssertUnwindSafe(|| drop(team))));
                    match serving {
                        Ok(end) => return end,
                        Err(panic) => format!("the team panicked: {}", panic_text(&*panic)),
                    }
                }
                Err(error) => error.to_string(),
            };
            if !self.may_restart(now()) {
                tracing::error!(reason, "the team is given up; its seats answer by themselves");
                return TeamEnd::Crashed { reason };
            }
            tracing::error!(reason, "the team restarts; its seats answered meanwhile");
            self.outlets.restarts.fetch_add(1, Ordering::Relaxed);
            self.ledger.panicked(&self.outlets.tickets);
            self.first = self.standing.replay().into();
            self.first.extend(self.ledger.replay());
            let last = Arc::clone(&self.outlets.snapshot.borrow());
            let steering = last.agents.iter().map(|agent| agent.steering.clone()).collect();
            let (staged, params) = (self.ledger.proven(), (*last.params).clone());
            let Lineup { roster, seats } = self.outlets.lineup.borrow().clone();
            (recipe.roster, recipe.seat_of) = (roster, seats);
            let board_revision = last.board_revision.saturating_add(LOST_CHANGES);
            // What fails again so soon may fail because of what it knows.
            let once = self.panics.len() == 1;
            let checkpoint = once.then(|| self.checkpoints.take_last(&last)).flatten();
            let start = TeamStart { staged, params, steering, board_revision, checkpoint };
            next = recipe.team(start, &self.tape);
        }
    }

    fn may_restart(&mut self, now: Instant) -> bool {
        self.panics.retain(|at| now.saturating_duration_since(*at) < RESTART_WINDOW);
        self.panics.push_back(now);
        self.panics.len() <= RESTARTS_MAX
    }

    async fn serve<B: Brain>(&mut self, team: &mut Team<G, B>) -> TeamEnd {
        loop {
            self.outlets.beat.answer();
            let closed = self.take_all(team);
            let present = now();
            self.tape.step(present, || TeamAct::Polled);
            if let Some(output) = self.turn.within(|| team.poll_output(present)) {
                self.emit(output);
                continue;
            }
            if self.lookout.due().is_some_and(|due| due <= present) {
                self.lookout.look(team, &self.tape, present);
            }
            let course = &self.outlets.course;
            self.checkpoints.keep(team, || course.borrow().endpoint.to_string(), now());
            let stopped = self.outlets.signals.stop.is_cancelled();
            if (closed || stopped) && self.first.is_empty() && self.inbox.is_empty() {
                self.lookout.look(team, &self.tape, present);
                let drained = self.outlets.signals.leave.is_cancelled();
                return if drained { TeamEnd::Drained } else { TeamEnd::MatchOver };
            }
            if let Some(due) = team.poll_timeout().filter(|due| *due <= now()) {
                let at = now().max(due);
                self.tape.step(at, || TeamAct::TimedOut);
                team.handle_timeout(at);
                continue;
            }
            self.wait(team).await;
        }
    }

    /// Nobody decides on the older of two turns: all that waits is handled before the next
    /// decision. At most one inbox full, so that a flood cannot keep the team from deciding.
    fn take_all<B: Brain>(&mut self, team: &mut Team<G, B>) -> bool {
        while let Some(input) = self.first.pop_front() {
            let at = now();
            self.lookout.look(team, &self.tape, at);
            self.tape.handled(at, &input);
            team.handle(input, at);
        }
        if self.outlets.signals.drain.is_cancelled() && !self.draining {
            self.draining = true;
            self.handle(Input::Drain, team);
        }
        for _ in 0..INBOX_EVENTS_MAX {
            match self.inbox.try_recv() {
                Ok(input) => self.handle(input, team),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => return true,
            }
        }
        false
    }

    fn handle<B: Brain>(&mut self, input: Input<G>, team: &mut Team<G, B>) {
        self.standing.note(&input);
        self.ledger.note(&input);
        self.turn.note(&input);
        let at = now();
        self.lookout.look(team, &self.tape, at);
        self.tape.handled(at, &input);
        self.turn.within(|| team.handle(input, at));
    }

    async fn wait<B: Brain>(&mut self, team: &mut Team<G, B>) {
        self.tape.flush(now());
        let Outlets { signals: Signals { drain, stop, .. }, beat, .. } = &mut self.outlets;
        let input = tokio::select! {
            biased;
            input = self.inbox.recv() => input,
            () = drain.cancelled(), if !self.draining => None,
            () = stop.cancelled() => None,
            () = until(team.poll_timeout()) => None,
            () = until(self.checkpoints.next()) => None,
            () = until(self.lookout.due()) => None,
            () = beat.asked() => None,
        };
        if let Some(input) = input {
            self.handle(input, team);
        }
    }

    fn emit(&mut self, output: Output<G>) {
        match output {
            Output::Act { seat, agent, turn, action } => {
                // Seldom more than a look at a number: ways are added when agents are.
                if self.outlets.ways.has_changed().unwrap_or(false) {
                    self.ways.clone_from(&self.outlets.ways.borrow_and_update());
                }
                let queue = self.ways.get(seat.index());
                let sent =
                    queue.is_some_and(|queue| queue.try_send(Act { turn, agent, action }).is_ok());
                // A seat that takes nothing is no reason to wait: it answers by itself.
                if !sent {
                    self.first.push_back(Input::Late { agent, turn });
                }
            }
            Output::Roster { roster, seats } => {
                self.outlets.lineup.send_replace(Lineup { roster, seats });
            }
            Output::Publish(snapshot) => {
                self.ledger.published(&snapshot);
                self.lookout.published(&snapshot);
                self.outlets.snapshot.send_replace(snapshot);
            }
            // Without readers there is nobody to tell.
            Output::Journal(entry) => {
                self.ledger.told(&entry.event);
                self.turn.told(&entry.event);
                let entry = Arc::new(entry);
                self.lookout.told(&entry, now());
                self.checkpoints.told(&entry.event);
                self.tape.put(now(), || Taped::Journal(Arc::clone(&entry)));
                drop(self.outlets.journal.send(entry));
            }
            Output::Answer { ticket, answer } => {
                self.ledger.answered(ticket, &answer);
                self.outlets.tickets.answer(ticket, answer);
            }
            Output::Drained => {
                self.checkpoints.leaving();
                self.outlets.signals.drained.cancel();
            }
        }
    }
}
