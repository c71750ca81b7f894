//! How worlds look: each kind as it was drawn when somebody looked at it last.

use crate::worlds;
use phalanx_picture::{AgentActivity, PictureStyle, Reach, TeamCaption, Theme, VectorScene, scene};
use phalanx_proto::v1::World;

pub(crate) const LOOK: PictureStyle = PictureStyle { width: 800, theme: Theme::Light };

pub(crate) fn drawn(world: &World, look: PictureStyle) -> VectorScene {
    scene(world, &TeamCaption::default(), &Reach::of(world, Vec::new()).unwrap(), look).unwrap()
}

#[test]
fn every_kind_of_world_looks_as_it_did() {
    for (name, world) in worlds::all() {
        insta::assert_snapshot!(name, drawn(&world, LOOK).svg(800));
    }
}

#[test]
fn who_does_what_stands_beside_the_map() {
    let world = worlds::torus();
    let deed = AgentActivity { action: "move(n)".into(), reason: "north is free".into() };
    let told = TeamCaption {
        score: Some(70),
        deeds: [("first".to_owned(), deed)].into(),
        roster: vec!["first".into()],
    };
    let reach = Reach::of(&world, Vec::new()).unwrap();
    let svg = scene(&world, &told, &reach, LOOK).unwrap().svg(800);
    for text in [
        ">turn 0:42 · score 70<",
        ">begins again after 40 × 30 cells<",
        ">agentA1<",
        ">energy 100<",
        ">move(n) · north is free<",
        ">drawn by scripts<",
        ">home<",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
}

#[test]
fn wanted_numbers_are_drawn_and_others_are_not() {
    let world = worlds::cave();
    let svg = |layers: &[&str]| {
        let layers = layers.iter().map(|name| (*name).to_owned()).collect();
        let reach = Reach::of(&world, layers).map_err(|unfit| unfit.to_string())?;
        let drawn = scene(&world, &TeamCaption::default(), &reach, LOOK);
        drawn.map(|scene| scene.svg(800)).map_err(|unfit| unfit.to_string())
    };
    let both = svg(&[]).unwrap();
    assert!(both.contains("death: 0 to 1 probability") && both.contains("item: 0 to 1"), "{both}");
    let one = svg(&["item"]).unwrap();
    assert!(!one.contains("death") && one.contains("item: 0 to 1"), "{one}");
    let error = svg(&["gold"]).unwrap_err();
    assert_eq!(error, "there is no layer \"gold\"; there are: death, ground, item");
}

#[test]
fn a_narrow_page_has_its_table_below_the_map() {
    let high = |width| drawn(&worlds::torus(), PictureStyle { width, ..LOOK }).size().1;
    let (narrow, wide) =
        (drawn(&worlds::torus(), PictureStyle { width: 400, ..LOOK }).svg(400), high(800));
    assert!(high(400) > wide, "{} {wide}", high(400));
    assert!(narrow.contains("agentA1") && narrow.contains("dispenser"), "{narrow}");
}

#[test]
fn themes_differ_in_colours_alone() {
    let colours = |svg: String| {
        let mut rest = String::new();
        for piece in svg.split('#') {
            rest.push_str(piece.get(6..).unwrap_or(piece));
        }
        rest
    };
    let dark = PictureStyle { theme: Theme::Dark, ..LOOK };
    for (name, world) in worlds::all() {
        let (light, dark) = (drawn(&world, LOOK).svg(800), drawn(&world, dark).svg(800));
        assert_ne!(light, dark, "{name}");
        assert_eq!(light.lines().count(), dark.lines().count(), "{name}");
        assert_eq!(colours(light).len(), colours(dark).len(), "{name}");
    }
}
