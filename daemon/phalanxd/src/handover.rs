//! A restart that referees do not notice: the service manager keeps the teams' connections open,
//! and the state folder keeps what was received on them, until the next process takes both.
//!
//! ```text
//!  this process                     manager, state folder              the next one
//!  answers open turns
//!  last checkpoint ───────────────► checkpoints/TEAM ────────────────► resumes from it
//!  received messages ─────────────► handover ────────────────────────► sessions replay them
//!  connections ──── FDSTORE=1 ────► kept-seats ──── LISTEN_FDNAMES ──► seats continue with them
//! ```
//!
//! A socket belongs to the notes with the same local and peer address. A socket without notes, or
//! the reverse, is closed, and its seat connects again as after any other loss.

use crate::manager::Manager;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{freeze, thaw};
use phalanx_net::HandedSeat;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::SystemTime;
use tracing::{info, warn};

/// The name under which the service manager keeps the connections.
pub const SEATS: &str = "kept-seats";

/// The notes, in the state folder.
const NOTES: &str = "handover";
/// The temporary file of the notes.
const UNDERWAY: &str = ".underway-handover";
/// Version of the notes' layout.
const VERSION: u16 = 1;
/// Longest notes that are read, in bytes.
const NOTES_BYTES_MAX: u64 = 64 << 20;
/// What a team received is readable by the daemon's user only.
const FILE_MODE: u32 = 0o600;

/// The notes about one connection.
#[derive(Serialize, Deserialize)]
struct Note {
    team: String,
    seat: String,
    server: String,
    here: SocketAddr,
    there: SocketAddr,
    heard: Vec<(SystemTime, Vec<u8>)>,
}

/// Connections that the previous process left, by team.
pub type Handed = SortedMap<String, Vec<HandedSeat>>;

/// Leaves the teams' connections with the service manager, and the notes in the state folder.
pub fn leave(manager: &Manager, state: &Path, teams: Vec<(String, Vec<HandedSeat>)>) {
    let seats = teams.into_iter().flat_map(|(team, seats)| {
        seats.into_iter().filter_map(move |seat| noted(team.clone(), seat))
    });
    let (notes, streams): (Vec<_>, Vec<_>) = seats.unzip();
    if notes.is_empty() {
        return;
    }
    if let Err(error) = write(state, &freeze(VERSION, &notes)) {
        let folder = state.display();
        warn!(%folder, %error, "connections are closed, not handed over: the notes cannot be written");
        return;
    }
    info!(connections = streams.len(), "left with the service manager for the next process");
    for stream in streams {
        manager.keep(SEATS, OwnedFd::from(stream));
    }
}

fn noted(team: String, seat: HandedSeat) -> Option<(Note, TcpStream)> {
    let HandedSeat { seat, server, stream, heard } = seat;
    // A connection without both addresses is already closed.
    let (here, there) = (stream.local_addr().ok()?, stream.peer_addr().ok()?);
    Some((Note { team, seat, server, here, there, heard }, stream))
}

/// Takes over what the previous process left. The service manager no longer keeps it.
#[must_use]
pub fn take(manager: &Manager, state: Option<&Path>, streams: Vec<TcpStream>) -> Handed {
    let notes = state.and_then(read).unwrap_or_default();
    if !streams.is_empty() {
        manager.forget(SEATS);
    }
    let mut handed = Handed::new();
    let mut streams: SortedMap<_, _> = streams.into_iter().filter_map(with_ends).collect();
    for Note { team, seat, server, here, there, heard } in notes {
        if let Some(stream) = streams.remove(&(here, there)) {
            handed.entry(team).or_default().push(HandedSeat { seat, server, stream, heard });
        }
    }
    if !streams.is_empty() {
        let connections = streams.len();
        warn!(connections, "the service manager kept connections without notes: closed");
    }
    handed
}

type Ends = (SocketAddr, SocketAddr);

fn with_ends(stream: TcpStream) -> Option<(Ends, TcpStream)> {
    Some(((stream.local_addr().ok()?, stream.peer_addr().ok()?), stream))
}

fn write(state: &Path, bytes: &[u8]) -> io::Result<()> {
    let underway = state.join(UNDERWAY);
    remove(&underway)?;
    let mut file = File::options().write(true).create_new(true).mode(FILE_MODE).open(&underway)?;
    file.write_all(bytes)?;
    fs::rename(underway, state.join(NOTES))
}

/// Reads the notes and deletes them: they are used once.
fn read(state: &Path) -> Option<Vec<Note>> {
    let path = state.join(NOTES);
    let notes = match bytes_of(&path) {
        Ok(bytes) => thaw(VERSION, &bytes?).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = remove(&path) {
        warn!(file = %path.display(), %error, "cannot be removed");
    }
    let read = notes.map_err(|error| {
        let file = path.display();
        warn!(%file, error, "cannot use the notes of the previous process: opening new connections");
    });
    read.ok()
}

fn bytes_of(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(NOTES_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > NOTES_BYTES_MAX {
        return Err(io::Error::other(format!("it has more than {NOTES_BYTES_MAX} bytes")));
    }
    Ok(Some(bytes))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
