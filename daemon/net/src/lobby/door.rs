//! The socket of the bridges: one greeting each, limited in time and length.

use super::{HELLO, HELLO_BYTES_MAX, Lobby, REFUSED, SEPARATOR, WELCOME};
use crate::Link;
use phalanx_game::sorted::SortedMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// How long a bridge may take to send its greeting.
const GREETING_MAX: Duration = Duration::from_secs(2);
/// Connections that are being greeted at once. A further one replaces one that has not sent its
/// greeting: the oldest, of the user with the most of them. If all have sent it, the new one waits
/// in the system's queue.
const GREETINGS_MAX: usize = 64;
/// The pause after the system refused to accept, because it is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A connection that is being greeted.
struct Greeting {
    /// The user at the other end, if the system knows it.
    user: Option<u32>,
    task: AbortHandle,
    /// It has sent its greeting.
    heard: Arc<AtomicBool>,
}

/// Lets bridges in until `stopped`.
pub async fn receive_bridges(listener: UnixListener, lobby: Lobby, stopped: CancellationToken) {
    let mut tasks = JoinSet::new();
    // By number: the oldest first.
    let mut greetings: SortedMap<u64, Greeting> = SortedMap::new();
    let mut last = 0;
    let refused = Arc::new(AtomicU64::new(0));
    loop {
        let full = greetings.len() >= GREETINGS_MAX && silent(&greetings).is_none();
        tokio::select! {
            () = stopped.cancelled() => return,
            Some(_) = tasks.join_next() => greetings.retain(|_, one| !one.task.is_finished()),
            accepted = listener.accept(), if !full => match accepted {
                Ok((stream, _)) => {
                    if greetings.len() >= GREETINGS_MAX
                        && let Some(oldest) = silent(&greetings)
                        && let Some(greeting) = greetings.remove(&oldest)
                    {
                        greeting.task.abort();
                        note(&refused, "another bridge came while this one said nothing");
                    }
                    let user = stream.peer_cred().ok().map(|user| user.uid());
                    let heard = Arc::new(AtomicBool::new(false));
                    let refused = Arc::clone(&refused);
                    let task = tasks.spawn(receive(stream, lobby.clone(), refused, Arc::clone(&heard)));
                    last += 1;
                    greetings.insert(last, Greeting { user, task, heard });
                }
                Err(error) => {
                    tracing::warn!(%error, "accepting a bridge failed");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
}

/// The connection to close for a new one: the oldest without a greeting, of the user with the most
/// such connections.
fn silent(greetings: &SortedMap<u64, Greeting>) -> Option<u64> {
    let silent = || greetings.iter().filter(|(_, one)| !one.heard.load(Ordering::Relaxed));
    let mut crowds: SortedMap<Option<u32>, usize> = SortedMap::new();
    silent().for_each(|(_, one)| *crowds.entry(one.user).or_default() += 1);
    let (user, _) = crowds.into_iter().max_by_key(|(_, count)| *count)?;
    silent().find(|(_, one)| one.user == user).map(|(id, _)| *id)
}

async fn receive(
    stream: UnixStream,
    lobby: Lobby,
    refused: Arc<AtomicU64>,
    heard: Arc<AtomicBool>,
) {
    if let Err(reason) = greet(stream, &lobby, &heard).await {
        note(&refused, &reason);
    }
}

fn note(refused: &AtomicU64, reason: &str) {
    let count = refused.fetch_add(1, Ordering::Relaxed) + 1;
    // Logged at each doubling: a refused bridge comes again every second.
    if count.is_power_of_two() {
        tracing::warn!(reason, count, "bridge refused");
    }
}

/// Reads the greeting and hands the connection to its seat; otherwise it sends the reason to the
/// bridge and returns it.
async fn greet(mut stream: UnixStream, lobby: &Lobby, said: &AtomicBool) -> Result<(), String> {
    let heard = tokio::time::timeout(GREETING_MAX, hear(&mut stream)).await;
    let line = match heard {
        Ok(Ok(line)) => line,
        Ok(Err(error)) => return refuse(stream, error.to_string()).await,
        Err(_) => return refuse(stream, format!("no greeting within {GREETING_MAX:?}")).await,
    };
    said.store(true, Ordering::Relaxed);
    let (team, agent) = match parts(&line) {
        Ok(parts) => parts,
        Err(reason) => return refuse(stream, reason).await,
    };
    let seat = match lobby.admit(team, agent).await {
        Ok(seat) => seat,
        Err(reason) => return refuse(stream, reason).await,
    };
    let peer = format!("bridge of {agent}");
    let welcome = format!("{WELCOME}\n");
    // If the bridge leaves meanwhile, the seat notices and waits again.
    stream.write_all(welcome.as_bytes()).await.map_err(|error| format!("{peer}: {error}"))?;
    let (reader, writer) = stream.into_split();
    let link = Link { reader: Box::new(reader), writer: Box::new(writer), peer };
    seat.send(link).map_err(|link| format!("{}: its seat stopped waiting", link.peer))
}

/// The first line, without its end. A bridge sends nothing else before the answer.
async fn hear(stream: &mut UnixStream) -> io::Result<String> {
    let mut line = Vec::new();
    while line.len() < HELLO_BYTES_MAX {
        if stream.read_buf(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line.contains(&b'\n') {
            break;
        }
    }
    let text = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
    let text = text.filter(|text| !text.contains('\n') && text.len() <= HELLO_BYTES_MAX);
    text.map(str::to_owned).ok_or_else(|| io::Error::other("the greeting is one line of text"))
}

/// Team and agent of a greeting.
fn parts(line: &str) -> Result<(&str, &str), String> {
    match line.split(SEPARATOR).collect::<Vec<_>>().as_slice() {
        [HELLO, team, agent] => Ok((team, agent)),
        _ => {
            let said = phalanx_game::excerpt(line.as_bytes());
            Err(format!("expected \"{HELLO}\", team and agent, got {said:?}; same version?"))
        }
    }
}

async fn refuse(mut stream: UnixStream, reason: String) -> Result<(), String> {
    let line = format!("{REFUSED}{SEPARATOR}{reason}\n");
    // The bridge may be gone already, so a failed write does not matter.
    drop(stream.write_all(line.as_bytes()).await);
    Err(reason)
}
