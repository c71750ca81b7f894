//! `phalanx recording fetch`.

use super::bytes;
use super::{resource, short};
use crate::args::recording::FetchArgs;
use crate::failure::refused;
use crate::remote::run;
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use phalanx_control::client::Link;
use phalanx_proto::v1;
use phalanx_proto::v1::recordings_client::RecordingsClient;
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Copies all files of a recording; bytes that are already there are not fetched again.
pub fn fetch(args: &FetchArgs) -> Result<()> {
    run(&args.remote, async |link| {
        let mut client = RecordingsClient::new(link);
        let name = resource(&args.recording);
        let answer = client.get_recording(v1::GetRecordingRequest { name: name.clone() }).await;
        let recording = answer.map_err(|status| refused(&status))?.into_inner().recording;
        let recording = recording.context("the daemon's answer has no recording")?;
        std::fs::create_dir_all(&args.to)
            .with_context(|| format!("cannot create {}", args.to.display()))?;
        let bar = bar(args, &recording);
        let mut files = Vec::new();
        for part in &recording.parts {
            files.push(copy(&mut client, &name, part, (&args.to, &bar)).await?);
        }
        bar.finish_and_clear();
        let paths: Vec<_> = files.iter().map(|path| path.display().to_string()).collect();
        let json = json!({ "recording": short(&name), "files": paths });
        args.remote.print.tell(&json, || paths.join("\n"))
    })
}

fn bar(args: &FetchArgs, recording: &v1::Recording) -> ProgressBar {
    if !std::io::stderr().is_terminal() || args.remote.print.is_json_asked() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(recording.file_bytes);
    let style = ProgressStyle::with_template("{bytes}/{total_bytes} {bar:24} {bytes_per_sec}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

async fn copy(
    client: &mut RecordingsClient<Link>,
    name: &str,
    part: &v1::RecordingPart,
    (folder, bar): (&Path, &ProgressBar),
) -> Result<PathBuf> {
    let path = folder.join(plain(&part.file_name)?);
    let said = || format!("cannot write {}", path.display());
    let mut file: File =
        OpenOptions::new().create(true).append(true).open(&path).with_context(said)?;
    let offset = file.metadata().with_context(said)?.len();
    bar.inc(offset);
    let request = v1::DownloadRecordingRequest { name: name.to_owned(), part: part.number, offset };
    let answer = client.download_recording(request).await;
    let mut pieces = answer.map_err(|status| refused(&status))?.into_inner();
    let mut next = offset;
    while let Some(piece) = pieces.message().await.map_err(|status| refused(&status))? {
        if piece.offset != next {
            bail!("the daemon sent byte {} of {} instead of {next}", piece.offset, part.file_name);
        }
        file.write_all(&piece.data).with_context(said)?;
        next += piece.data.len() as u64;
        bar.inc(piece.data.len() as u64);
    }
    if next < part.file_bytes {
        let (got, all) = (bytes(next), bytes(part.file_bytes));
        bail!("{}: received {got} of {all}; run the command again to continue", path.display());
    }
    Ok(path)
}

/// Checks that a file's name is a plain name, without a path to another folder.
fn plain(name: &str) -> Result<&str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        bail!("the daemon names {name:?}, which is not a recording's file");
    }
    Ok(name)
}
