//! The network of faults between a referee and players of which nothing else is known: for matches
//! in real time, and for demos.

use crate::fault::FaultKind;
use crate::ledger::Ledger;
use crate::misses::MissFigures;
use crate::network::{FaultyNetwork, SharedLedger, open};
use crate::often::Odds;
use crate::scenario::FaultPlan;
use crate::violation::Violation;
use crate::wire::Wire;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Arena, Origin};
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a client needs at least to answer a request: threads have to run, and bytes have to travel
/// through sockets.
const ANSWER_TIME: Duration = Duration::from_millis(300);

/// What the faults of a match did.
#[derive(Clone)]
pub struct FaultLog {
    ledger: SharedLedger,
    plan: String,
}

/// What the faults of a match did, as figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NetworkReport {
    /// The plan of the faults.
    pub plan: String,
    /// Faults by kind.
    pub faults: SortedMap<FaultKind, u64>,
    /// Turns without an answer, by team and round, in games whose requests have ids.
    pub misses: Vec<MissFigures>,
    /// Turns without an answer although the request arrived in time and the connection stayed.
    pub silent: Vec<Violation>,
}

impl std::fmt::Debug for FaultLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FaultLog").field("plan", &self.plan).finish_non_exhaustive()
    }
}

/// Puts a network of faults between a referee and its players. `seed` counts unless the plan has
/// one.
#[must_use]
pub fn disturb(
    arena: Box<dyn Arena>,
    game: &str,
    plan: &FaultPlan,
    (seed, origin): (u64, Origin),
) -> (Box<dyn Arena>, FaultLog) {
    let wire = Wire::of(game);
    let seed = plan.seed.unwrap_or(seed);
    let odds = Odds::new(plan.often.clone(), seed, arena.turn_limit());
    // Where requests have no ids, a team has one connection.
    let mut ledger = Ledger::new(wire, origin, (&plan.faults, odds), !wire.has_requests());
    ledger.answer_time = ANSWER_TIME;
    let ledger = Arc::new(Mutex::new(ledger));
    let network = FaultyNetwork::unobserved(arena, Arc::clone(&ledger), origin.instant);
    (Box::new(network), FaultLog { ledger, plan: plan.name.clone() })
}

impl FaultLog {
    /// The figures so far.
    #[must_use]
    pub fn report(&self) -> NetworkReport {
        let ledger = open(&self.ledger);
        NetworkReport {
            plan: self.plan.clone(),
            faults: ledger.injected.clone(),
            misses: ledger.misses.figures(),
            silent: ledger.violations.clone(),
        }
    }
}

impl NetworkReport {
    /// For people: a line about the faults, and one about the turns where they are counted.
    #[must_use]
    pub fn text(&self) -> String {
        let count: u64 = self.faults.values().sum();
        let kinds: Vec<_> = self.faults.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        let mut text = format!("faults of {}: {count}", self.plan);
        // Writing to a text cannot fail.
        if !kinds.is_empty() {
            write!(text, " ({})", kinds.join(", ")).unwrap_or_default();
        }
        let mut teams: SortedMap<usize, (u64, u64)> = SortedMap::new();
        for MissFigures { team, turns, missed, .. } in &self.misses {
            let sum = teams.entry(*team).or_default();
            *sum = (sum.0 + turns, sum.1 + missed);
        }
        let mut lost = Vec::new();
        for (team, (turns, missed)) in teams {
            let letter = char::from(u8::try_from(team).unwrap_or(u8::MAX).saturating_add(b'A'));
            lost.push(format!("{letter} {missed} of {turns} ({})", share(missed, turns)));
        }
        if !lost.is_empty() {
            let (lost, silent) = (lost.join(", "), self.silent.len());
            write!(text, "\n  turns without an answer: {lost}; {silent} could have been answered")
                .unwrap_or_default();
        }
        text
    }
}

/// A share in percent with one decimal.
pub(crate) fn share(part: u64, all: u64) -> String {
    let tenths = part.saturating_mul(1_000) / all.max(1);
    format!("{}.{} %", tenths / 10, tenths % 10)
}
