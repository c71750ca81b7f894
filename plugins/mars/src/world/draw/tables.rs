//! What the team works on: zones with the agents that hold them, and what the team has.

use crate::rules::MatchSide;
use crate::rules::zone::Zones;
use crate::world::World;
use phalanx_game::sorted::Order;
use phalanx_game::{Place, Row, Table, Tone};

/// The zones of one side, and who is on them.
pub(crate) struct SideZones<'a> {
    pub(crate) side: MatchSide,
    pub(crate) team: &'a str,
    pub(crate) zones: &'a Zones,
    /// Enabled agents: name and vertex.
    pub(crate) agents: Vec<(&'a str, u32)>,
}

/// The zones of both sides, the most valuable first.
pub(crate) fn zones(sides: &[SideZones<'_>]) -> Table {
    let mut rows: Vec<(i64, Row)> = sides.iter().flat_map(SideZones::rows).collect();
    rows.order_by_key(|(value, _)| std::cmp::Reverse(*value));
    let columns = [("team", ""), ("value", "points"), ("vertices", ""), ("agents", "")];
    Table::new("zones", &columns).with_rows(rows.into_iter().map(|(_, row)| row))
}

impl SideZones<'_> {
    fn rows(&self) -> Vec<(i64, Row)> {
        let rows = (0..).zip(&self.zones.values);
        rows.map(|(zone, value)| (*value, self.row(zone, *value))).collect()
    }

    fn row(&self, zone: u32, value: i64) -> Row {
        let tone = if self.side == MatchSide::A { Tone::Ours } else { Tone::Theirs };
        let mut vertices = (0..).zip(&self.zones.of).filter(|(_, of)| **of == Some(zone));
        let first = vertices.next().map(|(vertex, _)| vertex);
        let count = vertices.count() + usize::from(first.is_some());
        let inside = self.agents.iter().filter(|(_, at)| self.zones.at(*at) == Some(zone));
        let inside: Vec<_> = inside.collect();
        let names: Vec<_> = inside.iter().map(|(name, _)| *name).collect();
        let numbers = [value.to_string(), count.to_string(), names.join(", ")];
        let row = Row::new(tone, std::iter::once(self.team.to_owned()).chain(numbers));
        let row = row.about(names.first().copied().unwrap_or_default());
        let place = inside.first().map(|(_, at)| *at).or(first);
        match place {
            Some(at) => row.at(super::PART, Place::Node(at)),
            None => row,
        }
    }
}

/// What a team has, as numbers with their names.
pub(super) fn standing(world: &World) -> Table {
    let team = &world.standing;
    let numbers = [
        ("score", team.score, "points"),
        ("last step", team.last_step_score, "points"),
        ("zones", team.zones_score, "points"),
        ("money", team.money, ""),
        ("achievements", i64::try_from(world.achievements.len()).ok(), ""),
    ];
    let rows = numbers.map(|(name, number, unit)| {
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        Row::new(Tone::Ours, [name.to_owned(), number, unit.to_owned()])
    });
    Table::new("standing", &[("what", ""), ("amount", ""), ("unit", "")]).with_rows(rows)
}
