//! Copies of the last turns, and measurements of the scripts.

use super::{Team, intent};
use crate::{
    BoardPage, BoardRead, Drawing, FinalView, Profile, ProfileScripts, Scene, Ticket, View,
};
use phalanx_game::{AgentId, Declaration, FieldDoc, Game, Value, World};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Most turns of which a copy is kept, whatever the options say.
const SCENES_MAX: usize = 20;
/// A copy of a large world takes milliseconds: if turns follow each other faster than this, only
/// some are copied.
pub const SCENE_EVERY: Duration = Duration::from_secs(1);
/// Most turns that one measurement takes.
const PROFILE_TURNS_MAX: u32 = 10_000;
/// Most requests that one measurement answers; further ones get an empty one.
const PROFILE_READERS_MAX: usize = 16;

/// What the team keeps to be looked at: copies of the last turns, and a measurement of scripts.
#[derive(Debug, Default)]
pub(super) struct Observation {
    scenes: VecDeque<Arc<Scene>>,
    /// When the newest copy was made.
    copied: Option<Instant>,
    profiling: Option<Profiling>,
}

/// A measurement of scripts that runs, or that begins between turns.
#[derive(Debug)]
struct Profiling {
    /// Readers that ask while a measurement runs get its result too.
    readers: Vec<Ticket>,
    turns: u32,
    /// The number of turns begun before the measurement; `None`: it has not begun yet.
    begun: Option<u64>,
}

/// The readers of a measurement that ends, and its turns; `None`: it never began.
type EndedProfile = (Vec<Ticket>, Option<u32>);

impl Observation {
    /// Whether the turn's copy is wanted: there are too few, or none is recent.
    fn wants_scene(&self, tick: u64, max: usize, now: Instant) -> bool {
        let fresh = |at: Instant| now.saturating_duration_since(at) < SCENE_EVERY;
        self.scenes.len() < max || self.is_newest(tick) || !self.copied.is_some_and(fresh)
    }

    fn is_newest(&self, tick: u64) -> bool {
        self.scenes.back().is_some_and(|last| last.tick == tick)
    }

    fn keep_scene(&mut self, scene: Scene, max: usize, now: Instant) {
        self.copied = Some(now);
        // A straggler was answered after the others, but the turn counts once.
        if self.is_newest(scene.tick) {
            self.scenes.pop_back();
        }
        self.scenes.push_back(Arc::new(scene));
        self.keep_scenes(max);
    }

    /// Keeps at most this many copies.
    pub(super) fn keep_scenes(&mut self, max: usize) {
        while self.scenes.len() > max {
            self.scenes.pop_front();
        }
    }

    pub(super) fn forget_scenes(&mut self) {
        self.scenes.clear();
        self.copied = None;
    }

    pub(super) fn is_profiling(&self) -> bool {
        self.profiling.is_some()
    }

    /// Adds a reader to the measurement, which takes that many turns if it is a new one. False:
    /// no measurement answers it.
    fn request_profile(&mut self, ticket: Ticket, turns: u32) -> bool {
        if turns == 0 {
            return false;
        }
        let profiling = self.profiling.get_or_insert_with(|| Profiling {
            readers: Vec::new(),
            turns: turns.min(PROFILE_TURNS_MAX),
            begun: None,
        });
        let room = profiling.readers.len() < PROFILE_READERS_MAX;
        if room {
            profiling.readers.push(ticket);
        }
        room
    }

    /// Begins a waiting measurement after this many complete turns. False if there is none.
    fn begin_profile(&mut self, complete: u64) -> bool {
        match &mut self.profiling {
            Some(profiling) if profiling.begun.is_none() => profiling.begun = Some(complete),
            Some(_) | None => return false,
        }
        true
    }

    /// Whether this turn was the last one to measure.
    fn has_measured(&self, tick: u64) -> bool {
        let Some(Profiling { begun: Some(begun), turns, .. }) = &self.profiling else {
            return false;
        };
        tick.saturating_sub(*begun) >= u64::from(*turns)
    }

    fn end_profile(&mut self, tick: u64) -> Option<EndedProfile> {
        let Profiling { readers, begun, .. } = self.profiling.take()?;
        let turns = |begun: u64| u32::try_from(tick.saturating_sub(begun)).unwrap_or(u32::MAX);
        Some((readers, begun.map(turns)))
    }
}

impl<G: Game> Team<G> {
    pub(super) fn view(&mut self) -> View {
        let memories = self.brain.memories();
        let shared = self.shared.borrow();
        View {
            roster: Arc::clone(self.crew.roster()),
            seed: self.options.seed,
            scenes: self.observation.scenes.iter().cloned().collect(),
            board: shared.board.clone(),
            params: shared.params.clone(),
            roles: shared.roles.clone(),
            memories,
            generation: self.brain.generation(),
        }
    }

    /// The drawn world, with the marks of scripts. Takes up to some milliseconds: call it between
    /// turns.
    #[must_use]
    pub fn drawing(&self) -> Drawing {
        let mut picture = self.world.borrow().draw();
        let shared = self.shared.borrow();
        let (roles, marks) = (shared.roles.clone(), shared.marks().to_vec());
        intent::add(&mut picture, &self.crew, &marks);
        let picture = picture.bounded();
        Drawing { turn: self.turn(), tick: self.tick(), roles, picture, marks }
    }

    /// What can still be read when the team has ended.
    #[must_use]
    pub fn final_view(&self) -> FinalView {
        FinalView { drawing: self.drawing(), board: self.shared.borrow().board.clone() }
    }

    /// A bounded piece of the board.
    #[must_use]
    pub fn board(&self, read: &BoardRead) -> BoardPage {
        self.shared.borrow().board.read(read)
    }

    /// What the agents of the last turn perceived: the declared fields that have a value.
    #[must_use]
    pub fn percepts(&self) -> Vec<(AgentId, Vec<(&'static str, Value)>)> {
        let asked = self.turns.open.iter().flat_map(|open| open.asked.keys());
        let world = self.world.borrow();
        let fields = |agent: AgentId| {
            let value = |field: &FieldDoc| Some((field.name, world.field(agent, field.name)?));
            self.game.declaration().api.percept.iter().filter_map(value).collect()
        };
        asked.map(|agent| (*agent, fields(*agent))).collect()
    }

    /// What the team's game declares of itself.
    #[must_use]
    pub fn declaration(&self) -> &'static Declaration {
        self.game.declaration()
    }

    /// Turns that the team has begun in this match.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.turns.tick()
    }

    /// Keeps a copy of the finished turn; its answers have left. False if there is none, or the
    /// copies are recent enough.
    pub(super) fn keep_scene(&mut self, now: Instant) -> bool {
        let tick = self.turns.tick();
        let Some(open) = &mut self.turns.open else { return false };
        let max = self.options.rehearsal_turns.min(SCENES_MAX);
        let is_new = std::mem::take(&mut open.unseen);
        if !is_new || !self.observation.wants_scene(tick, max, now) {
            return false;
        }
        let scene = Scene {
            turn: open.turn,
            tick,
            present: open.asked.keys().copied().collect(),
            roles: open.roles.clone(),
            oracle: Arc::new(Mutex::new(self.world.borrow().clone())),
        };
        self.observation.keep_scene(scene, max, now);
        true
    }

    pub(super) fn profile(&mut self, ticket: Ticket, turns: u32) {
        if self.ending.is_over() || !self.observation.request_profile(ticket, turns) {
            self.answer::<ProfileScripts>(ticket, Ok(Profile::default()));
        }
    }

    /// Begins a waiting measurement between turns. False if there is none.
    pub(super) fn begin_profile(&mut self) -> bool {
        let begins = self.observation.begin_profile(self.turns.complete());
        if begins {
            self.brain.start_profile();
        }
        begins
    }

    /// Ends the measurement if this turn was the last one to measure.
    pub(super) fn end_profile_if_done(&mut self) {
        if self.observation.has_measured(self.turns.tick()) {
            self.end_profile();
        }
    }

    /// Answers with the measurement so far.
    pub(super) fn end_profile(&mut self) {
        let ended = self.observation.end_profile(self.turns.tick());
        let Some((readers, turns)) = ended else { return };
        let profile = match turns {
            Some(turns) => Profile { turns, ..self.brain.take_profile() },
            None => Profile::default(),
        };
        for ticket in readers {
            self.answer::<ProfileScripts>(ticket, Ok(profile.clone()));
        }
    }
}
