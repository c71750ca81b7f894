//! A team that goes on where an earlier one ended: after a panic of its thread, or in a daemon that
//! was started again.
//!
//! It waits to be recognized. What its agents meet at the referee, the start of the round and the
//! first percept of each, is held against the restored world until the first turn is decided. When
//! all of it fits the round goes on. When anything does not, all that was restored is dropped, and a
//! team that knows nothing hears the same events again.

use super::quorum::Quorum;
use super::{Member, Team};
use crate::alerts::Alerts;
use crate::checkpoint::{MemberParts, SetParams, State, Thawed};
use crate::rounds::Rounds;
use crate::{
    AlertKind, Board, Brain, Checkpoint, Inherited, JournalEvent, Memory, Output, Steering,
    TurnDone,
};
use phalanx_game::{AgentId, Event, Game, Met, SeatId, Turn, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// So many events are kept at most, in case they have to be heard again; after that many the match
/// is taken for the same.
const HEARD_MAX: usize = 4_096;
/// No board changes so often between a checkpoint and the end of its team: another life counts on
/// behind all of it.
const LOST_CHANGES: u64 = 1 << 32;

/// What a team has besides what it was restored from.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    pub(super) set: SetParams,
    pub(super) steering: Vec<Steering>,
    pub(super) board_revision: u64,
}

/// A restored team that has not decided yet.
#[derive(Debug)]
pub(super) struct Resuming<G: Game> {
    /// The last turn that it knows.
    last: Turn,
    own: Own,
    /// What was heard since then.
    heard: Vec<Heard<G>>,
    /// Rounds that have started and wait for the agent's first percept.
    started: BTreeMap<AgentId, (u32, Option<G::Briefing>)>,
    /// Whose first percept was looked at.
    met: BTreeSet<AgentId>,
}

#[derive(Debug)]
struct Heard<G: Game> {
    seat: SeatId,
    event: Event<G::Briefing, G::Percept>,
    at: Instant,
}

impl<G: Game, B: Brain> Team<G, B> {
    /// A copy of all that the team knows, for another life of it. `None` while a turn is played,
    /// before the first one and after the match, and while a restored team waits to be recognized.
    #[must_use]
    pub fn checkpoint(&mut self) -> Option<Checkpoint<G>> {
        let open = self.open.as_ref().filter(|open| open.phase == crate::turn::Phase::Done)?;
        let waits = self.resuming.is_some()
            || self.unread.is_some()
            || !self.calls.is_empty()
            || self.holds_requests();
        if waits || self.over {
            return None;
        }
        let (turn, rounds) = (open.turn, self.rounds.parts()?);
        let members = self.roster.ids().zip(&self.members).map(|(agent, member)| MemberParts {
            steering: member.shown.steering.clone(),
            expected: open.asked.contains_key(&agent),
            last_asked: member.shown.last_asked,
            last_action: member.shown.last_action.clone(),
            reason: member.shown.reason.clone(),
            trouble: member.shown.trouble.clone(),
        });
        let members = members.collect();
        let memories = self.brain.memories();
        let shared = self.shared.borrow();
        // A board that did not change is not copied again.
        let revision = shared.board.revision();
        let board = self.kept_board.take().filter(|kept| kept.revision() == revision);
        let board = board.unwrap_or_else(|| Arc::new(shared.board.clone()));
        self.kept_board = Some(Arc::clone(&board));
        if *self.params != shared.params {
            self.params = Arc::new(shared.params.clone());
        }
        let state = State {
            roles: shared.roles.clone(),
            members,
            rounds,
            counters: self.counters,
            scores: self.scores.clone(),
            alerts: self.alerts_open.clone(),
            counted: self.alerts.counted(),
            metrics: shared.metrics.clone(),
            mail: shared.mail(),
            memories,
        };
        Some(Checkpoint {
            generation: self.active.generation.number,
            hash: self.active.generation.hash.clone(),
            turn,
            tick: self.tick,
            roster: Arc::clone(&self.roster),
            state,
            board,
            params: Arc::clone(&self.params),
            world: self.world.borrow().clone(),
        })
    }

    /// Becomes the team of a checkpoint. Nobody was heard of yet.
    pub(super) fn adopt(&mut self, thawed: Thawed<G>, own: Own) {
        let Thawed { turn, tick, roster, state, board, set, world } = thawed;
        *self.world.borrow_mut() = world;
        self.tick = tick;
        self.counters = state.counters;
        self.inherited = Inherited { tick, counters: state.counters };
        self.scores = state.scores;
        let mut shared = self.shared.borrow_mut();
        let revision = board.revision().saturating_add(LOST_CHANGES).max(own.board_revision);
        shared.board = board.after(revision);
        shared.metrics = state.metrics;
        shared.deliver(state.mail);
        shared.params.set_again(set);
        drop(shared);
        if roster != *self.roster {
            for entry in roster.agents.iter().skip(self.members.len()) {
                let seat = self.next_seat();
                self.seats.push(seat);
                self.members.push(Member::new(&entry.name, Steering::Script));
            }
            let roster = Arc::new(roster);
            self.roster = Arc::clone(&roster);
            self.brain.enroll(&roster);
            let seats = self.seats.clone();
            self.outputs.push_back(Output::Roster { roster, seats });
        }
        self.take_over_agents(state.members, &state.roles);
        self.alerts = Alerts::new(self.members.len(), self.options.alerts);
        // What is suspended now is said anew: it does not outlive the daemon.
        let mut alerts = state.alerts;
        alerts.retain(|(kind, _), _| *kind != AlertKind::SuspendedScript);
        self.alerts.count_on(&state.counted, alerts.keys().copied());
        self.alerts_open = alerts;
        self.rounds = Rounds::of_parts(&state.rounds, self.members.len());
        self.unread = Some(state.memories);
        // Between two rounds there is nothing to recognize: whatever begins next is the next one.
        self.resuming = self.rounds.is_running().then(|| Resuming {
            last: turn,
            own,
            heard: Vec::new(),
            started: BTreeMap::new(),
            met: BTreeSet::new(),
        });
        self.publish();
    }

    fn take_over_agents(&mut self, members: Vec<MemberParts>, roles: &[String]) {
        let mut shared = self.shared.borrow_mut();
        for ((agent, parts), role) in self.roster.ids().zip(members).zip(roles) {
            shared.enroll(agent, role);
            let Some(member) = self.members.get_mut(agent.index()) else { continue };
            let MemberParts { steering, expected, last_asked, last_action, reason, trouble } =
                parts;
            member.expected = expected;
            member.shown.steering = steering;
            member.shown.last_asked = last_asked;
            member.shown.last_action = last_action;
            member.shown.reason = reason;
            member.shown.trouble = trouble;
        }
    }

    /// Holds what an agent meets against what was restored. What is left to be heard now.
    pub(super) fn meet(
        &mut self,
        seat: SeatId,
        event: Event<G::Briefing, G::Percept>,
        now: Instant,
    ) -> Option<Event<G::Briefing, G::Percept>> {
        let round = self.rounds.current();
        let Some(resuming) = &mut self.resuming else { return Some(event) };
        let (agent, met) = match &event {
            Event::RoundStarted { agent, briefing, .. } => {
                (*agent, Some(Met::Round(briefing.as_ref())))
            }
            Event::Percept { turn, agent, percept } | Event::Asked { turn, agent, percept, .. } => {
                let first = resuming.met.insert(*agent);
                let met = first.then(|| Met::Turn(Turn::new(round, turn.step), percept));
                (*agent, met)
            }
            // Whoever heard its start knows of which round it is.
            Event::RoundOver { .. } => {
                self.recognized(now);
                return Some(event);
            }
            Event::Seated { .. }
            | Event::Refused { .. }
            | Event::Defaulted { .. }
            | Event::Notice(_)
            | Event::MatchOver => return Some(event),
        };
        let fits = met.map_or(Ok(()), |met| self.world.borrow().recognize(agent, met));
        if let Err(reason) = fits {
            self.meet_another(agent, &event, reason, now);
            return Some(event);
        }
        self.remember_heard(seat, &event, now);
        if let Event::RoundStarted { round, briefing, .. } = event {
            if let Some(resuming) = &mut self.resuming {
                resuming.started.insert(agent, (round, briefing));
            }
            return None;
        }
        let started = self.resuming.as_mut().and_then(|all| all.started.remove(&agent));
        if let Some((round, briefing)) = started {
            self.round_started(agent, round, briefing.as_ref(), now);
        }
        Some(event)
    }

    fn remember_heard(
        &mut self,
        seat: SeatId,
        event: &Event<G::Briefing, G::Percept>,
        at: Instant,
    ) {
        let Some(resuming) = &mut self.resuming else { return };
        resuming.heard.push(Heard { seat, event: event.clone(), at });
        if resuming.heard.len() >= HEARD_MAX {
            self.recognized(at);
        }
    }

    /// The agents are about to decide: it is the match that was restored.
    pub(super) fn recognized(&mut self, now: Instant) {
        let Some(Resuming { last, started, .. }) = self.resuming.take() else { return };
        for (agent, (round, briefing)) in started {
            self.round_started(agent, round, briefing.as_ref(), now);
        }
        let turn = self.turn();
        let since = if turn.round == last.round { turn.step.saturating_sub(last.step) } else { 0 };
        self.journal(None, JournalEvent::Resumed { turn: last, missed: since.saturating_sub(1) });
    }

    /// What an agent met is not what was restored.
    fn meet_another(
        &mut self,
        agent: AgentId,
        event: &Event<G::Briefing, G::Percept>,
        reason: String,
        now: Instant,
    ) {
        if let Event::RoundStarted { briefing: Some(next), .. } = event
            && self.world.borrow().goes_on_in(agent, next)
        {
            self.recognized(now);
            self.rounds.leave();
            self.quorum = Quorum::default();
            return;
        }
        let Some(Resuming { own, heard, .. }) = self.resuming.take() else { return };
        self.forget_restored(own);
        self.journal(None, JournalEvent::CheckpointRefused { reason });
        self.publish();
        for Heard { seat, event, at } in heard {
            self.event(seat, event, at);
        }
    }

    /// As if nothing had been restored.
    fn forget_restored(&mut self, own: Own) {
        let Own { set, steering, board_revision } = own;
        (self.open, self.unread, self.kept_board) = (None, None, None);
        self.tick = 0;
        self.calls.clear();
        self.scores.clear();
        (self.counters, self.inherited) = Default::default();
        self.done = TurnDone::default();
        self.rounds = Rounds::new(self.members.len());
        self.quorum = Quorum::default();
        self.alerts = Alerts::new(self.members.len(), self.options.alerts);
        self.alerts_open.clear();
        self.tell_suspended();
        *self.world.borrow_mut() = self.game.world(&self.roster);
        self.brain.forget();
        let mut shared = self.shared.borrow_mut();
        let revision = shared.board.revision().max(board_revision);
        shared.board = Board::default().after(revision.saturating_add(1));
        shared.deliver(Default::default());
        shared.metrics.clear();
        shared.params.set_again(set);
        for (agent, entry) in self.roster.ids().zip(&self.roster.agents) {
            shared.set_role(agent, &entry.role);
        }
        drop(shared);
        let steering = steering.into_iter().chain(std::iter::repeat(Steering::Script));
        for (member, steering) in self.members.iter_mut().zip(steering) {
            let (name, seat) = (member.shown.name.clone(), member.shown.seat.clone());
            *member = Member::new(&name, steering);
            member.shown.seat = seat;
        }
    }

    /// Hands the agents their memories, as soon as the generation that wrote them decides.
    pub(super) fn read_memories(&mut self) {
        if self.waiting.is_some() {
            return;
        }
        let Some(memories): Option<Vec<Memory>> = self.unread.take() else { return };
        self.brain.remember(&memories);
        self.tell_log();
    }
}
