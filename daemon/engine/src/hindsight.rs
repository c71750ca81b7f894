//! What agents knew, what they did and what the referee answered, in a team's last turns, to
//! explain decisions afterwards. It reads what the team publishes, so the team's thread does no
//! work for it; a recording can feed it as well.

use crate::{JournalEntry, JournalEvent, Reason, Snapshot, weight};
use phalanx_game::Turn;
use phalanx_game::sorted::SortedMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// Most turns that are kept.
pub const HINDSIGHT_TURNS_MAX: usize = 300;
/// Largest size of what is kept, roughly in bytes; the oldest turns are dropped first, the last one
/// stays.
pub const HINDSIGHT_BYTES_MAX: usize = 8 << 20;
/// The size of an entry of the journal, besides its texts.
const ENTRY_BYTES: usize = 400;
/// The number of turns that are listed near one in which an agent was not asked.
const NEAR_TURNS: usize = 6;

/// The last turns of a team.
#[derive(Clone, Debug, Default)]
pub struct Hindsight {
    turns: VecDeque<KeptTurn>,
    bytes: usize,
    /// Entries of the journal are missing before the next one.
    lost: bool,
}

/// One turn.
#[derive(Clone, Debug)]
struct KeptTurn {
    turn: Turn,
    /// Entries are missing between the turn before and this one.
    after_gap: bool,
    bytes: usize,
    /// Entries that concern the whole team.
    team: Vec<Arc<JournalEntry>>,
    agents: SortedMap<String, KeptAgent>,
}

/// An agent's part in a turn.
#[derive(Clone, Debug, Default)]
struct KeptAgent {
    percept: String,
    events: Vec<Arc<JournalEntry>>,
    result: String,
    answered: Option<Turn>,
}

/// What an agent did in a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The turn.
    pub turn: Turn,
    /// The generation of the strategy then.
    pub generation: u32,
    /// The agent's own state, in the game's words; empty: not known.
    pub percept: String,
    /// Failures of the whole team, then the agent's events, in order.
    pub events: Vec<Arc<JournalEntry>>,
    /// The referee's answer; empty: none yet, or the referee does not report it.
    pub result: String,
    /// The turn of that answer; `None`: there is none.
    pub answered: Option<Turn>,
}

/// Selects a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichTurn {
    /// The agent's last turn with this step, in this round or in any.
    Step {
        /// The round, from 0; `None`: any.
        round: Option<u32>,
        /// The referee's own number inside the round.
        step: u32,
    },
    /// This number of turns before the agent's last one.
    Ago(u32),
}

/// Why a turn cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotExplained {
    /// Nothing was played yet.
    #[error("no turn was played yet")]
    Nothing,
    /// The turn is too old, or was not played yet.
    #[error("this turn is not kept; the kept turns are {oldest} to {newest}")]
    NotKept {
        /// The oldest turn that is kept.
        oldest: Turn,
        /// The newest one.
        newest: Turn,
    },
    /// The agent was not asked in it.
    #[error("it was not asked in this turn; {}", near_words(.near))]
    NotAsked {
        /// Nearby turns in which it was asked, in order.
        near: Vec<Turn>,
    },
}

fn near_words(near: &[Turn]) -> String {
    let turns: Vec<_> = near.iter().map(ToString::to_string).collect();
    match turns.as_slice() {
        [] => "it was in none of those that are kept".to_owned(),
        [..] => format!("near it, it was in {}", turns.join(", ")),
    }
}

impl Hindsight {
    /// The next entry of the journal.
    pub fn heard(&mut self, entry: &Arc<JournalEntry>) {
        if !tells(entry) {
            return;
        }
        if self.turns.back().is_none_or(|last| last.turn != entry.turn) {
            self.turns.push_back(KeptTurn {
                turn: entry.turn,
                after_gap: std::mem::take(&mut self.lost),
                bytes: 0,
                team: Vec::new(),
                agents: SortedMap::new(),
            });
        }
        let bytes = size(entry);
        if let Some(last) = self.turns.back_mut() {
            match &entry.agent {
                Some(agent) => match last.agents.get_mut(agent) {
                    Some(own) => own.events.push(Arc::clone(entry)),
                    None => {
                        let own =
                            KeptAgent { events: vec![Arc::clone(entry)], ..Default::default() };
                        last.agents.insert(agent.clone(), own);
                    }
                },
                None => last.team.push(Arc::clone(entry)),
            }
            last.bytes += bytes;
        }
        self.bytes += bytes;
        self.forget();
    }

    /// Entries of the journal are missing here.
    pub fn missed(&mut self) {
        self.lost = true;
    }

    /// Takes what the team published, after the entries of its journal up to then. False if its
    /// turn is not kept.
    pub fn saw(&mut self, snapshot: &Snapshot) -> bool {
        let Some(at) = self.turns.iter().rposition(|kept| kept.turn == snapshot.turn) else {
            return false;
        };
        let asked = |agent: &&crate::AgentSnapshot| agent.last_asked == Some(snapshot.turn);
        for agent in snapshot.agents.iter().filter(asked) {
            self.perceived(at, &agent.name, &agent.summary);
            if !agent.last_result.is_empty() {
                self.answered(at, &agent.name, &agent.last_result);
            }
        }
        self.forget();
        true
    }

    fn perceived(&mut self, at: usize, agent: &str, percept: &str) {
        let Some(kept) = self.turns.get_mut(at) else { return };
        let Some(own) = kept.agents.get_mut(agent).filter(|own| own.percept != percept) else {
            return;
        };
        let (more, less) = (percept.len(), own.percept.len());
        percept.clone_into(&mut own.percept);
        kept.bytes = kept.bytes + more - less;
        self.bytes = self.bytes + more - less;
    }

    /// The turn at `at` has the referee's answer to the agent's action in its turn before.
    fn answered(&mut self, at: usize, agent: &str, result: &str) {
        let Some(turn) = self.turns.get(at).map(|kept| kept.turn) else { return };
        // If entries are missing, the answered turn may be missing too.
        let whole = |kept: &&KeptTurn| !kept.after_gap;
        let back = self.turns.iter().take(at + 1).rev().take_while(whole).count();
        let mut before = (at.saturating_sub(back)..at).rev();
        let known = |index: &usize| {
            self.turns.get(*index).is_some_and(|kept| kept.agents.contains_key(agent))
        };
        let Some(index) = before.find(known) else { return };
        let Some(kept) = self.turns.get_mut(index) else { return };
        if kept.turn.round != turn.round {
            return;
        }
        let Some(own) = kept.agents.get_mut(agent).filter(|own| own.answered.is_none()) else {
            return;
        };
        result.clone_into(&mut own.result);
        own.answered = Some(turn);
        kept.bytes += result.len();
        self.bytes += result.len();
    }

    fn forget(&mut self) {
        let full = |all: &Self| {
            all.turns.len() > HINDSIGHT_TURNS_MAX
                || (all.bytes > HINDSIGHT_BYTES_MAX && all.turns.len() > 1)
        };
        while full(self) {
            let Some(oldest) = self.turns.pop_front() else { break };
            self.bytes -= oldest.bytes;
        }
    }

    /// Explains what an agent did in a turn.
    ///
    /// # Errors
    /// When that turn is not kept, or the agent was not asked in it.
    pub fn explain(&self, agent: &str, which: WhichTurn) -> Result<Explained, NotExplained> {
        let (Some(oldest), Some(newest)) = (self.turns.front(), self.turns.back()) else {
            return Err(NotExplained::Nothing);
        };
        let not_kept = || NotExplained::NotKept { oldest: oldest.turn, newest: newest.turn };
        let own = || self.turns.iter().rev().filter(|kept| kept.agents.contains_key(agent));
        let found = match which {
            WhichTurn::Ago(ago) => {
                let ago = usize::try_from(ago).unwrap_or(usize::MAX);
                match own().nth(ago) {
                    Some(kept) => kept,
                    None if own().next().is_some() => return Err(not_kept()),
                    None => return Err(NotExplained::NotAsked { near: Vec::new() }),
                }
            }
            WhichTurn::Step { round, step } => {
                let meant = |kept: &&KeptTurn| {
                    kept.turn.step == step && round.is_none_or(|round| kept.turn.round == round)
                };
                match (own().find(meant), self.turns.iter().rposition(|kept| meant(&kept))) {
                    (Some(kept), _) => kept,
                    (None, Some(at)) => return Err(self.not_asked(agent, at)),
                    (None, None) => return Err(not_kept()),
                }
            }
        };
        let Some(own) = found.agents.get(agent) else { return Err(not_kept()) };
        Ok(Explained {
            turn: found.turn,
            generation: own.events.last().map_or(0, |entry| entry.generation),
            percept: own.percept.clone(),
            events: found.team.iter().chain(&own.events).cloned().collect(),
            result: own.result.clone(),
            answered: own.answered,
        })
    }

    fn not_asked(&self, agent: &str, at: usize) -> NotExplained {
        let asked = |kept: &&KeptTurn| kept.agents.contains_key(agent);
        let before = self.turns.iter().take(at).rev().filter(asked).take(NEAR_TURNS / 2);
        let mut near: Vec<_> = before.map(|kept| kept.turn).collect();
        near.reverse();
        let after = self.turns.iter().skip(at).filter(asked).take(NEAR_TURNS / 2);
        near.extend(after.map(|kept| kept.turn));
        NotExplained::NotAsked { near }
    }
}

/// Whether the entry helps to explain what an agent did.
fn tells(entry: &JournalEntry) -> bool {
    let of_agent = matches!(
        entry.event,
        JournalEvent::Decided { .. }
            | JournalEvent::Fallback { .. }
            | JournalEvent::Ordered { .. }
            | JournalEvent::Held { .. }
            | JournalEvent::Defaulted { .. }
            | JournalEvent::Late
            | JournalEvent::Log { .. }
    );
    matches!(entry.event, JournalEvent::ScriptError { .. }) || (of_agent && entry.agent.is_some())
}

fn size(entry: &JournalEntry) -> usize {
    let why = |reason: &Option<Reason>| {
        reason.as_ref().map_or(0, |reason| reason.text.len() + weight(&reason.data))
    };
    let texts = if let JournalEvent::Decided { action, role, reason, grounds, .. } = &entry.event {
        action.len() + role.len() + why(reason) + grounds.board.weight()
    } else if let JournalEvent::Fallback { reason, role, explained, grounds, .. } = &entry.event {
        reason.len() + role.len() + why(explained) + grounds.board.weight()
    } else if let JournalEvent::ScriptError { reason: text, .. }
    | JournalEvent::Ordered { action: text, .. }
    | JournalEvent::Log { text, .. } = &entry.event
    {
        text.len()
    } else {
        0
    };
    ENTRY_BYTES + texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AgentSnapshot;

    fn entry(step: u32, agent: Option<&str>, event: JournalEvent) -> Arc<JournalEntry> {
        let (turn, agent) = (Turn::new(0, step), agent.map(str::to_owned));
        Arc::new(JournalEntry { turn, agent, generation: 3, event })
    }

    fn log(text: &str) -> JournalEvent {
        JournalEvent::Log { level: "info", text: text.to_owned() }
    }

    /// An agent acts in a turn, and the team publishes the agent's position and the result of its
    /// previous action.
    fn plays(hindsight: &mut Hindsight, agent: &str, step: u32, result: &str) {
        hindsight.heard(&entry(step, Some(agent), log(&format!("in {step}"))));
        hindsight.saw(&published(agent, step, result));
    }

    fn published(agent: &str, step: u32, result: &str) -> Snapshot {
        let turn = Turn::new(0, step);
        let agent = AgentSnapshot {
            name: agent.to_owned(),
            summary: format!("stands at {step}"),
            last_asked: Some(turn),
            last_result: result.to_owned(),
            ..AgentSnapshot::default()
        };
        Snapshot { turn, agents: vec![agent], ..Snapshot::default() }
    }

    fn at(step: u32) -> WhichTurn {
        WhichTurn::Step { round: None, step }
    }

    #[test]
    fn the_next_percept_brings_the_answer_to_a_decision() {
        let mut hindsight = Hindsight::default();
        hindsight.heard(&entry(
            1,
            None,
            JournalEvent::ScriptError { call: "plan", reason: "no plan".into() },
        ));
        plays(&mut hindsight, "a", 1, "");
        plays(&mut hindsight, "a", 4, "success");
        let told = hindsight.explain("a", at(1)).unwrap();
        assert_eq!(
            (told.percept.as_str(), told.events.len(), told.generation),
            ("stands at 1", 2, 3)
        );
        assert_eq!((told.result.as_str(), told.answered), ("success", Some(Turn::new(0, 4))));
        let last = hindsight.explain("a", WhichTurn::Ago(0)).unwrap();
        assert_eq!((last.turn, last.answered), (Turn::new(0, 4), None), "it is not answered yet");
        assert_eq!(hindsight.explain("a", WhichTurn::Ago(1)), Ok(told));
    }

    #[test]
    fn an_answer_is_not_given_to_the_wrong_turn() {
        let mut hindsight = Hindsight::default();
        plays(&mut hindsight, "a", 1, "");
        // Missed entries: there may have been turns among them.
        hindsight.missed();
        plays(&mut hindsight, "a", 5, "failed_path");
        assert_eq!(hindsight.explain("a", at(1)).unwrap().answered, None);
        // A snapshot that is published before the journal has been read up to it is ignored.
        hindsight.saw(&published("a", 7, "success"));
        assert_eq!(hindsight.explain("a", at(5)).unwrap().answered, None);
        // The next round does not contain the answer to the last action of a round.
        let next = Turn::new(1, 0);
        let event = JournalEvent::Late;
        let agent = Some("a".to_owned());
        hindsight.heard(&Arc::new(JournalEntry { turn: next, agent, generation: 3, event }));
        let mut snapshot = published("a", 0, "success");
        (snapshot.turn, snapshot.agents[0].last_asked) = (next, Some(next));
        hindsight.saw(&snapshot);
        assert_eq!(hindsight.explain("a", at(5)).unwrap().answered, None);
        let in_round = |round| WhichTurn::Step { round: Some(round), step: 0 };
        assert_eq!(hindsight.explain("a", in_round(1)).unwrap().percept, "stands at 0");
    }

    #[test]
    fn whoever_asks_for_a_wrong_turn_hears_which_there_are() {
        let mut hindsight = Hindsight::default();
        assert_eq!(hindsight.explain("a", at(1)), Err(NotExplained::Nothing));
        for step in [2, 4, 6, 8, 10, 12] {
            plays(&mut hindsight, "a", step, "");
            plays(&mut hindsight, "b", step + 1, "");
        }
        let refused = |which| hindsight.explain("a", which).unwrap_err().to_string();
        assert_eq!(refused(at(99)), "this turn is not kept; the kept turns are 0:2 to 0:13");
        assert_eq!(
            refused(at(9)),
            "it was not asked in this turn; near it, it was in 0:4, 0:6, 0:8, 0:10, 0:12"
        );
        assert!(refused(WhichTurn::Ago(6)).contains("0:2 to 0:13"));
        let stranger = hindsight.explain("c", WhichTurn::Ago(0)).unwrap_err().to_string();
        assert!(stranger.ends_with("it was in none of those that are kept"), "{stranger}");
    }

    #[test]
    fn only_so_many_turns_and_bytes_are_kept() {
        let mut hindsight = Hindsight::default();
        let turns = u32::try_from(HINDSIGHT_TURNS_MAX).unwrap();
        (0..turns + 5).for_each(|step| plays(&mut hindsight, "a", step, "success"));
        assert!(hindsight.explain("a", at(4)).is_err() && hindsight.explain("a", at(5)).is_ok());
        let long = "x".repeat(HINDSIGHT_BYTES_MAX / 4);
        for step in 1_000..1_010 {
            hindsight.heard(&entry(step, Some("a"), log(&long)));
        }
        assert!(hindsight.bytes <= HINDSIGHT_BYTES_MAX, "{}", hindsight.bytes);
        assert_eq!(hindsight.turns.len(), 3);
        assert_eq!(hindsight.bytes, hindsight.turns.iter().map(|kept| kept.bytes).sum::<usize>());
    }
}
