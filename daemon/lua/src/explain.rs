//! The native function behind `explain`: why a script decides as it does.

use crate::PlainLimits;
use crate::dice::CallPhase;
use crate::failure::{calling_line, cut};
use crate::host::ScriptHost;
use crate::natives::{NIL, Native, native, problem};
use crate::plain::{self, describe};
use mlua::{Lua, Table, Value as LuaValue};
use phalanx_engine::{LogLevel, Reason};
use std::rc::Rc;

/// Longest text of a reason, in characters; the rest is cut.
const REASON_CHARS_MAX: usize = 500;
/// Bytes that hold this many characters of any script.
const REASON_BYTES_MAX: usize = REASON_CHARS_MAX * 4;
/// Largest data of a reason: the journal keeps thousands of them.
const REASON_DATA: PlainLimits = PlainLimits { values: 200, text_bytes: 4 << 10, depth: 8 };

/// Adds it to the prelude's host table.
pub(crate) fn add(lua: &Lua, table: &Table, host: &Rc<ScriptHost>) -> mlua::Result<()> {
    native(lua, table, "explain", host, explain)
}

fn explain(lua: &Lua, host: &ScriptHost, (text, data): (LuaValue, LuaValue)) -> Native {
    let LuaValue::String(text) = &text else {
        let got = describe(&text);
        return problem(format!("explain: expected the reason as a text, got {got}"));
    };
    let text = {
        let bytes = text.as_bytes();
        // One byte more than needed, so that a longer text is seen to be cut.
        let head = bytes.get(..=REASON_BYTES_MAX).unwrap_or(&bytes);
        cut(&String::from_utf8_lossy(head), REASON_CHARS_MAX)
    };
    let data = match plain::read_value(&data, REASON_DATA) {
        Ok(data) => data,
        Err(culprit) => return problem(format!("explain: {culprit}")),
    };
    match host.call().phase {
        CallPhase::Load => problem("explain: nothing is decided while files are loaded"),
        CallPhase::Plan => {
            let mut shared = host.link.shared.borrow_mut();
            shared.log(None, LogLevel::Debug, &format!("explain: {text}"));
            NIL
        }
        CallPhase::Start | CallPhase::Decide | CallPhase::Finish | CallPhase::Run => {
            *host.reason.borrow_mut() = Some(Reason { text, data });
            *host.explained.borrow_mut() = calling_line(lua, |file, line| (host.file(file), line));
            NIL
        }
    }
}
