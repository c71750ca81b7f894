//! `phalanx recording info`.

use super::{progress, shown};
use crate::args::recording::RecordingInfoArgs;
use crate::extracts::open;
use anyhow::Result;
use phalanx_cli::failure::EXIT_FAILED;
use phalanx_cli::failure::misused;
use phalanx_cli::remote::{Table, bytes, counted, recording_info, time};
use phalanx_record::{EXTENSION, RecordingFile, Summary};
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;

/// Gaps and damaged places that are listed in the text, at most.
const LISTED_MAX: usize = 10;

pub(super) fn run(args: &RecordingInfoArgs) -> Result<ExitCode> {
    if !is_file(&args.recording) {
        if args.check {
            return Err(misused("--check reads files; `phalanx recording fetch` copies one here"));
        }
        recording_info(&args.recording, &args.remote)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (what, print) = (format!("reading {}", args.recording), &args.remote.print);
    let (file, summary) = progress::meanwhile(print, what, || {
        let file = open(Path::new(&args.recording))?;
        let summary = if args.check { file.by_reading() } else { file.summary() };
        anyhow::Ok((file, summary))
    })?;
    print.tell(&json(&file, &summary), || text(&file, &summary))?;
    let fine = summary.whole && summary.lost == 0 && summary.damage.is_empty();
    let failed = args.check && !(fine && summary.gaps.is_empty());
    Ok(if failed { ExitCode::from(EXIT_FAILED) } else { ExitCode::SUCCESS })
}

/// Whether a file is meant rather than a recording of a daemon.
fn is_file(recording: &str) -> bool {
    let ending = Path::new(recording).extension().is_some_and(|ending| ending == EXTENSION);
    ending || recording.contains('/') || Path::new(recording).exists()
}

fn json(file: &RecordingFile, summary: &Summary) -> Value {
    let mut output = shown::info_json(file.info());
    if let Value::Object(more) = shown::summary_json(summary) {
        output.extend(more);
    }
    let paths = file.files().values().map(|path| path.display().to_string());
    output.insert("files".into(), paths.collect());
    let names = file.attachments().iter().map(|attached| attached.name.clone());
    output.insert("attachments".into(), names.collect());
    output.into()
}

fn text(file: &RecordingFile, summary: &Summary) -> String {
    let info = file.info();
    let files = shown::files(file.files().values());
    let mut text =
        format!("recording {}: team {}, {}, at {}\n", info.id, info.team, info.game, info.server);
    text.push_str(&format!(
        "began {}, {} long, {}; recorded by {}\n",
        shown::begin(info),
        time(summary.duration),
        counted(summary.turns, "turn"),
        info.program_version,
    ));
    if !info.cause.is_empty() {
        text.push_str(&format!("kept by the flight recorder because: {}\n", info.cause));
    }
    let state = match shown::state(summary) {
        "recording" => "is being recorded",
        "whole" => "is whole",
        _ => "has no end: repair it with `phalanx recording recover`",
    };
    let size = bytes(summary.file_bytes);
    text.push_str(&format!("{} ({size}) {state}\n", files.join(", ")));
    let generations: Vec<_> = summary.generations.iter().map(u32::to_string).collect();
    text.push_str(&format!("generations of the strategy: {}\n", generations.join(", ")));
    text.push_str(&missing(summary));
    text.push_str(&format!("\n{}\n", channels(summary)));
    if !file.attachments().is_empty() {
        text.push('\n');
    }
    for attached in file.attachments() {
        let size = bytes(attached.data.len() as u64);
        text.push_str(&format!("attached: {} ({size})\n", attached.name));
    }
    text
}

fn missing(summary: &Summary) -> String {
    let mut text = String::new();
    if summary.lost > 0 || !summary.gaps.is_empty() {
        let is_counted = summary.gaps.iter().all(|gap| !gap.channels.is_empty());
        let lost = counted(summary.lost, "message");
        text.push_str(&match (is_counted, summary.lost) {
            (true, _) => format!("missing: {lost}\n"),
            (false, 0) => "missing: an unknown number of messages\n".to_owned(),
            (false, _) => format!("missing: at least {lost}\n"),
        });
    }
    let gaps = summary.gaps.iter().map(|gap| format!("gap {}", shown::gap_text(gap)));
    // The end of a file that is being recorded is not there yet.
    let damage = summary.damage.iter().filter(|_| !summary.being_written);
    let damage = damage.map(|damage| format!("damage: {damage}"));
    for (listed, line) in gaps.chain(damage).enumerate() {
        if listed == LISTED_MAX {
            text.push_str("  and more; --output json lists up to a thousand\n");
            break;
        }
        text.push_str(&format!("  {line}\n"));
    }
    match summary.obstacles().as_slice() {
        [] => {}
        _ => text.push_str("its decisions cannot be reproduced exactly\n"),
    }
    text
}

fn channels(summary: &Summary) -> String {
    let mut table = Table::new(&["CHANNEL", "MESSAGES", "BYTES"]);
    for (topic, tally) in &summary.channels {
        table.row([topic.clone(), tally.messages.to_string(), bytes(tally.bytes)]);
    }
    table.shown()
}
