//! One step of belief: where everybody is now and what hangs on whom.

use super::body::StructurePart;
use super::glance::Glance;
use super::{DigestedPercept, World};
use crate::action::{Action, Outcome};
use crate::percept::{Percept, ThingKind};
use phalanx_game::AgentId;
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_grid::Cell;

/// A position is corrected by surroundings only when this many cells with something on them agree.
const AGREED_MIN: u32 = 3;

/// Someone else may carry an agent this far in one step, beside its own move.
const CARRIED_MAX: i32 = 2;

impl World {
    pub(super) fn settle_step(&mut self, step: u32, batch: SortedMap<AgentId, Percept>) {
        let (vision, team) = (self.vision(), self.team().to_owned());
        let (mut fresh, mut ahead) = (SortedSet::new(), SortedMap::new());
        for (agent, percept) in batch {
            for task in &percept.tasks {
                if !self.task_births.contains_key(&task.name) {
                    self.task_births.insert(task.name.clone(), percept.step);
                }
            }
            let glance = Glance::new(&percept, vision, &team);
            let extent = self.extent;
            let mind = self.mind_of(agent);
            if mind.seen.as_ref().is_some_and(|seen| seen.percept.step >= step) {
                continue;
            }
            // A percept that comes late is of a place to which others had not carried it yet.
            let after = mind.carried.extract_if(.., |(its, _)| *its > step).collect();
            ahead.insert(agent, after);
            mind.at = extent.wrap(mind.at - sum(&ahead, agent));
            let at = extent.wrap(mind.at - mind.carried());
            mind.before = mind.seen.take().map(|seen| (seen, at));
            mind.seen = Some(DigestedPercept { percept, glance });
            fresh.insert(agent);
        }
        let missed = self.missed(step);
        self.move_bodies(step, &fresh);
        for agent in &fresh {
            if self.knows_its_way(*agent, &missed) {
                self.verify(*agent);
            } else {
                self.find_again(*agent, step, &missed);
            }
        }
        self.change_bodies(&fresh);
        for agent in &fresh {
            if missed.contains_key(agent) {
                self.turn_again(*agent, &missed);
            }
            self.prune_body(*agent);
        }
        for agent in &fresh {
            if missed.contains_key(agent) {
                self.grip_again(*agent, &missed);
            }
        }
        self.meet(step, &fresh, &missed);
        for agent in &fresh {
            self.hang_on(*agent);
        }
        for agent in &fresh {
            if let Some(mind) = self.minds.get(agent)
                && let Some(seen) = &mind.seen
                && let Some(chart) = self.charts.get_mut(&mind.frame)
            {
                chart.paint(mind.at, &seen.percept, (vision, &team), &mut self.types);
            }
        }
        self.note_links();
        self.resolve_doubts(step);
        for (agent, after) in ahead {
            if let Some(mind) = self.minds.get_mut(&agent) {
                (mind.carried, mind.unsure_from) = (after, None);
                mind.at = self.extent.wrap(mind.at + mind.carried());
            }
        }
    }

    /// Blocks that hung on agents and lie about now are still linked to each other.
    fn note_links(&mut self) {
        for (agent, one, other) in self.bodies.loosened() {
            if let Some(mind) = self.minds.get(&agent)
                && let Some(chart) = self.charts.get_mut(&mind.frame)
            {
                let place = |cell| self.extent.wrap(mind.at + cell);
                chart.link(place(one), place(other));
            }
        }
    }

    /// What an agent did successfully in the last step, when it was there to see the result.
    pub(super) fn done(&self, agent: AgentId) -> Option<Action> {
        let mind = self.minds.get(&agent)?;
        let percept = &mind.seen.as_ref()?.percept;
        let known = mind.before.is_some() && percept.last_result == Outcome::Success;
        known.then(|| Action::from_wire(&percept.last_action, &percept.last_params)).flatten()
    }

    /// Moves agents, and all that hang on them, as their percepts of this step tell. A mate that has
    /// perceived the step, or a later one, without them has found its place already.
    fn move_bodies(&mut self, step: u32, fresh: &SortedSet<AgentId>) {
        let extent = self.extent;
        for agent in fresh {
            if let Some(way) = self.done(*agent).and_then(|action| action.step()) {
                for mate in self.bodies.crew(*agent) {
                    let Some(mind) = self.minds.get_mut(&mate) else { continue };
                    let perceived = mind.seen.as_ref().is_some_and(|it| it.percept.step >= step);
                    if perceived && !fresh.contains(&mate) {
                        continue;
                    }
                    mind.at = extent.wrap(mind.at + way);
                    if mate != *agent {
                        mind.carry(step, way);
                    }
                }
            }
        }
    }

    /// Where an agent was when it perceived a step, or is if it has perceived nothing later; `None`:
    /// not known any more.
    fn place_in(&self, agent: AgentId, step: u32) -> Option<Cell> {
        let mind = self.minds.get(&agent)?;
        if mind.seen.as_ref().is_none_or(|seen| seen.percept.step <= step) {
            return Some(self.extent.wrap(mind.at - mind.carried_after(step)));
        }
        let (before, at) = mind.before.as_ref()?;
        (before.percept.step == step).then_some(*at)
    }

    /// Compares what an agent sees with what it should see at its new position.
    fn verify(&mut self, agent: AgentId) {
        let Some(mind) = self.minds.get(&agent) else { return };
        let (Some(seen), Some((before, old_at))) = (&mind.seen, &mind.before) else { return };
        let predicted = self.extent.delta(*old_at, mind.at);
        let fit = seen.glance.after_move(&before.glance, predicted);
        if fit.broken == 0 && fit.changed == 0 {
            return;
        }
        let held = |percept: &Percept| percept.attached.iter().any(|cell| cell.norm() == 1);
        let strangers = self.minds.values().any(|other| other.frame != mind.frame);
        if strangers && (held(&seen.percept) || held(&before.percept)) {
            // Somebody of another frame may have carried it.
            let better: Vec<Cell> = Cell::ZERO
                .diamond(CARRIED_MAX)
                .filter(|carried| {
                    let fit = seen.glance.after_move(&before.glance, predicted + *carried);
                    fit.broken == 0 && fit.changed == 0 && fit.agreed >= AGREED_MIN
                })
                .collect();
            if let [carried] = better.as_slice() {
                let at = self.extent.wrap(mind.at + *carried);
                self.counts.corrected += 1;
                return self.place(agent, at);
            }
        }
        if fit.broken > 0 {
            self.lose(agent);
        }
    }

    pub(super) fn place(&mut self, agent: AgentId, at: Cell) {
        if let Some(mind) = self.minds.get_mut(&agent) {
            mind.at = at;
        }
    }

    /// The agent does not know where it is: it begins a new frame.
    pub(super) fn lose(&mut self, agent: AgentId) {
        self.counts.lost += 1;
        self.bodies.strike(agent);
        self.begin_frame(agent);
        self.forget_maps();
    }

    /// Applies what the last step did to structures. The order inside a step is random; links are
    /// cut first, since a rotation proves that its agent hangs on no other.
    fn change_bodies(&mut self, fresh: &SortedSet<AgentId>) {
        let done: Vec<(AgentId, Action)> =
            fresh.iter().filter_map(|agent| Some((*agent, self.done(*agent)?))).collect();
        for agent in fresh {
            let Some(mind) = self.minds.get(agent) else { continue };
            let now = mind.seen.as_ref().is_some_and(|seen| seen.percept.disabled);
            let before = mind.before.as_ref().is_some_and(|(seen, _)| seen.percept.disabled);
            if now && !before {
                self.bodies.strike(*agent);
            }
        }
        for (agent, action) in &done {
            match action {
                Action::Detach(dir) => self.bodies.cut(*agent, Cell::ZERO, dir.vector()),
                Action::Disconnect { from, to } => self.bodies.cut(*agent, *from, *to),
                Action::Submit(task) => self.deliver(*agent, task),
                Action::Skip
                | Action::Move(_)
                | Action::Attach(_)
                | Action::Rotate(_)
                | Action::Connect { .. }
                | Action::Request(_)
                | Action::Clear(_)
                | Action::Accept(_) => {}
            }
        }
        for (agent, action) in &done {
            if let Action::Rotate(rotation) = action {
                self.bodies.rotate(*agent, *rotation);
            }
        }
        for (agent, action) in &done {
            if let Action::Attach(dir) = action {
                self.attach(*agent, dir.vector());
            }
        }
        for (agent, action) in &done {
            if let Action::Connect { agent: partner, cell } = action {
                self.connect(*agent, *cell, partner, &done);
            }
        }
    }

    fn deliver(&mut self, agent: AgentId, name: &str) {
        let before = self.minds.get(&agent).and_then(|mind| mind.before.as_ref());
        let tasks = before.map(|(seen, _)| seen.percept.tasks.as_slice()).unwrap_or_default();
        let Some(task) = tasks.iter().find(|task| task.name == name) else { return };
        let cells: Vec<Cell> = task.requirements.iter().map(|part| part.cell).collect();
        // From the far end, so that the rest still hangs on the agent while blocks go.
        for cell in cells.into_iter().rev() {
            self.bodies.remove_block(agent, cell);
        }
    }

    pub(super) fn attach(&mut self, agent: AgentId, side: Cell) {
        let Some(mind) = self.minds.get(&agent) else { return };
        let step = mind.seen.as_ref().map(|seen| seen.percept.step).unwrap_or_default();
        for (mate, other) in &self.minds {
            let Some(at) = self.place_in(*mate, step) else { continue };
            let offset = self.extent.delta(mind.at, at);
            let there = side - offset;
            let holds = there == Cell::ZERO || self.bodies.part(*mate, there).is_some();
            if *mate != agent && other.frame == mind.frame && holds {
                return self.bodies.join((agent, Cell::ZERO), (*mate, offset), side);
            }
        }
        let Some(seen) = &mind.seen else { return };
        let was_held = |cell: Cell| {
            let before = mind.before.as_ref();
            before.is_some_and(|(seen, _)| seen.percept.attached.contains(&cell))
        };
        // Blocks that hung on the block hang on us now, unless they hung on somebody before.
        let (mut open, mut done) = (vec![(Cell::ZERO, side)], SortedSet::from([Cell::ZERO]));
        let mut found = Vec::new();
        while let Some((beside, cell)) = open.pop() {
            let Some(kind) = block_at(&seen.percept, cell) else { continue };
            if !done.insert(cell) || (cell != side && was_held(cell)) {
                continue;
            }
            if seen.percept.attached.contains(&cell) && self.owner(agent, cell).is_none() {
                found.push((beside, cell, kind.to_owned()));
                open.extend(cell.neighbours().map(|next| (cell, next)));
            }
        }
        for (beside, cell, kind) in found {
            let kind = self.types.intern(&kind);
            self.bodies.add_block(agent, beside, cell, kind);
        }
    }

    /// Which agent of the same group has the thing at a cell relative to `agent` in its structure.
    pub(super) fn owner(&self, agent: AgentId, cell: Cell) -> Option<AgentId> {
        let mind = self.minds.get(&agent)?;
        let step = mind.seen.as_ref().map(|seen| seen.percept.step).unwrap_or_default();
        self.minds.iter().find_map(|(mate, other)| {
            let there = cell - self.extent.delta(mind.at, self.place_in(*mate, step)?);
            let owns = other.frame == mind.frame && self.bodies.part(*mate, there).is_some();
            owns.then_some(*mate)
        })
    }

    pub(super) fn connect(
        &mut self,
        agent: AgentId,
        cell: Cell,
        partner: &str,
        done: &[(AgentId, Action)],
    ) {
        let Some(mate) = self.roster.find(partner) else { return };
        let (Some(mind), Some(other)) = (self.minds.get(&agent), self.minds.get(&mate)) else {
            return;
        };
        let told = done.iter().find(|(id, _)| *id == mate).map(|(_, action)| action);
        let sent = other.sent.back().map(|(_, action)| action);
        let Some(Action::Connect { cell: theirs, .. }) = told.or(sent) else { return };
        let step = mind.seen.as_ref().map(|seen| seen.percept.step).unwrap_or_default();
        if mind.frame == other.frame
            && let Some(at) = self.place_in(mate, step)
        {
            let offset = self.extent.delta(mind.at, at);
            self.bodies.join((agent, cell), (mate, offset), offset + *theirs);
        }
    }

    /// Forgets blocks that the agent sees missing or loose, or of another type.
    fn prune_body(&mut self, agent: AgentId) {
        let vision = self.vision();
        let Some(seen) = self.minds.get(&agent).and_then(|mind| mind.seen.as_ref()) else {
            return;
        };
        let gone = |(cell, part): (Cell, StructurePart)| {
            let StructurePart::Block(kind) = part else { return None };
            let there = block_at(&seen.percept, cell) == Some(self.types.name(kind))
                && seen.percept.attached.contains(&cell);
            (cell.norm() <= vision && !there).then_some(cell)
        };
        let gone: Vec<Cell> = self.bodies.parts(agent).filter_map(gone).collect();
        for cell in gone {
            self.bodies.remove_block(agent, cell);
        }
    }
}

/// How far an agent was carried after the step of its late percept.
fn sum(ahead: &SortedMap<AgentId, Vec<(u32, Cell)>>, agent: AgentId) -> Cell {
    let ways = ahead.get(&agent).into_iter().flatten();
    ways.fold(Cell::ZERO, |all, (_, way)| all + *way)
}

pub(super) fn block_at(percept: &Percept, cell: Cell) -> Option<&str> {
    percept.things.iter().filter(|thing| thing.cell == cell).find_map(|thing| match &thing.kind {
        ThingKind::Block(kind) => Some(kind.as_str()),
        ThingKind::Entity(_)
        | ThingKind::Dispenser(_)
        | ThingKind::Taskboard
        | ThingKind::Marker(_)
        | ThingKind::Unknown { .. } => None,
    })
}
