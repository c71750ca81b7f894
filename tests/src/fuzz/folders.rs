//! Games that are a folder: the client of MAPC 2022, client and referee of Tron.

use crate::root;
use phalanx_game::{Arena, Origin};
use phalanx_scripted::{ArenaSetup, GameFolder, ScriptedArena, ScriptedGame};
use std::sync::OnceLock;
use std::time::Duration;

#[expect(clippy::expect_used, reason = "our own folders")]
fn game(folder: &str) -> ScriptedGame {
    let folder = GameFolder::read(&root().join("plugins").join(folder));
    folder.and_then(ScriptedGame::new).expect("the folder is a game")
}

pub(super) fn mapc2022() -> &'static ScriptedGame {
    static GAME: OnceLock<ScriptedGame> = OnceLock::new();
    GAME.get_or_init(|| game("mapc2022"))
}

pub(super) fn tron() -> &'static ScriptedGame {
    static GAME: OnceLock<ScriptedGame> = OnceLock::new();
    GAME.get_or_init(|| game("tron"))
}

/// Two teams of one cycle, which have the teams' names.
#[expect(clippy::expect_used, reason = "our own folder")]
pub(super) fn tron_arena(_: Origin) -> Box<dyn Arena> {
    let setup = ArenaSetup {
        seed: 7,
        steps: 6,
        teams: ["A", "B"].map(|team| (team.to_owned(), vec![team.to_owned()])).to_vec(),
        pace: Duration::ZERO,
        deadline: Duration::from_secs(1),
    };
    Box::new(ScriptedArena::new(tron().rules(), setup).expect("the rules begin"))
}

/// What the real referee of MAPC 2022 said to an agent, from a transcript.
#[expect(clippy::expect_used, reason = "our own file")]
pub(super) fn mapc2022_referee() -> Vec<u8> {
    let path = root().join("plugins/mapc2022/transcripts/first-15.jsonl");
    let text = std::fs::read_to_string(path).expect("the transcript is there");
    let mut bytes = Vec::new();
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
        if line.get("from").and_then(serde_json::Value::as_str) == Some("referee") {
            let message = line.get("message").expect("each line has a message");
            bytes.extend(message.to_string().bytes().chain([0]));
        }
    }
    bytes
}
