//! Who is where, what hangs on whom, and what is wanted.

use super::super::body::StructurePart;
use super::Ask;
use crate::percept::{Requirement, Task};
use phalanx_game::sorted::Order;
use phalanx_game::{AgentId, QueryError, Value};
use phalanx_grid::{Cell, FrameId, Rotation, assign};

impl Ask<'_> {
    pub(super) fn here(&self) -> Value {
        Value::map([("x", self.at.x.into()), ("y", self.at.y.into()), ("group", self.group())])
    }

    pub(super) fn group(&self) -> Value {
        let position = self.world.position(self.agent);
        position.map(|(frame, _)| frame.0).into()
    }

    pub(super) fn rebase(&self) -> Result<Value, QueryError> {
        let cell = self.args.cell(0)?;
        let group = u32::try_from(self.args.int(2)?).unwrap_or(u32::MAX);
        let mine = self.world.position(self.agent).map(|(frame, _)| frame);
        let head = self.world.frames.head(FrameId(group));
        Ok(match head.filter(|(head, _)| Some(*head) == mine) {
            Some((_, offset)) => {
                let cell = self.world.extent.wrap(cell + offset);
                Value::cell(cell.x, cell.y)
            }
            None => Value::Nil,
        })
    }

    pub(super) fn sim(&self) -> Value {
        let briefing = self.world.briefing.as_ref();
        Value::map([
            ("step", self.world.step().into()),
            ("steps", briefing.map(|briefing| briefing.steps).into()),
            ("team", self.world.team().to_owned().into()),
            ("team_size", briefing.map(|briefing| briefing.team_size).into()),
            ("vision", self.world.vision().into()),
        ])
    }

    pub(super) fn agents(&self) -> Value {
        let mine = self.world.position(self.agent).map(|(frame, _)| frame);
        let minds =
            self.world.minds.iter().filter(|(id, mind)| {
                Some(mind.frame) == mine && self.world.roster.is_present(**id)
            });
        Value::List(minds.map(|(id, _)| self.agent_value(*id)).collect())
    }

    pub(super) fn mate(&self) -> Result<Value, QueryError> {
        let name = self.args.text(0, "the name of an agent")?;
        let Some(mate) = self.world.roster.find(name) else {
            return Err(self.args.wrong(0, "the name of an agent of the team"));
        };
        let group = |agent| self.world.position(agent).map(|(frame, _)| frame);
        let together = group(mate).is_some() && group(mate) == group(self.agent);
        let counts = together && self.world.roster.is_present(mate);
        Ok(if counts { self.agent_value(mate) } else { Value::Nil })
    }

    fn agent_value(&self, agent: AgentId) -> Value {
        let world = self.world;
        let Some((_, at)) = world.position(agent) else { return Value::Nil };
        let percept = world.percept(agent);
        let seen = percept.map(|percept| percept.step);
        let task = percept.map(|percept| percept.task.clone()).filter(|task| !task.is_empty());
        let carrying: Vec<String> =
            world.blocks(agent).into_iter().map(|(_, kind)| kind.to_owned()).collect();
        Value::map([
            ("name", world.roster.name(agent).to_owned().into()),
            ("x", at.x.into()),
            ("y", at.y.into()),
            ("distance", world.extent.distance(self.at, at).into()),
            ("carrying", carrying.into()),
            ("energy", percept.map(|percept| percept.energy).into()),
            ("task", task.into()),
            ("disabled", percept.is_some_and(|percept| percept.disabled).into()),
            ("seen", seen.into()),
        ])
    }

    pub(super) fn attached(&self) -> Value {
        let part = |(cell, part): (Cell, StructurePart)| {
            let linked = self.world.bodies.linked(self.agent, Cell::ZERO, cell);
            let (kind, name) = match part {
                StructurePart::Block(kind) => ("block", self.world.types.name(kind)),
                StructurePart::Agent(mate) => ("agent", self.world.roster.name(mate)),
            };
            Value::map([
                ("x", cell.x.into()),
                ("y", cell.y.into()),
                ("kind", kind.into()),
                ("type", name.to_owned().into()),
                ("direct", linked.into()),
            ])
        };
        Value::List(self.world.bodies.parts(self.agent).map(part).collect())
    }

    pub(super) fn linked(&self) -> Result<Value, QueryError> {
        let (one, other) = (self.args.cell(0)?, self.args.cell(2)?);
        let place = |cell| self.world.extent.wrap(self.at + cell);
        let chart = self.world.chart_of(self.agent);
        let loose = || chart.is_some_and(|chart| chart.linked(place(one), place(other)));
        Ok((self.world.bodies.linked(self.agent, one, other) || loose()).into())
    }

    fn active(&self) -> impl Iterator<Item = &Task> {
        let (step, percept) = (self.world.step(), self.world.percept(self.agent));
        let tasks = percept.into_iter().flat_map(|percept| &percept.tasks);
        tasks.filter(move |task| task.deadline >= step)
    }

    pub(super) fn tasks(&self) -> Value {
        let mut tasks: Vec<&Task> = self.active().collect();
        tasks.order_by_key(|task| (task.deadline, &task.name));
        Value::List(tasks.into_iter().map(|task| self.task_value(task)).collect())
    }

    pub(super) fn task(&self) -> Result<Value, QueryError> {
        let name = self.args.text(0, "the name of a task")?;
        let task = self.active().find(|task| task.name == name);
        Ok(task.map_or(Value::Nil, |task| self.task_value(task)))
    }

    fn task_value(&self, task: &Task) -> Value {
        let birth = self.world.task_births.get(&task.name).copied().unwrap_or(0);
        let size = u32::try_from(task.requirements.len()).unwrap_or(u32::MAX);
        let ordered = Task { requirements: build_order(&task.requirements), ..Task::default() };
        Value::map([
            ("name", task.name.clone().into()),
            ("deadline", task.deadline.into()),
            ("reward", task.reward.into()),
            ("size", size.into()),
            ("age", self.world.step().saturating_sub(birth).into()),
            ("requirements", ordered.requirements_value()),
        ])
    }

    /// How the agent's structure fits a task, turned in each of the four ways.
    pub(super) fn fit(&self) -> Result<Value, QueryError> {
        let Some(wanted) = self.requirements()? else { return Ok(Value::Nil) };
        let mut blocks = self.world.blocks(self.agent);
        let mut best: Option<(usize, u32, Vec<Requirement>)> = None;
        for turns in 0..4 {
            let has = |want: &Requirement| blocks.contains(&(want.cell, want.kind.as_str()));
            let missing: Vec<_> = wanted.iter().filter(|want| !has(want)).cloned().collect();
            let matched = wanted.len() - missing.len();
            // Fewer quarter turns first: one counter-clockwise is three clockwise.
            let price = |turns: u32| turns.min(4 - turns);
            let better = best.as_ref().is_none_or(|(known, known_turns, _)| {
                matched > *known || (matched == *known && price(turns) < price(*known_turns))
            });
            if better {
                best = Some((matched, turns, missing));
            }
            for (cell, _) in &mut blocks {
                *cell = cell.turned(Rotation::Cw);
            }
        }
        let Some((matched, turns, missing)) = best else { return Ok(Value::Nil) };
        let rotate = match turns {
            0 => Value::Nil,
            3 => Rotation::Ccw.word().into(),
            _ => Rotation::Cw.word().into(),
        };
        let count = |count: usize| Value::from(u32::try_from(count).unwrap_or(u32::MAX));
        let extra = blocks.len().saturating_sub(matched);
        let complete = missing.is_empty();
        let missing = Task { requirements: missing, ..Task::default() };
        Ok(Value::map([
            ("complete", complete.into()),
            ("turns", turns.into()),
            ("rotate", rotate),
            ("matched", count(matched)),
            ("extra", count(extra)),
            ("missing", missing.requirements_value()),
        ]))
    }

    /// What was asked about; `None` for a task that is not active (any more).
    fn requirements(&self) -> Result<Option<Vec<Requirement>>, QueryError> {
        let expected = "the name of a task or a list of {x=, y=, type=}";
        let requirement = |value: &Value| {
            let (x, y) = value.as_cell()?;
            let kind = value.get("type")?.as_str()?.to_owned();
            Some(Requirement { cell: Cell::new(x, y), kind })
        };
        let wanted = match self.args.get(0) {
            Some(Value::Str(name)) => {
                let task = self.active().find(|task| task.name == *name);
                return Ok(task.map(|task| build_order(&task.requirements)));
            }
            Some(Value::List(list)) => list.iter().map(requirement).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        wanted.map(Some).ok_or_else(|| self.args.wrong(0, expected))
    }

    pub(super) fn assign(&self) -> Result<Value, QueryError> {
        let costs = self.args.costs(0)?;
        let job = |job: Option<usize>| {
            let job = job.and_then(|job| u32::try_from(job + 1).ok());
            Value::from(job.unwrap_or(0))
        };
        Ok(Value::List(assign(&costs).into_iter().map(job).collect()))
    }
}

/// The blocks of a task in an order in which each hangs on an earlier one, from the agent outwards.
fn build_order(requirements: &[Requirement]) -> Vec<Requirement> {
    let mut left: Vec<&Requirement> = requirements.iter().collect();
    left.order_by_key(|part| (part.cell.norm(), part.cell));
    let mut placed = vec![Cell::ZERO];
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let touches =
            |part: &&Requirement| placed.iter().any(|cell| (*cell - part.cell).norm() == 1);
        let index = left.iter().position(touches).unwrap_or(0);
        let part = left.remove(index);
        placed.push(part.cell);
        order.push(part.clone());
    }
    order
}
