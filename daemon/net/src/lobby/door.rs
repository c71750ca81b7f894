//! The socket of the bridges: one greeting each, within a time and a length.

use super::{HELLO, HELLO_BYTES_MAX, Lobby, REFUSED, SEPARATOR, WELCOME};
use crate::Link;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// How long a bridge may take to say who it is.
const GREETING_MAX: Duration = Duration::from_secs(2);
/// Connections that are being greeted at once. A further one takes the place of another that has
/// not said who it is: the oldest, of the user with the most of them. Where all have, it waits in
/// the system's queue.
const GREETINGS_MAX: usize = 64;
/// The pause after the system refused to accept: it is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A connection that is being greeted.
struct Greeting {
    /// Who is at the other end, where the system knows.
    user: Option<u32>,
    task: AbortHandle,
    /// It has said who it is.
    heard: Arc<AtomicBool>,
}

/// Lets bridges in until `stopped`.
pub async fn receive_bridges(listener: UnixListener, lobby: Lobby, stopped: CancellationToken) {
    let mut tasks = JoinSet::new();
    // By number: the oldest first.
    let mut greetings: BTreeMap<u64, Greeting> = BTreeMap::new();
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

/// The connection that makes room for another: the oldest that has said nothing, of the user with
/// the most such connections.
fn silent(greetings: &BTreeMap<u64, Greeting>) -> Option<u64> {
    let silent = || greetings.iter().filter(|(_, one)| !one.heard.load(Ordering::Relaxed));
    let mut crowds: BTreeMap<Option<u32>, usize> = BTreeMap::new();
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
    // Each doubling once: a bridge that is refused comes again every second.
    if count.is_power_of_two() {
        tracing::warn!(reason, count, "bridge refused");
    }
}

/// Hears who comes and hands it to its seat; otherwise tells it why not, and us.
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
    // One that goes away meanwhile is found out by the seat; it has to wait anew then.
    stream.write_all(welcome.as_bytes()).await.map_err(|error| format!("{peer}: {error}"))?;
    let (reader, writer) = stream.into_split();
    let link = Link { reader: Box::new(reader), writer: Box::new(writer), peer };
    seat.send(link).map_err(|link| format!("{} came when its seat was left", link.peer))
}

/// The first line, without its end. A bridge waits for the answer before it says more.
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
    // It may be gone already; then nobody needs to know.
    drop(stream.write_all(line.as_bytes()).await);
    Err(reason)
}
