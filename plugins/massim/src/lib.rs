//! What the two contests on the *MASSim* server share, "Agents on Mars" (2012) and "Agents
//! Assemble II" (2020/21): one writes XML and the other JSON, but both send the same messages in
//! the same order.
//!
//! - [`session`]: the client's side of an account's connection. A game adds a [`SessionProtocol`]:
//!   its codec and the few points where the contests differ.
//! - [`rounds`]: which simulation a message belongs to.
//! - [`referee`]: the course of a run on the referee's side: matches, simulations, steps, answers.
//! - [`accounts`]: connections and logins on the referee's side. [`framing`]: frames of clients.
//! - [`config`]: teams, passwords and the start of a run, as both configurations have them.
//! - [`query`]: checked arguments of a script's query.
//! - [`random`]: `java.util.Random`, from which both original servers draw.
//!
//! This crate has no codec and knows no rule of either game.

pub mod accounts;
pub mod config;
pub mod framing;
pub mod query;
pub mod random;
pub mod referee;
pub mod rounds;
pub mod session;

pub use accounts::{AccountTable, AgentAccount, ClientConduct, LoginState};
pub use config::{Launch, Password, TeamConfig};
pub use framing::{ClientFrame, FrameReader};
pub use random::JavaRandom;
pub use referee::{Referee, RefereePhase};
pub use rounds::{RoundTracker, StartMessage};
pub use session::{ActionRequest, MassimSession, RefereeMessage, SessionProtocol};
