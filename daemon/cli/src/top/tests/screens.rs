//! Whole screens in four sizes, for each game.

use super::{cockpit, presses, screen};

const GAMES: [&str; 5] = ["assemble", "bomberland", "asimulator", "colosseum", "mars"];

#[test]
fn all_of_it_is_seen_in_eighty_columns_and_24_rows() {
    for game in GAMES {
        insta::assert_snapshot!(format!("80x24_{game}"), screen(&cockpit(game), (80, 24)));
    }
}

#[test]
fn a_wider_terminal_has_room_for_actions_and_reasons() {
    for game in GAMES {
        insta::assert_snapshot!(format!("120x40_{game}"), screen(&cockpit(game), (120, 40)));
    }
}

#[test]
fn a_large_terminal_gives_the_map_a_column_of_its_own() {
    for game in GAMES {
        insta::assert_snapshot!(format!("200x60_{game}"), screen(&cockpit(game), (200, 60)));
    }
}

#[test]
fn in_a_small_terminal_there_is_one_pane_at_a_time() {
    for game in GAMES {
        let mut cockpit = cockpit(game);
        presses(&mut cockpit, "2");
        insta::assert_snapshot!(format!("40x10_{game}"), screen(&cockpit, (40, 10)));
    }
    let mut cockpit = cockpit("assemble");
    insta::assert_snapshot!("40x10_agents", screen(&cockpit, (40, 10)));
    presses(&mut cockpit, "3");
    insta::assert_snapshot!("40x10_events", screen(&cockpit, (40, 10)));
    assert!(screen(&cockpit, (35, 10)).contains("too small: needs 36 × 8"));
}

#[test]
fn one_pane_can_have_all_the_room() {
    let mut cockpit = cockpit("assemble");
    presses(&mut cockpit, "2z");
    let shown = screen(&cockpit, (80, 24));
    assert!(shown.contains("2 at agentA1") && !shown.contains("agents (4)"), "{shown}");
    presses(&mut cockpit, "z");
    assert!(screen(&cockpit, (80, 24)).contains("agents (4)"));
}
