//! What the agent believes: facts, what follows from them, and what is worth doing.
//!
//! - `chart`: facts. `infer`: probabilities of everything else. `lore`: how common things are.
//! - `route`: ways. `hope`: what the unknown is worth. `plan`: options with risks and values.
//! - `query` and `view`: what scripts ask, and how it looks to them. `draw`: what people see.
//! - `frame`: dense rectangles. `saved`: the belief as bytes, and what a daemon that was started again
//!   meets.
//!
//! Everything is exact or bounded by numbers of tiles and states, never by time: the same percepts
//! give the same answers on every machine.

mod chart;
pub(crate) mod draw;
mod frame;
mod hope;
mod infer;
mod lore;
mod marks;
mod plan;
mod query;
mod route;
mod saved;
mod view;

pub use chart::{Fact, TileChart};
pub use frame::ChartFrame;
pub use infer::{Belief, Beliefs, Evidence, infer};
pub use lore::{Rates, TileTally};
pub use plan::{Choice, Planner, Purpose, Situation};
pub(crate) use query::OPTIONS_MAX;
pub use route::{Back, FAR, RouteCosts};

use crate::action::Action;
use crate::percept::{Briefing, Percept};
use crate::rules::{BoundsMean, Cell, Neighbourhood, ScoreLimitMode, TurnAction};
use crate::session::{BoundsOption, ClientOptions, IDLE_TURNS_MAX, NeighbourhoodOption};
use crate::wire::Symbol;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    ActionError, AgentId, AgentState, Met, Picture, QueryError, RestoreError, Roster, Said, Turn,
    Value,
};
use std::sync::Arc;

/// The belief about the running simulation, and what earlier ones taught.
#[derive(Clone, Debug)]
pub struct World {
    options: ClientOptions,
    /// The agent that plays; others of the roster see the same.
    agent: AgentId,
    name: String,
    round: Option<u32>,
    /// What earlier simulations showed.
    lore: TileTally,
    /// How far Hostility and Fear reach, as far as percepts agree.
    around: Neighbourhood,
    /// Whether bounds are the border ring, once that is known.
    border: Option<bool>,
    simulation: Option<RunningSimulation>,
    /// It was restored, and has perceived nothing since.
    is_restored: bool,
}

#[derive(Clone, Debug)]
struct RunningSimulation {
    opening: Briefing,
    chart: TileChart,
    /// The newest percept, and how many actions were before it.
    percept: Percept,
    step: u32,
    mind: Arc<Inference>,
    /// Turns left in a row.
    idle: u32,
    /// Symbols that the simulator shows.
    shown: SortedMap<Cell, Symbol>,
}

/// What follows from a version of the chart.
#[derive(Clone, Debug)]
struct Inference {
    version: u64,
    beliefs: Beliefs,
    rates: Rates,
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new(roster: &Roster, options: ClientOptions) -> Self {
        let around = match options.neighbourhood {
            NeighbourhoodOption::Learn => Neighbourhood::Four,
            NeighbourhoodOption::Always(around) => around,
        };
        let border = match options.bounds {
            BoundsOption::Learn => None,
            BoundsOption::Always(mean) => Some(mean == BoundsMean::Border),
        };
        let agent = roster.ids().next().unwrap_or(AgentId(0));
        Self {
            options,
            agent,
            name: roster.name(agent).to_owned(),
            round: None,
            lore: TileTally::default(),
            around,
            border,
            simulation: None,
            is_restored: false,
        }
    }

    /// What is believed about the tiles; `None` between simulations.
    #[must_use]
    pub fn beliefs(&self) -> Option<&Beliefs> {
        self.simulation.as_ref().map(|simulation| &simulation.mind.beliefs)
    }

    /// The facts; `None` between simulations.
    #[must_use]
    pub fn chart(&self) -> Option<&TileChart> {
        self.simulation.as_ref().map(|simulation| &simulation.chart)
    }

    /// How common things are taken to be.
    #[must_use]
    pub fn rates(&self) -> Option<&Rates> {
        self.simulation.as_ref().map(|simulation| &simulation.mind.rates)
    }

    /// All options, the best first; empty between simulations.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        self.with_planner(|planner| planner.choices()).unwrap_or_default()
    }

    /// Asks a planner for the present situation.
    fn with_planner<T>(&self, ask: impl FnOnce(&Planner<'_>) -> T) -> Option<T> {
        let simulation = self.simulation.as_ref()?;
        let homes = simulation.homes();
        let rules = &simulation.opening.rules;
        let ledger = &simulation.percept.ledger;
        let by_cost = rules.cost_limit.map(|limit| limit.saturating_sub(ledger.cost));
        let floor = rules.score_limit.filter(|_| self.options.score_limit == ScoreLimitMode::Lower);
        let by_score = floor.map(|limit| {
            u32::try_from(i64::from(ledger.score) - i64::from(limit)).unwrap_or_default()
        });
        let chart = &simulation.chart;
        let enemies = rules.counts.enemies.filter(|_| chart.kills_exact);
        let planner = Planner::new(Situation {
            beliefs: &simulation.mind.beliefs,
            rules,
            ledger,
            senses: simulation.percept.senses,
            pose: chart.pose,
            homes: &homes,
            budget: by_cost.into_iter().chain(by_score).min(),
            last_enemy: enemies.is_some_and(|all| all == chart.kills.saturating_add(1)),
        });
        Some(ask(&planner))
    }

    /// Draws conclusions from facts that are new.
    fn conclude(&mut self) {
        let Some(simulation) = &mut self.simulation else { return };
        self.border = simulation.chart.border;
        if simulation.mind.version == simulation.chart.version {
            return;
        }
        let mut tally = self.lore;
        tally.add(&simulation.mind.beliefs.tally);
        let rates = Rates::learned(&tally);
        let think = |around: Neighbourhood| {
            let (chart, rules) = (&simulation.chart, &simulation.opening.rules);
            infer(&Evidence { chart, rules, around, rates: &rates })
        };
        let mut beliefs = think(self.around);
        let learns = self.options.neighbourhood == NeighbourhoodOption::Learn;
        if beliefs.contradiction && learns && self.around == Neighbourhood::Four {
            let wider = think(Neighbourhood::Eight);
            if !wider.contradiction {
                self.around = Neighbourhood::Eight;
                beliefs = wider;
            }
        }
        let version = simulation.chart.version;
        simulation.mind = Arc::new(Inference { version, beliefs, rates });
    }

    /// The end of a simulation: what it showed is kept.
    fn close(&mut self) {
        if let Some(simulation) = self.simulation.take() {
            self.lore.add(&simulation.mind.beliefs.tally);
        }
    }
}

impl RunningSimulation {
    fn new(opening: &Briefing, border: Option<bool>, first: Percept) -> Self {
        let rates = Rates::learned(&TileTally::default());
        Self {
            opening: Arc::clone(opening),
            chart: TileChart::new(opening, border),
            percept: first,
            step: 0,
            mind: Arc::new(Inference { version: u64::MAX, beliefs: Beliefs::default(), rates }),
            idle: 0,
            shown: SortedMap::new(),
        }
    }

    /// Homes that are known.
    fn homes(&self) -> Vec<Cell> {
        let home = |(at, fact): (Cell, &Fact)| (fact.home == Some(true)).then_some(at);
        self.chart.iter().filter_map(home).collect()
    }

    fn observe(&mut self, step: u32, percept: Percept, around: Neighbourhood) {
        // A restored world may receive a percept again; the agent moved only once.
        if step == self.step && percept == self.percept && percept.after.is_some() {
            return;
        }
        let (mind, rules) = (Arc::clone(&self.mind), &self.opening.rules);
        let possible = |at: Cell| mind.beliefs.at(at, &mind.rates).enemy > 0.0;
        self.chart.observe(&percept, rules, around, &possible);
        let idle = percept.after == Some(TurnAction::TurnLeft);
        self.idle = if idle { self.idle.saturating_add(1) } else { 0 };
        (self.percept, self.step) = (percept, step);
    }
}

impl phalanx_game::World for World {
    type Briefing = Briefing;
    type Percept = Percept;
    type Action = Action;

    fn begin(&mut self, round: u32, agent: AgentId, briefing: Option<&Briefing>) {
        // An opening is sent once, at the beginning. A later one belongs to another simulation, even
        // if the round has the same number. But a team that was made anew in the middle of one hears
        // of its opening once more.
        let is_its = |opening: &Briefing| {
            self.simulation.as_ref().is_some_and(|simulation| {
                simulation.opening == *opening && (simulation.step == 0 || self.is_restored)
            })
        };
        let anew = briefing.is_some_and(|opening| agent == self.agent && !is_its(opening));
        if self.round == Some(round) && !anew {
            return;
        }
        self.close();
        self.round = Some(round);
        let Some(opening) = briefing else { return };
        let ledger = crate::rules::ScoreAccount::new(&opening.rules, opening.first);
        let first = Percept { senses: opening.first, after: None, ledger };
        self.simulation = Some(RunningSimulation::new(opening, self.border, first));
        self.conclude();
    }

    fn observe(&mut self, turn: Turn, _agent: AgentId, percept: Percept) {
        let around = self.around;
        self.is_restored = false;
        if let Some(simulation) = &mut self.simulation {
            simulation.observe(turn.step, percept, around);
        }
        self.conclude();
    }

    fn settle(&mut self, _turn: Turn) {}

    fn acted(&mut self, _turn: Turn, agent: AgentId, action: &Action) {
        let Some(simulation) = self.simulation.as_mut().filter(|_| agent == self.agent) else {
            return;
        };
        if action.notes.clear {
            simulation.shown.clear();
        }
        for mark in &action.notes.marks {
            if mark.symbol == Symbol::None {
                simulation.shown.remove(&mark.at);
            } else {
                simulation.shown.insert(mark.at, mark.symbol);
            }
        }
    }

    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        self.simulation.as_ref().filter(|_| agent == self.agent)?.percept.field(name)
    }

    fn query(&self, _agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        query::answer(self, name, args)
    }

    fn parse(&self, _agent: AgentId, said: &Said) -> Result<Action, ActionError> {
        Action::from_said(said)
    }

    /// A left turn is harmless. After several fallbacks in a row the agent ends, since no script
    /// decides any more.
    fn fallback(&self, _agent: AgentId) -> Action {
        let idle = self.simulation.as_ref().map_or(0, |simulation| simulation.idle);
        Action::from(if idle >= IDLE_TURNS_MAX {
            TurnAction::ShutOff
        } else {
            TurnAction::TurnLeft
        })
    }

    fn score(&self) -> Option<i64> {
        self.simulation.as_ref().map(|simulation| simulation.percept.ledger.score.into())
    }

    fn state(&self, agent: AgentId) -> AgentState {
        let Some(simulation) = self.simulation.as_ref().filter(|_| agent == self.agent) else {
            return AgentState::default();
        };
        let pose = simulation.chart.pose;
        let summary = format!("({}, {}) {}", pose.at.x, pose.at.y, pose.heading.word());
        let senses = &simulation.percept.senses;
        let last_result = match (senses.bump, senses.neutralized, senses.end) {
            (true, ..) => "bump",
            (_, true, _) => "hit",
            (.., true) => "over",
            (false, false, false) => "",
        };
        AgentState { summary, last_result: last_result.to_owned() }
    }

    fn draw(&self) -> Picture {
        self.simulation
            .as_ref()
            .map(|simulation| draw::picture(self, simulation))
            .unwrap_or_default()
    }

    fn save(&self) -> Vec<u8> {
        saved::save(self)
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        saved::restore(self, saved)
    }

    fn recognize(&self, _agent: AgentId, met: Met<'_, Briefing, Percept>) -> Result<(), String> {
        saved::recognize(self, met)
    }

    fn goes_on_in(&self, _agent: AgentId, next: &Briefing) -> bool {
        saved::goes_on_in(self, next)
    }
}
