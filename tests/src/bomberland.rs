//! What a replay of Bomberland shows of a match: how a team lost lives, and how busy it was.

use serde_json::Value;
use std::collections::BTreeMap;

/// A column and a row.
type Cell = (i64, i64);

/// The hits that a team brought upon itself, counted with caution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blunders {
    /// Lives that its units lost while a blast of the team was in their cell, even if other fire
    /// was there, too.
    pub hits: u32,
    /// Units whose last life it was.
    pub losses: u32,
    /// Lives lost right after a step into a cell that was known to burn: when the step was decided
    /// a blast was there that would last, or a bomb lay in line whose fuse would end. A step into the
    /// ring of fire is none: a unit that burns anyway may have to go through it.
    pub walked_into: u32,
}

/// Lives that a team lost, by cause, and the orders of its units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// In a blast of the own team.
    pub own: u32,
    /// In the ring of fire.
    pub ring: u32,
    /// In an enemy's blast while frozen.
    pub frozen: u32,
    /// In an enemy's blast after [`STILL`] ticks without a step, though not frozen.
    pub shut_in: u32,
    /// In an enemy's blast otherwise.
    pub other: u32,
    /// Ticks of living units that were not frozen.
    pub unit_ticks: u32,
    /// Those in which an order was carried out.
    pub ordered: u32,
}

impl std::ops::AddAssign for Losses {
    fn add_assign(&mut self, more: Self) {
        self.own += more.own;
        self.ring += more.ring;
        self.frozen += more.frozen;
        self.shut_in += more.shut_in;
        self.other += more.other;
        self.unit_ticks += more.unit_ticks;
        self.ordered += more.ordered;
    }
}

/// Ticks without a step after which a hit counts as one on a unit that was shut in.
pub const STILL: i64 = 7;

/// What a team did wrong in a replay, as the arena or the original engine writes it: `a` or `b`.
#[must_use]
pub fn blunders(replay: &Value, team: &str) -> Blunders {
    read(replay, team).found
}

/// How a team lost lives in a replay.
#[must_use]
pub fn losses(replay: &Value, team: &str) -> Losses {
    read(replay, team).losses
}

fn read<'a>(replay: &Value, team: &'a str) -> Reader<'a> {
    let packet = replay.get("payload").unwrap_or(replay);
    let mut reader = Reader { team, ..Reader::default() };
    let start = field(packet, "initial_state");
    for entity in list(field(start, "entities")) {
        reader.place(entity);
    }
    let units = field(start, "unit_state").as_object();
    for unit in units.into_iter().flat_map(|units| units.values()) {
        reader.lives.insert(text(field(unit, "unit_id")), field(unit, "hp").as_i64().unwrap_or(0));
        if field(unit, "agent_id") == team {
            reader.bodies.insert(text(field(unit, "unit_id")), Body::default());
        }
    }
    for tick in list(field(packet, "history")) {
        reader.tick(field(tick, "tick").as_i64().unwrap_or(0), list(field(tick, "events")));
    }
    reader
}

/// A unit of the team.
#[derive(Clone, Copy, Default)]
struct Body {
    /// The last tick in which it cannot move.
    stunned: i64,
    /// The last tick in which it walked.
    walked: i64,
}

#[derive(Clone)]
struct Fire {
    /// The team that caused the blast; the ring of fire has none.
    owner: String,
    /// The tick in which it is out; `None` for ever.
    out: Option<i64>,
}

impl Fire {
    fn lasts(&self, tick: i64) -> bool {
        self.out.is_none_or(|out| out > tick)
    }
}

/// The state of a match, as far as it matters for who burns in what.
#[derive(Default)]
struct Reader<'a> {
    team: &'a str,
    /// Cells on fire.
    fires: BTreeMap<Cell, Fire>,
    /// Cells with bombs, and when they go off.
    bombs: BTreeMap<Cell, i64>,
    /// The same as of one tick before, and who has walked since.
    fires_before: BTreeMap<Cell, Fire>,
    bombs_before: BTreeMap<Cell, i64>,
    walked: Vec<String>,
    /// The last tick in which something happened.
    last: i64,
    lives: BTreeMap<String, i64>,
    bodies: BTreeMap<String, Body>,
    found: Blunders,
    losses: Losses,
}

impl Reader<'_> {
    fn tick(&mut self, now: i64, events: &[Value]) {
        self.count(now, events);
        let quiet = self.last + 1 < now;
        let walked = std::mem::take(&mut self.walked);
        let walked = if quiet { Vec::new() } else { walked };
        let known_fires = std::mem::replace(&mut self.fires_before, self.fires.clone());
        let known_bombs = std::mem::replace(&mut self.bombs_before, self.bombs.clone());
        self.last = now;
        let burning = self.fires.iter().map(|(cell, fire)| (*cell, fire.owner.clone()));
        let mut burning: BTreeMap<Cell, String> = burning.collect();
        let mut lit: BTreeMap<Cell, Vec<(String, bool)>> = BTreeMap::new();
        let mut hurt = Vec::new();
        // Orders are carried out after units have burnt.
        let mut ordered = false;
        for event in events {
            ordered |= field(event, "type") == "unit";
            match field(event, "type").as_str() {
                Some("entity_spawned") => {
                    if let Some((cell, owner)) = self.place(field(event, "data")) {
                        lit.entry(cell).or_default().push((owner, ordered));
                    }
                }
                Some("entity_state") => {
                    self.place(field(event, "updated_entity"));
                }
                Some("entity_expired") => {
                    let cell = pair(field(event, "data"));
                    self.fires.remove(&cell);
                    self.bombs.remove(&cell);
                    // A blast that ends, or that the ring of fire replaces, is gone before units burn.
                    burning.remove(&cell);
                }
                Some("unit") if field(field(event, "data"), "type") == "move" => {
                    self.walked.push(text(field(field(event, "data"), "unit_id")));
                }
                Some("unit_state") => {
                    let hit = self.hurt(field(event, "data"));
                    hurt.extend(hit.map(|hit| {
                        let fire = burning.get(&hit.1).cloned();
                        (hit, fire, ordered)
                    }));
                }
                _ => {}
            }
        }
        // The explosion is reported after the hit.
        for ((unit, cell, left), fire, by_order) in hurt {
            let new = lit.get(&cell).into_iter().flatten();
            let new = new.filter(|(_, ordered)| by_order || !ordered).map(|(owner, _)| owner);
            let owners: Vec<&str> = fire.iter().chain(new).map(String::as_str).collect();
            if owners.contains(&self.team) {
                self.found.hits += 1;
                self.found.losses += u32::from(left <= 0);
            }
            self.lose(now, &unit, &owners);
            let blast = known_fires.get(&cell).filter(|fire| fire.out.is_some());
            let burns = blast.is_some_and(|fire| fire.lasts(now));
            let in_line = |bomb: &Cell| bomb.0 == cell.0 || bomb.1 == cell.1;
            let mut due = known_bombs.iter().filter(|(_, expires)| **expires == now);
            let known = burns || due.any(|(bomb, _)| in_line(bomb));
            self.found.walked_into += u32::from(known && walked.contains(&unit));
        }
    }

    /// Counts the ticks of living units that are not frozen, and orders that were carried out.
    fn count(&mut self, now: i64, events: &[Value]) {
        for (name, body) in &self.bodies {
            let free = (now - self.last.max(body.stunned)).max(0);
            if self.lives.get(name).is_some_and(|lives| *lives > 0) {
                self.losses.unit_ticks += u32::try_from(free).unwrap_or(0);
            }
        }
        for event in events.iter().filter(|event| field(event, "type") == "unit") {
            let order = field(event, "data");
            let Some(body) = self.bodies.get_mut(&text(field(order, "unit_id"))) else { continue };
            self.losses.ordered += 1;
            if field(order, "type") == "move" {
                body.walked = now;
            }
        }
    }

    /// Counts a life that a unit lost by its cause; `owners` are the teams whose fire was there.
    fn lose(&mut self, now: i64, unit: &str, owners: &[&str]) {
        let body = self.bodies.get(unit).copied().unwrap_or_default();
        let losses = &mut self.losses;
        *(if owners.contains(&self.team) {
            &mut losses.own
        } else if owners.iter().all(|owner| owner.is_empty()) {
            &mut losses.ring
        } else if body.stunned >= now - 1 {
            &mut losses.frozen
        } else if now - body.walked >= STILL {
            &mut losses.shut_in
        } else {
            &mut losses.other
        }) += 1;
    }

    /// Notes what is in a cell; answers its owner when it burns.
    fn place(&mut self, entity: &Value) -> Option<(Cell, String)> {
        let cell = (field(entity, "x").as_i64()?, field(entity, "y").as_i64()?);
        let out = field(entity, "expires").as_i64();
        // A blast that goes over the ring of fire becomes its owner's, but the ring burns on.
        let owner = if out.is_some() { text(field(entity, "agent_id")) } else { String::new() };
        self.fires.remove(&cell);
        self.bombs.remove(&cell);
        match field(entity, "type").as_str() {
            Some("x") => {
                self.fires.insert(cell, Fire { owner: owner.clone(), out });
                return Some((cell, owner));
            }
            Some("b") => {
                self.bombs.insert(cell, out?);
            }
            _ => {}
        }
        None
    }

    /// Which of the team's living units lost a life, where, and how many it has left.
    fn hurt(&mut self, unit: &Value) -> Option<(String, Cell, i64)> {
        let left = field(unit, "hp").as_i64()?;
        let name = text(field(unit, "unit_id"));
        if let Some(body) = self.bodies.get_mut(&name) {
            body.stunned = field(unit, "stunned").as_i64().unwrap_or(0);
        }
        let before = self.lives.insert(name.clone(), left)?;
        let ours = field(unit, "agent_id") == self.team && before > 0 && left < before;
        ours.then(|| (name, pair(field(unit, "coordinates")), left))
    }
}

/// A field of an object; null where there is none.
fn field<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The cell that two numbers name.
fn pair(value: &Value) -> Cell {
    let number = |index: usize| value.get(index).and_then(Value::as_i64).unwrap_or(-1);
    (number(0), number(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn unit(name: &str, team: &str, hp: i64, x: i64) -> Value {
        json!({ "unit_id": name, "agent_id": team, "hp": hp, "coordinates": [x, 0] })
    }

    fn fire(x: i64, owner: Option<&str>) -> Value {
        let mut entity = json!({ "type": "x", "x": x, "y": 0, "created": 1 });
        if let Some(owner) = owner {
            entity["agent_id"] = owner.into();
            entity["expires"] = 99.into();
        }
        entity
    }

    fn spawned(entity: Value) -> Value {
        json!({ "type": "entity_spawned", "data": entity })
    }

    fn state(unit: Value) -> Value {
        json!({ "type": "unit_state", "data": unit })
    }

    fn count(ticks: &[Vec<Value>]) -> Blunders {
        let units = json!({ "c": unit("c", "a", 2, 3), "d": unit("d", "b", 2, 3) });
        let history: Vec<Value> = (1..)
            .zip(ticks)
            .map(|(tick, events)| json!({ "tick": tick, "events": events }))
            .collect();
        let initial = json!({ "unit_state": units, "entities": [] });
        let packet = json!({ "payload": { "initial_state": initial, "history": history } });
        blunders(&packet, "a")
    }

    #[test]
    fn an_explosion_of_the_own_bomb_is_told_after_its_hit() {
        let tick = vec![state(unit("c", "a", 1, 3)), spawned(fire(3, Some("a")))];
        assert_eq!(count(&[tick]), Blunders { hits: 1, losses: 0, walked_into: 0 });
    }

    #[test]
    fn a_blast_that_still_burns_takes_the_last_life() {
        let lit = vec![spawned(fire(3, Some("a")))];
        let last = vec![state(unit("c", "a", 0, 3))];
        let corpse = vec![state(unit("c", "a", -1, 3))];
        assert_eq!(count(&[lit, last, corpse]), Blunders { hits: 1, losses: 1, walked_into: 0 });
    }

    #[test]
    fn other_fire_and_other_units_do_not_count() {
        let foe = vec![state(unit("c", "a", 1, 3)), spawned(fire(3, Some("b")))];
        let gone = vec![json!({ "type": "entity_expired", "data": [3, 0] })];
        let ring = vec![spawned(fire(3, None)), state(unit("c", "a", 0, 3))];
        let theirs = vec![state(unit("d", "b", 1, 3)), spawned(fire(3, Some("a")))];
        assert_eq!(count(&[foe, gone, ring, theirs]), Blunders::default());
    }

    fn walk() -> Value {
        json!({ "type": "unit", "agent_id": "a", "data": { "type": "move", "unit_id": "c" } })
    }

    fn hit() -> Vec<Value> {
        vec![state(unit("c", "a", 1, 3)), spawned(fire(3, Some("b")))]
    }

    #[test]
    fn a_step_towards_a_fuse_that_ends_is_a_step_into_a_known_blast() {
        let bomb = |y: i64| {
            let due = json!({ "type": "b", "x": 5, "y": y, "created": 1, "expires": 3 });
            vec![spawned(due)]
        };
        let known = Blunders { walked_into: 1, ..Blunders::default() };
        assert_eq!(count(&[bomb(0), vec![walk()], hit()]), known);
        assert_eq!(count(&[bomb(5), vec![walk()], hit()]), Blunders::default());
        // Who stood there, or walked when the bomb was put, could not know better.
        assert_eq!(count(&[bomb(0), vec![], hit()]), Blunders::default());
        let together = [bomb(0), vec![walk()]].concat();
        assert_eq!(count(&[vec![], together, hit()]), Blunders::default());
    }

    #[test]
    fn a_step_into_fire_counts_unless_the_fire_came_with_it() {
        let lit = vec![spawned(fire(3, Some("b")))];
        let burns = vec![state(unit("c", "a", 1, 3))];
        let known = Blunders { walked_into: 1, ..Blunders::default() };
        assert_eq!(count(&[lit.clone(), vec![walk()], burns.clone()]), known);
        let together = [lit, vec![walk()]].concat();
        assert_eq!(count(&[together, burns.clone()]), Blunders::default());
        let ring = vec![spawned(fire(3, None))];
        assert_eq!(count(&[ring, vec![walk()], burns]), Blunders::default());
    }

    fn lost(ticks: &[Vec<Value>]) -> Losses {
        let units = json!({ "c": unit("c", "a", 3, 3), "d": unit("d", "b", 3, 3) });
        let history: Vec<Value> = (1..)
            .zip(ticks)
            .map(|(tick, events)| json!({ "tick": tick, "events": events }))
            .collect();
        losses(&json!({ "initial_state": { "unit_state": units }, "history": history }), "a")
    }

    #[test]
    fn a_life_has_one_cause() {
        let hit_by =
            |owner: Option<&str>| vec![state(unit("c", "a", 2, 3)), spawned(fire(3, owner))];
        let mut frozen = unit("c", "a", 3, 3);
        frozen["stunned"] = 9.into();
        let mut frozen_hit = frozen.clone();
        frozen_hit["hp"] = 2.into();
        let hit_while_frozen = vec![state(frozen_hit), spawned(fire(3, Some("b")))];
        let still = vec![Vec::new(); 6];
        let cases = [
            (vec![hit_by(Some("a"))], Losses { own: 1, ..Losses::default() }),
            (vec![hit_by(None)], Losses { ring: 1, ..Losses::default() }),
            (
                vec![vec![state(frozen)], hit_while_frozen],
                Losses { frozen: 1, ..Losses::default() },
            ),
            (vec![vec![walk()], hit_by(Some("b"))], Losses { other: 1, ..Losses::default() }),
            ([still, vec![hit_by(Some("b"))]].concat(), Losses { shut_in: 1, ..Losses::default() }),
        ];
        for (ticks, expected) in cases {
            let found = lost(&ticks);
            assert_eq!(Losses { unit_ticks: 0, ordered: 0, ..found }, expected, "{ticks:?}");
        }
    }

    #[test]
    fn the_ring_of_fire_burns_on_where_an_own_blast_went_over_it() {
        let mut burnt = fire(3, Some("a"));
        burnt["expires"] = Value::Null;
        let found = lost(&[vec![spawned(burnt)], vec![state(unit("c", "a", 2, 3))]]);
        assert_eq!((found.own, found.ring), (0, 1));
    }

    #[test]
    fn a_unit_that_burns_and_puts_a_bomb_there_in_the_same_tick_lost_no_life_to_the_bomb() {
        let order =
            json!({ "type": "unit", "agent_id": "a", "data": { "type": "bomb", "unit_id": "c" } });
        let bursts = vec![state(unit("c", "a", 2, 3)), order, spawned(fire(3, Some("a")))];
        let found = lost(&[vec![spawned(fire(3, None))], bursts]);
        assert_eq!((found.own, found.ring), (0, 1));
    }

    #[test]
    fn an_own_blast_that_ends_in_the_tick_of_the_hit_is_not_its_cause() {
        let lit = vec![spawned(fire(3, Some("a")))];
        let ends = vec![json!({ "type": "entity_expired", "data": [3, 0] })];
        let replaced = [ends.clone(), vec![spawned(fire(3, None))]].concat();
        let burns = vec![state(unit("c", "a", 2, 3))];
        let found = |tick: Vec<Value>| {
            let found = lost(&[lit.clone(), tick]);
            (found.own, found.ring, found.other)
        };
        assert_eq!(found([ends, hit()].concat()), (0, 0, 1));
        assert_eq!(found([replaced, burns.clone()].concat()), (0, 1, 0));
        assert_eq!(found(burns), (1, 0, 0));
    }

    #[test]
    fn ticks_of_units_that_are_frozen_or_dead_do_not_count() {
        let mut frozen = unit("c", "a", 3, 3);
        frozen["stunned"] = 4.into();
        let found = lost(&[vec![walk()], vec![state(frozen)], vec![], vec![], vec![walk()]]);
        assert_eq!((found.unit_ticks, found.ordered), (3, 2));
        let dead = lost(&[vec![state(unit("c", "a", 0, 3))], vec![], vec![]]);
        assert_eq!(dead.unit_ticks, 1);
    }

    #[test]
    fn an_item_collected_is_no_hit() {
        let lit = vec![spawned(fire(3, Some("a")))];
        assert_eq!(count(&[lit, vec![state(unit("c", "a", 2, 3))]]), Blunders::default());
    }
}
