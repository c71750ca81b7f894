//! Everything that can be found wrong with a game without a match.

use crate::mistake::Mistake;
use crate::vm::{self, Module};
use crate::{ArenaSetup, ScriptedArena, ScriptedGame};
use phalanx_game::{AgentId, Game, MarginLimits, Roster, RosterEntry, Seat, SeatId, World};

/// The functions that each file must have.
const REQUIRED: [(Module, &[&str]); 3] = [
    (Module::Session, &["open", "connected", "message", "encode"]),
    (Module::World, &["new", "begin", "observe", "settle"]),
    (Module::Arena, &["new", "login", "request", "reply", "step", "result"]),
];

/// Loads all files, looks for the functions of the contract and makes the first states.
///
/// # Errors
/// All mistakes.
pub fn check(game: &ScriptedGame) -> Result<(), Vec<Mistake>> {
    let rules = game.rules();
    let mut mistakes = Vec::new();
    for (module, functions) in REQUIRED {
        let is_optional = module == Module::Arena;
        if is_optional && rules.folder.text(&module.file()).is_none() {
            continue;
        }
        for function in functions {
            let found = vm::with_vm(&rules.folder, |vm| vm.function(module, function));
            match found {
                Ok(Some(_)) => {}
                Ok(None) => {
                    let what = format!("the function {function} is missing");
                    mistakes.push(Mistake::of_file(&module.file(), what));
                }
                Err(failure) => {
                    mistakes.push(Mistake::of_failure(&module.file(), failure));
                    break;
                }
            }
        }
    }
    for query in rules.manifest.declaration.api.queries {
        let name = format!("queries.{}", query.name);
        let found = vm::with_vm(&rules.folder, |vm| vm.function(Module::World, &name));
        if let Ok(None) = found {
            let what = format!(
                "the manifest declares the query {0}, but `queries.{0}` is missing",
                query.name
            );
            mistakes.push(Mistake::of_file(&Module::World.file(), what));
        }
    }
    if mistakes.is_empty() {
        first_states(game, &mut mistakes);
    }
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
}

/// What every match begins with.
fn first_states(game: &ScriptedGame, mistakes: &mut Vec<Mistake>) {
    let rules = game.rules();
    let names: Vec<_> =
        (1..=rules.manifest.agents).map(|number| format!("agentA{number}")).collect();
    let entry = |name: &String| RosterEntry::new(name.clone(), "worker");
    let roster = Roster { team: "A".to_owned(), agents: names.iter().map(entry).collect() };
    let mut world = game.world(&roster);
    let agents = (0..).zip(&names).map(|(index, name)| (AgentId(index), name.clone()));
    let seat = Seat {
        id: SeatId(0),
        agents: agents.collect(),
        user: "A".to_owned(),
        password: String::new(),
        turn_limit: rules.manifest.deadline,
        margin: MarginLimits::default(),
    };
    world.begin(0, AgentId(0), None);
    let mut found: Vec<_> = std::iter::from_fn(|| world.poll_notice()).collect();
    found.extend(game.session(&seat).problem());
    for notice in found {
        if let phalanx_game::Notice::Fault { place, what } = notice {
            mistakes.push(Mistake::of_file(&place, what));
        }
    }
    if rules.folder.text(&Module::Arena.file()).is_some() {
        let team = |name: &str| (name.to_owned(), names.clone());
        let setup = ArenaSetup {
            seed: 1,
            steps: 1,
            teams: ["A", "B"].iter().take(rules.manifest.teams).map(|name| team(name)).collect(),
            pace: std::time::Duration::ZERO,
            deadline: rules.manifest.deadline,
        };
        mistakes.extend(ScriptedArena::new(rules, setup).err());
    }
}
