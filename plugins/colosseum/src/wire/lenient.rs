//! What the referee's JSON has and the standard does not: bare `NaN` and infinities (spec section
//! 1), and halves of surrogate pairs in strings.

use std::borrow::Cow;

/// The bare words, the longest of equal beginnings first.
const WORDS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];

/// The text with the bare words replaced by `null`; half surrogates too, by U+FFFD, when asked.
#[must_use]
pub(super) fn standard(text: &str, surrogates: bool) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    let (mut kept, mut at, mut quoted) = (0, 0, false);
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let replaced: Option<(usize, &[u8])> = match (quoted, byte) {
            (_, b'"') => {
                quoted = !quoted;
                None
            }
            (true, b'\\') => match escape(rest) {
                EscapeState::Half if surrogates => Some((6, b"\\ufffd")),
                EscapeState::Half | EscapeState::Plain => {
                    at += 2;
                    continue;
                }
                EscapeState::Pair => {
                    at += 12;
                    continue;
                }
            },
            (false, b'-' | b'I' | b'N') => {
                let word = WORDS.iter().find(|word| rest.starts_with(word));
                word.map(|word| (word.len(), b"null".as_slice()))
            }
            _ => None,
        };
        match replaced {
            Some((length, with)) => {
                out.extend_from_slice(bytes.get(kept..at).unwrap_or_default());
                out.extend_from_slice(with);
                at += length;
                kept = at;
            }
            None => at += 1,
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.extend_from_slice(bytes.get(kept..).unwrap_or_default());
    // Only ASCII was replaced by ASCII, so that this is UTF-8 as before.
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

enum EscapeState {
    /// Two characters, or the beginning of `\uXXXX` of an ordinary character.
    Plain,
    /// A whole surrogate pair: twelve characters.
    Pair,
    /// One surrogate alone: six characters.
    Half,
}

fn escape(rest: &[u8]) -> EscapeState {
    let unit = |from: usize| {
        let digits = rest.get(from..from + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    match (unit(0), unit(6)) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => EscapeState::Pair,
        (Some(0xD800..=0xDFFF), _) => EscapeState::Half,
        _ => EscapeState::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_words_become_null_outside_of_strings_only() {
        let text = r#"{"a": NaN, "NaN": "-Infinity \" NaN", "b": [-Infinity, Infinity, -1]}"#;
        let expected = r#"{"a": null, "NaN": "-Infinity \" NaN", "b": [null, null, -1]}"#;
        assert_eq!(standard(text, true), expected);
        assert!(matches!(standard(r#"{"a": "NaN"}"#, true), Cow::Borrowed(_)));
    }

    #[test]
    fn half_surrogates_are_replaced_when_asked() {
        let text = r#""\ud83d\ude00 \ud83d \\ud83d \ude00""#;
        assert_eq!(standard(text, true), r#""\ud83d\ude00 \ufffd \\ud83d \ufffd""#);
        assert_eq!(standard(text, false), text);
    }
}
