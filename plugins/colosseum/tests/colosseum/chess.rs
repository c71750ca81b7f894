//! The chess player: it knows the rules, finds what is there to find, and keeps its budget.

use phalanx_colosseum::chess::{BestMove, best_move, legal_moves};
use phalanx_colosseum::rules::chess::ChessGame;
use proptest::prelude::*;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn best(fen: &str, nodes: u32) -> BestMove {
    best_move(fen, [].into_iter(), nodes).unwrap()
}

fn sorted(mut moves: Vec<String>) -> Vec<String> {
    moves.sort_unstable();
    moves
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Two sets of rules, written apart from each other, agree on every position of a game.
    #[test]
    fn the_rules_of_the_search_are_those_of_the_referee(choices in prop::collection::vec(0_usize..1000, 120)) {
        let mut game = ChessGame::default();
        for choice in choices {
            let moves = game.legal_moves();
            if game.end().is_some() || moves.is_empty() {
                break;
            }
            prop_assert_eq!(legal_moves(&game.fen()).map(sorted), Some(sorted(moves.clone())));
            prop_assert!(game.play(&moves[choice % moves.len()]));
        }
    }

    #[test]
    fn any_text_is_a_position_or_none(text in "[ -~]{0,90}") {
        prop_assert!(best_move(&text, [text.as_str()].into_iter(), 10).is_none_or(|best| best.nodes <= 1000));
    }
}

#[test]
fn it_mates() {
    for (fen, depth, uci) in [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", 1, Some("a1a8")),
        ("4k3/8/4K3/8/8/8/8/7Q w - - 0 1", 1, None),
        // With two rooks in two moves of its own.
        ("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", 3, None),
        ("8/8/8/8/8/2k5/7q/K7 b - - 0 1", 1, None),
    ] {
        let found = best(fen, 50_000);
        assert_eq!(found.worth, BestMove::MATE - depth, "{fen}: {found:?}");
        assert!(uci.is_none_or(|uci| found.uci == uci), "{fen}: {found:?}");
    }
}

#[test]
fn it_takes_what_is_not_guarded_and_leaves_what_is() {
    assert_eq!(best("k7/8/8/3q4/8/8/8/K2R4 w - - 0 1", 10_000).uci, "d1d5");
    assert_ne!(best("k7/8/4p3/3p4/8/8/8/K2R4 w - - 0 1", 10_000).uci, "d1d5");
}

#[test]
fn it_looks_through_all_exchanges() {
    // Taking the pawn loses the queen after two more captures.
    let found = best("4k3/2n2p2/4p3/3p4/8/3Q4/8/3RK3 w - - 0 1", 20_000);
    assert_ne!(found.uci, "d3d5");
}

#[test]
fn it_castles_and_promotes_in_the_notation_of_the_referee() {
    let moves = legal_moves("4k3/P7/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    assert!(moves.contains(&"e1g1".to_owned()), "{moves:?}");
    assert_eq!(best("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", 5_000).uci, "a7a8q");
}

#[test]
fn a_position_that_comes_back_is_a_draw() {
    // Black has only its king; going back to where the game was before saves it.
    let fen = "k7/8/8/8/8/8/8/K6R b - - 1 1";
    let before = "1k6/8/8/8/8/8/8/K6R w - - 0 1";
    assert!(best(fen, 5_000).worth < -300);
    let found = best_move(fen, [before].into_iter(), 5_000).unwrap();
    assert_eq!((found.uci.as_str(), found.worth), ("a8b8", 0));
    // White, which is better, does not go back.
    let fen = "1k6/8/8/8/8/8/8/K5R1 w - - 0 1";
    let before = ["1k6/8/8/8/8/8/8/K6R b - - 0 1", "1k6/8/8/8/8/8/8/1K4R1 b - - 0 1"];
    let found = best_move(fen, before.into_iter(), 5_000).unwrap();
    assert!(found.worth > 300 && !["g1h1", "a1b1"].contains(&found.uci.as_str()), "{found:?}");
}

#[test]
fn it_keeps_its_budget_and_answers_the_same() {
    for nodes in [1, 10, 1_000, 20_000] {
        let found = best(START, nodes);
        // The line that is looked at when the budget ends is given up within its own length.
        assert!(found.nodes <= nodes + 200, "{found:?}");
        assert_eq!(found, best(START, nodes));
    }
    assert!(best(START, 20_000).depth > best(START, 500).depth);
}

#[test]
fn there_is_no_move_after_the_end_and_none_in_what_cannot_be() {
    for fen in [
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "",
        "nonsense",
    ] {
        assert_eq!(best_move(fen, [].into_iter(), 100), None, "{fen}");
    }
}
