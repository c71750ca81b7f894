//! The native queries on the world. A query of another game than the one that is played is nil.

use super::DIRECTION;
use phalanx_game::declare::{count, field, optional, query, required};
use phalanx_game::{FieldDoc, Kind, ParamDoc, QueryDoc};

const WHOSE: ParamDoc =
    optional("whose", Kind::Word(&["mine", "enemy", "all"]), "Whose things; all when left out.");

const X: ParamDoc = required("x", Kind::Num, "From the left.");
const Y: ParamDoc = required("y", Kind::Num, "From the top in snake, else from the bottom.");

const RULES: &[FieldDoc] = &[
    field("width", Kind::Num, "Of the plane, or of the grid of snake."),
    field("height", Kind::Num, "Of the plane, or of the grid of snake."),
    field("speed", Kind::Num, "Longest step of an actor."),
    field("radius", Kind::Num, "Actors collide when nearer than twice this."),
    field("take_reach", Kind::Num, "Reach of take_food."),
    field("take_amount", count(), "What take_food takes at most."),
    field("deposit_reach", Kind::Num, "Reach of deposit_food and heal."),
    field("attack_reach", Kind::Num, "Reach of attack."),
    field("damage", count(), "Health that a hit costs."),
    field("spawn_cost", count(), "Food that an actor costs."),
];

const FOOD: &[FieldDoc] = &[
    field("id", Kind::Str, "Its id; absent in snake."),
    field("x", Kind::Num, "Where it is."),
    field("y", Kind::Num, "Where it is."),
    field("quantity", Kind::Num, "What it holds; absent in snake."),
];

const ENTITY: &[FieldDoc] = &[
    field("id", Kind::Str, "Its id."),
    field("owner", Kind::Str, "The id of the player."),
    field("mine", Kind::Bool, "Whether it is ours."),
    field("x", Kind::Num, "Where it is; nil when the referee lost it."),
    field("y", Kind::Num, "Where it is; nil when the referee lost it."),
    field("food", Kind::Num, "What it carries or stores."),
    field("health", Kind::Num, "Dead at 0."),
    field("max_health", Kind::Num, "What it can be healed to."),
    field("quantity", Kind::Num, "Only of a source."),
];

const SPOT: &[FieldDoc] =
    &[field("x", Kind::Num, "From the left."), field("y", Kind::Num, "From the bottom.")];

const TRIP: &[FieldDoc] = &[
    field("food", Kind::Str, "The source."),
    field("x", Kind::Num, "Where it is."),
    field("y", Kind::Num, "Where it is."),
    field("ticks", count(), "To the source, at it, and to the base."),
    field("gain", Kind::Num, "Food that is brought, with what is carried already."),
    field("rate", Kind::Num, "Gain for a tick."),
];

const SNAKE: &[FieldDoc] = &[
    field("id", Kind::Str, "The id of the player."),
    field("mine", Kind::Bool, "Whether it is ours."),
    field("alive", Kind::Bool, "Whether it lives."),
    field("score", Kind::Num, "Food eaten, minus 1 when dead."),
    field("length", count(), "How many cells it has."),
    field("head", Kind::Cell, "Its first cell."),
    field("cells", Kind::List(&Kind::Cell), "Its cells, head first."),
];

const DUEL: &[FieldDoc] =
    &[field("dir", DIRECTION, "The turn."), field("worth", Kind::Num, "The more, the better.")];

const POSITION: &[FieldDoc] = &[
    field("fen", Kind::Str, "The position."),
    field("white", Kind::Bool, "Whether we are white."),
    field("last_move", Kind::Str, "The opponent's last move; nil before the first."),
];

const BEST_MOVE: &[FieldDoc] = &[
    field("move", Kind::Str, "In UCI notation."),
    field("worth", Kind::Num, "For us, in hundredths of a pawn; beyond 29000 for a forced mate."),
    field("depth", count(), "Half-moves of the deepest search that was completed."),
    field("nodes", count(), "Positions that were looked at."),
];

pub(super) const QUERIES: &[QueryDoc] = &[
    query("rules", "The numbers of the game, as the referee sent them.", &[], Kind::Table(RULES)),
    query("foods", "All food.", &[], Kind::List(&Kind::Table(FOOD))),
    query("actors", "The actors, oldest first.", &[WHOSE], Kind::List(&Kind::Table(ENTITY))),
    query("bases", "The bases.", &[WHOSE], Kind::List(&Kind::Table(ENTITY))),
    query("dead", "All that attacks killed so far.", &[WHOSE], Kind::List(&Kind::Table(ENTITY))),
    query(
        "thing",
        "The source, actor or base of an id; nil when it is gone.",
        &[required("id", Kind::Str, "Its id.")],
        Kind::Table(ENTITY),
    ),
    query(
        "distance",
        "How far two points are apart.",
        &[
            X,
            Y,
            required("to_x", Kind::Num, "The other point."),
            required("to_y", Kind::Num, "The other point."),
        ],
        Kind::Num,
    ),
    query(
        "ticks",
        "How many moves bring an actor from one point into reach of another.",
        &[
            X,
            Y,
            required("to_x", Kind::Num, "The other point."),
            required("to_y", Kind::Num, "The other point."),
            optional("reach", Kind::Num, "How near is near enough; 0 when left out."),
        ],
        count(),
    ),
    query(
        "nearest",
        "What is nearest to a point; nil when there is none.",
        &[
            required("kind", Kind::Word(&["food", "actor", "base"]), "What to look for."),
            X,
            Y,
            WHOSE,
        ],
        Kind::Table(ENTITY),
    ),
    query(
        "threats",
        "Enemy actors that can hit a point after their next step.",
        &[X, Y],
        Kind::List(&Kind::Table(ENTITY)),
    ),
    query(
        "step",
        "The move that brings an actor nearest to a point without a collision, whatever enemies do; nil when standing still is best.",
        &[required("actor", Kind::Str, "The id of the actor."), X, Y],
        Kind::Table(SPOT),
    ),
    query(
        "clearance",
        "How near the nearest actor is to a point; nil when there is none.",
        &[X, Y, optional("except", Kind::Str, "An actor that does not count.")],
        Kind::Num,
    ),
    query(
        "trips",
        "Where an actor could gather, the best first: to the source, until it carries the load, to the nearest own base. At most 20.",
        &[
            required("actor", Kind::Str, "The id of the actor."),
            optional("load", Kind::Num, "When it goes home; 100 when left out."),
        ],
        Kind::List(&Kind::Table(TRIP)),
    ),
    query("snakes", "All snakes, dead ones too.", &[], Kind::List(&Kind::Table(SNAKE))),
    query(
        "safety",
        "What a turn of our snake leads to: a free cell, one that another head may enter too, or death.",
        &[required("dir", DIRECTION, "Which way.")],
        Kind::Word(&["free", "contested", "deadly"]),
    ),
    query(
        "room",
        "How many cells our snake could reach after a turn, tails moving on.",
        &[required("dir", DIRECTION, "Which way.")],
        count(),
    ),
    query(
        "duel",
        "What each turn of our snake is worth if the nearest rival plays against us: cells that we reach first, below 0 for a death that it can force. Turns into what is covered are left out; nil without a rival. On a crowded grid it looks less far ahead.",
        &[optional(
            "ahead",
            count(),
            "Moves of both that it looks ahead; 10 when left out, and at most.",
        )],
        Kind::List(&Kind::Table(DUEL)),
    ),
    query(
        "path",
        "The turns that bring our snake to a cell, tails moving on; nil when there is no way.",
        &[
            required("x", count(), "Column, from 0."),
            required("y", count(), "Row, from 0, downwards."),
        ],
        Kind::List(&DIRECTION),
    ),
    query("position", "The game of chess.", &[], Kind::Table(POSITION)),
    query("moves", "The legal moves, in UCI notation.", &[], Kind::List(&Kind::Str)),
    query(
        "best_move",
        "The best move that an alpha-beta search finds; nil for a position that it cannot read. The same arguments give the same move.",
        &[
            optional(
                "nodes",
                count(),
                "Positions that it looks at; 60000 when left out, 500000 at most.",
            ),
            optional(
                "past",
                Kind::List(&Kind::Str),
                "Earlier positions of the game in FEN, the newest 1000; to come back to one counts as a draw.",
            ),
        ],
        Kind::Table(BEST_MOVE),
    ),
];
