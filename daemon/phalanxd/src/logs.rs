//! What the daemon logs.

mod filter;
mod flood;
mod start;
mod traces;

pub use filter::LogControl;
pub use start::start;
pub use traces::Traces;

use crate::repeats::Repeats;
use phalanx_engine::{Description, EventSeverity, EventTopic, JournalEntry, JournalEvent};
use phalanx_net::{JournalItem, JournalStream};
use tracing::{debug, error, info, warn};

/// Logs a team's journal until it ends; a trouble that repeats is logged a few times and counted.
pub async fn follow(name: String, mut journal: JournalStream) {
    let mut troubles = Repeats::default();
    while let Some(item) = journal.next().await {
        match item {
            JournalItem::Dropped(count) => warn!(team = name, count, "journal lines lost"),
            JournalItem::Entry(entry) => log(&name, &entry, &mut troubles),
        }
    }
}

fn log(team: &str, entry: &JournalEntry, troubles: &mut Repeats) {
    if let JournalEvent::RoundStarted
    | JournalEvent::RoundOver { .. }
    | JournalEvent::Generation { .. }
    | JournalEvent::TakenBack { .. } = entry.event
    {
        // The same mistake in the next round, or in another generation, is news again.
        for line in troubles.take() {
            warn!(team, "{line}");
        }
    }
    let severity = severity(&entry.event);
    if severity == EventSeverity::Debug && !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let Description { topic, text, details, .. } = entry.describe();
    let text = if topic == EventTopic::Trouble { troubles.tell(&text) } else { Some(text) };
    let Some(text) = text else { return };
    let details = details.iter().filter_map(|detail| detail.lines().next());
    for line in std::iter::once(text.as_str()).chain(details) {
        let (turn, agent) = (entry.turn, entry.agent.as_deref().unwrap_or(""));
        let (topic, generation) = (topic.word(), entry.generation);
        let (missed, alert) = (missed(&entry.event), alert(&entry.event));
        macro_rules! at {
            ($level:ident) => {
                $level!(team, %turn, agent, generation, topic, missed, alert, "{line}")
            };
        }
        match severity {
            EventSeverity::Debug => at!(debug),
            EventSeverity::Info => at!(info),
            EventSeverity::Warning => at!(warn),
            EventSeverity::Error => at!(error),
        }
    }
}

/// The level at which an event is logged: that of its severity, with two exceptions.
fn severity(event: &JournalEvent) -> EventSeverity {
    match (event.topic(), event.severity()) {
        // The seat itself logs its failures and refusals, with more about them.
        (EventTopic::Seat, severity) if severity > EventSeverity::Info => EventSeverity::Debug,
        // An error that a script logs is no error of the daemon.
        (EventTopic::Script, _) => EventSeverity::Info,
        (_, severity) => severity,
    }
}

/// The turns that a resumed team missed, as a number for programs that read the log.
fn missed(event: &JournalEvent) -> Option<u32> {
    if let JournalEvent::Resumed { missed, .. } = event { Some(*missed) } else { None }
}

/// The kind of an alert, for programs that read the log.
fn alert(event: &JournalEvent) -> Option<&'static str> {
    let (JournalEvent::AlertBegan { alert, .. } | JournalEvent::AlertEnded { alert, .. }) = event
    else {
        return None;
    };
    Some(alert.word())
}
