//! Which result an action has, and what it would change (spec, section 10), in the original's
//! order of checks.

use super::{Entity, State};
use crate::arena::act::{Act, Code, Verb};
use crate::arena::attach::{BodyId, Kind};
use crate::arena::grid::{Pos, Terrain, VISION};

/// Boards are used from that far.
const BOARD_RANGE: i32 = 2;

/// What an action changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Attachables go to new cells.
    Relocate(Vec<(BodyId, Pos)>),
    /// A new link.
    Link(BodyId, BodyId),
    /// A link less.
    Unlink(BodyId, BodyId),
    /// A new block of that type.
    Block(Pos, u8),
    /// One more clear of that cell.
    Clear(Pos),
    /// The entity accepts the task.
    Accept(usize),
    /// The task is completed with these blocks.
    Deliver(usize, Vec<BodyId>),
}

/// The outcome of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The result of the acting entity.
    pub code: Code,
    /// What changes.
    pub effect: Effect,
    /// The result of its partner, when the action decides that too.
    pub partner: Option<(usize, Code)>,
}

impl From<Code> for Judgement {
    fn from(code: Code) -> Self {
        Self { code, effect: Effect::None, partner: None }
    }
}

impl From<Effect> for Judgement {
    fn from(effect: Effect) -> Self {
        Self { code: Code::Success, effect, partner: None }
    }
}

type Verdict = Result<Judgement, Code>;

impl State {
    /// Judges an entity's action on the state as it is, without changing it. An entity whose
    /// result is decided keeps it.
    #[must_use]
    pub fn judge(&self, entity: usize) -> Judgement {
        let actor = &self.entities[entity];
        if let Some(code) = actor.result {
            return code.into();
        }
        let Some(act) = &actor.act else { return Code::UnknownAction.into() };
        let verdict = match act.verb {
            Verb::Skip => Ok(Effect::None.into()),
            Verb::Move => self.judge_move(entity, act),
            Verb::Attach => self.judge_attach(entity, act),
            Verb::Detach => self.judge_detach(entity, act),
            Verb::Rotate => self.judge_rotate(entity, act),
            Verb::Connect => self.judge_connect(entity, act),
            Verb::Disconnect => self.judge_disconnect(entity, act),
            Verb::Request => self.judge_request(entity, act),
            Verb::Submit => self.judge_submit(entity, act),
            Verb::Clear => self.judge_clear(entity, act),
            Verb::Accept => self.judge_accept(entity, act),
            Verb::Unknown => Err(Code::UnknownAction),
        };
        verdict.unwrap_or_else(Judgement::from)
    }

    fn structure(&self, entity: usize) -> Vec<BodyId> {
        self.bodies.structure(self.entities[entity].body)
    }

    fn cell(&self, entity: usize, (dx, dy): (i32, i32)) -> Pos {
        self.grid.at(self.place(entity), dx, dy)
    }

    /// No obstacle there, and nothing attachable but members of the structure.
    fn passable(&self, pos: Pos, structure: &[BodyId]) -> bool {
        self.grid.terrain(pos) != Terrain::Obstacle
            && self.bodies.on(&self.grid, pos).all(|id| structure.contains(&id))
    }

    fn judge_move(&self, entity: usize, act: &Act) -> Verdict {
        let (dx, dy) = act.direction().ok_or(Code::FailedParameter)?;
        let structure = self.structure(entity);
        let to = |id: &BodyId| (*id, self.grid.at(self.bodies.get(*id).pos, dx, dy));
        let moves: Vec<_> = structure.iter().map(to).collect();
        if moves.iter().all(|(_, pos)| self.passable(*pos, &structure)) {
            Ok(Effect::Relocate(moves).into())
        } else {
            Err(Code::FailedPath)
        }
    }

    fn judge_attach(&self, entity: usize, act: &Act) -> Verdict {
        let direction = act.direction().ok_or(Code::FailedParameter)?;
        let target = self
            .bodies
            .single(&self.grid, self.cell(entity, direction))
            .ok_or(Code::FailedTarget)?;
        let team = self.entities[entity].team;
        if self.foreign(target, team) {
            return Err(Code::FailedTarget);
        }
        let other = self.bodies.structure(target);
        if other.iter().any(|id| self.foreign(*id, team)) {
            return Err(Code::Failed);
        }
        let own = self.structure(entity);
        let new = if own.contains(&target) { 0 } else { other.len() };
        if own.len() + new > self.rules.attach_limit {
            return Err(Code::Failed);
        }
        Ok(Effect::Link(self.entities[entity].body, target).into())
    }

    fn foreign(&self, id: BodyId, own: usize) -> bool {
        matches!(self.bodies.get(id).kind, Kind::Entity { team, .. } if team != own)
    }

    fn judge_detach(&self, entity: usize, act: &Act) -> Verdict {
        let direction = act.direction().ok_or(Code::FailedParameter)?;
        let target = self
            .bodies
            .single(&self.grid, self.cell(entity, direction))
            .ok_or(Code::FailedTarget)?;
        let Entity { team, body, .. } = &self.entities[entity];
        if self.foreign(target, *team) {
            return Err(Code::FailedTarget);
        }
        if !self.bodies.linked(*body, target) {
            return Err(Code::Failed);
        }
        Ok(Effect::Unlink(*body, target).into())
    }

    fn judge_rotate(&self, entity: usize, act: &Act) -> Verdict {
        let clockwise = match act.param(0) {
            Some("cw") => true,
            Some("ccw") => false,
            _ => return Err(Code::FailedParameter),
        };
        let structure = self.structure(entity);
        let centre = self.place(entity);
        let mut moves = Vec::with_capacity(structure.len());
        for id in structure.iter().skip(1) {
            let body = self.bodies.get(*id);
            if matches!(body.kind, Kind::Entity { .. }) {
                return Err(Code::Failed);
            }
            let (x, y) = self.grid.way(centre, body.pos);
            let (dx, dy) = if clockwise { (-y, x) } else { (y, -x) };
            let target = self.grid.at(centre, dx, dy);
            if !self.passable(target, &structure) {
                return Err(Code::Failed);
            }
            moves.push((*id, target));
        }
        Ok(Effect::Relocate(moves).into())
    }

    fn judge_connect(&self, entity: usize, act: &Act) -> Verdict {
        let name = act.param(0).ok_or(Code::FailedParameter)?;
        let partner = self.find(name).ok_or(Code::FailedParameter)?;
        let own_cell =
            (act.int(1).ok_or(Code::FailedParameter)?, act.int(2).ok_or(Code::FailedParameter)?);
        let Entity { act: said, result, .. } = &self.entities[partner];
        let willing = |said: &&Act| {
            said.verb == Verb::Connect && said.param(0) == Some(self.entities[entity].name.as_str())
        };
        let said = said
            .as_ref()
            .filter(willing)
            .filter(|_| result.is_none())
            .ok_or(Code::FailedPartner)?;
        let (Some(x), Some(y)) = (said.int(1), said.int(2)) else {
            let partner = Some((partner, Code::FailedParameter));
            return Ok(Judgement { code: Code::FailedPartner, effect: Effect::None, partner });
        };
        let (code, effect) = match self.joint(entity, own_cell, partner, (x, y)) {
            Ok(effect) => (Code::Success, effect),
            Err(code) => (code, Effect::None),
        };
        Ok(Judgement { code, effect, partner: Some((partner, code)) })
    }

    fn joint(
        &self,
        one: usize,
        own: (i32, i32),
        two: usize,
        others: (i32, i32),
    ) -> Result<Effect, Code> {
        let block = |entity, cell| self.bodies.single_block(&self.grid, self.cell(entity, cell));
        let (a, _) = block(one, own).ok_or(Code::FailedTarget)?;
        let (b, _) = block(two, others).ok_or(Code::FailedTarget)?;
        let mine = self.structure(one);
        if mine.contains(&self.entities[two].body) {
            return Err(Code::Failed);
        }
        let theirs = self.structure(two);
        if !mine.contains(&a) || mine.contains(&b) || !theirs.contains(&b) || theirs.contains(&a) {
            return Err(Code::FailedTarget);
        }
        let fits = mine.len() + theirs.len() <= self.rules.attach_limit;
        if !fits || !self.bodies.neighbours(&self.grid, a, b) {
            return Err(Code::Failed);
        }
        Ok(Effect::Link(a, b))
    }

    fn judge_disconnect(&self, entity: usize, act: &Act) -> Verdict {
        let int = |index| act.int(index).ok_or(Code::FailedParameter);
        let (first, second) = ((int(0)?, int(1)?), (int(2)?, int(3)?));
        let single = |cell| {
            self.bodies.single(&self.grid, self.cell(entity, cell)).ok_or(Code::FailedTarget)
        };
        let (a, b) = (single(first)?, single(second)?);
        let structure = self.structure(entity);
        if !structure.contains(&a) || !structure.contains(&b) || !self.bodies.linked(a, b) {
            return Err(Code::FailedTarget);
        }
        Ok(Effect::Unlink(a, b).into())
    }

    fn judge_request(&self, entity: usize, act: &Act) -> Verdict {
        let pos = self.cell(entity, act.direction().ok_or(Code::FailedParameter)?);
        let kind = self.grid.dispenser(pos).ok_or(Code::FailedTarget)?;
        if !self.grid.open(pos) {
            return Err(Code::FailedBlocked);
        }
        Ok(Effect::Block(pos, kind).into())
    }

    fn judge_submit(&self, entity: usize, act: &Act) -> Verdict {
        let name = act.param(0).ok_or(Code::FailedTarget)?;
        let index = self.task(name).ok_or(Code::FailedTarget)?;
        let task = &self.tasks[index];
        let accepted = self.entities[entity].accepted.as_deref() == Some(name);
        if task.completed || self.step > task.deadline || !accepted {
            return Err(Code::FailedTarget);
        }
        if self.grid.terrain(self.place(entity)) != Terrain::Goal {
            return Err(Code::Failed);
        }
        let structure = self.structure(entity);
        let mut blocks = Vec::with_capacity(task.requirements.len());
        for (cell, kind) in &task.requirements {
            let pos = self.cell(entity, *cell);
            match self.bodies.single_block(&self.grid, pos) {
                Some((id, here)) if here == *kind && structure.contains(&id) => blocks.push(id),
                _ => return Err(Code::Failed),
            }
        }
        // On a tiny torus two requirements may meet in one block; it is removed once.
        blocks.sort_unstable();
        blocks.dedup();
        Ok(Effect::Deliver(index, blocks).into())
    }

    fn judge_clear(&self, entity: usize, act: &Act) -> Verdict {
        let offset =
            (act.int(0).ok_or(Code::FailedParameter)?, act.int(1).ok_or(Code::FailedParameter)?);
        let target = self.cell(entity, offset);
        if self.grid.distance(self.place(entity), target) > VISION {
            return Err(Code::FailedTarget);
        }
        if self.entities[entity].energy < self.rules.clear.cost {
            return Err(Code::FailedResources);
        }
        Ok(Effect::Clear(target).into())
    }

    fn judge_accept(&self, entity: usize, act: &Act) -> Verdict {
        let task = act.param(0).and_then(|name| self.task(name)).ok_or(Code::FailedTarget)?;
        let place = self.place(entity);
        if !self.grid.area(place, BOARD_RANGE).iter().any(|pos| self.grid.board(*pos)) {
            return Err(Code::FailedLocation);
        }
        Ok(Effect::Accept(task).into())
    }
}
