//! The client's own bookkeeping of cost, score and ammunition (spec section 7.6).

use super::{OpeningRules, Senses, TurnAction};
use serde::{Deserialize, Serialize};

/// What a client knows about its account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreAccount {
    /// Spent so far.
    pub cost: u32,
    /// Score so far, without what the end may bring.
    pub score: i32,
    /// Shots left; `None` without limit.
    pub ammunition: Option<u16>,
    /// False once a shot may have hit more than one enemy: the score may be higher then.
    pub exact: bool,
}

impl ScoreAccount {
    /// The account at the start of a simulation.
    #[must_use]
    pub fn new(rules: &OpeningRules, first: Senses) -> Self {
        let ammunition = rules.ammunition.map(|ammunition| ammunition.initial);
        let mut ledger =
            Self { cost: rules.initial_cost, score: rules.initial_score, ammunition, exact: true };
        ledger.recharge(rules, first);
        ledger
    }

    /// Books an action, given the percepts before and after it.
    pub fn book(&mut self, rules: &OpeningRules, act: TurnAction, before: Senses, after: Senses) {
        if act == TurnAction::Grab && before.item {
            self.earn(rules.item_reward);
        }
        if act == TurnAction::Neutralize {
            let loaded = self.ammunition != Some(0);
            self.ammunition = self.ammunition.map(|left| left.saturating_sub(1));
            if after.neutralized && loaded {
                self.earn(rules.neutralize_reward);
                self.exact &= rules.stops_at_first || rules.neutralize_reward == 0;
            }
        }
        let cost = rules.costs.of(act);
        self.cost = self.cost.saturating_add(cost.into());
        self.score = self.score.saturating_sub(cost.into());
        self.recharge(rules, after);
        if after.end && after.home {
            self.earn(rules.home_reward);
        }
    }

    fn earn(&mut self, reward: u16) {
        self.score = self.score.saturating_add(reward.into());
    }

    fn recharge(&mut self, rules: &OpeningRules, senses: Senses) {
        if let Some(ammunition) = rules.ammunition.filter(|_| rules.recharge && senses.home) {
            self.ammunition = Some(ammunition.capacity);
        }
    }
}
