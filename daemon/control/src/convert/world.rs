//! Pictures of the worlds of teams.

pub(crate) use phalanx_convert::world::Wanted;

use crate::TeamView;
use phalanx_convert::world::Owner;
use phalanx_engine::Drawing;
use phalanx_proto::v1;

/// A world with all that is wanted of it.
pub(crate) fn whole(team: &dyn TeamView, drawing: &Drawing, wanted: &Wanted) -> v1::World {
    let (name, game, roster) = (team.name(), team.game(), &team.roster());
    Owner { team: name, game, roster }.whole(drawing, wanted)
}

/// The same without the layers that are as they were before.
pub(crate) fn changes(
    team: &dyn TeamView,
    drawing: &Drawing,
    before: &Drawing,
    wanted: &Wanted,
) -> v1::World {
    let (name, game, roster) = (team.name(), team.game(), &team.roster());
    Owner { team: name, game, roster }.changes(drawing, before, wanted)
}
