//! Bytes: the worked examples of the specification, and what holds for all rules and requests.

use phalanx_asimulator::rules::{
    Ammunition, AnnouncedCounts, Bounds, Cell, Costs, Heading, OpeningRules, Senses, TurnAction,
};
use phalanx_asimulator::wire::*;
use phalanx_testkit::mangle::Mangler;
use proptest::prelude::*;

/// The rules of the specification's worked example.
fn example(right: u16) -> OpeningRules {
    OpeningRules {
        bounds: Bounds { lower_x: Some(-1), upper_x: Some(3), ..Bounds::default() },
        counts: AnnouncedCounts { items: Some(1), enemies: Some(1), ..AnnouncedCounts::default() },
        heading: Heading::East,
        range: 0,
        costs: Costs { advance: 2, left: 1, right, grab: 1, neutralize: 10 },
        item_reward: 1000,
        neutralize_reward: 50,
        home_reward: 500,
        initial_cost: 0,
        initial_score: -400,
        ammunition: Some(Ammunition { capacity: 1, initial: 1 }),
        cost_limit: Some(300),
        score_limit: None,
        recharge: false,
        becomes_item: true,
        stops_at_first: true,
    }
}

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

const R1_RULES: &str = "63 CC 00 00 02 00 01 00 03 00 01 00 0A 03 E8 00 32 01 F4 \
    00 00 00 00 FF FF FE 70 FF 03 00 01 00 01 00 01 00 01 00 00 01 2C";
const R2_RULES: &str = "63 CC 00 02 00 01 00 01 00 0A 00 E8 03 32 00 F4 01 00 00 00 00 \
    70 FE FF FF FF 03 01 00 01 00 01 00 01 00 2C 01 00 00";
const TILES: &str = "11 80 00 01 2B 01 01 02 03 00 00";

fn r2() -> Dialect {
    Dialect { revision: Revision::R2, bytes: ByteOrder::Little, ..Dialect::default() }
}

#[test]
fn the_worked_examples_are_written_and_read_to_the_byte() {
    for (dialect, rules, text, info) in
        [(Dialect::default(), example(3), R1_RULES, 0x00), (r2(), example(1), R2_RULES, 0x80)]
    {
        let bytes = hex(text);
        assert_eq!(encode_rules(&rules, dialect).unwrap(), bytes);
        assert_eq!(decode_rules(&bytes, dialect), Some((rules, bytes.len())));
        assert_eq!(dialect.info(), info);
        assert_eq!(Dialect::default().informed(info).bytes, dialect.bytes);
    }
    let first = Senses { home: true, fear: true, ..Senses::default() };
    let clear = AnnouncedTile::Clear { home: false, item: true, hostility: false, fear: true };
    let tiles = [
        KnownTile { at: Cell::new(0, 1), known: AnnouncedTile::Danger { enemy: false } },
        KnownTile { at: Cell::new(1, 1), known: clear },
        KnownTile { at: Cell::new(3, 0), known: AnnouncedTile::Wall },
    ];
    let plain = PlainDanger::Mark;
    assert_eq!(encode_opening(first, &tiles, plain, Dialect::default()), hex(TILES));
    let omitted = encode_opening(first, &tiles, PlainDanger::Omit, Dialect::default());
    assert_eq!(omitted, hex("11 2B 01 01 02 03 00 00"));
}

#[test]
fn the_small_pieces_are_as_specified() {
    let big = Dialect::default();
    let little = Dialect { bytes: ByteOrder::Little, ..big };
    let hello = ClientRequest::Text(b"hello".to_vec());
    let mark = |symbol| ClientRequest::Mark(DisplayMark { at: Cell::new(-3, 4), symbol });
    for (request, dialect, text) in [
        (hello.clone(), big, "FF 00 05 68 65 6C 6C 6F"),
        (hello, little, "FF 05 00 68 65 6C 6C 6F"),
        (mark(Symbol::Number(7)), big, "6B FD 04"),
        (mark(Symbol::None), big, "FE FD 04"),
        (mark(Symbol::PlanShutOff), big, "D1 FD 04"),
        (ClientRequest::ClearMarks, big, "06"),
        (ClientRequest::Act(TurnAction::Neutralize), big, "05"),
        (ClientRequest::Text(Vec::new()), big, "FF 00 00"),
    ] {
        let mut bytes = Vec::new();
        encode_request(&request, dialect, &mut bytes);
        assert_eq!(bytes, hex(text), "{request:?}");
        assert_eq!(decode_request(&bytes, dialect), Ok(Some((request, bytes.len()))));
    }
    assert_eq!(decode_tile(0x05, big), AnnouncedTile::Guarded { home: true, item: false });
    assert_eq!(decode_tile(0x04, big), AnnouncedTile::Danger { enemy: true });
    let dead = Senses { end: true, ..Senses::default() };
    assert_eq!(decode_senses(0x80, big), (dead, false));
    assert!(decode_senses(0x40, big).1, "the unused bit is reported");
}

#[test]
fn a_danger_is_any_byte_without_its_kind_but_zero() {
    for byte in [0x80, 0x08, 0x40, 0xF8] {
        assert_eq!(decode_tile(byte, Dialect::default()), AnnouncedTile::Danger { enemy: false });
    }
}

#[test]
fn revision_two_cannot_say_different_costs_of_turns() {
    let error = encode_rules(&example(3), r2()).unwrap_err();
    assert!(error.to_string().contains("turn_right_cost 3"), "{error}");
}

#[test]
fn a_code_without_meaning_is_named() {
    for code in [7, 99, 210, 253] {
        let error = decode_request(&[code], Dialect::default()).unwrap_err();
        assert_eq!(error.place, "request code");
    }
}

#[test]
fn a_long_text_becomes_several() {
    let mut bytes = Vec::new();
    encode_request(&ClientRequest::Text(vec![b'x'; 70_000]), Dialect::default(), &mut bytes);
    let (first, length) = decode_request(&bytes, Dialect::default()).unwrap().unwrap();
    assert_eq!(first, ClientRequest::Text(vec![b'x'; TEXT_BYTES_MAX]));
    let rest = decode_request(&bytes[length..], Dialect::default()).unwrap().unwrap();
    assert_eq!(
        rest,
        (ClientRequest::Text(vec![b'x'; 70_000 - TEXT_BYTES_MAX]), bytes.len() - length)
    );
}

#[test]
fn symbols_that_fit_no_byte_are_dropped() {
    let mut bytes = Vec::new();
    let far = DisplayMark { at: Cell::new(200, 0), symbol: Symbol::Enemy };
    encode_request(&ClientRequest::Mark(far), Dialect::default(), &mut bytes);
    assert_eq!(bytes, b"");
}

#[test]
fn an_opening_tells_its_revision() {
    let all = Dialect::default().candidates(true, true);
    assert_eq!(all.len(), 4);
    let burst = [hex(R1_RULES), hex(TILES)].concat();
    let found = detect(&burst, &all);
    assert_eq!(found[0].dialect, Dialect::default());
    let all = r2().candidates(true, true);
    let burst = [hex(R2_RULES), hex(TILES)].concat();
    assert_eq!(detect(&burst, &all)[0].dialect, r2());
    let cut = detect(&burst[..burst.len() - 1], &all);
    assert!(cut.iter().all(|found| found.dialect != r2()), "incomplete");
}

fn dialects() -> impl Strategy<Value = Dialect> {
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(r2, le, msb, south)| {
        Dialect {
            revision: if r2 { Revision::R2 } else { Revision::R1 },
            bytes: if le { ByteOrder::Little } else { ByteOrder::Big },
            bits: if msb { BitOrder::MsbFirst } else { BitOrder::LsbFirst },
            y_axis: if south { YAxis::South } else { YAxis::North },
        }
    })
}

/// Coordinates that y to the south can say, too.
fn bound() -> impl Strategy<Value = Option<i8>> {
    proptest::option::of(-127..=127_i8)
}

fn all_rules() -> impl Strategy<Value = OpeningRules> {
    let bounds = (bound(), bound(), bound(), bound());
    let some = || proptest::option::of(any::<u16>());
    let counts = (some(), some(), some(), some());
    let numbers = (any::<[u16; 7]>(), any::<u8>(), any::<u32>(), any::<i32>(), 0..4_u8);
    let limits = (
        proptest::option::of(any::<(u16, u16)>()),
        proptest::option::of(any::<u32>()),
        proptest::option::of(any::<i32>()),
        any::<[bool; 3]>(),
    );
    (bounds, counts, numbers, limits).prop_map(|(bounds, counts, numbers, limits)| {
        let ([advance, turn, grab, neutralize, item, kill, home], range, cost, score, heading) =
            numbers;
        let (ammunition, cost_limit, score_limit, flags) = limits;
        OpeningRules {
            bounds: Bounds {
                lower_x: bounds.0,
                upper_x: bounds.1,
                lower_y: bounds.2,
                upper_y: bounds.3,
            },
            counts: AnnouncedCounts {
                homes: counts.0,
                items: counts.1,
                enemies: counts.2,
                dangers: counts.3,
            },
            heading: Heading::from_bits(heading),
            range,
            costs: Costs { advance, left: turn, right: turn, grab, neutralize },
            item_reward: item,
            neutralize_reward: kill,
            home_reward: home,
            initial_cost: cost,
            initial_score: score,
            ammunition: ammunition.map(|(capacity, initial)| Ammunition { capacity, initial }),
            cost_limit,
            score_limit,
            recharge: flags[0],
            becomes_item: flags[1],
            stops_at_first: flags[2],
        }
    })
}

fn requests() -> impl Strategy<Value = ClientRequest> {
    let symbol = prop_oneof![
        (0..100_u8).prop_map(Symbol::Number),
        prop_oneof![Just(Symbol::Sign), Just(Symbol::Enemy), Just(Symbol::None)],
    ];
    let place = (-127..=127_i32, -127..=127_i32).prop_map(|(x, y)| Cell::new(x, y));
    prop_oneof![
        (0..6_usize).prop_map(|index| ClientRequest::Act(TurnAction::ALL[index])),
        Just(ClientRequest::ClearMarks),
        (place, symbol).prop_map(|(at, symbol)| ClientRequest::Mark(DisplayMark { at, symbol })),
        proptest::collection::vec(any::<u8>(), 0..300).prop_map(ClientRequest::Text),
    ]
}

proptest! {
    #[test]
    fn rules_survive_the_wire(rules in all_rules(), dialect in dialects(), more in any::<[u8; 3]>()) {
        let mut bytes = encode_rules(&rules, dialect).unwrap();
        let length = bytes.len();
        for cut in 0..length {
            prop_assert_eq!(decode_rules(&bytes[..cut], dialect), None);
        }
        bytes.extend(more);
        prop_assert_eq!(decode_rules(&bytes, dialect), Some((rules, length)));
    }

    #[test]
    fn percepts_and_tiles_survive_the_wire(byte in any::<u8>(), dialect in dialects()) {
        let (senses, unused) = decode_senses(byte, dialect);
        let (again, _) = decode_senses(encode_senses(senses, dialect), dialect);
        prop_assert_eq!(again, senses);
        prop_assert!(unused || encode_senses(senses, dialect) == byte);
        let known = decode_tile(byte, dialect);
        let written = encode_tile(known, dialect);
        prop_assert_ne!(written, 0);
        prop_assert_eq!(decode_tile(written, dialect), known);
    }

    #[test]
    fn requests_survive_the_wire(request in requests(), dialect in dialects()) {
        let mut bytes = Vec::new();
        encode_request(&request, dialect, &mut bytes);
        for cut in 0..bytes.len() {
            prop_assert_eq!(decode_request(&bytes[..cut], dialect), Ok(None));
        }
        prop_assert_eq!(decode_request(&bytes, dialect), Ok(Some((request, bytes.len()))));
    }

    #[test]
    fn no_bytes_make_a_decoder_fall_over(seed in any::<u64>(), length in 0..200_usize, dialect in dialects()) {
        let bytes = Mangler::new(seed).garbage(length);
        if let Some((rules, taken)) = decode_rules(&bytes, dialect) {
            prop_assert!(taken <= bytes.len());
            prop_assert_eq!(encode_rules(&rules, dialect).unwrap().len(), taken);
        }
        let all = dialect.candidates(true, true);
        prop_assert!(detect(&bytes, &all).len() <= all.len());
        let mut rest = bytes.as_slice();
        while let Ok(Some((_, taken))) = decode_request(rest, dialect) {
            prop_assert!(taken > 0 && taken <= rest.len());
            rest = &rest[taken..];
        }
    }
}
