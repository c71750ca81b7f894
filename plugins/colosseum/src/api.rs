//! What scripts may say and ask: one declaration for constructors, checks and the reference page.

mod queries;

use crate::action::WORDS;
use phalanx_game::declare::{count, field, required};
use phalanx_game::{ActionDoc, Api, FieldDoc, KeyDoc, Kind};

/// The whole script interface of the games.
pub const API: Api = Api { actions: ACTIONS, percept: PERCEPT, queries: queries::QUERIES };

/// Keys with which a person drives an agent.
pub const KEYS: &[KeyDoc] =
    &KeyDoc::arrows([r#"turn("up")"#, r#"turn("down")"#, r#"turn("left")"#, r#"turn("right")"#]);

/// The directions of snake.
pub(crate) const DIRECTION: Kind = Kind::Word(&["up", "right", "down", "left"]);

const ORDER: &[FieldDoc] = &[
    field("action", Kind::Word(WORDS), "What to do."),
    field("actor", Kind::Str, "The id of an own actor; not for spawn."),
    field("x", Kind::Num, "Of move: where to."),
    field("y", Kind::Num, "Of move: where to."),
    field(
        "target",
        Kind::Str,
        "The id of the source (take_food), the base (deposit_food, heal, spawn) or the victim (attack).",
    ),
];

const ACTIONS: &[ActionDoc] = &[
    ActionDoc { name: "nothing", doc: "Orders nothing; a snake stays in place.", params: &[] },
    ActionDoc {
        name: "orders",
        doc: "food_catcher and cherry_picker: one order for each own actor, and one spawn for each own base. Orders to the dead are left out.",
        params: &[required("list", Kind::List(&Kind::Table(ORDER)), "The orders.")],
    },
    ActionDoc {
        name: "turn",
        doc: "snake: the head goes there.",
        params: &[required("dir", DIRECTION, "Which way.")],
    },
    ActionDoc {
        name: "play",
        doc: "chess: one of the legal moves.",
        params: &[required("move", Kind::Str, "In UCI notation: e2e4, e7e8q.")],
    },
];

const PERCEPT: &[FieldDoc] = &[
    field("epoch", count(), "The tick, from 1."),
    field("epochs", count(), "The last tick; nil where only the rules end the game."),
    field(
        "game",
        Kind::Word(&["food_catcher", "cherry_picker", "snake", "chess", "unknown"]),
        "Which game is played.",
    ),
    field("id", Kind::Str, "Our id."),
    field("ids", Kind::List(&Kind::Str), "The ids of all players, in the order of their start."),
    field("score", Kind::Num, "Our current score."),
];
