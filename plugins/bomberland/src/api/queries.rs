//! The native queries on the world.

use super::{CELL, DIRECTION, KINDS, X, Y};
use crate::search::{Refusal, SearchWeights};
use phalanx_game::declare::{count, field, optional, query, required, whole};
use phalanx_game::{FieldDoc, Kind, ParamDoc, QueryDoc};

const KIND: ParamDoc = required(
    "kind",
    Kind::Word(KINDS),
    "block is wood or ore, pickup is ammo, blast or freeze, enemy is a living unit.",
);

const SIZE: &[FieldDoc] = &[field("width", count(), "Columns."), field("height", count(), "Rows.")];

const RULES: &[FieldDoc] = &[
    field("tick_rate_hz", Kind::Num, "Ticks a second."),
    field("fuse", count(), "Ticks from placing a bomb to its explosion."),
    field("armed", count(), "A bomb must be older than this to be set off."),
    field("blast_duration", count(), "Ticks that a blast burns."),
    field("bombs_max", count(), "Bombs of one team on the map at once."),
    field("invulnerability", count(), "Ticks without harm after a hit."),
    field("freeze_ticks", Kind::Num, "Ticks that a freeze powerup stuns an opponent."),
    field("game_duration", count(), "First tick of the ring of fire."),
    field("fire_interval", Kind::Num, "Ticks between two of its cells."),
];

const UNIT: &[FieldDoc] = &[
    field("x", count(), "Column."),
    field("y", count(), "Row."),
    field("unit", Kind::Str, "The referee's name for it."),
    field("team", Kind::Str, "The referee's name for its team."),
    field("agent", Kind::Agent, "Which of our agents it is; nil for enemies."),
    field("enemy", Kind::Bool, "Whether it is an enemy's."),
    field("alive", Kind::Bool, "Whether it lives."),
    field("hp", whole(), "Lives."),
    field("bombs", count(), "Bombs that it carries."),
    field("blast_diameter", count(), "Of its bombs."),
    field("invulnerable", count(), "Last tick in which it cannot be hurt."),
    field("stunned", Kind::Num, "Last tick in which its orders are refused."),
];

const THING: &[FieldDoc] = &[
    field("x", count(), "Column."),
    field("y", count(), "Row."),
    field("type", Kind::Word(KINDS), "What it is."),
    field("created", count(), "The tick in which it came."),
    field("expires", count(), "The tick in which it goes; a bomb explodes then."),
    field("hp", whole(), "Hits that it still takes."),
    field("blast_diameter", count(), "Of a bomb."),
    field("unit", Kind::Str, "Whose bomb or blast it is."),
    field("enemy", Kind::Bool, "Whether its owner is an enemy."),
    field("armed", count(), "Of a bomb: the first tick in which it can be set off."),
    field("distance", count(), "Only from nearest: steps to it, or beside it."),
];

const SPOT: &[FieldDoc] = &[
    field("x", count(), "Column."),
    field("y", count(), "Row."),
    field("entity", Kind::Table(THING), "What is there; nil when empty."),
    field("unit", Kind::Str, "The unit in the cell, dead or alive."),
    field("free", Kind::Bool, "Whether a unit can step there now."),
];

const STEP: &[FieldDoc] = &[
    field("x", count(), "Column."),
    field("y", count(), "Row."),
    field("dir", DIRECTION, "The step that enters the cell."),
    field("block", Kind::Bool, "True where a block must be blown away first."),
];

const PATH: &[FieldDoc] = &[
    field("dir", DIRECTION, "The first step; nil when already there."),
    field("cost", count(), "Steps, and the price of blocks."),
    field("steps", Kind::List(&Kind::Table(STEP)), "The cells on the way."),
];

const STEP_WORD: Kind = Kind::Word(&["up", "down", "left", "right", "wait"]);

const ESCAPE: &[FieldDoc] = &[
    field("dir", STEP_WORD, "What to do first; with bomb, after the bomb."),
    field("ticks", count(), "How many orders it takes."),
    field("x", count(), "Where the way ends."),
    field("y", count(), "Where the way ends."),
    field("steps", Kind::List(&STEP_WORD), "All orders."),
];

const ORDER: &[FieldDoc] = &[
    field("unit", Kind::Str, "The unit's name as the referee has it."),
    field("action", Kind::Word(&["wait", "move", "bomb", "detonate"]), "What it does."),
    field("args", Kind::List(&Kind::Any), "As for act.*, for example {\"up\"}."),
    field("after", count(), "In which tick from now, from 1; 1 when nil."),
];

const FUTURE: &[FieldDoc] = &[
    field("tick", count(), "The tick reached."),
    field("over", Kind::Bool, "Whether at most one team lives."),
    field("leader", Kind::Str, "The team of the first living unit."),
    field("units", Kind::List(&Kind::Table(UNIT)), "All units then."),
    field("things", Kind::List(&Kind::Table(THING)), "Everything but metal then."),
];

/// Most nodes of a search: about a second.
pub(crate) const NODES_MAX: u32 = 1_000_000;

/// Most ticks that a search plays a plan.
pub(crate) const SEARCH_TICKS_MAX: u32 = 40;

/// Most ticks before the last cell burns from which on a search plays to the end of the game.
pub(crate) const LAST_TICKS_MAX: u32 = 60;

const GOAL: &[FieldDoc] = &[
    field("x", count(), "Column."),
    field("y", count(), "Row."),
    field("value", Kind::Num, "How much it pulls a unit that is there; less for each step to it."),
];

const SEARCH: &[FieldDoc] = &[
    field(
        "nodes",
        Kind::Int { min: 0, max: NODES_MAX as i64 },
        "Ticks to simulate; 4000 when nil. One choice is always played out.",
    ),
    field(
        "ticks",
        Kind::Int { min: 1, max: SEARCH_TICKS_MAX as i64 },
        "How far each choice is played out; 14 when nil.",
    ),
    field(
        "weights",
        Kind::Table(SearchWeights::FIELDS),
        "What counts how much; defaults for what is missing.",
    ),
    field("goals", Kind::List(&Kind::Table(GOAL)), "Cells that pull our units."),
    field(
        "last_ticks",
        Kind::Int { min: 0, max: LAST_TICKS_MAX as i64 },
        "Ticks before the last cell burns from which on choices are played to the end of the game, and only which side lasts longer counts; 0, for never, when nil.",
    ),
    field(
        "last_nodes",
        Kind::Int { min: 0, max: NODES_MAX as i64 },
        "Ticks to simulate then; 20000 when nil.",
    ),
];

const CHOICE: &[FieldDoc] = &[
    field("action", Kind::Word(&["wait", "move", "bomb", "detonate"]), "What it does next."),
    field("args", Kind::List(&Kind::Any), "As for act.*."),
    field("value", Kind::Num, "The best value that was found with it."),
];

const REFUSED: &[FieldDoc] = &[
    field("action", Kind::Word(&["wait", "move", "bomb", "detonate"]), "What it could do next."),
    field("args", Kind::List(&Kind::Any), "As for act.*."),
    field(
        "why",
        Kind::Word(Refusal::WORDS),
        "Why not: the cell can burn; no sure way out of own bombs; an armed own bomb reaches the cell; the blast hits own units; an enemy may want the same cell.",
    ),
];

const UNIT_CHOICE: &[FieldDoc] = &[
    field("unit", Kind::Str, "The unit's name as the referee has it."),
    field("action", Kind::Word(&["wait", "move", "bomb", "detonate"]), "What it does next."),
    field("args", Kind::List(&Kind::Any), "As for act.*."),
    field(
        "alternatives",
        Kind::List(&Kind::Table(CHOICE)),
        "Its orders that were tried, the best first.",
    ),
    field(
        "refused",
        Kind::List(&Kind::Table(REFUSED)),
        "Orders that were excluded, with the reason. Empty in the last ticks.",
    ),
];

const FOUND: &[FieldDoc] = &[
    field("value", Kind::Num, "What the best line is worth."),
    field("units", Kind::List(&Kind::Table(UNIT_CHOICE)), "Living units of the team."),
    field("line", Kind::List(&Kind::Table(ORDER)), "The team's orders in the best line."),
    field("nodes", count(), "Ticks that were simulated."),
    field("evaluations", count(), "Choices that were played out."),
    field("rounds", count(), "Complete passes over all units."),
];

pub(super) const QUERIES: &[QueryDoc] = &[
    query("size", "The map's size.", &[], Kind::Table(SIZE)),
    query(
        "rules",
        "The rules, as far as the referee announced or showed them; the engine's defaults otherwise.",
        &[],
        Kind::Table(RULES),
    ),
    query("here", "The cell of the agent's unit.", &[], Kind::Cell),
    query("cell", "What is in a cell; nil outside the map.", CELL, Kind::Table(SPOT)),
    query("units", "All units, dead ones too.", &[], Kind::List(&Kind::Table(UNIT))),
    query("enemies", "Living enemies.", &[], Kind::List(&Kind::Table(UNIT))),
    query(
        "mates",
        "Living units of the own team but this one.",
        &[],
        Kind::List(&Kind::Table(UNIT)),
    ),
    query("find", "Everything of a kind.", &[KIND], Kind::List(&Kind::Table(THING))),
    query(
        "nearest",
        "The nearest of a kind by walking to it or beside it; nil when none can be reached.",
        &[KIND],
        Kind::Table(THING),
    ),
    query("distance", "Steps to a cell; nil when it cannot be reached.", CELL, count()),
    query(
        "distances",
        "Steps to every cell, from the agent or from a given cell: entry 1 + x + y * width; -1 where no way leads.",
        &[
            optional("x", whole(), "Column to count from."),
            optional("y", whole(), "Row to count from."),
        ],
        Kind::List(&whole()),
    ),
    query(
        "path",
        "The shortest way to a cell; with dig, also through wood and ore.",
        &[X, Y, optional("dig", count(), "What each hit on a block costs, in steps, up to 1000.")],
        Kind::Table(PATH),
    ),
    query("ring", "The tick in which the ring of fire takes a cell.", CELL, Kind::Num),
    query(
        "danger",
        "How dangerous it is to stand on a cell in a tick: 0 not at all, 1 an enemy could set off a bomb, 2 it burns for certain. Looks 63 ticks ahead.",
        &[X, Y, optional("tick", count(), "Which tick; when nil the worst of all.")],
        Kind::Int { min: 0, max: 2 },
    ),
    query(
        "burns",
        "The first tick in which a cell burns; nil when none is in sight.",
        &[X, Y, optional("possible", Kind::Bool, "Count fires that an enemy could light.")],
        count(),
    ),
    query(
        "escape",
        "The quickest way to where nothing burns any more, never through fire; nil when there is none.",
        &[
            optional(
                "bomb",
                Kind::Bool,
                "As if a bomb were put here first; nil where none can be.",
            ),
            optional("certain", Kind::Bool, "Avoid only what burns for certain."),
            optional(
                "orders",
                Kind::List(&Kind::Table(ORDER)),
                "What others will do, for example mates that have decided.",
            ),
        ],
        Kind::Table(ESCAPE),
    ),
    query(
        "simulate",
        "What comes of orders after some ticks, by the referee's rules. Nothing that needs luck happens, unless a seed throws dice.",
        &[
            optional("orders", Kind::List(&Kind::Table(ORDER)), "Who does what; the rest wait."),
            optional("ticks", Kind::Int { min: 1, max: 1000 }, "How far; 1 when nil."),
            optional("seed", count(), "Dice for drops and freezes."),
        ],
        Kind::Table(FUTURE),
    ),
    query(
        "search",
        "The best plans for all units of the team together: choices are played out by the referee's rules while the enemy answers by greedy rules. The budget is a number of nodes, so the same question always has the same answer; units that ask the same share one search.",
        &[optional("options", Kind::Table(SEARCH), "Budget, horizon, weights and goals.")],
        Kind::Table(FOUND),
    ),
];
