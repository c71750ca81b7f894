//! Where scripts spend their time.

use crate::stage::{SKIP, Stage};
use phalanx_engine::Brain;
use std::time::Duration;

const BUSY: &str = "local function hot()
    local n = 0
    for i = 1, 3e6 do n += i % 7 end
    return n
end
return { decide = function(me)
    local t = {}
    for i = 1, 1000 do t[i] = { i } end
    hot()
    return act.skip()
end }";

#[test]
fn a_profile_names_roles_calls_and_functions() {
    let mut stage = Stage::new(&[("worker.luau", BUSY), ("scout.luau", SKIP)]);
    // A machine that is busy elsewhere may take no sample in ten turns.
    let (profile, folded) = std::iter::repeat_with(|| {
        stage.brain.start_profile();
        for _ in 0..10 {
            stage.decide(0).unwrap();
            stage.decide(2).unwrap();
            stage.next_turn();
        }
        let profile = stage.brain.take_profile();
        let folded = profile.folded();
        (profile, folded)
    })
    .take(100)
    .find(|(_, folded)| folded.contains("worker;worker.luau:decide:6;worker.luau:hot:1 "))
    .expect("a function that takes most of the time is sampled");
    assert!(folded.lines().all(|line| line.starts_with("worker") || line.starts_with("scout")));
    let row = |role: &str| profile.calls.iter().find(|row| row.role == role).unwrap();
    let (worker, scout) = (row("worker"), row("scout"));
    assert_eq!((worker.call, scout.call), ("decide", "decide"));
    assert_eq!(worker.count, scout.count);
    assert!(worker.total > scout.total && worker.longest <= worker.total);
    assert!(worker.allocated > worker.count * 1000 * 32, "{} bytes", worker.allocated);
    assert!(scout.allocated < worker.allocated / 10);
    assert!(worker.collector > Duration::ZERO);
    assert_eq!(stage.brain.take_profile().calls, [], "nothing is measured any more");
    assert_eq!(stage.say(0), "skip()");
}

#[test]
fn a_profile_fails_no_script_that_litters() {
    let litter = "for i = 1, 2e5 do local _ = { i, { i } } end return act.skip()";
    let source = format!("return {{ decide = function(me) {litter} end }}");
    let limits = phalanx_lua::Limits { memory_bytes: 8 << 20, ..Default::default() };
    let files = [("worker.luau", source.as_str()), ("scout.luau", SKIP)];
    let mut stage = Stage::try_new(&files, limits).unwrap();
    for profiled in [false, true] {
        if profiled {
            stage.brain.start_profile();
        }
        for _ in 0..20 {
            assert_eq!(stage.say(0), "skip()");
        }
    }
    assert_eq!(stage.brain.take_profile().calls[0].count, 20);
}
