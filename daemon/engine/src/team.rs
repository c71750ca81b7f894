//! One team as a state machine.

mod alert;
mod decide;
mod enrol;
mod events;
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

pub use look::SCENE_EVERY;

use crate::alerts::Alerts;
use crate::checkpoint::thaw;
use crate::rounds::Rounds;
use crate::snapshot::{AgentSnapshot, Counters, Inherited};
use crate::turn::{OpenTurn, Phase};
use crate::{
    Alert, AlertKind, AlertOptions, Board, Brain, BrainError, Input, JournalEvent, Memory, Output,
    Params, Probation, RoundResult, Scene, SeatState, Shared, Staged, Steering, Suspension,
    TeamLink,
};
use decide::Source;
use leave::Departure;
use look::Profiling;
use operator::{Request, Requests};
use phalanx_game::{AgentId, Game, Roster, SeatId, Turn, World};
use quorum::Quorum;
use resume::{Own, Resuming};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use swap::{Waiting, Watch};

/// Answers of one agent that are remembered, in case they turn out to have come too late.
const ANSWERS_MAX: usize = 8;

/// How a team deals with time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TeamOptions {
    /// The share of a turn's time that is waited for agents whose percepts are missing, 0 to 1.
    pub straggler_share: f64,
    /// The longest wait for them, however long the turn is.
    pub straggler_max: Duration,
    /// The longest that one `decide` may take, however much time is left.
    pub decide_max: Duration,
    /// The longest that `plan` may take.
    pub plan_max: Duration,
    /// The match's seed for scripts.
    pub seed: u64,
    /// When a new generation of the strategy is taken back.
    pub probation: Probation,
    /// So many of the last turns are kept as copies, on which strategies are tried; 0: none. At
    /// most one a [`SCENE_EVERY`] once there are so many.
    pub rehearsal_turns: usize,
    /// When somebody should look at the team.
    pub alerts: AlertOptions,
}

impl Default for TeamOptions {
    fn default() -> Self {
        Self {
            straggler_share: 0.25,
            straggler_max: Duration::from_millis(500),
            decide_max: Duration::from_millis(250),
            plan_max: Duration::from_millis(500),
            seed: 0,
            probation: Probation::default(),
            rehearsal_turns: 3,
            alerts: AlertOptions::default(),
        }
    }
}

/// What a team begins with.
#[derive(Clone, Debug, Default)]
pub struct TeamStart {
    /// The strategy. The brain is made from it, and later ones that fail are replaced by it.
    pub staged: Staged,
    /// What operators set before, in an earlier life of the team; scripts declare anew.
    pub params: Params,
    /// How operators steered the agents then, by roster index; agents beyond it are not steered.
    pub steering: Vec<Steering>,
    /// The board's revision then: this one counts on behind it.
    pub board_revision: u64,
    /// A checkpoint from which it goes on, above what stands before; `None`: it knows nothing. One
    /// that it cannot take over is told in the journal.
    pub checkpoint: Option<Arc<[u8]>>,
}

/// One team. It lives on one thread; nobody else sees its world.
#[derive(Debug)]
pub struct Team<G: Game, B: Brain> {
    game: G,
    roster: Arc<Roster>,
    seats: Vec<SeatId>,
    options: TeamOptions,
    brain: B,
    world: Rc<RefCell<G::World>>,
    shared: Rc<RefCell<Shared>>,
    rounds: Rounds,
    quorum: Quorum<G>,
    members: Vec<Member>,
    open: Option<OpenTurn>,
    tick: u64,
    calls: VecDeque<Call>,
    counters: Counters,
    scores: Vec<i64>,
    outputs: VecDeque<Output<G>>,
    done: crate::TurnDone,
    over: bool,
    drain: Drain,
    requests: Requests,
    /// The generation that decides.
    active: Staged,
    waiting: Option<Waiting>,
    watch: Option<Watch>,
    scenes: VecDeque<Arc<Scene>>,
    /// When the newest of them was copied.
    scene_kept: Option<Instant>,
    profiling: Option<Profiling>,
    /// The parameters as they were published last.
    params: Arc<Params>,
    alerts: Alerts,
    alerts_open: BTreeMap<(AlertKind, Option<AgentId>), Alert>,
    departure: Option<Departure>,
    /// Scripts that are not called any more.
    suspended: Vec<Suspension>,
    /// It was restored, and waits to be recognized.
    resuming: Option<Resuming<G>>,
    /// Memories that were restored and that nobody has yet.
    unread: Option<Vec<Memory>>,
    /// The board as it was copied last.
    kept_board: Option<Arc<Board>>,
    inherited: Inherited,
}

/// What the team knows of one agent besides the world.
#[derive(Debug)]
struct Member {
    shown: AgentSnapshot,
    /// The agent is waited for when a turn gathers: it was asked in the turn before, or the round
    /// is new and it is seated.
    expected: bool,
    /// The last turn that was counted as late, so that it is counted once.
    late: Option<Turn>,
    /// The last answers, in the session's count, and whose they were. Word that one came too late
    /// may come after the next one left.
    answers: VecDeque<(Turn, Source)>,
}

/// A call into a script other than `plan` and `decide`, waiting for its place.
#[derive(Clone, Copy, Debug)]
enum Call {
    Start(AgentId),
    Finish(AgentId, RoundResult),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drain {
    No,
    Asked,
    Told,
}

impl<G: Game, B: Brain> Team<G, B> {
    /// A team without connections yet. `seats` names the seat of each agent, by roster index;
    /// `brain` makes a brain that plays the generation that it is given.
    ///
    /// # Errors
    /// Whatever `brain` says: for example that the strategy does not compile.
    pub fn new(
        game: &G,
        roster: Arc<Roster>,
        seats: Vec<SeatId>,
        options: TeamOptions,
        start: TeamStart,
        brain: impl FnOnce(TeamLink, &Staged) -> Result<B, BrainError>,
    ) -> Result<Self, BrainError> {
        let world = Rc::new(RefCell::new(game.world(&roster)));
        let roles = roster.agents.iter().map(|entry| entry.role.clone()).collect();
        let TeamStart { staged, params, steering, board_revision, checkpoint } = start;
        let own =
            Own { set: params.set_by_operators(), steering: steering.clone(), board_revision };
        let restored = checkpoint.map(|bytes| thaw(game, &roster, &bytes));
        let set = restored.as_ref().and_then(|restored| Some(&restored.as_ref().ok()?.set));
        let mut shared = Shared::new(Board::default().after(board_revision), roles);
        shared.params.set_again(set.unwrap_or(&own.set).clone());
        let shared = Rc::new(RefCell::new(shared));
        let link = TeamLink {
            roster: roster.clone(),
            api: const { &G::API },
            oracle: world.clone(),
            shared: shared.clone(),
            seed: options.seed,
        };
        let brain = brain(link, &staged)?;
        let steering = steering.into_iter().chain(std::iter::repeat(Steering::Script));
        let members = roster.agents.iter().zip(steering);
        let members = members.map(|(entry, steering)| Member::new(&entry.name, steering)).collect();
        let mut team = Self {
            game: game.clone(),
            alerts: Alerts::new(roster.agents.len(), options.alerts),
            alerts_open: BTreeMap::new(),
            departure: None,
            suspended: Vec::new(),
            rounds: Rounds::new(roster.agents.len()),
            quorum: Quorum::default(),
            roster,
            seats,
            options,
            brain,
            world,
            shared,
            members,
            open: None,
            tick: 0,
            calls: VecDeque::new(),
            counters: Counters::default(),
            scores: Vec::new(),
            outputs: VecDeque::new(),
            done: crate::TurnDone::default(),
            over: false,
            drain: Drain::No,
            requests: Requests::new(),
            active: staged,
            waiting: None,
            watch: None,
            scenes: VecDeque::new(),
            scene_kept: None,
            profiling: None,
            params: Arc::default(),
            resuming: None,
            unread: None,
            kept_board: None,
            inherited: Inherited::default(),
        };
        match restored {
            Some(Ok(thawed)) => team.adopt(thawed, own),
            Some(Err(error)) => {
                let reason = error.to_string();
                team.journal(None, JournalEvent::CheckpointRefused { reason });
            }
            None => {}
        }
        Ok(team)
    }

    /// Something happened. Handle everything that waits before polling outputs, so that no turn is
    /// decided whose successor is here already.
    pub fn handle(&mut self, input: Input<G>, now: Instant) {
        match input {
            Input::Seat { seat, state } => self.seat_changed(seat, &state, now),
            Input::Event { seat, event } => self.event(seat, event, now),
            Input::Late { agent, turn } => self.late(agent, turn),
            Input::SetRole { ticket, agent, role, carry, by } => {
                self.request(Request::Role { ticket, agent, role, carry, by });
            }
            Input::Steer { ticket, agent, steer, by } => {
                self.request(Request::Steer { ticket, agent, steer, by });
            }
            Input::AddAgent { ticket, name, role, by } => {
                self.request(Request::Add { ticket, name, role, by });
            }
            Input::RemoveAgent { ticket, agent, by } => {
                self.request(Request::Remove { ticket, agent, by });
            }
            Input::Leave { ticket, to, keep, by } => self.leave(Departure { ticket, to, keep, by }),
            Input::Return { ticket, to, by } => self.come_back(ticket, to, by),
            Input::Install { ticket, staged, pinned } => self.stage(ticket, staged, pinned),
            Input::StrategyRefused { origin, faults } => {
                self.journal(None, JournalEvent::StrategyRefused { origin, faults });
            }
            Input::SetParam { ticket, name, scope, value, by } => {
                self.request(Request::Param { ticket, name, scope, value, by });
            }
            Input::Retune { ticket, options, by } => {
                self.request(Request::Retune { ticket, options, by });
            }
            Input::Look { ticket } => self.request(Request::Look { ticket }),
            Input::Draw { ticket } => self.request(Request::Draw { ticket }),
            Input::ReadBoard { ticket, read } => self.request(Request::ReadBoard { ticket, read }),
            Input::WriteBoard { ticket, write } => {
                self.request(Request::WriteBoard { ticket, write });
            }
            Input::Run { ticket, agent, code, by } => {
                self.request(Request::Run { ticket, agent, code, by });
            }
            Input::Profile { ticket, turns } => self.profile(ticket, turns),
            Input::Restarted { reason, suspended } => self.restarted(reason, suspended, now),
            Input::Drain => self.begin_drain(),
        }
    }

    fn begin_drain(&mut self) {
        if self.drain == Drain::No {
            self.drain = Drain::Asked;
        }
        // Pilots are not waited for any more.
        if let Some(open) = &mut self.open {
            let waiting: Vec<_> = open.awaiting.keys().copied().collect();
            for agent in waiting {
                open.wake(agent);
            }
        }
    }

    /// The instant of `poll_timeout` has come: agents that are missing are not waited for longer,
    /// nor are pilots that give no order.
    pub fn handle_timeout(&mut self, now: Instant) {
        if let Some(open) = &mut self.open {
            open.wake_until(now);
        }
        if self.alerts.next_check().is_some_and(|due| due <= now) {
            self.check_alerts_alone(now);
        }
        if self.first_patience().is_some_and(|until| until <= now) {
            self.review(now);
        }
        if let Some(open) = &self.open
            && let Phase::Gathering(until) = open.phase
            && until <= now
        {
            self.begin_deciding(now);
        }
    }

    /// The next thing to do; decides for one agent at most, so that its action can leave at once.
    /// Call until `None` after every `handle` and `handle_timeout`, each time with the present.
    #[must_use]
    pub fn poll_output(&mut self, now: Instant) -> Option<Output<G>> {
        // The present goes on while scripts run that produce nothing.
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

    /// When `handle_timeout` must be called at the latest. Ask again after `poll_output` is empty.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        let open = self.open.as_ref();
        let gathered = open.and_then(|open| match open.phase {
            Phase::Gathering(until) => Some(until),
            Phase::Deciding(_) | Phase::Waiting | Phase::Done => None,
        });
        let pilots = open.and_then(|open| open.awaiting.values().min().copied());
        let timers = [gathered, pilots, self.first_patience(), self.alerts.next_check()];
        timers.into_iter().flatten().min()
    }

    /// The harmless action of an agent, as its world stands.
    #[must_use]
    pub fn fallback(&self, agent: AgentId) -> G::Action {
        self.world.borrow().fallback(agent)
    }

    /// Takes one step that may produce outputs, and says how long its script took; `None` when
    /// there is nothing to do.
    fn advance(&mut self, now: Instant) -> Option<Duration> {
        self.read_memories();
        if let Some(call) = self.calls.pop_front() {
            return Some(self.call(call, now));
        }
        if let Some(spent) = self.between_turns(now) {
            return Some(spent);
        }
        let complete = self.everybody_is_here();
        let open = self.open.as_mut()?;
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
        if let Some(open) = &mut self.open {
            open.unseen = self.options.rehearsal_turns > 0;
        }
        self.review(now);
        Duration::ZERO
    }

    /// What does not belong to a turn, one thing at a time, unless the agents are deciding.
    fn between_turns(&mut self, now: Instant) -> Option<Duration> {
        let spare = self.spare_time(now)?;
        if self.keep_scene(now) || self.begin_profile() || self.depart() {
            return Some(Duration::ZERO);
        }
        self.swap(spare).or_else(|| self.serve(spare, now))
    }

    fn drained(&mut self) -> Option<Output<G>> {
        let busy = self.open.as_ref().is_some_and(|open| open.phase != Phase::Done)
            || self.first_patience().is_some();
        if self.drain != Drain::Asked || busy {
            return None;
        }
        if self.profiling.is_some() {
            self.end_profile();
            return self.outputs.pop_front();
        }
        self.drain = Drain::Told;
        Some(Output::Drained)
    }

    fn everybody_is_here(&self) -> bool {
        let Some(open) = &self.open else { return false };
        self.roster.ids().zip(&self.members).all(|(agent, member)| {
            let counts = member.expected && member.is_seated() && self.roster.is_present(agent);
            !counts || open.asked.contains_key(&agent) || self.is_out_of_step(agent)
        })
    }

    /// The agents of a seat.
    fn seated_on(&self, seat: SeatId) -> BTreeSet<AgentId> {
        let of_seat = self.roster.ids().zip(&self.seats).filter(|(_, at)| **at == seat);
        of_seat.map(|(agent, _)| agent).collect()
    }

    /// Everybody who was not removed.
    fn present_members(&self) -> impl Iterator<Item = &Member> {
        let members = self.roster.agents.iter().zip(&self.members);
        members.filter(|(entry, _)| !entry.gone).map(|(_, member)| member)
    }

    fn member(&mut self, agent: AgentId) -> Option<&mut Member> {
        self.members.get_mut(agent.index())
    }

    /// The turn that is open, or was last.
    #[must_use]
    pub fn turn(&self) -> Turn {
        self.open.as_ref().map_or(Turn::new(self.rounds.current(), 0), |open| open.turn)
    }

    /// Reads the world; the borrow ends with the closure, before any script runs.
    fn with_world<T>(&self, read: impl FnOnce(&mut G::World) -> T) -> T {
        read(&mut self.world.borrow_mut())
    }

    fn acted(&mut self, turn: Turn, agent: AgentId, action: &G::Action) {
        self.with_world(|world| world.acted(turn, agent, action));
    }
}

impl Member {
    fn new(name: &str, steering: Steering) -> Self {
        let name = name.to_owned();
        let shown = AgentSnapshot { name, steering, ..AgentSnapshot::default() };
        Self { shown, expected: false, late: None, answers: VecDeque::new() }
    }

    fn is_seated(&self) -> bool {
        self.shown.seat == SeatState::Seated
    }

    fn answered(&mut self, turn: Turn, source: Source) {
        if self.answers.len() >= ANSWERS_MAX {
            self.answers.pop_front();
        }
        self.answers.push_back((turn, source));
    }
}
