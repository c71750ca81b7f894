//! What scripts may say and ask: one declaration for constructors, checks and the reference page.
//!
//! Places count from the start tile: x grows to the east, y grows to the north.

mod queries;

use phalanx_game::declare::{field, whole};
use phalanx_game::{ActionDoc, Api, FieldDoc, KeyDoc, Kind, ParamDoc};

/// The whole script interface of the game.
pub const API: Api = Api { actions: ACTIONS, percept: PERCEPT, queries: queries::QUERIES };

/// Keys with which a person drives an agent.
pub const KEYS: &[KeyDoc] = &[
    KeyDoc { key: "ArrowUp", order: "move" },
    KeyDoc { key: "ArrowLeft", order: "turn_left" },
    KeyDoc { key: "ArrowRight", order: "turn_right" },
    KeyDoc { key: "g", order: "grab" },
    KeyDoc { key: "n", order: "neutralize" },
];

/// Names of actions, as queries answer them.
pub(crate) const ACT: Kind =
    Kind::Word(&["shut_off", "move", "turn_left", "turn_right", "grab", "neutralize"]);

/// As the wire has it: 32 bits without a sign.
const fn count() -> Kind {
    Kind::Int { min: 0, max: u32::MAX as i64 }
}

const MARK: &[FieldDoc] = &[
    field("x", whole(), "Tiles to the east of the start."),
    field("y", whole(), "Tiles to the north of the start."),
    field(
        "symbol",
        Kind::Any,
        "A number from 0 to 99, or sign, question, doubt, unreachable, irrelevant, possible_enemy, enemy, possible_danger, danger, plan_shut_off; none removes.",
    ),
];

const NOTES: &[FieldDoc] = &[
    field("marks", Kind::List(&Kind::Table(MARK)), "Symbols for the simulator's map, up to 4096."),
    field("clear", Kind::Bool, "Remove all symbols first."),
    field("say", Kind::Str, "A text for the simulator's display."),
];

const SHOW: &[ParamDoc] = &[ParamDoc {
    name: "notes",
    kind: Kind::Table(NOTES),
    optional: true,
    doc: "What the simulator's display shall show; without effect on the world.",
}];

const REASON: &[ParamDoc] =
    &[ParamDoc { name: "reason", kind: Kind::Str, optional: false, doc: "Why." }];

const fn action(name: &'static str, doc: &'static str) -> ActionDoc {
    ActionDoc { name, doc, params: SHOW }
}

const ACTIONS: &[ActionDoc] = &[
    action("move", "Goes one tile forward; a wall stops it, a danger or an enemy is the end."),
    action("turn_left", "A quarter turn counter-clockwise."),
    action("turn_right", "A quarter turn clockwise."),
    action("grab", "Takes the item on the agent's tile."),
    action(
        "neutralize",
        "Shoots forward, past everything but walls; see range and stops_at_first of the rules.",
    ),
    action("shut_off", "Ends the simulation; at a home that is rewarded."),
    ActionDoc {
        name: "refuse",
        doc: "For rules that a strategy cannot play by: says why and ends the simulation.",
        params: REASON,
    },
];

const PERCEPT: &[FieldDoc] = &[
    field("home", Kind::Bool, "The agent is on a home."),
    field("item", Kind::Bool, "An item lies here."),
    field("hostility", Kind::Bool, "An enemy is on a neighbouring tile."),
    field("fear", Kind::Bool, "A neighbouring tile is deadly."),
    field("bump", Kind::Bool, "The last action was a move that a wall stopped."),
    field("neutralized", Kind::Bool, "The last action was a shot that hit."),
    field("over", Kind::Bool, "The simulation is over."),
    field("after", ACT, "The last action; nil at the start."),
    field("cost", count(), "Spent so far, by our own bookkeeping."),
    field("score", whole(), "Score so far, by our own bookkeeping."),
    field("ammunition", count(), "Shots left; nil where they are not limited."),
];
