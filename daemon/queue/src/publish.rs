//! Requests that are made again until the server has carried them out.

use crate::QueueError;
use crate::error::in_words;
use crate::link::Say;
use async_nats::jetstream::Context;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::publish::PublishAck;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The first pause before another attempt, and the longest one.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(3));

/// When to give up.
pub(crate) struct Retry<'a> {
    pub(crate) stop: &'a AtomicBool,
    pub(crate) say: &'a Say,
}

/// Tries until it works; reports the first failure, and the next one after a success.
///
/// # Errors
/// When `stop` becomes true before.
pub(crate) async fn persist<T, E: Display, F>(
    what: &str,
    attempt: impl Fn() -> F,
    retry: &Retry<'_>,
) -> Result<T, QueueError>
where
    F: Future<Output = Result<T, E>>,
{
    let (mut pause, longest) = PAUSES;
    let mut said = false;
    loop {
        let why = match attempt().await {
            Ok(done) => return Ok(done),
            Err(why) => why,
        };
        if retry.stop.load(Ordering::Relaxed) {
            return Err(QueueError::server(what, why));
        }
        if !std::mem::replace(&mut said, true) {
            (retry.say)(&format!("{what}: {}; trying again", in_words(&why)));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// Publishes a message once, however often that has to be tried: the server drops copies with the
/// same id.
pub(crate) async fn publish(
    jetstream: &Context,
    what: &str,
    subject: &str,
    id: &str,
    payload: &[u8],
    retry: &Retry<'_>,
) -> Result<PublishAck, QueueError> {
    let attempt = || async {
        let message = PublishMessage::build().payload(payload.to_vec().into()).message_id(id);
        let sent = jetstream.send_publish(subject.to_owned(), message).await;
        let acknowledged = match sent {
            Ok(sent) => sent.await,
            Err(error) => Err(error),
        };
        acknowledged.map_err(|error| match (error.kind(), std::error::Error::source(&error)) {
            (PublishErrorKind::Other, Some(source)) => source.to_string(),
            (_, _) => error.to_string(),
        })
    };
    persist(what, attempt, retry).await
}
