//! Waits for a team's answer as long as the caller and the daemon have time.

use crate::error::{Reason, refuse};
use futures_util::FutureExt;
use std::future::Future;
use std::time::Duration;
use tokio::sync::watch;
use tonic::Status;

/// The answer is sent this long before the caller's deadline, so that it can say why it failed.
const PATIENCE_MARGIN: Duration = Duration::from_millis(10);

/// Waits for an answer, the caller's deadline, or the end of the daemon.
pub(crate) async fn answer<T>(
    closing: &watch::Receiver<bool>,
    patience: Option<Duration>,
    answer: impl Future<Output = T>,
) -> Result<T, Status> {
    until(closing, patience, false, answer).await
}

/// The same; `goes_on`: the requested work continues after the wait.
pub(crate) async fn until<T>(
    closing: &watch::Receiver<bool>,
    patience: Option<Duration>,
    goes_on: bool,
    answer: impl Future<Output = T>,
) -> Result<T, Status> {
    tokio::select! {
        biased;
        answer = answer => Ok(answer),
        status = end(closing.clone(), patience, goes_on) => Err(status),
    }
}

/// Completes when the wait is over without an answer. A function of its own: the compiler makes a
/// copy of [`until`] for each answer.
async fn end(
    mut closing: watch::Receiver<bool>,
    patience: Option<Duration>,
    goes_on: bool,
) -> Status {
    let late = match patience {
        Some(patience) => {
            tokio::time::sleep(patience.saturating_sub(PATIENCE_MARGIN)).left_future()
        }
        None => std::future::pending().right_future(),
    };
    tokio::select! {
        biased;
        () = late => too_late(goes_on),
        _ = closing.wait_for(|closing| *closing) => {
            refuse(Reason::ShuttingDown, "the daemon stops", [])
        }
    }
}

fn too_late(goes_on: bool) -> Status {
    let message = "the deadline passed before there was an answer";
    let more = if goes_on { "; the change continues" } else { "" };
    let metadata = [("goes_on", goes_on.to_string())];
    refuse(Reason::DeadlineExceeded, format!("{message}{more}"), metadata)
}
