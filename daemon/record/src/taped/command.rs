//! Commands as a recording has them, and back again.

use super::beginning::{
    carry, carry_from, options, options_from, origin, origin_from, param, param_from, staged,
};
use super::input::fault_from;
use super::value::{order, order_from, value, value_from};
use super::{Lacking, Read, Reading, agent, agent_from, need};
use phalanx_engine::{
    AddAgent, BoardRead, BoardWrite, Command, CommandRequest, CopyView, DrawWorld, InstallStrategy,
    Keep, LeaveReferee, ProfileScripts, RefuseStrategy, RemoveAgent, RetuneTeam, ReturnToReferee,
    RunScript, SetParam, SetRole, Steer, SteerAgent,
};
use phalanx_game::Value;
use phalanx_proto::v1;
use phalanx_proto::v1::taped_board_read::Read as WireBoardRead;
use phalanx_proto::v1::taped_input::Input;
use phalanx_proto::v1::taped_steer::Steer as WireSteer;
use phalanx_proto::v1::taped_wish::Wish as WireCommand;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(super) fn command(request: &CommandRequest) -> Input {
    let CommandRequest { ticket, by, command } = request;
    let message = match command {
        Command::InstallStrategy(InstallStrategy { staged: it, pinned }) => {
            let (ticket, pinned, staged) = (*ticket, *pinned, Some(staged(it)));
            return Input::Install(v1::TapedInstall { ticket, staged, pinned });
        }
        Command::RefuseStrategy(RefuseStrategy { origin: from, faults }) => {
            let faults = faults.iter().map(phalanx_convert::strategy::fault).collect();
            return Input::Refusal(v1::TapedRefusal { origin: Some(origin(from)), faults });
        }
        Command::SetRole(SetRole { agent: whose, role, carry: what }) => {
            let (agent, role, carry) = (agent(*whose), role.clone(), carry(*what).into());
            WireCommand::Role(v1::TapedRoleWish { agent, role, carry })
        }
        Command::SteerAgent(SteerAgent { agent: whom, steer: how }) => {
            WireCommand::Steer(v1::TapedSteer { agent: agent(*whom), steer: Some(steer(how)) })
        }
        Command::AddAgent(AddAgent { name, role }) => {
            WireCommand::Add(v1::TapedAddWish { name: name.clone(), role: role.clone() })
        }
        Command::RemoveAgent(RemoveAgent { agent: whom }) => {
            WireCommand::Remove(v1::TapedRemoveWish { agent: agent(*whom) })
        }
        Command::LeaveReferee(LeaveReferee { to, keep }) => {
            WireCommand::Leave(v1::TapedLeaveWish {
                to: to.clone(),
                keep_world: keep.world,
                keep_memory: keep.memory,
            })
        }
        Command::ReturnToReferee(ReturnToReferee { to }) => WireCommand::ComeBack(to.clone()),
        Command::SetParam(SetParam { name, scope, value }) => {
            WireCommand::Param(param(name, scope, value.as_ref()))
        }
        Command::RetuneTeam(RetuneTeam { options: to }) => WireCommand::Retune(options(to)),
        Command::BoardWrite(it) => WireCommand::Write(write(it, by)),
        Command::RunScript(RunScript { agent: whose, code }) => {
            WireCommand::Run(v1::TapedRunWish { agent: agent(*whose), code: code.clone() })
        }
        Command::CopyView(CopyView) => WireCommand::Look(v1::TapedLook {}),
        Command::DrawWorld(DrawWorld) => WireCommand::Draw(v1::TapedLook {}),
        Command::BoardRead(it) => WireCommand::Read(v1::TapedBoardRead { read: Some(read(it)) }),
        Command::ProfileScripts(ProfileScripts { turns }) => WireCommand::Profile(*turns),
        Command::Plain(it) => WireCommand::Plain(plain(it)),
    };
    Input::Wish(v1::TapedWish { ticket: *ticket, by: by.clone(), wish: Some(message) })
}

pub(super) fn install_from(
    reading: &Reading<'_>,
    message: v1::TapedInstall,
) -> Read<CommandRequest> {
    let v1::TapedInstall { ticket, staged, pinned } = message;
    let staged = reading.staged(need(staged, "strategy")?)?;
    Ok(CommandRequest::new(ticket, "", InstallStrategy { staged, pinned }))
}

pub(super) fn refusal_from(message: v1::TapedRefusal) -> Read<CommandRequest> {
    let origin = origin_from(need(message.origin, "origin")?)?;
    let faults = message.faults.into_iter().map(fault_from).collect();
    Ok(CommandRequest::new(0, "", RefuseStrategy { origin, faults }))
}

pub(super) fn wish_from(v1::TapedWish { ticket, by, wish }: v1::TapedWish) -> Read<CommandRequest> {
    let command = match need(wish, "wish")? {
        WireCommand::Role(message) => {
            let carry = carry_from(message.carry());
            SetRole { agent: agent_from(message.agent)?, role: message.role, carry }.into()
        }
        WireCommand::Steer(message) => {
            let steer = steer_from(need(message.steer, "steering")?)?;
            SteerAgent { agent: agent_from(message.agent)?, steer }.into()
        }
        WireCommand::Add(v1::TapedAddWish { name, role }) => AddAgent { name, role }.into(),
        WireCommand::Remove(message) => RemoveAgent { agent: agent_from(message.agent)? }.into(),
        WireCommand::Leave(v1::TapedLeaveWish { to, keep_world, keep_memory }) => {
            LeaveReferee { to, keep: Keep { world: keep_world, memory: keep_memory } }.into()
        }
        WireCommand::ComeBack(to) => ReturnToReferee { to }.into(),
        WireCommand::Param(message) => {
            let (name, scope, value) = param_from(message)?;
            SetParam { name, scope, value }.into()
        }
        WireCommand::Retune(message) => RetuneTeam { options: options_from(message) }.into(),
        WireCommand::Write(message) => write_from(message).into(),
        WireCommand::Run(message) => {
            RunScript { agent: agent_from(message.agent)?, code: message.code }.into()
        }
        WireCommand::Look(_) => CopyView.into(),
        WireCommand::Draw(_) => DrawWorld.into(),
        WireCommand::Read(message) => read_from(need(message.read, "place on the board")?).into(),
        WireCommand::Profile(turns) => ProfileScripts { turns }.into(),
        WireCommand::Plain(text) => Command::Plain(plain_from(&text)?),
    };
    Ok(CommandRequest { ticket, by, command })
}

/// A command that is plain data, as JSON. Writing it does not fail: its parts have names.
pub(crate) fn plain(command: &impl Serialize) -> String {
    serde_json::to_string(command).unwrap_or_default()
}

fn plain_from<T: DeserializeOwned>(text: &str) -> Read<T> {
    serde_json::from_str(text).map_err(|_| Lacking("command that this version knows"))
}

fn steer(steer: &Steer) -> WireSteer {
    match steer {
        Steer::Pause => WireSteer::Pause(v1::TapedLook {}),
        Steer::Pin { order: what, turns } => {
            WireSteer::Pin(v1::TapedPinWish { order: Some(order(what)), turns: *turns })
        }
        Steer::Pilot { lease } => WireSteer::PilotLease(*lease),
        Steer::Order { order: what } => WireSteer::Order(order(what)),
        Steer::Release => WireSteer::Release(v1::TapedLook {}),
    }
}

fn steer_from(message: WireSteer) -> Read<Steer> {
    Ok(match message {
        WireSteer::Pause(_) => Steer::Pause,
        WireSteer::Pin(v1::TapedPinWish { order, turns }) => {
            Steer::Pin { order: order_from(order)?, turns }
        }
        WireSteer::PilotLease(lease) => Steer::Pilot { lease },
        WireSteer::Order(order) => Steer::Order { order: order_from(Some(order))? },
        WireSteer::Release(_) => Steer::Release,
    })
}

fn write(write: &BoardWrite, by: &str) -> v1::TapedBoardWrite {
    v1::TapedBoardWrite {
        key: write.key.clone(),
        value: (write.value != Value::Nil).then(|| value(&write.value)),
        turns: write.turns,
        etag: write.etag.clone(),
        validate_only: write.validate_only,
        by: by.to_owned(),
    }
}

fn write_from(message: v1::TapedBoardWrite) -> BoardWrite {
    BoardWrite {
        key: message.key,
        value: message.value.map(value_from).unwrap_or_default(),
        turns: message.turns,
        etag: message.etag,
        validate_only: message.validate_only,
    }
}

fn read(read: &BoardRead) -> WireBoardRead {
    match read {
        BoardRead::Key(key) => WireBoardRead::Key(key.clone()),
        BoardRead::Range { prefix, after, max } => WireBoardRead::Range(v1::TapedBoardRange {
            prefix: prefix.clone(),
            after: after.clone(),
            max: *max as u64,
        }),
        BoardRead::Since(revision) => WireBoardRead::Since(*revision),
    }
}

fn read_from(message: WireBoardRead) -> BoardRead {
    match message {
        WireBoardRead::Key(key) => BoardRead::Key(key),
        WireBoardRead::Range(v1::TapedBoardRange { prefix, after, max }) => {
            BoardRead::Range { prefix, after, max: usize::try_from(max).unwrap_or(usize::MAX) }
        }
        WireBoardRead::Since(revision) => BoardRead::Since(revision),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_game::AgentId;
    use serde::Deserialize;

    /// Commands as a later version may have them.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Later {
        Say(Say),
        Limit(Limit),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Say {
        agent: AgentId,
        text: String,
        #[serde(default)]
        loud: bool,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Limit {
        share: f64,
        turns: Option<u64>,
    }

    #[test]
    fn a_plain_command_has_one_form_and_is_read_exactly() {
        let say = |loud| Later::Say(Say { agent: AgentId(3), text: "é \"\n".to_owned(), loud });
        let limit = |share, turns| Later::Limit(Limit { share, turns });
        let said = r#"{"Say":{"agent":3,"text":"é \"\n","loud":true}}"#;
        let largest = r#"{"Limit":{"share":0.1,"turns":18446744073709551615}}"#;
        // A reader of JSON that rounds reads this one's neighbour.
        let exact = r#"{"Limit":{"share":51.24817837550540,"turns":null}}"#;
        for (command, text) in [(say(true), said), (limit(0.1, Some(u64::MAX)), largest)] {
            assert_eq!(plain(&command), text);
            assert_eq!(plain_from(text), Ok(command));
        }
        let share = "51.24817837550540".parse().unwrap();
        assert_eq!(plain_from(exact), Ok(limit(share, None)));
        // A recording from before the field `loud`.
        let before = r#"{"Say":{"agent":3,"text":"é \"\n"}}"#;
        assert_eq!(plain_from(before), Ok(say(false)));
    }

    #[test]
    fn a_command_of_a_later_version_is_refused() {
        let deep = "[".repeat(100_000);
        for text in ["", "{}", "null", r#"{"Later":{}}"#, r#""Later""#, &deep] {
            let wish = Some(WireCommand::Plain(text.to_owned()));
            let read = wish_from(v1::TapedWish { ticket: 1, by: String::new(), wish });
            let refused = read.unwrap_err().to_string();
            assert_eq!(refused, "it has no command that this version knows", "{text:.20}");
        }
    }
}
