//! The only sockets and the only clock: seat tasks, transports, team threads, arena hosts.
