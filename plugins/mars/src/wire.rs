//! Messages to bytes and back, both ways (spec sections 2, 3, 5 and 11): total on any input.
//!
//! Reading what a referee sends is lenient: any order of attributes, both kinds of quotes, comments,
//! unknown elements and attributes, declarations with and without `standalone`, entities, missing
//! lists and numbers, bytes that are no UTF-8. Reading what a client sends is strict where the
//! original referee is, since there an ill-formed frame has consequences (spec section 5.1).
//!
//! - `scan`: elements and attributes of a document. `server`, `client`: what they mean.
//! - `build`: documents, byte for byte as the original referee writes them.

mod build;
mod client;
mod scan;
mod server;

pub use build::{encode_action, encode_auth, encode_server};
pub use client::decode_client;
pub use server::decode_server;

use crate::percept::{Briefing, Percept};
use smol_str::SmolStr;

/// Elements inside each other at most.
pub const DEPTH_MAX: usize = 32;

/// Attributes of one element at most.
pub const ATTRIBUTES_MAX: usize = 256;

/// What the referee says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerMessage {
    /// When it was built, Unix milliseconds on the referee's clock.
    pub timestamp: Option<i64>,
    /// What it is.
    pub body: ServerBody,
}

/// What a message of the referee is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "nearly every message is of the largest kind")]
pub enum ServerBody {
    /// Answer to the login.
    AuthResponse {
        /// The referee's word: `ok` or `fail`.
        result: SmolStr,
    },
    /// A simulation begins.
    SimStart(Briefing),
    /// An action is wanted.
    RequestAction(Request),
    /// The simulation is over.
    SimEnd {
        /// The team's score, when it came.
        score: Option<i64>,
        /// The team's rank from 1, when it came.
        ranking: Option<u32>,
    },
    /// The tournament is over.
    Bye,
    /// A kind that this program does not know.
    Unknown {
        /// The referee's word.
        kind: SmolStr,
    },
}

/// The envelope of a percept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// To be copied into the action.
    pub id: SmolStr,
    /// Until when the action counts, on the referee's clock.
    pub deadline: Option<i64>,
    /// What the agent perceives.
    pub percept: Percept,
}

/// What a client says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientMessage {
    /// A login.
    AuthRequest {
        /// The account's name.
        username: SmolStr,
        /// Its password.
        password: SmolStr,
    },
    /// An action.
    Action {
        /// The id as it came; `None` when there is none or it is no number: the answer is ignored.
        id: Option<i64>,
        /// The action's name as it came; empty when there was none.
        kind: SmolStr,
        /// Its parameter; an absent one is empty.
        param: SmolStr,
    },
    /// Something else, well-formed: to be ignored.
    Other {
        /// The root element's name, or the type of the message.
        kind: SmolStr,
    },
}
