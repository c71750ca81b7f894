//! Orders as text, in the words of scripts.

use super::{ORDER_BYTES_MAX, OrderError};
use crate::{Said, Value, excerpt, is_of_word, quoted};
use std::borrow::Cow;
use std::iter::Peekable;
use std::str::CharIndices;

/// Deepest nesting of tables.
const DEPTH_MAX: usize = 8;

/// Parses an order as scripts write actions, with or without `act.` before it: `move("n")`, `skip`,
/// `go({ x = 1, y = 2 }, true)`. Texts of one word need no quotes, so that an action can be typed
/// as it is displayed: `move(n)`. Nothing of it is looked up yet.
///
/// # Errors
/// [`OrderError::Text`] with the place of the mistake.
pub fn read_order(text: &str) -> Result<Said, OrderError> {
    if text.len() > ORDER_BYTES_MAX {
        let expected = "at most 4096 bytes";
        let got = format!("{} bytes", text.len());
        return Err(OrderError::Text { column: ORDER_BYTES_MAX + 1, expected, got });
    }
    let mut reader = OrderReader { text, chars: text.char_indices().peekable() };
    let said = reader.order()?;
    reader.skip_space();
    match reader.chars.peek() {
        None => Ok(said),
        Some(_) => Err(reader.expected("nothing more")),
    }
}

/// Writes an order so that [`read_order`] can read it.
#[must_use]
pub fn write_order(said: &Said) -> String {
    let args: Vec<_> = said.args.iter().map(write_value).collect();
    format!("{}({})", said.action, args.join(", "))
}

/// A value as scripts write it.
#[must_use]
pub fn write_value(value: &Value) -> String {
    match value {
        Value::Nil => "nil".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Int(int) => int.to_string(),
        // With a point or an exponent, so that it is parsed as a number again, not as a whole
        // number.
        Value::Num(num) => format!("{num:?}"),
        Value::Str(text) => quoted(text),
        Value::List(list) => {
            let items: Vec<_> = list.iter().map(write_value).collect();
            format!("{{ {} }}", items.join(", "))
        }
        Value::Map(pairs) => {
            let pair = |(key, value): &(Cow<'static, str>, Value)| {
                let plain =
                    key.chars().all(is_of_name) && key.chars().next().is_some_and(is_letter);
                let key = if plain { key.to_string() } else { format!("[{}]", quoted(key)) };
                format!("{key} = {}", write_value(value))
            };
            let pairs: Vec<_> = pairs.iter().map(pair).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter == '_'
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Parses one order from its beginning to its end.
struct OrderReader<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
}

impl OrderReader<'_> {
    fn order(&mut self) -> Result<Said, OrderError> {
        self.skip_space();
        let mut name = self.name()?;
        if name == "act" && self.takes('.') {
            name = self.name()?;
        }
        let mut args = Vec::new();
        if self.takes('(') && !self.takes(')') {
            loop {
                args.push(self.value(0)?);
                if self.takes(')') {
                    break;
                }
                if !self.takes(',') {
                    return Err(self.expected("a comma or )"));
                }
            }
        }
        while args.last() == Some(&Value::Nil) {
            args.pop();
        }
        Ok(Said::new(name, args))
    }

    fn value(&mut self, depth: usize) -> Result<Value, OrderError> {
        self.skip_space();
        match self.chars.peek().map(|(_, letter)| *letter) {
            Some(quote @ ('"' | '\'')) => self.quoted(quote).map(Value::from),
            Some('{') if depth < DEPTH_MAX => self.table(depth),
            Some('{') => Err(self.expected("no table as deep as this")),
            Some(letter) if letter.is_ascii_digit() || matches!(letter, '-' | '.') => self.number(),
            Some(letter) if letter.is_alphabetic() => Ok(self.word()),
            Some(_) | None => Err(self.expected("a value")),
        }
    }

    /// A text without quotes, as actions are displayed, or one of the script language's words.
    fn word(&mut self) -> Value {
        let mut word = String::new();
        while let Some((_, letter)) = self.chars.next_if(|(_, letter)| is_of_word(*letter)) {
            word.push(letter);
        }
        match word.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "nil" => Value::Nil,
            _text => Value::from(word),
        }
    }

    fn table(&mut self, depth: usize) -> Result<Value, OrderError> {
        self.takes('{');
        let (mut list, mut pairs) = (Vec::new(), Vec::new());
        while !self.takes('}') {
            match self.key()? {
                Some(key) => pairs.push((Cow::Owned(key), self.value(depth + 1)?)),
                None => list.push(self.value(depth + 1)?),
            }
            if !list.is_empty() && !pairs.is_empty() {
                return Err(self.expected("either a list or named values"));
            }
            if !self.takes(',') && !self.takes(';') {
                if self.takes('}') {
                    break;
                }
                return Err(self.expected("a comma or }"));
            }
        }
        Ok(if pairs.is_empty() { Value::List(list) } else { Value::Map(pairs) })
    }

    /// The key of a named value with its `=`; `None` if the next item has none.
    fn key(&mut self) -> Result<Option<String>, OrderError> {
        self.skip_space();
        let begin = self.chars.clone();
        let key = match self.chars.peek().map(|(_, letter)| *letter) {
            Some('[') => {
                self.takes('[');
                self.skip_space();
                let key = match self.chars.peek().map(|(_, letter)| *letter) {
                    Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
                    Some(_) | None => return Err(self.expected("a key in quotes")),
                };
                if !self.takes(']') {
                    return Err(self.expected("]"));
                }
                if !self.takes('=') {
                    return Err(self.expected("="));
                }
                return Ok(Some(key));
            }
            Some(letter) if is_letter(letter) => self.name()?,
            Some(_) | None => return Ok(None),
        };
        if self.takes('=') {
            return Ok(Some(key));
        }
        self.chars = begin;
        Ok(None)
    }

    fn name(&mut self) -> Result<String, OrderError> {
        self.skip_space();
        let mut name = String::new();
        while let Some((_, letter)) = self.chars.next_if(|(_, letter)| is_of_name(*letter)) {
            name.push(letter);
        }
        if name.chars().next().is_some_and(is_letter) {
            Ok(name)
        } else {
            Err(self.expected("the name of an action"))
        }
    }

    fn number(&mut self) -> Result<Value, OrderError> {
        let begin = self.chars.clone();
        let mut text = String::new();
        let belongs =
            |letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.' | 'e' | 'E');
        while let Some((_, letter)) = self.chars.next_if(|(_, letter)| belongs(*letter)) {
            text.push(letter);
        }
        if let Ok(int) = text.parse::<i64>() {
            return Ok(Value::Int(int));
        }
        match text.parse::<f64>() {
            Ok(num) if num.is_finite() => Ok(Value::Num(num)),
            Ok(_) | Err(_) => {
                self.chars = begin;
                Err(self.expected("a number"))
            }
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String, OrderError> {
        self.takes(quote);
        let mut text = String::new();
        loop {
            match self.chars.next().map(|(_, letter)| letter) {
                Some(letter) if letter == quote => return Ok(text),
                Some('\\') => match self.chars.next().map(|(_, letter)| letter) {
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('t') => text.push('\t'),
                    Some(letter @ ('"' | '\'' | '\\')) => text.push(letter),
                    Some(_) | None => return Err(self.expected("one of n, r, t, quotes and \\")),
                },
                Some(letter) => text.push(letter),
                None => return Err(self.expected("the text's closing quote")),
            }
        }
    }

    /// Skips space, then takes this character if it is next.
    fn takes(&mut self, sign: char) -> bool {
        self.skip_space();
        self.chars.next_if(|(_, letter)| *letter == sign).is_some()
    }

    fn skip_space(&mut self) {
        while self.chars.next_if(|(_, letter)| letter.is_whitespace()).is_some() {}
    }

    fn expected(&mut self, expected: &'static str) -> OrderError {
        let at = self.chars.peek().map_or(self.text.len(), |(at, _)| *at);
        let rest = self.text.get(at..).unwrap_or_default();
        let got = if rest.is_empty() { "the end".to_owned() } else { excerpt(rest.as_bytes()) };
        OrderError::Text { column: at + 1, expected, got }
    }
}
