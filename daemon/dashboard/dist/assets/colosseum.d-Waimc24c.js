var e=`-- The script API of colosseum for luau-lsp.
-- Generated from the declaration that the scripts are checked by: do not edit.

--- What \`decide\` returns: made by the functions of \`act\`.
declare class Action
end

export type Cell = { x: number, y: number }

export type WorldRules = {
    --- Of the plane, or of the grid of snake.
    width: number?,
    --- Of the plane, or of the grid of snake.
    height: number?,
    --- Longest step of an actor.
    speed: number?,
    --- Actors collide when nearer than twice this.
    radius: number?,
    --- Reach of take_food.
    take_reach: number?,
    --- What take_food takes at most.
    take_amount: number?,
    --- Reach of deposit_food and heal.
    deposit_reach: number?,
    --- Reach of attack.
    attack_reach: number?,
    --- Health that a hit costs.
    damage: number?,
    --- Food that an actor costs.
    spawn_cost: number?,
}

export type WorldFood = {
    --- Its id; absent in snake.
    id: string?,
    --- Where it is.
    x: number?,
    --- Where it is.
    y: number?,
    --- What it holds; absent in snake.
    quantity: number?,
}

export type WorldActor = {
    --- Its id.
    id: string?,
    --- The id of the player.
    owner: string?,
    --- Whether it is ours.
    mine: boolean?,
    --- Where it is; nil when the referee lost it.
    x: number?,
    --- Where it is; nil when the referee lost it.
    y: number?,
    --- What it carries or stores.
    food: number?,
    --- Dead at 0.
    health: number?,
    --- What it can be healed to.
    max_health: number?,
    --- Only of a source.
    quantity: number?,
}

export type WorldStep = {
    --- From the left.
    x: number?,
    --- From the bottom.
    y: number?,
}

export type WorldTrip = {
    --- The source.
    food: string?,
    --- Where it is.
    x: number?,
    --- Where it is.
    y: number?,
    --- To the source, at it, and to the base.
    ticks: number?,
    --- Food that is brought, with what is carried already.
    gain: number?,
    --- Gain for a tick.
    rate: number?,
}

export type WorldSnake = {
    --- The id of the player.
    id: string?,
    --- Whether it is ours.
    mine: boolean?,
    --- Whether it lives.
    alive: boolean?,
    --- Food eaten, minus 1 when dead.
    score: number?,
    --- How many cells it has.
    length: number?,
    --- Its first cell.
    head: Cell?,
    --- Its cells, head first.
    cells: { Cell }?,
}

export type WorldDuel = {
    --- The turn.
    dir: ("up" | "right" | "down" | "left")?,
    --- The more, the better.
    worth: number?,
}

export type WorldPosition = {
    --- The position.
    fen: string?,
    --- Whether we are white.
    white: boolean?,
    --- The opponent's last move; nil before the first.
    last_move: string?,
}

export type WorldBestMove = {
    --- In UCI notation.
    move: string?,
    --- For us, in hundredths of a pawn; beyond 29000 for a forced mate.
    worth: number?,
    --- Half-moves of the deepest search that was completed.
    depth: number?,
    --- Positions that were looked at.
    nodes: number?,
}

export type ActOrdersList = {
    --- What to do.
    action: ("move" | "take_food" | "deposit_food" | "attack" | "heal" | "spawn")?,
    --- The id of an own actor; not for spawn.
    actor: string?,
    --- Of move: where to.
    x: number?,
    --- Of move: where to.
    y: number?,
    --- The id of the source (take_food), the base (deposit_food, heal, spawn) or the victim (attack).
    target: string?,
}

--- What an agent sees.
export type Percept = {
    --- The tick, from 1.
    epoch: number?,
    --- The last tick; nil where only the rules end the game.
    epochs: number?,
    --- Which game is played.
    game: ("food_catcher" | "cherry_picker" | "snake" | "chess" | "unknown")?,
    --- Our id.
    id: string?,
    --- The ids of all players, in the order of their start.
    ids: { string }?,
    --- Our current score.
    score: number?,
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
    --- Orders nothing; a snake stays in place.
    nothing: () -> Action,
    --- food_catcher and cherry_picker: one order for each own actor, and one spawn for each own base. Orders to the dead are left out.
    orders: (list: { ActOrdersList }) -> Action,
    --- snake: the head goes there.
    turn: (dir: ("up" | "right" | "down" | "left")) -> Action,
    --- chess: one of the legal moves.
    play: (move: string) -> Action,
}
declare act: Act

--- Queries answered natively from the team's joined map, for the agent that decides.
export type World = {
    --- The numbers of the game, as the referee sent them.
    rules: () -> WorldRules?,
    --- All food.
    foods: () -> { WorldFood }?,
    --- The actors, oldest first.
    actors: (whose: ("mine" | "enemy" | "all")?) -> { WorldActor }?,
    --- The bases.
    bases: (whose: ("mine" | "enemy" | "all")?) -> { WorldActor }?,
    --- All that attacks killed so far.
    dead: (whose: ("mine" | "enemy" | "all")?) -> { WorldActor }?,
    --- The source, actor or base of an id; nil when it is gone.
    thing: (id: string) -> WorldActor?,
    --- How far two points are apart.
    distance: (x: number, y: number, to_x: number, to_y: number) -> number?,
    --- How many moves bring an actor from one point into reach of another.
    ticks: (x: number, y: number, to_x: number, to_y: number, reach: number?) -> number?,
    --- What is nearest to a point; nil when there is none.
    nearest: (kind: ("food" | "actor" | "base"), x: number, y: number, whose: ("mine" | "enemy" | "all")?) -> WorldActor?,
    --- Enemy actors that can hit a point after their next step.
    threats: (x: number, y: number) -> { WorldActor }?,
    --- The move that brings an actor nearest to a point without a collision, whatever enemies do; nil when standing still is best.
    step: (actor: string, x: number, y: number) -> WorldStep?,
    --- How near the nearest actor is to a point; nil when there is none.
    clearance: (x: number, y: number, except: string?) -> number?,
    --- Where an actor could gather, the best first: to the source, until it carries the load, to the nearest own base. At most 20.
    trips: (actor: string, load: number?) -> { WorldTrip }?,
    --- All snakes, dead ones too.
    snakes: () -> { WorldSnake }?,
    --- What a turn of our snake leads to: a free cell, one that another head may enter too, or death.
    safety: (dir: ("up" | "right" | "down" | "left")) -> ("free" | "contested" | "deadly")?,
    --- How many cells our snake could reach after a turn, tails moving on.
    room: (dir: ("up" | "right" | "down" | "left")) -> number?,
    --- What each turn of our snake is worth if the nearest rival plays against us: cells that we reach first, below 0 for a death that it can force. Turns into what is covered are left out; nil without a rival. On a crowded grid it looks less far ahead.
    duel: (ahead: number?) -> { WorldDuel }?,
    --- The turns that bring our snake to a cell, tails moving on; nil when there is no way.
    path: (x: number, y: number) -> { ("up" | "right" | "down" | "left") }?,
    --- The game of chess.
    position: () -> WorldPosition?,
    --- The legal moves, in UCI notation.
    moves: () -> { string }?,
    --- The best move that an alpha-beta search finds; nil for a position that it cannot read. The same arguments give the same move.
    best_move: (nodes: number?, past: { string }?) -> WorldBestMove?,
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