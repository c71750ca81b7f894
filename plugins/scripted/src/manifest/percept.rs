//! Where a message has a percept, and how its fields are called there.

use super::leak::leak_text;
use super::read::{Mistakes, Section};
use super::Encoding;
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
    /// A whole percept may be without it.
    pub(crate) is_optional: bool,
}

/// What becomes of a field of a message.
pub(crate) enum Taken {
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
    pub(crate) fn take(&self, key: &str) -> Taken {
        match self.fields.iter().find(|field| field.from == key) {
            Some(field) => Taken::As(*field),
            None if self.fields.iter().any(|field| field.name == key) => Taken::Hidden,
            None => Taken::Undeclared,
        }
    }
}

/// What a field's own section says about messages.
#[derive(Clone, Debug)]
pub(super) struct Named {
    from: Option<(&'static str, Range<usize>)>,
    is_optional: bool,
}

/// The keys `from` and `optional` of a field.
pub(super) fn named(field: &Section<'_, '_>) -> Named {
    let from = field.text("from").map(|(text, span)| (leak_text(text), span));
    Named { from, is_optional: field.flag("optional", false) }
}

/// The key `percept` of the transport, with the fields of the percept.
pub(super) fn form(
    wire: &Section<'_, '_>,
    encoding: Encoding,
    (docs, named): (&'static [FieldDoc], Vec<Named>),
    mistakes: &Mistakes<'_>,
) -> Option<PerceptForm> {
    let Some((text, span)) = wire.text("percept") else {
        for (_, span) in named.into_iter().filter_map(|named| named.from) {
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
    for (doc, Named { from, is_optional }) in docs.iter().zip(named) {
        let span = from.as_ref().map_or(span.clone(), |(_, span)| span.clone());
        let from = from.map_or(doc.name, |(from, _)| from);
        if let Some(other) = fields.iter().find(|other| other.from == from) {
            let what = format!(
                "{from:?} of a message would be both {} and {}: give one of them another from",
                other.name, doc.name
            );
            mistakes.add(&span, what);
        }
        fields.push(PerceptField { name: doc.name, kind: doc.kind, from, is_optional });
    }
    Some(PerceptForm { path: path.into(), fields: fields.into() })
}
