//! What others may look at: copies of the last turns, and measurements of the scripts.

use super::Team;
use crate::{Answer, BoardPage, BoardRead, Brain, Drawing, Profile, Scene, Ticket, View};
use phalanx_game::{AgentId, FieldDoc, Game, Value, World};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Most turns of which a copy is kept, whatever the options say.
const SCENES_MAX: usize = 20;
/// A copy of a large world takes milliseconds: where turns follow each other faster than this, not
/// every one is copied.
pub const SCENE_EVERY: Duration = Duration::from_secs(1);
/// Most turns that one measurement takes.
const PROFILE_TURNS_MAX: u32 = 10_000;
/// Most requests that one measurement answers; more get an empty one.
const PROFILE_READERS_MAX: usize = 16;

/// Scripts are being measured, or will be from the next border on.
#[derive(Debug)]
pub(super) struct Profiling {
    /// Whoever asks while a measurement runs gets its result too.
    readers: Vec<Ticket>,
    turns: u32,
    /// Turns that were begun before the measurement; `None`: it did not begin yet.
    begun: Option<u64>,
}

impl<G: Game, B: Brain> Team<G, B> {
    pub(super) fn show(&mut self, ticket: Ticket) {
        let memories = self.brain.memories();
        let shared = self.shared.borrow();
        let view = View {
            roster: Arc::clone(&self.roster),
            seed: self.options.seed,
            scenes: self.scenes.iter().cloned().collect(),
            board: shared.board.clone(),
            params: shared.params.clone(),
            roles: shared.roles.clone(),
            memories,
            generation: self.brain.generation(),
        };
        drop(shared);
        self.answer(ticket, Answer::View(Box::new(view)));
    }

    pub(super) fn draw(&mut self, ticket: Ticket) {
        let drawing = self.drawing();
        self.answer(ticket, Answer::Drawn(Box::new(drawing)));
    }

    /// The world as it is drawn, with what scripts marked on it. Takes up to some milliseconds: ask
    /// between turns.
    #[must_use]
    pub fn drawing(&self) -> Drawing {
        let picture = self.world.borrow().draw().bounded();
        let shared = self.shared.borrow();
        let (roles, marks) = (shared.roles.clone(), shared.marks().to_vec());
        Drawing { turn: self.turn(), tick: self.tick, roles, picture, marks }
    }

    /// A bounded piece of the board.
    #[must_use]
    pub fn board(&self, read: &BoardRead) -> BoardPage {
        self.shared.borrow().board.read(read)
    }

    /// What the agents of the last turn perceived: the declared fields that have a value.
    #[must_use]
    pub fn percepts(&self) -> Vec<(AgentId, Vec<(&'static str, Value)>)> {
        let asked = self.open.iter().flat_map(|open| open.asked.keys());
        let world = self.world.borrow();
        let fields = |agent: AgentId| {
            let value = |field: &FieldDoc| Some((field.name, world.field(agent, field.name)?));
            G::API.percept.iter().filter_map(value).collect()
        };
        asked.map(|agent| (*agent, fields(*agent))).collect()
    }

    /// Turns that the team has begun in this match.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Keeps a copy of the turn that is through; its answers have left. False when there is none,
    /// or the copies are fresh enough.
    pub(super) fn keep_scene(&mut self, now: Instant) -> bool {
        let Some(open) = &mut self.open else { return false };
        if !std::mem::take(&mut open.unseen) {
            return false;
        }
        let max = self.options.rehearsal_turns.min(SCENES_MAX);
        let fresh = |at: Instant| now.saturating_duration_since(at) < SCENE_EVERY;
        let same = self.scenes.back().is_some_and(|last| last.tick == self.tick);
        if self.scenes.len() >= max && !same && self.scene_kept.is_some_and(fresh) {
            return false;
        }
        self.scene_kept = Some(now);
        let scene = Scene {
            turn: open.turn,
            tick: self.tick,
            present: open.asked.keys().copied().collect(),
            roles: open.roles.clone(),
            oracle: Arc::new(Mutex::new(self.world.borrow().clone())),
        };
        // A straggler was answered after the others: the turn counts once.
        if same {
            self.scenes.pop_back();
        }
        self.scenes.push_back(Arc::new(scene));
        while self.scenes.len() > max {
            self.scenes.pop_front();
        }
        true
    }

    pub(super) fn profile(&mut self, ticket: Ticket, turns: u32) {
        let profiling = self.profiling.get_or_insert_with(|| Profiling {
            readers: Vec::new(),
            turns: turns.min(PROFILE_TURNS_MAX),
            begun: None,
        });
        if turns == 0 || self.over || profiling.readers.len() >= PROFILE_READERS_MAX {
            self.profiling.take_if(|profiling| profiling.readers.is_empty());
            self.answer(ticket, Answer::Profile(Box::default()));
            return;
        }
        profiling.readers.push(ticket);
    }

    /// Between turns: begins a measurement that waits. False when there is none.
    pub(super) fn begin_profile(&mut self) -> bool {
        let gathering = self.open.as_ref().is_some_and(crate::turn::OpenTurn::is_gathering);
        let begun = self.tick.saturating_sub(u64::from(gathering));
        match &mut self.profiling {
            Some(profiling) if profiling.begun.is_none() => profiling.begun = Some(begun),
            Some(_) | None => return false,
        }
        self.brain.start_profile();
        true
    }

    /// A turn is through: perhaps it was the last one to be measured.
    pub(super) fn end_profile_if_done(&mut self) {
        let tick = self.tick;
        let done = |profiling: &Profiling| {
            profiling
                .begun
                .is_some_and(|begun| tick.saturating_sub(begun) >= profiling.turns.into())
        };
        if self.profiling.as_ref().is_some_and(done) {
            self.end_profile();
        }
    }

    /// Answers with what was measured so far.
    pub(super) fn end_profile(&mut self) {
        let Some(Profiling { readers, begun, .. }) = self.profiling.take() else { return };
        let profile = match begun {
            Some(begun) => {
                let turns = u32::try_from(self.tick.saturating_sub(begun)).unwrap_or(u32::MAX);
                Profile { turns, ..self.brain.take_profile() }
            }
            None => Profile::default(),
        };
        for ticket in readers {
            self.answer(ticket, Answer::Profile(Box::new(profile.clone())));
        }
    }
}
