//! A team that continues from a checkpoint: after a panic of its thread, or in a restarted daemon.
//!
//! It first checks whether the match is the same. Until the first turn is decided, it compares the
//! start of the round and the first percept of each agent with the restored world. If all of it
//! fits, the round continues. If anything does not, the team drops everything that was restored,
//! and a fresh team handles the same events again.

use super::Team;
use super::counters::MatchCounters;
use super::quorum::Quorum;
use super::turns::TurnState;
use crate::alerts::Alerts;
use crate::rounds::TeamRounds;
use crate::team_state::MemberParts;
use crate::{Checkpoint, JournalEvent, Memory, TeamState};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{AgentId, Event, Game, Met, SeatId, Turn, World};
use std::sync::Arc;
use std::time::Instant;

/// The most events that are kept to repeat them to a fresh team; after that many, the match counts
/// as the same.
const HEARD_MAX: usize = 4_096;
/// More than the number of changes that a board can have between a checkpoint or a snapshot and the
/// end of its thread: the next one counts from there.
pub const LOST_CHANGES: u64 = 1 << 32;

/// What a team still has to do with a checkpoint from which it was restored.
#[derive(Debug)]
pub(super) struct ResumeCheck<G: Game> {
    /// The team checks whether the match is the same.
    resuming: Option<Resuming<G>>,
    /// Memories that no agent has yet.
    unread: Option<Vec<Memory>>,
}

/// A restored team that has not decided yet.
#[derive(Debug)]
struct Resuming<G: Game> {
    /// Its last turn.
    last: Turn,
    /// Used if the restored state is dropped.
    own: TeamState,
    /// The events since then.
    heard: Vec<HeardEvents<G>>,
    /// Rounds that have started and wait for the agent's first percept.
    started: SortedMap<AgentId, (u32, Option<G::Briefing>)>,
    /// The agents whose first percept was checked.
    met: SortedSet<AgentId>,
}

#[derive(Debug)]
struct HeardEvents<G: Game> {
    seat: SeatId,
    event: Event<G::Briefing, G::Percept>,
    at: Instant,
}

impl<G: Game> Default for ResumeCheck<G> {
    fn default() -> Self {
        Self { resuming: None, unread: None }
    }
}

impl<G: Game> ResumeCheck<G> {
    fn is_done(&self) -> bool {
        self.resuming.is_none() && self.unread.is_none()
    }

    /// The team left the match of the checkpoint.
    pub(super) fn stop(&mut self) {
        self.resuming = None;
    }

    pub(super) fn forget_memories(&mut self) {
        self.unread = None;
    }

    /// An event for a team that checks the match.
    fn heard(&mut self, heard: HeardEvents<G>) {
        if let Some(resuming) = &mut self.resuming {
            resuming.heard.push(heard);
        }
    }

    /// Whether enough events came that the match counts as the same.
    fn heard_enough(&self) -> bool {
        self.resuming.as_ref().is_some_and(|resuming| resuming.heard.len() >= HEARD_MAX)
    }

    /// The round waits for the agent's first percept.
    fn started(&mut self, agent: AgentId, start: (u32, Option<G::Briefing>)) {
        if let Some(resuming) = &mut self.resuming {
            resuming.started.insert(agent, start);
        }
    }

    fn take_start(&mut self, agent: AgentId) -> Option<(u32, Option<G::Briefing>)> {
        self.resuming.as_mut()?.started.remove(&agent)
    }
}

impl<G: Game> Team<G> {
    /// A copy of the team's state, for a restart. `None` while a turn is played, before the first
    /// one and after the match, and while a restored team checks the match.
    #[must_use]
    pub fn checkpoint(&mut self) -> Option<Checkpoint<G>> {
        let open =
            self.turns.open.as_ref().filter(|open| open.phase == crate::turn::Phase::Done)?;
        let waits = !self.resume.is_done()
            || self.turns.has_calls()
            || self.quorum.holds_requests(&self.turns);
        if waits || self.ending.is_over() {
            return None;
        }
        let rounds = Some(self.turns.rounds.parts()?);
        let turn = open.turn;
        let members = self.crew.parts(|agent| open.asked.contains_key(&agent));
        let memories = self.brain.memories();
        let mut shared = self.shared.borrow_mut();
        let state = TeamState {
            turn,
            tick: self.tick(),
            roster: Arc::clone(self.crew.roster()),
            roles: shared.roles.clone(),
            members,
            rounds,
            counters: self.counters.all(),
            scores: self.counters.scores().to_vec(),
            alerts: self.alerts.open().clone(),
            counted: self.alerts.counted(),
            metrics: shared.metrics.clone(),
            mail: shared.mail(),
            memories,
            board: shared.board_copy(),
            params: shared.params_copy(),
        };
        let generation = &self.generations.active().generation;
        let (number, hash) = (generation.number, generation.hash.clone());
        let world = self.world.borrow().clone();
        Some(Checkpoint { generation: number, hash, state, world })
    }

    /// Becomes the team of a checkpoint. No seat has reported yet.
    pub(super) fn adopt(
        &mut self,
        Checkpoint { mut state, world, .. }: Checkpoint<G>,
        own: TeamState,
    ) {
        *self.world.borrow_mut() = world;
        if self.crew.extend(Arc::clone(&state.roster)) {
            self.brain.enroll(&state.roster);
            self.outputs.push_back(self.crew.lineup());
        }
        self.resume.unread = Some(std::mem::take(&mut state.memories));
        let (last, revision) = (state.turn, state.board.revision().saturating_add(LOST_CHANGES));
        self.restore(state, revision.max(own.board.revision()));
        // Between two rounds there is nothing to check: the next round is the next one.
        self.resume.resuming = self.turns.rounds.is_running().then(|| Resuming {
            last,
            own,
            heard: Vec::new(),
            started: SortedMap::new(),
            met: SortedSet::new(),
        });
        self.publish();
    }

    /// Takes a state, except for its roster and memories. The board continues from this revision.
    fn restore(&mut self, state: TeamState, revision: u64) {
        let agents = self.crew.len();
        let rounds = state.rounds.map(|parts| TeamRounds::of_parts(&parts, agents));
        let rounds = rounds.unwrap_or_else(|| TeamRounds::new(agents));
        self.turns = TurnState::after(rounds, state.turn, state.tick);
        self.counters = MatchCounters::restored(state.counters, state.scores, state.tick);
        self.alerts = Alerts::new(agents, self.options.alerts);
        self.alerts.count_on(&state.counted, state.alerts);
        self.crew.restore(state.members);
        let mut shared = self.shared.borrow_mut();
        shared.board = Arc::unwrap_or_clone(state.board).after(revision);
        shared.metrics = state.metrics;
        shared.deliver(state.mail);
        shared.params.set_again(state.params.set_by_operators());
        for (agent, role) in self.crew.roster().ids().zip(&state.roles) {
            shared.enroll(agent, role);
        }
    }

    /// Compares an agent's event with the restored state. Returns the event if it is to be handled
    /// now.
    pub(super) fn meet(
        &mut self,
        seat: SeatId,
        event: Event<G::Briefing, G::Percept>,
        now: Instant,
    ) -> Option<Event<G::Briefing, G::Percept>> {
        let round = self.turns.rounds.current();
        let Some(resuming) = &mut self.resume.resuming else { return Some(event) };
        let (agent, met) = match &event {
            Event::RoundStarted { agent, briefing, .. } => {
                (*agent, Some(Met::Round(briefing.as_ref())))
            }
            Event::Percept { turn, agent, percept } | Event::Asked { turn, agent, percept, .. } => {
                let first = resuming.met.insert(*agent);
                let met = first.then(|| Met::Turn(Turn::new(round, turn.step), percept));
                (*agent, met)
            }
            // A seat that saw the start of the round knows which round it is.
            Event::RoundOver { .. } => {
                self.recognized(now);
                return Some(event);
            }
            Event::Seated { .. }
            | Event::Refused { .. }
            | Event::Defaulted { .. }
            | Event::Notice(_)
            | Event::Out { .. }
            | Event::MatchOver => return Some(event),
        };
        let fits = met.map_or(Ok(()), |met| self.world.borrow().recognize(agent, met));
        if let Err(reason) = fits {
            self.meet_another(agent, &event, reason, now);
            return Some(event);
        }
        self.resume.heard(HeardEvents { seat, event: event.clone(), at: now });
        if self.resume.heard_enough() {
            self.recognized(now);
        }
        if let Event::RoundStarted { round, briefing, .. } = event {
            self.resume.started(agent, (round, briefing));
            return None;
        }
        if let Some((round, briefing)) = self.resume.take_start(agent) {
            self.round_started(agent, round, briefing.as_ref(), now);
        }
        Some(event)
    }

    /// The agents are about to decide, so the match is the restored one.
    pub(super) fn recognized(&mut self, now: Instant) {
        let Some(Resuming { last, started, .. }) = self.resume.resuming.take() else { return };
        for (agent, (round, briefing)) in started {
            self.round_started(agent, round, briefing.as_ref(), now);
        }
        let turn = self.turn();
        let since = if turn.round == last.round { turn.step.saturating_sub(last.step) } else { 0 };
        self.journal(None, JournalEvent::Resumed { turn: last, missed: since.saturating_sub(1) });
    }

    /// An agent's event does not fit the restored state.
    fn meet_another(
        &mut self,
        agent: AgentId,
        event: &Event<G::Briefing, G::Percept>,
        reason: String,
        now: Instant,
    ) {
        let goes_on = |next: &G::Briefing| self.world.borrow().goes_on_in(agent, next);
        if let Event::RoundStarted { briefing: Some(next), .. } = event
            && goes_on(next)
        {
            return self.go_on(now);
        }
        // The start fitted, but the very first percept is of another round with an equal start.
        let is_first = self.resume.resuming.as_ref().is_some_and(|it| it.met.len() == 1);
        let start = self.resume.take_start(agent);
        if let Some((round, Some(next))) = &start
            && is_first
            && goes_on(next)
        {
            self.go_on(now);
            return self.round_started(agent, *round, Some(next), now);
        }
        let Some(Resuming { own, heard, .. }) = self.resume.resuming.take() else { return };
        self.forget_restored(own);
        self.journal(None, JournalEvent::CheckpointRefused { reason });
        self.publish();
        for HeardEvents { seat, event, at } in heard {
            self.event(seat, event, at);
        }
    }

    /// The restored round is over, and what was learned in it goes on in the next one.
    fn go_on(&mut self, now: Instant) {
        self.recognized(now);
        self.turns.rounds.leave();
        self.quorum = Quorum::default();
    }

    /// Returns to the state of a team without a checkpoint.
    fn forget_restored(&mut self, mut own: TeamState) {
        self.resume.forget_memories();
        self.quorum = Quorum::default();
        *self.world.borrow_mut() = self.game.world(self.crew.roster());
        self.brain.forget();
        // The checkpoint may have had more agents.
        own.members.resize(self.crew.len(), MemberParts::default());
        own.roles = self.crew.roster().agents.iter().map(|entry| entry.role.clone()).collect();
        let revision = self.shared.borrow().board.revision().max(own.board.revision());
        self.restore(own, revision.saturating_add(1));
        self.report_suspended();
    }

    /// Gives the agents their memories, as soon as the generation that wrote them decides.
    pub(super) fn read_memories(&mut self) {
        if self.generations.is_waiting() {
            return;
        }
        let Some(memories): Option<Vec<Memory>> = self.resume.unread.take() else { return };
        self.brain.remember(&memories);
        self.journal_script_log();
    }
}
