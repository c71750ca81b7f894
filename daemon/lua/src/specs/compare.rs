//! Equality of script values by what is in them, the places that differ, and values as text.

use super::SpecDifference;
use crate::action_value::ActionValue;
use crate::plain::describe;
use mlua::{Table, Value as LuaValue};
use phalanx_game::sorted::Order;
use std::cmp::Ordering;
use std::ffi::c_void;

/// Most differences that one failure lists.
pub(super) const DIFFERENCES_MAX: usize = 20;
/// Longest text of a value in a failure, in characters.
pub(super) const SHOWN_CHARS_MAX: usize = 120;
/// Most values of one comparison: it cannot be interrupted.
const VALUES_MAX: usize = 20_000;
/// Deepest nesting that is compared or shown.
const DEPTH_MAX: usize = 64;

/// Why two values cannot be compared.
const TOO_LARGE: &str = "the values are too large or too deep to compare";

/// Where two values differ.
#[derive(Debug, Default)]
pub(super) struct ValueComparison {
    pub(super) differences: Vec<SpecDifference>,
    /// All that differ, those that are not listed included.
    pub(super) count: usize,
    left: usize,
    open: Vec<(*const c_void, *const c_void)>,
}

/// Compares by what is in the values: tables by their pairs, without metatables; actions by name
/// and arguments; anything else by identity.
pub(super) fn compare(
    expected: &LuaValue,
    got: &LuaValue,
) -> Result<ValueComparison, &'static str> {
    let mut comparison = ValueComparison { left: VALUES_MAX, ..ValueComparison::default() };
    comparison.value("", expected, got)?;
    comparison.open.clear();
    Ok(comparison)
}

/// Whether both are actions that say the same.
pub(super) fn same_action(a: &LuaValue, b: &LuaValue) -> bool {
    let action =
        |value: &LuaValue| Some(value.as_userdata()?.borrow::<ActionValue>().ok()?.said.clone());
    action(a).is_some_and(|said| action(b) == Some(said))
}

impl ValueComparison {
    fn value(
        &mut self,
        path: &str,
        expected: &LuaValue,
        got: &LuaValue,
    ) -> Result<(), &'static str> {
        self.left = self.left.checked_sub(1).ok_or(TOO_LARGE)?;
        match (expected, got) {
            (LuaValue::Table(a), LuaValue::Table(b)) => self.tables(path, a, b),
            (a, b) if same(a, b) => Ok(()),
            (a, b) => {
                self.differ(path, a, b);
                Ok(())
            }
        }
    }

    fn differ(&mut self, path: &str, expected: &LuaValue, got: &LuaValue) {
        self.count += 1;
        if self.differences.len() < DIFFERENCES_MAX {
            let path = path.to_owned();
            self.differences.push(SpecDifference {
                path,
                expected: show(expected),
                got: show(got),
            });
        }
    }

    fn tables(&mut self, path: &str, a: &Table, b: &Table) -> Result<(), &'static str> {
        let pair = (a.to_pointer(), b.to_pointer());
        // A pair that is being compared already is equal as far as this way goes.
        if pair.0 == pair.1 || self.open.contains(&pair) {
            return Ok(());
        }
        if self.open.len() >= DEPTH_MAX {
            return Err(TOO_LARGE);
        }
        self.open.push(pair);
        let room = self.left;
        let mut keys = keys(a, room)?;
        let wanted = keys.len();
        keys.extend(self::keys(b, room)?.into_iter().filter(|key| !has(a, key)));
        // What is there too much comes after what was expected, each in order.
        if let Some((first, second)) = keys.split_at_mut_checked(wanted) {
            first.order_by(order);
            second.order_by(order);
        }
        for key in &keys {
            let read = |table: &Table| table.raw_get::<LuaValue>(key).unwrap_or(LuaValue::Nil);
            self.value(&format!("{path}{}", step(key)), &read(a), &read(b))?;
        }
        self.open.pop();
        Ok(())
    }
}

fn has(table: &Table, key: &LuaValue) -> bool {
    table.raw_get::<LuaValue>(key).is_ok_and(|value| !value.is_nil())
}

fn keys(table: &Table, most: usize) -> Result<Vec<LuaValue>, &'static str> {
    let mut keys = Vec::new();
    let walked = table.for_each(|key: LuaValue, _: LuaValue| {
        if keys.len() >= most {
            return Err(mlua::Error::runtime(TOO_LARGE));
        }
        keys.push(key);
        Ok(())
    });
    walked.map_err(|_| TOO_LARGE)?;
    Ok(keys)
}

fn same(a: &LuaValue, b: &LuaValue) -> bool {
    match (crate::args::number(a), crate::args::number(b)) {
        (Some(a), Some(b)) => a == b || (a.is_nan() && b.is_nan()),
        (None, None) => a == b || same_action(a, b),
        _kinds_differ => false,
    }
}

/// Numbers, then texts, then truth values, then the rest as it comes.
fn order(a: &LuaValue, b: &LuaValue) -> Ordering {
    let rank = |key: &LuaValue| match key {
        LuaValue::Integer(_) | LuaValue::Number(_) => 0,
        LuaValue::String(_) => 1,
        LuaValue::Boolean(_) => 2,
        _rest => 3,
    };
    match (a, b) {
        (LuaValue::String(a), LuaValue::String(b)) => a.as_bytes().cmp(&b.as_bytes()),
        (LuaValue::Boolean(a), LuaValue::Boolean(b)) => a.cmp(b),
        (a, b) => match (crate::args::number(a), crate::args::number(b)) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _others => rank(a).cmp(&rank(b)),
        },
    }
}

/// A key as a step of a path: `.name` or `[key]`.
fn step(key: &LuaValue) -> String {
    match key {
        LuaValue::String(name) if is_name(&name.as_bytes()) => {
            format!(".{}", name.to_string_lossy())
        }
        other => format!("[{}]", show(other)),
    }
}

fn is_name(bytes: &[u8]) -> bool {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    bytes.len() <= SHOWN_CHARS_MAX
        && bytes.iter().all(word)
        && bytes.first().is_some_and(|first| !first.is_ascii_digit())
}

/// A value as script writers write it, on one line, cut at [`SHOWN_CHARS_MAX`] characters.
pub(super) fn show(value: &LuaValue) -> String {
    let mut text = String::new();
    write(&mut text, value, &mut Vec::new());
    crate::failure::cut(&text, SHOWN_CHARS_MAX)
}

fn write(text: &mut String, value: &LuaValue, open: &mut Vec<*const c_void>) {
    // One too many characters tell that something was cut.
    if text.len() > SHOWN_CHARS_MAX * 4 {
        return;
    }
    match value {
        LuaValue::Table(table) => write_table(text, table, open),
        LuaValue::UserData(data) => match data.borrow::<ActionValue>() {
            Ok(action) => text.push_str(&call(&action.said)),
            Err(_) => text.push_str(&describe(value)),
        },
        LuaValue::String(string) => {
            let bytes = string.as_bytes();
            let head = bytes.get(..SHOWN_CHARS_MAX * 4).unwrap_or(&bytes);
            text.push_str(&format!("{:?}", String::from_utf8_lossy(head)));
        }
        other => text.push_str(&describe(other)),
    }
}

fn write_table(text: &mut String, table: &Table, open: &mut Vec<*const c_void>) {
    let id = table.to_pointer();
    if open.contains(&id) || open.len() >= DEPTH_MAX {
        return text.push('…');
    }
    // More keys than characters would be cut anyway.
    let Ok(mut keys) = keys(table, VALUES_MAX) else { return text.push_str("{ … }") };
    if keys.is_empty() {
        return text.push_str("{}");
    }
    open.push(id);
    keys.order_by(order);
    text.push_str("{ ");
    for (index, key) in keys.iter().enumerate() {
        if text.len() > SHOWN_CHARS_MAX * 4 {
            break;
        }
        text.push_str(if index == 0 { "" } else { ", " });
        let place = u32::try_from(index + 1).ok().map(f64::from);
        match key {
            LuaValue::String(name) if is_name(&name.as_bytes()) => {
                text.push_str(&name.to_string_lossy());
                text.push_str(" = ");
            }
            key if crate::args::number(key) == place => {}
            key => {
                text.push('[');
                write(text, key, open);
                text.push_str("] = ");
            }
        }
        write(text, &table.raw_get::<LuaValue>(key).unwrap_or(LuaValue::Nil), open);
    }
    text.push_str(" }");
    open.pop();
}

/// An action as its constructor is called.
pub(super) fn call(said: &phalanx_game::Said) -> String {
    crate::failure::cut(&format!("act.{}({})", said.action, list(&said.args)), SHOWN_CHARS_MAX)
}

fn list(values: &[phalanx_game::Value]) -> String {
    values.iter().map(plain).collect::<Vec<_>>().join(", ")
}

fn plain(value: &phalanx_game::Value) -> String {
    use phalanx_game::Value;
    match value {
        Value::Nil => "nil".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Int(int) => int.to_string(),
        Value::Num(num) => num.to_string(),
        Value::Str(text) => format!("{text:?}"),
        Value::List(items) if items.is_empty() => "{}".into(),
        Value::List(items) => format!("{{ {} }}", list(items)),
        Value::Map(pairs) => {
            let pair = |(key, item): &(_, Value)| format!("{key} = {}", plain(item));
            format!("{{ {} }}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}
