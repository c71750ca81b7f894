//! All mistakes of a manifest at once, with their lines.

use super::{MANIFEST, SESSION, WORLD, folder, toy};
use phalanx_scripted::{ScriptedGame, check};

fn mistakes(files: &[(&str, &str)]) -> String {
    let game = folder(files).and_then(ScriptedGame::new);
    let found = match game {
        Ok(game) => check(&game).err().unwrap_or_default(),
        Err(found) => found,
    };
    found.iter().map(|mistake| format!("{mistake}\n")).collect()
}

#[test]
fn ten_mistakes_are_reported_with_their_lines() {
    let manifest = r#"contract = 7
name = "Toy Game"
vesion = "1"
[transport]
kind = "carrier pigeons"
[team]
agents = 900
[turn]
deadline = "soon"
fallback = "sleep()"
[actions.dig]
doc = "Digs."
params = [{ name = "depth", type = "int 9..1", doc = "How deep." }]
[percept."strange name"]
type = "int"
[percept.hint]
type = 5
[keys]
ArrowUp = "dig(0)"
"#;
    insta::assert_snapshot!(mistakes(&[("game.toml", manifest)]));
}

#[test]
fn a_folder_without_a_manifest_or_with_broken_toml_says_so() {
    insta::assert_snapshot!(mistakes(&[("world.luau", WORLD)]));
    insta::assert_snapshot!(mistakes(&[("game.toml", "contract = 1\nname = \"toy")]));
}

#[test]
fn missing_functions_and_files_that_do_not_load_are_found_without_a_match() {
    let session = "return { open = function() end }";
    let world = "local world = {}\nfunction world.new(team) return { f = print } end\nretrun world";
    insta::assert_snapshot!(mistakes(&[
        ("game.toml", MANIFEST),
        ("session.luau", session),
        ("world.luau", world)
    ]));
    let world = WORLD.replace("queries = { sum =", "queries = { total =");
    let world = world.replace("sum = 0 }", "sum = 0, f = print }");
    insta::assert_snapshot!(mistakes(&[
        ("game.toml", MANIFEST),
        ("session.luau", SESSION),
        ("world.luau", &world)
    ]));
}

#[test]
fn states_are_plain_data_and_files_have_no_globals() {
    let state = WORLD.replace("sum = 0 }", "sum = 0, f = print }");
    let global = WORLD.replace("new = function(team)", "new = function(team) count = 1");
    for (world, what) in [(state, "a_function"), (global, "a_global")] {
        let files = [("game.toml", MANIFEST), ("session.luau", SESSION), ("world.luau", &world)];
        insta::assert_snapshot!(what, mistakes(&files));
    }
}

#[test]
fn the_declaration_is_what_native_games_declare() {
    use phalanx_game::Game;
    let declared = toy(&[]).declaration();
    assert_eq!((declared.name, declared.api.actions.len()), ("toy", 2));
    assert_eq!(check(&toy(&[])), Ok(()));
}

#[test]
fn a_manifest_of_a_newer_contract_names_the_way_out() {
    let newer = MANIFEST.replace("contract = 1", "contract = 2");
    assert_eq!(
        mistakes(&[("game.toml", &newer)]),
        "game.toml:2: expected contract = 1, which this program reads; \
         install a newer version of Phalanx\n"
    );
}
