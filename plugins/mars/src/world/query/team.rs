//! Who is where, who is dangerous, and who takes which job.

use super::super::chart::VertexId;
use super::super::people::{AgentSighting, Mate};
use super::{Ask, count};
use crate::percept::text;
use crate::rules::Role;
use phalanx_game::{AgentId, QueryError, Value};
use phalanx_grid::assign;
use phalanx_massim::query::ASSIGN_MAX;

/// A sighting of an enemy that is older than this many steps tells little.
const FRESH: u32 = 10;

impl Ask<'_> {
    pub(super) fn team(&self) -> Value {
        let (standing, achievements) = (&self.world.standing, &self.world.achievements);
        Value::map([
            ("name", text(&self.world.team)),
            ("money", standing.money.into()),
            ("score", standing.score.into()),
            ("last_step_score", standing.last_step_score.into()),
            ("zones_score", standing.zones_score.into()),
            ("achievements", Value::List(achievements.iter().map(text).collect())),
        ])
    }

    pub(super) fn agents(&self) -> Value {
        let mates = self.world.present_mates();
        Value::List(mates.map(|(agent, mate)| self.mate_value(agent, mate)).collect())
    }

    pub(super) fn mate(&self) -> Result<Value, QueryError> {
        let name = self.args.text(0, "the name of an agent")?;
        let Some(agent) = self.world.roster.find(name) else {
            return Err(self.args.wrong(0, "the name of an agent of the team"));
        };
        let mate = self.world.mates.get(&agent);
        let mate = mate.filter(|_| self.world.roster.is_present(agent));
        Ok(mate.map_or(Value::Nil, |mate| self.mate_value(agent, mate)))
    }

    fn mate_value(&self, agent: AgentId, mate: &Mate) -> Value {
        let own = &mate.own;
        Value::map([
            ("name", self.world.roster.of(agent).to_owned().into()),
            ("role", self.world.role(agent).map(Role::word).into()),
            ("vertex", mate.at.map_or(Value::Nil, |at| self.name(at))),
            ("health", own.health.into()),
            ("max_health", own.max_health.into()),
            ("energy", own.energy.into()),
            ("max_energy", own.max_energy.into()),
            ("strength", own.strength.into()),
            ("vis_range", own.vis_range.into()),
            ("disabled", own.disabled().into()),
            ("last_action", text(&own.last_action)),
            ("last_result", own.last_result.word().to_owned().into()),
            ("seen", mate.seen.into()),
        ])
    }

    pub(super) fn enemies(&self) -> Result<Value, QueryError> {
        let options = self.args.options(0)?;
        let (fresh, known) = (options.count("fresh"), options.flag("known"));
        let oldest = fresh.map(|fresh| self.world.step.saturating_sub(fresh));
        let wanted = |enemy: &&AgentSighting| {
            let recent = oldest.is_none_or(|oldest| enemy.seen >= Some(oldest));
            recent && !(known && (enemy.gone || enemy.at.is_none()))
        };
        let enemies = self.world.enemies().filter(wanted);
        Ok(Value::List(enemies.map(|enemy| self.enemy_value(enemy)).collect()))
    }

    pub(super) fn enemy(&self) -> Result<Value, QueryError> {
        let name = self.args.text(0, "the name of an agent")?;
        let enemy = self.world.people.get(name).filter(|enemy| enemy.team != self.world.team);
        Ok(enemy.map_or(Value::Nil, |enemy| self.enemy_value(enemy)))
    }

    fn enemy_value(&self, enemy: &AgentSighting) -> Value {
        let inside = enemy.inspected.as_ref().map(|(_, inspected)| inspected);
        let number = |number: Option<i32>| Value::from(number);
        Value::map([
            ("name", text(&enemy.name)),
            ("team", text(&enemy.team)),
            ("vertex", enemy.at.map_or(Value::Nil, |at| self.name(at))),
            ("seen", enemy.seen.into()),
            ("gone", enemy.gone.into()),
            ("disabled", enemy.disabled.into()),
            ("role", enemy.role().map(Role::word).into()),
            ("guess", enemy.likely_role().map(Role::word).into()),
            ("inspected", enemy.inspected.as_ref().map(|(step, _)| *step).into()),
            ("health", number(inside.and_then(|inside| inside.health))),
            ("max_health", number(inside.and_then(|inside| inside.max_health))),
            ("energy", number(inside.and_then(|inside| inside.energy))),
            ("max_energy", number(inside.and_then(|inside| inside.max_energy))),
            ("strength", number(inside.and_then(|inside| inside.strength))),
            ("vis_range", number(inside.and_then(|inside| inside.vis_range))),
        ])
    }

    /// Enemies that may attack on a vertex now, and those that may stand there next.
    pub(super) fn threat(&self) -> Result<Value, QueryError> {
        let Some(at) = self.vertex_or_here(0)? else { return Ok(Value::Nil) };
        let roads = self.world.chart.roads(at);
        let oldest = self.world.step.saturating_sub(FRESH);
        let (mut here, mut near) = (Vec::new(), Vec::new());
        let (mut damage, mut damage_near) = (0_i64, 0_i64);
        for enemy in self.world.enemies() {
            let strength = i64::from(enemy.strength().max(0));
            let fresh = enemy.seen >= Some(oldest) && !enemy.gone && !enemy.disabled;
            let Some(stands) = enemy.at.filter(|_| fresh && strength > 0) else { continue };
            if stands == at {
                here.push(text(&enemy.name));
                damage += strength;
            } else if roads.iter().any(|road| road.to == stands) {
                near.push(text(&enemy.name));
                damage_near += strength;
            }
        }
        Ok(Value::map([
            ("here", Value::List(here)),
            ("near", Value::List(near)),
            ("damage", damage.into()),
            ("damage_near", damage_near.into()),
        ]))
    }

    pub(super) fn assign(&self) -> Result<Value, QueryError> {
        let costs = self.args.costs(0)?;
        let job = |job: Option<usize>| job.map_or(Value::Int(0), |job| count(job + 1));
        Ok(Value::List(assign(&costs).into_iter().map(job).collect()))
    }

    /// Who goes where so that all ways together are the shortest.
    pub(super) fn deploy(&self) -> Result<Value, QueryError> {
        let (agents, vertices) = (self.args.names(0)?, self.args.names(1)?);
        if agents.len() > ASSIGN_MAX || vertices.len() > ASSIGN_MAX {
            let long = if agents.len() > ASSIGN_MAX { 0 } else { 1 };
            return Err(self.args.wrong(long, "a list of at most 128 names"));
        }
        let by = self.args.optional_text(2)?;
        let targets: Vec<_> = vertices.iter().map(|name| self.world.chart.number(name)).collect();
        let mut costs = Vec::with_capacity(agents.len());
        for name in &agents {
            let agent = self.world.roster.find(name);
            let agent = agent.ok_or_else(|| self.args.wrong(0, "names of agents of the team"))?;
            let price = self.price(by, agent);
            let price =
                price.ok_or_else(|| self.args.wrong(2, "\"steps\", \"energy\" or \"time\""))?;
            costs.push(self.costs(agent, price, &targets));
        }
        let pairs = agents.iter().zip(assign(&costs)).filter_map(|(agent, job)| {
            let vertex = vertices.get(job?)?;
            Some(((*agent).to_owned().into(), Value::text((*vertex).to_owned())))
        });
        Ok(Value::Map(pairs.collect()))
    }

    fn costs(
        &self,
        agent: AgentId,
        price: super::Price,
        targets: &[Option<VertexId>],
    ) -> Vec<Option<i64>> {
        let mate = self.world.mates.get(&agent);
        let mate = mate.filter(|_| self.world.roster.is_present(agent));
        let Some(at) = mate.and_then(|mate| mate.at) else { return Vec::new() };
        let field = self.field(at, price);
        let cost = |target: &Option<VertexId>| {
            field.to((*target)?).and_then(|reached| i64::try_from(reached.price).ok())
        };
        targets.iter().map(cost).collect()
    }
}
