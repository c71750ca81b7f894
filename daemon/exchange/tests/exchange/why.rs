//! Why an agent did what it did, long after.

use crate::support::{Tape, turn};
use phalanx_engine::WhichTurn;
use phalanx_exchange::{ExplainError, explain};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;

fn at(step: u32) -> WhichTurn {
    WhichTurn::Step { round: None, step }
}

fn told(tape: &Tape, agent: &str, which: WhichTurn) -> Result<v1::Explanation, ExplainError> {
    explain(tape.turns().into_iter(), "A", agent, which)
}

#[test]
fn a_decision_is_told_with_what_it_rests_on_and_what_became_of_it() {
    let mut tape = Tape::new();
    let error = v1::ScriptError { call: "plan".into(), reason: "no plan".into() };
    tape.event(turn(0, 1), "", Kind::ScriptError(error));
    tape.plays(turn(0, 1), &["a"], "").plays(turn(0, 2), &["a"], "success");
    let first = told(&tape, "a", at(1)).unwrap();
    assert_eq!((first.agent.as_str(), first.generation), ("teams/A/agents/a", 2));
    assert_eq!((first.percept.as_str(), first.result.as_str()), ("stands at 1", "success"));
    assert_eq!(first.result_turn, Some(turn(0, 2)));
    let kinds: Vec<_> = first.events.iter().map(|event| event.kind.clone().unwrap()).collect();
    assert!(matches!(&kinds[..], [Kind::ScriptError(_), Kind::Decided(_)]), "{kinds:?}");
    assert_eq!(told(&tape, "a", WhichTurn::Ago(1)).unwrap(), first);
    assert_eq!(told(&tape, "a", WhichTurn::Ago(0)).unwrap().turn, Some(turn(0, 2)));
}

#[test]
fn of_two_rounds_with_the_same_step_the_last_one_is_meant_unless_told() {
    let mut tape = Tape::new();
    tape.plays(turn(0, 1), &["a"], "").plays(turn(1, 1), &["a"], "");
    assert_eq!(told(&tape, "a", at(1)).unwrap().turn, Some(turn(1, 1)));
    let first = WhichTurn::Step { round: Some(0), step: 1 };
    assert_eq!(told(&tape, "a", first).unwrap().turn, Some(turn(0, 1)));
}

#[test]
fn whoever_asks_for_what_is_not_there_hears_what_there_is() {
    let empty = Tape::new();
    assert_eq!(told(&empty, "a", at(1)), Err(ExplainError::Nothing));
    let mut tape = Tape::new();
    for step in [2, 4, 6, 8, 10, 12] {
        tape.plays(turn(0, step), &["a"], "").plays(turn(0, step + 1), &["b"], "");
    }
    let refused = |agent, which| told(&tape, agent, which).unwrap_err().to_string();
    assert_eq!(refused("a", at(99)), "the recording does not have this turn; it has 0:2 to 0:13");
    assert_eq!(
        refused("a", at(9)),
        "a was not asked in this turn; near it, it was in 0:4, 0:6, 0:8, 0:10, 0:12"
    );
    assert_eq!(refused("c", at(2)), "the recording has no agent \"c\"; there are a, b");
    assert!(refused("a", WhichTurn::Ago(6)).contains("0:2 to 0:13"));
    assert!(told(&tape, "a", WhichTurn::Ago(5)).is_ok());
}
