//! The gRPC control API: teams, matches, health, reflection.
