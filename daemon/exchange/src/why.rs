//! Why an agent did what it did in a turn of a recording.

use crate::{PlayedAgent, PlayedTurn};
use phalanx_engine::WhichTurn;
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::collections::{BTreeSet, VecDeque};

/// Turns that are named around one in which an agent was not asked.
const NEAR_TURNS: usize = 3;

/// Why a turn cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplainError {
    /// No turn is in the recording.
    #[error("the recording has no turn")]
    Nothing,
    /// No agent of that name was ever asked.
    #[error("the recording has no agent {agent:?}; there are {}", .known.join(", "))]
    Stranger {
        /// The unknown name.
        agent: String,
        /// All who were asked.
        known: Vec<String>,
    },
    /// The recording does not have the turn.
    #[error("the recording does not have this turn; it has {oldest} to {newest}")]
    NoTurn {
        /// Its first turn.
        oldest: String,
        /// Its last one.
        newest: String,
    },
    /// The agent was not asked in the turn.
    #[error("{agent} was not asked in this turn; near it, it was in {}", .near.join(", "))]
    NotAsked {
        /// Who.
        agent: String,
        /// Turns near it in which it was, in order.
        near: Vec<String>,
    },
}

/// What an agent did in a turn of these. Reads all of them: the last turn that is meant counts.
///
/// # Errors
/// When there is no such turn, or the agent was not asked in it.
pub fn explain(
    turns: impl Iterator<Item = PlayedTurn>,
    team: &str,
    agent: &str,
    which: WhichTurn,
) -> Result<v1::Explanation, ExplainError> {
    let mut search = TurnSearch::new(agent, which);
    for turn in turns {
        search.take(turn);
    }
    search.found(team)
}

/// Looks for a turn of an agent, and remembers what is around it.
struct TurnSearch<'a> {
    agent: &'a str,
    which: WhichTurn,
    /// The last turns of the agent that are meant, the oldest first: as many as must be counted back.
    found: VecDeque<PlayedTurn>,
    names: BTreeSet<String>,
    ends: Option<(v1::Turn, v1::Turn)>,
    /// Turns of the agent before and after the one that is meant, in which it was not asked.
    before: VecDeque<v1::Turn>,
    after: Option<Vec<v1::Turn>>,
}

impl<'a> TurnSearch<'a> {
    fn new(agent: &'a str, which: WhichTurn) -> Self {
        let (found, names) = (VecDeque::new(), BTreeSet::new());
        Self { agent, which, found, names, ends: None, before: VecDeque::new(), after: None }
    }

    fn take(&mut self, turn: PlayedTurn) {
        let at = turn.turn;
        self.ends = Some((self.ends.map_or(at, |(oldest, _)| oldest), at));
        for agent in &turn.agents {
            if !self.names.contains(&agent.name) {
                self.names.insert(agent.name.clone());
            }
        }
        let meant = match self.which {
            WhichTurn::Ago(_) => true,
            WhichTurn::Step { round, step } => {
                at.step == step && round.is_none_or(|round| at.round == round)
            }
        };
        let asked = turn.agent(self.agent).is_some();
        if asked && meant {
            self.found.push_back(turn);
            let most = match self.which {
                WhichTurn::Ago(ago) => usize::try_from(ago).unwrap_or(usize::MAX).saturating_add(1),
                WhichTurn::Step { .. } => 1,
            };
            if self.found.len() > most {
                self.found.pop_front();
            }
        } else if meant && matches!(self.which, WhichTurn::Step { .. }) {
            self.after = Some(Vec::new());
        }
        self.remember_near(at, asked, meant);
    }

    fn remember_near(&mut self, at: v1::Turn, asked: bool, meant: bool) {
        if !asked || meant {
            return;
        }
        match &mut self.after {
            Some(after) if after.len() < NEAR_TURNS => after.push(at),
            Some(_) => {}
            None => {
                self.before.push_back(at);
                if self.before.len() > NEAR_TURNS {
                    self.before.pop_front();
                }
            }
        }
    }

    fn found(mut self, team: &str) -> Result<v1::Explanation, ExplainError> {
        let Some((oldest, newest)) = self.ends else { return Err(ExplainError::Nothing) };
        let agent = self.agent.to_owned();
        if !self.names.contains(self.agent) {
            return Err(ExplainError::Stranger { agent, known: self.names.into_iter().collect() });
        }
        let enough = match self.which {
            WhichTurn::Ago(ago) => self.found.len() > usize::try_from(ago).unwrap_or(usize::MAX),
            WhichTurn::Step { .. } => true,
        };
        let next = self.found.pop_front().filter(|_| enough);
        if let Some(turn) = next
            && let Some(own) = turn.agent(self.agent)
        {
            return Ok(explanation(team, &turn, own));
        }
        match self.after {
            Some(after) => {
                let near = self.before.iter().chain(&after).map(words).collect();
                Err(ExplainError::NotAsked { agent, near })
            }
            None => Err(ExplainError::NoTurn { oldest: words(&oldest), newest: words(&newest) }),
        }
    }
}

fn words(turn: &v1::Turn) -> String {
    format!("{}:{}", turn.round, turn.step)
}

fn explanation(team: &str, turn: &PlayedTurn, own: &PlayedAgent) -> v1::Explanation {
    let failed = |event: &&v1::MatchEvent| matches!(event.kind, Some(Kind::ScriptError(_)));
    let events = turn.events.iter().filter(failed).chain(&own.events);
    v1::Explanation {
        agent: format!("teams/{team}/agents/{}", own.name),
        turn: Some(turn.turn),
        generation: own.events.last().map_or(0, |event| event.generation),
        percept: own.percept.clone(),
        events: events.cloned().collect(),
        result: own.result.clone(),
        result_turn: own.answered,
    }
}
