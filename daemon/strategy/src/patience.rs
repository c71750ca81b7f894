//! How long a keeper waits for the team that plays.

use crate::StageError;
use std::time::Duration;

/// How long a team may take for an answer: several turns of every game. One that needs longer
/// counts as busy, so that nobody waits for ever for a team that is stuck.
pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(30);
/// How often a busy team is asked again.
const TRIES: u32 = 5;
/// How long it is left alone in between.
const TRY_AGAIN: Duration = Duration::from_millis(200);

/// An answer of the team, or `Busy` after [`ANSWER_MAX`]: what was asked for may still happen.
pub(crate) async fn soon<T>(
    answer: impl Future<Output = Result<T, StageError>>,
) -> Result<T, StageError> {
    tokio::time::timeout(ANSWER_MAX, answer).await.unwrap_or(Err(StageError::Busy))
}

/// Asks a team again while it is busy, no longer than [`ANSWER_MAX`] in all.
pub(crate) async fn patiently<T, F>(mut ask: impl FnMut() -> F) -> Result<T, StageError>
where
    F: Future<Output = Result<T, StageError>>,
{
    soon(async {
        for _ in 1..TRIES {
            match ask().await {
                Err(StageError::Busy) => tokio::time::sleep(TRY_AGAIN).await,
                answer => return answer,
            }
        }
        ask().await
    })
    .await
}
