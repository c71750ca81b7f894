var e=`-- The script API of assemble for luau-lsp.
-- Generated from the declaration that the scripts are checked by: do not edit.

--- What \`decide\` returns: made by the functions of \`act\`.
declare class Action
end

export type Cell = { x: number, y: number }

export type WorldHere = {
    --- East.
    x: number?,
    --- South.
    y: number?,
    --- The group whose coordinates these are.
    group: number?,
}

export type WorldSize = {
    --- Nil until it is found out.
    width: number?,
    --- Nil until it is found out.
    height: number?,
}

export type WorldSim = {
    --- The step now.
    step: number?,
    --- Steps of the simulation; nil when no start message came.
    steps: number?,
    --- The team's name as entities show it.
    team: string?,
    --- Agents of the team in this simulation.
    team_size: number?,
    --- How far an agent sees.
    vision: number?,
}

export type WorldCell = {
    --- The ground.
    terrain: ("empty" | "goal" | "obstacle")?,
    --- The type of the dispenser there.
    dispenser: string?,
    --- Whether a task board is there.
    taskboard: boolean?,
    --- The type of the block that was there.
    block: string?,
    --- Whether it hung on anybody.
    held: boolean?,
    --- Whether a part of the asking agent's structure is there now.
    mine: boolean?,
    --- Who stood there.
    entity: ("own" | "enemy")?,
    --- The announced clear.
    marker: ("clear" | "ci" | "cp")?,
    --- The step in which all this was seen.
    seen: number?,
}

export type WorldFind = {
    --- East.
    x: number?,
    --- South.
    y: number?,
    --- find: as the crow flies; nearest: cost of walking.
    distance: number?,
    --- The type of a dispenser or block.
    details: string?,
    --- The step in which it was seen last.
    seen: number?,
}

export type WorldClosest = {
    --- East.
    x: number?,
    --- South.
    y: number?,
    --- Cost of walking there.
    distance: number?,
    --- Its place in the given list, from 1.
    index: number?,
}

export type WorldPath = {
    --- What to do now; nil when the way is done.
    action: ("move" | "rotate" | "clear")?,
    --- n, s, e, w to move; cw, ccw to rotate; with clear the way behind the obstacle.
    dir: string?,
    --- With clear: where to aim, relative to the agent.
    x: number?,
    --- With clear: where to aim, relative to the agent.
    y: number?,
    --- Moves and turns of the whole way.
    length: number?,
    --- Its price: unknown cells, crowds, announced clears and digging cost more than 1.
    cost: number?,
    --- Whether it leads all the way; otherwise as near as was found.
    complete: boolean?,
    --- Where the agent is after each step, when asked for.
    cells: { Cell }?,
}

export type WorldPathOptions = {
    --- The way may end this far from the target; 0 when left out.
    range: number?,
    --- It must not end nearer than this: range 1 and min 1 end beside it.
    min: number?,
    --- Quarter turns clockwise from now that the structure must have at the end.
    turns: number?,
    --- May go through obstacles by clearing them, given the energy.
    dig: boolean?,
    --- Cells that no part may enter.
    avoid: { Cell }?,
    --- Answer with all cells of the way.
    cells: boolean?,
}

export type WorldExplore = {
    --- What to do now.
    action: ("move" | "rotate" | "clear")?,
    --- As for path.
    dir: string?,
    --- With clear: where to aim, relative to the agent.
    x: number?,
    --- With clear: where to aim, relative to the agent.
    y: number?,
    --- As for path.
    length: number?,
    --- As for path.
    cost: number?,
    --- As for path.
    complete: boolean?,
    --- The cell to look from.
    target: Cell?,
    --- Cost of walking there.
    distance: number?,
    --- Everything is known; this is the corner seen longest ago.
    stale: boolean?,
}

export type WorldExploreOptions = {
    --- Targets of other explorers, to keep away from.
    taken: { Cell }?,
    --- As for path.
    dig: boolean?,
}

export type WorldSite = {
    --- East.
    x: number?,
    --- South.
    y: number?,
    --- Cost of walking there.
    distance: number?,
    --- Cells within the radius that are known to be free.
    free: number?,
}

export type WorldAgent = {
    --- Its name.
    name: string?,
    --- East, in the asking agent's coordinates.
    x: number?,
    --- South.
    y: number?,
    --- As the crow flies.
    distance: number?,
    --- Types of the blocks of its structure.
    carrying: { string }?,
    --- Its energy.
    energy: number?,
    --- The task that it has accepted.
    task: string?,
    --- Its action of this step will fail.
    disabled: boolean?,
    --- The step of its last percept.
    seen: number?,
}

export type WorldAttached = {
    --- Relative to the agent.
    x: number?,
    --- Relative to the agent.
    y: number?,
    --- What hangs there.
    kind: ("block" | "agent")?,
    --- The block's type or the agent's name.
    type: string?,
    --- Linked to the agent itself.
    direct: boolean?,
}

export type WorldTask = {
    --- What accept and submit want.
    name: string?,
    --- The last step in which it can be delivered.
    deadline: number?,
    --- What a delivery in this step earns.
    reward: number?,
    --- Blocks.
    size: number?,
    --- Steps since it appeared.
    age: number?,
    --- Relative to the deliverer; each hangs on an earlier one or, the first, on the agent.
    requirements: { WorldTaskRequirement }?,
}

export type WorldTaskRequirement = {
    --- Relative to the agent.
    x: number?,
    --- Relative to the agent.
    y: number?,
    --- The block's type.
    type: string?,
}

export type WorldFit = {
    --- Nothing is missing (after the turns).
    complete: boolean?,
    --- Quarter turns clockwise to the best fit.
    turns: number?,
    --- The turn to make now; nil when none.
    rotate: ("cw" | "ccw")?,
    --- Required blocks in place.
    matched: number?,
    --- Attached blocks that are not required.
    extra: number?,
    --- Required blocks not in place, after the turns.
    missing: { WorldTaskRequirement }?,
}

export type PerceptThing = {
    --- Relative to the agent.
    x: number?,
    --- Relative to the agent.
    y: number?,
    --- entity, block, dispenser, taskboard, marker, or a word not known yet.
    type: string?,
    --- Team of an entity, type of a block or dispenser, kind of a marker.
    details: string?,
}

export type PerceptTerrain = {
    --- Goal cells in sight, relative.
    goal: { Cell }?,
    --- Obstacles in sight, relative.
    obstacle: { Cell }?,
}

export type PerceptTask = {
    --- What accept and submit want.
    name: string?,
    --- The last step in which it can be delivered.
    deadline: number?,
    --- What a delivery in this step earns.
    reward: number?,
    --- Which block where.
    requirements: { WorldTaskRequirement }?,
}

--- What an agent sees.
export type Percept = {
    --- The step, from 0.
    step: number?,
    --- The team's score.
    score: number?,
    --- The last action by the referee's name; no_action when none came in time.
    last_action: string?,
    --- success, failed, failed_random, failed_path and so on; empty in step 0.
    last_result: string?,
    --- The last action's parameters.
    last_params: { string }?,
    --- For clear; up to 300, one more a step.
    energy: number?,
    --- This step's action will fail.
    disabled: boolean?,
    --- The task accepted last, also when it is gone by now (see world.task); nil when there was none.
    task: string?,
    --- Things in sight that hang on ANY agent of any team; see world.attached for one's own.
    attached: { Cell }?,
    --- Everything in sight, oneself included.
    things: { PerceptThing }?,
    --- Cells in sight that are not plain.
    terrain: PerceptTerrain?,
    --- Tasks that are not completed, expired ones included; see world.tasks.
    tasks: { PerceptTask }?,
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
    --- Goes one cell with everything attached. Fails (failed_path) when any target cell is taken.
    move: (dir: ("n" | "s" | "e" | "w")) -> Action,
    --- Takes hold of the block or team mate on that side. At most ten things hang together.
    attach: (dir: ("n" | "s" | "e" | "w")) -> Action,
    --- Lets go of the thing on that side.
    detach: (dir: ("n" | "s" | "e" | "w")) -> Action,
    --- Turns everything attached a quarter about the agent. Fails when a target cell is taken or another agent is attached.
    rotate: (turn: ("cw" | "ccw")) -> Action,
    --- Links one's own block with a neighbouring block of a partner who connects in the same step.
    connect: (agent: string, x: number, y: number) -> Action,
    --- Cuts the link between two attached things of one's own structure.
    disconnect: (x1: number, y1: number, x2: number, y2: number) -> Action,
    --- Makes the dispenser on that side put a block on its cell; the block is not attached yet.
    request: (dir: ("n" | "s" | "e" | "w")) -> Action,
    --- Delivers the accepted task: on a goal cell, with the required blocks in place.
    submit: (task: string) -> Action,
    --- Clears the cell and its four neighbours when done three times in a row; costs 30 energy then. Digs obstacles, destroys blocks, disables agents.
    clear: (x: number, y: number) -> Action,
    --- Accepts a task, within two cells of a task board; replaces the one accepted before.
    accept: (task: string) -> Action,
}
declare act: Act

--- Queries answered natively from the team's joined map, for the agent that decides.
export type World = {
    --- Where the agent is.
    here: () -> WorldHere?,
    --- The number of the agent's group; it changes when groups join.
    group: () -> number?,
    --- Names a cell noted down under an older group number in today's coordinates; nil when that group is not the agent's.
    rebase: (x: number, y: number, group: number) -> Cell?,
    --- The torus as far as it is known.
    size: () -> WorldSize?,
    --- The simulation.
    sim: () -> WorldSim?,
    --- What is known of a cell; nil when no agent of the group has seen it.
    cell: (x: number, y: number) -> WorldCell?,
    --- All known things of a kind, the nearest as the crow flies first.
    find: (kind: ("dispenser" | "taskboard" | "goal" | "block" | "enemy" | "obstacle" | "frontier"), detail: string?, limit: number?) -> { WorldFind }?,
    --- The thing of a kind that costs least to walk to; nil when none is reachable.
    nearest: (kind: ("dispenser" | "taskboard" | "goal" | "block" | "enemy" | "obstacle" | "frontier"), detail: string?) -> WorldFind?,
    --- Whether something can stand on the cell now, as far as is known.
    free: (x: number, y: number) -> boolean?,
    --- The marker on a cell that is in sight now: ci, clear, cp or nil.
    danger: (x: number, y: number) -> ("clear" | "ci" | "cp")?,
    --- Steps that are left at least before an announced clear hits the cell; nil without one in sight. With 1, only the action of this step is left.
    hit_in: (x: number, y: number) -> number?,
    --- The same for the agent with all that hangs on it: the soonest of its cells.
    body_hit_in: () -> number?,
    --- The cell relative to the agent, the shortest way round: what act.clear and act.connect want.
    offset: (x: number, y: number) -> Cell?,
    --- Cost of walking to a cell (or beside it when it is taken); nil when unreachable.
    distance: (x: number, y: number) -> number?,
    --- Cost of walking to each of the cells; -1 when unreachable.
    distances: (cells: { Cell }) -> { number }?,
    --- Cost of walking from one cell to each of the cells for any agent at any time: agents and held blocks do not count; -1 when unreachable.
    between: (x: number, y: number, cells: { Cell }) -> { number }?,
    --- The one of the cells that costs least to walk to.
    closest: (cells: { Cell }) -> WorldClosest?,
    --- The cheapest way for the agent with all that hangs on it, turns included; nil when there is no step nearer.
    path: (x: number, y: number, options: WorldPathOptions?) -> WorldPath?,
    --- The cheapest way to any of the cells (the 32 nearest count).
    path_any: (cells: { Cell }, options: WorldPathOptions?) -> WorldPath?,
    --- The cheapest way on which the agent and all that hangs on it leave every announced clear; nil when there is no step.
    shelter: () -> WorldPath?,
    --- Where to look next and the first step there.
    explore: (options: WorldExploreOptions?) -> WorldExplore?,
    --- Where to aim (relative) so that the obstacle on the cell goes and nothing of the team's is hit; nil when impossible from here.
    dig: (x: number, y: number) -> Cell?,
    --- Whether a move would find all its cells free.
    can_move: (dir: ("n" | "s" | "e" | "w")) -> boolean?,
    --- Whether a turn would find all its cells free and no other agent attached.
    can_rotate: (turn: ("cw" | "ccw")) -> boolean?,
    --- Free goal cells, those with the most free cells around first: where to assemble.
    sites: (radius: number?, limit: number?) -> { WorldSite }?,
    --- All agents of the group, the asking one included, in roster order.
    agents: () -> { WorldAgent }?,
    --- An agent of the team; nil when it is of another group.
    mate: (agent: string) -> WorldAgent?,
    --- What hangs on the agent, and only that.
    attached: () -> { WorldAttached }?,
    --- Whether two cells are linked directly (relative; 0, 0 is the agent): parts of the agent's structure, or loose blocks that are known to be linked.
    linked: (x1: number, y1: number, x2: number, y2: number) -> boolean?,
    --- Tasks that can still be delivered, the nearest deadline first.
    tasks: () -> { WorldTask }?,
    --- The active task of that name; nil when it is gone.
    task: (name: string) -> WorldTask?,
    --- How well the agent's structure fits a task, in the best of its four orientations; nil when the task is not active any more.
    fit: (task: any) -> WorldFit?,
    --- Pairs rows with columns at the least sum of costs: for each row its column from 1, 0 for none.
    assign: (costs: { { any } }) -> { number }?,
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