//! JSON messages straight into tables of a VM.

use mlua::{Either, IntoLua, Lua, Value as LuaValue};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Pairs that are collected before their table is made, so that it has the right size at once. A
/// VM has a limited number of values that the host holds.
const PAIRS_AT_ONCE: usize = 32;

/// A message as a Lua value. The memory limit is lifted meanwhile, as in
/// [`plain::push`](phalanx_luau::plain::push); messages are bounded by their bytes.
///
/// # Errors
/// When the bytes are not JSON, or when there is no memory.
pub(crate) fn push(lua: &Lua, bytes: &[u8]) -> mlua::Result<LuaValue> {
    let limit = lua.set_memory_limit(0)?;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let pushed = Push(lua).deserialize(&mut reader).and_then(|part| {
        reader.end()?;
        Ok(part)
    });
    lua.set_memory_limit(limit)?;
    let part = pushed.map_err(|error| mlua::Error::DeserializeError(error.to_string()))?;
    part.into_lua(lua)
}

/// A text goes into its table directly: a value that the host holds costs more.
/// A text with escapes is not in the message as it is, so the host makes it.
type Part<'message> = Either<&'message str, LuaValue>;

#[derive(Clone, Copy)]
struct Push<'lua>(&'lua Lua);

impl<'de> DeserializeSeed<'de> for Push<'_> {
    type Value = Part<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Part<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Push<'_> {
    type Value = Part<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Part<'de>, E> {
        Ok(Either::Right(LuaValue::Nil))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Part<'de>, E> {
        Ok(Either::Right(LuaValue::Boolean(flag)))
    }

    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    fn visit_i64<E: Error>(self, int: i64) -> Result<Part<'de>, E> {
        self.visit_f64(int as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    fn visit_u64<E: Error>(self, int: u64) -> Result<Part<'de>, E> {
        self.visit_f64(int as f64)
    }

    fn visit_f64<E: Error>(self, num: f64) -> Result<Part<'de>, E> {
        Ok(Either::Right(LuaValue::Number(num)))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Part<'de>, E> {
        Ok(Either::Left(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Part<'de>, E> {
        self.0
            .create_string(text)
            .map(|text| Either::Right(LuaValue::String(text)))
            .map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Part<'de>, A::Error> {
        let mut failed = None;
        let items = std::iter::from_fn(|| match items.next_element_seed(self) {
            // A hole would end the list for scripts.
            Ok(Some(Either::Right(LuaValue::Nil))) => Some(Either::Right(LuaValue::Boolean(false))),
            Ok(item) => item,
            Err(error) => {
                failed = Some(error);
                None
            }
        });
        let table = self.0.create_sequence_from(items).map_err(A::Error::custom)?;
        failed.map_or(Ok(Either::Right(LuaValue::Table(table))), Err)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Part<'de>, A::Error> {
        let mut first = Vec::new();
        while first.len() < PAIRS_AT_ONCE
            && let Some(key) = pairs.next_key_seed(self)?
        {
            first.push((key, pairs.next_value_seed(self)?));
        }
        let is_all = first.len() < PAIRS_AT_ONCE;
        let table = self.0.create_table_from(first).map_err(A::Error::custom)?;
        while !is_all && let Some(key) = pairs.next_key_seed(self)? {
            table.raw_set(key, pairs.next_value_seed(self)?).map_err(A::Error::custom)?;
        }
        Ok(Either::Right(LuaValue::Table(table)))
    }
}
