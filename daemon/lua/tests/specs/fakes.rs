//! What `fake` makes up, and how scripts under test see it.

use crate::stage::{check, options, run, run_with, told};
use rstest::rstest;

const WORKER: &str = r#"local calls, greed = 0, param("greed", { default = 1, min = 0, max = 9 })
return {
    memory = 2, migrate = function(version, memory) return { old = version, calls = memory.calls } end,
    start = function(me)
        me.memory.started = me.turn
        me.memory.greed = greed
    end,
    decide = function(me)
        calls += 1
        me.memory.calls = calls
        if me.percept.energy < 20 then
            return act.skip()
        end
        if me.percept.extra == "fail" then
            error("no way out")
        end
        if me.percept.extra == "nothing" then
            return nil
        end
        log.info("energy", me.percept.energy)
        explain("ready", { energy = me.percept.energy, greed = param("greed") })
        local found = world.nearest("ore", me.percept.name)
        board.set("seen/" .. me.name, found and found.type or "none")
        return act.move(rng.pick({ "n" }))
    end,
    finish = function(result)
        result.memory.score = result.score
    end,
}
"#;

const LEADER: &str = r#"return {
    plan = function(team)
        for _, agent in team.agents() do
            team.send(agent.name, { turn = team.turn })
            board.set("job/" .. agent.name, world.of(agent.name).here())
        end
    end,
}
"#;

const MAIL: &str = r#"return {
    decide = function(me)
        local letters = team.inbox()
        local job = board.get("job/" .. me.name)
        me.memory.job = job
        me.memory.turn = letters[1] and letters[1].body.turn
        return act.greet(team.all()[1].name)
    end,
}
"#;

#[rstest]
#[case::defaults_of_each_kind(
    "expect(fake.percept()).to_equal({ energy = 10, heat = 0, alive = false, name = '', side = 'home', cell = { x = 0, y = 0 }, friend = 'a1', things = {}, sight = { x = 0, y = 0, type = '' } })"
)]
#[case::given_fields(
    "expect(fake.percept{ energy = 50 }.energy).to_be(50) expect(fake.percept{ energy = 50 }.heat).to_be(0)"
)]
#[case::a_role_decides(
    "local a = fake.agent{ role = 'worker', percept = { energy = 5 + 10 } } expect(a:decide()).to_act('skip')"
)]
#[case::names_by_number(
    "expect(fake.agent().name).to_be('a1') expect(fake.agent().name).to_be('a2')"
)]
#[case::a_world_of_constants(
    "local a = fake.agent{ role = 'worker', percept = { energy = 30 }, world = { nearest = { x = 1, y = 2, type = 'ore' } } } expect(a:decide()).to_act('move', 'n') expect(board.get('seen/a1')).to_be('ore')"
)]
#[case::a_world_of_functions(
    "local asked = nil local a = fake.agent{ role = 'worker', percept = { energy = 30, name = 'iron' }, world = { nearest = function(kind, detail, who) asked = { kind, detail, who } return nil end } } a:decide() expect(asked).to_equal({ 'ore', 'iron', 'a1' })"
)]
#[case::an_absent_field(
    "local a = fake.agent{ percept = { extra = 1, name = fake.absent } } expect(a:run(function(me) return me.percept.name end)).to_be_nil()"
)]
#[case::a_changed_percept(
    "local a = fake.agent{ role = 'worker' } a.percept.energy = 15 expect(a:decide()).to_act('skip') a.percept = { energy = 30 } a.world = { nearest = { type = 'x' } } expect(a:decide()).to_act('move')"
)]
#[case::memory_is_kept(
    "local a = fake.agent{ role = 'worker', memory = { old = 1 } } a:decide() a:decide() expect(a.memory).to_equal({ old = 1, calls = 2 }) a.memory = {} a:decide() expect(a.memory.calls).to_be(3)"
)]
#[case::roles_are_loaded_anew(
    "local a = fake.agent{ role = 'worker' } a:decide() fake.reload() a:decide() expect(a.memory.calls).to_be(1)"
)]
#[case::roles_share_their_file(
    "local a, b = fake.agent{ role = 'worker' }, fake.agent{ role = 'worker' } a:decide() b:decide() expect(b.memory.calls).to_be(2)"
)]
#[case::start_and_finish(
    "local a = fake.agent{ role = 'worker', turn = 4 } a:start() a:finish(7) expect(a.memory).to_equal({ started = 4, greed = 1, score = 7 })"
)]
#[case::reasons_and_parameters(
    "fake.param('greed', 7) local a = fake.agent{ role = 'worker', percept = { energy = 30 }, world = { nearest = function() return nil end } } a:decide() expect(a.reason).to_equal({ text = 'ready', data = { energy = 30, greed = 7 } }) a.percept.energy = 15 a:decide() expect(a.reason).to_be_nil()"
)]
#[case::a_parameter_is_set_before_files_are_loaded(
    "fake.param('greed', 8) local a = fake.agent{ role = 'worker' } a:start() expect(a.memory.greed).to_be(8)"
)]
#[case::migration(
    "local a = fake.agent{ role = 'worker' } expect(a:migrate(1, { calls = 3, junk = true })).to_equal({ old = 1, calls = 3 }) expect(function() a:migrate(1, nil) end).to_fail('worker.luau:3')"
)]
#[case::what_it_logged(
    "local a = fake.agent{ role = 'worker', percept = { energy = 30 }, world = { nearest = function() return nil end } } a:decide() expect(a.log).to_equal({ 'energy 30' })"
)]
#[case::a_function_as_the_agent(
    "local a = fake.agent{ name = 'x', role = 'worker', turn = 9, round = 2, world = { here = { x = 3, y = 4 } } } local seen = a:run(function(me) return { me.name, me.role, me.turn, me.round, world.here().y } end) expect(seen).to_equal({ 'x', 'worker', 9, 2, 4 })"
)]
#[case::equal_dice(
    "local a = fake.agent() local n = a:run(function() return rng.int(1, 1000000) end) expect(a:run(function() return rng.int(1, 1000000) end)).to_be(n)"
)]
#[case::turns_go_on_when_it_decides_again(
    "local a = fake.agent{ role = 'worker' } a:decide() expect(fake.turn()).to_be(0) a:decide() expect(fake.turn()).to_be(1) expect(fake.turn(10)).to_be(10)"
)]
#[case::time_is_left(
    "local a = fake.agent{ time_left = 100 } local left = a:run(function(me) return me.time_left() end) expect(left > 50 and left <= 100).to_be(true)"
)]
#[case::a_board(
    "fake.agent{ board = { goal = { x = 1 } } } expect(board.get('goal')).to_equal({ x = 1 })"
)]
#[case::percepts_of_mates(
    "local a, b = fake.agent(), fake.agent{ percept = { energy = 77 } } expect(a:run(function() return team.percept('a2').energy end)).to_be(77)"
)]
#[case::a_failing_role(
    "local a = fake.agent{ role = 'worker', percept = { energy = 30, extra = 'fail' } } expect(function() a:decide() end).to_fail('worker.luau:15: no way out')"
)]
#[case::natives_of_the_host("expect(team.assign({ { 1, 9 }, { 9, 1 } })).to_equal({ 1, 2 })")]
#[case::modules("local m = require('lib/sum') expect(m(1, 2)).to_be(3)")]
#[case::modules_of_specs("expect(require('spec/tools')()).to_act('skip')")]
#[case::a_team(
    "local t = fake.team{ { role = 'mail' }, { name = 'b', role = 'mail', world = { here = { x = 5, y = 5 } } }, world = { here = { x = 1, y = 1 } } } t:plan() expect(t:decide()).to_equal({ a1 = act.greet('a1'), b = act.greet('a1') }) local turn = t:turn() expect(turn.b).to_act('greet', 'a1') expect(t.agents.b.memory).to_equal({ job = { x = 5, y = 5 }, turn = 0 }) expect(t.agents[1].memory.job.x).to_be(1) local n = 0 for _, agent in t.agents do n += 1 end expect(n).to_be(2)"
)]
fn a_fake_is_as_the_real_one(#[case] body: &str) {
    let spec = format!("it('holds', function()\n{body}\nend)");
    let report = run(&[
        ("worker.luau", WORKER),
        ("mail.luau", MAIL),
        ("team.luau", LEADER),
        ("lib/sum.luau", "return function(a, b) return a + b end"),
        ("spec/tools.luau", "return function() expect(1).to_be(1) return act.skip() end"),
        ("spec/x_spec.luau", &spec),
    ]);
    assert!(report.load_failures.is_empty(), "{:?}", report.load_failures);
    assert_eq!(told(&report.cases[0]), "passed");
}

/// The body begins in line 2 of the spec.
#[rstest]
#[case::a_misspelt_field(
    "fake.percept{ enrgy = 50 }",
    "spec/worker_spec.luau:2: fake.percept: there is no field 'enrgy'; did you mean 'energy'?"
)]
#[case::a_field_of_another_kind(
    "fake.percept{ energy = 'much' }",
    "spec/worker_spec.luau:2: fake.percept: field 'energy': expected a whole number from 10 to 100, got \"much\""
)]
#[case::a_field_that_was_broken_later(
    "local a = fake.agent{ role = 'worker' }\na.percept.energi = 3\na:decide()",
    "spec/worker_spec.luau:4: the percept of a1: there is no field 'energi'; did you mean 'energy'?"
)]
#[case::a_misspelt_query(
    "fake.world{ nearst = {} }",
    "spec/worker_spec.luau:2: fake.world: there is no query 'nearst'; did you mean 'nearest'?"
)]
#[case::a_query_that_nobody_fakes(
    "fake.agent{ role = 'worker', percept = { energy = 30 } }:decide()",
    "worker.luau:22: world.nearest: the spec fakes no answer; add nearest = … to a1's world"
)]
#[case::a_fake_that_answers_wrongly(
    "fake.agent{ role = 'worker', percept = { energy = 30 }, world = { nearest = 7 } }:decide()",
    "worker.luau:22: world.nearest: the spec's fake answers wrongly: expected a table with the fields x, y, type, got 7"
)]
#[case::a_fake_that_fails(
    "fake.agent{ role = 'worker', percept = { energy = 30 }, world = { nearest = function()\nerror('oops') end } }:decide()",
    "worker.luau:22: world.nearest: spec/worker_spec.luau:3: oops"
)]
#[case::an_expectation_in_a_fake(
    "fake.agent{ role = 'worker', percept = { energy = 30 }, world = { nearest = function(kind)\nexpect(kind).to_be('gold') end } }:decide()",
    "spec/worker_spec.luau:3: expected \"ore\" to be \"gold\""
)]
#[case::a_role_that_fails(
    "fake.agent{ role = 'worker', percept = { energy = 30, extra = 'fail' } }:decide()",
    "worker.luau:15: no way out"
)]
#[case::a_role_that_answers_nothing(
    "fake.agent{ role = 'worker', percept = { energy = 30, extra = 'nothing' } }:decide()",
    "worker.luau:8: decide returned nil; it returns an action"
)]
#[case::an_unknown_role(
    "fake.agent{ role = 'wroker' }",
    "spec/worker_spec.luau:2: role: there is no role 'wroker'; did you mean 'worker'?"
)]
#[case::no_role(
    "fake.agent():decide()",
    "spec/worker_spec.luau:2: the agent has no role; give it one: fake.agent{ role = … }"
)]
#[case::an_unknown_agent_of_a_team(
    "local t = fake.team{ { name = 'ann' } }\nlocal x = t.agents.anna",
    "spec/worker_spec.luau:3: team.agents: there is no name 'anna'; did you mean 'ann'?"
)]
#[case::an_unknown_option(
    "fake.agent{ rolle = 'worker' }",
    "spec/worker_spec.luau:2: fake.agent: there is no name 'rolle'; did you mean 'role'?"
)]
#[case::a_name_twice(
    "fake.agent{ name = 'x' }\nfake.agent{ name = 'x' }",
    "spec/worker_spec.luau:3: fake.agent: there is an agent x already in this spec"
)]
#[case::a_migration_without_version(
    "fake.agent{ role = 'worker' }:migrate({})",
    "spec/worker_spec.luau:2: migrate: expected the old version and the old memory, got {} as version"
)]
#[case::no_plan(
    "fake.team{ { role = 'worker' } }:plan()",
    "spec/worker_spec.luau:2: the strategy has no team.luau"
)]
#[case::an_unknown_fake(
    "fake.percetp{}",
    "spec/worker_spec.luau:2: fake: there is no name 'percetp'; did you mean 'percept'?"
)]
#[case::an_unknown_field_of_an_agent(
    "local x = fake.agent().memry",
    "spec/worker_spec.luau:2: agent: there is no name 'memry'; did you mean 'memory'?"
)]
#[case::a_field_that_cannot_be_set(
    "fake.agent().name = 'x'",
    "spec/worker_spec.luau:2: agent: there is no name 'name'; there are memory, percept, role, time_left, world"
)]
#[case::a_turn_that_is_over(
    "fake.turn(5)\nfake.turn(3)",
    "spec/worker_spec.luau:3: turn: it is turn 5 already; turns only go forward"
)]
#[case::a_board_without_plain_data(
    "fake.agent{ board = { f = print } }",
    "spec/worker_spec.luau:2: board: f: a function is not plain data"
)]
#[case::asking_while_asked(
    "local a a = fake.agent{ role = 'worker', percept = { energy = 30 }, world = { nearest = function() a:decide() end } } a:decide()",
    "worker.luau:22: world.nearest: spec/worker_spec.luau:2: an agent cannot be asked while another one decides"
)]
#[case::a_parameter_that_does_not_fit(
    "fake.param('greed', 10)",
    "spec/worker_spec.luau:2: fake.param: parameter greed: expected a number from 0 to 9, got 10"
)]
#[case::an_unknown_parameter(
    "fake.param('gread', 1)",
    "spec/worker_spec.luau:2: fake.param: no script declares the parameter \"gread\"; there are: greed"
)]
fn a_wrong_fake_is_told_with_its_line(#[case] body: &str, #[case] want: &str) {
    assert_eq!(told(&check(WORKER, body)), want);
}

#[test]
fn specs_know_nothing_of_each_other() {
    let spec = "local agent
        it('a', function()
            agent = fake.agent{ name = 'x', role = 'worker' }
            agent:decide()
            board.set('k', 1)
            team.send('x', 1)
        end)
        it('b', function()
            expect(board.get('k')).to_be_nil()
            expect(team.all()).to_equal({})
            local fresh = fake.agent{ name = 'x', role = 'worker' }
            expect(fresh.memory).to_equal({})
            fresh:decide()
            expect(fresh.memory.calls).to_be(1)
        end)
        it('c', function() expect(function() agent:decide() end).to_fail('another spec') end)";
    let report = run(&[("worker.luau", WORKER), ("spec/x_spec.luau", spec)]);
    let all: Vec<_> = report.cases.iter().map(told).collect();
    assert_eq!(all, ["passed", "passed", "passed"]);
}

#[test]
fn lines_of_agents_and_of_the_spec_come_with_the_case() {
    let body = "print('begin') local a = fake.agent{ role = 'worker', percept = { energy = 30 }, world = { nearest = function() return nil end } } a:decide() print('end')";
    assert_eq!(check(WORKER, body).lines, ["begin", "a1: energy 30", "end"]);
}

#[test]
fn lines_that_ran_are_counted_by_file() {
    let spec = "it('x', function() fake.agent{ role = 'worker' }:decide() end)";
    let files = [("worker.luau", WORKER), ("mail.luau", MAIL), ("spec/x_spec.luau", spec)];
    let wanted = phalanx_lua::SpecOptions { coverage: true, ..options() };
    let report = run_with(&files, &wanted);
    assert!(report.passed());
    let files: Vec<_> = report.coverage.keys().map(String::as_str).collect();
    assert_eq!(files, ["mail.luau", "worker.luau"]);
    let worker = &report.coverage["worker.luau"].lines;
    assert_eq!((worker.get(&9), worker.get(&12), worker.get(&15)), (Some(&1), Some(&1), Some(&0)));
    assert_eq!(report.coverage["mail.luau"].counts().0, 0);
    assert!(report.coverage["mail.luau"].counts().1 > 4);
    assert!(run(&[("worker.luau", WORKER), ("spec/x_spec.luau", spec)]).coverage.is_empty());
}

#[test]
fn a_module_that_a_spec_loads_keeps_its_parameters_in_the_next_one() {
    let module = "param('size', { default = 3 })
        return { size = function() return param('size') end }";
    let spec = "for _, name in { 'a', 'b' } do
            it(name, function()
                expect(require('lib/sizes').size()).to_be(3)
                fake.param('size', 5)
                expect(require('lib/sizes').size()).to_be(5)
            end)
        end";
    let files = [("worker.luau", WORKER), ("lib/sizes.luau", module), ("spec/x_spec.luau", spec)];
    let report = run(&files);
    let all: Vec<_> = report.cases.iter().map(told).collect();
    assert_eq!(all, ["passed", "passed"]);
}
