//! Selects and times the messages of a replay.

use crate::convert::time_asked;
use crate::error::{Reason, refuse_field};
use futures_util::{Stream, StreamExt};
use phalanx_proto::v1;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use tonic::Status;

/// Most names of channels in a request.
const NAMES_MAX: usize = 64;
/// Longest name of a channel, in bytes.
const NAME_BYTES_MAX: usize = 128;
/// Fastest replay, as a multiple of the match's speed.
const SPEED_MAX: f64 = 1_000.0;

/// Longest wait.
const WAIT_MAX: Duration = Duration::from_secs(30 * 24 * 3_600);

/// The wanted channels.
#[derive(Clone, Debug)]
pub(super) struct ChannelFilter(Vec<String>);

impl ChannelFilter {
    /// Reads the filter, and checks the rest of the request.
    pub(super) fn of(request: &v1::ReplayRecordingRequest) -> Result<Self, Status> {
        let short = |name: &String| !name.is_empty() && name.len() <= NAME_BYTES_MAX;
        if request.channels.len() > NAMES_MAX || !request.channels.iter().all(short) {
            let expected = format!("at most {NAMES_MAX} names of channels such as /journal");
            return Err(refuse_field(Reason::NameMalformed, "channels", &expected));
        }
        if !(0.0..=SPEED_MAX).contains(&request.speed) {
            return Err(refuse_field(Reason::RateMalformed, "speed", "a number from 0 to 1000"));
        }
        Ok(Self(request.channels.clone()))
    }

    /// Whether messages of a channel are wanted. Damage is always reported.
    pub(super) fn takes(&self, channel: &str) -> bool {
        let wanted = |name: &String| {
            channel == name || (name.ends_with('/') && channel.starts_with(name.as_str()))
        };
        self.0.is_empty() || channel.is_empty() || self.0.iter().any(wanted)
    }
}

/// The first time that is wanted, after the begin.
pub(super) fn from(request: &v1::ReplayRecordingRequest) -> Result<Duration, Status> {
    let wrong = || refuse_field(Reason::RateMalformed, "from", "a time of 0 or more");
    let from = request.from.map(|from| time_asked(from).ok_or_else(wrong)).transpose()?;
    Ok(from.unwrap_or_default())
}

/// The same messages, each not before its time.
pub(super) fn paced(
    messages: impl Stream<Item = Result<v1::ReplayRecordingResponse, Status>> + Send + 'static,
    speed: f64,
) -> impl Stream<Item = Result<v1::ReplayRecordingResponse, Status>> + Send {
    let mut first = None;
    messages.then(move |message| {
        let due = message.as_ref().ok().filter(|_| speed > 0.0).map(|message| {
            let (begun, nanos) = *first.get_or_insert_with(|| (Instant::now(), message.nanos));
            let after = u64::try_from(message.nanos.saturating_sub(nanos)).unwrap_or_default();
            begun + wait(Duration::from_nanos(after), speed)
        });
        async move {
            if let Some(due) = due {
                sleep_until(due).await;
            }
            message
        }
    })
}

/// A duration of the match at this speed.
fn wait(after: Duration, speed: f64) -> Duration {
    let wait = Duration::try_from_secs_f64(after.as_secs_f64() / speed);
    wait.map_or(WAIT_MAX, |wait| wait.min(WAIT_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_speed_is_too_slow_to_be_counted() {
        let hour = Duration::from_secs(3_600);
        assert_eq!(wait(hour, 2.0), hour / 2);
        assert_eq!(wait(hour, 5e-324), WAIT_MAX);
        assert_eq!(wait(Duration::ZERO, 5e-324), Duration::ZERO);
        assert_eq!(wait(Duration::from_nanos(u64::MAX), 1.0), WAIT_MAX);
    }

    #[test]
    fn a_name_that_ends_with_a_slash_stands_for_all_below() {
        let names =
            |names: &[&str]| ChannelFilter(names.iter().map(|&name| name.to_owned()).collect());
        let some = names(&["/journal", "/seat/"]);
        assert!(some.takes("/journal") && some.takes("/seat/3/sent") && some.takes(""));
        assert!(!some.takes("/journals") && !some.takes("/team"));
        assert!(names(&[]).takes("/team"));
    }
}
