//! Steps that an agent missed: where it is afterwards.
//!
//! An agent that was cut off, or whose daemon was killed, stood still since: the referee acts for
//! no one. What is not known is how its last action went, and what a daemon that is gone may have
//! let it do after its belief was saved. Each of these actions may have moved it, or those it hangs
//! on, by one cell: that gives the places where it can be. What it sees is compared with the map
//! there. If everything but one place is ruled out, that is it; otherwise its place stays a doubt
//! (see `doubt`), and it begins a frame of its own rather than a wrong one.

use super::likeness::{PlaceVerdict, judge, view};
use super::{SENT_MAX, World};
use crate::action::Action;
use phalanx_game::AgentId;
use phalanx_game::sorted::SortedMap;
use phalanx_grid::{Cell, Direction, Extent};
use std::collections::BTreeSet;

/// Steps in which a daemon that was killed may have acted although its last saved belief does not
/// say so, the step of that belief included.
const UNSURE_STEPS: usize = 3;

/// At most this many agents of the team are thought to carry one that they hang on without its
/// knowledge.
const SUSPECTS_MAX: usize = 2;

/// Places that are compared; an agent that may be at more of them is given up.
const PLACES_MAX: usize = 100;

/// What an agent may have done in steps whose results it did not see.
#[derive(Clone, Debug, Default)]
pub(super) struct Missed {
    /// Steps with the action that left; `None`: not known.
    steps: Vec<(u32, Option<Action>)>,
}

impl Missed {
    /// The actions that are known to have left.
    pub(super) fn actions(&self) -> impl Iterator<Item = &Action> {
        self.steps.iter().filter_map(|(_, action)| action.as_ref())
    }

    /// In how many steps it may have done anything.
    pub(super) fn unknown(&self) -> usize {
        self.steps.iter().filter(|(_, action)| action.is_none()).count()
    }

    /// How it may have moved since a step: for each of its actions the possible differences.
    pub(super) fn moves(&self, since: u32) -> impl Iterator<Item = Vec<Cell>> {
        let steps = self.steps.iter().filter(move |(step, _)| *step >= since);
        steps.filter_map(|(_, action)| match action {
            None => Some(Direction::ALL.map(Direction::vector).to_vec()),
            Some(action) => Some(vec![action.step()?]),
        })
    }
}

impl World {
    /// What agents did before this step and did not see the results of: those who perceive again
    /// now, and those who still do not.
    pub(super) fn missed(&self, step: u32) -> SortedMap<AgentId, Missed> {
        let missed = |agent: &AgentId| Some((*agent, self.missed_by(*agent, step)?));
        self.minds.keys().filter_map(missed).collect()
    }

    fn missed_by(&self, agent: AgentId, step: u32) -> Option<Missed> {
        let mind = self.minds.get(&agent)?;
        let now = mind.seen.as_ref()?.percept.step;
        // A percept tells how the action of the step before went.
        let blind = if now == step {
            mind.before.as_ref()?.0.percept.step..step.saturating_sub(1)
        } else {
            now..step
        };
        if blind.is_empty() {
            return None;
        }
        let sent = mind.sent.iter().filter(|(step, _)| blind.contains(step));
        let known = |step: &u32| mind.sent.iter().any(|(sent, _)| sent == step);
        let unsure = mind.unsure_from.map(|from| from.max(blind.start)..blind.end);
        let unsure = unsure.unwrap_or_default().take(UNSURE_STEPS).filter(|step| !known(step));
        // What left before the oldest action that is remembered was forgotten.
        let oldest = mind.sent.front().filter(|_| mind.sent.len() >= SENT_MAX);
        let forgotten = blind.start..oldest.map_or(blind.start, |(step, _)| *step).min(blind.end);
        let unsure = forgotten.take(SENT_MAX).chain(unsure);
        let sent = sent.map(|(step, action)| (*step, Some(action.clone())));
        Some(Missed { steps: sent.chain(unsure.map(|step| (step, None))).collect() })
    }

    /// Whether an agent's own moves since it perceived last are known, and those of all on whom it
    /// hangs or may hang.
    pub(super) fn knows_its_way(
        &self,
        agent: AgentId,
        missed: &SortedMap<AgentId, Missed>,
    ) -> bool {
        !missed.contains_key(&agent) && self.doubtful_moves(agent, missed).next().is_none()
    }

    fn doubtful_moves(
        &self,
        agent: AgentId,
        missed: &SortedMap<AgentId, Missed>,
    ) -> impl Iterator<Item = Vec<Cell>> {
        let before = self.minds.get(&agent).and_then(|mind| mind.before.as_ref());
        let since = before.map(|(seen, _)| seen.percept.step);
        let crew = since.map(|_| self.bodies.crew(agent)).unwrap_or_default();
        let unseen = crew
            .into_iter()
            .filter_map(|mate| missed.get(&mate))
            .flat_map(move |missed| missed.moves(since.unwrap_or_default()));
        unseen.chain(self.carried_unknown(agent))
    }

    /// How those may have carried an agent in this step on whom it may hang without its knowledge.
    fn carried_unknown(&self, agent: AgentId) -> impl Iterator<Item = Vec<Cell>> {
        let moves = |suspect: &Cell| match self.mate_at(agent, *suspect) {
            Some(mate) => {
                let crew = self.bodies.crew(mate).into_iter();
                crew.filter_map(|mate| Some(vec![self.moved(mate)?])).collect::<Vec<_>>()
            }
            None => vec![Direction::ALL.map(Direction::vector).to_vec()],
        };
        let suspects = self.suspects(agent);
        suspects.iter().take(SUSPECTS_MAX).flat_map(moves).collect::<Vec<_>>().into_iter()
    }

    /// How an agent that perceives now moved in the last step by itself.
    fn moved(&self, agent: AgentId) -> Option<Cell> {
        self.done(agent)?.step()
    }

    /// Finds an agent that may have moved without a percept.
    pub(super) fn find_again(
        &mut self,
        agent: AgentId,
        step: u32,
        missed: &SortedMap<AgentId, Missed>,
    ) {
        let Some(places) = self.places(agent, missed) else { return self.lose(agent) };
        let Some(mind) = self.minds.get(&agent) else { return };
        let (Some(seen), Some(chart)) = (&mind.seen, self.charts.get(&mind.frame)) else { return };
        let view = view(&seen.percept, (self.vision(), self.team()), &mut self.types.clone());
        match judge(&view, chart, self.extent, places) {
            PlaceVerdict::Sure(at) => self.place(agent, at),
            PlaceVerdict::Unsure(places) => self.doubt(agent, step, places),
            PlaceVerdict::Nowhere => self.lose(agent),
        }
    }

    /// Where an agent may be; `None`: in too many places.
    fn places(
        &self,
        agent: AgentId,
        missed: &SortedMap<AgentId, Missed>,
    ) -> Option<BTreeSet<Cell>> {
        let (mind, extent) = (self.minds.get(&agent)?, self.extent);
        let mut places = if missed.contains_key(&agent) {
            // Those it hung on carried it, for as long as it hung on them.
            between(extent, extent.wrap(mind.at - mind.carried()), mind.at)?
        } else {
            BTreeSet::from([mind.at])
        };
        for steps in self.doubtful_moves(agent, missed) {
            let moved = places.iter().flat_map(|at| steps.iter().map(|step| *at + *step));
            let moved: Vec<Cell> = moved.map(|at| extent.wrap(at)).collect();
            places.extend(moved);
            if places.len() > PLACES_MAX {
                return None;
            }
        }
        Some(places)
    }
}

/// All cells of the rectangle between two; `None` when they are too many.
fn between(extent: Extent, from: Cell, to: Cell) -> Option<BTreeSet<Cell>> {
    let way = extent.delta(from, to);
    let side = |way: i32| usize::try_from(way.unsigned_abs()).unwrap_or(usize::MAX);
    if side(way.x).saturating_add(1).saturating_mul(side(way.y).saturating_add(1)) > PLACES_MAX {
        return None;
    }
    let axis = |way: i32| way.min(0)..=way.max(0);
    let cells = axis(way.y).flat_map(|y| axis(way.x).map(move |x| Cell::new(x, y)));
    Some(cells.map(|cell| extent.wrap(from + cell)).collect())
}
