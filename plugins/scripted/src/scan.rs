//! A small scanner of JSON, for messages that are not nested deeply. A caller to which it returns
//! `None` reads the text with `serde_json`, which also knows what is wrong with it.

use std::borrow::Cow;

/// Digits of a number that a script's numbers hold for certain.
const DIGITS_MAX: usize = 15;
/// Deepest nesting that is read.
pub(crate) const DEPTH_MAX: usize = 48;

/// Bytes that end a text or are written differently in it.
#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it")]
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < ends.len() {
        ends[byte] = byte < b' ' as usize || byte == b'"' as usize || byte == b'\\' as usize;
        byte += 1;
    }
    ends
};

/// Goes through a text, token by token.
#[derive(Debug)]
pub(crate) struct Scanner<'text> {
    text: &'text str,
    at: usize,
}

impl<'text> Scanner<'text> {
    /// From the beginning of a text.
    pub(crate) fn new(text: &'text str) -> Self {
        Self { text, at: 0 }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is no space; goes there.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.at = after_spaces(self.text.as_bytes(), self.at);
        self.byte()
    }

    /// Goes over this byte, if it is the next one.
    pub(crate) fn take(&mut self, wanted: u8) -> bool {
        let is_here = self.peek() == Some(wanted);
        self.at += usize::from(is_here);
        is_here
    }

    pub(crate) fn expect(&mut self, wanted: u8) -> Option<()> {
        self.take(wanted).then_some(())
    }

    /// Whether only spaces are left.
    pub(crate) fn is_done(&mut self) -> bool {
        self.peek().is_none()
    }

    /// A text.
    pub(crate) fn string(&mut self) -> Option<Cow<'text, str>> {
        self.expect(b'"')?;
        let start = self.at;
        let bytes = self.text.as_bytes();
        let end = text_end(bytes, start)?;
        if bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            return self.text.get(start..end).map(Cow::Borrowed);
        }
        self.at = after_escapes(bytes, end)?;
        serde_json::from_str(self.text.get(start - 1..self.at)?).ok().map(Cow::Owned)
    }

    /// A text that is in the message as it is.
    pub(crate) fn plain_string(&mut self) -> Option<&'text str> {
        self.expect(b'"')?;
        let start = self.at;
        let end = text_end(self.text.as_bytes(), start)?;
        self.at = end;
        self.expect(b'"')?;
        self.text.get(start..end)
    }

    /// Goes over a key and its colon, if it is this one and has no spaces around it.
    pub(crate) fn take_key(&mut self, key: &[u8]) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let is_here = rest.get(1..=key.len()) == Some(key)
            && rest.first() == Some(&b'"')
            && rest.get(key.len() + 1..key.len() + 3) == Some(br#"":"#);
        self.at += if is_here { key.len() + 3 } else { 0 };
        is_here
    }

    /// A whole number that is not large; scripts count in doubles.
    #[expect(clippy::cast_precision_loss, reason = "few digits")]
    pub(crate) fn whole(&mut self) -> Option<f64> {
        let is_negative = self.take(b'-');
        let start = self.at;
        let mut number = 0_i64;
        while let Some(digit @ b'0'..=b'9') = self.byte() {
            number = number.wrapping_mul(10) + i64::from(digit - b'0');
            self.at += 1;
            if self.at - start > DIGITS_MAX {
                return None;
            }
        }
        let digits = self.at - start;
        let is_plain = !matches!(self.byte(), Some(b'.' | b'e' | b'E'));
        // A zero is never the first of several digits; with a sign it is no whole number of a script.
        let is_zero = self.text.as_bytes().get(start) == Some(&b'0');
        if digits == 0 || !is_plain || is_zero && (digits > 1 || is_negative) {
            return None;
        }
        Some(if is_negative { -number } else { number } as f64)
    }

    /// Goes over `true`, `false` or `null`.
    pub(crate) fn word(&mut self, word: &str) -> Option<()> {
        let is_here = self.text.as_bytes().get(self.at..)?.starts_with(word.as_bytes());
        self.at += word.len();
        is_here.then_some(())
    }

    /// A number.
    pub(crate) fn number(&mut self) -> Option<f64> {
        let start = self.at;
        if let Some(whole) = self.whole() {
            return Some(whole);
        }
        self.at = after_number(self.text.as_bytes(), start)?;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }

    /// Goes over a value of any kind; its text.
    pub(crate) fn skip(&mut self) -> Option<&'text str> {
        self.peek()?;
        let start = self.at;
        self.at = after_value(self.text.as_bytes(), start, DEPTH_MAX)?;
        self.text.get(start..self.at)
    }
}

/// Where the bytes after the spaces at this place begin.
fn after_spaces(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The first byte from here on that ends a text or begins an escape.
#[inline]
fn text_end(bytes: &[u8], at: usize) -> Option<usize> {
    let ends = |byte: &u8| ENDS.get(usize::from(*byte)) == Some(&true);
    Some(at + bytes.get(at..)?.iter().position(ends)?)
}

/// What follows a text whose first quote is before this place.
#[inline]
fn after_text(bytes: &[u8], at: usize) -> Option<usize> {
    let end = text_end(bytes, at)?;
    if bytes.get(end) == Some(&b'"') { Some(end + 1) } else { after_escapes(bytes, end) }
}

/// The same from the first escape on.
#[cold]
fn after_escapes(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = text_end(bytes, after_escape(bytes, at + 1)?)?,
            _control => return None,
        }
    }
}

/// Where an escape ends, behind its first byte.
fn after_escape(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 1),
        b'u' => {
            let digits = bytes.get(at + 1..at + 5)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(at + 5)
        }
        _other => None,
    }
}

fn after_digits(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    (at > start).then_some(at)
}

fn after_number(bytes: &[u8], mut at: usize) -> Option<usize> {
    at += usize::from(bytes.get(at) == Some(&b'-'));
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { after_digits(bytes, at)? };
    if bytes.get(at) == Some(&b'.') {
        at = after_digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at = after_digits(bytes, at)?;
    }
    Some(at)
}

fn after_word(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    bytes.get(at..)?.starts_with(word).then_some(at + word.len())
}

fn after_byte(bytes: &[u8], at: usize, wanted: u8) -> Option<usize> {
    let at = after_spaces(bytes, at);
    (bytes.get(at) == Some(&wanted)).then_some(at + 1)
}

/// Where a value ends that begins at this place.
fn after_value(bytes: &[u8], at: usize, depth: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => after_text(bytes, at + 1),
        b'{' => after_items(bytes, at + 1, (b'}', depth.checked_sub(1)?)),
        b'[' => after_items(bytes, at + 1, (b']', depth.checked_sub(1)?)),
        b't' => after_word(bytes, at, b"true"),
        b'f' => after_word(bytes, at, b"false"),
        b'n' => after_word(bytes, at, b"null"),
        _number => after_number(bytes, at),
    }
}

/// Where a list or an object ends, behind its first bracket; `end` is the last one.
fn after_items(bytes: &[u8], at: usize, (end, depth): (u8, usize)) -> Option<usize> {
    let mut at = after_spaces(bytes, at);
    if bytes.get(at) == Some(&end) {
        return Some(at + 1);
    }
    loop {
        if end == b'}' {
            at = after_text(bytes, after_byte(bytes, at, b'"')?)?;
            at = after_spaces(bytes, after_byte(bytes, at, b':')?);
        }
        at = after_spaces(bytes, after_value(bytes, at, depth)?);
        match bytes.get(at) {
            Some(b',') => at = after_spaces(bytes, at + 1),
            Some(byte) if *byte == end => return Some(at + 1),
            _other => return None,
        }
    }
}
