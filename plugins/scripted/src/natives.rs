//! What the game's files get besides Luau's library: what sessions report, and random numbers.

use crate::percept::{self, Reported, WHOLE};
use crate::steps::refuse;
use mlua::{Function, Lua, LuaString, Table, Value as LuaValue};
use phalanx_game::Value;
use phalanx_luau::plain::{self, Culprit};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Most reports of a call.
const REPORTS_MAX: usize = 4_096;

/// What a session's script reports: the name of the native and its arguments.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) name: &'static str,
    pub(crate) args: Vec<Value>,
    /// A percept that stayed with the host; the argument has nil in its place.
    pub(crate) percept: Option<Reported>,
}

/// The reports of the running call; `None` while no session runs.
pub(crate) type Outbox = RefCell<Option<Vec<Report>>>;

/// What the host uses of `ask` and `percept`, besides the percept.
const ASK_FIELDS: [&str; 5] = ["agent", "step", "deadline", "sent", "tag"];

/// The natives of a session.
const REPORTS: [&str; 13] = [
    "send",
    "seated",
    "refused",
    "started",
    "ask",
    "percept",
    "out",
    "ended",
    "finished",
    "unknown",
    "malformed",
    "answer_lost",
    "hang_up",
];

/// Names of Luau's library that a game does not get: what is random must come from the seed.
const HIDDEN: [(&str, &str); 2] = [("math", "random"), ("math", "randomseed")];

/// The environment of all files.
pub(crate) fn environment(
    lua: &Lua,
    outbox: &Rc<Outbox>,
    (prelude, kit): (&Table, Table),
) -> mlua::Result<Table> {
    let globals = lua.globals();
    // The files of the game have their own.
    globals.raw_set("require", LuaValue::Nil)?;
    for (library, name) in HIDDEN {
        globals.raw_get::<Table>(library)?.raw_set(name, LuaValue::Nil)?;
    }
    let names = lua.create_table()?;
    for name in REPORTS {
        names.raw_set(name, reporter(lua, outbox, name)?)?;
    }
    names.raw_set("roll", lua.create_function(roll)?)?;
    names.raw_set("kit", kit)?;
    let meta = lua.create_table()?;
    meta.raw_set("__index", &globals)?;
    names.set_metatable(Some(meta))?;
    let seal: Function = prelude.raw_get("seal")?;
    seal.call(names)
}

fn reporter(lua: &Lua, outbox: &Rc<Outbox>, name: &'static str) -> mlua::Result<Function> {
    let outbox = Rc::clone(outbox);
    let (key, has_percept) = (lua.create_string("percept")?, ["ask", "percept"].contains(&name));
    let fields = ASK_FIELDS.map(|field| Ok((field, lua.create_string(field)?)));
    let fields: Vec<_> = fields.into_iter().collect::<mlua::Result<_>>()?;
    lua.create_function(move |lua, args: mlua::Variadic<LuaValue>| {
        let mut outbox = outbox.borrow_mut();
        let Some(reports) = outbox.as_mut() else {
            let what = format!(
                "{name}: only functions of session.luau that handle something \
                may call it, not `encode`"
            );
            return Err(refuse(lua, &what));
        };
        if reports.len() >= REPORTS_MAX {
            return Err(refuse(lua, &format!("{name}: a call may report {REPORTS_MAX} things")));
        }
        let refused = |culprit: Culprit| refuse(lua, &format!("{name}: {culprit}"));
        let table = args.first().and_then(LuaValue::as_table).filter(|_| has_percept);
        let percept: Option<Table> = table.and_then(|table| table.raw_get(&key).ok());
        let reported = percept.as_ref().and_then(percept::reported).transpose();
        let reported = reported.map_err(refused)?;
        let times = Cell::new(0);
        let resolve = |table: &Table| {
            if reported.is_none() || percept.as_ref() != Some(table) {
                return percept::copied(table);
            }
            times.set(times.get() + 1);
            let again = || Culprit::new("a percept is in this report twice");
            Some(if times.get() > 1 { Err(again()) } else { Ok(Value::Nil) })
        };
        let read_field = |table: &Table, (name, key): &(&'static str, LuaString)| {
            let value = table.raw_get(key).unwrap_or(LuaValue::Nil);
            let value = plain::read_resolved(&value, WHOLE, &resolve);
            Ok((Cow::Borrowed(*name), value.map_err(|culprit| culprit.in_field(name))?))
        };
        let read = |value: &LuaValue| match value.as_table() {
            // Only what the host uses: to walk the table costs more.
            Some(table) if reported.is_some() && !table.has_metatable() => {
                times.set(times.get() + 1);
                let fields = fields.iter().map(|field| read_field(table, field));
                fields.collect::<Result<_, _>>().map(Value::Map)
            }
            _other => plain::read_resolved(value, WHOLE, &resolve),
        };
        let args: Result<Vec<_>, _> = args.iter().map(read).collect();
        let args = args.map_err(refused)?;
        reports.push(Report { name, args, percept: reported });
        Ok(())
    })
}

/// `roll(rng, low, high)`: a whole number of the sequence that `rng.seed` begins. `rng.drawn` counts
/// the numbers that were drawn, so that the state says all.
fn roll(lua: &Lua, (rng, low, high): (Table, f64, f64)) -> mlua::Result<f64> {
    let whole = |value: f64| value.fract() == 0.0 && value.abs() <= 2_f64.powi(53);
    if !whole(low) || !whole(high) || low > high {
        return Err(refuse(lua, "roll(rng, low, high): expected whole numbers, low <= high"));
    }
    let seed: f64 = rng.raw_get::<Option<f64>>("seed")?.unwrap_or(0.0);
    let drawn: f64 = rng.raw_get::<Option<f64>>("drawn")?.unwrap_or(0.0);
    rng.raw_set("drawn", drawn + 1.0)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole numbers in range; a cast saturates"
    )]
    let (seed, drawn, span) = (seed as i64 as u64, drawn.max(0.0) as u64, (high - low) as u64 + 1);
    let mut source = ChaCha8Rng::seed_from_u64(seed);
    source.set_word_pos(u128::from(drawn) * 2);
    let offset = (u128::from(source.next_u64()) * u128::from(span)) >> 64;
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    let offset = offset as f64;
    Ok(low + offset)
}
