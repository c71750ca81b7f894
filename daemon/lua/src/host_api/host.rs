//! The host's own functions and tables.

use super::{Function, Module, TableType};

/// Name, parameters, results, meaning.
type HostFunctionRow = (&'static str, &'static str, &'static str, &'static str);

const BOARD: &[HostFunctionRow] = &[
    ("get", "key: string", "any", "The value of a key; nil when there is none."),
    (
        "set",
        "key: string, value: any, options: Expiry?",
        "boolean | reason",
        "Writes plain data for everybody; nil deletes. `{ turns = n }` lets it expire, `turns = 1` with this turn.",
    ),
    (
        "add",
        "key: string, amount: number",
        "number | reason",
        "Adds to a number, from 0 when there is none, and answers the sum.",
    ),
    (
        "each",
        "prefix: string?",
        "function",
        "Walks the keys with a prefix in order: `for key, value, author in board.each(\"job/\") do`.",
    ),
    (
        "claim",
        "key: string, options: Expiry?",
        "boolean | reason",
        "Takes a claim: true for one holder only, until it is released or expires.",
    ),
    ("release", "key: string", "boolean", "Gives a claim up; false when it was another's."),
    ("holder", "key: string", "string?", "Who holds the claim."),
];

const TEAM: &[HostFunctionRow] = &[
    ("all", "", "{Member}", "Everybody, in roster order."),
    ("agents", "", "{Member}", "Those who were asked in this turn."),
    (
        "send",
        "name: string, body: any",
        "boolean | reason",
        "A letter of plain data; it can be read in the next turn.",
    ),
    ("inbox", "", "{Letter}", "Takes the letters that wait for the agent that decides."),
    ("role", "name: string", "string", "The role of an agent."),
    ("set_role", "name: string, role: string", "", "Changes it from the agent's next decision on."),
    ("percept", "name: string", "Percept", "What another agent of the team sees."),
    (
        "assign",
        "costs: {{number}}",
        "{integer}",
        "Rows to columns at the least sum, at most 100 by 100; `math.huge` forbids a pair. A row that gets no column is nil.",
    ),
];

const LOG: &[HostFunctionRow] = &[
    (
        "debug",
        "...",
        "",
        "Logs for the author of the script. Takes values, or a format and values.",
    ),
    ("info", "...", "", "Worth telling; `print` is the same."),
    ("warn", "...", "", "Something is not as it should be."),
    ("error", "...", "", "Something failed."),
];

const DRAW: &[HostFunctionRow] = &[
    ("cell", "cell: any, ...", "boolean", "Marks a cell on the map of this turn."),
    ("line", "from: any, to: any, ...", "boolean", "Marks a line."),
    ("text", "cell: any, text: any, ...", "boolean", "Writes beside a cell."),
    ("path", "cells: any, ...", "boolean", "Marks a way; shown as where the agent goes."),
];

const RNG: &[HostFunctionRow] = &[
    ("int", "low: integer, high: integer", "integer", "A whole number, both ends included."),
    ("float", "", "number", "From 0 up to, not including, 1."),
    ("pick", "list: table", "any", "One item of a list; nil of an empty one."),
    ("shuffle", "list: table", "table", "Shuffles the list itself and answers it."),
];

const GLOBALS: &[HostFunctionRow] = &[
    ("metric", "name: string, value: number", "boolean", "A number for dashboards."),
    (
        "param",
        "name: string, spec: ParamSpec?",
        "any",
        "Declares a live parameter and answers its value for the agent that decides; without `spec` it reads one that is declared elsewhere.",
    ),
    (
        "explain",
        "text: string, data: any?",
        "",
        "Says why: in `decide` the last one is kept with the action, and shown as what the agent is doing; data with `x` and `y`, or with `vertex`, is where it goes. At most 500 characters, and plain data of at most 200 values.",
    ),
    (
        "require",
        "name: string",
        "any",
        "A module of the strategy, named from its folder without an ending: `require(\"lib/walk\")`.",
    ),
];

const ME: &[(&str, &str, &str)] = &[
    ("name", "string", "Its name."),
    ("role", "string", "Its role."),
    ("turn", "integer", "The referee's step."),
    ("round", "integer", "The round of the match, from 0."),
    ("tick", "integer", "Turns of the match so far."),
    ("percept", "Percept", "What it sees; a misspelt field is an error."),
    (
        "memory",
        "table",
        "A table of the agent's own that lasts for the match; plain data survives a change of the scripts.",
    ),
    (
        "time_left",
        "Clock",
        "`time_left()`: seconds until the referee's deadline, less the safety margin.",
    ),
];

/// The tables with known fields.
pub(crate) const CLASSES: &[TableType] = &[
    TableType { name: "Me", doc: "The agent that decides.", fields: ME },
    TableType {
        name: "Result",
        doc: "What `finish` gets besides all of `Me`.",
        fields: &[
            ("score", "integer", "The team's score."),
            ("ranking", "integer?", "Its rank from 1, where the referee tells it."),
        ],
    },
    TableType {
        name: "Plan",
        doc: "What `plan` gets besides all of `team`.",
        fields: &[
            ("turn", "integer", "The referee's step."),
            ("round", "integer", "The round of the match, from 0."),
            ("tick", "integer", "Turns of the match so far."),
            ("time_left", "Clock", "Seconds until the referee's deadline."),
        ],
    },
    TableType {
        name: "Expiry",
        doc: "For how long something stays on the board.",
        fields: &[(
            "turns",
            "integer?",
            "Number of turns, this one included; without it, the entry stays.",
        )],
    },
    TableType {
        name: "Member",
        doc: "An agent of the team.",
        fields: &[("name", "string", "Its name."), ("role", "string", "Its role.")],
    },
    TableType {
        name: "Letter",
        doc: "A message between agents.",
        fields: &[
            ("from", "string", "The sender's name, or team."),
            ("body", "any", "What it says."),
        ],
    },
    TableType {
        name: "ParamSpec",
        doc: "What a live parameter accepts; its type is the default's.",
        fields: &[
            ("default", "any", "The value until it is set: boolean, number or string."),
            ("min", "number?", "The smallest number."),
            ("max", "number?", "The largest number."),
            ("step", "number?", "The distance of neighbouring values; others are rounded."),
            ("kind", "string?", "int, float, choice or bool; follows from the rest if omitted."),
            ("log", "boolean?", "A search steps by ratios; needs a min above 0 and a max."),
            ("values", "{string}?", "The words that may be chosen."),
            ("why", "string?", "Meaning and unit, for operators."),
            ("whole", "boolean?", "The older form of kind = \"int\"."),
            ("doc", "string?", "The older name of why."),
        ],
    },
];

pub(super) fn modules() -> Vec<Module> {
    let module = |name, doc, rows: &'static [HostFunctionRow]| {
        let functions = rows.iter().map(|(name, params, returns, doc)| Function {
            doc,
            ..Function::read(name, params, returns)
        });
        Module { name, doc, functions: functions.collect(), constants: vec![], library: false }
    };
    vec![
        module("board", "The team's blackboard: keys are strings, values plain data.", BOARD),
        module("team", "The agents of the team; `plan(team)` gets it with the turn in it.", TEAM),
        module("log", "Lines in the team's journal.", LOG),
        module("draw", "Marks for the map of this turn.", DRAW),
        module("rng", "Chance, seeded by match, agent and turn; so is `math.random`.", RNG),
        module("", "Single functions.", GLOBALS),
    ]
}
