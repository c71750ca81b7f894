//! What scripts may say and ask: one declaration for constructors, checks and the reference page.

mod queries;

use phalanx_game::declare::{count, field, required, whole};
use phalanx_game::{ActionDoc, Api, FieldDoc, KeyDoc, Kind, ParamDoc};

/// The whole script interface of the game.
pub const API: Api = Api { actions: ACTIONS, percept: PERCEPT, queries: queries::QUERIES };

const ARROWS: [KeyDoc; 4] =
    KeyDoc::arrows([r#"move("n")"#, r#"move("s")"#, r#"move("w")"#, r#"move("e")"#]);

/// Keys with which a person drives an agent.
pub const KEYS: &[KeyDoc] = &[
    ARROWS[0],
    ARROWS[1],
    ARROWS[2],
    ARROWS[3],
    KeyDoc { key: "c", order: r#"rotate("cw")"# },
    KeyDoc { key: "v", order: r#"rotate("ccw")"# },
    KeyDoc { key: " ", order: "skip" },
];

/// n, s, e, w.
pub(crate) const DIRECTION: Kind = Kind::Word(&["n", "s", "e", "w"]);

/// Coordinates of relative cells in actions; the referee sees five cells far, bodies reach ten.
const REACH: Kind = Kind::Int { min: -20, max: 20 };

const DIR_PARAM: &[ParamDoc] = &[required("dir", DIRECTION, "Which side.")];

const ACTIONS: &[ActionDoc] = &[
    ActionDoc { name: "skip", doc: "Does nothing; always succeeds.", params: &[] },
    ActionDoc {
        name: "move",
        doc: "Goes one cell with everything attached. Fails (failed_path) when any target cell is taken.",
        params: DIR_PARAM,
    },
    ActionDoc {
        name: "attach",
        doc: "Takes hold of the block or team mate on that side. At most ten things hang together.",
        params: DIR_PARAM,
    },
    ActionDoc { name: "detach", doc: "Lets go of the thing on that side.", params: DIR_PARAM },
    ActionDoc {
        name: "rotate",
        doc: "Turns everything attached a quarter about the agent. Fails when a target cell is taken or another agent is attached.",
        params: &[required("turn", Kind::Word(&["cw", "ccw"]), "Clockwise or counter-clockwise.")],
    },
    ActionDoc {
        name: "connect",
        doc: "Links one's own block with a neighbouring block of a partner who connects in the same step.",
        params: &[
            required("agent", Kind::Agent, "The partner."),
            required("x", REACH, "One's own block, relative to oneself."),
            required("y", REACH, "One's own block, relative to oneself."),
        ],
    },
    ActionDoc {
        name: "disconnect",
        doc: "Cuts the link between two attached things of one's own structure.",
        params: &[
            required("x1", REACH, "One end, relative to oneself."),
            required("y1", REACH, "One end, relative to oneself."),
            required("x2", REACH, "The other end, relative to oneself."),
            required("y2", REACH, "The other end, relative to oneself."),
        ],
    },
    ActionDoc {
        name: "request",
        doc: "Makes the dispenser on that side put a block on its cell; the block is not attached yet.",
        params: DIR_PARAM,
    },
    ActionDoc {
        name: "submit",
        doc: "Delivers the accepted task: on a goal cell, with the required blocks in place.",
        params: &[required("task", Kind::Str, "The task's name.")],
    },
    ActionDoc {
        name: "clear",
        doc: "Clears the cell and its four neighbours when done three times in a row; costs 30 energy then. Digs obstacles, destroys blocks, disables agents.",
        params: &[
            required("x", REACH, "The cell, relative to oneself, at most five steps away."),
            required("y", REACH, "The cell, relative to oneself, at most five steps away."),
        ],
    },
    ActionDoc {
        name: "accept",
        doc: "Accepts a task, within two cells of a task board; replaces the one accepted before.",
        params: &[required("task", Kind::Str, "The task's name.")],
    },
];

/// A block that a task requires, or that an agent carries.
pub(crate) const BLOCK: &[FieldDoc] = &[
    field("x", whole(), "Relative to the agent."),
    field("y", whole(), "Relative to the agent."),
    field("type", Kind::Str, "The block's type."),
];

const THING: &[FieldDoc] = &[
    field("x", whole(), "Relative to the agent."),
    field("y", whole(), "Relative to the agent."),
    field(
        "type",
        Kind::Str,
        "entity, block, dispenser, taskboard, marker, or a word not known yet.",
    ),
    field(
        "details",
        Kind::Str,
        "Team of an entity, type of a block or dispenser, kind of a marker.",
    ),
];

const TERRAIN: &[FieldDoc] = &[
    field("goal", Kind::List(&Kind::Cell), "Goal cells in sight, relative."),
    field("obstacle", Kind::List(&Kind::Cell), "Obstacles in sight, relative."),
];

const TASK: &[FieldDoc] = &[
    field("name", Kind::Str, "What accept and submit want."),
    field("deadline", count(), "The last step in which it can be delivered."),
    field("reward", whole(), "What a delivery in this step earns."),
    field("requirements", Kind::List(&Kind::Table(BLOCK)), "Which block where."),
];

const PERCEPT: &[FieldDoc] = &[
    field("step", count(), "The step, from 0."),
    field("score", whole(), "The team's score."),
    field(
        "last_action",
        Kind::Str,
        "The last action by the referee's name; no_action when none came in time.",
    ),
    field(
        "last_result",
        Kind::Str,
        "success, failed, failed_random, failed_path and so on; empty in step 0.",
    ),
    field("last_params", Kind::List(&Kind::Str), "The last action's parameters."),
    field("energy", whole(), "For clear; up to 300, one more a step."),
    field("disabled", Kind::Bool, "This step's action will fail."),
    field(
        "task",
        Kind::Str,
        "The task accepted last, also when it is gone by now (see world.task); nil when there was none.",
    ),
    field(
        "attached",
        Kind::List(&Kind::Cell),
        "Things in sight that hang on ANY agent of any team; see world.attached for one's own.",
    ),
    field("things", Kind::List(&Kind::Table(THING)), "Everything in sight, oneself included."),
    field("terrain", Kind::Table(TERRAIN), "Cells in sight that are not plain."),
    field(
        "tasks",
        Kind::List(&Kind::Table(TASK)),
        "Tasks that are not completed, expired ones included; see world.tasks.",
    ),
];
