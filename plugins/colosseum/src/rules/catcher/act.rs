//! What actors do (spec sections 6.4 and 6.5).

use super::{CatcherEntity, CatcherRules, CatcherState, STEP_MIN, distance};
use crate::rules::{Fatal, GameRng, Id, PyNumber};
use phalanx_game::sorted::SortedSet;
use serde_json::Value;

/// One action of a payload, checked as far as it can be without the world.
#[derive(Clone, Debug, PartialEq)]
pub enum CatcherCommand {
    /// Goes towards a point.
    Move {
        /// Who.
        actor: Id,
        /// Where to; `None` for anything that is not a point.
        target: Option<[f64; 2]>,
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
        /// Where; `None` for anything that is not a name.
        base: Option<Id>,
    },
    /// Does nothing, whatever the rules say: its price is compared with health.
    MakeBase {
        /// Who; `None` for anything that is not a name.
        actor: Option<Id>,
    },
}

/// Which rules are enforced that the original leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// As the original: anybody orders anybody, as often as it likes.
    #[default]
    Loose,
    /// Own things only, one action an actor (and one spawn a base) in a tick.
    Strict,
}

/// An action that strict rules refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Offence {
    /// Somebody else's actor or base.
    NotYours,
    /// The actor acted already in this tick.
    Second,
}

impl CatcherCommand {
    /// The actions of a payload. Unknown kinds and missing names are left out: they do nothing.
    ///
    /// # Errors
    /// When `actions` is not a list of objects.
    pub fn read_all(payload: &Value) -> Result<Vec<Self>, Fatal> {
        let Some(actions) = payload.get("actions") else { return Ok(Vec::new()) };
        let list = actions.as_array().ok_or_else(|| Fatal("actions is not a list".to_owned()))?;
        let mut commands = Vec::new();
        for (index, action) in list.iter().enumerate() {
            if !action.is_object() {
                return Err(Fatal(format!("actions[{index}] is not an object")));
            }
            commands.extend(Self::read(action));
        }
        Ok(commands)
    }

    fn read(action: &Value) -> Option<Self> {
        let name = |key: &str| action.get(key).and_then(Value::as_str).map(Id::from);
        Some(match action.get("action")?.as_str()? {
            "move" => {
                let target = action.get("target").and_then(point);
                Self::Move { actor: name("actor_id")?, target }
            }
            "take_food" => Self::Take { actor: name("actor_id")?, food: name("food_id")? },
            "deposit_food" => Self::Deposit { actor: name("actor_id")?, base: name("base_id")? },
            "attack" => Self::Attack { actor: name("actor_id")?, target: name("target")? },
            "heal" => Self::Heal { actor: name("actor_id")?, base: name("base_id")? },
            "spawn" => Self::Spawn { base: name("base_id") },
            "make_base" => Self::MakeBase { actor: name("actor_id") },
            _ => return None,
        })
    }
}

/// A point as the original's vectors take it: two numbers, or one for both.
fn point(target: &Value) -> Option<[f64; 2]> {
    let finite = |value: &Value| value.as_f64().filter(|number| number.is_finite());
    match target {
        Value::Array(parts) => match parts.as_slice() {
            [both] => finite(both).map(|both| [both, both]),
            [x, y] => Some([finite(x)?, finite(y)?]),
            _ => None,
        },
        Value::Number(_) => finite(target).map(|both| [both, both]),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Object(_) => None,
    }
}

fn find<'a>(list: &'a mut [CatcherEntity], id: &str) -> Option<&'a mut CatcherEntity> {
    list.iter_mut().find(|one| &*one.id == id)
}

impl CatcherState {
    /// Carries out an agent's actions in their order; what strict rules refused.
    ///
    /// # Errors
    /// At the first action that the original would die of; those before it are carried out.
    pub fn execute(
        &mut self,
        sender: &Id,
        commands: &[CatcherCommand],
        rules: &CatcherRules,
        fairness: Fairness,
        chance: &mut GameRng,
    ) -> Result<Vec<Offence>, Fatal> {
        let (mut offences, mut acted) = (Vec::new(), SortedSet::new());
        for command in commands {
            if fairness == Fairness::Strict
                && let Err(offence) = self.fair(sender, command, &mut acted)
            {
                offences.push(offence);
                continue;
            }
            self.apply(sender, command, rules, chance)?;
        }
        Ok(offences)
    }

    /// Whether a command keeps to the rules that the original leaves open.
    fn fair(
        &self,
        sender: &Id,
        command: &CatcherCommand,
        acted: &mut SortedSet<Id>,
    ) -> Result<(), Offence> {
        let (actor, base) = match command {
            CatcherCommand::Move { actor, .. }
            | CatcherCommand::Take { actor, .. }
            | CatcherCommand::Attack { actor, .. } => (Some(actor), None),
            CatcherCommand::Deposit { actor, base } | CatcherCommand::Heal { actor, base } => {
                (Some(actor), Some(base))
            }
            CatcherCommand::Spawn { base } => (None, base.as_ref()),
            CatcherCommand::MakeBase { actor } => (actor.as_ref(), None),
        };
        let foreign = |list: &[CatcherEntity], id: Option<&Id>| {
            list.iter().any(|one| Some(&one.id) == id && one.owner != *sender)
        };
        if foreign(&self.actors, actor) || foreign(&self.bases, base) {
            return Err(Offence::NotYours);
        }
        let first = actor.or(base).is_none_or(|id| acted.insert(id.clone()));
        if first { Ok(()) } else { Err(Offence::Second) }
    }

    fn apply(
        &mut self,
        sender: &Id,
        command: &CatcherCommand,
        rules: &CatcherRules,
        chance: &mut GameRng,
    ) -> Result<(), Fatal> {
        match command {
            CatcherCommand::Move { actor, target } => self.step(actor, *target, rules)?,
            CatcherCommand::Take { actor, food } => self.take(actor, food, rules),
            CatcherCommand::Deposit { actor, base } => {
                if let Some((actor, base)) = self.at_base(actor, base, rules) {
                    base.food += actor.food;
                    actor.food = PyNumber::ZERO;
                }
            }
            CatcherCommand::Attack { actor, target } => self.attack(actor, target, rules),
            CatcherCommand::Heal { actor, base } => {
                if let Some((actor, base)) = self.at_base(actor, base, rules) {
                    let healed = (actor.max_health - actor.health).min(base.food);
                    actor.health += healed;
                    base.food -= healed;
                }
            }
            CatcherCommand::Spawn { base } => self.spawn(sender, base.as_deref(), rules, chance)?,
            CatcherCommand::MakeBase { actor } => {
                let known = |actor: &Id| self.actors.iter().any(|one| one.id == *actor);
                if !actor.as_ref().is_some_and(known) {
                    return Err(Fatal("make_base with an unknown actor".to_owned()));
                }
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        actor: &str,
        target: Option<[f64; 2]>,
        rules: &CatcherRules,
    ) -> Result<(), Fatal> {
        let Some(actor) = find(&mut self.actors, actor) else { return Ok(()) };
        let target = target.ok_or_else(|| Fatal("move to what is no point".to_owned()))?;
        let far = distance(actor.position, target);
        let step = far.min(rules.actor_speed);
        // A target beyond all numbers would make the position not a number for good.
        if step > STEP_MIN && far.is_finite() {
            for (place, target) in actor.position.iter_mut().zip(target) {
                *place += (target - *place) / far * step;
            }
        }
        Ok(())
    }

    fn take(&mut self, actor: &str, food: &str, rules: &CatcherRules) {
        let Some(actor) = find(&mut self.actors, actor) else { return };
        let Some(food) = self.foods.iter_mut().find(|one| &*one.id == food) else { return };
        if distance(actor.position, food.position) > rules.take_food_max_distance {
            return;
        }
        let portion = PyNumber::whole(rules.take_food_speed);
        if food.quantity.get() > portion.get() {
            food.quantity -= portion;
            actor.food += portion;
        } else {
            actor.food += food.quantity;
            food.quantity = PyNumber::ZERO;
        }
    }

    /// The actor and the base, when both are known and near enough.
    fn at_base(
        &mut self,
        actor: &str,
        base: &str,
        rules: &CatcherRules,
    ) -> Option<(&mut CatcherEntity, &mut CatcherEntity)> {
        let actor = find(&mut self.actors, actor)?;
        let base = find(&mut self.bases, base)?;
        let far = distance(actor.position, base.position);
        (far <= rules.deposit_food_max_distance).then_some((actor, base))
    }

    fn attack(&mut self, actor: &str, target: &str, rules: &CatcherRules) {
        let Some(from) = find(&mut self.actors, actor).map(|actor| actor.position) else { return };
        let target = match find(&mut self.bases, target) {
            Some(base) => Some(base),
            None => find(&mut self.actors, target),
        };
        if let Some(target) = target
            && distance(from, target.position) <= rules.attack_range
        {
            target.health -= PyNumber::whole(rules.actor_damage);
        }
    }

    fn spawn(
        &mut self,
        sender: &Id,
        base: Option<&str>,
        rules: &CatcherRules,
        chance: &mut GameRng,
    ) -> Result<(), Fatal> {
        let base = base.and_then(|base| find(&mut self.bases, base));
        let base = base.ok_or_else(|| Fatal("spawn with an unknown base".to_owned()))?;
        let cost = PyNumber::whole(rules.spawn_actor_cost);
        if base.food.get() >= cost.get() {
            base.food -= cost;
            let actor = CatcherEntity::new(chance.name(), sender.clone(), base.position, rules);
            self.actors.push(actor);
        }
        Ok(())
    }
}
