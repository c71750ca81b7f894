//! What the configurations of both referees say: teams and their accounts, and the start of a run.

use phalanx_game::Origin;
use std::fmt;
use std::time::{Duration, Instant};

/// Milliseconds of a day.
const DAY_MS: u64 = 86_400_000;

/// A password; `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Wraps a password.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Whether it equals the given one.
    #[must_use]
    pub fn is(&self, given: &str) -> bool {
        self.0 == given
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("***")
    }
}

/// A team and its accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamConfig {
    /// The team's name.
    pub name: String,
    /// The names of its accounts are this prefix and a number from 1.
    pub prefix: String,
    /// The password of all its accounts.
    pub password: Password,
}

impl TeamConfig {
    /// The name of the account with that number.
    #[must_use]
    pub fn account(&self, number: usize) -> String {
        format!("{}{number}", self.prefix)
    }
}

/// When the first match begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// When an operator starts it.
    Key,
    /// That long after the start of the referee.
    After(Duration),
    /// At that minute of the day by the wall clock; at once if it is past.
    At {
        /// Minutes since midnight.
        minute: u32,
    },
    /// When all accounts are logged in. Not in the organisers' files.
    Complete,
}

impl Launch {
    /// The instant of the launch, if the clock decides. `local_ms`: the origin's local time in
    /// milliseconds since the epoch.
    #[must_use]
    pub fn instant(self, origin: Origin, local_ms: u64) -> Option<Instant> {
        let wait = match self {
            Self::Key | Self::Complete => return None,
            Self::After(wait) => wait,
            Self::At { minute } => {
                let since_midnight = Duration::from_millis(local_ms % DAY_MS);
                Duration::from_secs(u64::from(minute) * 60).saturating_sub(since_midnight)
            }
        };
        origin.instant.checked_add(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "an Instant has no other constructor")]
    fn origin() -> Origin {
        Origin { instant: Instant::now(), unix_ms: 1_615_895_311_163 }
    }

    #[test]
    fn a_launch_at_a_minute_of_the_day_waits_for_it_unless_it_is_past() {
        let origin = origin();
        // 11:48:31.163 on that day.
        let wait = |minute| {
            let at = Launch::At { minute }.instant(origin, origin.unix_ms);
            at.map(|at| at.saturating_duration_since(origin.instant).as_millis())
        };
        assert_eq!(wait(11 * 60 + 50), Some(88_837));
        assert_eq!((wait(11 * 60 + 48), wait(0)), (Some(0), Some(0)));
        let local_ms = origin.unix_ms + 60_000;
        let later = Launch::At { minute: 11 * 60 + 50 }.instant(origin, local_ms);
        assert_eq!(later, origin.instant.checked_add(Duration::from_millis(28_837)));
        assert_eq!(Launch::Complete.instant(origin, 0), None);
    }

    #[test]
    fn a_password_is_not_printed() {
        let password = Password::new("secret");
        assert_eq!(format!("{password:?}"), "***");
        assert!(password.is("secret") && !password.is("Secret"));
    }
}
