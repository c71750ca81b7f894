//! Re-executes a recorded simulation. What chance decided is taken from the record; the order of
//! actions within a step, which is not recorded, is searched.
//!
//! The search is greedy: whatever fails as recorded has no effect and goes first; then the first
//! success that is judged a success. When somebody is left over, the order of the agents near the
//! trouble is shuffled and tried again.

use phalanx_assemble::arena::State;
use phalanx_assemble::arena::act::{Act, ResultCode};
use phalanx_assemble::arena::attach::{AttachableKind, BodyId};
use phalanx_assemble::arena::chance::{Chance, ClearEvent, NewTask, Requirements};
use phalanx_assemble::arena::config::{EventRules, SimConfig, TaskRules};
use phalanx_assemble::arena::grid::{Pos, Terrain};
use phalanx_assemble::arena::record::{RecordedCell, RecordedEntity, ReplayRecord, StepRecord};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_massim::JavaRandom;
use std::sync::Arc;

/// Orders tried for one step.
const TRIES: usize = 4000;
/// Agents nearer than this to somebody in trouble may be part of it.
const REACH: i32 = 12;

/// The names of a record's teams and accounts, in canonical order.
pub(crate) fn teams(record: &ReplayRecord) -> Vec<(String, Vec<String>)> {
    let mut teams: SortedMap<String, Vec<(u32, String)>> = SortedMap::new();
    for entity in &record.frames[&-1].entities {
        let digits = entity.name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let number = entity.name[digits..].parse().unwrap();
        teams.entry(entity.team.clone()).or_default().push((number, entity.name.clone()));
    }
    let sorted = |mut names: Vec<(u32, String)>| {
        names.sort();
        names.into_iter().map(|(_, name)| name).collect()
    };
    teams.into_iter().map(|(team, names)| (team, sorted(names))).collect()
}

fn pos(cell: RecordedCell) -> Pos {
    Pos { x: cell.x, y: cell.y }
}

fn terrain(code: u8) -> Terrain {
    [Terrain::Empty, Terrain::Goal, Terrain::Obstacle][usize::from(code)]
}

/// The initial state of a record in which nothing is attached yet.
pub(crate) fn initial(record: &ReplayRecord, mut config: SimConfig) -> State {
    let frame = &record.frames[&-1];
    config.grid.width = record.fixed.grid.width;
    config.grid.height = record.fixed.grid.height;
    config.steps = record.fixed.steps;
    let teams = teams(record);
    config.entities = teams[0].1.len();
    let mut state = State::resume(Arc::new(config), &teams);
    state.block_types.clone_from(&record.fixed.block_types);
    for (y, row) in (0..).zip(&frame.cells) {
        for (x, code) in (0..).zip(row) {
            state.grid.set_terrain(Pos { x, y }, terrain(*code));
        }
    }
    for entity in &frame.entities {
        let index = state.find(&entity.name).unwrap();
        let kind = AttachableKind::Entity { entity: index, team: state.entities[index].team };
        let body = state.bodies.place(&mut state.grid, Pos { x: entity.x, y: entity.y }, kind);
        state.entities[index].body = body;
        state.entities[index].id = entity.id;
        assert!(entity.attached.is_empty(), "{} has something attached", entity.name);
    }
    for (id, dispenser) in (0..).zip(&frame.dispensers) {
        let kind = state.block_type(&dispenser.kind).unwrap();
        let pos = Pos { x: dispenser.x, y: dispenser.y };
        state.grid.set_dispenser(pos, kind);
        state.dispensers.push((id, pos, kind));
    }
    for board in &frame.taskboards {
        state.grid.set_board(pos(*board));
        state.boards.push(pos(*board));
    }
    state
}

/// Chance as recorded.
#[derive(Debug)]
struct Recorded<'r> {
    state_tasks: SortedSet<String>,
    pending: Vec<(i32, i32, i32)>,
    frame: &'r StepRecord,
    /// Events that take effect in this step and have not yet.
    striking: Vec<ClearEvent>,
    debris: Vec<Pos>,
    failing: SortedSet<usize>,
    floor: i32,
}

impl<'r> Recorded<'r> {
    fn new(state: &State, frame: &'r StepRecord) -> Self {
        let step = state.step + 1;
        let (striking, pending): (Vec<ClearEvent>, Vec<ClearEvent>) =
            state.events.iter().partition(|event| event.step == step);
        let fails = |entity: &&RecordedEntity| entity.action_result == "failed_random";
        Self {
            state_tasks: state.tasks.iter().map(|task| task.name.clone()).collect(),
            pending: pending.iter().map(|event| (event.pos.x, event.pos.y, event.radius)).collect(),
            frame,
            striking,
            debris: Vec::new(),
            failing: frame
                .entities
                .iter()
                .filter(fails)
                .map(|entity| state.find(&entity.name).unwrap())
                .collect(),
            floor: state.rules.tasks.lower_limit,
        }
    }
}

impl Chance for Recorded<'_> {
    fn task(&mut self, step: i32, rules: &TaskRules, _: i32) -> Option<NewTask> {
        let task = self.frame.tasks.iter().find(|task| !self.state_tasks.contains(&task.name))?;
        let kind = |name: &str| name.trim_start_matches('b').parse().unwrap();
        let parts = task.requirements.iter().map(|part| ((part.x, part.y), kind(&part.kind)));
        let requirements: Requirements = parts.collect();
        let size = i32::try_from(requirements.len()).unwrap();
        let nominal = 10 * size * size;
        let [low, high] = rules.reward_decay;
        let shown = |decay: &i32| {
            (nominal * (100 - decay) / 100).max((nominal * self.floor + 99) / 100) == task.reward
        };
        let decay = (low..=high).find(shown).expect("a decay that explains the reward");
        Some(NewTask { duration: task.deadline - step, requirements, decay })
    }

    fn event(&mut self, step: i32, rules: &EventRules, _: (i32, i32)) -> Option<ClearEvent> {
        let mut known = self.pending.clone();
        let is_new = |event: &&phalanx_assemble::arena::record::RecordedClear| {
            let key = (event.x, event.y, event.radius);
            match known.iter().position(|other| *other == key) {
                Some(index) => {
                    known.remove(index);
                    false
                }
                None => true,
            }
        };
        let new = self.frame.clear.iter().find(is_new)?;
        Some(ClearEvent {
            pos: Pos { x: new.x, y: new.y },
            radius: new.radius,
            step: step + rules.warning,
        })
    }

    /// All new obstacles of a step come with its last event: an earlier one may have been cleared.
    fn debris(&mut self, event: &ClearEvent, rules: &EventRules, _: i32) -> i32 {
        let last = self.striking.last() == Some(event);
        if !last {
            return 0;
        }
        for striking in &self.striking {
            let reach = striking.radius + rules.perimeter;
            for dy in -reach..=reach {
                for dx in -reach..=reach {
                    let (x, y) = (striking.pos.x + dx, striking.pos.y + dy);
                    let row = usize::try_from(y).ok().and_then(|y| self.frame.cells.get(y));
                    let code = usize::try_from(x).ok().and_then(|x| row?.get(x));
                    if code == Some(&2) {
                        self.debris.push(Pos { x, y });
                    }
                }
            }
        }
        i32::try_from(self.debris.len()).unwrap()
    }

    fn spot(&mut self, _: &ClearEvent, _: &EventRules, open: &dyn Fn(Pos) -> bool) -> Option<Pos> {
        while let Some(pos) = self.debris.pop() {
            if open(pos) {
                return Some(pos);
            }
        }
        None
    }

    fn order(&mut self, entities: usize) -> Vec<usize> {
        (0..entities).collect()
    }

    fn fails(&mut self, entity: usize, _: i32) -> bool {
        self.failing.contains(&entity)
    }
}

/// Executes all steps of a record. `look` sees the state when percepts are built.
pub(crate) fn retrace(
    record: &ReplayRecord,
    mut state: State,
    mut look: impl FnMut(&State),
) -> Result<State, String> {
    for (step, frame) in record.frames.range(0..) {
        assert_eq!(*step, state.step + 1, "a step is missing in the record");
        let mut chance = Recorded::new(&state, frame);
        state.begin_step(&mut chance);
        look(&state);
        let by_name: SortedMap<&str, &RecordedEntity> =
            frame.entities.iter().map(|entity| (entity.name.as_str(), entity)).collect();
        let recorded: Vec<&RecordedEntity> =
            state.entities.iter().map(|entity| by_name[entity.name.as_str()]).collect();
        let acts = recorded
            .iter()
            .map(|entity| Act::new(&entity.action, entity.action_params.clone()))
            .collect();
        state.admit(acts, &mut chance);
        state = search(&state, &recorded).map_err(|trouble| format!("step {step}: {trouble}"))?;
        let differences = differences(&state, frame);
        if !differences.is_empty() {
            return Err(format!("step {step}: {}", differences.join("\n")));
        }
    }
    Ok(state)
}

/// Finds an order with the recorded results and places.
fn search(start: &State, recorded: &[&RecordedEntity]) -> Result<State, String> {
    let mut random = JavaRandom::new(1);
    let mut best: Vec<usize> = (0..recorded.len()).collect();
    let (state, mut trouble) = greedy(start, &best, recorded);
    if trouble.is_empty() {
        return Ok(state);
    }
    for _ in 0..TRIES {
        let near = |index: &usize| {
            trouble
                .iter()
                .any(|other| start.grid.distance(start.place(*index), start.place(*other)) <= REACH)
        };
        let slots: Vec<usize> = (0..best.len()).filter(|slot| near(&best[*slot])).collect();
        let mut members: Vec<usize> = slots.iter().map(|slot| best[*slot]).collect();
        random.shuffle(&mut members);
        let mut order = best.clone();
        for (slot, member) in slots.iter().zip(members) {
            order[*slot] = member;
        }
        let (state, found) = greedy(start, &order, recorded);
        if found.is_empty() {
            return Ok(state);
        }
        if found.len() <= trouble.len() {
            (best, trouble) = (order, found);
        }
    }
    let line = |index: &usize| {
        let entity = recorded[*index];
        let place = start.place(*index);
        let (name, action, result) = (&entity.name, &entity.action, &entity.action_result);
        format!(
            "{name} at {place:?}: {action} {:?} {result}, then ({}, {})",
            entity.action_params, entity.x, entity.y
        )
    };
    Err(format!("no order explains\n{}", trouble.iter().map(line).collect::<Vec<_>>().join("\n")))
}

/// Executes in that order of preference; returns who has another result, place, state or attachments.
fn greedy(start: &State, order: &[usize], recorded: &[&RecordedEntity]) -> (State, Vec<usize>) {
    let mut state = start.clone();
    let mut pending: Vec<usize> = order.to_vec();
    let matches = |entity: usize, code: ResultCode| recorded[entity].action_result == code.text();
    loop {
        let mut success = None;
        let mut rest = Vec::with_capacity(pending.len());
        for entity in std::mem::take(&mut pending) {
            let judgement = state.judge(entity);
            let partner = judgement.partner.is_none_or(|(partner, code)| matches(partner, code));
            let fits = partner && matches(entity, judgement.code);
            if fits && judgement.code != ResultCode::Success {
                state.apply(entity, judgement);
            } else {
                if fits && success.is_none() {
                    success = Some((entity, judgement));
                }
                rest.push(entity);
            }
        }
        pending = rest;
        let Some((entity, judgement)) = success else { break };
        state.apply(entity, judgement);
        pending.retain(|other| *other != entity);
    }
    let wrong = |index: &usize| {
        let pos = state.place(*index);
        let entity = recorded[*index];
        (pos.x, pos.y) != (entity.x, entity.y)
            || (state.entities[*index].disabled > 0) != entity.disabled
            || structure(&state, state.entities[*index].body) != cells(&entity.attached)
    };
    pending.extend((0..recorded.len()).filter(wrong));
    pending.sort_unstable();
    pending.dedup();
    (state, pending)
}

fn structure(state: &State, id: BodyId) -> Vec<RecordedCell> {
    let place = |id: &BodyId| {
        let Pos { x, y } = state.bodies.get(*id).pos;
        RecordedCell { x, y }
    };
    let mut cells: Vec<RecordedCell> =
        state.bodies.structure(id).iter().skip(1).map(place).collect();
    cells.sort_unstable();
    cells
}

fn cells(attached: &[RecordedCell]) -> Vec<RecordedCell> {
    let mut cells = attached.to_vec();
    cells.sort_unstable();
    cells
}

/// Everything in which the state differs from the recorded one.
pub(crate) fn differences(state: &State, frame: &StepRecord) -> Vec<String> {
    let ours: StepRecord =
        serde_json::from_slice(&phalanx_assemble::arena::replay::snapshot(state)).unwrap();
    let mut all = Vec::new();
    let mut compare = |what: &str, ours: String, theirs: String| {
        if ours != theirs {
            all.push(format!("{what}:\n  ours   {ours}\n  theirs {theirs}"));
        }
    };
    let entities = |frame: &StepRecord| {
        let key = |entity: &RecordedEntity| (entity.name.clone(), describe(entity));
        frame.entities.iter().map(key).collect::<SortedMap<_, _>>()
    };
    let theirs = entities(frame);
    for (name, ours) in entities(&ours) {
        compare(&name, ours, theirs.get(&name).cloned().unwrap_or_default());
    }
    let blocks = |frame: &StepRecord| {
        let mut blocks = frame.blocks.clone();
        blocks.iter_mut().for_each(|block| block.attached.sort_unstable());
        blocks.sort();
        format!("{blocks:?}")
    };
    compare("blocks", blocks(&ours), blocks(frame));
    compare("cells", format!("{:?}", ours.cells), format!("{:?}", frame.cells));
    compare("scores", format!("{:?}", ours.scores), format!("{:?}", frame.scores));
    let clear = |frame: &StepRecord| {
        let mut clear = frame.clear.clone();
        clear.sort_unstable();
        format!("{clear:?}")
    };
    compare("clear", clear(&ours), clear(frame));
    let tasks = |frame: &StepRecord| {
        let text = |task: &phalanx_assemble::arena::record::RecordedTask| {
            let mut parts = task.requirements.clone();
            parts.sort();
            format!("{} {} {} {parts:?}", task.name, task.deadline, task.reward)
        };
        let mut tasks: Vec<String> = frame.tasks.iter().map(text).collect();
        tasks.sort();
        tasks.join("\n")
    };
    compare("tasks", tasks(&ours), tasks(frame));
    let events = |frame: &StepRecord| {
        let mut events: Vec<_> =
            frame.events.iter().map(|event| (event.task.clone(), event.team.clone())).collect();
        events.sort();
        format!("{events:?}")
    };
    compare("events", events(&ours), events(frame));
    all
}

fn describe(entity: &RecordedEntity) -> String {
    let RecordedEntity {
        x,
        y,
        energy,
        action,
        action_params,
        action_result,
        accepted_task,
        disabled,
        ..
    } = entity;
    let attached = cells(&entity.attached);
    format!(
        "at {x},{y} energy {energy} disabled {disabled} task {accepted_task:?} {action} {action_params:?} {action_result} holds {attached:?}"
    )
}
