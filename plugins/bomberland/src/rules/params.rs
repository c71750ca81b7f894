//! What a game is configured with; defaults are the engine's present ones.

use serde::{Deserialize, Serialize};

/// The longest side of a map; a cell's number must fit its type with room to spare.
pub const SIDE_MAX: u16 = 128;

/// The rules that count while a game runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameParams {
    /// Life of ammunition on the ground, in ticks.
    pub ammo_duration: i32,
    /// Share of ammunition among items.
    pub ammo_weight: f64,
    /// Share of blast powerups among items.
    pub blast_weight: f64,
    /// Share of freeze powerups among items.
    pub freeze_weight: f64,
    /// Life of a blast.
    pub blast_duration: i32,
    /// Life of a powerup of either kind.
    pub powerup_duration: i32,
    /// A detonation needs an age greater than this.
    pub armed: i32,
    /// A bomb's fuse.
    pub fuse: i32,
    /// Chance of a random item in a tick.
    pub spawn_probability: f64,
    /// Chance of an item where wood or ore was destroyed.
    pub drop_probability: f64,
    /// Ticks between two cells of the ring of fire.
    pub fire_interval: f64,
    /// How long a frozen unit is stunned.
    pub freeze_ticks: f64,
    /// First tick of the ring of fire.
    pub game_duration: i32,
    /// How long a hurt unit cannot be hurt again.
    pub invulnerability: i32,
    /// Bombs of one agent on the map at once.
    pub bombs_max: i32,
}

impl Default for GameParams {
    fn default() -> Self {
        Self {
            ammo_duration: 40,
            ammo_weight: 0.0,
            blast_weight: 0.5,
            freeze_weight: 0.5,
            blast_duration: 5,
            powerup_duration: 40,
            armed: 5,
            fuse: 30,
            spawn_probability: 0.0,
            drop_probability: 0.5,
            fire_interval: 2.0,
            freeze_ticks: 15.0,
            game_duration: 200,
            invulnerability: 5,
            bombs_max: 3,
        }
    }
}

impl GameParams {
    /// These rules, completed with earlier values for those that the referee does not send. A
    /// client that joins in the middle of a game uses the engine's defaults for unknown values.
    #[must_use]
    pub fn or(self, known: &Self) -> Self {
        let default = Self::default();
        let or = |met: i32, known: i32, default: i32| if met == default { known } else { met };
        Self {
            ammo_duration: or(self.ammo_duration, known.ammo_duration, default.ammo_duration),
            blast_duration: or(self.blast_duration, known.blast_duration, default.blast_duration),
            powerup_duration: or(
                self.powerup_duration,
                known.powerup_duration,
                default.powerup_duration,
            ),
            fuse: or(self.fuse, known.fuse, default.fuse),
            freeze_ticks: if self.freeze_ticks == default.freeze_ticks {
                known.freeze_ticks
            } else {
                self.freeze_ticks
            },
            invulnerability: or(
                self.invulnerability,
                known.invulnerability,
                default.invulnerability,
            ),
            bombs_max: self.bombs_max.max(known.bombs_max),
            drop_probability: if self.drop_probability == default.drop_probability {
                known.drop_probability
            } else {
                self.drop_probability
            },
            ..self
        }
    }
}

/// How a world is made, and what its units begin with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// Both halves alike; otherwise one unit per agent and no breathing space.
    pub symmetrical: bool,
    /// Players.
    pub agents: u8,
    /// Units of each player on a symmetrical map.
    pub units_per_agent: u8,
    /// Bombs per unit.
    pub ammunition: i32,
    /// Blast diameter of a fresh unit.
    pub blast_diameter: i32,
    /// Lives of a fresh unit.
    pub hp: i32,
    /// Share of the cells that are metal.
    pub metal: f64,
    /// Share of the cells that are wood.
    pub wood: f64,
    /// Share of the cells that are ore.
    pub ore: f64,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            width: 15,
            height: 15,
            symmetrical: true,
            agents: 2,
            units_per_agent: 3,
            ammunition: 9999,
            blast_diameter: 3,
            hp: 3,
            metal: 0.122_222_222_222_222_2,
            wood: 0.196_913_580_246_913_6,
            ore: 0.361_728_395_061_728_4,
        }
    }
}
