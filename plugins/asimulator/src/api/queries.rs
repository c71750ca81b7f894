//! The native queries on the world.

use super::{ACT, MARK, count};
use crate::world::OPTIONS_MAX;
use phalanx_game::declare::{field, query, whole};
use phalanx_game::{FieldDoc, Kind, ParamDoc, QueryDoc};

const HEADING: Kind = Kind::Word(&["east", "north", "west", "south"]);

const PURPOSE: Kind =
    Kind::Word(&["grab", "fetch", "explore", "shoot", "recharge", "risk", "home", "stop"]);

const fn place(name: &'static str, doc: &'static str) -> ParamDoc {
    ParamDoc { name, kind: Kind::Int { min: -1000, max: 1000 }, optional: false, doc }
}

const X: ParamDoc = place("x", "Tiles to the east of the start.");
const Y: ParamDoc = place("y", "Tiles to the north of the start.");

const POSE: &[FieldDoc] = &[
    field("x", whole(), "Tiles to the east of the start."),
    field("y", whole(), "Tiles to the north of the start."),
    field("heading", HEADING, "Where the agent looks."),
];

const RULES: &[FieldDoc] = &[
    field("lower_x_bound", whole(), "The map's bound in the west; nil when unknown."),
    field("upper_x_bound", whole(), "In the east."),
    field("lower_y_bound", whole(), "In the south."),
    field("upper_y_bound", whole(), "In the north."),
    field("homes", count(), "Number of homes; nil when unknown."),
    field("items", count(), "Number of items at the start; nil when unknown."),
    field("enemies", count(), "Number of enemies at the start; nil when unknown."),
    field("dangers", count(), "Number of deadly tiles; nil when unknown."),
    field("range", count(), "How far a shot reaches; 0 is without limit."),
    field("move_cost", count(), "Cost of a move."),
    field("turn_left_cost", count(), "Cost of a turn."),
    field("turn_right_cost", count(), "Cost of a turn."),
    field("grab_cost", count(), "Cost of a grab."),
    field("neutralize_cost", count(), "Cost of a shot."),
    field("item_reward", count(), "For each item."),
    field("neutralize_reward", count(), "For each enemy."),
    field("home_reward", count(), "For ending at a home, once."),
    field("initial_cost", count(), "What counts as spent at the start."),
    field("initial_score", whole(), "The score at the start."),
    field("ammunition_limit", count(), "What a recharge sets ammunition to; nil: unlimited."),
    field("initial_ammunition", count(), "Shots at the start; nil: unlimited."),
    field("cost_limit", count(), "The simulation ends when the cost reaches this; nil: never."),
    field("score_limit", whole(), "It ends when the score reaches this; nil: never."),
    field("recharge", Kind::Bool, "Homes recharge ammunition."),
    field("becomes_item", Kind::Bool, "A neutralized enemy becomes an item."),
    field("stops_at_first", Kind::Bool, "A shot neutralizes only the first enemy."),
];

const OPTION: &[FieldDoc] = &[
    field("purpose", PURPOSE, "What for; shoot includes the way to where it is done."),
    field("action", ACT, "The first action of it."),
    field("x", whole(), "The tile that it is about."),
    field("y", whole(), "The tile that it is about."),
    field("cost", count(), "What it costs to be done with it."),
    field("death", Kind::Num, "The probability of dying, 0 to 1; 0 is certain."),
    field("hit", Kind::Num, "The probability that the shot hits, 0 to 1."),
    field("gain", Kind::Num, "What it is expected to bring, costs not deducted."),
    field("value", Kind::Num, "Gain minus cost minus what dying would lose."),
];

const TILE: &[FieldDoc] = &[
    field("x", whole(), "Tiles to the east of the start."),
    field("y", whole(), "Tiles to the north of the start."),
    field("type", Kind::Word(&["clear", "wall", "danger"]), "What it is; nil when not certain."),
    field("visited", Kind::Bool, "The agent has been there."),
    field("has_item", Kind::Bool, "Whether an item lies there; nil when not known."),
    field("wall", Kind::Num, "The probability of a wall."),
    field("danger", Kind::Num, "The probability that it is deadly by itself."),
    field("enemy", Kind::Num, "The probability of an enemy."),
    field("death", Kind::Num, "The probability that entering it is deadly."),
    field("item", Kind::Num, "The probability of an item."),
    field("home", Kind::Num, "The probability of a home."),
];

const ROUTE: &[FieldDoc] = &[
    field("cost", count(), "Moves and turns at their costs."),
    field("action", ACT, "The first action; nil when already there."),
    field("actions", Kind::List(&ACT), "All actions."),
];

const RATES: &[FieldDoc] = &[
    field("wall", Kind::Num, "Share of walls."),
    field("danger", Kind::Num, "Share of deadly tiles."),
    field("enemy", Kind::Num, "Share of tiles with an enemy, of those that are no walls."),
    field("item", Kind::Num, "Share of tiles with an item, of those that are clear."),
    field("home", Kind::Num, "Share of tiles with a home, of those that are clear."),
];

pub(super) const QUERIES: &[QueryDoc] = &[
    query("here", "The agent's position and heading.", &[], Kind::Table(POSE)),
    query("rules", "The rules of the simulation.", &[], Kind::Table(RULES)),
    query(
        "best",
        "The best of all options: takes what is safe first, then shoots, then dares, then goes home.",
        &[ParamDoc {
            name: "dare",
            kind: Kind::Num,
            optional: true,
            doc: "The most likely death that is dared, 0 to 1; 1 when nil: whatever pays.",
        }],
        Kind::Table(OPTION),
    ),
    query(
        "options",
        "Options that are worth something, the best first: the cheapest safe ones, shots, risks where nothing is safe; the last one is to go home or to stop.",
        &[ParamDoc {
            name: "count",
            kind: Kind::Int { min: 1, max: OPTIONS_MAX },
            optional: true,
            doc: "How many at most; 200 when nil.",
        }],
        Kind::List(&Kind::Table(OPTION)),
    ),
    query(
        "secure",
        "What ending now would bring: the reward for a home minus the way there; 0 without one.",
        &[],
        Kind::Num,
    ),
    query("tile", "What is believed about a tile.", &[X, Y], Kind::Table(TILE)),
    query(
        "tiles",
        "All tiles about which something is known.",
        &[],
        Kind::List(&Kind::Table(TILE)),
    ),
    query("homes", "Homes that are known.", &[], Kind::List(&Kind::Cell)),
    query(
        "route",
        "The cheapest way to a tile over tiles that are free for certain; nil when there is none.",
        &[
            X,
            Y,
            ParamDoc {
                name: "heading",
                kind: HEADING,
                optional: true,
                doc: "Where to look in the end; anywhere when nil.",
            },
        ],
        Kind::Table(ROUTE),
    ),
    query(
        "rates",
        "How common things are taken to be, learned from all simulations so far.",
        &[],
        Kind::Table(RATES),
    ),
    query(
        "marks",
        "Symbols that differ from those the simulator shows, for the notes of an action.",
        &[],
        Kind::List(&Kind::Table(MARK)),
    ),
];
