//! What a folder may contain: plain files of one level, and scripts that reach nothing else.

use super::{MANIFEST, SESSION, WORLD};
use phalanx_scripted::{GameFolder, ScriptedGame, check};
use std::fs;
use std::path::Path;

fn made(dir: &Path, world: &str) {
    for (name, text) in [("game.toml", MANIFEST), ("session.luau", SESSION), ("world.luau", world)]
    {
        fs::write(dir.join(name), text).unwrap();
    }
}

/// All mistakes of the folder, one a line.
fn mistakes(dir: &Path) -> String {
    let game = GameFolder::read(dir).and_then(ScriptedGame::new);
    let found = game.and_then(|game| check(&game)).err().unwrap_or_default();
    found.iter().map(|mistake| format!("{mistake}\n")).collect()
}

#[test]
fn require_reaches_the_files_of_the_folder_and_no_others() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.luau"), "return 'secret'").unwrap();
    let dir = outside.path().join("game");
    fs::create_dir_all(dir.join("strategy")).unwrap();
    fs::write(dir.join("strategy/worker.luau"), "return {}").unwrap();
    fs::write(dir.join("own.luau"), "return 'own'").unwrap();
    made(&dir, &format!("local own = require('./own')\n{WORLD}"));
    assert_eq!(mistakes(&dir), "");
    let absolute = outside.path().join("secret");
    for name in ["../secret", "../game/own", "strategy/worker", absolute.to_str().unwrap(), "own\0"]
    {
        made(&dir, &format!("local other = require({name:?})\n{WORLD}").replace("\\0", "\\x00"));
        let found = mistakes(&dir);
        assert!(found.contains("the game's folder has no file"), "{name}: {found}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_refused_wherever_it_leads() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.luau"), "return 'secret'").unwrap();
    let dir = outside.path().join("game");
    fs::create_dir(&dir).unwrap();
    made(&dir, WORLD);
    std::os::unix::fs::symlink("../secret.luau", dir.join("link.luau")).unwrap();
    std::os::unix::fs::symlink("own.luau", dir.join("inner.luau")).unwrap();
    let found = mistakes(&dir);
    assert!(found.contains("link.luau: is a link or no plain file"), "{found}");
    assert!(found.contains("inner.luau: is a link or no plain file"), "{found}");
    for name in ["link.luau", "inner.luau", "game.toml"] {
        fs::remove_file(dir.join(name)).unwrap();
    }
    std::os::unix::fs::symlink("/etc/hostname", dir.join("game.toml")).unwrap();
    assert!(mistakes(&dir).contains("game.toml: is a link or no plain file"));
}

#[test]
fn a_folder_that_is_too_large_says_which_file() {
    let dir = tempfile::tempdir().unwrap();
    made(dir.path(), WORLD);
    let long = format!("-- {}\nreturn 1", "x".repeat(1 << 20));
    fs::write(dir.path().join("long.luau"), long).unwrap();
    fs::write(dir.path().join("bytes.luau"), [0x66, 0xFF, 0xFE]).unwrap();
    let found = mistakes(dir.path());
    assert!(found.contains("long.luau: has 1048588 bytes, at most 1048576"), "{found}");
    assert!(found.contains("bytes.luau: cannot read it"), "{found}");
    for index in 0..100 {
        fs::write(dir.path().join(format!("m{index}.luau")), "return 1").unwrap();
    }
    assert!(mistakes(dir.path()).contains("a game has at most 100 files"));
}

#[test]
fn a_game_that_was_read_does_not_change_with_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    made(dir.path(), WORLD);
    let first = GameFolder::read(dir.path()).unwrap();
    fs::write(dir.path().join("world.luau"), "this is no Luau").unwrap();
    assert_eq!(ScriptedGame::new(first.clone()).and_then(|game| check(&game)), Ok(()));
    let second = GameFolder::read(dir.path()).unwrap();
    assert_ne!(first.hash(), second.hash());
    assert!(mistakes(dir.path()).contains("world.luau:1:"), "{}", mistakes(dir.path()));
}

#[test]
fn a_file_that_requires_itself_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    made(dir.path(), &format!("local a = require('a')\n{WORLD}"));
    fs::write(dir.path().join("a.luau"), "return require('b')").unwrap();
    fs::write(dir.path().join("b.luau"), "return require('a')").unwrap();
    assert!(mistakes(dir.path()).contains("a.luau needs itself"), "{}", mistakes(dir.path()));
}
