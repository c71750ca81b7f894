//! What `expect` accepts, and what it says when it does not hold.

use crate::stage::{check, told};
use rstest::rstest;

const SKIP: &str = "return { decide = function(me) return act.skip() end }";

#[rstest]
#[case::equal_numbers("expect(1).to_equal(1)")]
#[case::equal_nan("expect(0/0).to_equal(0/0)")]
#[case::equal_tables("expect({ a = { 1, 2 }, b = 'x' }).to_equal({ b = 'x', a = { 1, 2 } })")]
#[case::equal_loops("local a, b = {}, {} a.a, b.a = a, b expect(a).to_equal(b)")]
#[case::equal_actions("expect(act.move('n')).to_equal(act.move('n'))")]
#[case::actions_in_tables("expect({ act.skip() }).to_equal({ act.skip() })")]
#[case::never_equal("expect({ 1 }).never.to_equal({ 2 })")]
#[case::never_never("expect(1).never.never.to_equal(1)")]
#[case::the_first_of_several(
    "expect(string.find('ab', 'b')).to_be(2) expect((function() end)()).to_be_nil()"
)]
#[case::a_colon("expect(1):to_equal(1)")]
#[case::the_same("local t = {} expect(t).to_be(t)")]
#[case::not_the_same("expect({}).never.to_be({})")]
#[case::the_same_action("expect(act.skip()).to_be(act.skip())")]
#[case::nothing("expect(nil).to_be_nil() expect(0).never.to_be_nil()")]
#[case::near("expect(0.1 + 0.2).to_be_near(0.3) expect(10).to_be_near(12, 2)")]
#[case::not_near("expect(10).never.to_be_near(12, 1) expect('10').never.to_be_near(10)")]
#[case::an_item("expect({ 1, { x = 2 } }).to_contain({ x = 2 })")]
#[case::a_part_of_a_text("expect('a.b').to_contain('.') expect('ab').never.to_contain('.')")]
#[case::a_pattern("expect('job 12').to_match('^job %d+$') expect('job').never.to_match('%d')")]
#[case::a_failure("expect(function() error('boom') end).to_fail()")]
#[case::a_failure_with_a_text("expect(function() error('what (now)?') end).to_fail('(now)?')")]
#[case::a_failure_with_a_pattern("expect(function() error('no 12') end).to_fail('no %d+')")]
#[case::no_failure("expect(function() end).never.to_fail()")]
#[case::an_action("expect(act.move('n')).to_act('move', 'n')")]
#[case::any_action_of_a_name("expect(act.move('n')).to_act('move')")]
#[case::another_action("expect(act.skip()).never.to_act('move') expect(nil).never.to_act('skip')")]
fn what_holds_passes(#[case] body: &str) {
    assert_eq!(told(&check(SKIP, body)), "passed");
}

/// The expectation is in line 2 of the spec.
#[rstest]
#[case::unequal("expect(1).to_equal(2)", "expected 1 to equal 2")]
#[case::another_kind("expect('1').to_equal(1)", "expected \"1\" to equal 1")]
#[case::a_table_that_differs(
    "expect({ goal = { x = 1, y = 2 }, list = { 1, 2 } }).to_equal({ goal = { x = 1, y = 3 }, list = { 1 } })",
    "expected { goal = { x = 1, y = 2 }, list = { 1, 2 } } to equal { goal = { x = 1, y = 3 }, list = { 1 } } | .goal.y: 3 / 2 | .list[2]: nil / 2"
)]
#[case::odd_keys(
    "expect({ [true] = 1, ['a b'] = 2, [1.5] = 3 }).to_equal({})",
    "expected { [1.5] = 3, [\"a b\"] = 2, [true] = 1 } to equal {} | [1.5]: nil / 3 | [\"a b\"]: nil / 2 | [true]: nil / 1"
)]
#[case::an_unequal_action(
    "expect(act.move('n')).to_equal(act.move('s'))",
    "expected act.move(\"n\") to equal act.move(\"s\")"
)]
#[case::equal_where_it_should_not(
    "expect({ 1 }).never.to_equal({ 1 })",
    "expected { 1 } never to equal { 1 }"
)]
#[case::only_equal("expect({}).to_be({})", "expected {} to be {}")]
#[case::something("expect(0).to_be_nil()", "expected 0 to be nil")]
#[case::far("expect(1).to_be_near(2, 0.5)", "expected 1 to be near 2, at most 0.5 off")]
#[case::not_inside("expect({ 1 }).to_contain(2)", "expected { 1 } to contain 2")]
#[case::not_in_a_text("expect('ab').to_contain('c')", "expected \"ab\" to contain \"c\"")]
#[case::another_text("expect('ab').to_match('^b')", "expected \"ab\" to match \"^b\"")]
#[case::no_failure(
    "expect(function() end).to_fail()",
    "expected a function to fail, but it did not"
)]
#[case::another_failure(
    "expect(function() error('this') end).to_fail('that')",
    "expected a function to fail with \"that\", but it failed with \"spec/worker_spec.luau:2: this\""
)]
#[case::a_failure_that_should_not(
    "expect(function() error('x') end).never.to_fail()",
    "expected a function never to fail"
)]
#[case::another_action(
    "expect(act.skip()).to_act('move', 'n')",
    "expected act.skip() to act act.move(\"n\")"
)]
#[case::no_action("expect(nil).to_act('skip')", "expected nil to act skip")]
#[case::hidden_by_pcall("pcall(function() expect(1).to_be(2) end)", "expected 1 to be 2")]
#[case::an_unknown_matcher(
    "expect(1).to_equals(1)",
    "expect(…): there is no name 'to_equals'; did you mean 'to_equal'?"
)]
#[case::an_unknown_action(
    "expect(act.skip()).to_act('mvoe')",
    "to_act: there is no action 'mvoe'; did you mean 'move'?"
)]
#[case::a_wrong_argument(
    "expect(act.skip()).to_act('move', 'x')",
    "to_act: move: parameter 'dir': expected one of n, s, e, w, got \"x\""
)]
#[case::no_function_to_fail(
    "expect(1).to_fail()",
    "to_fail: expected a function, got 1; write expect(function() … end).to_fail()"
)]
#[case::a_pattern_that_is_none("expect('a').to_match(1)", "to_match: expected a pattern, got 1")]
fn what_does_not_hold_is_told_with_its_line(#[case] body: &str, #[case] want: &str) {
    assert_eq!(told(&check(SKIP, body)), format!("spec/worker_spec.luau:2: {want}"));
}

#[test]
fn a_long_difference_is_cut_and_counted() {
    let body =
        "local a = {} for i = 1, 50 do a[i] = string.rep('x', 1000) end expect(a).to_equal({})";
    let case = check(SKIP, body);
    let phalanx_lua::SpecOutcome::Failed { message, diff, more, .. } = &case.outcome else {
        panic!("it does not hold");
    };
    assert_eq!((diff.len(), *more), (20, 30));
    assert!(message.chars().count() < 400, "{message}");
    assert!(diff.iter().all(|one| one.got.chars().count() <= 121));
}

#[test]
fn the_first_expectation_that_fails_counts() {
    let told = told(&check(SKIP, "pcall(function() expect(1).to_be(2) end)\nerror('later')"));
    assert_eq!(told, "spec/worker_spec.luau:2: expected 1 to be 2");
}
