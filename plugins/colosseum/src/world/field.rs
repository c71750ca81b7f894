//! Ways and worth on the plane of food_catcher.

use crate::rules::catcher::{CatcherEntity, CatcherRules, CatcherState, Food, distance};
use phalanx_game::sorted::Order;

/// Headings that are tried to get around others.
const HEADINGS: u32 = 48;

/// Free room that a step keeps between two actors beyond the one that collides: the other one may
/// come as far in the same tick.
const MARGIN: f64 = 0.05;

/// Ticks of harvest that are looked at.
const HARVEST_MAX: u32 = 200;

/// One way to gather: to a source, until it carries enough, to a base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GatherTrip<'a> {
    pub(super) food: &'a Food,
    /// Ticks to the source, at it, and to the base.
    pub(super) ticks: u32,
    /// Food that it brings, with what the actor carries already.
    pub(super) gain: f64,
}

impl GatherTrip<'_> {
    /// Food for a tick.
    pub(super) fn rate(&self) -> f64 {
        self.gain / f64::from(self.ticks.max(1))
    }
}

/// Ticks to get from a point into reach of another.
pub(super) fn ticks(from: [f64; 2], to: [f64; 2], reach: f64, rules: &CatcherRules) -> u32 {
    let steps = ((distance(from, to) - reach) / rules.actor_speed.max(1e-6)).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and not a number becomes 0"
    )]
    let steps = steps.max(0.0) as u32;
    steps
}

/// What a source holds after some ticks without visitors.
pub(super) fn grown(quantity: f64, ticks: u32) -> f64 {
    let exponent = i32::try_from(ticks.min(1000)).unwrap_or(1000);
    (quantity * 1.05_f64.powi(exponent)).min(50.0)
}

/// The trip of an actor to a source and on to a base, carrying up to `load`.
pub(super) fn trip<'a>(
    actor: &CatcherEntity,
    food: &'a Food,
    base: [f64; 2],
    load: f64,
    rules: &CatcherRules,
) -> GatherTrip<'a> {
    let reach = rules.take_food_max_distance;
    let there = ticks(actor.position, food.position, reach, rules);
    let back = ticks(food.position, base, 0.0, rules);
    let portion = f64::from(rules.take_food_speed);
    let mut left = grown(food.quantity.get(), there);
    let (mut carried, mut spent) = (actor.food.get(), 0);
    while carried < load && left > 0.0 && spent < HARVEST_MAX {
        left = grown(left, 1);
        let taken = left.min(portion);
        (carried, left, spent) = (carried + taken, left - taken, spent + 1);
        if left < 0.1 {
            break;
        }
    }
    GatherTrip { food, ticks: there.saturating_add(spent).saturating_add(back), gain: carried }
}

/// All trips of an actor, best rate first.
pub(super) fn trips<'a>(
    actor: &CatcherEntity,
    state: &'a CatcherState,
    base: [f64; 2],
    load: f64,
    rules: &CatcherRules,
) -> Vec<GatherTrip<'a>> {
    let mut trips: Vec<GatherTrip<'a>> =
        state.foods.iter().map(|food| trip(actor, food, base, load, rules)).collect();
    trips.order_by(|a, b| b.rate().total_cmp(&a.rate()));
    trips
}

/// How near the next other actor is to a point.
pub(super) fn clearance(at: [f64; 2], except: &str, state: &CatcherState) -> f64 {
    let others = state.actors.iter().filter(|actor| &*actor.id != except);
    others.map(|other| distance(at, other.position)).fold(f64::INFINITY, f64::min)
}

/// The step that brings an actor nearest to a target without a collision: others are avoided by
/// two radii, foreign ones also by the step that they may make. `None` when every step is worse
/// than standing still.
pub(super) fn step(
    actor: &CatcherEntity,
    target: [f64; 2],
    state: &CatcherState,
    rules: &CatcherRules,
) -> Option<[f64; 2]> {
    let safe = |to: [f64; 2]| {
        state.actors.iter().filter(|other| other.id != actor.id).all(|other| {
            let own = other.owner == actor.owner;
            let keep =
                2.0 * rules.actor_radius + MARGIN + if own { 0.0 } else { rules.actor_speed };
            let (before, after) =
                (distance(actor.position, other.position), distance(to, other.position));
            // One that is too near already must at least not come nearer.
            after >= keep || after > before
        })
    };
    let far = distance(actor.position, target);
    let length = far.min(rules.actor_speed);
    if !(far > 0.0 && length.is_finite()) {
        return None;
    }
    let [x, y] = actor.position;
    let straight = [x + (target[0] - x) / far * length, y + (target[1] - y) / far * length];
    let around = (0..HEADINGS).map(|heading| {
        let angle = f64::from(heading) / f64::from(HEADINGS) * std::f64::consts::TAU;
        [x + angle.cos() * length, y + angle.sin() * length]
    });
    if safe(straight) {
        return Some(straight);
    }
    let open = around.filter(|to| safe(*to));
    let best = open.min_by(|a, b| distance(*a, target).total_cmp(&distance(*b, target)));
    best.filter(|to| distance(*to, target) < far || !safe(actor.position))
}
