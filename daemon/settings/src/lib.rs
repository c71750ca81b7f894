//! File, drop-ins, environment and flags become checked settings.
