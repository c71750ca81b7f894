//! Supervises one team's recording: its progress, its problems, its end.

use super::flight::Flight;
use super::{FINISH_MAX, Keeps, Recordings, Take, ended, sample};
use phalanx_record::RecordingStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{info, warn};

/// How often a recording is checked.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Old recordings are deleted whenever a recording has grown by this part of
/// `recordings.keep_size`.
const GROWTH_PARTS: u64 = 50;
/// Checks without a loss after which the disk counts as fast enough again.
const CALM_LOOKS: u32 = 5;
/// What happens within this time after a problem is written with it.
const AFTERMATH: Duration = Duration::from_secs(2);

/// Runs until the team has ended and its recording is complete.
pub(super) async fn follow(recordings: Recordings, take: Arc<Take>) {
    match &take.keeps {
        Keeps::File(_) => file(&recordings, &take).await,
        Keeps::Flight(flight) => troubles(&recordings, &take, flight).await,
    }
    let team = Arc::clone(&take);
    let all = recordings.clone();
    let done = tokio::task::spawn_blocking(move || {
        team.finish(FINISH_MAX);
        all.prune();
    });
    // An error means that the runtime ends.
    done.await.ok();
    recordings.lock().retain(|other| !Arc::ptr_eq(other, &take));
}

/// Checks a file's recording until its team has ended, and deletes old ones as it grows.
async fn file(recordings: &Recordings, take: &Take) {
    let Keeps::File(recording) = &take.keeps else { return };
    let (mut losses, mut growth) = (Losses::default(), Growth::default());
    loop {
        tokio::select! {
            () = ended(take.ends.token()) => return,
            () = sleep(LOOK_EVERY) => {
                let status = recording.status();
                take.figures.sample(&sample(&status));
                losses.look(&take.team, &status);
                if growth.is_much(status.bytes, recordings.settings().keep_size) {
                    let all = recordings.clone();
                    // An error means that the runtime ends.
                    tokio::task::spawn_blocking(move || all.prune()).await.ok();
                }
                growth.warn(&take.team, status.bytes, recordings.settings().keep_size);
            }
        }
    }
}

/// The growth of a recording since old ones were last deleted.
#[derive(Debug, Default)]
struct Growth {
    known: u64,
    warned: bool,
}

impl Growth {
    /// Whether it has grown by enough of `keep_size` to delete old ones again.
    fn is_much(&mut self, bytes: u64, keep_size: u64) -> bool {
        let much = bytes.saturating_sub(self.known) > keep_size / GROWTH_PARTS;
        if much {
            self.known = bytes;
        }
        much
    }

    /// Logs once that this recording alone is larger than `recordings.keep_size`.
    fn warn(&mut self, team: &str, bytes: u64, keep_size: u64) {
        if bytes > keep_size && !self.warned {
            self.warned = true;
            warn!(
                team,
                bytes,
                keep_size,
                "the recording alone is larger than recordings.keep_size; it continues, and is deleted \
                 when another match begins"
            );
        }
    }
}

/// Logs once that entries are dropped, and once that none are any more.
#[derive(Debug, Default)]
struct Losses {
    known: u64,
    calm: u32,
    losing: bool,
}

impl Losses {
    fn look(&mut self, team: &str, status: &RecordingStatus) {
        let lost = status.lost;
        if lost > self.known {
            // The writer reports what a failing disk loses.
            if !self.losing && status.trouble.is_none() {
                self.losing = true;
                warn!(
                    team,
                    lost,
                    "the recording drops entries: the disk is too slow; bytes and decisions \
                     are dropped last"
                );
            }
            (self.known, self.calm) = (lost, 0);
        } else if self.losing {
            self.calm += 1;
            if self.calm >= CALM_LOOKS {
                self.losing = false;
                info!(team, lost, "the recording drops no entries any more");
            }
        }
    }
}

/// Writes the flight recorder after each problem, but not too often, until the team has ended.
async fn troubles(recordings: &Recordings, take: &Take, flight: &Arc<Flight>) {
    loop {
        tokio::select! {
            () = ended(take.ends.token()) => return,
            () = flight.noticed() => {}
        }
        let written = Instant::now();
        tokio::select! {
            () = ended(take.ends.token()) => {}
            () = sleep(AFTERMATH) => {}
        }
        let (team, work) = (take.team.clone(), Arc::clone(flight));
        let all = recordings.clone();
        let done = tokio::task::spawn_blocking(move || {
            match work.write(None) {
                Ok(path) => {
                    let file = path.display();
                    info!(team, %file, "wrote the flight recorder because of a problem");
                }
                Err(error) => warn!(team, %error, "cannot write the flight recorder"),
            }
            all.prune();
        });
        done.await.ok();
        let pause = recordings.settings().flight_pause;
        tokio::select! {
            () = ended(take.ends.token()) => return,
            () = sleep_until(written + pause) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_made_each_time_a_recording_has_grown_by_a_fiftieth_of_what_is_kept() {
        let mut growth = Growth::default();
        let looks = [10, 20, 21, 41, 42, 100].map(|bytes| growth.is_much(bytes, 1_000));
        assert_eq!(looks, [false, false, true, false, true, true]);
    }
}
