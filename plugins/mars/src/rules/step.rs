//! One step: bad luck, attacks, everything else, zones, scores (spec, sections 7 and 8).

use super::achievement::AchievementKind;
use super::act::Act;
use super::deed;
use super::state::State;
use super::words::{MarsVerb, MatchSide, Outcome};
use super::zone::Zones;
use phalanx_massim::JavaRandom;

/// What chance decides in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepLuck {
    /// Whose action fails.
    pub fails: Vec<bool>,
    /// In which order agents act after the attacks. Agents that are missing do not act.
    pub order: Vec<usize>,
}

impl StepLuck {
    /// The luck of a step with that many agents.
    #[must_use]
    pub fn draw(random: &mut JavaRandom, agents: usize, fail_percent: u32) -> Self {
        let fails = (0..agents).map(|_| random.percent(fail_percent)).collect();
        let mut order: Vec<usize> = (0..agents).collect();
        random.shuffle(&mut order);
        Self { fails, order }
    }

    /// Whether an agent's action fails.
    #[must_use]
    pub fn fails(&self, agent: usize) -> bool {
        self.fails.get(agent).copied().unwrap_or(false)
    }
}

impl State {
    /// Plays a step. `acts` are in the order of the agents; where one is missing the agent does
    /// nothing.
    pub fn advance(&mut self, acts: Vec<Act>, luck: &StepLuck) {
        let mut acts = acts.into_iter();
        for (number, agent) in self.agents.iter_mut().enumerate() {
            agent.last = acts.next().unwrap_or_else(Act::nothing);
            agent.outcome =
                if luck.fails(number) { Outcome::FailedRandom } else { Outcome::Failed };
        }
        let attacked = self.attacks(luck);
        for agent in &luck.order {
            let acts =
                self.agents.get(*agent).is_some_and(|agent| !agent.last.is(MarsVerb::Attack));
            if acts && !luck.fails(*agent) {
                let disturbed = attacked.get(*agent).copied().unwrap_or(false);
                let outcome = deed::perform(self, *agent, disturbed);
                if let Some(agent) = self.agents.get_mut(*agent) {
                    agent.outcome = outcome;
                }
            }
        }
        self.colour();
        self.score();
        self.step += 1;
    }

    /// All attacks at once. Returns who was attacked.
    fn attacks(&mut self, luck: &StepLuck) -> Vec<bool> {
        let mut attacked = vec![false; self.agents.len()];
        let mut damage = vec![0i32; self.agents.len()];
        let attackers: Vec<usize> = (0..self.agents.len())
            .filter(|agent| !luck.fails(*agent))
            .filter(|agent| self.agents.get(*agent).is_some_and(|a| a.last.is(MarsVerb::Attack)))
            .collect();
        for attacker in attackers {
            let (outcome, target) = deed::attack(self, attacker, luck);
            if let Some(attacked) = target.and_then(|target| attacked.get_mut(target)) {
                *attacked = true;
            }
            let Some(agent) = self.agents.get_mut(attacker) else { continue };
            agent.outcome = outcome;
            let strength = agent.strength;
            if outcome == Outcome::Successful
                && let Some(damage) = target.and_then(|target| damage.get_mut(target))
            {
                *damage = damage.saturating_add(strength);
            }
        }
        for (agent, damage) in self.agents.iter_mut().zip(damage) {
            agent.health = agent.health.saturating_sub(damage).max(0);
        }
        attacked
    }

    /// Colours the vertices by where enabled agents stand (section 9).
    pub fn colour(&mut self) {
        let map = &self.setting.map;
        let mut standing = vec![[0u16; 2]; map.vertices().len()];
        for (agent, person) in self.agents.iter().zip(&self.setting.people) {
            let here = standing.get_mut(agent.at as usize).filter(|_| !agent.is_disabled());
            if let Some(here) = here {
                let count = person.side.of_mut(here);
                *count = count.saturating_add(1);
            }
        }
        self.painter.paint(map.links(), &standing);
        self.owners.clear();
        self.owners.extend_from_slice(self.painter.owners());
        for side in MatchSide::BOTH {
            let worth = side.of(&self.teams).worth(map);
            *side.of_mut(&mut self.zones) = Zones::new(map.links(), &self.owners, side, &worth);
        }
    }

    /// Achievements, money and scores (sections 6.5 and 10).
    fn score(&mut self) {
        let points = self.setting.rules.achievement_points;
        for (team, zones) in self.teams.iter_mut().zip(&self.zones) {
            let count = |marks: &[bool]| {
                i64::try_from(marks.iter().filter(|mark| **mark).count()).unwrap_or(i64::MAX)
            };
            let mut tally = team.tally;
            let earned = tally.earn(|class| match class {
                AchievementKind::Probed => count(&team.probed),
                AchievementKind::Surveyed => count(&team.surveyed),
                AchievementKind::Inspected => {
                    i64::try_from(team.inspected.len()).unwrap_or(i64::MAX)
                }
                AchievementKind::Attacked => team.tally.attacked,
                AchievementKind::Parried => team.tally.parried,
                AchievementKind::Area => zones.best(),
            });
            team.tally = tally;
            for _ in &earned {
                team.money = team.money.saturating_add(points);
            }
            team.achieved_before = team.achievements.len();
            team.achievements.extend(earned);
            team.zones_score = zones.total();
            team.step_score = team.zones_score.saturating_add(team.money);
            team.score = team.score.saturating_add(team.step_score);
        }
    }
}
