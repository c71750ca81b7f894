//! The native function behind `explain`: why a script decides as it does.

use crate::dice::Phase;
use crate::failure::cut;
use crate::host::Host;
use crate::natives::{NIL, Native, native, problem};
use crate::plain::{self, describe};
use mlua::{Lua, MultiValue, Table, Value as LuaValue};
use phalanx_engine::{LogLevel, Reason};
use std::rc::Rc;

/// Longest text of a reason, in characters; the rest is cut.
const REASON_CHARS_MAX: usize = 500;
/// So many bytes hold that many characters of any script.
const REASON_BYTES_MAX: usize = REASON_CHARS_MAX * 4;

/// Adds it to the prelude's host table.
pub(crate) fn add(lua: &Lua, table: &Table, host: &Rc<Host>) -> mlua::Result<()> {
    native(lua, table, "explain", host, explain)
}

fn explain(_: &Lua, host: &Host, given: MultiValue) -> Native {
    if given.len() > 2 {
        return problem(format!("explain: takes a text and data, got {} arguments", given.len()));
    }
    let mut given = given.into_iter();
    let text = match given.next() {
        Some(LuaValue::String(text)) => {
            let bytes = text.as_bytes();
            // One byte more than needed, so that a longer text is seen to be cut.
            let head = bytes.get(..=REASON_BYTES_MAX).unwrap_or(&bytes);
            cut(&String::from_utf8_lossy(head), REASON_CHARS_MAX)
        }
        other => {
            let got = describe(&other.unwrap_or(LuaValue::Nil));
            return problem(format!("explain: expected the reason as a text, got {got}"));
        }
    };
    let data = given.next().unwrap_or(LuaValue::Nil);
    let data = match plain::read_value(&data, host.limits.value) {
        Ok(data) => data,
        Err(culprit) => return problem(format!("explain: {culprit}")),
    };
    match host.call().phase {
        Phase::Load => problem("explain: nothing is decided while files are loaded"),
        Phase::Plan => {
            let mut shared = host.link.shared.borrow_mut();
            shared.log(None, LogLevel::Debug, &format!("explain: {text}"));
            NIL
        }
        Phase::Start | Phase::Decide | Phase::Finish | Phase::Run => {
            *host.reason.borrow_mut() = Some(Reason { text, data });
            NIL
        }
    }
}
