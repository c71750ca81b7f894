//! The percept of a JSON message, with its fields under the names that the manifest declares.

mod columns;

use super::{Field, FieldValue, Json, WHOLE};
use crate::manifest::{FieldSource, PerceptForm};
use crate::scan::Scanner;
pub(crate) use columns::columns;
use phalanx_game::sorted::SortedSet;
use phalanx_game::{FieldDoc, Kind, Value};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Most values of a percept, as many as a script may report.
const VALUES_MAX: usize = WHOLE.values;
/// Deepest nesting of lists and tables, as in reports.
const DEPTH_MAX: usize = WHOLE.depth;
/// Fields among which a repeated name is looked for one by one.
const FEW: usize = 24;

/// The fields of a percept, an object whose first brace was read. Lists and objects stay text.
///
/// # Errors
/// When it is no JSON.
pub(crate) fn fields<'de, A: MapAccess<'de>>(
    form: &PerceptForm,
    message: &Arc<[u8]>,
    mut pairs: A,
) -> Result<Vec<Field>, A::Error> {
    let mut fields = Vec::with_capacity(form.fields().len());
    while let Some(key) = pairs.next_key_seed(KeySeed(&|key| known(form, key)))? {
        let text = pairs.next_value::<&RawValue>()?.get();
        let Some(key) = key else { continue };
        fields.push(field(message, key, text).map_err(A::Error::custom)?);
    }
    Ok(present(fields))
}

/// The same with the scanner, which is at the percept of the message; `None`: it cannot read it.
pub(crate) fn scanned(
    form: &PerceptForm,
    message: &Arc<[u8]>,
    scanner: &mut Scanner<'_>,
) -> Option<Vec<Field>> {
    let mut fields = Vec::with_capacity(form.fields().len());
    scanner.expect(b'{')?;
    if scanner.take(b'}') {
        return Some(fields);
    }
    loop {
        let key = known(form, &scanner.string()?);
        scanner.expect(b':')?;
        let text = scanner.skip()?;
        if let Some(key) = key {
            fields.push(field(message, key, text).ok()?);
        }
        if !scanner.take(b',') {
            scanner.expect(b'}')?;
            return Some(present(fields));
        }
    }
}

/// The name and the type of a field.
type FieldKey = (Cow<'static, str>, Kind);

/// What a field of a message is called; `None`: it is left out.
fn known(form: &PerceptForm, key: &str) -> Option<FieldKey> {
    match form.take(key) {
        FieldSource::As(field) => Some((Cow::Borrowed(field.name), field.kind)),
        FieldSource::Undeclared => Some((Cow::Owned(key.to_owned()), Kind::Any)),
        FieldSource::Hidden => None,
    }
}

fn field(message: &Arc<[u8]>, (name, kind): FieldKey, text: &str) -> Result<Field, String> {
    let held = match (text.as_bytes(), place(message, text)) {
        ([b'[' | b'{', ..], Some(span)) => FieldValue::Json(Json::new(message, span)),
        _scalar => FieldValue::Value(value(text.as_bytes(), kind)?),
    };
    Ok(Field { name, kind, held })
}

/// As in a table of a script: the last one of a name counts, and one without a value is absent.
fn present(fields: Vec<Field>) -> Vec<Field> {
    let is_nil = |field: &Field| matches!(field.held, FieldValue::Value(Value::Nil));
    let mut fields = last_of_each(fields, |field| field.name.as_ref());
    fields.retain(|field| !is_nil(field));
    fields
}

/// Where a part of a message is in it.
fn place(message: &[u8], part: &str) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(message.as_ptr().addr())?;
    let span = start..start + part.len();
    (message.get(span.clone())? == part.as_bytes()).then_some(span)
}

/// A value that should have a type; one of another type is read as it is.
///
/// # Errors
/// When it is no JSON, or too large.
pub(super) fn value(text: &[u8], kind: Kind) -> Result<Value, String> {
    let left = Cell::new(VALUES_MAX);
    let seed = ValueSeed { kind, left: &left, depth: DEPTH_MAX };
    // A text that is checked as a whole is not checked again text by text.
    let value = match std::str::from_utf8(text) {
        Ok(text) => seed.deserialize(&mut serde_json::Deserializer::from_str(text)),
        Err(_) => seed.deserialize(&mut serde_json::Deserializer::from_slice(text)),
    };
    value.map_err(|error| format!("it cannot be read ({error})"))
}

/// As in a table of a script: the last one of a name counts.
fn last_of_each<T>(mut items: Vec<T>, name: impl Fn(&T) -> &str) -> Vec<T> {
    let repeats = if items.len() <= FEW {
        let mut rest = items.as_slice();
        let mut repeats = false;
        while let [item, more @ ..] = rest {
            repeats |= more.iter().any(|other| name(other) == name(item));
            rest = more;
        }
        repeats
    } else {
        let mut names = SortedSet::new();
        !items.iter().all(|item| names.insert(name(item)))
    };
    if repeats {
        let mut names = SortedSet::new();
        items.reverse();
        items.retain(|item| names.insert(name(item).to_owned()));
        items.reverse();
    }
    items
}

/// Looks a name up, so that a declared one needs no copy.
struct KeySeed<'a, T>(&'a dyn Fn(&str) -> T);

impl<'de, T> DeserializeSeed<'de> for KeySeed<'_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T> Visitor<'_> for KeySeed<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        Ok((self.0)(name))
    }
}

/// A value that should have a type; one of another type is read as it is.
#[derive(Clone, Copy)]
struct ValueSeed<'a> {
    kind: Kind,
    left: &'a Cell<usize>,
    depth: usize,
}

impl ValueSeed<'_> {
    fn inner<E: Error>(self, kind: Kind) -> Result<Self, E> {
        let depth = self.depth.checked_sub(1);
        let depth = depth.ok_or_else(|| {
            E::custom(format_args!("a percept is nested more than {DEPTH_MAX} times"))
        })?;
        Ok(Self { kind, depth, ..self })
    }

    fn fields(self) -> &'static [FieldDoc] {
        if let Kind::Table(fields) = self.kind { fields } else { &[] }
    }

    fn key(self, name: &str) -> (Cow<'static, str>, Kind) {
        let is_cell = matches!(self.kind, Kind::Cell);
        let axis = ["x", "y"].into_iter().find(|axis| is_cell && *axis == name);
        let declared = self.fields().iter().find(|field| field.name == name);
        match (declared, axis) {
            (Some(field), _) => (Cow::Borrowed(field.name), field.kind),
            (None, Some(axis)) => (Cow::Borrowed(axis), Kind::Any),
            (None, None) => (Cow::Owned(name.to_owned()), Kind::Any),
        }
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.left.get().checked_sub(1).ok_or_else(|| {
            D::Error::custom(format_args!("a percept has more than {VALUES_MAX} values"))
        })?;
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    fn visit_i64<E: Error>(self, int: i64) -> Result<Value, E> {
        self.visit_f64(int as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    fn visit_u64<E: Error>(self, int: u64) -> Result<Value, E> {
        self.visit_f64(int as f64)
    }

    fn visit_f64<E: Error>(self, num: f64) -> Result<Value, E> {
        Ok(Value::Num(num).as_int().map_or(Value::Num(num), Value::Int))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        let words = if let Kind::Word(words) = self.kind { words } else { &[] };
        let word = words.iter().find(|word| **word == text);
        Ok(Value::Str(
            word.map_or_else(|| Cow::Owned(text.to_owned()), |word| Cow::Borrowed(*word)),
        ))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let of = if let Kind::List(of) = self.kind { *of } else { Kind::Any };
        let inner = self.inner(of)?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            // A hole would end the list for scripts.
            list.push(if item == Value::Nil { Value::Bool(false) } else { item });
        }
        // Many protocols write a cell as a pair.
        Ok(match list.as_slice() {
            [Value::Int(x), Value::Int(y)] if matches!(self.kind, Kind::Cell) => {
                Value::map([("x", Value::Int(*x)), ("y", Value::Int(*y))])
            }
            _list => Value::List(list),
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let inner = self.inner(Kind::Any)?;
        let mut fields = Vec::with_capacity(self.fields().len());
        while let Some((name, kind)) = pairs.next_key_seed(KeySeed(&|name| self.key(name)))? {
            fields.push((name, pairs.next_value_seed(Self { kind, ..inner })?));
        }
        // As in a table of a script: an empty one is a list.
        let mut fields = last_of_each(fields, |(name, _): &(Cow<'static, str>, Value)| name);
        fields.retain(|(_, value)| *value != Value::Nil);
        Ok(if fields.is_empty() { Value::List(Vec::new()) } else { Value::Map(fields) })
    }
}
