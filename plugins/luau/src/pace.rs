//! Long work of natives in pieces, so that the VM's interrupt comes between them.

use mlua::{Function, Lua};

/// The prelude's function that does nothing: the interrupt comes when it returns.
const PAUSE: &str = "phalanx.pause";

/// Texts that a native hands to a script in one piece. The VM compares each new text with those
/// that fall on the same place of its table, and a script can choose texts that all do.
const TEXTS_PER_PAUSE: u32 = 32;

/// Gives a VM its function for pauses.
pub fn arm(lua: &Lua, pause: Function) -> mlua::Result<()> {
    lua.set_named_registry_value(PAUSE, pause)
}

/// Lets the interrupt come, which fails when the time of the call is over. It comes at the same
/// places each time that the same work is done, as the count of interrupts demands.
pub fn pause(lua: &Lua) -> mlua::Result<()> {
    // A VM without scripts has none.
    match lua.named_registry_value::<Option<Function>>(PAUSE)? {
        Some(pause) => pause.call(()),
        None => Ok(()),
    }
}

/// Counts the texts of one native.
#[derive(Debug, Default)]
pub struct Pace {
    texts: u32,
}

impl Pace {
    /// One more text was handed over.
    pub fn text(&mut self, lua: &Lua) -> mlua::Result<()> {
        self.texts += 1;
        if self.texts < TEXTS_PER_PAUSE {
            return Ok(());
        }
        self.texts = 0;
        pause(lua)
    }
}
