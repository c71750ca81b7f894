var e=`-- The script API of asimulator for luau-lsp.
-- Generated from the declaration that the scripts are checked by: do not edit.

--- What \`decide\` returns: made by the functions of \`act\`.
declare class Action
end

export type Cell = { x: number, y: number }

export type WorldHere = {
    --- Tiles to the east of the start.
    x: number?,
    --- Tiles to the north of the start.
    y: number?,
    --- Where the agent looks.
    heading: ("east" | "north" | "west" | "south")?,
}

export type WorldRules = {
    --- The map's bound in the west; nil when unknown.
    lower_x_bound: number?,
    --- In the east.
    upper_x_bound: number?,
    --- In the south.
    lower_y_bound: number?,
    --- In the north.
    upper_y_bound: number?,
    --- Number of homes; nil when unknown.
    homes: number?,
    --- Number of items at the start; nil when unknown.
    items: number?,
    --- Number of enemies at the start; nil when unknown.
    enemies: number?,
    --- Number of deadly tiles; nil when unknown.
    dangers: number?,
    --- How far a shot reaches; 0 is without limit.
    range: number?,
    --- Cost of a move.
    move_cost: number?,
    --- Cost of a turn.
    turn_left_cost: number?,
    --- Cost of a turn.
    turn_right_cost: number?,
    --- Cost of a grab.
    grab_cost: number?,
    --- Cost of a shot.
    neutralize_cost: number?,
    --- For each item.
    item_reward: number?,
    --- For each enemy.
    neutralize_reward: number?,
    --- For ending at a home, once.
    home_reward: number?,
    --- What counts as spent at the start.
    initial_cost: number?,
    --- The score at the start.
    initial_score: number?,
    --- What a recharge sets ammunition to; nil: unlimited.
    ammunition_limit: number?,
    --- Shots at the start; nil: unlimited.
    initial_ammunition: number?,
    --- The simulation ends when the cost reaches this; nil: never.
    cost_limit: number?,
    --- It ends when the score reaches this; nil: never.
    score_limit: number?,
    --- Homes recharge ammunition.
    recharge: boolean?,
    --- A neutralized enemy becomes an item.
    becomes_item: boolean?,
    --- A shot neutralizes only the first enemy.
    stops_at_first: boolean?,
}

export type WorldBest = {
    --- What for; shoot includes the way to where it is done.
    purpose: ("grab" | "fetch" | "explore" | "shoot" | "recharge" | "risk" | "home" | "stop")?,
    --- The first action of it.
    action: ("shut_off" | "move" | "turn_left" | "turn_right" | "grab" | "neutralize")?,
    --- The tile that it is about.
    x: number?,
    --- The tile that it is about.
    y: number?,
    --- What it costs to be done with it.
    cost: number?,
    --- The probability of dying, 0 to 1; 0 is certain.
    death: number?,
    --- The probability that the shot hits, 0 to 1.
    hit: number?,
    --- What it is expected to bring, costs not deducted.
    gain: number?,
    --- Gain minus cost minus what dying would lose.
    value: number?,
}

export type WorldTile = {
    --- Tiles to the east of the start.
    x: number?,
    --- Tiles to the north of the start.
    y: number?,
    --- What it is; nil when not certain.
    type: ("clear" | "wall" | "danger")?,
    --- The agent has been there.
    visited: boolean?,
    --- Whether an item lies there; nil when not known.
    has_item: boolean?,
    --- The probability of a wall.
    wall: number?,
    --- The probability that it is deadly by itself.
    danger: number?,
    --- The probability of an enemy.
    enemy: number?,
    --- The probability that entering it is deadly.
    death: number?,
    --- The probability of an item.
    item: number?,
    --- The probability of a home.
    home: number?,
}

export type WorldRoute = {
    --- Moves and turns at their costs.
    cost: number?,
    --- The first action; nil when already there.
    action: ("shut_off" | "move" | "turn_left" | "turn_right" | "grab" | "neutralize")?,
    --- All actions.
    actions: { ("shut_off" | "move" | "turn_left" | "turn_right" | "grab" | "neutralize") }?,
}

export type WorldRates = {
    --- Share of walls.
    wall: number?,
    --- Share of deadly tiles.
    danger: number?,
    --- Share of tiles with an enemy, of those that are no walls.
    enemy: number?,
    --- Share of tiles with an item, of those that are clear.
    item: number?,
    --- Share of tiles with a home, of those that are clear.
    home: number?,
}

export type WorldMark = {
    --- Tiles to the east of the start.
    x: number?,
    --- Tiles to the north of the start.
    y: number?,
    --- A number from 0 to 99, or sign, question, doubt, unreachable, irrelevant, possible_enemy, enemy, possible_danger, danger, plan_shut_off; none removes.
    symbol: any,
}

export type ActMoveNotes = {
    --- Symbols for the simulator's map, up to 4096.
    marks: { WorldMark }?,
    --- Remove all symbols first.
    clear: boolean?,
    --- A text for the simulator's display.
    say: string?,
}

--- What an agent sees.
export type Percept = {
    --- The agent is on a home.
    home: boolean?,
    --- An item lies here.
    item: boolean?,
    --- An enemy is on a neighbouring tile.
    hostility: boolean?,
    --- A neighbouring tile is deadly.
    fear: boolean?,
    --- The last action was a move that a wall stopped.
    bump: boolean?,
    --- The last action was a shot that hit.
    neutralized: boolean?,
    --- The simulation is over.
    over: boolean?,
    --- The last action; nil at the start.
    after: ("shut_off" | "move" | "turn_left" | "turn_right" | "grab" | "neutralize")?,
    --- Spent so far, by our own bookkeeping.
    cost: number?,
    --- Score so far, by our own bookkeeping.
    score: number?,
    --- Shots left; nil where they are not limited.
    ammunition: number?,
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
    --- Goes one tile forward; a wall stops it, a danger or an enemy is the end.
    move: (notes: ActMoveNotes?) -> Action,
    --- A quarter turn counter-clockwise.
    turn_left: (notes: ActMoveNotes?) -> Action,
    --- A quarter turn clockwise.
    turn_right: (notes: ActMoveNotes?) -> Action,
    --- Takes the item on the agent's tile.
    grab: (notes: ActMoveNotes?) -> Action,
    --- Shoots forward, past everything but walls; see range and stops_at_first of the rules.
    neutralize: (notes: ActMoveNotes?) -> Action,
    --- Ends the simulation; at a home that is rewarded.
    shut_off: (notes: ActMoveNotes?) -> Action,
    --- For rules that a strategy cannot play by: says why and ends the simulation.
    refuse: (reason: string) -> Action,
}
declare act: Act

--- Queries answered natively from the team's joined map, for the agent that decides.
export type World = {
    --- The agent's position and heading.
    here: () -> WorldHere?,
    --- The rules of the simulation.
    rules: () -> WorldRules?,
    --- The best of all options: takes what is safe first, then shoots, then dares, then goes home.
    best: (dare: number?) -> WorldBest?,
    --- Options that are worth something, the best first: the cheapest safe ones, shots, risks where nothing is safe; the last one is to go home or to stop.
    options: (count: number?) -> { WorldBest }?,
    --- What ending now would bring: the reward for a home minus the way there; 0 without one.
    secure: () -> number?,
    --- What is believed about a tile.
    tile: (x: number, y: number) -> WorldTile?,
    --- All tiles about which something is known.
    tiles: () -> { WorldTile }?,
    --- Homes that are known.
    homes: () -> { Cell }?,
    --- The cheapest way to a tile over tiles that are free for certain; nil when there is none.
    route: (x: number, y: number, heading: ("east" | "north" | "west" | "south")?) -> WorldRoute?,
    --- How common things are taken to be, learned from all simulations so far.
    rates: () -> WorldRates?,
    --- Symbols that differ from those the simulator shows, for the notes of an action.
    marks: () -> { WorldMark }?,
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