//! What scripts may say and ask: one declaration for constructors, checks and the reference page.

mod queries;

use phalanx_game::declare::{count, field, required, whole};
use phalanx_game::{ActionDoc, Api, FieldDoc, KeyDoc, Kind};

/// The whole script interface of the game.
pub const API: Api = Api { actions: ACTIONS, percept: PERCEPT, queries: queries::QUERIES };

/// Keys with which a person drives an agent.
pub const KEYS: &[KeyDoc] = &[
    KeyDoc { key: "r", order: "recharge" },
    KeyDoc { key: "p", order: "probe" },
    KeyDoc { key: "s", order: "survey" },
    KeyDoc { key: " ", order: "skip" },
];

const ROLE: Kind = Kind::Word(&["Explorer", "Repairer", "Saboteur", "Sentinel", "Inspector"]);
const OWNER: Kind = Kind::Word(&["own", "enemy", "none"]);

const ACTIONS: &[ActionDoc] = &[
    ActionDoc { name: "skip", doc: "Does nothing; always succeeds.", params: &[] },
    ActionDoc {
        name: "recharge",
        doc: "Regains half of the most energy (30 % while disabled); fails when attacked in this step.",
        params: &[],
    },
    ActionDoc {
        name: "goto",
        doc: "Goes to a neighbouring vertex for as much energy as the edge weighs; costs 1 when it fails.",
        params: &[required("vertex", Kind::Str, "The neighbour's name.")],
    },
    ActionDoc {
        name: "probe",
        doc: "Tells the value of the own vertex, which counts fully for the team from then on. Explorers; costs 1.",
        params: &[],
    },
    ActionDoc {
        name: "survey",
        doc: "Tells the weights of all edges of the own vertex. Costs 1.",
        params: &[],
    },
    ActionDoc {
        name: "inspect",
        doc: "Tells the internals of enemies on the own and on neighbouring vertices. Inspectors; costs 2.",
        params: &[],
    },
    ActionDoc {
        name: "attack",
        doc: "Hurts an agent on the own vertex by the attacker's strength. Saboteurs; costs 2.",
        params: &[required("agent", Kind::Str, "The victim's name.")],
    },
    ActionDoc {
        name: "parry",
        doc: "Wards off all attacks of this step. Repairers, saboteurs, sentinels; costs 2.",
        params: &[],
    },
    ActionDoc {
        name: "repair",
        doc: "Gives another agent on the own vertex its full health. Repairers, also disabled ones; costs 2, or 3 while disabled.",
        params: &[required("agent", Kind::Str, "The name of the agent to repair.")],
    },
    ActionDoc {
        name: "buy",
        doc: "Buys an upgrade for 2 money and 2 energy. Money that is kept counts in every step.",
        params: &[required(
            "item",
            Kind::Word(&["battery", "sensor", "shield", "sabotageDevice"]),
            "battery: 2 more energy; sensor: 1 more range; shield: 1 more health; sabotageDevice: 1 more strength, saboteurs only.",
        )],
    },
];

const VERTEX: &[FieldDoc] = &[
    field("name", Kind::Str, "Its name."),
    field("team", Kind::Str, "The team that owns it; nil when none does."),
];

const EDGE: &[FieldDoc] =
    &[field("a", Kind::Str, "One end."), field("b", Kind::Str, "The other end.")];

const ENTITY: &[FieldDoc] = &[
    field("name", Kind::Str, "Its name."),
    field("team", Kind::Str, "Its team's name."),
    field("vertex", Kind::Str, "Where it is."),
    field("disabled", Kind::Bool, "Its health is 0."),
];

const PROBED: &[FieldDoc] = &[
    field("name", Kind::Str, "The vertex."),
    field("value", whole(), "What it is worth, 1 to 10."),
];

const SURVEYED: &[FieldDoc] = &[
    field("a", Kind::Str, "One end."),
    field("b", Kind::Str, "The other end."),
    field("weight", whole(), "Energy that it costs, 1 to 9."),
];

const INSPECTED: &[FieldDoc] = &[
    field("name", Kind::Str, "Its name."),
    field("team", Kind::Str, "Its team's name."),
    field("vertex", Kind::Str, "Where it is."),
    field("role", ROLE, "Its role."),
    field("energy", whole(), "Energy now."),
    field("max_energy", whole(), "Most energy."),
    field("health", whole(), "Health now."),
    field("max_health", whole(), "Most health."),
    field("strength", whole(), "Damage of its attacks."),
    field("vis_range", whole(), "How far it sees."),
];

const PERCEPT: &[FieldDoc] = &[
    field("step", count(), "The step, from 0."),
    field("position", Kind::Str, "The vertex where the agent is."),
    field("energy", whole(), "Energy now."),
    field("max_energy", whole(), "Most energy while enabled."),
    field("max_energy_disabled", whole(), "Most energy while disabled."),
    field("health", whole(), "Health now."),
    field("max_health", whole(), "Most health."),
    field("disabled", Kind::Bool, "Health is 0: only skip, goto, recharge and repair work."),
    field("strength", whole(), "Damage of an attack."),
    field("vis_range", whole(), "How far it sees, in edges."),
    field("zone_score", whole(), "Value of the zone in which the agent is; 0 in none."),
    field(
        "last_action",
        Kind::Str,
        "The last action by the referee's name; noAction when none came in time.",
    ),
    field("last_param", Kind::Str, "Its parameter; null in step 0."),
    field(
        "last_result",
        Kind::Str,
        "successful, useless, failed, failed_random, failed_resources, failed_attacked, failed_parried, failed_away, failed_role, failed_status, failed_wrong_param, failed_limit.",
    ),
    field("money", whole(), "The team's money."),
    field("score", whole(), "The team's score."),
    field("last_step_score", whole(), "What the last step added to it: zones and money."),
    field("zones_score", whole(), "What the team's zones are worth."),
    field(
        "achievements",
        Kind::List(&Kind::Str),
        "Gained in the last step; see world.team for all.",
    ),
    field("vertices", Kind::List(&Kind::Table(VERTEX)), "Vertices in sight and in the own zone."),
    field("edges", Kind::List(&Kind::Table(EDGE)), "Edges in sight and in the own zone."),
    field("entities", Kind::List(&Kind::Table(ENTITY)), "Agents in sight, oneself included."),
    field("probed", Kind::List(&Kind::Table(PROBED)), "What a probe of the last step found."),
    field("surveyed", Kind::List(&Kind::Table(SURVEYED)), "What a survey of the last step found."),
    field(
        "inspected",
        Kind::List(&Kind::Table(INSPECTED)),
        "What an inspection of the last step found.",
    ),
];
