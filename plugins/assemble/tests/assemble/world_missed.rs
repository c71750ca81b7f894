//! Steps that an agent did not see: small worlds in which it is known afterwards by what is seen
//! where it is and what hangs on it.

use phalanx_assemble::action::{Action, Outcome};
use phalanx_assemble::percept::{Briefing, Percept, Thing, ThingKind};
use phalanx_assemble::world::World;
use phalanx_game::{AgentId, Roster, RosterEntry, Turn, World as _};
use phalanx_grid::{Cell, Direction, FrameId, Rotation};

const A: AgentId = AgentId(0);
const B: AgentId = AgentId(1);
const C: AgentId = AgentId(2);
const D: AgentId = AgentId(3);
const VISION: i32 = 5;
const SOUTH: Cell = Cell::new(0, 1);

/// What there is, in true coordinates, and what the team believes.
#[derive(Clone)]
struct Scene {
    world: World,
    walls: Vec<Cell>,
    dispensers: Vec<Cell>,
    blocks: Vec<(Cell, &'static str)>,
    /// What hangs on somebody.
    attached: Vec<Cell>,
    agents: Vec<Cell>,
    step: u32,
}

fn cells(cells: &[(i32, i32)]) -> Vec<Cell> {
    cells.iter().map(|(x, y)| Cell::new(*x, *y)).collect()
}

fn roster(agents: usize) -> Roster {
    let entry = |index: usize| RosterEntry::new(format!("a{index}"), "w");
    Roster { team: "A".into(), agents: (0..agents).map(entry).collect() }
}

impl Scene {
    fn new(agents: &[(i32, i32)], walls: &[(i32, i32)]) -> Self {
        let mut world = World::new(&roster(agents.len()));
        for agent in roster(agents.len()).ids() {
            let briefing = Briefing {
                team: "A".into(),
                team_size: u32::try_from(agents.len()).unwrap(),
                steps: 500,
                vision: VISION,
                ..Briefing::default()
            };
            world.begin(0, agent, Some(&briefing));
        }
        Self {
            world,
            walls: cells(walls),
            dispensers: Vec::new(),
            blocks: Vec::new(),
            attached: Vec::new(),
            agents: cells(agents),
            step: 0,
        }
    }

    /// Blocks that hang on agents.
    fn holding(mut self, blocks: &[(i32, i32)]) -> Self {
        self.blocks = cells(blocks).into_iter().map(|cell| (cell, "b0")).collect();
        self.attached = cells(blocks);
        self
    }

    fn percept(&self, agent: AgentId, last: Option<&Action>) -> Percept {
        let at = self.agents[agent.index()];
        let see = |cells: &[Cell]| -> Vec<Cell> {
            let relative = cells.iter().map(|cell| *cell - at);
            relative.filter(|cell| cell.norm() <= VISION).collect()
        };
        let things = |cells: Vec<Cell>, kind: &ThingKind| -> Vec<Thing> {
            let thing = |cell| Thing { cell, kind: kind.clone() };
            see(&cells).into_iter().map(thing).collect()
        };
        let blocks = self.blocks.iter().map(|(cell, _)| *cell).collect();
        Percept {
            step: self.step,
            last_action: last.map_or("no_action", Action::name).to_owned(),
            last_params: last.map(Action::params).unwrap_or_default(),
            last_result: Outcome::Success,
            obstacles: see(&self.walls),
            attached: see(&self.attached).into_iter().filter(|cell| *cell != Cell::ZERO).collect(),
            things: [
                things(self.agents.clone(), &ThingKind::Entity("A".into())),
                things(self.dispensers.clone(), &ThingKind::Dispenser("b0".into())),
                things(blocks, &ThingKind::Block("b0".into())),
            ]
            .concat(),
            ..Percept::default()
        }
    }

    /// All perceive; `last` is what the first did successfully in the last step.
    fn perceive(&mut self, last: Option<&Action>) {
        let turn = Turn::new(0, self.step);
        for agent in roster(self.agents.len()).ids() {
            let percept = self.percept(agent, last.filter(|_| agent == A));
            self.world.observe(turn, agent, percept);
        }
        self.world.settle(turn);
    }

    fn acted(&mut self, agent: AgentId, action: &Action) {
        self.world.acted(Turn::new(0, self.step), agent, action);
    }

    /// The first moves, and everybody sees it.
    fn moved(&mut self, dir: Direction) {
        self.acted(A, &Action::Move(dir));
        self.step += 1;
        self.agents[0] = self.agents[0] + dir.vector();
        self.perceive(Some(&Action::Move(dir)));
    }

    /// The daemon is killed, and what it decided in this step was not saved.
    fn restored(&mut self) {
        let saved = self.world.save();
        self.world = World::new(&roster(self.agents.len()));
        self.world.restore(&saved).unwrap();
    }

    /// After that many steps without percepts, all perceive again.
    fn after(&mut self, steps: u32) {
        self.step += steps + 1;
        self.perceive(None);
    }

    fn place(&self, agent: AgentId) -> (FrameId, Cell) {
        self.world.position(agent).unwrap()
    }

    fn blocks(&self, agent: AgentId) -> Vec<Cell> {
        self.world.blocks(agent).into_iter().map(|(cell, _)| cell).collect()
    }
}

/// Walls that look different from every place nearby.
const WALLS: [(i32, i32); 5] = [(2, 0), (1, 2), (-2, -1), (3, 1), (-1, 3)];

#[test]
fn an_agent_whose_last_move_nobody_saw_is_where_its_surroundings_are() {
    for (dir, missed) in Direction::ALL.into_iter().flat_map(|dir| [(dir, 1), (dir, 4)]) {
        for went in [dir.vector(), Cell::ZERO] {
            let mut scene = Scene::new(&[(0, 0)], &WALLS);
            scene.perceive(None);
            let (frame, at) = scene.place(A);
            scene.acted(A, &Action::Move(dir));
            scene.agents[0] = went;
            scene.after(missed);
            assert_eq!(scene.place(A), (frame, at + went), "{dir:?}, {missed} missed");
        }
    }
}

#[test]
fn what_a_killed_daemon_let_it_do_is_told_by_the_surroundings_too() {
    let steps = Direction::ALL.map(Direction::vector);
    for went in steps.into_iter().chain([Cell::ZERO]) {
        let mut scene = Scene::new(&[(0, 0)], &WALLS);
        scene.perceive(None);
        let (frame, at) = scene.place(A);
        scene.restored();
        scene.agents[0] = went;
        scene.after(1);
        assert_eq!(scene.place(A), (frame, at + went));
    }
}

#[test]
fn without_a_restart_nothing_else_can_have_moved_it() {
    // What is seen fits a step to the east better; but no agent let it go there.
    let mut scene = Scene::new(&[(0, 0)], &[(2, 0)]);
    scene.perceive(None);
    let place = scene.place(A);
    scene.acted(A, &Action::Skip);
    scene.walls = cells(&[(1, 0)]);
    scene.after(2);
    assert_eq!(scene.place(A), place);
}

#[test]
fn where_nothing_is_to_be_seen_it_begins_a_frame_and_finds_back() {
    for went in [Direction::West.vector(), Cell::ZERO] {
        let mut scene = Scene::new(&[(0, 0)], &[(2, 0), (1, 1)]);
        scene.perceive(None);
        for _ in 0..4 {
            scene.moved(Direction::West);
        }
        let (frame, at) = scene.place(A);
        scene.acted(A, &Action::Move(Direction::West));
        scene.agents[0] = scene.agents[0] + went;
        scene.after(2);
        assert_ne!(scene.place(A).0, frame, "a fresh frame rather than a wrong one");
        let parts: Vec<String> =
            scene.world.draw().parts.into_iter().map(|part| part.name).collect();
        assert_eq!(parts, ["map of a0", "map on which a0 may be"], "nothing is thrown away");
        let mut scene = saved_again(scene);
        for _ in 0..4 {
            scene.moved(Direction::East);
        }
        assert_eq!(scene.place(A), (frame, at + went + Cell::new(4, 0)));
    }
}

/// A doubt outlives a restart.
fn saved_again(mut scene: Scene) -> Scene {
    scene.restored();
    scene
}

#[test]
fn a_dispenser_elsewhere_proves_that_it_is_not_there() {
    let mut scene = Scene::new(&[(0, 0)], &[]);
    scene.dispensers = cells(&[(0, 2)]);
    scene.perceive(None);
    let (frame, at) = scene.place(A);
    scene.acted(A, &Action::Move(Direction::East));
    scene.agents[0] = Cell::new(1, 0);
    scene.after(1);
    assert_eq!(scene.place(A), (frame, at + Cell::new(1, 0)));
    scene.acted(A, &Action::Skip);
    scene.dispensers = cells(&[(1, 1)]);
    scene.after(1);
    assert_ne!(scene.place(A).0, frame, "the map is of another place");
}

/// A scene in which the first agent took a block to its south.
fn carrier() -> Scene {
    let mut scene = Scene::new(&[(0, 0)], &WALLS).holding(&[]);
    scene.perceive(None);
    scene.acted(A, &Action::Attach(Direction::South));
    scene = scene.holding(&[(0, 1)]);
    scene.step += 1;
    scene.perceive(Some(&Action::Attach(Direction::South)));
    assert_eq!(scene.blocks(A), [SOUTH]);
    scene
}

#[test]
fn what_hangs_on_an_agent_is_seen_again() {
    let detach = Action::Detach(Direction::South);
    let (east, turn) = (Action::Attach(Direction::East), Action::Rotate(Rotation::Cw));
    // What was sent and not seen, what is there afterwards, and what of it is the agent's.
    for (sent, there, held, mine) in [
        (&Action::Skip, &[(0, 1)][..], &[(0, 1)][..], &[(0, 1)][..]),
        (&Action::Skip, &[], &[], &[]),
        (&turn, &[(-1, 0)], &[(-1, 0)], &[(-1, 0)]),
        (&turn, &[(0, 1)], &[(0, 1)], &[(0, 1)]),
        (&detach, &[(0, 1)], &[], &[]),
        (&east, &[(0, 1), (1, 0)], &[(0, 1), (1, 0)], &[(0, 1), (1, 0)]),
        (&east, &[(0, 1), (1, 0)], &[(0, 1)], &[(0, 1)]),
    ] {
        let mut scene = carrier();
        scene.acted(A, sent);
        scene = scene.holding(there);
        scene.attached = cells(held);
        scene.after(2);
        let mut blocks = scene.blocks(A);
        blocks.sort_unstable_by_key(|cell| (cell.x, cell.y));
        assert_eq!(blocks, cells(mine), "after {sent}, there {there:?}, held {held:?}");
    }
}

#[test]
fn what_a_killed_daemon_let_it_take_or_turn_is_seen_too() {
    for there in [&[(0, 1)][..], &[(1, 0)], &[(0, -1)], &[(0, 1), (0, 2)], &[(0, 1), (-1, 0)]] {
        let mut scene = carrier();
        scene.restored();
        scene = scene.holding(there);
        scene.after(3);
        let mut blocks = scene.blocks(A);
        blocks.sort_unstable_by_key(|cell| (-cell.x, cell.y));
        assert_eq!(blocks, cells(there));
    }
}

#[test]
fn a_block_beside_two_agents_is_taken_for_nobodys() {
    let mut scene = Scene::new(&[(0, 0), (0, 2)], &WALLS);
    scene.perceive(None);
    scene.restored();
    scene = scene.holding(&[(0, 1)]);
    scene.after(2);
    assert_eq!((scene.blocks(A), scene.blocks(B)), (vec![], vec![]));
}

#[test]
fn agents_that_were_linked_while_nobody_looked_hang_on_each_other() {
    let mut scene = Scene::new(&[(0, 0), (0, 3)], &WALLS);
    scene.perceive(None);
    assert_eq!(scene.place(A).0, scene.place(B).0, "they see each other");
    scene.restored();
    scene = scene.holding(&[(0, 1), (0, 2)]);
    scene.attached.extend(scene.agents.clone());
    scene.after(1);
    assert_eq!(scene.world.crew(A), [(Cell::new(0, 3), B)]);
    assert_eq!(scene.blocks(A), cells(&[(0, 1), (0, 2)]));
    // The one that moves takes the other along.
    let at = scene.place(B).1;
    scene.agents[1] = scene.agents[1] + SOUTH;
    scene = scene.holding(&[(0, 2), (0, 3)]);
    scene.moved(Direction::South);
    assert_eq!(scene.place(B).1, at + SOUTH);
}

#[test]
fn agents_that_let_go_of_each_other_while_nobody_looked_are_two() {
    let mut scene = Scene::new(&[(0, 0), (0, 2)], &WALLS).holding(&[(0, 1)]);
    scene.attached.extend(scene.agents.clone());
    scene.perceive(None);
    scene.step += 1;
    scene.perceive(None);
    assert_eq!(scene.world.crew(A).len(), 1);
    scene.acted(B, &Action::Detach(Direction::North));
    scene.attached = cells(&[(0, 1)]);
    scene.after(2);
    assert_eq!((scene.world.crew(A), scene.world.crew(B)), (vec![], vec![]));
    assert_eq!((scene.blocks(A), scene.blocks(B)), (vec![SOUTH], vec![]));
}

/// Two agents that hang on each other, and the step in which everybody saw it.
fn linked() -> Scene {
    let mut scene = Scene::new(&[(0, 0), (0, 3)], &WALLS).holding(&[(0, 1), (0, 2)]);
    scene.attached.extend(scene.agents.clone());
    scene.perceive(None);
    scene.step += 1;
    scene.perceive(None);
    assert_eq!(scene.world.crew(A), [(Cell::new(0, 3), B)]);
    scene
}

impl Scene {
    /// The first moves south with all that hangs on it.
    fn pull(&mut self) {
        self.acted(A, &Action::Move(Direction::South));
        self.step += 1;
        let cells = self.agents.iter_mut().chain(&mut self.attached);
        let cells = cells.chain(self.blocks.iter_mut().map(|(cell, _)| cell));
        cells.for_each(|cell| *cell = *cell + SOUTH);
    }

    /// What an agent perceives now; the first one moved.
    fn seen_by(&self, agent: AgentId) -> Percept {
        self.percept(agent, Some(&Action::Move(Direction::South)).filter(|_| agent == A))
    }

    /// Percepts arrive, of this agent alone.
    fn arrives(&mut self, agent: AgentId, percept: Percept) {
        let turn = Turn::new(0, percept.step);
        self.world.observe(turn, agent, percept);
        self.world.settle(turn);
    }

    fn offset(&self) -> Cell {
        let ((frame, at), (other, there)) = (self.place(A), self.place(B));
        assert_eq!(frame, other, "they are on one map");
        there - at
    }
}

#[test]
fn a_late_percept_that_tells_of_a_move_moves_no_one_who_has_seen_it_already() {
    let mut scene = linked();
    scene.pull();
    let late = scene.seen_by(A);
    scene.arrives(B, scene.seen_by(B));
    scene.arrives(A, late);
    assert_eq!(scene.offset(), Cell::new(0, 3));
}

#[test]
fn late_percepts_are_of_places_to_which_others_had_not_carried_the_agent_yet() {
    let mut scene = linked();
    let mut late = Vec::new();
    for _ in 0..3 {
        scene.pull();
        late.push(scene.seen_by(B));
        scene.arrives(A, scene.seen_by(A));
    }
    let counts = scene.world.counts();
    for percept in late {
        scene.arrives(B, percept);
        assert_eq!(scene.offset(), Cell::new(0, 3), "where it is by now");
    }
    assert_eq!(scene.world.counts(), counts, "no agent was lost, corrected or in doubt");
    // The map is of the same place: both see the walls where they are.
    let known = |agent| scene.world.known(agent).filter(|(_, wall, _)| *wall).count();
    assert_eq!((known(A), known(B)), (WALLS.len(), WALLS.len()));
}

/// Two pairs far from each other, A with C and D with B, on ground without anything to tell one from
/// the other. `knows`: everybody perceived the first step, in which the ground differed. Then A and D
/// go three steps to the north, and only `heard` are heard. Returns the maps that were joined since.
fn joined(knows: bool, heard: &[AgentId]) -> u32 {
    let agents = [(0, 0), (40, 0), (2, 0), (38, 0)];
    let mut scene = Scene::new(&agents, &[(1, 1)]);
    if knows {
        scene.perceive(None);
        assert_eq!((scene.place(A).0, scene.place(B).0), (scene.place(C).0, scene.place(D).0));
    }
    scene.walls.clear();
    let (joins, north) = (scene.world.counts().joins, Action::Move(Direction::North));
    for _ in 0..3 {
        [A, D].into_iter().for_each(|agent| scene.acted(agent, &north));
        scene.step += 1;
        for agent in [A, D] {
            scene.agents[agent.index()] = scene.agents[agent.index()] + Direction::North.vector();
        }
        let turn = Turn::new(0, scene.step);
        for agent in heard {
            let last = Some(&north).filter(|_| [A, D].contains(agent));
            scene.world.observe(turn, *agent, scene.percept(*agent, last));
        }
        scene.world.settle(turn);
    }
    scene.world.counts().joins - joins
}

#[test]
fn who_is_seen_again_and_again_may_be_a_mate_that_is_not_heard() {
    // To A, C and B look the same. C's place is known, and C is silent.
    assert_eq!(joined(true, &[A, B]), 0);
    // B sees D, and knows it.
    assert_eq!(joined(true, &[A, B, D]), 0);
    // B sees D, and does not know it; A's mate was never heard.
    assert_eq!(joined(false, &[A, B, D]), 0);
}

#[test]
fn who_is_seen_again_and_again_and_can_be_no_other_is_that_agent() {
    assert_eq!(joined(false, &[A, C]), 1);
}
