---@meta
-- The script API of bomberland for lua-language-server.
-- Generated from the declaration that the scripts are checked by: do not edit.

---What `decide` returns: made by the functions of `act`.
---@class Action

---@class Cell
---@field x integer
---@field y integer

---@class WorldSize
---@field width integer? Columns.
---@field height integer? Rows.

---@class WorldRules
---@field tick_rate_hz number? Ticks a second.
---@field fuse integer? Ticks from placing a bomb to its explosion.
---@field armed integer? A bomb must be older than this to be set off.
---@field blast_duration integer? Ticks that a blast burns.
---@field bombs_max integer? Bombs of one team on the map at once.
---@field invulnerability integer? Ticks without harm after a hit.
---@field freeze_ticks number? Ticks that a freeze powerup stuns an opponent.
---@field game_duration integer? First tick of the ring of fire.
---@field fire_interval number? Ticks between two of its cells.

---@class WorldCell
---@field x integer? Column.
---@field y integer? Row.
---@field entity WorldCellEntity? What is there; nil when empty.
---@field unit string? The unit in the cell, dead or alive.
---@field free boolean? Whether a unit can step there now.

---@class WorldCellEntity
---@field x integer? Column.
---@field y integer? Row.
---@field type ("enemy" | "bomb" | "fire" | "endfire" | "block" | "wood" | "ore" | "metal" | "pickup" | "ammo" | "blast" | "freeze" | "other")? What it is.
---@field created integer? The tick in which it came.
---@field expires integer? The tick in which it goes; a bomb explodes then.
---@field hp integer? Hits that it still takes.
---@field blast_diameter integer? Of a bomb.
---@field unit string? Whose bomb or blast it is.
---@field enemy boolean? Whether its owner is an enemy.
---@field armed integer? Of a bomb: the first tick in which it can be set off.
---@field distance integer? Only from nearest: steps to it, or beside it.

---@class WorldUnit
---@field x integer? Column.
---@field y integer? Row.
---@field unit string? The referee's name for it.
---@field team string? The referee's name for its team.
---@field agent string? Which of our agents it is; nil for enemies.
---@field enemy boolean? Whether it is an enemy's.
---@field alive boolean? Whether it lives.
---@field hp integer? Lives.
---@field bombs integer? Bombs that it carries.
---@field blast_diameter integer? Of its bombs.
---@field invulnerable integer? Last tick in which it cannot be hurt.
---@field stunned number? Last tick in which its orders are refused.

---@class WorldPath
---@field dir ("up" | "down" | "left" | "right")? The first step; nil when already there.
---@field cost integer? Steps, and the price of blocks.
---@field steps WorldPathStep[]? The cells on the way.

---@class WorldPathStep
---@field x integer? Column.
---@field y integer? Row.
---@field dir ("up" | "down" | "left" | "right")? The step that enters the cell.
---@field block boolean? True where a block must be blown away first.

---@class WorldEscape
---@field dir ("up" | "down" | "left" | "right" | "wait")? What to do first; with bomb, after the bomb.
---@field ticks integer? How many orders it takes.
---@field x integer? Where the way ends.
---@field y integer? Where the way ends.
---@field steps ("up" | "down" | "left" | "right" | "wait")[]? All orders.

---@class WorldEscapeOrder
---@field unit string? The unit's name as the referee has it.
---@field action ("wait" | "move" | "bomb" | "detonate")? What it does.
---@field args any[]? As for act.*, for example {"up"}.
---@field after integer? In which tick from now, from 1; 1 when nil.

---@class WorldSimulate
---@field tick integer? The tick reached.
---@field over boolean? Whether at most one team lives.
---@field leader string? The team of the first living unit.
---@field units WorldUnit[]? All units then.
---@field things WorldCellEntity[]? Everything but metal then.

---@class WorldSearch
---@field value number? What the best line is worth.
---@field units WorldSearchUnit[]? Living units of the team.
---@field line WorldEscapeOrder[]? The team's orders in the best line.
---@field nodes integer? Ticks that were simulated.
---@field evaluations integer? Choices that were played out.
---@field rounds integer? Complete passes over all units.

---@class WorldSearchUnit
---@field unit string? The unit's name as the referee has it.
---@field action ("wait" | "move" | "bomb" | "detonate")? What it does next.
---@field args any[]? As for act.*.
---@field alternatives WorldSearchUnitAlternative[]? Its orders that were tried, the best first.
---@field refused WorldSearchUnitRefused[]? Orders that were excluded, with the reason. Empty in the last ticks.

---@class WorldSearchUnitAlternative
---@field action ("wait" | "move" | "bomb" | "detonate")? What it does next.
---@field args any[]? As for act.*.
---@field value number? The best value that was found with it.

---@class WorldSearchUnitRefused
---@field action ("wait" | "move" | "bomb" | "detonate")? What it could do next.
---@field args any[]? As for act.*.
---@field why ("danger" | "no exit" | "armed bomb" | "own units" | "contested")? Why not: the cell can burn; no sure way out of own bombs; an armed own bomb reaches the cell; the blast hits own units; an enemy may want the same cell.

---@class WorldSearchOptions
---@field nodes integer? Ticks to simulate; 4000 when nil. One choice is always played out.
---@field ticks integer? How far each choice is played out; 14 when nil.
---@field weights WorldSearchOptionsWeights? What counts how much; defaults for what is missing.
---@field goals WorldSearchOptionsGoal[]? Cells that pull our units.
---@field last_ticks integer? Ticks before the last cell burns from which on choices are played to the end of the game, and only which side lasts longer counts; 0, for never, when nil.
---@field last_nodes integer? Ticks to simulate then; 20000 when nil.

---@class WorldSearchOptionsWeights
---@field lives number? A life that the enemy loses; one that we lose costs as much. Default 100.0.
---@field last_life number? The last life of a unit, in addition. Default 60.0.
---@field win number? The end of the game for the side that is left; for the other side it costs as much. Default 0.0.
---@field own_share number? How much more a life of ours counts than one of theirs. Default 1.2.
---@field own_bomb number? A life that one of our units loses in a blast of our own, in addition. Default 200.0.
---@field beside number? A tick in which one of our units is in the reach of a bomb of ours that can go off within a few ticks. Default 2.0.
---@field freeze number? An enemy that is frozen; a unit of ours that is frozen costs as much. Default 45.0.
---@field blast number? A collected blast powerup. Default 12.0.
---@field ammo number? A bomb more to carry; the fewer a unit has, the more one counts, and putting one costs as much. Default 6.0.
---@field block number? A block that is destroyed, where our side is there first; the hits before count less. Less where blocks leave fewer items than by the engine's rules. Default 14.0.
---@field block_first number? How much a block counts for the side that is there first: at 0 each counts alike, at 0.5 one that the enemy reaches first counts nothing, at 1 it costs as much. Default 0.5.
---@field doomed number? A unit without a way out of danger at the end of the plan. Default 70.0.
---@field held number? A unit of ours in the reach of a bomb of ours whose exits the enemy can close. Default 30.0.
---@field risk number? A tick in which an armed enemy bomb could hit one of our units. Default 8.0.
---@field shut number? A unit that one bomb of the other side would shut in. Default 25.0.
---@field cornered number? An order after which one enemy can walk so that its bomb leaves the unit no exit; less for each tick until then. Default 100.0.
---@field corners number? An order with which a unit of ours does so to an enemy. Default 60.0.
---@field near number? A unit that is close to one of the other side which is frozen. Default 2.0.
---@field item number? An item that our side reaches first, less for each step to it; the other side's cost as much. Default 10.0.
---@field territory number? A cell that our side reaches first. Default 0.15.
---@field room number? A free cell near one of our units, up to twelve. Default 0.5.
---@field ring number? A unit whose cell burns soon. Default 40.0.
---@field centre number? A step of one of our units to the cells that burn last; a hit on a block in the way takes several steps. Default 1.6.
---@field ending number? A tick by which our last unit would die later than the enemy's in the ring of fire, as soon as places can be held: where units carry few bombs, and near the end. Default 12.0.
---@field hold number? A unit in the cell that burns last, as soon as places can be held; an enemy there costs as much. Default 60.0.
---@field refuge number? How much the cells that burn last pull the enemy's units in the lines that are played out, as soon as places can be held. Default 0.0.
---@field way number? A hit on a block that is in one of our units' way to the cells that burn last. Default 10.0.
---@field dig number? A unit beside a block, less for each step to it. Default 6.0.
---@field hunt number? One of our units within reach of an enemy, less for each step to it. Default 3.0.
---@field frozen number? One of our units within reach of a frozen enemy, less for each step to it. Default 15.0.
---@field exposed number? A step by which an enemy is closer than seven to one of our units. Default 0.0.
---@field goal number? Factor for the goals of a script. Default 1.0.
---@field decay number? What is left of a value for each tick that it comes later. Default 0.985.

---@class WorldSearchOptionsGoal
---@field x integer? Column.
---@field y integer? Row.
---@field value number? How much it pulls a unit that is there; less for each step to it.

---What an agent sees.
---@class Percept
---@field tick integer? The tick counter; an order now is executed in the next tick.
---@field unit string? The referee's name for this body; nil when the game has too few.
---@field x integer? Column.
---@field y integer? Row.
---@field hp integer? Lives; 0 and below is dead.
---@field alive boolean? Whether it lives.
---@field bombs integer? Bombs that it carries.
---@field blast_diameter integer? Of its bombs: 3 reaches one cell far.
---@field invulnerable integer? Last tick in which it cannot be hurt.
---@field stunned number? Last tick in which its orders are refused.
---@field done boolean? Whether the last order was carried out; nil when none was sent.

---The agent that decides.
---@class Me
---@field name string Its name.
---@field role string Its role.
---@field turn integer The referee's step.
---@field round integer The round of the match, from 0.
---@field tick integer Turns of the match so far.
---@field percept Percept What it sees; a misspelt field is an error.
---@field memory table A table of the agent's own that lasts for the match; plain data survives a change of the scripts.
---@field time_left fun(): number `time_left()`: seconds until the referee's deadline, less the safety margin.

---What `finish` gets besides all of `Me`.
---@class Result: Me
---@field score integer The team's score.
---@field ranking integer? Its rank from 1, where the referee tells it.

---What `plan` gets besides all of `team`.
---@class Plan: Team
---@field turn integer The referee's step.
---@field round integer The round of the match, from 0.
---@field tick integer Turns of the match so far.
---@field time_left fun(): number Seconds until the referee's deadline.

---For how long something stays on the board.
---@class Expiry
---@field turns integer? Number of turns, this one included; without it, the entry stays.

---An agent of the team.
---@class Member
---@field name string Its name.
---@field role string Its role.

---A message between agents.
---@class Letter
---@field from string The sender's name, or team.
---@field body any What it says.

---What a live parameter accepts; its type is the default's.
---@class ParamSpec
---@field default any The value until it is set: boolean, number or string.
---@field min number? The smallest number.
---@field max number? The largest number.
---@field step number? The distance of neighbouring values; others are rounded.
---@field kind string? int, float, choice or bool; follows from the rest if omitted.
---@field log boolean? A search steps by ratios; needs a min above 0 and a max.
---@field values string[]? The words that may be chosen.
---@field why string? Meaning and unit, for operators.
---@field whole boolean? The older form of kind = "int".
---@field doc string? The older name of why.

---The game's actions; `decide` returns one of these.
---@class Act
act = {}

---Stays; nothing is sent to the referee.
---@return Action
function act.wait() end

---Goes one cell. Blocked by blocks, bombs and units, dead ones too; when two units aim at one cell neither moves.
---@param dir ("up" | "down" | "left" | "right") Which way.
---@return Action
function act.move(dir) end

---Puts a bomb into the unit's own cell, if it is empty. In fire the bomb explodes at once.
---@return Action
function act.bomb() end

---Sets off this unit's own bomb in a cell, once it is armed (see armed of a bomb).
---@param x integer Column, from 0.
---@param y integer Row, from 0, upwards.
---@return Action
function act.detonate(x, y) end

---Queries answered natively from the team's joined map, for the agent that decides.
---@class WorldQueries
local queries = {}

---@class World: WorldQueries
world = {}

---The same queries for another agent of the team; also in `plan`, where no agent is deciding.
---@param name string
---@return WorldQueries
function world.of(name) end

---The map's size.
---@return WorldSize?
function queries.size() end

---The rules, as far as the referee announced or showed them; the engine's defaults otherwise.
---@return WorldRules?
function queries.rules() end

---The cell of the agent's unit.
---@return Cell?
function queries.here() end

---What is in a cell; nil outside the map.
---@param x integer Column, from 0.
---@param y integer Row, from 0, upwards.
---@return WorldCell?
function queries.cell(x, y) end

---All units, dead ones too.
---@return WorldUnit[]?
function queries.units() end

---Living enemies.
---@return WorldUnit[]?
function queries.enemies() end

---Living units of the own team but this one.
---@return WorldUnit[]?
function queries.mates() end

---Everything of a kind.
---@param kind ("enemy" | "bomb" | "fire" | "endfire" | "block" | "wood" | "ore" | "metal" | "pickup" | "ammo" | "blast" | "freeze" | "other") block is wood or ore, pickup is ammo, blast or freeze, enemy is a living unit.
---@return WorldCellEntity[]?
function queries.find(kind) end

---The nearest of a kind by walking to it or beside it; nil when none can be reached.
---@param kind ("enemy" | "bomb" | "fire" | "endfire" | "block" | "wood" | "ore" | "metal" | "pickup" | "ammo" | "blast" | "freeze" | "other") block is wood or ore, pickup is ammo, blast or freeze, enemy is a living unit.
---@return WorldCellEntity?
function queries.nearest(kind) end

---Steps to a cell; nil when it cannot be reached.
---@param x integer Column, from 0.
---@param y integer Row, from 0, upwards.
---@return integer?
function queries.distance(x, y) end

---Steps to every cell, from the agent or from a given cell: entry 1 + x + y * width; -1 where no way leads.
---@param x? integer Column to count from.
---@param y? integer Row to count from.
---@return integer[]?
function queries.distances(x, y) end

---The shortest way to a cell; with dig, also through wood and ore.
---@param x integer Column, from 0.
---@param y integer Row, from 0, upwards.
---@param dig? integer What each hit on a block costs, in steps, up to 1000.
---@return WorldPath?
function queries.path(x, y, dig) end

---The tick in which the ring of fire takes a cell.
---@param x integer Column, from 0.
---@param y integer Row, from 0, upwards.
---@return number?
function queries.ring(x, y) end

---How dangerous it is to stand on a cell in a tick: 0 not at all, 1 an enemy could set off a bomb, 2 it burns for certain. Looks 63 ticks ahead.
---@param x integer Column, from 0.
---@param y integer Row, from 0, upwards.
---@param tick? integer Which tick; when nil the worst of all.
---@return integer?
function queries.danger(x, y, tick) end

---The first tick in which a cell burns; nil when none is in sight.
---@param x integer Column, from 0.
---@param y integer Row, from 0, upwards.
---@param possible? boolean Count fires that an enemy could light.
---@return integer?
function queries.burns(x, y, possible) end

---The quickest way to where nothing burns any more, never through fire; nil when there is none.
---@param bomb? boolean As if a bomb were put here first; nil where none can be.
---@param certain? boolean Avoid only what burns for certain.
---@param orders? WorldEscapeOrder[] What others will do, for example mates that have decided.
---@return WorldEscape?
function queries.escape(bomb, certain, orders) end

---What comes of orders after some ticks, by the referee's rules. Nothing that needs luck happens, unless a seed throws dice.
---@param orders? WorldEscapeOrder[] Who does what; the rest wait.
---@param ticks? integer How far; 1 when nil.
---@param seed? integer Dice for drops and freezes.
---@return WorldSimulate?
function queries.simulate(orders, ticks, seed) end

---The best plans for all units of the team together: choices are played out by the referee's rules while the enemy answers by greedy rules. The budget is a number of nodes, so the same question always has the same answer; units that ask the same share one search.
---@param options? WorldSearchOptions Budget, horizon, weights and goals.
---@return WorldSearch?
function queries.search(options) end

---The team's blackboard: keys are strings, values plain data.
---@class Board
board = {}

---The value of a key; nil when there is none.
---@param key string
---@return any
function board.get(key) end

---Writes plain data for everybody; nil deletes. `{ turns = n }` lets it expire, `turns = 1` with this turn.
---@param key string
---@param value any
---@param options? Expiry
---@return boolean?
---@return string? reason
function board.set(key, value, options) end

---Adds to a number, from 0 when there is none, and answers the sum.
---@param key string
---@param amount number
---@return number?
---@return string? reason
function board.add(key, amount) end

---Walks the keys with a prefix in order: `for key, value, author in board.each("job/") do`.
---@param prefix? string
---@return function
function board.each(prefix) end

---Takes a claim: true for one holder only, until it is released or expires.
---@param key string
---@param options? Expiry
---@return boolean?
---@return string? reason
function board.claim(key, options) end

---Gives a claim up; false when it was another's.
---@param key string
---@return boolean
function board.release(key) end

---Who holds the claim.
---@param key string
---@return string?
function board.holder(key) end

---The agents of the team; `plan(team)` gets it with the turn in it.
---@class Team
team = {}

---Everybody, in roster order.
---@return Member[]
function team.all() end

---Those who were asked in this turn.
---@return Member[]
function team.agents() end

---A letter of plain data; it can be read in the next turn.
---@param name string
---@param body any
---@return boolean?
---@return string? reason
function team.send(name, body) end

---Takes the letters that wait for the agent that decides.
---@return Letter[]
function team.inbox() end

---The role of an agent.
---@param name string
---@return string
function team.role(name) end

---Changes it from the agent's next decision on.
---@param name string
---@param role string
function team.set_role(name, role) end

---What another agent of the team sees.
---@param name string
---@return Percept
function team.percept(name) end

---Rows to columns at the least sum, at most 100 by 100; `math.huge` forbids a pair. A row that gets no column is nil.
---@param costs number[][]
---@return integer[]
function team.assign(costs) end

---Lines in the team's journal.
---@class Log
log = {}

---Logs for the author of the script. Takes values, or a format and values.
---@param ... any
function log.debug(...) end

---Worth telling; `print` is the same.
---@param ... any
function log.info(...) end

---Something is not as it should be.
---@param ... any
function log.warn(...) end

---Something failed.
---@param ... any
function log.error(...) end

---Marks for the map of this turn.
---@class Draw
draw = {}

---Marks a cell on the map of this turn.
---@param cell any
---@param ... any
---@return boolean
function draw.cell(cell, ...) end

---Marks a line.
---@param from any
---@param to any
---@param ... any
---@return boolean
function draw.line(from, to, ...) end

---Writes beside a cell.
---@param cell any
---@param text any
---@param ... any
---@return boolean
function draw.text(cell, text, ...) end

---Marks a way; shown as where the agent goes.
---@param cells any
---@param ... any
---@return boolean
function draw.path(cells, ...) end

---Chance, seeded by match, agent and turn; so is `math.random`.
---@class Rng
rng = {}

---A whole number, both ends included.
---@param low integer
---@param high integer
---@return integer
function rng.int(low, high) end

---From 0 up to, not including, 1.
---@return number
function rng.float() end

---One item of a list; nil of an empty one.
---@param list table
---@return any
function rng.pick(list) end

---Shuffles the list itself and answers it.
---@param list table
---@return table
function rng.shuffle(list) end

---A number for dashboards.
---@param name string
---@param value number
---@return boolean
function metric(name, value) end

---Declares a live parameter and answers its value for the agent that decides; without `spec` it reads one that is declared elsewhere.
---@param name string
---@param spec? ParamSpec
---@return any
function param(name, spec) end

---Says why: in `decide` the last one is kept with the action, and shown as what the agent is doing; data with `x` and `y`, or with `vertex`, is where it goes. At most 500 characters, and plain data of at most 200 values.
---@param text string
---@param data? any
function explain(text, data) end

---A module of the strategy, named from its folder without an ending: `require("lib/walk")`.
---@param name string
---@return any
function require(name) end

---@param value any
---@return number
function rawlen(value) end

---@param value any
---@return string
function typeof(value) end

---@type number
math.e = nil

---@type number
math.nan = nil

---@type number
math.phi = nil

---@type number
math.sqrt2 = nil

---@type number
math.tau = nil

---@param x number
---@param min number
---@param max number
---@return number
function math.clamp(x, min, max) end

---@param x number
---@return boolean
function math.isfinite(x) end

---@param x number
---@return boolean
function math.isinf(x) end

---@param x number
---@return boolean
function math.isnan(x) end

---@param a number
---@param b number
---@param t number
---@return number
function math.lerp(a, b, t) end

---@param x number
---@param low number
---@param high number
---@param to_low number
---@param to_high number
---@return number
function math.map(x, low, high, to_low, to_high) end

---@param x number
---@param y? number
---@param z? number
---@return number
function math.noise(x, y, z) end

---@param x number
---@return number
function math.round(x) end

---@param x number
---@return number
function math.sign(x) end

---@param format string
---@param ... any
---@return string
function string.pack(format, ...) end

---@param format string
---@return number
function string.packsize(format) end

---@param text string
---@param separator? string
---@return string[]
function string.split(text, separator) end

---@param format string
---@param text string
---@param init? number
---@return any
function string.unpack(format, text, init) end

---@param map table
function table.clear(map) end

---@param map table
---@return table
function table.clone(map) end

---@param count number
---@param value? any
---@return table
function table.create(count, value) end

---@param list table
---@param value any
---@param init? number
---@return number?
function table.find(list, value, init) end

---@param map table
---@return table
function table.freeze(map) end

---@param map table
---@return boolean
function table.isfrozen(map) end

---@param from table
---@param first number
---@param last number
---@param to number
---@param target? table
---@return table
function table.move(from, first, last, to, target) end

---@param ... any
---@return table
function table.pack(...) end

---@param list table
---@param first? number
---@param last? number
---@return any
function table.unpack(list, first, last) end

---Luau's own library.
---@class Bit32
bit32 = {}

---@param x number
---@param by number
---@return number
function bit32.arshift(x, by) end

---@param ... any
---@return number
function bit32.band(...) end

---@param x number
---@return number
function bit32.bnot(x) end

---@param ... any
---@return number
function bit32.bor(...) end

---@param ... any
---@return boolean
function bit32.btest(...) end

---@param ... any
---@return number
function bit32.bxor(...) end

---@param x number
---@return number
function bit32.byteswap(x) end

---@param x number
---@return number
function bit32.countlz(x) end

---@param x number
---@return number
function bit32.countrz(x) end

---@param x number
---@param field number
---@param width? number
---@return number
function bit32.extract(x, field, width) end

---@param x number
---@param by number
---@return number
function bit32.lrotate(x, by) end

---@param x number
---@param by number
---@return number
function bit32.lshift(x, by) end

---@param x number
---@param by number
---@param field number
---@param width? number
---@return number
function bit32.replace(x, by, field, width) end

---@param x number
---@param by number
---@return number
function bit32.rrotate(x, by) end

---@param x number
---@param by number
---@return number
function bit32.rshift(x, by) end

---Luau's own library.
---@class Utf8
utf8 = {}

---@type string
utf8.charpattern = nil

---@param ... any
---@return string
function utf8.char(...) end

---@param text string
---@param first? number
---@param last? number
---@return number
function utf8.codepoint(text, first, last) end

---@param text string
---@return function
---@return string
---@return number
function utf8.codes(text) end

---@param text string
---@param first? number
---@param last? number
---@return number?
---@return number?
function utf8.len(text, first, last) end

---@param text string
---@param n number
---@param init? number
---@return number?
function utf8.offset(text, n, init) end

---@param routine thread
---@return boolean
---@return any
function coroutine.close(routine) end

---@return boolean
function coroutine.isyieldable() end

---Luau's own library.
---@class Buffer
buffer = {}

---@param target userdata
---@param at number
---@param source userdata
---@param from? number
---@param count? number
function buffer.copy(target, at, source, from, count) end

---@param size number
---@return userdata
function buffer.create(size) end

---@param target userdata
---@param at number
---@param value number
---@param count? number
function buffer.fill(target, at, value, count) end

---@param text string
---@return userdata
function buffer.fromstring(text) end

---@param source userdata
---@return number
function buffer.len(source) end

---@param source userdata
---@param at number
---@param count number
---@return number
function buffer.readbits(source, at, count) end

---@param source userdata
---@param at number
---@return number
function buffer.readf32(source, at) end

---@param source userdata
---@param at number
---@return number
function buffer.readf64(source, at) end

---@param source userdata
---@param at number
---@return number
function buffer.readi16(source, at) end

---@param source userdata
---@param at number
---@return number
function buffer.readi32(source, at) end

---@param source userdata
---@param at number
---@return number
function buffer.readi8(source, at) end

---@param source userdata
---@param at number
---@param count number
---@return string
function buffer.readstring(source, at, count) end

---@param source userdata
---@param at number
---@return number
function buffer.readu16(source, at) end

---@param source userdata
---@param at number
---@return number
function buffer.readu32(source, at) end

---@param source userdata
---@param at number
---@return number
function buffer.readu8(source, at) end

---@param source userdata
---@return string
function buffer.tostring(source) end

---@param target userdata
---@param at number
---@param count number
---@param value number
function buffer.writebits(target, at, count, value) end

---@param target userdata
---@param at number
---@param value number
function buffer.writef32(target, at, value) end

---@param target userdata
---@param at number
---@param value number
function buffer.writef64(target, at, value) end

---@param target userdata
---@param at number
---@param value number
function buffer.writei16(target, at, value) end

---@param target userdata
---@param at number
---@param value number
function buffer.writei32(target, at, value) end

---@param target userdata
---@param at number
---@param value number
function buffer.writei8(target, at, value) end

---@param target userdata
---@param at number
---@param text string
---@param count? number
function buffer.writestring(target, at, text, count) end

---@param target userdata
---@param at number
---@param value number
function buffer.writeu16(target, at, value) end

---@param target userdata
---@param at number
---@param value number
function buffer.writeu32(target, at, value) end

---@param target userdata
---@param at number
---@param value number
function buffer.writeu8(target, at, value) end

---Luau's own library.
---@class Vector
vector = {}

---@type userdata
vector.one = nil

---@type userdata
vector.zero = nil

---@param v userdata
---@return userdata
function vector.abs(v) end

---@param a userdata
---@param b userdata
---@param axis? userdata
---@return number
function vector.angle(a, b, axis) end

---@param v userdata
---@return userdata
function vector.ceil(v) end

---@param v userdata
---@param min userdata
---@param max userdata
---@return userdata
function vector.clamp(v, min, max) end

---@param x number
---@param y number
---@param z? number
---@return userdata
function vector.create(x, y, z) end

---@param a userdata
---@param b userdata
---@return userdata
function vector.cross(a, b) end

---@param a userdata
---@param b userdata
---@return number
function vector.dot(a, b) end

---@param v userdata
---@return userdata
function vector.floor(v) end

---@param a userdata
---@param b userdata
---@param t number
---@return userdata
function vector.lerp(a, b, t) end

---@param v userdata
---@return number
function vector.magnitude(v) end

---@param v userdata
---@param ... any
---@return userdata
function vector.max(v, ...) end

---@param v userdata
---@param ... any
---@return userdata
function vector.min(v, ...) end

---@param v userdata
---@return userdata
function vector.normalize(v) end

---@param v userdata
---@return userdata
function vector.sign(v) end

-- In spec files.

---@type any
describe = nil

---@type any
it = nil

---@type any
before_each = nil

---@type any
after_each = nil

---@type any
expect = nil

---@type any
fake = nil
