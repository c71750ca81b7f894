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

export type WorldSearch = {
    --- What the best line is worth.
    value: number?,
    --- Living units of the team.
    units: { WorldSearchUnit }?,
    --- The team's orders in the best line.
    line: { WorldEscapeOrder }?,
    --- Ticks that were simulated.
    nodes: number?,
    --- Choices that were played out.
    evaluations: number?,
    --- Complete passes over all units.
    rounds: number?,
}

export type WorldSearchUnit = {
    --- The unit's name as the referee has it.
    unit: string?,
    --- What it does next.
    action: ("wait" | "move" | "bomb" | "detonate")?,
    --- As for act.*.
    args: { any }?,
    --- Its orders that were tried, the best first.
    alternatives: { WorldSearchUnitAlternative }?,
    --- Orders that were excluded, with the reason. Empty in the last ticks.
    refused: { WorldSearchUnitRefused }?,
}

export type WorldSearchUnitAlternative = {
    --- What it does next.
    action: ("wait" | "move" | "bomb" | "detonate")?,
    --- As for act.*.
    args: { any }?,
    --- The best value that was found with it.
    value: number?,
}

export type WorldSearchUnitRefused = {
    --- What it could do next.
    action: ("wait" | "move" | "bomb" | "detonate")?,
    --- As for act.*.
    args: { any }?,
    --- Why not: the cell can burn; no sure way out of own bombs; an armed own bomb reaches the cell; the blast hits own units; an enemy may want the same cell.
    why: ("danger" | "no exit" | "armed bomb" | "own units" | "contested")?,
}

export type WorldSearchOptions = {
    --- Ticks to simulate; 4000 when nil. One choice is always played out.
    nodes: number?,
    --- How far each choice is played out; 14 when nil.
    ticks: number?,
    --- What counts how much; defaults for what is missing.
    weights: WorldSearchOptionsWeights?,
    --- Cells that pull our units.
    goals: { WorldSearchOptionsGoal }?,
    --- Ticks before the last cell burns from which on choices are played to the end of the game, and only which side lasts longer counts; 0, for never, when nil.
    last_ticks: number?,
    --- Ticks to simulate then; 20000 when nil.
    last_nodes: number?,
}

export type WorldSearchOptionsWeights = {
    --- A life that the enemy loses; one that we lose costs as much. Default 100.0.
    lives: number?,
    --- The last life of a unit, in addition. Default 60.0.
    last_life: number?,
    --- The end of the game for the side that is left; for the other side it costs as much. Default 0.0.
    win: number?,
    --- How much more a life of ours counts than one of theirs. Default 1.2.
    own_share: number?,
    --- A life that one of our units loses in a blast of our own, in addition. Default 200.0.
    own_bomb: number?,
    --- A tick in which one of our units is in the reach of a bomb of ours that can go off within a few ticks. Default 2.0.
    beside: number?,
    --- An enemy that is frozen; a unit of ours that is frozen costs as much. Default 45.0.
    freeze: number?,
    --- A collected blast powerup. Default 12.0.
    blast: number?,
    --- A bomb more to carry; the fewer a unit has, the more one counts, and putting one costs as much. Default 6.0.
    ammo: number?,
    --- A block that is destroyed, where our side is there first; the hits before count less. Less where blocks leave fewer items than by the engine's rules. Default 14.0.
    block: number?,
    --- How much a block counts for the side that is there first: at 0 each counts alike, at 0.5 one that the enemy reaches first counts nothing, at 1 it costs as much. Default 0.5.
    block_first: number?,
    --- A unit without a way out of danger at the end of the plan. Default 70.0.
    doomed: number?,
    --- A unit of ours in the reach of a bomb of ours whose exits the enemy can close. Default 30.0.
    held: number?,
    --- A tick in which an armed enemy bomb could hit one of our units. Default 8.0.
    risk: number?,
    --- A unit that one bomb of the other side would shut in. Default 25.0.
    shut: number?,
    --- An order after which one enemy can walk so that its bomb leaves the unit no exit; less for each tick until then. Default 100.0.
    cornered: number?,
    --- An order with which a unit of ours does so to an enemy. Default 60.0.
    corners: number?,
    --- A unit that is close to one of the other side which is frozen. Default 2.0.
    near: number?,
    --- An item that our side reaches first, less for each step to it; the other side's cost as much. Default 10.0.
    item: number?,
    --- A cell that our side reaches first. Default 0.15.
    territory: number?,
    --- A free cell near one of our units, up to twelve. Default 0.5.
    room: number?,
    --- A unit whose cell burns soon. Default 40.0.
    ring: number?,
    --- A step of one of our units to the cells that burn last; a hit on a block in the way takes several steps. Default 1.6.
    centre: number?,
    --- A tick by which our last unit would die later than the enemy's in the ring of fire, as soon as places can be held: where units carry few bombs, and near the end. Default 12.0.
    ending: number?,
    --- A unit in the cell that burns last, as soon as places can be held; an enemy there costs as much. Default 60.0.
    hold: number?,
    --- How much the cells that burn last pull the enemy's units in the lines that are played out, as soon as places can be held. Default 0.0.
    refuge: number?,
    --- A hit on a block that is in one of our units' way to the cells that burn last. Default 10.0.
    way: number?,
    --- A unit beside a block, less for each step to it. Default 6.0.
    dig: number?,
    --- One of our units within reach of an enemy, less for each step to it. Default 3.0.
    hunt: number?,
    --- One of our units within reach of a frozen enemy, less for each step to it. Default 15.0.
    frozen: number?,
    --- A step by which an enemy is closer than seven to one of our units. Default 0.0.
    exposed: number?,
    --- Factor for the goals of a script. Default 1.0.
    goal: number?,
    --- What is left of a value for each tick that it comes later. Default 0.985.
    decay: number?,
}

export type WorldSearchOptionsGoal = {
    --- Column.
    x: number?,
    --- Row.
    y: number?,
    --- How much it pulls a unit that is there; less for each step to it.
    value: number?,
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
    --- The best plans for all units of the team together: choices are played out by the referee's rules while the enemy answers by greedy rules. The budget is a number of nodes, so the same question always has the same answer; units that ask the same share one search.
    search: (options: WorldSearchOptions?) -> WorldSearch?,
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