//! The two programs: phalanxd, the daemon, and phalanx, the people's tool.
