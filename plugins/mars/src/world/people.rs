//! Who is where and in which state: friends by their own percepts, everybody by sight.

use super::chart::{KnownGraph, VertexId};
use crate::percept::{Inspected, OwnState, Percept, SeenEntity};
use crate::rules::Role;
use phalanx_game::sorted::SortedMap;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// Agents that are remembered at most; contests have up to 56.
pub const PEOPLE_MAX: usize = 512;

/// What is known of an agent of any team.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct AgentSighting {
    pub(super) name: SmolStr,
    pub(super) team: SmolStr,
    /// Where it was seen last.
    pub(super) at: Option<VertexId>,
    /// The step of that.
    pub(super) seen: Option<u32>,
    /// Somebody looked there since and did not find it.
    pub(super) gone: bool,
    pub(super) disabled: bool,
    /// The result of an inspection, and its step.
    pub(super) inspected: Option<(u32, Inspected)>,
}

impl AgentSighting {
    /// Its role, once an inspection found it.
    pub(super) fn role(&self) -> Option<Role> {
        let (_, inspected) = self.inspected.as_ref()?;
        Role::parse(&inspected.role)
    }

    /// Its role as the number at the end of its name suggests: accounts of both teams have their
    /// roles in the same order (spec section 1).
    pub(super) fn guess(&self) -> Option<Role> {
        let start = self.name.trim_end_matches(|last: char| last.is_ascii_digit()).len();
        let number: usize = self.name.get(start..)?.parse().ok()?;
        number.checked_sub(1).filter(|number| *number < 20).map(Role::of_account)
    }

    /// The role as known, or else as guessed.
    pub(super) fn likely_role(&self) -> Option<Role> {
        self.role().or_else(|| self.guess())
    }

    /// Damage of its attack: as inspected, or what its likely role starts with. A stranger may be
    /// a saboteur.
    pub(super) fn strength(&self) -> i32 {
        let inspected = self.inspected.as_ref().and_then(|(_, inspected)| inspected.strength);
        let role = self.likely_role().unwrap_or(Role::Saboteur);
        inspected.unwrap_or_else(|| role.traits().strength)
    }
}

/// One of our own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Mate {
    pub(super) own: OwnState,
    /// The step of its last percept.
    pub(super) seen: u32,
    pub(super) at: Option<VertexId>,
}

/// All agents that were ever seen.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct AgentSightings {
    persons: SortedMap<SmolStr, AgentSighting>,
}

impl AgentSightings {
    /// Learns all that a percept tells about agents.
    pub(super) fn learn(&mut self, percept: &Percept, chart: &KnownGraph) {
        for entity in &percept.entities {
            self.learn_sight(entity, chart, percept.step);
        }
        for inspected in &percept.inspected {
            self.learn_internals(inspected, chart, percept.step);
        }
    }

    fn learn_sight(&mut self, entity: &SeenEntity, chart: &KnownGraph, step: u32) {
        let Some(person) = self.person(&entity.name) else { return };
        if person.seen.is_some_and(|known| known > step) {
            return;
        }
        person.team = entity.team.clone();
        person.disabled = entity.disabled;
        if let Some(at) = chart.number(&entity.node) {
            (person.at, person.seen, person.gone) = (Some(at), Some(step), false);
        }
    }

    fn learn_internals(&mut self, inspected: &Inspected, chart: &KnownGraph, step: u32) {
        let Some(person) = self.person(&inspected.name) else { return };
        if person.inspected.as_ref().is_some_and(|(known, _)| *known > step) {
            return;
        }
        if !inspected.team.is_empty() {
            person.team = inspected.team.clone();
        }
        if let (Some(at), true) = (chart.number(&inspected.node), person.seen <= Some(step)) {
            (person.at, person.seen, person.gone) = (Some(at), Some(step), false);
            person.disabled = inspected.health == Some(0);
        }
        person.inspected = Some((step, inspected.clone()));
    }

    fn person(&mut self, name: &SmolStr) -> Option<&mut AgentSighting> {
        if !self.persons.contains_key(name) && self.persons.len() >= PEOPLE_MAX {
            return None;
        }
        let fresh = || AgentSighting { name: name.clone(), ..AgentSighting::default() };
        Some(self.persons.entry(name.clone()).or_insert_with(fresh))
    }

    /// All percepts of a step are in: an agent that is not where it was seen before is gone.
    pub(super) fn settle(&mut self, chart: &KnownGraph) {
        for person in self.persons.values_mut() {
            let spot = person.at.and_then(|at| chart.spot(at));
            person.gone |= spot.is_some_and(|spot| spot.watched > person.seen);
        }
    }

    /// Everybody who was ever seen, by name.
    pub(super) fn iter(&self) -> impl Iterator<Item = &AgentSighting> {
        self.persons.values()
    }

    pub(super) fn get(&self, name: &str) -> Option<&AgentSighting> {
        self.persons.get(name)
    }

    /// Whether all names differ and all places are vertices of the map.
    pub(super) fn is_sound(&self, chart: &KnownGraph) -> bool {
        let sound = |(name, person): (&SmolStr, &AgentSighting)| {
            *name == person.name && person.at.is_none_or(|at| chart.spot(at).is_some())
        };
        self.persons.len() <= PEOPLE_MAX && self.persons.iter().all(sound)
    }
}
