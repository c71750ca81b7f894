//! One team as a state machine.

mod alert;
mod counters;
mod crew;
mod decide;
mod ending;
mod enrol;
mod events;
mod generations;
mod intent;
mod leave;
mod look;
mod operator;
mod quorum;
mod report;
mod resume;
mod retune;
mod steer;
mod suspend;
mod swap;
mod turns;

pub use look::SCENE_EVERY;
pub use resume::LOST_CHANGES;

use crate::alerts::Alerts;
use crate::checkpoint::thaw;
use crate::rounds::TeamRounds;
use crate::turn::Phase;
use crate::{
    Board, Brain, BrainError, CommandRequest, Input, JournalEvent, Output, Shared, Staged,
    TeamLink, TeamOptions, TeamState,
};
use counters::MatchCounters;
use crew::Crew;
use ending::Ending;
use generations::Generations;
use look::Observation;
use phalanx_game::{AgentId, Game, SeatId, Turn, World};
use quorum::Quorum;
use resume::ResumeCheck;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use turns::TurnState;

/// What a team is made of: at its start, and again after each restart. A recording keeps it.
#[derive(Clone, Debug)]
pub struct TeamStart {
    /// The seat of each agent, by roster index.
    pub seats: Vec<SeatId>,
    /// Time limits and other options.
    pub options: TeamOptions,
    /// The strategy. The brain is made from it, and it replaces later ones that fail.
    pub staged: Staged,
    /// The state that the team begins with: what operators set before a restart.
    pub state: TeamState,
    /// A checkpoint to continue from; it replaces the state. `None`: the team begins with the
    /// state. If the checkpoint cannot be used, the journal says why.
    pub checkpoint: Option<Arc<[u8]>>,
}

/// Makes the brain of a team that is being made.
type MakeBrain<'a> = Box<dyn FnOnce(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError> + 'a>;

/// One team. It lives on one thread, the only one that has access to its world.
pub struct Team<G: Game> {
    game: G,
    options: TeamOptions,
    brain: Box<dyn Brain>,
    world: Rc<RefCell<G::World>>,
    shared: Rc<RefCell<Shared>>,
    crew: Crew,
    turns: TurnState,
    quorum: Quorum<G>,
    generations: Generations,
    alerts: Alerts,
    counters: MatchCounters,
    observation: Observation,
    resume: ResumeCheck<G>,
    ending: Ending,
    /// Commands that wait for their moment, in the order in which they came.
    commands: VecDeque<CommandRequest>,
    outputs: VecDeque<Output<G>>,
}

impl<G: Game> fmt::Debug for Team<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<G: Game> Team<G> {
    /// A team without connections yet. `brain` makes a brain that plays the generation that it is
    /// given.
    ///
    /// # Errors
    /// The error of `brain`, for example that the strategy does not compile.
    pub fn new<B: Brain + 'static>(
        game: &G,
        start: TeamStart,
        brain: impl FnOnce(TeamLink, &Staged) -> Result<B, BrainError>,
    ) -> Result<Self, BrainError> {
        Self::with_brain(game, start, Box::new(|link, staged| Ok(Box::new(brain(link, staged)?))))
    }

    /// The same for any brain, so that it is compiled once for a game.
    fn with_brain(game: &G, start: TeamStart, brain: MakeBrain<'_>) -> Result<Self, BrainError> {
        let TeamStart { seats, options, staged, state, checkpoint } = start;
        let roster = Arc::clone(&state.roster);
        let world = Rc::new(RefCell::new(game.world(&roster)));
        let restored = checkpoint.map(|bytes| thaw(game, &roster, &bytes));
        let mut shared = Shared::new(Board::clone(&state.board), state.roles.clone());
        let params = match &restored {
            Some(Ok(checkpoint)) => &checkpoint.state.params,
            Some(Err(_)) | None => &state.params,
        };
        shared.params.set_again(params.set_by_operators());
        let shared = Rc::new(RefCell::new(shared));
        let link = TeamLink {
            roster: roster.clone(),
            api: &game.declaration().api,
            oracle: world.clone(),
            shared: shared.clone(),
            seed: options.seed,
        };
        let brain = brain(link, &staged)?;
        let agents = roster.agents.len();
        let mut team = Self {
            game: game.clone(),
            options,
            brain,
            world,
            shared,
            crew: Crew::new(roster, seats, state.members.iter().cloned()),
            turns: TurnState::new(TeamRounds::new(agents)),
            quorum: Quorum::default(),
            generations: Generations::new(staged),
            alerts: Alerts::new(agents, options.alerts),
            counters: MatchCounters::default(),
            observation: Observation::default(),
            resume: ResumeCheck::default(),
            ending: Ending::default(),
            commands: VecDeque::new(),
            outputs: VecDeque::new(),
        };
        match restored {
            Some(Ok(checkpoint)) => team.adopt(checkpoint, state),
            Some(Err(error)) => {
                let reason = error.to_string();
                team.journal(None, JournalEvent::CheckpointRefused { reason });
            }
            None => {}
        }
        Ok(team)
    }

    /// Handles an input. Pass every waiting input before you poll outputs, so that the team does
    /// not decide a turn whose successor is already there.
    pub fn handle(&mut self, input: Input<G>, now: Instant) {
        match input {
            Input::Seat { seat, state } => self.seat_changed(seat, &state, now),
            Input::Event { seat, event } => self.event(seat, event, now),
            Input::Late { agent, turn } => self.late(agent, turn),
            Input::Command(request) => self.command(request, now),
            Input::Restarted { reason, suspended } => self.restarted(reason, suspended, now),
            Input::Drain => self.begin_drain(),
        }
    }

    fn begin_drain(&mut self) {
        self.ending.begin_drain();
        // The team does not wait for pilots any more.
        if let Some(open) = &mut self.turns.open {
            let waiting: Vec<_> = open.awaiting.keys().copied().collect();
            for agent in waiting {
                open.wake(agent);
            }
        }
    }

    /// The instant of `poll_timeout` has come: the team stops waiting for missing agents and for
    /// pilots without an order.
    pub fn handle_timeout(&mut self, now: Instant) {
        if let Some(open) = &mut self.turns.open {
            open.wake_until(now);
        }
        if self.alerts.next_check().is_some_and(|due| due <= now) {
            self.check_alerts_alone(now);
        }
        if self.first_patience().is_some_and(|until| until <= now) {
            self.review(now);
        }
        if self.turns.has_gathered(now) {
            self.begin_deciding(now);
        }
    }

    /// Returns the next output; decides for one agent at most, so that its action can leave at
    /// once. Call it until `None` after every `handle` and `handle_timeout`, each time with the
    /// current instant.
    #[must_use]
    pub fn poll_output(&mut self, now: Instant) -> Option<Output<G>> {
        // Time passes while scripts run that produce no output.
        let mut now = now;
        loop {
            if let Some(output) = self.outputs.pop_front() {
                return Some(output);
            }
            match self.advance(now) {
                Some(spent) => now += spent,
                None => return self.drained(),
            }
        }
    }

    /// The latest instant for `handle_timeout`. Ask again after `poll_output` is empty.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        let timers = [self.turns.next_timeout(), self.first_patience(), self.alerts.next_check()];
        timers.into_iter().flatten().min()
    }

    /// The harmless action of an agent, given the current world.
    #[must_use]
    pub fn fallback(&self, agent: AgentId) -> G::Action {
        self.world.borrow().fallback(agent)
    }

    /// Takes one step that may produce outputs. Returns how long its script took; `None` if there
    /// is nothing to do.
    fn advance(&mut self, now: Instant) -> Option<Duration> {
        self.read_memories();
        if let Some(call) = self.turns.next_call() {
            return Some(self.call(call, now));
        }
        if let Some(spent) = self.between_turns(now) {
            return Some(spent);
        }
        let open = self.turns.open.as_mut()?;
        let complete = open.is_gathering() && self.quorum.is_complete(open, &self.crew);
        match &mut open.phase {
            Phase::Gathering(_) if complete => Some(self.begin_deciding(now)),
            Phase::Gathering(_) | Phase::Done => None,
            Phase::Waiting if open.awaiting.is_empty() => Some(self.all_decided(now)),
            Phase::Waiting => None,
            Phase::Deciding(queue) => Some(match queue.pop_front() {
                Some(agent) => self.decide(agent, now),
                None if self.wait_for_pilots() => Duration::ZERO,
                None => self.all_decided(now),
            }),
        }
    }

    fn all_decided(&mut self, now: Instant) -> Duration {
        self.turn_done(now);
        if let Some(open) = &mut self.turns.open {
            open.unseen = self.options.rehearsal_turns > 0;
        }
        self.review(now);
        Duration::ZERO
    }

    /// Does one step that does not belong to a turn, unless the agents are deciding.
    fn between_turns(&mut self, now: Instant) -> Option<Duration> {
        let spare = self.spare_time(now)?;
        if self.keep_scene(now) || self.begin_profile() || self.depart() {
            return Some(Duration::ZERO);
        }
        self.swap(spare).or_else(|| self.serve(spare, now))
    }

    fn drained(&mut self) -> Option<Output<G>> {
        let busy = self.turns.is_busy() || self.first_patience().is_some();
        if !self.ending.has_to_report() || busy {
            return None;
        }
        if self.observation.is_profiling() {
            self.end_profile();
            return self.outputs.pop_front();
        }
        self.ending.reported();
        Some(Output::Drained)
    }

    /// How long the first turn of a round waits for others.
    fn first_patience(&self) -> Option<Instant> {
        self.quorum.first_patience(&self.turns, &self.options)
    }

    /// The turn that is open, or was last.
    #[must_use]
    pub fn turn(&self) -> Turn {
        self.turns.turn()
    }

    /// Reads the world; the borrow ends with the closure, before any script runs.
    fn with_world<T>(&self, read: impl FnOnce(&mut G::World) -> T) -> T {
        read(&mut self.world.borrow_mut())
    }

    /// All percepts of a turn that will come are in.
    fn settle(&mut self, turn: Turn) {
        self.with_world(|world| world.settle(turn));
        while let Some(notice) = self.with_world(World::poll_notice) {
            self.counters.malformed();
            self.journal(None, JournalEvent::Notice(notice));
        }
    }

    fn acted(&mut self, turn: Turn, agent: AgentId, action: &G::Action) {
        self.with_world(|world| world.acted(turn, agent, action));
    }
}
