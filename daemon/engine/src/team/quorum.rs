//! Which round and turn the team plays: those that most of its seats report.
//!
//! A report that fits the team's turn is taken at once: another agent in the open turn, or the next
//! turn once all agents have decided. Any other report is held back, and the world does not observe
//! it until most seats report the same. A seat whose report is still held back when the others
//! decide is isolated: its session sends the fallback, the journal names it once, and its next
//! fitting report is taken again.

use super::Team;
use super::crew::Crew;
use super::turns::{ScriptCall, TurnState};
use crate::consensus::{Consensus, Report};
use crate::turn::{Asked, OpenTurn, Phase, patience};
use crate::{JournalEvent, RoundResult, TeamOptions};
use phalanx_game::sorted::{Order, SortedMap, SortedSet};
use phalanx_game::{AgentId, Game, Met, Notice, ProtocolError, SeatId, Turn, World};
use std::time::{Duration, Instant};

/// The start of a round: its number in the session's count, and its briefing.
type HeldStart<G> = (u32, Option<<G as Game>::Briefing>);

/// Reports that do not fit the team's turn, at most one of each kind for each agent.
#[derive(Debug)]
pub(super) struct Quorum<G: Game> {
    pub(super) reports: Consensus,
    held: SortedMap<AgentId, HeldEvents<G>>,
    /// The agents that reported the end of the running round, in order.
    ends: Vec<(AgentId, RoundResult)>,
    /// The number of requests held back so far, which gives their order.
    count: u64,
    /// An operator's read or piece of script used time of the first turn, which is not open yet.
    pub(super) served: bool,
}

#[derive(Debug)]
struct HeldEvents<G: Game> {
    seat: SeatId,
    /// The start of a round that the team does not play.
    start: Option<HeldStart<G>>,
    request: Option<HeldRequest<G>>,
    /// The session's round in which the last request would have fitted the team's turn.
    fitted: Option<u32>,
    /// The number of requests for a round that the team has left.
    behind: u32,
    /// The journal has named it, and it has not been in step since.
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
        let (reports, held, ends) = (Consensus::default(), SortedMap::new(), Vec::new());
        Self { reports, held, ends, count: 0, served: false }
    }
}

impl<G: Game> Quorum<G> {
    fn held(&mut self, seat: SeatId, agent: AgentId) -> &mut HeldEvents<G> {
        self.held.entry(agent).or_insert_with(|| HeldEvents {
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
        start: HeldStart<G>,
        now: Instant,
    ) {
        self.reports.heard(seat, Report::Elsewhere, None, now);
        let held = self.held(seat, agent);
        (held.start, held.request, held.fitted) = (Some(start), None, None);
    }

    /// A seat reports the end of the running round.
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

    /// The seat's connection is gone, so its requests cannot be answered any more.
    pub(super) fn lost(&mut self, seat: SeatId) {
        self.reports.forget(seat);
        self.held.retain(|_, held| held.seat != seat);
    }

    /// The agent was removed from the team.
    pub(super) fn dismiss(&mut self, agent: AgentId) {
        self.held.remove(&agent);
        self.ends.retain(|(known, _)| *known != agent);
    }

    /// The request cannot be answered any more.
    pub(super) fn forget(&mut self, agent: AgentId, local: Turn) {
        if let Some(held) = self.held.get_mut(&agent) {
            held.request.take_if(|request| request.asked.local == local);
        }
    }

    /// Begins a round: reports on the last one do not count.
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

    /// Leaves the round: the starts of rounds that were held back, in the order of the requests.
    fn take_starts(&mut self, is_over: bool) -> Vec<(AgentId, HeldStart<G>)> {
        let mut starts: Vec<_> = Vec::new();
        for (agent, held) in &mut self.held {
            let Some(request) = &held.request else {
                starts.extend(held.start.take().map(|start| (u64::MAX, *agent, start)));
                continue;
            };
            let start = held.start.take().unwrap_or((request.asked.local.round, None));
            // An agent that was elsewhere before the others left the round is not in the same one
            // now.
            if held.isolated && is_over {
                held.request = None;
            } else {
                starts.push((request.order, *agent, start));
            }
        }
        starts.order_by_key(|(order, agent, _)| (*order, *agent));
        starts.into_iter().map(|(_, agent, start)| (agent, start)).collect()
    }

    /// Counts requests that were held back and belong to the team's round as reports of it.
    fn hear_again(&mut self, turns: &TurnState, now: Instant) {
        for (agent, held) in &self.held {
            let Some(request) = &held.request else { continue };
            if let Some(turn) = turns.rounds.turn(*agent, request.asked.local) {
                let report = Report::Asked(turn.step);
                self.reports.heard(held.seat, report, Some(request.asked.due), now);
            }
        }
    }

    /// The open turn is decided without these agents, whose requests are dropped. Returns those
    /// that the journal has not named yet.
    fn isolate(&mut self, open: &OpenTurn) -> Vec<(AgentId, Turn)> {
        let mut named = Vec::new();
        for (agent, held) in &mut self.held {
            if open.asked.contains_key(agent) {
                continue;
            }
            let Some(request) = held.request.take() else { continue };
            if !std::mem::replace(&mut held.isolated, true) {
                named.push((*agent, request.asked.local));
            }
        }
        named
    }

    /// The requests of the team's round that are held back: step, agent and request.
    fn held_here(
        &self,
        turns: &TurnState,
    ) -> impl Iterator<Item = (u32, AgentId, &HeldRequest<G>)> {
        self.held.iter().filter_map(|(agent, held)| {
            let request = held.request.as_ref()?;
            let turn = turns.rounds.turn(*agent, request.asked.local)?;
            Some((turn.step, *agent, request))
        })
    }

    /// The earliest instant at which a session answers a request that is held back.
    pub(super) fn held_due(&self, turns: &TurnState, now: Instant) -> Option<Instant> {
        let dues = self.held_here(turns).map(|(_, _, request)| request.asked.due);
        dues.filter(|due| *due > now).min()
    }

    /// The time until then.
    pub(super) fn held_time(&self, turns: &TurnState, now: Instant) -> Duration {
        let left = |due: Instant| due.saturating_duration_since(now);
        self.held_due(turns, now).map_or(Duration::MAX, left)
    }

    /// Whether there are requests that are held back and that the team may still answer.
    pub(super) fn holds_requests(&self, turns: &TurnState) -> bool {
        self.held_here(turns).next().is_some()
    }

    /// Whether a request for a turn after the open one opens it at once: the agent was asked in the
    /// open turn, or half of the seats report the next one; most others were asked in the open
    /// turn, and all of them have decided.
    pub(super) fn is_next(
        &self,
        (turns, crew): (&TurnState, &Crew),
        agent: AgentId,
        turn: Turn,
        now: Instant,
    ) -> bool {
        let Some(open) = &turns.open else { return false };
        let follows = open.turn.step.checked_add(1) == Some(turn.step);
        let is_known = open.asked.contains_key(&agent) || self.reports.is_tied(turn.step, now);
        if !follows || !is_known {
            return false;
        }
        let is_past = |agent: &AgentId| match self.report_of(crew, *agent) {
            Some(Report::Asked(step)) => step > open.turn.step,
            Some(_) | None => false,
        };
        let took_part: SortedSet<SeatId> =
            open.asked.keys().filter_map(|agent| crew.seat_of(*agent)).collect();
        let is_confirmed = || {
            let awaited = crew.awaited_seats().collect();
            self.reports.confirms(&took_part, &awaited, now)
        };
        open.undecided().iter().all(is_past) && is_confirmed()
    }

    fn report_of(&self, crew: &Crew, agent: AgentId) -> Option<Report> {
        self.reports.report(crew.seat_of(agent)?)
    }

    /// Whether all agents are asked for which the open turn waits. It does not wait for an agent
    /// whose seat has reported something other than this turn.
    pub(super) fn is_complete(&self, open: &OpenTurn, crew: &Crew) -> bool {
        let is_out_of_step = |agent| match self.report_of(crew, agent) {
            Some(Report::Asked(step)) => step > open.turn.step,
            Some(Report::Ended | Report::Elsewhere | Report::Behind) => true,
            Some(Report::Started) | None => false,
        };
        crew.awaited().all(|agent| open.asked.contains_key(&agent) || is_out_of_step(agent))
    }

    /// The turn that the team should play instead of the open one.
    fn agreed_step(
        &self,
        (turns, crew): (&TurnState, &Crew),
        options: &TeamOptions,
        now: Instant,
    ) -> Option<u32> {
        let Some(open) = &turns.open else {
            return self.first_step((turns, crew), options, now);
        };
        let open = open.turn;
        let fits = |step: u32, agent: AgentId| {
            if step > open.step {
                let turn = Turn::new(open.round, step);
                self.reports.agrees(step, now) || self.is_next((turns, crew), agent, turn, now)
            } else {
                // One turn behind is a slow connection; more means another match state.
                open.step.abs_diff(step) > 1 && self.reports.agrees(step, now)
            }
        };
        let steps = self.held_here(turns).filter(|(step, agent, _)| fits(*step, *agent));
        steps.map(|(step, _, _)| step).max()
    }

    /// The first turn of a round, or of a team that was not asked before. There is no previous turn
    /// to compare with, so most of the expected agents must report it, or all have reported
    /// something, or the wait for them is over. Of several turns, the newest.
    fn first_step(
        &self,
        (turns, crew): (&TurnState, &Crew),
        options: &TeamOptions,
        now: Instant,
    ) -> Option<u32> {
        let mut counts: SortedMap<u32, SortedSet<SeatId>> = SortedMap::new();
        let mut heard = SortedSet::new();
        for (step, agent, _) in self.held_here(turns) {
            let seat = crew.seat_of(agent)?;
            heard.insert(seat);
            counts.entry(step).or_default().insert(seat);
        }
        let all: SortedSet<SeatId> = crew.awaited_seats().chain(heard.clone()).collect();
        let (step, most) = counts.iter().max_by_key(|(step, seats)| (seats.len(), **step))?;
        let waits = self.first_patience(turns, options).is_some_and(|until| now < until);
        (most.len() * 2 > all.len() || heard.len() == all.len() || !waits).then_some(*step)
    }

    /// How long the first turn of a round waits for others.
    pub(super) fn first_patience(
        &self,
        turns: &TurnState,
        options: &TeamOptions,
    ) -> Option<Instant> {
        if turns.open.is_some() {
            return None;
        }
        let until = |request: &HeldRequest<G>| {
            let Asked { at, due, .. } = request.asked;
            at + patience(due, at, options)
        };
        self.held_here(turns).map(|(_, _, request)| until(request)).min()
    }
}

impl<G: Game> Team<G> {
    /// Holds back a request for a turn that the team does not play.
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

    /// Handles a request for another round. `Some`: the session plays the team's round after all,
    /// since it was in step with the others twice.
    pub(super) fn asked_elsewhere(
        &mut self,
        seat: SeatId,
        agent: AgentId,
        asked: Asked,
        percept: G::Percept,
        now: Instant,
    ) -> Option<G::Percept> {
        if !self.turns.rounds.is_running() {
            return None;
        }
        let (local, fits) = (asked.local.round, self.is_in_step(agent, asked, &percept));
        let is_behind = self.turns.rounds.is_behind(agent, local);
        let held = self.quorum.held(seat, agent);
        if fits && held.fitted == Some(local) {
            self.quorum.held.remove(&agent);
            self.quorum.ends.retain(|(known, _)| *known != agent);
            self.turns.rounds.rejoin(agent, local);
            return Some(percept);
        }
        held.fitted = fits.then_some(local);
        held.behind = if is_behind { held.behind.saturating_add(1) } else { 0 };
        if held.behind == 1 {
            // A slow seat gets a last request of the round that is over.
            return None;
        }
        let was_here = self.turns.rounds.was_here(agent);
        let report = if was_here { Report::Elsewhere } else { Report::Behind };
        self.quorum.reports.heard(seat, report, Some(asked.due), now);
        self.hold(seat, agent, asked, percept, now);
        None
    }

    /// Whether the agent was asked in the team's turn or the next one, and its percept can come
    /// from the team's world.
    fn is_in_step(&self, agent: AgentId, asked: Asked, percept: &G::Percept) -> bool {
        let Some(open) = &self.turns.open else { return false };
        let ahead = asked.local.step.checked_sub(open.turn.step);
        if ahead.is_none_or(|ahead| ahead > 1) {
            return false;
        }
        let turn = Turn::new(self.turns.rounds.current(), asked.local.step);
        let start = self.quorum.held.get(&agent).and_then(|held| held.start.as_ref());
        let start = start.and_then(|(_, briefing)| briefing.as_ref());
        let world = self.world.borrow();
        world.recognize(agent, Met::Turn(turn, percept)).is_ok()
            && world.recognize(agent, Met::Round(start)).is_ok()
    }

    /// Moves to the round and the turn that most seats report, if the team plays another one.
    pub(super) fn review(&mut self, now: Instant) {
        if self.turns.rounds.is_running() && self.quorum.reports.is_left(now) {
            self.leave_round(now);
        }
        let here = (&self.turns, &self.crew);
        if let Some(step) = self.quorum.agreed_step(here, &self.options, now) {
            self.open_turn(Turn::new(self.turns.rounds.current(), step), now);
        }
    }

    /// Ends the round, since most seats have left it, and takes the reports that were held back.
    fn leave_round(&mut self, now: Instant) {
        self.turns.rounds.close();
        let result = self.quorum.result();
        for (agent, result) in std::mem::take(&mut self.quorum.ends) {
            self.turns.call_later(ScriptCall::Finish(agent, result));
        }
        if let Some(RoundResult { score, ranking }) = result {
            self.counters.round_over(score);
            self.journal(None, JournalEvent::RoundOver { score, ranking });
            self.publish();
        }
        let starts = self.quorum.take_starts(result.is_some());
        for (agent, (local, briefing)) in starts {
            self.round_started(agent, local, briefing.as_ref(), now);
        }
        self.quorum.hear_again(&self.turns, now);
    }

    /// Opens a turn with all agents that report it.
    pub(super) fn open_turn(&mut self, turn: Turn, now: Instant) {
        let here = self.quorum.held_here(&self.turns).filter(|(step, _, _)| *step == turn.step);
        let mut here: Vec<_> = here.map(|(_, agent, held)| (held.order, agent)).collect();
        here.order();
        for (_, agent) in here {
            let held = self.quorum.held.remove(&agent).and_then(|held| held.request);
            if let Some(HeldRequest { asked, percept, .. }) = held {
                self.take_request(turn, agent, asked, percept, now);
            }
        }
    }

    /// Adds the agent to a turn, and opens the turn if it is not open.
    pub(super) fn take_request(
        &mut self,
        turn: Turn,
        agent: AgentId,
        asked: Asked,
        percept: G::Percept,
        now: Instant,
    ) {
        self.quorum.held.remove(&agent);
        if self.turns.open.as_ref().is_none_or(|open| open.turn != turn) {
            self.close_turn(now);
            self.remember_who_was_asked();
            self.alerts.turn_began(now);
            self.counters.turn_began();
            let served = std::mem::take(&mut self.quorum.served);
            let open = OpenTurn::new(turn, asked.due, asked.at, &self.options);
            self.turns.begin(OpenTurn { served, ..open });
            self.check_alerts_alone(now);
        }
        self.counters.asked();
        if let Some(member) = self.crew.get_mut(agent) {
            member.shown.last_asked = Some(turn);
        }
        self.with_world(|world| world.observe(turn, agent, percept));
        let Some(open) = &mut self.turns.open else { return };
        open.ask(agent, asked, &self.options);
        if !matches!(open.phase, Phase::Gathering(_)) {
            // A straggler: the others have decided, but its own view still counts.
            self.settle(turn);
        }
    }

    /// The team decides a turn: the journal names each agent that reports another one, and the
    /// session sends its fallback.
    pub(super) fn isolate(&mut self) {
        let Some(open) = &self.turns.open else { return };
        let (turn, took_part) = (open.turn, open.asked.len());
        let named = self.quorum.isolate(open);
        for (agent, local) in named {
            self.counters.malformed();
            let here = self.turns.rounds.turn(agent, local).is_some();
            let round = if here { "this round" } else { "another round" };
            let got = format!("step {} of {round}", local.step);
            let expected = format!("step {}, as {took_part} agents report", turn.step);
            let error = ProtocolError::new("request", expected, got.as_bytes());
            self.journal(Some(agent), JournalEvent::Notice(Notice::Malformed(error)));
        }
    }
}
