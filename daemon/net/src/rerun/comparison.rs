//! Compares the recorded journal with the new one.

use super::tally::{Share, Tally};
use phalanx_engine::{JournalEntry, JournalEvent};
use phalanx_game::Turn;
use phalanx_game::sorted::SortedMap;
use std::collections::VecDeque;

/// The two journals may be this many turns apart; an entry without a partner by then stays without
/// one.
const TURNS_APART_MAX: usize = 8;
/// The role under which decisions of operators are counted.
const STEERED: &str = "steered";

/// A line of a journal, in any form.
pub trait Line {
    /// The turn.
    fn turn(&self) -> Turn;
    /// The agent; `None`: the whole team.
    fn agent(&self) -> Option<&str>;
    /// Whether both are of the same kind and the same agent. All decisions are of one kind.
    fn is_like(&self, other: &Self) -> bool;
    /// Whether both are equal, without their times.
    fn is_same(&self, other: &Self) -> bool;
    /// The decision, if the line is one.
    fn decision(&self) -> Option<Decision<'_>>;
    /// Whether a script failed.
    fn is_failure(&self) -> bool;
    /// Whether the line ends a turn.
    fn ends_turn(&self) -> bool;
}

/// A decision for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision<'a> {
    /// The role that decided, or should have; empty: an operator did.
    pub role: &'a str,
    /// The action as text; `None`: the fallback.
    pub action: Option<&'a str>,
    /// The reason, if there is one.
    pub reason: &'a str,
}

/// A line that differs; one of the two may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineDifference<L> {
    /// The turn.
    pub turn: Turn,
    /// The recorded line.
    pub recorded: Option<L>,
    /// The new line.
    pub now: Option<L>,
}

/// Compares two journals as they grow.
#[derive(Debug)]
pub struct JournalComparison<L> {
    /// Another strategy decides: only decisions are compared.
    other: bool,
    turns: VecDeque<UnmatchedLines<L>>,
    /// The last turn of the recorded journal so far.
    recorded_to: Turn,
    found: VecDeque<LineDifference<L>>,
    /// The number of recorded lines that are lost: as many new lines need no partner.
    lost: u64,
    tally: Tally,
}

/// The lines of a turn without a partner so far.
#[derive(Debug)]
struct UnmatchedLines<L> {
    turn: Turn,
    recorded: Vec<L>,
    now: Vec<L>,
}

impl<L: Line> JournalComparison<L> {
    /// An empty comparison. `other`: another strategy decides, so that only decisions are compared.
    #[must_use]
    pub fn new(other: bool) -> Self {
        let (turns, found) = (VecDeque::new(), VecDeque::new());
        let (recorded_to, tally) = (Turn::default(), Tally::default());
        Self { other, turns, recorded_to, found, lost: 0, tally }
    }

    /// This many lines of the recorded journal are lost.
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

    /// The next line of the new journal.
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

    /// Ends the comparison. If a journal was cut off, the entries of its last turn are unknown.
    pub fn finish(&mut self, cut_off: bool) {
        let end = self.recorded_to;
        while let Some(waiting) = self.turns.pop_front() {
            if !(cut_off && waiting.turn >= end) {
                self.give_up(waiting);
            }
        }
    }

    /// The next difference.
    pub fn poll(&mut self) -> Option<LineDifference<L>> {
        self.found.pop_front()
    }

    /// The result so far.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The lines without a partner in the turn of this line; `None` if it is not compared.
    fn waiting(&mut self, line: &L) -> Option<&mut UnmatchedLines<L>> {
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
            self.turns.push_back(UnmatchedLines { turn, recorded: Vec::new(), now: Vec::new() });
        }
        self.turns.iter_mut().rfind(|waiting| waiting.turn == turn)
    }

    /// Reports lines that get no partner any more.
    fn give_up(&mut self, waiting: UnmatchedLines<L>) {
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
            self.found.push_back(LineDifference { turn, recorded, now });
        }
    }
}

fn share<'a>(shares: &'a mut SortedMap<String, Share>, name: &str) -> &'a mut Share {
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

/// The entry without the fields that depend on a clock.
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
        let mut comparison = JournalComparison::new(false);
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
