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
