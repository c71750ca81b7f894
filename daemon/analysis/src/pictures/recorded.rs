//! Finds the turns of a recording that are drawn.

use super::Seen;
use crate::args::replay::TurnPlace;
use crate::extracts::{game_turn, no_turn, open, turns_with_pictures, warn};
use anyhow::{Result, bail};
use phalanx_cli::remote::say;
use phalanx_exchange::PlayedTurn;
use phalanx_picture::{AgentActivity, TeamCaption};
use phalanx_proto::v1::{Turn, World};
use std::path::Path;
use std::sync::Arc;

/// The last picture of the world at a turn, or at the last one, with the actions of that turn.
pub(super) fn turn(path: &Path, place: Option<TurnPlace>) -> Result<Seen> {
    let file = open(path)?;
    let mut turns = turns_with_pictures(&file);
    let mut search = Search::default();
    for turn in turns.by_ref() {
        let found = place.is_some_and(|place| place.is_at(game_turn(turn.turn)));
        search.take(turn);
        if found {
            search.found = true;
            break;
        }
    }
    warn(path, turns.damage());
    if place.is_some() && !search.found {
        return Err(no_turn(search.ends));
    }
    search.seen(path)
}

/// What was read so far.
#[derive(Debug, Default)]
struct Search {
    ends: Option<(Turn, Turn)>,
    last: Option<PlayedTurn>,
    /// The picture, with the turn in which it was drawn.
    world: Option<(Turn, Arc<World>)>,
    found: bool,
    cast: Cast,
}

/// The team's agents in the order of the roster, which is the order of decisions in the first turn.
/// If more agents appear later, the order is unknown.
#[derive(Debug, Default)]
pub(super) struct Cast {
    names: Vec<String>,
    unsure: bool,
}

impl Cast {
    pub(super) fn saw(&mut self, turn: &PlayedTurn) {
        if self.names.is_empty() {
            self.names = turn.agents.iter().map(|agent| agent.name.clone()).collect();
        }
        let known = |name: &String| self.names.contains(name);
        self.unsure |= !turn.agents.iter().all(|agent| known(&agent.name));
    }

    /// The actions of a turn.
    pub(super) fn caption(&self, turn: &PlayedTurn) -> TeamCaption {
        let deeds = turn.agents.iter().filter_map(|agent| {
            let deed = agent.deed()?;
            let action = if deed.action.is_empty() { deed.kind.word() } else { deed.action };
            let (action, reason) = (action.to_owned(), deed.reason.to_owned());
            Some((agent.name.clone(), AgentActivity { action, reason }))
        });
        let roster = if self.unsure { Vec::new() } else { self.names.clone() };
        TeamCaption { score: turn.score, deeds: deeds.collect(), roster }
    }
}

impl Search {
    fn take(&mut self, turn: PlayedTurn) {
        self.cast.saw(&turn);
        let first = self.ends.map_or(turn.turn, |(first, _)| first);
        self.ends = Some((first, turn.turn));
        // Another round has another world.
        if self.world.as_ref().is_some_and(|(drawn, _)| drawn.round != turn.turn.round) {
            self.world = None;
        }
        if let Some(world) = &turn.world {
            self.world = Some((turn.turn, Arc::clone(world)));
        }
        self.last = Some(turn);
    }

    fn seen(self, path: &Path) -> Result<Seen> {
        let Some(turn) = self.last else {
            bail!("{}: the recording contains no turn", path.display());
        };
        let Some((drawn, world)) = self.world else {
            let (path, turn) = (path.display(), game_turn(turn.turn));
            bail!("{path}: the world was not recorded up to turn {turn} of its round");
        };
        if drawn != turn.turn {
            let (drawn, turn) = (game_turn(drawn), game_turn(turn.turn));
            say(&format!("turn {turn} has no picture of the world; drawing that of turn {drawn}"));
        }
        Ok(Seen { caption: self.cast.caption(&turn), world: Arc::unwrap_or_clone(world) })
    }
}
