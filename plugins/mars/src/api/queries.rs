//! The native queries on the world. All agents share one map; vertices go by their names.

use super::{OWNER, ROLE};
use phalanx_game::declare::{count, field, optional, query, required, whole};
use phalanx_game::{FieldDoc, Kind, ParamDoc, QueryDoc};

const HERE: ParamDoc =
    optional("vertex", Kind::Str, "Where; the agent's own vertex when left out.");

const KIND: ParamDoc = required(
    "kind",
    Kind::Word(&["unprobed", "unsurveyed", "frontier", "own", "enemy", "free", "any"]),
    "What to look for. frontier: vertices that may have unknown neighbours; own, enemy, free: by owner.",
);

const BY: Kind = Kind::Word(&["time", "steps", "energy"]);

const SIM: &[FieldDoc] = &[
    field("step", count(), "The step now."),
    field("steps", count(), "Steps of the simulation; nil when no start message came."),
    field("team", Kind::Str, "The team's name as entities show it."),
    field("role", ROLE, "The agent's role; nil when no start message came."),
    field("vertices", count(), "Vertices of the map; nil when no start message came."),
    field("edges", count(), "Edges of the map; nil when no start message came."),
    field("known_vertices", count(), "Vertices seen so far."),
    field("known_edges", count(), "Edges seen so far."),
    field("probed", count(), "Vertices whose value is known."),
    field("surveyed", count(), "Edges whose weight is known."),
    field("worth", whole(), "What all known vertices are worth together, unprobed ones as 1."),
];

const SPOT: &[FieldDoc] = &[
    field("name", Kind::Str, "Its name."),
    field("value", whole(), "Its value; nil until it is probed."),
    field("owner", OWNER, "Who owned it when it was seen last; nil when that was never seen."),
    field("complete", Kind::Bool, "All its edges are known."),
    field("surveyed", Kind::Bool, "All its edges are known with their weights."),
    field("degree", count(), "Its known edges."),
    field("seen", count(), "The step in which its owner was seen last."),
    field("watched", count(), "The step in which an agent saw last who stood there."),
];

const ROAD: &[FieldDoc] = &[
    field("name", Kind::Str, "The neighbour."),
    field("weight", whole(), "Energy that it costs to go there; nil until it is surveyed."),
    field("value", whole(), "The neighbour's value; nil until it is probed."),
    field("owner", OWNER, "Who owned the neighbour when it was seen last."),
];

const FOUND: &[FieldDoc] = &[
    field("name", Kind::Str, "The vertex."),
    field("steps", count(), "Edges of the way that takes the least time."),
    field("energy", count(), "Its energy; 5 for each edge of unknown weight."),
    field("time", Kind::Num, "Steps with the recharging that the way needs."),
    field("value", whole(), "Its value; nil until it is probed."),
    field("owner", OWNER, "Who owned it when it was seen last."),
];

const CLOSEST: &[FieldDoc] = &[
    field("name", Kind::Str, "The vertex."),
    field("index", count(), "Its place in the given list, from 1."),
    field("steps", count(), "Edges of the way that takes the least time."),
    field("energy", count(), "Its energy."),
    field("time", Kind::Num, "Steps with the recharging that the way needs."),
];

const PATH_OPTIONS: &[FieldDoc] = &[
    field("by", BY, "What is to be saved; time, which counts recharging, when left out."),
    field("avoid", Kind::List(&Kind::Str), "Vertices that must not be entered."),
    field("vertices", Kind::Bool, "Answer with all vertices of the way."),
];

const PATH: &[FieldDoc] = &[
    field("next", Kind::Str, "Where to go now; nil when the way is done."),
    field("weight", whole(), "Energy of that edge; nil until it is surveyed."),
    field("steps", count(), "Edges of the whole way."),
    field("energy", count(), "Energy of the whole way; 5 for each edge of unknown weight."),
    field("cost", Kind::Num, "What was to be saved, in its unit."),
    field("vertices", Kind::List(&Kind::Str), "The way without its start, when asked for."),
];

const CUT: &[FieldDoc] = &[
    field("name", Kind::Str, "The vertex without which the known graph falls apart."),
    field("behind", count(), "Vertices of all parts but the largest."),
    field("worth", whole(), "What those are worth together."),
];

const TEAM: &[FieldDoc] = &[
    field("name", Kind::Str, "The team's name as entities show it."),
    field("money", whole(), "Money now."),
    field("score", whole(), "Score now."),
    field("last_step_score", whole(), "What the last step added: zones and money."),
    field("zones_score", whole(), "What all zones are worth."),
    field("achievements", Kind::List(&Kind::Str), "All that were gained in this simulation."),
];

const MATE: &[FieldDoc] = &[
    field("name", Kind::Str, "Its name."),
    field("role", ROLE, "Its role; nil when no start message came."),
    field("vertex", Kind::Str, "Where it is."),
    field("health", whole(), "Its health."),
    field("max_health", whole(), "Its most health."),
    field("energy", whole(), "Its energy."),
    field("max_energy", whole(), "Its most energy."),
    field("strength", whole(), "Damage of its attacks."),
    field("vis_range", whole(), "How far it sees."),
    field("disabled", Kind::Bool, "Its health is 0."),
    field("last_action", Kind::Str, "Its last action by the referee's name."),
    field("last_result", Kind::Str, "How that went."),
    field("seen", count(), "The step of its last percept."),
];

const ENEMY: &[FieldDoc] = &[
    field("name", Kind::Str, "Its name."),
    field("team", Kind::Str, "Its team."),
    field("vertex", Kind::Str, "Where it was seen last."),
    field("seen", count(), "The step of that."),
    field("gone", Kind::Bool, "Somebody looked there since and did not find it."),
    field("disabled", Kind::Bool, "It was disabled when it was seen last."),
    field("role", ROLE, "Its role; nil until it is inspected."),
    field(
        "guess",
        ROLE,
        "Its role, or what the number at the end of its name suggests: accounts of both teams have their roles in the same order.",
    ),
    field("inspected", count(), "The step of its last inspection; what follows was true then."),
    field("health", whole(), "Its health."),
    field("max_health", whole(), "Its most health."),
    field("energy", whole(), "Its energy."),
    field("max_energy", whole(), "Its most energy."),
    field("strength", whole(), "Damage of its attacks."),
    field("vis_range", whole(), "How far it sees."),
];

const ENEMIES_OPTIONS: &[FieldDoc] = &[
    field("fresh", count(), "Only those seen in that many steps up to now."),
    field("known", Kind::Bool, "Only those whose place is believed in."),
];

const THREAT: &[FieldDoc] = &[
    field(
        "here",
        Kind::List(&Kind::Str),
        "Enemies there that may attack: inspected saboteurs and who may be one.",
    ),
    field("near", Kind::List(&Kind::Str), "Such enemies on neighbouring vertices."),
    field("damage", whole(), "Damage that those there can do in a step."),
    field("damage_near", whole(), "Damage that those near can do in the step after."),
];

const ZONES_OPTIONS: &[FieldDoc] = &[
    field(
        "enemies",
        Kind::List(&Kind::Str),
        "Vertices with an enabled enemy each; where they are believed to be when left out.",
    ),
    field("vertices", Kind::Bool, "Answer with the vertices of each zone."),
];

const ZONE: &[FieldDoc] = &[
    field("value", whole(), "What it is worth in a step."),
    field("vertices", Kind::List(&Kind::Str), "Its vertices."),
];

const ZONES: &[FieldDoc] = &[
    field("value", whole(), "What all our zones are worth together."),
    field("lead", whole(), "By how much they outweigh the enemy's, as far as we have probed."),
    field("best", whole(), "What the best of them is worth."),
    field("own", count(), "Vertices that we own."),
    field("enemy", count(), "Vertices that the enemy owns."),
    field("zones", Kind::List(&Kind::Table(ZONE)), "Each zone, when asked for."),
];

const MOVES_OPTIONS: &[FieldDoc] = &[
    field(
        "others",
        Kind::List(&Kind::Str),
        "Where the others will stand; where they stand when left out.",
    ),
    field("enemies", Kind::List(&Kind::Str), "As for zones."),
];

const MOVE: &[FieldDoc] = &[
    field("name", Kind::Str, "The own vertex (first) or a neighbour."),
    field("weight", whole(), "Energy that it costs to go there; nil until it is surveyed."),
    field("value", whole(), "What all our zones are worth with the agent there."),
];

const HOLDING: &[FieldDoc] = &[
    field("name", Kind::Str, "The agent."),
    field("vertex", Kind::Str, "Where it is."),
    field("loss", whole(), "What our zones lose without it."),
];

const PREY: &[FieldDoc] = &[
    field("name", Kind::Str, "The enemy."),
    field("vertex", Kind::Str, "Where it is believed to stand."),
    field(
        "gain",
        whole(),
        "What our zones would gain and the enemy's lose without it, as far as we have probed.",
    ),
];

const BEST_OPTIONS: &[FieldDoc] = &[
    field(
        "fixed",
        Kind::List(&Kind::Str),
        "Vertices where own agents stand besides; the zone grows from them.",
    ),
    field("within", Kind::List(&Kind::Str), "Only these vertices; all when left out."),
    field("enemies", Kind::List(&Kind::Str), "As for zones."),
    field(
        "against",
        Kind::Bool,
        "Count what the enemy loses as well; agents may then stand in its midst.",
    ),
    field(
        "effort",
        Kind::Int { min: 0, max: 200_000 },
        "Placements to try; 3000 when left out, which takes some hundredths of a second.",
    ),
];

const SITE: &[FieldDoc] = &[
    field(
        "value",
        whole(),
        "What all our zones are worth then; with against, by how much they outweigh the enemy's.",
    ),
    field("vertices", Kind::List(&Kind::Str), "Where the agents stand, the best place first."),
    field(
        "missing",
        count(),
        "Agents that were not placed, since the effort or the vertices were too few.",
    ),
    field("spent", count(), "Placements that were tried."),
];

const COUNT: ParamDoc = required("count", count(), "How many agents, at most 64.");
const MOST: ParamDoc = optional("most", count(), "Answers at most; 32 when left out.");
const VERTEX: ParamDoc = required("vertex", Kind::Str, "Which vertex.");
const NAMES: Kind = Kind::List(&Kind::Str);

pub(super) const QUERIES: &[QueryDoc] = &[
    query("here", "The name of the vertex where the agent is.", &[], Kind::Str),
    query("sim", "The simulation, and how much of it is known.", &[], Kind::Table(SIM)),
    query(
        "vertex",
        "What is known of a vertex; nil when no agent has seen it.",
        &[HERE],
        Kind::Table(SPOT),
    ),
    query("neighbours", "The known edges of a vertex.", &[HERE], Kind::List(&Kind::Table(ROAD))),
    query(
        "find",
        "Reachable vertices of a kind, those in the least time first.",
        &[KIND, MOST],
        Kind::List(&Kind::Table(FOUND)),
    ),
    query("nearest", "The first of find; nil when there is none.", &[KIND], Kind::Table(FOUND)),
    query(
        "path",
        "The best known way from the agent to a vertex; nil when there is none.",
        &[
            required("to", Kind::Str, "Where to."),
            optional("options", Kind::Table(PATH_OPTIONS), "How."),
        ],
        Kind::Table(PATH),
    ),
    query(
        "distance",
        "Edges between two vertices; nil when no way is known.",
        &[VERTEX, optional("from", Kind::Str, "From where; the agent's own vertex when left out.")],
        count(),
    ),
    query(
        "closest",
        "The vertex of a list that the agent reaches in the least time; nil when it reaches none.",
        &[required("vertices", NAMES, "The list.")],
        Kind::Table(CLOSEST),
    ),
    query(
        "cuts",
        "Vertices that hold parts of the known graph together, most worth behind them first: an agent there owns what lies behind while no enemy is in it.",
        &[MOST],
        Kind::List(&Kind::Table(CUT)),
    ),
    query("team", "Score, money and achievements of the team.", &[], Kind::Table(TEAM)),
    query(
        "agents",
        "All agents of the team that have perceived anything, the asking one included.",
        &[],
        Kind::List(&Kind::Table(MATE)),
    ),
    query(
        "mate",
        "One agent of the team; nil before its first percept.",
        &[required("agent", Kind::Agent, "Whom.")],
        Kind::Table(MATE),
    ),
    query(
        "enemies",
        "All enemies that were ever seen, by name.",
        &[optional("options", Kind::Table(ENEMIES_OPTIONS), "Which.")],
        Kind::List(&Kind::Table(ENEMY)),
    ),
    query(
        "enemy",
        "One enemy; nil when it was never seen.",
        &[required("name", Kind::Str, "Whom.")],
        Kind::Table(ENEMY),
    ),
    query(
        "threat",
        "Enemies that may attack on a vertex now or next, seen in the last ten steps.",
        &[HERE],
        Kind::Table(THREAT),
    ),
    query(
        "assign",
        "The cheapest pairing of takers with jobs: for each taker the number of its job, 0 for none.",
        &[required(
            "costs",
            Kind::List(&Kind::List(&Kind::Any)),
            "A list of takers, each a list of costs of the jobs; false forbids a pair.",
        )],
        Kind::List(&Kind::Int { min: 0, max: 128 }),
    ),
    query(
        "deploy",
        "Sends agents to vertices, one to each, so that all ways together are the shortest: a table from agent to vertex.",
        &[
            required("agents", Kind::List(&Kind::Agent), "At most 128 agents."),
            required(
                "vertices",
                NAMES,
                "At most 128 vertices, the same one more than once for more agents.",
            ),
            optional("by", BY, "What is to be saved; time when left out."),
        ],
        Kind::Any,
    ),
    query(
        "zones",
        "The rules' colouring of any placement of enabled agents, with what we have probed.",
        &[
            optional("own", NAMES, "A vertex for each own agent; where they stand when left out."),
            optional("options", Kind::Table(ZONES_OPTIONS), "How."),
        ],
        Kind::Table(ZONES),
    ),
    query(
        "moves",
        "What our zones are worth if the agent stays or goes to a neighbour.",
        &[optional("options", Kind::Table(MOVES_OPTIONS), "How.")],
        Kind::List(&Kind::Table(MOVE)),
    ),
    query(
        "holding",
        "What each own agent's place is worth now.",
        &[],
        Kind::List(&Kind::Table(HOLDING)),
    ),
    query(
        "prey",
        "What it is worth in a step to disable each enemy whose place is believed in.",
        &[],
        Kind::List(&Kind::Table(PREY)),
    ),
    query(
        "best_zone",
        "Where a number of agents should stand so that our zones are worth most: a search that tries a limited number of placements.",
        &[COUNT, optional("options", Kind::Table(BEST_OPTIONS), "How.")],
        Kind::Table(SITE),
    ),
];
