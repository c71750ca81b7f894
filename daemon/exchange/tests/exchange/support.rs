//! A match as its recording tells it.

use phalanx_exchange::{PlayedTurn, Turns};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use phalanx_record::{Entry, Recorded, RecordingDamage};
use std::time::{Duration, Instant};

/// Entries in the order in which they happened, a millisecond after each other.
#[derive(Debug, Clone)]
pub(crate) struct Tape {
    begin: Instant,
    pub(crate) entries: Vec<Result<Entry, RecordingDamage>>,
}

impl Tape {
    pub(crate) fn new() -> Self {
        Self { begin: Instant::now(), entries: Vec::new() }
    }

    pub(crate) fn put(&mut self, what: Recorded) -> &mut Self {
        let millis = i64::try_from(self.entries.len()).unwrap();
        self.put_at(millis * 1_000, what)
    }

    /// Adds a record this many microseconds after the start.
    pub(crate) fn put_at(&mut self, micros: i64, what: Recorded) -> &mut Self {
        let nanos = micros * 1_000;
        let at = self.instant(micros);
        self.entries.push(Ok(Entry { at, nanos, what }));
        self
    }

    pub(crate) fn instant(&self, micros: i64) -> Instant {
        self.begin + Duration::from_micros(u64::try_from(micros).unwrap())
    }

    pub(crate) fn event(&mut self, turn: v1::Turn, agent: &str, kind: Kind) -> &mut Self {
        let event = v1::MatchEvent {
            turn: Some(turn),
            agent: agent.to_owned(),
            kind: Some(kind),
            generation: 2,
            ..v1::MatchEvent::default()
        };
        self.put(Recorded::Event(Box::new(event)))
    }

    /// Agents decide, and the team publishes what they knew and what became of the action before.
    pub(crate) fn plays(&mut self, turn: v1::Turn, agents: &[&str], result: &str) -> &mut Self {
        for agent in agents {
            self.event(turn, agent, decided(&format!("move({})", turn.step)));
        }
        self.event(turn, "", done(agents.len()));
        self.publishes(turn, agents, result)
    }

    pub(crate) fn publishes(&mut self, turn: v1::Turn, agents: &[&str], result: &str) -> &mut Self {
        let agent = |name: &&str| v1::Agent {
            name: (*name).to_owned(),
            role: "worker".into(),
            summary: format!("stands at {}", turn.step),
            last_result: result.to_owned(),
            last_asked: Some(turn),
            ..v1::Agent::default()
        };
        let team = v1::Team {
            turn: Some(turn),
            score: Some(60),
            agents: agents.iter().map(agent).collect(),
            ..v1::Team::default()
        };
        self.put(Recorded::Team(Box::new(team)))
    }

    pub(crate) fn turns(&self) -> Vec<PlayedTurn> {
        Turns::with_pictures(self.entries.clone().into_iter()).collect()
    }
}

pub(crate) fn turn(round: u32, step: u32) -> v1::Turn {
    v1::Turn { round, step }
}

pub(crate) fn decided(action: &str) -> Kind {
    Kind::Decided(v1::Decided {
        action: action.to_owned(),
        role: "worker".into(),
        generation: 2,
        spent: Some(prost_types::Duration { seconds: 0, nanos: 41_000 }),
        reason: "north is free, \"really\"".into(),
        reason_data: Some(prost_types::Value::from(3.0)),
        grounds: Some(v1::Grounds {
            file: "worker.luau".into(),
            line: 7,
            ..v1::Grounds::default()
        }),
    })
}

pub(crate) fn done(agents: usize) -> Kind {
    let asked = u32::try_from(agents).unwrap();
    Kind::TurnDone(v1::TurnDone { asked, decided: asked, ..v1::TurnDone::default() })
}
