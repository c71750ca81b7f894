//! Pictures and films of worlds: of running teams and of recordings.

use crate::reload::Demo;
use crate::support::{
    PHALANX, first_recorded, phalanx, quiet, refused, said, stderr, stdout, text,
};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// Draws marks, so that the picture shows more than the world.
const WORKER: &str = r#"
return { decide = function(me)
    draw.text({ x = 0, y = 0 }, "<here & now>")
    return act.skip()
end }
"#;

/// Arguments that draw from a recording.
fn map<'a>(file: &'a str, words: &[&'a str]) -> Vec<&'a str> {
    [&["map", "--file", file], words].concat()
}

/// A number of four bytes in a PNG.
fn number(file: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(file[at..at + 4].try_into().unwrap())
}

/// Width and height of a PNG.
fn size(file: &[u8]) -> (u32, u32) {
    assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
    (number(file, 16), number(file, 20))
}

#[test]
fn a_running_team_is_drawn_into_files_and_pipes() {
    let demo = Demo::open(WORKER);
    let dir = tempfile::tempdir().unwrap();
    let (svg, png) = (dir.path().join("map.svg"), dir.path().join("map.png"));
    let both = ["map", "A", "--svg", text(&svg), "--png", text(&png), "--width", "900"];
    let told = demo.told(&both);
    assert_eq!(told["files"].as_array().unwrap().len(), 2, "{told}");
    let page = std::fs::read_to_string(&svg).unwrap();
    for expected in ["<title>A, assemble, turn ", ">agentA1<", ">agentA2<", ">worker<", ">free<"] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    assert!(page.contains("&lt;here &amp; now&gt;"), "{page}");
    assert_eq!(size(&std::fs::read(&png).unwrap()).0, 900);
    let piped = demo.ask(&["map", "A", "--png", "-", "--width", "400"]);
    assert!(piped.status.success(), "{}", stderr(&piped));
    assert_eq!(size(&piped.stdout).0, 400);
    let missing = demo.ask(&["map", "A", "--layer", "moon", "--png", text(&png)]);
    assert_eq!(missing.status.code(), Some(64));
    assert!(stderr(&missing).contains("there are: blocks, ground"), "{}", stderr(&missing));
    let stranger = demo.ask(&["map", "Z", "--png", text(&png)]);
    assert_eq!(stranger.status.code(), Some(2), "{}", stderr(&stranger));
}

/// Each game, how its demo is started, and what its picture says.
const GAMES: &[(&str, &[&str], &[&str])] = &[
    ("assemble", &["--steps", "12"], &[">free<", ">dispenser<", ">agentA1<", ">our agents<"]),
    ("bomberland", &["--steps", "12"], &[">danger: 63 to 0 ticks until it burns<", ">hunter<"]),
    ("mars", &["--steps", "12"], &[">agentA1<", ">our agents<", "achievements"]),
    ("asimulator", &["--worlds", "1"], &[">wall<", ">death: 0 to 1 probability<", ">home<"]),
    ("colosseum", &["--steps", "12", "--variant", "food_catcher"], &[">food<", ">base<"]),
    ("colosseum", &["--steps", "12", "--variant", "snake"], &[">own snake<", ">food<"]),
    ("colosseum", &["--steps", "12", "--variant", "chess"], &[">white king<", ">black king<"]),
];

#[test]
fn a_recording_of_every_game_becomes_a_picture_and_a_film() {
    for (game, args, expected) in GAMES {
        let dir = tempfile::tempdir().unwrap();
        let file = first_recorded(dir.path(), &[&["--game", game], *args].concat());
        let page = said(&["map", "--file", &file, "--svg", "-"]);
        for expected in *expected {
            assert!(page.contains(expected), "{game} {args:?}: {expected}: {page}");
        }
        let (png, film) = (dir.path().join("map.png"), dir.path().join("film.png"));
        said(&["map", "--file", &file, "--png", text(&png), "--theme", "dark"]);
        assert_eq!(size(&std::fs::read(&png).unwrap()).0, 1200, "{game}");
        let short = ["--width", "400", "--fps", "8"];
        let told =
            said(&[&["map", "--file", &file, "--animate", text(&film)], &short[..]].concat());
        let told: Value = serde_json::from_str(&told).unwrap();
        let bytes = std::fs::read(&film).unwrap();
        assert_eq!(size(&bytes).0, 400, "{game}");
        let control = bytes.windows(4).position(|it| it == b"acTL").unwrap();
        assert_eq!(told["frames"], json!(number(&bytes, control + 4)), "{game}");
    }
}

#[test]
fn a_turn_of_a_recording_is_drawn_with_what_was_done_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = first_recorded(dir.path(), &["--steps", "25"]);
    let drawn = said(&map(&file, &["--turn", "10", "--svg", "-"]));
    assert!(drawn.contains("<title>A, assemble, turn 0:10</title>"), "{drawn}");
    // A turn between two pictures shows the earlier one.
    let output = phalanx(&map(&file, &["--turn", "0.14", "--svg", "-"]));
    assert!(stdout(&output).contains("turn 0:10</title>"), "{}", stdout(&output));
    assert!(stderr(&output).contains("drawing that of turn 0:10"), "{}", stderr(&output));
    let gone = refused(&map(&file, &["--turn", "99", "--svg", "-"]), 64);
    assert!(gone.contains("it has 0:0 to 0:24"), "{gone}");
    let film = dir.path().join("film.png");
    let part = ["--animate", text(&film), "--from", "10", "--to", "19", "--width", "400"];
    let told: Value = serde_json::from_str(&said(&map(&file, &part))).unwrap();
    assert_eq!((&told["frames"], &told["fps"]), (&json!(1), &json!(5)));
    let again = |name: &str| {
        let path = dir.path().join(name);
        said(&map(&file, &["--animate", text(&path), "--width", "500"]));
        std::fs::read(path).unwrap()
    };
    assert!(again("one.png") == again("two.png"), "the same film has the same bytes");
    let none = refused(&map(&file, &["--animate", text(&film), "--from", "11", "--to", "12"]), 1);
    assert!(none.contains("contain no picture of the world"), "{none}");
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().flatten().collect();
    let unfinished = left.iter().any(|it| it.file_name().to_string_lossy().ends_with(".part"));
    assert!(!unfinished, "{left:?}");
}

#[test]
fn what_is_piped_is_the_picture_alone_and_may_be_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let file = first_recorded(dir.path(), &["--steps", "12"]);
    let beside = dir.path().join("map.png");
    let page = said(&map(&file, &["--png", text(&beside), "--svg", "-"]));
    assert!(page.trim_end().ends_with("</svg>"), "{page}");
    assert!(beside.exists());
    for flag in ["--svg", "--png", "--animate"] {
        let mut command = quiet(Command::new(PHALANX));
        command.args(map(&file, &[flag, "-", "--width", "400"]));
        let mut drawing = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The pipe is closed.
        drop(drawing.stdout.take());
        let output = drawing.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{flag}: {}", stderr(&output));
    }
}

#[test]
fn a_picture_needs_a_file_and_makes_sense() {
    for (args, expected) in [
        (&["map", "A"][..], "--png"),
        (&["map", "A", "--animate", "f.png"], "--file"),
        (&["map", "A", "--file", "f.mcap", "--png", "f.png"], "cannot be used with"),
        (&["map", "--png", "f.png", "--turn", "3"], "--file"),
        (&["map", "--png", "f.png", "--width", "100"], "320..=8192"),
        (&["map", "--png", "-", "--svg", "-"], "standard output takes one picture"),
        (&["map", "--file", "f.mcap", "--animate", "f.webp"], "films are animated PNGs"),
        (
            &["map", "--file", "f.mcap", "--animate", "f.png", "--from", "100", "--to", "50"],
            "--from 100 --to 50: the first turn is after the last one",
        ),
    ] {
        let error = refused(args, 64);
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}
