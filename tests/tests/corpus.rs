//! What fuzzers found worth keeping is replayed: nothing that reads from a socket breaks on it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use phalanx_e2e::fuzz::{TARGETS, Target, conversations, first_words};
use phalanx_e2e::root;
use phalanx_proto::METHODS;
use phalanx_testkit::mangle::Mangler;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Damaged copies of each file.
const COPIES: u64 = 2;

fn corpus(target: &Target) -> BTreeMap<PathBuf, Vec<u8>> {
    let folder = root().join("tests/fuzz/corpus").join(target.name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

#[test]
fn the_corpus_of_every_target_is_read_and_gets_somewhere() {
    for target in TARGETS {
        let files = corpus(target);
        let reached = files.values().map(|bytes| (target.run)(bytes)).max();
        assert!(reached > Some(0), "{}: the corpus is refused at the door", target.name);
    }
}

#[test]
fn damaged_copies_of_the_corpus_are_read() {
    for target in TARGETS {
        for (path, bytes) in corpus(target) {
            let mut mangler = Mangler::new(bytes.len() as u64);
            for copy in 0..COPIES {
                let damaged = mangler.mangle(&bytes);
                let read = std::panic::catch_unwind(|| (target.run)(&damaged));
                assert!(read.is_ok(), "{}, copy {copy}: {damaged:?}", path.display());
            }
        }
    }
}

#[test]
fn the_methods_of_every_service_look_at_fuzzed_requests() {
    let target = TARGETS.iter().find(|target| target.name == "grpc").unwrap();
    let mut reached = BTreeMap::<&str, usize>::new();
    for (_, bytes) in first_words() {
        let service = METHODS[usize::from(bytes[0])].path.split('/').next().unwrap();
        *reached.entry(service).or_default() += (target.run)(&bytes);
    }
    for service in ["Arenas", "Daemon", "Leagues", "Recordings", "Teams"] {
        let looked = reached.iter().find(|(path, _)| path.ends_with(service));
        assert!(looked.is_some_and(|(_, looked)| *looked >= 3), "{service}: {reached:?}");
    }
}

#[test]
fn every_program_of_the_fuzzer_has_its_target() {
    let manifest: toml::Table =
        toml::from_str(&fs::read_to_string(root().join("tests/fuzz/Cargo.toml")).unwrap()).unwrap();
    let programs = manifest["bin"].as_array().unwrap();
    let mut programs: Vec<_> = programs.iter().map(|bin| bin["name"].as_str().unwrap()).collect();
    let mut targets: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
    programs.sort_unstable();
    targets.sort_unstable();
    assert_eq!(programs, targets);
}

/// A conversation is a match: the corpus begins with words that mean something.
#[test]
fn conversations_reach_the_turns_of_every_game() {
    for (name, bytes) in conversations().into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
        let target = TARGETS.iter().find(|target| target.name == name).unwrap();
        let reached = (target.run)(&bytes);
        assert!(reached >= 4, "{name}: {reached} after {} bytes", bytes.len());
    }
}
