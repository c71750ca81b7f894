//! Any content of a file, of the environment or of a flag gets an answer, never a panic.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use phalanx_settings::{Environment, KEYS, Sources, load};
use proptest::prelude::*;

/// A declared key, or a similar one.
fn key() -> impl Strategy<Value = String> {
    let paths: Vec<_> = KEYS.iter().map(|doc| doc.path.replace("[]", "")).collect();
    prop_oneof![
        proptest::sample::select(paths),
        "[a-z_]{1,12}",
        "teams\\.[A0-9]{1,2}\\.[a-z_]{1,9}(\\.[a-z]{1,6})?",
        "[\\[\\].=_A-Z\\u{0}-\\u{ff}]{0,12}",
    ]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "\"[^\"\\\\\\n]{0,12}\"",
        "-?[0-9]{1,20}",
        "[0-9]{1,20}(ns|ms|s|m|h|B|MiB|GiB| |.5)?",
        "\\[[0-9, ]{0,9}\\]",
        "\\{ [a-z]{1,6} = [0-9]{1,3} \\}",
        "\\PC{0,20}",
    ]
}

proptest! {
    #[test]
    fn any_file_gets_an_answer(
        lines in proptest::collection::vec((key(), value()), 0..8),
        team in proptest::collection::vec((key(), value()), 0..8),
    ) {
        let line = |(key, value): &(String, String)| format!("{key} = {value}\n");
        let text: String = lines.iter().map(line).collect();
        let team: String = team.iter().map(line).collect();
        answer(&format!("{text}[[teams]]\n{team}"), &[], &[]);
    }

    #[test]
    fn any_text_gets_an_answer(text in "\\PC{0,200}") {
        answer(&text, &[], &[]);
    }

    #[test]
    fn any_variable_and_flag_gets_an_answer(name in key(), value in value()) {
        let base = "[[teams]]\nname = \"A\"\nagents = [{ name = \"x\" }]\nroles = { x = \"y\" }";
        let variable = format!("PHALANX__{}", name.replace('.', "__"));
        answer(base, &[(&variable, &value)], &[]);
        answer(base, &[], &[&format!("{name}={value}"), &value]);
    }
}

/// Loads; every mistake has its place, the value and what was expected.
fn answer(text: &str, environment: &[(&str, &str)], overrides: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("phalanx.toml");
    std::fs::write(&file, text).unwrap();
    let environment: Environment = environment.iter().copied().collect();
    let overrides: Vec<_> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let sources =
        Sources { file: &file, environment: &environment, overrides: &overrides, games: &[] };
    if let Err(errors) = load(&sources) {
        assert!(!errors.mistakes.is_empty());
        for mistake in errors.mistakes {
            assert!(!mistake.file.is_empty() && !mistake.expected.is_empty(), "{mistake:?}");
            assert!(!mistake.got.is_empty() || !mistake.key.is_empty(), "{mistake:?}");
        }
    }
}
