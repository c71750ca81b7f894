//! What may be answered to a state (spec sections 5 and 6.4), and the check of what scripts say.
//!
//! Fair play: one order an actor and one spawn a base in a turn, for own things only, whatever
//! the referee would let pass.

use crate::percept::{Percept, StateScene};
use crate::rules::Id;
use crate::rules::snake::SnakeDirection;
use phalanx_game::sorted::SortedSet;
use phalanx_game::{ActionError, Said, Value};
use std::fmt;

/// Most orders in one answer; no player has more actors.
pub const ORDERS_MAX: usize = 1000;

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Nothing is ordered.
    Nothing,
    /// Orders to actors and bases.
    Orders(Vec<ActorOrder>),
    /// Where the snake goes.
    Turn(SnakeDirection),
    /// A chess move in UCI notation.
    Play(String),
}

/// One order to an actor or a base.
#[derive(Clone, Debug, PartialEq)]
pub enum ActorOrder {
    /// Goes towards a point.
    Move {
        /// Who.
        actor: Id,
        /// Where to; finite.
        target: [f64; 2],
    },
    /// Takes food from a source.
    Take {
        /// Who.
        actor: Id,
        /// Which source.
        food: Id,
    },
    /// Brings all its food to a base.
    Deposit {
        /// Who.
        actor: Id,
        /// Which base.
        base: Id,
    },
    /// Hits a base or an actor.
    Attack {
        /// Who.
        actor: Id,
        /// Whom.
        target: Id,
    },
    /// Turns food of a base into own health.
    Heal {
        /// Who.
        actor: Id,
        /// Which base.
        base: Id,
    },
    /// Buys an actor.
    Spawn {
        /// Where.
        base: Id,
    },
}

impl ActorOrder {
    /// Its name on the wire.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Move { .. } => "move",
            Self::Take { .. } => "take_food",
            Self::Deposit { .. } => "deposit_food",
            Self::Attack { .. } => "attack",
            Self::Heal { .. } => "heal",
            Self::Spawn { .. } => "spawn",
        }
    }

    /// The actor or base that carries it out.
    #[must_use]
    pub fn who(&self) -> &Id {
        match self {
            Self::Move { actor, .. }
            | Self::Take { actor, .. }
            | Self::Deposit { actor, .. }
            | Self::Attack { actor, .. }
            | Self::Heal { actor, .. } => actor,
            Self::Spawn { base } => base,
        }
    }
}

impl Action {
    /// Checks what a script said against what it perceives.
    ///
    /// # Errors
    /// When there is no such action or an argument does not fit.
    pub fn from_said(said: &Said, percept: Option<&Percept>) -> Result<Self, ActionError> {
        parse(&said.action, &said.args, percept)
            .map_err(|reason| ActionError { action: said.action.to_string(), reason })
    }
}

fn parse(name: &str, args: &[Value], percept: Option<&Percept>) -> Result<Action, String> {
    let first = args.first().unwrap_or(&Value::Nil);
    match name {
        "nothing" => Ok(Action::Nothing),
        "orders" => {
            // An empty table may come as either.
            let empty = *first == Value::Map(Vec::new());
            let list = if empty { Some(&[][..]) } else { first.as_list() };
            let wrong = || format!("expected a list of orders, got a {}", first.kind());
            orders(list.ok_or_else(wrong)?, percept).map(Action::Orders)
        }
        "turn" => {
            let direction = first.as_str().and_then(SnakeDirection::parse);
            direction.map(Action::Turn).ok_or_else(|| {
                "argument 1: expected \"up\", \"right\", \"down\" or \"left\"".to_owned()
            })
        }
        "play" => {
            let said = first.as_str().unwrap_or_default();
            let Some(StateScene::Chess(scene)) = percept.map(|percept| &*percept.scene) else {
                return Err("this is not a game of chess".to_owned());
            };
            if scene.legal_moves.iter().any(|legal| &**legal == said) {
                return Ok(Action::Play(said.to_owned()));
            }
            let said = phalanx_game::excerpt(said.as_bytes());
            Err(format!("argument 1: {said:?} is not one of the legal moves"))
        }
        other => Err(format!("Colosseum has no action {other:?}")),
    }
}

fn orders(list: &[Value], percept: Option<&Percept>) -> Result<Vec<ActorOrder>, String> {
    let Some((percept, StateScene::Catcher(state))) =
        percept.map(|percept| (percept, &*percept.scene))
    else {
        return Err("there are no actors in this game".to_owned());
    };
    if list.len() > ORDERS_MAX {
        return Err(format!("expected at most {ORDERS_MAX} orders, got {}", list.len()));
    }
    let mut seen = SortedSet::new();
    let mut orders = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let order = order(value).map_err(|reason| format!("order {}: {reason}", index + 1))?;
        let spawns = matches!(order, ActorOrder::Spawn { .. });
        let owners = if spawns { &state.bases } else { &state.actors };
        let who = order.who();
        let Some(owner) = owners.iter().find(|one| one.id == *who) else {
            // It died since the script learnt of it: the referee ignores such orders, but it
            // would die of a spawn.
            continue;
        };
        if owner.owner != percept.me {
            return Err(format!("order {}: {who:?} is not ours", index + 1));
        }
        if !seen.insert(who.clone()) {
            return Err(format!("order {}: {who:?} has an order already", index + 1));
        }
        orders.push(order);
    }
    Ok(orders)
}

fn order(value: &Value) -> Result<ActorOrder, String> {
    let name = |key: &str| {
        let text = value.get(key).and_then(Value::as_str).map(Id::from);
        text.ok_or_else(|| format!("expected a text in {key}"))
    };
    let number = |key: &str| {
        let number = value.get(key).and_then(Value::as_num).filter(|number| number.is_finite());
        number.ok_or_else(|| format!("expected a finite number in {key}"))
    };
    let word = value.get("action").and_then(Value::as_str).unwrap_or_default();
    Ok(match word {
        "move" => ActorOrder::Move { actor: name("actor")?, target: [number("x")?, number("y")?] },
        "take_food" => ActorOrder::Take { actor: name("actor")?, food: name("target")? },
        "deposit_food" => ActorOrder::Deposit { actor: name("actor")?, base: name("target")? },
        "attack" => ActorOrder::Attack { actor: name("actor")?, target: name("target")? },
        "heal" => ActorOrder::Heal { actor: name("actor")?, base: name("target")? },
        "spawn" => ActorOrder::Spawn { base: name("target")? },
        other => {
            let other = phalanx_game::excerpt(other.as_bytes());
            return Err(format!("there is no order {other:?}; orders are {}", WORDS.join(", ")));
        }
    })
}

/// The words of orders.
pub(crate) const WORDS: &[&str] = &["move", "take_food", "deposit_food", "attack", "heal", "spawn"];

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing()"),
            Self::Orders(orders) => {
                f.write_str("orders(")?;
                for (index, order) in orders.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{} {}", order.word(), order.who())?;
                }
                f.write_str(")")
            }
            Self::Turn(direction) => write!(f, "turn({})", direction.word().to_lowercase()),
            Self::Play(uci) => write!(f, "play({})", phalanx_game::argument(uci)),
        }
    }
}
