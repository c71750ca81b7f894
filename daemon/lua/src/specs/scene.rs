//! The scene that a spec sets: turns, the board, parameters.

use super::compare::show;
use super::stage::{SpecStage, native};
use crate::args::{text, whole};
use crate::natives::{NIL, Native, NativeReply, problem};
use crate::plain;
use mlua::{Lua, MultiValue, Table, Value as LuaValue};
use phalanx_engine::Scope;
use phalanx_game::Value;
use phalanx_game::sorted::Order;
use std::rc::Rc;

/// Adds the natives to the layer's host table.
pub(super) fn add(stage: &Rc<SpecStage>, table: &Table) -> mlua::Result<()> {
    native(stage, table, "turn", turn)?;
    native(stage, table, "post", post)?;
    native(stage, table, "param", param)?;
    native(stage, table, "reload", |_, stage, _: MultiValue| {
        stage.forget_roles();
        NIL
    })
}

/// Tells the turn, or goes on to a later one, or to a new round.
fn turn(_: &Lua, stage: &SpecStage, (turn, round): (LuaValue, LuaValue)) -> Native {
    let part = |value: &LuaValue| match value {
        LuaValue::Nil => Ok(None),
        value => {
            let number = whole(value).and_then(|turn| u32::try_from(turn).ok());
            number.map(Some).ok_or_else(|| format!("expected a number from 0, got {}", show(value)))
        }
    };
    let (step, round) = match part(&turn).and_then(|turn| Ok((turn, part(&round)?))) {
        Ok(parts) => parts,
        Err(reason) => return problem(format!("turn: {reason}")),
    };
    let now = stage.clock.get();
    if let Some(round) = round.filter(|round| *round != now.round) {
        stage.advance(1);
        let mut clock = stage.clock.get();
        (clock.round, clock.step) = (round, 0);
        stage.clock.set(clock);
    }
    let now = stage.clock.get().step;
    match step {
        Some(step) if step < now => {
            return problem(format!("turn: it is turn {now} already; turns only go forward"));
        }
        Some(step) if step > now => stage.advance(step - now),
        _same => {}
    }
    Ok(NativeReply::Result(LuaValue::Number(f64::from(stage.clock.get().step))))
}

/// Writes what a spec lets stand on the board.
fn post(_: &Lua, stage: &SpecStage, entries: LuaValue) -> Native {
    let LuaValue::Table(entries) = &entries else {
        return problem(format!("board: expected a table, got {}", show(&entries)));
    };
    let mut read = Vec::new();
    let limits = stage.host.limits.value;
    let mut wrong = None;
    entries.for_each(|key: LuaValue, value: LuaValue| {
        match (text(&key, limits), plain::read_value(&value, limits)) {
            (Ok(Some(key)), Ok(value)) => read.push((key, value)),
            (Ok(Some(key)), Err(culprit)) => wrong = Some(format!("{key}: {culprit}")),
            (Ok(None), _) => wrong = Some(format!("a key is a text, got {}", show(&key))),
            (Err(reason), _) => wrong = Some(reason),
        }
        Ok(())
    })?;
    read.order_by(|(a, _), (b, _)| a.cmp(b));
    let mut shared = stage.host.link.shared.borrow_mut();
    for (key, value) in read {
        if let Err(error) = shared.board.set(&key, value, "spec", None) {
            wrong = Some(error.to_string());
        }
    }
    wrong.map_or(NIL, |reason| problem(format!("board: {reason}")))
}

/// Sets a parameter for the team; all role files declare theirs first.
fn param(_: &Lua, stage: &SpecStage, (name, value): (LuaValue, LuaValue)) -> Native {
    let limits = stage.host.limits.value;
    let read = text(&name, limits).and_then(|name| {
        let name = name.ok_or("expected a name and a value")?;
        let value = plain::read_value(&value, limits).map_err(|culprit| culprit.to_string())?;
        Ok((name, value))
    });
    let (name, value) = match read {
        Ok(read) => read,
        Err(reason) => return problem(format!("fake.param: {reason}")),
    };
    if !stage.has_roles() {
        let roles: Vec<_> = stage.host.roles.borrow().iter().cloned().collect();
        // Files that fail tell so when they are asked.
        let declared = roles.iter().map(|role| stage.ready_role(role));
        let failed =
            declared.filter(Result::is_err).count() + usize::from(stage.ready_plan().is_err());
        stage.forget_roles();
        stage.leave();
        if failed > roles.len() {
            return problem("fake.param: no file of the strategy loads");
        }
    }
    let value = (value != Value::Nil).then_some(value);
    let set = stage.host.link.shared.borrow_mut().params.set(&name, Scope::Team, value.as_ref());
    match set {
        Ok(_) => NIL,
        Err(error) => problem(format!("fake.param: {error}")),
    }
}
