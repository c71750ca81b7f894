var e=`-- The script API of bomberland for luau-lsp.
-- Generated from the declaration that the scripts are checked by: do not edit.

--- What \`decide\` returns: made by the functions of \`act\`.
declare class Action
end

export type Cell = { x: number, y: number }

export type WorldSize = {
    --- Columns.
    width: number?,
    --- Rows.
    height: number?,
}

export type WorldRules = {
    --- Ticks a second.
    tick_rate_hz: number?,
    --- Ticks from placing a bomb to its explosion.
    fuse: number?,
    --- A bomb must be older than this to be set off.
    armed: number?,
    --- Ticks that a blast burns.
    blast_duration: number?,
    --- Bombs of one team on the map at once.
    bombs_max: number?,
    --- Ticks without harm after a hit.
    invulnerability: number?,
    --- Ticks that a freeze powerup stuns an opponent.
    freeze_ticks: number?,
    --- First tick of the ring of fire.
    game_duration: number?,
    --- Ticks between two of its cells.
    fire_interval: number?,
}

export type WorldCell = {
    --- Column.
    x: number?,
    --- Row.
    y: number?,
    --- What is there; nil when empty.
    entity: WorldCellEntity?,
    --- The unit in the cell, dead or alive.
    unit: string?,
    --- Whether a unit can step there now.
    free: boolean?,
}

export type WorldCellEntity = {
    --- Column.
    x: number?,
    --- Row.
    y: number?,
    --- What it is.
    type: ("enemy" | "bomb" | "fire" | "endfire" | "block" | "wood" | "ore" | "metal" | "pickup" | "ammo" | "blast" | "freeze" | "other")?,
    --- The tick in which it came.
    created: number?,
    --- The tick in which it goes; a bomb explodes then.
    expires: number?,
    --- Hits that it still takes.
    hp: number?,
    --- Of a bomb.
    blast_diameter: number?,
    --- Whose bomb or blast it is.
    unit: string?,
    --- Whether its owner is an enemy.
    enemy: boolean?,
    --- Of a bomb: the first tick in which it can be set off.
    armed: number?,
    --- Only from nearest: steps to it, or beside it.
    distance: number?,
}

export type WorldUnit = {
    --- Column.
    x: number?,
    --- Row.
    y: number?,
    --- The referee's name for it.
    unit: string?,
    --- The referee's name for its team.
    team: string?,
    --- Which of our agents it is; nil for enemies.
    agent: string?,
    --- Whether it is an enemy's.
    enemy: boolean?,
    --- Whether it lives.
    alive: boolean?,
    --- Lives.
    hp: number?,
    --- Bombs that it carries.
    bombs: number?,
    --- Of its bombs.
    blast_diameter: number?,
    --- Last tick in which it cannot be hurt.
    invulnerable: number?,
    --- Last tick in which its orders are refused.
    stunned: number?,
}

export type WorldPath = {
    --- The first step; nil when already there.
    dir: ("up" | "down" | "left" | "right")?,
    --- Steps, and the price of blocks.
    cost: number?,
    --- The cells on the way.
    steps: { WorldPathStep }?,
}

export type WorldPathStep = {
    --- Column.
    x: number?,
    --- Row.
    y: number?,
    --- The step that enters the cell.
    dir: ("up" | "down" | "left" | "right")?,
    --- True where a block must be blown away first.
    block: boolean?,
}

export type WorldEscape = {
    --- What to do first; with bomb, after the bomb.
    dir: ("up" | "down" | "left" | "right" | "wait")?,
    --- How many orders it takes.
    ticks: number?,
    --- Where the way ends.
    x: number?,
    --- Where the way ends.
    y: number?,
    --- All orders.
    steps: { ("up" | "down" | "left" | "right" | "wait") }?,
}

export type WorldEscapeOrder = {
    --- The unit's name as the referee has it.
    unit: string?,
    --- What it does.
    action: ("wait" | "move" | "bomb" | "detonate")?,
    --- As for act.*, for example {"up"}.
    args: { any }?,
    --- In which tick from now, from 1; 1 when nil.
    after: number?,
}

export type WorldSimulate = {
    --- The tick reached.
    tick: number?,
    --- Whether at most one team lives.
    over: boolean?,
    --- The team of the first living unit.
    leader: string?,
    --- All units then.
    units: { WorldUnit }?,
    --- Everything but metal then.
    things: { WorldCellEntity }?,
}

--- What an agent sees.
export type Percept = {
    --- The tick counter; an order now is executed in the next tick.
    tick: number?,
    --- The referee's name for this body; nil when the game has too few.
    unit: string?,
    --- Column.
    x: number?,
    --- Row.
    y: number?,
    --- Lives; 0 and below is dead.
    hp: number?,
    --- Whether it lives.
    alive: boolean?,
    --- Bombs that it carries.
    bombs: number?,
    --- Of its bombs: 3 reaches one cell far.
    blast_diameter: number?,
    --- Last tick in which it cannot be hurt.
    invulnerable: number?,
    --- Last tick in which its orders are refused.
    stunned: number?,
    --- Whether the last order was carried out; nil when none was sent.
    done: boolean?,
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
    --- Only whole numbers.
    whole: boolean?,
    --- The words that may be chosen.
    values: { string }?,
    --- Meaning and unit, for operators.
    doc: string?,
}

--- The game's actions; \`decide\` returns one of these.
export type Act = {
    --- Stays; nothing is sent to the referee.
    wait: () -> Action,
    --- Goes one cell. Blocked by blocks, bombs and units, dead ones too; when two units aim at one cell neither moves.
    move: (dir: ("up" | "down" | "left" | "right")) -> Action,
    --- Puts a bomb into the unit's own cell, if it is empty. In fire the bomb explodes at once.
    bomb: () -> Action,
    --- Sets off this unit's own bomb in a cell, once it is armed (see armed of a bomb).
    detonate: (x: number, y: number) -> Action,
}
declare act: Act

--- Queries answered natively from the team's joined map, for the agent that decides.
export type World = {
    --- The map's size.
    size: () -> WorldSize?,
    --- The rules, as far as the referee announced or showed them; the engine's defaults otherwise.
    rules: () -> WorldRules?,
    --- The cell of the agent's unit.
    here: () -> Cell?,
    --- What is in a cell; nil outside the map.
    cell: (x: number, y: number) -> WorldCell?,
    --- All units, dead ones too.
    units: () -> { WorldUnit }?,
    --- Living enemies.
    enemies: () -> { WorldUnit }?,
    --- Living units of the own team but this one.
    mates: () -> { WorldUnit }?,
    --- Everything of a kind.
    find: (kind: ("enemy" | "bomb" | "fire" | "endfire" | "block" | "wood" | "ore" | "metal" | "pickup" | "ammo" | "blast" | "freeze" | "other")) -> { WorldCellEntity }?,
    --- The nearest of a kind by walking to it or beside it; nil when none can be reached.
    nearest: (kind: ("enemy" | "bomb" | "fire" | "endfire" | "block" | "wood" | "ore" | "metal" | "pickup" | "ammo" | "blast" | "freeze" | "other")) -> WorldCellEntity?,
    --- Steps to a cell; nil when it cannot be reached.
    distance: (x: number, y: number) -> number?,
    --- Steps to every cell, from the agent or from a given cell: entry 1 + x + y * width; -1 where no way leads.
    distances: (x: number?, y: number?) -> { number }?,
    --- The shortest way to a cell; with dig, also through wood and ore.
    path: (x: number, y: number, dig: number?) -> WorldPath?,
    --- The tick in which the ring of fire takes a cell.
    ring: (x: number, y: number) -> number?,
    --- How dangerous it is to stand on a cell in a tick: 0 not at all, 1 an enemy could set off a bomb, 2 it burns for certain. Looks 63 ticks ahead.
    danger: (x: number, y: number, tick: number?) -> number?,
    --- The first tick in which a cell burns; nil when none is in sight.
    burns: (x: number, y: number, possible: boolean?) -> number?,
    --- The quickest way to where nothing burns any more, never through fire; nil when there is none.
    escape: (bomb: boolean?, certain: boolean?, orders: { WorldEscapeOrder }?) -> WorldEscape?,
    --- What comes of orders after some ticks, by the referee's rules. Nothing that needs luck happens, unless a seed throws dice.
    simulate: (orders: { WorldEscapeOrder }?, ticks: number?, seed: number?) -> WorldSimulate?,
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