//! How the world looks to scripts.

use super::infer::Belief;
use super::lore::Rates;
use super::plan::Choice;
use crate::rules::{Cell, OpeningRules, Pose, TileKind};
use crate::wire::{DisplayMark, Symbol};
use phalanx_game::Value;

fn int(value: impl Into<i64>) -> Value {
    Value::Int(value.into())
}

pub(super) fn pose(pose: Pose) -> Value {
    Value::map([
        ("x", int(pose.at.x)),
        ("y", int(pose.at.y)),
        ("heading", pose.heading.word().into()),
    ])
}

pub(super) fn cell(at: Cell) -> Value {
    Value::cell(at.x, at.y)
}

pub(super) fn tile(at: Cell, belief: &Belief, item: Option<bool>) -> Value {
    let kind = belief.kind.map(|kind| match kind {
        TileKind::Clear => "clear",
        TileKind::Wall => "wall",
        TileKind::Danger => "danger",
    });
    Value::map([
        ("x", int(at.x)),
        ("y", int(at.y)),
        ("type", kind.into()),
        ("visited", belief.visited.into()),
        ("has_item", item.into()),
        ("wall", belief.wall.into()),
        ("danger", belief.danger.into()),
        ("enemy", belief.enemy.into()),
        ("death", belief.death.into()),
        ("item", belief.item.into()),
        ("home", belief.home.into()),
    ])
}

pub(super) fn choice(choice: &Choice) -> Value {
    Value::map([
        ("purpose", choice.purpose.word().into()),
        ("action", choice.act.word().into()),
        ("x", int(choice.at.x)),
        ("y", int(choice.at.y)),
        ("cost", choice.cost.into()),
        ("death", choice.death.into()),
        ("hit", choice.hit.into()),
        ("gain", choice.gain.into()),
        ("value", choice.value.into()),
    ])
}

pub(super) fn rates(rates: &Rates) -> Value {
    Value::map([
        ("wall", rates.wall.into()),
        ("danger", rates.danger.into()),
        ("enemy", rates.enemy.into()),
        ("item", rates.item.into()),
        ("home", rates.home.into()),
    ])
}

pub(super) fn mark(mark: &DisplayMark) -> Value {
    let symbol = if let Symbol::Number(number) = mark.symbol {
        int(number)
    } else {
        mark.symbol.word().into()
    };
    Value::map([("x", int(mark.at.x)), ("y", int(mark.at.y)), ("symbol", symbol)])
}

pub(super) fn rules(rules: &OpeningRules) -> Value {
    let some = |value: Option<u16>| value.map(i32::from).into();
    let bound = |value: Option<i8>| value.map(i32::from).into();
    let ammunition = rules.ammunition;
    Value::map([
        ("lower_x_bound", bound(rules.bounds.lower_x)),
        ("upper_x_bound", bound(rules.bounds.upper_x)),
        ("lower_y_bound", bound(rules.bounds.lower_y)),
        ("upper_y_bound", bound(rules.bounds.upper_y)),
        ("homes", some(rules.counts.homes)),
        ("items", some(rules.counts.items)),
        ("enemies", some(rules.counts.enemies)),
        ("dangers", some(rules.counts.dangers)),
        ("range", int(rules.range)),
        ("move_cost", int(rules.costs.advance)),
        ("turn_left_cost", int(rules.costs.left)),
        ("turn_right_cost", int(rules.costs.right)),
        ("grab_cost", int(rules.costs.grab)),
        ("neutralize_cost", int(rules.costs.neutralize)),
        ("item_reward", int(rules.item_reward)),
        ("neutralize_reward", int(rules.neutralize_reward)),
        ("home_reward", int(rules.home_reward)),
        ("initial_cost", rules.initial_cost.into()),
        ("initial_score", rules.initial_score.into()),
        ("ammunition_limit", some(ammunition.map(|ammunition| ammunition.capacity))),
        ("initial_ammunition", some(ammunition.map(|ammunition| ammunition.initial))),
        ("cost_limit", rules.cost_limit.into()),
        ("score_limit", rules.score_limit.into()),
        ("recharge", rules.recharge.into()),
        ("becomes_item", rules.becomes_item.into()),
        ("stops_at_first", rules.stops_at_first.into()),
    ])
}
