//! Pieces of JSON that are read more generously than they are written.

use phalanx_grid::Cell;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Text, borrowed where it has no escapes; numbers and truth values become their text, nothing
/// becomes "".
#[derive(Clone, Debug, Default)]
pub(super) struct LooseText<'a>(Cow<'a, str>);

impl LooseText<'_> {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn into_string(self) -> String {
        self.0.into_owned()
    }
}

/// A whole number; floats are cut, numeric text is read, anything else is 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LooseInt(pub(super) i64);

impl LooseInt {
    pub(super) fn unsigned(self) -> u32 {
        u32::try_from(self.0.max(0)).unwrap_or(u32::MAX)
    }
}

/// A truth value; anything else is false.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LooseBool(pub(super) bool);

/// `[x, y]`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LoosePoint(pub(super) Cell);

/// A list that may be missing (null).
#[derive(Clone, Debug)]
pub(super) struct Loose<T>(pub(super) Vec<T>);

impl<T> Default for Loose<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// An object whose keys are kinds of terrain.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds<'a>(pub(super) Vec<(LooseText<'a>, Loose<LoosePoint>)>);

/// Beyond this a coordinate is nonsense; it is clamped so that arithmetic on it stays exact.
const COORDINATE_MAX: i64 = 1 << 20;

pub(super) fn cell(x: LooseInt, y: LooseInt) -> Cell {
    let part = |whole: LooseInt| {
        i32::try_from(whole.0.clamp(-COORDINATE_MAX, COORDINATE_MAX)).unwrap_or_default()
    };
    Cell::new(part(x), part(y))
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = LooseText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<LooseText<'de>, E> {
        Ok(LooseText(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<LooseText<'de>, E> {
        Ok(LooseText(Cow::Owned(text.to_owned())))
    }

    fn visit_i64<E>(self, int: i64) -> Result<LooseText<'de>, E> {
        Ok(LooseText(Cow::Owned(int.to_string())))
    }

    fn visit_u64<E>(self, int: u64) -> Result<LooseText<'de>, E> {
        Ok(LooseText(Cow::Owned(int.to_string())))
    }

    fn visit_f64<E>(self, num: f64) -> Result<LooseText<'de>, E> {
        Ok(LooseText(Cow::Owned(num.to_string())))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<LooseText<'de>, E> {
        Ok(LooseText(Cow::Borrowed(if flag { "true" } else { "false" })))
    }

    fn visit_unit<E>(self) -> Result<LooseText<'de>, E> {
        Ok(LooseText::default())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for LooseText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct WholeVisitor;

impl<'de> Visitor<'de> for WholeVisitor {
    type Value = LooseInt;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E>(self, int: i64) -> Result<LooseInt, E> {
        Ok(LooseInt(int))
    }

    fn visit_u64<E>(self, int: u64) -> Result<LooseInt, E> {
        Ok(LooseInt(i64::try_from(int).unwrap_or(i64::MAX)))
    }

    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, NaN becomes 0")]
    fn visit_f64<E>(self, num: f64) -> Result<LooseInt, E> {
        Ok(LooseInt(num as i64))
    }

    fn visit_str<E>(self, text: &str) -> Result<LooseInt, E> {
        Ok(LooseInt(text.parse().unwrap_or(0)))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<LooseInt, E> {
        Ok(LooseInt(i64::from(flag)))
    }

    fn visit_unit<E>(self) -> Result<LooseInt, E> {
        Ok(LooseInt(0))
    }
}

impl<'de> Deserialize<'de> for LooseInt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

struct FlagVisitor;

impl<'de> Visitor<'de> for FlagVisitor {
    type Value = LooseBool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true or false")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<LooseBool, E> {
        Ok(LooseBool(flag))
    }

    fn visit_str<E>(self, text: &str) -> Result<LooseBool, E> {
        Ok(LooseBool(text == "true"))
    }

    fn visit_i64<E>(self, int: i64) -> Result<LooseBool, E> {
        Ok(LooseBool(int != 0))
    }

    fn visit_u64<E>(self, int: u64) -> Result<LooseBool, E> {
        Ok(LooseBool(int != 0))
    }

    fn visit_f64<E>(self, num: f64) -> Result<LooseBool, E> {
        Ok(LooseBool(num != 0.0))
    }

    fn visit_unit<E>(self) -> Result<LooseBool, E> {
        Ok(LooseBool(false))
    }
}

impl<'de> Deserialize<'de> for LooseBool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlagVisitor)
    }
}

struct PointVisitor;

impl<'de> Visitor<'de> for PointVisitor {
    type Value = LoosePoint;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[x, y]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<LoosePoint, A::Error> {
        let short = |have| serde::de::Error::invalid_length(have, &"[x, y]");
        let x: LooseInt = seq.next_element()?.ok_or_else(|| short(0))?;
        let y: LooseInt = seq.next_element()?.ok_or_else(|| short(1))?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(LoosePoint(cell(x, y)))
    }
}

impl<'de> Deserialize<'de> for LoosePoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PointVisitor)
    }
}

struct LooseVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for LooseVisitor<T> {
    type Value = Loose<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Loose<T>, A::Error> {
        // Most percepts hold 8 to 60 things: one allocation instead of four.
        let mut list = Vec::with_capacity(16);
        while let Some(item) = seq.next_element()? {
            list.push(item);
        }
        Ok(Loose(list))
    }

    fn visit_unit<E>(self) -> Result<Loose<T>, E> {
        Ok(Loose(Vec::new()))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Loose<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

struct KindsVisitor;

impl<'de> Visitor<'de> for KindsVisitor {
    type Value = Kinds<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of lists of cells")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Kinds<'de>, A::Error> {
        let mut kinds = Vec::with_capacity(2);
        while let Some(entry) = map.next_entry()? {
            kinds.push(entry);
        }
        Ok(Kinds(kinds))
    }

    fn visit_unit<E>(self) -> Result<Kinds<'de>, E> {
        Ok(Kinds::default())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Kinds<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindsVisitor)
    }
}
