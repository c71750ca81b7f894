//! One agent in one world: what each action does (spec sections 7.3 to 7.6).

use super::{Cell, Neighbourhood, OpeningRules, Pose, Senses, TileKind, TileMap, TurnAction};

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
pub enum EndReason {
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

impl EndReason {
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
pub struct ActionOutcome {
    /// What the agent perceives.
    pub senses: Senses,
    /// Whether, and why, it is over.
    pub end: Option<EndReason>,
}

/// A running simulation.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The rules that the agent received.
    pub rules: OpeningRules,
    /// The terms that the agent did not receive.
    pub terms: Terms,
    /// The world as it is now.
    pub map: TileMap,
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
    pub end: Option<EndReason>,
}

impl Simulation {
    /// An agent at the start of a world, and what it perceives first.
    #[must_use]
    pub fn new(rules: OpeningRules, terms: Terms, map: TileMap) -> (Self, Senses) {
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
    pub fn act(&mut self, act: TurnAction) -> ActionOutcome {
        if let Some(end) = self.end {
            return ActionOutcome {
                senses: Senses { end: true, ..Senses::default() },
                end: Some(end),
            };
        }
        self.actions += 1;
        let (mut bump, mut neutralized) = (false, false);
        match act {
            TurnAction::ShutOff => {}
            TurnAction::Move => bump = !self.advance(),
            TurnAction::TurnLeft => self.pose.heading = self.pose.heading.left(),
            TurnAction::TurnRight => self.pose.heading = self.pose.heading.right(),
            TurnAction::Grab => self.grab(),
            TurnAction::Neutralize => neutralized = self.fire(),
        }
        let cost = self.rules.costs.of(act);
        self.cost = self.cost.saturating_add(cost.into());
        self.score = self.score.saturating_sub(cost.into());
        if self.map.tile(self.pose.at).deadly() {
            self.end = Some(EndReason::Death);
            return ActionOutcome {
                senses: Senses { end: true, ..Senses::default() },
                end: self.end,
            };
        }
        self.recharge();
        self.end =
            (act == TurnAction::ShutOff).then_some(EndReason::ShutOff).or_else(|| self.limit());
        if self.end.is_some() {
            self.reward_home();
        }
        let senses = Senses { bump, neutralized, end: self.end.is_some(), ..self.perceive() };
        ActionOutcome { senses, end: self.end }
    }

    /// The referee ends it, as if by a limit.
    pub fn stop(&mut self) -> ActionOutcome {
        if self.end.is_none() {
            self.end = Some(EndReason::ActionLimit);
            self.reward_home();
        }
        ActionOutcome { senses: Senses { end: true, ..self.perceive() }, end: self.end }
    }

    /// Whether a limit is reached.
    #[must_use]
    pub fn limit(&self) -> Option<EndReason> {
        if self.rules.cost_limit.is_some_and(|limit| self.cost >= limit) {
            return Some(EndReason::CostLimit);
        }
        let reached = |limit: i32| match self.terms.score_limit {
            ScoreLimitMode::Upper => self.score >= limit,
            ScoreLimitMode::Lower => self.score <= limit,
        };
        self.rules.score_limit.is_some_and(reached).then_some(EndReason::ScoreLimit)
    }

    /// What the agent perceives at its position.
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
        (around().any(|tile| tile.enemy), around().any(|tile| tile.kind == TileKind::Danger))
    }

    /// False when a wall is in the way.
    fn advance(&mut self) -> bool {
        let free = self.map.tile(self.pose.ahead()).kind != TileKind::Wall;
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
            if out || self.map.tile(at).kind == TileKind::Wall {
                return hit;
            }
            let becomes_item = self.rules.becomes_item;
            let Some(tile) = self.map.tile_mut(at).filter(|tile| tile.enemy) else { continue };
            tile.enemy = false;
            tile.item |= becomes_item && tile.kind == TileKind::Clear;
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
