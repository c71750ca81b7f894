//! The generated code is the one that the `.proto` files give; published messages keep their shape.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod methods;
mod services;

use prost_types::{DescriptorProto, FileDescriptorSet};
use std::collections::BTreeSet;
use std::path::Path;

const FILES: &[&str] = &[
    "phalanx/v1/access.proto",
    "phalanx/v1/errors.proto",
    "phalanx/v1/team.proto",
    "phalanx/v1/daemon.proto",
    "phalanx/v1/team_spec.proto",
    "phalanx/v1/teams.proto",
    "phalanx/v1/matches.proto",
    "phalanx/v1/strategies.proto",
    "phalanx/v1/boards.proto",
    "phalanx/v1/worlds.proto",
    "phalanx/v1/arenas.proto",
    "phalanx/v1/league.proto",
    "phalanx/v1/lab.proto",
    "phalanx/v1/taped.proto",
    "phalanx/v1/recording.proto",
    "phalanx/v1/recordings.proto",
];
/// Messages with passwords.
const SECRET: &[&str] = &[
    ".phalanx.v1.TeamSpec",
    ".phalanx.v1.AgentSpec",
    ".phalanx.v1.CreateTokenResponse",
    ".phalanx.v1.ArenaFile",
];
/// Messages with maps.
const SORTED: &[&str] = &[
    ".phalanx.v1.TeamSpec",
    ".phalanx.v1.RecordingInfo",
    ".phalanx.v1.Ladder",
    ".phalanx.v1.TuneImprovement",
];
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn the_generated_code_is_up_to_date() {
    let mut compiler = protox::Compiler::new([ROOT]).unwrap();
    compiler.include_source_info(true).include_imports(true).open_files(FILES).unwrap();
    let fresh = tempfile::tempdir().unwrap();
    let mut config = prost_build::Config::new();
    config
        .out_dir(fresh.path())
        .service_generator(Box::new(services::Tables))
        // They have passwords or tokens: their texts for logs are written by hand.
        .skip_debug(SECRET)
        // The same request has the same bytes.
        .btree_map(SORTED);
    config.compile_fds(compiler.file_descriptor_set()).unwrap();
    compiler.include_source_info(false);
    std::fs::write(fresh.path().join("descriptors.bin"), compiler.encode_file_descriptor_set())
        .unwrap();
    let methods = methods::generated(&compiler.descriptor_pool());
    std::fs::write(fresh.path().join("methods.rs"), methods).unwrap();
    for name in ["phalanx.v1.rs", "descriptors.bin", "methods.rs"] {
        compare(&fresh.path().join(name), &Path::new(ROOT).join("src/gen").join(name));
    }
}

fn compare(fresh: &Path, kept: &Path) {
    if std::env::var_os("UPDATE_PROTO").is_some() {
        std::fs::copy(fresh, kept).unwrap();
    }
    let equal = std::fs::read(fresh).unwrap() == std::fs::read(kept).unwrap_or_default();
    assert!(equal, "{}: run UPDATE_PROTO=1 cargo test -p phalanx-proto", kept.display());
}

#[test]
fn every_field_keeps_its_number_and_type_once_published() {
    let fields = fields();
    let path = Path::new(ROOT).join("tests/published.txt");
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    let published: BTreeSet<_> = published.lines().map(str::to_owned).collect();
    // `message.field = number type`: lines may be added, none may change or go.
    let gone: Vec<_> = published.difference(&fields).collect();
    assert!(gone.is_empty(), "clients of earlier versions need {gone:#?}");
    if std::env::var_os("UPDATE_PROTO").is_some() {
        std::fs::write(&path, fields.iter().fold(String::new(), |all, line| all + line + "\n"))
            .unwrap();
    } else {
        let new: Vec<_> = fields.difference(&published).collect();
        assert!(new.is_empty(), "run UPDATE_PROTO=1 cargo test -p phalanx-proto for {new:#?}");
    }
}

#[test]
fn every_message_field_and_method_has_a_comment() {
    let mut bare = Vec::new();
    for file in descriptors().file {
        for location in file.source_code_info.unwrap_or_default().location {
            // Paths: 4 = message, 5 = enum, 6 = service, 7 = extension; then its index; 2 = its
            // fields, values or methods; then their index.
            let thing = matches!(location.path.as_slice(), [4..=7, _] | [4..=6, _, 2, _]);
            if thing && location.leading_comments().trim().is_empty() {
                bare.push(format!("{} {:?}", file.name.clone().unwrap_or_default(), location.span));
            }
        }
    }
    assert_eq!(bare, Vec::<String>::new());
}

fn descriptors() -> FileDescriptorSet {
    let mut compiler = protox::Compiler::new([ROOT]).unwrap();
    compiler.include_source_info(true).open_files(FILES).unwrap();
    compiler.file_descriptor_set()
}

fn fields() -> BTreeSet<String> {
    let set = descriptors();
    let ours = set.file.iter().filter(|file| file.package() == "phalanx.v1");
    let mut lines = BTreeSet::new();
    for file in ours {
        for message in &file.message_type {
            lines.extend(lines_of(message));
        }
        for kind in &file.enum_type {
            for value in &kind.value {
                lines.insert(format!("{}.{} = {}", kind.name(), value.name(), value.number()));
            }
        }
    }
    lines
}

fn lines_of(message: &DescriptorProto) -> Vec<String> {
    let line = |field: &prost_types::FieldDescriptorProto| {
        let label = field.label().as_str_name().trim_start_matches("LABEL_").to_lowercase();
        let kind = field.r#type().as_str_name().trim_start_matches("TYPE_").to_lowercase();
        let name = field.type_name().trim_start_matches('.');
        let text = format!(
            "{}.{} = {} {label} {kind} {name}",
            message.name(),
            field.name(),
            field.number()
        );
        text.trim_end().to_owned()
    };
    message.field.iter().map(line).collect()
}
