//! What the referee costs: zone colouring, and whole steps with percepts.
fn main() {}
