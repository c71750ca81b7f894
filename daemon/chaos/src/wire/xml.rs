//! XML with other content: attributes with other values, and attributes and elements that are
//! missing.

use super::{near_or_far, wrong_number, wrong_text};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// Attributes at the beginning of a message.
const HEAD: usize = 8;

/// Changes some attributes of a message. What is no text stays.
pub(super) fn change(
    message: &[u8],
    words: &[&str],
    changes: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(message) else { return message.to_vec() };
    let mut text = text.to_owned();
    for _ in 0..changes {
        let found = attributes(&text);
        let others: Vec<_> =
            found.iter().filter_map(|one| text.get(one.value.clone())).map(str::to_owned).collect();
        let Some(one) = found.get(near_or_far(found.len(), HEAD, rng)) else { break };
        let value = text.get(one.value.clone()).unwrap_or_default();
        match rng.random_range(0..6) {
            0 => text.replace_range(one.whole.clone(), ""),
            1 => drop_element(&mut text, one.whole.start),
            _ => {
                let other = match value.parse::<i64>() {
                    Ok(number) => wrong_number(number, rng).to_string(),
                    Err(_) => wrong_text(value, words, &others, rng),
                };
                text.replace_range(one.value.clone(), &other);
            }
        }
    }
    text.into_bytes()
}

struct Attribute {
    /// With its name and quotes.
    whole: Range<usize>,
    value: Range<usize>,
}

/// All attributes, in order: ` name="value"`.
fn attributes(text: &str) -> Vec<Attribute> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text.get(from..).and_then(|rest| rest.find("=\"")) {
        let open = from + open;
        let value = open + 2;
        let Some(len) = text.get(value..).and_then(|rest| rest.find('"')) else { break };
        let begin = text.get(..open).and_then(|head| head.rfind([' ', '<', '\n'])).unwrap_or(open);
        // The declaration of the version and the encoding is no content.
        let is_content = !text.get(..open).is_some_and(|head| {
            head.rfind("<?")
                .is_some_and(|declared| head.rfind("?>").is_none_or(|end| end < declared))
        });
        if is_content {
            found.push(Attribute { whole: begin..value + len + 1, value: value..value + len });
        }
        from = value + len + 1;
    }
    found
}

/// Takes out the element without children around this place.
fn drop_element(text: &mut String, at: usize) {
    let open = text.get(..at).and_then(|head| head.rfind('<'));
    let close = text.get(at..).and_then(|rest| rest.find('>'));
    let (Some(open), Some(close)) = (open, close) else { return };
    let close = at + close;
    if text.get(..close).is_some_and(|head| head.ends_with('/')) {
        text.replace_range(open..=close, "");
    }
}
