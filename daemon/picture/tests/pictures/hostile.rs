//! Worlds that are malformed or far too large.

use crate::looks::{LOOK, drawn};
use crate::worlds::{self, body, cell, grid, layer, legend, text, world};
use phalanx_picture::{PictureStyle, Reach, TeamCaption, Theme, scene};
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;
use phalanx_proto::v1::{
    ScriptMark, World, WorldBody, WorldCell, WorldEdge, WorldGraph, WorldGrid, WorldLayer,
    WorldNode, WorldPart, WorldPlace, WorldPlane, WorldPoint, WorldScale, WorldSpot, WorldTone,
};
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

/// The texts of an SVG; fails where it is not well-formed, or has more than shapes and texts.
fn texts(svg: &str) -> Vec<String> {
    let mut reader = Reader::from_str(svg);
    reader.config_mut().check_end_names = true;
    let known = ["svg", "title", "rect", "circle", "path", "text"];
    let (mut texts, mut depth, mut inside) = (Vec::new(), 0, String::new());
    loop {
        match reader.read_event().unwrap() {
            event @ (Event::Start(_) | Event::Empty(_)) => {
                let (start, step) = match event {
                    Event::Start(start) => (start, 1),
                    Event::Empty(start) => (start, 0),
                    other => panic!("{other:?}"),
                };
                let name = start.name().as_ref().to_owned();
                assert!(known.contains(&name.as_str()), "{name}");
                for attribute in start.attributes() {
                    let key = attribute.unwrap().key.as_ref().to_owned();
                    assert!(!key.starts_with("on") && !key.ends_with("href"), "{key}");
                }
                depth += step;
                inside.clear();
            }
            Event::Text(text) => inside.push_str(text.as_ref()),
            Event::GeneralRef(name) => {
                let name: &str = name.as_ref();
                inside.push_str(match name {
                    "lt" => "<",
                    "gt" => ">",
                    "amp" => "&",
                    "quot" => "\"",
                    "#39" => "'",
                    other => panic!("{other}"),
                });
            }
            Event::End(_) => {
                depth -= 1;
                texts.push(std::mem::take(&mut inside));
            }
            Event::Eof => {
                assert_eq!(depth, 0);
                return texts;
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn names_are_texts_whatever_they_are() {
    let evil = "<script>alert('1')</script>&\"\u{1b}]0;\u{202E}";
    let mut it = worlds::torus();
    it.game = evil.into();
    it.parts[0].bodies[0].name = evil.into();
    it.parts[0].bodies[0].detail = evil.into();
    it.parts[0].spots[0].label = evil.into();
    it.marks[0].args[1] = text(evil);
    let svg = drawn(&it, LOOK).svg(800);
    assert!(!svg.contains("<script") && !svg.contains('\u{1b}') && !svg.contains('\u{202E}'));
    let found = texts(&svg);
    let clean = "<script>alert('1')</script>&\"\u{FFFD}]0;\u{FFFD}";
    assert!(found.iter().any(|text| text == clean), "{found:?}");
}

fn refused(world: &World) -> String {
    let error = Reach::of(world, Vec::new()).unwrap_err().to_string();
    let again = scene(world, &TeamCaption::default(), &Reach::new(Vec::new()), LOOK).unwrap_err();
    assert_eq!(again.to_string(), error, "drawing refuses it, too");
    error
}

#[test]
fn a_world_that_is_too_large_is_refused_and_said_why() {
    let large = |width, height, cells: usize| {
        let mut ground = layer("ground", (0, 0), &["."], ".");
        (ground.width, ground.height, ground.cells) = (width, height, vec![1; cells]);
        let layers = vec![ground];
        world(
            "blocks",
            vec![WorldPart {
                name: "map".into(),
                shape: grid(false),
                layers,
                ..WorldPart::default()
            }],
        )
    };
    let expected =
        "the layer \"ground\" of \"map\" has 10000 × 10000 cells; a picture has at most 512 × 512";
    assert_eq!(refused(&large(10_000, 10_000, 4)), expected);
    assert_eq!(refused(&large(u32::MAX, u32::MAX, 0)).split(" has ").count(), 3);
    let expected = "the layer \"ground\" of \"map\" says that it has 100 cells and has 99";
    assert_eq!(refused(&large(10, 10, 99)), expected);
    let mut many = worlds::torus();
    many.parts = vec![many.parts[0].clone(); 65];
    assert_eq!(refused(&many), "\"teams/A\" has 65 parts; a picture has at most 64");
    let mut many = worlds::torus();
    many.parts[0].bodies = vec![body("a", None, None); 10_001];
    assert_eq!(refused(&many), "\"map\" has 10001 bodies; a picture has at most 10000");
    let mut flat = worlds::plane();
    flat.parts[0].shape = Some(Shape::Plane(WorldPlane { width: f64::NAN, height: 1.0 }));
    assert_eq!(refused(&flat), "the plane \"world\" is NaN × 1; it cannot be drawn");
}

#[test]
fn a_torus_that_says_it_is_huge_is_drawn_as_far_as_it_was_seen() {
    let mut huge = worlds::torus();
    let (width, height) = (Some(10_000), Some(u32::MAX));
    huge.parts[0].shape = Some(Shape::Grid(WorldGrid { width, height, y_up: false }));
    huge.parts[0].bodies.push(body("far", Some(2), cell(i32::MAX, i32::MIN)));
    huge.parts[0].spots[0].place = cell(i32::MIN, 0);
    let (wide, high) = drawn(&huge, LOOK).size();
    assert!((wide, high) <= (800.0, 1_000.0), "{wide} × {high}");
}

#[test]
fn the_largest_world_that_fits_is_drawn() {
    let side = 512;
    let row = ".#".repeat(side / 2);
    let mut ground = layer("ground", (-256, -256), &vec![row.as_str(); side], ".#");
    ground.legend = vec![
        legend(1, "free", ".", WorldTone::Ground),
        legend(2, "wall", "#", WorldTone::Obstacle),
    ];
    let layers = vec![ground];
    let part = WorldPart { name: "map".into(), shape: grid(false), layers, ..WorldPart::default() };
    let page =
        drawn(&world("blocks", vec![part]), PictureStyle { width: 1200, theme: Theme::Dark });
    let (wide, high) = page.size();
    assert!((wide - 1200.0).abs() < 0.1 && high < 1_200.0, "{wide} × {high}");
    assert!(page.png(1200).unwrap().len() > 1_000);
}

/// Anything that can stand in a text of a world.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("a1".to_owned()),
        Just("</text><script>".to_owned()),
        proptest::collection::vec(any::<char>(), 0..12).prop_map(|all| all.into_iter().collect()),
    ]
}

fn near() -> impl Strategy<Value = i32> {
    prop_oneof![9 => -4_i32..9, 1 => any::<i32>()]
}

fn places() -> impl Strategy<Value = Option<WorldPlace>> {
    let place = prop_oneof![
        (near(), near()).prop_map(|(x, y)| Place::Cell(WorldCell { x, y })),
        (any::<f64>(), -1.0..400.0).prop_map(|(x, y)| Place::Point(WorldPoint { x, y })),
        (0_u32..9).prop_map(Place::Node),
    ];
    proptest::option::of(place.prop_map(|place| WorldPlace { place: Some(place) }))
}

fn bodies() -> impl Strategy<Value = WorldBody> {
    let first = (words(), -1_i32..6, proptest::option::of(any::<u32>()), words());
    let rest =
        (places(), proptest::collection::vec((near(), near(), words()), 0..3), any::<bool>());
    (first, rest).prop_map(|((name, side, agent, detail), (place, carried, alive))| {
        let carried = carried.into_iter();
        let carried =
            carried.map(|(x, y, what)| phalanx_proto::v1::WorldCarried { x, y, what }).collect();
        let (role, kind) = (detail.clone(), name.clone());
        let known = WorldBody { name, side, agent, role, kind, place, ..WorldBody::default() };
        WorldBody { carried, alive, detail, ..known }
    })
}

fn layers() -> impl Strategy<Value = WorldLayer> {
    let size = (near(), near(), 0_u32..7, 0_u32..7);
    let legend = proptest::collection::vec((any::<u8>(), words(), -1_i32..12), 0..6);
    let scale = proptest::option::of((any::<f64>(), any::<f64>(), words()));
    (words(), size, legend, scale, any::<[u8; 36]>(), any::<bool>()).prop_map(
        |(name, (x, y, width, height), legend, scale, cells, saw)| {
            let count = usize::try_from(width * height).unwrap();
            let legend = legend.into_iter().map(|(value, name, tone)| {
                let glyph = name.clone();
                phalanx_proto::v1::WorldLegend { value: value.into(), name, glyph, tone }
            });
            let scale = scale.map(|(from, to, unit)| WorldScale { from, to, unit, tone: 5 });
            let seen = if saw { vec![7; count] } else { vec![1, 0, 9] };
            let (cells, legend) = (cells[..count].to_vec(), legend.collect());
            WorldLayer { name, x, y, width, height, cells, legend, scale, seen }
        },
    )
}

fn shapes() -> impl Strategy<Value = Option<Shape>> {
    let side = || proptest::option::of(any::<u32>());
    prop_oneof![
        Just(None),
        Just(Some(Shape::Graph(WorldGraph {}))),
        (side(), side(), any::<bool>())
            .prop_map(|(width, height, y_up)| Some(Shape::Grid(WorldGrid { width, height, y_up }))),
        (0.1..1e6, 0.1..1e6)
            .prop_map(|(width, height)| Some(Shape::Plane(WorldPlane { width, height }))),
    ]
}

fn parts() -> impl Strategy<Value = WorldPart> {
    use proptest::collection::vec;
    let spots = vec((places(), words(), words(), -1_i32..12), 0..4);
    let graph = (
        vec((words(), proptest::option::of(any::<i32>()), 0_i32..5), 0..7),
        vec((0_u32..9, 0_u32..9), 0..9),
    );
    (words(), shapes(), vec(layers(), 0..3), spots, graph, vec(bodies(), 0..4)).prop_map(
        |(name, shape, layers, spots, (nodes, edges), bodies)| {
            let spots = spots.into_iter().map(|(place, kind, label, tone)| WorldSpot {
                place,
                kind,
                label,
                value: None,
                tone,
            });
            let nodes = nodes.into_iter();
            let nodes =
                nodes.map(|(name, value, side)| WorldNode { name, value, owner: side, zone: side });
            let edges = edges.into_iter().map(|(a, b)| WorldEdge { a, b, weight: Some(a) });
            let (spots, nodes, edges) = (spots.collect(), nodes.collect(), edges.collect());
            WorldPart { name, shape, layers, spots, nodes, edges, bodies, ..WorldPart::default() }
        },
    )
}

fn any_world() -> impl Strategy<Value = World> {
    use proptest::collection::vec;
    let arg = prop_oneof![
        (near(), near()).prop_map(|(x, y)| worlds::place(x, y)),
        words().prop_map(|word| text(&word)),
        Just(prost_types::Value::default()),
    ];
    let shape = prop_oneof![Just("cell"), Just("line"), Just("path"), Just("text"), Just("star")];
    let marks = vec((words(), shape, vec(arg, 0..4)), 0..4);
    (vec(parts(), 0..4), marks, words(), any::<bool>()).prop_map(|(parts, marks, game, cut)| {
        let marks = marks.into_iter().map(|(agent, shape, args)| ScriptMark {
            agent,
            shape: shape.into(),
            args,
        });
        World { marks: marks.collect(), game, cut, ..world("", parts) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_world_makes_a_picture_or_is_refused(world in any_world(), width in 300_u32..900) {
        let look = PictureStyle { width, theme: Theme::Light };
        let Ok(reach) = Reach::of(&world, Vec::new()) else { return Ok(()) };
        let page = scene(&world, &TeamCaption::default(), &reach, look).unwrap();
        let svg = page.svg(width);
        let found = texts(&svg);
        prop_assert!(!found.is_empty());
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
        let png = page.png(look.pixels()).unwrap();
        prop_assert_eq!(&png[1..4], b"PNG");
    }
}
