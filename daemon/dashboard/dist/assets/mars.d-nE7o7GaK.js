var e=`-- The script API of mars for luau-lsp.
-- Generated from the declaration that the scripts are checked by: do not edit.

--- What \`decide\` returns: made by the functions of \`act\`.
declare class Action
end

export type Cell = { x: number, y: number }

export type WorldSim = {
    --- The step now.
    step: number?,
    --- Steps of the simulation; nil when no start message came.
    steps: number?,
    --- The team's name as entities show it.
    team: string?,
    --- The agent's role; nil when no start message came.
    role: ("Explorer" | "Repairer" | "Saboteur" | "Sentinel" | "Inspector")?,
    --- Vertices of the map; nil when no start message came.
    vertices: number?,
    --- Edges of the map; nil when no start message came.
    edges: number?,
    --- Vertices seen so far.
    known_vertices: number?,
    --- Edges seen so far.
    known_edges: number?,
    --- Vertices whose value is known.
    probed: number?,
    --- Edges whose weight is known.
    surveyed: number?,
    --- What all known vertices are worth together, unprobed ones as 1.
    worth: number?,
}

export type WorldVertex = {
    --- Its name.
    name: string?,
    --- Its value; nil until it is probed.
    value: number?,
    --- Who owned it when it was seen last; nil when that was never seen.
    owner: ("own" | "enemy" | "none")?,
    --- All its edges are known.
    complete: boolean?,
    --- All its edges are known with their weights.
    surveyed: boolean?,
    --- Its known edges.
    degree: number?,
    --- The step in which its owner was seen last.
    seen: number?,
    --- The step in which an agent saw last who stood there.
    watched: number?,
}

export type WorldNeighbour = {
    --- The neighbour.
    name: string?,
    --- Energy that it costs to go there; nil until it is surveyed.
    weight: number?,
    --- The neighbour's value; nil until it is probed.
    value: number?,
    --- Who owned the neighbour when it was seen last.
    owner: ("own" | "enemy" | "none")?,
}

export type WorldFind = {
    --- The vertex.
    name: string?,
    --- Edges of the way that takes the least time.
    steps: number?,
    --- Its energy; 5 for each edge of unknown weight.
    energy: number?,
    --- Steps with the recharging that the way needs.
    time: number?,
    --- Its value; nil until it is probed.
    value: number?,
    --- Who owned it when it was seen last.
    owner: ("own" | "enemy" | "none")?,
}

export type WorldPath = {
    --- Where to go now; nil when the way is done.
    next: string?,
    --- Energy of that edge; nil until it is surveyed.
    weight: number?,
    --- Edges of the whole way.
    steps: number?,
    --- Energy of the whole way; 5 for each edge of unknown weight.
    energy: number?,
    --- What was to be saved, in its unit.
    cost: number?,
    --- The way without its start, when asked for.
    vertices: { string }?,
}

export type WorldPathOptions = {
    --- What is to be saved; time, which counts recharging, when left out.
    by: ("time" | "steps" | "energy")?,
    --- Vertices that must not be entered.
    avoid: { string }?,
    --- Answer with all vertices of the way.
    vertices: boolean?,
}

export type WorldClosest = {
    --- The vertex.
    name: string?,
    --- Its place in the given list, from 1.
    index: number?,
    --- Edges of the way that takes the least time.
    steps: number?,
    --- Its energy.
    energy: number?,
    --- Steps with the recharging that the way needs.
    time: number?,
}

export type WorldCut = {
    --- The vertex without which the known graph falls apart.
    name: string?,
    --- Vertices of all parts but the largest.
    behind: number?,
    --- What those are worth together.
    worth: number?,
}

export type WorldTeam = {
    --- The team's name as entities show it.
    name: string?,
    --- Money now.
    money: number?,
    --- Score now.
    score: number?,
    --- What the last step added: zones and money.
    last_step_score: number?,
    --- What all zones are worth.
    zones_score: number?,
    --- All that were gained in this simulation.
    achievements: { string }?,
}

export type WorldAgent = {
    --- Its name.
    name: string?,
    --- Its role; nil when no start message came.
    role: ("Explorer" | "Repairer" | "Saboteur" | "Sentinel" | "Inspector")?,
    --- Where it is.
    vertex: string?,
    --- Its health.
    health: number?,
    --- Its most health.
    max_health: number?,
    --- Its energy.
    energy: number?,
    --- Its most energy.
    max_energy: number?,
    --- Damage of its attacks.
    strength: number?,
    --- How far it sees.
    vis_range: number?,
    --- Its health is 0.
    disabled: boolean?,
    --- Its last action by the referee's name.
    last_action: string?,
    --- How that went.
    last_result: string?,
    --- The step of its last percept.
    seen: number?,
}

export type WorldEnemie = {
    --- Its name.
    name: string?,
    --- Its team.
    team: string?,
    --- Where it was seen last.
    vertex: string?,
    --- The step of that.
    seen: number?,
    --- Somebody looked there since and did not find it.
    gone: boolean?,
    --- It was disabled when it was seen last.
    disabled: boolean?,
    --- Its role; nil until it is inspected.
    role: ("Explorer" | "Repairer" | "Saboteur" | "Sentinel" | "Inspector")?,
    --- Its role, or what the number at the end of its name suggests: accounts of both teams have their roles in the same order.
    guess: ("Explorer" | "Repairer" | "Saboteur" | "Sentinel" | "Inspector")?,
    --- The step of its last inspection; what follows was true then.
    inspected: number?,
    --- Its health.
    health: number?,
    --- Its most health.
    max_health: number?,
    --- Its energy.
    energy: number?,
    --- Its most energy.
    max_energy: number?,
    --- Damage of its attacks.
    strength: number?,
    --- How far it sees.
    vis_range: number?,
}

export type WorldEnemiesOptions = {
    --- Only those seen in that many steps up to now.
    fresh: number?,
    --- Only those whose place is believed in.
    known: boolean?,
}

export type WorldThreat = {
    --- Enemies there that may attack: inspected saboteurs and who may be one.
    here: { string }?,
    --- Such enemies on neighbouring vertices.
    near: { string }?,
    --- Damage that those there can do in a step.
    damage: number?,
    --- Damage that those near can do in the step after.
    damage_near: number?,
}

export type WorldZones = {
    --- What all our zones are worth together.
    value: number?,
    --- By how much they outweigh the enemy's, as far as we have probed.
    lead: number?,
    --- What the best of them is worth.
    best: number?,
    --- Vertices that we own.
    own: number?,
    --- Vertices that the enemy owns.
    enemy: number?,
    --- Each zone, when asked for.
    zones: { WorldZonesZone }?,
}

export type WorldZonesZone = {
    --- What it is worth in a step.
    value: number?,
    --- Its vertices.
    vertices: { string }?,
}

export type WorldZonesOptions = {
    --- Vertices with an enabled enemy each; where they are believed to be when left out.
    enemies: { string }?,
    --- Answer with the vertices of each zone.
    vertices: boolean?,
}

export type WorldMove = {
    --- The own vertex (first) or a neighbour.
    name: string?,
    --- Energy that it costs to go there; nil until it is surveyed.
    weight: number?,
    --- What all our zones are worth with the agent there.
    value: number?,
}

export type WorldMovesOptions = {
    --- Where the others will stand; where they stand when left out.
    others: { string }?,
    --- As for zones.
    enemies: { string }?,
}

export type WorldHolding = {
    --- The agent.
    name: string?,
    --- Where it is.
    vertex: string?,
    --- What our zones lose without it.
    loss: number?,
}

export type WorldPrey = {
    --- The enemy.
    name: string?,
    --- Where it is believed to stand.
    vertex: string?,
    --- What our zones would gain and the enemy's lose without it, as far as we have probed.
    gain: number?,
}

export type WorldBestZone = {
    --- What all our zones are worth then; with against, by how much they outweigh the enemy's.
    value: number?,
    --- Where the agents stand, the best place first.
    vertices: { string }?,
    --- Agents that were not placed, since the effort or the vertices were too few.
    missing: number?,
    --- Placements that were tried.
    spent: number?,
}

export type WorldBestZoneOptions = {
    --- Vertices where own agents stand besides; the zone grows from them.
    fixed: { string }?,
    --- Only these vertices; all when left out.
    within: { string }?,
    --- As for zones.
    enemies: { string }?,
    --- Count what the enemy loses as well; agents may then stand in its midst.
    against: boolean?,
    --- Placements to try; 3000 when left out, which takes some hundredths of a second.
    effort: number?,
}

export type PerceptVertice = {
    --- Its name.
    name: string?,
    --- The team that owns it; nil when none does.
    team: string?,
}

export type PerceptEdge = {
    --- One end.
    a: string?,
    --- The other end.
    b: string?,
}

export type PerceptEntitie = {
    --- Its name.
    name: string?,
    --- Its team's name.
    team: string?,
    --- Where it is.
    vertex: string?,
    --- Its health is 0.
    disabled: boolean?,
}

export type PerceptProbed = {
    --- The vertex.
    name: string?,
    --- What it is worth, 1 to 10.
    value: number?,
}

export type PerceptSurveyed = {
    --- One end.
    a: string?,
    --- The other end.
    b: string?,
    --- Energy that it costs, 1 to 9.
    weight: number?,
}

export type PerceptInspected = {
    --- Its name.
    name: string?,
    --- Its team's name.
    team: string?,
    --- Where it is.
    vertex: string?,
    --- Its role.
    role: ("Explorer" | "Repairer" | "Saboteur" | "Sentinel" | "Inspector")?,
    --- Energy now.
    energy: number?,
    --- Most energy.
    max_energy: number?,
    --- Health now.
    health: number?,
    --- Most health.
    max_health: number?,
    --- Damage of its attacks.
    strength: number?,
    --- How far it sees.
    vis_range: number?,
}

--- What an agent sees.
export type Percept = {
    --- The step, from 0.
    step: number?,
    --- The vertex where the agent is.
    position: string?,
    --- Energy now.
    energy: number?,
    --- Most energy while enabled.
    max_energy: number?,
    --- Most energy while disabled.
    max_energy_disabled: number?,
    --- Health now.
    health: number?,
    --- Most health.
    max_health: number?,
    --- Health is 0: only skip, goto, recharge and repair work.
    disabled: boolean?,
    --- Damage of an attack.
    strength: number?,
    --- How far it sees, in edges.
    vis_range: number?,
    --- Value of the zone in which the agent is; 0 in none.
    zone_score: number?,
    --- The last action by the referee's name; noAction when none came in time.
    last_action: string?,
    --- Its parameter; null in step 0.
    last_param: string?,
    --- successful, useless, failed, failed_random, failed_resources, failed_attacked, failed_parried, failed_away, failed_role, failed_status, failed_wrong_param, failed_limit.
    last_result: string?,
    --- The team's money.
    money: number?,
    --- The team's score.
    score: number?,
    --- What the last step added to it: zones and money.
    last_step_score: number?,
    --- What the team's zones are worth.
    zones_score: number?,
    --- Gained in the last step; see world.team for all.
    achievements: { string }?,
    --- Vertices in sight and in the own zone.
    vertices: { PerceptVertice }?,
    --- Edges in sight and in the own zone.
    edges: { PerceptEdge }?,
    --- Agents in sight, oneself included.
    entities: { PerceptEntitie }?,
    --- What a probe of the last step found.
    probed: { PerceptProbed }?,
    --- What a survey of the last step found.
    surveyed: { PerceptSurveyed }?,
    --- What an inspection of the last step found.
    inspected: { PerceptInspected }?,
}

--- The agent that decides.
export type Me = {
    --- Its name.
    name: string,
    --- Its role.
    role: string,
    --- The referee's step.
    turn: number,
    --- The round of the match, from 0.
    round: number,
    --- Turns of the match so far.
    tick: number,
    --- What it sees; a misspelt field is an error.
    percept: Percept,
    --- A table of the agent's own that lasts for the match; plain data survives a change of the scripts.
    memory: { [any]: any },
    --- \`time_left()\`: seconds until the referee's deadline, less the safety margin.
    time_left: () -> number,
}

--- What \`finish\` gets besides all of \`Me\`.
export type ResultFields = {
    --- The team's score.
    score: number,
    --- Its rank from 1, where the referee tells it.
    ranking: number?,
}

--- What \`plan\` gets besides all of \`team\`.
export type PlanFields = {
    --- The referee's step.
    turn: number,
    --- The round of the match, from 0.
    round: number,
    --- Turns of the match so far.
    tick: number,
    --- Seconds until the referee's deadline.
    time_left: () -> number,
}

--- For how long something stays on the board.
export type Expiry = {
    --- Number of turns, this one included; without it, the entry stays.
    turns: number?,
}

--- An agent of the team.
export type Member = {
    --- Its name.
    name: string,
    --- Its role.
    role: string,
}

--- A message between agents.
export type Letter = {
    --- The sender's name, or team.
    from: string,
    --- What it says.
    body: any,
}

--- What a live parameter accepts; its type is the default's.
export type ParamSpec = {
    --- The value until it is set: boolean, number or string.
    default: any,
    --- The smallest number.
    min: number?,
    --- The largest number.
    max: number?,
    --- The distance of neighbouring values; others are rounded.
    step: number?,
    --- int, float, choice or bool; follows from the rest if omitted.
    kind: string?,
    --- A search steps by ratios; needs a min above 0 and a max.
    log: boolean?,
    --- The words that may be chosen.
    values: { string }?,
    --- Meaning and unit, for operators.
    why: string?,
    --- The older form of kind = "int".
    whole: boolean?,
    --- The older name of why.
    doc: string?,
}

--- The game's actions; \`decide\` returns one of these.
export type Act = {
    --- Does nothing; always succeeds.
    skip: () -> Action,
    --- Regains half of the most energy (30 % while disabled); fails when attacked in this step.
    recharge: () -> Action,
    --- Goes to a neighbouring vertex for as much energy as the edge weighs; costs 1 when it fails.
    goto: (vertex: string) -> Action,
    --- Tells the value of the own vertex, which counts fully for the team from then on. Explorers; costs 1.
    probe: () -> Action,
    --- Tells the weights of all edges of the own vertex. Costs 1.
    survey: () -> Action,
    --- Tells the internals of enemies on the own and on neighbouring vertices. Inspectors; costs 2.
    inspect: () -> Action,
    --- Hurts an agent on the own vertex by the attacker's strength. Saboteurs; costs 2.
    attack: (agent: string) -> Action,
    --- Wards off all attacks of this step. Repairers, saboteurs, sentinels; costs 2.
    parry: () -> Action,
    --- Gives another agent on the own vertex its full health. Repairers, also disabled ones; costs 2, or 3 while disabled.
    repair: (agent: string) -> Action,
    --- Buys an upgrade for 2 money and 2 energy. Money that is kept counts in every step.
    buy: (item: ("battery" | "sensor" | "shield" | "sabotageDevice")) -> Action,
}
declare act: Act

--- Queries answered natively from the team's joined map, for the agent that decides.
export type World = {
    --- The name of the vertex where the agent is.
    here: () -> string?,
    --- The simulation, and how much of it is known.
    sim: () -> WorldSim?,
    --- What is known of a vertex; nil when no agent has seen it.
    vertex: (vertex: string?) -> WorldVertex?,
    --- The known edges of a vertex.
    neighbours: (vertex: string?) -> { WorldNeighbour }?,
    --- Reachable vertices of a kind, those in the least time first.
    find: (kind: ("unprobed" | "unsurveyed" | "frontier" | "own" | "enemy" | "free" | "any"), most: number?) -> { WorldFind }?,
    --- The first of find; nil when there is none.
    nearest: (kind: ("unprobed" | "unsurveyed" | "frontier" | "own" | "enemy" | "free" | "any")) -> WorldFind?,
    --- The best known way from the agent to a vertex; nil when there is none.
    path: (to: string, options: WorldPathOptions?) -> WorldPath?,
    --- Edges between two vertices; nil when no way is known.
    distance: (vertex: string, from: string?) -> number?,
    --- The vertex of a list that the agent reaches in the least time; nil when it reaches none.
    closest: (vertices: { string }) -> WorldClosest?,
    --- Vertices that hold parts of the known graph together, most worth behind them first: an agent there owns what lies behind while no enemy is in it.
    cuts: (most: number?) -> { WorldCut }?,
    --- Score, money and achievements of the team.
    team: () -> WorldTeam?,
    --- All agents of the team that have perceived anything, the asking one included.
    agents: () -> { WorldAgent }?,
    --- One agent of the team; nil before its first percept.
    mate: (agent: string) -> WorldAgent?,
    --- All enemies that were ever seen, by name.
    enemies: (options: WorldEnemiesOptions?) -> { WorldEnemie }?,
    --- One enemy; nil when it was never seen.
    enemy: (name: string) -> WorldEnemie?,
    --- Enemies that may attack on a vertex now or next, seen in the last ten steps.
    threat: (vertex: string?) -> WorldThreat?,
    --- The cheapest pairing of takers with jobs: for each taker the number of its job, 0 for none.
    assign: (costs: { { any } }) -> { number }?,
    --- Sends agents to vertices, one to each, so that all ways together are the shortest: a table from agent to vertex.
    deploy: (agents: { string }, vertices: { string }, by: ("time" | "steps" | "energy")?) -> any,
    --- The rules' colouring of any placement of enabled agents, with what we have probed.
    zones: (own: { string }?, options: WorldZonesOptions?) -> WorldZones?,
    --- What our zones are worth if the agent stays or goes to a neighbour.
    moves: (options: WorldMovesOptions?) -> { WorldMove }?,
    --- What each own agent's place is worth now.
    holding: () -> { WorldHolding }?,
    --- What it is worth in a step to disable each enemy whose place is believed in.
    prey: () -> { WorldPrey }?,
    --- Where a number of agents should stand so that our zones are worth most: a search that tries a limited number of placements.
    best_zone: (count: number, options: WorldBestZoneOptions?) -> WorldBestZone?,
}
declare world: World & {
    --- The same queries for another agent of the team; also in \`plan\`, where no agent is deciding.
    of: (name: string) -> World,
}

--- The team's blackboard: keys are strings, values plain data.
export type Board = {
    --- The value of a key; nil when there is none.
    get: (key: string) -> any,
    --- Writes plain data for everybody; nil deletes. \`{ turns = n }\` lets it expire, \`turns = 1\` with this turn.
    set: (key: string, value: any, options: Expiry?) -> (boolean?, string?),
    --- Adds to a number, from 0 when there is none, and answers the sum.
    add: (key: string, amount: number) -> (number?, string?),
    --- Walks the keys with a prefix in order: \`for key, value, author in board.each("job/") do\`.
    each: (prefix: string?) -> (...any) -> ...any,
    --- Takes a claim: true for one holder only, until it is released or expires.
    claim: (key: string, options: Expiry?) -> (boolean?, string?),
    --- Gives a claim up; false when it was another's.
    release: (key: string) -> boolean,
    --- Who holds the claim.
    holder: (key: string) -> string?,
}
declare board: Board

--- The agents of the team; \`plan(team)\` gets it with the turn in it.
export type Team = {
    --- Everybody, in roster order.
    all: () -> { Member },
    --- Those who were asked in this turn.
    agents: () -> { Member },
    --- A letter of plain data; it can be read in the next turn.
    send: (name: string, body: any) -> (boolean?, string?),
    --- Takes the letters that wait for the agent that decides.
    inbox: () -> { Letter },
    --- The role of an agent.
    role: (name: string) -> string,
    --- Changes it from the agent's next decision on.
    set_role: (name: string, role: string) -> (),
    --- What another agent of the team sees.
    percept: (name: string) -> Percept,
    --- Rows to columns at the least sum, at most 100 by 100; \`math.huge\` forbids a pair. A row that gets no column is nil.
    assign: (costs: { { number } }) -> { number },
}
declare team: Team

--- Lines in the team's journal.
export type Log = {
    --- Logs for the author of the script. Takes values, or a format and values.
    debug: (...any) -> (),
    --- Worth telling; \`print\` is the same.
    info: (...any) -> (),
    --- Something is not as it should be.
    warn: (...any) -> (),
    --- Something failed.
    error: (...any) -> (),
}
declare log: Log

--- Marks for the map of this turn.
export type Draw = {
    --- Marks a cell on the map of this turn.
    cell: (cell: any, ...any) -> boolean,
    --- Marks a line.
    line: (from: any, to: any, ...any) -> boolean,
    --- Writes beside a cell.
    text: (cell: any, text: any, ...any) -> boolean,
    --- Marks a way; shown as where the agent goes.
    path: (cells: any, ...any) -> boolean,
}
declare draw: Draw

--- Chance, seeded by match, agent and turn; so is \`math.random\`.
export type Rng = {
    --- A whole number, both ends included.
    int: (low: number, high: number) -> number,
    --- From 0 up to, not including, 1.
    float: () -> number,
    --- One item of a list; nil of an empty one.
    pick: (list: { [any]: any }) -> any,
    --- Shuffles the list itself and answers it.
    shuffle: (list: { [any]: any }) -> { [any]: any },
}
declare rng: Rng

--- A number for dashboards.
declare function metric(name: string, value: number): boolean
--- Declares a live parameter and answers its value for the agent that decides; without \`spec\` it reads one that is declared elsewhere.
declare function param(name: string, spec: ParamSpec?): any
--- Says why: in \`decide\` the last one is kept with the action, and shown as what the agent is doing; data with \`x\` and \`y\`, or with \`vertex\`, is where it goes. At most 500 characters, and plain data of at most 200 values.
declare function explain(text: string, data: any): ()

export type Result = Me & ResultFields
export type Plan = Team & PlanFields

--- In spec files.
declare describe: any
declare it: any
declare before_each: any
declare after_each: any
declare expect: any
declare fake: any
`;export{e as default};