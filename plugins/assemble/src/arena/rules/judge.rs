//! Which result an action has, and what it would change (spec, section 10), in the original's
//! order of checks.

use super::{Entity, State};
use crate::arena::act::{Act, ActionKind, ResultCode};
use crate::arena::attach::{AttachableKind, BodyId};
use crate::arena::grid::{Pos, Terrain, VISION};
use phalanx_game::sorted::Order;

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
    pub code: ResultCode,
    /// What changes.
    pub effect: Effect,
    /// The result of its partner, when the action decides that too.
    pub partner: Option<(usize, ResultCode)>,
}

impl From<ResultCode> for Judgement {
    fn from(code: ResultCode) -> Self {
        Self { code, effect: Effect::None, partner: None }
    }
}

impl From<Effect> for Judgement {
    fn from(effect: Effect) -> Self {
        Self { code: ResultCode::Success, effect, partner: None }
    }
}

type ActionVerdict = Result<Judgement, ResultCode>;

impl State {
    /// Judges an entity's action on the state as it is, without changing it. An entity whose
    /// result is decided keeps it.
    #[must_use]
    pub fn judge(&self, entity: usize) -> Judgement {
        let actor = &self.entities[entity];
        if let Some(code) = actor.result {
            return code.into();
        }
        let Some(act) = &actor.act else { return ResultCode::UnknownAction.into() };
        let verdict = match act.verb {
            ActionKind::Skip => Ok(Effect::None.into()),
            ActionKind::Move => self.judge_move(entity, act),
            ActionKind::Attach => self.judge_attach(entity, act),
            ActionKind::Detach => self.judge_detach(entity, act),
            ActionKind::Rotate => self.judge_rotate(entity, act),
            ActionKind::Connect => self.judge_connect(entity, act),
            ActionKind::Disconnect => self.judge_disconnect(entity, act),
            ActionKind::Request => self.judge_request(entity, act),
            ActionKind::Submit => self.judge_submit(entity, act),
            ActionKind::Clear => self.judge_clear(entity, act),
            ActionKind::Accept => self.judge_accept(entity, act),
            ActionKind::Unknown => Err(ResultCode::UnknownAction),
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

    fn judge_move(&self, entity: usize, act: &Act) -> ActionVerdict {
        let (dx, dy) = act.direction().ok_or(ResultCode::FailedParameter)?;
        let structure = self.structure(entity);
        let to = |id: &BodyId| (*id, self.grid.at(self.bodies.get(*id).pos, dx, dy));
        let moves: Vec<_> = structure.iter().map(to).collect();
        if moves.iter().all(|(_, pos)| self.passable(*pos, &structure)) {
            Ok(Effect::Relocate(moves).into())
        } else {
            Err(ResultCode::FailedPath)
        }
    }

    fn judge_attach(&self, entity: usize, act: &Act) -> ActionVerdict {
        let direction = act.direction().ok_or(ResultCode::FailedParameter)?;
        let target = self
            .bodies
            .single(&self.grid, self.cell(entity, direction))
            .ok_or(ResultCode::FailedTarget)?;
        let team = self.entities[entity].team;
        if self.foreign(target, team) {
            return Err(ResultCode::FailedTarget);
        }
        let other = self.bodies.structure(target);
        if other.iter().any(|id| self.foreign(*id, team)) {
            return Err(ResultCode::Failed);
        }
        let own = self.structure(entity);
        let new = if own.contains(&target) { 0 } else { other.len() };
        if own.len() + new > self.rules.attach_limit {
            return Err(ResultCode::Failed);
        }
        Ok(Effect::Link(self.entities[entity].body, target).into())
    }

    fn foreign(&self, id: BodyId, own: usize) -> bool {
        matches!(self.bodies.get(id).kind, AttachableKind::Entity { team, .. } if team != own)
    }

    fn judge_detach(&self, entity: usize, act: &Act) -> ActionVerdict {
        let direction = act.direction().ok_or(ResultCode::FailedParameter)?;
        let target = self
            .bodies
            .single(&self.grid, self.cell(entity, direction))
            .ok_or(ResultCode::FailedTarget)?;
        let Entity { team, body, .. } = &self.entities[entity];
        if self.foreign(target, *team) {
            return Err(ResultCode::FailedTarget);
        }
        if !self.bodies.linked(*body, target) {
            return Err(ResultCode::Failed);
        }
        Ok(Effect::Unlink(*body, target).into())
    }

    fn judge_rotate(&self, entity: usize, act: &Act) -> ActionVerdict {
        let clockwise = match act.param(0) {
            Some("cw") => true,
            Some("ccw") => false,
            _ => return Err(ResultCode::FailedParameter),
        };
        let structure = self.structure(entity);
        let centre = self.place(entity);
        let mut moves = Vec::with_capacity(structure.len());
        for id in structure.iter().skip(1) {
            let body = self.bodies.get(*id);
            if matches!(body.kind, AttachableKind::Entity { .. }) {
                return Err(ResultCode::Failed);
            }
            let (x, y) = self.grid.way(centre, body.pos);
            let (dx, dy) = if clockwise { (-y, x) } else { (y, -x) };
            let target = self.grid.at(centre, dx, dy);
            if !self.passable(target, &structure) {
                return Err(ResultCode::Failed);
            }
            moves.push((*id, target));
        }
        Ok(Effect::Relocate(moves).into())
    }

    fn judge_connect(&self, entity: usize, act: &Act) -> ActionVerdict {
        let name = act.param(0).ok_or(ResultCode::FailedParameter)?;
        let partner = self.find(name).ok_or(ResultCode::FailedParameter)?;
        let own_cell = (
            act.int(1).ok_or(ResultCode::FailedParameter)?,
            act.int(2).ok_or(ResultCode::FailedParameter)?,
        );
        let Entity { act: said, result, .. } = &self.entities[partner];
        let willing = |said: &&Act| {
            said.verb == ActionKind::Connect
                && said.param(0) == Some(self.entities[entity].name.as_str())
        };
        let said = said
            .as_ref()
            .filter(willing)
            .filter(|_| result.is_none())
            .ok_or(ResultCode::FailedPartner)?;
        let (Some(x), Some(y)) = (said.int(1), said.int(2)) else {
            let partner = Some((partner, ResultCode::FailedParameter));
            return Ok(Judgement {
                code: ResultCode::FailedPartner,
                effect: Effect::None,
                partner,
            });
        };
        let (code, effect) = match self.joint(entity, own_cell, partner, (x, y)) {
            Ok(effect) => (ResultCode::Success, effect),
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
    ) -> Result<Effect, ResultCode> {
        let block = |entity, cell| self.bodies.single_block(&self.grid, self.cell(entity, cell));
        let (a, _) = block(one, own).ok_or(ResultCode::FailedTarget)?;
        let (b, _) = block(two, others).ok_or(ResultCode::FailedTarget)?;
        let mine = self.structure(one);
        if mine.contains(&self.entities[two].body) {
            return Err(ResultCode::Failed);
        }
        let theirs = self.structure(two);
        if !mine.contains(&a) || mine.contains(&b) || !theirs.contains(&b) || theirs.contains(&a) {
            return Err(ResultCode::FailedTarget);
        }
        let fits = mine.len() + theirs.len() <= self.rules.attach_limit;
        if !fits || !self.bodies.neighbours(&self.grid, a, b) {
            return Err(ResultCode::Failed);
        }
        Ok(Effect::Link(a, b))
    }

    fn judge_disconnect(&self, entity: usize, act: &Act) -> ActionVerdict {
        let int = |index| act.int(index).ok_or(ResultCode::FailedParameter);
        let (first, second) = ((int(0)?, int(1)?), (int(2)?, int(3)?));
        let single = |cell| {
            self.bodies.single(&self.grid, self.cell(entity, cell)).ok_or(ResultCode::FailedTarget)
        };
        let (a, b) = (single(first)?, single(second)?);
        let structure = self.structure(entity);
        if !structure.contains(&a) || !structure.contains(&b) || !self.bodies.linked(a, b) {
            return Err(ResultCode::FailedTarget);
        }
        Ok(Effect::Unlink(a, b).into())
    }

    fn judge_request(&self, entity: usize, act: &Act) -> ActionVerdict {
        let pos = self.cell(entity, act.direction().ok_or(ResultCode::FailedParameter)?);
        let kind = self.grid.dispenser(pos).ok_or(ResultCode::FailedTarget)?;
        if !self.grid.open(pos) {
            return Err(ResultCode::FailedBlocked);
        }
        Ok(Effect::Block(pos, kind).into())
    }

    fn judge_submit(&self, entity: usize, act: &Act) -> ActionVerdict {
        let name = act.param(0).ok_or(ResultCode::FailedTarget)?;
        let index = self.task(name).ok_or(ResultCode::FailedTarget)?;
        let task = &self.tasks[index];
        let accepted = self.entities[entity].accepted.as_deref() == Some(name);
        if task.completed || self.step > task.deadline || !accepted {
            return Err(ResultCode::FailedTarget);
        }
        if self.grid.terrain(self.place(entity)) != Terrain::Goal {
            return Err(ResultCode::Failed);
        }
        let structure = self.structure(entity);
        let mut blocks = Vec::with_capacity(task.requirements.len());
        for (cell, kind) in &task.requirements {
            let pos = self.cell(entity, *cell);
            match self.bodies.single_block(&self.grid, pos) {
                Some((id, here)) if here == *kind && structure.contains(&id) => blocks.push(id),
                _ => return Err(ResultCode::Failed),
            }
        }
        // On a tiny torus two requirements may meet in one block; it is removed once.
        blocks.order();
        blocks.dedup();
        Ok(Effect::Deliver(index, blocks).into())
    }

    fn judge_clear(&self, entity: usize, act: &Act) -> ActionVerdict {
        let offset = (
            act.int(0).ok_or(ResultCode::FailedParameter)?,
            act.int(1).ok_or(ResultCode::FailedParameter)?,
        );
        let target = self.cell(entity, offset);
        if self.grid.distance(self.place(entity), target) > VISION {
            return Err(ResultCode::FailedTarget);
        }
        if self.entities[entity].energy < self.rules.clear.cost {
            return Err(ResultCode::FailedResources);
        }
        Ok(Effect::Clear(target).into())
    }

    fn judge_accept(&self, entity: usize, act: &Act) -> ActionVerdict {
        let task = act.param(0).and_then(|name| self.task(name)).ok_or(ResultCode::FailedTarget)?;
        let place = self.place(entity);
        if !self.grid.area(place, BOARD_RANGE).iter().any(|pos| self.grid.board(*pos)) {
            return Err(ResultCode::FailedLocation);
        }
        Ok(Effect::Accept(task).into())
    }
}
