//! The referee's own record of states, in the format of the golden ones.

use super::golden;
use super::percepts::become_golden;
use super::replay::begin;
use phalanx_mars::arena::record::StateLog;
use serde_json::Value;

/// Lists come in no order.
fn sorted(mut line: Value) -> Value {
    let sort = |list: &mut Value| {
        if let Some(list) = list.as_array_mut() {
            list.sort_by_key(ToString::to_string);
        }
    };
    for owned in line["dom"].as_object_mut().into_iter().flat_map(|dom| dom.values_mut()) {
        sort(owned);
    }
    for team in line["teams"].as_object_mut().into_iter().flat_map(|teams| teams.values_mut()) {
        sort(&mut team["achievements"]);
        sort(&mut team["probed"]);
    }
    line
}

#[test]
fn a_record_of_golden_states_is_golden() {
    let Some(golden) = golden::read("world_two100_sim1") else { return };
    let mut state = begin(77, 150);
    let mut log = StateLog::new(&state);
    for told in &golden.states[1..] {
        become_golden(&mut state, told);
        // What was spent is not needed for anything but this record.
        for (team, name) in state.teams.iter_mut().zip(["A", "B"]) {
            team.used_money = told["teams"][name]["usedMoney"].as_i64().unwrap();
        }
        log.push(&state);
    }
    let text = String::from_utf8(log.into_bytes()).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert_eq!(lines.next(), Some(golden.head));
    for told in golden.states {
        assert_eq!(lines.next().map(sorted), Some(sorted(told)));
    }
    assert_eq!(lines.next(), None);
}
