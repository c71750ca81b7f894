//! What to do next: every option with its exact risks and its expected worth (spec section 12.4).
//!
//! Options come in ranks. Taking what lies here, then what is safe and worth its way, then shots,
//! then a recharge, then risks, and at last the way home or the end. Within the safe ones the
//! cheapest goes first, since everything near is passed only once; the others go by their value.
#![allow(clippy::indexing_slicing, reason = "indices come from the frame of the same beliefs")]

mod shots;

use super::hope::Hope;
use super::infer::{Belief, Beliefs};
use super::route::{Back, FAR, RouteCosts};
use crate::rules::{
    Cell, Heading, Neighbourhood, OpeningRules, Pose, ScoreAccount, Senses, TileKind, TurnAction,
};
use std::cell::OnceCell;

/// Every unknown neighbour of a tile adds this many moves to its cost, so that the agent first
/// explores tiles that would otherwise be left alone.
const OPEN_SIDE: f64 = 0.4;

/// Most safe entries that are kept; the rest is dearer.
const SAFE_MAX: usize = 24;

/// The cheapest way into a tile.
#[derive(Clone, Copy, Debug)]
struct CheapestWay {
    index: usize,
    /// The last pose before the tile.
    from: Pose,
    /// With the move into the tile.
    cost: u32,
    /// The smaller the better, among safe ones.
    order: f64,
}

/// What kind of option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Take the item here.
    Grab,
    /// Take an item that is known and safe.
    Fetch,
    /// Enter a tile that is safe and not known yet.
    Explore,
    /// Shoot where an enemy may be.
    Shoot,
    /// Fetch ammunition at a home.
    Recharge,
    /// Enter a tile that may be deadly.
    Risk,
    /// Go home and end there.
    Home,
    /// End here.
    Stop,
}

impl Purpose {
    /// All of them, in their rank.
    pub const ALL: [Self; 8] = [
        Self::Grab,
        Self::Fetch,
        Self::Explore,
        Self::Shoot,
        Self::Recharge,
        Self::Risk,
        Self::Home,
        Self::Stop,
    ];

    /// Its name in scripts.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Grab => "grab",
            Self::Fetch => "fetch",
            Self::Explore => "explore",
            Self::Shoot => "shoot",
            Self::Recharge => "recharge",
            Self::Risk => "risk",
            Self::Home => "home",
            Self::Stop => "stop",
        }
    }
}

/// One option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// What for.
    pub purpose: Purpose,
    /// The first action on the way to it.
    pub act: TurnAction,
    /// The tile that it is about.
    pub at: Cell,
    /// What it costs to be done with it.
    pub cost: u32,
    /// The probability of dying.
    pub death: f64,
    /// The probability that a shot hits.
    pub hit: f64,
    /// What it is expected to bring, costs not deducted.
    pub gain: f64,
    /// Gain minus cost minus what death would lose.
    pub value: f64,
}

/// Everything that a decision depends on.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// What is believed.
    pub beliefs: &'a Beliefs,
    pub rules: &'a OpeningRules,
    pub ledger: &'a ScoreAccount,
    /// What is perceived here.
    pub senses: Senses,
    /// Where the agent is.
    pub pose: Pose,
    /// Homes that are known.
    pub homes: &'a [Cell],
    /// What may still be spent; `None`: anything.
    pub budget: Option<u32>,
    /// No enemy but one is left.
    pub last_enemy: bool,
}

/// Options and the ways to them.
#[derive(Debug)]
pub struct Planner<'a> {
    situation: Situation<'a>,
    route: RouteCosts,
    back: Back,
    hope: Hope,
    worth: Vec<OnceCell<f64>>,
}

impl<'a> Planner<'a> {
    /// Looks for ways.
    #[must_use]
    pub fn new(situation: Situation<'a>) -> Self {
        let Situation { beliefs, rules, pose, homes, .. } = situation;
        let route = RouteCosts::from(pose, beliefs, &rules.costs);
        let back = Back::to(homes, beliefs, &rules.costs);
        let home = if back.cost(pose) == FAR { f64::from(rules.home_reward) } else { 0.0 };
        let worth = vec![OnceCell::new(); beliefs.tiles.len()];
        Self { situation, route, back, hope: Hope::new(rules, home), worth }
    }

    /// The way to all poses.
    #[must_use]
    pub fn route(&self) -> &RouteCosts {
        &self.route
    }

    /// What ending the simulation now, at the nearest home if that is worth the way, brings.
    #[must_use]
    pub fn secure(&self) -> f64 {
        let way = self.back.cost(self.situation.pose);
        let allowed = self.situation.budget.is_none_or(|budget| way <= budget);
        if way == FAR || !allowed {
            return 0.0;
        }
        (f64::from(self.situation.rules.home_reward) - f64::from(way)).max(0.0)
    }

    /// Options that are worth something, the best first; never empty. Of safe entries the cheapest,
    /// and risks only where there are no safe ones.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        let mut choices: Vec<Choice> = self.grab().into_iter().collect();
        let mut entries = self.entries();
        choices.append(&mut entries);
        choices.extend(self.shots());
        choices.retain(|choice| choice.value > 0.0);
        choices.sort_by(|a, b| self.order(a).total_cmp(&self.order(b)));
        choices.push(self.last());
        choices
    }

    /// The smaller the better.
    fn order(&self, choice: &Choice) -> f64 {
        let rank = match choice.purpose {
            Purpose::Grab => 0.0,
            Purpose::Fetch | Purpose::Explore => 1.0,
            // Certain hits are as good as certain items.
            Purpose::Shoot if choice.hit >= shots::CERTAIN => 1.0,
            Purpose::Shoot => 2.0,
            Purpose::Recharge => 3.0,
            Purpose::Risk => 4.0,
            Purpose::Home | Purpose::Stop => 5.0,
        };
        let within = if rank == 1.0 {
            let index = self.situation.beliefs.frame.index(choice.at);
            let explores = choice.purpose == Purpose::Explore;
            let open = index.filter(|_| explores).map(|index| self.open_sides(index));
            f64::from(choice.cost) + open.unwrap_or_default()
        } else {
            -choice.value
        };
        rank * 1e9 + within
    }

    /// What it adds to the order of a tile that not everything around it is known.
    fn open_sides(&self, index: usize) -> f64 {
        let beliefs = self.situation.beliefs;
        if beliefs.tiles[index].free() {
            return 0.0;
        }
        let sides = beliefs.frame.around(index, Neighbourhood::Four);
        let open = sides.filter(|side| {
            let tile = &beliefs.tiles[*side];
            !tile.visited && tile.kind != Some(TileKind::Wall)
        });
        let cost = f64::from(self.situation.rules.costs.advance);
        open.map(|_| cost * OPEN_SIDE).sum()
    }

    fn grab(&self) -> Option<Choice> {
        let Situation { rules, ledger, senses, pose, .. } = &self.situation;
        let cost = u32::from(rules.costs.grab);
        let gain = f64::from(rules.item_reward);
        // A score that ends the simulation away from home may cost the reward for being there.
        let score = ledger.score.saturating_add(rules.item_reward.into());
        let ends = rules.score_limit.is_some_and(|limit| score >= limit) && !senses.home;
        let lost = if ends { self.secure() } else { 0.0 };
        senses.item.then_some(Choice {
            purpose: Purpose::Grab,
            act: TurnAction::Grab,
            at: pose.at,
            cost,
            death: 0.0,
            hit: 0.0,
            gain,
            value: gain - f64::from(cost) - lost,
        })
    }

    /// Tiles that can be entered from where we can go: safe ones from the cheapest on, as many as
    /// are kept; risks only where nothing safe is worth its way.
    fn entries(&self) -> Vec<Choice> {
        let tiles = self.situation.beliefs.tiles.iter().enumerate();
        let ways = tiles.filter(|(index, tile)| self.enterable(*index, tile));
        let mut ways: Vec<CheapestWay> = ways.filter_map(|(index, _)| self.way(index)).collect();
        ways.sort_by(|a, b| a.order.total_cmp(&b.order).then(a.index.cmp(&b.index)));
        let entry = |way: &CheapestWay| self.entry(way).filter(|choice| choice.value > 0.0);
        let deadly = |way: &&CheapestWay| self.situation.beliefs.tiles[way.index].death > 0.0;
        let safe = ways.iter().filter(|way| !deadly(way));
        let safe: Vec<Choice> = safe.filter_map(entry).take(SAFE_MAX).collect();
        if !safe.is_empty() {
            return safe;
        }
        ways.iter().filter(deadly).filter_map(entry).collect()
    }

    /// Whether entering a tile may bring anything.
    fn enterable(&self, index: usize, tile: &Belief) -> bool {
        let done = tile.visited && tile.item == 0.0;
        let here = self.situation.beliefs.frame.cell(index) == self.situation.pose.at;
        // A tile that was known from the start and has no item brings nothing new.
        let known = tile.free() && tile.item == 0.0 && !self.opens(index);
        !done && !here && !known && tile.wall < 1.0 && tile.death < 1.0
    }

    /// The cheapest way into a tile.
    fn way(&self, index: usize) -> Option<CheapestWay> {
        let beliefs = self.situation.beliefs;
        let at = beliefs.frame.cell(index);
        let entry = |heading: Heading| Pose { at: at - heading.step(), heading };
        let from = Heading::ALL.into_iter().map(entry).min_by_key(|pose| self.route.cost(*pose))?;
        let way = self.route.cost(from);
        let cost = way.saturating_add(self.situation.rules.costs.advance.into());
        let order = f64::from(cost) + self.open_sides(index);
        (way != FAR).then_some(CheapestWay { index, from, cost, order })
    }

    /// Whether percepts at a tile that is known to be free would say something new.
    fn opens(&self, index: usize) -> bool {
        let beliefs = self.situation.beliefs;
        let mut around = beliefs.frame.around(index, Neighbourhood::Four);
        !beliefs.tiles[index].visited && around.any(|next| beliefs.tiles[next].kind.is_none())
    }

    /// What entering a tile brings and what it risks; `None` where it cannot be afforded.
    fn entry(&self, way: &CheapestWay) -> Option<Choice> {
        let Situation { beliefs, rules, budget, .. } = &self.situation;
        let CheapestWay { index, from, cost, .. } = *way;
        let (at, tile) = (beliefs.frame.cell(index), &beliefs.tiles[index]);
        let home = self.back.cost_behind(from, &rules.costs);
        let secure = self.secure();
        if let Some(budget) = budget {
            let needed = if secure > 0.0 { cost.saturating_add(home) } else { cost };
            if needed > *budget {
                return None;
            }
        }
        let clear = (1.0 - tile.wall - tile.death).max(0.0);
        let item = tile.item * f64::from(rules.item_reward);
        let gain = if tile.visited { item } else { clear * self.worth(index).max(item) };
        // Going further from home costs the way back, too.
        let longer = if secure > 0.0 && home != FAR {
            home.saturating_sub(self.back.cost(self.situation.pose))
        } else {
            0
        };
        let purpose = match (tile.death > 0.0, tile.free()) {
            (true, _) => Purpose::Risk,
            (false, true) if tile.item > 0.0 => Purpose::Fetch,
            (false, _) => Purpose::Explore,
        };
        let value = gain - f64::from(cost) - f64::from(longer) - tile.death * secure;
        let act = self.route.acts(from).first().copied().unwrap_or(TurnAction::Move);
        Some(Choice { purpose, act, at, cost, death: tile.death, hit: 0.0, gain, value })
    }

    /// What entering a tile may open.
    fn worth(&self, index: usize) -> f64 {
        *self.worth[index].get_or_init(|| self.hope.behind(self.situation.beliefs, index))
    }

    /// The way home, or the end on the spot.
    fn last(&self) -> Choice {
        let Situation { rules, pose, senses, .. } = &self.situation;
        let stop = Choice {
            purpose: Purpose::Stop,
            act: TurnAction::ShutOff,
            at: pose.at,
            cost: 0,
            death: 0.0,
            hit: 0.0,
            gain: if senses.home { f64::from(rules.home_reward) } else { 0.0 },
            value: 0.0,
        };
        if senses.home || self.secure() == 0.0 {
            return Choice { value: stop.gain, ..stop };
        }
        self.homeward(Purpose::Home).unwrap_or(stop)
    }

    /// The way to the nearest home.
    fn homeward(&self, purpose: Purpose) -> Option<Choice> {
        let Situation { rules, homes, .. } = &self.situation;
        let ways = homes.iter().map(|home| (self.route.cost_to(*home), *home));
        let ((cost, pose), at) = ways.min_by_key(|((cost, _), _)| *cost)?;
        let act = self.route.acts(pose).first().copied()?;
        let gain = f64::from(rules.home_reward);
        let value = gain - f64::from(cost);
        Some(Choice { purpose, act, at, cost, death: 0.0, hit: 0.0, gain, value })
    }
}
