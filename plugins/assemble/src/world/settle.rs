//! One step of belief: where everybody is now and what hangs on whom.

use super::body::Part;
use super::chart::Chart;
use super::glance::Glance;
use super::{Seen, World};
use crate::action::{Action, Outcome};
use crate::percept::{Percept, ThingKind};
use phalanx_game::AgentId;
use phalanx_grid::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// A position is corrected by surroundings only when this many cells with something on them agree.
const AGREED_MIN: u32 = 3;

/// Someone else may carry an agent this far in one step, beside its own move.
const CARRIED_MAX: i32 = 2;

impl World {
    pub(super) fn settle_step(&mut self, step: u32, batch: BTreeMap<AgentId, Percept>) {
        let (vision, team) = (self.vision(), self.team().to_owned());
        let mut fresh = BTreeSet::new();
        for (agent, percept) in batch {
            for task in &percept.tasks {
                if !self.task_births.contains_key(&task.name) {
                    self.task_births.insert(task.name.clone(), percept.step);
                }
            }
            let glance = Glance::new(&percept, vision, &team);
            let mind = self.mind_of(agent);
            if mind.seen.as_ref().is_some_and(|seen| seen.percept.step >= step) {
                continue;
            }
            let at = mind.at;
            mind.before = mind.seen.take().map(|seen| (seen, at));
            mind.seen = Some(Seen { percept, glance });
            fresh.insert(agent);
        }
        self.move_bodies(&fresh);
        for agent in &fresh {
            self.verify(*agent);
        }
        self.change_bodies(&fresh);
        for agent in &fresh {
            self.prune_body(*agent);
        }
        self.meet(step, &fresh);
        for agent in &fresh {
            if let Some(mind) = self.minds.get(agent)
                && let Some(seen) = &mind.seen
                && let Some(chart) = self.charts.get_mut(&mind.frame)
            {
                chart.paint(mind.at, &seen.percept, (vision, &team), &mut self.types);
            }
        }
    }

    /// What an agent did successfully in the last step, when it was there to see the result.
    fn done(&self, agent: AgentId) -> Option<Action> {
        let mind = self.minds.get(&agent)?;
        let percept = &mind.seen.as_ref()?.percept;
        let known = mind.before.is_some() && percept.last_result == Outcome::Success;
        known.then(|| Action::from_wire(&percept.last_action, &percept.last_params)).flatten()
    }

    fn move_bodies(&mut self, fresh: &BTreeSet<AgentId>) {
        let extent = self.extent;
        for agent in fresh {
            if let Some(Action::Move(dir)) = self.done(*agent) {
                for mate in self.bodies.crew(*agent) {
                    if let Some(mind) = self.minds.get_mut(&mate) {
                        mind.at = extent.wrap(mind.at + dir.vector());
                    }
                }
            }
        }
    }

    /// Compares what an agent sees with what it should see at its new position.
    fn verify(&mut self, agent: AgentId) {
        let Some(mind) = self.minds.get(&agent) else { return };
        let (Some(seen), Some((before, old_at))) = (&mind.seen, &mind.before) else { return };
        let gap = seen.percept.step.saturating_sub(before.percept.step);
        if gap != 1 {
            return self.find_again(agent);
        }
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

    fn place(&mut self, agent: AgentId, at: Cell) {
        if let Some(mind) = self.minds.get_mut(&agent) {
            mind.at = at;
        }
    }

    /// Percepts were missed: an action whose result nobody saw may have moved the agent.
    fn find_again(&mut self, agent: AgentId) {
        let Some(mind) = self.minds.get(&agent) else { return };
        let (Some(seen), Some((before, _))) = (&mind.seen, &mind.before) else { return };
        let blind = before.percept.step..seen.percept.step.saturating_sub(1);
        let mut places = BTreeSet::from([mind.at]);
        for (step, action) in &mind.sent {
            if let (Action::Move(dir), true) = (action, blind.contains(step)) {
                let moved = places.iter().map(|at| self.extent.wrap(*at + dir.vector()));
                places.extend(moved.collect::<Vec<_>>());
            }
        }
        if self.bodies.crew(agent).len() == 1 && places.len() == 1 {
            return;
        }
        let Some(chart) = self.charts.get(&mind.frame) else { return };
        let fits: Vec<Cell> = places
            .into_iter()
            .filter(|at| fits(chart, *at, &seen.percept, self.vision()))
            .collect();
        match fits.as_slice() {
            [at] => self.place(agent, *at),
            [] | [_, _, ..] => self.lose(agent),
        }
    }

    /// The agent does not know where it is: it begins a new frame.
    pub(super) fn lose(&mut self, agent: AgentId) {
        self.counts.lost += 1;
        let old = self.minds.get(&agent).map(|mind| mind.frame);
        let frame = self.frames.add();
        self.charts.insert(frame, Chart::new(self.extent));
        self.bodies.strike(agent);
        if let Some(mind) = self.minds.get_mut(&agent) {
            (mind.frame, mind.at, mind.before) = (frame, Cell::ZERO, None);
        }
        if let Some(old) = old
            && self.minds.values().all(|mind| mind.frame != old)
        {
            self.charts.remove(&old);
        }
    }

    /// Applies what the last step did to structures. The order inside a step is random; links are
    /// cut first, since a rotation proves that its agent hangs on nobody.
    fn change_bodies(&mut self, fresh: &BTreeSet<AgentId>) {
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

    fn attach(&mut self, agent: AgentId, side: Cell) {
        let Some(mind) = self.minds.get(&agent) else { return };
        for (mate, other) in &self.minds {
            let offset = self.extent.delta(mind.at, other.at);
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
        let (mut open, mut done) = (vec![(Cell::ZERO, side)], BTreeSet::from([Cell::ZERO]));
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
        self.minds.iter().find_map(|(mate, other)| {
            let there = cell - self.extent.delta(mind.at, other.at);
            let owns = other.frame == mind.frame && self.bodies.part(*mate, there).is_some();
            owns.then_some(*mate)
        })
    }

    fn connect(&mut self, agent: AgentId, cell: Cell, partner: &str, done: &[(AgentId, Action)]) {
        let Some(mate) = self.roster.find(partner) else { return };
        let (Some(mind), Some(other)) = (self.minds.get(&agent), self.minds.get(&mate)) else {
            return;
        };
        let told = done.iter().find(|(id, _)| *id == mate).map(|(_, action)| action);
        let sent = other.sent.back().map(|(_, action)| action);
        let Some(Action::Connect { cell: theirs, .. }) = told.or(sent) else { return };
        if mind.frame == other.frame {
            let offset = self.extent.delta(mind.at, other.at);
            self.bodies.join((agent, cell), (mate, offset), offset + *theirs);
        }
    }

    /// Forgets blocks that the agent sees missing or loose, or of another type.
    fn prune_body(&mut self, agent: AgentId) {
        let vision = self.vision();
        let Some(seen) = self.minds.get(&agent).and_then(|mind| mind.seen.as_ref()) else {
            return;
        };
        let gone = |(cell, part): (Cell, Part)| {
            let Part::Block(kind) = part else { return None };
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

fn block_at(percept: &Percept, cell: Cell) -> Option<&str> {
    percept.things.iter().filter(|thing| thing.cell == cell).find_map(|thing| match &thing.kind {
        ThingKind::Block(kind) => Some(kind.as_str()),
        ThingKind::Entity(_)
        | ThingKind::Dispenser(_)
        | ThingKind::Taskboard
        | ThingKind::Marker(_)
        | ThingKind::Unknown { .. } => None,
    })
}

/// Whether what an agent sees can be the map's surroundings of a cell: everything that never moves
/// agrees, and enough of it is there.
fn fits(chart: &Chart, at: Cell, percept: &Percept, vision: i32) -> bool {
    let (mut agreed, mut wrong) = (0, 0);
    for cell in Cell::ZERO.diamond(vision) {
        let Some(spot) = chart.spot(at + cell) else { continue };
        let goal = percept.goals.contains(&cell);
        let obstacle = percept.obstacles.contains(&cell);
        let (mut dispenser, mut board) = (false, false);
        for thing in percept.things.iter().filter(|thing| thing.cell == cell) {
            dispenser |= matches!(thing.kind, ThingKind::Dispenser(_));
            board |= thing.kind == ThingKind::Taskboard;
        }
        let was_goal = spot.ground == super::chart::Ground::Goal;
        let was_obstacle = spot.ground == super::chart::Ground::Obstacle;
        if goal != was_goal || dispenser != spot.dispenser.is_some() || board != spot.board {
            return false;
        }
        wrong += u32::from(obstacle != was_obstacle);
        agreed += u32::from((goal || dispenser || board || obstacle) && obstacle == was_obstacle);
    }
    agreed >= AGREED_MIN && wrong * 4 <= agreed
}
