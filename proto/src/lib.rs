//! The control API's messages, clients and servers, generated from `phalanx/v1/*.proto`.
//!
//! The problem: building the daemon must need no `protoc`. So the generated code is checked in
//! under `src/gen`, and a test compiles the `.proto` files again with a compiler written in Rust
//! and fails on any difference. After a change of a `.proto` file run
//! `UPDATE_PROTO=1 cargo test -p phalanx-proto`.
//!
//! Use: [`v1`] has the types; [`v1::NAMES`] the names of the services; [`METHODS`] the methods with
//! the role that each needs; [`Change`] what requests for changes share; [`DESCRIPTORS`] what a
//! reflection service needs.
//!
//! Absent on purpose: any behaviour, any conversion from the daemon's own types. Only how messages with
//! passwords or tokens look in logs is written by hand.

mod methods;
mod redacted;
mod rpc;

pub use methods::{Change, METHODS, Method};

/// Everything of the package `phalanx.v1`.
pub mod v1 {
    #![allow(
        clippy::all,
        clippy::pedantic,
        clippy::restriction,
        missing_docs,
        unreachable_pub,
        rustdoc::all,
        reason = "generated code"
    )]
    include!("gen/phalanx.v1.rs");

    /// The full names of the package's services, for health and reflection.
    pub const NAMES: &[&str] = &[
        "phalanx.v1.Access",
        "phalanx.v1.Daemon",
        "phalanx.v1.Teams",
        "phalanx.v1.Matches",
        "phalanx.v1.Strategies",
        "phalanx.v1.Boards",
        "phalanx.v1.Worlds",
        "phalanx.v1.Arenas",
        "phalanx.v1.Leagues",
        "phalanx.v1.Lab",
        "phalanx.v1.Recordings",
    ];
}

/// The encoded `google.protobuf.FileDescriptorSet` of the package, with everything it imports.
pub const DESCRIPTORS: &[u8] = include_bytes!("gen/descriptors.bin");
