//! A strategy on a copy of what its team sees: for trials and for looking on.

use crate::check::Blind;
use crate::migrate::Carrier;
use crate::{Limits, LoadError, LuaBrain};
use phalanx_engine::{
    Ask, Brain, BrainError, Carry, LogLine, Memory, Outcome, Params, Ran, Scene, Shared, Staged,
    TeamLink, View,
};
use phalanx_game::{AgentId, Api, Oracle, QueryError, Said, Turn, Value};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A strategy in a VM of its own that plays on a copy of a team's board, parameters, roles and
/// memories, in worlds of turns that were. Whatever its scripts do changes the copy alone. It stays
/// on the thread that made it.
#[derive(Debug)]
pub struct Replica {
    brain: LuaBrain,
    world: Rc<SceneOracle>,
    shared: Rc<RefCell<Shared>>,
    scene: Option<Arc<Scene>>,
}

/// The world of the scene that is looked at.
struct SceneOracle(RefCell<Arc<dyn Oracle + Send + Sync>>);

impl std::fmt::Debug for SceneOracle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Past").finish_non_exhaustive()
    }
}

impl Oracle for SceneOracle {
    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        self.0.borrow().field(agent, name)
    }

    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        self.0.borrow().query(agent, name, args)
    }
}

impl Replica {
    /// Loads a generation on a copy. Its agents remember nothing until
    /// [`remember`](Self::remember) or [`refresh`](Self::refresh).
    ///
    /// # Errors
    /// As [`LuaBrain::new`].
    pub fn new(
        view: &View,
        api: &'static Api,
        staged: &Staged,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let scene = view.scenes.last().cloned();
        let oracle = scene.as_ref().map_or(Arc::new(Blind) as Arc<_>, |scene| scene.oracle.clone());
        let world = Rc::new(SceneOracle(RefCell::new(oracle)));
        let mut shared = Shared::new(view.board.clone(), view.roles.clone());
        shared.params = view.params.clone();
        shared.params.forget_declarations();
        let shared = Rc::new(RefCell::new(shared));
        let link = TeamLink {
            roster: Arc::clone(&view.roster),
            api,
            oracle: world.clone(),
            shared: Rc::clone(&shared),
            seed: view.seed,
        };
        let brain = LuaBrain::new(link, staged, limits)?;
        Ok(Self { brain, world, shared, scene })
    }

    /// Gives the agents these memories as a swap would, `migrate` included. Returns what would
    /// refuse a strict swap; those agents begin anew here.
    pub fn remember(&mut self, memories: &[Memory], carry: Carry) -> Vec<BrainError> {
        let due = Instant::now() + self.brain.now.host.limits.load;
        self.brain.forget();
        let next = &self.brain.now;
        let advises = match carry {
            Carry::Strict => true,
            Carry::Loose => false,
            Carry::Forget => return Vec::new(),
        };
        let carrier = Carrier { next, timer: &self.brain.timer, spare: None, advises, due };
        let mut refusals = Vec::new();
        let mut writers = Vec::new();
        for memory in memories {
            let rest = || (None, memory.data.clone().err().into_iter().collect());
            match carrier.carry(memory, &rest) {
                Ok(writer) => writers.push((memory.agent, writer)),
                Err(refusal) => refusals.push(refusal),
            }
        }
        self.brain.writers.extend(writers);
        refusals
    }

    /// Looks at the team as it is now: its last turn, board, parameters, roles and memories. What
    /// scripts keep in variables stays. Returns what could not be remembered.
    pub fn refresh(&mut self, view: &View) -> Vec<BrainError> {
        {
            let mut shared = self.shared.borrow_mut();
            shared.board = view.board.clone();
            shared.params = view.params.clone();
            shared.roles.clone_from(&view.roles);
        }
        self.scene = view.scenes.last().cloned();
        if let Some(scene) = &self.scene {
            *self.world.0.borrow_mut() = Arc::clone(&scene.oracle);
        }
        self.remember(&view.memories, Carry::Strict)
    }

    /// The team's `plan` before there is a turn: nothing is known of the world.
    pub fn plan_blind(&mut self, budget: Duration) -> Outcome<()> {
        self.brain.plan(&ask(None, AgentId(0), budget))
    }

    /// The `decide` of the agent's role before there is a turn.
    pub fn decide_blind(&mut self, agent: AgentId, budget: Duration) -> Outcome<Said> {
        self.brain.decide(&ask(None, agent, budget))
    }

    /// The team's `plan`, in that turn.
    pub fn plan(&mut self, scene: &Arc<Scene>, budget: Duration) -> Outcome<()> {
        self.enter(scene);
        let agent = scene.present.first().copied().unwrap_or(AgentId(0));
        self.brain.plan(&ask(Some(scene), agent, budget))
    }

    /// The `start` of the agent's role, in that turn.
    pub fn start(&mut self, scene: &Arc<Scene>, agent: AgentId, budget: Duration) -> Outcome<()> {
        self.enter(scene);
        self.brain.start(&ask(Some(scene), agent, budget))
    }

    /// The `decide` of the agent's role, in that turn.
    pub fn decide(
        &mut self,
        scene: &Arc<Scene>,
        agent: AgentId,
        budget: Duration,
    ) -> Outcome<Said> {
        self.enter(scene);
        self.brain.decide(&ask(Some(scene), agent, budget))
    }

    /// Runs a piece of script as an agent in the last turn, as [`Brain::run`] does in the living
    /// VM. What it assigns to names that are not local is there the next time.
    pub fn eval(&mut self, agent: AgentId, code: &str, budget: Duration) -> Outcome<Ran> {
        let scene = self.scene.clone();
        self.brain.run(&ask(scene.as_deref(), agent, budget), code)
    }

    /// Gives an agent another role.
    pub fn set_role(&mut self, agent: AgentId, role: &str) {
        self.shared.borrow_mut().set_role(agent, role);
    }

    /// What the scripts logged since the last time.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        self.shared.borrow_mut().take_log().0
    }

    /// The parameters that the scripts declared so far.
    #[must_use]
    pub fn params(&self) -> Params {
        self.shared.borrow().params.clone()
    }

    /// What the agents remember in this copy.
    pub fn memories(&mut self) -> Vec<Memory> {
        self.brain.memories()
    }

    /// The brain itself, for what else a trial wants to know.
    #[must_use]
    pub fn brain(&self) -> &LuaBrain {
        &self.brain
    }

    /// A turn that was becomes the present one: its world, and the marks of the one before vanish.
    fn enter(&mut self, scene: &Arc<Scene>) {
        let is_new = self.scene.as_ref().is_none_or(|now| !Arc::ptr_eq(now, scene));
        if is_new {
            *self.world.0.borrow_mut() = Arc::clone(&scene.oracle);
            self.shared.borrow_mut().advance(scene.tick);
            self.scene = Some(Arc::clone(scene));
        }
    }
}

fn ask(scene: Option<&Scene>, agent: AgentId, budget: Duration) -> Ask<'_> {
    Ask {
        turn: scene.map_or_else(Turn::default, |scene| scene.turn),
        tick: scene.map_or(0, |scene| scene.tick),
        agent,
        present: scene.map_or(&[], |scene| &scene.present),
        budget,
        time_left: budget,
    }
}
