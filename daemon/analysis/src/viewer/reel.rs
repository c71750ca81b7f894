//! All turns of a recording in memory, for moving back and forth.

use crate::args::replay::TurnPlace;
use crate::extracts::{game_turn, no_turn, turns_with_pictures};
use phalanx_exchange::PlayedTurn;
use phalanx_game::sorted::SortedSet;
use phalanx_proto::v1;
use phalanx_record::RecordingFile;

/// Turns that are shown, at most.
const TURNS_MAX: usize = 100_000;
/// Turns of agents that are shown, at most: about half a kilobyte each.
const DEEDS_MAX: usize = 500_000;
/// Pictures of the world that are kept, at most; beyond it every second one is dropped.
const PICTURES_MAX: usize = 1_000;

/// A recording with random access.
#[derive(Debug, Default)]
pub(super) struct Reel {
    pub(super) info: v1::RecordingInfo,
    pub(super) turns: Vec<PlayedTurn>,
    /// All agents, in the order in which they were first asked.
    pub(super) agents: Vec<String>,
    /// Turns at the end that exceed the limits.
    pub(super) left_out: u64,
    /// Pieces that could not be read.
    pub(super) damage: u64,
}

impl Reel {
    pub(super) fn load(file: &RecordingFile) -> Self {
        let mut turns = turns_with_pictures(file);
        let mut reel = Self::of(file.info().clone(), turns.by_ref());
        reel.damage = turns.damage();
        reel
    }

    pub(super) fn of(info: v1::RecordingInfo, turns: impl Iterator<Item = PlayedTurn>) -> Self {
        let mut reel = Self { info, ..Self::default() };
        let (mut known, mut deeds, mut pictures) = (SortedSet::new(), 0, 0);
        for turn in turns {
            if reel.turns.len() >= TURNS_MAX || deeds >= DEEDS_MAX {
                reel.left_out += 1;
                continue;
            }
            deeds += turn.agents.len();
            pictures += usize::from(turn.world.is_some());
            for agent in &turn.agents {
                if known.insert(agent.name.clone()) {
                    reel.agents.push(agent.name.clone());
                }
            }
            reel.turns.push(turn);
            if pictures > PICTURES_MAX {
                pictures = reel.thin();
            }
        }
        reel
    }

    /// Drops every second picture; returns how many are left.
    fn thin(&mut self) -> usize {
        let drawn = self.turns.iter_mut().filter(|turn| turn.world.is_some());
        drawn.skip(1).step_by(2).for_each(|turn| turn.world = None);
        self.turns.iter().filter(|turn| turn.world.is_some()).count()
    }

    pub(super) fn turn(&self, at: usize) -> Option<&PlayedTurn> {
        self.turns.get(at)
    }

    /// The first turn at this place.
    pub(super) fn find(&self, place: TurnPlace) -> Option<usize> {
        self.turns.iter().position(|turn| place.is_at(game_turn(turn.turn)))
    }

    pub(super) fn no_turn(&self) -> anyhow::Error {
        let ends = self.turns.first().zip(self.turns.last());
        no_turn(ends.map(|(first, last)| (first.turn, last.turn)))
    }

    /// The last picture of the world at that turn, or the first one after it, with the turn in which
    /// it was drawn.
    pub(super) fn world(&self, at: usize) -> Option<(usize, &v1::World)> {
        let round = self.turn(at)?.turn.round;
        let drawn = self.turns.iter().enumerate().take(at + 1).rev();
        let is_same = |(_, turn): &(usize, &PlayedTurn)| turn.turn.round == round;
        let last = drawn.take_while(is_same);
        let next = self.turns.iter().enumerate().skip(at + 1).take_while(is_same);
        last.chain(next).find_map(|(index, turn)| Some((index, turn.world.as_deref()?)))
    }

    /// The next turn after `at` with a problem of this agent, or of any.
    pub(super) fn trouble_after(&self, at: usize, agent: Option<&str>) -> Option<usize> {
        let found = self.turns.iter().enumerate().skip(at + 1);
        found.filter(|(_, turn)| is_trouble(turn, agent)).map(|(index, _)| index).next()
    }

    /// The last such turn before `at`.
    pub(super) fn trouble_before(&self, at: usize, agent: Option<&str>) -> Option<usize> {
        let found = self.turns.iter().enumerate().take(at).rev();
        found.filter(|(_, turn)| is_trouble(turn, agent)).map(|(index, _)| index).next()
    }
}

pub(super) fn is_trouble(turn: &PlayedTurn, agent: Option<&str>) -> bool {
    match agent {
        None => turn.is_trouble(),
        Some(name) => turn.agent(name).is_some_and(phalanx_exchange::PlayedAgent::is_trouble),
    }
}
