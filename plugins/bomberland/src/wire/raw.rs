//! The JSON of states as it is on the wire, in the engine's order of keys. Reading is lenient
//! towards the names that older documents have (spec section 12).

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// A JSON number; whole ones are written without a fraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Deserialize)]
#[serde(transparent)]
pub struct Num(pub f64);

impl From<i32> for Num {
    fn from(int: i32) -> Self {
        Self(f64::from(int))
    }
}

impl From<u16> for Num {
    fn from(int: u16) -> Self {
        Self(f64::from(int))
    }
}

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < 9.0e15 {
            #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// A JSON object whose order counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs<T>(pub Vec<(String, T)>);

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Serialize> Serialize for Pairs<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Pairs<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Pairs<T>, M::Error> {
                let mut pairs: Vec<(String, T)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, T>()? {
                    match pairs.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, known)) => *known = value,
                        None => pairs.push((key, value)),
                    }
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Reader(PhantomData))
    }
}

/// A full state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Full {
    /// New for each game and reset.
    #[serde(default)]
    pub game_id: String,
    /// The agents with their units.
    #[serde(default)]
    pub agents: Pairs<RawAgent>,
    /// The units.
    pub unit_state: Pairs<RawUnit>,
    /// What stands, lies and burns.
    pub entities: Vec<RawEntity>,
    /// The map's size.
    pub world: Size,
    /// The tick counter.
    pub tick: Num,
    /// What the engine tells of its configuration.
    #[serde(default)]
    pub config: Config,
    /// Whose copy this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<Connection>,
}

/// An agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RawAgent {
    /// Its id.
    #[serde(default)]
    pub agent_id: String,
    /// The ids of its units.
    #[serde(default)]
    pub unit_ids: Vec<String>,
}

/// A unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RawUnit {
    /// Column and row.
    pub coordinates: [Num; 2],
    /// Lives.
    pub hp: Num,
    /// What it carries.
    #[serde(default)]
    pub inventory: Inventory,
    /// Of its bombs.
    pub blast_diameter: Num,
    /// Its id.
    pub unit_id: String,
    /// Whose it is.
    #[serde(alias = "owner_id")]
    pub agent_id: String,
    /// Last tick in which it cannot be hurt.
    #[serde(default, alias = "invulnerability")]
    pub invulnerable: Num,
    /// Last tick in which its orders are refused.
    #[serde(default)]
    pub stunned: Num,
}

/// What a unit carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inventory {
    /// Bombs.
    #[serde(default)]
    pub bombs: Num,
}

/// A thing in a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RawEntity {
    /// The tick in which it came.
    #[serde(default)]
    pub created: Num,
    /// Column.
    pub x: Num,
    /// Row.
    pub y: Num,
    /// What it is.
    pub r#type: String,
    /// Who put it there.
    #[serde(
        default,
        alias = "ownerUnitId",
        alias = "owner_unit_id",
        skip_serializing_if = "Option::is_none"
    )]
    pub unit_id: Option<String>,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The tick in which it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Num>,
    /// Hits that it still takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hp: Option<Num>,
    /// Of a bomb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blast_diameter: Option<Num>,
}

/// A map's size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Size {
    /// Columns.
    pub width: Num,
    /// Rows.
    pub height: Num,
}

/// What the engine tells of its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Ticks a second.
    pub tick_rate_hz: Num,
    /// First tick of the ring of fire.
    pub game_duration_ticks: Num,
    /// Ticks between two of its cells.
    pub fire_spawn_interval_ticks: Num,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tick_rate_hz: Num(10.0),
            game_duration_ticks: Num(200.0),
            fire_spawn_interval_ticks: Num(2.0),
        }
    }
}

/// Whose copy of the state this is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Connection {
    /// The connection's number.
    pub id: u64,
    /// Its role.
    pub role: String,
    /// The agent; `None` for admins and spectators.
    pub agent_id: Option<String>,
}

/// An agent's order as it is on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RawAction {
    /// `move`, `bomb` or `detonate`.
    pub r#type: String,
    /// Where a move goes.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// Where the bomb is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<[Num; 2]>,
    /// Who.
    pub unit_id: String,
}
