//! Luau's own library within bounds, so that each native call does a short piece of work.

use crate::{pace, trusted};
use memchr::memmem;
use mlua::{Function, Lua, LuaString, Table, Value as LuaValue};

const LIBRARY: &str = include_str!("library.luau");

/// Replaces the functions of Luau's library that could run for long. Call it before the VM is
/// sandboxed.
///
/// # Errors
/// The VM's own: no memory.
pub fn bound(lua: &Lua) -> mlua::Result<()> {
    trusted(lua, LIBRARY)?.call(natives(lua)?)
}

/// What Luau's own library gets from the host, so that it stays within its bounds.
fn natives(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("find_plain", lua.create_function(find_plain)?)?;
    let is_native = |_: &Lua, function: Function| Ok(function.info().what == "C");
    table.raw_set("is_native", lua.create_function(is_native)?)?;
    Ok(table)
}

/// A plain search checks the time after this many bytes. Longer texts are not searched for.
const SEARCH_BYTES_MAX: usize = 1 << 20;

/// `string.find` for plain text: the VM's own takes the product of both lengths, this one their sum.
fn find_plain(
    lua: &Lua,
    (text, wanted, init, _plain): (LuaString, LuaString, Option<f64>, LuaValue),
) -> mlua::Result<(Option<f64>, Option<f64>)> {
    let (text, wanted) = (text.as_bytes(), wanted.as_bytes());
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "a cast saturates, and NaN is the start")]
    let init = init.map_or(1, |init| init as i64);
    let init = if init < 0 { init.saturating_add(length).saturating_add(1) } else { init };
    let skipped = usize::try_from(init.saturating_sub(1)).unwrap_or(0);
    if wanted.len() > SEARCH_BYTES_MAX {
        return Err(mlua::Error::runtime(format!(
            "string.find: the text to find has {} bytes, at most {SEARCH_BYTES_MAX}",
            wanted.len()
        )));
    }
    let finder = memmem::Finder::new(&wanted[..]);
    let mut found = None;
    let mut from = skipped;
    // Each piece reaches as far into the next one as a text that begins in it can.
    while let Some(rest) = text.get(from..).filter(|rest| rest.len() >= wanted.len()) {
        let piece = rest.get(..SEARCH_BYTES_MAX + wanted.len()).unwrap_or(rest);
        found = finder.find(piece).map(|at| from + at);
        if found.is_some() || piece.len() == rest.len() {
            break;
        }
        from += SEARCH_BYTES_MAX;
        pace::pause(lua)?;
    }
    #[expect(clippy::cast_precision_loss, reason = "no text is that long")]
    let place = |at: usize| (Some((at + 1) as f64), Some((at + wanted.len()) as f64));
    Ok(found.map_or((None, None), place))
}
