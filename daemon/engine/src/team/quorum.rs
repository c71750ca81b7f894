//! Which round and turn the team plays: those that most of its seats report.
//!
//! A report that fits what the team plays is taken at once: another agent in the open turn, the next
//! turn once everybody has decided. Any other is held back and the world does not observe it, until
//! most seats report the same. A seat whose report is still held back when the others decide is
//! isolated: its session answers for it, the journal names it once, and its next report that fits is
//! taken again.

use super::{Call, Team};
use crate::consensus::{Consensus, Report};
use crate::turn::{Asked, OpenTurn, Phase, patience};
use crate::{Brain, JournalEvent, RoundResult};
use phalanx_game::{AgentId, Game, Met, Notice, ProtocolError, SeatId, Turn, World};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// What seats report that the team does not play, at most one report of each kind an agent.
#[derive(Debug)]
pub(super) struct Quorum<G: Game> {
    pub(super) reports: Consensus,
    held: BTreeMap<AgentId, Held<G>>,
    /// Who reported the end of the running round, in order.
    ends: Vec<(AgentId, RoundResult)>,
    /// Requests that were held back so far: their order.
    count: u64,
    /// An operator's look or piece of script took some time of the first turn, which is not open.
    pub(super) served: bool,
}

#[derive(Debug)]
struct Held<G: Game> {
    seat: SeatId,
    /// The start of a round that the team does not play.
    start: Option<(u32, Option<G::Briefing>)>,
    request: Option<HeldRequest<G>>,
    /// The session's round in which the last request would have fitted the team's turn.
    fitted: Option<u32>,
    /// Requests of a round that the team has left.
    behind: u32,
    /// The journal has named it, and it was not in step since.
    isolated: bool,
}

#[derive(Debug)]
struct HeldRequest<G: Game> {
    asked: Asked,
    percept: G::Percept,
    order: u64,
}

impl<G: Game> Default for Quorum<G> {
    fn default() -> Self {
        let (reports, held, ends) = (Consensus::default(), BTreeMap::new(), Vec::new());
        Self { reports, held, ends, count: 0, served: false }
    }
}

impl<G: Game> Quorum<G> {
    fn held(&mut self, seat: SeatId, agent: AgentId) -> &mut Held<G> {
        self.held.entry(agent).or_insert_with(|| Held {
            seat,
            start: None,
            request: None,
            fitted: None,
            behind: 0,
            isolated: false,
        })
    }

    fn hold(&mut self, seat: SeatId, agent: AgentId, asked: Asked, percept: G::Percept) {
        let order = self.count;
        self.count += 1;
        self.held(seat, agent).request = Some(HeldRequest { asked, percept, order });
    }

    /// The start of a round that the team does not play.
    pub(super) fn hold_start(
        &mut self,
        seat: SeatId,
        agent: AgentId,
        start: (u32, Option<G::Briefing>),
        now: Instant,
    ) {
        self.reports.heard(seat, Report::Elsewhere, None, now);
        let held = self.held(seat, agent);
        (held.start, held.request, held.fitted) = (Some(start), None, None);
    }

    /// The running round is over, says a seat.
    pub(super) fn hold_end(
        &mut self,
        seat: SeatId,
        agent: AgentId,
        end: RoundResult,
        now: Instant,
    ) {
        self.reports.heard(seat, Report::Ended, None, now);
        self.ends.retain(|(known, _)| *known != agent);
        self.ends.push((agent, end));
    }

    /// The seat's connection is gone, and with it what could be answered.
    pub(super) fn lost(&mut self, seat: SeatId) {
        self.reports.forget(seat);
        self.held.retain(|_, held| held.seat != seat);
    }

    /// The agent is not of the team any more.
    pub(super) fn dismiss(&mut self, agent: AgentId) {
        self.held.remove(&agent);
        self.ends.retain(|(known, _)| *known != agent);
    }

    /// The agent's chance to answer a request is gone.
    pub(super) fn forget(&mut self, agent: AgentId, local: Turn) {
        if let Some(held) = self.held.get_mut(&agent) {
            held.request.take_if(|request| request.asked.local == local);
        }
    }

    /// A new round: what was said of the last one does not count.
    pub(super) fn begin_round(&mut self) {
        self.reports.clear();
        self.ends.clear();
        self.served = false;
    }

    /// The result that most seats report; the first one of several.
    fn result(&self) -> Option<RoundResult> {
        let count = |result: &RoundResult| {
            let same = |(_, other): &&(AgentId, RoundResult)| {
                (other.score, other.ranking) == (result.score, result.ranking)
            };
            self.ends.iter().filter(same).count()
        };
        let ends = self.ends.iter().map(|(_, result)| *result);
        ends.rev().max_by_key(count)
    }
}

impl<G: Game, B: Brain> Team<G, B> {
    /// A request that cannot be taken just now: for a turn that the team does not play.
    pub(super) fn hold(
        &mut self,
        seat: SeatId,
        agent: AgentId,
        asked: Asked,
        percept: G::Percept,
        now: Instant,
    ) {
        self.quorum.hold(seat, agent, asked, percept);
        self.review(now);
    }

    /// A request in a round that is not the team's. `Some`: the session is back in the team's round
    /// after all, since it was in step with the others twice.
    pub(super) fn asked_elsewhere(
        &mut self,
        seat: SeatId,
        agent: AgentId,
        asked: Asked,
        percept: G::Percept,
        now: Instant,
    ) -> Option<G::Percept> {
        if !self.rounds.is_running() {
            return None;
        }
        let (local, fits) = (asked.local.round, self.is_in_step(agent, asked, &percept));
        let is_behind = self.rounds.is_behind(agent, local);
        let held = self.quorum.held(seat, agent);
        if fits && held.fitted == Some(local) {
            self.quorum.held.remove(&agent);
            self.quorum.ends.retain(|(known, _)| *known != agent);
            self.rounds.rejoin(agent, local);
            return Some(percept);
        }
        held.fitted = fits.then_some(local);
        held.behind = if is_behind { held.behind.saturating_add(1) } else { 0 };
        if held.behind == 1 {
            // A seat that is slow gets a last request of the round that is over.
            return None;
        }
        let was_here = self.rounds.was_here(agent);
        let report = if was_here { Report::Elsewhere } else { Report::Behind };
        self.quorum.reports.heard(seat, report, Some(asked.due), now);
        self.hold(seat, agent, asked, percept, now);
        None
    }

    /// The agent was asked in the team's turn or in the next one, and what it perceives may be of
    /// the team's world.
    fn is_in_step(&self, agent: AgentId, asked: Asked, percept: &G::Percept) -> bool {
        let Some(open) = &self.open else { return false };
        let ahead = asked.local.step.checked_sub(open.turn.step);
        if ahead.is_none_or(|ahead| ahead > 1) {
            return false;
        }
        let turn = Turn::new(self.rounds.current(), asked.local.step);
        let start = self.quorum.held.get(&agent).and_then(|held| held.start.as_ref());
        let start = start.and_then(|(_, briefing)| briefing.as_ref());
        let world = self.world.borrow();
        world.recognize(agent, Met::Turn(turn, percept)).is_ok()
            && world.recognize(agent, Met::Round(start)).is_ok()
    }

    /// Whether a request for a turn after the open one opens it at once: the agent was asked in the
    /// open turn, or half of the seats report the next one; most others were asked in the open turn,
    /// and none of them has to decide any more.
    pub(super) fn is_next(&self, agent: AgentId, turn: Turn, now: Instant) -> bool {
        let Some(open) = &self.open else { return false };
        let follows = open.turn.step.checked_add(1) == Some(turn.step);
        let is_known =
            open.asked.contains_key(&agent) || self.quorum.reports.is_tied(turn.step, now);
        if !follows || !is_known {
            return false;
        }
        let is_past = |agent: &AgentId| match self.report_of(*agent) {
            Some(Report::Asked(step)) => step > open.turn.step,
            Some(_) | None => false,
        };
        let took_part = open.asked.keys().filter_map(|agent| self.seats.get(agent.index()));
        let took_part: BTreeSet<SeatId> = took_part.copied().collect();
        open.undecided().iter().all(is_past) && self.quorum.reports.confirms(&took_part, now)
    }

    fn report_of(&self, agent: AgentId) -> Option<Report> {
        self.quorum.reports.report(*self.seats.get(agent.index())?)
    }

    /// The agent's seat has reported something else than the open turn: it is not waited for.
    pub(super) fn is_out_of_step(&self, agent: AgentId) -> bool {
        let Some(open) = &self.open else { return false };
        match self.report_of(agent) {
            Some(Report::Asked(step)) => step > open.turn.step,
            Some(Report::Ended | Report::Elsewhere | Report::Behind) => true,
            Some(Report::Started) | None => false,
        }
    }

    /// Moves to the round and the turn that most seats report, if the team is elsewhere.
    pub(super) fn review(&mut self, now: Instant) {
        if self.rounds.is_running() && self.quorum.reports.is_left(now) {
            self.leave_round(now);
        }
        if let Some(step) = self.agreed_step(now) {
            self.open_turn(Turn::new(self.rounds.current(), step), now);
        }
    }

    /// Most seats are through with the round: it ends, and what they met after it is heard.
    fn leave_round(&mut self, now: Instant) {
        self.rounds.close();
        let result = self.quorum.result();
        for (agent, result) in std::mem::take(&mut self.quorum.ends) {
            self.calls.push_back(Call::Finish(agent, result));
        }
        if let Some(RoundResult { score, ranking }) = result {
            self.scores.push(score);
            self.journal(None, JournalEvent::RoundOver { score, ranking });
            self.publish();
        }
        let mut starts: Vec<_> = Vec::new();
        for (agent, held) in &mut self.quorum.held {
            let Some(request) = &held.request else {
                starts.extend(held.start.take().map(|start| (u64::MAX, *agent, start)));
                continue;
            };
            let start = held.start.take().unwrap_or((request.asked.local.round, None));
            // An agent that was elsewhere before the others left is not where they are.
            if held.isolated && result.is_some() {
                held.request = None;
            } else {
                starts.push((request.order, *agent, start));
            }
        }
        starts.sort_by_key(|(order, agent, _)| (*order, *agent));
        for (_, agent, (local, briefing)) in starts {
            self.round_started(agent, local, briefing.as_ref(), now);
        }
        self.hear_again(now);
    }

    /// Requests that are held back and belong to the team's round now count as reports of it.
    fn hear_again(&mut self, now: Instant) {
        for (agent, held) in &self.quorum.held {
            let Some(request) = &held.request else { continue };
            if let Some(turn) = self.rounds.turn(*agent, request.asked.local) {
                let report = Report::Asked(turn.step);
                self.quorum.reports.heard(held.seat, report, Some(request.asked.due), now);
            }
        }
    }

    /// Requests of the team's round that are held back: step, agent and request.
    fn held_here(&self) -> impl Iterator<Item = (u32, AgentId, &HeldRequest<G>)> {
        self.quorum.held.iter().filter_map(|(agent, held)| {
            let request = held.request.as_ref()?;
            let turn = self.rounds.turn(*agent, request.asked.local)?;
            Some((turn.step, *agent, request))
        })
    }

    /// The turn that the team should play instead of the open one.
    fn agreed_step(&self, now: Instant) -> Option<u32> {
        let Some(open) = &self.open else { return self.first_step(now) };
        let open = open.turn;
        let fits = |step: u32, agent: AgentId| {
            if step > open.step {
                let turn = Turn::new(open.round, step);
                self.quorum.reports.agrees(step, now) || self.is_next(agent, turn, now)
            } else {
                // One turn behind is a slow connection; more is another place.
                open.step.abs_diff(step) > 1 && self.quorum.reports.agrees(step, now)
            }
        };
        let steps = self.held_here().filter(|(step, agent, _)| fits(*step, *agent));
        steps.map(|(step, _, _)| step).max()
    }

    /// The first turn of a round, or of a team that was not asked before. No turn before it says
    /// which is right, so most of those who are waited for must report it, or all have reported
    /// something, or the patience for them is spent. Of several the newest.
    fn first_step(&self, now: Instant) -> Option<u32> {
        let mut counts: BTreeMap<u32, BTreeSet<SeatId>> = BTreeMap::new();
        let mut heard = BTreeSet::new();
        for (step, agent, _) in self.held_here() {
            let seat = self.seats.get(agent.index()).copied()?;
            heard.insert(seat);
            counts.entry(step).or_default().insert(seat);
        }
        let waited = self.roster.ids().zip(&self.members).zip(&self.seats);
        let waited = waited.filter(|((agent, member), _)| {
            member.expected && member.is_seated() && self.roster.is_present(*agent)
        });
        let all: BTreeSet<SeatId> = waited.map(|(_, seat)| *seat).chain(heard.clone()).collect();
        let (step, most) = counts.iter().max_by_key(|(step, seats)| (seats.len(), **step))?;
        let waits = self.first_patience().is_some_and(|until| now < until);
        (most.len() * 2 > all.len() || heard.len() == all.len() || !waits).then_some(*step)
    }

    /// Until when the first turn of a round waits for others.
    pub(super) fn first_patience(&self) -> Option<Instant> {
        if self.open.is_some() {
            return None;
        }
        let until = |request: &HeldRequest<G>| {
            let Asked { at, due, .. } = request.asked;
            at + patience(due, at, &self.options)
        };
        self.held_here().map(|(_, _, request)| until(request)).min()
    }

    /// The earliest instant at which a session answers a request that is held back for now.
    pub(super) fn held_due(&self, now: Instant) -> Option<Instant> {
        let dues = self.held_here().map(|(_, _, request)| request.asked.due);
        dues.filter(|due| *due > now).min()
    }

    /// Requests are held back that the team may still answer.
    pub(super) fn holds_requests(&self) -> bool {
        self.held_here().next().is_some()
    }

    /// Opens a turn, with all who report it.
    pub(super) fn open_turn(&mut self, turn: Turn, now: Instant) {
        let here = self.held_here().filter(|(step, _, _)| *step == turn.step);
        let mut here: Vec<_> = here.map(|(_, agent, held)| (held.order, agent)).collect();
        here.sort_unstable();
        for (_, agent) in here {
            let held = self.quorum.held.remove(&agent).and_then(|held| held.request);
            if let Some(HeldRequest { asked, percept, .. }) = held {
                self.take_request(turn, agent, asked, percept, now);
            }
        }
    }

    /// The agent takes part in a turn, which is opened if it is not open.
    pub(super) fn take_request(
        &mut self,
        turn: Turn,
        agent: AgentId,
        asked: Asked,
        percept: G::Percept,
        now: Instant,
    ) {
        self.quorum.held.remove(&agent);
        if self.open.as_ref().is_none_or(|open| open.turn != turn) {
            self.close_turn(now);
            self.remember_who_was_asked();
            self.tick += 1;
            self.alerts.turn_began(now);
            self.done = crate::TurnDone::default();
            let served = std::mem::take(&mut self.quorum.served);
            let open = OpenTurn::new(turn, asked.due, asked.at, &self.options);
            self.open = Some(OpenTurn { served, ..open });
            self.check_alerts_alone(now);
        }
        self.done.asked += 1;
        if let Some(member) = self.member(agent) {
            member.shown.last_asked = Some(turn);
        }
        self.with_world(|world| world.observe(turn, agent, percept));
        let Some(open) = &mut self.open else { return };
        open.ask(agent, asked, &self.options);
        if !matches!(open.phase, Phase::Gathering(_)) {
            // A straggler: the others have decided, its own view still counts.
            self.with_world(|world| world.settle(turn));
        }
    }

    /// The team decides a turn: an agent that reports another one is named in the journal, and its
    /// session answers for it.
    pub(super) fn isolate(&mut self) {
        let Some(open) = &self.open else { return };
        let (turn, took_part) = (open.turn, open.asked.len());
        let asked = &open.asked;
        let mut named = Vec::new();
        for (agent, held) in &mut self.quorum.held {
            if asked.contains_key(agent) {
                continue;
            }
            let Some(request) = held.request.take() else { continue };
            if !std::mem::replace(&mut held.isolated, true) {
                named.push((*agent, held.seat, request.asked.local));
            }
        }
        for (agent, _, local) in named {
            self.counters.malformed += 1;
            let here = self.rounds.turn(agent, local).is_some();
            let round = if here { "this round" } else { "another round" };
            let got = format!("step {} of {round}", local.step);
            let expected = format!("step {}, as {took_part} agents report", turn.step);
            let error = ProtocolError::new("request", expected, got.as_bytes());
            self.journal(Some(agent), JournalEvent::Notice(Notice::Malformed(error)));
        }
    }

    /// The time until a request that is held back is due.
    pub(super) fn held_time(&self, now: Instant) -> Duration {
        let left = |due: Instant| due.saturating_duration_since(now);
        self.held_due(now).map_or(Duration::MAX, left)
    }
}
