//! A belief is the same in a copy, on another thread, and after it was saved.

use super::{WORLD, roster, toy};
use phalanx_game::{AgentId, Game, Notice, Turn, Value, World};
use phalanx_scripted::ScriptedWorld;

fn world() -> ScriptedWorld {
    let mut world = toy(&[]).world(&roster());
    world.begin(0, AgentId(0), None);
    world
}

fn see(world: &mut ScriptedWorld, step: u32) {
    for agent in [AgentId(0), AgentId(1)] {
        let hint = i64::from(step * 7 % 23) + i64::from(agent.0);
        let padding: Vec<i64> = (0..200).collect();
        let percept = Value::map([("hint", hint.into()), ("padding", padding.into())]);
        world.observe(Turn::new(0, step), agent, percept.into());
    }
    world.settle(Turn::new(0, step));
}

fn sum(world: &ScriptedWorld) -> Value {
    world.query(AgentId(0), "sum", &[]).unwrap()
}

/// Far enough for several snapshots.
const STEPS: u32 = 300;

#[test]
fn copies_and_other_threads_believe_the_same() {
    let mut stays = world();
    let mut moves = world();
    let mut copied = world();
    for step in 0..STEPS {
        see(&mut stays, step);
        see(&mut copied, step);
        copied = copied.clone();
        moves = std::thread::scope(|scope| {
            let moved = scope.spawn(move || {
                see(&mut moves, step);
                moves
            });
            moved.join().unwrap()
        });
    }
    assert_eq!((sum(&moves), sum(&copied)), (sum(&stays), sum(&stays)));
    assert_eq!((moves.save(), copied.save()), (stays.save(), stays.save()));
    assert_eq!(
        stays.field(AgentId(1), "hint"),
        Some(Value::Int(i64::from((STEPS - 1) * 7 % 23) + 1))
    );
    assert_eq!(stays.field(AgentId(1), "padding"), None, "it is not declared");
}

#[test]
fn a_saved_belief_comes_back_and_damaged_bytes_do_not() {
    let mut old = world();
    (0..40).for_each(|step| see(&mut old, step));
    let saved = old.save();
    let mut new = toy(&[]).world(&roster());
    new.restore(&saved).unwrap();
    assert_eq!((sum(&new), new.save()), (sum(&old), saved.clone()));
    for length in 0..saved.len().min(64) {
        assert!(toy(&[]).world(&roster()).restore(&saved[..length]).is_err());
    }
}

#[test]
fn a_copy_goes_its_own_way() {
    let mut first = world();
    see(&mut first, 1);
    let (mut second, before) = (first.clone(), sum(&first));
    see(&mut second, 2);
    assert_eq!(sum(&first), before);
    assert_ne!(sum(&second), before);
}

#[test]
fn mistakes_of_a_world_reach_the_journal_and_queries_say_where() {
    let script = WORLD.replace("self.hints[agent", "local x = nil + step self.hints[agent");
    let script = script.replace("return self.sum end }", "return self.sums.all end }");
    let mut world = toy(&[("world.luau", &script)]).world(&roster());
    world.observe(Turn::new(0, 1), AgentId(0), Value::map([("hint", Value::Int(1))]).into());
    let Some(Notice::Fault { place, what }) = world.poll_notice() else { panic!("no notice") };
    assert_eq!(place, "world.luau:6");
    assert!(what.contains("arithmetic"), "{what}");
    let error = world.query(AgentId(0), "sum", &[]).unwrap_err().to_string();
    assert_eq!(error, "world.sum: world.luau:14: attempt to index nil with 'all'");
}

#[test]
fn a_world_that_loops_is_stopped_at_the_same_place_each_time() {
    let script = WORLD.replace(
        "self.sum = self.sum * 3",
        "while true do self.sum += 1 end self.sum = self.sum * 3",
    );
    let run = || {
        let mut world = toy(&[("world.luau", &script)]).world(&roster());
        world.observe(Turn::new(0, 1), AgentId(0), Value::map([("hint", Value::Int(1))]).into());
        let notice = world.poll_notice().map(|notice| notice.to_string()).unwrap_or_default();
        assert!(notice.contains("stopped after 2000000 steps"), "{notice}");
        world.save()
    };
    assert_eq!(run(), run());
}

#[test]
fn what_a_referee_sends_in_another_type_is_left_out_and_reported_once() {
    let mut world = toy(&[]).world(&roster());
    for (step, hint) in [(1, Value::Int(1)), (2, "many".into()), (3, "few".into())] {
        let percept = Value::map([("hint", hint), ("novelty", Value::Bool(true))]);
        world.observe(Turn::new(0, step), AgentId(0), percept.into());
        let seen = world.field(AgentId(0), "hint");
        assert_eq!(seen, (step == 1).then_some(Value::Int(1)));
        assert_eq!(world.field(AgentId(0), "novelty"), None, "it is not declared");
    }
    let notices: Vec<_> = std::iter::from_fn(|| world.poll_notice()).collect();
    let about = |notice: &Notice| notice.to_string().contains("the percept's field hint");
    assert_eq!(notices.iter().filter(|notice| about(notice)).count(), 1, "{notices:?}");
    let why = notices.first().map(ToString::to_string).unwrap_or_default();
    assert!(why.contains("expected a whole number, got \"many\""), "{why}");
}

#[test]
fn an_answer_of_another_type_than_declared_is_an_error() {
    let script = WORLD.replace("return self.sum end }", "return 'much' end }");
    let world = toy(&[("world.luau", &script)]).world(&roster());
    let error = world.query(AgentId(0), "sum", &[]).unwrap_err().to_string();
    assert_eq!(
        error,
        "world.sum: world.luau returned another type: expected a whole number, got \"much\""
    );
}
