//! A list of tables as a list of each of their fields, straight from JSON: a table of the VM for each
//! item would cost more than all the rest.
//!
//! Only what most lists consist of is read here: tables with whole numbers, short texts and truth
//! values. Others become values first.

use crate::scan::Scanner;
use mlua::{Either, Lua, LuaString, Value as LuaValue};
use std::rc::Rc;

/// Bytes of the text of an item with two fields, about.
const ITEM_BYTES: usize = 16;

/// Items of the longest usual lists; columns of longer ones grow.
const ITEMS_USUAL: usize = 1024;

/// Texts of a column that are counted.
const TEXTS_MAX: usize = 4;
/// Times from which on it pays to keep a text of the VM.
const FREQUENT: usize = 4;

/// A field of an item.
#[derive(Clone, Copy, Debug)]
enum ItemField<'text> {
    /// The item does not have it.
    Absent,
    Bool(bool),
    Num(f64),
    Text(&'text str),
}

/// A list of each name, of all items of a JSON list; `None`: it has something else in it than simple
/// tables. `is_cells`: an item may be a pair, which is x and y.
pub(crate) fn columns(
    lua: &Lua,
    text: &[u8],
    names: &[Rc<str>],
    is_cells: bool,
) -> mlua::Result<Option<Vec<LuaValue>>> {
    let Ok(text) = std::str::from_utf8(text) else { return Ok(None) };
    let order = Vec::with_capacity(names.len());
    let most = (text.len() / ITEM_BYTES).min(ITEMS_USUAL);
    let columns = names.iter().map(|_| Vec::with_capacity(most)).collect();
    let reader = ListReader { scanner: Scanner::new(text), names, columns, order };
    let Some(columns) = reader.read(is_cells) else { return Ok(None) };
    columns.iter().map(|cells| column(lua, cells)).collect::<mlua::Result<_>>().map(Some)
}

fn column(lua: &Lua, cells: &[ItemField<'_>]) -> mlua::Result<LuaValue> {
    let frequent = frequent(lua, cells)?;
    let values = cells.iter().map(|cell| match cell {
        ItemField::Num(num) => Either::Right(LuaValue::Number(*num)),
        ItemField::Text(text) => match frequent.iter().find(|(other, _)| other == text) {
            Some((_, text)) => Either::Left(Either::Right(text)),
            None => Either::Left(Either::Left(*text)),
        },
        ItemField::Bool(flag) => Either::Right(LuaValue::Boolean(*flag)),
        // A hole would end the list.
        ItemField::Absent => Either::Right(LuaValue::Boolean(false)),
    });
    lua.create_sequence_from(values).map(LuaValue::Table)
}

/// Texts that a column has several times. The VM looks for each text that it gets among all of its
/// texts; one that it has is only copied.
fn frequent<'text>(
    lua: &Lua,
    cells: &[ItemField<'text>],
) -> mlua::Result<Vec<(&'text str, LuaString)>> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for cell in cells {
        let ItemField::Text(text) = cell else { continue };
        if let Some((_, count)) = counts.iter_mut().find(|(other, _)| other == text) {
            *count += 1;
        } else if counts.len() < TEXTS_MAX {
            counts.push((text, 1));
        }
    }
    let frequent = counts.into_iter().filter(|(_, count)| *count >= FREQUENT);
    frequent.map(|(text, _)| Ok((text, lua.create_string(text)?))).collect()
}

/// Reads a list of items.
struct ListReader<'text, 'names> {
    scanner: Scanner<'text>,
    names: &'names [Rc<str>],
    /// For each name the fields of all items.
    columns: Vec<Vec<ItemField<'text>>>,
    /// The fields of the item before, and which name each of them is: items of a list are much
    /// alike.
    order: Vec<(&'text str, Option<usize>)>,
}

impl<'text> ListReader<'text, '_> {
    fn read(mut self, is_cells: bool) -> Option<Vec<Vec<ItemField<'text>>>> {
        self.scanner.expect(b'[')?;
        if self.scanner.take(b']') {
            return Some(self.columns);
        }
        for items in 1.. {
            if is_cells && self.scanner.take(b'[') {
                self.pair()?;
            } else {
                self.item(items)?;
            }
            self.columns.iter_mut().for_each(|column| column.resize(items, ItemField::Absent));
            if !self.scanner.take(b',') {
                break;
            }
        }
        self.scanner.expect(b']')?;
        Some(self.columns)
    }

    /// `items`: how many they are with this one.
    fn item(&mut self, items: usize) -> Option<()> {
        self.scanner.expect(b'{')?;
        if self.scanner.take(b'}') {
            return Some(());
        }
        for place in 0.. {
            let index = self.key(place)?;
            let cell = self.cell()?;
            if let Some(index) = index {
                let column = self.columns.get_mut(index)?;
                // The last one of a name counts.
                column.truncate(items - 1);
                column.push(cell);
            }
            if !self.scanner.take(b',') {
                break;
            }
        }
        self.scanner.expect(b'}')
    }

    /// Goes over a key; which name it is.
    fn key(&mut self, place: usize) -> Option<Option<usize>> {
        if let Some((key, index)) = self.order.get(place)
            && self.scanner.take_key(key.as_bytes())
        {
            return Some(*index);
        }
        let key = self.scanner.plain_string()?;
        self.scanner.expect(b':')?;
        let index = self.names.iter().position(|name| **name == *key);
        match self.order.get_mut(place) {
            Some(known) => *known = (key, index),
            None => self.order.push((key, index)),
        }
        Some(index)
    }

    fn pair(&mut self) -> Option<()> {
        for (axis, end) in [("x", b','), ("y", b']')] {
            let cell @ ItemField::Num(_) = self.cell()? else { return None };
            if let Some(index) = self.names.iter().position(|name| **name == *axis) {
                self.columns.get_mut(index)?.push(cell);
            }
            self.scanner.expect(end)?;
        }
        Some(())
    }

    fn cell(&mut self) -> Option<ItemField<'text>> {
        match self.scanner.peek()? {
            b'"' => self.scanner.plain_string().map(ItemField::Text),
            b'-' | b'0'..=b'9' => self.scanner.whole().map(ItemField::Num),
            b't' => self.scanner.word("true").map(|()| ItemField::Bool(true)),
            b'f' => self.scanner.word("false").map(|()| ItemField::Bool(false)),
            b'n' => self.scanner.word("null").map(|()| ItemField::Absent),
            _nested => None,
        }
    }
}
