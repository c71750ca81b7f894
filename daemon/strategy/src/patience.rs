//! How long a keeper waits for the team that plays.

use phalanx_engine::CommandError;
use std::time::Duration;

/// How long a team may take for an answer: several turns of every game. A team that takes longer
/// counts as busy, so that no caller waits forever for a stuck team.
pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(30);
/// How often a busy team is asked again.
const TRIES: u32 = 5;
/// How long it is left alone in between.
const TRY_AGAIN: Duration = Duration::from_millis(200);

/// An answer of the team, or `Busy` after [`ANSWER_MAX`]: what was asked for may still happen.
pub(crate) async fn soon<T>(
    answer: impl Future<Output = Result<T, CommandError>>,
) -> Result<T, CommandError> {
    tokio::time::timeout(ANSWER_MAX, answer).await.unwrap_or_else(|_| Err(CommandError::busy()))
}

/// Asks a team again while it is busy, no longer than [`ANSWER_MAX`] in all.
pub(crate) async fn patiently<T, F>(mut ask: impl FnMut() -> F) -> Result<T, CommandError>
where
    F: Future<Output = Result<T, CommandError>>,
{
    soon(async {
        for _ in 1..TRIES {
            match ask().await {
                // A stuck team may still come back.
                Err(CommandError::Busy(_) | CommandError::Stuck { .. }) => {
                    tokio::time::sleep(TRY_AGAIN).await;
                }
                answer => return answer,
            }
        }
        ask().await
    })
    .await
}
