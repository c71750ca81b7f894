//! Reads the results of a run as they come.

use crate::QueueError;
use crate::broker::Broker;
use crate::coordinator::Core;
use crate::open::Effect;
use crate::wire::{ResultMessage, number_of_result};
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Pause before the results are asked for again after an error.
const PAUSE: Duration = Duration::from_millis(500);

/// The task that reads results.
pub(crate) struct ResultReader {
    core: Arc<Core>,
    results: PullConsumer,
}

impl ResultReader {
    pub(crate) async fn new(core: Arc<Core>) -> Result<Self, QueueError> {
        let results = core.broker.results_of(&core.subjects).await?;
        Ok(Self { core, results })
    }

    /// Works until the run ends.
    pub(crate) async fn run(mut self) {
        while !self.core.ended.load(Ordering::Relaxed) {
            if let Ok(mut results) = self.results.messages().await {
                while let Some(Ok(message)) = results.next().await {
                    self.take(message).await;
                }
            }
            tokio::time::sleep(PAUSE).await;
            self.restore().await;
        }
    }

    /// Finds the results again after the server was away, or was set up anew.
    async fn restore(&mut self) {
        if Broker::open(self.core.broker.jetstream.clone()).await.is_ok()
            && let Ok(results) = self.core.broker.results_of(&self.core.subjects).await
        {
            self.results = results;
        }
    }

    async fn take(&self, message: Message) {
        let read = serde_json::from_slice::<ResultMessage>(&message.payload);
        let number = number_of_result(&message.subject);
        let effect = match (number, read) {
            (Some(number), Ok(result)) => self.core.open().result(number, result),
            (_, Err(why)) => self.odd(&message.subject, &why.to_string()),
            (None, _) => self.odd(&message.subject, "no number of a match"),
        };
        self.core.carry_out(effect).await;
        // A result whose acknowledgement is lost comes again, and is not counted again.
        drop(message.ack().await);
    }

    fn odd(&self, subject: &str, why: &str) -> Effect {
        let text = format!("a message on {subject} that is no result: {why}: dropped");
        Effect { say: self.core.open().once(text), delete: None }
    }
}
