---@meta
-- The script API of asimulator for lua-language-server.
-- Generated from the declaration that the scripts are checked by: do not edit.

---What `decide` returns: made by the functions of `act`.
---@class Action

---@class Cell
---@field x integer
---@field y integer

---@class WorldHere
---@field x integer? Tiles to the east of the start.
---@field y integer? Tiles to the north of the start.
---@field heading ("east" | "north" | "west" | "south")? Where the agent looks.

---@class WorldRules
---@field lower_x_bound integer? The map's bound in the west; nil when unknown.
---@field upper_x_bound integer? In the east.
---@field lower_y_bound integer? In the south.
---@field upper_y_bound integer? In the north.
---@field homes integer? Number of homes; nil when unknown.
---@field items integer? Number of items at the start; nil when unknown.
---@field enemies integer? Number of enemies at the start; nil when unknown.
---@field dangers integer? Number of deadly tiles; nil when unknown.
---@field range integer? How far a shot reaches; 0 is without limit.
---@field move_cost integer? Cost of a move.
---@field turn_left_cost integer? Cost of a turn.
---@field turn_right_cost integer? Cost of a turn.
---@field grab_cost integer? Cost of a grab.
---@field neutralize_cost integer? Cost of a shot.
---@field item_reward integer? For each item.
---@field neutralize_reward integer? For each enemy.
---@field home_reward integer? For ending at a home, once.
---@field initial_cost integer? What counts as spent at the start.
---@field initial_score integer? The score at the start.
---@field ammunition_limit integer? What a recharge sets ammunition to; nil: unlimited.
---@field initial_ammunition integer? Shots at the start; nil: unlimited.
---@field cost_limit integer? The simulation ends when the cost reaches this; nil: never.
---@field score_limit integer? It ends when the score reaches this; nil: never.
---@field recharge boolean? Homes recharge ammunition.
---@field becomes_item boolean? A neutralized enemy becomes an item.
---@field stops_at_first boolean? A shot neutralizes only the first enemy.

---@class WorldBest
---@field purpose ("grab" | "fetch" | "explore" | "shoot" | "recharge" | "risk" | "home" | "stop")? What for; shoot includes the way to where it is done.
---@field action ("shut_off" | "move" | "turn_left" | "turn_right" | "grab" | "neutralize")? The first action of it.
---@field x integer? The tile that it is about.
---@field y integer? The tile that it is about.
---@field cost integer? What it costs to be done with it.
---@field death number? The probability of dying, 0 to 1; 0 is certain.
---@field hit number? The probability that the shot hits, 0 to 1.
---@field gain number? What it is expected to bring, costs not deducted.
---@field value number? Gain minus cost minus what dying would lose.

---@class WorldTile
---@field x integer? Tiles to the east of the start.
---@field y integer? Tiles to the north of the start.
---@field type ("clear" | "wall" | "danger")? What it is; nil when not certain.
---@field visited boolean? The agent has been there.
---@field has_item boolean? Whether an item lies there; nil when not known.
---@field wall number? The probability of a wall.
---@field danger number? The probability that it is deadly by itself.
---@field enemy number? The probability of an enemy.
---@field death number? The probability that entering it is deadly.
---@field item number? The probability of an item.
---@field home number? The probability of a home.

---@class WorldRoute
---@field cost integer? Moves and turns at their costs.
---@field action ("shut_off" | "move" | "turn_left" | "turn_right" | "grab" | "neutralize")? The first action; nil when already there.
---@field actions ("shut_off" | "move" | "turn_left" | "turn_right" | "grab" | "neutralize")[]? All actions.

---@class WorldRates
---@field wall number? Share of walls.
---@field danger number? Share of deadly tiles.
---@field enemy number? Share of tiles with an enemy, of those that are no walls.
---@field item number? Share of tiles with an item, of those that are clear.
---@field home number? Share of tiles with a home, of those that are clear.

---@class WorldMark
---@field x integer? Tiles to the east of the start.
---@field y integer? Tiles to the north of the start.
---@field symbol any A number from 0 to 99, or sign, question, doubt, unreachable, irrelevant, possible_enemy, enemy, possible_danger, danger, plan_shut_off; none removes.

---@class ActMoveNotes
---@field marks WorldMark[]? Symbols for the simulator's map, up to 4096.
---@field clear boolean? Remove all symbols first.
---@field say string? A text for the simulator's display.

---What an agent sees.
---@class Percept
---@field home boolean? The agent is on a home.
---@field item boolean? An item lies here.
---@field hostility boolean? An enemy is on a neighbouring tile.
---@field fear boolean? A neighbouring tile is deadly.
---@field bump boolean? The last action was a move that a wall stopped.
---@field neutralized boolean? The last action was a shot that hit.
---@field over boolean? The simulation is over.
---@field after ("shut_off" | "move" | "turn_left" | "turn_right" | "grab" | "neutralize")? The last action; nil at the start.
---@field cost integer? Spent so far, by our own bookkeeping.
---@field score integer? Score so far, by our own bookkeeping.
---@field ammunition integer? Shots left; nil where they are not limited.

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

---Goes one tile forward; a wall stops it, a danger or an enemy is the end.
---@param notes? ActMoveNotes What the simulator's display shall show; without effect on the world.
---@return Action
function act.move(notes) end

---A quarter turn counter-clockwise.
---@param notes? ActMoveNotes What the simulator's display shall show; without effect on the world.
---@return Action
function act.turn_left(notes) end

---A quarter turn clockwise.
---@param notes? ActMoveNotes What the simulator's display shall show; without effect on the world.
---@return Action
function act.turn_right(notes) end

---Takes the item on the agent's tile.
---@param notes? ActMoveNotes What the simulator's display shall show; without effect on the world.
---@return Action
function act.grab(notes) end

---Shoots forward, past everything but walls; see range and stops_at_first of the rules.
---@param notes? ActMoveNotes What the simulator's display shall show; without effect on the world.
---@return Action
function act.neutralize(notes) end

---Ends the simulation; at a home that is rewarded.
---@param notes? ActMoveNotes What the simulator's display shall show; without effect on the world.
---@return Action
function act.shut_off(notes) end

---For rules that a strategy cannot play by: says why and ends the simulation.
---@param reason string Why.
---@return Action
function act.refuse(reason) end

---Queries answered natively from the team's joined map, for the agent that decides.
---@class WorldQueries
local queries = {}

---@class World: WorldQueries
world = {}

---The same queries for another agent of the team; also in `plan`, where no agent is deciding.
---@param name string
---@return WorldQueries
function world.of(name) end

---The agent's position and heading.
---@return WorldHere?
function queries.here() end

---The rules of the simulation.
---@return WorldRules?
function queries.rules() end

---The best of all options: takes what is safe first, then shoots, then dares, then goes home.
---@param dare? number The most likely death that is dared, 0 to 1; 1 when nil: whatever pays.
---@return WorldBest?
function queries.best(dare) end

---Options that are worth something, the best first: the cheapest safe ones, shots, risks where nothing is safe; the last one is to go home or to stop.
---@param count? integer How many at most; 200 when nil.
---@return WorldBest[]?
function queries.options(count) end

---What ending now would bring: the reward for a home minus the way there; 0 without one.
---@return number?
function queries.secure() end

---What is believed about a tile.
---@param x integer Tiles to the east of the start.
---@param y integer Tiles to the north of the start.
---@return WorldTile?
function queries.tile(x, y) end

---All tiles about which something is known.
---@return WorldTile[]?
function queries.tiles() end

---Homes that are known.
---@return Cell[]?
function queries.homes() end

---The cheapest way to a tile over tiles that are free for certain; nil when there is none.
---@param x integer Tiles to the east of the start.
---@param y integer Tiles to the north of the start.
---@param heading? ("east" | "north" | "west" | "south") Where to look in the end; anywhere when nil.
---@return WorldRoute?
function queries.route(x, y, heading) end

---How common things are taken to be, learned from all simulations so far.
---@return WorldRates?
function queries.rates() end

---Symbols that differ from those the simulator shows, for the notes of an action.
---@return WorldMark[]?
function queries.marks() end

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
