//! What a search values.

/// Declares the weights once: their names for scripts, defaults and meaning.
macro_rules! weights {
    ($($name:ident = $default:literal: $doc:literal,)*) => {
        /// What a search values; a table of scripts.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct SearchWeights {
            $(#[doc = $doc] pub $name: f64,)*
        }

        impl Default for SearchWeights {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl SearchWeights {
            /// Names, defaults and meaning of all weights.
            pub const FIELDS: &'static [phalanx_game::FieldDoc] = &[
                $(phalanx_game::declare::field(
                    stringify!($name),
                    phalanx_game::Kind::Num,
                    concat!($doc, " Default ", stringify!($default), "."),
                ),)*
            ];

            /// Changes the weight of that name; whether there is one.
            pub fn set(&mut self, name: &str, value: f64) -> bool {
                match name {
                    $(stringify!($name) => self.$name = value,)*
                    _ => return false,
                }
                true
            }
        }
    };
}

weights! {
    lives = 100.0: "A life that the enemy loses; one that we lose costs as much.",
    last_life = 60.0: "The last life of a unit, in addition.",
    win = 0.0: "The end of the game for the side that is left; for the other side it costs as much.",
    own_share = 1.2: "How much more a life of ours counts than one of theirs.",
    own_bomb = 200.0: "A life that one of our units loses in a blast of our own, in addition.",
    beside = 2.0: "A tick in which one of our units is in the reach of a bomb of ours that can go off within a few ticks.",
    freeze = 45.0: "An enemy that is frozen; a unit of ours that is frozen costs as much.",
    blast = 12.0: "A collected blast powerup.",
    ammo = 6.0: "A bomb more to carry; the fewer a unit has, the more one counts, and putting one costs as much.",
    block = 14.0: "A block that is destroyed, where our side is there first; the hits before count less. Less where blocks leave fewer items than by the engine's rules.",
    block_first = 0.5: "How much a block counts for the side that is there first: at 0 each counts alike, at 0.5 one that the enemy reaches first counts nothing, at 1 it costs as much.",
    doomed = 70.0: "A unit without a way out of danger at the end of the plan.",
    held = 30.0: "A unit of ours in the reach of a bomb of ours whose exits the enemy can close.",
    risk = 8.0: "A tick in which an armed enemy bomb could hit one of our units.",
    shut = 25.0: "A unit that one bomb of the other side would shut in.",
    cornered = 100.0: "An order after which one enemy can walk so that its bomb leaves the unit no exit; less for each tick until then.",
    corners = 60.0: "An order with which a unit of ours does so to an enemy.",
    near = 2.0: "A unit that is close to one of the other side which is frozen.",
    item = 10.0: "An item that our side reaches first, less for each step to it; the other side's cost as much.",
    territory = 0.15: "A cell that our side reaches first.",
    room = 0.5: "A free cell near one of our units, up to twelve.",
    ring = 40.0: "A unit whose cell burns soon.",
    centre = 1.6: "A step of one of our units to the cells that burn last; a hit on a block in the way takes several steps.",
    ending = 12.0: "A tick by which our last unit would die later than the enemy's in the ring of fire, as soon as places can be held: where units carry few bombs, and near the end.",
    hold = 60.0: "A unit in the cell that burns last, as soon as places can be held; an enemy there costs as much.",
    refuge = 0.0: "How much the cells that burn last pull the enemy's units in the lines that are played out, as soon as places can be held.",
    way = 10.0: "A hit on a block that is in one of our units' way to the cells that burn last.",
    dig = 6.0: "A unit beside a block, less for each step to it.",
    hunt = 3.0: "One of our units within reach of an enemy, less for each step to it.",
    frozen = 15.0: "One of our units within reach of a frozen enemy, less for each step to it.",
    exposed = 0.0: "A step by which an enemy is closer than seven to one of our units.",
    goal = 1.0: "Factor for the goals of a script.",
    decay = 0.985: "What is left of a value for each tick that it comes later.",
}
