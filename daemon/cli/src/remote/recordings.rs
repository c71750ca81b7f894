//! The verbs around a daemon's recordings.

mod fetch;

pub use fetch::fetch;

use super::{Table, counted, run, team_name};
use crate::args::Remote;
use crate::args::recording::{DeleteRecordingArgs, DumpArgs};
use crate::failure::refused;
use anyhow::{Context, Result};
use indicatif::HumanBytes;
use phalanx_proto::v1;
use phalanx_proto::v1::recordings_client::RecordingsClient;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// Prefix of a recording's resource name.
const RECORDINGS: &str = "recordings/";

/// Lists the recordings of a daemon.
pub fn list_recordings(remote: &Remote) -> Result<()> {
    run(remote, async |link| {
        let mut client = RecordingsClient::new(link);
        let (mut all, mut page_token) = (Vec::new(), String::new());
        loop {
            let request = v1::ListRecordingsRequest { page_size: 0, page_token };
            let page = client.list_recordings(request).await;
            let page = page.map_err(|status| refused(&status))?.into_inner();
            all.extend(page.recordings);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        let json = json!({ "recordings": all.iter().map(as_json).collect::<Vec<_>>() });
        remote.print.tell(&json, || table(&all))
    })
}

/// Shows one recording of a daemon, with its channels.
pub fn recording_info(name: &str, remote: &Remote) -> Result<()> {
    run(remote, async |link| {
        let request = v1::GetRecordingRequest { name: resource(name) };
        let answer = RecordingsClient::new(link).get_recording(request).await;
        let recording = answer.map_err(|status| refused(&status))?.into_inner().recording;
        let recording = recording.context("the daemon's answer has no recording")?;
        remote.print.tell(&as_json(&recording), || text(&recording))
    })
}

/// Makes the daemon write what a flight recorder holds.
pub fn dump_recording(args: &DumpArgs) -> Result<()> {
    run(&args.remote, async |link| {
        let team = team_name(&link, args.team.as_deref()).await?;
        let request = v1::WriteFlightRecorderRequest { team, request_id: String::new() };
        let answer = RecordingsClient::new(link).write_flight_recorder(request).await;
        let name = answer.map_err(|status| refused(&status))?.into_inner().name;
        let name = short(&name);
        let text = || format!("wrote {name}; copy it with `phalanx recording fetch {name}`");
        args.remote.print.tell(&json!({ "recording": name }), text)
    })
}

pub fn delete_recording(args: &DeleteRecordingArgs) -> Result<()> {
    run(&args.remote, async |link| {
        let name = resource(&args.recording);
        let request = v1::DeleteRecordingRequest { name: name.clone(), request_id: String::new() };
        let answer = RecordingsClient::new(link).delete_recording(request).await;
        answer.map_err(|status| refused(&status))?;
        let text = || format!("recording {} is deleted", short(&name));
        args.remote.print.tell(&json!({ "deleted": short(&name) }), text)
    })
}

fn resource(name: &str) -> String {
    format!("{RECORDINGS}{}", short(name))
}

fn short(name: &str) -> &str {
    name.strip_prefix(RECORDINGS).unwrap_or(name)
}

/// As `phalanx recording list DIR` says it.
fn state(recording: &v1::Recording) -> &'static str {
    match recording.state() {
        v1::RecordingState::Written => "recording",
        v1::RecordingState::Whole => "whole",
        v1::RecordingState::Open => "cut off",
        v1::RecordingState::Unspecified => "",
    }
}

fn begin(recording: &v1::Recording) -> String {
    let begin = recording.begin_time.and_then(|time| SystemTime::try_from(time).ok());
    begin.map_or_else(String::new, |begin| humantime::format_rfc3339_seconds(begin).to_string())
}

fn duration(recording: &v1::Recording) -> Duration {
    recording.duration.and_then(|time| time.try_into().ok()).unwrap_or_default()
}

fn table(all: &[v1::Recording]) -> String {
    let head = &["RECORDING", "TEAM", "GAME", "BEGIN", "TIME", "TURNS", "SIZE", "STATE", "WHY"];
    let mut table = Table::new(head).spare(8);
    for one in all {
        let whole = one.state() == v1::RecordingState::Whole;
        let why = if one.trouble.is_empty() { &one.cause } else { &one.trouble };
        table.row([
            short(&one.name).to_owned(),
            one.team.clone(),
            one.game.clone(),
            begin(one),
            time(Duration::from_secs(duration(one).as_secs())),
            if whole { one.turns.to_string() } else { String::new() },
            bytes(one.file_bytes),
            state(one).to_owned(),
            why.clone(),
        ]);
    }
    table.shown()
}

fn text(recording: &v1::Recording) -> String {
    let mut text = format!(
        "recording {}: team {}, {}, at {}\nbegan {}, {} long, {}; recorded by {}\n",
        short(&recording.name),
        recording.team,
        recording.game,
        recording.server,
        begin(recording),
        time(duration(recording)),
        counted(recording.turns, "turn"),
        recording.program_version,
    );
    for part in &recording.parts {
        text.push_str(&format!("{} ({})\n", part.file_name, bytes(part.file_bytes)));
    }
    text.push_str(&format!("{}; missing: {}\n", state(recording), recording.lost));
    for (what, why) in [("trouble", &recording.trouble), ("written because", &recording.cause)] {
        if !why.is_empty() {
            text.push_str(&format!("{what}: {why}\n"));
        }
    }
    let mut table = Table::new(&["CHANNEL", "MESSAGES", "BYTES"]);
    for one in &recording.channels {
        table.row([one.channel.clone(), one.messages.to_string(), bytes(one.bytes)]);
    }
    format!("{text}\n{}", table.shown())
}

fn as_json(recording: &v1::Recording) -> Value {
    let part = |part: &v1::RecordingPart| json!({ "number": part.number, "file": part.file_name, "bytes": part.file_bytes });
    let channels = recording
        .channels
        .iter()
        .map(|one| (one.channel.clone(), json!({ "messages": one.messages, "bytes": one.bytes })));
    json!({
        "name": short(&recording.name), "team": recording.team, "game": recording.game,
        "server": recording.server, "begin": begin(recording),
        "seconds": duration(recording).as_secs_f64(), "state": state(recording),
        "turns": recording.turns, "lost": recording.lost, "file_bytes": recording.file_bytes,
        "parts": recording.parts.iter().map(part).collect::<Vec<_>>(),
        "cause": recording.cause, "trouble": recording.trouble,
        "program_version": recording.program_version,
        "channels": channels.collect::<serde_json::Map<_, _>>(),
    })
}

/// `1.50 MiB`.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    HumanBytes(bytes).to_string()
}

/// `12m 3s 250ms`.
#[must_use]
pub fn time(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    humantime::format_duration(Duration::from_millis(millis)).to_string()
}
