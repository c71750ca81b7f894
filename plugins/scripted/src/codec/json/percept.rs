//! The percept of a JSON message as a value of the host, with its fields under the names that the
//! manifest declares.

use crate::manifest::{PerceptForm, Taken};
use crate::percept::Field;
use phalanx_game::{FieldDoc, Kind, Value};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;

/// Most values of a percept, as many as a script may report.
const VALUES_MAX: usize = 200_000;
/// Deepest nesting of lists and tables, as in reports.
const DEPTH_MAX: usize = 32;
/// Fields among which a repeated name is looked for one by one.
const FEW: usize = 24;

/// The percept: an object whose first brace was read.
///
/// # Errors
/// When it is no JSON, or too large.
pub(super) fn read<'de, A: MapAccess<'de>>(
    form: &PerceptForm,
    mut pairs: A,
) -> Result<Vec<Field>, A::Error> {
    let left = Cell::new(VALUES_MAX);
    let mut fields = Vec::with_capacity(pairs.size_hint().unwrap_or(FEW));
    while let Some(key) = pairs.next_key_seed(Name(&|key| match form.take(key) {
        Taken::As(field) => Some((Cow::Borrowed(field.name), field.kind)),
        Taken::Undeclared => Some((Cow::Owned(key.to_owned()), Kind::Any)),
        Taken::Hidden => None,
    }))? {
        match key {
            Some((name, kind)) => {
                let seed = Read { kind, left: &left, depth: DEPTH_MAX };
                fields.push((name, pairs.next_value_seed(seed)?));
            }
            None => {
                pairs.next_value::<IgnoredAny>()?;
            }
        }
    }
    Ok(last_of_each(fields))
}

/// As in a table of a script: the last one of a name counts, and one without a value is absent.
fn last_of_each(mut pairs: Vec<Field>) -> Vec<Field> {
    let repeats = if pairs.len() <= FEW {
        let mut rest = pairs.as_slice();
        let mut repeats = false;
        while let [(name, _), more @ ..] = rest {
            repeats |= more.iter().any(|(other, _)| other == name);
            rest = more;
        }
        repeats
    } else {
        let mut names = BTreeSet::new();
        !pairs.iter().all(|(name, _)| names.insert(name.as_ref()))
    };
    if repeats {
        let mut names = BTreeSet::new();
        pairs.reverse();
        pairs.retain(|(name, _)| names.insert(name.clone()));
        pairs.reverse();
    }
    pairs.retain(|(_, value)| *value != Value::Nil);
    pairs
}

/// Looks a name up, so that a declared one needs no copy.
struct Name<'a, T>(&'a dyn Fn(&str) -> T);

impl<'de, T> DeserializeSeed<'de> for Name<'_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T> Visitor<'_> for Name<'_, T> {
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
struct Read<'a> {
    kind: Kind,
    left: &'a Cell<usize>,
    depth: usize,
}

impl Read<'_> {
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
        let axis = match self.kind {
            Kind::Cell => ["x", "y"].into_iter().find(|axis| *axis == name),
            _other => None,
        };
        let declared = self.fields().iter().find(|field| field.name == name);
        match (declared, axis) {
            (Some(field), _) => (Cow::Borrowed(field.name), field.kind),
            (None, Some(axis)) => (Cow::Borrowed(axis), Kind::Any),
            (None, None) => (Cow::Owned(name.to_owned()), Kind::Any),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Read<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.left.get().checked_sub(1).ok_or_else(|| {
            D::Error::custom(format_args!("a percept has more than {VALUES_MAX} values"))
        })?;
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Read<'_> {
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
        Ok(Value::Str(match self.kind {
            Kind::Word(words) => match words.iter().find(|word| **word == text) {
                Some(word) => Cow::Borrowed(word),
                None => Cow::Owned(text.to_owned()),
            },
            _other => Cow::Owned(text.to_owned()),
        }))
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
        Ok(match (self.kind, list.as_slice()) {
            (Kind::Cell, [x @ Value::Int(_), y @ Value::Int(_)]) => {
                Value::map([("x", x.clone()), ("y", y.clone())])
            }
            _other => Value::List(list),
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let inner = self.inner(Kind::Any)?;
        let mut fields = Vec::with_capacity(self.fields().len());
        while let Some((name, kind)) = pairs.next_key_seed(Name(&|name| self.key(name)))? {
            fields.push((name, pairs.next_value_seed(Self { kind, ..inner })?));
        }
        // As in a table of a script: an empty one is a list.
        let fields = last_of_each(fields);
        Ok(if fields.is_empty() { Value::List(Vec::new()) } else { Value::Map(fields) })
    }
}
