//! What scripts may say and ask: one declaration for constructors, checks and the reference page.
//!
//! Columns grow to the right from 0, rows grow upwards from 0; `up` is y + 1.

mod queries;

pub(crate) use queries::{LAST_TICKS_MAX, NODES_MAX, SEARCH_TICKS_MAX};

use phalanx_game::declare::{count, field, required, whole};
use phalanx_game::{ActionDoc, Api, FieldDoc, KeyDoc, Kind, ParamDoc};

/// The whole script interface of the game.
pub const API: Api = Api { actions: ACTIONS, percept: PERCEPT, queries: queries::QUERIES };

const ARROWS: [KeyDoc; 4] =
    KeyDoc::arrows([r#"move("up")"#, r#"move("down")"#, r#"move("left")"#, r#"move("right")"#]);

/// Keys with which a person drives an agent.
pub const KEYS: &[KeyDoc] = &[
    ARROWS[0],
    ARROWS[1],
    ARROWS[2],
    ARROWS[3],
    KeyDoc { key: "b", order: "bomb" },
    KeyDoc { key: " ", order: "wait" },
];

/// What scripts may look for.
pub(crate) const KINDS: &[&str] = &[
    "enemy", "bomb", "fire", "endfire", "block", "wood", "ore", "metal", "pickup", "ammo", "blast",
    "freeze", "other",
];

pub(crate) const DIRECTION: Kind = Kind::Word(&["up", "down", "left", "right"]);

const X: ParamDoc = required("x", whole(), "Column, from 0.");
const Y: ParamDoc = required("y", whole(), "Row, from 0, upwards.");
const CELL: &[ParamDoc] = &[X, Y];

const ACTIONS: &[ActionDoc] = &[
    ActionDoc { name: "wait", doc: "Stays; nothing is sent to the referee.", params: &[] },
    ActionDoc {
        name: "move",
        doc: "Goes one cell. Blocked by blocks, bombs and units, dead ones too; when two units aim at one cell neither moves.",
        params: &[required("dir", DIRECTION, "Which way.")],
    },
    ActionDoc {
        name: "bomb",
        doc: "Puts a bomb into the unit's own cell, if it is empty. In fire the bomb explodes at once.",
        params: &[],
    },
    ActionDoc {
        name: "detonate",
        doc: "Sets off this unit's own bomb in a cell, once it is armed (see armed of a bomb).",
        params: CELL,
    },
];

const PERCEPT: &[FieldDoc] = &[
    field("tick", count(), "The tick counter; an order now is executed in the next tick."),
    field("unit", Kind::Str, "The referee's name for this body; nil when the game has too few."),
    field("x", count(), "Column."),
    field("y", count(), "Row."),
    field("hp", whole(), "Lives; 0 and below is dead."),
    field("alive", Kind::Bool, "Whether it lives."),
    field("bombs", count(), "Bombs that it carries."),
    field("blast_diameter", count(), "Of its bombs: 3 reaches one cell far."),
    field("invulnerable", count(), "Last tick in which it cannot be hurt."),
    field("stunned", Kind::Num, "Last tick in which its orders are refused."),
    field("done", Kind::Bool, "Whether the last order was carried out; nil when none was sent."),
];
