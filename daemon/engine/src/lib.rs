//! The team core, sans-IO: gathers percepts, asks the brain, emits actions.
