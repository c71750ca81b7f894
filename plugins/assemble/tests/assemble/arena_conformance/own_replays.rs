//! Our own replays are in the organisers' format: the loader of theirs reads them, and they
//! re-execute without a difference.

use super::configs;
use super::retrace::{initial, retrace};
use phalanx_assemble::arena::record::ReplayRecord;
use phalanx_assemble::arena::{ArenaConfig, ArenaOptions, AssembleArena};
use phalanx_game::{Arena as _, Artifact, ConnectionId, Origin, Outgoing};
use phalanx_massim::JavaRandom;
use serde_json::Value;
use std::path::Path;
use std::time::Instant;

fn random_action(random: &mut JavaRandom, id: &Value) -> String {
    let direction = ["\"n\"", "\"s\"", "\"e\"", "\"w\""][usize::try_from(random.below(4)).unwrap()];
    let (x, y) = (random.between([-3, 3]), random.between([-3, 3]));
    let number = random.between([1, 5]);
    let (name, params) = match random.below(12) {
        0..5 => ("move", direction.to_owned()),
        5 => ("request", direction.to_owned()),
        6 => ("attach", direction.to_owned()),
        7 => ("rotate", "\"cw\"".to_owned()),
        8 => ("clear", format!("{x},{y}")),
        9 => ("connect", format!("\"agentA{number}\",0,1")),
        10 => ("accept", format!("\"task{number}\"")),
        _ => ("submit", format!("\"task{number}\"")),
    };
    format!(
        "{{\"type\":\"action\",\"content\":{{\"id\":{id},\"type\":\"{name}\",\"p\":[{params}]}}}}\0"
    )
}

fn played() -> (Vec<Artifact>, ArenaConfig) {
    let read = |_: &Path| Ok(configs::minimal().into_bytes());
    let config = ArenaConfig::load(Path::new("minimal.json"), &read).unwrap();
    let now = Instant::now();
    let origin = Origin { instant: now, unix_ms: 1_615_895_311_163 };
    let mut arena = AssembleArena::new(config.clone(), ArenaOptions::default(), origin);
    let accounts = config
        .teams
        .iter()
        .flat_map(|team| (1..=5).map(|number| (team.account(number), team.name == "A")));
    for (id, (account, first)) in (0..).map(ConnectionId).zip(accounts) {
        arena.handle_join(id, now);
        let password = if first { 1 } else { 2 };
        let login = format!(
            "{{\"type\":\"auth-request\",\"content\":{{\"user\":\"{account}\",\"pw\":\"{password}\"}}}}\0"
        );
        arena.handle_input(id, login.as_bytes(), now);
    }
    arena.start(now);
    let mut random = JavaRandom::new(99);
    while !arena.verdict().over {
        while let Some(out) = arena.poll_transmit() {
            let Outgoing::Bytes(id, bytes) = out else { continue };
            let message: Value =
                serde_json::from_slice(bytes.strip_suffix(b"\0").unwrap()).unwrap();
            if message["type"] == "request-action" {
                let action = random_action(&mut random, &message["content"]["id"]);
                arena.handle_input(id, action.as_bytes(), now);
            }
        }
        arena.handle_timeout(now);
    }
    (std::iter::from_fn(|| arena.poll_artifact()).collect(), config)
}

#[test]
fn our_replays_read_back_and_re_execute() {
    let (artifacts, config) = played();
    let folder = "replays/2021-03-16-11-48-31-1615895311163_A_B/";
    let files = artifacts
        .iter()
        .filter_map(|file| Some((file.path.strip_prefix(folder)?, file.bytes.as_slice())));
    let record = ReplayRecord::read(files).unwrap();
    assert_eq!(record.fixed.sim, "1615895311163_A_B");
    assert_eq!(record.frames.len(), 41);
    let end = retrace(&record, initial(&record, config.sims[0].clone()), |_| {});
    end.unwrap_or_else(|difference| panic!("{difference}"));
    let result = artifacts.last().unwrap();
    assert_eq!(result.path, "results/result_2021-03-16-11-48-31.json");
    let result: Value = serde_json::from_slice(&result.bytes).unwrap();
    assert!(result["1615895311163_A_B"]["B"]["score"].is_i64(), "{result}");
}

#[test]
fn the_same_seed_gives_the_same_replay() {
    assert_eq!(played().0, played().0);
}
