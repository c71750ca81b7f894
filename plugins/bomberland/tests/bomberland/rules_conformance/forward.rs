//! Requests to the engine's forward model and its answers.

use super::support;
use phalanx_bomberland::arena::{Evaluator, ForwardMode};
use phalanx_bomberland::wire::{self, AdminPacket, Evaluation};
use serde_json::{Value, json};

/// The engine seeds each evaluation with one of these.
const HIDDEN_SEEDS: std::ops::Range<u32> = 0..12;

fn evaluation(packet: &Value, line: &str) -> Evaluation {
    // The order of the units counts, so the request is cut out of the line as it was sent.
    #[derive(serde::Deserialize)]
    struct Line {
        request: Request,
    }
    #[derive(serde::Deserialize)]
    struct Request {
        state: wire::Full,
    }
    let bytes = serde_json::to_vec(packet).unwrap();
    let Some(AdminPacket::Evaluate(mut evaluation)) = wire::admin_packet(&bytes) else {
        panic!("{line} is a request");
    };
    evaluation.state = serde_json::from_str::<Line>(line).unwrap().request.state;
    *evaluation
}

#[test]
fn every_recorded_request_has_the_recorded_answer() {
    let Some(lines) = support::lines("forward_cases.jsonl.gz") else { return };
    assert!(lines.len() > 100);
    let config = support::config(&json!({ "OBJECT_DESTRUCTION_ITEM_DROP_PROBABILITY": 0 }));
    for line in &lines {
        let fixture: Value = serde_json::from_str(line).unwrap();
        let request = evaluation(&fixture["request"], line);
        let answers: Vec<Value> = HIDDEN_SEEDS
            .map(|seed| {
                let evaluator = Evaluator { params: config.params, mode: ForwardMode::Engine };
                let answer = evaluator.answer(&request, seed).unwrap();
                serde_json::from_slice(&answer).unwrap()
            })
            .collect();
        let theirs = &fixture["response"];
        assert!(
            answers.contains(theirs),
            "{}:\nours   {}\ntheirs {theirs}",
            fixture["name"],
            answers[0]
        );
    }
}
