//! Who may do what at the control API.
//!
//! Three roles, each of which includes the one before: a viewer looks, an operator steers what
//! plays, an admin also makes and revokes tokens. Callers over the network prove their role by a
//! bearer token; the daemon keeps only its argon2 hash.
//!
//! - [`role`]: the roles. [`token`]: the text that a caller shows. [`store`]: the tokens of a
//!   daemon, a file. [`authenticator`]: from a text to who calls, with [`throttle`] against those
//!   who guess. [`audit`]: who changed what, a file.
//!
//! Use: [`store::TokenStore::open`], then [`authenticator::Authenticator`] for each call. Hashing
//! takes tens of milliseconds on purpose: call it where that blocks nobody.
//!
//! Absent on purpose: gRPC, sockets, which method wants which role.
#![deny(missing_docs)]

pub mod audit;
pub mod authenticator;
mod file;
pub mod role;
pub mod store;
pub mod throttle;
pub mod token;

pub use audit::{Audit, AuditLine};
pub use authenticator::{Authenticator, Denied};
pub use role::Role;
pub use store::{StoreError, TokenInfo, TokenStore};
pub use token::Token;
