//! Tests of the view's frames and keys.

mod screens;
mod worlds;

use super::cockpit::{Cockpit, Heard, Notice, Pane, Question, UserRequest};
use super::draw::draw;
use super::feed::Filter;
use super::margin::Histogram;
use phalanx_engine::{JournalEntry, JournalEvent, TurnDone};
use phalanx_game::Turn;
use phalanx_proto::v1;
use phalanx_proto::v1::steering::Mode;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use std::sync::Arc;
use std::time::Duration;

/// Turns that were played.
const TURNS: u32 = 30;

fn agent(number: u32, mode: Option<Mode>) -> v1::Agent {
    let name = format!("agentA{number}");
    v1::Agent {
        resource_name: format!("teams/A/agents/{name}"),
        name,
        role: "worker".into(),
        seat_state: v1::SeatState::Seated.into(),
        summary: "12,-7 energy 100".into(),
        last_action: "move(n)".into(),
        last_result: "success".into(),
        reason: "the way to the dispenser is free".into(),
        steering: Some(v1::Steering { mode }),
        ..v1::Agent::default()
    }
}

/// Team A with four agents: one is paused, one has failed, one is disconnected.
fn team(game: &str) -> v1::Team {
    let paused = Mode::Paused(v1::PausedSteering { by: "kuno".into() });
    let mut failed = agent(3, None);
    failed.trouble = "worker.luau:42: attempt to index nil with 'x'".into();
    let mut gone = agent(4, None);
    gone.seat_state = v1::SeatState::Connecting.into();
    gone.seat_reason = "connection refused (os error 111)".into();
    let since = Some(v1::Turn { round: 0, step: 24 });
    let text = "answered by fallbacks for 5 turns".into();
    let kind = v1::AlertKind::SilentAgent.into();
    let alert = v1::Alert { kind, agent: "agentA3".into(), text, since, since_tick: 24 };
    v1::Team {
        name: "teams/A".into(),
        game: game.to_owned(),
        server: "localhost:12300".into(),
        state: v1::TeamState::Playing.into(),
        turn: Some(v1::Turn { round: 0, step: TURNS - 1 }),
        score: Some(40),
        generation: 2,
        agent_count: 4,
        seated_count: 3,
        counters: Some(v1::Counters {
            asked: 118,
            decided: 106,
            fallback: 11,
            late: 1,
            ..v1::Counters::default()
        }),
        agents: vec![agent(1, None), agent(2, Some(paused)), failed, gone],
        alerts: vec![alert],
        ..v1::Team::default()
    }
}

fn other_team(game: &str) -> v1::Team {
    v1::Team {
        name: "teams/B".into(),
        game: game.to_owned(),
        state: v1::TeamState::Waiting.into(),
        agent_count: 4,
        ..v1::Team::default()
    }
}

fn happened(step: u32, agent: &str, event: JournalEvent) -> Heard {
    let (turn, agent) = (Turn::new(0, step), (!agent.is_empty()).then(|| agent.to_owned()));
    let entry = JournalEntry { turn, agent, generation: 2, event };
    let event = phalanx_convert::event("A", String::new(), &entry);
    Heard::Event("teams/A".into(), Box::new(event))
}

/// Thirty turns: the third agent fails in some, the second one is paused in the last five, the
/// first one was late once, the fourth one disconnected.
fn play(cockpit: &mut Cockpit) {
    let decided = |spent| JournalEvent::Decided {
        action: "move(n)".into(),
        role: "worker".into(),
        reason: None,
        spent: Duration::from_millis(spent),
        grounds: Box::default(),
    };
    let fallback = || JournalEvent::Fallback {
        reason: "worker.luau:42: attempt to index nil with 'x'".into(),
        role: "worker".into(),
        explained: None,
        spent: Duration::from_millis(1),
        grounds: Box::default(),
    };
    let held = || JournalEvent::Held { by: "ann".into(), piloted: false };
    for step in 0..TURNS {
        cockpit.hear(happened(step, "agentA1", decided(3)));
        cockpit.hear(match step {
            25.. => happened(step, "agentA2", held()),
            _ => happened(step, "agentA2", decided(12)),
        });
        cockpit.hear(match step {
            10 | 20.. => happened(step, "agentA3", fallback()),
            _ => happened(step, "agentA3", decided(2)),
        });
        if step < 22 {
            cockpit.hear(happened(step, "agentA4", decided(4)));
        }
        let done = TurnDone { asked: 4, script_us: 21_000, ..TurnDone::default() };
        cockpit.hear(happened(step, "", JournalEvent::TurnDone(done)));
    }
    cockpit.hear(happened(27, "agentA1", JournalEvent::Late));
    let log = |level, text: &str| JournalEvent::Log { level, text: text.into() };
    cockpit.hear(happened(29, "agentA1", log("info", "found a taskboard")));
    cockpit.hear(happened(29, "agentA3", log("warn", "no way \u{1b}[31mhome")));
}

fn figures() -> Histogram {
    let figures = "phalanx_deadline_margin_seconds_bucket{team=\"A\",le=\"0.25\"} 2\n\
                   phalanx_deadline_margin_seconds_bucket{team=\"A\",le=\"0.5\"} 30\n\
                   phalanx_deadline_margin_seconds_bucket{team=\"A\",le=\"1\"} 100\n\
                   phalanx_deadline_margin_seconds_bucket{team=\"A\",le=\"+Inf\"} 100\n";
    Histogram::read(figures, "A")
}

/// A view in the middle of a match of that game.
fn cockpit(game: &str) -> Cockpit {
    let mut cockpit = Cockpit::new(None);
    cockpit.hear(Heard::Teams(vec![team(game), other_team(game)]));
    assert_eq!(cockpit.poll_wish(), Some(UserRequest::Watch("teams/A".into())));
    cockpit.hear(Heard::Team(Box::new(team(game))));
    play(&mut cockpit);
    cockpit.hear(Heard::Margin("teams/A".into(), figures()));
    cockpit.hear(Heard::World(Arc::new(worlds::world(game))));
    cockpit
}

fn press(cockpit: &mut Cockpit, code: KeyCode) {
    cockpit.press(KeyEvent::new(code, KeyModifiers::NONE));
}

/// Presses keys one after the other: letters, and `⏎` for Enter, `↓` and `↑` for the arrows.
fn presses(cockpit: &mut Cockpit, keys: &str) {
    for key in keys.chars() {
        press(
            cockpit,
            match key {
                '⏎' => KeyCode::Enter,
                '↓' => KeyCode::Down,
                '↑' => KeyCode::Up,
                key => KeyCode::Char(key),
            },
        );
    }
}

fn wishes(cockpit: &mut Cockpit) -> Vec<UserRequest> {
    std::iter::from_fn(|| cockpit.poll_wish()).collect()
}

fn drawn(cockpit: &Cockpit, (columns, rows): (u16, u16)) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(frame, cockpit)).unwrap();
    terminal.backend().buffer().clone()
}

fn screen(cockpit: &Cockpit, size: (u16, u16)) -> String {
    let buffer = drawn(cockpit, size);
    let cells: Vec<_> = buffer.content().iter().map(|cell| cell.symbol().to_owned()).collect();
    let rows = cells.chunks(usize::from(size.0)).map(|row| row.concat().trim_end().to_owned());
    rows.collect::<Vec<_>>().join("\n")
}

const USUAL: (u16, u16) = (80, 24);

#[test]
fn pausing_and_handing_back_is_one_key() {
    let mut cockpit = cockpit("assemble");
    presses(&mut cockpit, "p↓p↓↓↓↓p");
    let name = |number: u32| format!("teams/A/agents/agentA{number}");
    assert_eq!(
        wishes(&mut cockpit),
        [UserRequest::Pause(name(1)), UserRequest::Release(name(2)), UserRequest::Pause(name(4))]
    );
    let paused = agent(1, Some(Mode::Paused(v1::PausedSteering::default())));
    cockpit.hear(Heard::Done("agentA1 is paused".into(), Some(Box::new(paused))));
    assert!(screen(&cockpit, USUAL).ends_with(" agentA1 is paused"));
    press(&mut cockpit, KeyCode::Home);
    presses(&mut cockpit, "p");
    assert_eq!(wishes(&mut cockpit), [UserRequest::Release(name(1))], "it is known at once");
}

#[test]
fn what_the_daemon_refuses_is_told_and_the_cockpit_goes_on() {
    let mut cockpit = cockpit("assemble");
    cockpit.hear(Heard::Refused("this needs an operator (ROLE_TOO_LOW)\u{1b}[2J".into()));
    let shown = screen(&cockpit, USUAL);
    assert!(shown.ends_with(" this needs an operator (ROLE_TOO_LOW) [2J"), "{shown}");
    presses(&mut cockpit, "↓");
    assert_eq!(cockpit.notice, None, "the next key takes it away");
}

#[test]
fn a_role_is_chosen_from_those_of_the_strategy_or_typed() {
    let mut cockpit = cockpit("assemble");
    presses(&mut cockpit, "r");
    assert_eq!(wishes(&mut cockpit), [UserRequest::AskRoles("teams/A".into(), 2)]);
    cockpit.hear(Heard::Roles("teams/A".into(), vec!["scout".into(), "builder".into()]));
    let shown = screen(&cockpit, USUAL);
    assert!(shown.contains("role of agentA1") && shown.contains("builder"), "{shown}");
    presses(&mut cockpit, "↓⏎");
    let name = || "teams/A/agents/agentA1".to_owned();
    assert_eq!(wishes(&mut cockpit), [UserRequest::SetRole(name(), "scout".into())]);
    presses(&mut cockpit, "rbu⏎rnew⏎");
    let wished = wishes(&mut cockpit);
    assert!(wished.contains(&UserRequest::SetRole(name(), "builder".into())), "{wished:?}");
    assert!(wished.contains(&UserRequest::SetRole(name(), "new".into())), "{wished:?}");
    presses(&mut cockpit, "r");
    press(&mut cockpit, KeyCode::Esc);
    assert_eq!(wishes(&mut cockpit).len(), 1, "only the roles were asked for");
}

#[test]
fn the_strategy_is_rolled_back_only_after_a_yes() {
    let mut cockpit = cockpit("assemble");
    presses(&mut cockpit, "R");
    let shown = screen(&cockpit, USUAL);
    assert!(shown.contains("of A back from generation 2 to the one before? y/n"), "{shown}");
    presses(&mut cockpit, "n");
    assert_eq!(wishes(&mut cockpit), []);
    presses(&mut cockpit, "R⏎");
    assert_eq!(wishes(&mut cockpit), [], "Enter is no yes");
    presses(&mut cockpit, "Ry");
    assert_eq!(wishes(&mut cockpit), [UserRequest::RollBack("teams/A".into())]);
}

#[test]
fn another_team_is_watched_from_the_beginning() {
    let mut cockpit = cockpit("assemble");
    presses(&mut cockpit, "t");
    assert_eq!(wishes(&mut cockpit), [UserRequest::Watch("teams/B".into())]);
    let shown = screen(&cockpit, USUAL);
    assert!(shown.starts_with(" B assemble"), "{shown}");
    assert!(!shown.contains("agentA1"), "{shown}");
    // Later events of the other team are ignored.
    assert!(!cockpit.hear(happened(30, "agentA1", JournalEvent::Late)));
    assert!(!cockpit.hear(Heard::World(Arc::new(worlds::world("assemble")))));
    presses(&mut cockpit, "t");
    assert_eq!(wishes(&mut cockpit), [UserRequest::Watch("teams/A".into())]);
    cockpit.hear(Heard::Teams(vec![other_team("mars")]));
    assert_eq!(
        wishes(&mut cockpit),
        [UserRequest::Watch("teams/B".into())],
        "its team was deleted"
    );
    cockpit.hear(Heard::Teams(Vec::new()));
    assert!(screen(&cockpit, USUAL).starts_with(" the daemon has no team"));
}

#[test]
fn teams_without_a_row_are_counted_with_their_alerts() {
    let mut cockpit = cockpit("assemble");
    let named = |name: &str| v1::Team { name: format!("teams/{name}"), ..other_team("assemble") };
    let alerts = team("assemble").alerts;
    let last = v1::Team { alerts: [alerts.clone(), alerts].concat(), ..named("E") };
    let teams = vec![team("assemble"), named("B"), named("C"), named("D"), last];
    let table = |cockpit: &Cockpit| {
        let shown = screen(cockpit, USUAL);
        let lines: Vec<_> = shown.lines().skip(2).take(4).map(str::to_owned).collect();
        let names: String = lines.iter().take(3).map(|line| &line[..1]).collect();
        (names, lines[3].clone())
    };
    cockpit.hear(Heard::Teams(teams[..4].to_vec()));
    let (names, last) = table(&cockpit);
    assert!(names == "ABC" && last.starts_with("D "), "the row is as good for a team: {last}");
    cockpit.hear(Heard::Teams(teams));
    assert_eq!(table(&cockpit), ("ABC".into(), "and 2 more teams, 2 alerts".into()));
    presses(&mut cockpit, "T");
    assert_eq!(table(&cockpit), ("CDE".into(), "and 2 more teams, 1 alert".into()));
}

#[test]
fn a_lost_daemon_is_told_at_the_top_until_it_is_back() {
    let mut cockpit = cockpit("assemble");
    assert!(screen(&cockpit, USUAL).lines().next().unwrap().ends_with(" live"));
    assert!(cockpit.hear(Heard::Lost("no daemon answers".into())));
    assert!(!cockpit.hear(Heard::Lost("no daemon answers".into())), "nothing is new");
    let shown = screen(&cockpit, USUAL);
    assert!(shown.lines().next().unwrap().contains("LOST, trying again: no daemon"), "{shown}");
    assert!(shown.contains("agentA1"), "what was known stays: {shown}");
    assert!(cockpit.hear(Heard::Teams(vec![team("assemble"), other_team("assemble")])));
    assert!(screen(&cockpit, USUAL).lines().next().unwrap().ends_with(" live"));
    assert!(!cockpit.hear(Heard::Teams(vec![team("assemble"), other_team("assemble")])));
    assert_eq!(wishes(&mut cockpit), [], "it is the same team");
}

#[test]
fn trouble_is_red_in_the_strip_and_a_letter_without_colours() {
    let cockpit = cockpit("assemble");
    let buffer = drawn(&cockpit, USUAL);
    let red = buffer.content().iter().filter(|cell| cell.bg == Color::Red);
    let signs: String = red.map(ratatui::buffer::Cell::symbol).collect();
    assert!(signs.contains("FFFFFFF") && signs.contains('L'), "{signs}");
    let shown = screen(&cockpit, USUAL);
    assert!(shown.contains("-----") && shown.contains('▪'), "{shown}");
}

/// The characters of the map.
fn map(cockpit: &Cockpit) -> Vec<Vec<char>> {
    let shown = screen(cockpit, USUAL);
    let rows = shown.lines().map(|row| row.chars().collect::<Vec<_>>());
    let title = |row: &Vec<char>| row.windows(4).position(|signs| signs == ['┌', ' ', '2', ' ']);
    let mut rows = rows.skip_while(|row| title(row).is_none());
    let left = rows.next().as_ref().and_then(title).expect("the map is there") + 1;
    let inside = rows.take_while(|row| row[left - 1] == '│');
    inside.map(|row| row[left..row.len() - 1].to_vec()).collect()
}

/// Moves the first agent there.
fn stands_at(cockpit: &mut Cockpit, x: i32, y: i32) {
    let mut world = worlds::world("assemble");
    let place = v1::world_place::Place::Cell(v1::WorldCell { x, y });
    world.parts[0].bodies[0].place = Some(v1::WorldPlace { place: Some(place) });
    cockpit.hear(Heard::World(Arc::new(world)));
}

#[test]
fn a_graph_that_does_not_fit_moves_by_keys_and_follows_again() {
    let mut cockpit = cockpit("mars");
    let mut world = worlds::world("mars");
    let part = &mut world.parts[0];
    (part.nodes, part.bodies) = (0..80).map(|number| worlds::on_node(number, number + 1)).unzip();
    part.edges = (1..80).map(|b| v1::WorldEdge { a: b - 1, b, weight: None }).collect();
    cockpit.hear(Heard::World(Arc::new(world)));
    presses(&mut cockpit, "2");
    let begun = map(&cockpit);
    let is_there = |rows: &[Vec<char>], sign| rows.iter().flatten().any(|it| *it == sign);
    assert!(is_there(&begun, 'A') && !is_there(&begun, 'Z'), "{begun:?}");
    for key in [KeyCode::Right, KeyCode::Left, KeyCode::Up, KeyCode::Down] {
        for _ in 0..9 {
            press(&mut cockpit, key);
        }
    }
    assert_ne!(map(&cockpit), begun, "an end of the way is in view, and the rest is not");
    assert!(screen(&cockpit, USUAL).contains("2 moved: "));
    presses(&mut cockpit, "f");
    assert_eq!(map(&cockpit), begun);
}

#[test]
fn a_graph_is_drawn_with_its_roads_zones_and_agents() {
    let cockpit = cockpit("mars");
    let shown = screen(&cockpit, (120, 40));
    // Five nodes in a ring: the first two agents share one of them, an opponent has another one.
    let count = |sign| shown.chars().filter(|it| *it == sign).count();
    assert_eq!((count('●'), count('•'), count('·')), (3, 2, 1), "{shown}");
    let roads = |sign: &char| ('\u{2801}'..='\u{28ff}').contains(sign);
    assert!(shown.chars().filter(roads).count() > 10, "{shown}");
    assert!(shown.contains("● zone"), "{shown}");
}

#[test]
fn the_map_moves_by_keys_and_follows_again() {
    let mut cockpit = cockpit("assemble");
    stands_at(&mut cockpit, 0, 10);
    presses(&mut cockpit, "2");
    let begun = map(&cockpit);
    press(&mut cockpit, KeyCode::Right);
    let right = map(&cockpit);
    for (before, after) in begun.iter().zip(&right) {
        assert_eq!(before[1..], after[..after.len() - 1], "a column further");
    }
    assert_ne!(begun, right);
    presses(&mut cockpit, "↓");
    assert_eq!(map(&cockpit)[..right.len() - 1], right[1..], "a row further");
    assert!(screen(&cockpit, USUAL).contains("2 moved: "));
    press(&mut cockpit, KeyCode::End);
    let end = map(&cockpit);
    press(&mut cockpit, KeyCode::PageDown);
    assert_eq!(map(&cockpit), end, "not off the map");
    presses(&mut cockpit, "↑");
    assert_eq!(map(&cockpit)[1..], end[..end.len() - 1], "back at once");
    presses(&mut cockpit, "f");
    assert_eq!((cockpit.around, cockpit.follows), (None, true));
    assert!(screen(&cockpit, USUAL).contains("2 at agentA1: "));
    presses(&mut cockpit, "f");
    assert!(!screen(&cockpit, USUAL).contains("at agentA1:"), "all of our own");
}

#[test]
fn a_letter_with_control_or_alt_is_another_key() {
    let mut cockpit = cockpit("assemble");
    for (letter, modifiers) in
        [('p', KeyModifiers::CONTROL), ('p', KeyModifiers::ALT), ('R', KeyModifiers::CONTROL)]
    {
        cockpit.press(KeyEvent::new(KeyCode::Char(letter), modifiers));
    }
    assert_eq!((wishes(&mut cockpit), cockpit.question.clone()), (Vec::new(), None));
    presses(&mut cockpit, "/");
    cockpit.press(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
    presses(&mut cockpit, "a⏎");
    assert_eq!(cockpit.search, "a");
    // Capitals come with shift.
    cockpit.press(KeyEvent::new(KeyCode::Char('R'), KeyModifiers::SHIFT));
    assert!(matches!(cockpit.question, Some(Question::RollBack(_))), "{:?}", cockpit.question);
}

#[test]
fn events_are_filtered_searched_and_wound_back() {
    let mut cockpit = cockpit("assemble");
    presses(&mut cockpit, "e");
    assert_eq!(cockpit.filter, Filter::Trouble);
    presses(&mut cockpit, "ee/TASKBOARD⏎");
    let shown = screen(&cockpit, USUAL);
    assert!(shown.contains("all events with \"TASKBOARD\""), "{shown}");
    assert!(shown.contains("found a taskboard") && !shown.contains("no way"), "{shown}");
    presses(&mut cockpit, "/⏎3o↑↑↑");
    assert_eq!((cockpit.pane, cockpit.back), (Pane::Events, 3));
    let shown = screen(&cockpit, USUAL);
    assert!(shown.contains("all events of agentA1, 3 back"), "{shown}");
    press(&mut cockpit, KeyCode::End);
    assert_eq!(cockpit.back, 0);
    press(&mut cockpit, KeyCode::Home);
    assert_eq!(cockpit.back, 31, "the oldest of its events");
}

#[test]
fn every_key_of_the_help_does_something_and_others_tell_of_it() {
    let mut cockpit = cockpit("assemble");
    presses(&mut cockpit, "?");
    let shown = screen(&cockpit, USUAL);
    for (key, what) in super::keys::HELP {
        assert!(shown.contains(key) && shown.contains(what), "{key}: {what}\n{shown}");
    }
    presses(&mut cockpit, "x");
    assert!(!screen(&cockpit, USUAL).contains("roll the strategy back; asks"));
    presses(&mut cockpit, "x");
    assert_eq!(cockpit.notice, Some(Notice::Bad("? shows the keys".into())));
}

#[test]
fn leaving_is_easy_and_nothing_leaves_by_accident() {
    let mut cockpit = cockpit("assemble");
    press(&mut cockpit, KeyCode::Esc);
    assert_eq!(wishes(&mut cockpit), []);
    presses(&mut cockpit, "/q");
    assert_eq!(wishes(&mut cockpit), [], "it is typed");
    cockpit.press(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    press(&mut cockpit, KeyCode::Esc);
    presses(&mut cockpit, "q");
    assert_eq!(wishes(&mut cockpit), [UserRequest::Leave, UserRequest::Leave]);
}

#[test]
fn names_and_lines_from_outside_cannot_steer_the_terminal() {
    let mut cockpit = cockpit("assemble");
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}1mname\u{202e}";
    let mut team = team("assemble");
    team.agents[0].name = evil.into();
    team.agents[0].reason = evil.into();
    team.agents[1].role = evil.into();
    team.alerts[0].text = evil.into();
    cockpit.hear(Heard::Team(Box::new(team)));
    let log = JournalEvent::Log { level: evil, text: evil.into() };
    cockpit.hear(happened(30, evil, log));
    cockpit.hear(Heard::Refused(evil.into()));
    let mut world = worlds::world("mars");
    world.parts[0].name = evil.into();
    world.parts[0].nodes[0].name = evil.into();
    cockpit.hear(Heard::World(Arc::new(world)));
    for size in [USUAL, (120, 40), (40, 10)] {
        let shown = screen(&cockpit, size);
        let bad = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
        assert!(!shown.contains(bad), "{shown:?}");
    }
}
