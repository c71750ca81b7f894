//! What the team believes. Nothing is hidden in this game, so belief is the newest scene; the work
//! is in looking ahead: the forward model, danger in time, escape, ways.
//!
//! - `forecast`: which cells burn when. `escape`: ways through space and time.
//! - `walk`: ways through space. `query` and `view`: what scripts ask, and how it looks to them.
//! - `draw`: what people see. `saved`: the belief as bytes, and what a daemon that was started again
//!   meets.

pub(crate) mod draw;
mod escape;
mod forecast;
mod query;
mod saved;
mod view;
mod walk;

pub use escape::{EscapeRoute, escape};
pub use forecast::{DangerForecast, DangerLevel, HORIZON};
pub use walk::{WalkCosts, walk};

use crate::action::Action;
use crate::percept::{Briefing, Percept, TickScene};
use crate::rules::{
    EventSink, ForwardChance, GameParams, GameState, TickEvent, UnitIndex, UnitOrder, step,
};
use crate::search::{SearchOptions, SearchResult, search};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    ActionError, AgentId, AgentState, Met, Picture, QueryError, RestoreError, Roster, Said, Turn,
    Value,
};
use std::cell::RefCell;
use std::sync::Arc;

/// The team's belief about one game.
#[derive(Clone, Debug)]
pub struct World {
    roster: Roster,
    round: Option<u32>,
    briefings: SortedMap<AgentId, Briefing>,
    /// The rules, as far as any percept of the game contained them.
    rules: Option<GameParams>,
    percepts: SortedMap<AgentId, Percept>,
    cache: RefCell<QueryCache>,
}

/// Answers that are kept until the next tick.
#[derive(Clone, Debug, Default)]
struct QueryCache {
    forecast: Option<Arc<DangerForecast>>,
    walks: SortedMap<AgentId, Arc<WalkCosts>>,
    /// The last search: units of a team that ask the same share one.
    search: Option<(SearchOptions, Arc<SearchResult>)>,
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new(roster: &Roster) -> Self {
        Self {
            roster: roster.clone(),
            round: None,
            briefings: SortedMap::new(),
            rules: None,
            percepts: SortedMap::new(),
            cache: RefCell::default(),
        }
    }

    /// The newest scene that anybody perceived.
    #[must_use]
    pub fn scene(&self) -> Option<&Arc<TickScene>> {
        self.percepts.values().map(|percept| &percept.scene).max_by_key(|scene| scene.state.tick)
    }

    /// What comes of orders: entry `(n, order)` is executed in the `n`th tick from now, from 1.
    /// Events go to the sink.
    pub fn simulate<S: EventSink>(
        scene: &TickScene,
        orders: &[(u32, UnitOrder)],
        ticks: u32,
        luck: &mut ForwardChance,
        sink: &mut S,
    ) -> GameState {
        let mut state = scene.state.clone();
        let mut due = Vec::new();
        for tick in 1..=ticks {
            due.clear();
            due.extend(orders.iter().filter(|(at, _)| *at == tick).map(|(_, order)| *order));
            step(&scene.board, &mut state, luck, &mut due, sink);
        }
        state
    }

    fn forecast(&self, scene: &TickScene) -> Arc<DangerForecast> {
        let mut cache = self.cache.borrow_mut();
        Arc::clone(cache.forecast.get_or_insert_with(|| Arc::new(DangerForecast::new(scene, None))))
    }

    fn walk(&self, agent: AgentId, scene: &TickScene, unit: UnitIndex) -> Option<Arc<WalkCosts>> {
        let from = scene.state.unit(unit)?.cell;
        let mut cache = self.cache.borrow_mut();
        let walk = cache.walks.entry(agent).or_insert_with(|| Arc::new(walk(scene, from, None)));
        Some(Arc::clone(walk))
    }

    /// The result of a search; the same question is answered once in a tick.
    fn search(&self, scene: &TickScene, options: SearchOptions) -> Arc<SearchResult> {
        let mut cache = self.cache.borrow_mut();
        if let Some((_, result)) = cache.search.as_ref().filter(|(asked, _)| *asked == options) {
            return Arc::clone(result);
        }
        let result = Arc::new(search(scene, &options));
        cache.search = Some((options, Arc::clone(&result)));
        result
    }

    /// The name of our agent that is this unit.
    fn agent_of(&self, unit: UnitIndex) -> Option<&str> {
        let found = self.percepts.iter().find(|(_, percept)| percept.unit == Some(unit));
        found.map(|(agent, _)| self.roster.name(*agent))
    }

    /// A session that met the game in its middle knows less of its rules than was known before.
    fn learn_rules(&mut self, percept: &mut Percept) {
        let met = percept.scene.board.params;
        let rules = self.rules.map_or(met, |known| met.or(&known));
        self.rules = Some(rules);
        if rules != met {
            let mut scene = TickScene::clone(&percept.scene);
            Arc::make_mut(&mut scene.board).params = rules;
            percept.scene = Arc::new(scene);
        }
    }

    fn forget(&mut self, round: u32) {
        *self = Self { round: Some(round), ..Self::new(&self.roster) };
    }
}

impl phalanx_game::World for World {
    type Briefing = Briefing;
    type Percept = Percept;
    type Action = Action;

    fn begin(&mut self, round: u32, agent: AgentId, briefing: Option<&Briefing>) {
        if self.round != Some(round) {
            self.forget(round);
        }
        if let Some(briefing) = briefing {
            self.briefings.insert(agent, briefing.clone());
        }
    }

    fn observe(&mut self, turn: Turn, agent: AgentId, mut percept: Percept) {
        if self.round != Some(turn.round) {
            self.forget(turn.round);
        }
        self.learn_rules(&mut percept);
        self.percepts.insert(agent, percept);
        self.cache = RefCell::default();
    }

    fn settle(&mut self, _turn: Turn) {}

    fn acted(&mut self, _turn: Turn, _agent: AgentId, _action: &Action) {}

    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        self.percepts.get(&agent)?.field(name)
    }

    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        query::answer(self, agent, name, args)
    }

    fn parse(&self, _agent: AgentId, said: &Said) -> Result<Action, ActionError> {
        Action::from_said(said)
    }

    fn fallback(&self, _agent: AgentId) -> Action {
        Action::Wait
    }

    /// Own lives minus those of the enemies: the referee keeps no score before the end.
    fn score(&self) -> Option<i64> {
        let scene = self.scene()?;
        let lives = |unit: &crate::rules::Unit| {
            let hp = i64::from(unit.hp.max(0));
            if unit.agent == scene.agent { hp } else { -hp }
        };
        Some(scene.state.units().iter().map(lives).sum())
    }

    fn state(&self, agent: AgentId) -> AgentState {
        let Some(percept) = self.percepts.get(&agent) else { return AgentState::default() };
        let Some(body) = percept.body() else {
            return AgentState { summary: "no unit".to_owned(), ..AgentState::default() };
        };
        let (x, y) = percept.scene.board.place(body.cell);
        let name = percept.unit.and_then(|unit| percept.scene.board.unit(unit));
        let name = name.map_or("?", |unit| unit.name.as_str());
        let summary = if body.alive() {
            format!("{name} ({x}, {y}) hp {}", body.hp)
        } else {
            format!("{name} dead at ({x}, {y})")
        };
        let frozen = body.frozen(percept.scene.state.tick.max(1));
        let summary = if frozen && body.alive() { summary + " frozen" } else { summary };
        let last_result = match percept.done {
            Some(true) => "done",
            Some(false) => "not done",
            None => "",
        };
        AgentState { summary, last_result: last_result.to_owned() }
    }

    fn draw(&self) -> Picture {
        draw::picture(self)
    }

    fn save(&self) -> Vec<u8> {
        saved::save(self)
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        saved::restore(self, saved)
    }

    fn recognize(&self, agent: AgentId, met: Met<'_, Briefing, Percept>) -> Result<(), String> {
        saved::recognize(self, agent, met)
    }
}

/// The cells that the explosions of a tick reached, if a unit can stand there: a blast that was due
/// is gone again at the tick's end, though it hurt.
fn hit_cells(events: &[TickEvent]) -> impl Iterator<Item = crate::rules::CellIndex> {
    events.iter().filter_map(|event| match event {
        TickEvent::Spawned(cell, entity) if entity.kind == crate::rules::EntityKind::Fire => {
            Some(*cell)
        }
        TickEvent::Changed(cell, entity) if entity.kind.walkable() => Some(*cell),
        TickEvent::Spawned(..)
        | TickEvent::Changed(..)
        | TickEvent::Done(_)
        | TickEvent::Unit(..)
        | TickEvent::Expired(_) => None,
    })
}
