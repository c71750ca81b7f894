//! A list of tables as a list of each of their fields, straight from JSON: a table of the VM for each
//! item would cost more than all the rest.
//!
//! Only what most lists consist of is read here: tables with whole numbers, short texts and truth
//! values. Others become values first.

use mlua::{Either, Lua, Value as LuaValue};

/// Bytes of a text for each field of an item, about.
const CELL_BYTES: usize = 12;
/// Digits of a number that a script's numbers hold for certain.
const DIGITS_MAX: usize = 15;

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
    names: &[String],
    is_cells: bool,
) -> mlua::Result<Option<Vec<LuaValue>>> {
    let Ok(text) = std::str::from_utf8(text) else { return Ok(None) };
    let rows = Vec::with_capacity(text.len() / CELL_BYTES);
    let table = ListReader { text, at: 0, names, rows, order: Vec::new() };
    let Some(rows) = table.read(is_cells) else { return Ok(None) };
    let column = |index: usize| {
        let cells = rows.iter().skip(index).step_by(names.len());
        let values = cells.map(|cell| match cell {
            ItemField::Text(text) => Either::Left(*text),
            ItemField::Num(num) => Either::Right(LuaValue::Number(*num)),
            ItemField::Bool(flag) => Either::Right(LuaValue::Boolean(*flag)),
            // A hole would end the list.
            ItemField::Absent => Either::Right(LuaValue::Boolean(false)),
        });
        lua.create_sequence_from(values).map(LuaValue::Table)
    };
    (0..names.len()).map(column).collect::<mlua::Result<_>>().map(Some)
}

/// Reads a list of items.
struct ListReader<'text, 'names> {
    text: &'text str,
    at: usize,
    names: &'names [String],
    /// The cells of all items, one behind the other.
    rows: Vec<ItemField<'text>>,
    /// Which name each field of the item before was: items of a list are much alike.
    order: Vec<Option<usize>>,
}

impl<'text> ListReader<'text, '_> {
    fn read(mut self, is_cells: bool) -> Option<Vec<ItemField<'text>>> {
        self.expect(b'[')?;
        if self.take(b']') {
            return Some(self.rows);
        }
        loop {
            let start = self.rows.len();
            self.rows.resize(start + self.names.len(), ItemField::Absent);
            if is_cells && self.take(b'[') {
                self.pair(start)?;
            } else {
                self.item(start)?;
            }
            if !self.take(b',') {
                self.expect(b']')?;
                return Some(self.rows);
            }
        }
    }

    fn item(&mut self, start: usize) -> Option<()> {
        self.expect(b'{')?;
        if self.take(b'}') {
            return Some(());
        }
        for place in 0.. {
            let key = self.string()?;
            self.expect(b':')?;
            let cell = self.cell()?;
            if let Some(index) = self.index(place, key) {
                *self.rows.get_mut(start + index)? = cell;
            }
            if !self.take(b',') {
                break;
            }
        }
        self.expect(b'}')
    }

    /// Which name a key is.
    fn index(&mut self, place: usize, key: &str) -> Option<usize> {
        let guess = self.order.get(place).copied().flatten();
        if guess.is_some_and(|index| self.names.get(index).is_some_and(|name| name == key)) {
            return guess;
        }
        let index = self.names.iter().position(|name| name == key);
        match self.order.get_mut(place) {
            Some(known) => *known = index,
            None => self.order.push(index),
        }
        index
    }

    fn pair(&mut self, start: usize) -> Option<()> {
        for (axis, end) in [("x", b','), ("y", b']')] {
            let cell @ ItemField::Num(_) = self.cell()? else { return None };
            if let Some(index) = self.names.iter().position(|name| name == axis) {
                *self.rows.get_mut(start + index)? = cell;
            }
            self.expect(end)?;
        }
        Some(())
    }

    fn cell(&mut self) -> Option<ItemField<'text>> {
        match self.next()? {
            b'"' => self.string().map(ItemField::Text),
            b'-' | b'0'..=b'9' => self.whole().map(ItemField::Num),
            b't' => self.word("true").map(|()| ItemField::Bool(true)),
            b'f' => self.word("false").map(|()| ItemField::Bool(false)),
            b'n' => self.word("null").map(|()| ItemField::Absent),
            _nested => None,
        }
    }

    /// A text without escapes.
    fn string(&mut self) -> Option<&'text str> {
        self.expect(b'"')?;
        let rest = self.text.get(self.at..)?;
        let length = rest.bytes().position(|byte| byte == b'"' || byte == b'\\')?;
        let text = rest.get(..length)?;
        self.at += length;
        self.expect(b'"')?;
        Some(text)
    }

    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    fn whole(&mut self) -> Option<f64> {
        let rest = self.text.get(self.at..)?;
        let is_of_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        let length = rest.bytes().position(|byte| !is_of_number(byte))?;
        self.at += length;
        let number = rest.get(..length)?;
        (length <= DIGITS_MAX).then_some(number.parse::<i64>().ok()? as f64)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let is_here = self.text.get(self.at..)?.starts_with(word);
        self.at += word.len();
        is_here.then_some(())
    }

    /// The next byte that is no space.
    fn next(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let spaces = rest.iter().position(|byte| !b" \n\r\t".contains(byte))?;
        self.at += spaces;
        rest.get(spaces).copied()
    }

    /// Goes over this byte, if it is the next one.
    fn take(&mut self, wanted: u8) -> bool {
        let is_here = self.next() == Some(wanted);
        self.at += usize::from(is_here);
        is_here
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        self.take(wanted).then_some(())
    }
}
