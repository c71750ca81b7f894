---@meta
-- The script API of assemble for lua-language-server.
-- Generated from the declaration that the scripts are checked by: do not edit.

---What `decide` returns: made by the functions of `act`.
---@class Action

---@class Cell
---@field x integer
---@field y integer

---@class WorldHere
---@field x integer? East.
---@field y integer? South.
---@field group integer? The group whose coordinates these are.

---@class WorldSize
---@field width integer? Nil until it is found out.
---@field height integer? Nil until it is found out.

---@class WorldSim
---@field step integer? The step now.
---@field steps integer? Steps of the simulation; nil when no start message came.
---@field team string? The team's name as entities show it.
---@field team_size integer? Agents of the team in this simulation.
---@field vision integer? How far an agent sees.

---@class WorldCell
---@field terrain ("empty" | "goal" | "obstacle")? The ground.
---@field dispenser string? The type of the dispenser there.
---@field taskboard boolean? Whether a task board is there.
---@field block string? The type of the block that was there.
---@field held boolean? Whether it hung on anybody.
---@field mine boolean? Whether a part of the asking agent's structure is there now.
---@field entity ("own" | "enemy")? Who stood there.
---@field marker ("clear" | "ci" | "cp")? The announced clear.
---@field seen integer? The step in which all this was seen.

---@class WorldFind
---@field x integer? East.
---@field y integer? South.
---@field distance integer? find: as the crow flies; nearest: cost of walking.
---@field details string? The type of a dispenser or block.
---@field seen integer? The step in which it was seen last.

---@class WorldClosest
---@field x integer? East.
---@field y integer? South.
---@field distance integer? Cost of walking there.
---@field index integer? Its place in the given list, from 1.

---@class WorldPath
---@field action ("move" | "rotate" | "clear")? What to do now; nil when the way is done.
---@field dir string? n, s, e, w to move; cw, ccw to rotate; with clear the way behind the obstacle.
---@field x integer? With clear: where to aim, relative to the agent.
---@field y integer? With clear: where to aim, relative to the agent.
---@field length integer? Moves and turns of the whole way.
---@field cost integer? Its price: unknown cells, crowds, announced clears and digging cost more than 1.
---@field complete boolean? Whether it leads all the way; otherwise as near as was found.
---@field cells Cell[]? Where the agent is after each step, when asked for.

---@class WorldPathOptions
---@field range integer? The way may end this far from the target; 0 when left out.
---@field min integer? It must not end nearer than this: range 1 and min 1 end beside it.
---@field turns integer? Quarter turns clockwise from now that the structure must have at the end.
---@field dig boolean? May go through obstacles by clearing them, given the energy.
---@field avoid Cell[]? Cells that no part may enter.
---@field cells boolean? Answer with all cells of the way.

---@class WorldExplore
---@field action ("move" | "rotate" | "clear")? What to do now.
---@field dir string? As for path.
---@field x integer? With clear: where to aim, relative to the agent.
---@field y integer? With clear: where to aim, relative to the agent.
---@field length integer? As for path.
---@field cost integer? As for path.
---@field complete boolean? As for path.
---@field target Cell? The cell to look from.
---@field distance integer? Cost of walking there.
---@field stale boolean? Everything is known; this is the corner seen longest ago.

---@class WorldExploreOptions
---@field taken Cell[]? Targets of other explorers, to keep away from.
---@field dig boolean? As for path.

---@class WorldSite
---@field x integer? East.
---@field y integer? South.
---@field distance integer? Cost of walking there.
---@field free integer? Cells within the radius that are known to be free.

---@class WorldAgent
---@field name string? Its name.
---@field x integer? East, in the asking agent's coordinates.
---@field y integer? South.
---@field distance integer? As the crow flies.
---@field carrying string[]? Types of the blocks of its structure.
---@field energy integer? Its energy.
---@field task string? The task that it has accepted.
---@field disabled boolean? Its action of this step will fail.
---@field seen integer? The step of its last percept.

---@class WorldAttached
---@field x integer? Relative to the agent.
---@field y integer? Relative to the agent.
---@field kind ("block" | "agent")? What hangs there.
---@field type string? The block's type or the agent's name.
---@field direct boolean? Linked to the agent itself.

---@class WorldTask
---@field name string? What accept and submit want.
---@field deadline integer? The last step in which it can be delivered.
---@field reward integer? What a delivery in this step earns.
---@field size integer? Blocks.
---@field age integer? Steps since it appeared.
---@field requirements WorldTaskRequirement[]? Relative to the deliverer; each hangs on an earlier one or, the first, on the agent.

---@class WorldTaskRequirement
---@field x integer? Relative to the agent.
---@field y integer? Relative to the agent.
---@field type string? The block's type.

---@class WorldFit
---@field complete boolean? Nothing is missing (after the turns).
---@field turns integer? Quarter turns clockwise to the best fit.
---@field rotate ("cw" | "ccw")? The turn to make now; nil when none.
---@field matched integer? Required blocks in place.
---@field extra integer? Attached blocks that are not required.
---@field missing WorldTaskRequirement[]? Required blocks not in place, after the turns.

---@class PerceptThing
---@field x integer? Relative to the agent.
---@field y integer? Relative to the agent.
---@field type string? entity, block, dispenser, taskboard, marker, or a word not known yet.
---@field details string? Team of an entity, type of a block or dispenser, kind of a marker.

---@class PerceptTerrain
---@field goal Cell[]? Goal cells in sight, relative.
---@field obstacle Cell[]? Obstacles in sight, relative.

---@class PerceptTask
---@field name string? What accept and submit want.
---@field deadline integer? The last step in which it can be delivered.
---@field reward integer? What a delivery in this step earns.
---@field requirements WorldTaskRequirement[]? Which block where.

---What an agent sees.
---@class Percept
---@field step integer? The step, from 0.
---@field score integer? The team's score.
---@field last_action string? The last action by the referee's name; no_action when none came in time.
---@field last_result string? success, failed, failed_random, failed_path and so on; empty in step 0.
---@field last_params string[]? The last action's parameters.
---@field energy integer? For clear; up to 300, one more a step.
---@field disabled boolean? This step's action will fail.
---@field task string? The task accepted last, also when it is gone by now (see world.task); nil when there was none.
---@field attached Cell[]? Things in sight that hang on ANY agent of any team; see world.attached for one's own.
---@field things PerceptThing[]? Everything in sight, oneself included.
---@field terrain PerceptTerrain? Cells in sight that are not plain.
---@field tasks PerceptTask[]? Tasks that are not completed, expired ones included; see world.tasks.

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

---Does nothing; always succeeds.
---@return Action
function act.skip() end

---Goes one cell with everything attached. Fails (failed_path) when any target cell is taken.
---@param dir ("n" | "s" | "e" | "w") Which side.
---@return Action
function act.move(dir) end

---Takes hold of the block or team mate on that side. At most ten things hang together.
---@param dir ("n" | "s" | "e" | "w") Which side.
---@return Action
function act.attach(dir) end

---Lets go of the thing on that side.
---@param dir ("n" | "s" | "e" | "w") Which side.
---@return Action
function act.detach(dir) end

---Turns everything attached a quarter about the agent. Fails when a target cell is taken or another agent is attached.
---@param turn ("cw" | "ccw") Clockwise or counter-clockwise.
---@return Action
function act.rotate(turn) end

---Links one's own block with a neighbouring block of a partner who connects in the same step.
---@param agent string The partner.
---@param x integer One's own block, relative to oneself.
---@param y integer One's own block, relative to oneself.
---@return Action
function act.connect(agent, x, y) end

---Cuts the link between two attached things of one's own structure.
---@param x1 integer One end, relative to oneself.
---@param y1 integer One end, relative to oneself.
---@param x2 integer The other end, relative to oneself.
---@param y2 integer The other end, relative to oneself.
---@return Action
function act.disconnect(x1, y1, x2, y2) end

---Makes the dispenser on that side put a block on its cell; the block is not attached yet.
---@param dir ("n" | "s" | "e" | "w") Which side.
---@return Action
function act.request(dir) end

---Delivers the accepted task: on a goal cell, with the required blocks in place.
---@param task string The task's name.
---@return Action
function act.submit(task) end

---Clears the cell and its four neighbours when done three times in a row; costs 30 energy then. Digs obstacles, destroys blocks, disables agents.
---@param x integer The cell, relative to oneself, at most five steps away.
---@param y integer The cell, relative to oneself, at most five steps away.
---@return Action
function act.clear(x, y) end

---Accepts a task, within two cells of a task board; replaces the one accepted before.
---@param task string The task's name.
---@return Action
function act.accept(task) end

---Queries answered natively from the team's joined map, for the agent that decides.
---@class WorldQueries
local queries = {}

---@class World: WorldQueries
world = {}

---The same queries for another agent of the team; also in `plan`, where no agent is deciding.
---@param name string
---@return WorldQueries
function world.of(name) end

---Where the agent is.
---@return WorldHere?
function queries.here() end

---The number of the agent's group; it changes when groups join.
---@return integer?
function queries.group() end

---Names a cell noted down under an older group number in today's coordinates; nil when that group is not the agent's.
---@param x integer East, in the group's coordinates.
---@param y integer South, in the group's coordinates.
---@param group integer The group number of that time.
---@return Cell?
function queries.rebase(x, y, group) end

---The torus as far as it is known.
---@return WorldSize?
function queries.size() end

---The simulation.
---@return WorldSim?
function queries.sim() end

---What is known of a cell; nil when no agent of the group has seen it.
---@param x integer East, in the group's coordinates.
---@param y integer South, in the group's coordinates.
---@return WorldCell?
function queries.cell(x, y) end

---All known things of a kind, the nearest as the crow flies first.
---@param kind ("dispenser" | "taskboard" | "goal" | "block" | "enemy" | "obstacle" | "frontier") What to look for; block means one that hangs on no agent, frontier a known cell beside an unknown one.
---@param detail? string Only dispensers or blocks of this type.
---@param limit? integer 64 when left out.
---@return WorldFind[]?
function queries.find(kind, detail, limit) end

---The thing of a kind that costs least to walk to; nil when none is reachable.
---@param kind ("dispenser" | "taskboard" | "goal" | "block" | "enemy" | "obstacle" | "frontier") What to look for; block means one that hangs on no agent, frontier a known cell beside an unknown one.
---@param detail? string Only dispensers or blocks of this type.
---@return WorldFind?
function queries.nearest(kind, detail) end

---Whether something can stand on the cell now, as far as is known.
---@param x integer East, in the group's coordinates.
---@param y integer South, in the group's coordinates.
---@return boolean?
function queries.free(x, y) end

---The marker on a cell that is in sight now: ci, clear, cp or nil.
---@param x integer East, in the group's coordinates.
---@param y integer South, in the group's coordinates.
---@return ("clear" | "ci" | "cp")?
function queries.danger(x, y) end

---Steps that are left at least before an announced clear hits the cell; nil without one in sight. With 1, only the action of this step is left.
---@param x integer East, in the group's coordinates.
---@param y integer South, in the group's coordinates.
---@return integer?
function queries.hit_in(x, y) end

---The same for the agent with all that hangs on it: the soonest of its cells.
---@return integer?
function queries.body_hit_in() end

---The cell relative to the agent, the shortest way round: what act.clear and act.connect want.
---@param x integer East, in the group's coordinates.
---@param y integer South, in the group's coordinates.
---@return Cell?
function queries.offset(x, y) end

---Cost of walking to a cell (or beside it when it is taken); nil when unreachable.
---@param x integer East, in the group's coordinates.
---@param y integer South, in the group's coordinates.
---@return integer?
function queries.distance(x, y) end

---Cost of walking to each of the cells; -1 when unreachable.
---@param cells Cell[] At most 1024 cells.
---@return integer[]?
function queries.distances(cells) end

---Cost of walking from one cell to each of the cells for any agent at any time: agents and held blocks do not count; -1 when unreachable.
---@param x integer East, in the group's coordinates.
---@param y integer South, in the group's coordinates.
---@param cells Cell[] At most 1024 cells.
---@return integer[]?
function queries.between(x, y, cells) end

---The one of the cells that costs least to walk to.
---@param cells Cell[] At most 1024 cells.
---@return WorldClosest?
function queries.closest(cells) end

---The cheapest way for the agent with all that hangs on it, turns included; nil when there is no step nearer.
---@param x integer East, in the group's coordinates.
---@param y integer South, in the group's coordinates.
---@param options? WorldPathOptions How to go.
---@return WorldPath?
function queries.path(x, y, options) end

---The cheapest way to any of the cells (the 32 nearest count).
---@param cells Cell[] At most 1024 cells.
---@param options? WorldPathOptions How to go.
---@return WorldPath?
function queries.path_any(cells, options) end

---The cheapest way on which the agent and all that hangs on it leave every announced clear; nil when there is no step.
---@return WorldPath?
function queries.shelter() end

---Where to look next and the first step there.
---@param options? WorldExploreOptions How to go.
---@return WorldExplore?
function queries.explore(options) end

---Where to aim (relative) so that the obstacle on the cell goes and nothing of the team's is hit; nil when impossible from here.
---@param x integer East, in the group's coordinates.
---@param y integer South, in the group's coordinates.
---@return Cell?
function queries.dig(x, y) end

---Whether a move would find all its cells free.
---@param dir ("n" | "s" | "e" | "w") Which way.
---@return boolean?
function queries.can_move(dir) end

---Whether a turn would find all its cells free and no other agent attached.
---@param turn ("cw" | "ccw") Which way.
---@return boolean?
function queries.can_rotate(turn) end

---Free goal cells, those with the most free cells around first: where to assemble.
---@param radius? integer Of the surroundings; 3 when left out.
---@param limit? integer 16 when left out.
---@return WorldSite[]?
function queries.sites(radius, limit) end

---All agents of the group, the asking one included, in roster order.
---@return WorldAgent[]?
function queries.agents() end

---An agent of the team; nil when it is of another group.
---@param agent string Its name.
---@return WorldAgent?
function queries.mate(agent) end

---What hangs on the agent, and only that.
---@return WorldAttached[]?
function queries.attached() end

---Whether two cells are linked directly (relative; 0, 0 is the agent): parts of the agent's structure, or loose blocks that are known to be linked.
---@param x1 integer Relative.
---@param y1 integer Relative.
---@param x2 integer Relative.
---@param y2 integer Relative.
---@return boolean?
function queries.linked(x1, y1, x2, y2) end

---Tasks that can still be delivered, the nearest deadline first.
---@return WorldTask[]?
function queries.tasks() end

---The active task of that name; nil when it is gone.
---@param name string Its name.
---@return WorldTask?
function queries.task(name) end

---How well the agent's structure fits a task, in the best of its four orientations; nil when the task is not active any more.
---@param task any The name of a task, or a list of {x=, y=, type=}.
---@return WorldFit?
function queries.fit(task) end

---Pairs rows with columns at the least sum of costs: for each row its column from 1, 0 for none.
---@param costs any[][] A row of numbers each; false forbids a pair; at most 128 by 128.
---@return integer[]?
function queries.assign(costs) end

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
