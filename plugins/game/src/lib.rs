//! The contract between the daemon and a game: sessions, worlds, arenas, turns.
