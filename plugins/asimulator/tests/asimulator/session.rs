//! The client's side of a connection, word for word.

use phalanx_asimulator::action::{Action, DisplayNotes};
use phalanx_asimulator::percept::{Briefing, Percept};
use phalanx_asimulator::rules::{Cell, TurnAction};
use phalanx_asimulator::session::{
    ClientOptions, DETECT_QUIET, IDLE_TURNS_MAX, INPUT_BYTES_MAX, OnUnacceptable, Session,
};
use phalanx_asimulator::wire::{BitOrder, Dialect, DisplayMark, Revision, Symbol};
use phalanx_game::{
    AgentId, DefaultCause, Event, MarginLimits, Notice, ProtocolError, Seat, SeatId, Session as _,
    Turn,
};
use phalanx_testkit::mangle::Mangler;
use proptest::prelude::*;
use std::time::{Duration, Instant};

type Told = Event<Briefing, Percept>;

const ME: AgentId = AgentId(3);
const RULES: &str = "63 CC 00 00 02 00 01 00 03 00 01 00 0A 03 E8 00 32 01 F4 \
    00 00 00 00 FF FF FE 70 FF 03 00 01 00 01 00 01 00 01 00 00 01 2C";
const TILES: &str = "11 80 00 01 2B 01 01 02 03 00 00";
/// The whole cycle of the worked example: what we say and what comes back.
const CYCLE: &[(&str, &str)] = &[
    ("01", "04"),
    ("05", "20"),
    ("01", "02"),
    ("04", "00"),
    ("01", "08"),
    ("02", "00"),
    ("02", "00"),
    ("01", "00"),
    ("03", "00"),
    ("01", "12"),
    ("04", "10"),
    ("02", "10"),
    ("02", "10"),
    ("01", "00"),
    ("03", "00"),
    ("01", "11"),
    ("00", "91"),
];

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn opening() -> Vec<u8> {
    [hex(RULES), hex(TILES)].concat()
}

/// A session and its virtual time.
struct Line {
    session: Session,
    now: Instant,
}

impl Line {
    fn new(options: ClientOptions) -> Self {
        let seat = Seat {
            id: SeatId(0),
            agents: vec![(ME, "explorer1".to_owned())],
            user: String::new(),
            password: String::new(),
            turn_limit: Duration::from_secs(2),
            margin: MarginLimits::default(),
        };
        let mut line = Self { session: Session::new(&seat, options), now: Instant::now() };
        line.session.handle_connected(line.now);
        line
    }

    fn hear(&mut self, bytes: &[u8]) -> Vec<Told> {
        self.session.handle_input(bytes, self.now).unwrap();
        self.told()
    }

    fn refuse(&mut self, bytes: &[u8]) -> ProtocolError {
        self.session.handle_input(bytes, self.now).unwrap_err()
    }

    fn told(&mut self) -> Vec<Told> {
        std::iter::from_fn(|| self.session.poll_event()).collect()
    }

    fn said(&mut self) -> Vec<u8> {
        std::iter::from_fn(|| self.session.poll_transmit()).flatten().collect()
    }

    fn act(&mut self, turn: Turn, act: TurnAction) -> Vec<u8> {
        self.session.handle_action(turn, ME, &act.into()).unwrap();
        self.said()
    }

    fn pass(&mut self) {
        self.now = self.session.poll_timeout().unwrap();
        self.session.handle_timeout(self.now);
    }
}

fn asked(told: &[Told]) -> Turn {
    let asked = told.iter().find_map(|event| match event {
        Event::Asked { turn, .. } => Some(*turn),
        _ => None,
    });
    asked.unwrap()
}

fn complaints(told: &[Told]) -> Vec<&ProtocolError> {
    let complaint = |event| match event {
        &Event::Notice(Notice::Malformed(ref error)) => Some(error),
        _ => None,
    };
    told.iter().filter_map(complaint).collect()
}

fn over(told: &[Told]) -> Option<i64> {
    told.iter().find_map(|event| match event {
        Event::RoundOver { score, .. } => Some(*score),
        _ => None,
    })
}

/// Plays the worked example; the final score.
fn play(line: &mut Line, told: &[Told]) -> Vec<Told> {
    let mut told = told.to_vec();
    for (say, hear) in CYCLE {
        let act = TurnAction::ALL[usize::from(hex(say)[0])];
        assert_eq!(line.act(asked(&told), act), hex(say));
        told = line.hear(&hex(hear));
        assert_eq!(complaints(&told).len(), 0);
    }
    told.extend(line.hear(&hex("00 00 08 42")));
    told
}

#[test]
fn the_worked_example_is_played_to_the_byte_and_to_the_point() {
    let mut line = Line::new(ClientOptions::default());
    assert_eq!(line.said(), hex("00"));
    let told = line.hear(&opening());
    assert!(matches!(told[0], Event::Seated { .. }));
    let Event::RoundStarted { round: 0, briefing: Some(briefing), .. } = &told[1] else {
        panic!("{told:?}")
    };
    assert_eq!((briefing.tiles.len(), briefing.first.home), (3, true));
    let told = play(&mut line, &told);
    // Our own bookkeeping agrees: nothing is complained about.
    assert_eq!((over(&told), complaints(&told).len()), (Some(2114), 0));
    // The next simulation begins on the same connection, the end comes between two of them.
    let told = line.hear(&opening());
    assert_eq!(asked(&told), Turn::new(1, 0));
    let told = play(&mut line, &told);
    assert_eq!(over(&told), Some(2114));
    line.session.handle_disconnected(line.now);
    assert_eq!(line.told(), [Event::MatchOver]);
}

#[test]
fn bookkeeping_that_differs_is_told() {
    let mut line = Line::new(ClientOptions::default());
    let told = line.hear(&opening());
    assert_eq!(line.act(asked(&told), TurnAction::ShutOff), hex("00").repeat(2)[..2]);
    let told = line.hear(&hex("91 00 00 00 07"));
    assert_eq!(over(&told), Some(7));
    assert!(complaints(&told)[0].expected.contains("100 by our own bookkeeping"));
}

#[test]
fn symbols_and_text_go_out_in_one_piece_before_the_action() {
    let mut line = Line::new(ClientOptions::default());
    let turn = asked(&line.hear(&opening()));
    line.said();
    let mark = DisplayMark { at: Cell::new(0, 1), symbol: Symbol::Danger };
    let notes = DisplayNotes { clear: true, marks: vec![mark], text: Some("hi".to_owned()) };
    let action = Action { act: TurnAction::Move, notes, refusal: false };
    line.session.handle_action(turn, ME, &action).unwrap();
    assert_eq!(line.session.poll_transmit(), Some(hex("06 D0 00 01 FF 00 02 68 69 01")));
    assert_eq!(line.session.poll_transmit(), None);
}

#[test]
fn nobody_deciding_turns_left_and_in_the_end_shuts_off() {
    let mut line = Line::new(ClientOptions::default());
    line.hear(&opening());
    line.said();
    for _ in 0..IDLE_TURNS_MAX {
        line.pass();
        assert_eq!(line.said(), hex("02"));
        let told = line.told();
        let cause = DefaultCause::NoDecision;
        assert!(matches!(told[0], Event::Defaulted { cause: got, .. } if got == cause));
        line.hear(&hex("11"));
    }
    line.pass();
    assert_eq!(line.said(), hex("00"));
}

#[test]
fn silence_is_no_fault() {
    let mut line = Line::new(ClientOptions::default());
    assert_eq!(line.session.poll_timeout(), None, "before the rules");
    let turn = asked(&line.hear(&opening()));
    line.act(turn, TurnAction::Move);
    assert_eq!(line.session.poll_timeout(), None, "before a percept");
    let limit = Some(Duration::from_secs(5));
    let mut line = Line::new(ClientOptions { percept_timeout: limit, ..ClientOptions::default() });
    let turn = asked(&line.hear(&opening()));
    line.act(turn, TurnAction::Move);
    line.pass();
    assert!(line.session.poll_hangup().unwrap().contains("percept_timeout"));
}

#[test]
fn an_opening_that_is_cut_ends_the_connection_after_the_percept_timeout() {
    let whole = opening();
    for kept in [1, 5, whole.len() - 1] {
        let limit = Some(Duration::from_secs(5));
        let options = ClientOptions { percept_timeout: limit, ..ClientOptions::default() };
        let mut line = Line::new(options);
        assert_eq!(line.session.poll_timeout(), None, "the simulator may take its time");
        line.hear(&whole[..kept]);
        assert_eq!(line.session.poll_timeout(), Some(line.now + Duration::from_secs(5)), "{kept}");
        line.pass();
        assert!(line.session.poll_hangup().unwrap().contains("percept_timeout"), "{kept}");
    }
}

#[test]
fn a_connection_that_ends_in_a_simulation_takes_it_along_and_is_no_malformed_message() {
    let mut line = Line::new(ClientOptions::default());
    let turn = asked(&line.hear(&opening()));
    line.session.handle_disconnected(line.now);
    let told = line.told();
    assert!(complaints(&told).is_empty(), "{told:?}");
    assert!(
        told.iter().any(|event| matches!(
            event,
            Event::Defaulted { cause: DefaultCause::Disconnected, .. }
        ))
    );
    assert!(line.session.handle_action(turn, ME, &TurnAction::Move.into()).is_err());
    line.session.handle_connected(line.now);
    let told = line.hear(&opening());
    assert_eq!(asked(&told), Turn::new(1, 0), "a new simulation is a new round");
}

#[test]
fn bytes_in_our_turn_are_out_of_step() {
    let mut line = Line::new(ClientOptions::default());
    line.hear(&opening());
    let error = line.refuse(&hex("00 01"));
    assert!(error.expected.contains("protocol_revision"), "{error}");
}

#[test]
fn bits_that_cannot_be_are_ignored_and_told() {
    let mut line = Line::new(ClientOptions::default());
    let mut turn = asked(&line.hear(&opening()));
    for (act, percept, word) in [
        (TurnAction::TurnLeft, "08", "Bump"),
        (TurnAction::Move, "20", "Enemy_Neutralized"),
        (TurnAction::Grab, "40", "bit 7"),
    ] {
        line.act(turn, act);
        let told = line.hear(&hex(percept));
        assert!(complaints(&told)[0].expected.contains(word), "{told:?}");
        let percept = told.iter().find_map(|event| match event {
            Event::Asked { percept, .. } => Some(percept.senses),
            _ => None,
        });
        let senses = percept.unwrap();
        assert!(!senses.bump && !senses.neutralized);
        turn = asked(&told);
    }
}

#[test]
fn odd_openings_are_played_all_the_same() {
    // The start tile in the list, a tile out of bounds, and bounds beyond the start tile.
    let odd = [hex(RULES), hex("11 02 00 00 02 50 00 00")].concat();
    let mut line = Line::new(ClientOptions::default());
    let told = line.hear(&odd);
    assert_eq!(complaints(&told).len(), 2);
    let Some(Event::RoundStarted { briefing: Some(briefing), .. }) =
        told.iter().find(|event| matches!(event, Event::RoundStarted { .. }))
    else {
        panic!("{told:?}")
    };
    assert_eq!((briefing.tiles.len(), briefing.rules.bounds.upper_x), (1, None));
    let mut skewed = opening();
    skewed[27] = 5;
    let told = Line::new(ClientOptions::default()).hear(&skewed);
    assert!(!complaints(&told).is_empty());
}

#[test]
fn an_end_in_the_first_percept_is_believed() {
    let mut line = Line::new(ClientOptions::default());
    line.said();
    let told = line.hear(&[hex(RULES), hex("91 02 03 00 00 00 00 00 07")].concat());
    assert_eq!(over(&told), Some(7));
    assert_eq!(line.said(), b"");
}

#[test]
fn a_list_without_end_is_refused() {
    let mut line = Line::new(ClientOptions::default());
    line.hear(&[hex(RULES), hex("11")].concat());
    let tiles = hex("02 03 01").repeat(1000);
    for _ in 0..16 {
        line.hear(&tiles);
    }
    assert!(line.refuse(&tiles).expected.contains("before the zero byte"));
    let mut line = Line::new(ClientOptions::default());
    assert!(line.refuse(&vec![1; INPUT_BYTES_MAX + 1]).expected.contains("bytes at once"));
}

#[test]
fn unacceptable_rules_end_politely() {
    let refusal = |option| {
        let mut line =
            Line::new(ClientOptions { on_unacceptable: option, ..ClientOptions::default() });
        let turn = asked(&line.hear(&opening()));
        line.said();
        let notes = DisplayNotes { text: Some("no".to_owned()), ..DisplayNotes::default() };
        let action = Action { act: TurnAction::ShutOff, notes, refusal: true };
        line.session.handle_action(turn, ME, &action).unwrap();
        assert_eq!(line.said(), hex("FF 00 02 6E 6F 00"));
        line.session.poll_hangup()
    };
    assert_eq!(refusal(OnUnacceptable::ShutOff), None);
    assert!(refusal(OnUnacceptable::Disconnect).unwrap().contains("no"));
}

#[test]
fn leaving_answers_the_open_turn() {
    let mut line = Line::new(ClientOptions::default());
    line.hear(&opening());
    line.said();
    line.session.handle_shutdown(line.now);
    assert_eq!(line.said(), hex("00"));
}

fn detecting() -> ClientOptions {
    ClientOptions { detect_revision: true, detect_bits: true, ..ClientOptions::default() }
}

/// The worked example with its turn costs equal, as the second revision must have it.
const R2: &str = "63 CC 00 00 02 00 01 00 01 00 0A 03 E8 00 32 01 F4 \
    00 00 00 00 FF FF FE 70 FF 03 00 01 00 01 00 01 00 01 00 00 01 2C";

#[test]
fn the_revision_is_detected_when_the_line_falls_quiet() {
    let mut line = Line::new(detecting());
    let burst = [hex(R2), hex(TILES)].concat();
    for piece in burst.chunks(7) {
        let told = line.hear(piece);
        assert!(!told.iter().any(|event| matches!(event, Event::Asked { .. })));
    }
    assert_eq!(line.session.poll_timeout(), Some(line.now + DETECT_QUIET));
    line.pass();
    assert_eq!(asked(&line.told()), Turn::new(0, 0));
    let expected = Dialect { revision: Revision::R2, ..Dialect::default() };
    assert_eq!(line.session.dialect(), Some(expected));
    // Byte by byte the same with the bits the other way round.
    let mut reversed = [hex(R2), hex(TILES)].concat();
    for index in [0, 1, 39, 40, 43, 46] {
        reversed[index] = reversed[index].reverse_bits();
    }
    let mut line = Line::new(detecting());
    line.hear(&reversed);
    line.pass();
    assert_eq!(line.session.dialect(), Some(Dialect { bits: BitOrder::MsbFirst, ..expected }));
}

#[test]
fn an_opening_that_was_cut_by_a_pause_is_detected_anew() {
    let mut line = Line::new(detecting());
    // What came before the pause can be read as the first revision, the whole only as the second.
    let whole = [hex(RULES), hex("11 02 03 00 00")].concat();
    line.hear(&whole);
    line.pass();
    assert_eq!(asked(&line.told()), Turn::new(0, 0));
    assert_eq!(line.session.dialect(), Some(Dialect::default()));
    let told = line.hear(&hex("00"));
    assert!(matches!(told[0], Event::Defaulted { cause: DefaultCause::Superseded, .. }));
    line.pass();
    assert_eq!(asked(&line.told()), Turn::new(1, 0));
    assert_eq!(line.session.dialect().unwrap().revision, Revision::R2);
    // Where nothing fits the connection is given up.
    line.hear(&hex("FF"));
    line.pass();
    assert!(line.session.poll_hangup().is_some());
}

proptest! {
    #[test]
    fn however_the_stream_is_cut_the_same_is_told(seed in any::<u64>()) {
        let mut whole = Line::new(ClientOptions::default());
        let mut cut = Line::new(ClientOptions::default());
        let expected = whole.hear(&opening());
        let mut told = Vec::new();
        for piece in Mangler::new(seed).chunks(&opening(), 9) {
            told.extend(cut.hear(piece));
        }
        // The clocks differ.
        let told: Vec<Told> = told.into_iter().map(undated).collect();
        let expected: Vec<Told> = expected.into_iter().map(undated).collect();
        prop_assert_eq!(told, expected);
    }

    #[test]
    fn no_stream_makes_a_client_fall_over(seed in any::<u64>(), detect in any::<bool>()) {
        let options = if detect { detecting() } else { ClientOptions::default() };
        let mut line = Line::new(options);
        let mut mangler = Mangler::new(seed);
        let stream = mangler.mangle(&[opening(), hex("04 20 02 00 91 00 00 08 42")].concat());
        for piece in mangler.chunks(&stream, 20) {
            if line.session.handle_input(piece, line.now).is_err() {
                break;
            }
            while let Some(event) = line.session.poll_event() {
                if let Event::Asked { turn, agent, .. } = event {
                    // More bytes may have superseded the turn.
                    line.session.handle_action(turn, agent, &TurnAction::Move.into()).ok();
                }
            }
            if line.session.poll_timeout().is_some() {
                line.pass();
            }
        }
        prop_assert!(line.said().len() < 1000);
    }
}

fn undated(event: Told) -> Told {
    match event {
        Event::Asked { turn, agent, percept, .. } => Event::Percept { turn, agent, percept },
        other => other,
    }
}
