//! A team's thread: takes everything that waits, decides, hands each action out at once.

use crate::checkpoint::{After, CheckpointOptions, Checkpoints};
use crate::clock::{now, until};
use crate::lease::{Abandoned, Lease};
use crate::mailbox::Mailbox;
use crate::options::INBOX_EVENTS_MAX;
use crate::pulse::Beat;
use crate::sampler::Sampler;
use crate::seat::{Act, panic_text};
use crate::seat_registry::{Lineup, SeatSenders};
use crate::seat_target::SeatTarget;
use crate::tape::{Clock, Tape, TapedBrain};
use crate::thread_recovery::ThreadRecovery;
use crate::tickets::Tickets;
use crate::turn_span::TurnSpan;
use crate::{Recorder, Taped};
use futures_util::FutureExt;
use phalanx_engine::{
    Brain, BrainError, Input, JournalEntry, JournalEvent, LOST_CHANGES, Output, Snapshot, Staged,
    Team, TeamAct, TeamLink, TeamOptions, TeamStart, TeamState,
};
use phalanx_game::{Game, Roster, SeatId};
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, oneshot, watch};
use tokio_util::sync::CancellationToken;

/// A team's thread survives this many panics within [`RESTART_WINDOW`]; one more ends it.
pub const RESTARTS_MAX: usize = 3;
/// See [`RESTARTS_MAX`].
pub const RESTART_WINDOW: Duration = Duration::from_secs(60);

/// What a team is made of, again after each panic and for each thread that takes its place.
#[derive(Clone)]
pub(crate) struct TeamBlueprint<G: Game, F> {
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

impl<G: Game, F> TeamBlueprint<G, F> {
    /// A start with the blueprint's seats and options.
    fn start(&self, staged: Staged, state: TeamState, checkpoint: Option<Arc<[u8]>>) -> TeamStart {
        TeamStart { seats: self.seat_of.clone(), options: self.options, staged, state, checkpoint }
    }

    fn team(
        &mut self,
        start: TeamStart,
        ThreadRun { tape, lease }: &ThreadRun,
    ) -> Result<Team<G>, BrainError>
    where
        F: FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError>,
    {
        tape.put(now(), || Taped::Began(Box::new(start.clone())));
        // What seats do comes behind it.
        tape.flush(now());
        let brain = |link: TeamLink, staged: &_| {
            let shared = Rc::clone(&link.shared);
            let brain = (self.make_brain)(link, staged)?;
            Ok(TapedBrain::new(brain, tape.clone(), shared, Clock::Real, Arc::clone(lease)))
        };
        // A panic in the factory is one more way in which a strategy does not load.
        let game = &self.game;
        let made = AssertUnwindSafe(|| Team::new(game, start, brain));
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

/// What one thread of a team has of its own. An abandoned thread keeps both, but its lease is void
/// and its tape is closed.
#[derive(Clone, Debug)]
pub(crate) struct ThreadRun {
    pub(crate) lease: Arc<Lease>,
    pub(crate) tape: Tape,
}

impl ThreadRun {
    pub(crate) fn new(recorder: Option<Arc<dyn Recorder>>) -> Self {
        Self { lease: Arc::default(), tape: Tape::new(recorder) }
    }
}

/// Where a team's outputs go, and who tells it to stop.
#[derive(Clone)]
pub(crate) struct Outlets<G: Game> {
    pub(crate) inbox: Mailbox<G>,
    pub(crate) thread_recovery: ThreadRecovery<G>,
    pub(crate) senders: watch::Receiver<SeatSenders<G>>,
    pub(crate) lineup: watch::Sender<Lineup>,
    pub(crate) snapshot: watch::Sender<Arc<Snapshot>>,
    pub(crate) journal: broadcast::WeakSender<Arc<JournalEntry>>,
    pub(crate) restarts: Arc<AtomicU32>,
    /// Counts the teams that were made, the first one included.
    pub(crate) team_starts: watch::Sender<u64>,
    pub(crate) signals: Signals,
    pub(crate) tickets: Arc<Tickets>,
    pub(crate) target: watch::Receiver<SeatTarget>,
}

/// Why a team ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamEnd {
    /// The referee ended the match for every seat.
    MatchOver,
    /// It was drained.
    Drained,
    /// It panicked too often.
    Crashed {
        /// The last panic.
        reason: String,
    },
}

impl fmt::Display for TeamEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MatchOver => f.write_str("the match is over"),
            Self::Drained => f.write_str("drained"),
            Self::Crashed { reason } => write!(f, "given up: {reason}"),
        }
    }
}

/// What the thread says of itself.
pub(crate) struct ThreadChannels {
    pub(crate) beat: Beat,
    /// Why the team has ended.
    pub(crate) ended: oneshot::Sender<TeamEnd>,
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

/// The body of a team's first thread. Reports through `built` whether the team could be made, then
/// waits for `outlets`; when that channel is dropped instead, the team was never spawned.
pub(crate) fn run<G, F>(
    mut blueprint: TeamBlueprint<G, F>,
    thread_run: ThreadRun,
    built: oneshot::Sender<Result<(), BrainError>>,
    outlets: oneshot::Receiver<(Outlets<G>, ThreadChannels)>,
    runtime: &tokio::runtime::Runtime,
) where
    G: Game,
    F: FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError>,
{
    let checkpoint = blueprint.checkpoints.as_ref().and_then(|options| options.from.clone());
    let (staged, state) = (blueprint.staged.clone(), TeamState::new(Arc::clone(&blueprint.roster)));
    let start = blueprint.start(staged, state, checkpoint);
    let first = match blueprint.team(start, &thread_run) {
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
        let Ok((outlets, channels)) = outlets.await else { return };
        live(Some(first), blueprint, thread_run, (outlets, channels)).await;
    });
}

/// The body of a thread that takes the place of one that was abandoned.
pub(crate) fn run_again<G, F>(
    blueprint: TeamBlueprint<G, F>,
    thread_run: ThreadRun,
    (outlets, channels): (Outlets<G>, ThreadChannels),
    runtime: &tokio::runtime::Runtime,
) where
    G: Game,
    F: FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError>,
{
    runtime.block_on(live(None, blueprint, thread_run, (outlets, channels)));
}

async fn live<G, F>(
    first: Option<Team<G>>,
    mut blueprint: TeamBlueprint<G, F>,
    thread_run: ThreadRun,
    (outlets, ThreadChannels { beat, ended }): (Outlets<G>, ThreadChannels),
) where
    G: Game,
    F: FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError>,
{
    let mut thread = TeamThread::new(outlets, thread_run, beat, &mut blueprint);
    let living = AssertUnwindSafe(thread.supervise(first, &mut blueprint)).catch_unwind();
    let end = living.await.unwrap_or_else(|panic| {
        let reason = panic_text(&*panic).to_owned();
        (!panic.is::<Abandoned>()).then_some(TeamEnd::Crashed { reason })
    });
    let Some(end) = end else {
        // Another thread acts for the team.
        thread.beat.retire();
        tracing::warn!("an abandoned thread came back, and ends");
        return;
    };
    thread.outlets.inbox.close();
    thread.thread_run.tape.put(now(), || Taped::Ended);
    thread.thread_run.tape.flush(now());
    // When the end is published, the journal is complete.
    thread.outlets.tickets.close();
    drop(ended.send(end));
}

/// Why a team is not served any longer.
enum Served {
    Ended(TeamEnd),
    /// It is to be made anew.
    Again,
}

struct TeamThread<G: Game> {
    outlets: Outlets<G>,
    thread_run: ThreadRun,
    beat: Beat,
    /// The senders to the seats, as they were when an action left last.
    senders: SeatSenders<G>,
    /// Inputs to be handled before the inbox: what a fresh team must know, failed hand-offs.
    first: VecDeque<Input<G>>,
    /// The drain signal was passed on to the team.
    draining: bool,
    panics: VecDeque<Instant>,
    turn: TurnSpan,
    sampler: Sampler,
    checkpoints: Checkpoints<G>,
}

impl<G: Game> TeamThread<G> {
    fn new<F>(
        outlets: Outlets<G>,
        thread_run: ThreadRun,
        beat: Beat,
        blueprint: &mut TeamBlueprint<G, F>,
    ) -> Self {
        let (name, options) = (blueprint.name.clone(), blueprint.checkpoints.take());
        let checkpoints = Checkpoints::new(name, options, outlets.thread_recovery.clone());
        Self {
            outlets,
            thread_run,
            beat,
            senders: SeatSenders::new(),
            first: VecDeque::new(),
            draining: false,
            panics: VecDeque::new(),
            turn: TurnSpan::default(),
            sampler: Sampler::default(),
            checkpoints,
        }
    }

    /// Serves one team after the other, until there is none any more. Without a first one, the
    /// first is made of what the thread before left. `None`: the thread was abandoned.
    async fn supervise<F>(
        &mut self,
        first: Option<Team<G>>,
        blueprint: &mut TeamBlueprint<G, F>,
    ) -> Option<TeamEnd>
    where
        F: FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError>,
    {
        let mut next = match first {
            Some(team) => Ok(team),
            None => self.again(blueprint, Some(After::Replacement)),
        };
        loop {
            let reason = match next {
                Ok(mut team) => {
                    self.outlets
                        .team_starts
                        .send_modify(|team_starts| *team_starts = team_starts.saturating_add(1));
                    let serving = AssertUnwindSafe(self.serve(&mut team)).catch_unwind().await;
                    // What panicked once may panic again while it is dropped.
                    drop(catch_unwind(AssertUnwindSafe(|| drop(team))));
                    match serving {
                        Ok(Served::Ended(end)) => return Some(end),
                        Ok(Served::Again) => {
                            next = self.again(blueprint, Some(After::Replacement));
                            continue;
                        }
                        Err(panic) if panic.is::<Abandoned>() => return None,
                        Err(panic) => format!("the team panicked: {}", panic_text(&*panic)),
                    }
                }
                Err(error) => error.to_string(),
            };
            self.thread_run.lease.recover();
            if !self.may_restart(now()) {
                tracing::error!(reason, "the team is given up; its seats answer by themselves");
                return Some(TeamEnd::Crashed { reason });
            }
            tracing::error!(reason, "the team restarts; its seats answered meanwhile");
            self.outlets.restarts.fetch_add(1, Ordering::Relaxed);
            // What fails again so soon may fail because of what it knows.
            let once = self.panics.len() == 1;
            next = self.again(blueprint, once.then_some(After::Panic));
        }
    }

    /// Another team, made of what outlived the last one; `None`: without its checkpoint.
    fn again<F>(
        &mut self,
        blueprint: &mut TeamBlueprint<G, F>,
        after: Option<After>,
    ) -> Result<Team<G>, BrainError>
    where
        F: FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError>,
    {
        let last = Arc::clone(&self.outlets.snapshot.borrow());
        let mut parts = self.outlets.thread_recovery.parts();
        parts.recovery.panicked(&self.outlets.tickets);
        self.first = parts.recovery.replay().into();
        let staged = parts.recovery.proven();
        drop(parts);
        let Lineup { roster, seats } = self.outlets.lineup.borrow().clone();
        (blueprint.roster, blueprint.seat_of) = (Arc::clone(&roster), seats);
        let state = TeamState::new(roster)
            .operated(Arc::clone(&last.params), last.steering())
            .after(last.board_revision.saturating_add(LOST_CHANGES));
        let checkpoint = after.and_then(|after| self.checkpoints.last(&last, after));
        let start = blueprint.start(staged, state, checkpoint);
        let thread_run = self.thread_run.clone();
        thread_run.lease.work(|| blueprint.team(start, &thread_run))
    }

    fn may_restart(&mut self, now: Instant) -> bool {
        self.panics.retain(|at| now.saturating_duration_since(*at) < RESTART_WINDOW);
        self.panics.push_back(now);
        self.panics.len() <= RESTARTS_MAX
    }

    async fn serve(&mut self, team: &mut Team<G>) -> Served {
        let ThreadRun { lease, tape } = self.thread_run.clone();
        loop {
            self.beat.answer();
            if self.outlets.inbox.take_restart() {
                return Served::Again;
            }
            let closed = self.take_all(team);
            let present = now();
            tape.step(present, || TeamAct::Polled);
            let poll = || self.turn.within(|| team.poll_output(present));
            if let Some(output) = lease.work(poll) {
                self.emit(output);
                continue;
            }
            if self.sampler.due().is_some_and(|due| due <= present) {
                self.look(team, present);
            }
            let target = &self.outlets.target;
            let server = || target.borrow().endpoint.to_string();
            self.checkpoints.keep(team, server, (now(), &lease));
            let stopped = self.outlets.signals.stop.is_cancelled();
            if (closed || stopped) && self.first.is_empty() && self.outlets.inbox.is_empty() {
                self.look(team, present);
                let show = || catch_unwind(AssertUnwindSafe(|| team.final_view()));
                if let Ok(view) = lease.work(show) {
                    self.outlets.tickets.keep(view);
                }
                let drained = self.outlets.signals.leave.is_cancelled();
                let end = if drained { TeamEnd::Drained } else { TeamEnd::MatchOver };
                return Served::Ended(end);
            }
            if let Some(due) = team.poll_timeout().filter(|due| *due <= now()) {
                let at = now().max(due);
                tape.step(at, || TeamAct::TimedOut);
                lease.work(|| team.handle_timeout(at));
                continue;
            }
            self.wait(team).await;
        }
    }

    /// The team never decides the older of two turns: all that waits is handled before the next
    /// decision. At most one inbox full, so that a flood cannot keep the team from deciding.
    fn take_all(&mut self, team: &mut Team<G>) -> bool {
        while let Some(input) = self.first.pop_front() {
            let at = now();
            self.look(team, at);
            self.thread_run.tape.handled(at, &input);
            self.thread_run.lease.work(|| team.handle(input, at));
        }
        if self.outlets.signals.drain.is_cancelled() && !self.draining {
            self.draining = true;
            self.handle(Input::Drain, team);
        }
        for _ in 0..INBOX_EVENTS_MAX {
            let Some(input) = self.outlets.inbox.try_recv() else { break };
            self.handle(input, team);
        }
        self.outlets.inbox.is_finished()
    }

    fn handle(&mut self, input: Input<G>, team: &mut Team<G>) {
        self.outlets.thread_recovery.note(&input);
        self.turn.note(&input);
        let at = now();
        self.look(team, at);
        self.thread_run.tape.handled(at, &input);
        self.thread_run.lease.work(|| self.turn.within(|| team.handle(input, at)));
    }

    fn look(&mut self, team: &Team<G>, at: Instant) {
        if self.sampler.due().is_some() {
            let ThreadRun { lease, tape } = &self.thread_run;
            lease.work(|| self.sampler.look(team, tape, at));
        }
    }

    async fn wait(&mut self, team: &mut Team<G>) {
        self.thread_run.tape.flush(now());
        let Outlets { signals: Signals { drain, stop, .. }, inbox, .. } = &self.outlets;
        let input = tokio::select! {
            biased;
            input = inbox.recv() => input,
            () = drain.cancelled(), if !self.draining => None,
            () = stop.cancelled() => None,
            () = until(team.poll_timeout()) => None,
            () = until(self.checkpoints.next()) => None,
            () = until(self.sampler.due()) => None,
            () = self.beat.asked() => None,
        };
        if let Some(input) = input {
            self.handle(input, team);
        }
    }

    fn emit(&mut self, output: Output<G>) {
        match output {
            Output::Act { seat, agent, turn, action } => {
                // Seldom more than a look at a number: senders are added when agents are.
                if self.outlets.senders.has_changed().unwrap_or(false) {
                    self.senders.clone_from(&self.outlets.senders.borrow_and_update());
                }
                let queue = self.senders.get(seat.index());
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
                self.outlets.thread_recovery.parts().recovery.published(&snapshot);
                self.sampler.published(&snapshot);
                self.outlets.snapshot.send_replace(snapshot);
            }
            // Without readers the entry has no receiver.
            Output::Journal(entry) => {
                if let JournalEvent::TakenBack { .. } = &entry.event {
                    self.outlets.thread_recovery.parts().recovery.journaled(&entry.event);
                }
                self.turn.journaled(&entry.event);
                let entry = Arc::new(entry);
                self.sampler.journaled(&entry, now());
                self.checkpoints.journaled(&entry.event);
                self.thread_run.tape.put(now(), || Taped::Journal(Arc::clone(&entry)));
                drop(self.outlets.journal.upgrade().map(|journal| journal.send(entry)));
            }
            Output::Answer { ticket, answer } => {
                self.outlets.thread_recovery.parts().recovery.answered(ticket, &answer);
                self.outlets.tickets.answer(ticket, answer);
            }
            Output::Drained => {
                self.checkpoints.leaving();
                self.outlets.signals.drained.cancel();
            }
        }
    }
}
