//! The recorded journal beside the one that is computed now.

use super::tally::{Share, Tally};
use phalanx_engine::{JournalEntry, JournalEvent};
use phalanx_game::{SeatId, Turn};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Both journals may be so many turns apart; what has no partner by then never gets one.
const TURNS_APART_MAX: usize = 8;
/// The role under which decisions of operators are counted.
const STEERED: &str = "steered";

/// Something that came out differently.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// An entry of the journal: a decision, or anything else.
    Journal {
        /// In which turn.
        turn: Turn,
        /// The agent's name, where it concerns one.
        agent: Option<String>,
        /// What is recorded; `None`: nothing like it.
        recorded: Option<Arc<JournalEntry>>,
        /// What came out now; `None`: nothing like it.
        now: Option<Arc<JournalEntry>>,
    },
    /// A message to the referee.
    Sent {
        /// From which seat.
        seat: SeatId,
        /// In which turn of the team.
        turn: Turn,
        /// What is recorded; `None`: nothing more.
        recorded: Option<Arc<[u8]>>,
        /// What came out now; `None`: nothing.
        now: Option<Arc<[u8]>>,
    },
}

/// Which of the two journals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Recorded,
    Now,
}

/// Compares two journals as they grow.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// Another strategy decides: only decisions are compared.
    other: bool,
    turns: VecDeque<(Turn, BTreeMap<Key, Pair>)>,
    /// The recorded journal has come to this turn.
    recorded_to: Turn,
    found: VecDeque<Difference>,
    pub(super) tally: Tally,
}

/// Entries that belong together: their agent, and what kind of thing they tell.
type Key = (Option<String>, &'static str);

/// A recorded entry, and the one of now.
type Partners = (Arc<JournalEntry>, Arc<JournalEntry>);

/// Entries of one kind that wait for their partners; one of the two is empty.
#[derive(Debug, Default)]
struct Pair {
    recorded: VecDeque<Arc<JournalEntry>>,
    now: VecDeque<Arc<JournalEntry>>,
}

impl Pair {
    /// One more; a pair when its partner waits already.
    fn meet(&mut self, side: Side, entry: Arc<JournalEntry>) -> Option<Partners> {
        let (mine, others) = match side {
            Side::Recorded => (&mut self.recorded, &mut self.now),
            Side::Now => (&mut self.now, &mut self.recorded),
        };
        let Some(other) = others.pop_front() else {
            mine.push_back(entry);
            return None;
        };
        Some(match side {
            Side::Recorded => (entry, other),
            Side::Now => (other, entry),
        })
    }
}

impl Comparison {
    pub(super) fn new(other: bool) -> Self {
        Self { other, ..Self::default() }
    }

    /// An entry of one of the journals.
    pub(super) fn tell(&mut self, side: Side, entry: Arc<JournalEntry>) {
        self.count(side, &entry);
        let kind = kind(&entry.event);
        if self.other && kind != DECISION {
            return;
        }
        let key = (entry.agent.clone(), kind);
        let turn = entry.turn;
        if !self.turns.iter().any(|(known, _)| *known == turn) {
            self.turns.push_back((turn, BTreeMap::new()));
        }
        if let Some((_, pairs)) = self.turns.iter_mut().rfind(|(known, _)| *known == turn)
            && let Some((recorded, now)) = pairs.entry(key).or_default().meet(side, entry)
        {
            self.compare(Some(recorded), Some(now));
        }
        while self.turns.len() > TURNS_APART_MAX {
            self.close_turn();
        }
    }

    /// Messages of a seat.
    pub(super) fn sent(
        &mut self,
        seat: SeatId,
        turn: Turn,
        recorded: Option<Arc<[u8]>>,
        now: Option<Vec<u8>>,
    ) {
        let now = now.map(Arc::from);
        let differs = recorded != now;
        self.tally.messages.count(differs);
        if differs {
            self.found.push_back(Difference::Sent { seat, turn, recorded, now });
        }
    }

    /// Nothing more comes. Of a recording that was cut off nobody knows what comes after its end.
    pub(super) fn finish(&mut self, cut_off: bool) {
        let end = self.recorded_to;
        while let Some((turn, pairs)) = self.turns.pop_front() {
            if !(cut_off && turn >= end) {
                self.turns.push_front((turn, pairs));
                self.close_turn();
            }
        }
    }

    pub(super) fn poll(&mut self) -> Option<Difference> {
        self.found.pop_front()
    }

    fn count(&mut self, side: Side, entry: &JournalEntry) {
        let failed =
            matches!(entry.event, JournalEvent::Fallback { .. } | JournalEvent::ScriptError { .. });
        match side {
            Side::Recorded => {
                self.tally.errors_recorded += u64::from(failed);
                self.recorded_to = entry.turn;
            }
            Side::Now => {
                self.tally.errors_now += u64::from(failed);
                let done = matches!(entry.event, JournalEvent::TurnDone(_));
                self.tally.turns += u64::from(done);
            }
        }
    }

    fn close_turn(&mut self) {
        let Some((_, pairs)) = self.turns.pop_front() else { return };
        for pair in pairs.into_values() {
            for recorded in pair.recorded {
                self.compare(Some(recorded), None);
            }
            for now in pair.now {
                self.compare(None, Some(now));
            }
        }
    }

    fn compare(&mut self, recorded: Option<Arc<JournalEntry>>, now: Option<Arc<JournalEntry>>) {
        let Some(entry) = recorded.as_ref().or(now.as_ref()) else { return };
        let differs = match (&recorded, &now) {
            (Some(recorded), Some(now)) => !self.is_same(recorded, now),
            (None, _) | (_, None) => true,
        };
        if kind(&entry.event) == DECISION {
            self.tally.decisions.count(differs);
            let role = role(&entry.event).unwrap_or(STEERED);
            share(&mut self.tally.by_role, role).count(differs);
            share(&mut self.tally.by_agent, entry.agent.as_deref().unwrap_or("?")).count(differs);
        } else {
            self.tally.entries.count(differs);
        }
        if differs {
            let (turn, agent) = (entry.turn, entry.agent.clone());
            self.found.push_back(Difference::Journal { turn, agent, recorded, now });
        }
    }

    /// Times do not count; of another strategy only what goes to the referee does.
    fn is_same(&self, recorded: &JournalEntry, now: &JournalEntry) -> bool {
        if self.other {
            return sent(&recorded.event) == sent(&now.event);
        }
        timeless(recorded) == timeless(now)
    }
}

/// The action that a decision sends to the referee; `None`: the fallback.
fn sent(event: &JournalEvent) -> Option<&str> {
    if let JournalEvent::Decided { action, .. } | JournalEvent::Ordered { action, .. } = event {
        return Some(action);
    }
    None
}

fn share<'a>(shares: &'a mut BTreeMap<String, Share>, name: &str) -> &'a mut Share {
    if !shares.contains_key(name) {
        shares.insert(name.to_owned(), Share::default());
    }
    shares.entry(name.to_owned()).or_default()
}

fn role(event: &JournalEvent) -> Option<&str> {
    if let JournalEvent::Decided { role, .. } | JournalEvent::Fallback { role, .. } = event {
        return Some(role);
    }
    None
}

/// The entry without what a clock told.
fn timeless(entry: &JournalEntry) -> JournalEntry {
    let mut entry = entry.clone();
    if let JournalEvent::Decided { spent, .. } = &mut entry.event {
        *spent = Duration::ZERO;
    } else if let JournalEvent::TurnDone(done) = &mut entry.event {
        done.script_us = 0;
    }
    entry
}

const DECISION: &str = "decision";

/// What an entry tells: only entries of one kind can be each other's partners.
fn kind(event: &JournalEvent) -> &'static str {
    match event {
        JournalEvent::Decided { .. }
        | JournalEvent::Fallback { .. }
        | JournalEvent::Ordered { .. }
        | JournalEvent::Held { .. } => DECISION,
        JournalEvent::Seat { .. } => "seat",
        JournalEvent::RoundStarted => "round started",
        JournalEvent::ScriptError { .. } => "script error",
        JournalEvent::Generation { .. } => "generation",
        JournalEvent::StrategyRefused { .. } => "strategy refused",
        JournalEvent::TakenBack { .. } => "taken back",
        JournalEvent::ParamSet { .. } => "param set",
        JournalEvent::BoardSet { .. } => "board set",
        JournalEvent::Ran { .. } => "ran",
        JournalEvent::RoleSet { .. } => "role set",
        JournalEvent::Steered { .. } => "steered",
        JournalEvent::AgentAdded { .. } => "agent added",
        JournalEvent::AgentRemoved { .. } => "agent removed",
        JournalEvent::Retuned { .. } => "retuned",
        JournalEvent::Left { .. } => "left",
        JournalEvent::Returned { .. } => "returned",
        JournalEvent::AlertBegan { .. } => "alert began",
        JournalEvent::AlertEnded { .. } => "alert ended",
        JournalEvent::Defaulted { .. } => "defaulted",
        JournalEvent::Late => "late",
        JournalEvent::Notice(_) => "notice",
        JournalEvent::Log { .. } => "log",
        JournalEvent::TurnDone(_) => "turn done",
        JournalEvent::RoundOver { .. } => "round over",
        JournalEvent::MatchOver => "match over",
    }
}
