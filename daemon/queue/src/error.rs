//! Why a queue cannot be used.

use std::fmt::Display;

/// Why a queue cannot be used. Each text says what to do.
#[derive(Clone, Debug, thiserror::Error)]
pub enum QueueError {
    /// No server answers, or it refuses this client.
    #[error("{0}")]
    Connect(String),
    /// The server has no JetStream, or refused to make or to find a part of the queue.
    #[error("{0}")]
    Server(String),
    /// Another process coordinates the same league.
    #[error("{0}")]
    InUse(String),
    /// A strategy does not fit into a bundle.
    #[error("{0}")]
    Bundle(String),
    /// Every worker refused the matches.
    #[error("{0}")]
    Refused(String),
}

impl QueueError {
    pub(crate) fn server(what: impl Display, why: impl Display) -> Self {
        Self::Server(format!("{what}: {}", in_words(&why)))
    }
}

/// The server's reason, with what to do where the reason is known.
pub(crate) fn in_words(why: &impl Display) -> String {
    let why = why.to_string();
    let advice = [
        ("jetstream unavailable", "start nats-server with --jetstream"),
        ("jetstream not enabled", "start nats-server with --jetstream"),
        ("no responders", "start nats-server with --jetstream, and check the user's permissions"),
        ("does not exist", "start nats-server with --jetstream, and check the user's permissions"),
        ("insufficient storage", "raise max_file_store in the server's settings"),
        ("insufficient resources", "raise max_file_store in the server's settings"),
        ("resource limits exceeded", "raise the limits of the account in the server's settings"),
        ("maximum messages exceeded", "the queue is full; it goes on when there is room"),
        ("maximum bytes exceeded", "the queue is full; it goes on when there is room"),
        ("timed out", "the server is away, or the user may not do that"),
    ];
    match advice.iter().find(|(text, _)| why.contains(text)) {
        Some((_, advice)) => format!("{why}; {advice}"),
        None => why,
    }
}
