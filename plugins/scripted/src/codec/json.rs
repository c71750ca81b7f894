//! JSON messages straight into tables of a VM. The percept of a message stays with the host, if the
//! manifest says where it is.

use crate::manifest::PerceptForm;
use crate::percept::{self, PerceptTables};
use crate::scan::{DEPTH_MAX, Scanner};
use mlua::{Either, IntoLua, Lua, Table, Value as LuaValue};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Pairs that are collected before their table is made, so that it has the right size at once. A
/// VM has a limited number of values that the host holds.
const PAIRS_AT_ONCE: usize = 32;
/// Pairs of most objects.
const PAIRS_USUAL: usize = 8;

/// A message as a Lua value. The memory limit is lifted meanwhile, as in
/// [`plain::push`](phalanx_luau::plain::push); messages are bounded by their bytes.
///
/// # Errors
/// When the bytes are not JSON, or when there is no memory.
pub(crate) fn push(
    lua: &Lua,
    message: &Arc<[u8]>,
    percepts: &PerceptTables,
) -> mlua::Result<LuaValue> {
    let limit = lua.set_memory_limit(0)?;
    let path = percepts.form.as_ref().map(PerceptForm::path);
    let seed = Push { lua, message, percepts, path };
    // A text that is checked as a whole is not checked again text by text.
    let pushed = match std::str::from_utf8(message) {
        Ok(text) => match seed.scanned_message(text) {
            Some(part) => Ok(part),
            None => read(seed, serde_json::Deserializer::from_str(text)),
        },
        Err(_) => read(seed, serde_json::Deserializer::from_slice(message)),
    };
    lua.set_memory_limit(limit)?;
    let part = pushed.map_err(|error| mlua::Error::DeserializeError(error.to_string()))?;
    part.into_lua(lua)
}

fn read<'de, R: serde_json::de::Read<'de>>(
    seed: Push<'_>,
    mut reader: serde_json::Deserializer<R>,
) -> serde_json::Result<Part<'de>> {
    let part = seed.deserialize(&mut reader)?;
    reader.end()?;
    Ok(part)
}

/// A text goes into its table directly: a value that the host holds costs more.
/// A text with escapes is not in the message as it is, so the host makes it.
type Part<'message> = Either<&'message str, LuaValue>;

#[derive(Clone, Copy)]
struct Push<'lua> {
    lua: &'lua Lua,
    message: &'lua Arc<[u8]>,
    percepts: &'lua PerceptTables,
    /// The names that lead from here to the percept; `None`: it is not in here.
    path: Option<&'lua [String]>,
}

impl<'lua> Push<'lua> {
    /// The same for what is under a key.
    fn under(self, key: &Part<'_>) -> Self {
        let path = self.path.and_then(|path| {
            let (first, rest) = path.split_first()?;
            let is_on_way = match key {
                Either::Left(key) => key == first,
                Either::Right(key) => key.as_string().is_some_and(|key| *key == first.as_str()),
            };
            is_on_way.then_some(rest)
        });
        Self { path, ..self }
    }

    /// The percept, if it is here.
    fn form(self) -> Option<&'lua PerceptForm> {
        self.percepts.form.as_ref().filter(|_| self.path.is_some_and(<[String]>::is_empty))
    }
}

impl Push<'_> {
    /// With the scanner, which reads most messages; `None`: it cannot read this one, or there is no
    /// memory.
    fn scanned_message<'text>(self, text: &'text str) -> Option<Part<'text>> {
        let mut scanner = Scanner::new(text);
        let part = self.scanned(&mut scanner, DEPTH_MAX)?;
        scanner.is_done().then_some(part)
    }

    fn scanned<'text>(self, scanner: &mut Scanner<'text>, depth: usize) -> Option<Part<'text>> {
        Some(match scanner.peek()? {
            b'"' => self.text(scanner.string()?)?,
            b'{' => Either::Right(LuaValue::Table(self.scanned_map(scanner, depth)?)),
            b'[' => Either::Right(LuaValue::Table(self.scanned_list(scanner, depth)?)),
            b't' => scanner.word("true").map(|()| Either::Right(LuaValue::Boolean(true)))?,
            b'f' => scanner.word("false").map(|()| Either::Right(LuaValue::Boolean(false)))?,
            b'n' => scanner.word("null").map(|()| Either::Right(LuaValue::Nil))?,
            _number => Either::Right(LuaValue::Number(scanner.number()?)),
        })
    }

    fn scanned_list(self, scanner: &mut Scanner<'_>, depth: usize) -> Option<Table> {
        let depth = depth.checked_sub(1)?;
        scanner.expect(b'[')?;
        if scanner.take(b']') {
            return self.lua.create_table().ok();
        }
        let item = Self { path: None, ..self };
        let (mut is_whole, mut is_last) = (true, false);
        let items = std::iter::from_fn(|| {
            if is_last {
                return None;
            }
            let Some(part) = item.scanned(scanner, depth) else {
                is_whole = false;
                return None;
            };
            if !scanner.take(b',') {
                is_whole = scanner.take(b']');
                is_last = true;
            }
            // A hole would end the list for scripts.
            let is_nil = matches!(part, Either::Right(LuaValue::Nil));
            Some(if is_nil { Either::Right(LuaValue::Boolean(false)) } else { part })
        });
        let table = self.lua.create_sequence_from(items).ok()?;
        is_whole.then_some(table)
    }

    fn scanned_map(self, scanner: &mut Scanner<'_>, depth: usize) -> Option<Table> {
        let depth = depth.checked_sub(1)?;
        if let Some(form) = self.form() {
            let fields = percept::scanned(form, self.message, scanner)?;
            return self.percepts.lazy(self.lua, fields).ok();
        }
        scanner.expect(b'{')?;
        let mut first = Vec::with_capacity(PAIRS_USUAL);
        let mut is_last = scanner.take(b'}');
        let mut pair = |is_last: &mut bool| {
            let key = self.text(scanner.string()?)?;
            scanner.expect(b':')?;
            let part = self.under(&key).scanned(scanner, depth)?;
            if !scanner.take(b',') {
                scanner.expect(b'}')?;
                *is_last = true;
            }
            Some((key, part))
        };
        while !is_last && first.len() < PAIRS_AT_ONCE {
            first.push(pair(&mut is_last)?);
        }
        let table = self.lua.create_table_from(first).ok()?;
        while !is_last {
            let (key, part) = pair(&mut is_last)?;
            table.raw_set(key, part).ok()?;
        }
        Some(table)
    }

    fn text(self, text: Cow<'_, str>) -> Option<Part<'_>> {
        match text {
            Cow::Borrowed(text) => Some(Either::Left(text)),
            Cow::Owned(text) => self.visit_str::<serde_json::Error>(&text).ok(),
        }
    }
}

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
        self.lua
            .create_string(text)
            .map(|text| Either::Right(LuaValue::String(text)))
            .map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Part<'de>, A::Error> {
        let mut failed = None;
        let item = Self { path: None, ..self };
        let items = std::iter::from_fn(|| match items.next_element_seed(item) {
            // A hole would end the list for scripts.
            Ok(Some(Either::Right(LuaValue::Nil))) => Some(Either::Right(LuaValue::Boolean(false))),
            Ok(item) => item,
            Err(error) => {
                failed = Some(error);
                None
            }
        });
        let table = self.lua.create_sequence_from(items).map_err(A::Error::custom)?;
        failed.map_or(Ok(Either::Right(LuaValue::Table(table))), Err)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Part<'de>, A::Error> {
        if let Some(form) = self.form() {
            let fields = percept::fields(form, self.message, pairs)?;
            let table = self.percepts.lazy(self.lua, fields).map_err(A::Error::custom)?;
            return Ok(Either::Right(LuaValue::Table(table)));
        }
        let name = Self { path: None, ..self };
        let mut first = Vec::new();
        while first.len() < PAIRS_AT_ONCE
            && let Some(key) = pairs.next_key_seed(name)?
        {
            let item = self.under(&key);
            first.push((key, pairs.next_value_seed(item)?));
        }
        let is_all = first.len() < PAIRS_AT_ONCE;
        let table = self.lua.create_table_from(first).map_err(A::Error::custom)?;
        while !is_all && let Some(key) = pairs.next_key_seed(name)? {
            let item = self.under(&key);
            table.raw_set(key, pairs.next_value_seed(item)?).map_err(A::Error::custom)?;
        }
        Ok(Either::Right(LuaValue::Table(table)))
    }
}
