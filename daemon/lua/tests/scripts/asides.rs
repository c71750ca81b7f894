//! What scripts say beside their action: reasons and parameters; and misspelt names.

use crate::stage::Stage;
use phalanx_engine::{Brain, Reason, Scope};
use phalanx_game::{AgentId, Value};
use rstest::rstest;

fn reason(body: &str) -> Option<Reason> {
    Stage::worker(body).outcome(0, |brain, ask| brain.decide(ask)).reason
}

#[test]
fn the_last_reason_of_a_call_goes_with_its_outcome() {
    let told = reason("explain('first') explain('hungry', { energy = 3 }) return act.skip()");
    let data = Value::map([("energy", Value::Int(3))]);
    assert_eq!(told, Some(Reason { text: "hungry".into(), data }));
    assert_eq!(reason("explain('then it broke') error('x')").unwrap().text, "then it broke");
    assert_eq!(reason("return act.skip()"), None);
    let long = reason("explain(('é'):rep(1e6)) return act.skip()").unwrap().text;
    assert_eq!((long.chars().count(), long.chars().last()), (501, Some('…')));
    let mut stage = Stage::worker("if me.turn == 0 then explain('once') end return act.skip()");
    stage.decide(0).unwrap();
    stage.next_turn();
    assert_eq!(stage.outcome(0, |brain, ask| brain.decide(ask)).reason, None);
}

#[test]
fn a_plan_explains_in_the_log() {
    let team = "return { plan = function() explain('all forward') end }";
    let worker = crate::stage::SKIP;
    let mut stage =
        Stage::new(&[("worker.luau", worker), ("scout.luau", worker), ("team.luau", team)]);
    stage.plan().unwrap();
    assert_eq!(stage.log(), ["explain: all forward"]);
}

const GREED: &str = "param('greed', { default = 0.5, min = 0, max = 1, doc = 'how much' })";

#[test]
fn a_parameter_is_what_the_narrowest_scope_says() {
    let mut stage = Stage::worker(&format!("return act['goto']({{x=1,y=1}}, 1, {GREED})"));
    let mut value = |agent| stage.decide(agent).unwrap().args[2].as_num();
    assert_eq!(value(0), Some(0.5));
    let set = |scope, value| {
        stage.shared.borrow_mut().params.set("greed", scope, Some(&Value::Num(value))).unwrap();
    };
    set(Scope::Team, 0.1);
    set(Scope::Agent(AgentId(1)), 0.9);
    let mut value = |agent| stage.decide(agent).unwrap().args[2].as_num();
    assert_eq!((value(0), value(1)), (Some(0.1), Some(0.9)));
}

#[test]
fn a_parameter_at_the_top_of_a_file_is_known_before_the_first_turn() {
    let worker = format!(
        "local greed = {GREED}\nassert(greed == 0.5) return {{ decide = function() return act.sing({{ param('greed') * 2 }}) end }}"
    );
    let mut stage = Stage::new(&[("worker.luau", &worker), ("scout.luau", crate::stage::SKIP)]);
    let doc = stage.shared.borrow().params.spec("greed").unwrap().doc.clone();
    assert_eq!(doc, "how much");
    assert_eq!(stage.decide(0).unwrap().args, [Value::List(vec![Value::Int(1)])]);
}

#[rstest]
#[case::texts_with_words(
    "assert(param('way', { default = 'left', values = { 'left', 'right' } }) == 'left')"
)]
#[case::free_text("assert(param('name', { default = '' }) == '')")]
#[case::booleans("assert(param('bold', { default = false }) == false)")]
#[case::whole("assert(param('n', { default = 3, min = 1, max = 5, whole = true }) == 3)")]
#[case::int("assert(param('n', { default = 3, min = 1, max = 5, kind = 'int', why = 'w' }) == 3)")]
#[case::stepped("assert(param('n', { default = 0.31, min = 0, max = 1, step = 0.1 }) == 0.3)")]
#[case::by_ratios(
    "assert(param('n', { default = 8, min = 1, max = 64, kind = 'float', log = true }) == 8)"
)]
#[case::choice(
    "assert(param('way', { default = 'left', values = { 'left', 'right' }, kind = 'choice' }) == 'left')"
)]
#[case::declared_twice_alike(
    "param('n', { default = 3 }) assert(param('n', { default = 3 }) == 3)"
)]
fn parameters_of_all_kinds(#[case] body: &str) {
    assert_eq!(Stage::worker(&format!("{body} return act.skip()")).say(0), "skip()");
}

/// The body is line 2 of `worker.luau`.
#[rstest]
#[case("param('greed')", "param: no script declares \"greed\"; there are: none")]
#[case(
    "param('greed', { default = 1 }) param('gread')",
    "param: no script declares \"gread\"; there are: greed; did you mean \"greed\"?"
)]
#[case("param('x', {})", "param x: default: expected a boolean, number or text, got nil")]
#[case("param('x', 3)", "param x: expected { default = … }, got 3")]
#[case(
    "param('x', { defualt = 1 })",
    "param x: unknown option \"defualt\"; there are default, min, max, step, kind, log, values, why, whole, doc; did you mean \"default\"?"
)]
#[case("param('x', { default = 9, max = 5 })", "parameter x: expected a number up to 5, got 9")]
#[case("param('x', { default = 0/0 })", "parameter x: expected a number, got NaN")]
#[case("param('x', { default = 1, min = 5, max = 2 })", "param x: min 5 is greater than max 2")]
#[case(
    "param('x', { default = true, min = 5 })",
    "param x: min does not fit a default that is a boolean"
)]
#[case(
    "param('x', { default = 'a', step = 1 })",
    "param x: step does not fit a default that is a text"
)]
#[case(
    "param('x', { default = 1, values = { 'a' } })",
    "param x: values does not fit a default that is a number"
)]
#[case("param('x', { default = 1, step = 0 })", "param x: step: expected a number above 0, got 0")]
#[case("param('x', { default = 1, log = true })", "param x: log: expected a min above 0 and a max")]
#[case(
    "param('x', { default = 1, kind = 'choice' })",
    "param x: kind: expected \"float\" with these values, got \"choice\""
)]
#[case("param('x', { default = 'a', values = { 'b' } })", "parameter x: expected one of b, got a")]
#[case(
    "param('x', { default = 1.5, whole = true })",
    "parameter x: expected a whole number, got 1.5"
)]
#[case(
    "param('a b', { default = 1 })",
    "param: expected a name of at most 64 letters, digits, _ - and ., got \"a b\""
)]
#[case(
    "param('x', { default = 1 }) param('x', { default = 2 })",
    "param x: is declared elsewhere in another way; declare it once, and read it with its name alone"
)]
#[case("explain(3)", "explain: expected the reason as a text, got 3")]
#[case("explain('x', print)", "explain: a function is not plain data")]
#[case("explain('x', table.create(200, 1))", "explain: at [200]: too many values")]
#[case("explain('x', ('y'):rep(5e3))", "explain: too much text")]
#[case("explain('x', {}, 3)", "explain: takes 2 arguments, got 3")]
#[case("explain('x', {}, nil) board.get('x', 1)", "board.get: takes 1 argument, got 2")]
#[case("board:each('x')", "board.each: takes 1 argument, got 2; call it with a dot: board.each(…)")]
#[case("board.gte('x')", "board.gte: there is no such function; did you mean 'get'?")]
#[case("team.agnets()", "team.agnets: there is no such function; did you mean 'agents'?")]
#[case("log.wran('x')", "log.wran: there is no such function; did you mean 'warn'?")]
#[case("draw.cel(1)", "draw.cel: there is no such function; did you mean 'cell'?")]
#[case("rng.itn(1, 2)", "rng.itn: there is no such function; did you mean 'int'?")]
#[case(
    "board.set('x', 1, { turn = 3 })",
    "board.set: unknown option \"turn\"; there are turns; did you mean \"turns\"?"
)]
#[case(
    "board.claim('x', { turn = 3 })",
    "board.claim: unknown option \"turn\"; there are turns; did you mean \"turns\"?"
)]
#[case("board.set('x', 'text') board.add('x', 1)", "board.add: \"x\" holds no number")]
fn misuse_is_told_at_its_line(#[case] body: &str, #[case] want: &str) {
    let said = Stage::worker(body).say(0);
    let told = said.strip_prefix("Script worker.luau:2: ").unwrap_or(&said);
    assert_eq!(told, want);
}

#[test]
fn a_sum_on_the_board_stays_finite() {
    let mut stage = Stage::worker("board.add('x', 1.7e308) return act.skip()");
    assert_eq!(stage.say(0), "skip()");
    let said = stage.say(1);
    assert!(said.starts_with("Script worker.luau:2: board.add: \"x\" holds 17"), "{said}");
    assert_eq!(stage.shared.borrow().board.get("x"), Some(&Value::Num(1.7e308)));
}
