//! What the referee tells each agent: sights as names and numbers (spec, section 11).

use crate::action::Feedback;
use crate::percept::{
    Inspected, NO_OWNER, OwnState, Percept, ProbedVertex, SeenEdge, SeenEntity, SeenVertex,
    SurveyedEdge, TeamStatus,
};
use crate::rules::sight::{Set, Sights, VisibleSet};
use crate::rules::state::Team;
use crate::rules::{MatchSide, State};
use smol_str::{SmolStr, ToSmolStr as _};

/// Everybody's percept of a state.
#[derive(Debug)]
pub struct PerceptBuilder<'s> {
    state: &'s State,
    sights: Sights,
    /// The lists of each sight, in percepts that say nothing else.
    lists: Vec<Percept>,
    teams: [TeamStatus; 2],
}

impl<'s> PerceptBuilder<'s> {
    /// The percepts of a state.
    #[must_use]
    pub fn new(state: &'s State) -> Self {
        let names = SharedNames::new(state);
        let sights = Sights::new(state);
        let lists = sights.sights.iter().map(|sight| names.lists(state, sight)).collect();
        let [a, b] = &state.teams;
        Self { state, sights, lists, teams: [standing(a), standing(b)] }
    }

    /// An agent's percept.
    #[must_use]
    pub fn of(&self, agent: usize) -> Percept {
        let lists = self.sights.of.get(agent).and_then(|index| self.lists.get(*index));
        let side = self.state.setting.side(agent);
        Percept {
            step: self.state.step,
            me: own(self.state, agent),
            team: side.of(&self.teams).clone(),
            ..lists.cloned().unwrap_or_default()
        }
    }
}

fn own(state: &State, agent: usize) -> OwnState {
    let Some(body) = state.agents.get(agent) else { return OwnState::default() };
    let zone = state.setting.side(agent).of(&state.zones).value_at(body.at);
    OwnState {
        energy: Some(body.energy),
        max_energy: Some(body.max_energy),
        max_energy_disabled: Some(body.max_energy_disabled),
        health: Some(body.health),
        max_health: Some(body.max_health),
        strength: Some(body.strength),
        vis_range: Some(body.vis_range),
        zone_score: Some(i32::try_from(zone).unwrap_or(i32::MAX)),
        position: SmolStr::new(state.setting.map.name(body.at)),
        last_action: SmolStr::new(&body.last.said),
        last_param: SmolStr::new(&body.last.param),
        last_result: Feedback::parse(body.outcome.word()),
    }
}

fn standing(team: &Team) -> TeamStatus {
    TeamStatus {
        last_step_score: Some(team.step_score),
        money: Some(team.money),
        score: Some(team.score),
        zones_score: Some(team.zones_score),
        achievements: team.fresh_achievements().iter().map(|one| one.to_smolstr()).collect(),
    }
}

/// The names of a simulation's things, cheap to copy.
struct SharedNames {
    vertices: Vec<SmolStr>,
    agents: Vec<SmolStr>,
    teams: [SmolStr; 2],
}

impl SharedNames {
    fn new(state: &State) -> Self {
        let setting = &state.setting;
        let [a, b] = &setting.teams;
        Self {
            vertices: setting.map.vertices().iter().map(|v| SmolStr::new(&v.name)).collect(),
            agents: setting.people.iter().map(|person| SmolStr::new(&person.name)).collect(),
            teams: [SmolStr::new(a), SmolStr::new(b)],
        }
    }

    fn vertex(&self, vertex: u32) -> SmolStr {
        self.vertices.get(vertex as usize).cloned().unwrap_or_default()
    }

    fn team(&self, side: Option<MatchSide>) -> SmolStr {
        side.map_or(SmolStr::new_static(NO_OWNER), |side| side.of(&self.teams).clone())
    }

    fn lists(&self, state: &State, sight: &VisibleSet) -> Percept {
        let map = &state.setting.map;
        let owner = |vertex: u32| state.owners.get(vertex as usize).copied().flatten();
        let vertex =
            |number| SeenVertex { name: self.vertex(number), team: self.team(owner(number)) };
        let value = |number: u32| ProbedVertex {
            name: self.vertex(number),
            value: map.vertices().get(number as usize).map(|vertex| vertex.value),
        };
        let edges =
            |set: &Set| set.iter().filter_map(|number| map.edge(number)).collect::<Vec<_>>();
        let seen = edges(&sight.edges).into_iter();
        let surveyed = edges(&sight.surveyed).into_iter();
        Percept {
            vertices: sight.vertices.iter().map(vertex).collect(),
            edges: seen
                .map(|edge| SeenEdge { node1: self.vertex(edge.a), node2: self.vertex(edge.b) })
                .collect(),
            entities: sight.agents.iter().filter_map(|id| self.entity(state, id)).collect(),
            probed: sight.probed.iter().map(value).collect(),
            surveyed: surveyed
                .map(|edge| SurveyedEdge {
                    node1: self.vertex(edge.a),
                    node2: self.vertex(edge.b),
                    weight: Some(edge.weight),
                })
                .collect(),
            inspected: sight.inspected.iter().filter_map(|id| self.inspected(state, id)).collect(),
            ..Percept::default()
        }
    }

    fn entity(&self, state: &State, agent: u32) -> Option<SeenEntity> {
        let body = state.agents.get(agent as usize)?;
        let person = state.setting.people.get(agent as usize)?;
        Some(SeenEntity {
            name: self.agents.get(agent as usize)?.clone(),
            team: self.team(Some(person.side)),
            node: self.vertex(body.at),
            disabled: body.is_disabled(),
        })
    }

    fn inspected(&self, state: &State, agent: u32) -> Option<Inspected> {
        let body = state.agents.get(agent as usize)?;
        let person = state.setting.people.get(agent as usize)?;
        Some(Inspected {
            name: self.agents.get(agent as usize)?.clone(),
            team: self.team(Some(person.side)),
            node: self.vertex(body.at),
            role: SmolStr::new_static(person.role.word()),
            energy: Some(body.energy),
            max_energy: Some(body.max_energy),
            health: Some(body.health),
            max_health: Some(body.max_health),
            strength: Some(body.strength),
            vis_range: Some(body.vis_range),
        })
    }
}
