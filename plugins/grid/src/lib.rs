//! Cells on a torus, frames and their joining, path search, distance fields, assignment.
