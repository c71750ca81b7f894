//! Turns of a recording that are drawn.

use super::Seen;
use crate::cli::replay::TurnPlace;
use crate::recorded::{entries, game_turn, no_turn, open, turn_word, warn};
use crate::remote::say;
use anyhow::{Result, bail};
use phalanx_exchange::{PlayedTurn, Turns};
use phalanx_picture::{Deed, Told};
use phalanx_proto::v1::{Turn, World};
use std::path::Path;
use std::sync::Arc;

/// The last picture of the world at a turn, or at the last one, with what was done in that turn.
pub(super) fn turn(path: &Path, place: Option<TurnPlace>) -> Result<Seen> {
    let file = open(path)?;
    let mut turns = Turns::with_pictures(entries(&file));
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
    /// With the turn in which it was drawn.
    world: Option<(Turn, Arc<World>)>,
    found: bool,
    cast: Cast,
}

/// The team's agents in the order of the roster: that in which they decided in the first turn. Where
/// others come later, nobody knows it.
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

    /// What was done in a turn.
    pub(super) fn told(&self, turn: &PlayedTurn) -> Told {
        let deeds = turn.agents.iter().filter_map(|agent| {
            let deed = agent.deed()?;
            let action = if deed.action.is_empty() { deed.kind.word() } else { deed.action };
            let (action, reason) = (action.to_owned(), deed.reason.to_owned());
            Some((agent.name.clone(), Deed { action, reason }))
        });
        let roster = if self.unsure { Vec::new() } else { self.names.clone() };
        Told { score: turn.score, deeds: deeds.collect(), roster }
    }
}

impl Search {
    fn take(&mut self, turn: PlayedTurn) {
        self.cast.saw(&turn);
        let first = self.ends.map_or(turn.turn, |(first, _)| first);
        self.ends = Some((first, turn.turn));
        // Another round is another world.
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
            bail!("{}: the recording has no turn", path.display());
        };
        let Some((drawn, world)) = self.world else {
            let (path, turn) = (path.display(), turn_word(turn.turn));
            bail!("{path}: the world was not recorded up to turn {turn} of its round");
        };
        if drawn != turn.turn {
            let (drawn, turn) = (turn_word(drawn), turn_word(turn.turn));
            say(&format!("turn {turn} has no picture of the world; this is that of {drawn}"));
        }
        Ok(Seen { told: self.cast.told(&turn), world: Arc::unwrap_or_clone(world) })
    }
}
