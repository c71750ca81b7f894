//! The letters: two weights of Roboto, inside the program, so that texts are as long on every machine
//! and pictures need none of its fonts.

use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// How heavy letters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Medium,
}

/// Replaces a character that must not be in a picture.
const REPLACED: char = '\u{FFFD}';
/// Marks a text that was cut.
const CUT: char = '…';

static REGULAR: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(include_bytes!("../fonts/Roboto-Regular.ttf"), 0).ok());
static MEDIUM: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(include_bytes!("../fonts/Roboto-Medium.ttf"), 0).ok());

fn face(weight: Weight) -> Option<&'static Face<'static>> {
    match weight {
        Weight::Regular => REGULAR.as_ref(),
        Weight::Medium => MEDIUM.as_ref(),
    }
}

/// Letters that we do not have are boxes.
fn glyph(face: &Face<'_>, letter: char) -> GlyphId {
    face.glyph_index(letter).unwrap_or_default()
}

fn advance(face: &Face<'_>, letter: char) -> f64 {
    let units = face.glyph_hor_advance(glyph(face, letter)).unwrap_or_default();
    f64::from(units) / f64::from(face.units_per_em().max(1))
}

/// How long a text is, in the units in which its size is.
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let Some(face) = face(weight) else { return 0.0 };
    text.chars().map(|letter| advance(face, letter)).sum::<f64>() * size
}

/// The text, cut to `room`, with a mark if it was cut.
pub(crate) fn fitted(text: &str, size: f64, weight: Weight, room: f64) -> String {
    let text = clean(text);
    if width(&text, size, weight) <= room {
        return text;
    }
    let Some(face) = face(weight) else { return text };
    let mut left = room / size - advance(face, CUT);
    let fits = |letter: &char| {
        left -= advance(face, *letter);
        left >= 0.0
    };
    let mut short: String = text.chars().take_while(fits).collect();
    short.truncate(short.trim_end().len());
    short.push(CUT);
    short
}

/// A text in lines of that length at most, broken between words, and no more lines than `most`.
pub(crate) fn wrapped(
    text: &str,
    size: f64,
    weight: Weight,
    room: f64,
    most: usize,
) -> Vec<String> {
    let text = clean(text);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let full = lines.len() >= most;
        match lines.last_mut() {
            Some(line) if full || width(&format!("{line} {word}"), size, weight) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| fitted(line, size, weight, room)).collect()
}

/// Draws each letter of a text with its place along the line, in ems.
pub(crate) fn outline(text: &str, weight: Weight, mut letter: impl FnMut(f64, &Face<'_>, GlyphId)) {
    let Some(face) = face(weight) else { return };
    let mut along = 0.0;
    for sign in text.chars() {
        letter(along, face, glyph(face, sign));
        along += advance(face, sign);
    }
}

/// Draws one letter.
pub(crate) fn trace(face: &Face<'_>, letter: GlyphId, builder: &mut dyn OutlineBuilder) {
    // A space has no outline.
    let _empty = face.outline_glyph(letter, builder).is_none();
}

/// A text without what XML cannot hold, what moves a cursor, and what turns the direction of a line.
pub(crate) fn clean(text: &str) -> String {
    let harmful = |letter: char| {
        letter.is_control()
            || matches!(
                letter,
                '\u{200B}'..='\u{200F}'
                    | '\u{2028}'..='\u{202E}'
                    | '\u{2060}'..='\u{206F}'
                    | '\u{FEFF}'
                    | '\u{FFFE}'
                    | '\u{FFFF}'
            )
    };
    text.chars().map(|letter| if harmful(letter) { REPLACED } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_weights_have_the_letters_that_pictures_write_themselves() {
        for weight in [Weight::Regular, Weight::Medium] {
            let face = face(weight).unwrap();
            for letter in "AZaz09 .,:;·…×–()[]{}<>&\"'ÄßéЖλ\u{FFFD}".chars() {
                assert!(face.glyph_index(letter).is_some(), "{weight:?} {letter}");
            }
        }
        assert!(width("iiii", 10.0, Weight::Regular) < width("MMMM", 10.0, Weight::Regular));
    }

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        let text = "a name that is much too long for its place";
        let short = fitted(text, 12.0, Weight::Regular, 80.0);
        assert!(short.ends_with('…') && text.starts_with(short.trim_end_matches('…')), "{short}");
        assert!(width(&short, 12.0, Weight::Regular) <= 80.0);
        assert_eq!(fitted("short", 12.0, Weight::Regular, 80.0), "short");
        let lines = wrapped(text, 12.0, Weight::Regular, 80.0, 2);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines.iter().all(|line| width(line, 12.0, Weight::Regular) <= 80.0), "{lines:?}");
    }

    #[test]
    fn nothing_that_moves_or_turns_is_left() {
        assert_eq!(clean("a\0b\u{1b}[31m\u{202E}c\n"), "a\u{FFFD}b\u{FFFD}[31m\u{FFFD}c\u{FFFD}");
        assert_eq!(clean("Ärger & <b>"), "Ärger & <b>");
    }
}
