//! The native queries on the world. Cells without further word are in the coordinates of the
//! asking agent's group; `group` changes when groups join, and `rebase` translates old cells.

use super::{BLOCK, DIRECTION};
use phalanx_game::declare::{count, field, optional, query, required, whole};
use phalanx_game::{FieldDoc, Kind, ParamDoc, QueryDoc};

const X: ParamDoc = required("x", whole(), "East, in the group's coordinates.");
const Y: ParamDoc = required("y", whole(), "South, in the group's coordinates.");
const CELL: &[ParamDoc] = &[X, Y];

const KIND: ParamDoc = required(
    "kind",
    Kind::Word(&["dispenser", "taskboard", "goal", "block", "enemy", "obstacle", "frontier"]),
    "What to look for; block means one that hangs on no agent, frontier a known cell beside an unknown one.",
);
const DETAIL: ParamDoc = optional("detail", Kind::Str, "Only dispensers or blocks of this type.");
const CELLS: ParamDoc = required("cells", Kind::List(&Kind::Cell), "At most 1024 cells.");

const PLACE: &[FieldDoc] = &[
    field("x", whole(), "East."),
    field("y", whole(), "South."),
    field("group", count(), "The group whose coordinates these are."),
];

const SIZE: &[FieldDoc] = &[
    field("width", count(), "Nil until it is found out."),
    field("height", count(), "Nil until it is found out."),
];

const SIM: &[FieldDoc] = &[
    field("step", count(), "The step now."),
    field("steps", count(), "Steps of the simulation; nil when no start message came."),
    field("team", Kind::Str, "The team's name as entities show it."),
    field("team_size", count(), "Agents of the team in this simulation."),
    field("vision", count(), "How far an agent sees."),
];

const SPOT: &[FieldDoc] = &[
    field("terrain", Kind::Word(&["empty", "goal", "obstacle"]), "The ground."),
    field("dispenser", Kind::Str, "The type of the dispenser there."),
    field("taskboard", Kind::Bool, "Whether a task board is there."),
    field("block", Kind::Str, "The type of the block that was there."),
    field("held", Kind::Bool, "Whether it hung on anybody."),
    field("mine", Kind::Bool, "Whether a part of the asking agent's structure is there now."),
    field("entity", Kind::Word(&["own", "enemy"]), "Who stood there."),
    field("marker", Kind::Word(&["clear", "ci", "cp"]), "The announced clear."),
    field("seen", count(), "The step in which all this was seen."),
];

const FOUND: &[FieldDoc] = &[
    field("x", whole(), "East."),
    field("y", whole(), "South."),
    field("distance", count(), "find: as the crow flies; nearest: cost of walking."),
    field("details", Kind::Str, "The type of a dispenser or block."),
    field("seen", count(), "The step in which it was seen last."),
];

const CLOSEST: &[FieldDoc] = &[
    field("x", whole(), "East."),
    field("y", whole(), "South."),
    field("distance", count(), "Cost of walking there."),
    field("index", count(), "Its place in the given list, from 1."),
];

const SITE: &[FieldDoc] = &[
    field("x", whole(), "East."),
    field("y", whole(), "South."),
    field("distance", count(), "Cost of walking there."),
    field("free", count(), "Cells within the radius that are known to be free."),
];

const PATH_OPTIONS: &[FieldDoc] = &[
    field("range", count(), "The way may end this far from the target; 0 when left out."),
    field("min", count(), "It must not end nearer than this: range 1 and min 1 end beside it."),
    field(
        "turns",
        Kind::Int { min: 0, max: 3 },
        "Quarter turns clockwise from now that the structure must have at the end.",
    ),
    field("dig", Kind::Bool, "May go through obstacles by clearing them, given the energy."),
    field("avoid", Kind::List(&Kind::Cell), "Cells that no part may enter."),
    field("cells", Kind::Bool, "Answer with all cells of the way."),
];

const PATH: &[FieldDoc] = &[
    field(
        "action",
        Kind::Word(&["move", "rotate", "clear"]),
        "What to do now; nil when the way is done.",
    ),
    field(
        "dir",
        Kind::Str,
        "n, s, e, w to move; cw, ccw to rotate; with clear the way behind the obstacle.",
    ),
    field("x", whole(), "With clear: where to aim, relative to the agent."),
    field("y", whole(), "With clear: where to aim, relative to the agent."),
    field("length", count(), "Moves and turns of the whole way."),
    field(
        "cost",
        count(),
        "Its price: unknown cells, crowds, announced clears and digging cost more than 1.",
    ),
    field("complete", Kind::Bool, "Whether it leads all the way; otherwise as near as was found."),
    field("cells", Kind::List(&Kind::Cell), "Where the agent is after each step, when asked for."),
];

const EXPLORE_OPTIONS: &[FieldDoc] = &[
    field("taken", Kind::List(&Kind::Cell), "Targets of other explorers, to keep away from."),
    field("dig", Kind::Bool, "As for path."),
];

const EXPLORE: &[FieldDoc] = &[
    field("action", Kind::Word(&["move", "rotate", "clear"]), "What to do now."),
    field("dir", Kind::Str, "As for path."),
    field("x", whole(), "With clear: where to aim, relative to the agent."),
    field("y", whole(), "With clear: where to aim, relative to the agent."),
    field("length", count(), "As for path."),
    field("cost", count(), "As for path."),
    field("complete", Kind::Bool, "As for path."),
    field("target", Kind::Cell, "The cell to look from."),
    field("distance", count(), "Cost of walking there."),
    field("stale", Kind::Bool, "Everything is known; this is the corner seen longest ago."),
];

const MATE: &[FieldDoc] = &[
    field("name", Kind::Str, "Its name."),
    field("x", whole(), "East, in the asking agent's coordinates."),
    field("y", whole(), "South."),
    field("distance", count(), "As the crow flies."),
    field("carrying", Kind::List(&Kind::Str), "Types of the blocks of its structure."),
    field("energy", whole(), "Its energy."),
    field("task", Kind::Str, "The task that it has accepted."),
    field("disabled", Kind::Bool, "Its action of this step will fail."),
    field("seen", count(), "The step of its last percept."),
];

const PART: &[FieldDoc] = &[
    field("x", whole(), "Relative to the agent."),
    field("y", whole(), "Relative to the agent."),
    field("kind", Kind::Word(&["block", "agent"]), "What hangs there."),
    field("type", Kind::Str, "The block's type or the agent's name."),
    field("direct", Kind::Bool, "Linked to the agent itself."),
];

const TASK: &[FieldDoc] = &[
    field("name", Kind::Str, "What accept and submit want."),
    field("deadline", count(), "The last step in which it can be delivered."),
    field("reward", whole(), "What a delivery in this step earns."),
    field("size", count(), "Blocks."),
    field("age", count(), "Steps since it appeared."),
    field(
        "requirements",
        Kind::List(&Kind::Table(BLOCK)),
        "Relative to the deliverer; each hangs on an earlier one or, the first, on the agent.",
    ),
];

const FIT: &[FieldDoc] = &[
    field("complete", Kind::Bool, "Nothing is missing (after the turns)."),
    field("turns", Kind::Int { min: 0, max: 3 }, "Quarter turns clockwise to the best fit."),
    field("rotate", Kind::Word(&["cw", "ccw"]), "The turn to make now; nil when none."),
    field("matched", count(), "Required blocks in place."),
    field("extra", count(), "Attached blocks that are not required."),
    field(
        "missing",
        Kind::List(&Kind::Table(BLOCK)),
        "Required blocks not in place, after the turns.",
    ),
];

pub(super) const QUERIES: &[QueryDoc] = &[
    query("here", "Where the agent is.", &[], Kind::Table(PLACE)),
    query("group", "The number of the agent's group; it changes when groups join.", &[], count()),
    query(
        "rebase",
        "Names a cell noted down under an older group number in today's coordinates; nil when that group is not the agent's.",
        &[X, Y, required("group", count(), "The group number of that time.")],
        Kind::Cell,
    ),
    query("size", "The torus as far as it is known.", &[], Kind::Table(SIZE)),
    query("sim", "The simulation.", &[], Kind::Table(SIM)),
    query(
        "cell",
        "What is known of a cell; nil when no agent of the group has seen it.",
        CELL,
        Kind::Table(SPOT),
    ),
    query(
        "find",
        "All known things of a kind, the nearest as the crow flies first.",
        &[KIND, DETAIL, optional("limit", Kind::Int { min: 0, max: 1024 }, "64 when left out.")],
        Kind::List(&Kind::Table(FOUND)),
    ),
    query(
        "nearest",
        "The thing of a kind that costs least to walk to; nil when none is reachable.",
        &[KIND, DETAIL],
        Kind::Table(FOUND),
    ),
    query(
        "free",
        "Whether something can stand on the cell now, as far as is known.",
        CELL,
        Kind::Bool,
    ),
    query(
        "danger",
        "The marker on a cell that is in sight now: ci, clear, cp or nil.",
        CELL,
        Kind::Word(&["clear", "ci", "cp"]),
    ),
    query(
        "hit_in",
        "Steps that are left at least before an announced clear hits the cell; nil without one in sight. With 1, only the action of this step is left.",
        CELL,
        count(),
    ),
    query(
        "body_hit_in",
        "The same for the agent with all that hangs on it: the soonest of its cells.",
        &[],
        count(),
    ),
    query(
        "offset",
        "The cell relative to the agent, the shortest way round: what act.clear and act.connect want.",
        CELL,
        Kind::Cell,
    ),
    query(
        "distance",
        "Cost of walking to a cell (or beside it when it is taken); nil when unreachable.",
        CELL,
        count(),
    ),
    query(
        "distances",
        "Cost of walking to each of the cells; -1 when unreachable.",
        &[CELLS],
        Kind::List(&Kind::Int { min: -1, max: i32::MAX as i64 }),
    ),
    query(
        "between",
        "Cost of walking from one cell to each of the cells for any agent at any time: agents and held blocks do not count; -1 when unreachable.",
        &[X, Y, CELLS],
        Kind::List(&Kind::Int { min: -1, max: i32::MAX as i64 }),
    ),
    query(
        "closest",
        "The one of the cells that costs least to walk to.",
        &[CELLS],
        Kind::Table(CLOSEST),
    ),
    query(
        "path",
        "The cheapest way for the agent with all that hangs on it, turns included; nil when there is no step nearer.",
        &[X, Y, optional("options", Kind::Table(PATH_OPTIONS), "How to go.")],
        Kind::Table(PATH),
    ),
    query(
        "path_any",
        "The cheapest way to any of the cells (the 32 nearest count).",
        &[CELLS, optional("options", Kind::Table(PATH_OPTIONS), "How to go.")],
        Kind::Table(PATH),
    ),
    query(
        "shelter",
        "The cheapest way on which the agent and all that hangs on it leave every announced clear; nil when there is no step.",
        &[],
        Kind::Table(PATH),
    ),
    query(
        "explore",
        "Where to look next and the first step there.",
        &[optional("options", Kind::Table(EXPLORE_OPTIONS), "How to go.")],
        Kind::Table(EXPLORE),
    ),
    query(
        "dig",
        "Where to aim (relative) so that the obstacle on the cell goes and nothing of the team's is hit; nil when impossible from here.",
        CELL,
        Kind::Cell,
    ),
    query(
        "can_move",
        "Whether a move would find all its cells free.",
        &[required("dir", DIRECTION, "Which way.")],
        Kind::Bool,
    ),
    query(
        "can_rotate",
        "Whether a turn would find all its cells free and no other agent attached.",
        &[required("turn", Kind::Word(&["cw", "ccw"]), "Which way.")],
        Kind::Bool,
    ),
    query(
        "sites",
        "Free goal cells, those with the most free cells around first: where to assemble.",
        &[
            optional(
                "radius",
                Kind::Int { min: 1, max: 8 },
                "Of the surroundings; 3 when left out.",
            ),
            optional("limit", Kind::Int { min: 0, max: 1024 }, "16 when left out."),
        ],
        Kind::List(&Kind::Table(SITE)),
    ),
    query(
        "agents",
        "All agents of the group, the asking one included, in roster order.",
        &[],
        Kind::List(&Kind::Table(MATE)),
    ),
    query(
        "mate",
        "An agent of the team; nil when it is of another group.",
        &[required("agent", Kind::Agent, "Its name.")],
        Kind::Table(MATE),
    ),
    query(
        "attached",
        "What hangs on the agent, and only that.",
        &[],
        Kind::List(&Kind::Table(PART)),
    ),
    query(
        "linked",
        "Whether two cells are linked directly (relative; 0, 0 is the agent): parts of the agent's structure, or loose blocks that are known to be linked.",
        &[
            required("x1", whole(), "Relative."),
            required("y1", whole(), "Relative."),
            required("x2", whole(), "Relative."),
            required("y2", whole(), "Relative."),
        ],
        Kind::Bool,
    ),
    query(
        "tasks",
        "Tasks that can still be delivered, the nearest deadline first.",
        &[],
        Kind::List(&Kind::Table(TASK)),
    ),
    query(
        "task",
        "The active task of that name; nil when it is gone.",
        &[required("name", Kind::Str, "Its name.")],
        Kind::Table(TASK),
    ),
    query(
        "fit",
        "How well the agent's structure fits a task, in the best of its four orientations; nil when the task is not active any more.",
        &[required("task", Kind::Any, "The name of a task, or a list of {x=, y=, type=}.")],
        Kind::Table(FIT),
    ),
    query(
        "assign",
        "Pairs rows with columns at the least sum of costs: for each row its column from 1, 0 for none.",
        &[required(
            "costs",
            Kind::List(&Kind::List(&Kind::Any)),
            "A row of numbers each; false forbids a pair; at most 128 by 128.",
        )],
        Kind::List(&count()),
    ),
];
