//! What scripts see, call and get back.

use crate::stage::{SKIP, Stage};
use phalanx_engine::{BrainErrorKind, LogLevel};
use phalanx_game::{AgentId, Said, Value};
use rstest::rstest;

/// Each script is the body of a worker's `decide`, asked for `a1` in the first turn.
#[rstest]
#[case::an_action_without_arguments("return act.skip()", "skip()")]
#[case::a_word("return act.move('north')", "move(\"north\")")]
#[case::a_cell("return act['goto'](world.here(), 2)", "goto({2 values}, 2)")]
#[case::an_absent_option_in_the_middle(
    "return act['goto']({x=1,y=2}, nil, 0.5)",
    "goto({2 values}, nil, 0.5)"
)]
#[case::a_kept_action("skip = skip or act.skip() return skip", "skip()")]
#[case::me(
    "assert(me.name == 'a1' and me.role == 'worker' and me.turn == 0 and me.round == 0 and me.tick == 1) return act.skip()",
    "skip()"
)]
#[case::time_left_with_a_dot_or_a_colon(
    "assert(me.time_left() > 0 and me:time_left() <= 10) return act.skip()",
    "skip()"
)]
#[case::a_percept_field("assert(me.percept.energy == 100) return act.skip()", "skip()")]
#[case::an_absent_percept_field("assert(me.percept.task == nil) return act.skip()", "skip()")]
#[case::a_list_in_a_percept(
    "assert(#me.percept.things == 3 and me.percept.things[2].x == 2) return act.skip()",
    "skip()"
)]
#[case::a_walk_over_the_percept(
    "local n = 0 for k in me.percept do n += 1 end assert(n == 2, n) return act.skip()",
    "skip()"
)]
#[case::a_query("assert(world.here().y == 10) return act.skip()", "skip()")]
#[case::a_query_for_another("assert(world.of('a3').here().y == 12) return act.skip()", "skip()")]
#[case::percepts_of_others("assert(team.percept('a2').energy == 99) return act.skip()", "skip()")]
#[case::the_least_cost(
    "local w = team.assign({{1, 2}, {1, 9}}) assert(w[1] == 2 and w[2] == 1) return act.skip()",
    "skip()"
)]
#[case::texts_have_no_addresses(
    "assert(tostring({}) == 'table' and `{print}` == 'function' and string.format('%s %d', {}, 3) == 'table 3') return act.skip()",
    "skip()"
)]
#[case::an_action_has_a_text(
    "assert(tostring(act.move('east')) == 'move(\"east\")') return act.skip()",
    "skip()"
)]
#[case::a_list_is_sorted(
    "local t = {'b', 'a', 'c'} table.sort(t) assert(table.concat(t) == 'abc') return act.skip()",
    "skip()"
)]
#[case::numbers_are_sorted_downwards(
    "local t = {1, 3, 2} table.sort(t, function(a, b) return a > b end) assert(t[1] == 3) return act.skip()",
    "skip()"
)]
#[case::find_gives_captures(
    "local a, b, c = string.find('x=12', '(%d)') assert(a == 3 and b == 3 and c == '1') return act.skip()",
    "skip()"
)]
#[case::a_coroutine_yields_through_pcall(
    "local c = coroutine.wrap(function() assert(pcall(function() coroutine.yield(1) end)) return 2 end) local a = c() local b = c() assert(a == 1 and b == 2, `{a} {b}`) return act.skip()",
    "skip()"
)]
#[case::an_error_is_a_text_with_its_line(
    "local ok, e = pcall(act.move, 1) assert(not ok and type(e) == 'string') return act.skip()",
    "skip()"
)]
fn a_script_gets_what_the_api_promises(#[case] body: &str, #[case] want: &str) {
    assert_eq!(Stage::worker(body).say(0), want);
}

/// The body is line 2 of `worker.luau`.
#[rstest]
#[case::a_wrong_word(
    "return act.move('nort')",
    r#"Script worker.luau:2: act.move: parameter 'direction': expected one of north, south, east, west, got "nort"; did you mean "north"?"#
)]
#[case::a_missing_argument(
    "return act.move()",
    "Script worker.luau:2: act.move: parameter 'direction': expected one of north, south, east, west, got nothing"
)]
#[case::too_many_arguments(
    "return act.skip(1)",
    "Script worker.luau:2: act.skip: takes 0 arguments, got 1"
)]
#[case::a_colon_for_a_dot(
    "return act:skip()",
    "Script worker.luau:2: act.skip: takes 0 arguments, got 1; call it with a dot: act.skip(…)"
)]
#[case::out_of_range(
    "return act['goto']({x=1,y=2}, 4)",
    "Script worker.luau:2: act.goto: parameter 'speed': expected a whole number from 1 to 3, got 4"
)]
#[case::nan(
    "return act['goto']({x=0/0,y=2})",
    "Script worker.luau:2: act.goto: parameter 'cell': expected a cell like { x = 1, y = 2 }, got a table without whole numbers x and y"
)]
#[case::not_finite(
    "return act['goto']({x=1,y=2}, 1, 0/0)",
    "Script worker.luau:2: act.goto: parameter 'risk': expected a finite number, got NaN"
)]
#[case::a_stranger(
    "return act.give('b1', {})",
    r#"Script worker.luau:2: act.give: parameter 'to': expected the name of an agent of the own team, got "b1""#
)]
#[case::an_unknown_field(
    "return act.give('a2', {kind='b', cuont=1})",
    r#"Script worker.luau:2: act.give: parameter 'cargo': unknown field "cuont"; there are kind, count"#
)]
#[case::a_wrong_item(
    "return act.sing({1, 2, 8})",
    "Script worker.luau:2: act.sing: parameter 'notes': item 3: expected a whole number from 1 to 7, got 8"
)]
#[case::nil_returned(
    "return nil",
    "Answer worker.luau:1: decide returned nil; it returns an action, for example act.skip()"
)]
#[case::a_text_returned(
    "return 'skip'",
    "Answer worker.luau:1: decide returned \"skip\"; it returns an action, for example act.skip()"
)]
#[case::a_constructor_returned(
    "return act.skip",
    "Answer worker.luau:1: decide returned a function; it returns an action, for example act.skip()"
)]
#[case::an_unknown_action(
    "return act.fly()",
    "Script worker.luau:2: act.fly: there is no such action"
)]
#[case::a_misspelt_action(
    "return act.mvoe('north')",
    "Script worker.luau:2: act.mvoe: there is no such action; did you mean 'move'?"
)]
#[case::a_misspelt_query(
    "return world.nera(1)",
    "Script worker.luau:2: world.nera: there is no such query; did you mean 'near'?"
)]
#[case::a_misspelt_percept_field(
    "return me.percept.enrgy",
    "Script worker.luau:2: percept: there is no field 'enrgy'; did you mean 'energy'?"
)]
#[case::a_refused_query(
    "return world.near(5)",
    "Script worker.luau:2: world.near: the map is not joined"
)]
#[case::a_query_argument_out_of_range(
    "return world.near(9)",
    "Script worker.luau:2: world.near: parameter 'radius': expected a whole number from 0 to 5, got 9"
)]
#[case::a_function_on_the_board(
    "board.set('k', { a = { print } })",
    "Script worker.luau:2: board.set: at .a[1]: a function is not plain data"
)]
#[case::a_cycle_on_the_board(
    "local t = {} t.me = t board.set('k', t)",
    "Script worker.luau:2: board.set: at .me: the table contains itself"
)]
#[case::mixed_keys_on_the_board(
    "board.set('k', { a = 1, [7] = 2 })",
    "Script worker.luau:2: board.set: at [7]: a shared table has either texts as keys, or 1, 2, 3 …"
)]
#[case::a_wrong_expiry(
    "board.set('k', 1, { turns = 0 })",
    "Script worker.luau:2: board.set: turns: expected a whole number from 1, got 0"
)]
#[case::an_unknown_role(
    "team.set_role('a1', 'scuot')",
    r#"Script worker.luau:2: team.set_role: there is no role "scuot"; there are scout, worker; did you mean "scout"?"#
)]
#[case::an_unknown_agent(
    "world.of('a9').here()",
    r#"Script worker.luau:2: world.of: expected the name of an agent of the own team, got "a9""#
)]
#[case::a_bad_format(
    "return string.format('%d', 'x')",
    "Script worker.luau:2: invalid argument #2 to 'format' (number expected, got string)"
)]
#[case::seeding(
    "math.randomseed(1)",
    "Script worker.luau:2: math.randomseed: the seed is the match's own, so that matches can be replayed"
)]
#[case::an_uneven_matrix(
    "team.assign({{1,2},{1}})",
    "Script worker.luau:2: team.assign: expected a list of rows, each a list of as many costs; row 2 has another length than row 1"
)]
#[case::a_native_that_fails(
    "table.insert(1, 2)",
    "Script worker.luau:2: invalid argument #1 to 'insert' (table expected, got number)"
)]
#[case::a_frozen_table(
    "rawset(table.freeze({}), 1, 2)",
    "Script worker.luau:2: attempt to modify a readonly table"
)]
#[case::a_plain_error("error('help')", "Script worker.luau:2: help")]
#[case::a_table_as_error("error({ message = 'help' })", "Script worker.luau:2: help")]
fn a_mistake_is_named_with_its_line(#[case] body: &str, #[case] want: &str) {
    assert_eq!(Stage::worker(body).say(0), want);
}

#[test]
fn arguments_arrive_checked_and_in_declared_order() {
    let mut stage = Stage::worker("return act.give('a2', { count = 2, kind = 'b1' })");
    let cargo = Value::map([("kind", "b1".into()), ("count", Value::Int(2))]);
    assert_eq!(stage.decide(0), Ok(Said::new("give", vec!["a2".into(), cargo])));
}

#[test]
fn a_percept_field_is_converted_once_and_only_when_read() {
    let mut stage = Stage::worker(
        "if me.turn == 0 then return act.skip() end
         for i = 1, 100 do assert(me.percept.energy == 100) end
         return act.skip()",
    );
    stage.decide(0).unwrap();
    assert_eq!(stage.meadow.reads.get(), 0);
    stage.next_turn();
    stage.decide(0).unwrap();
    assert_eq!(stage.meadow.reads.get(), 1);
}

#[test]
fn what_a_script_changes_in_its_percept_is_its_own_and_gone_in_the_next_turn() {
    let mut stage = Stage::worker(
        "local seen = me.percept.energy
         me.percept.energy = 0
         assert(me.percept.energy == 0 and team.percept(me.name).energy == seen)
         return act.skip()",
    );
    for _ in 0..2 {
        assert_eq!(stage.say(0), "skip()");
        stage.next_turn();
    }
}

#[test]
fn the_board_is_shared_and_values_expire() {
    let mut stage = Stage::worker(
        "if me.name == 'a1' and me.turn == 0 then
             assert(board.set('goal', { x = 1, y = 2 }, { turns = 2 }) == true)
             assert(board.add('count', 2) == 2 and board.add('count', 1) == 3)
             assert(board.claim('task', { turns = 1 }) == true)
             for i = 3, 1, -1 do board.set('seen/' .. i, i) end
             local keys = ''
             for key, value, author in board.each('seen/') do
                 assert(author == 'a1' and key == 'seen/' .. value)
                 keys ..= key
             end
             assert(keys == 'seen/1seen/2seen/3', keys)
             return act.skip()
         end
         local goal = board.get('goal')
         if not goal then return act.move('south') end
         assert(goal.x == 1 and select('#', board.get('goal')) == 1)
         if board.claim('task') then return act.move('north') end
         assert(board.holder('task') == 'a1' and not board.release('task'))
         return act.move('east')",
    );
    assert_eq!(stage.say(0), "skip()");
    assert_eq!(stage.say(1), "move(\"east\")");
    stage.next_turn();
    assert_eq!(stage.say(1), "move(\"north\")");
    stage.next_turn();
    assert_eq!(stage.say(1), "move(\"south\")");
    assert_eq!(stage.shared.borrow().board.entry("count").unwrap().author, "a1");
}

#[test]
fn a_full_board_is_an_expected_failure() {
    let mut stage = Stage::worker(
        "for i = 1, 1e7 do
             local ok, reason = board.set('k' .. i, i)
             if not ok then log.warn('%s after %d', reason, i) return act.skip() end
         end",
    );
    assert_eq!(stage.say(0), "skip()");
    let log = stage.log();
    assert!(
        log[0].starts_with("the board holds 10000 keys") && log[0].ends_with("after 10001"),
        "{log:?}"
    );
}

#[test]
fn letters_arrive_in_the_next_turn() {
    let mut stage = Stage::worker(
        "if me.name == 'a1' then team.send('a2', { come = me.turn }) return act.skip() end
         local letters = team.inbox()
         if #letters == 0 then return act.skip() end
         assert(letters[1].from == 'a1' and letters[1].body.come == 0)
         return act.move('north')",
    );
    assert_eq!((stage.say(0), stage.say(1)), ("skip()".into(), "skip()".into()));
    stage.next_turn();
    assert_eq!(stage.say(1), "move(\"north\")");
}

#[test]
fn the_team_plans_first_and_changes_roles() {
    let team = "return { plan = function(team)
        assert(team.turn == 0 and team.tick == 1 and team.time_left() > 0)
        for _, agent in team.agents() do
            if agent.role == 'worker' and world.of(agent.name).here().x == 1 then
                team.set_role(agent.name, 'scout')
            end
        end
        assert(team.role('a2') == 'scout' and #team.all() == 3)
        board.set('planned', true)
        team.send('a1', 'go')
    end }";
    let scout = "return { decide = function(me)
        assert(board.get('planned') and me.role == 'scout')
        return act.move('east')
    end }";
    let files = [("team.luau", team), ("worker.luau", SKIP), ("scout.luau", scout)];
    let mut stage = Stage::new(&files);
    assert_eq!(stage.plan(), Ok(()));
    let said = [stage.say(0), stage.say(1), stage.say(2)];
    assert_eq!(said, ["skip()", "move(\"east\")", "move(\"east\")"]);
    assert_eq!(stage.shared.borrow().board.entry("planned").unwrap().author, "team");
}

#[test]
fn a_query_in_plan_needs_an_agent() {
    let team = "return { plan = function(team)\n world.here() end }";
    let mut stage = Stage::new(&[("team.luau", team), ("worker.luau", SKIP), ("scout.luau", SKIP)]);
    let error = stage.plan().unwrap_err();
    assert_eq!(error.role, "team");
    assert_eq!(
        error.to_string(),
        "team.luau:2: world.here: there is no agent here; use world.of(name).here(…)"
    );
}

#[test]
fn a_role_that_has_no_file_any_more_is_told() {
    let mut stage = Stage::worker("return act.skip()");
    stage.shared.borrow_mut().set_role(AgentId(0), "ghost");
    assert_eq!(stage.say(0), "NoRole there is no script for the role \"ghost\"");
}

#[test]
fn start_and_finish_frame_a_round() {
    let worker = "return {
        start = function(sim) sim.memory.began = sim.name .. sim.round end,
        decide = function(me) assert(me.memory.began == 'a10') return act.skip() end,
        finish = function(result) log.info(result.score, result.ranking, result.memory.began) end,
    }";
    let mut stage = Stage::new(&[("worker.luau", worker), ("scout.luau", SKIP)]);
    assert_eq!(stage.start(0), Ok(()));
    assert_eq!(stage.say(0), "skip()");
    assert_eq!(stage.finish(0, 42), Ok(()));
    assert_eq!(stage.log(), ["42 1 a10"]);
    assert_eq!((stage.start(2), stage.finish(2, 0)), (Ok(()), Ok(())));
}

#[test]
fn log_metric_and_draw_reach_the_outside() {
    let mut stage = Stage::worker(
        "log.debug('%d of %s', 3, 'x')
         log.info('at', { }, nil, 1.5)
         log.warn('%d', 'no number')
         log.error(setmetatable({}, { __tostring = function() error('odd') end }))
         print('100%')
         assert(metric('blocks', 3))
         assert(draw.cell({ x = 1, y = 2 }, 'red') and draw.text(1, 2, 'hi'))
         return act.skip()",
    );
    assert_eq!(stage.say(0), "skip()");
    let shared = stage.shared.clone();
    let (lines, _) = shared.borrow_mut().take_log();
    let lines: Vec<_> = lines.iter().map(|line| (line.level, line.text.as_str())).collect();
    assert_eq!(
        lines,
        [
            (LogLevel::Debug, "3 of x"),
            (LogLevel::Info, "at table nil 1.5"),
            (LogLevel::Warn, "%d no number"),
            (LogLevel::Error, "?"),
            (LogLevel::Info, "100%"),
        ]
    );
    assert_eq!(shared.borrow().metrics["blocks"], 3.0);
    let marks = shared.borrow().marks().to_vec();
    assert_eq!(marks[0].args, [Value::cell(1, 2), "red".into()]);
    assert_eq!((marks[1].shape.as_str(), marks[1].agent), ("text", Some(AgentId(0))));
}

#[test]
fn chance_depends_on_seed_agent_and_turn_alone() {
    const ROLL: &str = "local list = rng.shuffle({ 1, 2, 3, 4, 5, 6, 7 })
        local n = rng.int(1, 1e9) .. ' ' .. rng.float() .. ' ' .. math.random(6) .. rng.pick(list)
        log.info(n)
        return act.skip()";
    let rolls = |agents: &[u16]| {
        let mut stage = Stage::worker(ROLL);
        agents.iter().for_each(|agent| drop(stage.decide(*agent).unwrap()));
        stage.log()
    };
    let forth = rolls(&[0, 1]);
    let back = rolls(&[1, 0]);
    assert_eq!([&forth[0], &forth[1]], [&back[1], &back[0]]);
    assert_ne!(forth[0], forth[1]);
    let mut later = Stage::worker(ROLL);
    later.next_turn();
    later.decide(0).unwrap();
    assert_ne!(later.log()[0], forth[0]);
}

#[test]
fn tables_with_text_keys_are_walked_in_the_same_order_in_every_vm() {
    let walk = || {
        let mut stage = Stage::worker(
            "local t, order = {}, {}
             for i = 1, 200 do t['key' .. i * 7919 % 997] = i end
             for i = 1, 200, 3 do t['key' .. i * 7919 % 997] = nil end
             for key in pairs(t) do table.insert(order, key) end
             board.set('order', table.concat(order, ' '))
             return act.skip()",
        );
        stage.decide(0).unwrap();
        let shared = stage.shared.borrow();
        shared.board.get("order").cloned().unwrap()
    };
    assert_eq!(walk(), walk());
}

#[test]
fn the_error_says_role_kind_and_place() {
    let mut stage = Stage::worker("local goal\nreturn act['goto'](goal.cell)");
    let error = stage.decide(1).unwrap_err();
    assert_eq!(error.kind, BrainErrorKind::Script);
    assert_eq!(error.place, Some(("worker.luau".into(), 3)));
    assert_eq!(error.role, "worker");
    assert_eq!(error.message, "attempt to index nil with 'cell'");
}

#[rstest]
#[case::uncaught("world.near(4)")]
#[case::caught_and_raised_again("local ok, e = pcall(world.near, 4) error(e)")]
fn a_panic_of_the_world_costs_one_decision(#[case] body: &str) {
    let mut stage = Stage::worker(&format!("if me.turn == 0 then {body} end return act.skip()"));
    let said = stage.say(0);
    assert!(said.starts_with("Script worker.luau:2: "), "{said}");
    assert!(said.ends_with("world.near: the world panicked: a mistake in the world"), "{said}");
    stage.next_turn();
    assert_eq!(stage.say(0), "skip()");
}
