//! What sessions report, and what the team makes of it.

use super::decide::Source;
use super::{Call, Drain, Member, Team};
use crate::consensus::Report;
use crate::rounds::Started;
use crate::turn::Asked;
use crate::{Brain, JournalEvent, RoundResult, SeatState, Steering};
use phalanx_game::{AgentId, DefaultCause, Event, Game, Notice, SeatId, Turn, World};
use std::time::Instant;

impl<G: Game, B: Brain> Team<G, B> {
    pub(super) fn seat_changed(&mut self, seat: SeatId, state: &SeatState, now: Instant) {
        let agents = self.seated_on(seat);
        let is_in_it = |agent: &AgentId| {
            self.members.get(agent.index()).is_some_and(|member| member.shown.seat == *state)
        };
        // A session tells it, and its seat as well.
        if !agents.is_empty() && agents.iter().all(is_in_it) {
            return;
        }
        for agent in self.seated_on(seat) {
            if let Some(member) = self.member(agent) {
                member.shown.seat = state.clone();
            }
            if *state != SeatState::Seated
                && let Some(open) = &mut self.open
            {
                open.forget(agent);
            }
        }
        self.journal(None, JournalEvent::Seat { seat, state: state.clone() });
        if *state != SeatState::Seated {
            self.quorum.lost(seat);
            self.review(now);
        }
        self.check_alerts(now);
        self.publish();
    }

    pub(super) fn event(
        &mut self,
        seat: SeatId,
        event: Event<G::Briefing, G::Percept>,
        now: Instant,
    ) {
        if self.is_of_nobody(&event) {
            return;
        }
        let Some(event) = self.meet(seat, event, now) else { return };
        match event {
            Event::Seated { .. } => self.seat_changed(seat, &SeatState::Seated, now),
            Event::Refused { reason } => {
                self.seat_changed(seat, &SeatState::Refused { reason }, now);
            }
            Event::RoundStarted { agent, round, briefing } => {
                if self.rounds.departs(agent, round) {
                    self.quorum.hold_start(seat, agent, (round, briefing), now);
                    self.review(now);
                } else {
                    self.round_started(agent, round, briefing.as_ref(), now);
                }
            }
            Event::Percept { turn, agent, percept } => {
                if let Some(turn) = self.rounds.turn(agent, turn) {
                    self.with_world(|world| world.observe(turn, agent, percept));
                }
            }
            Event::Asked { turn, agent, due, percept } => {
                self.asked(seat, agent, Asked { local: turn, at: now, due }, percept, now);
            }
            Event::Defaulted { turn, agent, cause } => self.defaulted(agent, turn, cause),
            Event::Notice(notice) => self.notice(seat, notice),
            Event::RoundOver { agent, round, score, ranking } => {
                self.round_over(seat, agent, round, RoundResult { score, ranking }, now);
            }
            Event::MatchOver => self.match_over(seat, now),
        }
    }

    pub(super) fn round_started(
        &mut self,
        agent: AgentId,
        local: u32,
        briefing: Option<&G::Briefing>,
        now: Instant,
    ) {
        let round = match self.rounds.started(agent, local) {
            None => return,
            Some(Started::New(round)) => {
                self.close_turn(now);
                self.open = None;
                self.quorum.begin_round();
                self.shared.borrow_mut().board.clear();
                for member in &mut self.members {
                    member.expected = true;
                }
                self.journal(None, JournalEvent::RoundStarted);
                self.calls.push_back(Call::Start(agent));
                round
            }
            Some(Started::Joined(round)) => {
                self.calls.push_back(Call::Start(agent));
                round
            }
            Some(Started::Again(round)) => round,
        };
        if let Some(seat) = self.seats.get(agent.index()) {
            self.quorum.reports.heard(*seat, Report::Started, None, now);
        }
        self.with_world(|world| world.begin(round, agent, briefing));
    }

    fn asked(
        &mut self,
        seat: SeatId,
        agent: AgentId,
        asked: Asked,
        percept: G::Percept,
        now: Instant,
    ) {
        // Counted in any case: the seat's own answer will be.
        self.counters.asked += 1;
        if self.drain == Drain::Told {
            return;
        }
        let percept = match self.rounds.turn(agent, asked.local) {
            Some(_) => Some(percept),
            None => self.asked_elsewhere(seat, agent, asked, percept, now),
        };
        let (Some(percept), Some(turn)) = (percept, self.rounds.turn(agent, asked.local)) else {
            return;
        };
        self.quorum.reports.heard(seat, Report::Asked(turn.step), Some(asked.due), now);
        match &self.open {
            // A connection that is slow by a turn.
            Some(open) if turn.step.checked_add(1) == Some(open.turn.step) => {}
            Some(open) if turn == open.turn || self.is_next(agent, turn, now) => {
                self.take_request(turn, agent, asked, percept, now);
                // Agents that reported this turn too were waiting for it.
                self.open_turn(turn, now);
            }
            Some(_) | None => self.hold(seat, agent, asked, percept, now),
        }
    }

    /// Whoever was asked in the turn that ends is waited for in the next one.
    pub(super) fn remember_who_was_asked(&mut self) {
        let Some(open) = &self.open else { return };
        for (agent, member) in self.roster.ids().zip(&mut self.members) {
            member.expected = open.asked.contains_key(&agent);
        }
    }

    fn defaulted(&mut self, agent: AgentId, local: Turn, cause: DefaultCause) {
        if let Some(open) = &mut self.open
            && open.asked.get(&agent).is_some_and(|asked| asked.local == local)
            && cause == DefaultCause::Disconnected
        {
            open.forget(agent);
        }
        if cause == DefaultCause::Disconnected {
            self.quorum.forget(agent, local);
        }
        let turn = self.rounds.turn(agent, local);
        match cause {
            DefaultCause::NobodyDecided => {
                self.counters.fallback += 1;
                if let Some(turn) = turn {
                    let action = self.with_world(|world| world.fallback(agent));
                    self.acted(turn, agent, &action);
                }
            }
            DefaultCause::Superseded | DefaultCause::Disconnected => self.count_late(agent, local),
        }
        self.count_missed(agent);
        // A broken connection is no fault of the scripts, nor is what an operator wants.
        let scripted = self.steering(agent) == Steering::Script;
        if let Some(turn) = turn.filter(|_| scripted && cause != DefaultCause::Disconnected) {
            self.watch_default(turn, cause);
        }
        self.trouble(agent, cause.to_string());
        self.journal(Some(agent), JournalEvent::Defaulted { cause });
    }

    pub(super) fn late(&mut self, agent: AgentId, local: Turn) {
        let Some(member) = self.member(agent) else { return };
        let place = member.answers.iter().position(|(turn, _)| *turn == local);
        // It was counted when it left the brain; nothing of it reached the referee.
        if let Some((_, source)) = place.and_then(|place| member.answers.remove(place)) {
            let counter = source.counter(&mut self.counters);
            *counter = counter.saturating_sub(1);
            if matches!(source, Source::Script | Source::Order) {
                let tick = self.tick;
                self.alerts.unheard(agent, tick);
            }
        }
        self.count_late(agent, local);
        self.journal(Some(agent), JournalEvent::Late);
    }

    fn count_late(&mut self, agent: AgentId, local: Turn) {
        let Some(member) = self.member(agent) else { return };
        if member.late != Some(local) {
            member.late = Some(local);
            self.counters.late += 1;
        }
    }

    fn notice(&mut self, seat: SeatId, notice: Notice) {
        match &notice {
            Notice::Malformed(_) | Notice::Unknown { .. } => self.counters.malformed += 1,
            Notice::AnswerLost { .. } => {}
        }
        let agent = self.seated_on(seat).first().copied();
        self.journal(agent, JournalEvent::Notice(notice));
    }

    fn round_over(
        &mut self,
        seat: SeatId,
        agent: AgentId,
        local: u32,
        result: RoundResult,
        now: Instant,
    ) {
        if self.rounds.turn(agent, Turn::new(local, 0)).is_none() {
            return;
        }
        if self.rounds.is_running() {
            self.quorum.hold_end(seat, agent, result, now);
            self.review(now);
        } else {
            self.calls.push_back(Call::Finish(agent, result));
        }
    }

    fn match_over(&mut self, seat: SeatId, now: Instant) {
        self.seat_changed(seat, &SeatState::Closed, now);
        self.end_match_if_over();
    }

    /// The match is over once it is for every agent that is still of the team.
    pub(super) fn end_match_if_over(&mut self) {
        let closed = |member: &Member| member.shown.seat == SeatState::Closed;
        if !self.over && self.present_members().all(closed) {
            self.over = true;
            self.end_profile();
            self.journal(None, JournalEvent::MatchOver);
            self.publish();
        }
    }
}
