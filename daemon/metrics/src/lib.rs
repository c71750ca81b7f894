//! Figures for Prometheus: every metric's name, unit and meaning in one table, and how what teams
//! publish and what callers ask becomes numbers.
//!
//! The problem: an operator of ten matches looks at curves, not at logs, and must trust them. So
//! the counts of a team are its own counters, taken from its snapshots: they are right even where
//! a slow reader lost journal entries. Nothing here is reached from a team's thread: followers feed
//! the journal in, and [`Metrics::render`] asks each [`MetricsSource`] for the rest when somebody scrapes.
//!
//! Use: one [`Metrics`] a daemon; a [`TeamMetrics`] for each team; [`ApiMetrics`] for the control
//! API. [`Metrics::upkeep`] wants to be called every few seconds, scraped or not.
//!
//! Labels are bounded: teams and agents come from rosters, roles from scripts ([`ROLES_MAX`] of a
//! team), methods from the table of the API. What is not touched for [`IDLE`] is forgotten, so
//! that teams that are gone leave nothing behind.
//!
//! Absent on purpose: sockets, tasks, a global recorder.

mod api;
mod checkpoint;
mod foxglove;
mod lab;
mod names;
mod process;
mod recorder;
mod recording;
mod team;

pub use api::{ApiMetrics, Connected, OpenCall};
pub use checkpoint::CheckpointMetrics;
pub use foxglove::{FoxgloveMetrics, FoxgloveSample};
pub use lab::{LabMetrics, LabSample};
pub use names::{METRICS, MetricDoc, MetricKind, document};
pub use process::resident_bytes;
pub use recorder::{IDLE, Metrics, MetricsSource};
pub use recording::{RecordingMetrics, RecordingSample};
pub use team::{AnswerSample, ROLES_MAX, SeatSample, TeamMetrics, TeamSample};
