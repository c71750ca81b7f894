//! Values as Luau text, for people who look on.

use crate::action_value::ActionValue;
use crate::failure::EVAL_NAME;
use mlua::{Function, LuaString, Table, Value as LuaValue};
use phalanx_game::Value;
use phalanx_game::sorted::Order;
use std::cmp::Ordering;
use std::ffi::c_void;

/// Deepest nesting that is shown.
const DEPTH_MAX: usize = 8;
/// Most values that are shown altogether.
const VALUES_MAX: usize = 2_000;
/// Most entries of one table that are looked at, so that its keys can be sorted.
const ENTRIES_MAX: usize = 10_000;
/// Longest text that is shown whole, in bytes.
const TEXT_BYTES_MAX: usize = 2_000;
/// A table that fits into this many characters is written in one line.
const LINE_CHARS_MAX: usize = 80;
/// One step of indentation.
const INDENT: &str = "    ";

/// Words that cannot stand as a key without brackets.
const RESERVED: [&str; 21] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
];

/// Writes values in Luau syntax. Values without a literal form are put in angle brackets. Calls no
/// function of a script.
#[derive(Debug)]
pub(crate) struct ValuePrinter<'a> {
    /// The prelude's function that reads all fields of a percept.
    fill: &'a Function,
    left: usize,
    open: Vec<*const c_void>,
}

impl<'a> ValuePrinter<'a> {
    pub(crate) fn new(fill: &'a Function) -> Self {
        Self { fill, left: VALUES_MAX, open: Vec::new() }
    }

    /// The text of a value.
    pub(crate) fn value(&mut self, value: &LuaValue) -> mlua::Result<String> {
        let Some(left) = self.left.checked_sub(1) else { return Ok("…".into()) };
        self.left = left;
        Ok(match value {
            LuaValue::Nil => "nil".into(),
            LuaValue::Boolean(flag) => flag.to_string(),
            LuaValue::Integer(int) => int.to_string(),
            LuaValue::Number(num) => number(*num),
            LuaValue::String(text) => quoted(&text.as_bytes()),
            LuaValue::Table(table) => self.table(table)?,
            LuaValue::Function(function) => {
                let info = function.info();
                match (info.short_src, info.line_defined) {
                    (Some(file), Some(line)) if file.contains('.') || file == EVAL_NAME => {
                        format!("<function {file}:{line}>")
                    }
                    _native => "<function>".into(),
                }
            }
            LuaValue::Thread(_) => "<coroutine>".into(),
            LuaValue::UserData(data) => match data.borrow::<ActionValue>() {
                Ok(action) => {
                    let args: Vec<_> = action.said.args.iter().map(plain).collect();
                    format!("act.{}({})", action.said.action, args.join(", "))
                }
                Err(_) => "<userdata>".into(),
            },
            other => format!("<{}>", other.type_name()),
        })
    }

    fn table(&mut self, table: &Table) -> mlua::Result<String> {
        let id = table.to_pointer();
        if self.open.contains(&id) {
            return Ok("<the table itself>".into());
        }
        if self.open.len() >= DEPTH_MAX {
            return Ok("{ … }".into());
        }
        self.fill.call::<()>(table)?;
        self.open.push(id);
        let items = self.items(table);
        self.open.pop();
        Ok(layout(&items?))
    }

    fn items(&mut self, table: &Table) -> mlua::Result<Vec<String>> {
        let length = table.raw_len();
        let mut items = Vec::new();
        for index in 1..=length.min(self.left) {
            let item: LuaValue = table.raw_get(index)?;
            items.push(self.value(&item)?);
        }
        for key in keys(table, length) {
            if self.left == 0 {
                break;
            }
            let item: LuaValue = table.raw_get(&key)?;
            items.push(format!("{} = {}", self.key(&key)?, self.value(&item)?));
        }
        if self.left == 0 {
            items.push("…".into());
        }
        Ok(items)
    }

    fn key(&mut self, key: &LuaValue) -> mlua::Result<String> {
        match key {
            LuaValue::String(name) if is_name(name) => Ok(name.to_string_lossy()),
            other => Ok(format!("[{}]", self.value(other)?)),
        }
    }
}

/// The keys beside `1 ..= length`, sorted.
fn keys(table: &Table, length: usize) -> Vec<LuaValue> {
    let mut keys = Vec::new();
    let mut seen = 0;
    #[expect(clippy::cast_precision_loss, reason = "no table is that long")]
    let last = length as f64;
    let walked = table.for_each(|key: LuaValue, _: LuaValue| {
        seen += 1;
        let listed = crate::args::number(&key)
            .is_some_and(|num| num >= 1.0 && num <= last && num.fract() == 0.0);
        if !listed {
            keys.push(key);
        }
        if seen > ENTRIES_MAX { Err(mlua::Error::runtime("enough")) } else { Ok(()) }
    });
    // A walk that was cut short has what is shown anyway.
    drop(walked);
    keys.order_by(order);
    keys
}

fn order(a: &LuaValue, b: &LuaValue) -> Ordering {
    match (a, b) {
        (LuaValue::String(a), LuaValue::String(b)) => a.as_bytes().cmp(&b.as_bytes()),
        (a, b) => match (crate::args::number(a), crate::args::number(b)) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => a.type_name().cmp(b.type_name()),
        },
    }
}

fn is_name(text: &LuaString) -> bool {
    let text = text.to_string_lossy();
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !RESERVED.contains(&text.as_str())
}

/// In one line where it fits, else an item a line.
fn layout(items: &[String]) -> String {
    let chars: usize = items.iter().map(|item| item.chars().count() + 2).sum();
    if items.is_empty() {
        return "{}".into();
    }
    if chars + 2 <= LINE_CHARS_MAX && !items.iter().any(|item| item.contains('\n')) {
        return format!("{{ {} }}", items.join(", "));
    }
    let line = |item: &String| format!("{INDENT}{},\n", item.replace('\n', &format!("\n{INDENT}")));
    format!("{{\n{}}}", items.iter().map(line).collect::<String>())
}

fn number(num: f64) -> String {
    if num.is_nan() {
        "0/0".into()
    } else if num.is_infinite() {
        if num > 0.0 { "math.huge".into() } else { "-math.huge".into() }
    } else {
        num.to_string()
    }
}

fn quoted(bytes: &[u8]) -> String {
    let head = bytes.get(..TEXT_BYTES_MAX).unwrap_or(bytes);
    let mut out = String::from("\"");
    for chunk in head.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    if head.len() < bytes.len() {
        out.push('…');
    }
    out.push('"');
    out
}

/// An argument of an action.
fn plain(value: &Value) -> String {
    match value {
        Value::Nil => "nil".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Int(int) => int.to_string(),
        Value::Num(num) => number(*num),
        Value::Str(text) => quoted(text.as_bytes()),
        Value::List(list) => layout(&list.iter().map(plain).collect::<Vec<_>>()),
        Value::Map(pairs) => {
            let pair = |(key, item): &(std::borrow::Cow<'static, str>, Value)| {
                format!("{key} = {}", plain(item))
            };
            layout(&pairs.iter().map(pair).collect::<Vec<_>>())
        }
    }
}
