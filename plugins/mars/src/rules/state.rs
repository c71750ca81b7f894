//! Everything that a simulation is at one moment (spec, section 6).

use super::achievement::{Achievement, AchievementTally};
use super::act::Act;
use super::map::{GraphMap, StartMap};
use super::words::{MatchSide, Outcome, Role};
use super::zone::{Painter, ZoneOwner, Zones};
use phalanx_game::sorted::{SortedMap, SortedSet};
use std::sync::Arc;

/// Numbers of the rules that a configuration may change (spec, sections 6 and 13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarsRules {
    /// How many actions of a hundred fail by bad luck.
    pub random_fail_percent: u32,
    /// What a recharge gives, in percent of the most energy.
    pub recharge_percent: u32,
    /// The same for disabled agents.
    pub recharge_percent_disabled: u32,
    /// Money for an achievement.
    pub achievement_points: i64,
    /// Whether agents of the other team can be repaired, as in the original.
    pub repair_enemy: bool,
}

impl Default for MarsRules {
    fn default() -> Self {
        Self {
            random_fail_percent: 1,
            recharge_percent: 50,
            recharge_percent_disabled: 30,
            achievement_points: 2,
            repair_enemy: true,
        }
    }
}

/// Who an agent is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Its name on the wire.
    pub name: String,
    /// Its team.
    pub side: MatchSide,
    /// Its role.
    pub role: Role,
}

/// What does not change during a simulation.
#[derive(Clone, Debug)]
pub struct SimulationSetup {
    /// The graph.
    pub map: GraphMap,
    /// All agents: the first team's in the order of their accounts, then the second's.
    pub people: Vec<Person>,
    /// Names of the teams.
    pub teams: [String; 2],
    /// The rules.
    pub rules: MarsRules,
    names: SortedMap<String, usize>,
}

impl SimulationSetup {
    /// The agent of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// Which team an agent plays for.
    #[must_use]
    pub fn side(&self, agent: usize) -> MatchSide {
        self.people.get(agent).map_or(MatchSide::A, |person| person.side)
    }
}

/// An agent's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentBody {
    /// The vertex where it is.
    pub at: u32,
    /// Health; disabled at 0.
    pub health: i32,
    /// Most health.
    pub max_health: i32,
    /// Energy.
    pub energy: i32,
    /// Most energy.
    pub max_energy: i32,
    /// Most energy while disabled.
    pub max_energy_disabled: i32,
    /// Damage of its attacks.
    pub strength: i32,
    /// How many edges far it sees.
    pub vis_range: i32,
    /// What it did in the last step.
    pub last: Act,
    /// How that ended.
    pub outcome: Outcome,
}

impl AgentBody {
    /// An agent of a role at the start (section 6.2).
    #[must_use]
    pub fn new(role: Role, at: u32) -> Self {
        let traits = role.traits();
        Self {
            at,
            health: traits.max_health,
            max_health: traits.max_health,
            energy: traits.max_energy,
            max_energy: traits.max_energy,
            max_energy_disabled: traits.max_energy,
            strength: traits.strength,
            vis_range: traits.vis_range,
            last: Act::before_the_first(),
            outcome: Outcome::Successful,
        }
    }

    /// Whether it has no health left.
    #[must_use]
    pub fn is_disabled(&self) -> bool {
        self.health <= 0
    }

    /// Adds energy, or takes it; what is over the most is lost (section 6.4).
    pub(super) fn charge(&mut self, by: i32) {
        let most = if self.is_disabled() { self.max_energy_disabled } else { self.max_energy };
        self.energy = self.energy.saturating_add(by).min(most).max(0);
    }
}

/// What a team has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// Sum of the step scores.
    pub score: i64,
    /// Score of the last step.
    pub step_score: i64,
    /// What its zones are worth.
    pub zones_score: i64,
    /// Money.
    pub money: i64,
    /// Money spent.
    pub used_money: i64,
    /// All its achievements, in the order in which it earned them.
    pub achievements: Vec<Achievement>,
    /// How many of them it had before the last step.
    pub achieved_before: usize,
    /// Which vertices it has probed.
    pub probed: Vec<bool>,
    /// Which edges it has surveyed.
    pub surveyed: Vec<bool>,
    /// Which enemies it has inspected.
    pub inspected: SortedSet<usize>,
    /// What achievements are counted from.
    pub(super) tally: AchievementTally,
}

impl Team {
    fn new(map: &GraphMap) -> Self {
        Self {
            score: 0,
            step_score: 0,
            zones_score: 0,
            money: 0,
            used_money: 0,
            achievements: Vec::new(),
            achieved_before: 0,
            probed: vec![false; map.vertices().len()],
            surveyed: vec![false; map.edges().len()],
            inspected: SortedSet::new(),
            tally: AchievementTally::default(),
        }
    }

    /// What it earned in the last step.
    #[must_use]
    pub fn fresh_achievements(&self) -> &[Achievement] {
        self.achievements.get(self.achieved_before..).unwrap_or_default()
    }

    /// What every vertex is worth to it: its value if it has been probed, else 1.
    #[must_use]
    pub fn worth(&self, map: &GraphMap) -> Vec<i32> {
        let worth = |(vertex, probed): (&super::map::Vertex, &bool)| {
            if *probed { vertex.value } else { 1 }
        };
        map.vertices().iter().zip(&self.probed).map(worth).collect()
    }
}

/// A simulation at one moment.
#[derive(Clone, Debug)]
pub struct State {
    /// What does not change.
    pub setting: Arc<SimulationSetup>,
    /// Steps done.
    pub step: u32,
    /// The agents, in the order of [`SimulationSetup::people`].
    pub agents: Vec<AgentBody>,
    /// The teams.
    pub teams: [Team; 2],
    /// Who owns which vertex.
    pub owners: Vec<ZoneOwner>,
    /// The zones of both teams.
    pub zones: [Zones; 2],
    pub(super) painter: Painter,
}

impl State {
    /// The state before the first step: full energy and health, nothing owned, nothing known. Each
    /// team has as many agents as it has names, at most as many as the ground has starts.
    #[must_use]
    pub fn new(ground: StartMap, teams: [(String, Vec<String>); 2], rules: MarsRules) -> Self {
        let mut people = Vec::new();
        let mut agents = Vec::new();
        for ((side, (_, names)), starts) in
            MatchSide::BOTH.into_iter().zip(&teams).zip(&ground.starts)
        {
            for (number, (name, start)) in names.iter().zip(starts).enumerate() {
                let role = Role::of_account(number);
                people.push(Person { name: name.clone(), side, role });
                agents.push(AgentBody::new(role, *start));
            }
        }
        let map = ground.map;
        let teams_of = teams.map(|(name, _)| name);
        let names = people.iter().enumerate().map(|(id, person)| (person.name.clone(), id));
        let names = names.collect();
        let team = Team::new(&map);
        let owners = vec![None; map.vertices().len()];
        let none = Zones { of: vec![None; owners.len()], values: Vec::new() };
        Self {
            step: 0,
            agents,
            teams: [team.clone(), team],
            owners,
            zones: [none.clone(), none],
            painter: Painter::new(),
            setting: Arc::new(SimulationSetup { map, people, teams: teams_of, rules, names }),
        }
    }

    /// Which of the teams won so far: by score, then by money; `None` for a draw (section 10).
    #[must_use]
    pub fn winner(&self) -> Option<MatchSide> {
        let [a, b] = &self.teams;
        match (a.score, a.money).cmp(&(b.score, b.money)) {
            std::cmp::Ordering::Greater => Some(MatchSide::A),
            std::cmp::Ordering::Less => Some(MatchSide::B),
            std::cmp::Ordering::Equal => None,
        }
    }
}
