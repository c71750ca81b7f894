//! `kit`: what scripts of a game need often and Luau would be slow at. All functions take plain data
//! and return plain data, so nothing of them is kept between calls.

mod graph;
mod grid;
mod percept;

use crate::manifest::PerceptForm;
use crate::steps::{Steps, refuse};
use mlua::{Lua, Table, Value as LuaValue};
use phalanx_luau::trusted;
use std::rc::Rc;

/// The part in Luau.
const LIBRARY: &str = include_str!("kits.luau");

/// The table `kit`.
pub(crate) fn kit(lua: &Lua, steps: &Rc<Steps>, form: Option<&PerceptForm>) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    grid::install(lua, &native, steps)?;
    graph::install(lua, &native, steps)?;
    percept::install(lua, &native, (steps, form))?;
    trusted(lua, LIBRARY)?.call(native)
}

/// A function of the kits that refuses something names itself and the line of its caller.
fn wrong(lua: &Lua, function: &str, what: &str) -> mlua::Error {
    refuse(lua, &format!("kit.{function}: {what}"))
}

/// A whole number that a script wrote.
fn whole(value: &LuaValue) -> Option<i32> {
    let number = value.as_f64().or_else(|| value.as_i64().map(|int| int as f64))?;
    let in_range = number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    in_range.then_some(number as i32)
}
