//! The methods of the control API, with requests from bytes: each call is answered, and never with
//! an error of ours.

use super::services::{Arenas, Lab, Leagues, NAME, Process, RECORDING, Recordings};
use futures_util::FutureExt;
use phalanx_control::client::{self, Address, Link};
use phalanx_control::{
    Access, ArenaDirectory, Control, ControlHandle, Destinations, LabDirectory, LeagueDirectory,
    MoveHosts, Newcomers, Options, RecordingDirectory, Role, ServedTeam, SocketOptions,
    TeamDirectory, build,
};
use phalanx_engine::{CommandError, CommandRequest};
use phalanx_net::{Puppet, PuppetOptions, TeamHandle};
use prost::bytes::{Buf, BufMut};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tempfile::TempDir;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Code, Request, Status};

/// The longest time of a call; a stream that says nothing is left after it.
const CALL_MAX: Duration = Duration::from_millis(250);
/// A call must at least be refused by then.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// A daemon with one team, arena, league and recording, and a connection to it.
struct Served {
    runtime: tokio::runtime::Runtime,
    link: Link,
    _handle: ControlHandle,
    _puppet: Arc<Puppet>,
    _folder: TempDir,
}

struct OneOfEach {
    team: TeamHandle,
    recordings: Recordings,
}

impl TeamDirectory for OneOfEach {
    fn teams(&self) -> Vec<Arc<ServedTeam>> {
        vec![Arc::new(ServedTeam {
            handle: self.team.clone(),
            keeper: None,
            drain_max: Duration::from_millis(100),
            newcomers: Newcomers::default(),
            destinations: Destinations::new(MoveHosts::default(), "bridge"),
            creator: None,
        })]
    }

    fn arenas(&self) -> Option<Arc<dyn ArenaDirectory>> {
        Some(Arc::new(Arenas))
    }

    fn leagues(&self) -> Option<Arc<dyn LeagueDirectory>> {
        Some(Arc::new(Leagues))
    }

    fn lab(&self) -> Option<Arc<dyn LabDirectory>> {
        Some(Arc::new(Lab))
    }

    fn recordings(&self) -> Option<Arc<dyn RecordingDirectory>> {
        Some(Arc::new(self.recordings.clone()))
    }
}

#[expect(clippy::expect_used, reason = "without a daemon there is nothing to call")]
fn serve() -> Served {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("control.sock");
    let recordings = Recordings(folder.path().join("part.mcap"));
    std::fs::write(&recordings.0, b"a recording").expect("a file");
    let (handle, puppet, link) = runtime.block_on(async {
        let answer = |_: CommandRequest| async { Err(CommandError::Busy("fuzzed".into())) }.boxed();
        let (puppet, team) = Puppet::start(PuppetOptions::new(super::roster(), answer));
        let socket = SocketOptions { path: path.clone(), mode: 0o600, group: None };
        let host = Some(Arc::new(Process) as Arc<_>);
        let options = Options { socket: Some(socket), host, ..Options::default() };
        let access = Arc::new(Access::on_this_machine(Role::Admin));
        let control: Control =
            build(&options, Arc::new(OneOfEach { team, recordings }), access).expect("a socket");
        let served = control.spawn();
        let link = client::connect(&Address::Unix(path)).await.expect("a connection");
        (served, puppet, link)
    });
    Served { runtime, link, _handle: handle, _puppet: puppet, _folder: folder }
}

/// Bytes as a message.
#[derive(Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, bytes: Vec<u8>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&bytes);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut bytes = vec![0; from.remaining()];
        from.copy_to_slice(&mut bytes);
        Ok(Some(bytes))
    }
}

/// Calls a method; its first answer, or why there is none. `None`: a stream that says nothing yet.
async fn call(link: Link, path: PathAndQuery, message: Vec<u8>) -> Option<Result<Vec<u8>, Status>> {
    let mut grpc = tonic::client::Grpc::new(link);
    let asked = async {
        grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let answer = grpc.server_streaming(Request::new(message), path, Raw).await?;
        let first = answer.into_inner().message().await?;
        Ok(first.unwrap_or_default())
    };
    tokio::time::timeout(CALL_MAX, asked).await.ok()
}

static SERVED: OnceLock<Mutex<Served>> = OnceLock::new();

/// The first byte is the method, the rest its request; 1 if the method looked at the request.
///
/// # Panics
/// When a method fails in a way that is our fault.
pub(super) fn grpc(bytes: &[u8]) -> usize {
    let Some((number, message)) = super::bounded(bytes).split_first() else { return 0 };
    let methods = phalanx_proto::METHODS;
    let Some(method) = methods.get(usize::from(*number) % methods.len().max(1)) else { return 0 };
    let Ok(path) = PathAndQuery::try_from(format!("/{}", method.path)) else { return 0 };
    let served = SERVED.get_or_init(|| Mutex::new(serve()));
    let served = served.lock().unwrap_or_else(PoisonError::into_inner);
    let called = call(served.link.clone(), path, message.to_vec());
    let answer = served.runtime.block_on(async { tokio::time::timeout(ANSWER_MAX, called).await });
    assert!(answer.is_ok(), "{} did not answer: {message:?}", method.path);
    let status = answer.ok().flatten().and_then(Result::err);
    let code = status.as_ref().map_or(Code::Ok, Status::code);
    // Something that this daemon does not do, such as making teams.
    if code == Code::Unimplemented {
        return 0;
    }
    let is_ours = matches!(code, Code::Unknown | Code::DataLoss)
        // A message that is none is refused as an internal error by the framework.
        || (code == Code::Internal && !is_malformed(status.as_ref()));
    assert!(!is_ours, "{} answered {status:?} to {message:?}", method.path);
    usize::from(!is_malformed(status.as_ref()))
}

/// The request could not be read as a message.
fn is_malformed(status: Option<&Status>) -> bool {
    status.is_some_and(|status| status.message().contains("failed to decode Protobuf message"))
}

/// A request for each method, with a name that exists: what a corpus begins with.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    (0..=u8::MAX).zip(phalanx_proto::METHODS).map(seed).collect()
}

/// Field 1 of nearly every request is the name of what the method's service has.
fn seed((number, method): (u8, &phalanx_proto::Method)) -> Vec<u8> {
    let name = match method.path {
        path if path.contains("Arenas/") => format!("arenas/{NAME}"),
        path if path.contains("Leagues/") => format!("leagues/{NAME}"),
        path if path.contains("TuneRun") => format!("tuneRuns/{NAME}"),
        path if path.contains("Lab/") => format!("ladders/{NAME}"),
        path if path.contains("Recordings/") => format!("recordings/{RECORDING}"),
        _ => "teams/A".to_owned(),
    };
    let length = u8::try_from(name.len()).unwrap_or_default();
    [&[number, 0x0A, length][..], name.as_bytes()].concat()
}
