---@meta
-- The script API of mars for lua-language-server.
-- Generated from the declaration that the scripts are checked by: do not edit.

---What `decide` returns: made by the functions of `act`.
---@class Action

---@class Cell
---@field x integer
---@field y integer

---@class WorldSim
---@field step integer? The step now.
---@field steps integer? Steps of the simulation; nil when no start message came.
---@field team string? The team's name as entities show it.
---@field role ("Explorer" | "Repairer" | "Saboteur" | "Sentinel" | "Inspector")? The agent's role; nil when no start message came.
---@field vertices integer? Vertices of the map; nil when no start message came.
---@field edges integer? Edges of the map; nil when no start message came.
---@field known_vertices integer? Vertices seen so far.
---@field known_edges integer? Edges seen so far.
---@field probed integer? Vertices whose value is known.
---@field surveyed integer? Edges whose weight is known.
---@field worth integer? What all known vertices are worth together, unprobed ones as 1.

---@class WorldVertex
---@field name string? Its name.
---@field value integer? Its value; nil until it is probed.
---@field owner ("own" | "enemy" | "none")? Who owned it when it was seen last; nil when that was never seen.
---@field complete boolean? All its edges are known.
---@field surveyed boolean? All its edges are known with their weights.
---@field degree integer? Its known edges.
---@field seen integer? The step in which its owner was seen last.
---@field watched integer? The step in which an agent saw last who stood there.

---@class WorldNeighbour
---@field name string? The neighbour.
---@field weight integer? Energy that it costs to go there; nil until it is surveyed.
---@field value integer? The neighbour's value; nil until it is probed.
---@field owner ("own" | "enemy" | "none")? Who owned the neighbour when it was seen last.

---@class WorldFind
---@field name string? The vertex.
---@field steps integer? Edges of the way that takes the least time.
---@field energy integer? Its energy; 5 for each edge of unknown weight.
---@field time number? Steps with the recharging that the way needs.
---@field value integer? Its value; nil until it is probed.
---@field owner ("own" | "enemy" | "none")? Who owned it when it was seen last.

---@class WorldPath
---@field next string? Where to go now; nil when the way is done.
---@field weight integer? Energy of that edge; nil until it is surveyed.
---@field steps integer? Edges of the whole way.
---@field energy integer? Energy of the whole way; 5 for each edge of unknown weight.
---@field cost number? What was to be saved, in its unit.
---@field vertices string[]? The way without its start, when asked for.

---@class WorldPathOptions
---@field by ("time" | "steps" | "energy")? What is to be saved; time, which counts recharging, when left out.
---@field avoid string[]? Vertices that must not be entered.
---@field vertices boolean? Answer with all vertices of the way.

---@class WorldClosest
---@field name string? The vertex.
---@field index integer? Its place in the given list, from 1.
---@field steps integer? Edges of the way that takes the least time.
---@field energy integer? Its energy.
---@field time number? Steps with the recharging that the way needs.

---@class WorldCut
---@field name string? The vertex without which the known graph falls apart.
---@field behind integer? Vertices of all parts but the largest.
---@field worth integer? What those are worth together.

---@class WorldTeam
---@field name string? The team's name as entities show it.
---@field money integer? Money now.
---@field score integer? Score now.
---@field last_step_score integer? What the last step added: zones and money.
---@field zones_score integer? What all zones are worth.
---@field achievements string[]? All that were gained in this simulation.

---@class WorldAgent
---@field name string? Its name.
---@field role ("Explorer" | "Repairer" | "Saboteur" | "Sentinel" | "Inspector")? Its role; nil when no start message came.
---@field vertex string? Where it is.
---@field health integer? Its health.
---@field max_health integer? Its most health.
---@field energy integer? Its energy.
---@field max_energy integer? Its most energy.
---@field strength integer? Damage of its attacks.
---@field vis_range integer? How far it sees.
---@field disabled boolean? Its health is 0.
---@field last_action string? Its last action by the referee's name.
---@field last_result string? How that went.
---@field seen integer? The step of its last percept.

---@class WorldEnemie
---@field name string? Its name.
---@field team string? Its team.
---@field vertex string? Where it was seen last.
---@field seen integer? The step of that.
---@field gone boolean? Somebody looked there since and did not find it.
---@field disabled boolean? It was disabled when it was seen last.
---@field role ("Explorer" | "Repairer" | "Saboteur" | "Sentinel" | "Inspector")? Its role; nil until it is inspected.
---@field guess ("Explorer" | "Repairer" | "Saboteur" | "Sentinel" | "Inspector")? Its role, or what the number at the end of its name suggests: accounts of both teams have their roles in the same order.
---@field inspected integer? The step of its last inspection; what follows was true then.
---@field health integer? Its health.
---@field max_health integer? Its most health.
---@field energy integer? Its energy.
---@field max_energy integer? Its most energy.
---@field strength integer? Damage of its attacks.
---@field vis_range integer? How far it sees.

---@class WorldEnemiesOptions
---@field fresh integer? Only those seen in that many steps up to now.
---@field known boolean? Only those whose place is believed in.

---@class WorldThreat
---@field here string[]? Enemies there that may attack: inspected saboteurs and who may be one.
---@field near string[]? Such enemies on neighbouring vertices.
---@field damage integer? Damage that those there can do in a step.
---@field damage_near integer? Damage that those near can do in the step after.

---@class WorldZones
---@field value integer? What all our zones are worth together.
---@field lead integer? By how much they outweigh the enemy's, as far as we have probed.
---@field best integer? What the best of them is worth.
---@field own integer? Vertices that we own.
---@field enemy integer? Vertices that the enemy owns.
---@field zones WorldZonesZone[]? Each zone, when asked for.

---@class WorldZonesZone
---@field value integer? What it is worth in a step.
---@field vertices string[]? Its vertices.

---@class WorldZonesOptions
---@field enemies string[]? Vertices with an enabled enemy each; where they are believed to be when left out.
---@field vertices boolean? Answer with the vertices of each zone.

---@class WorldMove
---@field name string? The own vertex (first) or a neighbour.
---@field weight integer? Energy that it costs to go there; nil until it is surveyed.
---@field value integer? What all our zones are worth with the agent there.

---@class WorldMovesOptions
---@field others string[]? Where the others will stand; where they stand when left out.
---@field enemies string[]? As for zones.

---@class WorldHolding
---@field name string? The agent.
---@field vertex string? Where it is.
---@field loss integer? What our zones lose without it.

---@class WorldPrey
---@field name string? The enemy.
---@field vertex string? Where it is believed to stand.
---@field gain integer? What our zones would gain and the enemy's lose without it, as far as we have probed.

---@class WorldBestZone
---@field value integer? What all our zones are worth then; with against, by how much they outweigh the enemy's.
---@field vertices string[]? Where the agents stand, the best place first.
---@field missing integer? Agents that were not placed, since the effort or the vertices were too few.
---@field spent integer? Placements that were tried.

---@class WorldBestZoneOptions
---@field fixed string[]? Vertices where own agents stand besides; the zone grows from them.
---@field within string[]? Only these vertices; all when left out.
---@field enemies string[]? As for zones.
---@field against boolean? Count what the enemy loses as well; agents may then stand in its midst.
---@field effort integer? Placements to try; 3000 when left out, which takes some hundredths of a second.

---@class PerceptVertice
---@field name string? Its name.
---@field team string? The team that owns it; nil when none does.

---@class PerceptEdge
---@field a string? One end.
---@field b string? The other end.

---@class PerceptEntitie
---@field name string? Its name.
---@field team string? Its team's name.
---@field vertex string? Where it is.
---@field disabled boolean? Its health is 0.

---@class PerceptProbed
---@field name string? The vertex.
---@field value integer? What it is worth, 1 to 10.

---@class PerceptSurveyed
---@field a string? One end.
---@field b string? The other end.
---@field weight integer? Energy that it costs, 1 to 9.

---@class PerceptInspected
---@field name string? Its name.
---@field team string? Its team's name.
---@field vertex string? Where it is.
---@field role ("Explorer" | "Repairer" | "Saboteur" | "Sentinel" | "Inspector")? Its role.
---@field energy integer? Energy now.
---@field max_energy integer? Most energy.
---@field health integer? Health now.
---@field max_health integer? Most health.
---@field strength integer? Damage of its attacks.
---@field vis_range integer? How far it sees.

---What an agent sees.
---@class Percept
---@field step integer? The step, from 0.
---@field position string? The vertex where the agent is.
---@field energy integer? Energy now.
---@field max_energy integer? Most energy while enabled.
---@field max_energy_disabled integer? Most energy while disabled.
---@field health integer? Health now.
---@field max_health integer? Most health.
---@field disabled boolean? Health is 0: only skip, goto, recharge and repair work.
---@field strength integer? Damage of an attack.
---@field vis_range integer? How far it sees, in edges.
---@field zone_score integer? Value of the zone in which the agent is; 0 in none.
---@field last_action string? The last action by the referee's name; noAction when none came in time.
---@field last_param string? Its parameter; null in step 0.
---@field last_result string? successful, useless, failed, failed_random, failed_resources, failed_attacked, failed_parried, failed_away, failed_role, failed_status, failed_wrong_param, failed_limit.
---@field money integer? The team's money.
---@field score integer? The team's score.
---@field last_step_score integer? What the last step added to it: zones and money.
---@field zones_score integer? What the team's zones are worth.
---@field achievements string[]? Gained in the last step; see world.team for all.
---@field vertices PerceptVertice[]? Vertices in sight and in the own zone.
---@field edges PerceptEdge[]? Edges in sight and in the own zone.
---@field entities PerceptEntitie[]? Agents in sight, oneself included.
---@field probed PerceptProbed[]? What a probe of the last step found.
---@field surveyed PerceptSurveyed[]? What a survey of the last step found.
---@field inspected PerceptInspected[]? What an inspection of the last step found.

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

---Regains half of the most energy (30 % while disabled); fails when attacked in this step.
---@return Action
function act.recharge() end

---Goes to a neighbouring vertex for as much energy as the edge weighs; costs 1 when it fails.
---@param vertex string The neighbour's name.
---@return Action
function act.goto(vertex) end

---Tells the value of the own vertex, which counts fully for the team from then on. Explorers; costs 1.
---@return Action
function act.probe() end

---Tells the weights of all edges of the own vertex. Costs 1.
---@return Action
function act.survey() end

---Tells the internals of enemies on the own and on neighbouring vertices. Inspectors; costs 2.
---@return Action
function act.inspect() end

---Hurts an agent on the own vertex by the attacker's strength. Saboteurs; costs 2.
---@param agent string The victim's name.
---@return Action
function act.attack(agent) end

---Wards off all attacks of this step. Repairers, saboteurs, sentinels; costs 2.
---@return Action
function act.parry() end

---Gives another agent on the own vertex its full health. Repairers, also disabled ones; costs 2, or 3 while disabled.
---@param agent string The name of the agent to repair.
---@return Action
function act.repair(agent) end

---Buys an upgrade for 2 money and 2 energy. Money that is kept counts in every step.
---@param item ("battery" | "sensor" | "shield" | "sabotageDevice") battery: 2 more energy; sensor: 1 more range; shield: 1 more health; sabotageDevice: 1 more strength, saboteurs only.
---@return Action
function act.buy(item) end

---Queries answered natively from the team's joined map, for the agent that decides.
---@class WorldQueries
local queries = {}

---@class World: WorldQueries
world = {}

---The same queries for another agent of the team; also in `plan`, where no agent is deciding.
---@param name string
---@return WorldQueries
function world.of(name) end

---The name of the vertex where the agent is.
---@return string?
function queries.here() end

---The simulation, and how much of it is known.
---@return WorldSim?
function queries.sim() end

---What is known of a vertex; nil when no agent has seen it.
---@param vertex? string Where; the agent's own vertex when left out.
---@return WorldVertex?
function queries.vertex(vertex) end

---The known edges of a vertex.
---@param vertex? string Where; the agent's own vertex when left out.
---@return WorldNeighbour[]?
function queries.neighbours(vertex) end

---Reachable vertices of a kind, those in the least time first.
---@param kind ("unprobed" | "unsurveyed" | "frontier" | "own" | "enemy" | "free" | "any") What to look for. frontier: vertices that may have unknown neighbours; own, enemy, free: by owner.
---@param most? integer Answers at most; 32 when left out.
---@return WorldFind[]?
function queries.find(kind, most) end

---The first of find; nil when there is none.
---@param kind ("unprobed" | "unsurveyed" | "frontier" | "own" | "enemy" | "free" | "any") What to look for. frontier: vertices that may have unknown neighbours; own, enemy, free: by owner.
---@return WorldFind?
function queries.nearest(kind) end

---The best known way from the agent to a vertex; nil when there is none.
---@param to string Where to.
---@param options? WorldPathOptions How.
---@return WorldPath?
function queries.path(to, options) end

---Edges between two vertices; nil when no way is known.
---@param vertex string Which vertex.
---@param from? string From where; the agent's own vertex when left out.
---@return integer?
function queries.distance(vertex, from) end

---The vertex of a list that the agent reaches in the least time; nil when it reaches none.
---@param vertices string[] The list.
---@return WorldClosest?
function queries.closest(vertices) end

---Vertices that hold parts of the known graph together, most worth behind them first: an agent there owns what lies behind while no enemy is in it.
---@param most? integer Answers at most; 32 when left out.
---@return WorldCut[]?
function queries.cuts(most) end

---Score, money and achievements of the team.
---@return WorldTeam?
function queries.team() end

---All agents of the team that have perceived anything, the asking one included.
---@return WorldAgent[]?
function queries.agents() end

---One agent of the team; nil before its first percept.
---@param agent string Whom.
---@return WorldAgent?
function queries.mate(agent) end

---All enemies that were ever seen, by name.
---@param options? WorldEnemiesOptions Which.
---@return WorldEnemie[]?
function queries.enemies(options) end

---One enemy; nil when it was never seen.
---@param name string Whom.
---@return WorldEnemie?
function queries.enemy(name) end

---Enemies that may attack on a vertex now or next, seen in the last ten steps.
---@param vertex? string Where; the agent's own vertex when left out.
---@return WorldThreat?
function queries.threat(vertex) end

---The cheapest pairing of takers with jobs: for each taker the number of its job, 0 for none.
---@param costs any[][] A list of takers, each a list of costs of the jobs; false forbids a pair.
---@return integer[]?
function queries.assign(costs) end

---Sends agents to vertices, one to each, so that all ways together are the shortest: a table from agent to vertex.
---@param agents string[] At most 128 agents.
---@param vertices string[] At most 128 vertices, the same one more than once for more agents.
---@param by? ("time" | "steps" | "energy") What is to be saved; time when left out.
---@return any
function queries.deploy(agents, vertices, by) end

---The rules' colouring of any placement of enabled agents, with what we have probed.
---@param own? string[] A vertex for each own agent; where they stand when left out.
---@param options? WorldZonesOptions How.
---@return WorldZones?
function queries.zones(own, options) end

---What our zones are worth if the agent stays or goes to a neighbour.
---@param options? WorldMovesOptions How.
---@return WorldMove[]?
function queries.moves(options) end

---What each own agent's place is worth now.
---@return WorldHolding[]?
function queries.holding() end

---What it is worth in a step to disable each enemy whose place is believed in.
---@return WorldPrey[]?
function queries.prey() end

---Where a number of agents should stand so that our zones are worth most: a search that tries a limited number of placements.
---@param count integer How many agents, at most 64.
---@param options? WorldBestZoneOptions How.
---@return WorldBestZone?
function queries.best_zone(count, options) end

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
