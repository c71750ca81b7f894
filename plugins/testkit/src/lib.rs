//! What the tests of all games share: transcripts, traces, byte mangling, matches on a virtual clock.
