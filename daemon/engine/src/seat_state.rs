//! The state of a seat's connection.

/// What a seat's connection is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SeatState {
    /// Not tried yet.
    #[default]
    Idle,
    /// Connecting, or waiting before the next try.
    Connecting {
        /// How many tries failed since the last success.
        failures: u32,
        /// Why the last one failed.
        reason: String,
    },
    /// The connection is open; the referee has not accepted the login yet.
    Connected,
    /// The referee accepted the login.
    Seated,
    /// The referee refused the login.
    Refused {
        /// Its reason.
        reason: String,
    },
    /// An operator stopped the team, or moves it: the seat has hung up and stays away until then.
    Stopped,
    /// The match is over for this seat, or it was drained.
    Closed,
}
