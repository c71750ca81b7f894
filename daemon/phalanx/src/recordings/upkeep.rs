//! Looking after one team's recording: how it goes, what is wrong, its end.

use super::flight::Flight;
use super::{FINISH_MAX, Keeps, Recordings, Take, ended, sample};
use phalanx_record::RecordingStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{info, warn};

/// How often a recording is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Room is made whenever a recording has grown by this part of all that may be kept.
const GROWTH_PARTS: u64 = 50;
/// So many looks without a loss, and the disk keeps up again.
const CALM_LOOKS: u32 = 5;
/// What happens so soon after a trouble is written with it.
const AFTERMATH: Duration = Duration::from_secs(2);

/// Until the team has ended and its recording is whole.
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

/// Looks at a file's recording until its team has ended, and makes room for it as it grows.
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

/// How far a recording has grown since room was made for it.
#[derive(Debug, Default)]
struct Growth {
    known: u64,
    warned: bool,
}

impl Growth {
    /// Whether so much was written that room has to be made: of all that is kept, a share.
    fn is_much(&mut self, bytes: u64, keep_size: u64) -> bool {
        let much = bytes.saturating_sub(self.known) > keep_size / GROWTH_PARTS;
        if much {
            self.known = bytes;
        }
        much
    }

    /// Reports once that this recording alone is larger than all may be together.
    fn warn(&mut self, team: &str, bytes: u64, keep_size: u64) {
        if bytes > keep_size && !self.warned {
            self.warned = true;
            warn!(
                team,
                bytes,
                keep_size,
                "the recording alone is larger than recordings.keep_size; it goes on, and is deleted \
                 when another match begins"
            );
        }
    }
}

/// Tells once that things are left out, and once that it is well again.
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
            // What a failing disk loses is told by the one who writes.
            if !self.losing && status.trouble.is_none() {
                self.losing = true;
                warn!(
                    team,
                    lost,
                    "the recording leaves things out: the disk is too slow; bytes and decisions \
                     are kept longest"
                );
            }
            (self.known, self.calm) = (lost, 0);
        } else if self.losing {
            self.calm += 1;
            if self.calm >= CALM_LOOKS {
                self.losing = false;
                info!(team, lost, "the recording keeps everything again");
            }
        }
    }
}

/// Writes the last minutes at each trouble, not too often, until the team has ended.
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
                    info!(team, %file, "the flight recorder is written: something is wrong");
                }
                Err(error) => warn!(team, %error, "the flight recorder cannot be written"),
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
