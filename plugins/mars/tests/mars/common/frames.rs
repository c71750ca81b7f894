//! Recorded frames of the original referee and its clients.

use phalanx_testkit::traces;
use std::io::BufRead as _;

/// Which way a frame went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// From the referee.
    In,
    /// From a client.
    Out,
}

/// One recorded frame.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Whose connection; empty before the login.
    pub(crate) agent: String,
    /// Which way.
    pub(crate) way: Way,
    /// The text without its NUL.
    pub(crate) raw: String,
}

/// All whole frames of a recording; `None` where there are no recordings.
pub(crate) fn frames(name: &str) -> Option<Vec<Frame>> {
    let bytes = traces::bytes(name)?;
    let frame = |line: std::io::Result<String>| {
        let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let way = match line["dir"].as_str().unwrap() {
            "s2c" => Way::In,
            "c2s" => Way::Out,
            _ => return None,
        };
        let agent = line["agent"].as_str().unwrap_or_default().to_owned();
        Some(Frame { agent, way, raw: line["raw"].as_str().unwrap().to_owned() })
    };
    Some(bytes.lines().filter_map(frame).collect())
}
