//! End-to-end and tidy tests: the real programs, real sockets.
