//! What an agent perceived: plain data that a script reported, or a part of a message whose fields
//! become values when they are asked for.

mod json;
mod table;

pub(crate) use json::{columns, fields, scanned};
use phalanx_game::{Kind, Value, misfit};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
pub(crate) use table::{PerceptPart, PerceptTables, Reported, WHOLE, copied, part, reported};

/// Bytes of a JSON text for each of its values, about.
pub(crate) const VALUE_BYTES: usize = 8;

/// A percept of a game that is a folder.
#[derive(Clone, Debug)]
pub struct Percept(PerceptData);

#[derive(Clone, Debug)]
enum PerceptData {
    Plain(Arc<Value>),
    Fields(Arc<[Field]>),
}

/// A field of a percept.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Cow<'static, str>,
    pub(crate) kind: Kind,
    pub(crate) held: FieldValue,
}

/// Where a field's value is.
#[derive(Clone, Debug)]
pub(crate) enum FieldValue {
    Value(Value),
    /// Becomes a value when it is asked for.
    Json(Json),
}

/// A list or an object of a JSON message.
#[derive(Clone, Debug)]
pub(crate) struct Json {
    message: Arc<[u8]>,
    span: Range<usize>,
    /// The value, or why it cannot be used.
    read: OnceLock<Result<Value, String>>,
}

impl Json {
    pub(crate) fn new(message: &Arc<[u8]>, span: Range<usize>) -> Self {
        Self { message: Arc::clone(message), span, read: OnceLock::new() }
    }

    /// The text.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.message.get(self.span.clone()).unwrap_or_default()
    }

    fn value(&self, kind: &Kind) -> Result<&Value, &str> {
        let read = self.read.get_or_init(|| json::value(self.bytes(), *kind));
        read.as_ref().map_err(String::as_str)
    }

    /// The value, if it was asked for.
    fn known(&self) -> Option<&Value> {
        self.read.get()?.as_ref().ok()
    }
}

impl Field {
    /// A field that a script wrote.
    pub(crate) fn written((name, value): (Cow<'static, str>, Value)) -> Self {
        Self { name, kind: Kind::Any, held: FieldValue::Value(value) }
    }

    /// The value.
    ///
    /// # Errors
    /// Why the message's text of it cannot be read.
    pub(crate) fn value(&self) -> Result<&Value, &str> {
        match &self.held {
            FieldValue::Value(value) => Ok(value),
            FieldValue::Json(json) => json.value(&self.kind),
        }
    }

    /// The value, if nothing is to be read for it.
    fn known(&self) -> Option<&Value> {
        match &self.held {
            FieldValue::Value(value) => Some(value),
            FieldValue::Json(json) => json.known(),
        }
    }

    /// How many values it is, about.
    pub(crate) fn weight(&self) -> usize {
        match &self.held {
            FieldValue::Value(value) => weight(value),
            FieldValue::Json(json) => 1 + json.span.len() / VALUE_BYTES,
        }
    }
}

impl From<Value> for Percept {
    fn from(value: Value) -> Self {
        Self(PerceptData::Plain(Arc::new(value)))
    }
}

impl Percept {
    pub(crate) fn of_fields(fields: impl Into<Arc<[Field]>>) -> Self {
        Self(PerceptData::Fields(fields.into()))
    }

    /// The fields, if the percept is a part of a message.
    pub(crate) fn fields(&self) -> Option<&Arc<[Field]>> {
        if let PerceptData::Fields(fields) = &self.0 { Some(fields) } else { None }
    }

    /// The data that a script reported.
    pub(crate) fn plain(&self) -> Option<&Value> {
        if let PerceptData::Plain(value) = &self.0 { Some(value) } else { None }
    }

    /// A field; `None` without one, and when it cannot be read.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        match &self.0 {
            PerceptData::Plain(value) => value.get(name),
            PerceptData::Fields(fields) => {
                fields.iter().find(|field| field.name == name)?.value().ok()
            }
        }
    }

    /// Whether all fields that were read have the types that the manifest declares, so that there is
    /// nothing to look for. False where only a look at each field shows it.
    pub(crate) fn fits(&self) -> bool {
        let PerceptData::Fields(fields) = &self.0 else { return false };
        fields.iter().all(|field| {
            if let FieldValue::Json(Json { read, .. }) = &field.held
                && read.get().is_none()
            {
                return true;
            }
            let is_declared = !matches!(field.kind, Kind::Any);
            is_declared && field.known().is_some_and(|value| misfit(&field.kind, value).is_none())
        })
    }

    /// What is wrong with a field of this type: a value of another one, or a text that cannot be
    /// read. A field that was not asked for is not looked at.
    pub(crate) fn misfit(&self, name: &str, kind: &Kind) -> Option<String> {
        let known = match &self.0 {
            PerceptData::Plain(value) => value.get(name),
            PerceptData::Fields(fields) => {
                let field = fields.iter().find(|field| field.name == name)?;
                if let FieldValue::Json(Json { read, .. }) = &field.held
                    && let Some(Err(problem)) = read.get()
                {
                    return Some(problem.clone());
                }
                field.known()
            }
        };
        misfit(kind, known?)
    }

    /// How many values it is, about.
    pub(crate) fn weight(&self) -> usize {
        match &self.0 {
            PerceptData::Plain(value) => weight(value),
            PerceptData::Fields(fields) => fields.iter().map(Field::weight).sum(),
        }
    }
}

/// How many values a value is.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::List(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Map(pairs) => 1 + pairs.iter().map(|(_, item)| weight(item)).sum::<usize>(),
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Num(_) | Value::Str(_) => 1,
    }
}
