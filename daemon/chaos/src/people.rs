//! Operators who give random legal commands, and what has to be true once a command is acknowledged.

use crate::cast::{benign_roles, order};
use phalanx_engine::{
    BoardRead, BoardWrite, Carry, Command, CopyView, DrawWorld, ProfileScripts, RetuneTeam,
    RunScript, Scope, SetParam, SetRole, Snapshot, Steer, SteerAgent, TeamOptions, read_order,
};
use phalanx_game::{AgentId, Value};
use phalanx_lua::Bundle;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::time::Duration;

/// The parameter of the small strategy.
const PARAM: &str = "caution";

/// What the next snapshot has to show after a command was acknowledged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expected {
    /// The agent is steered like this: `script`, `paused`, `pinned` or `piloted`.
    Steering(AgentId, &'static str),
    /// The agent has this role.
    Role(AgentId, String),
    /// The parameter has this value for the team.
    Param(f64),
    /// The board has changed since this revision.
    Board(u64),
    /// This generation decides.
    Generation(u32),
    /// The agent is of the team, or not any more.
    Present(AgentId, bool),
}

impl Expected {
    /// Why a snapshot does not show it; `None`: it does.
    pub(crate) fn missing(&self, snapshot: &Snapshot) -> Option<String> {
        let agent = |agent: AgentId| snapshot.agents.get(agent.index());
        let (wanted, shown) = match self {
            Self::Steering(id, word) => {
                ((*word).to_owned(), agent(*id)?.steering.word().to_owned())
            }
            Self::Role(id, role) => (role.clone(), agent(*id)?.role.clone()),
            Self::Present(id, wanted) => {
                let shown = !agent(*id)?.gone;
                (format!("present {wanted}"), format!("present {shown}"))
            }
            Self::Param(value) => {
                let is_it = |(name, scope, _): &(String, Scope, Value)| {
                    name == PARAM && *scope == Scope::Team
                };
                let shown = snapshot.params.values().into_iter().find(is_it);
                (format!("{:?}", Some(Value::Num(*value))), format!("{:?}", shown.map(|it| it.2)))
            }
            Self::Board(before) => {
                let revision = snapshot.board_revision;
                if revision > *before {
                    return None;
                }
                (format!("a revision above {before}"), revision.to_string())
            }
            Self::Generation(number) => {
                let shown = snapshot.generation;
                if shown >= *number {
                    return None;
                }
                (number.to_string(), shown.to_string())
            }
        };
        (wanted != shown).then(|| format!("{self:?}: the snapshot shows {shown}, not {wanted}"))
    }
}

/// What operators know of a team.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Desk<'a> {
    pub(crate) game: &'a str,
    pub(crate) bundle: &'a Bundle,
    pub(crate) options: TeamOptions,
    pub(crate) agent: AgentId,
    pub(crate) board_revision: u64,
    /// The strategy has the parameter of the small one.
    pub(crate) has_param: bool,
}

/// A random legal command, and what follows from it once it is acknowledged.
pub(crate) fn command(desk: &Desk<'_>, seed: u64) -> (Command, Option<Expected>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let agent = desk.agent;
    match rng.random_range(0..14) {
        0..6 => steer(desk, &mut rng),
        6 => {
            let roles: Vec<_> = benign_roles(desk.bundle).collect();
            let role = roles.get(rng.random_range(0..roles.len().max(1))).cloned();
            let role = role.unwrap_or_default();
            let set = SetRole { agent, role: role.clone(), carry: Carry::Forget };
            (set.into(), Some(Expected::Role(agent, role)))
        }
        7 if desk.has_param => {
            let value = f64::from(rng.random_range(0_u8..=10));
            let (name, value_of) = (PARAM.to_owned(), Some(Value::Num(value)));
            let set = SetParam { name, scope: Scope::Team, value: value_of };
            (set.into(), Some(Expected::Param(value)))
        }
        7 | 8 => {
            let write = BoardWrite {
                key: format!("operator/{}", rng.random_range(0..4)),
                value: Value::Int(rng.random()),
                turns: None,
                etag: None,
                validate_only: false,
            };
            (write.into(), Some(Expected::Board(desk.board_revision)))
        }
        9 => {
            let decide_max =
                desk.options.decide_max + Duration::from_millis(rng.random_range(1..9));
            let options = TeamOptions { decide_max, ..desk.options };
            (RetuneTeam { options }.into(), None)
        }
        10 => (RunScript { agent, code: "me.name, me.turn".to_owned() }.into(), None),
        11 => (CopyView.into(), None),
        12 => (DrawWorld.into(), None),
        _ if rng.random_bool(0.5) => (BoardRead::Since(0).into(), None),
        _ => (ProfileScripts { turns: rng.random_range(1..4) }.into(), None),
    }
}

fn steer(desk: &Desk<'_>, rng: &mut ChaCha8Rng) -> (Command, Option<Expected>) {
    let agent = desk.agent;
    let said = read_order(order(desk.game)).ok();
    let (steer, word) = match (rng.random_range(0..4), said) {
        (0, _) => (Steer::Pause, "paused"),
        (1, Some(order)) => (Steer::Pin { order, turns: rng.random_range(2..6) }, "pinned"),
        (2, _) => (Steer::Pilot { lease: rng.random_range(2..6) }, "piloted"),
        (_, _) => (Steer::Release, "script"),
    };
    (SteerAgent { agent, steer }.into(), Some(Expected::Steering(agent, word)))
}
