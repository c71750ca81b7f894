//! The recorded journal beside the one that is computed now.

use super::tally::{Share, Tally};
use phalanx_engine::{JournalEntry, JournalEvent};
use phalanx_game::Turn;
use std::collections::{BTreeMap, VecDeque};

/// Both journals may be so many turns apart; what has no partner by then never gets one.
const TURNS_APART_MAX: usize = 8;
/// The role under which decisions of operators are counted.
const STEERED: &str = "steered";

/// A line of a journal, in whatever form it is kept.
pub trait Line {
    /// In which turn.
    fn turn(&self) -> Turn;
    /// Whom it concerns; `None`: the whole team.
    fn agent(&self) -> Option<&str>;
    /// It tells the same kind of thing of the same agent. All decisions are of one kind.
    fn is_like(&self, other: &Self) -> bool;
    /// It tells the same; times do not count.
    fn is_same(&self, other: &Self) -> bool;
    /// What was decided, if it tells of a decision.
    fn decision(&self) -> Option<Decision<'_>>;
    /// A script failed.
    fn is_failure(&self) -> bool;
    /// A turn is through.
    fn ends_turn(&self) -> bool;
}

/// What was decided for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision<'a> {
    /// The role that decided, or should have; empty: an operator did.
    pub role: &'a str,
    /// The action, as people read it; `None`: the fallback.
    pub action: Option<&'a str>,
    /// Why, where anybody said so.
    pub reason: &'a str,
}

/// A line that came out differently: one of the two may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<L> {
    /// In which turn.
    pub turn: Turn,
    /// What is recorded.
    pub recorded: Option<L>,
    /// What came out now.
    pub now: Option<L>,
}

/// Compares two journals as they grow.
#[derive(Debug)]
pub struct Comparison<L> {
    /// Another strategy decides: only decisions are compared.
    other: bool,
    turns: VecDeque<Waiting<L>>,
    /// The recorded journal has come to this turn.
    recorded_to: Turn,
    found: VecDeque<Difference<L>>,
    /// So many recorded lines are lost: as many of now need no partner.
    lost: u64,
    tally: Tally,
}

/// The lines of a turn that wait for their partners.
#[derive(Debug)]
struct Waiting<L> {
    turn: Turn,
    recorded: Vec<L>,
    now: Vec<L>,
}

impl<L: Line> Comparison<L> {
    /// Nothing is compared yet. `other`: another strategy decides, so that only decisions matter.
    #[must_use]
    pub fn new(other: bool) -> Self {
        let (turns, found) = (VecDeque::new(), VecDeque::new());
        let (recorded_to, tally) = (Turn::default(), Tally::default());
        Self { other, turns, recorded_to, found, lost: 0, tally }
    }

    /// So many lines of the recorded journal are lost.
    pub fn lost(&mut self, count: u64) {
        self.lost += count;
    }

    /// The next recorded line.
    pub fn recorded(&mut self, line: L) {
        self.tally.errors_recorded += u64::from(line.is_failure());
        self.recorded_to = line.turn();
        let Some(waiting) = self.waiting(&line) else { return };
        match waiting.now.iter().position(|now| now.is_like(&line)) {
            Some(place) => {
                let now = waiting.now.remove(place);
                self.compare(Some(line), Some(now));
            }
            None => waiting.recorded.push(line),
        }
    }

    /// The next line that came out now.
    pub fn now(&mut self, line: L) {
        self.tally.errors_now += u64::from(line.is_failure());
        self.tally.turns += u64::from(line.ends_turn());
        let Some(waiting) = self.waiting(&line) else { return };
        match waiting.recorded.iter().position(|recorded| recorded.is_like(&line)) {
            Some(place) => {
                let recorded = waiting.recorded.remove(place);
                self.compare(Some(recorded), Some(line));
            }
            None => waiting.now.push(line),
        }
    }

    /// Nothing more comes. Of a journal that was cut off nobody knows what came in its last turn.
    pub fn finish(&mut self, cut_off: bool) {
        let end = self.recorded_to;
        while let Some(waiting) = self.turns.pop_front() {
            if !(cut_off && waiting.turn >= end) {
                self.give_up(waiting);
            }
        }
    }

    /// The next thing that came out differently.
    pub fn poll(&mut self) -> Option<Difference<L>> {
        self.found.pop_front()
    }

    /// What it came to so far.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Who waits for a partner in the turn of a line; `None` when it is not compared.
    fn waiting(&mut self, line: &L) -> Option<&mut Waiting<L>> {
        if self.other && line.decision().is_none() {
            return None;
        }
        let turn = line.turn();
        if !self.turns.iter().any(|waiting| waiting.turn == turn) {
            if self.turns.len() >= TURNS_APART_MAX
                && let Some(oldest) = self.turns.pop_front()
            {
                self.give_up(oldest);
            }
            self.turns.push_back(Waiting { turn, recorded: Vec::new(), now: Vec::new() });
        }
        self.turns.iter_mut().rfind(|waiting| waiting.turn == turn)
    }

    /// These have no partners.
    fn give_up(&mut self, waiting: Waiting<L>) {
        for recorded in waiting.recorded {
            self.compare(Some(recorded), None);
        }
        for now in waiting.now {
            self.compare(None, Some(now));
        }
    }

    fn compare(&mut self, recorded: Option<L>, now: Option<L>) {
        let Some(line) = recorded.as_ref().or(now.as_ref()) else { return };
        if recorded.is_none() && self.lost > 0 {
            self.lost -= 1;
            return;
        }
        let differs = match (&recorded, &now) {
            (Some(recorded), Some(now)) if self.other => {
                let action = |line: &L| line.decision().map(|it| it.action.map(str::to_owned));
                action(recorded) != action(now)
            }
            (Some(recorded), Some(now)) => !recorded.is_same(now),
            (None, _) | (_, None) => true,
        };
        if let Some(decision) = line.decision() {
            self.tally.decisions.count(differs);
            let role = if decision.role.is_empty() { STEERED } else { decision.role };
            share(&mut self.tally.by_role, role).count(differs);
            share(&mut self.tally.by_agent, line.agent().unwrap_or("?")).count(differs);
        } else {
            self.tally.entries.count(differs);
        }
        if differs {
            let turn = line.turn();
            self.found.push_back(Difference { turn, recorded, now });
        }
    }
}

fn share<'a>(shares: &'a mut BTreeMap<String, Share>, name: &str) -> &'a mut Share {
    if !shares.contains_key(name) {
        shares.insert(name.to_owned(), Share::default());
    }
    shares.entry(name.to_owned()).or_default()
}

impl Line for JournalEntry {
    fn turn(&self) -> Turn {
        self.turn
    }

    fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    fn is_like(&self, other: &Self) -> bool {
        let alike = match (self.decision(), other.decision()) {
            (None, None) => {
                std::mem::discriminant(&self.event) == std::mem::discriminant(&other.event)
            }
            (decided, other) => decided.is_some() && other.is_some(),
        };
        alike && self.agent == other.agent
    }

    fn is_same(&self, other: &Self) -> bool {
        timeless(self) == timeless(other)
    }

    fn decision(&self) -> Option<Decision<'_>> {
        if let JournalEvent::Decided { action, role, reason, .. } = &self.event {
            let reason = reason.as_ref().map_or("", |reason| &reason.text);
            return Some(Decision { role, action: Some(action), reason });
        }
        if let JournalEvent::Fallback { reason, role, .. } = &self.event {
            return Some(Decision { role, action: None, reason });
        }
        if let JournalEvent::Ordered { action, by, .. } = &self.event {
            return Some(Decision { role: "", action: Some(action), reason: by });
        }
        let JournalEvent::Held { by, .. } = &self.event else { return None };
        Some(Decision { role: "", action: None, reason: by })
    }

    fn is_failure(&self) -> bool {
        matches!(self.event, JournalEvent::Fallback { .. } | JournalEvent::ScriptError { .. })
    }

    fn ends_turn(&self) -> bool {
        matches!(self.event, JournalEvent::TurnDone(_))
    }
}

/// The entry without what a clock told.
fn timeless(entry: &JournalEntry) -> JournalEntry {
    let mut entry = entry.clone();
    if let JournalEvent::Decided { spent, .. } | JournalEvent::Fallback { spent, .. } =
        &mut entry.event
    {
        *spent = std::time::Duration::ZERO;
    } else if let JournalEvent::TurnDone(done) = &mut entry.event {
        done.script_us = 0;
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    fn late(agent: &str) -> JournalEntry {
        let (turn, agent) = (Turn::new(0, 3), Some(agent.to_owned()));
        JournalEntry { turn, agent, generation: 1, event: JournalEvent::Late }
    }

    fn differing(lost: u64) -> usize {
        let mut comparison = Comparison::new(false);
        comparison.recorded(late("a1"));
        comparison.lost(lost);
        ["a1", "a2", "a3"].iter().for_each(|agent| comparison.now(late(agent)));
        comparison.finish(false);
        std::iter::from_fn(|| comparison.poll()).count()
    }

    #[test]
    fn lines_that_the_recorded_journal_lost_are_no_differences() {
        assert_eq!([0, 1, 2, 3].map(differing), [2, 1, 0, 0]);
    }
}
