//! The kits that scripts of a game get: ways and fields on a torus, joined frames, assignment, graphs,
//! beliefs about others.

use super::{WORLD, roster, toy};
use phalanx_game::{AgentId, Game, Value, World, write_value};

/// What a query with this body answers, as scripts write it.
fn answer(body: &str) -> String {
    let manifest = super::MANIFEST.replace("returns = \"int\"", "returns = \"any\"");
    let world = WORLD.replace(
        "queries = { sum = function(self, agent) return self.sum end }",
        &format!("queries = {{ sum = function() {body} end }}"),
    );
    let game = toy(&[("game.toml", &manifest), ("world.luau", &world)]);
    match game.world(&roster()).query(AgentId(0), "sum", &[]) {
        Ok(value) => write_value(&value),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_way_goes_round_walls_and_across_the_edge() {
    let ask = "local found = kit.grid.path { from = { x = 1, y = 0 }, to = { x = 8, y = 0 },
        size = { width = 10, height = 10 }, cost = function(x, y) return if x == 0 and y < 9 then nil else 1 end }
        table.sort(found.steps)
        return table.concat(found.steps) .. ' ' .. found.cost .. ' ' .. tostring(found.complete)";
    assert_eq!(answer(ask), "\"nswww 5 true\"");
}

#[test]
fn a_load_turns_where_it_does_not_fit_through() {
    let ask = "local found = kit.grid.path { from = { x = 0, y = 0 }, to = { { x = 4, y = 0 } }, size = {},
        shape = { { x = 0, y = 1 } },
        cost = function(x, y) return if x > 1 and y ~= 0 then nil else 1 end }
        return table.concat(found.steps, ' ')";
    let way = answer(ask);
    assert!(way.contains("cw") && way.matches('e').count() == 4, "{way}");
}

#[test]
fn fields_name_the_cost_from_the_nearest_source() {
    let ask = "local field = kit.grid.field { sources = { { x = 0, y = 0 }, { x = 5, y = 5 } },
        size = { width = 20, height = 20 }, cost = function(x, y) return if y == 3 then nil else 1 end, limit = 9 }
        return { kit.grid.cost(field, 19, 0), kit.grid.cost(field, 5, 6), kit.grid.cost(field, 0, 3) or 'wall',
            kit.grid.cost(field, 12, 12) or 'too far' }";
    assert_eq!(answer(ask), "{ 1, 1, \"wall\", \"too far\" }");
}

#[test]
fn frames_are_joined_and_cells_named_in_their_head() {
    let ask = "local frames = {}
        local first = kit.grid.join(frames, 'a', 0, 0, 'b', 3, 0)
        local second = kit.grid.join(frames, 'b', 0, 0, 'c', 0, -2)
        local again = kit.grid.join(frames, 'c', 0, 0, 'a', 9, 9)
        local head, x, y = kit.grid.locate(frames, 'a', 1, 1)
        return { first, second, again, head, x, y }";
    assert_eq!(answer(ask), "{ true, true, false, \"c\", 4, -1 }");
}

#[test]
fn sight_distance_and_assignment() {
    let ask = "local size = { width = 10, height = 10 }
        local pairs = kit.grid.assign { { 1, 2 }, { 1, 9 }, { false, false } }
        return { #kit.grid.sight(size, { x = 0, y = 0 }, 2), #kit.grid.sight(size, { x = 0, y = 0 }, 2, 'square'),
            kit.grid.distance(size, { x = 1, y = 1 }, { x = 9, y = 2 }), pairs }";
    assert_eq!(answer(ask), "{ 13, 25, 3, { 2, 1, false } }");
}

#[test]
fn graphs_have_ways_centres_and_zones() {
    // Two triangles that one edge joins; the way over c and d is the only one.
    let ask = "local edges = { { 'a', 'b' }, { 'b', 'c', 4 }, { 'a', 'c' }, { 'c', 'd' }, { 'd', 'e' }, { 'd', 'f' }, { 'e', 'f' } }
        local way, cost = kit.graph.path(edges, 'b', 'e')
        local between = kit.graph.centrality(edges)
        local zones = kit.graph.zones(edges, { c = 'ours', d = 'theirs' })
        return { table.concat(way), cost, between.c, between.a, #zones, zones[1].vertices, zones[1].owners,
            kit.graph.path(edges, 'b', 'nowhere') or 'no way' }";
    assert_eq!(
        answer(ask),
        "{ \"bacde\", 4, 6, 0, 2, { \"a\", \"b\" }, { \"ours\" }, \"no way\" }"
    );
}

#[test]
fn others_may_be_where_they_could_have_gone_and_are_not_where_one_looked() {
    let ask = "local belief = {}
        local function ways(place) return { place - 1, place + 1 } end
        kit.tracker.seen(belief, 'foe', 5, 10)
        kit.tracker.advance(belief, 12, ways)
        local wide = #kit.tracker.where(belief, 'foe')
        kit.tracker.missed(belief, { 3, 4, 5 })
        local places, chance = kit.tracker.where(belief, 'foe')
        table.sort(places)
        kit.tracker.advance(belief, 5000, ways)
        return { wide, places, chance, kit.tracker.where(belief, 'foe') or 'lost', kit.tracker.where(belief, 'x') or 'unknown' }";
    assert_eq!(answer(ask), "{ 5, { 6, 7 }, 0.5, \"lost\", \"unknown\" }");
}

#[test]
fn kits_name_what_is_wrong_and_count_as_work() {
    for (ask, why) in [
        ("return kit.grid.path { from = 3 }", "kit.grid.path: from: expected a list of cells"),
        ("return kit.grid.field { sources = {}, size = 3 }", "kit.grid.field: size: expected"),
        (
            "return kit.grid.path { from = { x = 0, y = 0 }, to = {}, size = { width = 0 } }",
            "kit.grid.path: size: width is no size of a map",
        ),
        ("return kit.graph.centrality { 7 }", "kit.graph.centrality: edges: expected"),
        (
            "return kit.grid.path { from = { x = 0, y = 0 }, to = { x = 3, y = 0 }, size = {}, cost = function() error('no') end }",
            "world.luau:14: no",
        ),
        (
            "local edges = {} for n = 1, 3000 do edges[n] = { n, n + 1 } end
            while true do kit.graph.centrality(edges) end",
            "stopped after 2000000 steps",
        ),
    ] {
        let said = answer(ask);
        assert!(said.contains(why), "{ask}: {said}");
    }
}

#[test]
fn kits_cannot_be_changed_by_a_script() {
    for change in ["kit.grid.path = nil", "kit.new = 1", "kit.tracker = {}"] {
        assert!(answer(change).contains("readonly"), "{change}: {}", answer(change));
    }
    assert_eq!(answer("return nil"), write_value(&Value::Nil));
}
