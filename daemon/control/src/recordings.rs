//! The service `Recordings`.

mod pace;

use crate::TeamDirectory;
use crate::changes::{Call, Changes};
use crate::error::{Reason, RpcResult, refuse, refuse_field};
use crate::page::Page;
use crate::recording_view::{PartFile, RecordingDirectory, RecordingRefusal};
use crate::shares::{Ended, Leased, StreamHolder, StreamSlots};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use pace::ChannelFilter;
use phalanx_proto::v1;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

/// The prefix of a recording's resource name.
const RECORDINGS: &str = "recordings/";
/// The prefix of a team's resource name.
const TEAMS: &str = "teams/";
/// Longest id of a recording, in bytes.
const ID_BYTES_MAX: usize = 200;
/// Recordings that are replayed or downloaded at once; each takes a thread.
pub(crate) const READERS_MAX: usize = 8;
/// Short reads of recordings at once; each takes a thread.
const LOOKS_MAX: usize = 4;
/// Longest wait for a short read.
const LOOK_WAIT_MAX: Duration = Duration::from_secs(5);
/// Messages and pieces of files that wait for a client.
const WAITING_MAX: usize = 16;
/// Size of a piece of a file, in bytes.
const PIECE_BYTES: usize = 256 << 10;

/// Lists, replays and sends recordings.
pub(crate) struct RecordingsService {
    directory: Arc<dyn TeamDirectory>,
    changes: Changes,
    readers: Arc<StreamSlots>,
    looks: Arc<Semaphore>,
}

impl RecordingsService {
    pub(crate) fn new(
        directory: Arc<dyn TeamDirectory>,
        changes: Changes,
        readers: Arc<StreamSlots>,
    ) -> Self {
        Self { directory, changes, readers, looks: Arc::new(Semaphore::new(LOOKS_MAX)) }
    }

    fn kept(&self) -> Result<Arc<dyn RecordingDirectory>, Status> {
        self.directory.recordings().ok_or_else(|| {
            let message = "this daemon records nothing: set state_dir or recordings.folder, and \
                           recordings.mode to file or flight";
            refuse(Reason::NoRecordings, message, [])
        })
    }

    /// Runs work with files on a thread that may block.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn RecordingDirectory) -> Result<T, RecordingRefusal> + Send + 'static,
    ) -> Result<T, Status> {
        let kept = self.kept()?;
        let look = Arc::clone(&self.looks).acquire_owned();
        let look = tokio::time::timeout(LOOK_WAIT_MAX, look).await.map_err(|_| {
            let message = "other callers look into recordings all the time; try again later";
            refuse(Reason::TooManyStreams, message, [])
        })?;
        let done = tokio::task::spawn_blocking(move || {
            let _look = look;
            work(&*kept)
        });
        answered(done.await)
    }

    /// The same for work that sends pieces; ends when the client is gone.
    fn stream<T: Send + 'static, W: Send + 'static>(
        &self,
        holder: StreamHolder,
        what: W,
        send: impl FnOnce(W, &mut Sender<T>) -> Option<()> + Send + 'static,
    ) -> Result<Leased<ReceiverStream<Result<T, Status>>>, Status> {
        let lease = self.readers.open(holder)?;
        let (messages, receiver) = mpsc::channel(WAITING_MAX);
        let mut sender = Sender { messages, ended: lease.ended(), runtime: Handle::current() };
        tokio::task::spawn_blocking(move || send(what, &mut sender));
        Ok(lease.watch(ReceiverStream::new(receiver)))
    }
}

/// Sends what a thread reads.
struct Sender<T> {
    messages: mpsc::Sender<Result<T, Status>>,
    ended: Ended,
    runtime: Handle,
}

impl<T> Sender<T> {
    /// Waits for room; `None`: the client is gone, or its stream was ended.
    fn send(&mut self, message: Result<T, Status>) -> Option<()> {
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = self.ended.wait() => None,
                sent = self.messages.send(message) => sent.ok(),
            }
        })
    }
}

#[tonic::async_trait]
impl v1::recordings_server::Recordings for RecordingsService {
    type ReplayRecordingStream = BoxStream<'static, Result<v1::ReplayRecordingResponse, Status>>;
    type DownloadRecordingStream =
        BoxStream<'static, Result<v1::DownloadRecordingResponse, Status>>;

    async fn list_recordings(
        &self,
        request: Request<v1::ListRecordingsRequest>,
    ) -> RpcResult<v1::ListRecordingsResponse> {
        let request = request.into_inner();
        let page = Page::parse(request.page_size, &request.page_token)?;
        let mut all = self.read(|kept| kept.recordings()).await?;
        all.sort_by(|a, b| a.name.cmp(&b.name));
        let (recordings, next_page_token) = page.cut(all, |recording| id_of(&recording.name));
        Ok(Response::new(v1::ListRecordingsResponse { recordings, next_page_token }))
    }

    async fn get_recording(
        &self,
        request: Request<v1::GetRecordingRequest>,
    ) -> RpcResult<v1::GetRecordingResponse> {
        let id = id(&request.into_inner().name)?;
        let recording = Some(self.read(move |kept| kept.recording(&id)).await?);
        Ok(Response::new(v1::GetRecordingResponse { recording }))
    }

    async fn replay_recording(
        &self,
        request: Request<v1::ReplayRecordingRequest>,
    ) -> RpcResult<Self::ReplayRecordingStream> {
        let holder = StreamHolder::of(&request);
        let request = request.into_inner();
        let (id, filter) = (id(&request.name)?, ChannelFilter::of(&request)?);
        let from = pace::from(&request)?;
        let messages = self.read(move |kept| kept.replay(&id, from)).await?;
        let chosen = move |one: &v1::ReplayRecordingResponse| filter.takes(&one.channel);
        let stream = self.stream(holder, messages, move |messages, sender| {
            let mut messages = messages.filter(chosen);
            messages.try_for_each(|message| sender.send(Ok(message)))
        })?;
        Ok(Response::new(pace::paced(stream, request.speed).boxed()))
    }

    async fn download_recording(
        &self,
        request: Request<v1::DownloadRecordingRequest>,
    ) -> RpcResult<Self::DownloadRecordingStream> {
        let holder = StreamHolder::of(&request);
        let v1::DownloadRecordingRequest { name, part, offset } = request.into_inner();
        let id = id(&name)?;
        let file = self.read(move |kept| kept.part(&id, part.max(1))).await?;
        let length = file.file.metadata().map_err(|error| unreadable(&error))?.len();
        if offset > length {
            let message = format!("the file has {length} bytes");
            return Err(refuse(
                Reason::RecordingOffset,
                message,
                [("file_bytes", length.to_string())],
            ));
        }
        let send = move |file, sender: &mut _| send(file, (offset, length), sender);
        let stream = self.stream(holder, file, send)?;
        Ok(Response::new(stream.boxed()))
    }

    async fn delete_recording(
        &self,
        request: Request<v1::DeleteRecordingRequest>,
    ) -> RpcResult<v1::DeleteRecordingResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let (id, kept) = (id(&request.name)?, self.kept()?);
        let work = async move {
            answered(tokio::task::spawn_blocking(move || kept.delete(&id)).await)?;
            Ok(v1::DeleteRecordingResponse {})
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn write_flight_recorder(
        &self,
        request: Request<v1::WriteFlightRecorderRequest>,
    ) -> RpcResult<v1::WriteFlightRecorderResponse> {
        let call = Call::open(&request, &request.get_ref().team);
        let request = request.into_inner();
        let team = request.team.strip_prefix(TEAMS).filter(|team| !team.is_empty());
        let Some(team) = team.map(str::to_owned) else {
            return Err(refuse_field(
                Reason::NameMalformed,
                "team",
                "a resource name such as teams/A",
            ));
        };
        if self.directory.team(&team).is_none() {
            let message = format!("there is no team {team:?}");
            return Err(refuse(Reason::TeamNotFound, message, [("team", request.team.clone())]));
        }
        let (kept, cause) = (self.kept()?, format!("{} asked for it", call.who));
        let work = async move {
            let write = move || kept.write_flight_recorder(&team, &cause);
            let id = answered(tokio::task::spawn_blocking(write).await)?;
            Ok(v1::WriteFlightRecorderResponse { name: format!("{RECORDINGS}{id}") })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }
}

/// Sends a file from an offset up to its length at the start; `None`: the client has left.
fn send(
    part: PartFile,
    (mut offset, length): (u64, u64),
    sender: &mut Sender<v1::DownloadRecordingResponse>,
) -> Option<()> {
    let PartFile { path, mut file } = part;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Err(error) = file.seek(SeekFrom::Start(offset)) {
        return sender.send(Err(unreadable(&error)));
    }
    loop {
        let mut data = Vec::new();
        let left = (length - offset).min(PIECE_BYTES as u64);
        if let Err(error) = (&mut file).take(left).read_to_end(&mut data) {
            return sender.send(Err(unreadable(&error)));
        }
        let read = data.len() as u64;
        let (file_name, file_bytes) = (name.clone(), length);
        let piece = v1::DownloadRecordingResponse { file_name, file_bytes, offset, data };
        sender.send(Ok(piece))?;
        offset += read;
        if read == 0 || offset >= length {
            return Some(());
        }
    }
}

/// The id in a resource name, checked so that no path leads out of the folder.
fn id(name: &str) -> Result<String, Status> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let id = name.strip_prefix(RECORDINGS).filter(|id| {
        !id.is_empty() && id.len() <= ID_BYTES_MAX && !id.starts_with('.') && id.chars().all(plain)
    });
    id.map(str::to_owned).ok_or_else(|| {
        let expected = "a resource name such as recordings/A-assemble-20261122T013000Z";
        refuse_field(Reason::NameMalformed, "name", expected)
    })
}

fn id_of(name: &str) -> &str {
    name.strip_prefix(RECORDINGS).unwrap_or(name)
}

fn answered<T>(
    done: Result<Result<T, RecordingRefusal>, tokio::task::JoinError>,
) -> Result<T, Status> {
    match done {
        Ok(done) => done.map_err(refused),
        Err(error) => Err(unreadable(&error)),
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> Status {
    refuse(Reason::RecordingUnreadable, error.to_string(), [])
}

fn refused(refusal: RecordingRefusal) -> Status {
    match refusal {
        RecordingRefusal::NotFound => {
            refuse(Reason::RecordingNotFound, "there is no such recording, or no such part", [])
        }
        RecordingRefusal::Written => {
            refuse(Reason::RecordingWritten, "the recording is being written", [])
        }
        RecordingRefusal::Unreadable(why) => unreadable(&why),
        RecordingRefusal::NoFlightRecorder => {
            let message = "the team has no flight recorder: see recordings.mode of the settings";
            refuse(Reason::NoFlightRecorder, message, [])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        assert_eq!(
            id("recordings/A-mars-20261122T013000Z-2").unwrap(),
            "A-mars-20261122T013000Z-2"
        );
        for bad in ["", "A", "recordings/", "recordings/../x", "recordings/..", "recordings/a/b"] {
            assert!(id(bad).is_err(), "{bad}");
        }
        assert!(id(&format!("recordings/{}", "a".repeat(201))).is_err());
    }
}
