//! Tests of the viewer's frames and keys.

use super::draw::draw;
use super::player::{Flow, Player};
use super::reel::Reel;
use phalanx_exchange::{PlayedAgent, PlayedTurn};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;
use std::time::Duration;

/// Twenty turns of three agents, a second each; the second agent fails in turn 7, and every tenth
/// turn has a picture.
fn reel() -> Reel {
    let info = v1::RecordingInfo {
        team: "A".into(),
        game: "assemble".into(),
        ..v1::RecordingInfo::default()
    };
    Reel::of(info, (0..20).map(turn))
}

fn turn(step: u32) -> PlayedTurn {
    let at = v1::Turn { round: 0, step };
    let agents = ["agentA1", "agentA2", "agentA3"];
    PlayedTurn {
        turn: at,
        nanos: i64::from(step) * 1_000_000_000,
        agents: agents.iter().map(|name| agent(name, step)).collect(),
        done: Some(v1::TurnDone { asked: 3, decided: 3, ..v1::TurnDone::default() }),
        score: Some(i64::from(step) * 10),
        world: step.is_multiple_of(10).then(|| Arc::new(world(at))),
        board: vec![v1::BoardChanges {
            turn: Some(at),
            entries: vec![v1::BoardEntry {
                key: format!("goal/{}", step / 2),
                value: Some(prost_types::Value::from(f64::from(step))),
                ..v1::BoardEntry::default()
            }],
            ..v1::BoardChanges::default()
        }],
        ..PlayedTurn::default()
    }
}

fn agent(name: &str, step: u32) -> PlayedAgent {
    let kind = if (name, step) == ("agentA2", 7) {
        let reason = "worker.luau:9: attempt to index nil".into();
        Kind::Fallback(v1::Fallback { reason, ..v1::Fallback::default() })
    } else {
        let reason = "north is free".into();
        let grounds = v1::Grounds { file: "worker.luau".into(), line: 7, ..v1::Grounds::default() };
        let (action, grounds) = ("move(n)".into(), Some(grounds));
        Kind::Decided(v1::Decided { action, reason, grounds, ..v1::Decided::default() })
    };
    let event = v1::MatchEvent { generation: 2, kind: Some(kind), ..v1::MatchEvent::default() };
    PlayedAgent {
        name: name.to_owned(),
        role: "worker".into(),
        percept: format!("at ({step}, 4)"),
        events: vec![event],
        result: "success".into(),
        answered: None,
    }
}

/// A map of six columns and three rows, with the first agent on it.
fn world(turn: v1::Turn) -> v1::World {
    let legend = |value, glyph: &str| v1::WorldLegend {
        value,
        glyph: glyph.to_owned(),
        ..v1::WorldLegend::default()
    };
    let layer = v1::WorldLayer {
        name: "terrain".into(),
        width: 6,
        height: 3,
        cells: vec![1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1],
        legend: vec![legend(1, "."), legend(2, "#")],
        ..v1::WorldLayer::default()
    };
    let cell = Place::Cell(v1::WorldCell { x: 1, y: 1 });
    let body = v1::WorldBody {
        name: "agentA1".into(),
        side: v1::WorldSide::Ours.into(),
        agent: Some(0),
        place: Some(v1::WorldPlace { place: Some(cell) }),
        alive: true,
        ..v1::WorldBody::default()
    };
    let part = v1::WorldPart {
        name: "map".into(),
        shape: Some(Shape::Grid(v1::WorldGrid::default())),
        layers: vec![layer],
        bodies: vec![body],
        ..v1::WorldPart::default()
    };
    v1::World { turn: Some(turn), parts: vec![part], ..v1::World::default() }
}

fn press(player: &mut Player, reel: &Reel, code: KeyCode) -> Flow {
    player.press(KeyEvent::new(code, KeyModifiers::NONE), reel)
}

/// Presses keys one after the other: letters, and `⏎` for Enter.
fn presses(player: &mut Player, reel: &Reel, keys: &str) {
    for key in keys.chars() {
        let code = if key == '⏎' { KeyCode::Enter } else { KeyCode::Char(key) };
        assert_eq!(press(player, reel, code), Flow::On, "{key}");
    }
}

fn screen(player: &Player, reel: &Reel, (columns, rows): (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(frame, reel, player)).unwrap();
    let buffer = terminal.backend().buffer();
    let cells: Vec<_> = buffer.content().iter().map(|cell| cell.symbol().to_owned()).collect();
    cells.chunks(usize::from(columns)).map(|row| row.concat().trim_end().to_owned()).collect()
}

#[test]
fn a_turn_fits_eighty_columns_and_24_rows() {
    let (reel, mut player) = (reel(), Player::new(1.0));
    presses(&mut player, &reel, "12⏎j");
    let shown = screen(&player, &reel, (80, 24));
    let text = shown.join("\n");
    assert_eq!(shown.len(), 24);
    assert!(shown[0].starts_with(" A assemble  0:12  0:12  asked 3 decided 3"), "{text}");
    assert!(shown[0].ends_with("❚❚ 1×"), "{text}");
    // The map as it was drawn two turns ago, with the first agent on it.
    assert!(shown[1].contains(" map terrain, 2 turns ago "), "{text}");
    assert!(text.contains(" . . . . . .") && text.contains(". A # # . ."), "{text}");
    assert!(shown[15].contains("A B … our agents"), "{text}");
    assert!(shown[1].contains(" 3 agents "), "{text}");
    assert!(shown[3].contains("agentA2 move(n)") && shown[3].contains("success"), "{text}");
    // The second agent in detail.
    assert!(
        shown[17].starts_with("agentA2") && shown[17].contains("at (12, 4) (worker)"),
        "{text}"
    );
    assert_eq!(shown[18], "decided   move(n) → success", "{text}");
    assert_eq!(shown[19], "because   north is free  [worker.luau:7, 0 µs]", "{text}");
    assert!(shown[22].starts_with("━━━") && shown[22].ends_with(" 63 %"), "{text}");
    assert!(shown[23].contains("? keys"), "{text}");
}

#[test]
fn a_wide_terminal_has_room_for_reasons() {
    let (reel, mut player) = (reel(), Player::new(1.0));
    presses(&mut player, &reel, "3⏎");
    let wide = screen(&player, &reel, (140, 40)).join("\n");
    assert!(wide.matches("north is free").count() >= 4, "{wide}");
    let small = screen(&player, &reel, (30, 8)).join("\n");
    assert!(small.contains("too small"), "{small}");
}

#[test]
fn a_large_terminal_shows_the_selected_agents_turns_beside_all_agents() {
    let (reel, mut player) = (reel(), Player::new(1.0));
    presses(&mut player, &reel, "7⏎j");
    let text = screen(&player, &reel, (200, 60)).join("\n");
    assert!(text.contains(" 3 agents ") && text.contains(" agentA2, turn by turn "), "{text}");
    assert!(text.matches("worker.luau:9:").count() >= 3, "{text}");
    let usual = screen(&player, &reel, (80, 24)).join("\n");
    assert!(!usual.contains("turn by turn"), "{usual}");
}

#[test]
fn the_smallest_large_terminal_has_room_for_a_team_of_twenty() {
    let info = v1::RecordingInfo { team: "A".into(), ..v1::RecordingInfo::default() };
    let names: Vec<_> = (1..=20).map(|number| format!("a{number}")).collect();
    let agents = names.iter().map(|name| agent(name, 0)).collect();
    let reel = Reel::of(info, std::iter::once(PlayedTurn { agents, ..turn(0) }));
    let text = screen(&Player::new(1.0), &reel, (120, 40)).join("\n");
    let missing: Vec<_> = names.iter().filter(|name| !text.contains(&format!("{name} "))).collect();
    assert!(missing.is_empty() && text.contains(" a1, turn by turn "), "{missing:?}\n{text}");
}

#[test]
fn before_the_first_picture_of_a_round_the_map_is_the_one_that_follows() {
    let mut reel = reel();
    reel.turns[0].world = None;
    let text = screen(&Player::new(1.0), &reel, (80, 24)).join("\n");
    assert!(text.contains("10 turns later") && text.contains(". A # # . ."), "{text}");
}

#[test]
fn keys_lead_to_turns_and_to_trouble() {
    let (reel, mut player) = (reel(), Player::new(1.0));
    let table = [
        ("l", 1),
        ("h", 0),
        ("15⏎", 15),
        ("0.4⏎", 4),
        ("50%⏎", 9),
        ("100%⏎", 19),
        ("g3⏎", 3),
        ("n", 7),
        ("n", 7),
        ("9⏎p", 7),
        ("99⏎", 7),
    ];
    for (keys, at) in table {
        presses(&mut player, &reel, keys);
        assert_eq!(player.at, at, "{keys}");
    }
    assert!(player.notice.contains("it has 0:0 to 0:19"), "{}", player.notice);
    for (code, at) in [(KeyCode::PageDown, 17), (KeyCode::End, 19), (KeyCode::Home, 0)] {
        press(&mut player, &reel, code);
        assert_eq!(player.at, at, "{code:?}");
    }
    // With only one agent, only its own problems count: the third agent has none.
    presses(&mut player, &reel, "jjfn");
    assert_eq!((player.at, player.notice.as_str()), (0, "there is no trouble after this turn"));
    presses(&mut player, &reel, "kn");
    assert_eq!(player.at, 7);
}

#[test]
fn it_plays_as_fast_as_it_was_played_or_as_told_and_stops_at_the_end() {
    let (reel, mut player) = (reel(), Player::new(1.0));
    player.tick(Duration::from_secs(5), &reel);
    assert_eq!(player.at, 0, "it waits for a key");
    presses(&mut player, &reel, " ");
    player.tick(Duration::from_millis(2_500), &reel);
    assert_eq!(player.at, 2);
    presses(&mut player, &reel, "++");
    player.tick(Duration::from_millis(1_000), &reel);
    assert_eq!((player.at, player.speed), (6, 4.0));
    player.tick(Duration::from_secs(60), &reel);
    assert_eq!((player.at, player.plays), (19, false));
    presses(&mut player, &reel, " ");
    assert_eq!((player.at, player.plays), (0, true), "from the begin again");
}

#[test]
fn the_board_and_the_keys_can_be_looked_at() {
    let (reel, mut player) = (reel(), Player::new(1.0));
    presses(&mut player, &reel, "5⏎b");
    let board = screen(&player, &reel, (80, 24)).join("\n");
    assert!(board.contains("board, 3 keys") && board.contains("goal/2 = 5"), "{board}");
    assert!(!board.contains("goal/3"), "{board}");
    presses(&mut player, &reel, "?");
    let help = screen(&player, &reel, (80, 24)).join("\n");
    assert!(help.contains("next, previous trouble"), "{help}");
    presses(&mut player, &reel, "x");
    assert!(!screen(&player, &reel, (80, 24)).join("\n").contains("next, previous trouble"));
}

#[test]
fn a_letter_with_control_or_alt_is_another_key() {
    let (reel, mut player) = (reel(), Player::new(1.0));
    for modifiers in [KeyModifiers::CONTROL, KeyModifiers::ALT] {
        for letter in ['l', 'b', 'q', '5'] {
            let key = KeyEvent::new(KeyCode::Char(letter), modifiers);
            assert_eq!(player.press(key, &reel), Flow::On, "{key:?}");
        }
    }
    assert_eq!((player.at, player.board, player.typed), (0, false, None));
}

#[test]
fn leaving_is_easy() {
    let (reel, mut player) = (reel(), Player::new(1.0));
    assert_eq!(press(&mut player, &reel, KeyCode::Char('q')), Flow::Leave);
    assert_eq!(press(&mut player, &reel, KeyCode::Esc), Flow::Leave);
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    presses(&mut player, &reel, "12");
    assert_eq!(press(&mut player, &reel, KeyCode::Esc), Flow::On, "it only ends the typing");
    assert_eq!(player.press(control_c, &reel), Flow::Leave);
}
