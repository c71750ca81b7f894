//! What operators want of a team.

use super::beginning::{carry, carry_from, options, options_from, param, param_from};
use super::value::{order, order_from, value, value_from};
use super::{Read, agent, agent_from, need};
use phalanx_engine::{BoardRead, BoardWrite, Keep, Steer, Wish};
use phalanx_game::Value;
use phalanx_proto::v1;
use phalanx_proto::v1::taped_board_read::Read as ToldRead;
use phalanx_proto::v1::taped_steer::Steer as ToldSteer;
use phalanx_proto::v1::taped_wish::Wish as Told;

pub(super) fn wish(wish: &Wish) -> Told {
    match wish {
        Wish::Role { agent: whose, role, carry: what } => {
            let (agent, role, carry) = (agent(*whose), role.clone(), carry(*what).into());
            Told::Role(v1::TapedRoleWish { agent, role, carry })
        }
        Wish::Steer { agent: whom, steer: how } => {
            Told::Steer(v1::TapedSteer { agent: agent(*whom), steer: Some(steer(how)) })
        }
        Wish::Add { name, role } => {
            Told::Add(v1::TapedAddWish { name: name.clone(), role: role.clone() })
        }
        Wish::Remove { agent: whom } => Told::Remove(v1::TapedRemoveWish { agent: agent(*whom) }),
        Wish::Leave { to, keep } => Told::Leave(v1::TapedLeaveWish {
            to: to.clone(),
            keep_world: keep.world,
            keep_memory: keep.memory,
        }),
        Wish::Return { to } => Told::ComeBack(to.clone()),
        Wish::Param { name, scope, value } => Told::Param(param(name, scope, value.as_ref())),
        Wish::Retune(to) => Told::Retune(options(to)),
        Wish::Write(it) => Told::Write(write(it)),
        Wish::Run { agent: whose, code } => {
            Told::Run(v1::TapedRunWish { agent: agent(*whose), code: code.clone() })
        }
        Wish::Look => Told::Look(v1::TapedLook {}),
        Wish::Draw => Told::Draw(v1::TapedLook {}),
        Wish::Read(it) => Told::Read(v1::TapedBoardRead { read: Some(read(it)) }),
        Wish::Profile(turns) => Told::Profile(*turns),
    }
}

pub(super) fn wish_from(told: Told) -> Read<Wish> {
    Ok(match told {
        Told::Role(told) => {
            let carry = carry_from(told.carry());
            Wish::Role { agent: agent_from(told.agent)?, role: told.role, carry }
        }
        Told::Steer(told) => {
            let steer = steer_from(need(told.steer, "steering")?)?;
            Wish::Steer { agent: agent_from(told.agent)?, steer }
        }
        Told::Add(v1::TapedAddWish { name, role }) => Wish::Add { name, role },
        Told::Remove(told) => Wish::Remove { agent: agent_from(told.agent)? },
        Told::Leave(v1::TapedLeaveWish { to, keep_world, keep_memory }) => {
            Wish::Leave { to, keep: Keep { world: keep_world, memory: keep_memory } }
        }
        Told::ComeBack(to) => Wish::Return { to },
        Told::Param(told) => {
            let (name, scope, value) = param_from(told)?;
            Wish::Param { name, scope, value }
        }
        Told::Retune(told) => Wish::Retune(options_from(told)),
        Told::Write(told) => Wish::Write(write_from(told)),
        Told::Run(told) => Wish::Run { agent: agent_from(told.agent)?, code: told.code },
        Told::Look(_) => Wish::Look,
        Told::Draw(_) => Wish::Draw,
        Told::Read(told) => Wish::Read(read_from(need(told.read, "place on the board")?)),
        Told::Profile(turns) => Wish::Profile(turns),
    })
}

fn steer(steer: &Steer) -> ToldSteer {
    match steer {
        Steer::Pause => ToldSteer::Pause(v1::TapedLook {}),
        Steer::Pin { order: what, turns } => {
            ToldSteer::Pin(v1::TapedPinWish { order: Some(order(what)), turns: *turns })
        }
        Steer::Pilot { lease } => ToldSteer::PilotLease(*lease),
        Steer::Order { order: what } => ToldSteer::Order(order(what)),
        Steer::Release => ToldSteer::Release(v1::TapedLook {}),
    }
}

fn steer_from(told: ToldSteer) -> Read<Steer> {
    Ok(match told {
        ToldSteer::Pause(_) => Steer::Pause,
        ToldSteer::Pin(v1::TapedPinWish { order, turns }) => {
            Steer::Pin { order: order_from(order)?, turns }
        }
        ToldSteer::PilotLease(lease) => Steer::Pilot { lease },
        ToldSteer::Order(order) => Steer::Order { order: order_from(Some(order))? },
        ToldSteer::Release(_) => Steer::Release,
    })
}

fn write(write: &BoardWrite) -> v1::TapedBoardWrite {
    v1::TapedBoardWrite {
        key: write.key.clone(),
        value: (write.value != Value::Nil).then(|| value(&write.value)),
        turns: write.turns,
        etag: write.etag.clone(),
        validate_only: write.validate_only,
        by: write.by.clone(),
    }
}

fn write_from(told: v1::TapedBoardWrite) -> BoardWrite {
    BoardWrite {
        key: told.key,
        value: told.value.map(value_from).unwrap_or_default(),
        turns: told.turns,
        etag: told.etag,
        validate_only: told.validate_only,
        by: told.by,
    }
}

fn read(read: &BoardRead) -> ToldRead {
    match read {
        BoardRead::Key(key) => ToldRead::Key(key.clone()),
        BoardRead::Range { prefix, after, max } => ToldRead::Range(v1::TapedBoardRange {
            prefix: prefix.clone(),
            after: after.clone(),
            max: *max as u64,
        }),
        BoardRead::Since(revision) => ToldRead::Since(*revision),
    }
}

fn read_from(told: ToldRead) -> BoardRead {
    match told {
        ToldRead::Key(key) => BoardRead::Key(key),
        ToldRead::Range(v1::TapedBoardRange { prefix, after, max }) => {
            BoardRead::Range { prefix, after, max: usize::try_from(max).unwrap_or(usize::MAX) }
        }
        ToldRead::Since(revision) => BoardRead::Since(revision),
    }
}
