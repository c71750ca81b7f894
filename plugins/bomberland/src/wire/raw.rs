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
pub struct RawNumber(pub f64);

impl From<i32> for RawNumber {
    fn from(int: i32) -> Self {
        Self(f64::from(int))
    }
}

impl From<u16> for RawNumber {
    fn from(int: u16) -> Self {
        Self(f64::from(int))
    }
}

impl Serialize for RawNumber {
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
        struct PairsReader<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for PairsReader<T> {
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

        deserializer.deserialize_map(PairsReader(PhantomData))
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
    pub unit_state: Pairs<RawUnit>,
    /// Blocks, items, bombs and fire.
    pub entities: Vec<RawEntity>,
    /// The map's size.
    pub world: RawSize,
    /// The tick counter.
    pub tick: RawNumber,
    /// What the engine tells of its configuration.
    #[serde(default)]
    pub config: RawConfig,
    /// Whose copy this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<RawConnection>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RawAgent {
    #[serde(default)]
    pub agent_id: String,
    #[serde(default)]
    pub unit_ids: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RawUnit {
    /// Column and row.
    pub coordinates: [RawNumber; 2],
    /// Lives.
    pub hp: RawNumber,
    /// What it carries.
    #[serde(default)]
    pub inventory: Inventory,
    /// Of its bombs.
    pub blast_diameter: RawNumber,
    pub unit_id: String,
    /// Whose it is.
    #[serde(alias = "owner_id")]
    pub agent_id: String,
    /// Last tick in which it cannot be hurt.
    #[serde(default, alias = "invulnerability")]
    pub invulnerable: RawNumber,
    /// Last tick in which its orders are refused.
    #[serde(default)]
    pub stunned: RawNumber,
}

/// What a unit carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inventory {
    #[serde(default)]
    pub bombs: RawNumber,
}

/// A thing in a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RawEntity {
    /// The tick in which it came.
    #[serde(default)]
    pub created: RawNumber,
    /// Column.
    pub x: RawNumber,
    /// Row.
    pub y: RawNumber,
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
    pub expires: Option<RawNumber>,
    /// Hits that it still takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hp: Option<RawNumber>,
    /// Of a bomb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blast_diameter: Option<RawNumber>,
}

/// A map's size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RawSize {
    /// Columns.
    pub width: RawNumber,
    /// Rows.
    pub height: RawNumber,
}

/// What the engine tells of its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RawConfig {
    /// Ticks a second.
    pub tick_rate_hz: RawNumber,
    /// First tick of the ring of fire.
    pub game_duration_ticks: RawNumber,
    /// Ticks between two of its cells.
    pub fire_spawn_interval_ticks: RawNumber,
}

impl Default for RawConfig {
    fn default() -> Self {
        Self {
            tick_rate_hz: RawNumber(10.0),
            game_duration_ticks: RawNumber(200.0),
            fire_spawn_interval_ticks: RawNumber(2.0),
        }
    }
}

/// Whose copy of the state this is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RawConnection {
    /// The connection's number.
    pub id: u64,
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
    pub coordinates: Option<[RawNumber; 2]>,
    /// Who.
    pub unit_id: String,
}
