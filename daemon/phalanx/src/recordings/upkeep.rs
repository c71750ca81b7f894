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
/// So many looks without a loss, and the disk keeps up again.
const CALM_LOOKS: u32 = 5;
/// What happens so soon after a trouble is written with it.
const AFTERMATH: Duration = Duration::from_secs(2);

/// Until the team has ended and its recording is whole.
pub(super) async fn follow(recordings: Recordings, take: Arc<Take>) {
    match &take.keeps {
        Keeps::File(_) => file(&take).await,
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

/// Looks at a file's recording until its team has ended.
async fn file(take: &Take) {
    let Keeps::File(recording) = &take.keeps else { return };
    let mut losses = Losses::default();
    loop {
        tokio::select! {
            () = ended(take.ends.token()) => return,
            () = sleep(LOOK_EVERY) => {
                let status = recording.status();
                take.figures.sample(&sample(&status));
                losses.look(&take.team, &status);
            }
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
