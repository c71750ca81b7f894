//! One agent in one world: what each action does (spec sections 7.3 to 7.6).

use super::{Act, Cell, Kind, Map, Neighbourhood, Pose, Rules, Senses};

/// How a score limit is meant (spec section 7.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreLimitMode {
    /// A target: the simulation ends when the score is at least this.
    #[default]
    Upper,
    /// A floor: it ends when the score is at most this.
    Lower,
}

/// What the handbook leaves open and the wire does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// How far Hostility and Fear reach.
    pub neighbourhood: Neighbourhood,
    /// How a score limit is meant.
    pub score_limit: ScoreLimitMode,
}

/// Why a simulation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The agent shut itself off.
    ShutOff,
    /// It entered a danger or an enemy's tile.
    Death,
    /// It has spent what it may.
    CostLimit,
    /// It has reached the score at which the simulation ends.
    ScoreLimit,
    /// The referee's safety net: too many actions.
    ActionLimit,
}

impl End {
    /// A word for records.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::ShutOff => "shut_off",
            Self::Death => "death",
            Self::CostLimit => "cost_limit",
            Self::ScoreLimit => "score_limit",
            Self::ActionLimit => "action_limit",
        }
    }
}

/// What an action led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the agent perceives.
    pub senses: Senses,
    /// Whether, and why, it is over.
    pub end: Option<End>,
}

/// A running simulation.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The rules that the agent was told.
    pub rules: Rules,
    /// What it was not told.
    pub terms: Terms,
    /// The world as it is now.
    pub map: Map,
    /// Where the agent is.
    pub pose: Pose,
    /// Spent so far.
    pub cost: u32,
    /// Score so far.
    pub score: i32,
    /// Shots left; `None` without limit.
    pub ammunition: Option<u16>,
    /// Items grabbed.
    pub items: u32,
    /// Enemies neutralized.
    pub kills: u32,
    /// Actions done.
    pub actions: u64,
    /// The end, once it has come.
    pub end: Option<End>,
}

impl Simulation {
    /// An agent at the start of a world, and what it perceives first.
    #[must_use]
    pub fn new(rules: Rules, terms: Terms, map: Map) -> (Self, Senses) {
        let pose = Pose { at: Cell::ZERO, heading: rules.heading };
        let mut simulation = Self {
            cost: rules.initial_cost,
            score: rules.initial_score,
            ammunition: rules.ammunition.map(|ammunition| ammunition.initial),
            terms,
            map,
            pose,
            items: 0,
            kills: 0,
            actions: 0,
            end: None,
            rules,
        };
        simulation.recharge();
        let senses = simulation.perceive();
        (simulation, senses)
    }

    /// Does an action, in the order of section 7.6: effect, cost, recharge, end, reward, percept.
    /// After the end nothing happens any more.
    pub fn act(&mut self, act: Act) -> Outcome {
        if let Some(end) = self.end {
            return Outcome { senses: Senses { end: true, ..Senses::default() }, end: Some(end) };
        }
        self.actions += 1;
        let (mut bump, mut neutralized) = (false, false);
        match act {
            Act::ShutOff => {}
            Act::Move => bump = !self.advance(),
            Act::TurnLeft => self.pose.heading = self.pose.heading.left(),
            Act::TurnRight => self.pose.heading = self.pose.heading.right(),
            Act::Grab => self.grab(),
            Act::Neutralize => neutralized = self.fire(),
        }
        let cost = self.rules.costs.of(act);
        self.cost = self.cost.saturating_add(cost.into());
        self.score = self.score.saturating_sub(cost.into());
        if self.map.tile(self.pose.at).deadly() {
            self.end = Some(End::Death);
            return Outcome { senses: Senses { end: true, ..Senses::default() }, end: self.end };
        }
        self.recharge();
        self.end = (act == Act::ShutOff).then_some(End::ShutOff).or_else(|| self.limit());
        if self.end.is_some() {
            self.reward_home();
        }
        let senses = Senses { bump, neutralized, end: self.end.is_some(), ..self.perceive() };
        Outcome { senses, end: self.end }
    }

    /// The referee ends it, as if by a limit.
    pub fn stop(&mut self) -> Outcome {
        if self.end.is_none() {
            self.end = Some(End::ActionLimit);
            self.reward_home();
        }
        Outcome { senses: Senses { end: true, ..self.perceive() }, end: self.end }
    }

    /// Whether a limit is reached.
    #[must_use]
    pub fn limit(&self) -> Option<End> {
        if self.rules.cost_limit.is_some_and(|limit| self.cost >= limit) {
            return Some(End::CostLimit);
        }
        let reached = |limit: i32| match self.terms.score_limit {
            ScoreLimitMode::Upper => self.score >= limit,
            ScoreLimitMode::Lower => self.score <= limit,
        };
        self.rules.score_limit.is_some_and(reached).then_some(End::ScoreLimit)
    }

    /// What the agent perceives by standing where it stands.
    #[must_use]
    pub fn perceive(&self) -> Senses {
        let (hostility, fear) = self.menace(self.pose.at);
        let tile = self.map.tile(self.pose.at);
        Senses { home: tile.home, item: tile.item, hostility, fear, ..Senses::default() }
    }

    /// Hostility and Fear at a tile.
    #[must_use]
    pub fn menace(&self, at: Cell) -> (bool, bool) {
        let around = || self.terms.neighbourhood.around(at).map(|place| self.map.tile(place));
        (around().any(|tile| tile.enemy), around().any(|tile| tile.kind == Kind::Danger))
    }

    /// False when a wall is in the way.
    fn advance(&mut self) -> bool {
        let free = self.map.tile(self.pose.ahead()).kind != Kind::Wall;
        if free {
            self.pose.at = self.pose.ahead();
        }
        free
    }

    fn grab(&mut self) {
        if let Some(tile) = self.map.tile_mut(self.pose.at).filter(|tile| tile.item) {
            tile.item = false;
            self.items += 1;
            self.earn(self.rules.item_reward);
        }
    }

    /// True when an enemy was hit.
    fn fire(&mut self) -> bool {
        if self.ammunition == Some(0) {
            return false;
        }
        self.ammunition = self.ammunition.map(|left| left - 1);
        let (mut at, mut distance, mut hit) = (self.pose.at, 0_u16, false);
        loop {
            (at, distance) = (at + self.pose.heading.step(), distance + 1);
            let out = self.rules.range > 0 && distance > u16::from(self.rules.range);
            if out || self.map.tile(at).kind == Kind::Wall {
                return hit;
            }
            let becomes_item = self.rules.becomes_item;
            let Some(tile) = self.map.tile_mut(at).filter(|tile| tile.enemy) else { continue };
            tile.enemy = false;
            tile.item |= becomes_item && tile.kind == Kind::Clear;
            hit = true;
            self.kills += 1;
            self.earn(self.rules.neutralize_reward);
            if self.rules.stops_at_first {
                return true;
            }
        }
    }

    fn earn(&mut self, reward: u16) {
        self.score = self.score.saturating_add(reward.into());
    }

    fn reward_home(&mut self) {
        if self.map.tile(self.pose.at).home {
            self.earn(self.rules.home_reward);
        }
    }

    fn recharge(&mut self) {
        let home = self.rules.recharge && self.map.tile(self.pose.at).home;
        if let Some(ammunition) = self.rules.ammunition.filter(|_| home) {
            self.ammunition = Some(ammunition.capacity);
        }
    }
}
