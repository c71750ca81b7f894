//! The referee, for a client that knows only the protocol.

use phalanx_asimulator::arena::{ArenaConfig, AsimulatorArena};
use phalanx_asimulator::rules::Preset;
use phalanx_asimulator::wire::{Dialect, PlainDanger, decode_rules, detect};
use phalanx_game::{Arena as _, ConnectionId, Origin, Outgoing};
use phalanx_testkit::mangle::Mangler;
use proptest::prelude::*;
use std::time::{Duration, Instant};

const A: ConnectionId = ConnectionId(1);
const B: ConnectionId = ConnectionId(2);

struct Table {
    arena: AsimulatorArena,
    now: Instant,
}

impl Table {
    fn new(config: ArenaConfig) -> Self {
        let now = Instant::now();
        let origin = Origin { instant: now, unix_ms: 0 };
        Self { arena: AsimulatorArena::new(config, origin).unwrap(), now }
    }

    fn join(&mut self, line: ConnectionId) {
        self.arena.handle_join(line, self.now);
    }

    /// What a connection hears after saying something, and whether it is closed.
    fn say(&mut self, line: ConnectionId, bytes: &[u8]) -> (Vec<u8>, bool) {
        self.arena.handle_input(line, bytes, self.now);
        self.heard(line)
    }

    fn heard(&mut self, line: ConnectionId) -> (Vec<u8>, bool) {
        let (mut heard, mut closed) = (Vec::new(), false);
        while let Some(out) = self.arena.poll_transmit() {
            match out {
                Outgoing::Bytes(to, bytes) if to == line => heard.extend(bytes),
                Outgoing::Close(to) if to == line => closed = true,
                _ => {}
            }
        }
        (heard, closed)
    }

    fn pass(&mut self) {
        self.now = self.arena.poll_timeout().unwrap();
        self.arena.handle_timeout(self.now);
    }

    fn file(&mut self, name: &str) -> String {
        while let Some(file) = self.arena.poll_artifact() {
            if file.path == name {
                return String::from_utf8(file.bytes).unwrap();
            }
        }
        panic!("no {name}")
    }
}

fn wumpus(simulations: u32) -> ArenaConfig {
    ArenaConfig { simulations, ..ArenaConfig::preset(Preset::Wumpus4x4) }
}

#[test]
fn nothing_is_said_before_the_info_byte_and_everything_after_it() {
    let mut table = Table::new(wumpus(2));
    table.join(A);
    assert_eq!(table.heard(A), (vec![], false));
    let (opening, _) = table.say(A, &[0x80]);
    let little = Dialect::default().informed(0x80);
    let (rules, length) = decode_rules(&opening, little).unwrap();
    assert_eq!(
        (rules.item_reward, rules.home_reward, rules.initial_score),
        (1000, 10_000, -10_000)
    );
    // Percept, twenty border tiles, the end of the list.
    assert_eq!(opening.len(), length + 1 + 20 * 3 + 1);
    assert_eq!(detect(&opening, &[little])[0].oddities, 0);
    // Shut off at home: home and end, and a score of nothing; then the next opening.
    let (answer, closed) = table.say(A, &[0]);
    assert_eq!((answer[0] & 0x81, &answer[1..5], closed), (0x81, &[0, 0, 0, 0][..], false));
    assert!(decode_rules(&answer[5..], little).is_some());
    let (answer, closed) = table.say(A, &[0]);
    assert_eq!((answer.len(), closed), (5, true));
    let verdict = table.arena.verdict();
    assert!(verdict.over);
    assert_eq!(verdict.teams[0].rounds, [0, 0]);
}

#[test]
fn two_actions_in_one_write_are_two_turns_for_a_lenient_referee() {
    let mut table = Table::new(ArenaConfig { strict_client: false, ..wumpus(1) });
    table.join(A);
    let (opening, _) = table.say(A, &[0]);
    let (answer, closed) = table.say(A, &[2, 3, 0xFF, 0, 2, b'h', b'i', 0]);
    assert_eq!((answer.len(), closed), (1 + 1 + 1 + 4, true));
    assert!(!opening.is_empty());
}

#[test]
fn a_strict_referee_closes_at_what_comes_out_of_turn_before_it_answers() {
    let mut table = Table::new(wumpus(1));
    table.join(A);
    table.say(A, &[0]);
    assert_eq!(table.say(A, &[2, 3]), (vec![], true), "two actions at once");
    let notice = table.arena.poll_notice().unwrap();
    let head = "client 1 is disconnected in simulation 1 after 0 actions: out of turn: 1 bytes \
                directly after an action";
    assert!(notice.starts_with(head), "{notice}");
    table.join(B);
    assert_eq!(table.say(B, &[0, 2]), (vec![], true), "an action before the first percept");
    let notice = table.arena.poll_notice().unwrap();
    assert!(
        notice.contains("client 2") && notice.contains("directly after the info byte"),
        "{notice}"
    );
    // Marks and texts belong to the turn of the action that they come before.
    let mut table = Table::new(wumpus(1));
    table.join(A);
    table.say(A, &[0]);
    assert!(!table.say(A, &[0xFF, 0, 2, b'h', b'i', 2]).1);
    assert_eq!(table.arena.poll_notice(), None);
}

#[test]
fn every_connection_meets_the_same_worlds() {
    let mut table = Table::new(ArenaConfig { clients: 2, ..wumpus(3) });
    table.join(A);
    table.join(B);
    let (mut of_a, mut of_b) = (table.say(A, &[0]).0, table.say(B, &[0]).0);
    for _ in 0..3 {
        of_a.extend(table.say(A, &[0]).0);
        assert!(!table.arena.verdict().over);
        of_b.extend(table.say(B, &[0]).0);
    }
    assert_eq!(of_a, of_b);
    assert!(table.arena.verdict().over);
}

#[test]
fn a_strict_referee_closes_at_a_code_without_meaning_a_lenient_one_skips_it() {
    let mut table = Table::new(wumpus(1));
    table.join(A);
    table.say(A, &[0]);
    assert!(table.say(A, &[77]).1);
    assert!(table.arena.trouble().unwrap().contains("request code"));
    assert_eq!(table.arena.poll_notice().as_deref(), table.arena.trouble());
    assert_eq!(table.arena.poll_notice(), None);
    let mut table = Table::new(ArenaConfig { strict_client: false, ..wumpus(1) });
    table.join(A);
    table.say(A, &[0]);
    assert_eq!(table.say(A, &[77, 210, 2]).0.len(), 1);
}

#[test]
fn a_flood_ends_the_connection() {
    let mut table = Table::new(wumpus(1));
    table.join(A);
    table.say(A, &[0]);
    assert!(table.say(A, &vec![6; 100_001]).1);
    let mut table = Table::new(wumpus(1));
    table.join(A);
    table.say(A, &[0]);
    let mut text = vec![0xFF, 0xFF, 0xFF];
    text.resize(3 + 65_535, b'x');
    assert!((0..70).any(|_| table.say(A, &text).1));
}

#[test]
fn who_says_nothing_is_closed_in_the_end() {
    let mut table = Table::new(wumpus(1));
    table.join(A);
    table.pass();
    assert!(table.heard(A).1);
    assert!(table.arena.poll_notice().unwrap().ends_with("no info byte in time"));
    let limit = Some(Duration::from_secs(1));
    let mut table = Table::new(ArenaConfig { turn_timeout: limit, ..wumpus(1) });
    table.join(A);
    table.say(A, &[0]);
    table.pass();
    assert!(table.heard(A).1);
    assert!(table.arena.poll_notice().unwrap().ends_with("no action in time"));
    let mut patient = Table::new(wumpus(1));
    patient.join(A);
    patient.say(A, &[0]);
    assert_eq!(patient.arena.poll_timeout(), None);
}

#[test]
fn who_leaves_has_what_it_has_without_a_home() {
    let mut table = Table::new(wumpus(5));
    table.join(A);
    table.say(A, &[0]);
    table.say(A, &[0]);
    table.say(A, &[2]);
    table.arena.handle_leave(A, table.now);
    let rows = table.file("client-1/results.csv");
    assert!(rows.contains("0,0,0,1,0,0,shut_off\n"), "{rows}");
    assert!(rows.contains("1,-10001,1,1,0,0,aborted\n"), "{rows}");
    let summary = table.file("client-1/summary.json");
    assert!(summary.contains("\"simulations\": 1") && summary.contains("\"aborted\": 1"));
    assert!(!table.arena.verdict().over);
}

#[test]
fn too_many_actions_end_a_simulation() {
    let mut table = Table::new(ArenaConfig { max_actions: 3, ..wumpus(1) });
    table.join(A);
    table.say(A, &[0]);
    assert!((0..2).all(|_| !table.say(A, &[2]).1));
    let (answer, closed) = table.say(A, &[2]);
    assert!(closed);
    // At home, with three turns paid.
    assert_eq!(&answer[1..], (-3_i32).to_be_bytes());
    assert_eq!(answer[0] & 0x81, 0x81);
}

#[test]
fn known_tiles_are_told_with_their_percepts() {
    let mut config = ArenaConfig::preset(Preset::Hazard12x12);
    config.class.shares.known = 1.0;
    config.class.border_known = true;
    for (plain, least) in [(PlainDanger::Mark, 195), (PlainDanger::Omit, 150)] {
        let mut table = Table::new(ArenaConfig { plain_danger: plain, ..config.clone() });
        table.join(A);
        let (opening, _) = table.say(A, &[0]);
        let found = detect(&opening, &[Dialect::default()]);
        assert_eq!(found[0].oddities, 0);
        let (_, length) = decode_rules(&opening, Dialect::default()).unwrap();
        let tiles = (opening.len() - length - 2) / 3;
        assert!((least..=195).contains(&tiles), "{tiles} of 196 tiles but the start");
    }
}

#[test]
fn the_picture_shows_world_agent_and_notes() {
    let mut table = Table::new(wumpus(1));
    table.join(A);
    assert_eq!(table.arena.draw(false), "");
    table.say(A, &[0]);
    // A number on the start's neighbour, one outside of the map, and a text.
    table.say(A, &[107, 1, 0, 108, 100, 100, 0xFF, 0, 2, b'h', b'i']);
    let picture = table.arena.draw(false);
    assert!(picture.starts_with("simulation 1  score -10000"), "{picture}");
    let south = picture.lines().nth(5).unwrap();
    assert!(south.starts_with("# > ") && &south[5..6] == "7", "{picture}");
    assert!(picture.ends_with("| hi\n"), "{picture}");
    assert!(table.arena.draw(true).contains("\x1b["));
}

#[test]
fn mistakes_of_a_configuration_are_named() {
    let parse = |text: &str| ArenaConfig::parse(text).unwrap_err().to_string();
    let with = |line: &str| format!("[arena.asimulator]\npreset = \"wumpus-4x4\"\n{line}\n");
    assert!(parse(&with("sed = 1")).contains("sed"));
    assert!(parse("[arena.asimulator]\npreset = \"moon\"").contains("wumpus-4x4"));
    assert!(parse(&with("neighbourhood = 5")).contains("4 or 8"));
    assert!(parse(&with("simulations = 0")).contains("simulations"));
    let turns = with("protocol_revision = \"r2\"\n[arena.asimulator.rules]\nturn_left_cost = 2");
    assert!(parse(&turns).contains("turn_left_cost 2"), "{}", parse(&turns));
    let limit = with("[arena.asimulator.rules]\nscore_limit = -20000");
    assert!(parse(&limit).contains("meets it already"), "{}", parse(&limit));
    let empty = parse("[arena.asimulator]\n");
    assert!(empty.contains("columns"), "{empty}");
}

proptest! {
    #[test]
    fn no_client_makes_the_referee_fall_over(seed in any::<u64>()) {
        let mut table = Table::new(wumpus(3));
        table.join(A);
        let mut mangler = Mangler::new(seed);
        let stream = mangler.garbage(300);
        for piece in mangler.chunks(&stream, 30) {
            if table.say(A, piece).1 {
                break;
            }
        }
        prop_assert!(table.arena.verdict().teams[0].rounds.len() <= 3);
    }
}
