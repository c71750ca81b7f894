//! Recorded traffic: gzipped JSON lines, one message each.

use flate2::read::GzDecoder;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;

/// Which way a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceDirection {
    /// From the referee to us.
    In,
    /// From us to the referee.
    Out,
}

/// One recorded message.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceLine {
    /// Seconds since the start of the recording.
    pub at: f64,
    /// Whose connection.
    pub agent: String,
    /// Which way.
    pub direction: TraceDirection,
    /// The raw text, as recorded.
    pub message: String,
}

/// The file of that relative name under `PHALANX_TRACES`, for example
/// `mapc2020/probes/session.jsonl.gz`; `None`, with a printed line, when the variable is not set.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "tests find recordings through the environment")]
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
pub fn path(name: &str) -> Option<PathBuf> {
    let Ok(root) = std::env::var("PHALANX_TRACES") else {
        println!("skipped: PHALANX_TRACES is not set, {name} is not there");
        return None;
    };
    Some(PathBuf::from(root).join(name))
}

/// The bytes of a file under `PHALANX_TRACES`, unpacked when the name ends in `.gz`.
///
/// # Panics
/// When the variable is set and the file cannot be read: a broken set of traces must not look like
/// a test that passed.
#[must_use]
pub fn bytes(name: &str) -> Option<Vec<u8>> {
    let path = path(name)?;
    let mut file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    let read = if name.ends_with(".gz") {
        GzDecoder::new(file).read_to_end(&mut bytes)
    } else {
        file.read_to_end(&mut bytes)
    };
    read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(bytes)
}

/// All messages of a recording in `.jsonl.gz` form (`t`, `agent`, `dir`, `msg`).
///
/// # Panics
/// As [`bytes`], and when a line is not of that form.
#[must_use]
pub fn lines(name: &str) -> Option<Vec<TraceLine>> {
    let bytes = bytes(name)?;
    let lines = BufReader::new(bytes.as_slice()).lines();
    let parse = |(number, line): (usize, std::io::Result<String>)| {
        line.ok().as_deref().and_then(parse).unwrap_or_else(|| panic!("{name}:{}", number + 1))
    };
    Some(lines.enumerate().map(parse).collect())
}

fn parse(line: &str) -> Option<TraceLine> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let direction = match value.get("dir")?.as_str()? {
        "in" => TraceDirection::In,
        "out" => TraceDirection::Out,
        _ => return None,
    };
    Some(TraceLine {
        at: value.get("t")?.as_f64()?,
        agent: value.get("agent")?.as_str()?.to_owned(),
        direction,
        message: value.get("msg")?.as_str()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_time_agent_direction_and_message() {
        let line = r#"{"t": 1.5, "agent": "A1", "dir": "in", "msg": "{\"type\":\"bye\"}"}"#;
        let expected = TraceLine {
            at: 1.5,
            agent: "A1".into(),
            direction: TraceDirection::In,
            message: r#"{"type":"bye"}"#.into(),
        };
        assert_eq!(parse(line), Some(expected));
        assert_eq!(parse(r#"{"t": 1.5, "agent": "A1", "dir": "up", "msg": ""}"#), None);
    }
}
