//! The belief as bytes, and whether what is met after a restart belongs to it.
//!
//! The process that the referee talks to outlives the daemon. It answers harmlessly meanwhile, and
//! tells a new daemon who we are and what is played; then states come as before. Where the referee
//! draws new ids for each match they tell it; online ids stay, so the state is looked at too.

use super::World;
use crate::percept::{MOVES_MAX, MatchConfig, Percept, StateScene};
use crate::rules::{Id, catcher, snake};
use phalanx_game::{AgentId, Met, RestoreError, excerpt, freeze, thaw};

/// The layout of saved beliefs: another layout gets another number.
const VERSION: u16 = 1;

pub(super) fn save(world: &World) -> Vec<u8> {
    freeze(VERSION, world)
}

pub(super) fn restore(world: &mut World, saved: &[u8]) -> Result<(), RestoreError> {
    let read: World = thaw(VERSION, saved)?;
    if read.names != world.names {
        let list = |names: &[String]| excerpt(names.join(", ").as_bytes());
        let (old, new) = (list(&read.names), list(&world.names));
        let text = format!("the saved belief is of the agents {old}, not of {new}");
        return Err(RestoreError::new(text));
    }
    let known = |agent: &AgentId| agent.index() < world.names.len();
    let agents = read.percepts.keys().all(known);
    if !agents || !read.percepts.values().all(is_readable) {
        return Err(RestoreError::new("the saved belief is damaged: a percept that there is not"));
    }
    *world = read;
    Ok(())
}

/// Whether a percept can have been read from a line of the referee.
fn is_readable(percept: &Percept) -> bool {
    let config = &percept.config;
    let limit = config.step_limit.is_none_or(f64::is_finite);
    let scene = match &*percept.scene {
        StateScene::Chess(scene) => scene.legal_moves.len() <= MOVES_MAX,
        StateScene::Snake(state) => state.is_readable(),
        StateScene::Catcher(_) | StateScene::Other => true,
    };
    limit && config.rules.is_readable() && scene
}

pub(super) fn recognize(
    world: &World,
    agent: AgentId,
    met: Met<'_, MatchConfig, Percept>,
) -> Result<(), String> {
    let Some(known) = world.percepts.get(&agent) else { return Ok(()) };
    match met {
        Met::Round(None) => Ok(()),
        Met::Round(Some(config)) => same_settings(&known.config, config),
        Met::Turn(_, percept) => {
            same_players(known, percept)?;
            let (epoch, last) = (percept.epoch, known.epoch);
            if epoch < last {
                return Err(format!("tick {epoch} is past: tick {last} was seen before"));
            }
            can_follow(&known.scene, &percept.scene)
        }
    }
}

fn same_settings(known: &MatchConfig, met: &MatchConfig) -> Result<(), String> {
    if known.game.is_empty() {
        // The state comes from the middle of its match, and the start is unknown.
        return Ok(());
    }
    if known.game != met.game {
        return Err(format!("the game is {}, and was {}", met.game, known.game));
    }
    if known.epochs != met.epochs {
        return Err(format!("the match has {} ticks, the saved one {}", met.epochs, known.epochs));
    }
    if known != met {
        return Err("the game has other numbers".to_owned());
    }
    Ok(())
}

fn same_players(known: &Percept, met: &Percept) -> Result<(), String> {
    if known.me != met.me {
        let [known, met] = [known, met].map(|percept| excerpt(percept.me.as_bytes()));
        return Err(format!("our id is {met:?}, and was {known:?}"));
    }
    if known.agents != met.agents {
        return Err("others play than before".to_owned());
    }
    Ok(())
}

/// Whether a state can come after another one.
fn can_follow(known: &StateScene, met: &StateScene) -> Result<(), String> {
    match (known, met) {
        (StateScene::Catcher(known), StateScene::Catcher(met)) => catcher_can_follow(known, met),
        (StateScene::Snake(known), StateScene::Snake(met)) => snake_can_follow(known, met),
        (StateScene::Chess(known), StateScene::Chess(met)) if known.white != met.white => {
            Err("we play the other side".to_owned())
        }
        (StateScene::Chess(_), StateScene::Chess(_)) | (StateScene::Other, StateScene::Other) => {
            Ok(())
        }
        (
            StateScene::Catcher(_)
            | StateScene::Snake(_)
            | StateScene::Chess(_)
            | StateScene::Other,
            _,
        ) => Err("another game is played".to_owned()),
    }
}

/// Bases are only lost, and the list of the dead only grows.
fn catcher_can_follow(
    known: &catcher::CatcherState,
    met: &catcher::CatcherState,
) -> Result<(), String> {
    let base = |list: &[catcher::CatcherEntity], id: &Id, owner: &Id| {
        list.iter().any(|one| one.id == *id && one.owner == *owner)
    };
    let new = met.bases.iter().find(|one| !base(&known.bases, &one.id, &one.owner));
    if let Some(new) = new {
        return Err(format!("base {} was not there before", excerpt(new.id.as_bytes())));
    }
    let dead =
        |state: &catcher::CatcherState| state.dead.iter().map(|one| one.id.clone()).collect();
    let [known, met]: [Vec<Id>; 2] = [known, met].map(dead);
    if !met.starts_with(&known) {
        return Err("who was dead is not dead any more".to_owned());
    }
    Ok(())
}

fn snake_can_follow(known: &snake::SnakeState, met: &snake::SnakeState) -> Result<(), String> {
    if known.size != met.size {
        let [[width, height], [columns, rows]] = [known.size, met.size];
        return Err(format!("the grid is {columns} by {rows}, and was {width} by {height}"));
    }
    for (was, is) in known.snakes.iter().zip(&met.snakes) {
        let name = excerpt(is.agent.as_bytes());
        if is.alive && !was.alive {
            return Err(format!("snake {name} lives, and was dead"));
        }
        if is.eaten < was.eaten {
            return Err(format!("snake {name} ate {} times, and {} before", is.eaten, was.eaten));
        }
    }
    Ok(())
}
