//! MAPC 2012, "Agents on Mars": our client and our referee.
//!
//! The protocol in a nutshell. Each agent has its own TCP connection; messages are XML documents
//! that end with a NUL byte. After the login the referee sends, per simulation, `sim-start`, then
//! one `request-action` a step with everything the agent perceives, and `sim-end`; `bye` ends the
//! tournament. The first answer with the request's id counts; a silent agent costs everybody the
//! full time.
//!
//! Two teams of twenty agents in five roles walk an unknown graph. They probe vertices, survey
//! edges, inspect, disable and repair each other. Every step a team earns the value of the zones
//! that its agents enclose, and its money once more.
//!
//! Where each rule is stated: bytes and messages in [`wire`], the order of messages and the clock in
//! [`session`], what is perceived in [`percept`], what may be done in [`action`], the game itself in
//! [`rules`].
//!
//! Absent on purpose: sockets, clocks, strategy.

pub mod action;
pub mod arena;
pub mod percept;
pub mod rules;
pub mod session;
pub mod wire;
