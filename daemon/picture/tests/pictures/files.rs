//! What PNGs and films hold.

use crate::looks::{LOOK, drawn};
use crate::worlds;
use phalanx_picture::{Film, PictureStyle, Reach, TeamCaption, Unfit, VectorScene, scene};
use phalanx_proto::v1::World;
use png::{Decoder, Transformations};
use std::io::Cursor;
use std::num::NonZeroU32;

/// Ours, as people who cannot tell red from green see it, too.
const BLUE: [u8; 3] = [0x00, 0x72, 0xB2];

/// Width, height, and three bytes a pixel.
fn pixels(file: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = Decoder::new(Cursor::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    bytes.truncate(info.buffer_size());
    (info.width, info.height, bytes)
}

fn count(bytes: &[u8], color: [u8; 3]) -> usize {
    bytes.chunks(3).filter(|pixel| *pixel == color).count()
}

#[test]
fn a_png_is_as_wide_as_wanted_and_shows_the_map() {
    let page = drawn(&worlds::torus(), LOOK);
    let (width, height, bytes) = pixels(&page.png(800).unwrap());
    assert_eq!((f64::from(width), f64::from(height)), page.size());
    assert_eq!(&bytes[..3], [0xFF; 3], "the page is white");
    assert!(count(&bytes, BLUE) > 500, "an agent is there: {}", count(&bytes, BLUE));
    let (double, high, large) = pixels(&page.png(1600).unwrap());
    assert_eq!((double, high), (2 * width, 2 * height));
    let (small, large) = (count(&bytes, BLUE), count(&large, BLUE));
    assert!(large > 3 * small && large < 6 * small, "four times the pixels: {small} {large}");
}

#[test]
fn the_same_world_gives_the_same_bytes() {
    for (name, world) in worlds::all() {
        let png = || drawn(&world, LOOK).png(800).unwrap();
        assert_eq!(png(), png(), "{name}");
    }
}

#[test]
fn letters_are_drawn_without_the_fonts_of_the_machine() {
    let one = drawn(&worlds::world("aaaa", Vec::new()), LOOK).png(800).unwrap();
    let other = drawn(&worlds::world("bbbb", Vec::new()), LOOK).png(800).unwrap();
    assert_ne!(pixels(&one).2, pixels(&other).2);
}

#[test]
fn a_picture_of_too_many_pixels_is_refused() {
    let tall = drawn(&worlds::torus(), PictureStyle { width: 320, ..LOOK });
    let error = tall.png(1 << 20).unwrap_err();
    assert!(matches!(error, Unfit::Pixels { .. }), "{error}");
    assert!(error.to_string().contains("make it narrower"), "{error}");
}

/// The same map with its first agent one step further each time.
fn walk(steps: i32) -> Vec<World> {
    let step = |x: i32| {
        let mut world = worlds::torus();
        world.turn.as_mut().unwrap().step = u32::try_from(x).unwrap();
        world.parts[0].bodies[1].place = worlds::cell(x % 3, 3);
        world
    };
    (0..steps).map(step).collect()
}

fn film(worlds: &[World], rate: u16) -> (Vec<VectorScene>, Vec<u8>) {
    let mut reach = Reach::new(Vec::new());
    worlds.iter().for_each(|world| reach.see(world).unwrap());
    let pages =
        worlds.iter().map(|world| scene(world, &TeamCaption::default(), &reach, LOOK).unwrap());
    let pages: Vec<VectorScene> = pages.collect();
    let mut file = Vec::new();
    let frames = NonZeroU32::new(u32::try_from(worlds.len()).unwrap()).unwrap();
    let mut film = Film::new(&mut file, &pages[0], 800, frames, rate).unwrap();
    pages.iter().for_each(|page| film.add(page).unwrap());
    film.finish().unwrap();
    (pages, file)
}

#[test]
fn a_film_shows_each_world_for_its_time_and_begins_anew() {
    let worlds = walk(5);
    let (pages, file) = film(&worlds, 8);
    let mut decoder = Decoder::new(Cursor::new(&file));
    decoder.set_transformations(Transformations::IDENTITY);
    let mut reader = decoder.read_info().unwrap();
    let control = *reader.info().animation_control().unwrap();
    assert_eq!((control.num_frames, control.num_plays), (5, 0));
    let width = reader.info().width;
    let one = film(&worlds[..1], 8).1.len();
    assert!(file.len() < 2 * one, "only what moves is written: {} {one}", file.len());
    let mut shown = vec![0; reader.output_buffer_size().unwrap()];
    for (index, page) in pages.iter().enumerate() {
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        let frame = *reader.info().frame_control().unwrap();
        assert_eq!((frame.delay_num, frame.delay_den), (1, 8), "frame {index}");
        put(&mut shown, width, &frame, &bytes);
        let (_, _, expected) = pixels(&page.png(800).unwrap());
        let plain: Vec<u8> = shown.chunks(4).flat_map(|pixel| &pixel[..3]).copied().collect();
        assert!(plain == expected, "frame {index} shows its world");
    }
    assert!(reader.next_frame(&mut shown).is_err(), "there are no more frames");
}

/// Lays a frame over what is shown.
fn put(shown: &mut [u8], width: u32, frame: &png::FrameControl, bytes: &[u8]) {
    let at = |number: u32| usize::try_from(number).unwrap();
    let rows = bytes.chunks(4 * at(frame.width)).take(at(frame.height));
    for (y, row) in rows.enumerate() {
        for (x, pixel) in row.chunks(4).enumerate() {
            let start = 4 * ((at(frame.y_offset) + y) * at(width) + at(frame.x_offset) + x);
            let over = frame.blend_op == png::BlendOp::Over;
            if !(over && pixel[3] == 0) {
                shown[start..start + 4].copy_from_slice(pixel);
            }
        }
    }
}

#[test]
fn a_frame_in_which_nothing_happens_costs_next_to_nothing() {
    let still = vec![worlds::graph(); 30];
    let (one, all) = (film(&still[..1], 5).1.len(), film(&still, 5).1.len());
    assert!(all < one + 30 * 120, "{one} {all}");
}

#[test]
fn nothing_jumps_while_a_film_goes_on() {
    let mut grown = worlds::torus();
    let wide = worlds::layer("ground", (-20, 0), &[".".repeat(24).as_str()], ".");
    grown.parts[0].layers[0] = wide;
    let (pages, _) = film(&[worlds::torus(), grown.clone(), worlds::apart()], 5);
    let sizes: Vec<_> = pages.iter().map(VectorScene::size).collect();
    assert!(sizes.iter().all(|size| *size == sizes[0]), "{sizes:?}");
    let alone = drawn(&worlds::torus(), LOOK);
    assert_ne!(alone.svg(800), pages[0].svg(800), "there is room for what comes");
}

#[test]
fn pages_have_the_same_size_whatever_was_drawn_before_them() {
    let (narrow, large) =
        (PictureStyle { width: 400, ..LOOK }, PictureStyle { width: 1600, ..LOOK });
    let size = |reach: &Reach, look: PictureStyle| {
        scene(&worlds::apart(), &TeamCaption::default(), reach, look).unwrap().size()
    };
    let mut all = Reach::of(&worlds::apart(), Vec::new()).unwrap();
    let low = size(&all, large);
    all.see(&worlds::torus()).unwrap();
    let mut fresh = Reach::of(&worlds::apart(), Vec::new()).unwrap();
    fresh.see(&worlds::torus()).unwrap();
    let (high, other) = (size(&all, large), size(&all, narrow));
    assert!(high.1 > low.1, "there is more to have room for: {low:?} {high:?}");
    assert_eq!((size(&fresh, narrow), size(&fresh, large)), (other, high));
}

#[test]
fn a_film_takes_as_many_frames_as_were_told_and_of_one_size() {
    let page = drawn(&worlds::torus(), LOOK);
    let mut file = Vec::new();
    let mut one = Film::new(&mut file, &page, 800, NonZeroU32::MIN, 5).unwrap();
    one.add(&page).unwrap();
    assert!(one.add(&page).is_err(), "a frame too many");
    let two = NonZeroU32::new(2).unwrap();
    let mut file = Vec::new();
    let mut film = Film::new(&mut file, &page, 800, two, 5).unwrap();
    let error =
        film.add(&drawn(&worlds::torus(), PictureStyle { width: 400, ..LOOK })).unwrap_err();
    assert!(matches!(error, Unfit::Frame { .. }), "{error}");
    film.add(&page).unwrap();
    assert!(film.finish().is_err(), "a frame is missing");
}
