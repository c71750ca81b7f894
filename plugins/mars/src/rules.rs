//! The game without its protocol: everything that the referee decides, as pure functions of state,
//! actions and seed (spec, sections 6 to 12).
//!
//! ```text
//! seed ─ map ─▶ State ─ sight ─▶ what every agent perceives
//!                │ ▲
//!      acts, luck▼ │
//!              advance: attacks, deeds, zones, achievements, scores
//! ```
//!
//! - [`words`]: roles, verbs, items and results by their names on the wire.
//! - [`map`]: maps from seeds. [`graph`]: who is next to whom.
//! - [`state`]: a simulation at one moment. [`act`]: what agents want. [`step`]: the next moment.
//!   [`deed`]: every action but how attacks meet. [`achievement`]: what earns money.
//! - [`zone`]: who owns what, fast, on any placement. [`sight`]: who perceives what.

pub mod achievement;
pub mod act;
pub mod deed;
pub mod graph;
pub mod map;
pub mod sight;
pub mod state;
pub mod step;
pub mod words;
pub mod zone;

pub use act::Act;
pub use graph::Adjacency;
pub use state::{MarsRules, State};
pub use step::StepLuck;
pub use words::{MarsVerb, MatchSide, Outcome, Role, Upgrade};
