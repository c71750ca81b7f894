//! `phalanx init`: settings that pass their check, from flags, defaults or answers.

use crate::support::{phalanx, refused, said, stderr, text};
use crate::terminal::InTerminal;
use std::os::unix::fs::PermissionsExt;

#[test]
fn the_defaults_of_each_game_pass_the_check_and_are_never_overwritten() {
    for game in phalanx_games::GAMES {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(game);
        let told = said(&["init", text(&folder), "--game", game, "--yes"]);
        let config = folder.join("phalanx.toml");
        let config = text(&config);
        let last: Vec<&str> = told.lines().rev().take(2).map(str::trim).collect();
        let next =
            [format!("phalanxd --config {config}"), format!("phalanx doctor --config {config}")];
        assert_eq!(last, next, "{game}");
        let checked = said(&["check", "--config", config]);
        assert!(checked.contains(&format!("play {game}")), "{checked}");
        let before = std::fs::read_to_string(config).unwrap();
        let told = refused(&["init", text(&folder), "--game", game, "--yes"], 1);
        assert!(told.contains("exists"), "{told}");
        assert_eq!(before, std::fs::read_to_string(config).unwrap(), "{game}");
    }
}

#[test]
fn without_a_terminal_it_names_the_flags_that_are_missing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("room");
    let told = refused(&["init", text(&folder), "--game", "mars", "--team", "A"], 64);
    assert!(told.contains("add --server, --prefix, --agents, --password-file, or --yes"), "{told}");
    assert!(!folder.exists());
    let told = refused(&["init", text(&folder), "--yes", "--server", "room"], 64);
    assert!(told.contains("expected host:port"), "{told}");
    assert!(!folder.exists());
}

#[test]
fn flags_decide_everything_and_the_password_stays_in_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("room");
    let secret = dir.path().join("agents.secret");
    std::fs::write(&secret, "hunter2\n").unwrap();
    let flags = [
        "--game",
        "assemble",
        "--server",
        "room.example:12300",
        "--team",
        "Reds",
        "--prefix",
        "agentReds",
        "--agents",
        "3",
        "--password-file",
        text(&secret),
    ];
    let told = said(&[&["init", text(&folder)][..], &flags].concat());
    let written = std::fs::read_to_string(folder.join("phalanx.toml")).unwrap();
    for part in ["room.example:12300", "Reds", "agentReds", "count = 3", "role = \"worker\""] {
        assert!(written.contains(part), "{part} is missing in\n{written}");
    }
    assert!(!(written + &told).contains("hunter2"));
    assert!(!folder.join("phalanx.secret").exists());
    let checked = said(&["check", "--config", text(&folder.join("phalanx.toml"))]);
    assert!(checked.contains("team Reds: 3 agents"), "{checked}");
}

#[test]
fn the_password_that_it_makes_is_only_for_its_owner() {
    let dir = tempfile::tempdir().unwrap();
    said(&["init", text(dir.path()), "--yes"]);
    let about = std::fs::metadata(dir.path().join("phalanx.secret")).unwrap();
    assert_eq!(about.permissions().mode() & 0o777, 0o600);
}

#[test]
fn at_a_terminal_it_asks_repeats_and_shows_no_password() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("room");
    let mut terminal = InTerminal::start(&["init", text(&folder)]);
    for (shown, typed) in [
        ("[assemble]: ", "chess\n"),
        ("no game is called \"chess\"", "mars\n"),
        ("[127.0.0.1:12300]: ", "room\n"),
        ("expected host:port", "room.example:12300\n"),
        ("Name of the team [A]: ", "Reds\n"),
        ("before the number [a]: ", "\n"),
        ("Number of agents [20]: ", "5\n"),
    ] {
        terminal.shows(shown);
        terminal.press(typed);
    }
    terminal.shows("Password of the accounts");
    terminal.hides_keys();
    terminal.press("hunter2\n");
    let left = terminal.leave();
    let shown = String::from_utf8_lossy(&left.bytes).into_owned();
    assert_eq!((left.code, left.is_restored), (Some(0), true), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
    let secret = std::fs::read_to_string(folder.join("phalanx.secret")).unwrap();
    assert_eq!(secret, "hunter2\n");
    let written = std::fs::read_to_string(folder.join("phalanx.toml")).unwrap();
    assert!(written.contains("name = \"Reds\"") && written.contains("count = 5"), "{written}");
}

#[test]
fn a_strategy_that_exists_is_used_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let mine = dir.path().join("mine");
    said(&["strategy", "new", "mine", "--dir", text(&mine), "--game", "mars"]);
    let folder = dir.path().join("room");
    let flags = ["--yes", "--game", "assemble", "--strategy", text(&mine)];
    let made = phalanx(&[&["init", text(&folder)][..], &flags].concat());
    let told = stderr(&made);
    assert_eq!(made.status.code(), Some(64), "{told}");
    assert!(told.contains("is for mars, not for assemble"), "{told}");
    let folder = dir.path().join("other");
    said(&["init", text(&folder), "--yes", "--strategy", text(&mine)]);
    let written = std::fs::read_to_string(folder.join("phalanx.toml")).unwrap();
    assert!(written.contains("game = \"mars\""), "{written}");
    assert!(!folder.join("strategy").exists());
}
