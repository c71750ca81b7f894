//! A list of tables as a list of each of their fields, straight from JSON: a table of the VM for each
//! item would cost more than all the rest.

use super::Name;
use mlua::{Either, Lua, LuaString, Value as LuaValue};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Bytes of a text for each field of an item, about.
const CELL_BYTES: usize = 12;

/// A field of an item.
#[derive(Clone, Debug, PartialEq)]
enum Cell<'de> {
    /// The item does not have it.
    Absent,
    Bool(bool),
    Num(f64),
    Text(Cow<'de, str>),
    /// A list or a table.
    Nested,
}

/// A list of each name, of all items of a JSON list; `None`: it is no list of tables with plain
/// fields. `is_cells`: an item may be a pair, which is x and y.
pub(crate) fn columns(
    lua: &Lua,
    text: &[u8],
    names: &[LuaString],
    is_cells: bool,
) -> mlua::Result<Option<Vec<LuaValue>>> {
    let Ok(text) = std::str::from_utf8(text) else { return Ok(None) };
    let shown = names.iter().map(LuaString::to_str).collect::<mlua::Result<Vec<_>>>()?;
    let shown: Vec<&str> = shown.iter().map(|name| &**name).collect();
    let rows = Vec::with_capacity(text.len() / CELL_BYTES);
    let mut reader = serde_json::Deserializer::from_str(text);
    let Ok(rows) = (Rows { names: &shown, is_cells, rows }).deserialize(&mut reader) else {
        return Ok(None);
    };
    if rows.contains(&Cell::Nested) {
        return Ok(None);
    }
    let column = |index: usize| {
        let cells = rows.iter().skip(index).step_by(names.len());
        // A hole would end the list.
        let values = cells.map(|cell| match cell {
            Cell::Text(text) => Either::Left(text.as_ref()),
            Cell::Num(num) => Either::Right(LuaValue::Number(*num)),
            Cell::Bool(flag) => Either::Right(LuaValue::Boolean(*flag)),
            Cell::Absent | Cell::Nested => Either::Right(LuaValue::Boolean(false)),
        });
        lua.create_sequence_from(values).map(LuaValue::Table)
    };
    (0..names.len()).map(column).collect::<mlua::Result<_>>().map(Some)
}

/// All items, one behind the other.
struct Rows<'a, 'de> {
    names: &'a [&'a str],
    is_cells: bool,
    rows: Vec<Cell<'de>>,
}

impl<'de> DeserializeSeed<'de> for Rows<'_, 'de> {
    type Value = Vec<Cell<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_, 'de> {
    type Value = Vec<Cell<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let Self { names, is_cells, mut rows } = self;
        let mut order = Vec::new();
        while {
            let row = Row { names, is_cells, rows: &mut rows, order: &mut order };
            items.next_element_seed(row)?.is_some()
        } {}
        Ok(rows)
    }
}

/// One item.
struct Row<'a, 'de> {
    names: &'a [&'a str],
    is_cells: bool,
    rows: &'a mut Vec<Cell<'de>>,
    /// Which name each field of the item before was: items of a list are much alike.
    order: &'a mut Vec<Option<usize>>,
}

impl<'de> DeserializeSeed<'de> for Row<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Row<'_, 'de> {
    fn set(rows: &mut [Cell<'de>], start: usize, index: usize, cell: Cell<'de>) {
        if let Some(place) = rows.get_mut(start + index) {
            *place = cell;
        }
    }
}

impl<'de> Visitor<'de> for Row<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<(), A::Error> {
        let Self { names, rows, order, .. } = self;
        let start = rows.len();
        rows.resize(start + names.len(), Cell::Absent);
        let mut place = 0;
        loop {
            let guess = order.get(place).copied().flatten();
            let find = |key: &str| match guess {
                Some(index) if names.get(index) == Some(&key) => Some(index),
                _other => names.iter().position(|name| *name == key),
            };
            let Some(index) = pairs.next_key_seed(Name(&find))? else { return Ok(()) };
            match order.get_mut(place) {
                Some(known) => *known = index,
                None => order.push(index),
            }
            place += 1;
            match index {
                Some(index) => {
                    let cell = pairs.next_value_seed(OneCell)?;
                    Self::set(rows, start, index, cell);
                }
                None => {
                    pairs.next_value::<IgnoredAny>()?;
                }
            }
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        if !self.is_cells {
            return Err(A::Error::custom("a list among tables"));
        }
        let start = self.rows.len();
        self.rows.resize(start + self.names.len(), Cell::Absent);
        for axis in ["x", "y"] {
            let cell = items.next_element_seed(OneCell)?;
            let Some(cell @ Cell::Num(_)) = cell else { return Err(A::Error::custom("no cell")) };
            if let Some(index) = self.names.iter().position(|name| *name == axis) {
                Self::set(self.rows, start, index, cell);
            }
        }
        match items.next_element::<IgnoredAny>()? {
            Some(_) => Err(A::Error::custom("no cell")),
            None => Ok(()),
        }
    }
}

struct OneCell;

impl<'de> DeserializeSeed<'de> for OneCell {
    type Value = Cell<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cell<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OneCell {
    type Value = Cell<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Cell<'de>, E> {
        Ok(Cell::Absent)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Cell<'de>, E> {
        Ok(Cell::Bool(flag))
    }

    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    fn visit_i64<E: Error>(self, int: i64) -> Result<Cell<'de>, E> {
        Ok(Cell::Num(int as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    fn visit_u64<E: Error>(self, int: u64) -> Result<Cell<'de>, E> {
        Ok(Cell::Num(int as f64))
    }

    fn visit_f64<E: Error>(self, num: f64) -> Result<Cell<'de>, E> {
        // A negative zero would be another text.
        Ok(Cell::Num(num + 0.0))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Cell<'de>, E> {
        Ok(Cell::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cell<'de>, E> {
        Ok(Cell::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Cell<'de>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Cell::Nested)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Cell<'de>, A::Error> {
        while pairs.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Nested)
    }
}
