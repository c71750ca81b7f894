//! A small game: each agent receives a number and says one back. A negative number means that the
//! previous answer failed.

use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    ActionDoc, ActionError, AgentId, AgentState, Api, Declaration, Event, Framing, Game, Kind,
    Late, Met, ParamDoc, ProtocolError, QueryError, RestoreError, Roster, Said, Seat, Session,
    Turn, Value, World, freeze, thaw,
};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

#[derive(Clone, Debug)]
pub(crate) struct Toy;

/// The engine never talks to a session; the type only completes the contract.
#[derive(Debug)]
pub(crate) struct NoSession;

/// Remembers the numbers that it received, in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ToyWorld {
    told: SortedMap<AgentId, i64>,
    settled: u32,
    score: i64,
    /// The number of agents present, by the last report.
    present: usize,
}

const SAY: ActionDoc = ActionDoc {
    name: "say",
    doc: "Says a number.",
    params: &[ParamDoc {
        name: "number",
        kind: Kind::Int { min: -9_999, max: 9_999 },
        optional: false,
        doc: "Which.",
    }],
};

impl Session for NoSession {
    type Briefing = ();
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
    fn poll_event(&mut self) -> Option<Event<(), i64>> {
        None
    }
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }
    fn round_trip(&self) -> Option<Duration> {
        None
    }
}

impl World for ToyWorld {
    type Briefing = ();
    type Percept = i64;
    type Action = i64;

    fn enroll(&mut self, roster: &Roster) {
        self.present = roster.present().count();
    }

    fn begin(&mut self, round: u32, _: AgentId, _: Option<&()>) {
        self.score = i64::from(round) * 100;
    }

    fn observe(&mut self, _: Turn, agent: AgentId, percept: i64) {
        self.told.insert(agent, percept);
    }

    fn settle(&mut self, _: Turn) {
        self.settled += 1;
    }

    fn acted(&mut self, _: Turn, _: AgentId, action: &i64) {
        self.score += action;
    }

    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        (name == "number").then(|| self.told.get(&agent).copied().map(Value::Int))?
    }

    fn query(&self, _: AgentId, name: &str, _: &[Value]) -> Result<Value, QueryError> {
        match name {
            "settled" => Ok(Value::from(self.settled)),
            "present" => Ok(Value::from(u32::try_from(self.present).unwrap())),
            _ => Err(QueryError { query: name.into(), reason: "no such query".into() }),
        }
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
        Some(self.score)
    }

    fn state(&self, agent: AgentId) -> AgentState {
        let told = self.told.get(&agent).map(i64::to_string).unwrap_or_default();
        let failed = self.told.get(&agent).is_some_and(|told| *told < 0);
        let last_result = if failed { "failed_path" } else { "success" };
        AgentState { summary: told, last_result: last_result.to_owned() }
    }

    fn save(&self) -> Vec<u8> {
        freeze(1, self)
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        *self = thaw(1, saved)?;
        Ok(())
    }

    /// No number contradicts another one.
    fn recognize(&self, _: AgentId, _: Met<'_, (), i64>) -> Result<(), String> {
        Ok(())
    }
}

static DECLARATION: Declaration = Declaration {
    name: "toy",
    framing: Framing::Stream,
    api: Api { actions: &[SAY], percept: &[], queries: &[] },
    keys: &[],
    layers: &[],
    fixed: None,
};

impl Game for Toy {
    type Briefing = ();
    type Percept = i64;
    type Action = i64;
    type Session = NoSession;
    type World = ToyWorld;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn session(&self, _: &Seat) -> NoSession {
        NoSession
    }

    fn world(&self, _: &Roster) -> ToyWorld {
        ToyWorld::default()
    }

    fn describe(action: &i64) -> String {
        format!("say({action})")
    }
}
