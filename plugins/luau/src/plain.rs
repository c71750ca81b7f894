//! Plain data out of and into the VM: what may be shared, sent, kept.

use crate::pace::Pace;
use mlua::{Either, IntoLua, Lua, Table, Value as LuaValue};
use phalanx_game::{Plain, PlainKey as Key, Value};
use std::borrow::Cow;
use std::ffi::c_void;
use std::fmt;

/// The type name of actions, in the metatable of their userdata.
pub const ACTION_TYPE: &str = "action";
/// What the `__metatable` of a percept says that stays with the host until it is read.
pub const PERCEPT_TYPE: &str = "a percept";
/// Longest excerpt of a text in a message, in characters.
const EXCERPT_CHARS: usize = 40;
/// Most culprits that are named when the rest is read all the same.
const DROPPED_MAX: usize = 5;

/// Bounds of one piece of plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainLimits {
    /// Most values, nested ones included.
    pub values: usize,
    /// Most bytes of text.
    pub text_bytes: usize,
    /// Deepest nesting of tables.
    pub depth: usize,
}

/// Why something is not plain data: the path to the culprit and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    path: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// A value of a kind that is never plain.
    Kind(String),
    /// Anything else, as a sentence.
    Other(String),
}

impl fmt::Display for Culprit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "at {}: ", self.path)?;
        }
        match &self.what {
            What::Kind(kind) => write!(f, "{kind} is not plain data"),
            What::Other(what) => f.write_str(what),
        }
    }
}

impl Culprit {
    /// A sentence about the whole value.
    pub fn new(what: impl Into<String>) -> Self {
        Self { path: String::new(), what: What::Other(what.into()) }
    }

    /// What is wrong with a table that has a metatable.
    fn of_metatable(table: &Table) -> Self {
        let name = table.metatable().and_then(|meta| meta.raw_get::<LuaValue>("__metatable").ok());
        let is_percept = name.and_then(|name| Some(*name.as_string()? == PERCEPT_TYPE));
        Self::new(if is_percept == Some(true) {
            "a percept is not plain data: take fields of it, or kit.percept.copy(percept)"
        } else {
            "a table with a metatable is not plain data"
        })
    }

    /// The same for the table that has the value under this name.
    pub fn in_field(self, name: &str) -> Self {
        self.under(&Key::Text(name.into()))
    }

    fn under(mut self, key: &Key) -> Self {
        self.path = format!("{key}{}", self.path);
        self
    }

    /// The message for the author of `me.memory`.
    pub fn in_memory(&self) -> String {
        let path = &self.path;
        match &self.what {
            What::Kind(kind) => format!("me.memory{path} is {kind}; memory is plain data"),
            What::Other(what) => format!("me.memory{path}: {what}; memory is plain data"),
        }
    }
}

fn order(a: &Key, b: &Key) -> std::cmp::Ordering {
    match (a, b) {
        (Key::Num(a), Key::Num(b)) => a.total_cmp(b),
        (Key::Text(a), Key::Text(b)) => a.cmp(b),
        (Key::Bool(a), Key::Bool(b)) => a.cmp(b),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

fn rank(key: &Key) -> u8 {
    match key {
        Key::Num(_) => 0,
        Key::Text(_) => 1,
        Key::Bool(_) => 2,
    }
}

/// Reads plain data; `None` is nil.
pub fn read(value: &LuaValue, limits: PlainLimits) -> Result<Option<Plain>, Culprit> {
    PlainReader::new(limits).value(value)
}

/// Reads what is plain of a value and leaves out the rest: what was left out, at most
/// `DROPPED_MAX` of it, comes with it.
pub fn read_rest(value: &LuaValue, limits: PlainLimits) -> (Option<Plain>, Vec<Culprit>) {
    let mut reader = PlainReader::new(limits);
    reader.dropped = Some(Vec::new());
    let read = reader.value(value);
    let mut dropped = reader.dropped.unwrap_or_default();
    let plain = read.unwrap_or_else(|culprit| {
        dropped.push(culprit);
        None
    });
    (plain, dropped)
}

/// Reads plain data as the engine keeps it.
pub fn read_value(value: &LuaValue, limits: PlainLimits) -> Result<Value, Culprit> {
    match value {
        // Scalars are the common case and need no walk.
        LuaValue::Nil => Ok(Value::Nil),
        LuaValue::Boolean(flag) => Ok(Value::Bool(*flag)),
        #[expect(clippy::cast_precision_loss, reason = "Luau's integers are doubles")]
        LuaValue::Integer(int) => number(*int as f64),
        LuaValue::Number(num) => number(*num),
        _other => Ok(PlainReader::new(limits).value(value)?.unwrap_or_default()),
    }
}

/// The value that a table with a metatable represents, if the host made it.
pub type Resolve<'host> = &'host dyn Fn(&Table) -> Option<Result<Value, Culprit>>;

/// The same where some tables represent values that the host has.
pub fn read_resolved(
    value: &LuaValue,
    limits: PlainLimits,
    resolve: Resolve<'_>,
) -> Result<Value, Culprit> {
    if !value.is_table() {
        return read_value(value, limits);
    }
    let mut reader = PlainReader::new(limits);
    reader.resolve = Some(resolve);
    Ok(reader.value(value)?.unwrap_or_default())
}

/// The fields with names that are in a table itself, whatever its metatable is, in the order of
/// their names.
pub fn read_fields(
    table: &Table,
    limits: PlainLimits,
) -> Result<Vec<(Cow<'static, str>, Value)>, Culprit> {
    let mut reader = PlainReader::new(limits);
    let named = reader.pairs(table)?.into_iter().map(named);
    named.collect()
}

/// A value of the engine as a Lua value.
///
/// While a table is built the VM's memory limit is lifted, since each allocation under a limit
/// costs three to four times more. Values of the host are bounded; if one was too much all the same,
/// the script's next allocation fails.
pub fn push(lua: &Lua, value: &Value) -> mlua::Result<LuaValue> {
    push_paced(lua, value, &mut Pace::default())
}

/// A value that is no list and no map, as a part of a table; `None` for nil.
pub fn scalar(value: &Value) -> Option<Either<&str, LuaValue>> {
    Some(match value {
        Value::Str(text) => Either::Left(text.as_ref()),
        Value::Bool(flag) => Either::Right(LuaValue::Boolean(*flag)),
        Value::Int(_) | Value::Num(_) => Either::Right(LuaValue::Number(value.as_num()?)),
        Value::Nil | Value::List(_) | Value::Map(_) => return None,
    })
}

/// The same as a part of longer work.
pub fn push_paced(lua: &Lua, value: &Value, pace: &mut Pace) -> mlua::Result<LuaValue> {
    if !matches!(value, Value::List(_) | Value::Map(_)) {
        pace.text(lua)?;
        return build(lua, value, pace);
    }
    let limit = lua.set_memory_limit(0)?;
    let built = build(lua, value, pace);
    lua.set_memory_limit(limit)?;
    built
}

fn build(lua: &Lua, value: &Value, pace: &mut Pace) -> mlua::Result<LuaValue> {
    Ok(match value {
        Value::Nil => LuaValue::Nil,
        Value::Bool(flag) => LuaValue::Boolean(*flag),
        #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
        Value::Int(int) => LuaValue::Number(*int as f64),
        Value::Num(num) => LuaValue::Number(*num),
        Value::Str(text) => LuaValue::String(lua.create_string(text.as_bytes())?),
        Value::List(list) => {
            let mut failed = Ok(());
            let is_text = |item: &Value| matches!(item, Value::Str(_));
            let mut part_of = |item| part(lua, item, (pace, is_text(item)), &mut failed);
            // A hole would end the list for scripts.
            let table = if list.contains(&Value::Nil) {
                let items = list.iter().filter(|item| **item != Value::Nil);
                lua.create_sequence_from(items.map(part_of))?
            } else {
                lua.create_sequence_from(list.iter().map(&mut part_of))?
            };
            failed.map(|()| LuaValue::Table(table))?
        }
        Value::Map(pairs) => {
            let mut failed = Ok(());
            let pairs = pairs
                .iter()
                .map(|(key, item)| (key.as_ref(), part(lua, item, (pace, true), &mut failed)));
            let table = lua.create_table_from(pairs)?;
            failed.map(|()| LuaValue::Table(table))?
        }
    })
}

/// A value within a table. A text goes there directly: a value that the host holds costs more.
type Part<'value> = Either<&'value str, LuaValue>;

/// `counted`: the value, or its key, is a text. After a failure nothing more is built.
fn part<'value>(
    lua: &Lua,
    value: &'value Value,
    (pace, counted): (&mut Pace, bool),
    failed: &mut mlua::Result<()>,
) -> Part<'value> {
    if failed.is_err() {
        return Either::Right(LuaValue::Nil);
    }
    let built = match value {
        Value::Str(text) => Ok(Either::Left(text.as_ref())),
        value => build(lua, value, pace).map(Either::Right),
    };
    let built =
        if counted { built.and_then(|built| pace.text(lua).map(|()| built)) } else { built };
    built.unwrap_or_else(|error| {
        *failed = Err(error);
        Either::Right(LuaValue::Nil)
    })
}

/// Plain data as a Lua value again. The memory limit is lifted meanwhile: see [`push`].
pub fn push_plain(lua: &Lua, plain: &Plain) -> mlua::Result<LuaValue> {
    let limit = lua.set_memory_limit(0)?;
    let built = build_plain(lua, plain);
    lua.set_memory_limit(limit)?;
    built
}

fn build_plain(lua: &Lua, plain: &Plain) -> mlua::Result<LuaValue> {
    plain_part(lua, plain).and_then(|part| part.into_lua(lua))
}

fn plain_part<'plain>(lua: &Lua, plain: &'plain Plain) -> mlua::Result<Part<'plain>> {
    Ok(Either::Right(match plain {
        Plain::Bool(flag) => LuaValue::Boolean(*flag),
        Plain::Num(num) => LuaValue::Number(*num),
        Plain::Text(bytes) => return text_part(lua, bytes),
        Plain::Table(pairs) => {
            let mut failed = Ok(());
            let mut whole = |part: mlua::Result<Part<'plain>>| {
                part.unwrap_or_else(|error| {
                    failed = Err(error);
                    Either::Right(LuaValue::Nil)
                })
            };
            let table = if is_sequence(pairs) {
                let items = pairs.iter().map(|(_, item)| whole(plain_part(lua, item)));
                lua.create_sequence_from(items)?
            } else {
                lua.create_table_from(pairs.iter().map(|(key, item)| {
                    let key = match key {
                        Key::Bool(flag) => Either::Right(LuaValue::Boolean(*flag)),
                        Key::Num(num) => Either::Right(LuaValue::Number(*num)),
                        Key::Text(bytes) => whole(text_part(lua, bytes)),
                    };
                    (key, whole(plain_part(lua, item)))
                }))?
            };
            failed.map(|()| LuaValue::Table(table))?
        }
    }))
}

fn text_part<'text>(lua: &Lua, bytes: &'text [u8]) -> mlua::Result<Part<'text>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Either::Left(text)),
        Err(_) => Ok(Either::Right(LuaValue::String(lua.create_string(bytes)?))),
    }
}

/// What a value of a VM becomes: the parts of [`PlainReader`] that differ.
trait Readable: Sized {
    fn flag(flag: bool) -> Self;

    fn num(num: f64) -> Result<Self, Culprit>;

    fn text(bytes: Vec<u8>) -> Result<Self, Culprit>;

    /// Of pairs in the order of their keys.
    fn table(pairs: Vec<(Key, Self)>) -> Result<Self, Culprit>;

    /// A value that the host has; `None`: it cannot be a part of this.
    fn whole(_value: Value) -> Option<Self> {
        None
    }
}

impl Readable for Plain {
    fn flag(flag: bool) -> Self {
        Self::Bool(flag)
    }

    fn num(num: f64) -> Result<Self, Culprit> {
        Ok(Self::Num(num))
    }

    fn text(bytes: Vec<u8>) -> Result<Self, Culprit> {
        Ok(Self::Text(bytes))
    }

    fn table(pairs: Vec<(Key, Self)>) -> Result<Self, Culprit> {
        Ok(Self::Table(pairs))
    }
}

impl Readable for Value {
    fn flag(flag: bool) -> Self {
        Self::Bool(flag)
    }

    fn num(num: f64) -> Result<Self, Culprit> {
        number(num)
    }

    fn text(bytes: Vec<u8>) -> Result<Self, Culprit> {
        text(bytes).map(Self::Str)
    }

    fn table(pairs: Vec<(Key, Self)>) -> Result<Self, Culprit> {
        if is_sequence(&pairs) {
            return Ok(Self::List(pairs.into_iter().map(|(_, item)| item).collect()));
        }
        Ok(Self::Map(pairs.into_iter().map(named).collect::<Result<_, _>>()?))
    }

    fn whole(value: Value) -> Option<Self> {
        Some(value)
    }
}

fn named((key, item): (Key, Value)) -> Result<(Cow<'static, str>, Value), Culprit> {
    match key {
        Key::Text(bytes) => Ok((text(bytes)?, item)),
        Key::Bool(_) | Key::Num(_) => {
            let what = "a shared table has either texts as keys, or 1, 2, 3 …";
            Err(Culprit::new(what).under(&key))
        }
    }
}

fn is_sequence<T>(pairs: &[(Key, T)]) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "lists are far shorter than 2^53")]
    let in_place = |(index, (key, _)): (usize, &(Key, T))| *key == Key::Num((index + 1) as f64);
    pairs.iter().enumerate().all(in_place)
}

fn text(bytes: Vec<u8>) -> Result<Cow<'static, str>, Culprit> {
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| Culprit::new("the text is not UTF-8"))
}

fn number(num: f64) -> Result<Value, Culprit> {
    if !num.is_finite() {
        return Err(Culprit::new(format!("{} is not a finite number", describe_num(num))));
    }
    Ok(Value::Num(num).as_int().map_or(Value::Num(num), Value::Int))
}

/// What a value is, in a message: short, without addresses.
pub fn describe(value: &LuaValue) -> String {
    match value {
        LuaValue::Nil => "nil".into(),
        LuaValue::Boolean(flag) => flag.to_string(),
        LuaValue::Integer(int) => int.to_string(),
        LuaValue::Number(num) => describe_num(*num),
        LuaValue::String(string) => {
            let bytes = string.as_bytes();
            let head = bytes.get(..EXCERPT_CHARS).unwrap_or(&bytes);
            let dots = if head.len() < bytes.len() { "…" } else { "" };
            format!("{:?}{dots}", String::from_utf8_lossy(head))
        }
        LuaValue::Table(_) => "a table".into(),
        LuaValue::Function(_) => "a function".into(),
        LuaValue::Thread(_) => "a coroutine".into(),
        LuaValue::UserData(data) => match data.type_name() {
            Ok(name) if name == ACTION_TYPE => "an action".into(),
            Ok(_) | Err(_) => "a userdata".into(),
        },
        other => format!("a {}", other.type_name()),
    }
}

fn describe_num(num: f64) -> String {
    if num.is_nan() { "NaN".into() } else { num.to_string() }
}

struct PlainReader<'host> {
    values: usize,
    text: usize,
    depth: usize,
    open: Vec<*const c_void>,
    /// The keys that lead to the innermost open table.
    path: Vec<Key>,
    /// What was left out; `None`: nothing may be.
    dropped: Option<Vec<Culprit>>,
    resolve: Option<Resolve<'host>>,
}

impl PlainReader<'_> {
    fn new(limits: PlainLimits) -> Self {
        let PlainLimits { values, text_bytes: text, depth } = limits;
        let (open, path) = (Vec::new(), Vec::new());
        Self { values, text, depth, open, path, dropped: None, resolve: None }
    }

    fn value<T: Readable>(&mut self, value: &LuaValue) -> Result<Option<T>, Culprit> {
        self.values = self.values.checked_sub(1).ok_or_else(|| Culprit::new("too many values"))?;
        match value {
            LuaValue::Nil => return Ok(None),
            LuaValue::Boolean(flag) => Ok(T::flag(*flag)),
            #[expect(clippy::cast_precision_loss, reason = "Luau's integers are doubles")]
            LuaValue::Integer(int) => T::num(*int as f64),
            LuaValue::Number(num) => T::num(*num),
            LuaValue::String(string) => T::text(self.bytes(string)?),
            LuaValue::Table(table) => self.table(table),
            other => {
                let what = What::Kind(describe(other));
                Err(Culprit { path: String::new(), what })
            }
        }
        .map(Some)
    }

    fn bytes(&mut self, string: &mlua::LuaString) -> Result<Vec<u8>, Culprit> {
        let bytes = string.as_bytes();
        let left = self.text.checked_sub(bytes.len());
        self.text = left.ok_or_else(|| Culprit::new("too much text"))?;
        Ok(bytes.to_vec())
    }

    fn table<T: Readable>(&mut self, table: &Table) -> Result<T, Culprit> {
        if table.has_metatable() {
            let whole = self.resolve.and_then(|resolve| resolve(table)).transpose()?;
            return whole.and_then(T::whole).ok_or_else(|| Culprit::of_metatable(table));
        }
        T::table(self.pairs(table)?)
    }

    fn pairs<T: Readable>(&mut self, table: &Table) -> Result<Vec<(Key, T)>, Culprit> {
        let id = table.to_pointer();
        if self.open.contains(&id) {
            return Err(Culprit::new("the table contains itself"));
        }
        if self.open.len() >= self.depth {
            return Err(Culprit::new("tables are nested too deeply"));
        }
        self.open.push(id);
        let mut pairs = Vec::new();
        let mut failed = None;
        let walked = table.for_each(|key: LuaValue, item: LuaValue| match self.kept(&key, &item) {
            Ok(pair) => {
                pairs.extend(pair);
                if self.is_full() { Err(mlua::Error::runtime("full")) } else { Ok(()) }
            }
            Err(culprit) => {
                failed = Some(culprit);
                Err(mlua::Error::runtime("not plain"))
            }
        });
        self.open.pop();
        match (failed, walked) {
            (Some(culprit), _) => return Err(culprit),
            (None, Err(_)) if self.is_full() => {}
            (None, Err(error)) => return Err(Culprit::new(error.to_string())),
            (None, Ok(())) => {}
        }
        pairs.sort_by(|(a, _), (b, _)| order(a, b));
        Ok(pairs)
    }

    /// The pair; `None` when the item is nil, or was left out.
    fn kept<T: Readable>(
        &mut self,
        key: &LuaValue,
        item: &LuaValue,
    ) -> Result<Option<(Key, T)>, Culprit> {
        match (self.pair(key, item), &mut self.dropped) {
            (Err(culprit), Some(dropped)) => {
                self.values = self.values.saturating_sub(1);
                if dropped.len() < DROPPED_MAX {
                    dropped.push(self.path.iter().rev().fold(culprit, Culprit::under));
                }
                Ok(None)
            }
            (read, _) => read,
        }
    }

    /// Nothing more will be kept: a walk that goes on would only cost time.
    fn is_full(&self) -> bool {
        self.dropped.is_some() && self.values == 0
    }

    fn pair<T: Readable>(
        &mut self,
        key: &LuaValue,
        item: &LuaValue,
    ) -> Result<Option<(Key, T)>, Culprit> {
        let key = match key {
            LuaValue::Boolean(flag) => Key::Bool(*flag),
            #[expect(clippy::cast_precision_loss, reason = "Luau's integers are doubles")]
            LuaValue::Integer(int) => Key::Num(*int as f64),
            LuaValue::Number(num) => Key::Num(*num),
            LuaValue::String(string) => Key::Text(self.bytes(string)?),
            other => {
                return Err(Culprit::new(format!("{} cannot be a key", describe(other))));
            }
        };
        if self.dropped.is_some() {
            self.path.push(key.clone());
        }
        let item = self.value(item).map_err(|culprit| culprit.under(&key));
        self.path.pop();
        Ok(item?.map(|item| (key, item)))
    }
}

#[cfg(test)]
mod tests;
