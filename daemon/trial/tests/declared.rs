//! The declaration of the script API, held to what scripts find in a VM and to the files that are
//! generated from it. `UPDATE_TYPES=1 cargo test -p phalanx-trial --test declared` writes them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at the first surprise")]

use phalanx_asimulator::api::API as ASIMULATOR;
use phalanx_assemble::api::API;
use phalanx_bomberland::api::API as BOMBERLAND;
use phalanx_colosseum::api::API as COLOSSEUM;
use phalanx_engine::{
    Board, Generation, Params, Scene, StrategyOrigin, View, check_order, read_order,
};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{
    AgentId, Api, Kind, Oracle, QueryError, Roster, RosterEntry, Said, Turn, Value,
};
use phalanx_lua::{Bundle, Limits, Module, Replica, modules, stage};
use phalanx_mars::api::API as MARS;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const AMPLE: Duration = Duration::from_secs(20);

#[derive(Debug)]
struct Nowhere;

impl Oracle for Nowhere {
    fn field(&self, _: AgentId, _: &str) -> Option<Value> {
        None
    }

    fn query(&self, _: AgentId, _: &str, _: &[Value]) -> Result<Value, QueryError> {
        Ok(Value::Nil)
    }
}

/// What a worker logs while it decides.
fn logged(body: &str) -> Vec<String> {
    let worker = format!("return {{ decide = function(me)\n{body}\nreturn act.skip() end }}");
    let bundle = Arc::new(Bundle::from_files([("worker.luau", worker.as_str())]).unwrap());
    let entry = RosterEntry::new("a1", "worker");
    let roster = Roster { team: "A".into(), agents: vec![entry] };
    let scene = Scene {
        turn: Turn::new(0, 3),
        tick: 4,
        present: vec![AgentId(0)],
        roles: vec!["worker".into()],
        oracle: Arc::new(Nowhere),
    };
    let scene = Arc::new(scene);
    let view = View {
        roster: Arc::new(roster),
        seed: 1,
        scenes: vec![Arc::clone(&scene)],
        board: Board::default(),
        params: Params::default(),
        roles: vec!["worker".into()],
        memories: Vec::new(),
        generation: 1,
    };
    let generation = Generation {
        number: 1,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    let staged = stage(bundle, Arc::new(generation)).unwrap();
    let mut replica = Replica::new(&view, &API, &staged, Limits::default()).unwrap();
    let outcome = replica.decide(&scene, AgentId(0), AMPLE);
    assert!(outcome.result.is_ok(), "{:?}", outcome.result);
    replica.take_log().into_iter().map(|line| line.text).collect()
}

/// `name function` for each member of a global table; of the globals themselves for an empty name.
fn found(module: &str) -> SortedSet<String> {
    let table = if module.is_empty() { "_G" } else { module };
    let lines = logged(&format!(
        "for name, value in {table} do log.info(tostring(name) .. ' ' .. type(value)) end"
    ));
    let mut names: SortedSet<String> = lines.into_iter().collect();
    if module.is_empty() {
        // It belongs to each file, not to the globals that all share.
        names.insert("require function".into());
    }
    names
}

fn declared(module: &Module) -> impl Iterator<Item = String> {
    let functions = module.functions.iter().map(|function| format!("{} function", function.name));
    let constants = module.constants.iter().map(|(name, kind)| {
        let kind = format!("{kind:?}");
        let kind = kind.trim_start_matches("Named(\"").trim_end_matches("\")");
        format!("{name} {kind}")
    });
    functions.chain(constants).collect::<Vec<_>>().into_iter()
}

#[test]
fn scripts_find_what_is_declared_and_nothing_else() {
    let all = modules(&API);
    let names: SortedSet<&str> = all.iter().map(|module| module.name).collect();
    for name in &names {
        let members = all.iter().filter(|module| module.name == *name);
        let mut wanted: SortedSet<String> = members.flat_map(declared).collect();
        if name.is_empty() {
            wanted.extend(names.iter().filter(|n| !n.is_empty()).map(|n| format!("{n} table")));
        }
        assert_eq!(found(name), wanted, "{name}");
    }
}

#[test]
fn a_call_with_too_few_arguments_fails() {
    let mut silent = Vec::new();
    for module in modules(&API).iter().filter(|module| !module.library) {
        for function in &module.functions {
            let dot = if module.name.is_empty() { "" } else { "." };
            let path = format!("{}{dot}{}", module.name, function.name);
            // Anything may be nil there, or is passed through as a value.
            let lenient = matches!(module.name, "log" | "draw") || path == "explain";
            let (least, most) = function.arity();
            if least == 0 || lenient {
                continue;
            }
            let said = logged(&format!("log.info((pcall({path})))"));
            if said.first().map(String::as_str) != Some("false") {
                silent.push(format!("{path}: {least} to {most:?}"));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn a_call_with_too_many_arguments_fails() {
    for module in modules(&API).iter().filter(|module| !module.library) {
        for function in module.functions.iter().filter(|function| !function.variadic) {
            let dot = if module.name.is_empty() { "" } else { "." };
            let path = format!("{}{dot}{}", module.name, function.name);
            let args = vec!["1"; function.params.len() + 1].join(", ");
            let said = logged(&format!("log.info((select(2, pcall({path}, {args}))))"));
            assert!(said.iter().any(|line| line.contains(": takes ")), "{path}: {said:?}");
        }
    }
}

/// The library of selene as a file for it: YAML, of which JSON is a part.
fn library(game: &str, api: &Api) -> String {
    let library = serde_json::to_string_pretty(&phalanx_lua::selene_library(game, api)).unwrap();
    format!(
        "# What strategies for {game} find in their environment.\n# Generated from the declaration \
         that the scripts are checked by: do not edit.\n{library}\n"
    )
}

#[test]
fn the_shipped_files_are_what_is_generated() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let games = [
        ("assemble", &API),
        ("bomberland", &BOMBERLAND),
        ("colosseum", &COLOSSEUM),
        ("mars", &MARS),
        ("asimulator", &ASIMULATOR),
    ];
    let pages = games.into_iter().flat_map(|(game, api)| {
        [
            (format!("scripts/types/{game}.d.luau"), phalanx_lua::types_luau(game, api)),
            (format!("scripts/types/{game}.lua"), phalanx_lua::types_luacats(game, api)),
            (format!("tests/lint/phalanx-{game}.yml"), library(game, api)),
        ]
    });
    for (path, page) in pages {
        let file = root.join(&path);
        if std::env::var_os("UPDATE_TYPES").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &page).unwrap();
        }
        let shipped = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(shipped, page, "{path} is stale: run with UPDATE_TYPES=1");
    }
}

#[test]
fn the_json_reference_names_all_functions_of_the_page() {
    let page = phalanx_lua::reference("assemble", &API);
    let json: serde_json::Value =
        serde_json::from_str(&phalanx_lua::reference_json("assemble", &API)).unwrap();
    let told = json["modules"].as_array().unwrap();
    let mut count = 0;
    for module in told.iter().filter(|module| module["library"] == false) {
        for function in module["functions"].as_array().unwrap() {
            let name = function["name"].as_str().unwrap();
            assert!(page.contains(&format!("{name}(")), "{name}");
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
    assert_eq!(json["schema"], 1);
}

/// Values that a parameter takes; none where only a table will do.
fn values(kind: &Kind) -> Vec<Value> {
    let texts = ["task0", "agentA-1", "a1", "two words", "12", "true", "-", "ä\"\\\n\r\t,)"];
    match kind {
        Kind::Bool => vec![true.into(), false.into()],
        Kind::Int { min, max } => [*min, -2, 0, 3, *max]
            .into_iter()
            .filter(|int| (min..=max).contains(&int) && i32::try_from(*int).is_ok())
            .map(Value::Int)
            .collect(),
        Kind::Num => vec![Value::Num(0.5), Value::Int(3)],
        Kind::Str => texts.map(Value::from).to_vec(),
        Kind::Word(words) => words.iter().map(|word| Value::from(*word)).collect(),
        Kind::Agent => vec!["a1".into(), "TEAM-X2".into(), "1st \"agent\"".into()],
        Kind::Cell | Kind::List(_) | Kind::Table(_) | Kind::Any => Vec::new(),
    }
}

/// Every action of a game with many arguments: as it is displayed it can be typed, and then it is
/// the same action. `refused` are actions that need more than a declaration to be made.
fn can_be_typed<A: std::fmt::Display + std::fmt::Debug + PartialEq>(
    api: &Api,
    make: impl Fn(&Said) -> Option<A>,
    refused: &[&str],
) {
    let names = ["a1", "TEAM-X2", "1st \"agent\""];
    let agents = names.map(|name| RosterEntry::new(name, "worker")).to_vec();
    let roster = Roster { team: "A".into(), agents };
    for doc in api.actions {
        let each: Vec<_> = doc.params.iter().map(|param| values(&param.kind)).collect();
        let most = each.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let mut made = 0;
        for number in 0..most {
            let pick = |values: &Vec<Value>| values.get(number % values.len().max(1)).cloned();
            let args = each.iter().map(|values| pick(values).unwrap_or_default()).collect();
            let Some(action) = make(&Said::new(doc.name, args)) else { continue };
            let text = action.to_string();
            let said = read_order(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let said =
                check_order(api, &roster, &said).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(make(&said).as_ref(), Some(&action), "{text}");
            made += 1;
        }
        assert_eq!(made == 0, refused.contains(&doc.name), "{}", doc.name);
    }
}

#[test]
fn what_is_displayed_of_an_action_can_be_typed() {
    can_be_typed(&API, |said| phalanx_assemble::action::Action::from_said(said).ok(), &[]);
    can_be_typed(&MARS, |said| phalanx_mars::action::Action::from_said(said).ok(), &[]);
    can_be_typed(&BOMBERLAND, |said| phalanx_bomberland::action::Action::from_said(said).ok(), &[]);
    can_be_typed(&ASIMULATOR, |said| phalanx_asimulator::action::Action::from_said(said).ok(), &[]);
    // A game of chess, and one with actors, has to be seen first.
    let colosseum = |said: &Said| phalanx_colosseum::action::Action::from_said(said, None).ok();
    can_be_typed(&COLOSSEUM, colosseum, &["orders", "play"]);
    let played = phalanx_colosseum::action::Action::Play("e7e8q".into()).to_string();
    assert_eq!(read_order(&played), Ok(Said::new("play", vec!["e7e8q".into()])));
}
