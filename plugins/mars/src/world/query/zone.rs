//! What placements are worth, and where to stand.

use super::super::chart::VertexId;
use super::super::zones::{
    COUNT_MAX, EFFORT, EFFORT_MAX, PlacementGoal, PlacementQuery, ZoneStage, best_site,
};
use super::Ask;
use crate::percept::text;
use crate::rules::MatchSide;
use crate::rules::zone::Zones;
use phalanx_game::{QueryError, Value};

impl Ask<'_> {
    /// The map with the enemies that an option names: those that are believed in, unless `enemies`
    /// is a list of vertices with enemies on them.
    fn stage_with_enemies(&self, enemies: Option<Vec<&str>>) -> ZoneStage {
        let mut stage = self.stage();
        let enemies = match enemies {
            Some(names) => self.known(&names),
            None => self.world.enemy_vertices(),
        };
        stage.put(MatchSide::B, &enemies);
        stage
    }

    pub(super) fn zones(&self) -> Result<Value, QueryError> {
        let options = self.args.options(1)?;
        let own = match self.args.get(0) {
            None => self.world.own_vertices(),
            Some(_) => self.known(&self.args.names(0)?),
        };
        let mut stage = self.stage_with_enemies(options.names("enemies"));
        stage.put(MatchSide::A, &own);
        let owners = stage.owners().to_vec();
        let zones = Zones::new(stage.links(), &owners, MatchSide::A, stage.worth());
        let zone = |(number, value): (u32, &i64)| {
            let members = (0..).zip(&zones.of).filter(|(_, zone)| **zone == Some(number));
            let members: Vec<VertexId> = members.map(|(vertex, _)| vertex).collect();
            Value::map([("value", (*value).into()), ("vertices", self.names(&members))])
        };
        let owned = |side: MatchSide| {
            let owned = (0..).zip(&owners).filter(|(_, owner)| **owner == Some(side));
            owned.map(|(vertex, _)| vertex).collect::<Vec<VertexId>>()
        };
        let list: Vec<Value> = if options.flag("vertices") {
            (0..).zip(&zones.values).map(zone).collect()
        } else {
            Vec::new()
        };
        Ok(Value::map([
            ("value", zones.total().into()),
            ("lead", stage.lead().into()),
            ("best", zones.best().into()),
            ("own", super::count(owned(MatchSide::A).len())),
            ("enemy", super::count(owned(MatchSide::B).len())),
            ("zones", Value::List(list)),
        ]))
    }

    /// What the zones are worth if the agent stays, or goes to a neighbour, while all others stand
    /// where they are or where `others` says.
    pub(super) fn moves(&self) -> Result<Value, QueryError> {
        let options = self.args.options(0)?;
        let Some(at) = self.at() else { return Ok(Value::List(Vec::new())) };
        let others = match options.names("others") {
            Some(names) => self.known(&names),
            None => self.mates_without_me(),
        };
        let mut stage = self.stage_with_enemies(options.names("enemies"));
        stage.put(MatchSide::A, &others);
        let roads = self.world.chart.roads(at).iter().map(|road| (road.to, road.weight));
        let mut moves = Vec::new();
        for (to, weight) in std::iter::once((at, Some(0))).chain(roads) {
            moves.push(Value::map([
                ("name", self.name(to)),
                ("weight", weight.into()),
                ("value", stage.value_if(None, Some(to)).into()),
            ]));
        }
        Ok(Value::List(moves))
    }

    fn mates_without_me(&self) -> Vec<VertexId> {
        let mates = self.world.standing_mates().filter(|(agent, _)| *agent != self.agent);
        mates.map(|(_, at)| at).collect()
    }

    /// What each own agent's place is worth: what the zones would lose without it.
    pub(super) fn holding(&self) -> Value {
        let mut stage = self.stage_with_enemies(None);
        stage.put(MatchSide::A, &self.world.own_vertices());
        let value = stage.value();
        let mut list = Vec::new();
        for (agent, mate) in self.world.present_mates() {
            let Some(at) = mate.at else { continue };
            let loss = if mate.own.disabled() { 0 } else { value - stage.value_if(Some(at), None) };
            list.push(Value::map([
                ("name", self.world.roster.of(agent).to_owned().into()),
                ("vertex", self.name(at)),
                ("loss", loss.into()),
            ]));
        }
        Value::List(list)
    }

    /// What it is worth to disable each enemy whose place is believed in.
    pub(super) fn prey(&self) -> Value {
        let mut stage = self.stage_with_enemies(None);
        stage.put(MatchSide::A, &self.world.own_vertices());
        let lead = stage.lead();
        let standing = self.world.enemies().filter(|enemy| !enemy.disabled && !enemy.gone);
        let prey = standing.filter_map(|enemy| {
            let at = enemy.at?;
            Some(Value::map([
                ("name", text(&enemy.name)),
                ("vertex", self.name(at)),
                ("gain", (stage.lead_without(at) - lead).into()),
            ]))
        });
        Value::List(prey.collect())
    }

    pub(super) fn best_zone(&self) -> Result<Value, QueryError> {
        let expected = "how many agents";
        let count = self.args.count(0, COUNT_MAX)?.ok_or_else(|| self.args.wrong(0, expected))?;
        let options = self.args.options(1)?;
        let mut stage = self.stage_with_enemies(options.names("enemies"));
        let wish = PlacementQuery {
            count,
            fixed: self.known(&options.names("fixed").unwrap_or_default()),
            within: self.known(&options.names("within").unwrap_or_default()),
            effort: options.count("effort").unwrap_or(EFFORT).min(EFFORT_MAX),
            aim: if options.flag("against") { PlacementGoal::Lead } else { PlacementGoal::Own },
        };
        let site = best_site(&mut stage, &wish);
        Ok(Value::map([
            ("value", site.value.into()),
            ("vertices", self.names(&site.vertices)),
            ("missing", super::count(site.missing)),
            ("spent", site.spent.into()),
        ]))
    }
}
