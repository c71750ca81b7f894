//! A game whose rounds have names and whose numbers only grow, so that a restored team can
//! recognise its match.

use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    ActionDoc, ActionError, AgentId, AgentState, Api, Declaration, Event, Framing, Game, Late, Met,
    ProtocolError, QueryError, RestoreError, Roster, Said, Seat, Session, Turn, Value, World,
    freeze, thaw,
};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Teams of the second kind are fixed.
#[derive(Clone, Debug)]
pub(crate) struct Counting<const FIXED: bool>;

/// Not used: the engine never talks to a session.
#[derive(Debug)]
pub(crate) struct NoSession;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Sums {
    round: String,
    told: SortedMap<AgentId, i64>,
    sum: i64,
    present: usize,
}

impl Session for NoSession {
    type Briefing = String;
    type Percept = i64;
    type Action = i64;
    fn handle_connected(&mut self, _: Instant) {}
    fn handle_disconnected(&mut self, _: Instant) {}
    fn handle_input(&mut self, _: &[u8], _: Instant) -> Result<(), ProtocolError> {
        Ok(())
    }
    fn handle_action(&mut self, turn: Turn, agent: AgentId, _: &i64) -> Result<(), Late> {
        Err(Late { agent, turn })
    }
    fn handle_timeout(&mut self, _: Instant) {}
    fn handle_shutdown(&mut self, _: Instant) {}
    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        None
    }
    fn poll_event(&mut self) -> Option<Event<String, i64>> {
        None
    }
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }
    fn round_trip(&self) -> Option<Duration> {
        None
    }
}

impl World for Sums {
    type Briefing = String;
    type Percept = i64;
    type Action = i64;

    fn enroll(&mut self, roster: &Roster) {
        self.present = roster.present().count();
    }

    fn begin(&mut self, _: u32, _: AgentId, briefing: Option<&String>) {
        if let Some(briefing) = briefing.filter(|briefing| **briefing != self.round) {
            *self = Self { round: briefing.clone(), present: self.present, ..Self::default() };
        }
    }

    fn observe(&mut self, _: Turn, agent: AgentId, percept: i64) {
        self.sum += percept;
        self.told.insert(agent, percept);
    }

    fn settle(&mut self, _: Turn) {}

    fn acted(&mut self, _: Turn, _: AgentId, action: &i64) {
        self.sum += action % 7;
    }

    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        (name == "sum").then_some(Value::Int(self.sum + i64::from(agent.0)))
    }

    fn query(&self, _: AgentId, name: &str, _: &[Value]) -> Result<Value, QueryError> {
        Err(QueryError { query: name.into(), reason: "there are none".into() })
    }

    fn parse(&self, _: AgentId, said: &Said) -> Result<i64, ActionError> {
        said.args.first().and_then(Value::as_int).ok_or_else(|| ActionError {
            action: said.action.to_string(),
            reason: "a number was expected".into(),
        })
    }

    fn fallback(&self, _: AgentId) -> i64 {
        0
    }

    fn score(&self) -> Option<i64> {
        Some(self.sum)
    }

    fn state(&self, agent: AgentId) -> AgentState {
        let told = self.told.get(&agent).map(i64::to_string).unwrap_or_default();
        AgentState { summary: told, last_result: "success".to_owned() }
    }

    fn save(&self) -> Vec<u8> {
        freeze(1, self)
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        *self = thaw(1, saved)?;
        Ok(())
    }

    fn recognize(&self, agent: AgentId, met: Met<'_, String, i64>) -> Result<(), String> {
        match met {
            Met::Round(Some(round)) if *round != self.round => {
                Err(format!("the round is {round}, and was {}", self.round))
            }
            Met::Round(_) => Ok(()),
            Met::Turn(_, met) => match self.told.get(&agent) {
                Some(known) if met < known => Err(format!("the number is {met}, and was {known}")),
                Some(_) | None => Ok(()),
            },
        }
    }

    fn goes_on_in(&self, _: AgentId, next: &String) -> bool {
        let cup = |round: &str| round.split_once('/').map(|(cup, _)| cup.to_owned());
        cup(next).is_some() && cup(next) == cup(&self.round)
    }
}

const fn declaration(fixed: bool) -> Declaration {
    Declaration {
        name: "counting",
        framing: Framing::Stream,
        api: Api {
            actions: &[ActionDoc { name: "say", doc: "Says a number.", params: &[] }],
            percept: &[],
            queries: &[],
        },
        keys: &[],
        layers: &[],
        fixed: if fixed { Some("they are counted") } else { None },
    }
}

impl<const FIXED: bool> Game for Counting<FIXED> {
    type Briefing = String;
    type Percept = i64;
    type Action = i64;
    type Session = NoSession;
    type World = Sums;

    fn declaration(&self) -> &'static Declaration {
        const { &declaration(FIXED) }
    }

    fn session(&self, _: &Seat) -> NoSession {
        NoSession
    }

    fn world(&self, roster: &Roster) -> Sums {
        Sums { present: roster.present().count(), ..Sums::default() }
    }

    fn describe(action: &i64) -> String {
        format!("say({action})")
    }
}
