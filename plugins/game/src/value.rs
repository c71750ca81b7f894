//! Plain data shared by games, Lua tables, JSON and dashboards.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A dynamically typed value. Maps keep their order, so that equal inputs print equally.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Absent.
    #[default]
    Nil,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating point number; never NaN when it comes from a game.
    Num(f64),
    /// Text.
    Str(Cow<'static, str>),
    /// A sequence.
    List(Vec<Value>),
    /// Named values, in order of insertion.
    Map(Vec<(Cow<'static, str>, Value)>),
}

impl Value {
    /// Text from anything that owns or borrows it for ever.
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Str(text.into())
    }

    /// A map from pairs.
    pub fn map<const N: usize>(pairs: [(&'static str, Value); N]) -> Self {
        Self::Map(pairs.into_iter().map(|(key, value)| (Cow::Borrowed(key), value)).collect())
    }

    /// A cell as scripts see it: `{ x = …, y = … }`.
    #[must_use]
    pub fn cell(x: i32, y: i32) -> Self {
        Self::map([("x", Self::Int(x.into())), ("y", Self::Int(y.into()))])
    }

    /// The whole number in here: an `Int`, or a `Num` without fraction.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(int) => Some(*int),
            #[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
            Self::Num(num) if num.fract() == 0.0 && num.abs() < 9.0e15 => Some(*num as i64),
            Self::Nil
            | Self::Bool(_)
            | Self::Num(_)
            | Self::Str(_)
            | Self::List(_)
            | Self::Map(_) => None,
        }
    }

    /// The number in here.
    #[must_use]
    pub fn as_num(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
            Self::Int(int) => Some(*int as f64),
            Self::Num(num) => Some(*num),
            Self::Nil | Self::Bool(_) | Self::Str(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The text in here.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(text) = self { Some(text) } else { None }
    }

    /// The truth value in here.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(flag) = self { Some(*flag) } else { None }
    }

    /// The sequence in here.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    /// The value under `key`, when this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Self::Map(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The cell in here: a map with whole numbers `x` and `y`.
    #[must_use]
    pub fn as_cell(&self) -> Option<(i32, i32)> {
        let part = |key| self.get(key)?.as_int().and_then(|int| i32::try_from(int).ok());
        Some((part("x")?, part("y")?))
    }

    /// What kind of value this is, in a script writer's words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "boolean",
            Self::Int(_) | Self::Num(_) => "number",
            Self::Str(_) => "string",
            Self::List(_) => "list",
            Self::Map(_) => "table",
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<i32> for Value {
    fn from(int: i32) -> Self {
        Self::Int(int.into())
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Self {
        Self::Int(int)
    }
}

impl From<u32> for Value {
    fn from(int: u32) -> Self {
        Self::Int(int.into())
    }
}

impl From<f64> for Value {
    fn from(num: f64) -> Self {
        Self::Num(num)
    }
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Str(Cow::Borrowed(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Str(Cow::Owned(text))
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(option: Option<T>) -> Self {
        option.map_or(Self::Nil, Into::into)
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nil => serializer.serialize_none(),
            Self::Bool(flag) => serializer.serialize_bool(*flag),
            Self::Int(int) => serializer.serialize_i64(*int),
            Self::Num(num) => serializer.serialize_f64(*num),
            Self::Str(text) => serializer.serialize_str(text),
            Self::List(list) => {
                let mut seq = serializer.serialize_seq(Some(list.len()))?;
                for item in list {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Self::Map(pairs) => {
                let mut map = serializer.serialize_map(Some(pairs.len()))?;
                for (key, value) in pairs {
                    map.serialize_entry(key.as_ref(), value)?;
                }
                map.end()
            }
        }
    }
}

/// A text as an argument of an action that people read: without quotes where it is one word that
/// reads back as the same text.
#[must_use]
pub fn argument(text: &str) -> Cow<'_, str> {
    let literal = matches!(text, "true" | "false" | "nil");
    let word = text.starts_with(char::is_alphabetic) && text.chars().all(is_of_word);
    if word && !literal { Cow::Borrowed(text) } else { Cow::Owned(quoted(text)) }
}

/// A text in quotes, as scripts write it.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Whether a text with this character may go without quotes.
#[must_use]
pub fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-')
}

/// What a script decided: an action's name and its arguments, not yet checked by the game's world.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Said {
    /// The action's name as the game's [`Api`](crate::Api) declares it.
    pub action: Cow<'static, str>,
    /// The arguments in the declared order.
    pub args: Vec<Value>,
}

impl Said {
    /// An action with its arguments.
    pub fn new(action: impl Into<Cow<'static, str>>, args: Vec<Value>) -> Self {
        Self { action: action.into(), args }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.action)?;
        for (index, arg) in self.args.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match arg {
                Value::Str(text) => write!(f, "{comma}{text:?}")?,
                Value::Int(int) => write!(f, "{comma}{int}")?,
                Value::Num(num) => write!(f, "{comma}{num}")?,
                Value::Bool(flag) => write!(f, "{comma}{flag}")?,
                Value::Nil => write!(f, "{comma}nil")?,
                Value::List(list) => write!(f, "{comma}[{} values]", list.len())?,
                Value::Map(map) => write!(f, "{comma}{{{} values}}", map.len())?,
            }
        }
        f.write_str(")")
    }
}
