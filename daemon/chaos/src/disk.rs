//! The disk of recordings and checkpoints, with faults.

use crate::fault::FaultKind;
use phalanx_record::{DiskFile, RealDisk, RecordingDisk};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes that a write takes while writes are short.
const SHORT_BYTES: usize = 7;
/// Real time that a disk may be stuck, should a match end in between.
const STUCK_MAX: Duration = Duration::from_secs(30);

/// What is wrong with a disk, and until when.
#[derive(Debug, Default)]
struct DiskState {
    full_until: Option<Instant>,
    stuck_until: Option<Instant>,
    short_until: Option<Instant>,
}

impl DiskState {
    fn slot(&mut self, kind: FaultKind) -> Option<&mut Option<Instant>> {
        let slots = [
            (FaultKind::DiskFull, &mut self.full_until),
            (FaultKind::DiskStuck, &mut self.stuck_until),
            (FaultKind::DiskShort, &mut self.short_until),
        ];
        slots.into_iter().find(|(its, _)| *its == kind).map(|(_, slot)| slot)
    }
}

/// A disk whose faults follow the match's clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultyDisk(Arc<(Mutex<DiskState>, Condvar)>);

impl FaultyDisk {
    fn state(&self) -> MutexGuard<'_, DiskState> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A fault begins.
    pub(crate) fn begin(&self, kind: FaultKind, until: Instant) {
        if let Some(slot) = self.state().slot(kind) {
            *slot = Some(slot.map_or(until, |before| before.max(until)));
        }
    }

    /// Writes do not return.
    pub(crate) fn is_stuck(&self) -> bool {
        self.state().stuck_until.is_some()
    }

    /// The time of a fault is over.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        let state = self.state();
        let all = [state.full_until, state.stuck_until, state.short_until];
        all.into_iter().flatten().any(|until| until <= now)
    }

    /// Ends the faults whose time is over; `None`: all of them.
    pub(crate) fn end(&self, now: Option<Instant>) {
        let mut state = self.state();
        for kind in [FaultKind::DiskFull, FaultKind::DiskStuck, FaultKind::DiskShort] {
            if let Some(slot) = state.slot(kind) {
                *slot = slot.filter(|until| now.is_some_and(|now| *until > now));
            }
        }
        drop(state);
        self.0.1.notify_all();
    }

    /// Whether a file with this many bytes can be written now.
    pub(crate) fn keeps(&self, bytes: usize) -> bool {
        let mut left = bytes;
        while left > 0 && !self.is_stuck() {
            let Ok(taken) = self.takes(left) else { return false };
            left -= taken;
        }
        left == 0
    }

    /// How many of these bytes a write takes; waits while the disk is stuck.
    fn takes(&self, bytes: usize) -> io::Result<usize> {
        let is_stuck = |state: &mut DiskState| state.stuck_until.is_some();
        let waited = self.0.1.wait_timeout_while(self.state(), STUCK_MAX, is_stuck);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.full_until.is_some() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(if state.short_until.is_some() { bytes.min(SHORT_BYTES) } else { bytes })
    }
}

impl RecordingDisk for FaultyDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.takes(0)?;
        Ok(Box::new(FaultyFile { file: RealDisk.create(path)?, disk: self.clone() }))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }
}

#[derive(Debug)]
struct FaultyFile {
    file: Box<dyn DiskFile>,
    disk: FaultyDisk,
}

impl Write for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.disk.takes(bytes.len())?;
        self.file.write(bytes.get(..count).unwrap_or(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl DiskFile for FaultyFile {
    fn sync(&mut self) -> io::Result<()> {
        self.disk.takes(0)?;
        self.file.sync()
    }
}
