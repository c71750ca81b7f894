//! A small game and a team of three for the tests.

use phalanx_engine::{
    Ask, Board, Brain, BrainError, Generation, LogLine, Memory, Outcome, Ran, RoundResult, Shared,
    Staged, StrategyOrigin, TeamLink,
};
use phalanx_game::{
    ActionDoc, AgentId, Api, FieldDoc, Kind, Oracle, ParamDoc, QueryDoc, QueryError, Roster,
    RosterEntry, Said, Turn, Value,
};
use phalanx_lua::{Bundle, Limits, LoadError, LuaBrain};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Long enough for every honest script on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_secs(5);

const fn param(name: &'static str, kind: Kind, optional: bool) -> ParamDoc {
    ParamDoc { name, kind, optional, doc: "" }
}

const fn field(name: &'static str, kind: Kind) -> FieldDoc {
    FieldDoc { name, kind, doc: "" }
}

const CARGO: &[FieldDoc] =
    &[field("kind", Kind::Str), field("count", Kind::Int { min: 0, max: 9 })];

pub(crate) static API: Api = Api {
    actions: &[
        ActionDoc { name: "skip", doc: "", params: &[] },
        ActionDoc {
            name: "move",
            doc: "",
            params: &[param("direction", Kind::Word(&["north", "south", "east", "west"]), false)],
        },
        ActionDoc {
            name: "goto",
            doc: "",
            params: &[
                param("cell", Kind::Cell, false),
                param("speed", Kind::Int { min: 1, max: 3 }, true),
                param("risk", Kind::Num, true),
            ],
        },
        ActionDoc {
            name: "give",
            doc: "",
            params: &[param("to", Kind::Agent, false), param("cargo", Kind::Table(CARGO), false)],
        },
        ActionDoc {
            name: "sing",
            doc: "",
            params: &[param("notes", Kind::List(&Kind::Int { min: 1, max: 7 }), false)],
        },
    ],
    percept: &[field("energy", Kind::Num), field("things", Kind::Any), field("task", Kind::Any)],
    queries: &[
        QueryDoc { name: "here", doc: "", params: &[], returns: Kind::Cell },
        QueryDoc {
            name: "near",
            doc: "",
            params: &[param("radius", Kind::Int { min: 0, max: 5 }, false)],
            returns: Kind::Any,
        },
    ],
};

/// A world where agent `i` is at (i, 10 + i) and has energy 100 - i.
#[derive(Debug, Default)]
pub(crate) struct Meadow {
    pub(crate) reads: Cell<u32>,
}

impl Oracle for Meadow {
    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        self.reads.set(self.reads.get() + 1);
        let thing = |x| Value::map([("x", Value::Int(x)), ("type", Value::from("block"))]);
        match name {
            "energy" => Some(Value::Num(100.0 - f64::from(agent.0))),
            "things" => Some(Value::List(vec![thing(1), thing(2), thing(3)])),
            _other => None,
        }
    }

    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        let at = i32::from(agent.0);
        match (name, args) {
            ("here", []) => Ok(Value::cell(at, 10 + at)),
            ("near", [Value::Int(5)]) => {
                Err(QueryError { query: "near".into(), reason: "the map is not joined".into() })
            }
            ("near", [Value::Int(4)]) => panic!("a mistake in the world"),
            ("near", [Value::Int(radius)]) => Ok(Value::List(vec![Value::Int(*radius); 2])),
            _other => Ok(Value::Nil),
        }
    }
}

/// A team of `a1` and `a2` (workers) and `a3` (scout) in the middle of a match.
pub(crate) struct Stage {
    pub(crate) brain: LuaBrain,
    pub(crate) shared: Rc<RefCell<Shared>>,
    pub(crate) meadow: Rc<Meadow>,
    pub(crate) tick: u64,
    pub(crate) budget: Duration,
}

pub(crate) const SKIP: &str = "return { decide = function(me) return act.skip() end }";

pub(crate) fn link(seed: u64) -> (TeamLink, Rc<Meadow>) {
    let agents = [("a1", "worker"), ("a2", "worker"), ("a3", "scout")];
    let entry = |(name, role): (&str, &str)| RosterEntry::new(name, role);
    let roster = Roster { team: "A".into(), agents: agents.map(entry).to_vec() };
    let roles = roster.agents.iter().map(|agent| agent.role.clone()).collect();
    let meadow = Rc::new(Meadow::default());
    let link = TeamLink {
        roster: Arc::new(roster),
        api: &API,
        oracle: meadow.clone(),
        shared: Rc::new(RefCell::new(Shared::new(Board::default(), roles))),
        seed,
    };
    (link, meadow)
}

pub(crate) fn bundle(files: &[(&str, &str)]) -> Arc<Bundle> {
    Arc::new(Bundle::from_files(files.iter().copied()).expect("the test's bundle is in order"))
}

/// A generation of that number, compiled.
pub(crate) fn staged(number: u32, files: &[(&str, &str)]) -> Result<Staged, LoadError> {
    let bundle = bundle(files);
    let generation = Generation {
        number,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    phalanx_lua::stage(bundle, Arc::new(generation))
}

impl Stage {
    pub(crate) fn try_new(files: &[(&str, &str)], limits: Limits) -> Result<Self, LoadError> {
        let (link, meadow) = link(7);
        let shared = Rc::clone(&link.shared);
        let brain = LuaBrain::new(link, &staged(1, files)?, limits)?;
        let mut stage = Self { brain, shared, meadow, tick: 0, budget: AMPLE };
        stage.next_turn();
        Ok(stage)
    }

    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::try_new(files, Limits::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The body of a worker's `decide`; the scout skips.
    pub(crate) fn worker(body: &str) -> Self {
        let source = format!("return {{ decide = function(me)\n{body}\nend }}");
        Self::new(&[("worker.luau", &source), ("scout.luau", SKIP)])
    }

    pub(crate) fn next_turn(&mut self) {
        self.tick += 1;
        self.shared.borrow_mut().advance(self.tick);
    }

    fn ask<T>(
        &mut self,
        agent: u16,
        call: impl FnOnce(&mut LuaBrain, &Ask<'_>) -> Outcome<T>,
    ) -> Result<T, BrainError> {
        self.outcome(agent, call).result
    }

    pub(crate) fn outcome<T>(
        &mut self,
        agent: u16,
        call: impl FnOnce(&mut LuaBrain, &Ask<'_>) -> Outcome<T>,
    ) -> Outcome<T> {
        let step = u32::try_from(self.tick).unwrap() - 1;
        let ask = Ask {
            turn: Turn::new(0, step),
            tick: self.tick,
            agent: AgentId(agent),
            present: &[AgentId(0), AgentId(1), AgentId(2)],
            budget: self.budget,
            time_left: self.budget * 2,
        };
        let outcome = call(&mut self.brain, &ask);
        assert!(outcome.spent > Duration::ZERO);
        outcome
    }

    /// Lets another generation decide.
    pub(crate) fn install(
        &mut self,
        number: u32,
        files: &[(&str, &str)],
    ) -> Result<Vec<Memory>, BrainError> {
        let staged = staged(number, files).unwrap_or_else(|error| panic!("{error}"));
        self.brain.install(&staged, None)
    }

    /// What an operator's piece of script gives, run as an agent.
    pub(crate) fn run(&mut self, agent: u16, code: &str) -> Result<Ran, BrainError> {
        self.ask(agent, |brain, ask| brain.run(ask, code))
    }

    pub(crate) fn decide(&mut self, agent: u16) -> Result<Said, BrainError> {
        self.ask(agent, |brain, ask| brain.decide(ask))
    }

    pub(crate) fn plan(&mut self) -> Result<(), BrainError> {
        self.ask(0, |brain, ask| brain.plan(ask))
    }

    pub(crate) fn start(&mut self, agent: u16) -> Result<(), BrainError> {
        self.ask(agent, |brain, ask| brain.start(ask))
    }

    pub(crate) fn finish(&mut self, agent: u16, score: i64) -> Result<(), BrainError> {
        let result = RoundResult { score, ranking: Some(1) };
        self.ask(agent, |brain, ask| brain.finish(ask, result))
    }

    /// The action as people read it, or the error with its place.
    pub(crate) fn say(&mut self, agent: u16) -> String {
        match self.decide(agent) {
            Ok(said) => said.to_string(),
            Err(error) => format!("{:?} {error}", error.kind),
        }
    }

    pub(crate) fn log(&mut self) -> Vec<String> {
        let text = |line: LogLine| line.text;
        self.shared.borrow_mut().take_log().0.into_iter().map(text).collect()
    }
}
