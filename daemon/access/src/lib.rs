//! Who may do what at the control API.
//!
//! Three roles, each of which includes the one before: a viewer looks, an operator steers what
//! plays, an admin also makes and revokes tokens. Callers over the network prove their role by a
//! bearer token; the daemon keeps only its hashes.
//!
//! - [`role`]: the roles. [`token`]: the text that a caller shows. [`store`]: the tokens of a
//!   daemon, a file. [`authenticator`]: from a text to who calls, with [`throttle`] against those
//!   who guess. [`audit`]: who changed what, a file. [`denials`]: who was turned away, another.
//!
//! Use: [`store::TokenStore::open`], then [`authenticator::Authenticator`] for each call. A check
//! takes microseconds, but tens of milliseconds for a token that an earlier daemon made and that was
//! not used since, and so does making one: call these where that blocks nothing else.
//!
//! Absent on purpose: gRPC, sockets, which method wants which role.

pub mod audit;
pub mod authenticator;
pub mod denials;
mod file;
mod lines;
pub mod role;
pub mod store;
pub mod throttle;
pub mod token;

pub use audit::{Audit, AuditLine};
pub use authenticator::{Authenticator, Denied};
pub use denials::{Denial, DenialLine, Denials};
pub use role::Role;
pub use store::{TokenInfo, TokenStore, TokenStoreError};
pub use token::AccessToken;
