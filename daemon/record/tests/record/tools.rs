//! Tools that do not know our messages open a recording: the MCAP reader of the Python world.

use crate::game::{PATIENCE, info, options, play};
use phalanx_record::{Recording, RecordingFile};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages, as they are installed.
const PACKAGES: &[&str] = &["mcap==1.6.0", "mcap-protobuf-support==0.6.0"];
/// Set this variable if the test must not be skipped.
const DEMANDED: &str = "PHALANX_DEMAND_PYTHON";

const SCRIPT: &str = r#"
import sys
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

with open(sys.argv[1], "rb") as file:
    reader = make_reader(file, decoder_factories=[DecoderFactory()], validate_crcs=True)
    summary = reader.get_summary()
    topics = {channel.topic: summary.statistics.channel_message_counts[number]
              for number, channel in summary.channels.items()}
    decoded = {}
    for schema, channel, message, value in reader.iter_decoded_messages():
        assert value.DESCRIPTOR.full_name == schema.name, schema.name
        decoded[channel.topic] = decoded.get(channel.topic, 0) + 1
        if channel.topic == "/recording":
            assert value.team == "A" and value.game == "assemble", value
    assert decoded == topics, (decoded, topics)
    metadata = {record.name: record.metadata for record in reader.iter_metadata()}
    assert metadata["phalanx"]["team"] == "A", metadata
    assert [a.name for a in reader.iter_attachments()] == ["strategy-1-5ca1ab1e5ca1.json"]
    for topic in sorted(topics):
        print(topic, topics[topic])
"#;

/// A Python with the packages; `None` if there is none and none can be installed.
fn python() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcap-python");
    let python = folder.join("bin/python3");
    let works = || {
        let mut command = Command::new(&python);
        command.args(["-c", "import mcap.reader, mcap_protobuf.decoder"]);
        command.output().is_ok_and(|output| output.status.success())
    };
    if works() {
        return Some(python);
    }
    let run = |command: &mut Command| command.output().is_ok_and(|it| it.status.success());
    let made = run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))
        && run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES));
    (made && works()).then_some(python)
}

#[test]
fn the_usual_reader_lists_all_channels_and_decodes_every_message() {
    let Some(python) = python() else {
        assert!(std::env::var_os(DEMANDED).is_none(), "no Python with {PACKAGES:?}");
        println!("skipped: there is no Python with {PACKAGES:?}");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::begin(options(folder.path()), info()).unwrap();
    play(12, recording.clone());
    let path = recording.finish(PATIENCE).path;
    let output = Command::new(python).args(["-c", SCRIPT]).arg(&path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let summary = RecordingFile::open(&path).unwrap().summary();
    let expected: Vec<_> = summary
        .channels
        .iter()
        .map(|(topic, tally)| format!("{topic} {}", tally.messages))
        .collect();
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
    assert!(expected.len() > 15 * 3, "{expected:?}");
}
