//! Pictures of the worlds of teams.

pub(crate) use phalanx_convert::world::{Wanted, truth};

use crate::ServedTeam;
use phalanx_convert::world::Owner;
use phalanx_engine::Drawing;
use phalanx_proto::v1;

/// A world with all that is wanted of it.
pub(crate) fn whole(team: &ServedTeam, drawing: &Drawing, wanted: &Wanted) -> v1::World {
    let (name, game, roster) = (team.name(), team.handle.game(), &team.handle.roster());
    Owner { team: name, game, roster }.whole(drawing, wanted)
}

/// The same without the layers that are as they were before.
pub(crate) fn changes(
    team: &ServedTeam,
    drawing: &Drawing,
    before: &Drawing,
    wanted: &Wanted,
) -> v1::World {
    let (name, game, roster) = (team.name(), team.handle.game(), &team.handle.roster());
    Owner { team: name, game, roster }.changes(drawing, before, wanted)
}
