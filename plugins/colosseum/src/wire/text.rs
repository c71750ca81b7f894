//! JSON as the original prints it: `", "` and `": "` between things, ASCII only, numbers as its
//! language writes them.

use crate::rules::PyNumber;

use serde_json::Value;
use std::fmt::Write as _;

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // A string takes everything.
    out.write_fmt(text).unwrap_or_default();
}

/// A string literal.
pub(crate) fn string(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(char),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    put(out, format_args!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

/// A floating point number: the shortest digits that read back equal.
pub(crate) fn float(out: &mut String, value: f64) {
    let size = value.abs();
    if value.is_nan() {
        out.push_str("NaN");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "Infinity" } else { "-Infinity" });
    } else if size == 0.0 || (1e-4..1e16).contains(&size) {
        put(out, format_args!("{value:?}"));
    } else {
        // The exponent has a sign and at least two digits.
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or_default();
        let sign = if exponent < 0 { '-' } else { '+' };
        put(out, format_args!("{digits}e{sign}{:02}", exponent.abs()));
    }
}

/// A number, with or without fraction.
pub(crate) fn num(out: &mut String, num: PyNumber) {
    if num.is_whole() {
        put(out, format_args!("{:.0}", num.get()));
    } else {
        float(out, num.get());
    }
}

/// Items with commas between them, in brackets of either kind.
pub(crate) fn items<T>(
    out: &mut String,
    brackets: [char; 2],
    items: impl IntoIterator<Item = T>,
    mut item: impl FnMut(&mut String, T),
) {
    let [open, close] = brackets;
    out.push(open);
    for (index, one) in items.into_iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        item(out, one);
    }
    out.push(close);
}

pub(crate) fn list<T>(
    out: &mut String,
    list: impl IntoIterator<Item = T>,
    item: impl FnMut(&mut String, T),
) {
    items(out, ['[', ']'], list, item);
}

pub(crate) fn value(out: &mut String, any: &Value) {
    match any {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => match number.as_f64() {
            Some(real) if number.is_f64() => float(out, real),
            _ => put(out, format_args!("{number}")),
        },
        Value::String(text) => string(out, text),
        Value::Array(array) => list(out, array, value),
        Value::Object(map) => items(out, ['{', '}'], map, |out, (key, any)| {
            string(out, key);
            out.push_str(": ");
            value(out, any);
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(value: f64) -> String {
        let mut out = String::new();
        float(&mut out, value);
        out
    }

    #[test]
    fn numbers_look_as_the_original_prints_them() {
        let cases = [
            (0.0, "0.0"),
            (34.0, "34.0"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (-2.5e-7, "-2.5e-07"),
            (1e16, "1e+16"),
            (123_456_789.25, "123456789.25"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (value, text) in cases {
            assert_eq!(printed(value), text);
        }
    }

    #[test]
    fn text_is_ascii() {
        let mut out = String::new();
        string(&mut out, "é\u{1F600}\"\\\n\u{7f}");
        assert_eq!(out, r#""\u00e9\ud83d\ude00\"\\\n\u007f""#);
    }
}
