//! Whole recorded games of chess: every position, its legal moves in their order, and the end.

use super::read::{recording, turns};
use phalanx_colosseum::rules::chess::ChessGame;
use serde_json::Value;

#[test]
fn positions_moves_and_ends_are_the_recorded_ones() {
    let mut positions = 0;
    for name in ["chess_s1_agent0_random", "chess_s1_agent1_first", "chess_s2_agent0_random"] {
        let Some(recording) = recording(name) else { return };
        let mut game = ChessGame::default();
        for (state, reply) in turns(&recording) {
            // What the other side played comes with the next state.
            if let Some(uci) = state["last_move"].as_str() {
                assert!(game.play(uci), "{name}: {uci} in {}", game.fen());
            }
            let mut text = String::new();
            game.write(&mut text);
            let ours: Value = serde_json::from_str(&format!("{{{text}}}")).expect("JSON");
            for key in ["fen", "epd", "turn", "legal_moves", "last_move"] {
                assert_eq!(ours[key], state[key], "{name} epoch {}: {key}", state["epoch"]);
            }
            assert_eq!(game.end(), None, "{name}: {}", game.fen());
            let uci = reply["move"].as_str().expect("a move");
            assert!(game.play(uci), "{name}: {uci} in {}", game.fen());
            positions += 1;
        }
        let end = game.end().map(phalanx_colosseum::rules::chess::ChessEnd::word);
        let recorded = recording.result["outcome"]["termination"].as_str();
        // The last move may be the other side's, whose reply is not in this recording.
        assert!(end.is_none() || end == recorded, "{name}: {end:?}");
    }
    println!("{positions} positions of chess equal");
    assert!(positions > 350, "{positions}");
}
