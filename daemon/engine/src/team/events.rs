//! The reports of sessions, and how the team handles them.

use super::Team;
use super::crew::Member;
use super::decide::Source;
use super::turns::ScriptCall;
use crate::consensus::Report;
use crate::rounds::RoundStart;
use crate::turn::Asked;
use crate::{JournalEvent, RoundResult, SeatState, Steering};
use phalanx_game::{AgentId, DefaultCause, Event, Game, Notice, SeatId, Turn, World};
use std::time::Instant;

impl<G: Game> Team<G> {
    pub(super) fn seat_changed(&mut self, seat: SeatId, state: &SeatState, now: Instant) {
        let agents = self.crew.seated_on(seat);
        let is_in_it = |agent: &AgentId| {
            self.crew.get(*agent).is_some_and(|member| member.shown.seat == *state)
        };
        // The session reports it, and its seat does too.
        if !agents.is_empty() && agents.iter().all(is_in_it) {
            return;
        }
        let only = agents.iter().copied().next().filter(|_| agents.len() == 1);
        for agent in agents {
            if let Some(member) = self.crew.get_mut(agent) {
                member.shown.seat = state.clone();
            }
            if *state != SeatState::Seated {
                self.turns.forget(agent);
            }
        }
        self.journal(only, JournalEvent::Seat { seat, state: state.clone() });
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
        if self.is_unowned(&event) {
            return;
        }
        let Some(event) = self.meet(seat, event, now) else { return };
        match event {
            Event::Seated { .. } => self.seat_changed(seat, &SeatState::Seated, now),
            Event::Refused { reason } => {
                self.seat_changed(seat, &SeatState::Refused { reason }, now);
            }
            Event::RoundStarted { agent, round, briefing } => {
                if self.turns.rounds.departs(agent, round) {
                    self.quorum.hold_start(seat, agent, (round, briefing), now);
                    self.review(now);
                } else {
                    self.round_started(agent, round, briefing.as_ref(), now);
                }
            }
            Event::Percept { turn, agent, percept } => {
                if let Some(turn) = self.turns.rounds.turn(agent, turn) {
                    self.with_world(|world| world.observe(turn, agent, percept));
                }
            }
            Event::Asked { turn, agent, due, percept } => {
                self.asked(seat, agent, Asked { local: turn, at: now, due }, percept, now);
            }
            Event::Defaulted { turn, agent, cause } => self.defaulted(agent, turn, cause),
            Event::Notice(notice) => self.notice(seat, notice),
            Event::Out { agent, round } => self.out(seat, agent, round, now),
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
        let round = match self.turns.rounds.started(agent, local) {
            None => return,
            Some(RoundStart::New(round)) => {
                self.close_turn(now);
                self.turns.open = None;
                self.quorum.begin_round();
                self.shared.borrow_mut().board.clear();
                self.crew.expect_all();
                self.journal(None, JournalEvent::RoundStarted);
                self.turns.call_later(ScriptCall::Start(agent));
                round
            }
            Some(RoundStart::Joined(round)) => {
                self.turns.call_later(ScriptCall::Start(agent));
                round
            }
            Some(RoundStart::Again(round)) => round,
        };
        if let Some(seat) = self.crew.seat_of(agent) {
            self.quorum.reports.heard(seat, Report::Started, None, now);
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
        // Counted in any case, since the seat's own answer is counted too.
        self.counters.request();
        if self.ending.is_drained() {
            return;
        }
        let percept = match self.turns.rounds.turn(agent, asked.local) {
            Some(_) => Some(percept),
            None => self.asked_elsewhere(seat, agent, asked, percept, now),
        };
        let (Some(percept), Some(turn)) = (percept, self.turns.rounds.turn(agent, asked.local))
        else {
            return;
        };
        self.crew.set_out(agent, false);
        self.quorum.reports.heard(seat, Report::Asked(turn.step), Some(asked.due), now);
        match &self.turns.open {
            // A connection that is one turn late.
            Some(open) if turn.step.checked_add(1) == Some(open.turn.step) => {}
            Some(open)
                if turn == open.turn
                    || self.quorum.is_next((&self.turns, &self.crew), agent, turn, now) =>
            {
                self.take_request(turn, agent, asked, percept, now);
                // Agents that also reported this turn were held back.
                self.open_turn(turn, now);
            }
            Some(_) | None => self.hold(seat, agent, asked, percept, now),
        }
    }

    /// The agents that were asked in the ending turn are the ones to wait for in the next one.
    pub(super) fn remember_who_was_asked(&mut self) {
        if let Some(open) = &self.turns.open {
            self.crew.expect(|agent| open.asked.contains_key(&agent));
        }
    }

    fn defaulted(&mut self, agent: AgentId, local: Turn, cause: DefaultCause) {
        if let Some(open) = &mut self.turns.open
            && open.asked.get(&agent).is_some_and(|asked| asked.local == local)
            && cause == DefaultCause::Disconnected
        {
            open.forget(agent);
        }
        if cause == DefaultCause::Disconnected {
            self.quorum.forget(agent, local);
        }
        let turn = self.turns.rounds.turn(agent, local);
        match cause {
            DefaultCause::NoDecision => {
                self.counters.seat_answered();
                if let Some(turn) = turn {
                    let action = self.with_world(|world| world.fallback(agent));
                    self.acted(turn, agent, &action);
                }
            }
            DefaultCause::Superseded | DefaultCause::Disconnected => self.count_late(agent, local),
        }
        self.count_missed(agent);
        // A broken connection is not a script's fault, and neither is an operator's request.
        let scripted = self.crew.steering(agent) == Steering::Script;
        if let Some(turn) = turn.filter(|_| scripted && cause != DefaultCause::Disconnected) {
            self.watch_default(turn, cause);
        }
        self.trouble(agent, cause.to_string());
        self.journal(Some(agent), JournalEvent::Defaulted { cause });
    }

    pub(super) fn late(&mut self, agent: AgentId, local: Turn) {
        let Some(member) = self.crew.get_mut(agent) else { return };
        // It was counted when the script decided, but it did not reach the referee.
        if let Some(source) = member.take_answer(local) {
            self.counters.unanswered(source);
            if matches!(source, Source::Script | Source::Order) {
                self.alerts.unheard(agent, self.turns.tick());
            }
        }
        self.count_late(agent, local);
        self.journal(Some(agent), JournalEvent::Late);
    }

    fn count_late(&mut self, agent: AgentId, local: Turn) {
        if self.crew.get_mut(agent).is_some_and(|member| member.count_late(local)) {
            self.counters.late();
        }
    }

    fn notice(&mut self, seat: SeatId, notice: Notice) {
        match &notice {
            Notice::Malformed(_) | Notice::Unknown { .. } | Notice::Fault { .. } => {
                self.counters.malformed();
            }
            Notice::AnswerLost { .. } => {}
        }
        let agent = self.crew.seated_on(seat).first().copied();
        self.journal(agent, JournalEvent::Notice(notice));
    }

    /// No turn of the round waits for the agent any more, and what its seat reported last is no
    /// report on later turns.
    fn out(&mut self, seat: SeatId, agent: AgentId, local: u32, now: Instant) {
        if self.turns.rounds.turn(agent, Turn::new(local, 0)).is_none() {
            return;
        }
        self.crew.set_out(agent, true);
        if self.crew.seated_on(seat).iter().all(|agent| self.crew.is_out(*agent)) {
            self.quorum.reports.forget(seat);
        }
        self.review(now);
    }

    fn round_over(
        &mut self,
        seat: SeatId,
        agent: AgentId,
        local: u32,
        result: RoundResult,
        now: Instant,
    ) {
        if self.turns.rounds.turn(agent, Turn::new(local, 0)).is_none() {
            return;
        }
        if self.turns.rounds.is_running() {
            self.quorum.hold_end(seat, agent, result, now);
            self.review(now);
        } else {
            self.turns.call_later(ScriptCall::Finish(agent, result));
        }
    }

    fn match_over(&mut self, seat: SeatId, now: Instant) {
        self.seat_changed(seat, &SeatState::Closed, now);
        self.end_match_if_over();
    }

    /// The match is over once it is over for every agent in the team.
    pub(super) fn end_match_if_over(&mut self) {
        if self.crew.present().all(Member::is_closed) && self.ending.end_match() {
            self.end_profile();
            self.journal(None, JournalEvent::MatchOver);
            self.publish();
        }
    }
}
