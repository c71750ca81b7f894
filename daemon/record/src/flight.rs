//! The last minutes of a team, kept in memory and written on request.

use crate::book::Book;
use crate::channel::Channel;
use crate::part::PartError;
use crate::queue::QueueLosses;
use crate::weight::weigh;
use crate::{RecordingInfo, RecordingOptions};
use phalanx_game::SeatId;
use phalanx_game::sorted::SortedMap;
use phalanx_net::{Appetite, Recorder, Taped};
use phalanx_proto::v1::GapCause;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::mem;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The least entries that are dropped together.
const SEGMENT_ENTRIES: usize = 256;
/// The default memory of a flight recorder, in bytes.
pub const FLIGHT_BYTES: usize = 32 << 20;

/// Keeps the most recent entries in memory. It always keeps the entries that created the team and
/// its seats.
pub struct FlightRecorder {
    options: RecordingOptions,
    info: RecordingInfo,
    bytes_max: usize,
    ring: Mutex<FlightRing>,
}

type Happened = (Instant, Taped);

/// Entries that are dropped together.
#[derive(Debug, Default)]
struct FlightSegment {
    entries: Vec<Happened>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct FlightRing {
    began: Option<Happened>,
    seats: SortedMap<SeatId, Happened>,
    sealed: VecDeque<Arc<FlightSegment>>,
    open: FlightSegment,
    bytes: usize,
    /// The dropped entries.
    gone: Option<QueueLosses>,
}

/// What one dump writes.
struct FlightDump {
    made: Vec<Happened>,
    gone: Option<QueueLosses>,
    segments: Vec<Arc<FlightSegment>>,
}

impl fmt::Debug for FlightRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlightRecorder").field("info", &self.info).finish_non_exhaustive()
    }
}

impl Recorder for FlightRecorder {
    fn put(&self, at: Instant, what: Taped) {
        let bytes = weigh(&what);
        self.ring().put((at, what), bytes, self.bytes_max);
    }

    fn appetite(&self) -> Appetite {
        Appetite::Everything
    }
}

impl FlightRecorder {
    /// A recorder that keeps roughly this many bytes.
    #[must_use]
    pub fn new(options: RecordingOptions, info: RecordingInfo, bytes_max: usize) -> Self {
        Self { options, info, bytes_max, ring: Mutex::default() }
    }

    /// Bytes in memory, approximately.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.ring().bytes
    }

    /// Writes the current content into a file of its own and continues. `cause` is the reason, as
    /// text. It takes as long as the disk does; entries are kept meanwhile.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn write(&self, cause: &str) -> io::Result<PathBuf> {
        let reel = self.ring().reel();
        let last = reel.segments.iter().flat_map(|segment| &segment.entries).map(|(at, _)| *at);
        let begun = self.info.begun;
        let after = last.max().unwrap_or(begun.instant).saturating_duration_since(begun.instant);
        let called = Duration::from_millis(begun.unix_ms) + after;
        let mut book = Book::new(self.options.book(), self.info.clone(), cause.to_owned());
        book.call(called);
        write(&mut book, &reel).map_err(|error| {
            book.abandon();
            match error {
                PartError::Io(error) => error,
                other @ PartError::Mcap(_) => io::Error::other(other),
            }
        })?;
        Ok(book.path().to_owned())
    }

    fn ring(&self) -> MutexGuard<'_, FlightRing> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write(book: &mut Book, reel: &FlightDump) -> Result<(), PartError> {
    for (at, what) in &reel.made {
        book.put(*at, what)?;
    }
    if let Some(gone) = &reel.gone {
        book.gap(gone)?;
    }
    for (at, what) in reel.segments.iter().flat_map(|segment| &segment.entries) {
        if !book.put(*at, what)? {
            let mut losses = QueueLosses::new(GapCause::TooLarge, *at);
            losses.add(Channel::of(what), *at);
            book.gap(&losses)?;
        }
    }
    book.close()
}

impl FlightRing {
    fn put(&mut self, entry: Happened, bytes: usize, bytes_max: usize) {
        self.open.entries.push(entry);
        self.open.bytes += bytes;
        self.bytes += bytes;
        let share = bytes_max / 16;
        if self.open.entries.len() >= SEGMENT_ENTRIES || self.open.bytes > share {
            self.seal();
        }
        while self.bytes > bytes_max
            && let Some(oldest) = self.sealed.pop_front()
        {
            self.bytes -= oldest.bytes;
            self.forget(&oldest);
        }
    }

    fn seal(&mut self) {
        if !self.open.entries.is_empty() {
            self.sealed.push_back(Arc::new(mem::take(&mut self.open)));
        }
    }

    fn forget(&mut self, oldest: &FlightSegment) {
        for (at, what) in &oldest.entries {
            if let Taped::Began(_) = what {
                self.began = Some((*at, what.clone()));
            } else if let Taped::SeatOpened(seat) = what {
                self.seats.insert(seat.id, (*at, what.clone()));
            } else {
                let gone = self.gone.get_or_insert_with(|| QueueLosses::new(GapCause::Old, *at));
                gone.add(Channel::of(what), *at);
            }
        }
    }

    fn reel(&mut self) -> FlightDump {
        self.seal();
        let made = self.began.iter().chain(self.seats.values()).cloned().collect();
        FlightDump {
            made,
            gone: self.gone.clone(),
            segments: self.sealed.iter().cloned().collect(),
        }
    }
}
