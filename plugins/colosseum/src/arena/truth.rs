//! The world as it is, drawn in the terms of a team's belief.

use super::table::{GameTable, TableWorld};
use crate::rules::Id;
use crate::world::draw::{self, Owners};
use phalanx_game::{Part, Picture, Table};

/// A running match; `players`: the names of the agents' players, in the agents' order. The first
/// one counts as ours.
pub(super) fn picture(table: &GameTable, players: &[String]) -> Picture {
    let agents = table.agents();
    let name = |agent: &Id| agents.iter().position(|known| known == agent);
    let team = |agent: &str| {
        let index = agents.iter().position(|known| **known == *agent);
        index.and_then(|index| players.get(index)).cloned().unwrap_or_default()
    };
    let ours = agents.iter().take(1).map(|agent| (&**agent, None)).collect();
    let owners = Owners { ours, team: &team };
    let part = |name: String| {
        let facts = vec![("epoch".into(), table.epoch().to_string())];
        Part { name, facts, ..Part::default() }
    };
    let whole = || part("world".to_owned());
    let mut drawn: Vec<(Part, Vec<Table>)> = Vec::new();
    match table.world() {
        TableWorld::Catcher(state) => {
            drawn.push(draw::plane(whole(), &owners, table.plane(), state));
        }
        TableWorld::Isolated(states) => {
            for (state, agent) in states.iter().zip(agents) {
                let part = part(format!("world of {agent}"));
                drawn.push(draw::plane(part, &owners, table.plane(), state));
            }
        }
        TableWorld::Snake(state) => drawn.push(draw::snakes(whole(), &owners, state)),
        TableWorld::Chess { game, white } => {
            let is_white = |agent: &Id| name(agent) == Some(*white);
            let players = agents.iter().map(|agent| (agent.to_string(), is_white(agent)));
            let players: Vec<_> = players.collect();
            let ours_white = players.first().is_some_and(|(_, white)| *white);
            drawn.push(draw::chess(whole(), &owners, (&game.fen(), ours_white), &players));
        }
    }
    draw::joined(drawn)
}
