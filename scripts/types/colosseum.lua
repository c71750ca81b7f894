---@meta
-- The script API of colosseum for lua-language-server.
-- Generated from the declaration that the scripts are checked by: do not edit.

---What `decide` returns: made by the functions of `act`.
---@class Action

---@class Cell
---@field x integer
---@field y integer

---@class WorldRules
---@field width number? Of the plane, or of the grid of snake.
---@field height number? Of the plane, or of the grid of snake.
---@field speed number? Longest step of an actor.
---@field radius number? Actors collide when nearer than twice this.
---@field take_reach number? Reach of take_food.
---@field take_amount integer? What take_food takes at most.
---@field deposit_reach number? Reach of deposit_food and heal.
---@field attack_reach number? Reach of attack.
---@field damage integer? Health that a hit costs.
---@field spawn_cost integer? Food that an actor costs.

---@class WorldFood
---@field id string? Its id; absent in snake.
---@field x number? Where it is.
---@field y number? Where it is.
---@field quantity number? What it holds; absent in snake.

---@class WorldActor
---@field id string? Its id.
---@field owner string? The id of the player.
---@field mine boolean? Whether it is ours.
---@field x number? Where it is; nil when the referee lost it.
---@field y number? Where it is; nil when the referee lost it.
---@field food number? What it carries or stores.
---@field health number? Dead at 0.
---@field max_health number? What it can be healed to.
---@field quantity number? Only of a source.

---@class WorldStep
---@field x number? From the left.
---@field y number? From the bottom.

---@class WorldTrip
---@field food string? The source.
---@field x number? Where it is.
---@field y number? Where it is.
---@field ticks integer? To the source, at it, and to the base.
---@field gain number? Food that is brought, with what is carried already.
---@field rate number? Gain for a tick.

---@class WorldSnake
---@field id string? The id of the player.
---@field mine boolean? Whether it is ours.
---@field alive boolean? Whether it lives.
---@field score number? Food eaten, minus 1 when dead.
---@field length integer? How many cells it has.
---@field head Cell? Its first cell.
---@field cells Cell[]? Its cells, head first.

---@class WorldDuel
---@field dir ("up" | "right" | "down" | "left")? The turn.
---@field worth number? The more, the better.

---@class WorldPosition
---@field fen string? The position.
---@field white boolean? Whether we are white.
---@field last_move string? The opponent's last move; nil before the first.

---@class WorldBestMove
---@field move string? In UCI notation.
---@field worth number? For us, in hundredths of a pawn; beyond 29000 for a forced mate.
---@field depth integer? Half-moves of the deepest search that was completed.
---@field nodes integer? Positions that were looked at.

---@class ActOrdersList
---@field action ("move" | "take_food" | "deposit_food" | "attack" | "heal" | "spawn")? What to do.
---@field actor string? The id of an own actor; not for spawn.
---@field x number? Of move: where to.
---@field y number? Of move: where to.
---@field target string? The id of the source (take_food), the base (deposit_food, heal, spawn) or the victim (attack).

---What an agent sees.
---@class Percept
---@field epoch integer? The tick, from 1.
---@field epochs integer? The last tick; nil where only the rules end the game.
---@field game ("food_catcher" | "cherry_picker" | "snake" | "chess" | "unknown")? Which game is played.
---@field id string? Our id.
---@field ids string[]? The ids of all players, in the order of their start.
---@field score number? Our current score.

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

---Orders nothing; a snake stays in place.
---@return Action
function act.nothing() end

---food_catcher and cherry_picker: one order for each own actor, and one spawn for each own base. Orders to the dead are left out.
---@param list ActOrdersList[] The orders.
---@return Action
function act.orders(list) end

---snake: the head goes there.
---@param dir ("up" | "right" | "down" | "left") Which way.
---@return Action
function act.turn(dir) end

---chess: one of the legal moves.
---@param move string In UCI notation: e2e4, e7e8q.
---@return Action
function act.play(move) end

---Queries answered natively from the team's joined map, for the agent that decides.
---@class WorldQueries
local queries = {}

---@class World: WorldQueries
world = {}

---The same queries for another agent of the team; also in `plan`, where no agent is deciding.
---@param name string
---@return WorldQueries
function world.of(name) end

---The numbers of the game, as the referee sent them.
---@return WorldRules?
function queries.rules() end

---All food.
---@return WorldFood[]?
function queries.foods() end

---The actors, oldest first.
---@param whose? ("mine" | "enemy" | "all") Whose things; all when left out.
---@return WorldActor[]?
function queries.actors(whose) end

---The bases.
---@param whose? ("mine" | "enemy" | "all") Whose things; all when left out.
---@return WorldActor[]?
function queries.bases(whose) end

---All that attacks killed so far.
---@param whose? ("mine" | "enemy" | "all") Whose things; all when left out.
---@return WorldActor[]?
function queries.dead(whose) end

---The source, actor or base of an id; nil when it is gone.
---@param id string Its id.
---@return WorldActor?
function queries.thing(id) end

---How far two points are apart.
---@param x number From the left.
---@param y number From the top in snake, else from the bottom.
---@param to_x number The other point.
---@param to_y number The other point.
---@return number?
function queries.distance(x, y, to_x, to_y) end

---How many moves bring an actor from one point into reach of another.
---@param x number From the left.
---@param y number From the top in snake, else from the bottom.
---@param to_x number The other point.
---@param to_y number The other point.
---@param reach? number How near is near enough; 0 when left out.
---@return integer?
function queries.ticks(x, y, to_x, to_y, reach) end

---What is nearest to a point; nil when there is none.
---@param kind ("food" | "actor" | "base") What to look for.
---@param x number From the left.
---@param y number From the top in snake, else from the bottom.
---@param whose? ("mine" | "enemy" | "all") Whose things; all when left out.
---@return WorldActor?
function queries.nearest(kind, x, y, whose) end

---Enemy actors that can hit a point after their next step.
---@param x number From the left.
---@param y number From the top in snake, else from the bottom.
---@return WorldActor[]?
function queries.threats(x, y) end

---The move that brings an actor nearest to a point without a collision, whatever enemies do; nil when standing still is best.
---@param actor string The id of the actor.
---@param x number From the left.
---@param y number From the top in snake, else from the bottom.
---@return WorldStep?
function queries.step(actor, x, y) end

---How near the nearest actor is to a point; nil when there is none.
---@param x number From the left.
---@param y number From the top in snake, else from the bottom.
---@param except? string An actor that does not count.
---@return number?
function queries.clearance(x, y, except) end

---Where an actor could gather, the best first: to the source, until it carries the load, to the nearest own base. At most 20.
---@param actor string The id of the actor.
---@param load? number When it goes home; 100 when left out.
---@return WorldTrip[]?
function queries.trips(actor, load) end

---All snakes, dead ones too.
---@return WorldSnake[]?
function queries.snakes() end

---What a turn of our snake leads to: a free cell, one that another head may enter too, or death.
---@param dir ("up" | "right" | "down" | "left") Which way.
---@return ("free" | "contested" | "deadly")?
function queries.safety(dir) end

---How many cells our snake could reach after a turn, tails moving on.
---@param dir ("up" | "right" | "down" | "left") Which way.
---@return integer?
function queries.room(dir) end

---What each turn of our snake is worth if the nearest rival plays against us: cells that we reach first, below 0 for a death that it can force. Turns into what is covered are left out; nil without a rival. On a crowded grid it looks less far ahead.
---@param ahead? integer Moves of both that it looks ahead; 10 when left out, and at most.
---@return WorldDuel[]?
function queries.duel(ahead) end

---The turns that bring our snake to a cell, tails moving on; nil when there is no way.
---@param x integer Column, from 0.
---@param y integer Row, from 0, downwards.
---@return ("up" | "right" | "down" | "left")[]?
function queries.path(x, y) end

---The game of chess.
---@return WorldPosition?
function queries.position() end

---The legal moves, in UCI notation.
---@return string[]?
function queries.moves() end

---The best move that an alpha-beta search finds; nil for a position that it cannot read. The same arguments give the same move.
---@param nodes? integer Positions that it looks at; 60000 when left out, 500000 at most.
---@param past? string[] Earlier positions of the game in FEN, the newest 1000; to come back to one counts as a draw.
---@return WorldBestMove?
function queries.best_move(nodes, past) end

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
