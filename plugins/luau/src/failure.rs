//! What went wrong in a script, from whatever it raised.

use crate::plain::describe;
use mlua::{Lua, Value as LuaValue};

/// File inside the strategy and line from 1.
pub type SourcePlace = (String, u32);

/// Deepest stack that is searched for the place of an error.
const PLACE_FRAMES_MAX: usize = 16;

/// The native itself and the prelude's function around it, which has no lines.
const NATIVE_FRAMES: usize = 1;

/// The name of a piece of script that an operator runs, in the place of a file.
pub const EVAL_NAME: &str = "input";

/// The VM's own words when the memory limit is hit.
const MEMORY_WORDS: &str = "not enough memory";

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub place: Option<SourcePlace>,
    pub message: String,
    /// The memory limit was hit.
    pub memory: bool,
}

impl Failure {
    /// From an error value, which may be anything. Only its first `chars` characters are looked at:
    /// a script may raise a text of many megabytes.
    pub fn from_value(value: &LuaValue, chars: usize) -> Self {
        match value {
            LuaValue::String(text) => {
                let bytes = text.as_bytes();
                let cut = chars.saturating_mul(4);
                let head = bytes.get(..cut).unwrap_or(&bytes);
                Self::from_text(&String::from_utf8_lossy(head), chars)
            }
            LuaValue::Table(table) => match table.raw_get::<LuaValue>("message") {
                Ok(message @ LuaValue::String(_)) => Self::from_value(&message, chars),
                _other => Self::from_text("the script raised a table as error", chars),
            },
            LuaValue::Error(error) => Self::from_error(error, chars),
            other => {
                Self::from_text(&format!("the script raised {} as error", describe(other)), chars)
            }
        }
    }

    /// From an error that left the VM.
    pub fn from_error(error: &mlua::Error, chars: usize) -> Self {
        match error {
            mlua::Error::MemoryError(_) => Self::from_text(MEMORY_WORDS, chars),
            mlua::Error::CallbackError { cause, .. } => Self::from_error(cause, chars),
            mlua::Error::RuntimeError(text) => {
                let head: String =
                    text.lines().next().unwrap_or("").chars().take(chars * 4).collect();
                Self::from_text(&head, chars)
            }
            other => Self::from_text(&other.to_string(), chars),
        }
    }

    /// With a place, where the error's text has none.
    pub fn or_at(mut self, place: Option<SourcePlace>) -> Self {
        self.place = self.place.or(place);
        self
    }

    fn from_text(text: &str, chars: usize) -> Self {
        let (place, message) = split_place(text);
        let memory = message == MEMORY_WORDS;
        Self { place, message: cut(message, chars), memory }
    }
}

/// Cuts a text to at most `chars` characters.
pub fn cut(text: &str, chars: usize) -> String {
    let mut short: String = text.chars().take(chars).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// `worker.luau:12: what` → the place and `what`.
pub fn split_place(text: &str) -> (Option<SourcePlace>, &str) {
    let split = || {
        let (file, rest) = text.split_once(':')?;
        let (line, message) = rest.split_once(": ")?;
        let line = line.parse().ok()?;
        let is_path = file.ends_with(".luau") || file.ends_with(".lua") || file == EVAL_NAME;
        is_path.then(|| (Some((file.to_owned(), line)), message))
    };
    split().unwrap_or((None, text))
}

/// The line of a script that called a native of the prelude, for something that every decision
/// does: the frames between them are skipped, and the name of the file is not copied.
pub fn calling_line<R>(lua: &Lua, look: impl Fn(&str, u32) -> R) -> Option<R> {
    (NATIVE_FRAMES..PLACE_FRAMES_MAX).find_map(|level| {
        lua.inspect_stack(level, |frame| {
            let line = u32::try_from(frame.current_line()?).ok().filter(|line| *line > 0)?;
            let source = frame.source();
            Some(look(source.short_src.as_deref()?, line))
        })?
    })
}

/// The innermost line of a script.
pub fn current_place(lua: &Lua) -> Option<SourcePlace> {
    (0..PLACE_FRAMES_MAX).find_map(|level| {
        lua.inspect_stack(level, |frame| {
            let file = frame.source().short_src?.into_owned();
            let line = u32::try_from(frame.current_line()?).ok().filter(|line| *line > 0)?;
            Some((file, line))
        })?
    })
}
