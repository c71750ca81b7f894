//! The recordings of the folder, as the control API sees them.

use super::{Keeps, Recordings, Take};
use crate::lab::{LadderRecording, all_recordings};
use phalanx_control::{Messages, PartFile, RecordingDirectory, RecordingRefusal};
use phalanx_game::sorted::SortedSet;
use phalanx_proto::v1;
use phalanx_record::{EXTENSION, RecordingError, RecordingFile, Summary};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Prefix of a recording's resource name.
const RECORDINGS: &str = "recordings/";

impl RecordingDirectory for Recordings {
    fn recordings(&self) -> Result<Vec<v1::Recording>, RecordingRefusal> {
        let unreadable = |error: std::io::Error| {
            RecordingRefusal::Unreadable(format!("{}: {error}", self.folder().display()))
        };
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(self.folder()).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|ending| ending == EXTENSION) && path.is_file() {
                paths.push(path);
            }
        }
        paths.sort();
        let (mut seen, mut all) = (SortedSet::new(), Vec::new());
        for path in paths {
            if seen.contains(&path) {
                continue;
            }
            // Other files, and recordings that broke off at once, are not listed.
            let Ok(file) = RecordingFile::open(&path) else { continue };
            seen.extend(file.files().values().cloned());
            all.push(self.shown(id_of(&path), &file, &file.overview()));
        }
        for (id, path) in self.of_ladders() {
            let Ok(file) = RecordingFile::open(&path) else { continue };
            all.push(self.shown(id, &file, &file.overview()));
        }
        Ok(all)
    }

    fn recording(&self, id: &str) -> Result<v1::Recording, RecordingRefusal> {
        let file = self.find(id)?;
        let summary = file.summary();
        let channel = |(channel, tally): (&String, &phalanx_record::ChannelTally)| {
            let (messages, bytes) = (tally.messages, tally.bytes);
            v1::RecordingChannel { channel: channel.clone(), messages, bytes }
        };
        let channels = summary.channels.iter().map(channel).collect();
        Ok(v1::Recording { channels, ..self.shown(id.to_owned(), &file, &summary) })
    }

    fn replay(&self, id: &str, from: Duration) -> Result<Messages, RecordingRefusal> {
        let file = self.find(id)?;
        let from = u64::try_from(from.as_nanos()).unwrap_or(u64::MAX);
        let mut last = i64::try_from(from).unwrap_or(i64::MAX);
        let messages = file.raw_messages(from).map(move |found| match found {
            Ok(message) => {
                last = message.nanos;
                v1::ReplayRecordingResponse {
                    nanos: message.nanos,
                    channel: message.channel,
                    message_type: message.message_type.to_owned(),
                    data: message.data,
                    damage: String::new(),
                }
            }
            Err(damage) => v1::ReplayRecordingResponse {
                nanos: last,
                damage: damage.to_string(),
                ..v1::ReplayRecordingResponse::default()
            },
        });
        Ok(Box::new(messages))
    }

    fn part(&self, id: &str, number: u32) -> Result<PartFile, RecordingRefusal> {
        let file = self.find(id)?;
        let path = file.files().get(&number).cloned().ok_or(RecordingRefusal::NotFound)?;
        let file = std::fs::File::open(&path);
        let file = file.map_err(|error| RecordingRefusal::Unreadable(error.to_string()))?;
        Ok(PartFile { path, file })
    }

    fn delete(&self, id: &str) -> Result<(), RecordingRefusal> {
        if LadderRecording::of_id(id).is_some() {
            let text = "it belongs to a ladder of another process: remove its folder there";
            return Err(RecordingRefusal::Unreadable(text.to_owned()));
        }
        let file = self.find(id)?;
        if file.overview().being_written {
            return Err(RecordingRefusal::Written);
        }
        for path in file.files().values() {
            let gone = std::fs::remove_file(path);
            gone.map_err(|error| {
                RecordingRefusal::Unreadable(format!("{}: {error}", path.display()))
            })?;
        }
        tracing::info!(name = id, "deleted the recording on request");
        Ok(())
    }

    fn write_flight_recorder(&self, team: &str, cause: &str) -> Result<String, RecordingRefusal> {
        let takes = self.takes();
        let take = takes.iter().find(|take| take.team == team);
        let Some(Keeps::Flight(flight)) = take.map(|take| &take.keeps) else {
            return Err(RecordingRefusal::NoFlightRecorder);
        };
        let path = flight.write(Some(cause.to_owned()));
        let path = path.map_err(|error| RecordingRefusal::Unreadable(error.to_string()))?;
        tracing::info!(team, file = %path.display(), "wrote the flight recorder: {cause}");
        Ok(id_of(&path))
    }
}

impl Recordings {
    fn find(&self, id: &str) -> Result<RecordingFile, RecordingRefusal> {
        let of_ladder = LadderRecording::of_id(id).zip(self.shared.lab.as_ref());
        let path = match of_ladder {
            Some((recording, lab)) => recording.path(lab),
            None => self.folder().join(format!("{id}.{EXTENSION}")),
        };
        match RecordingFile::open(&path) {
            Ok(file) => Ok(file),
            Err(RecordingError::Disk { why, .. }) if why.kind() == std::io::ErrorKind::NotFound => {
                Err(RecordingRefusal::NotFound)
            }
            Err(error) => Err(RecordingRefusal::Unreadable(error.to_string())),
        }
    }

    /// The recordings of the matches of ladders, by their ids.
    fn of_ladders(&self) -> Vec<(String, PathBuf)> {
        let Some(lab) = &self.shared.lab else { return Vec::new() };
        let recordings = all_recordings(lab);
        recordings.iter().map(|one| (one.id(), one.path(lab))).collect()
    }

    fn shown(&self, id: String, file: &RecordingFile, summary: &Summary) -> v1::Recording {
        let info = file.info();
        let state = match summary {
            Summary { being_written: true, .. } => v1::RecordingState::Written,
            Summary { whole: true, .. } => v1::RecordingState::Whole,
            Summary { .. } => v1::RecordingState::Open,
        };
        let part = |(number, path): (&u32, &PathBuf)| v1::RecordingPart {
            number: *number,
            file_name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            file_bytes: path.metadata().map_or(0, |data| data.len()),
        };
        v1::Recording {
            name: format!("{RECORDINGS}{id}"),
            team: info.team.clone(),
            game: info.game.clone(),
            server: info.server.clone(),
            begin_time: info.begin_time,
            duration: summary.duration.try_into().ok(),
            state: state.into(),
            turns: summary.turns,
            lost: summary.lost,
            file_bytes: summary.file_bytes,
            parts: file.files().iter().map(part).collect(),
            cause: info.cause.clone(),
            program_version: info.program_version.clone(),
            trouble: self.trouble(file),
            channels: Vec::new(),
        }
    }

    /// The disk's problem if the recording is being written.
    fn trouble(&self, file: &RecordingFile) -> String {
        let troubles = |take: &Arc<Take>| {
            let Keeps::File(recording) = &take.keeps else { return None };
            let status = recording.status();
            let ours = file.files().values().any(|path| *path == status.path);
            status.trouble.filter(|_| ours)
        };
        self.takes().iter().find_map(troubles).unwrap_or_default()
    }
}

/// A recording's id: the name of its first file.
fn id_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
