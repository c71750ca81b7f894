//! Recordings as text and as JSON.

use phalanx_cli::remote::time;
use phalanx_proto::v1;
use phalanx_record::{ChannelTally, RecordingDamage, Summary};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The state of a recording in one word.
pub(super) fn state(summary: &Summary) -> &'static str {
    if summary.being_written {
        "recording"
    } else if summary.whole {
        "whole"
    } else {
        "cut off"
    }
}

/// Time of the begin, in UTC.
pub(super) fn begin(info: &v1::RecordingInfo) -> String {
    let begin = info.begin_time.and_then(|time| SystemTime::try_from(time).ok());
    begin.map_or_else(String::new, |begin| humantime::format_rfc3339_seconds(begin).to_string())
}

/// The recording's description, without its contents.
pub(super) fn info_json(info: &v1::RecordingInfo) -> serde_json::Map<String, Value> {
    let output = json!({
        "name": info.id, "team": info.team, "game": info.game, "server": info.server,
        "begin": begin(info), "seed": info.seed, "program_version": info.program_version,
        "format": info.format, "cause": info.cause, "game_options": info.game_options,
    });
    if let Value::Object(output) = output { output } else { serde_json::Map::new() }
}

/// A summary of the contents.
pub(super) fn summary_json(summary: &Summary) -> Value {
    let channel = |(topic, tally): (&String, &ChannelTally)| {
        (topic.clone(), json!({ "messages": tally.messages, "bytes": tally.bytes }))
    };
    json!({
        "state": state(summary),
        "seconds": summary.duration.as_secs_f64(),
        "turns": summary.turns,
        "generations": summary.generations,
        "file_bytes": summary.file_bytes,
        "lost": summary.lost,
        "channels": summary.channels.iter().map(channel).collect::<serde_json::Map<_, _>>(),
        "gaps": summary.gaps.iter().map(gap_json).collect::<Vec<_>>(),
        "damage": summary.damage.iter().map(damage_json).collect::<Vec<_>>(),
        "obstacles": summary.obstacles(),
    })
}

fn gap_json(gap: &v1::Gap) -> Value {
    let channel = |gap: &v1::GapChannel| json!({ "channel": gap.channel, "count": gap.count });
    json!({
        "from_nanos": gap.from_nanos, "to_nanos": gap.to_nanos, "cause": cause(gap),
        "channels": gap.channels.iter().map(channel).collect::<Vec<_>>(),
    })
}

pub(super) fn damage_json(damage: &RecordingDamage) -> Value {
    json!({
        "part": damage.part, "at": damage.at, "bytes": damage.bytes,
        "wrong": damage.wrong.to_string(),
    })
}

fn cause(gap: &v1::Gap) -> &'static str {
    match gap.cause() {
        v1::GapCause::Unspecified => "unknown",
        v1::GapCause::TooFast => "the disk was too slow",
        v1::GapCause::Disk => "the disk failed",
        v1::GapCause::TooLarge => "too large for a file",
        v1::GapCause::Old => "too old for the flight recorder",
    }
}

/// A gap in one line.
pub(super) fn gap_text(gap: &v1::Gap) -> String {
    let at = |nanos: i64| time(Duration::from_nanos(u64::try_from(nanos).unwrap_or_default()));
    let count: u64 = gap.channels.iter().map(|gap| gap.count).sum();
    let missing = if gap.channels.is_empty() {
        "it is not known how much".to_owned()
    } else {
        phalanx_cli::remote::counted(count, "message")
    };
    format!("{} to {}: {missing} ({})", at(gap.from_nanos), at(gap.to_nanos), cause(gap))
}

/// The names of a recording's files.
pub(super) fn files<'a>(files: impl Iterator<Item = &'a std::path::PathBuf>) -> Vec<String> {
    let name = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        Path::new(name).display().to_string()
    };
    files.map(name).collect()
}
