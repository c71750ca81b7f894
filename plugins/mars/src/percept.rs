//! What the referee tells an agent, typed (spec sections 3 and 11).
//!
//! Numbers that a referee left out or that are not numbers are `None`: the last known value holds.

use crate::action::Feedback;
use phalanx_game::Value;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// How the referee writes that no team owns a vertex.
pub const NO_OWNER: &str = "none";

/// The start message of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Briefing {
    /// An opaque word that differs between simulations.
    pub id: SmolStr,
    /// The agent's role in the referee's words; empty when it did not come.
    pub role: SmolStr,
    /// Steps of the simulation.
    pub steps: Option<u32>,
    /// Vertices of the map.
    pub vertices: Option<u32>,
    /// Edges of the map.
    pub edges: Option<u32>,
}

/// One request's percept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Percept {
    /// The step, from 0.
    pub step: u32,
    /// The agent itself.
    pub me: OwnState,
    /// Its team.
    pub team: TeamStatus,
    /// Vertices in sight and in the zone, with their owners.
    pub vertices: Vec<SeenVertex>,
    /// Edges in sight and in the zone.
    pub edges: Vec<SeenEdge>,
    /// Agents of all teams in sight, the agent itself included.
    pub entities: Vec<SeenEntity>,
    /// Vertices whose value a probe of the last step found.
    pub probed: Vec<ProbedVertex>,
    /// Edges whose weight a survey of the last step found.
    pub surveyed: Vec<SurveyedEdge>,
    /// Enemies whose internals an inspection of the last step found.
    pub inspected: Vec<Inspected>,
}

/// The agent's own state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnState {
    /// Energy now.
    pub energy: Option<i32>,
    /// Most energy while enabled.
    pub max_energy: Option<i32>,
    /// Most energy while disabled.
    pub max_energy_disabled: Option<i32>,
    /// Health now; 0 is disabled.
    pub health: Option<i32>,
    /// Most health.
    pub max_health: Option<i32>,
    /// Damage of an attack.
    pub strength: Option<i32>,
    /// How far it sees, in edges.
    pub vis_range: Option<i32>,
    /// Value of the zone that it is in; 0 in none.
    pub zone_score: Option<i32>,
    /// The vertex it is on; empty when it did not come.
    pub position: SmolStr,
    /// The last action as the referee names it: also `noAction` and `unknownAction`.
    pub last_action: SmolStr,
    /// Its parameter; literally `null` in step 0.
    pub last_param: SmolStr,
    /// How it went.
    pub last_result: Feedback,
}

/// Score, money and achievements of the team.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamStatus {
    /// Points of the last step: money and zones.
    pub last_step_score: Option<i64>,
    /// Money to spend; what is kept counts in every step.
    pub money: Option<i64>,
    /// Points so far.
    pub score: Option<i64>,
    /// Value of all zones of the team.
    pub zones_score: Option<i64>,
    /// Achievements of the last step only.
    pub achievements: Vec<SmolStr>,
}

/// A vertex in sight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenVertex {
    /// Its name.
    pub name: SmolStr,
    /// The team that owns it, or [`NO_OWNER`].
    pub team: SmolStr,
}

/// An edge in sight; its ends come in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenEdge {
    /// One end.
    pub node1: SmolStr,
    /// The other end.
    pub node2: SmolStr,
}

/// An agent in sight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenEntity {
    /// Its name.
    pub name: SmolStr,
    /// Its team's name.
    pub team: SmolStr,
    /// The vertex it is on.
    pub node: SmolStr,
    /// Its health is 0.
    pub disabled: bool,
}

/// A vertex with its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbedVertex {
    /// Its name.
    pub name: SmolStr,
    /// Its value, 1 to 10.
    pub value: Option<i32>,
}

/// An edge with its weight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurveyedEdge {
    /// One end.
    pub node1: SmolStr,
    /// The other end.
    pub node2: SmolStr,
    /// Energy that it costs, 1 to 9.
    pub weight: Option<i32>,
}

/// An enemy's internals. The referee never sends how much energy it may have while disabled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspected {
    /// Its name.
    pub name: SmolStr,
    /// Its team's name.
    pub team: SmolStr,
    /// The vertex it is on.
    pub node: SmolStr,
    /// Its role in the referee's words.
    pub role: SmolStr,
    /// Energy now.
    pub energy: Option<i32>,
    /// Most energy.
    pub max_energy: Option<i32>,
    /// Health now.
    pub health: Option<i32>,
    /// Most health.
    pub max_health: Option<i32>,
    /// Damage of its attacks.
    pub strength: Option<i32>,
    /// How far it sees.
    pub vis_range: Option<i32>,
}

impl OwnState {
    /// Takes every value that did not come from an earlier percept.
    pub fn inherit(&mut self, old: &Self) {
        let pairs = [
            (&mut self.energy, old.energy),
            (&mut self.max_energy, old.max_energy),
            (&mut self.max_energy_disabled, old.max_energy_disabled),
            (&mut self.health, old.health),
            (&mut self.max_health, old.max_health),
            (&mut self.strength, old.strength),
            (&mut self.vis_range, old.vis_range),
            (&mut self.zone_score, old.zone_score),
        ];
        for (new, old) in pairs {
            *new = new.or(old);
        }
        if self.position.is_empty() {
            self.position = old.position.clone();
        }
    }

    /// Whether its health is 0.
    #[must_use]
    pub fn disabled(&self) -> bool {
        self.health == Some(0)
    }
}

impl TeamStatus {
    /// Takes every value that did not come from an earlier percept.
    pub fn inherit(&mut self, old: &Self) {
        self.last_step_score = self.last_step_score.or(old.last_step_score);
        self.money = self.money.or(old.money);
        self.score = self.score.or(old.score);
        self.zones_score = self.zones_score.or(old.zones_score);
    }
}

impl SeenVertex {
    /// The team that owns it.
    #[must_use]
    pub fn owner(&self) -> Option<&str> {
        (self.team != NO_OWNER && !self.team.is_empty()).then_some(self.team.as_str())
    }
}

impl Percept {
    /// One field as scripts see it; `None` for an unknown name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Value> {
        let (me, team) = (&self.me, &self.team);
        Some(match name {
            "step" => self.step.into(),
            "energy" => me.energy.into(),
            "max_energy" => me.max_energy.into(),
            "max_energy_disabled" => me.max_energy_disabled.into(),
            "health" => me.health.into(),
            "max_health" => me.max_health.into(),
            "strength" => me.strength.into(),
            "vis_range" => me.vis_range.into(),
            "zone_score" => me.zone_score.into(),
            "disabled" => me.disabled().into(),
            "position" if me.position.is_empty() => Value::Nil,
            "position" => text(&me.position),
            "last_action" => text(&me.last_action),
            "last_param" => text(&me.last_param),
            "last_result" => me.last_result.word().to_owned().into(),
            "money" => team.money.into(),
            "score" => team.score.into(),
            "last_step_score" => team.last_step_score.into(),
            "zones_score" => team.zones_score.into(),
            "achievements" => texts(&team.achievements),
            "vertices" => Value::List(self.vertices.iter().map(SeenVertex::value).collect()),
            "edges" => Value::List(self.edges.iter().map(SeenEdge::value).collect()),
            "entities" => Value::List(self.entities.iter().map(SeenEntity::value).collect()),
            "probed" => Value::List(self.probed.iter().map(ProbedVertex::value).collect()),
            "surveyed" => Value::List(self.surveyed.iter().map(SurveyedEdge::value).collect()),
            "inspected" => Value::List(self.inspected.iter().map(Inspected::value).collect()),
            _ => return None,
        })
    }
}

impl SeenVertex {
    fn value(&self) -> Value {
        Value::map([("name", text(&self.name)), ("team", self.owner().map(str::to_owned).into())])
    }
}

impl SeenEdge {
    fn value(&self) -> Value {
        Value::map([("a", text(&self.node1)), ("b", text(&self.node2))])
    }
}

impl SeenEntity {
    fn value(&self) -> Value {
        Value::map([
            ("name", text(&self.name)),
            ("team", text(&self.team)),
            ("vertex", text(&self.node)),
            ("disabled", self.disabled.into()),
        ])
    }
}

impl ProbedVertex {
    fn value(&self) -> Value {
        Value::map([("name", text(&self.name)), ("value", self.value.into())])
    }
}

impl SurveyedEdge {
    fn value(&self) -> Value {
        Value::map([
            ("a", text(&self.node1)),
            ("b", text(&self.node2)),
            ("weight", self.weight.into()),
        ])
    }
}

impl Inspected {
    fn value(&self) -> Value {
        Value::map([
            ("name", text(&self.name)),
            ("team", text(&self.team)),
            ("vertex", text(&self.node)),
            ("role", text(&self.role)),
            ("energy", self.energy.into()),
            ("max_energy", self.max_energy.into()),
            ("health", self.health.into()),
            ("max_health", self.max_health.into()),
            ("strength", self.strength.into()),
            ("vis_range", self.vis_range.into()),
        ])
    }
}

/// A name as scripts see it.
#[must_use]
pub fn text(name: &SmolStr) -> Value {
    Value::text(name.to_string())
}

/// Names as scripts see them.
#[must_use]
pub fn texts(names: &[SmolStr]) -> Value {
    Value::List(names.iter().map(text).collect())
}
