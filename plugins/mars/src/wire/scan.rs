//! Elements and attributes of one document, within limits.

use super::{ATTRIBUTES_MAX, DEPTH_MAX};
use phalanx_game::ProtocolError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use smol_str::SmolStr;
use std::borrow::Cow;

/// How much is forgiven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// What can be read is read.
    Lenient,
    /// What the original referee's parser refuses is refused.
    Strict,
}

/// Walks through a document.
pub(super) struct Scanner<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    manner: Manner,
    /// Where the current piece begins.
    at: usize,
    depth: usize,
    /// The root element has begun.
    rooted: bool,
}

/// A piece of a document.
pub(super) enum XmlNode<'a> {
    /// An element begins.
    Open(Tag<'a>),
    /// An element that had content ends.
    Close,
}

/// The beginning of an element.
pub(super) struct Tag<'a> {
    start: BytesStart<'a>,
    text: &'a str,
    at: usize,
    manner: Manner,
    /// It has no content and no end of its own.
    pub(super) empty: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, manner: Manner) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_comments = manner == Manner::Strict;
        Self { text, reader, manner, at: 0, depth: 0, rooted: false }
    }

    /// The next beginning or end of an element; `None` after the document's end.
    pub(super) fn next(&mut self) -> Result<Option<XmlNode<'a>>, ProtocolError> {
        loop {
            self.at = position(self.reader.buffer_position());
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => {
                    self.at = position(self.reader.error_position()).max(self.at);
                    return Err(self.wrong(&format!("well-formed XML ({error})")));
                }
            };
            match event {
                Event::Start(start) => return self.open(start, false).map(Some),
                Event::Empty(start) => return self.open(start, true).map(Some),
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Some(XmlNode::Close));
                }
                Event::Eof => return self.end(),
                Event::Text(text) if self.depth > 0 || text.trim().is_empty() => {}
                Event::CData(_) if self.depth > 0 => {}
                Event::GeneralRef(name) if self.depth > 0 && known_reference(&name) => {}
                Event::Text(_) | Event::CData(_) => {
                    return Err(self.wrong("no text outside the root element"));
                }
                Event::GeneralRef(_) => {
                    return Err(self.wrong("only the predefined entities of XML"));
                }
                Event::Decl(_) if self.at > 0 && self.manner == Manner::Strict => {
                    return Err(self.wrong("the XML declaration first of all"));
                }
                Event::DocType(_) => return Err(self.wrong("no document type")),
                Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
            }
        }
    }

    fn open(&mut self, start: BytesStart<'a>, empty: bool) -> Result<XmlNode<'a>, ProtocolError> {
        if self.depth == 0 && std::mem::replace(&mut self.rooted, true) {
            return Err(self.wrong("one root element"));
        }
        self.depth += usize::from(!empty);
        if self.depth > DEPTH_MAX {
            return Err(self.wrong(&format!("at most {DEPTH_MAX} elements inside each other")));
        }
        let (text, at, manner) = (self.text, self.at, self.manner);
        let tag = Tag { start, text, at, manner, empty };
        if manner == Manner::Strict {
            tag.each(|_, _| {})?;
        }
        Ok(XmlNode::Open(tag))
    }

    fn end(&self) -> Result<Option<XmlNode<'a>>, ProtocolError> {
        if !self.rooted {
            return Err(self.wrong("an XML document"));
        }
        if self.depth > 0 {
            return Err(self.wrong(&format!("the ends of {} elements", self.depth)));
        }
        Ok(None)
    }

    /// An error about the current piece.
    pub(super) fn wrong(&self, expected: &str) -> ProtocolError {
        wrong(self.text, self.at, expected)
    }
}

impl Tag<'_> {
    /// The element's name.
    pub(super) fn name(&self) -> &str {
        self.start.name().0
    }

    /// Shows every attribute; when one comes twice the last one counts.
    pub(super) fn each(&self, mut show: impl FnMut(&str, &str)) -> Result<(), ProtocolError> {
        let mut attributes = self.start.attributes();
        attributes.with_checks(self.manner == Manner::Strict);
        let mut count = 0;
        for attribute in attributes {
            let attribute = attribute.map_err(|error| self.wrong(&error.to_string()))?;
            count += 1;
            if count > ATTRIBUTES_MAX {
                return Err(self.wrong(&format!("at most {ATTRIBUTES_MAX} attributes")));
            }
            // Nearly every value has no escapes, and calling the library costs more than reading.
            if attribute.value.bytes().all(|byte| byte > b' ' && byte != b'&') {
                show(attribute.key.0, &attribute.value);
                continue;
            }
            let value = attribute
                .normalized_value(XmlVersion::Explicit1_0)
                .map_err(|error| self.wrong(&error.to_string()))?;
            show(attribute.key.0, &value);
        }
        Ok(())
    }

    /// An error about this element.
    pub(super) fn wrong(&self, expected: &str) -> ProtocolError {
        wrong(self.text, self.at, expected)
    }
}

/// The text of a frame; a strict reader wants UTF-8.
pub(super) fn text(frame: &[u8], manner: Manner) -> Result<Cow<'_, str>, ProtocolError> {
    match std::str::from_utf8(frame) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) if manner == Manner::Lenient => Ok(String::from_utf8_lossy(frame)),
        Err(error) => {
            let at = error.valid_up_to();
            let got = frame.get(at..).unwrap_or_default();
            Err(ProtocolError::new(format!("a message, byte {at}"), "UTF-8", got))
        }
    }
}

/// The whole number in an attribute; what is none or too large is not there.
pub(super) fn number<T: std::str::FromStr>(value: &str) -> Option<T> {
    value.trim().parse().ok()
}

/// A name in an attribute.
pub(super) fn name(value: &str) -> SmolStr {
    SmolStr::new(value)
}

/// Whether a reference in a text means a character without any declaration.
fn known_reference(name: &str) -> bool {
    name.starts_with('#') || matches!(name, "lt" | "gt" | "amp" | "apos" | "quot")
}

fn wrong(text: &str, at: usize, expected: &str) -> ProtocolError {
    let got = text.as_bytes().get(at..).unwrap_or_default();
    let got: &[u8] = if got.is_empty() { b"the end" } else { got };
    ProtocolError::new(format!("a message, byte {at}"), expected, got)
}

fn position(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
