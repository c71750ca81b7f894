//! A whole trial of the shipped strategy, beside compiling and loading it alone: the ratio counts.
#![allow(clippy::expect_used, reason = "a benchmark stops at the first surprise")]

use criterion::{Criterion, criterion_group, criterion_main};
use phalanx_assemble::api::API;
use phalanx_engine::Carry;
use phalanx_game::{Roster, RosterEntry};
use phalanx_lua::{Bundle, Limits, check_bundle};
use phalanx_trial::{Candidate, TrialOptions};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn trial(criterion: &mut Criterion) {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts");
    let bundle = Bundle::read(&scripts.join("assemble"), &[&scripts.join("lib")]);
    let bundle = Arc::new(bundle.expect("the shipped strategy reads"));
    let agents = [("a1", "worker"), ("a2", "scout")];
    let entry = |(name, role): (&str, &str)| RosterEntry::new(name, role);
    let roster = Roster { team: "A".into(), agents: agents.map(entry).to_vec() };
    let roles: Vec<String> = roster.agents.iter().map(|agent| agent.role.clone()).collect();
    let candidate = Candidate {
        game: "assemble",
        api: &API,
        roles: roles.iter().cloned().collect(),
        roster: Arc::new(roster),
        limits: Limits::default(),
        view: None,
        options: TrialOptions {
            time: Duration::from_secs(60),
            specs: true,
            decide_max: Duration::from_millis(100),
            refuse_endless: true,
            carry: Carry::Strict,
        },
    };
    criterion.bench_function("load alone", |bencher| {
        bencher
            .iter(|| black_box(check_bundle(&API, Arc::clone(&bundle), &roles, Limits::default())));
    });
    criterion.bench_function("whole trial", |bencher| {
        bencher.iter(|| black_box(phalanx_trial::run(&bundle, &candidate)));
    });
}

criterion_group!(benches, trial);
criterion_main!(benches);
