//! What each method declares about its calls, generated from the `.proto` files: the role that it
//! needs (`option (rule)`), and the fields that all requests for changes share.

use crate::v1::*;
use prost::Message;

/// A method and the permission that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// The path of its calls without the first slash: `phalanx.v1.Teams/GetTeam`.
    pub path: &'static str,
    /// The smallest role that may call it.
    pub role: Role,
    /// It changes something: each call is written to the audit log.
    pub changes: bool,
}

/// A request that changes something: every one with the field `request_id`. A field that a request
/// does not have counts as not set.
pub trait Change: Message + Clone + Send + 'static {
    /// Identifies repetitions of the request; empty: every repetition is made.
    fn request_id(&self) -> &str;

    /// The state that the caller knows; empty: any.
    fn etag(&self) -> &str {
        ""
    }

    /// Only check the request.
    fn validate_only(&self) -> bool {
        false
    }
}

include!("gen/methods.rs");
