//! Where a message has a percept, and how its fields are called there.

use super::Encoding;
use super::leak::leak_text;
use super::read::{Mistakes, Section};
use phalanx_game::{FieldDoc, Kind};
use std::ops::Range;
use std::sync::Arc;

/// Most names that lead to a percept.
const PATH_MAX: usize = 8;
/// A path to the whole message.
const WHOLE: &str = ".";

/// A percept that stays with the host: where a message has it, and what its fields are.
#[derive(Clone, Debug)]
pub struct PerceptForm {
    path: Arc<[String]>,
    fields: Arc<[PerceptField]>,
}

/// A declared field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PerceptField {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The name in messages.
    from: &'static str,
}

/// What becomes of a field of a message.
pub(crate) enum FieldSource {
    /// It is this declared field.
    As(PerceptField),
    /// It keeps its name.
    Undeclared,
    /// Its name belongs to a declared field that comes from elsewhere.
    Hidden,
}

impl PerceptForm {
    /// The names that lead to the percept of a message.
    pub(crate) fn path(&self) -> &[String] {
        &self.path
    }

    /// All declared fields.
    pub(crate) fn fields(&self) -> &[PerceptField] {
        &self.fields
    }

    /// What a field of a message is.
    pub(crate) fn take(&self, key: &str) -> FieldSource {
        match self.fields.iter().find(|field| field.from == key) {
            Some(field) => FieldSource::As(*field),
            None if self.fields.iter().any(|field| field.name == key) => FieldSource::Hidden,
            None => FieldSource::Undeclared,
        }
    }
}

/// The name of a field in messages, and its place.
pub(super) type SourceName = Option<(&'static str, Range<usize>)>;

/// The key `from` of a field.
pub(super) fn from(field: &Section<'_, '_>) -> SourceName {
    field.text("from").map(|(text, span)| (leak_text(text), span))
}

/// The key `percept` of the transport, with the fields of the percept.
pub(super) fn form(
    wire: &Section<'_, '_>,
    encoding: Encoding,
    (docs, sources): (&'static [FieldDoc], Vec<SourceName>),
    mistakes: &Mistakes<'_>,
) -> Option<PerceptForm> {
    let Some((text, span)) = wire.text("percept") else {
        for (_, span) in sources.into_iter().flatten() {
            let what = "from needs the key percept in [transport], which says where messages have \
                        the percept";
            mistakes.add(&span, what);
        }
        return None;
    };
    if encoding != Encoding::Json {
        mistakes.add(&span, "[transport] percept: only messages with encoding = \"json\" have one");
    }
    let path: Vec<String> = match text {
        WHOLE => Vec::new(),
        path => path.split('.').map(str::to_owned).collect(),
    };
    if path.len() > PATH_MAX || path.iter().any(|name| name.trim() != name || name.is_empty()) {
        let what = format!(
            "[transport] percept: expected the names of the tables that lead to it, at most \
            {PATH_MAX}, like \"content.percept\", or \".\" for the whole message; got {text:?}"
        );
        mistakes.add(&span, what);
    }
    let mut fields: Vec<PerceptField> = Vec::new();
    for (doc, from) in docs.iter().zip(sources) {
        let span = from.as_ref().map_or(span.clone(), |(_, span)| span.clone());
        let from = from.map_or(doc.name, |(from, _)| from);
        if let Some(other) = fields.iter().find(|other| other.from == from) {
            let what = format!(
                "{from:?} of a message would be both {} and {}: give one of them another from",
                other.name, doc.name
            );
            mistakes.add(&span, what);
        }
        fields.push(PerceptField { name: doc.name, kind: doc.kind, from });
    }
    Some(PerceptForm { path: path.into(), fields: fields.into() })
}
